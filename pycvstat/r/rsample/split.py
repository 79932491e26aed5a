"""One split into training and test rows, and splits of the training rows of every outer one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import read
from pycvstat.errors import FoldError, warn
from pycvstat.errors.names import answering
from pycvstat.folds import FoldPlan
from pycvstat.r.rsample.plans import Drawn, require_training, row_count, share_of, training_rows
from pycvstat.types import IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Split:
    """One split into training and test rows.

    Parameters
    ----------
    data : frame
    in_id : array of int
        Training rows, counted from 1, in the order in which R has them.
    n : int

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> split = r.rsample.initial_split(pcv.data.mtcars(), prop=0.8)
    >>> split
    <Training/Testing/Total>
    <25/7/32>
    >>> split.in_id[:5]
    array([25,  4,  7,  1,  2])
    """

    data: Any
    in_id: IntArray
    n: int

    def __repr__(self) -> str:
        return f"<Training/Testing/Total>\n<{len(self.in_id)}/{len(self.out_id)}/{self.n}>"

    @property
    def out_id(self) -> IntArray:
        """Test rows, counted from 1."""
        return np.setdiff1d(np.arange(1, self.n + 1), self.in_id)

    @property
    def plan(self) -> FoldPlan:
        """The split as a fold plan of one fit."""
        pairs = [(self.in_id - 1, self.out_id - 1)]
        return FoldPlan.from_splits(pairs, self.n, kind="holdout", recipe="initial_split")

    def training(self) -> Any:
        """The training rows, in the order of `in_id`."""
        return taken(self.data, self.in_id - 1)

    def testing(self) -> Any:
        """The test rows."""
        return taken(self.data, self.out_id - 1)

    def tidy(self) -> pd.DataFrame:
        """One row per row: its number, counted from 1, and the part it is in.

        Examples
        --------
        >>> Split(None, np.array([3, 1]), 3).tidy()["Data"].tolist()
        ['Analysis', 'Assessment', 'Analysis']
        """
        rows = np.arange(1, self.n + 1)
        part = np.where(np.isin(rows, self.in_id), "Analysis", "Assessment")
        return pd.DataFrame({"Row": rows, "Data": part})


@answering
def initial_split(
    data: Any, prop: float = 0.75, strata: str | None = None, breaks: int = 4, pool: float = 0.1
) -> Split:
    """One split at random into training and test rows.

    Parameters
    ----------
    data : frame
    prop : float
        Share of training rows.
    strata, breaks, pool
        As for `vfold_cv`.

    Notes
    -----
    As in R: ``initial_split(data, prop, strata, breaks, pool)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> split = r.rsample.initial_split({"x": [1, 2, 3, 4]})
    >>> split.in_id, split.testing()["x"].tolist()
    (array([1, 3, 4]), [2])
    """
    n = row_count(data)
    (rows,) = training_rows(data, n, share_of(prop), 1, strata, breaks, pool)
    return Split(data, rows + 1, n)


@answering
def initial_time_split(data: Any, prop: float = 0.75) -> Split:
    """The first rows for training, the last for testing.

    Notes
    -----
    As in R: ``initial_time_split(data, prop)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.rsample.initial_time_split({"x": [1, 2, 3, 4]}).in_id
    array([1, 2, 3])
    """
    n = row_count(data)
    size = math.floor(n * share_of(prop))
    require_training(size, n)
    return Split(data, np.arange(1, size + 1), n)


def taken(data: Any, rows: IntArray) -> Any:
    if isinstance(data, np.ndarray):
        return data[rows]
    frame = data if isinstance(data, pd.DataFrame) else read(data).to_pandas(as_given=True)
    return frame.iloc[rows]


@dataclass(frozen=True, slots=True, eq=False)
class NestedCV:
    """Outer splits, and inner ones of the training rows of each.

    Parameters
    ----------
    splits : FoldPlan
    inner_resamples : tuple of FoldPlan
        One for each outer split; their rows count in `analysis`.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> nested = r.rsample.nested_cv({"x": range(9)}, lambda data: r.rsample.vfold_cv(data, v=2),
    ...                              lambda data: r.rsample.bootstraps(data, times=3))
    >>> nested.tidy()
       split  fits  analysis  assessment
    0      1     3         4           5
    1      2     3         5           4
    """

    splits: FoldPlan
    inner_resamples: tuple[FoldPlan, ...]

    def analysis(self, i: int) -> IntArray:
        """Training rows of outer split `i`, counted from 0, in R's order.

        Examples
        --------
        >>> plan = FoldPlan.from_rows([[0], [1]], n=3)
        >>> NestedCV(plan, ()).analysis(1)
        array([0, 2])
        """
        return analysis_of(self.splits, i)

    def tidy(self) -> pd.DataFrame:
        """One row per outer split: its inner fits, and its training and test rows."""
        outer = self.splits
        return pd.DataFrame(
            {
                "split": range(1, len(outer) + 1),
                "fits": [len(inner) for inner in self.inner_resamples],
                "analysis": outer.n_train,
                "assessment": outer.n_test,
            }
        )


@answering
def nested_cv(
    data: Any, outside: FoldPlan | Callable[[Any], FoldPlan], inside: Callable[[Any], FoldPlan]
) -> NestedCV:
    """Split the data, and the training rows of every split again.

    Parameters
    ----------
    data : frame
    outside : FoldPlan, or function of the data that gives one
    inside : function of training rows that gives a FoldPlan

    Notes
    -----
    As in R: ``nested_cv(data, outside, inside)``, whose calls without data are functions here.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> cars = pcv.data.mtcars()
    >>> nested = r.rsample.nested_cv(cars, r.rsample.vfold_cv(cars, v=4),
    ...                              lambda train: r.rsample.vfold_cv(train, v=5))
    >>> nested.inner_resamples[0].n_test
    array([5, 5, 5, 5, 4])
    """
    n = row_count(data)
    outer = outside(data) if callable(outside) else outside
    if not isinstance(outer, FoldPlan) or outer.n != n or not callable(inside):
        raise FoldError(
            "outside is a plan of the data, and inside a function of training rows.",
            given=f"{type(outer).__name__} and {type(inside).__name__}",
            fix="nested_cv(data, vfold_cv(data, v=5), lambda train: bootstraps(train, times=25))",
        )
    if outer.kind == "bootstrap":
        warn(
            "Using bootstrapping as the outer resample is dangerous since the inner resample might "
            "have the same data point in both the analysis and assessment set."
        )
    return NestedCV(
        outer, tuple(inside(taken(data, analysis_of(outer, i))) for i in range(len(outer)))
    )


def analysis_of(plan: FoldPlan, i: int) -> IntArray:
    """Training rows in the order in which they were drawn, where the plan knows it."""
    return plan.in_id[i] - 1 if isinstance(plan, Drawn) and plan.in_id else plan.train_rows(i)
