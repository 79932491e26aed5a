"""The gaussian elastic net of glmnet for all rows, and for all but those of each fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pycvstat.errors import FitError
from pycvstat.learners.linear.glmnet_path import (
    FINISHED,
    FIRST,
    NOT_CONVERGED,
    Path,
    Scale,
    Settings,
)
from pycvstat.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from pycvstat.learners.linear.glmnet_descent import Ends

NARROW = 500
"""Below so many predictors glmnet works with their cross-products and sweeps all of them."""

_MEMORY = 2**25
"""Standardised numbers that are held at a time."""

_KEPT = 1e-3
"""Rows that keep less than this share of a variance have their sums made anew, not by taking off
those of the others: at most three of sixteen digits are lost."""

Finish = Callable[[FloatArray, FloatArray, tuple[FloatArray, FloatArray], FloatArray, int], None]
"""Fills in slopes from a penalty on: see `elastic_net.finish_path`."""


def gaussian_paths(
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    left_out: Sequence[IntArray],
    settings: Settings,
    finish: Finish | None = None,
) -> list[Path]:
    """Paths of all rows but some, for several sets of rows.

    As in R: ``glmnet(X[-rows, ], y[-rows], weights = weights[-rows], ...)`` for each set. Below
    500 predictors the cross-products are made once and each set takes its share off; else the
    fits go down their paths side by side, so that gradients are one product of matrices.

    Parameters
    ----------
    X : (n, p) float64
    y : (n,) float64
    weights : (n,) float64
    left_out : sequence of int64 arrays
        Rows, counted from 0.
    settings : Settings
    finish : callable, optional
        Finishes a path that has not converged within `maxit` sweeps.

    Returns
    -------
    list of Path

    Raises
    ------
    FitError
        The response, or every predictor, is constant.
    """
    if X.shape[1] < NARROW:
        return _by_products(X, y, weights, left_out, settings, finish)
    at_a_time = max(1, _MEMORY // X.size)
    return [
        path
        for start in range(0, len(left_out), at_a_time)
        for path in _side_by_side(
            X, y, weights, left_out[start : start + at_a_time], settings, finish
        )
    ]


def _near_zero(
    X: FloatArray, y: FloatArray, weights: FloatArray, settings: Settings
) -> tuple[FloatArray, FloatArray]:
    """Predictors and response (n, p + 1) less their means, and these; zeros without intercept."""
    table = np.column_stack([X, y])
    if not settings.intercept:
        return table, np.zeros(table.shape[1])
    means = np.average(table, 0, weights)
    return table - means, means


def ends_of(settings: Settings) -> Ends:
    """When the descent stops; a path that the user gave goes on to its end."""
    from pycvstat.learners.linear.glmnet_descent import Ends

    s = settings
    least = s.mnlam if s.lambda_ is None else len(s.lambda_) + 1
    return Ends(s.thresh, s.maxit, least, s.fdev, s.devmax, s.dfmax)


def require_varying(varies: BoolArray) -> None:
    """The response (the last) must vary, and some predictor."""
    if not varies[-1]:
        raise FitError(
            "the response is constant: glmnet cannot standardise it.",
            fix="look at y, and whether each fold leaves different values of it",
        )
    if not varies[:-1].any():
        raise FitError(
            "all predictors that are used have zero variance.",
            fix="give predictors that vary in the rows of every fit",
        )


def _by_products(
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    left_out: Sequence[IntArray],
    settings: Settings,
    finish: Finish | None,
) -> list[Path]:
    from pycvstat.learners.linear.glmnet_descent import covariance_path

    table, origin = _near_zero(X, y, weights, settings)
    varies, ends = np.asarray((table != table[0]).any(axis=0)), ends_of(settings)
    require_varying(varies)
    whole, paths = _Sums.of(table, weights), []
    for rows in left_out:
        sums = whole
        if len(rows):
            sums = whole.without(_Sums.of(table[rows], weights[rows]))
            lost = sums.variances() < _KEPT * whole.variances()
            if lost[varies].any():
                kept = np.delete(np.arange(len(y)), rows)
                none = [np.empty(0, dtype=np.int64)]
                paths += _by_products(X[kept], y[kept], weights[kept], none, settings, finish)
                continue
        gram, target, scale = sums.standardised(varies[:-1], settings)
        given, gradient = (gram, target, settings.penalty_factor), target
        how = settings.alpha, settings.pmax, ends
        if settings.some_free:
            gradient = target - gram @ covariance_path(*given, np.array([FIRST]), *how)[0][0]
        lambdas = settings.of(len(y) - len(rows)).penalties(gradient, scale.y_scale)
        *found, fitted, sweeps, end = covariance_path(*given, lambdas, *how)
        if end == NOT_CONVERGED and finish is not None:
            kept = np.delete(np.arange(len(y)), rows)
            columns = scale.columns(table[kept], weights[kept])
            finish(columns[:-1], columns[-1], settings.both(lambdas), found[0], fitted)
            fitted, end = len(lambdas), FINISHED
        slopes, explained = (values[:fitted] for values in found)
        path = scale.path(slopes, explained, lambdas[:fitted], sweeps, end, settings)
        paths.append(path.moved(origin))
    return paths


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Weighted sums over rows: of ones, of columns (q,) and of their products (q, q)."""

    total: float
    columns: FloatArray
    products: FloatArray

    @classmethod
    def of(cls, table: FloatArray, weights: FloatArray) -> _Sums:
        weighted = table * weights[:, None]
        return cls(float(weights.sum()), weighted.sum(axis=0), weighted.T @ table)

    def without(self, other: _Sums) -> _Sums:
        return _Sums(
            self.total - other.total, self.columns - other.columns, self.products - other.products
        )

    def variances(self) -> FloatArray:
        squares = np.diagonal(self.products) / self.total - (self.columns / self.total) ** 2
        return np.maximum(squares, 0.0)

    def standardised(
        self, varies: BoolArray, settings: Settings
    ) -> tuple[FloatArray, FloatArray, Scale]:
        """Cross-products (p, p) of the predictors, (p,) with the response, and their scale."""
        mean, products = self.columns / self.total, self.products / self.total
        if settings.intercept:
            products = products - np.outer(mean, mean)
        else:
            mean = np.zeros_like(mean)
        sds = np.sqrt(self.variances()[:-1]) if settings.standardize else np.ones(len(varies))
        x_scale = np.where(varies, sds, 1.0)
        y_scale = float(np.sqrt(products[-1, -1]))
        gram = products[:-1, :-1] / x_scale / x_scale[:, None]
        target = np.where(varies, products[:-1, -1] / x_scale / y_scale, 0.0)
        gram[~varies] = gram[:, ~varies] = 0.0
        return gram, target, Scale(mean[:-1], x_scale, float(mean[-1]), y_scale, self.total)


def _side_by_side(
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    left_out: Sequence[IntArray],
    settings: Settings,
    finish: Finish | None,
) -> list[Path]:
    table, origin = _near_zero(X, y, weights, settings)
    turned = np.ascontiguousarray(table.T)
    fits = [_Descent(turned, weights, rows, settings, finish) for rows in left_out]
    for m in range(settings.nlambda if settings.lambda_ is None else len(settings.lambda_)):
        now = [fit for fit in fits if fit.going]
        for fit in now:
            fit.start(m)
        while now := [fit for fit in now if fit.going and not fit.bounded(m)]:
            residuals = np.column_stack([fit.on_rows(len(table)) for fit in now])
            gradients = turned[:-1] @ residuals
            now = [
                fit for fit, found in zip(now, gradients.T, strict=True) if fit.screened(m, found)
            ]
    return [fit.path().moved(origin) for fit in fits]


class _Descent:
    """One fit on its way down the path: its own standardised columns, and where it is."""

    def __init__(
        self,
        turned: FloatArray,
        weights: FloatArray,
        rows: IntArray,
        settings: Settings,
        finish: Finish | None,
    ) -> None:
        from pycvstat.learners.linear.glmnet_descent import State, standardised

        self.finish = finish
        self.rows = np.delete(np.arange(len(weights)), rows)
        self.settings = settings = settings.of(len(self.rows))
        self.ends = ends_of(settings)
        total = float(weights[self.rows].sum())
        self.root = np.sqrt(weights[self.rows] / total)
        columns, centre, scale, square, varies = standardised(
            turned, self.rows, self.root, settings.intercept, settings.standardize
        )
        require_varying(varies)
        length = float(np.linalg.norm(columns[-1]))
        self.columns, y = columns[:-1], columns[-1] / length
        self.scale = Scale(
            centre[:-1], scale[:-1], float(centre[-1]), length * float(scale[-1]), total
        )
        p = len(self.columns)
        most = min(settings.pmax, p)
        self.state = State(
            np.zeros(p), y, square[:-1], np.zeros(p, bool), np.zeros(p, bool),
            np.empty(most, np.int64), np.empty((most, most)), np.zeros(4, np.int64),
        )  # fmt: skip
        self.free, self.lengths = varies[:-1].copy(), np.sqrt(square[:-1])
        self.seen, at_zero = y.copy(), self.columns @ y
        self.gradient, self.response = np.abs(at_zero), self.seen
        self.share, self.fitted, self.going = 0.0, 0, True
        self.begun = False
        if settings.some_free and settings.alpha > 0.0:  # in ridge glmnet looks at the null model
            self.lambdas = np.array([FIRST])
            self.start(0)
            at_zero, self.begun = self.columns @ self.state.r, True
        self.lambdas = settings.penalties(at_zero, self.scale.y_scale)
        self.slopes = np.zeros((len(self.lambdas), p))
        self.explained = np.zeros(len(self.lambdas))

    def _reach(self, m: int) -> FloatArray:
        """Gradients above these make predictors strong for penalty m."""
        s, lam = self.settings, self.lambdas
        return np.asarray(s.alpha * (2.0 * lam[m] - s.before(lam, m)) * s.penalty_factor)

    def start(self, m: int) -> None:
        """Solve penalty m among the predictors that were strong or now are."""
        if m == 0 and self.begun:
            return
        self._take_in(self.free & (self.gradient > self._reach(m)))
        self._solve(m, bool(self.state.counts[3]))

    def _take_in(self, found: BoolArray) -> None:
        self.state.strong[found] = True
        self.free[found] = False

    def _solve(self, m: int, active: bool) -> None:
        from pycvstat.learners.linear.glmnet_descent import solve_strong

        gained, self.end = solve_strong(
            self.columns, self.state, self.settings.penalty_factor,
            *self.settings.both(float(self.lambdas[m])), len(self.state.entered), self.ends, active,
        )  # fmt: skip
        self.share += gained
        self.going = self.end == FINISHED

    def bounded(self, m: int) -> bool:
        """Whether no gradient can have grown so much that it matters, here or for the next."""
        s, following = self.settings, m + 1 < len(self.lambdas)
        limit = s.alpha * self.lambdas[m] * s.penalty_factor
        limit = np.minimum(limit, self._reach(m + 1)) if following else limit
        drift = float(np.linalg.norm(self.state.r - self.seen))
        if ((self.gradient + drift * self.lengths > limit) & self.free).any():
            return False
        self._settled(m)
        return True

    def on_rows(self, n: int) -> FloatArray:
        """Residuals times the roots of the weights, zero in the rows left out."""
        out = np.zeros(n)
        out[self.rows] = self.state.r * self.root
        return out

    def screened(self, m: int, products: FloatArray) -> bool:
        """Take in predictors that the rule left out wrongly; whether there were any."""
        s, total = self.settings, float(self.root @ self.state.r)
        self.gradient = np.abs(products - self.scale.x_mean * total) / self.scale.x_scale
        self.seen = self.state.r.copy()
        wrong = self.free & (self.gradient > s.alpha * self.lambdas[m] * s.penalty_factor)
        if wrong.any():
            self._take_in(wrong)
            self._solve(m, False)
            return self.going
        self._settled(m)
        return False

    def _settled(self, m: int) -> None:
        from pycvstat.learners.linear.glmnet_descent import ended

        self.slopes[m], self.explained[m], self.fitted = self.state.b, self.share, m + 1
        self.going = not ended(self.state.b, self.explained, m, self.ends)

    def path(self) -> Path:
        if self.end == NOT_CONVERGED and self.finish is not None:
            self.slopes[self.fitted] = self.state.b
            both = self.settings.both(self.lambdas)
            self.finish(self.columns, self.response, both, self.slopes, self.fitted)
            self.fitted, self.end = len(self.lambdas), FINISHED
        some = slice(self.fitted)
        return self.scale.path(
            self.slopes[some], self.explained[some], self.lambdas[some],
            int(self.state.counts[2]), self.end, self.settings,
        )  # fmt: skip
