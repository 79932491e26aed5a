"""Neighbours in fold after fold of the same data: one search of all rows serves every fold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pycvstat.learners.knn.distances import Metric, metric
from pycvstat.learners.knn.search import TEAM, Found, FoundPath, Index, Ties, settle_ties, settled
from pycvstat.rmath.sums import EXTENDED
from pycvstat.types import BoolArray, FloatArray, IntArray

PORTION = 4096  # rows whose distances are held while the lists are made
MANY = 20  # folds
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """For every row of the data the rows nearest to it, itself included, in one metric.

    Parameters
    ----------
    metric : Metric
        Learned from all rows.
    lists : (N, c) int32
        The c nearest rows, nearest first.
    last : (N,) float64
        The sum of the last one: rows outside a list have at least that.
    """

    metric: Metric
    lists: NDArray[np.int32]
    last: FloatArray

    def limits(self, other: Metric, largest: FloatArray, rows: IntArray) -> FloatArray:
        """What the sums of rows outside the lists of `rows` certainly exceed in another metric.

        Every column's part of a sum changes by its own factor between the metrics, so a sum
        changes by the smallest of these factors at least. Coordinates are rounded after they are
        divided by their scale, which is allowed for.

        Parameters
        ----------
        other : Metric
        largest : (c,) float64
            Largest absolute value of every design column.
        rows : (m,) int64

        Returns
        -------
        (m,) float64
        """
        p, last = self.metric.p, self.last[rows]
        factor = _smallest_factor(self.metric, other) * (1 - 1e-12)
        here, there = _rounding(self.metric, largest), _rounding(other, largest)
        if p >= 1:  # a norm
            reach = factor ** (1 / p) * (last ** (1 / p) * (1 - 1e-12) - here) - there
            limits: FloatArray = np.maximum(reach * (1 - 1e-12), 0.0) ** p
            return limits
        limits = np.maximum(factor * (last * (1 - 1e-12) - here**p) - there**p, 0.0)
        return limits


def make_candidates(X: FloatArray, reference: Metric, length: int) -> Candidates:
    """Search all rows of the data once.

    Parameters
    ----------
    X : (N, c) float64
        The design of all rows.
    reference : Metric
        Learned from all rows.
    length : int
        Candidates for every row, itself included; at most N.
    """
    from pycvstat.learners.knn.compiled.tree import make_blocks, nearest

    points = reference.points(X)
    tree = make_blocks(points.copy())
    order = tree[0]
    lists = np.empty((len(X), length), dtype=np.int32)
    last = np.empty(len(X))
    for start in range(0, len(X), PORTION):
        rows = order[start : start + PORTION]
        sums, lists[rows] = nearest(
            *tree, points[rows], reference.weights, reference.p, length, TEAM
        )
        last[rows] = sums[:, -1]
    return Candidates(reference, lists, last)


def list_length(size: int, share: float, n: int, columns: int) -> int:
    """How many candidates leave few rows of a fold without enough of them, or without proof.

    Parameters
    ----------
    size : int
        Neighbours that a fold needs.
    share : float
        Of the rows that a fold trains on.
    n : int
        Rows of the data.
    columns : int

    Examples
    --------
    >>> list_length(31, 0.7, 5000, 3)
    62
    """
    scales_differ = 2.5 * np.sqrt((1 - share) / (2 * n * share))
    wanted = size / share * (1 + scales_differ) ** columns
    spread = 3 * np.sqrt(size * (1 - share)) / share
    return int(min(np.ceil(wanted + spread + 2), n))


class FoldSearch:
    """Neighbours of rows of the data among other rows of it, each fold scaled by itself.

    Parameters
    ----------
    X : (N, c) float64
        The design of all rows.
    assign : (c,) int
        Term of each column.
    p : float
    scale : bool
    ties : {"kknn", "row"}

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0], [8.0]])
    >>> fold = FoldSearch(X, np.array([1])).fold(np.array([0, 2, 3, 4]), 1)
    >>> (path,) = fold.paths(np.array([1]), np.array([1, 2]))
    >>> sorted(path.rows(1)[0].tolist())
    [0, 2]
    """

    def __init__(
        self,
        X: FloatArray,
        assign: IntArray,
        *,
        p: float = 2.0,
        scale: bool = True,
        ties: Ties = "kknn",
    ) -> None:
        self.X, self.assign = X, assign
        self.p, self.scale, self.ties = p, scale, ties
        self.columns = int((assign > 0).sum())  # the intercept separates no rows
        self.largest = np.maximum(X.max(axis=0), -X.min(axis=0))
        self._candidates: Candidates | None = None
        self._asked = self._folds = 0
        self._sharing = True

    def fold(self, train: IntArray, asked: int) -> Fold:
        """A training set of which the neighbours of `asked` rows are going to be asked.

        Lists of candidates pay when all rows are asked for several times. They are when a fold
        is a fold of a part of the data, as in nested cross-validation, and from the second pass
        on. They also spare many small folds, as of leave-one-out, a search structure each.
        """
        n = len(self.X)
        self._asked += asked
        self._folds += 1
        again = len(train) + asked < n or self._asked > n or self._folds > MANY
        if EXTENDED and (again or n > PORTION):
            import pycvstat.rmath.extended  # noqa: F401 - R's sums come from its loops now
        once = bool((np.diff(train) > 0).all())  # the lists have no row twice, a bootstrap has
        return Fold(self, train, self._sharing and again and once and 4 * len(train) > n)

    def candidates(self, size: int, share: float) -> Candidates:
        """The lists, made when they are first needed."""
        if self._candidates is None:
            length = list_length(size, share, len(self.X), self.columns)
            reference = metric(self.X, self.assign, p=self.p, scale=self.scale)
            self._candidates = make_candidates(self.X, reference, length)
        return self._candidates

    def review(self, short: float, size: int, share: float) -> None:
        """Longer lists when too many rows were left without neighbours; none when that fails."""
        if short < 0.1 or self._candidates is None:
            return
        length = list_length(size, share, len(self.X), self.columns)
        if length > 1.2 * self._candidates.lists.shape[1]:
            self._candidates = None
        else:
            self._sharing = False


class Fold:
    """One training set of a `FoldSearch`; its rows are rows of the data."""

    def __init__(self, search: FoldSearch, train: IntArray, shared: bool) -> None:
        self.search, self.train, self.shared = search, train, shared
        self.metric = metric(search.X[train], search.assign, p=search.p, scale=search.scale)

    @cached_property
    def points(self) -> FloatArray:
        """All rows of the data on the scale of this fold."""
        return self.metric.points(self.search.X)

    @cached_property
    def index(self) -> Index:
        """The training rows."""
        return Index(self.search.X, self.metric, self.search.ties, self.train)

    def paths(self, new: IntArray, ks: IntArray) -> list[FoundPath]:
        """The k nearest training rows of every row of `new`, for every k.

        Parameters
        ----------
        new : (m,) int64
            Rows of the data.
        ks : (s,) int64
            Ascending, at most the number of training rows.

        Returns
        -------
        list of FoundPath
            One for all k less than n, and one for k = n, for which kknn looks for a neighbour
            that is not there.
        """
        found, n = [], len(self.train)
        if ks[0] < n:
            found.append(self._path(new, ks[ks < n]))
        if ks[-1] == n:
            found.append(
                settled(ks[-1:], self._of_data(self.index.find(self.search.X[new], n + 1)))
            )
        return found

    def _path(self, new: IntArray, ks: IntArray) -> FoundPath:
        if not self.shared:
            path = self.index.find_path(self.search.X[new], ks)
            rows = self.train[path.tied_rows]
            return FoundPath(ks, self._of_data(path.found), path.tied, rows, path.tied_from)
        found, complete = self._ranked(new, int(ks[-1]) + 1)
        if self.search.ties == "row":
            return settled(ks, found)

        def scan(left: IntArray, firsts: IntArray) -> tuple[FloatArray, IntArray]:
            sums, rows = self.index.scan(self.search.X[new[left]], ks + 1, firsts)
            return sums, self.train[rows]

        return settle_ties(found, complete, ks, scan)

    def _ranked(self, new: IntArray, size: int) -> tuple[Found, BoolArray]:
        """The nearest from the lists; where they do not do, by a search."""
        from pycvstat.learners.knn.compiled.ranking import rank_candidates

        share = len(self.train) / len(self.search.X)
        candidates = self.search.candidates(size, share)
        used = np.zeros(len(self.search.X), dtype=np.bool_)
        used[self.train] = True
        limits = candidates.limits(self.metric, self.search.largest, new)
        m, points = self.metric, self.points
        sums, rows, complete = rank_candidates(
            points, used, candidates.lists, new.copy(), points[new], m.weights, m.p, limits, size
        )  # a copy: numba compiles anew for arrays that are read only
        found, short = Found(sums, rows.astype(np.int64)), np.flatnonzero(~complete)
        self.search.review(len(short) / max(len(new), 1), size, share)
        if short.size:
            again, complete[short] = self.index.quickly(self.search.X[new[short]], size)
            found.sums[short], found.rows[short] = again.sums, self.train[again.rows]
        return found, complete

    def _of_data(self, found: Found) -> Found:
        return Found(found.sums, self.train[found.rows])


def _smallest_factor(one: Metric, other: Metric) -> float:
    there = dict(zip(other.columns.tolist(), _factors(other), strict=True))
    here = zip(one.columns.tolist(), _factors(one), strict=True)
    return min((float(there.get(column, 0.0) / f) for column, f in here if f > 0), default=0.0)


def _factors(m: Metric) -> FloatArray:
    """What a column's |a - b|^p is multiplied by."""
    result: FloatArray = m.weights / m.scales**m.p
    return result


def _rounding(m: Metric, largest: FloatArray) -> float:
    """How far a distance can be off because coordinates are rounded."""
    each = 4 * EPS * largest[m.columns] / m.scales
    return float((m.weights * each**m.p).sum() ** (1 / m.p))
