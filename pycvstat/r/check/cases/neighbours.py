"""Nearest neighbours and their predictions, beside FNN and class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycvstat.learners.knn.learner import KNN
from pycvstat.procedures.cross_validate import cross_validate
from pycvstat.r.check.cases.case import Cases, case
from pycvstat.rmath.tolerances import SUMS

TRAIN, NEW = slice(0, 90), slice(90, 120)


def _data(r: Mapping[str, Any]) -> tuple[Any, Any]:
    return np.asarray(r["x"]).reshape(120, 3, order="F"), np.asarray(r["y"])


def _classes(r: Mapping[str, Any]) -> Any:
    import pandas as pd

    return pd.Categorical(np.where(np.asarray(r["label"]) == 1, "a", "b"), ["a", "b"])


def _knn(k: int) -> KNN:
    return KNN(k=k, kernel="rectangular")


def _neighbours(r: Mapping[str, Any], k: int) -> Any:
    X, y = _data(r)
    return _knn(k).fit(X=X[TRAIN], y=y[TRAIN]).neighbours(X[NEW])


def _rows(r: Mapping[str, Any], k: int) -> Any:
    return (_neighbours(r, k).rows + 1).ravel()


def _distances(r: Mapping[str, Any], k: int) -> Any:
    return _neighbours(r, k).distances.ravel()


def _mean(r: Mapping[str, Any], k: int) -> Any:
    X, y = _data(r)
    return _knn(k).fit(X=X[TRAIN], y=y[TRAIN]).predict(X[NEW])


def _vote(r: Mapping[str, Any], k: int) -> Any:
    X, _ = _data(r)
    label = _classes(r)
    predicted = _knn(k).fit(X=X[TRAIN], y=label[TRAIN]).predict(X[NEW])
    return [1 + ["a", "b"].index(str(p)) for p in predicted]


def _left_out(r: Mapping[str, Any], k: int) -> Any:
    """FNN scales nothing: the columns come scaled by all rows, so the learner does not scale."""
    from pycvstat.folds import LeaveOneOut

    X, y = _data(r)
    learner = KNN(k=k, kernel="rectangular", scale=False)
    scaled = X / X.std(axis=0, ddof=1)
    return cross_validate(learner, X=scaled, y=y, folds=LeaveOneOut()).predictions


def cases() -> Cases:
    """Rows, distances, means, votes and leave-one-out means for several k."""
    found: Cases = {}
    for k in (1, 3, 7, 15):
        found |= {
            f"neighbour rows, k = {k}": case(_rows, k),
            f"distances, k = {k}": case(_distances, k, tolerance=SUMS),
            f"FNN knn.reg, k = {k}": case(_mean, k, tolerance=SUMS),
            f"class knn, k = {k}": case(_vote, k),
            f"FNN knn.reg leave-one-out, k = {k}": case(_left_out, k, tolerance=SUMS),
        }
    return found
