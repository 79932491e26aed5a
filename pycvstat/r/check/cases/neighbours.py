"""Nearest neighbours and their predictions, beside FNN and class."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from pycvstat.folds import LeaveOneOut
from pycvstat.learners.knn.learner import KNN
from pycvstat.procedures.cross_validate import cross_validate
from pycvstat.r.check.call import Call
from pycvstat.r.check.cases import Cases, beside
from pycvstat.rmath import RRandom
from pycvstat.rmath.tolerances import SUMS

# on columns scaled by the training rows, in which nothing ties
SEARCH = """{
  near <- FNN::get.knnx(a, b, k)
  list(rows = as.vector(t(near$nn.index)), distances = as.vector(t(near$nn.dist)),
       mean = FNN::knn.reg(a, b, y, k)$pred)
}"""


def _data() -> tuple[Any, Any]:
    draw = RRandom(11)
    X = draw.rnorm(360).reshape(120, 3, order="F")
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + draw.rnorm(120, sd=0.3)


def _scaled(X: Any) -> dict[str, Any]:
    spread = X[:90].std(axis=0, ddof=1)
    return {"a": X[:90] / spread, "b": X[90:] / spread}


def _search(k: int) -> Call:
    X, y = _data()
    fitted = KNN(k, "rectangular").fit(X=X[:90], y=y[:90])
    found = fitted.neighbours(X[90:])
    ours = {"rows": found.rows + 1, "distances": found.distances, "mean": fitted.predict(X[90:])}
    return beside(ours, SEARCH, SUMS, packages=("FNN",), **_scaled(X), y=y[:90], k=k)


def _vote(k: int) -> Call:
    """An odd k and two classes: no vote can tie."""
    X, y = _data()
    label = np.where(y > np.median(y), "b", "a").astype(object)
    ours = KNN(k, "rectangular").fit(X=X[:90], y=label[:90]).predict(X[90:])
    code = "as.character(class::knn(a, b, factor(y), k))"
    return beside(ours, code, packages=("class",), **_scaled(X), y=label[:90], k=k)


def _left_out(k: int) -> Call:
    """FNN scales nothing: the columns come scaled by all rows, so the learner does not scale."""
    X, y = _data()
    scaled = X / X.std(axis=0, ddof=1)
    learner = KNN(k, "rectangular", scale=False)
    ours = cross_validate(learner, X=scaled, y=y, folds=LeaveOneOut()).predictions
    code = "FNN::knn.reg(x, y = y, k = k)$pred"
    return beside(ours, code, SUMS, packages=("FNN",), x=scaled, y=y, k=k)


def cases() -> Cases:
    """Rows, distances, means, votes and leave-one-out means for several k."""
    found: Cases = {}
    for k in (1, 3, 7, 15):
        found[f"FNN get.knnx and knn.reg, k = {k}"] = partial(_search, k)
        found[f"class knn, k = {k}"] = partial(_vote, k)
        found[f"FNN knn.reg leave-one-out, k = {k}"] = partial(_left_out, k)
    return found
