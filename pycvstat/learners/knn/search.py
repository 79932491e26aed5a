"""Exact nearest neighbours in one training set, in the order in which kknn finds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from pycvstat.errors import Advice, warn
from pycvstat.learners.knn.distances import Metric, by_products
from pycvstat.rmath.sums import EXTENDED
from pycvstat.types import BoolArray, FloatArray, IntArray

Scan = Callable[[IntArray, IntArray], tuple[FloatArray, IntArray]]
Ties = Literal["kknn", "row"]
TIES: tuple[str, ...] = ("kknn", "row")

TEAM = 16  # new rows that walk the tree together
WIDE = 16  # from this many columns on, inner products find candidates faster than the tree
FEW = 32  # new rows for which building a tree does not pay
PROBE = 256  # new rows scanned before the cost of the rest is known
HEAD = 2048  # rows that kknn's scan goes through before the tree is asked for the rest
COSTLY = 1e11  # coordinates compared in one scan from which its cost is named: minutes


class Index:
    """A training set that can be searched many times.

    Parameters
    ----------
    X : (N, c) float64
        Design columns.
    metric : Metric
    ties : {"kknn", "row"}
        Rows at equal distances in kknn's order, or lowest row first.
    rows : (n,) int64, optional
        The rows of `X` that are training rows; all by default. Rows are counted among these.

    Examples
    --------
    >>> from pycvstat.learners.knn.distances import metric
    >>> X = np.array([[0.0], [4.0], [1.0], [1.0]])
    >>> m = metric(X, np.array([1]), scale=False)
    >>> found = Index(X, m).find(X[:1], 3)
    >>> found.rows.tolist(), found.distances(m.p).tolist()
    ([[0, 2, 3]], [[0.0, 1.0, 1.0]])
    """

    def __init__(
        self, X: FloatArray, metric: Metric, ties: Ties = "kknn", rows: IntArray | None = None
    ) -> None:
        self.X, self.metric, self.ties, self.rows = X, metric, ties, rows

    def __len__(self) -> int:
        return len(self.X if self.rows is None else self.rows)

    def points(self, stop: int | None = None) -> FloatArray:
        """The training rows, or the first of them, on the scale of the metric; not kept."""
        if self.rows is None:
            return self.metric.points(self.X[:stop])
        return self.metric.points(self.X, self.rows[:stop])

    def find(self, new: FloatArray, size: int) -> Found:
        """The `size` nearest training rows of every new row.

        Parameters
        ----------
        new : (m, c) float64
            Design columns of new rows.
        size : int
            At most n + 1: kknn looks for one neighbour more than it uses, and of that one only
            the distance counts: which of several rows at this distance it is, is left open.
        """
        if size > len(self) and self.ties == "kknn":
            sums, rows = self.scan(new, np.array([size]))
            return Found(sums, rows[:, 0])
        path = self.find_path(new, np.array([size - 1]))
        rows = path.found.rows
        rows[path.tied] = path.tied_rows[:, 0]
        return path.found

    def find_path(self, new: FloatArray, ks: IntArray) -> FoundPath:
        """The k nearest training rows of every new row, and one more, for every k.

        Parameters
        ----------
        new : (m, c) float64
        ks : (s,) int64
            Ascending, less than n.
        """
        found, complete = self.quickly(new, int(ks[-1]) + 1)
        if self.ties == "row":
            return settled(ks, found)

        def scan(left: IntArray, firsts: IntArray) -> tuple[FloatArray, IntArray]:
            return self.scan(new[left], ks + 1, firsts)

        return settle_ties(found, complete, ks, scan)

    def scan(
        self, new: FloatArray, sizes: IntArray, firsts: IntArray | None = None
    ) -> tuple[FloatArray, IntArray]:
        """The nearest by kknn's scan alone, which settles ties as kknn does.

        Parameters
        ----------
        new : (m, c) float64
        sizes : (s,) int64
            Ascending, at most n + 1.
        firsts : (m,) int64, optional
            Place of the first size that is wanted for a row.

        Returns
        -------
        sums (m, max size), rows (m, s, max size)
        """
        from pycvstat.learners.knn.compiled.as_kknn import scan_as_kknn

        m, size = self.metric, int(sizes[-1])
        _say_whose_ties()
        firsts = np.zeros(len(new), dtype=np.int64) if firsts is None else firsts
        distinct, back = _distinct(np.column_stack([m.points(new), firsts]))
        head, first_rows = self._head(len(distinct), size)
        tree = self._tree if first_rows < len(self) else self._no_tree
        sums = np.empty((len(distinct), size))
        rows = np.empty((len(distinct), len(sizes), size), dtype=np.int64)
        for part in (slice(PROBE), slice(PROBE, None)):
            wanted = np.ascontiguousarray(distinct[part, :-1]), distinct[part, -1].astype(np.int64)
            if len(wanted[0]):
                sums[part], rows[part], blocks = scan_as_kknn(
                    head, first_rows, *tree, wanted[0], m.weights, m.p, sizes, wanted[1]
                )
                _name_the_cost(blocks / len(wanted[0]) * len(distinct), len(m.columns))
        return sums[back], rows[back]

    def quickly(self, new: FloatArray, size: int) -> tuple[Found, BoolArray]:
        """The `size` nearest, right where there are no ties, and which rows are complete.

        With ``ties="row"`` all are right.
        """
        if self.ties == "row":
            return self._by_row(self.metric.points(new), size), np.ones(len(new), dtype=np.bool_)
        if len(new) <= FEW:
            sums, rows = self.scan(new, np.array([size]))
            found = Found(sums, rows[:, 0])
        elif self._wide(size):
            points = self.metric.points(new)
            sums, rows, complete = by_products(self.points(), self.metric, points, size)
            return Found(sums, rows), complete
        else:
            found = self._walk(self.metric.points(new), size)
        return found, np.isfinite(found.sums[:, size - 1])

    def _wide(self, size: int) -> bool:
        return self.metric.p == 2 and len(self.metric.columns) >= WIDE and len(self) > 4 * size

    def _walk(self, new: FloatArray, size: int) -> Found:
        """The nearest by the tree, new rows that are close to each other one after the other."""
        from pycvstat.learners.knn.compiled.tree import nearest, split_rows

        m = self.metric
        order = split_rows(new)[0] if len(new) > TEAM else np.arange(len(new))
        found = nearest(*self._tree, new[order], m.weights, m.p, size, TEAM)
        sums, rows = np.empty_like(found[0]), np.empty(found[1].shape, dtype=np.int64)
        sums[order], rows[order] = found
        return Found(sums, rows)

    def _by_row(self, new: FloatArray, size: int) -> Found:
        """Nearest rows, the lowest row first among rows at equal distances."""
        from pycvstat.learners.knn.compiled.tree import nearest_by_row

        m, wanted = self.metric, min(size, len(self))
        found = self._walk(new, wanted)
        at_the_end = found.sums[:, max(wanted - 2, 0)] == found.sums[:, wanted - 1]
        left = np.flatnonzero(at_the_end)
        if left.size and wanted < len(self):
            distinct, back = _distinct(new[left])
            bounds = np.empty(len(distinct))
            bounds[back] = found.sums[left, -1]
            sums, rows = nearest_by_row(*self._tree, distinct, m.weights, m.p, wanted, bounds)
            found.sums[left], found.rows[left] = sums[back], rows[back]
        return _padded(found, size)

    @cached_property
    def _tree(self) -> tuple[Any, ...]:
        from pycvstat.learners.knn.compiled.tree import make_blocks

        tree: tuple[Any, ...] = make_blocks(self.points())
        return tree

    @property
    def _no_tree(self) -> tuple[Any, ...]:
        q = len(self.metric.columns)
        boxes = np.empty((0, q))
        return np.arange(len(self)), boxes, boxes, np.empty((0, q, 0))

    def _head(self, m: int, size: int) -> tuple[FloatArray, int]:
        """The first rows, in row order: enough of them to leave few others within reach."""
        from pycvstat.learners.knn.compiled.tree import as_blocks

        rows = max(HEAD, 8 * size, int(np.sqrt(float(len(self)) * size)))
        if m <= FEW or 2 * rows > len(self):
            rows = len(self)
        head: FloatArray = as_blocks(self.points(rows))
        return head, rows


def settled(ks: IntArray, found: Found) -> FoundPath:
    """A path whose neighbours are the same for every k."""
    none = np.empty(0, dtype=np.int64)
    return FoundPath(ks, found, none, np.empty((0, len(ks), int(ks[-1]) + 1), np.int64), none)


def settle_ties(found: Found, complete: BoolArray, ks: IntArray, scan: Scan) -> FoundPath:
    """The path of neighbours: ties, and rows that are not complete, by kknn's scan.

    Parameters
    ----------
    found : Found
        The ``max(ks) + 1`` nearest.
    complete : (m,) bool
    ks : (s,) int64
    scan : callable
        From rows and the place in `ks` where their ties begin to sums and rows.
    """
    equal = found.sums[:, 1:] == found.sums[:, :-1]
    if complete.all() and not equal.any():
        return settled(ks, found)
    # rows at places i and i + 1 are tied: that concerns every k greater than i
    first_tie = np.searchsorted(ks, np.argmax(equal, axis=1) + 1)
    tied_from = np.where(equal.any(axis=1), first_tie, len(ks))
    tied_from[~complete] = 0
    left = np.flatnonzero(tied_from < len(ks))
    sums, rows = scan(left, tied_from[left])
    found.sums[left] = sums
    return FoundPath(ks, found, left, rows, tied_from[left])


def _say_whose_ties() -> None:
    if not EXTENDED:
        warn(
            "rows at equal distances may come in another order than from kknn on x86-64.",
            given=f"a long double of {np.finfo(np.longdouble).nmant + 1} bits on this machine",
        )


def _name_the_cost(blocks: float, columns: int) -> None:
    from pycvstat.learners.knn.compiled import WIDTH

    compared = blocks * WIDTH * columns
    if compared > COSTLY:
        warn(
            "the data are full of ties, and finding them in kknn's order takes long.",
            given=f"{compared:.0e} coordinates to compare, about {compared / 1e9:.0f} s",
            fix=Advice("{ties} takes the lowest row first and needs no such scan", ties="row"),
        )


def _distinct(new: FloatArray) -> tuple[FloatArray, IntArray]:
    """Distinct new rows, and where each row finds its own."""
    order = np.lexsort(new.T)
    sorted_rows = new[order]
    is_first = np.ones(len(new), dtype=bool)
    is_first[1:] = (sorted_rows[1:] != sorted_rows[:-1]).any(axis=1)
    back = np.empty(len(new), dtype=np.int64)
    back[order] = np.cumsum(is_first) - 1
    return sorted_rows[is_first], back


def _padded(found: Found, size: int) -> Found:
    """The place after the last training row, as kknn leaves it."""
    from pycvstat.learners.knn.compiled import UNREACHED

    extra = size - found.sums.shape[1]
    if not extra:
        return found
    return Found(
        np.pad(found.sums, ((0, 0), (0, extra)), constant_values=UNREACHED),
        np.pad(found.rows, ((0, 0), (0, extra))),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Neighbours of m new rows, nearest first.

    Parameters
    ----------
    sums : (m, size) float64
        Distances to the power p; kknn's 1e300 where there was no row left.
    rows : (m, size) int64
        Positions of the neighbours among the training rows.
    """

    sums: FloatArray
    rows: IntArray

    def distances(self, p: float) -> FloatArray:
        """The distances: roots of the sums."""
        if p == 2:
            return np.sqrt(self.sums)
        if p == 1:
            return self.sums
        from pycvstat.learners.knn.compiled.as_kknn import roots

        result: FloatArray = roots(self.sums, p)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class FoundPath:
    """Neighbours of m new rows for every k of a path.

    One search serves all k, except where rows are at equal distances: which of them kknn takes,
    and in which order, depends on k.

    Parameters
    ----------
    ks : (s,) int64
        Ascending.
    found : Found
        The nearest ``max(ks) + 1``.
    tied : (t,) int64
        New rows with ties.
    tied_rows : (t, s, max(ks) + 1) int64
        Their neighbours for every k.
    tied_from : (t,) int64
        Place in `ks` from which on they differ from `found`.
    """

    ks: IntArray
    found: Found
    tied: IntArray
    tied_rows: IntArray
    tied_from: IntArray

    def rows(self, place: int) -> IntArray:
        """Neighbours for ``ks[place]``, (m, k)."""
        k = int(self.ks[place])
        rows = self.found.rows[:, :k]
        differ = self.tied_from <= place
        if not differ.any():
            return rows
        rows = rows.copy()
        rows[self.tied[differ]] = self.tied_rows[differ, place, :k]
        return rows
