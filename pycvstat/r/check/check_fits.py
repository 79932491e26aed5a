"""Cross-checks of fitted models: coefficient tables beside R's, neighbours beside kknn or FNN."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat.errors import RError
from pycvstat.r.check.check_procedures import call_r
from pycvstat.r.check.counterpart import counterpart
from pycvstat.r.check.loss_rows import SEPARATED, no_maximum
from pycvstat.r.check.table import EXACT, SUMS, Crosscheck, compare_values

PARTS = ("estimate", "std_error", "statistic", "p_value")


def check_fit(fitted: Any) -> Crosscheck:
    """Compare coefficients and predictions with R's, and neighbours with kknn or FNN."""
    from pycvstat.learners.knn.fitted import FittedKNN

    if isinstance(fitted, FittedKNN):
        return _neighbours(fitted)
    return _coefficients(fitted)


def _coefficients(fitted: Any) -> Crosscheck:
    from pycvstat.r.bridge import run

    task: Any = getattr(fitted, "task", None)
    code = counterpart(fitted.learner, task)
    refuse_separated(fitted)
    r = call_r(
        "pcv_fit(as.formula(formula), data, pcv_learner(name, params), weights)",
        task,
        None,
        "squared",
        code,
        params=dict(code.params),
    )
    table = fitted.tidy()
    terms = table["term"].astype(str).tolist()
    rows = [compare_values("terms", terms, np.atleast_1d(r["terms"]), EXACT, terms)]
    if rows[0].agrees:
        found = np.asarray(r["table"], dtype=np.float64).reshape(len(terms), -1)
        tolerance = code.tolerance.of_the_largest()
        for part, values in zip(PARTS, found.T, strict=False):
            ours = table[part].to_numpy(float)
            rows.append(compare_values(part, ours, values, tolerance, terms))
    places = [f"row {i + 1}" for i in range(task.n)]
    ours = fitted_values(fitted)
    rows.append(
        compare_values(
            "predictions of its own rows",
            ours,
            r["predictions"],
            EXACT if task.response.levels else code.tolerance,
            places,
        )
    )
    version = f"{run('R.version.string')}; {code.says}"
    return Crosscheck(tuple(rows), version, code.notes)


def refuse_separated(fitted: Any) -> None:
    """Where the likelihood has no maximum, there is nothing to agree on."""
    notes = getattr(getattr(fitted, "report", None), "notes", ())
    if type(fitted.learner).__name__ == "MNLogit" and any(SEPARATED in note for note in notes):
        raise no_maximum()


def fitted_values(fitted: Any) -> Any:
    """Predictions of the training rows; codes of classes, counted from 0."""
    import pandas as pd

    predicted = fitted.predict(fitted.task.frame)
    levels = fitted.task.response.levels
    return pd.Categorical(predicted, levels).codes if levels else predicted


def _neighbours(fitted: Any) -> Crosscheck:
    """Neighbours of the training rows themselves, by kknn, else by FNN where nothing ties."""
    from pycvstat.r.bridge import run

    if run('nzchar(system.file(package = "kknn"))'):
        return _beside_kknn(fitted)
    return _beside_fnn(fitted)


def _beside_kknn(fitted: Any) -> Crosscheck:
    from pycvstat.r.bridge import run

    task, learner = fitted.task, fitted.learner
    r = call_r(
        """{ library(kknn)  # attached: it looks up its contrasts by name
             task <- pcv_task(as.formula(formula), data)
             f <- kknn::kknn(task$formula, task$data, task$data, k = k, distance = distance,
                             kernel = kernel, scale = scale)
             list(C = t(f$C), D = t(f$D), W = t(f$W)) }""",
        task,
        None,
        "squared",
        counterpart(learner, task),
        k=learner.k,
        distance=learner.distance,
        kernel=learner.kernel,
        scale=learner.scale,
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
    notes = ["kknn is not installed: distances beside FNN. Weights are not compared."]
    if learner.scale and learner.ties == "kknn":
        source(path("kknn_standin.R"))
        r = run("standin_neighbours(x, x, k + 1)[, seq_len(k)]", x=X, k=learner.k)
        ours, order = found.rows + 1, np.asarray(r).reshape(found.rows.shape)
        rows.insert(0, compare_values("neighbour rows", ours, order, EXACT, labels))
        notes.append("Neighbour rows beside the stand-in of this project for kknn.")
    return Crosscheck(tuple(rows), f"{run('R.version.string')}; FNN::get.knnx", tuple(notes))


def _labels(m: int, k: int) -> list[str]:
    return [f"row {i + 1}, neighbour {j + 1}" for i in range(m) for j in range(k)]
