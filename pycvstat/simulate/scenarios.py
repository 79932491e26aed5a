"""Scenarios of the coverage simulations: a law, a sample size, a learner and a loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import InputError
from pycvstat.folds.plan import FoldPlan
from pycvstat.losses import LossTable
from pycvstat.simulate.fitters import (
    Fitter,
    LeastSquares,
    Logistic,
    NearestNeighbours,
    OnColumns,
    TunedRidge,
)
from pycvstat.simulate.laws import Law

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
LossName = Literal["squared", "zero_one"]
POINTS = 1000  # new points at which the risk of one data set is averaged


@dataclass(frozen=True, eq=False)
class Scenario:
    """A law, a sample size, a learner and a loss; with `versus`, the difference of two learners.

    Parameters
    ----------
    name : str
    law : Law
    n : int
        Number of rows of each data set.
    fitter : Fitter
    loss : {"squared", "zero_one"}
    versus : Fitter, optional
        The second learner: losses and risks are differences, first minus second.
    group_size : int
        Rows come in groups of this size, one after the other.
    linear : bool
        Whether law and learner are linear in normal predictors: risks are then exact at points
        with mean 0 and covariance I.

    Examples
    --------
    >>> SCENARIOS["ols"].n
    100
    """

    name: str
    law: Law
    n: int
    fitter: Fitter
    loss: LossName = "squared"
    versus: Fitter | None = None
    group_size: int = 1
    linear: bool = False

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """The group of each row, or None."""
        return None if self.group_size == 1 else np.arange(self.n) // self.group_size

    def draw(self, stream: Any, sets: int) -> tuple[FloatArray, FloatArray]:
        """Draw data sets: predictors (S, n, d) and responses (S, n)."""
        X, y = self.law.draw(stream, sets * self.n)
        return X.reshape(sets, self.n, -1), y.reshape(sets, self.n)

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest possible loss."""
        high = np.inf if self.loss == "squared" else 1.0
        return (0.0, high) if self.versus is None else (-high, high)

    def points(self, stream: Any, sets: int) -> list[FloatArray]:
        """New points at which risks are averaged, for each data set."""
        if not self.linear:
            return [self.law.predictors(stream, POINTS) for _ in range(sets)]
        drawn = self.law.predictors(stream, 2 * self.law.d + 10)
        centred = drawn - drawn.mean(axis=0)
        root = np.linalg.cholesky(centred.T @ centred / len(drawn))
        return [np.asarray(np.linalg.solve(root, centred.T).T)] * sets

    def tables(self, X: FloatArray, y: FloatArray, plan: FoldPlan) -> list[LossTable]:
        """The out-of-fold losses of each data set."""
        losses = self._of_both(
            lambda fitter: self.pointwise(fitter.out_of_fold(X, y, plan), y[:, plan.rows])
        )
        return [LossTable(plan, row[:, None], self.loss, self.range) for row in losses]

    def risks(
        self,
        X: FloatArray,
        y: FloatArray,
        masks: BoolArray,
        points: Sequence[FloatArray],
        tables: Sequence[LossTable],
    ) -> FloatArray:
        """Risk (S, F) of the models trained on the rows of each mask, averaged over points.

        A tuned scenario takes the candidate of each data set from its table.
        """
        return self._of_both(
            lambda fitter: np.stack(
                [
                    self.risk(fitter.predict(a, b, masks, at), at)
                    for a, b, at in zip(X, y, points, strict=True)
                ]
            )
        )

    def _of_both(self, value: Callable[[Fitter], FloatArray]) -> FloatArray:
        first = value(self.fitter)
        return first if self.versus is None else first - value(self.versus)

    def pointwise(self, predictions: FloatArray, y: FloatArray) -> FloatArray:
        """Losses of predictions."""
        if self.loss == "squared":
            return np.asarray((predictions - y) ** 2)
        return np.asarray((predictions > 0.5) != (y > 0.5), dtype=np.float64)

    def risk(self, predictions: FloatArray, points: FloatArray) -> FloatArray:
        """Risk (F,) of predictions (F, P); the noise is averaged analytically."""
        mean = self.law.mean(points)
        if self.loss == "squared":
            return np.asarray(self._noise_variance(mean) + ((predictions - mean) ** 2).mean(axis=1))
        return np.asarray(np.where(predictions > 0.5, 1 - mean, mean).mean(axis=1))

    def _noise_variance(self, mean: FloatArray) -> float:
        if self.law.classes:
            return float((mean * (1 - mean)).mean())
        return float(self.law.bayes_risk)


@dataclass(frozen=True, eq=False)
class HeavyTailed(Law):
    """A law whose noise is t distributed with 3 degrees of freedom, times `noise`.

    Examples
    --------
    >>> HeavyTailed("t3", 1, lambda X: X[:, 0], noise=2.0).bayes_risk
    12.0
    """

    def draw(self, stream: Any, n: int) -> tuple[FloatArray, FloatArray]:
        """Draw n rows: predictors and response."""
        X, normal = self.predictors(stream, n), np.asarray(stream.rnorm(4 * n)).reshape(4, n)
        noise = normal[0] / np.sqrt((normal[1:] ** 2).mean(axis=0))
        return X, self.mean(X) + self.noise * noise

    @property
    def bayes_risk(self) -> float:
        """Risk of the regression function: the variance of the noise."""
        return 3 * self.noise**2


def _nothing(X: FloatArray) -> FloatArray:
    return np.zeros(len(X))


def _sum(X: FloatArray) -> FloatArray:
    return np.asarray(X.sum(axis=1))


def _decaying(X: FloatArray) -> FloatArray:
    return np.asarray(X @ (0.8 ** np.arange(X.shape[1])))


def _waves(X: FloatArray) -> FloatArray:
    return np.asarray(np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2)


def _steep(X: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-2 * X[:, 0])))


def _tilted(X: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-1.5 * X[:, 0] + X[:, 1])))


def ols(n: int = 100, p: int = 20) -> Scenario:
    """Least squares with p standard normal predictors without effect.

    The residuals do not depend on the coefficients, so neither does the coverage.

    Examples
    --------
    >>> ols(50, 5).name
    'OLS, n = 50, p = 5'
    """
    law = Law("noise", p, _nothing)
    return Scenario(f"OLS, n = {n}, p = {p}", law, n, LeastSquares(), linear=True)


def two_ols(n: int = 100, effect: float = 0.0) -> Scenario:
    """Least squares on one of two predictors each; of equal risk when `effect` is 0.

    Examples
    --------
    >>> two_ols().versus
    OnColumns(fitter=LeastSquares(), columns=(1,))
    """

    def mean(X: FloatArray) -> FloatArray:
        return np.asarray(X[:, 0] + (1 - effect) * X[:, 1])

    law = Law("two predictors", 2, mean)
    first, second = OnColumns(LeastSquares(), (0,)), OnColumns(LeastSquares(), (1,))
    return Scenario(
        f"two OLS, n = {n}, effect {effect:g}", law, n, first, versus=second, linear=True
    )


SCENARIOS: dict[str, Scenario] = {
    "ols": ols(),
    "ols_low": ols(p=2),
    "ols_high": ols(p=50),
    "knn_regression": Scenario(
        "5-NN, regression in 3 dimensions",
        Law("waves", 3, _waves, noise=0.7),
        100,
        NearestNeighbours(5),
    ),
    "knn_classes": Scenario(
        "5-NN, 0-1 loss in 2 dimensions",
        Law("steep", 2, _steep, classes=True),
        100,
        NearestNeighbours(5),
        "zero_one",
    ),
    "logistic": Scenario(
        "logistic regression, 0-1 loss in 5 dimensions",
        Law("tilted", 5, _tilted, classes=True),
        100,
        Logistic(),
        "zero_one",
    ),
    "tuned_ridge": Scenario(
        "tuned ridge, n = 100, p = 30",
        Law("decaying", 30, _decaying, noise=2.0),
        100,
        TunedRidge(),
        linear=True,
    ),
    "heavy_tails": Scenario(
        "OLS with t noise of 3 degrees of freedom, p = 5",
        HeavyTailed("t3", 5, _sum),
        100,
        LeastSquares(),
        linear=True,
    ),
}


def as_scenario(given: str | Scenario) -> Scenario:
    """The scenario of a name, or the scenario itself.

    Examples
    --------
    >>> as_scenario("logistic").loss
    'zero_one'
    """
    if isinstance(given, Scenario):
        return given
    if given not in SCENARIOS:
        raise InputError(
            "there is no such scenario.",
            given=repr(given),
            fix=f"use one of {', '.join(SCENARIOS)}, or a Scenario",
        )
    return SCENARIOS[given]
