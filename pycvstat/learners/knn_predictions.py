"""From neighbours to predictions, for all candidates of one fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import DataError, InputError
from pycvstat.formula import Design
from pycvstat.learners.base import Predictions
from pycvstat.neighbours import responses as votes
from pycvstat.neighbours.found import FoundPath
from pycvstat.neighbours.kernels import weights
from pycvstat.neighbours.search import Ties
from pycvstat.neighbours.shared import Fold, FoldSearch
from pycvstat.task import Response

if TYPE_CHECKING:
    from pycvstat.learners.knn import KNN

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Key = tuple[float, bool, Ties]


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
        The columns that can count.
    assign : (c,) int
    d : int
        The sum of the orders of the terms.
    """

    def __init__(self, design: Design, response: Response) -> None:
        _refuse(design)
        # without predictors the constant stays: all rows are equally near
        self._count = design.assign > 0 if (design.assign > 0).any() else design.assign >= 0
        self.X, self.assign = self.counting(design.X), design.assign[self._count]
        self.response = response
        self.d = int(sum(design.term_orders))
        self._searches: dict[Key, FoldSearch] = {}

    def counting(self, X: FloatArray) -> FloatArray:
        """The columns that can count, of any rows of this design."""
        return np.ascontiguousarray(X[:, self._count])

    def folds(
        self, learners: Sequence[KNN], train: IntArray, asked: int
    ) -> dict[Key, tuple[Fold, IntArray]]:
        """For every metric of the learners the training rows, and the k that are wanted."""
        ks: dict[Key, set[int]] = {}
        for one in learners:
            ks.setdefault(key(one), set()).add(one.k)
        return {
            each: (self._search(each).fold(train, asked), np.array(sorted(k)))
            for each, k in ks.items()
        }

    def _search(self, each: Key) -> FoldSearch:
        if each not in self._searches:
            distance, scale, ties = each
            self._searches[each] = FoldSearch(
                self.X, self.assign, p=distance, scale=scale, ties=ties
            )
        return self._searches[each]


def key(learner: KNN) -> Key:
    """What a search depends on."""
    return float(learner.distance), bool(learner.scale), learner.ties


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
    learners: Sequence[KNN],
    rows: Rows,
    folds: Mapping[Key, tuple[Fold, IntArray]],
    new: IntArray,
) -> Predictions:
    """Predictions of all candidates from one search per metric.

    Parameters
    ----------
    learners : sequence of KNN
        The candidates.
    rows : Rows
    folds : mapping
        As `Rows.folds` gives them.
    new : (m,) int64
    """
    levels = len(rows.response.levels)
    values = np.empty((len(learners), len(new)))
    prob = np.empty((len(learners), len(new), levels)) if levels else None
    for each, (fold, ks) in folds.items():
        for path in fold.paths(new, ks):
            on_path = {int(k): place for place, k in enumerate(path.ks)}
            some = [i for i, one in enumerate(learners) if key(one) == each and one.k in on_path]
            if levels == 0 and all(learners[i].kernel == "rectangular" for i in some):
                places = np.array([on_path[learners[i].k] for i in some])
                values[some] = _means(path, rows.response.values)[places]
                continue
            distances = path.found.distances(each[0])
            for i in some:
                k = learners[i].k
                w = weights(learners[i].kernel, distances[:, :k], distances[:, k], rows.d)
                neighbours = path.rows(on_path[k])
                values[i], shares = predict(learners[i], rows.response, neighbours, w)
                if prob is not None:
                    prob[i] = shares
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
        return votes.weighted_mean(y, w), None
    shares = votes.class_shares(y, w, len(response.levels))
    if response.kind == "ordinal":
        shares = votes.smoothed_shares(shares, learner.ykernel)
        return votes.middle_class(shares), shares
    if learner.kernel == "rectangular" and learner.k > 1:
        return votes.nearest_of_tied(shares, y), shares
    return votes.largest_share(shares), shares


def _means(path: FoundPath, y: FloatArray) -> FloatArray:
    """Unweighted means for every k of a path, (s, m)."""
    means = votes.running_means(y, path.found.rows, path.ks)
    for place, k in enumerate(path.ks if len(path.tied) else ()):
        differ = path.tied_from <= place
        responses = y[path.tied_rows[differ, place, :k]]
        means[place, path.tied[differ]] = votes.weighted_mean(responses, np.ones((1, k)))
    return means
