"""A fold plan: which rows of this data are tested in which fit, frozen and fingerprinted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from pycvstat.errors import FoldError
from pycvstat.errors.names import answering
from pycvstat.folds import forms
from pycvstat.folds.fits import Fits, Kind, partition_kind
from pycvstat.folds.problems import plan_problems, require_few, row_count, rows_of
from pycvstat.types import IntArray
from pycvstat.verbs import Shown


@dataclass(frozen=True, eq=False, repr=False)
class FoldPlan(Shown, Fits):
    """Which rows are tested in which fit; frozen, with a fingerprint.

    Plans are made by splitters (``KFold(10, random=1).plan(data)``) or imported
    (`from_fold_ids`, `from_rows`, `from_splits`, `from_csv`). Training rows are not stored:
    they are the complement of the test rows unless `train` names them. Test rows are kept in
    increasing order within each fit.

    Parameters
    ----------
    n : int
        Number of rows of the data.
    rows : array of int, shape (N,)
        Test rows of all fits, one fit after the other, counted from 0.
    offsets : array of int, shape (fits + 1,)
        Fit ``i`` tests ``rows[offsets[i]:offsets[i + 1]]``.
    repeat, fold : array of int, shape (fits,)
        The repetition and the fold that each fit belongs to, counted from 0.
    kind : str
        What sort of plan this is; intervals are legal for certain kinds only.
    recipe : str
        The splitter that made it, as it would be typed.
    train : tuple of array of int, optional
        Training rows of each fit where they are not the complement of its test rows.
    left_out : tuple of tuple of int, optional
        For ``kind="nested_pairs"``: the folds that each fit excludes.
    groups : array, shape (n,), optional
        The group of each row, when rows come in groups.
    seed : int, optional
        The seed that the rows were drawn with, as in R's ``set.seed``.
    splitter : Splitter, optional
        What made it, where R can make it too: `crosscheck` asks it how.
    stratified : bool or str
        Whether classes, or groups of a numeric response, have equal shares in all folds; or of
        which strata, where they are not the response.

    Examples
    --------
    >>> plan = FoldPlan.from_fold_ids([1, 2, 1, 2, 3])
    >>> plan
    <FoldPlan fold ids: 3 fits on 5 rows>
    >>> for train_rows, test_rows in plan:
    ...     print(train_rows, test_rows)
    [1 3 4] [0 2]
    [0 2 4] [1 3]
    [0 1 2 3] [4]
    """

    view: ClassVar[str] = "data"
    counterpart: ClassVar[str] = "data_in_r.plan_in_r"

    def __repr__(self) -> str:
        fits = "1 fit" if len(self) == 1 else f"{len(self)} fits"
        return f"<FoldPlan {self.recipe}: {fits} on {self.n} rows>"

    def check(self, *, refuse: bool = True) -> tuple[str, ...]:
        """Say what is wrong with this plan: overlaps, rows tested twice or never, split groups.

        Parameters
        ----------
        refuse : bool, default True
            Raise `FoldError` when there is a problem; False returns the problems instead.

        Returns
        -------
        tuple of str
            The problems, rows, folds and repetitions counted from 1; empty when sound.

        Examples
        --------
        >>> FoldPlan.from_rows([[0, 1], [2, 3], [3]], n=5).check(refuse=False)
        ('row 4 is tested 2 times', 'row 5 is never tested')
        """
        problems = plan_problems(self)
        if problems and refuse:
            raise FoldError(
                "The fold plan is not sound: " + "; ".join(problems) + ".",
                given=f"{self.recipe}, {len(self)} fits on {self.n} rows (counted from 1 here)",
                fix="repair the folds, or look at plan.check(refuse=False) and use them knowingly",
            )
        return problems

    def tidy(self) -> pd.DataFrame:
        """One row per fit and test row: fit, repeat, fold (from 1) and row (from 0).

        Examples
        --------
        >>> FoldPlan.from_fold_ids([1, 2, 1]).tidy()
           fit  repeat  fold  row
        0    1       1     1    0
        1    1       1     1    2
        2    2       1     2    1
        """
        fit = np.repeat(np.arange(len(self)), self.n_test)
        columns = {"fit": fit, "repeat": self.repeat[fit], "fold": self.fold[fit]}
        return pd.DataFrame({name: of + 1 for name, of in columns.items()} | {"row": self.rows})

    def glance(self) -> pd.DataFrame:
        """One row: kind, fits, repetitions, rows, sizes, recipe, seed, fingerprint.

        Examples
        --------
        >>> FoldPlan.from_fold_ids([1, 2, 1]).glance()[["kind", "fits", "n"]].values.tolist()
        [['kfold', 2, 3]]
        """
        row = {
            "kind": self.kind,
            "fits": len(self),
            "times": self.times,
            "n": self.n,
            "n_train_min": int(self.n_train.min()),
            "n_train_max": int(self.n_train.max()),
            "folds": self.recipe,
            "seed": self.seed,
            "fingerprint": self.fingerprint,
        }
        return pd.DataFrame([row])

    def augment(self) -> pd.DataFrame:
        """One row per row of the data: how often it is tested, and its fold in each repetition.

        Examples
        --------
        >>> FoldPlan.from_fold_ids([1, 2, 1]).augment()
           .row  .tested  .fold
        0     0        1      1
        1     1        1      2
        2     2        1      1
        """
        tested = np.bincount(self.rows, minlength=self.n)
        data = pd.DataFrame({".row": np.arange(self.n), ".tested": tested})
        if self.is_partition:
            for repeat, ids in enumerate(self.fold_ids.reshape(self.n, -1).T, start=1):
                data[".fold" if self.times == 1 else f".fold_{repeat}"] = ids
        return data

    @classmethod
    def from_fold_ids(
        cls, ids: Any, *, groups: npt.NDArray[Any] | None = None, recipe: str = "fold ids"
    ) -> FoldPlan:
        """Make a plan from one fold label per row.

        Parameters
        ----------
        ids : sequence, shape (n,) or (n, times)
            Labels of any type; folds are taken in sorted order (levels of a factor: in theirs).
        groups : array, shape (n,), optional
            The group of each row.
        recipe : str
            What to call the plan.

        Examples
        --------
        >>> FoldPlan.from_fold_ids([1, 1, 2, 2]).test_rows(1)
        array([2, 3])
        """
        rows, offsets, repeat, fold, n = forms.layout_of_ids(ids)
        kind = partition_kind(np.diff(offsets))
        return cls(n, rows, offsets, repeat, fold, kind, recipe, groups=groups)

    @classmethod
    def from_rows(
        cls,
        folds: Iterable[Any],
        n: int,
        *,
        first: Literal[0, 1] = 0,
        holds: Literal["test", "train"] = "test",
        recipe: str = "list of rows",
    ) -> FoldPlan:
        """Make a plan from a list of row vectors, one per fit.

        Parameters
        ----------
        folds : iterable of sequences of int, or a mapping of names to them
            Rows of each fit.
        n : int
            Number of rows of the data.
        first : {0, 1}
            The number of the first row: 1 for lists made in R.
        holds : {"test", "train"}
            Which rows the list holds. As in R: caret's ``returnTrain = TRUE`` makes "train".
        recipe : str
            What to call the plan.

        Examples
        --------
        >>> FoldPlan.from_rows({"Fold1": [1, 3], "Fold2": [2]}, n=3, first=1).fold_ids
        array([1, 2, 1])
        """
        if holds not in ("test", "train"):
            raise FoldError("holds says which rows the list holds.", given=repr(holds),
                            fix='use "test" or "train"')  # fmt: skip
        parts = forms.row_lists(folds, first)
        if holds == "test":
            return cls._of_lists(n, parts, None, recipe)
        everything = np.arange(require_few(row_count(n)))
        return cls._of_lists(n, [np.setdiff1d(everything, part) for part in parts], parts, recipe)

    @classmethod
    def from_splits(
        cls,
        splits: Iterable[tuple[Any, Any]],
        n: int,
        *,
        first: Literal[0, 1] = 0,
        kind: Kind | None = None,
        recipe: str = "list of splits",
    ) -> FoldPlan:
        """Make a plan from (train rows, test rows) pairs, as scikit-learn's ``split`` gives.

        Parameters
        ----------
        splits : iterable of pairs of sequences of int
            Training and test rows of each fit.
        n : int
            Number of rows of the data.
        first : {0, 1}
            The number of the first row: 1 for rows counted as in R.
        kind : str, optional
            Declares the sort of plan (say "subsampling"); guessed from the rows otherwise.
        recipe : str
            What to call the plan.

        Examples
        --------
        >>> FoldPlan.from_splits([([0, 1], [2]), ([2], [0, 1])], n=3).n_train
        array([2, 1])
        """
        train, test = forms.split_lists(splits, first)
        return cls._of_lists(n, test, train, recipe, kind)

    @classmethod
    def _of_lists(
        cls,
        n: int,
        test: Sequence[IntArray],
        train: Sequence[IntArray] | None,
        recipe: str,
        kind: Kind | None = None,
    ) -> FoldPlan:
        if not test:
            raise FoldError("There is no fold in the list.")
        offsets = np.cumsum([0, *(len(rows) for rows in test)])
        fold, repeat = np.arange(len(test)), np.zeros(len(test), dtype=np.int64)
        given = None if train is None else tuple(train)
        rows = np.concatenate(test)
        size = require_few(row_count(n))
        plan = cls(size, rows, offsets, repeat, fold, kind or "predefined", recipe, given)
        return plan if kind else plan._recognised()

    def _recognised(self) -> FoldPlan:
        """The same plan with its kind and repetitions read off its rows."""
        if len(self) == 1:
            return replace(self, kind="holdout")
        if self.train is not None:
            return self
        repeat, fold = forms.repetitions(self.to_rows(), self.n)
        repeated = replace(self, repeat=repeat, fold=fold, kind=partition_kind(self.n_test))
        return repeated if repeated.is_partition else self

    @classmethod
    def from_csv(cls, path: str | PathLike[str], n: int | None = None) -> FoldPlan:
        """Read what `to_csv` wrote, or any CSV with a column ``fold`` (one line per row).

        Parameters
        ----------
        path : str or path
            A file with the columns ``fold`` and, where needed, ``row`` (counted from 1),
            ``repeat`` and ``role`` ("test" or "train").
        n : int, optional
            Number of rows of the data; the largest row in the file otherwise.
        """
        table = forms.read_csv(path, n)
        plan = cls._of_lists(table.n, table.test, table.train, "folds read from CSV")
        repeat, fold = table.repeat, table.fold
        return cls(
            plan.n, plan.rows, plan.offsets, repeat, fold, plan.kind, plan.recipe, plan.train
        )

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write row, repeat and fold, counted from 1; with training rows unless a partition."""
        forms.write_csv(self, path)

    def to_rows(self, *, first: Literal[0, 1] = 0) -> list[IntArray]:
        """Test rows of each fit; ``first=1`` counts them as R does.

        Examples
        --------
        >>> FoldPlan.from_fold_ids([1, 2, 1]).to_rows(first=1)
        [array([1, 3]), array([2])]
        """
        return [self.test_rows(i) + first for i in range(len(self))]

    @answering
    def to_r(self, name: str = "folds") -> str:
        """R code that makes the list of test rows (and of training rows where needed).

        Examples
        --------
        >>> print(FoldPlan.from_fold_ids([1, 1, 1, 2, 3, 2]).to_r())
        folds <- list(
          Fold1 = 1:3,
          Fold2 = c(4L, 6L),
          Fold3 = 5L
        )
        """
        return forms.r_code(self, name)

    def split(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """The (train, test) pairs, for use as scikit-learn's ``cv=``."""
        if X is not None and (given := rows_of(X)) != self.n:
            raise FoldError(
                f"This plan was made for {self.n} rows.", given=f"{given} rows",
                fix="make a new plan for this data, or pass the splitter itself",
            )  # fmt: skip
        return iter(self)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return len(self)
