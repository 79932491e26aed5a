"""The elastic net of glmnet for binary responses and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from pycvstat.errors import FitError
from pycvstat.learners.linear.glmnet_gaussian import ends_of, require_varying
from pycvstat.learners.linear.glmnet_path import FIRST, Path, Scale, Settings
from pycvstat.types import FloatArray, IntArray

Likelihood = Literal["binomial", "poisson"]


def likelihood_paths(
    family: Likelihood,
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    left_out: Sequence[IntArray],
    settings: Settings,
) -> list[Path]:
    """Paths of all rows but some, for several sets of rows.

    As in R: ``glmnet(X[-rows, ], y[-rows], family, weights = weights[-rows], ...)``.

    Parameters
    ----------
    family : {"binomial", "poisson"}
    X : (n, p) float64
    y : (n,) float64
        0 and 1, or counts.
    weights, left_out, settings
        See `gaussian_paths`.
    """
    origin = np.average(X, 0, weights) if settings.intercept else np.zeros(X.shape[1])
    turned = np.ascontiguousarray((X - origin).T)
    return [
        _path(family, turned, y, weights, np.delete(np.arange(len(y)), rows), settings, origin)
        for rows in left_out
    ]


def _path(
    family: Likelihood,
    turned: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    rows: IntArray,
    settings: Settings,
    origin: FloatArray,
) -> Path:
    from pycvstat.learners.linear.glmnet_descent import standardised
    from pycvstat.learners.linear.glmnet_newton import newton_path

    settings, total = settings.of(len(rows)), float(weights[rows].sum())
    w, y = weights[rows] / total, y[rows]
    mean = float(w @ y)
    binary = family == "binomial"
    if mean == 0.0 or (binary and mean == 1.0):
        raise FitError("all rows have the same response.", fix="look at y, and at the folds")
    root = np.sqrt(w)
    columns, centre, x_scale, _, varies = standardised(
        turned, rows, root, settings.intercept, settings.standardize
    )
    require_varying(np.append(varies, True))
    columns = np.where(root > 0.0, columns / np.where(root > 0.0, root, 1.0), 0.0)
    offset = 0.0
    if settings.intercept:
        offset = float(np.log(mean / (1.0 - mean)) if binary else np.log(mean))

    def down(lambdas: FloatArray, first: float) -> Any:
        return newton_path(
            columns, y, w, offset, binary, settings.intercept, varies, settings.penalty_factor,
            lambdas, first, settings.alpha, settings.pmax, ends_of(settings), best,
        )  # fmt: skip

    eta: Any = offset
    best = 0.0 if binary else -float(w @ (y * np.log(np.where(y > 0.0, y, 1.0)) - y))
    if settings.some_free:
        slopes, intercepts, *_ = down(np.array([FIRST]), 0.0)
        eta = intercepts[0] + slopes[0] @ columns
    mu = 1.0 / (1.0 + np.exp(-eta)) if binary else np.exp(eta)
    lambdas = settings.penalties(columns @ (w * (y - mu)), 1.0)
    own = settings.lambda_ is None
    first = lambdas[1] / settings.step if own and len(lambdas) > 1 else 0.0
    slopes, intercepts, explained, null, fitted, sweeps, end = down(lambdas, first)
    some = slice(fitted)
    scale = Scale(centre, x_scale, 0.0, 1.0, total)
    path = scale.path(slopes[some], explained[some], lambdas[some], sweeps, end, settings)
    a0 = path.a0 + intercepts[some] - path.beta @ origin
    return replace(path, a0=a0, nulldev=2.0 * total * null)
