"""From neighbours to predictions, for all candidates of one fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.formula import Design
from pycvstat.data.response import Response
from pycvstat.errors import DataError, InputError
from pycvstat.learners.base import Predictions
from pycvstat.learners.knn.distances import weights
from pycvstat.learners.knn.search import FoundPath, Ties
from pycvstat.learners.knn.shared import Fold, FoldSearch
from pycvstat.rmath.sums import cumsum, row_sums, running_means
from pycvstat.types import FloatArray, IntArray

if TYPE_CHECKING:
    from pycvstat.learners.knn import KNN


Key = tuple[float, bool, Ties]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Candidates that one search serves.

    Parameters
    ----------
    key : tuple
        Distance, scale and ties, on which the search depends.
    learners : tuple of KNN
    positions : (g,) int64
        Their places among all candidates.
    ks : (s,) int64
        The k that are wanted, ascending.
    places : (g,) int64
        The place of each learner's k in `ks`.
    plain : bool
        Whether all kernels are "rectangular".
    """

    key: Key
    learners: tuple[KNN, ...]
    positions: IntArray
    ks: IntArray
    places: IntArray
    plain: bool


def grouped(learners: Sequence[KNN]) -> list[Group]:
    """The candidates by the search that they need."""
    members: dict[Key, list[int]] = {}
    for i, one in enumerate(learners):
        key = float(one.distance), bool(one.scale), one.ties
        members.setdefault(key, []).append(i)
    groups = []
    for key, positions in members.items():
        some = tuple(learners[i] for i in positions)
        ks, places = np.unique([one.k for one in some], return_inverse=True)
        plain = all(one.kernel == "rectangular" for one in some)
        groups.append(Group(key, some, np.array(positions), ks, places.reshape(-1), plain))
    return groups


class Rows:
    """The rows of a task as neighbours see them.

    Parameters
    ----------
    design : Design
        In kknn's coding.
    response : Response

    Attributes
    ----------
    X : (n, c) float64
    assign : (c,) int
    d : int
        The sum of the orders of the terms.
    """

    def __init__(self, design: Design, response: Response) -> None:
        _refuse(design)
        self.X, self.assign = design.X, design.assign
        self.response = response
        self.d = int(sum(design.term_orders))
        self._searches: dict[Key, FoldSearch] = {}

    def fold(self, key: Key, train: IntArray, asked: int) -> Fold:
        """Training rows in which `asked` new rows are going to be searched."""
        if key not in self._searches:
            distance, scale, ties = key
            self._searches[key] = FoldSearch(
                self.X, self.assign, p=distance, scale=scale, ties=ties
            )
        return self._searches[key].fold(train, asked)


def _refuse(design: Design) -> None:
    finite = np.isfinite(design.X).all(axis=0)
    if not finite.all():
        name = design.columns[int(np.flatnonzero(~finite)[0])]
        raise DataError(
            f"the column {name!r} has values that are not finite.",
            fix="neighbours need finite predictors: leave these rows out or transform the column",
        )
    if not len(design.assign):
        raise InputError(
            "the formula has no predictors.", fix='name at least one, for example "y ~ x"'
        )


def predict_candidates(
    groups: Sequence[Group], folds: Sequence[Fold], rows: Rows, new: IntArray
) -> Predictions:
    """Predictions of all candidates from one search per group.

    Parameters
    ----------
    groups : sequence of Group
    folds : sequence of Fold
        The training rows of each group.
    rows : Rows
    new : (m,) int64
    """
    count, levels = sum(len(group.learners) for group in groups), len(rows.response.levels)
    values = np.empty((count, len(new)))
    prob = np.empty((count, len(new), levels)) if levels else None
    for group, fold in zip(groups, folds, strict=True):
        first = 0
        for path in fold.paths(new, group.ks):
            some = (group.places >= first) & (group.places < first + len(path.ks))
            places, positions = group.places[some] - first, group.positions[some]
            first += len(path.ks)
            if prob is None and group.plain:
                values[positions] = _means(path, rows.response.values)[places]
                continue
            distances = path.found.distances(group.key[0])
            for i, place in zip(np.flatnonzero(some), places, strict=True):
                learner = group.learners[i]
                near, beyond = distances[:, : learner.k], distances[:, learner.k]
                w = weights(learner.kernel, near, beyond, rows.d)
                predicted, shares = predict(learner, rows.response, path.rows(place), w)
                values[group.positions[i]] = predicted
                if prob is not None:
                    prob[group.positions[i]] = shares
    return Predictions(values, prob)


def predict(
    learner: KNN, response: Response, neighbours: IntArray, w: FloatArray
) -> tuple[NDArray[Any], FloatArray | None]:
    """Predictions from the weighted neighbours of m rows.

    Parameters
    ----------
    learner : KNN
    response : Response
        Of the rows that the neighbours point into.
    neighbours : (m, k) int64
    w : (m, k) float64

    Returns
    -------
    values (m,), and for classes shares (m, L)
    """
    y = response.values[neighbours]
    if response.kind == "continuous":
        return weighted_mean(y, w), None
    shares = class_shares(y, w, len(response.levels))
    if response.kind == "ordinal":
        shares = smoothed_shares(shares, learner.ykernel)
        return middle_class(shares), shares
    if learner.kernel == "rectangular" and learner.k > 1:
        return nearest_of_tied(shares, y), shares
    return largest_share(shares), shares


def _means(path: FoundPath, y: FloatArray) -> FloatArray:
    """Unweighted means for every k of a path, (s, m)."""
    means = running_means(y, path.found.rows, path.ks)
    for place in range(path.tied_from.min(initial=len(path.ks)), len(path.ks)):
        differ = path.tied_from <= place
        rows, k = path.tied_rows[differ, place], path.ks[[place]]
        means[place, path.tied[differ]] = running_means(y, rows, k)[0]
    return means


def weighted_mean(y: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted mean of the neighbours' responses, (m,) from (m, k).

    Examples
    --------
    >>> weighted_mean(np.array([[1.0, 3.0]]), np.array([[3.0, 1.0]])).tolist()
    [1.5]
    """
    return row_sums(weights * y) / np.maximum(row_sums(weights), 1e-6)


def class_shares(codes: IntArray, weights: FloatArray, levels: int) -> FloatArray:
    """Weighted shares of the classes among the neighbours, (m, levels) from (m, k).

    Examples
    --------
    >>> class_shares(np.array([[0, 1, 1, 1]]), np.ones((1, 4)), 2).tolist()
    [[0.25, 0.75]]
    """
    votes = [row_sums(weights * (codes == level)) for level in range(levels)]
    shares = np.stack(votes, axis=1)
    result: FloatArray = shares / row_sums(shares)[:, None]
    return result


def largest_share(shares: FloatArray) -> IntArray:
    """The class with the largest share; the first one of several, (m,).

    Examples
    --------
    >>> largest_share(np.array([[0.4, 0.4, 0.2]])).tolist()
    [0]
    """
    first: IntArray = np.argmax(shares, axis=1)
    return first


def nearest_of_tied(shares: FloatArray, codes: IntArray) -> IntArray:
    """The class with the largest share; of several the one whose farthest member is nearest.

    This is how kknn settles votes with the kernel "rectangular".

    Examples
    --------
    >>> nearest_of_tied(np.array([[0.5, 0.5]]), np.array([[0, 1, 1, 0]])).tolist()
    [1]
    """
    k, levels = codes.shape[1], shares.shape[1]
    top = shares == shares.max(axis=1, keepdims=True)
    place = np.arange(1, k + 1)
    farthest = np.stack([((codes == level) * place).max(axis=1) for level in range(levels)], axis=1)
    nearest: IntArray = np.argmin(np.where(top, farthest, k + 1), axis=1)
    return nearest


def smoothed_shares(shares: FloatArray, ykernel: float) -> FloatArray:
    """Shares of ordered classes, smoothed over neighbouring classes, (m, levels).

    Examples
    --------
    >>> smoothed_shares(np.array([[0.25, 0.75, 0.0]]), 1).round(2).tolist()
    [[0.33, 0.47, 0.2]]
    """
    band = y_band(shares.shape[1], ykernel)
    smoothed = np.zeros_like(shares)
    for level in range(len(band)):  # term by term, as a plain matrix product adds them
        smoothed += shares[:, level, None] * band[level]
    result: FloatArray = smoothed / row_sums(smoothed)[:, None]
    return result


def middle_class(shares: FloatArray) -> IntArray:
    """The first class at which the cumulated share is at least one half, (m,).

    Examples
    --------
    >>> middle_class(np.array([[0.2, 0.3, 0.5]])).tolist()
    [1]
    """
    first: IntArray = np.argmax(cumsum(shares) >= 0.5, axis=1)
    return first


def y_band(levels: int, ykernel: float) -> FloatArray:
    """Weights between classes: ykernel + 1 on the diagonal, one less per class away.

    Examples
    --------
    >>> y_band(3, 1).tolist()
    [[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]]
    """
    if not 0 <= ykernel < max(levels, 1):
        raise InputError(
            "ykernel must be at least 0 and less than the number of classes.",
            given=f"ykernel={ykernel} with {levels} classes",
        )
    away = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels)))
    reach = max(1, int(ykernel))  # a fraction of the last step does not count, save the first
    return np.where(away <= reach, ykernel + 1.0 - away, 0.0)
