"""The training rows of every fold, centred and in triangular form, from one factorisation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from pycvstat.errors import InputError
from pycvstat.learners.linear.least_squares import column_scale, require_finite, weighted_rows
from pycvstat.learners.linear.left_out import equal_sizes, well_conditioned
from pycvstat.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Centred:
    """All that penalised least squares needs to know of some rows.

    With W the sum of the weights, ``R'R`` is the centred cross-product of the predictors and
    ``R'z`` that with the response.

    Parameters
    ----------
    R : (q, p) float64
        q = min(rows, p); a constant predictor is a column of zeros.
    z : (q,) float64
    origin : (p,) float64
        Close to the means of the predictors; what is far from zero keeps its digits beside it.
    x_mean : (p,) float64
        Means of the predictors less the origin.
    y_mean : float
    y_sd : float
        Standard deviation of the response, divisor W.
    total : float
        W; the number of rows where there are no weights.
    """

    R: FloatArray
    z: FloatArray
    origin: FloatArray
    x_mean: FloatArray
    y_mean: float
    y_sd: float
    total: float

    def sds(self) -> FloatArray:
        """Standard deviations of the predictors (p,), divisor W as in glmnet; 1 for constants."""
        sd = np.linalg.norm(self.R, axis=0) / np.sqrt(self.total)
        return np.where(sd == 0.0, 1.0, sd)

    def with_slopes(self, slopes: FloatArray) -> Slopes:
        """Slopes (C, p) with the means that their intercepts follow from."""
        return Slopes(self.origin, self.x_mean, np.full(len(slopes), self.y_mean), slopes)


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """Slopes (C, p), and what each of them predicts (C,) at ``origin + x_mean``."""

    origin: FloatArray
    x_mean: FloatArray
    level: FloatArray
    slopes: FloatArray

    def only(self, c: int) -> Slopes:
        """Those of one candidate."""
        return replace(self, level=self.level[[c]], slopes=self.slopes[[c]])

    def predict(self, X: FloatArray) -> FloatArray:
        """Predictions (C, m) of rows (m, p)."""
        return np.asarray(self.level[:, None] + self.slopes @ ((X - self.origin) - self.x_mean).T)

    @property
    def intercepts(self) -> FloatArray:
        """Intercepts (C,)."""
        return np.asarray(self.level - self.slopes @ self.x_mean - self.slopes @ self.origin)


def centre(X: FloatArray, y: FloatArray, weights: FloatArray | None = None) -> Centred:
    """Centre some rows and bring them into triangular form by QR.

    Parameters
    ----------
    X : (n, p) float64
        Predictors, without an intercept column.
    y : (n,) float64
    weights : (n,) float64, optional

    Raises
    ------
    FitError
        No row has a positive weight.

    Examples
    --------
    >>> rows = centre(np.array([[0.0], [2.0]]), np.array([1.0, 5.0]))
    >>> rows.origin + rows.x_mean, rows.y_mean, rows.sds()
    (array([1.]), 3.0, array([1.]))
    """
    X, y, weights = weighted_rows(X, y, weights)
    total = float(len(y)) if weights is None else float(weights.sum())
    origin, near, y_mean, y_left = _near_zero(X, y, weights)
    x_mean = np.average(near, 0, weights)
    joined = np.column_stack([near - x_mean, y_left])
    if weights is not None:
        joined *= np.sqrt(weights)[:, None]
    R = linalg.qr(joined, mode="r", check_finite=False)[0]
    return _of_triangle(np.asarray(R, dtype=np.float64), origin, x_mean, y_mean, total)


def _near_zero(
    X: FloatArray, y: FloatArray, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray, float, FloatArray]:
    """The means, to rounding, and what is left of predictors and response without them."""
    origin, y_mean = np.average(X, 0, weights), float(np.average(y, 0, weights))
    near = X - origin
    near[:, (X[0] == X).all(axis=0)] = 0.0
    return origin, near, y_mean, y - y_mean


def _of_triangle(
    R: FloatArray, origin: FloatArray, x_mean: FloatArray, y_mean: float, total: float
) -> Centred:
    """From the triangular factor of predictors and response, both centred."""
    p = R.shape[1] - 1
    q = min(len(R), p)
    y_sd = float(np.linalg.norm(R[: p + 1, p])) / np.sqrt(total)
    return Centred(R[:q, :p], R[:q, p], origin, x_mean, y_mean, float(y_sd), total)


def training_rows(
    X: FloatArray,
    y: FloatArray,
    rows: IntArray,
    offsets: IntArray,
    weights: FloatArray | None = None,
) -> Iterator[tuple[int, Centred]]:
    """All rows but the test rows of each fit, in triangular form.

    One QR factorisation of intercept, predictors and response. Leaving out rows T of its Q
    multiplies R by the Cholesky factor of I - Q_T' Q_T; where that is too close to singular, and
    where there are more columns than rows, the training rows are factorised anew.

    Parameters
    ----------
    X : (n, p) float64
        Predictors, without an intercept column.
    y : (n,) float64
    rows, offsets :
        Test rows of all fits (see `left_out.ols_left_out_predictions`).
    weights : (n,) float64, optional

    Yields
    ------
    fit : int
    Centred
    """
    n, p = X.shape
    sizes = np.diff(offsets)
    if n < p + 2:
        for i in range(len(sizes)):
            yield i, _anew(X, y, rows[offsets[i] : offsets[i + 1]], weights)
        return
    origin, near, y_mean, y_left = _near_zero(X, y, weights)
    joined = np.column_stack([np.ones(n), near, y_left])
    if weights is not None:
        joined *= np.sqrt(weights)[:, None]
    Q, R = linalg.qr(np.asfortranarray(joined), mode="economic", check_finite=False)
    for fits, places in equal_sizes(sizes, offsets, p + 2):
        QT = Q[rows[places]].transpose(0, 2, 1)
        kept, weak = well_conditioned(np.eye(p + 2) - QT @ QT.transpose(0, 2, 1))
        factors = np.linalg.cholesky(kept).transpose(0, 2, 1) @ R
        for i, factor, close in zip(fits, factors, weak, strict=True):
            if close:
                yield int(i), _anew(X, y, rows[offsets[i] : offsets[i + 1]], weights)
            else:
                level = factor[0] / factor[0, 0]
                total = float(factor[0, 0] ** 2)
                means = origin, level[1:-1], y_mean + float(level[-1])
                yield int(i), _of_triangle(factor[1:, 1:], *means, total)


def each_fit(
    X: FloatArray,
    y: FloatArray,
    rows: IntArray,
    offsets: IntArray,
    weights: FloatArray | None,
    slopes: Callable[[Centred], FloatArray],
) -> FloatArray:
    """Predictions (C, N) of the test rows by the slopes (C, p) of each fit's training rows."""
    out = np.empty((0, len(rows)))
    for i, train in training_rows(X, y, rows, offsets, weights):
        part = slice(offsets[i], offsets[i + 1])
        predictions = train.with_slopes(slopes(train)).predict(X[rows[part]])
        if not len(out):
            out = np.empty((len(predictions), len(rows)))
        out[:, part] = predictions
    return out


def _anew(X: FloatArray, y: FloatArray, test: IntArray, weights: FloatArray | None) -> Centred:
    train = np.ones(len(y), dtype=bool)
    train[test] = False
    return centre(X[train], y[train], None if weights is None else weights[train])


def require_measurable(X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The two as float64 arrays; penalties need predictors whose squares are numbers.

    Raises
    ------
    InputError
        A value is infinite or missing, or a predictor is so huge or tiny that its variance is
        not a double.
    """
    X, y = require_finite(X, y)
    scale = column_scale(X)
    if scale is not None and (scale != 1.0).any():
        raise InputError(
            "a predictor is too huge or too tiny to be penalised.",
            given=f"values up to {np.abs(X[:, scale != 1.0]).max():g}",
            fix="measure it in another unit",
        )
    return X, y
