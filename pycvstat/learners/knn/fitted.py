"""A fitted kNN: the training rows, ready to be searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.frame import read
from pycvstat.data.task import Task
from pycvstat.errors import DataError
from pycvstat.learners.base import Fitted, spread
from pycvstat.learners.knn.kernels import weights
from pycvstat.learners.knn.predictions import Rows, predict
from pycvstat.learners.knn.scaling import metric
from pycvstat.learners.knn.search import Index
from pycvstat.learners.missing import NA, tell_missing
from pycvstat.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from pycvstat.learners.knn.learner import KNN


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Neighbours:
    """The k nearest training rows of m new rows, nearest first.

    Parameters
    ----------
    rows : (m, k) int64
        Training rows, 0-based; -1 for new rows with a missing predictor.
    distances, weights : (m, k) float64
        NaN for new rows with a missing predictor.
    beyond : (m,) float64
        The distance of the (k+1)-th, to which the kernel compares the others.
    """

    rows: IntArray
    distances: FloatArray
    weights: FloatArray
    beyond: FloatArray

    def __repr__(self) -> str:
        return f"<Neighbours: {self.rows.shape[1]} of each of {len(self.rows)} rows>"


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """All there is to say about the new rows without a missing predictor.

    Parameters
    ----------
    known : (m,) bool
        Which of the new rows they are.
    values : numbers or class codes
    shares : class probabilities, or None
    neighbours : Neighbours
    """

    known: BoolArray
    values: NDArray[Any]
    shares: FloatArray | None
    neighbours: Neighbours


class FittedKNN(Fitted):
    """A fitted kNN.

    Attributes
    ----------
    learner : KNN
    task : Task
        The training rows.
    """

    def __init__(self, learner: KNN, task: Task) -> None:
        self.learner, self.task = learner, task
        self._encoder = task.encoder("kknn").fit(task.frame)
        self._rows = Rows(self._encoder.matrix(task.frame), task.response)
        self._metric = metric(
            self._rows.X, self._rows.assign, p=float(learner.distance), scale=bool(learner.scale)
        )
        self._index = Index(self._rows.X, self._metric, learner.ties)

    def answers(self, new: Any, na: NA) -> tuple[NDArray[Any], FloatArray | None, BoolArray]:
        """Predict the rows without a missing predictor."""
        answer = self.answer(new, na)
        return answer.values, answer.shares, answer.known

    def neighbours(self, new: Any, na: NA = "pass") -> Neighbours:
        """The nearest training rows of new rows, with distances and weights.

        As in R: ``C``, ``D`` and ``W`` of a kknn (whose rows are 1-based).
        """
        answer = self.answer(new, na)
        known, found = answer.known, answer.neighbours
        return Neighbours(
            spread(found.rows, known, -1),
            spread(found.distances, known, np.nan),
            spread(found.weights, known, np.nan),
            spread(found.beyond, known, np.nan),
        )

    def answer(self, new: Any, na: NA = "pass") -> Answer:
        """Predictions and neighbours of the new rows without a missing predictor."""
        frame = read(new)
        if frame.n == 0:
            raise DataError("the new data have no rows.", given="0 rows")
        X = self._encoder.matrix(frame).X
        known: BoolArray = np.asarray(np.isfinite(X).all(axis=1))
        tell_missing(known, na)
        k = self.learner.k
        found = self._index.find(X[known], k + 1)
        distances = found.distances(self._metric.p)
        near = Neighbours(
            found.rows[:, :k],
            distances[:, :k],
            weights(self.learner.kernel, distances[:, :k], distances[:, k], self._rows.d),
            distances[:, k],
        )
        values, shares = predict(self.learner, self.task.response, near.rows, near.weights)
        return Answer(known, values, shares, near)
