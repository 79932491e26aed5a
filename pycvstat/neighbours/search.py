"""Exact nearest neighbours in one training set, in the order in which kknn finds them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import PycvstatWarning
from pycvstat.neighbours.scaling import Metric
from pycvstat.rnumerics import EXTENDED

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Ties = Literal["kknn", "row"]

TEAM = 16  # new rows that walk the tree together
WIDE = 16  # from this many columns on, inner products find candidates faster than the tree
PROBE = 256  # new rows searched before it is decided whether ties are the rule
FEW = 32  # new rows for which building a tree does not pay
HEAD = 2048  # rows that kknn's scan goes through before the tree is asked for the rest
COSTLY = 1e11  # coordinates compared in one scan from which its cost is named: minutes


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
        from pycvstat.neighbours.compiled.scan import roots

        result: FloatArray = roots(self.sums, p)
        return result


class Index:
    """A training set that can be searched many times.

    Parameters
    ----------
    points : (n, q) float64
        Training rows on the scale of the metric (`Metric.points`).
    metric : Metric
    ties : {"kknn", "row"}
        Rows at equal distances in kknn's order, or lowest row first.

    Examples
    --------
    >>> from pycvstat.neighbours.scaling import metric
    >>> X = np.array([[0.0], [4.0], [1.0], [1.0]])
    >>> m = metric(X, np.array([1]), scale=False)
    >>> found = Index(m.points(X), m).find(m.points(X[:1]), 3)
    >>> found.rows.tolist(), found.distances(m.p).tolist()
    ([[0, 2, 3]], [[0.0, 1.0, 1.0]])
    """

    def __init__(self, points: FloatArray, metric: Metric, ties: Ties = "kknn") -> None:
        self.points = points
        self.metric = metric
        self.ties = ties

    def __len__(self) -> int:
        return len(self.points)

    def find(self, new: FloatArray, size: int) -> Found:
        """The `size` nearest training rows of every new row.

        Parameters
        ----------
        new : (m, q) float64
            New rows on the scale of the metric.
        size : int
            At most n + 1: kknn looks for one neighbour more than it uses.
        """
        if self.ties == "row":
            return self._by_row(new, size)
        if len(new) <= FEW or size > len(self):
            return self.scan(new, size)
        first, share = self._find(new[:PROBE], size)
        if len(new) <= PROBE:
            return first
        # where most rows have ties, looking for rows without them first is lost time
        rest = self.scan(new[PROBE:], size) if share > 0.5 else self._find(new[PROBE:], size)[0]
        return Found(
            np.concatenate([first.sums, rest.sums]), np.concatenate([first.rows, rest.rows])
        )

    def scan(self, new: FloatArray, size: int) -> Found:
        """`find` by kknn's scan alone, which settles ties as kknn does."""
        from pycvstat.neighbours.compiled.scan import scan_as_kknn

        _say_whose_ties()
        m = self.metric
        distinct, back = _distinct(new)
        head, first_rows = self._head(len(distinct), size)
        tree = self._tree if first_rows < len(self) else self._no_tree
        parts = []
        for part in np.split(distinct, [PROBE] if len(distinct) > PROBE else []):
            sums, rows, blocks = scan_as_kknn(head, first_rows, *tree, part, m.weights, m.p, size)
            parts.append(Found(sums, rows))
            _name_the_cost(blocks / max(len(part), 1) * len(distinct), self.points.shape[1])
        return Found(
            np.concatenate([f.sums for f in parts])[back],
            np.concatenate([f.rows for f in parts])[back].astype(np.int64),
        )

    def _find(self, new: FloatArray, size: int) -> tuple[Found, float]:
        """Neighbours, and the share of new rows whose order had to be settled by a scan."""
        found, proved = self._without_ties(new, size)
        left = np.flatnonzero(~proved)
        if left.size:
            scanned = self.scan(new[left], size)
            found.sums[left], found.rows[left] = scanned.sums, scanned.rows
        return found, left.size / len(new)

    def _without_ties(self, new: FloatArray, size: int) -> tuple[Found, BoolArray]:
        """Neighbours, right for the new rows that are proved to have no ties."""
        if self._wide(size):
            return self._by_products(new, size)
        more = min(size + 1, len(self))
        sums, rows = self._walk(new, more)
        ascending = np.all(sums[:, 1:] > sums[:, :-1], axis=1)
        proved: BoolArray = ascending & np.isfinite(sums[:, -1])
        return Found(sums[:, :size].copy(), rows[:, :size].astype(np.int64)), proved

    def _wide(self, size: int) -> bool:
        return self.metric.p == 2 and self.points.shape[1] >= WIDE and len(self) > 4 * size

    def _walk(self, new: FloatArray, size: int) -> tuple[FloatArray, NDArray[np.int32]]:
        """The nearest by the tree, new rows that are close to each other one after the other."""
        from pycvstat.neighbours.compiled.blocks import make_blocks
        from pycvstat.neighbours.compiled.walks import nearest

        m = self.metric
        if len(new) <= TEAM:
            found: Any = nearest(*self._tree, new, m.weights, m.p, size, TEAM)
            return found[0], found[1]
        order = make_blocks(new)[0]
        found = nearest(*self._tree, new[order], m.weights, m.p, size, TEAM)
        sums, rows = np.empty_like(found[0]), np.empty_like(found[1])
        sums[order], rows[order] = found
        return sums, rows

    def _by_products(self, new: FloatArray, size: int) -> tuple[Found, BoolArray]:
        """Candidates by inner products, then their exact distances with a proof."""
        from pycvstat.neighbours.compiled.ranking import rank_candidates, smallest

        m, centre = self.metric, self.points.mean(axis=0)
        train, rows = (self.points - centre) * np.sqrt(m.weights), np.arange(len(new))
        norms = (train**2).sum(axis=1)
        used = np.ones(len(self), dtype=np.bool_)
        tile = max(TEAM, 2**20 // len(self))
        parts = []
        for start in range(0, len(new), tile):
            part = new[start : start + tile]
            moved = (part - centre) * np.sqrt(m.weights)
            lists, last = smallest(moved @ train.T, norms, size + 8)
            limits = _product_limits(last, (moved**2).sum(axis=1), norms, self.points, m)
            parts.append(
                rank_candidates(self.points, used, lists, rows, part, m.weights, m.p, limits, size)
            )
        sums, chosen, proved = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Found(sums, chosen.astype(np.int64)), proved

    def _by_row(self, new: FloatArray, size: int) -> Found:
        """Nearest rows, the lowest row first among rows at equal distances."""
        from pycvstat.neighbours.compiled.walks import nearest_by_row

        m, more = self.metric, min(size + 1, len(self))
        sums, rows = self._walk(new, more)
        if more > size:
            left = np.flatnonzero(~(sums[:, -1] > sums[:, -2]))
            distinct, back = _distinct(new[left])
            bounds = np.empty(len(distinct))
            bounds[back] = sums[left, -2]
            again = nearest_by_row(*self._tree, distinct, m.weights, m.p, more, bounds)
            sums[left], rows[left] = again[0][back], again[1][back]
        wanted = min(size, len(self))
        return _padded(Found(sums[:, :wanted], rows[:, :wanted].astype(np.int64)), size)

    @cached_property
    def _tree(self) -> tuple[Any, ...]:
        from pycvstat.neighbours.compiled.blocks import make_blocks

        tree: tuple[Any, ...] = make_blocks(self.points)
        return tree

    @property
    def _no_tree(self) -> tuple[Any, ...]:
        boxes = np.empty((0, self.points.shape[1]))
        return np.arange(len(self)), boxes, boxes, np.empty((0, self.points.shape[1], 0))

    def _head(self, m: int, size: int) -> tuple[FloatArray, int]:
        """The first rows, in row order: enough of them to leave few others within reach."""
        from pycvstat.neighbours.compiled.blocks import fill_blocks

        rows = max(HEAD, 8 * size, int(np.sqrt(float(len(self)) * size)))
        if m <= FEW or 2 * rows > len(self):
            rows = len(self)
        head: FloatArray = fill_blocks(self.points, np.arange(rows))
        return head, rows


def _say_whose_ties() -> None:
    if not EXTENDED:
        warnings.warn(
            PycvstatWarning(
                "rows at equal distances may come in another order than from kknn on x86-64.",
                given=f"a long double of {np.finfo(np.longdouble).nmant + 1} bits on this machine",
            ),
            stacklevel=2,
        )


def _name_the_cost(blocks: float, columns: int) -> None:
    from pycvstat.neighbours.compiled.blocks import WIDTH

    compared = blocks * WIDTH * columns
    if compared > COSTLY:
        warnings.warn(
            PycvstatWarning(
                "the data are full of ties, and finding them in kknn's order takes long.",
                given=f"{compared:.0e} coordinates to compare, about {compared / 1e9:.0f} s",
                fix="ties='row' takes the lowest row first and needs no such scan",
            ),
            stacklevel=4,
        )


def _product_limits(
    last: FloatArray,
    new_norms: FloatArray,
    norms: FloatArray,
    points: FloatArray,
    metric: Metric,
) -> FloatArray:
    """Sums that rows outside the lists made from inner products certainly exceed.

    The error of an inner product of q terms is at most q eps |a| |b|; the differences of the
    coordinates themselves are rounded on the scale of the largest coordinate.
    """
    eps, q = np.finfo(np.float64).eps, points.shape[1]
    least = last + new_norms - 8 * (q + 8) * eps * (new_norms + norms.max())
    rounding = 4 * eps * np.sqrt((metric.weights * np.abs(points).max(axis=0) ** 2).sum())
    nearest: FloatArray = np.sqrt(np.maximum(least, 0.0)) * (1 - 1e-12) - rounding
    limits: FloatArray = np.maximum(nearest, 0.0) ** 2
    return limits


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
    from pycvstat.neighbours.compiled import UNREACHED

    extra = size - found.sums.shape[1]
    if not extra:
        return found
    return Found(
        np.pad(found.sums, ((0, 0), (0, extra)), constant_values=UNREACHED),
        np.pad(found.rows, ((0, 0), (0, extra))),
    )
