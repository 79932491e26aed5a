"""Regression quantiles: the minimum, its vertex, and R's choice where it is not unique."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pycvstat.learners.quantile import quantile_vertex
from pycvstat.r import bridge


def tilted(X: np.ndarray, y: np.ndarray, b: np.ndarray, tau: float) -> float:
    r = y - X @ b
    return float(np.where(r > 0, tau * r, (tau - 1) * r).sum())


def best_vertex(X: np.ndarray, y: np.ndarray, tau: float) -> float:
    """The least sum over all exact fits of as many rows as there are columns."""
    sums = []
    for rows in itertools.combinations(range(len(y)), X.shape[1]):
        part = X[list(rows)]
        if abs(np.linalg.det(part)) > 1e-9:
            sums.append(tilted(X, y, np.linalg.solve(part, y[list(rows)]), tau))
    return min(sums)


@given(st.integers(0, 10_000), st.integers(1, 3), st.sampled_from([0.1, 0.25, 0.5, 1 / 3, 0.9]))
def test_no_vertex_is_better(seed: int, p: int, tau: float) -> None:
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(9), rng.integers(-2, 3, size=(9, p - 1))]).astype(float)
    if np.linalg.matrix_rank(X) < p:
        return
    y = rng.integers(-4, 5, 9).astype(float)
    vertex = quantile_vertex(X, y, tau)
    assert tilted(X, y, vertex.coefficients, tau) == pytest.approx(best_vertex(X, y, tau), abs=1e-9)


@given(st.integers(0, 10_000), st.floats(0.05, 0.95))
def test_an_intercept_gives_a_sample_quantile(seed: int, tau: float) -> None:
    y = np.random.default_rng(seed).normal(size=25)
    found = quantile_vertex(np.ones((25, 1)), y, tau).coefficients[0]
    assert found in y
    assert (y < found).mean() <= tau + 1e-9
    assert (y <= found).mean() >= tau - 1e-9


def test_uniqueness() -> None:
    ones = np.ones((4, 1))
    assert not quantile_vertex(ones, np.arange(4.0), 0.5).unique
    assert quantile_vertex(ones, np.arange(4.0), 0.4).unique


@pytest.mark.live_r
@pytest.mark.parametrize("kind", ["continuous", "tied", "groups", "rounded"])
def test_the_vertex_is_that_of_rq(kind: str) -> None:
    bridge.require("quantreg")
    code = (
        "function(X, y, tau) as.numeric(suppressWarnings("
        "quantreg::rq.fit.br(as.matrix(X), y, tau)$coefficients))"
    )
    rng = np.random.default_rng(sum(map(ord, kind)))
    compared = 0
    while compared < 60:
        n, p = int(rng.integers(8, 60)), int(rng.integers(1, 5))
        tau = float(rng.choice([0.1, 0.25, 0.5, 0.75, 0.9, 1 / 3, 0.37]))
        X = {
            "continuous": lambda n=n, p=p: rng.normal(size=(n, p)),
            "tied": lambda n=n, p=p: rng.integers(0, 3, size=(n, p)).astype(float),
            "groups": lambda n=n, p=p: np.eye(3)[rng.integers(0, 3, n)][:, 1:],
            "rounded": lambda n=n, p=p: np.round(rng.normal(size=(n, p)), 1),
        }[kind]()
        X = np.column_stack([np.ones(n), X])
        y = rng.normal(size=n) if kind == "continuous" else rng.integers(-5, 6, n).astype(float)
        if np.linalg.matrix_rank(X) < X.shape[1]:
            continue
        compared += 1
        theirs = np.atleast_1d(bridge.run(code, X=X, y=y, tau=tau))
        np.testing.assert_allclose(
            quantile_vertex(X, y, tau).coefficients, theirs, rtol=1e-10, atol=1e-10
        )
