"""Cross-checks of fitted models: coefficient tables beside R's, neighbours beside kknn or FNN."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat.errors import RError
from pycvstat.parity.counterpart import counterpart
from pycvstat.parity.r_values import r_formula, r_frame
from pycvstat.parity.table import EXACT, ITERATIVE, LINEAR, SUMS, Crosscheck, compare_values

PARTS = ("estimate", "std_error", "statistic", "p_value")
SUMMARIES = {
    "OLS": ("lm(as.formula(formula), data)", LINEAR),
    "GLM": ("glm(as.formula(formula), pcv_family(family, link), data)", ITERATIVE),
    "Logit": ("glm(as.formula(formula), pcv_family(family, link), data)", ITERATIVE),
}


def check_fit(fitted: Any) -> Crosscheck:
    """Compare a fitted OLS or GLM with lm or glm, and neighbours with kknn or FNN."""
    from pycvstat.learners.knn_fitted import FittedKNN

    if isinstance(fitted, FittedKNN):
        return _neighbours(fitted)
    name = type(fitted.learner).__name__
    if name not in SUMMARIES:
        raise RError(
            f"the fit of {name} has no coefficient table that R gives in the same form.",
            given=name,
            fix=f"fits with one: {', '.join(SUMMARIES)}, KNN; or cross-check a procedure",
        )
    return _coefficients(fitted, *SUMMARIES[name])


def _coefficients(fitted: Any, code: str, tolerance: Any) -> Crosscheck:
    from pycvstat.rbridge import run, source
    from pycvstat.rbridge.reference import path

    source(path("procedures.R"))
    task = fitted.task
    params = counterpart(fitted.learner, task).params
    r: Any = run(
        f"{{ s <- summary({code})$coefficients; list(names = rownames(s), table = unname(s)) }}",
        formula=r_formula(task.formula),
        data=r_frame(task),
        family=params.get("family"),
        link=params.get("link"),
    )
    table = fitted.tidy()
    table = table[table["estimate"].notna()]  # R leaves aliased columns out of its table
    terms = table["term"].astype(str).tolist()
    rows = [compare_values("terms", terms, np.atleast_1d(r["names"]), EXACT, terms)]
    values = np.asarray(r["table"], dtype=np.float64).reshape(len(terms), -1)
    for i, part in enumerate(PARTS):
        rows.append(
            compare_values(part, table[part].to_numpy(float), values[:, i], tolerance, terms)
        )
    return Crosscheck(tuple(rows), str(run("R.version.string")))


def _neighbours(fitted: Any) -> Crosscheck:
    """Neighbours of the training rows themselves, by kknn, else by FNN where nothing ties."""
    from pycvstat.rbridge import run

    if run('nzchar(system.file(package = "kknn"))'):
        return _beside_kknn(fitted)
    return _beside_fnn(fitted)


def _beside_kknn(fitted: Any) -> Crosscheck:
    from pycvstat.rbridge import run

    task, learner = fitted.task, fitted.learner
    r: Any = run(
        """{ f <- kknn::kknn(as.formula(formula), data, data, k = k, distance = distance,
                             kernel = kernel, scale = scale)
             list(C = t(f$C), D = t(f$D), W = t(f$W)) }""",
        formula=r_formula(task.formula),
        data=r_frame(task),
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
    from pycvstat.rbridge import require, run

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
    X = X[:, np.ptp(X, axis=0) > 0]
    scaled = X / X.std(axis=0, ddof=1) if learner.scale else X
    r: Any = run("FNN::get.knnx(x, x, k)$nn.dist", x=scaled, k=learner.k)
    found = fitted.neighbours(task.frame)
    note = "kknn is not installed: distances beside FNN, which leaves ties open."
    rows = compare_values(
        "distances", found.distances, np.asarray(r).reshape(found.distances.shape), SUMS
    )
    return Crosscheck((rows,), f"{run('R.version.string')}; FNN::get.knnx", (note,))


def _labels(m: int, k: int) -> list[str]:
    return [f"row {i + 1}, neighbour {j + 1}" for i in range(m) for j in range(k)]
