"""Learners in a few lines of NumPy, and a loop over folds: nothing of the package but the folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

Fit = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""``fit(X, y, w, new)``: what is predicted for new rows."""


def out_of_fold(fit: Fit, problem: Any, fits: Iterable[tuple[Any, Any]]) -> np.ndarray:
    """Predictions of the test rows of every fit, one after the other."""
    X, y = problem.X, problem.y
    w = np.ones(len(y)) if problem.weights is None else problem.weights
    return np.concatenate([fit(X[train], y[train], w[train], X[test]) for train, test in fits])


def with_ones(X: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(X)), X])


def least_squares(X: Any, y: Any, w: Any, new: Any) -> np.ndarray:
    root = np.sqrt(w)[:, None]
    return with_ones(new) @ np.linalg.lstsq(with_ones(X) * root, y * root[:, 0], rcond=None)[0]


def mean(X: Any, y: Any, w: Any, new: Any) -> np.ndarray:
    return np.full(len(new), w @ y / w.sum())


def glm(family: str) -> Fit:
    """Iteratively reweighted least squares until nothing moves: not R's rule, but its limit."""

    def fit(X: Any, y: Any, w: Any, new: Any) -> np.ndarray:
        A = with_ones(X)
        mu = (y + 0.5) / 2 if family == "binomial" else y + 0.1
        eta = np.log(mu / (1 - mu)) if family == "binomial" else np.log(mu)
        for _ in range(100):
            if not np.abs(eta).max() < 30:  # separated
                return np.full(len(new), np.nan)
            if family == "binomial":
                mu = 1 / (1 + np.exp(-eta))
                slope = mu * (1 - mu)
            else:
                mu = slope = np.exp(eta)
            root = np.sqrt(w * slope)
            z = eta + (y - mu) / slope
            beta = np.linalg.lstsq(A * root[:, None], z * root, rcond=None)[0]
            new_eta = A @ beta
            if np.abs(new_eta - eta).max() < 1e-12:
                break
            eta = new_eta
        found = with_ones(new) @ beta
        return 1 / (1 + np.exp(-found)) if family == "binomial" else np.exp(found)

    return fit


def _standard(X: Any, y: Any, w: Any) -> tuple[Any, ...]:
    share = w / w.sum()
    centre, level = share @ X, share @ y
    sd, sd_y = np.sqrt(share @ (X - centre) ** 2), np.sqrt(share @ (y - level) ** 2)
    return share, centre, level, sd, sd_y, (X - centre) / sd


def ridge(lam: float) -> Fit:
    """As glmnet: standardised predictors, the penalty in units of the response's deviation."""

    def fit(X: Any, y: Any, w: Any, new: Any) -> np.ndarray:
        share, centre, level, sd, sd_y, Z = _standard(X, y, w)
        gram = (Z * share[:, None]).T @ Z + lam / sd_y * np.eye(X.shape[1])
        return level + (new - centre) / sd @ np.linalg.solve(
            gram, (Z * share[:, None]).T @ (y - level)
        )

    return fit


def lasso(lam: float) -> Fit:
    """Cyclic coordinate descent until nothing moves."""

    def fit(X: Any, y: Any, w: Any, new: Any) -> np.ndarray:
        share, centre, level, sd, _, Z = _standard(X, y, w)
        beta = np.zeros(X.shape[1])
        rest = y - level
        for _ in range(2000):
            before = beta.copy()
            for j in range(len(beta)):
                rest = rest + Z[:, j] * beta[j]
                pull = share @ (Z[:, j] * rest)
                beta[j] = np.sign(pull) * max(abs(pull) - lam, 0.0)
                rest = rest - Z[:, j] * beta[j]
            if np.abs(beta - before).max() <= 1e-15 * np.abs(beta).max():
                break
        return level + (new - centre) / sd @ beta

    return fit


SHAPES = {
    "rectangular": lambda d: np.full_like(d, 0.5),
    "triangular": lambda d: 1 - d,
    "epanechnikov": lambda d: 0.75 * (1 - d**2),
    "inv": lambda d: 1 / d,
}


def neighbours(k: int, kernel: str, power: float, scale: bool) -> Fit:
    """As kknn: distances over that of the (k + 1)th neighbour, kept off 0 and 1, then weighted."""

    def fit(X: Any, y: Any, w: Any, new: Any) -> np.ndarray:
        sd = X.std(axis=0, ddof=1) if scale else np.ones(X.shape[1])
        apart = np.abs(new[:, None] / sd - X[None] / sd) ** power
        distance = apart.sum(axis=2) ** (1 / power)
        found = []
        for row in distance:
            near = np.argsort(row)[: k + 1]
            share = np.clip(row[near[:k]] / row[near[k]], 1e-6, 1 - 1e-6)
            weight = SHAPES[kernel](share)
            found.append(weight @ y[near[:k]] / weight.sum())
        return np.array(found)

    return fit


def poisson_deviance(y: Any, mu: Any) -> np.ndarray:
    safe = np.where(y > 0, y, 1.0)
    return 2 * (np.where(y > 0, y * np.log(safe / mu), 0.0) - (y - mu))
