"""Paths of glmnet: what may be asked of one, its penalties, and what lies between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pycvstat.types import FloatArray, IntArray

FIRST = 9.9e35
"""glmnet fits the first penalty of its own path as if it were infinite."""

FINISHED, NOT_CONVERGED, TOO_MANY = 0, 1, 2
"""How a path ends: whole, after `maxit` sweeps, or where too many predictors want to enter."""

EVERYTHING = np.empty(0, dtype=np.int64)
"""No row left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """What glmnet may be told about a path, by its names.

    Parameters
    ----------
    penalty_factor : (p,) float64
        Sums to p.
    lambda_ : (L,) float64 or None
        From the largest down, instead of a path of its own.
    alpha : float
    nlambda : int
    lambda_min_ratio : float or None
        None: 0.01 where a fit has fewer rows than predictors, else 0.0001.
    standardize, intercept : bool
    thresh : float
    maxit, dfmax, pmax : int
    grouped : bool
        Whether the slopes of a predictor for several classes have one penalty.
    fdev, devmax, mnlam
        As in ``glmnet.control``: least relative gain and largest share of explained deviance,
        least number of penalties.
    """

    penalty_factor: FloatArray
    lambda_: FloatArray | None
    alpha: float
    nlambda: int
    lambda_min_ratio: float | None
    standardize: bool
    intercept: bool
    thresh: float
    maxit: int
    dfmax: int
    pmax: int
    grouped: bool = False
    fdev: float = 1e-5
    devmax: float = 0.999
    mnlam: int = 5

    def of(self, n: int) -> Settings:
        """The same for a fit of n rows: its own ratio, where none is given."""
        ratio = 0.01 if n < len(self.penalty_factor) else 1e-4
        return self if self.lambda_min_ratio else replace(self, lambda_min_ratio=ratio)

    def penalties(self, gradient: FloatArray, y_scale: float) -> FloatArray:
        """Penalties (L,) on the scale of the descent.

        The gradient (p,) is that of a fit of the predictors without a penalty alone.
        """
        if self.lambda_ is not None:
            return self.lambda_ / y_scale
        penalised = self.penalty_factor > 0.0
        pulls = np.abs(gradient[penalised]) / self.penalty_factor[penalised]
        largest = pulls.max(initial=0.0) / max(self.alpha, 1e-3)
        path = largest * self.step ** np.arange(self.nlambda)
        path[0] = FIRST
        return np.asarray(path)

    def both(self, lam: Any) -> tuple[Any, Any]:
        """The two penalties, of absolute values and of halved squares."""
        return self.alpha * lam, (1.0 - self.alpha) * lam

    @property
    def some_free(self) -> bool:
        """Whether a path of its own starts with predictors that have no penalty."""
        return self.lambda_ is None and bool((self.penalty_factor == 0.0).any())

    @property
    def step(self) -> float:
        """Each penalty over the one before it."""
        assert self.lambda_min_ratio is not None
        return float(self.lambda_min_ratio ** (1.0 / max(self.nlambda - 1, 1)))

    def before(self, path: FloatArray, m: int) -> float:
        """The penalty before number m, by which predictors are screened."""
        if m == 0:
            return 0.0
        return float(path[1] / self.step if m == 1 and self.lambda_ is None else path[m - 1])

    def reported(self, path: FloatArray) -> FloatArray:
        """Penalties as glmnet tells them: the first of its own path continues the others."""
        if self.lambda_ is not None:
            return self.lambda_[: len(path)]
        if len(path) > 2:
            path[0] = np.exp(2.0 * np.log(path[1]) - np.log(path[2]))
        return path


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Coefficients along a path of penalties.

    Parameters
    ----------
    lambda_ : (L,) float64
    a0 : (L,) float64
        Of several classes (L, K).
    beta : (L, p) float64
        Of several classes (L, K, p).
    dev_ratio : (L,) float64
    nulldev : float
    npasses : int
    end : int
        `FINISHED`, `NOT_CONVERGED` or `TOO_MANY`.
    """

    lambda_: FloatArray
    a0: FloatArray
    beta: FloatArray
    dev_ratio: FloatArray
    nulldev: float
    npasses: int
    end: int

    def moved(self, origin: FloatArray) -> Path:
        """The same path for predictors and a response (p + 1,) that are so much larger."""
        return replace(self, a0=self.a0 + origin[-1] - self.beta @ origin[:-1])

    def at(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Intercepts (S,) and slopes (S, p) at penalties `s`, by linear interpolation.

        Beyond the ends of the path the first or last coefficients.
        """
        right, share = between(self.lambda_, s)
        left = np.maximum(right - 1, 0)
        share = share.reshape(-1, *[1] * (self.a0.ndim - 1))
        a0 = share * self.a0[left] + (1.0 - share) * self.a0[right]
        share = share[..., None]
        beta = share * self.beta[left] + (1.0 - share) * self.beta[right]
        return a0, beta


def between(path: FloatArray, s: FloatArray) -> tuple[IntArray, FloatArray]:
    """The place on a falling path at or below each `s`, and the share of the place before it.

    Both are measured from the largest penalty in units of the path's length, whose rounding
    reaches the seventh digit on a path from 1e10 to 0.01: so it does in glmnet.

    Examples
    --------
    >>> between(np.array([4.0, 2.0, 1.0]), np.array([5.0, 3.5, 2.0, 0.1]))
    (array([0, 1, 1, 2]), array([0.  , 0.75, 0.  , 0.  ]))
    """
    length = path[0] - path[-1] if path[0] > path[-1] else 1.0
    along, at = (path[0] - path) / length, (path[0] - np.clip(s, path[-1], path[0])) / length
    right = np.searchsorted(along, at, side="left")
    left = np.maximum(right - 1, 0)
    gap = along[right] - along[left]
    share = np.divide(along[right] - at, gap, out=np.zeros_like(at), where=gap > 0.0)
    return right, share


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """What the columns of the descent were divided by, and their means.

    Parameters
    ----------
    x_mean, x_scale : (p,) float64
    y_mean, y_scale : float
    total : float
        Sum of the weights.
    """

    x_mean: FloatArray
    x_scale: FloatArray
    y_mean: float
    y_scale: float
    total: float

    def columns(self, table: FloatArray, weights: FloatArray) -> FloatArray:
        """Predictors and response (n, p + 1) as columns of the descent (p + 1, n)."""
        means = np.append(self.x_mean, self.y_mean)
        scaled = (table - means) / np.append(self.x_scale, self.y_scale)
        scaled[:, np.ptp(table, axis=0) == 0.0] = 0.0
        return np.ascontiguousarray((scaled * np.sqrt(weights / self.total)[:, None]).T)

    def path(
        self,
        slopes: FloatArray,
        explained: FloatArray,
        lambdas: FloatArray,
        sweeps: int,
        end: int,
        settings: Settings,
    ) -> Path:
        """What was fitted (L penalties), in the units of the data."""
        beta = slopes * (self.y_scale / self.x_scale)
        return Path(
            settings.reported(lambdas * self.y_scale),
            self.y_mean - beta @ self.x_mean,
            beta,
            explained,
            self.total * self.y_scale**2,
            sweeps,
            end,
        )
