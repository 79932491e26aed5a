"""A fitted kNN: the training rows, ready to be searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import DataError, InputError
from pycvstat.frame import read
from pycvstat.learners.base import Fitted
from pycvstat.learners.design import NA, tell_missing
from pycvstat.learners.knn_predictions import Rows, predict
from pycvstat.neighbours.kernels import weights
from pycvstat.neighbours.scaling import metric
from pycvstat.neighbours.search import Index
from pycvstat.task import Task

if TYPE_CHECKING:
    from pycvstat.learners.knn import KNN

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
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
        self._index = Index(self._metric.points(self._rows.X), self._metric, learner.ties)

    def __repr__(self) -> str:
        return f"{self.learner!r} fitted to {self.task.n} rows of {self.task.formula.text}"

    def predict(self, new: Any, na: NA = "pass") -> NDArray[Any]:
        """Predict new rows: numbers, or class labels.

        Parameters
        ----------
        new : frame
            With the columns of the formula's right side.
        na : {"pass", "raise"}
            Rows with a missing predictor give NaN (None among labels) with a warning, or an
            error.

        Returns
        -------
        (m,) array
            As in R: ``predict(kknn(formula, train, test, ...))``, which leaves out rows with NA.
        """
        values, _, known = self._predict(new, na)
        if not self.task.response.levels:
            full = np.full(len(known), np.nan)
            full[known] = values
            return full
        labels = np.full(len(known), None, dtype=object)
        labels[known] = self.task.response.labels(values)
        return labels

    def predict_proba(self, new: Any, na: NA = "pass") -> FloatArray:
        """Class probabilities of new rows (m, L), classes in the order of the levels."""
        if not self.task.response.levels:
            raise InputError(
                "only classes have probabilities.",
                given=f"{self.task.response.name}, which is numeric",
                fix="use predict()",
            )
        _, shares, known = self._predict(new, na)
        full = np.full((len(known), len(self.task.response.levels)), np.nan)
        full[known] = shares
        return full

    def neighbours(self, new: Any, na: NA = "pass") -> Neighbours:
        """The nearest training rows of new rows, with distances and weights.

        As in R: ``C``, ``D`` and ``W`` of a kknn (whose rows are 1-based).
        """
        rows, distances, known = self._find(new, na)
        k, m = self.learner.k, len(known)
        w = weights(self.learner.kernel, distances[:, :k], distances[:, k], self._rows.d)
        full = Neighbours(
            np.full((m, k), -1),
            np.full((m, k), np.nan),
            np.full((m, k), np.nan),
            np.full(m, np.nan),
        )
        full.rows[known], full.distances[known] = rows[:, :k], distances[:, :k]
        full.weights[known], full.beyond[known] = w, distances[:, k]
        return full

    def _predict(
        self, new: Any, na: NA
    ) -> tuple[NDArray[Any], FloatArray | None, NDArray[np.bool_]]:
        rows, distances, known = self._find(new, na)
        neighbours = rows[:, : self.learner.k]
        return *predict(
            self.learner, self.task.response, neighbours, distances, self._rows.d
        ), known

    def _find(self, new: Any, na: NA) -> tuple[IntArray, FloatArray, NDArray[np.bool_]]:
        """Rows and distances of the k + 1 nearest, for the new rows that are complete."""
        if na not in ("pass", "raise"):
            raise InputError("na must be 'pass' or 'raise'.", given=repr(na))
        frame = read(new)
        if frame.n == 0:
            raise DataError("the new data have no rows.", given="0 rows")
        design = self._encoder.matrix(frame)
        X = design.X[:, design.assign > 0] if (design.assign > 0).any() else design.X
        known: NDArray[np.bool_] = np.asarray(np.isfinite(X).all(axis=1))
        tell_missing(known, na)
        found = self._index.find(self._metric.points(X[known]), self.learner.k + 1)
        return found.rows, found.distances(self._metric.p), known
