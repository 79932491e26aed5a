"""What a fit to a design gives: predictions, coefficients, and the tables of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data.formula import Term
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_level
from pycvstat.learners.linear.least_squares import LeastSquares
from pycvstat.learners.missing import spread
from pycvstat.losses.predictions import Predictions
from pycvstat.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Training rows as the arithmetic of a learner sees them.

    Parameters
    ----------
    X : (n, p) float64
    y : (n,) float64
        Numbers, or class codes 0, 1, ...
    columns : tuple of str
    levels : tuple of str
        The classes; empty for a continuous response.
    weights, offset : (n,) float64, optional
    intercept : bool
        Whether the first column of X is the constant.
    response : str
        Its name.
    assign : (p,) int64
        The term of each column, counted from 1; 0 is the intercept.
    terms : tuple of Term
    """

    X: FloatArray
    y: FloatArray
    columns: tuple[str, ...]
    levels: tuple[str, ...] = ()
    weights: FloatArray | None = None
    offset: FloatArray | None = None
    intercept: bool = True
    response: str = "y"
    assign: IntArray | None = None
    terms: tuple[Term, ...] = ()

    @property
    def prior(self) -> FloatArray:
        """The weights; 1 where there are none."""
        return np.ones(len(self.y)) if self.weights is None else self.weights

    def named(self, which: BoolArray) -> tuple[str, ...]:
        """The names of some columns."""
        return tuple(np.array(self.columns, dtype=object)[which])


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Predictions of one fit for m rows: values (m,), and class probabilities (m, L)."""

    values: FloatArray
    prob: FloatArray | None = None


def stacked(outcomes: Sequence[Outcome], detail: Any = None) -> Predictions:
    """The predictions of several candidates of one fit."""
    probs = [outcome.prob for outcome in outcomes if outcome.prob is not None]
    return Predictions(
        np.array([outcome.values for outcome in outcomes]),
        np.array(probs) if len(probs) == len(outcomes) else None,
        detail,
    )


@dataclass(frozen=True, slots=True)
class FitReport:
    """What there is to say about one fit.

    Parameters
    ----------
    aliased : tuple of str
        Columns without a coefficient because earlier columns span them (R's NA).
    converged : bool
    iterations : int
        0 for a direct method.
    notes : tuple of str
        What R would warn about.
    """

    aliased: tuple[str, ...] = ()
    converged: bool = True
    iterations: int = 0
    notes: tuple[str, ...] = ()


Terms = tuple[int, ...]
"""Positions of terms in the formula, in the order in which the model has them."""


@dataclass(frozen=True, slots=True)
class Step:
    """A model on the way.

    Parameters
    ----------
    change : str
        What was added or taken away, "+ x" or "- x"; empty for the first.
    terms : tuple of int
    deviance : float
        For least squares the residual sum of squares.
    df_residual : int
    criterion : float
    """

    change: str
    terms: Terms
    deviance: float
    df_residual: int
    criterion: float


@dataclass(frozen=True, slots=True)
class Selected(FitReport):
    """What there is to say about a fit to selected terms.

    Parameters
    ----------
    steps : tuple of Step
    selected : tuple of str
        The labels of the terms of the last model.
    """

    steps: tuple[Step, ...] = ()
    selected: tuple[str, ...] = ()


CERTAIN = 10 * float(np.finfo(np.float64).eps)
"""R's distance from 0 and 1 of a probability that is numerically 0 or 1."""

SEPARATED = (
    "fitted probabilities are numerically 0 or 1: the predictors separate the classes, "
    "so the coefficients have no finite maximum likelihood estimate."
)


@dataclass(frozen=True, slots=True)
class Likelihood:
    """What criteria such as AIC and BIC are made of, as R's ``extractAIC`` has them.

    Parameters
    ----------
    deviance : float
    rank : int
        Coefficients estimated.
    n : int
        Rows, those of weight 0 included.
    used : int
        Rows with a positive weight.
    at_rank_0 : float
        The criterion without the price of coefficients.
    dispersion : float or None
        At which deviances are compared; None where it is eliminated, as for normal errors.
    """

    deviance: float
    rank: int
    n: int
    used: int
    at_rank_0: float
    dispersion: float | None

    @property
    def df_residual(self) -> int:
        """Degrees of freedom that are left."""
        return self.used - self.rank

    def criterion(self, k: float) -> float:
        """The criterion at a price of k for each coefficient."""
        return self.at_rank_0 + k * (self.n - self.df_residual)

    def beside(self, other: Likelihood, k: float) -> float:
        """The criterion of another model, but for a constant, at the dispersion of this one."""
        if self.dispersion is None:
            with np.errstate(divide="ignore"):
                fit = self.n * float(np.log(other.deviance / self.n))
        else:
            fit = other.deviance / self.dispersion
        return fit + k * other.rank


class Solution:
    """What fitting gives; subclasses say how to predict and what their coefficients are."""

    report: FitReport = FitReport()

    def of(self, sample: Sample) -> Sample:
        """The part of a sample that is fitted."""
        return sample

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """Predict the rows of a design (m, p)."""
        raise NotImplementedError

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """The coefficients with what is known about their accuracy."""
        raise NotImplementedError

    def likelihood(self, sample: Sample) -> Likelihood:
        """What criteria of selection are made of, where the learner `has_likelihood`."""
        raise NotImplementedError

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """The results object of statsmodels at these coefficients."""
        problem = "statsmodels has no results for this learner."
        fix = "use tidy() and predict()"
        raise InputError(problem, given=type(self).__name__.removesuffix("Solution"), fix=fix)


@dataclass(frozen=True, eq=False)
class LinearSolution(Solution):
    """Coefficients of a linear predictor."""

    fitted: LeastSquares
    report: FitReport

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """The linear predictor, aliased columns left out."""
        values = self.fitted.predict(X)
        return Outcome(values if offset is None else values + offset)

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """Estimates only."""
        return plain_table(sample.columns, self.fitted.coefficients, level)


def unit_errors(X: FloatArray, kept: BoolArray) -> FloatArray:
    """Standard errors (p,) of least squares on some columns of X (n, p) for a variance of 1.

    They are the roots of the diagonal of the inverse of X'X; NaN for the columns left out.
    """
    inverse, exponents = _inverse_of_root(X[:, kept])
    errors = np.full(len(kept), np.nan)
    errors[kept] = np.ldexp(np.sqrt((inverse**2).sum(axis=1)), -exponents)
    return errors


def inverse_of_cross_product(X: FloatArray) -> FloatArray:
    """The inverse of X'X, (p, p), for X (n, p) of full column rank.

    Examples
    --------
    >>> inverse_of_cross_product(np.array([[1.0, 0.0], [1.0, 2.0]])).round(6)
    array([[ 1. , -0.5],
           [-0.5,  0.5]])
    """
    inverse, exponents = _inverse_of_root(X)
    inverse = np.ldexp(inverse, -exponents[:, None])
    found: FloatArray = inverse @ inverse.T
    return found


def _inverse_of_root(X: FloatArray) -> tuple[FloatArray, NDArray[np.int32]]:
    """The inverse of R in X = QR, in units of X's columns that are powers of 2, and these."""
    if not X.shape[1]:
        return np.empty((0, 0)), np.empty(0, dtype=np.int32)
    from scipy.linalg import solve_triangular

    _, exponents = np.frexp(np.abs(X).max(axis=0))  # powers of 2 change no digit, only the range
    R = np.linalg.qr(np.ldexp(X, -exponents), mode="r")
    return solve_triangular(R, np.eye(len(R)), check_finite=False), exponents


def coefficient_table(
    terms: Sequence[str],
    estimate: FloatArray,
    std_error: FloatArray,
    df: float | None,
    level: float,
) -> pd.DataFrame:
    """One row per coefficient.

    Parameters
    ----------
    terms : sequence of str
    estimate, std_error : (p,) float64
        NaN where a coefficient is not estimated.
    df : float or None
        Degrees of freedom of Student's t; None for the normal distribution; NaN for no test.
    level : float
        Confidence level of the intervals.

    Returns
    -------
    pandas.DataFrame
        Columns term, estimate, std_error, statistic, p_value, conf_low, conf_high.

    Examples
    --------
    >>> table = coefficient_table(["x"], np.array([2.0]), np.array([1.0]), None, 0.95)
    >>> table.round(4).values.tolist()
    [['x', 2.0, 1.0, 2.0, 0.0455, 0.04, 3.96]]
    """
    from scipy import special  # scipy.stats takes long to load

    upper = 0.5 + check_level(level) / 2
    with np.errstate(all="ignore"):
        statistic = estimate / std_error
    beyond = -np.abs(statistic)
    if df is None:
        tail, reach = special.ndtr(beyond), special.ndtri(upper) * std_error
    else:
        free = df if df > 0 else np.nan
        tail, reach = special.stdtr(free, beyond), special.stdtrit(free, upper) * std_error
    return pd.DataFrame(
        {
            "term": list(terms),
            "estimate": estimate,
            "std_error": std_error,
            "statistic": statistic,
            "p_value": 2 * tail,
            "conf_low": estimate - reach,
            "conf_high": estimate + reach,
        }
    )


def plain_table(terms: Sequence[str], estimate: FloatArray, level: float) -> pd.DataFrame:
    """A coefficient table of a learner that gives estimates only."""
    unknown = np.full(len(estimate), np.nan)
    return coefficient_table(terms, estimate, unknown, float("nan"), level)


def results_table(
    results: Any, columns: tuple[str, ...], kept: BoolArray, classes: list[str], level: float
) -> pd.DataFrame:
    """One row per coefficient; columns that were left out are NaN.

    Parameters
    ----------
    results : object
        Results of statsmodels.
    columns : tuple of str
        Of the design.
    kept : (p,) bool
        Those with a coefficient.
    classes : list of str
        The classes seen in training, the reference first, where coefficients have several columns.
    level : float
    """
    p = int(kept.sum())
    params = np.asarray(results.params, dtype=np.float64)
    errors = np.asarray(getattr(results, "bse", np.full(params.shape, np.nan)), dtype=np.float64)
    if params.ndim == 2:  # classes in columns
        terms = [f"{name}:{column}" for name in classes[1:] for column in columns]
        params, errors = (spread(part, kept, np.nan).T.ravel() for part in (params, errors))
    else:
        labelled = hasattr(results.params, "index")
        names = results.params.index if labelled else results.model.exog_names
        terms = [*columns, *(str(name) for name in names[p:])]
        params, errors = (
            np.concatenate([spread(part[:p], kept, np.nan), part[p:]]) for part in (params, errors)
        )
    return coefficient_table(terms, params, errors, degrees_of_freedom(results), level)


def degrees_of_freedom(results: Any) -> float | None:
    """Of Student's t; None where statsmodels uses the normal distribution."""
    if not getattr(results, "use_t", False):
        return None
    return float(getattr(results, "df_resid_inference", None) or results.df_resid)
