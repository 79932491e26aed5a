"""Splitters that test every row once: blocks, K-fold, strata, groups, leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from pycvstat.errors import Advice, FoldError
from pycvstat.folds.forms import are_integers, codes_of, named, rows_of
from pycvstat.folds.problems import require_few_fits
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
class _Drawn(Splitter):
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
class KFold(_Drawn):
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
        return partition(np.array_split(stream.permutation(given.n), self.k))

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR("pcv_folds_kfold(n, k)", {"k": self.k}, course=CHUNKS)


@dataclass(frozen=True, repr=False)
class Stratified(_Drawn):
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

    def in_r(self) -> RowsInR | None:
        """How R makes the same rows."""
        return RowsInR(
            "pcv_folds_stratified(n, k, y, bins)", {"k": self.k, "bins": self.bins}, needs="y"
        )


@dataclass(frozen=True, repr=False)
class Grouped(_Drawn):
    """K folds that never split a group; fold sizes are kept as equal as the groups allow.

    The groups are shuffled, sorted by size (largest first), and each goes to the fold that has
    the fewest rows. `StratifiedGrouped` also keeps the shares of classes equal.

    Parameters
    ----------
    k : int
        Number of folds.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.

    Examples
    --------
    >>> plan = Grouped(2, random=1).plan(6, groups=["a", "a", "b", "b", "c", "c"])
    >>> plan.check()
    ()
    """

    def _layout(self, given: Given, stream: Stream) -> Layout:
        codes = _groups_of(given, self.k)
        return of_labels([_dealt(codes, np.zeros_like(codes), self.k, stream)])

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR("pcv_folds_grouped(n, k, group)", {"k": self.k}, needs="group")


@dataclass(frozen=True, repr=False)
class StratifiedGrouped(Stratified):
    """K folds that never split a group, with every class in shares as equal as the groups allow.

    The groups are shuffled, sorted by size (largest first), and each goes to the fold that has the
    smallest share of the strata of its rows; of several, to the one that has the fewest rows.

    Parameters
    ----------
    k : int
        Number of folds.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.
    bins : int, optional
        As of `Stratified`.
    strata : sequence, optional
        One value per row, that folds have equal shares of instead of the response.

    Examples
    --------
    >>> y, groups = list("aabbaabb"), [1, 1, 2, 2, 3, 3, 4, 4]
    >>> plan = StratifiedGrouped(2, random=1).plan(8, y=y, groups=groups)
    >>> [sorted(y[i] for i in test) for _, test in plan], plan.check()
    ([['a', 'a', 'b', 'b'], ['a', 'a', 'b', 'b']], ())
    """

    strata: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.strata, str | None):
            self._read(strata=tuple(np.asarray(self.strata).tolist()))

    def _layout(self, given: Given, stream: Stream) -> Layout:
        codes = _groups_of(given, self.k)
        by = given if self.strata is None else replace(given, y=self.strata)
        strata = self._strata(by)
        few = min(len(np.unique(codes[strata == s])) for s in np.unique(strata))
        if few < self.k:
            raise FoldError(
                "A class, or quantile group, is in fewer groups than there are folds, so that "
                "some folds would have none of it.",
                given=f"{few} groups for K = {self.k}",
                fix=Advice(f"use K of at most {few}, or {{}}", Grouped(self.k))
                if few > 1
                else Advice("use {}, which does not stratify", Grouped(self.k)),
            )
        return of_labels([_dealt(codes, strata, self.k, stream)])

    def in_r(self) -> RowsInR | None:
        """How R makes the same rows; None where strata are given, which a plan does not hold."""
        code, reads = "pcv_folds_grouped(n, k, group, y, bins)", {"k": self.k, "bins": self.bins}
        return RowsInR(code, reads, needs="y group") if self.strata is None else None


def _groups_of(given: Given, k: int) -> IntArray:
    """The number of each row's group; there are at least k."""
    if given.group_labels is None:
        raise FoldError(
            "Grouped folds need the groups.",
            fix=Advice("give the group of every row: {groups}", groups=...),
        )
    codes, levels = codes_of(given.group_labels)
    if len(levels) < k:
        raise FoldError(
            "There are fewer groups than folds.",
            given=f"{len(levels)} groups, K = {k}",
            fix=f"use K of at most {len(levels)}"
            if len(levels) > 1
            else "rows of a single group cannot be kept apart: leave the groups out",
        )
    return codes


def _dealt(groups: IntArray, strata: IntArray, k: int, stream: Stream) -> IntArray:
    """The fold of every row: groups go, the largest first, where their strata are rarest."""
    sizes = np.zeros((int(groups.max()) + 1, int(strata.max()) + 1), dtype=np.int64)
    np.add.at(sizes, (groups, strata), 1)
    order = stream.permutation(len(sizes))
    order = order[np.argsort(-sizes.sum(axis=1)[order], kind="stable")]
    share, rows = sizes / sizes.sum(axis=0) ** 2, np.zeros((k, sizes.shape[1]), dtype=np.int64)
    fold_of = np.empty(len(sizes), dtype=np.int64)
    for group in order:
        crowd = (rows * share[group]).sum(axis=1).round(12)  # equal ones in R, too
        fold_of[group] = np.lexsort((rows.sum(axis=1), crowd))[0]
        rows[fold_of[group]] += sizes[group]
    return fold_of[groups]


@dataclass(frozen=True, repr=False)
class LeaveOneGroupOut(Splitter):
    """Every group is tested once, by a fit on all others: `Grouped` with K the number of groups.

    Examples
    --------
    >>> LeaveOneGroupOut().plan(5, groups=list("abcab")).to_rows()
    [array([0, 3]), array([1, 4]), array([2])]
    """

    draws: ClassVar[bool] = False

    def _layout(self, given: Given, stream: Stream) -> Layout:
        return of_labels([_groups_of(given, 2)])

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR("pcv_by_label(group)", needs="group")

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        if groups is None:
            raise FoldError("Leave-one-group-out needs the groups to count its fits.")
        return len(np.unique(np.asarray(groups)))


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
