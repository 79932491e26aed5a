"""Scenarios for the methods that read more than losses: tuned, grouped, and ranked by the AUC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.folds.plan import FoldPlan
from pycvstat.losses import LossTable, Predictions
from pycvstat.simulate.fitters import Fitter, LeastSquares, Logistic, NearestNeighbours
from pycvstat.simulate.laws import Law
from pycvstat.simulate.scenarios import SCENARIOS, Scenario

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Tuned(Scenario):
    """Several candidates; the risk is that of the candidate with the least estimate.

    Parameters
    ----------
    candidates : tuple of Fitter

    Examples
    --------
    >>> tuned_knn().name
    'kNN with k tuned over 8 values, waves'
    """

    candidates: tuple[Fitter, ...] = ()

    def tables(self, X: FloatArray, y: FloatArray, plan: FoldPlan) -> list[LossTable]:
        """The out-of-fold losses of all candidates for each data set."""
        each = [replace(self, fitter=c, candidates=()) for c in self.candidates]
        parts = [Scenario.tables(one, X, y, plan) for one in each]
        names = tuple({"candidate": c + 1} for c in range(len(parts)))
        return [
            LossTable(plan, np.hstack([t.losses for t in of_set]), self.loss, self.range, names)
            for of_set in zip(*parts, strict=True)
        ]

    def risks(
        self,
        X: FloatArray,
        y: FloatArray,
        masks: BoolArray,
        points: Sequence[FloatArray],
        tables: Sequence[LossTable],
    ) -> FloatArray:
        """Risk (S, F) of the candidate that each data set's table chooses."""
        chosen = [int(table.estimate().argmin()) for table in tables]
        return np.stack(
            [
                self.risk(self.candidates[c].predict(a, b, masks, at), at)
                for a, b, c, at in zip(X, y, chosen, points, strict=True)
            ]
        )


@dataclass(frozen=True, eq=False)
class Ranked(Scenario):
    """Two classes ranked by a score; the "risk" is the AUC.

    Examples
    --------
    >>> ranked_logistic().range
    (0.0, 1.0)
    """

    def tables(self, X: FloatArray, y: FloatArray, plan: FoldPlan) -> list[LossTable]:
        """The 0-1 losses of each data set, with response and scores."""
        scores = self.fitter.out_of_fold(X, y, plan)
        losses = self.pointwise(scores, y[:, plan.rows])
        return [
            LossTable(
                plan, loss[:, None], "zero_one", (0.0, 1.0), ({},), Predictions(s[None, :]), truth
            )
            for loss, s, truth in zip(losses, scores, y, strict=True)
        ]

    def risk(self, predictions: FloatArray, points: FloatArray) -> FloatArray:
        """AUC (F,) of scores (F, P) over pairs of points, classes averaged analytically."""
        p = self.law.mean(points)
        return np.array([expected_auc(scores, p) for scores in predictions])


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


@dataclass(frozen=True, eq=False)
class GroupedNoise(Law):
    """A law whose rows share predictors and noise within groups of `size` rows in part.

    Parameters
    ----------
    size : int
    share : float
        Share of the variance that is common to a group.

    Examples
    --------
    >>> GroupedNoise("groups", 1, lambda X: X[:, 0], size=5).bayes_risk
    1.0
    """

    size: int = 1
    share: float = 0.5

    def draw(self, stream: Any, n: int) -> tuple[FloatArray, FloatArray]:
        """Draw n rows: predictors and response."""
        both = self._shared(stream, n, self.d + 1)
        X = both[:, : self.d]
        return X, self.mean(X) + self.noise * both[:, self.d]

    def _shared(self, stream: Any, n: int, columns: int) -> FloatArray:
        groups = n // self.size
        common = np.asarray(stream.rnorm(groups * columns)).reshape(groups, columns)
        own = np.asarray(stream.rnorm(n * columns)).reshape(n, columns)
        spread = np.repeat(common, self.size, axis=0)
        return np.asarray(np.sqrt(self.share) * spread + np.sqrt(1 - self.share) * own)


def tuned_knn(law: str = "knn_regression") -> Scenario:
    """kNN with k chosen by cross-validation, on the law of another scenario.

    Examples
    --------
    >>> tuned_knn().name
    'kNN with k tuned over 8 values, waves'
    """
    base = SCENARIOS[law]
    fitters = tuple(NearestNeighbours(k) for k in (1, 3, 5, 7, 9, 13, 19, 27))
    return Tuned(
        f"kNN with k tuned over {len(fitters)} values, {base.law.name}",
        base.law,
        base.n,
        fitters[0],
        base.loss,
        candidates=fitters,
    )


def ranked_logistic(n: int = 200) -> Scenario:
    """Logistic regression by its AUC.

    Examples
    --------
    >>> ranked_logistic(100).name
    'logistic regression by its AUC, n = 100'
    """
    law = SCENARIOS["logistic"].law
    return Ranked(f"logistic regression by its AUC, n = {n}", law, n, Logistic(), "zero_one")


def grouped_ols(groups: int = 40, size: int = 5) -> Scenario:
    """Least squares on groups of rows that share half of their variance.

    Examples
    --------
    >>> grouped_ols(20, 4).n
    80
    """
    law = GroupedNoise("groups", 3, lambda X: X.sum(axis=1), size=size)
    name = f"OLS on {groups} groups of {size} rows"
    n = groups * size
    return Scenario(name, law, n, LeastSquares(), group_size=size, linear=True)
