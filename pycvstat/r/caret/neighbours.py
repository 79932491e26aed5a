"""caret's own neighbours, ``knn3`` and ``knnreg``, and kknn's as train calls them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import read
from pycvstat.learners.knn import KNN
from pycvstat.learners.solution import Outcome, Sample
from pycvstat.r.class_ import nearest, winner
from pycvstat.r.kknn import train_kknn
from pycvstat.r.kknn.prediction import predict_as_kknn
from pycvstat.r.values import Factor, neighbours_of, squares
from pycvstat.rmath.random import RRandom
from pycvstat.types import FloatArray


def neighbours(sample: Sample, k: int, X: FloatArray, draws: RRandom) -> Outcome:
    """The mean of the neighbours or their vote: all that are tied at the k-th distance count.

    Ties of votes are drawn among the classes, row after row; before that, knn3 draws as
    `pycvstat.r.class_.knn` does, and uses nothing of it.
    """
    k = neighbours_of(k, len(sample.y))
    near = [nearest(squared, k) for squared in squares(sample.X, X)]
    if not sample.levels:
        return Outcome(np.array([sample.y[rows].mean() for rows in near]))
    codes = sample.y.astype(np.int64)
    votes = np.array([np.bincount(codes[rows], minlength=len(sample.levels)) for rows in near])
    for row in votes:
        winner(row.tolist(), 0, 0, draws)
    chosen = [_drawn(np.flatnonzero(row == row.max()), draws) for row in votes]
    return Outcome(np.array(chosen, dtype=np.float64), votes / votes.sum(axis=1, keepdims=True))


def _drawn(tied: Any, draws: RRandom) -> int:
    return int(tied[0] if len(tied) == 1 else draws.sample(tied, 1)[0])


def weighted_neighbours(sample: Sample, tune: dict[str, Any]) -> Any:
    """A fit of ``train.kknn``, which chooses its k up to kmax, as a function of new rows."""
    names = [f"x{j + 1}" for j in range(sample.X.shape[1])]
    y: Any = sample.y
    if sample.levels:
        levels = [f"{code}" for code in range(len(sample.levels))]
        y = Factor.of(sample.y.astype(np.int64), levels).remove_unused_categories()
    data = pd.DataFrame(sample.X, columns=names).assign(y=y)
    fit = train_kknn("y ~ .", data, **tune)
    learner = KNN(fit.best_k, fit.best_kernel, distance=fit.distance)

    def predict(X: FloatArray, draws: RRandom) -> Outcome:
        found = predict_as_kknn(learner, fit.task, read(pd.DataFrame(X, columns=names)))
        if found.prob is None:
            return Outcome(found.fitted_values.astype(np.float64))
        prob = np.zeros((len(X), len(sample.levels)))
        prob[:, [int(level) for level in found.levels]] = found.prob
        return Outcome(found.fitted_values.astype(np.float64), prob)

    return predict
