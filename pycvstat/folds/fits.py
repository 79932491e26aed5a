"""The fits of a plan: their test and training rows, checked, counted and fingerprinted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from pycvstat.errors import FoldError
from pycvstat.errors.checks import check_word
from pycvstat.folds.problems import (
    frozen,
    require_length,
    require_no_twins,
    require_rows,
    require_training,
    row_count,
    sorted_within,
    whole,
)
from pycvstat.types import IntArray

Kind = Literal[
    "kfold",
    "loo",
    "holdout",
    "subsampling",
    "timeseries",
    "predefined",
    "nested_pairs",
    "paired_halves",
    "five_by_two",
    "bootstrap",
]

Scheme = Literal[
    "one split",
    "K-fold",
    "leave-one-out",
    "repeated K-fold",
    "subsampling",
    "nested pairs",
    "paired halves",
    "5x2",
    "time series",
    "bootstrap",
]

_OWN: dict[str, Scheme] = {
    "nested_pairs": "nested pairs",
    "paired_halves": "paired halves",
    "five_by_two": "5x2",
    "timeseries": "time series",
    "bootstrap": "bootstrap",
}


@dataclass(frozen=True, eq=False, repr=False)
class Fits:
    """The rows of every fit; `FoldPlan` says what the fields are."""

    n: int
    rows: IntArray
    offsets: IntArray
    repeat: IntArray
    fold: IntArray
    kind: Kind
    recipe: str
    train: tuple[IntArray, ...] | None = None
    left_out: tuple[tuple[int, ...], ...] | None = None
    groups: npt.NDArray[Any] | None = None
    seed: int | None = None
    splitter: Any = field(default=None, metadata={"spare": True})
    stratified: bool | str = False

    def __post_init__(self) -> None:
        check_word("kind", self.kind, get_args(Kind), "Unknown kind of plan.", FoldError)
        n = row_count(self.n)
        offsets = whole(self.offsets, "offsets")
        fits = len(offsets) - 1
        rows = whole(self.rows, "rows")
        require_rows(rows, n, "test")
        rows = sorted_within(rows, offsets)
        require_no_twins(rows, offsets)
        checked: dict[str, Any] = {"n": n, "rows": frozen(rows), "offsets": frozen(offsets)}
        for name in ("repeat", "fold"):
            labels = whole(getattr(self, name), name)
            require_length(labels, fits, name)
            low, high = labels.min(), labels.max()
            if low < 0 or (name == "repeat" and high > 0 and len(np.unique(labels)) <= high):
                raise FoldError(f"{name} counts from 0.", given=f"{low} to {high}")
            checked[name] = frozen(labels)
        if self.left_out is not None:
            require_length(self.left_out, fits, "left_out")
        if self.groups is not None:
            require_length(self.groups, n, "groups")
            checked["groups"] = frozen(np.array(self.groups))
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "train", self._given_train(fits))  # they may be the complements
        require_training(self.n_train)

    def _given_train(self, fits: int) -> tuple[IntArray, ...] | None:
        """Sorted training rows, or None when they are just the complements."""
        if self.train is None:
            return None
        require_length(self.train, fits, "train")
        train = tuple(whole(rows, "train") for rows in self.train)
        for rows in train:
            require_rows(rows, self.n, "training")
            rows.sort()
            frozen(rows)
        if all(np.array_equal(rows, self._rest(i)) for i, rows in enumerate(train)):
            return None
        return train

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[tuple[IntArray, IntArray]]:
        return (self.pair(i) for i in range(len(self)))

    def pair(self, i: int) -> tuple[IntArray, IntArray]:
        """Training and test rows of fit `i`."""
        return self.train_rows(i), self.test_rows(i)

    def test_rows(self, i: int) -> IntArray:
        """Test rows of fit `i`, counted from 0, increasing."""
        return self.rows[self.offsets[i] : self.offsets[i + 1]]

    def train_rows(self, i: int) -> IntArray:
        """Training rows of fit `i`, counted from 0, increasing."""
        return self._rest(i) if self.train is None else self.train[i]

    def _rest(self, i: int) -> IntArray:
        trained = np.ones(self.n, dtype=bool)
        trained[self.test_rows(i)] = False
        return trained.nonzero()[0]

    @cached_property
    def n_test(self) -> IntArray:
        """Number of test rows of each fit."""
        return frozen(np.diff(self.offsets))

    @cached_property
    def n_train(self) -> IntArray:
        """Number of training rows of each fit."""
        if self.train is None:
            return frozen(self.n - self.n_test)
        return frozen(np.array([len(rows) for rows in self.train], dtype=np.int64))

    def sizes(self) -> pd.DataFrame:
        """One row per fit: repeat and fold, counted from 1, and how many rows it uses.

        Examples
        --------
        >>> from pycvstat.folds import FoldPlan
        >>> FoldPlan.from_fold_ids([1, 1, 2]).sizes()["n_train"].tolist()
        [1, 2]
        """
        columns = {"repeat": self.repeat + 1, "fold": self.fold + 1}
        return pd.DataFrame(columns | {"n_train": self.n_train, "n_test": self.n_test})

    @cached_property
    def times(self) -> int:
        """Number of repetitions."""
        return int(self.repeat.max()) + 1

    @cached_property
    def folds_per_repeat(self) -> int:
        """Number of folds K of one repetition."""
        return len(self) // self.times

    @cached_property
    def scheme(self) -> Scheme:
        """What sort of resampling it is, read off its rows rather than its name.

        Examples
        --------
        >>> from pycvstat.folds import FoldPlan
        >>> FoldPlan.from_fold_ids([1, 1, 2, 2]).scheme
        'K-fold'
        """
        if self.kind in _OWN:
            return _OWN[self.kind]
        if len(self) == 1:
            return "one split"
        if not self.is_partition:
            return "subsampling"
        if self.times > 1:
            return "repeated K-fold"
        return "leave-one-out" if len(self) == self.n else "K-fold"

    @cached_property
    def is_partition(self) -> bool:
        """Whether every row is tested exactly once in every repetition."""
        return bool((self._times_tested() == 1).all())

    def _times_tested(self) -> IntArray:
        """How often each row is tested in each repetition, shape (times, n)."""
        repeat = np.repeat(self.repeat, self.n_test)
        counts = np.bincount(repeat * self.n + self.rows, minlength=self.times * self.n)
        return counts.reshape(self.times, self.n)

    @property
    def fold_ids(self) -> IntArray:
        """Fold labels 1..K of each row; shape (n,), or (n, times) when repeated.

        Examples
        --------
        >>> from pycvstat.folds import FoldPlan
        >>> FoldPlan.from_fold_ids(["b", "a", "b"]).fold_ids
        array([2, 1, 2])
        """
        if not self.is_partition:
            tested = self._times_tested()
            raise FoldError(
                "This plan has no fold ids: they exist only when every row is tested exactly "
                "once in every repetition.",
                given=f"{self.recipe}, where a row is tested "
                f"{tested.min()} to {tested.max()} times per repetition",
                fix="use plan.tidy() or plan.to_rows(); plan.check() names the rows",
            )
        ids = np.empty((self.n, self.times), dtype=np.int64)
        ids[self.rows, np.repeat(self.repeat, self.n_test)] = np.repeat(self.fold, self.n_test) + 1
        return ids[:, 0] if self.times == 1 else ids

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the rows of all fits: equal exactly when two plans split alike."""
        digest = hashlib.sha256(f"{self.n};".encode())
        for part in (self.rows, self.offsets, *(self.train or ())):
            digest.update(f"{len(part)};".encode())
            digest.update(np.ascontiguousarray(part, dtype="<i8").tobytes())
        return digest.hexdigest()


def partition_kind(sizes: IntArray) -> Kind:
    """Leave-one-out is K-fold with one row per fold."""
    return "loo" if bool((sizes == 1).all()) else "kfold"
