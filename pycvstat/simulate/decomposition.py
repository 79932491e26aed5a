"""Two decompositions of a risk, by simulation where the truth is known.

Bias-variance: the squared error of a learner over training sets. Estimation / approximation /
Bayes: the risk of the best of a finite class on a training set. They are different things.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.errors import InputError
from pycvstat.learners.base import Learner
from pycvstat.losses.table import parameter_columns
from pycvstat.procedures.grid import as_candidates
from pycvstat.rmath.random import as_stream
from pycvstat.simulate.laws import Law, MonteCarlo, check_asked, predictions_at
from pycvstat.types import FloatArray
from pycvstat.verbs import Shown


@dataclass(frozen=True, eq=False)
class BiasVariance(Shown):
    """Expected squared error = squared bias + variance + noise, by candidate.

    Parameters
    ----------
    bias2, variance : (C,) float64
        Averaged over the law's test points.
    noise : float
    candidates : tuple of dict
    n, replications : int

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat.simulate import bias_variance, sine
    >>> parts = bias_variance(sine(), pcv.KNN(kernel="rectangular"), 40, grid={"k": [1, 20]},
    ...                       replications=20)
    >>> bool(parts.bias2[0] < parts.bias2[1]), bool(parts.variance[0] > parts.variance[1])
    (True, True)
    """

    view: ClassVar[str] = "simulated"

    bias2: FloatArray
    variance: FloatArray
    noise: float
    candidates: tuple[dict[str, Any], ...]
    n: int
    replications: int

    @property
    def risk(self) -> FloatArray:
        """Expected risk at training size n: the sum of the three."""
        return self.bias2 + self.variance + self.noise

    def tidy(self) -> Any:
        """One row per candidate: parameters, bias2, variance, noise, risk."""
        parts = {name: getattr(self, name) for name in ("bias2", "variance", "noise", "risk")}
        return pd.DataFrame(parameter_columns(self.candidates, 1) | parts)

    def glance(self) -> Any:
        """One row: the candidate with the smallest risk, its parts, and the sizes."""
        best = int(np.argmin(self.risk))
        row: dict[str, Any] = {f"best_{k}": v for k, v in self.candidates[best].items()}
        row |= self.tidy().iloc[best][["bias2", "variance", "noise", "risk"]].to_dict()
        row |= {"candidates": len(self.candidates), "n": self.n, "replications": self.replications}
        return pd.DataFrame([row])


def bias_variance(
    law: Law,
    learner: Learner,
    n: int,
    *,
    grid: Any = None,
    replications: int = 200,
    random: int = 1,
) -> BiasVariance:
    """Bias-variance decomposition of the squared error over training sets of size n.

    The variance is unbiased (divisor replications - 1), and the squared bias is corrected for the
    variance of the mean prediction, so both are unbiased for their limits.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat.simulate.laws import sine
    >>> parts = bias_variance(sine(), pcv.KNN(kernel="rectangular"), 60,
    ...                       grid={"k": [1, 30]}, replications=20)
    >>> bool(parts.bias2[0] < parts.bias2[1]), bool(parts.variance[0] > parts.variance[1])
    (True, True)
    """
    check_asked(law, replications, n)
    if law.classes:
        raise InputError(
            "the bias-variance decomposition is one of squared error.",
            given=law.name,
            fix="use a law with a numeric response",
        )
    if replications < 2:
        raise InputError("a variance needs at least two replications.", given=replications)
    stream = as_stream(random)
    total: Any = 0.0
    squares: Any = 0.0
    candidates = ({},) if grid is None else as_candidates(grid, learner)
    for _ in range(replications):
        X, y = law.draw(stream, n)
        errors = predictions_at(law.test_points, learner, X, y, grid) - law.test_means
        total, squares = total + errors, squares + errors**2
    mean = total / replications
    variance = (squares - replications * mean**2) / (replications - 1)
    return BiasVariance(
        (mean**2 - variance / replications).mean(axis=-1),
        variance.mean(axis=-1),
        law.bayes_risk,
        tuple(dict(c) for c in candidates),
        n,
        replications,
    )


@dataclass(frozen=True, slots=True)
class RiskDecomposition:
    """Risk of empirical risk minimisation = estimation + approximation + Bayes error.

    Parameters
    ----------
    estimation : MonteCarlo
        l(h_S) - l(h*): what is lost by choosing on a sample (overfitting).
    approximation : float
        l(h*) - l(f*): what the class cannot reach (underfitting).
    bayes : float
        l(f*): unavoidable.
    bound : float
        The finite-class bound on the estimation error with probability 1 - delta, in the range
        of the loss: ``sqrt(2/m ln(2 |H|/delta))``.

    Examples
    --------
    >>> from pycvstat.simulate import risk_decomposition, two_classes
    >>> steps = [lambda X, t=t: (X[:, 0] > t).astype(float) for t in (-1.0, 0.0, 1.0)]
    >>> parts = risk_decomposition(two_classes(), steps, m=50, replications=20)
    >>> bool(parts.estimation.mean <= parts.bound)
    True
    """

    estimation: MonteCarlo
    approximation: float
    bayes: float
    bound: float

    @property
    def risk(self) -> float:
        """Expected risk of the chosen predictor."""
        return self.estimation.mean + self.approximation + self.bayes


def risk_decomposition(
    law: Law,
    predictors: Sequence[Callable[[FloatArray], FloatArray]],
    m: int,
    *,
    delta: float = 0.05,
    bounds: tuple[float, float] | None = None,
    replications: int = 500,
    random: int = 1,
) -> RiskDecomposition:
    """Estimation, approximation and Bayes error of a finite class of predictors.

    Each replication draws m rows and picks the predictor with the smallest empirical risk.

    Parameters
    ----------
    law : Law
    predictors : sequence of callable
        The class H: ``h(X) -> (n,)``.
    m : int
        Sample size.
    delta : float
        The bound holds with probability 1 - delta.
    bounds : (float, float), optional
        Range of the loss; (0, 1) for classes, required otherwise for the bound (NaN without).
    replications, random : int

    Examples
    --------
    >>> from pycvstat.simulate.laws import two_classes
    >>> steps = [lambda X, t=t: (X[:, 0] > t).astype(float) for t in (-1.0, 0.0, 1.0)]
    >>> parts = risk_decomposition(two_classes(), steps, 50, replications=50)
    >>> parts.approximation
    0.0
    """
    check_asked(law, replications, m)
    if not predictors:
        raise InputError("the class has no predictors.", given=0)
    if not 0 < delta < 1:
        raise InputError("delta must lie between 0 and 1.", given=delta)
    stream = as_stream(random)
    risks = law.risk(np.stack([h(law.test_points) for h in predictors]))
    best = float(risks.min())
    lost = []
    for _ in range(replications):
        X, y = law.draw(stream, m)
        shown = [h(X) for h in predictors]
        wrong = [(h > 0.5) != (y > 0.5) if law.classes else (h - y) ** 2 for h in shown]
        lost.append(float(risks[int(np.argmin([float(loss.mean()) for loss in wrong]))]) - best)
    low, high = (0.0, 1.0) if law.classes else bounds or (np.nan, np.nan)
    bound = (high - low) * np.sqrt(2 / m * np.log(2 * len(predictors) / delta))
    return RiskDecomposition(
        MonteCarlo.of(lost), best - law.bayes_risk, law.bayes_risk, float(bound)
    )
