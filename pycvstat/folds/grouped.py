"""Splitters that keep the rows of a group together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from pycvstat.errors import Advice, FoldError
from pycvstat.folds.forms import codes_of, values_of
from pycvstat.folds.partitions import Drawn, Stratified
from pycvstat.folds.splitter import Given, Layout, RowsInR, Splitter, of_labels
from pycvstat.rmath.random import Stream
from pycvstat.types import IntArray


@dataclass(frozen=True, repr=False)
class Grouped(Drawn):
    """K folds that never split a group; fold sizes are kept as equal as the groups allow.

    The groups are shuffled, sorted by size (largest first), and each goes to the fold that has
    the fewest rows. `StratifiedGrouped` also keeps the shares of classes of the response equal.

    Parameters
    ----------
    k : int
        Number of folds.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.
    strata : sequence or str, optional
        One value per row, or the name of a column of the data, of which folds have shares as equal
        as the groups allow.

    Examples
    --------
    >>> plan = Grouped(2, random=1).plan(6, groups=["a", "a", "b", "b", "c", "c"])
    >>> plan.check()
    ()
    """

    strata: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.strata, str | None):
            self._read(strata=tuple(np.asarray(self.strata).tolist()))

    @property
    def column(self) -> str:
        """The column of strata, where they are one."""
        return self.strata if isinstance(self.strata, str) else ""

    @property
    def stratified(self) -> bool | str:
        """The strata that are given, by the name of their column."""
        return self.strata is not None and (self.column or "strata that were given")

    def _layout(self, given: Given, stream: Stream) -> Layout:
        if self.strata is not None:
            by = replace(given, y=values_of(self.strata, given.data, "strata"))
            return StratifiedGrouped(self.k)._layout(by, stream)
        codes = _groups_of(given, self.k)
        return of_labels([_dealt(codes, np.zeros_like(codes), self.k, stream)])

    def in_r(self) -> RowsInR | None:
        """How R makes the same rows; None where strata are given, which a plan does not hold."""
        if self.strata is not None:
            return None
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

    Examples
    --------
    >>> y, groups = list("aabbaabb"), [1, 1, 2, 2, 3, 3, 4, 4]
    >>> plan = StratifiedGrouped(2, random=1).plan(8, y=y, groups=groups)
    >>> [sorted(y[i] for i in test) for _, test in plan], plan.check()
    ([['a', 'a', 'b', 'b'], ['a', 'a', 'b', 'b']], ())
    """

    def _layout(self, given: Given, stream: Stream) -> Layout:
        codes, strata = _groups_of(given, self.k), self._strata(given)
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

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        code, reads = "pcv_folds_grouped(n, k, group, y, bins)", {"k": self.k, "bins": self.bins}
        return RowsInR(code, reads, needs="y group")


def every_class(grouped: bool) -> Stratified:
    """Ten folds that all have rows of every class, for rows that come in groups or do not."""
    return StratifiedGrouped(10) if grouped else Stratified(10)


def _groups_of(given: Given, k: int) -> IntArray:
    """The number of each row's group; there are at least k."""
    if given.group_labels is None:
        problem = "Grouped folds need the groups."
        raise FoldError(problem, fix=Advice("give the group of every row: {groups}", groups=...))
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
