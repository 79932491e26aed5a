"""Random regression problems, from tame to nasty, and the naive way to cross-validate them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from hypothesis import assume, strategies as st

from pycvstat.learners.linear.least_squares import fit_least_squares


@dataclass(frozen=True)
class Problem:
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    rows: np.ndarray
    offsets: np.ndarray

    @property
    def fits(self):
        for begin, end in pairwise(self.offsets):
            test = self.rows[begin:end]
            train = np.ones(len(self.y), dtype=bool)
            train[test] = False
            yield train, test

    @property
    def scale(self) -> float:
        return float(np.abs(self.y).max())


@st.composite
def problems(draw, weighted=None, max_rows=60, deficient=True):
    """A design with an intercept or without, of up to 8 columns; folds that need not partition."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(4, max_rows)), draw(st.integers(1, 8))
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        _spoil(draw, rng, X, j, deficient)
    if draw(st.booleans()):
        X[:, 0] = 1.0
    y = X[:, : (p + 1) // 2].sum(axis=1) + rng.normal(size=n)
    y /= np.abs(y).max()
    weights = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = rng.choice([0.0, 0.5, 1.0, 3.0], size=n, p=[0.1, 0.3, 0.3, 0.3])
        weights[:3] = 1.0
    problem = Problem(X, y, weights, *draw(folds(n)))
    if weights is not None:
        assume(all(weights[train].any() for train, _ in problem.fits))
    return problem


def _spoil(draw, rng, X, j, deficient):
    kinds = ["plain", "scaled", "dummy", "near", *(["alias", "zero"] if deficient else [])]
    match draw(st.sampled_from(kinds)):
        case "scaled":
            X[:, j] *= 10.0 ** draw(st.integers(-6, 6))
        case "dummy":
            X[:, j] = rng.random(len(X)) < draw(st.sampled_from([0.1, 0.5]))
            X[0, j] = 1.0
        case "near":
            X[:, j] = X[:, j - 1] + 10.0 ** -draw(st.integers(0, 3)) * X[:, j]
        case "alias":
            X[:, j] = 2.0 * X[:, j - 1]
        case "zero":
            X[:, j] = 0.0


@st.composite
def folds(draw, n):
    """Leave-one-out, a partition, repeated partitions, or random subsets."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["loo", "kfold", "repeated", "subsets"]))
    if kind == "loo":
        return np.arange(n), np.arange(n + 1)
    k = draw(st.integers(2, min(n, 10)))
    if kind == "subsets":
        parts = [np.sort(rng.permutation(n)[: rng.integers(1, n)]) for _ in range(k)]
    else:
        times = 3 if kind == "repeated" else 1
        parts = [
            np.flatnonzero(ids == f)
            for ids in (rng.permutation(np.arange(n) % k) for _ in range(times))
            for f in range(k)
        ]
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)])


def naive(problem: Problem) -> np.ndarray:
    """Every fit anew."""
    out = []
    for train, test in problem.fits:
        part = None if problem.weights is None else problem.weights[train]
        fit = fit_least_squares(problem.X[train], problem.y[train], part)
        out.append(fit.predict(problem.X[test]))
    return np.concatenate(out)


def grown(problem: Problem) -> float:
    """How far the naive fits extrapolate: errors of any algorithm grow by as much.

    The largest |x|' |R^-1| over all test rows and fits, in units of the training rows.
    """
    worst = 1.0
    for train, test in problem.fits:
        root = 1.0 if problem.weights is None else np.sqrt(problem.weights[train])[:, None]
        fitted = problem.X[train] * root
        reach = np.abs(problem.X[test] @ np.linalg.pinv(fitted, rcond=1e-12)).sum(axis=1)
        worst = max(worst, float(reach.max(initial=0.0)))
    return worst
