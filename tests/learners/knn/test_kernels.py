"""Kernels against their definitions and against R's densities."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import rankdata

from pycvstat.errors import InputError
from pycvstat.learners.knn.compiled.as_kknn import beta_densities, cosines, normal_densities
from pycvstat.learners.knn.kernels import KERNELS, Kernel, ascending_ranks, optimal, weights
from tests.rscript import live_r, r_values

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
