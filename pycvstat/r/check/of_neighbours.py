"""How R finds the neighbours of a fit: by kknn, else by FNN where nothing ties."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat.errors import RError
from pycvstat.learners.knn.learner import FittedKNN
from pycvstat.r.check.call import Call, Quantity, in_r
from pycvstat.r.check.r_values import r_formula, r_frame
from pycvstat.rmath.tolerances import EXACT, SUMS

KKNN = """{
  library(kknn)  # attached: it looks up its contrasts by name
  task <- pcv_task(as.formula(formula), data)
  f <- kknn::kknn(task$formula, task$data, task$data, k = p$k, distance = p$distance,
                  kernel = p$kernel, scale = p$scale)
  list(rows = as.vector(t(f$C)), distances = as.vector(t(f$D)), weights = as.vector(t(f$W)))
}"""
FNN = """{
  found <- list(distances = as.vector(t(FNN::get.knnx(scaled, scaled, k)$nn.dist)))
  if (!is.null(x)) found$rows <- as.vector(t(standin_neighbours(x, x, k + 1)[, seq_len(k)]))
  found
}"""


@in_r.register
def _neighbours(fitted: FittedKNN, written: bool, y: Any) -> Call:
    """Neighbours of the training rows themselves."""
    from pycvstat.r.bridge import run

    task, found = fitted.task, fitted.neighbours(fitted.task.frame)
    m, k = found.rows.shape
    labels = [f"row {i + 1}, neighbour {j + 1}" for i in range(m) for j in range(k)]
    rows = Quantity("rows", "neighbour rows", found.rows + 1, EXACT, labels)
    distances = Quantity("distances", "distances", found.distances, SUMS, labels)
    if not run('nzchar(system.file(package = "kknn"))'):
        return _beside_fnn(fitted, rows, distances)
    weights = Quantity("weights", "weights", found.weights, SUMS, labels)
    known = fitted.learner.in_r(task)
    given = {"formula": r_formula(task.formula), "data": r_frame(task), "p": dict(known.params)}
    quantities = [rows, distances, weights]
    return Call(KKNN, given, quantities, known.says, known.files, known.packages)


def _beside_fnn(fitted: Any, rows: Quantity, distances: Quantity) -> Call:
    task, learner = fitted.task, fitted.learner
    numeric = all(task.frame[name].kind == "numeric" for name in task.frame.names)
    if not (numeric and learner.distance == 2):
        raise RError(
            "R lacks the package kknn, and FNN knows numeric columns and distance 2 only.",
            given=f"distance={learner.distance}",
            fix='install.packages("kknn") in R',
        )
    X = task.design("kknn").X
    used = X[:, np.ptp(X, axis=0) > 0]
    scaled = used / used.std(axis=0, ddof=1) if learner.scale else used
    ties = learner.scale and learner.ties == "kknn"
    notes = ["kknn is not installed: distances beside FNN."]
    notes += ["Neighbour rows beside the stand-in of this project for kknn."] * ties
    flat = learner.kernel == "rectangular"  # all of whose weights are 1
    return Call(
        FNN,
        {"scaled": scaled, "k": learner.k, "x": X if ties else None},
        [rows, distances] if ties else [distances],
        "FNN::get.knnx",
        ("kknn_standin.R",),
        ("FNN",),
        notes=tuple(notes),
        apart={} if flat else {"weights": "kknn is not installed"},
    )
