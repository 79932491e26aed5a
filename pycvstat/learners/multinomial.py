"""Multinomial logistic regression, as R's nnet::multinom carried to convergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pycvstat.errors import FitError
from pycvstat.errors.checks import check_control
from pycvstat.learners.design import DesignLearner
from pycvstat.learners.in_r import LearnerInR
from pycvstat.learners.linear.least_squares import aliased_columns
from pycvstat.learners.solution import FitReport, Outcome, Sample, Solution, coefficient_table
from pycvstat.rmath.tolerances import NUMERICAL
from pycvstat.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd

    from pycvstat.data.task import Task


CERTAIN = 10 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class MultinomialFit:
    """Maximum likelihood of a multinomial logit.

    Parameters
    ----------
    coefficients : (L - 1, p) float64
        Log odds against the first class.
    std_errors : (L - 1, p) float64
    converged : bool
    separated : bool
        Whether a fitted probability is numerically 0 or 1.
    iterations : int
    """

    coefficients: FloatArray
    std_errors: FloatArray
    converged: bool
    separated: bool
    iterations: int


def fit_multinomial(
    X: FloatArray,
    codes: IntArray,
    weights: FloatArray | None = None,
    tol: float = 1e-12,
    maxiter: int = 100,
) -> MultinomialFit:
    """Fit a multinomial logit by Newton's method with halved steps.

    Parameters
    ----------
    X : (n, p) float64
        Of full column rank.
    codes : (n,) int64
        0, ..., L - 1, each of them occurring; 0 is the reference.
    weights : (n,) float64, optional
    tol : float
        Relative change of the likelihood at which the iterations end.
    maxiter : int

    Examples
    --------
    >>> fit_multinomial(np.ones((6, 1)), np.array([0, 1, 1, 2, 2, 2])).coefficients.round(6)
    array([[0.693147],
           [1.098612]])
    """
    Q, R = np.linalg.qr(X)
    w = np.ones(len(Q)) if weights is None else weights
    truth = np.eye(int(codes.max()) + 1)[codes]
    b = np.zeros((truth.shape[1] - 1, Q.shape[1]))
    prob, loss = _likelihood(Q, b, truth, w)
    converged, iterations = False, 0
    while not converged and iterations < maxiter:
        iterations += 1
        following, prob, new_loss = _newton(Q, b, prob, truth, w, loss)
        converged = abs(loss - new_loss) <= tol * (0.1 + abs(new_loss))
        b, loss = following, new_loss
    separated = bool(((prob < CERTAIN) | (prob > 1 - CERTAIN)).any())
    inverse = np.linalg.inv(R)
    covariance = np.asarray(np.linalg.pinv(information(Q, prob, w)), dtype=np.float64)
    errors = _std_errors(covariance, inverse, b.shape)
    return MultinomialFit(b @ inverse.T, errors, converged, separated, iterations)


def probabilities(X: FloatArray, coefficients: FloatArray) -> FloatArray:
    """Class probabilities (m, L) of the rows of X; the first class is the reference."""
    eta = np.column_stack([np.zeros(len(X)), X @ coefficients.T])
    odds = np.exp(eta - eta.max(axis=1, keepdims=True))
    made: FloatArray = odds / odds.sum(axis=1, keepdims=True)
    return made


def _likelihood(
    Q: FloatArray, b: FloatArray, truth: FloatArray, w: FloatArray
) -> tuple[FloatArray, float]:
    """Probabilities and the negative log likelihood."""
    prob = probabilities(Q, b)
    with np.errstate(divide="ignore"):
        return prob, -float(w @ np.log((prob * truth).sum(axis=1)))


def information(Q: FloatArray, prob: FloatArray, w: FloatArray) -> FloatArray:
    """Minus the Hessian, classes outermost: ((L - 1) p, (L - 1) p)."""
    classes, p = prob.shape[1] - 1, Q.shape[1]
    information = np.empty((classes, p, classes, p))
    for j in range(classes):
        for k in range(j, classes):
            own = prob[:, j + 1] * ((j == k) - prob[:, k + 1]) * w
            block = (Q * own[:, None]).T @ Q
            information[j, :, k], information[k, :, j] = block, block.T
    return information.reshape(classes * p, classes * p)


def _newton(
    Q: FloatArray, b: FloatArray, prob: FloatArray, truth: FloatArray, w: FloatArray, loss: float
) -> tuple[FloatArray, FloatArray, float]:
    """One step, halved until the likelihood does not fall."""
    gradient = ((truth - prob)[:, 1:] * w[:, None]).T @ Q
    step = np.linalg.lstsq(information(Q, prob, w), gradient.ravel(), rcond=None)[0]
    step = step.reshape(b.shape)
    for _ in range(40):
        prob, new_loss = _likelihood(Q, b + step, truth, w)
        if new_loss <= loss * (1 + 1e-14):
            return b + step, prob, new_loss
        step = step / 2
    prob, loss = _likelihood(Q, b, truth, w)
    return b, prob, loss


def _std_errors(covariance: FloatArray, inverse: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Standard errors in the units of X from the covariance in the units of Q."""
    classes, p = shape
    blocks = covariance.reshape(classes, p, classes, p)
    variances = [((inverse @ blocks[k, :, k]) * inverse).sum(axis=1) for k in range(classes)]
    errors: FloatArray = np.sqrt(np.maximum(np.array(variances), 0.0))
    return errors


@dataclass(frozen=True, eq=False)
class MultinomialSolution(Solution):
    """Log odds of the classes that the training rows hold."""

    fit: MultinomialFit | None
    kept: BoolArray
    seen: IntArray
    levels: int
    report: FitReport

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """The likeliest class, and the probabilities of all; unseen classes get 0."""
        prob = np.zeros((len(X), self.levels))
        if self.fit is None:
            prob[:, self.seen] = 1.0
        else:
            prob[:, self.seen] = probabilities(X[:, self.kept], self.fit.coefficients)
        return Outcome(prob.argmax(axis=1).astype(np.float64), prob)

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """Of ``sm.MNLogit``."""
        if self.fit is None:
            raise FitError("the training rows hold a single class.", fix="give rows of two or more")
        from pycvstat.learners.statsmodels.results import multinomial

        return multinomial(sample, self.kept, self.fit.coefficients, self.fit.converged)

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """Terms are named "class:column"; normal tests from the observed information."""
        classes = [sample.levels[code] for code in self.seen[1:]]
        estimate = np.full((len(classes), len(self.kept)), np.nan)
        error = estimate.copy()
        if self.fit is not None:
            estimate[:, self.kept] = self.fit.coefficients
            error[:, self.kept] = self.fit.std_errors
        terms = [f"{name}:{column}" for name in classes for column in sample.columns]
        return coefficient_table(terms, estimate.ravel(), error.ravel(), None, level)


@dataclass(frozen=True, repr=False)
class MNLogit(DesignLearner):
    """Multinomial logistic regression for two or more classes.

    The first level is the reference. A class that the training rows lack gets probability 0. The
    order of an ordered response is not used. The results are those of statsmodels' MNLogit; the
    steps are Newton's, halved where the likelihood would fall, in an orthonormal basis, because
    that of statsmodels takes no weights and stops at singular matrices where classes separate.

    Parameters
    ----------
    tol : float
        Relative change of the likelihood at which the iterations end.
    maxiter : int
        Their largest number.

    Examples
    --------
    >>> data = {"x": [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], "y": list("aabbccabacbc")}
    >>> MNLogit().fit("factor(y) ~ x", data).predict({"x": [0, 5]}).tolist()
    ['a', 'c']

    As in R: ``nnet::multinom(formula, data)``, whose iterations end earlier (agreement to about
    four digits; with ``reltol = 1e-15, maxit = 1000`` to seven).
    """

    word: ClassVar[str] = "mnlogit"
    title: ClassVar[str] = "multinomial logistic regression"

    tol: float = 1e-12
    maxiter: int = 100

    uses_weights: ClassVar[bool] = True
    kinds: ClassVar[tuple[str, ...]] = ("nominal", "ordinal")

    def __post_init__(self) -> None:
        check_control(self.tol, self.maxiter)

    def in_r(self, task: Task) -> LearnerInR:
        """The R code that fits it."""
        return LearnerInR(
            "pcv_learners$multinom", "nnet::multinom", packages=("nnet",), tolerance=NUMERICAL
        )

    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""
        used = np.ones(len(sample.y), dtype=bool) if sample.weights is None else sample.weights > 0
        if not used.any():
            raise FitError("No training row has a positive weight.")
        X, weights = sample.X[used], None if sample.weights is None else sample.weights[used]
        seen, codes = np.unique(sample.y[used].astype(np.int64), return_inverse=True)
        aliased = aliased_columns(X if weights is None else X * np.sqrt(weights)[:, None])
        names = sample.named(aliased)
        if len(seen) == 1:
            report = FitReport(names, notes=("the training rows hold a single class.",))
            return MultinomialSolution(None, ~aliased, seen, len(sample.levels), report)
        fit = fit_multinomial(X[:, ~aliased], codes, weights, self.tol, self.maxiter)
        report = FitReport(names, fit.converged, fit.iterations, _notes(fit))
        return MultinomialSolution(fit, ~aliased, seen, len(sample.levels), report)


def _notes(fit: MultinomialFit) -> tuple[str, ...]:
    said = []
    if fit.separated:
        said.append(
            "fitted probabilities are numerically 0 or 1: the predictors separate the classes, "
            "so the coefficients have no finite maximum likelihood estimate."
        )
    if not fit.converged and not fit.separated:
        said.append(f"MNLogit did not converge in {fit.iterations} steps.")
    return tuple(said)
