"""Splitters that test every row once: blocks, K-fold, strata, leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from pycvstat.errors import Advice, FoldError
from pycvstat.folds.forms import are_integers, codes_of, named
from pycvstat.folds.problems import require_few_fits, rows_of
from pycvstat.folds.splitter import (
    Given,
    Layout,
    RowsInR,
    Splitter,
    of_labels,
    partition,
    require_enough,
    require_folds,
    require_random,
)
from pycvstat.rmath.arithmetic import quantile_codes
from pycvstat.rmath.random import Random, Stream
from pycvstat.types import IntArray


@dataclass(frozen=True, repr=False)
class Blocks(Splitter):
    """Consecutive blocks of ceil(n / K) rows, as the course cuts them; rows stay in order.

    The last block may be smaller. Where ``(K - 1) * ceil(n / K) >= n`` the course's R code
    silently tests some rows several times; `Blocks` refuses, and says which rows.

    Parameters
    ----------
    k : int
        Number of folds.
    as_in_r : bool, default False
        Reproduce those overlapping folds exactly, as R's ``seq`` counting down makes them.

    Notes
    -----
    As in R: ``seq((fold - 1) * ceiling(n / K) + 1, min(fold * ceiling(n / K), n))``.

    Examples
    --------
    >>> Blocks(3).plan(10).fold_ids
    array([1, 1, 1, 1, 2, 2, 2, 2, 3, 3])
    >>> Blocks(6, as_in_r=True).plan(10).to_rows(first=1)[-2:]
    [array([ 9, 10]), array([10])]
    """

    k: int
    as_in_r: bool = False
    draws: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._read(k=require_folds(self.k))

    def _layout(self, given: Given, stream: Stream) -> Layout:
        require_enough(self.k, given.n)
        size = -(-given.n // self.k)
        starts = [fold * size for fold in range(self.k)]
        beyond = sum(start >= given.n for start in starts)
        if beyond and not self.as_in_r:
            raise FoldError(
                f"Blocks of ceil({given.n} / {self.k}) = {size} rows overlap: row {given.n} is "
                f"tested {beyond + 1} times (rows counted from 1).",
                given=f"K = {self.k}, {given.n} rows",
                fix=Advice(
                    "use {}, or {}; {} tests them as R does",
                    KFold(self.k),
                    Blocks(-(-given.n // size)),
                    Blocks(self.k, as_in_r=True),
                ),
            )
        last = given.n - 1  # where R's seq() counts down, only the last row is there
        test = [np.arange(min(start, last), min(start + size, given.n)) for start in starts]
        return partition(test)

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR(
            "pcv_folds_blocks(n, k)",
            {"k": self.k},
            course="" if self.as_in_r else "split(1:n, ceiling(1:n / ceiling(n / k)))",
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return self.k


@dataclass(frozen=True, repr=False)
class Drawn(Splitter):
    """K folds that are drawn."""

    k: int
    random: Random = None

    def __post_init__(self) -> None:
        self._read(k=require_folds(self.k), random=require_random(self.random))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return self.k


CHUNKS = "split(sample(n), sort(rep(1:k, length.out = n)))"


@dataclass(frozen=True, repr=False)
class KFold(Drawn):
    """K folds of nearly equal size after shuffling; the first n mod K are one longer.

    Parameters
    ----------
    k : int
        Number of folds.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.

    Notes
    -----
    As in R: ``set.seed(random); sample(n)``, cut into consecutive chunks, which is what the
    package cv does.

    Examples
    --------
    >>> plan = KFold(3, random=1).plan(10)
    >>> plan.to_rows(first=1)
    [array([1, 4, 7, 9]), array([2, 3, 5]), array([ 6,  8, 10])]
    """

    def _layout(self, given: Given, stream: Stream) -> Layout:
        require_enough(self.k, given.n)
        drawn, (size, longer) = stream.permutation(given.n), divmod(given.n, self.k)
        ends = [fold * size + min(fold, longer) for fold in range(self.k + 1)]
        return partition([drawn[first:end] for first, end in pairwise(ends)])

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR("pcv_folds_kfold(n, k)", {"k": self.k}, course=CHUNKS)


@dataclass(frozen=True, repr=False)
class Stratified(Drawn):
    """K folds that hold every class, or every quantile group of a numeric y, in equal shares.

    The rows of each class are shuffled and dealt to the folds in turn, each class going on
    where the one before stopped, so that fold sizes differ by at most one.

    Parameters
    ----------
    k : int
        Number of folds.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.
    bins : int, optional
        Cut a numeric y into so many quantile groups; by default at most 5, each of at least K
        rows. Whole numbers by type, words, categories and logicals are classes unless `bins`
        is given, and so are measurements with no more than `bins` different values.

    Notes
    -----
    As in R: in the spirit of caret's ``createFolds``; its exact folds are
    ``RFolds("caret", k, seed=)``.

    Examples
    --------
    >>> y = ["a"] * 6 + ["b"] * 3
    >>> plan = Stratified(3, random=1).plan(9, y=y)
    >>> [sorted(y[i] for i in test) for _, test in plan]
    [['a', 'a', 'b'], ['a', 'a', 'b'], ['a', 'a', 'b']]
    """

    bins: int | None = None

    @property
    def stratified(self) -> bool:
        """As its name says."""
        return True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._read(bins=None if self.bins is None else require_folds(self.bins))

    def _layout(self, given: Given, stream: Stream) -> Layout:
        require_enough(self.k, given.n)
        codes = self._strata(given)
        label = np.empty(given.n, dtype=np.int64)
        dealt = 0
        for stratum in range(int(codes.max()) + 1):
            rows = np.flatnonzero(codes == stratum)
            rows = rows[stream.permutation(len(rows))]
            label[rows] = (dealt + np.arange(len(rows))) % self.k
            dealt += len(rows)
        return of_labels([label])

    def _strata(self, given: Given) -> IntArray:
        column = given.response
        if column.kind == "numeric" and not np.isfinite(column.values).all():
            raise FoldError("Stratified folds need a finite y.", given="infinite values in y")
        bins = self.bins or max(2, min(5, given.n // self.k))
        whole = self.bins is None and are_integers(named(given.y, given.data, "y"))
        if column.kind == "numeric" and not whole and len(np.unique(column.values)) > bins:
            return quantile_codes(column.values, bins)
        codes, levels = codes_of(column)
        counts = np.bincount(codes)
        small = int(np.argmin(counts))
        if counts[small] < self.k:
            raise FoldError(
                f"Class {levels[small]!r} has fewer rows than there are folds.",
                given=f"{counts[small]} rows for K = {self.k}",
                fix="use fewer folds, join small classes, "
                "or give bins= to cut a numeric y at quantiles",
            )
        return codes

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR(
            "pcv_folds_stratified(n, k, y, bins)", {"k": self.k, "bins": self.bins}, needs="y"
        )


@dataclass(frozen=True, repr=False)
class LeaveOneOut(Splitter):
    """Every row is tested once, by a fit on all others: K-fold with K = n.

    Examples
    --------
    >>> len(LeaveOneOut().plan(4))
    4
    """

    draws: ClassVar[bool] = False

    def _layout(self, given: Given, stream: Stream) -> Layout:
        require_few_fits(given.n, given.n, fix=Advice("use {}", KFold(10)))
        return Layout("loo", list(np.arange(given.n).reshape(-1, 1)))

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR("pcv_folds_loo(n)", course="as.list(1:n)")

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        if X is None:
            raise FoldError("Leave-one-out needs the data to count its fits.")
        return rows_of(X)
