"""The elastic net of glmnet for classes and counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from pycvstat.errors import FitError
from pycvstat.learners.linear.glmnet_gaussian import ends_of, require_varying
from pycvstat.learners.linear.glmnet_path import FIRST, Path, Scale, Settings
from pycvstat.types import BoolArray, FloatArray, IntArray

Likelihood = Literal["binomial", "multinomial", "poisson"]


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
    family : {"binomial", "multinomial", "poisson"}
        Several classes have slopes (L, K, p) and intercepts (L, K).
    X : (n, p) float64
    y : (n,) float64
        Codes of classes from 0, or counts.
    weights, left_out, settings
        See `gaussian_paths`.
    """
    solver: Callable[[_Rows], _Null] = _several_classes
    if family == "multinomial":
        y = (y[:, None] == np.arange(y.max() + 1)).astype(np.float64)
    else:
        solver = partial(_two_or_counts, family == "binomial")
    origin = np.average(X, 0, weights) if settings.intercept else np.zeros(X.shape[1])
    turned = np.ascontiguousarray((X - origin).T)
    return [
        _path(solver, turned, y, weights, np.delete(np.arange(len(y)), rows), settings, origin)
        for rows in left_out
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of one fit: standardised columns (p, n), response and weights that sum to 1."""

    columns: FloatArray
    varies: BoolArray
    y: FloatArray
    w: FloatArray
    settings: Settings


_Null = tuple[Any, Callable[[Any, FloatArray], FloatArray], Callable[[FloatArray, float], Any]]
"""Intercepts of the null model; pulls (p,) at linear predictors; the descent."""


def _path(
    family: Callable[[_Rows], _Null],
    turned: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    rows: IntArray,
    settings: Settings,
    origin: FloatArray,
) -> Path:
    from pycvstat.learners.linear.glmnet_descent import standardised

    settings, total = settings.of(len(rows)), float(weights[rows].sum())
    w, root = weights[rows] / total, np.sqrt(weights[rows] / total)
    columns, centre, x_scale, _, varies = standardised(
        turned, rows, root, settings.intercept, settings.standardize
    )
    require_varying(np.append(varies, True))
    columns = np.divide(columns, root, out=np.zeros_like(columns), where=root > 0.0)
    offset, pulls, down = family(_Rows(columns, varies, y[rows], w, settings))
    slopes: Any = np.zeros((1, *np.shape(offset), len(columns)))
    intercepts: Any = np.asarray(offset)[None]
    if settings.some_free and settings.alpha > 0.0:  # in ridge glmnet looks at the null model
        slopes, intercepts, *_ = down(np.array([FIRST]), 0.0)
    eta = np.asarray(intercepts[0])[..., None] + slopes[0] @ columns
    lambdas = settings.penalties(pulls(eta, columns), 1.0)
    own = settings.lambda_ is None
    first = lambdas[1] / settings.step if own and len(lambdas) > 1 else 0.0
    slopes, intercepts, explained, null, fitted, sweeps, end = down(lambdas, first)
    some = slice(fitted)
    scale = Scale(centre, x_scale, 0.0, 1.0, total)
    path = scale.path(slopes[some], explained[some], lambdas[some], sweeps, end, settings)
    a0 = path.a0 + intercepts[some] - path.beta @ origin
    if a0.ndim == 2:  # of classes, which have mean 0
        a0 = a0 - a0.mean(axis=1, keepdims=True)
    return replace(path, a0=a0, nulldev=2.0 * total * null)


def _two_or_counts(binary: bool, rows: _Rows) -> _Null:
    from pycvstat.learners.linear.glmnet_newton import newton_path

    y, w, settings = rows.y, rows.w, rows.settings
    if binary:
        _require_rows(np.bincount(y.astype(np.int64), minlength=2))
    mean, weighed = float(w @ y), y[w > 0.0]
    if not np.ptp(weighed):
        raise FitError("all rows have the same response.", fix="look at y, and at the folds")
    offset = 0.0
    if settings.intercept:
        offset = float(np.log(mean / (1.0 - mean)) if binary else np.log(mean))
    best = 0.0 if binary else -float(w @ (y * np.log(np.where(y > 0.0, y, 1.0)) - y))

    def pulls(eta: FloatArray, columns: FloatArray) -> FloatArray:
        mu = 1.0 / (1.0 + np.exp(-eta)) if binary else np.exp(eta)
        return np.asarray(columns @ (w * (y - mu)))

    def down(lambdas: FloatArray, first: float) -> Any:
        return newton_path(
            rows.columns, y, w, offset, binary, settings.intercept, rows.varies,
            settings.penalty_factor, lambdas, first, settings.alpha, settings.pmax,
            ends_of(settings), best,
        )  # fmt: skip

    return offset, pulls, down


def _require_rows(counts: FloatArray | IntArray) -> None:
    if counts.min() < 2:
        raise FitError(
            "a class has 1 or 0 rows, which is not allowed.",
            given=f"{counts.min():g} of {counts.sum():g} training rows",
            fix="fewer folds, or folds with equal shares of the classes as foldid",
        )


def _several_classes(rows: _Rows) -> _Null:
    from pycvstat.learners.linear.glmnet_classes import classes_path

    y, w, settings = np.ascontiguousarray(rows.y.T), rows.w, rows.settings
    _require_rows(y.sum(1))
    logs = np.log(y @ w) if settings.intercept else np.zeros(len(y))
    offset = logs - logs.mean()

    def pulls(eta: FloatArray, columns: FloatArray) -> FloatArray:
        odds = np.exp(eta - eta.max(0)) * np.ones(len(w))
        each = (w * (y - odds / odds.sum(0))) @ columns.T
        return np.asarray(np.linalg.norm(each, axis=0) if settings.grouped else np.abs(each).max(0))

    def down(lambdas: FloatArray, first: float) -> Any:
        return classes_path(
            rows.columns, y, w, settings.intercept, rows.varies, settings.penalty_factor,
            lambdas, first, settings.alpha, settings.pmax, ends_of(settings), offset,
            settings.grouped,
        )  # fmt: skip

    return offset, pulls, down
