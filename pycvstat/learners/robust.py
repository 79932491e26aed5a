"""Robust regression by M-estimation, as R's MASS::rlm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import InputError, RError
from pycvstat.errors.checks import check_control, check_word, is_number
from pycvstat.learners.design import DesignLearner
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.linear.least_squares import LeastSquares, fit_least_squares
from pycvstat.learners.solution import (
    FitReport,
    LinearSolution,
    Sample,
    Solution,
    coefficient_table,
    unit_errors,
)
from pycvstat.types import FloatArray

MAD_CONSTANT = 0.6745  # as in MASS; the normal quartile to four digits


NORMS: dict[str, tuple[str, tuple[float, ...]]] = {
    "huber": ("HuberT", (1.345,)),
    "bisquare": ("TukeyBiweight", (4.685,)),
    "hampel": ("Hampel", (2.0, 4.0, 8.0)),
    "andrew": ("AndrewWave", (1.339,)),
    "ramsay": ("RamsayE", (0.3,)),
    "trimmed": ("TrimmedMean", (2.0,)),
}
"""Name -> the norm of statsmodels, and the default tuning constants."""
IN_R = ("huber", "bisquare", "hampel")


def norm_of(name: str, tuning: tuple[float, ...]) -> Any:
    """A norm of statsmodels: how residuals lose weight with their size.

    Examples
    --------
    >>> norm_of("huber", (1.0,)).weights(np.array([0.5, -4.0]))
    array([1.  , 0.25])
    """
    from statsmodels.robust import norms

    return getattr(norms, NORMS[name][0])(*tuning)


@dataclass(frozen=True, slots=True, eq=False)
class MFit:
    """An M-estimate.

    Parameters
    ----------
    fitted : LeastSquares
    scale : float
    converged : bool
    iterations : int
    """

    fitted: LeastSquares
    scale: float
    converged: bool
    iterations: int


def fit_m(X: FloatArray, y: FloatArray, norm: Any, tol: float = 1e-4, maxiter: int = 20) -> MFit:
    """M-estimation by reweighted least squares from the least squares fit.

    The scale is the median absolute residual over 0.6745, anew in every step; the iterations end
    when the residuals change by less than `tol`, relative in Euclidean length: as ``MASS::rlm``.

    Examples
    --------
    >>> X = np.column_stack([np.ones(6), np.arange(6.0)])
    >>> norm = norm_of("bisquare", (4.685,))
    >>> fit = fit_m(X, np.array([0.1, 0.9, 2.1, 40.0, 3.9, 5.1]), norm, maxiter=50)
    >>> fit.fitted.coefficients.round(2)
    array([0.03, 1.  ])
    """
    fitted = fit_least_squares(X, y)
    residuals = y - fitted.predict(X)
    for iterations in range(1, maxiter + 1):
        scale = float(np.median(np.abs(residuals))) / MAD_CONSTANT
        if scale == 0.0:
            return MFit(fitted, scale, True, iterations)
        weights = norm.weights(residuals / scale)
        fitted = fit_least_squares(X, y, weights)
        previous, residuals = residuals, y - fitted.predict(X)
        change = ((previous - residuals) ** 2).sum() / max(1e-20, (previous**2).sum())
        converged = bool(np.sqrt(change) <= tol)
        if converged:
            break
    return MFit(fitted, scale, converged, iterations)


@dataclass(frozen=True, eq=False, kw_only=True)
class RobustSolution(LinearSolution):
    """Coefficients of an M-estimate."""

    scale: float
    norm: Any

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """Of ``sm.RLM``."""
        from pycvstat.learners.statsmodels.results import robust

        found = self.fitted.coefficients
        return robust(sample, found, self.norm, self.scale, self.report.iterations)

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """Huber's asymptotic standard errors, with normal intervals, as ``summary.rlm``."""
        fitted, scale = self.fitted, self.scale
        root = np.sqrt(sample.prior)
        residuals = (sample.y - fitted.predict(sample.X)) * root
        n, p = len(residuals), fitted.rank
        error = np.full(len(fitted.aliased), np.nan)
        if scale > 0 and n > p:
            u = residuals / scale
            weights, slope = self.norm.weights(u), self.norm.psi_deriv(u)
            spread = ((residuals * weights) ** 2).sum() / (n - p)
            mean = slope.mean()
            kappa = 1 + p * slope.var(ddof=1) / (n * mean**2)
            unit = unit_errors(sample.X * root[:, None], ~fitted.aliased)
            error = np.sqrt(spread) * kappa / mean * unit
        return coefficient_table(sample.columns, fitted.coefficients, error, None, level)


@dataclass(frozen=True, repr=False)
class RLM(DesignLearner):
    """Robust linear regression by M-estimation.

    Parameters
    ----------
    norm : {"huber", "bisquare", "hampel", "andrew", "ramsay", "trimmed"}
        How large residuals lose weight.
    tuning : float or tuple of float, optional
        Its constants, in units of the scale: 1.345 (huber), 4.685 (bisquare), (2, 4, 8)
        (hampel), 1.339 (andrew), 0.3 (ramsay), 2 (trimmed).
    tol : float
        Relative change of the residuals at which the iterations end.
    maxiter : int
        Most steps; a fit that needs more is warned about.

    Notes
    -----
    All settings are those of ``MASS::rlm``: least squares start, scale by the median absolute
    residual over 0.6745, tol 1e-4, 20 steps. With them predictions agree with R's to rounding;
    the M-estimate itself is reached by a smaller `tol` and a larger `maxiter` (in R: acc, maxit).
    Weights of the data are inverse variances; a row of weight 0 counts in the median, as in R.
    Aliased columns are left out as by ``lm``; R's rlm refuses them. The norms are those of
    statsmodels, whose own RLM ends up to 8e-5 from R's, with a scale of another constant and
    another test of convergence.

    Examples
    --------
    >>> data = {"x": [0, 1, 2, 3, 4, 5], "y": [0.1, 0.9, 2.1, 40.0, 3.9, 5.1]}
    >>> RLM("bisquare", maxiter=50).fit("y ~ x", data).predict({"x": [3]}).round(1)
    array([3.])

    As in R: ``MASS::rlm(formula, data)``.
    """

    title: ClassVar[str] = "robust linear regression"
    works: ClassVar[tuple[str, ...]] = ("huber1964",)

    norm: str = "huber"
    tuning: float | tuple[float, ...] | None = None
    tol: float = 1e-4
    maxiter: int = 20

    uses_weights: ClassVar[bool] = True
    refuses_aliased: ClassVar[str] = "MASS::rlm"
    software: ClassVar[tuple[str, ...]] = ("seabold2010",)

    def __post_init__(self) -> None:
        check_word("norm", self.norm, NORMS, "There is no such norm.")
        check_control(self.tol, self.maxiter)
        self.constants()

    def constants(self) -> tuple[float, ...]:
        """The tuning constants of the norm: those given, or its default ones."""
        default = NORMS[self.norm][1]
        if self.tuning is None:
            return default
        given: Any = self.tuning
        constants = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        good = [is_number(c) and 0 < c < np.inf for c in constants]
        if len(good) != len(default) or not all(good):
            problem = f"The norm {self.norm!r} needs {len(default)} constants above 0."
            raise InputError(problem, given=self.tuning, fix=f"its default is {default}")
        return tuple(map(float, constants))

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        if self.norm not in IN_R:
            fix = f"norms that it has: {', '.join(IN_R)}"
            raise RError("MASS::rlm has no such norm.", given=f"norm={self.norm!r}", fix=fix)
        params = {
            "psi": self.norm,
            "constants": list(self.constants()),
            "acc": self.tol,
            "maxit": self.maxiter,
        }
        return LearnerInR("pcv_learners$rlm", "MASS::rlm", params, ("MASS",))

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        norm = norm_of(self.norm, self.constants())
        root = None if sample.weights is None else np.sqrt(sample.weights)
        X = sample.X if root is None else sample.X * root[:, None]
        y = sample.y if root is None else sample.y * root
        fit = fit_m(X, y, norm, self.tol, self.maxiter)
        said = () if fit.converged else (f"RLM did not converge in {self.maxiter} steps.",)
        aliased = sample.named(fit.fitted.aliased)
        report = FitReport(aliased, fit.converged, fit.iterations, said)
        return RobustSolution(fit.fitted, report, scale=fit.scale, norm=norm)
