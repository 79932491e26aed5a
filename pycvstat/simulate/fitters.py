"""Learners of the coverage simulations: many fits of many small data sets at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pycvstat.folds.pairs import own_and_other_fold
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.linear.data_sets import batched_ols_fold_residuals
from pycvstat.learners.linear.pairs import ols_pair_residuals

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def masks_of(plan: FoldPlan) -> BoolArray:
    """Which rows each fit is trained on, shape (fits, n).

    Examples
    --------
    >>> masks_of(FoldPlan.from_fold_ids([1, 2, 1]))
    array([[False,  True, False],
           [ True, False,  True]])
    """
    masks = np.zeros((len(plan), plan.n), dtype=bool)
    for i in range(len(plan)):
        masks[i, plan.train_rows(i)] = True
    return masks


class Fitter(ABC):
    """A learner that fits one data set on many sets of training rows.

    Responses and predictions are numbers; classes are 0 and 1, a prediction above 1/2 meaning 1.
    """

    @abstractmethod
    def predict(
        self, X: FloatArray, y: FloatArray, masks: BoolArray, points: FloatArray
    ) -> FloatArray:
        """Fit on the rows of every mask (F, n), predict the points (P, d): shape (F, P)."""

    def out_of_fold(self, X: FloatArray, y: FloatArray, plan: FoldPlan) -> FloatArray:
        """Predictions (S, N) of the test rows of a plan for S data sets (S, n, d)."""
        masks = masks_of(plan)
        fit = np.repeat(np.arange(len(plan)), plan.n_test)
        return np.stack(
            [self.predict(a, b, masks, a)[fit, plan.rows] for a, b in zip(X, y, strict=True)]
        )


@dataclass(frozen=True, slots=True)
class LeastSquares(Fitter):
    """Least squares with an intercept.

    Examples
    --------
    >>> X = np.arange(4.0)[:, None]
    >>> LeastSquares().predict(X, 2 * X[:, 0] + 1, np.ones((1, 4), dtype=bool), X).round(9)
    array([[1., 3., 5., 7.]])
    """

    def predict(
        self, X: FloatArray, y: FloatArray, masks: BoolArray, points: FloatArray
    ) -> FloatArray:
        design, w = with_intercept(X), masks.astype(np.float64)
        d = design.shape[1]
        squares = (w @ (design[:, :, None] * design[:, None, :]).reshape(len(y), -1)).reshape(
            -1, d, d
        )
        products = w @ (design * y[:, None])
        slopes = np.linalg.solve(squares, products[..., None])[..., 0]
        return np.asarray(slopes @ with_intercept(points).T)

    def out_of_fold(self, X: FloatArray, y: FloatArray, plan: FoldPlan) -> FloatArray:
        if plan.kind == "nested_pairs":
            return self._pairs(X, y, plan)
        if plan.train is not None or not plan.is_partition:
            return Fitter.out_of_fold(self, X, y, plan)
        ids, design = plan.fold_ids.reshape(plan.n, -1), with_intercept(X)
        by_repeat = [batched_ols_fold_residuals(design, y, column).residuals for column in ids.T]
        repeat = np.repeat(plan.repeat, plan.n_test)
        residuals = np.stack(by_repeat, axis=2)[:, plan.rows, repeat]
        return self._or_refit(X, y, plan, y[:, plan.rows] - residuals)

    def _pairs(self, X: FloatArray, y: FloatArray, plan: FoldPlan) -> FloatArray:
        home, own, other, k = own_and_other_fold(plan)
        repeat = np.repeat(plan.repeat, plan.n_test)
        column = np.where(other < 0, own, other)
        predictions = np.empty((len(X), len(plan.rows)))
        for s, (a, b) in enumerate(zip(X, y, strict=True)):
            found = ols_pair_residuals(with_intercept(a), b, home.T + 1, k)
            predictions[s] = b[plan.rows] - found.residuals[repeat, plan.rows, column]
        return self._or_refit(X, y, plan, predictions)

    def _or_refit(
        self, X: FloatArray, y: FloatArray, plan: FoldPlan, predictions: FloatArray
    ) -> FloatArray:
        for s in np.flatnonzero(np.isnan(predictions).any(axis=1)):
            predictions[s] = Fitter.out_of_fold(self, X[s : s + 1], y[s : s + 1], plan)[0]
        return predictions


def with_intercept(X: FloatArray) -> FloatArray:
    """The predictors with a leading column of ones, for one or many data sets."""
    return np.concatenate([np.ones((*X.shape[:-1], 1)), X], axis=-1)


@dataclass(frozen=True, slots=True)
class NearestNeighbours(Fitter):
    """The mean of the k nearest rows, Euclidean distance.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> masks = np.array([[True, True, True], [False, True, True]])
    >>> NearestNeighbours(1).predict(X, np.array([1.0, 2.0, 3.0]), masks, np.array([[0.2]]))
    array([[1.],
           [2.]])
    """

    k: int = 5

    def predict(
        self, X: FloatArray, y: FloatArray, masks: BoolArray, points: FloatArray
    ) -> FloatArray:
        distances = ((points[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
        order = np.argsort(distances, axis=1, kind="stable")
        values, result = y[order], np.empty((len(masks), len(points)))
        for f, mask in enumerate(masks):
            usable = mask[order]
            nearest = usable & (np.cumsum(usable, axis=1) <= self.k)
            result[f] = np.where(nearest, values, 0.0).sum(axis=1) / self.k
        return result


@dataclass(frozen=True, slots=True)
class Logistic(Fitter):
    """Logistic regression with an intercept and a small ridge, by Newton steps.

    Examples
    --------
    >>> X = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    >>> p = Logistic().predict(X, np.array([0.0, 1, 1, 0]), np.ones((1, 4), dtype=bool), X)
    >>> p.round(6)
    array([[0.5, 0.5, 0.5, 0.5]])
    """

    ridge: float = 1e-3
    steps: int = 12

    def predict(
        self, X: FloatArray, y: FloatArray, masks: BoolArray, points: FloatArray
    ) -> FloatArray:
        design, weights = with_intercept(X), masks.astype(np.float64)
        d = design.shape[1]
        penalty = self.ridge * np.eye(d)
        beta = np.zeros((len(masks), d))
        for _ in range(self.steps):
            p = _logistic(beta @ design.T)
            gradient = (weights * (y - p)) @ design - beta @ penalty
            curvature = (design.T * (weights * p * (1 - p))[:, None, :]) @ design + penalty
            beta += np.linalg.solve(curvature, gradient[..., None])[..., 0]
        return _logistic(beta @ with_intercept(points).T)


def _logistic(x: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class TunedRidge(Fitter):
    """Ridge regression, its penalty chosen by K-fold cross-validation on the training rows.

    Inner folds take the training rows in turn.

    Examples
    --------
    >>> X = np.arange(6.0)[:, None]
    >>> masks = np.ones((1, 6), dtype=bool)
    >>> TunedRidge(penalties=(0.0, 10.0), folds=3).predict(X, X[:, 0], masks, X).round(9)
    array([[0., 1., 2., 3., 4., 5.]])
    """

    penalties: tuple[float, ...] = tuple(float(10**e) for e in np.linspace(-1, 3, 9))
    folds: int = 5

    def predict(
        self, X: FloatArray, y: FloatArray, masks: BoolArray, points: FloatArray
    ) -> FloatArray:
        turn = (np.cumsum(masks, axis=1) - 1) % self.folds
        inner = masks[:, None, :] & (turn[:, None, :] != np.arange(self.folds)[:, None])
        flat = inner.reshape(-1, len(y))
        errors = (self._paths(X, y, flat, X) - y) ** 2
        held = (masks[:, None, :] & ~inner).reshape(-1, 1, len(y))
        losses = (errors * held).sum(axis=2).reshape(len(masks), self.folds, -1).sum(axis=1)
        paths = self._paths(X, y, masks, points)
        return np.asarray(paths[np.arange(len(masks)), losses.argmin(axis=1)])

    def _paths(
        self, X: FloatArray, y: FloatArray, masks: BoolArray, points: FloatArray
    ) -> FloatArray:
        """Predictions (F, penalties, P)."""
        d, w = X.shape[1], masks.astype(np.float64)
        count = w.sum(axis=1, keepdims=True)
        x_mean, y_mean = w @ X / count, w @ y[:, None] / count
        squares = (w @ (X[:, :, None] * X[:, None, :]).reshape(len(X), -1)).reshape(-1, d, d)
        squares -= count[..., None] * x_mean[:, :, None] * x_mean[:, None, :]
        products = w @ (X * y[:, None]) - count * x_mean * y_mean
        values, vectors = np.linalg.eigh(squares)
        turned = (products[:, None, :] @ vectors)[:, 0]
        shrunk = turned[:, None, :] / (values[:, None, :] + np.array(self.penalties)[:, None])
        slopes = shrunk @ vectors.swapaxes(1, 2)
        constant = y_mean - (slopes * x_mean[:, None, :]).sum(axis=2)
        return np.asarray(slopes @ points.T + constant[..., None])


@dataclass(frozen=True, slots=True)
class OnColumns(Fitter):
    """A learner that sees some of the predictors.

    Examples
    --------
    >>> OnColumns(LeastSquares(), (0,)).columns
    (0,)
    """

    fitter: Fitter
    columns: tuple[int, ...]

    def predict(
        self, X: FloatArray, y: FloatArray, masks: BoolArray, points: FloatArray
    ) -> FloatArray:
        columns = list(self.columns)
        return self.fitter.predict(X[:, columns], y, masks, points[:, columns])

    def out_of_fold(self, X: FloatArray, y: FloatArray, plan: FoldPlan) -> FloatArray:
        return self.fitter.out_of_fold(X[..., list(self.columns)], y, plan)
