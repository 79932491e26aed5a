"""Scales, weights and the order of columns."""

from __future__ import annotations

import numpy as np
import pytest

from pycvstat import rmath
from pycvstat.errors import FitError
from pycvstat.learners.knn.metric import metric

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
