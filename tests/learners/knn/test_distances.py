"""Scales, weights and the order of columns."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import rankdata

from pycvstat import rmath
from pycvstat.errors import FitError, InputError
from pycvstat.learners.knn.compiled.as_kknn import beta_densities, cosines, normal_densities
from pycvstat.learners.knn.distances import (
    KERNELS,
    Kernel,
    ascending_ranks,
    metric,
    optimal,
    weights,
)
from tests.rscript import live_r, r_values

RNG = np.random.default_rng(1)


def test_a_term_of_several_columns_has_one_scale_and_shares_its_weight() -> None:
    X = RNG.normal(size=(40, 4)) * [1.0, 2.0, 3.0, 4.0]
    m = metric(X, np.array([1, 2, 2, 2]))
    scale = dict(zip(m.columns.tolist(), m.scales.tolist(), strict=True))
    weight = dict(zip(m.columns.tolist(), m.weights.tolist(), strict=True))
    variances = X.var(axis=0, ddof=1)
    assert scale[0] == pytest.approx(np.sqrt(variances[0]), rel=1e-14)
    assert scale[1] == scale[2] == scale[3]
    assert scale[1] == pytest.approx(np.sqrt(variances[1:].mean()), rel=1e-14)
    assert weight == {0: 1.0, 1: 1 / 3, 2: 1 / 3, 3: 1 / 3}


def test_columns_are_summed_by_decreasing_spread() -> None:
    X = RNG.normal(size=(50, 5)) * [1.0, 5.0, 3.0, 2.0, 4.0]
    m = metric(X, np.arange(1, 6), scale=False)
    assert m.columns.tolist() == [1, 4, 2, 3, 0]
    assert m.scales.tolist() == [1.0] * 5
    np.testing.assert_array_equal(m.points(X), X[:, m.columns])
    scaled = metric(X, np.arange(1, 6))
    spread = [rmath.sd(column) for column in scaled.points(X).T]
    assert spread == sorted(spread, reverse=True)


def test_equal_spread_keeps_the_order_of_columns() -> None:
    x = RNG.integers(0, 3, 30).astype(float)
    assert metric(np.column_stack([x, x, x]), np.arange(1, 4)).columns.tolist() == [0, 1, 2]


def test_constant_terms_do_not_count_and_constant_columns_of_a_term_do() -> None:
    X = np.column_stack([np.ones(9), np.arange(9.0), np.full(9, 0.1), np.zeros(9)])
    m = metric(X, np.array([0, 1, 2, 1]))
    assert sorted(m.columns.tolist()) == [1, 3]
    assert m.weights.tolist() == [0.5, 0.5]


def test_scales_of_the_training_rows_divide_new_rows() -> None:
    X = np.array([[1.0], [3.0], [5.0]])
    assert metric(X, np.array([1])).points(np.array([[8.0]])).tolist() == [[4.0]]


def test_one_training_row() -> None:
    with pytest.raises(FitError, match="scale=False"):
        metric(np.ones((1, 2)), np.array([1, 2]))
    assert metric(np.ones((1, 2)), np.array([1, 2]), scale=False).columns.tolist() == [0, 1]


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e200, 1e300])
@pytest.mark.parametrize("scale", [True, False])
def test_columns_whose_squares_are_lost_are_refused(size: float, scale: bool) -> None:
    X = np.column_stack([np.arange(9.0), np.arange(9.0) * size])
    with pytest.raises(FitError, match="squares of distances leave the range of numbers"):
        metric(X, np.array([1, 2]), scale=scale)
    X[:, 1] = size  # a constant column has no distances
    assert 1.0 in metric(X, np.array([1, 2]), scale=scale).weights


DENSITY = 1e-14  # relative: R's beta density is up to 49 units in the last place off
RNG = np.random.default_rng(1)
DISTANCES = np.sort(RNG.exponential(size=(50, 9)), axis=1)
BEYOND = DISTANCES[:, -1] + RNG.exponential(size=50) * (np.arange(50) > 4)


def definition(kernel: str, v: Any, k: int) -> Any:
    farthest = -mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(1) / (2 * (k + 1)) - 1)
    return {
        "rectangular": lambda: 1,
        "triangular": lambda: 1 - v,
        "epanechnikov": lambda: mpmath.mpf(3) / 4 * (1 - v**2),
        "biweight": lambda: 30 * ((1 + v) / 2) ** 2 * ((1 - v) / 2) ** 2,
        "triweight": lambda: 140 * ((1 + v) / 2) ** 3 * ((1 - v) / 2) ** 3,
        "cos": lambda: mpmath.cos(v * mpmath.pi / 2),
        "inv": lambda: 1 / v,
        "gaussian": lambda: mpmath.npdf(v * farthest),
    }[kernel]()


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k not in ("rank", "optimal")])
def test_definitions(kernel: Kernel) -> None:
    w = weights(kernel, DISTANCES[5:], BEYOND[5:], 2)
    v = DISTANCES[5:] / BEYOND[5:, None]
    exact = [[float(definition(kernel, mpmath.mpf(x), 9)) for x in row] for row in v]
    inner = v < 0.999  # closer to 1 the rounding of v itself shows
    np.testing.assert_allclose(w[inner], np.array(exact)[inner], 1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_are_positive_and_fall_with_distance(kernel: Kernel) -> None:
    w = weights(kernel, DISTANCES, BEYOND, 3)
    assert w.shape == (50, 9)
    assert (np.diff(w, axis=1) <= 0).all()
    assert (w > 0).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_zero_distances_and_a_next_neighbour_at_zero(kernel: Kernel) -> None:
    w = weights(kernel, np.zeros((2, 3)), np.zeros(2), 1)
    assert np.isfinite(w).all()


def test_optimal_weights_sum_to_one() -> None:
    for k in (1, 2, 7, 50, 1000):
        for d in (1, 2, 3, 10):
            assert optimal(k, d).sum() == pytest.approx(1, rel=1e-12)
    assert optimal(1, 4).tolist() == [1.0]
    with pytest.raises(InputError, match="without terms"):
        optimal(3, 0)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_ranks(values: list[int]) -> None:
    row = np.sort(np.array(values, dtype=float))
    assert ascending_ranks(row[None])[0].tolist() == rankdata(row).tolist()


def test_rank_of_clipped_distances_ties_small_ones() -> None:
    d = np.array([[0.0, 1e-9, 0.5]])
    assert weights("rank", d, np.ones(1), 1).tolist() == [[3.0, 2.0, 1.0]]
    assert weights("rank", d, np.ones(1), 1, rank_clipped=True).tolist() == [[2.5, 2.5, 1.0]]


@live_r
def test_densities_of_r() -> None:
    v = np.concatenate([RNG.random(300), 1e-6 * (1 + RNG.random(20)), 1 - 1e-6 * RNG.random(20)])
    given = ", ".join(float(x).hex() for x in v)
    code = f"v <- c({given}); out(dbeta((v + 1) / 2, 3, 3)); out(dbeta((v + 1) / 2, 4, 4))"
    code += "; out(dnorm(4 * v)); out(cos(v * pi / 2))"
    half = (v[None] + 1) / 2
    ours = beta_densities(half, 3), beta_densities(half, 4), normal_densities(4 * v[None])
    for mine, expected in zip((*ours, cosines(v[None] * np.pi / 2)), r_values(code), strict=True):
        np.testing.assert_allclose(mine[0], expected, DENSITY)


@live_r
def test_optimal_weights_of_r() -> None:
    code = """
    f <- function(k, d) 1/k * (1 + d/2 - d/(2*k^(2/d)) * ((1:k)^(1 + 2/d) - (0:(k-1))^(1 + 2/d)))
    for (k in c(1, 2, 7, 40)) for (d in c(1, 2, 3, 5, 9)) out(f(k, d))
    """
    expected = iter(r_values(code))
    for k in (1, 2, 7, 40):
        for d in (1, 2, 3, 5, 9):
            np.testing.assert_array_equal(optimal(k, d), next(expected))
