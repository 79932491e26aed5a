"""Cross-check of fitted nearest neighbours: rows, distances and weights beside kknn or FNN."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat.errors import RError
from pycvstat.r.check.r_values import r_formula, r_frame
from pycvstat.r.check.table import Crosscheck, compare_values, not_compared
from pycvstat.rmath.tolerances import EXACT, SUMS


def check_neighbours(fitted: Any) -> Crosscheck:
    """Neighbours of the training rows themselves, by kknn, else by FNN where nothing ties."""
    from pycvstat.r.bridge import run

    if run('nzchar(system.file(package = "kknn"))'):
        return _beside_kknn(fitted)
    return _beside_fnn(fitted)


def _beside_kknn(fitted: Any) -> Crosscheck:
    from pycvstat.r.bridge import run, source
    from pycvstat.r.bridge.reference import path

    task, learner = fitted.task, fitted.learner
    params = dict(learner.in_r(task).params)
    source(path("procedures.R"))
    r: Any = run(
        """{ library(kknn)  # attached: it looks up its contrasts by name
             task <- pcv_task(as.formula(formula), data)
             f <- kknn::kknn(task$formula, task$data, task$data, k = p$k, distance = p$distance,
                             kernel = p$kernel, scale = p$scale)
             list(C = t(f$C), D = t(f$D), W = t(f$W)) }""",
        formula=r_formula(task.formula),
        data=r_frame(task),
        p=params,
    )
    found = fitted.neighbours(task.frame)
    labels = _labels(*found.rows.shape)

    def r_values(name: str) -> Any:
        return np.asarray(r[name]).reshape(-1, order="F")

    rows = (
        compare_values("neighbour rows", found.rows.ravel() + 1, r_values("C"), EXACT, labels),
        compare_values("distances", found.distances.ravel(), r_values("D"), SUMS, labels),
        compare_values("weights", found.weights.ravel(), r_values("W"), SUMS, labels),
    )
    return Crosscheck(rows, f"{run('R.version.string')}; kknn::kknn")


def _beside_fnn(fitted: Any) -> Crosscheck:
    from pycvstat.r.bridge import require, run, source
    from pycvstat.r.bridge.reference import path

    task, learner = fitted.task, fitted.learner
    numeric = all(task.frame[name].kind == "numeric" for name in task.frame.names)
    if not (numeric and learner.distance == 2):
        raise RError(
            "R lacks the package kknn, and FNN knows numeric columns and distance 2 only.",
            given=f"distance={learner.distance}",
            fix='install.packages("kknn") in R',
        )
    require("FNN")
    X = task.design("kknn").X
    used = X[:, np.ptp(X, axis=0) > 0]
    scaled = used / used.std(axis=0, ddof=1) if learner.scale else used
    r: Any = run("FNN::get.knnx(x, x, k)$nn.dist", x=scaled, k=learner.k)
    found = fitted.neighbours(task.frame)
    labels = _labels(*found.rows.shape)
    theirs = np.asarray(r).reshape(found.distances.shape)
    rows = [compare_values("distances", found.distances, theirs, SUMS, labels)]
    if learner.kernel != "rectangular":  # all of whose weights are 1
        rows.append(not_compared("weights", "kknn is not installed"))
    notes = ["kknn is not installed: distances beside FNN."]
    if learner.scale and learner.ties == "kknn":
        source(path("kknn_standin.R"))
        r = run("standin_neighbours(x, x, k + 1)[, seq_len(k)]", x=X, k=learner.k)
        ours, order = found.rows + 1, np.asarray(r).reshape(found.rows.shape)
        rows.insert(0, compare_values("neighbour rows", ours, order, EXACT, labels))
        notes.append("Neighbour rows beside the stand-in of this project for kknn.")
    return Crosscheck(tuple(rows), f"{run('R.version.string')}; FNN::get.knnx", tuple(notes))


def _labels(m: int, k: int) -> list[str]:
    return [f"row {i + 1}, neighbour {j + 1}" for i in range(m) for j in range(k)]
