"""Splits of the training rows of every outer split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pycvstat.errors import FoldError, warn
from pycvstat.errors.names import answering
from pycvstat.folds import FoldPlan
from pycvstat.r.rsample.drawing import row_count
from pycvstat.r.rsample.plans import Drawn
from pycvstat.r.rsample.split import taken
from pycvstat.types import IntArray


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
