"""Scenarios of the coverage simulations: a law, a sample size, and a learner on its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors.checks import check_word
from pycvstat.folds import Blocks
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Learner
from pycvstat.learners.glm import Logit
from pycvstat.learners.knn import KNN
from pycvstat.learners.ols import OLS
from pycvstat.learners.penalised import Lasso, Ridge
from pycvstat.losses import LossTable
from pycvstat.procedures.engine import run
from pycvstat.procedures.grid import as_candidates
from pycvstat.procedures.tuned import Tuned
from pycvstat.rmath.random import as_stream
from pycvstat.simulate.laws import (
    GroupedNoise,
    HeavyTailed,
    Law,
    Skewed,
    group_of,
    predictions,
    task_of,
)
from pycvstat.types import FloatArray, IntArray

PENALTIES = {"lam": np.geomspace(0.05, 2.0, 12)}
POINTS = 1000  # new points at which the risk of one data set is averaged


@dataclass(frozen=True, eq=False, repr=False)
class Scenario:
    """A law, a sample size and a learner; squared loss, or 0-1 loss where the law has classes.

    Parameters
    ----------
    name : str
    law : Law
    n : int
        Number of rows of each data set.
    learner : Learner
    formula : str
        Of the response y and the predictors x1, x2, ...
    versus : str, optional
        A second formula: losses and risks are differences, first minus second.
    grid : mapping, optional
        Candidates; the risk is that of the candidate with the least estimate.
    ranked : bool
        Two classes ranked by their predicted probability; the "risk" is the AUC.
    group_sizes : tuple of int
        Rows come in groups of these sizes, one after the other and over again.
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
    learner: Learner
    formula: str = "y ~ ."
    versus: str = ""
    grid: Mapping[str, Any] | None = None
    ranked: bool = False
    group_sizes: tuple[int, ...] = (1,)
    linear: bool = False

    def __repr__(self) -> str:
        return f"Scenario({self.name!r})"

    @property
    def groups(self) -> IntArray | None:
        """The group of each row, or None."""
        return None if self.group_sizes == (1,) else group_of(self.n, self.group_sizes)

    @property
    def range(self) -> tuple[float, float]:
        """Smallest and largest possible loss."""
        low, high = self.law.loss.range
        return (low - high, high - low) if self.versus else (low, high)

    def draw(self, stream: Any, sets: int) -> tuple[FloatArray, FloatArray]:
        """Draw data sets: predictors (S, n, d) and responses (S, n)."""
        X, y = self.law.draw(stream, sets * self.n)
        return X.reshape(sets, self.n, -1), y.reshape(sets, self.n)

    def points(self, stream: Any, sets: int) -> list[FloatArray]:
        """New points at which risks are averaged, for each data set."""
        if not self.linear:
            return [self.law.predictors(stream, POINTS) for _ in range(sets)]
        drawn = self.law.predictors(stream, 2 * self.law.d + 10)
        centred = drawn - drawn.mean(axis=0)
        root = np.linalg.cholesky(centred.T @ centred / len(drawn))
        return [np.asarray(np.linalg.solve(root, centred.T).T)] * sets

    def cross_validated(
        self, X: FloatArray, y: FloatArray, points: FloatArray, folds: FoldPlan, fits: FoldPlan
    ) -> tuple[LossTable, FloatArray]:
        """The out-of-fold losses of one data set, and risks (F,) of fits made by `at_points`.

        Of several candidates the risk is that of the one with the least estimate.
        """
        first, risks = self._with(self.formula, X, y, points, folds, fits)
        if not self.versus:
            return first, risks
        second, others = self._with(self.versus, X, y, points, folds, fits)
        losses = first.losses - second.losses
        made = replace(first, losses=losses, range=self.range, predictions=None, seal="")
        return made, risks - others

    def _with(
        self,
        formula: str,
        X: FloatArray,
        y: FloatArray,
        points: FloatArray,
        folds: FoldPlan,
        fits: FoldPlan,
    ) -> tuple[LossTable, FloatArray]:
        task, learner = self.task_with(X, y, points, formula), self.learner
        candidates = ({},) if self.grid is None else as_candidates(self.grid, learner)
        drawn = task.take(np.arange(self.n))
        prepared, known = learner.prepare(drawn, candidates), drawn.response.values
        table = run(prepared, folds, known, self.law.loss, random=as_stream(1)).table
        assert table is not None
        chosen = candidates[int(table.estimate().argmin())]
        found = predictions(learner.prepare(task, [chosen]), fits)[:, 0]
        return table, np.array([self.risk(values, points) for values in found])

    def task_with(self, X: FloatArray, y: FloatArray, points: FloatArray, formula: str) -> Task:
        """One data set as a task; the points at which risks are averaged follow as rows."""
        return task_of(X, y, points, formula)

    def risk(self, predictions: FloatArray, points: FloatArray) -> float:
        """Risk of predictions (P,) of points; the noise is averaged analytically."""
        mean = self.law.mean(points)
        if self.ranked:
            return expected_auc(predictions, mean)
        return float(self.law.risk(predictions, mean))


def expected_auc(scores: FloatArray, p: FloatArray) -> float:
    """P(score of a positive > score of a negative), ties half, where P(positive) is p.

    Examples
    --------
    >>> expected_auc(np.array([0.1, 0.9]), np.array([0.0, 1.0]))
    1.0
    """
    _, place = np.unique(scores, return_inverse=True)
    positive, negative = np.bincount(place, p), np.bincount(place, 1 - p)
    below = np.cumsum(negative) - negative / 2
    return float((positive * below).sum() / (positive.sum() * negative.sum()))


def ols(n: int = 100, p: int = 20) -> Scenario:
    """Least squares with p standard normal predictors without effect.

    The residuals do not depend on the coefficients, so neither does the coverage.

    Examples
    --------
    >>> ols(50, 5).name
    'OLS, n = 50, p = 5'
    """
    law = Law("noise", p, lambda X: np.zeros(len(X)))
    return Scenario(f"OLS, n = {n}, p = {p}", law, n, OLS(), linear=True)


def two_ols(n: int = 100, effect: float = 0.0) -> Scenario:
    """Least squares on one of two predictors each; of equal risk when `effect` is 0.

    Examples
    --------
    >>> two_ols().versus
    'y ~ x2'
    """
    law = Law("two predictors", 2, lambda X: X[:, 0] + (1 - effect) * X[:, 1])
    name = f"two OLS, n = {n}, effect {effect:g}"
    return Scenario(name, law, n, OLS(), "y ~ x1", "y ~ x2", linear=True)


WAVES = Law("waves", 3, lambda X: np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2, noise=0.7)
STEEP = Law("steep", 2, lambda X: 1 / (1 + np.exp(-2 * X[:, 0])), classes=True)
TILTED = Law("tilted", 5, lambda X: 1 / (1 + np.exp(-1.5 * X[:, 0] + X[:, 1])), classes=True)
DECAYING = Law("decaying", 30, lambda X: X @ (0.8 ** np.arange(X.shape[1])), noise=2.0)
HEAVY = HeavyTailed("t3", 5, lambda X: X.sum(axis=1))
NEAREST = KNN(5, kernel="rectangular", scale=False)
SCENARIOS: dict[str, Scenario] = {
    "ols": ols(),
    "ols_low": ols(p=2),
    "ols_high": ols(p=50),
    "knn_regression": Scenario("5-NN, regression in 3 dimensions", WAVES, 100, NEAREST),
    "knn_classes": Scenario("5-NN, 0-1 loss in 2 dimensions", STEEP, 100, NEAREST),
    "logistic": Scenario("logistic regression, 0-1 loss in 5 dimensions", TILTED, 100, Logit()),
    "tuned_ridge": Scenario(
        "tuned ridge, n = 100, p = 30",
        DECAYING,
        100,
        Tuned(Ridge(standardize=False), {"lam": np.geomspace(0.003, 30, 9)}, inner=Blocks(5)),
        linear=True,
    ),
    "heavy_tails": Scenario(
        "OLS with t noise of 3 degrees of freedom, p = 5", HEAVY, 100, OLS(), linear=True
    ),
}


def heavy_tailed(df: int = 5) -> Scenario:
    """Least squares with t noise.

    Examples
    --------
    >>> heavy_tailed(5).name
    'OLS with t noise of 5 degrees of freedom, p = 5'
    """
    law = HeavyTailed(f"t{df}", 5, HEAVY.mean, df=df)
    name = f"OLS with t noise of {df} degrees of freedom, p = 5"
    return replace(SCENARIOS["heavy_tails"], name=name, law=law)


def lognormal() -> Scenario:
    """Least squares with lognormal noise.

    Examples
    --------
    >>> lognormal().law.d
    5
    """
    law = Skewed("lognormal", 5, HEAVY.mean)
    return replace(SCENARIOS["heavy_tails"], name="OLS with lognormal noise, p = 5", law=law)


def nested(learner: str) -> Scenario:
    """A tuned learner: "knn" over 8 values of k, or "lasso" with 150 predictors and 80 rows.

    Examples
    --------
    >>> nested("lasso").n
    80
    """
    if learner == "knn":
        tuned = Tuned(KNN(), {"k": (1, 3, 5, 7, 9, 13, 19, 27)}, inner=Blocks(5))
        return Scenario("tuned kNN, nested", WAVES, 100, tuned)
    law = Law("five of 150", 150, lambda X: X[:, :5].sum(axis=1), noise=2.0)
    tuned = Tuned(Lasso(), PENALTIES, inner=Blocks(5))
    return Scenario("tuned lasso, nested, n = 80, p = 150", law, 80, tuned, linear=True)


def rivals(learner: str = "ols", effect: float = 0.0) -> Scenario:
    """A learner on one half of the predictors against itself on the other: of equal risk at 0.

    Parameters
    ----------
    learner : {"ols", "ols_50", "ols_wide", "t5", "knn", "logistic"}
    effect : float
        By how much less the second half matters.

    Examples
    --------
    >>> rivals("ols_wide").versus
    'y ~ x11 + x12 + x13 + x14 + x15 + x16 + x17 + x18 + x19 + x20'
    """
    d = {"ols_wide": 10, "ols": 1, "ols_50": 1, "t5": 1}.get(learner, 2)
    shape = (lambda Z: np.sin(2 * Z[:, 0]) + Z[:, 1]) if learner == "knn" else _sum
    weight = 1.0 - effect

    def mean(X: FloatArray) -> FloatArray:
        both = shape(X[:, :d]) + weight * shape(X[:, d:])
        return 1 / (1 + np.exp(-both)) if learner == "logistic" else both

    law: Law = Law(f"rivals {learner}", 2 * d, mean, classes=learner == "logistic")
    if learner == "t5":
        law = HeavyTailed("rivals t5", 2 * d, mean, df=5)
    model: Learner = {"knn": KNN(7), "logistic": Logit()}.get(learner, OLS())
    n = {"ols_50": 50, "ols_wide": 60}.get(learner, 100)
    halves = [" + ".join(f"x{j}" for j in range(k, k + d)) for k in (1, d + 1)]
    name = f"{learner} against itself, n = {n}, effect {effect:g}"
    linear = isinstance(model, OLS)
    return Scenario(name, law, n, model, f"y ~ {halves[0]}", f"y ~ {halves[1]}", linear=linear)


def _sum(Z: FloatArray) -> FloatArray:
    return np.asarray(Z.sum(axis=1) / np.sqrt(Z.shape[1]))


def tuned_knn(law: str = "knn_regression") -> Scenario:
    """kNN with k chosen by cross-validation, on the law of another scenario.

    Examples
    --------
    >>> tuned_knn().name
    'kNN with k tuned over 8 values, waves'
    """
    base, ks = SCENARIOS[law], (1, 3, 5, 7, 9, 13, 19, 27)
    name = f"kNN with k tuned over {len(ks)} values, {base.law.name}"
    return replace(base, name=name, grid={"k": ks})


def ranked_logistic(n: int = 200) -> Scenario:
    """Logistic regression by its AUC.

    Examples
    --------
    >>> ranked_logistic(100).name
    'logistic regression by its AUC, n = 100'
    """
    name = f"logistic regression by its AUC, n = {n}"
    return replace(SCENARIOS["logistic"], name=name, n=n, ranked=True)


def grouped_ols(groups: int = 40, *sizes: int) -> Scenario:
    """Least squares on groups of rows that share half of their variance; of 5 rows by default.

    Examples
    --------
    >>> grouped_ols(20, 4).n
    80
    """
    sizes = sizes or (5,)
    name = f"OLS on {groups} groups of {' and '.join(map(str, sizes))} rows"
    law = GroupedNoise("groups", 3, lambda X: X.sum(axis=1), sizes=sizes)
    n = groups * sum(sizes) // len(sizes)
    return Scenario(name, law, n, OLS(), group_sizes=sizes, linear=True)


def as_scenario(given: str | Scenario) -> Scenario:
    """The scenario of a name, or the scenario itself.

    Examples
    --------
    >>> as_scenario("logistic").n
    100
    """
    if isinstance(given, Scenario):
        return given
    check_word("scenario", given, SCENARIOS, "there is no such scenario.")
    return SCENARIOS[given]
