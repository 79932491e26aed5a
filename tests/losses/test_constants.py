"""The best constant against closed forms and against a fine grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from pycvstat.errors import LossError
from pycvstat.losses import as_loss, least_constant_loss
from pycvstat.losses.predictions import Predictions

SEARCH = 1e-9  # the search ends within 1e-9 of the distance of two quantiles
Y = np.exp(np.random.default_rng(1).normal(size=500))
CODES = np.array([0] * 5 + [1] * 3 + [2] * 2)


def of_numbers(loss, y=Y):
    return least_constant_loss(as_loss(loss, "continuous"), y)


def of_classes(loss, y=CODES, classes=3):
    return least_constant_loss(as_loss(loss, "nominal"), y, classes)


def test_closed_forms_of_numbers():
    assert of_numbers("squared") == pytest.approx(Y.var(), rel=1e-14)
    assert of_numbers("absolute") == pytest.approx(np.abs(Y - np.median(Y)).mean(), rel=SEARCH)
    gap = Y - np.quantile(Y, 0.9, method="inverted_cdf")
    assert of_numbers("pinball(0.9)") == pytest.approx(
        np.maximum(0.9 * gap, -0.1 * gap).mean(), rel=SEARCH
    )
    share = np.arange(10) < 3
    assert of_numbers("zero_one", share.astype(float)) == pytest.approx(0.3, rel=1e-15)
    assert of_numbers("brier", share.astype(float)) == pytest.approx(0.21, rel=1e-15)
    assert of_numbers("squared", np.full(3, 7.0)) == 0.0


def test_closed_forms_of_classes():
    p = np.array([0.5, 0.3, 0.2])
    assert of_classes("zero_one") == pytest.approx(0.5, rel=1e-15)
    assert of_classes("log") == pytest.approx(-(p * np.log(p)).sum(), rel=1e-15)
    assert of_classes("brier") == pytest.approx(1 - (p**2).sum(), rel=1e-15)
    two = np.array([0, 0, 0, 1])
    assert of_classes("brier", two, 2) == pytest.approx(0.1875, rel=1e-15)
    assert of_classes("brier", two, 3) == pytest.approx(0.375, rel=1e-15)  # the sum of both


@settings(max_examples=100)
@given(st.sampled_from(["huber(0.3)", "pinball(0.2)", "absolute", "squared"]),
       st.lists(st.floats(-100, 100), min_size=1, max_size=30))  # fmt: skip
@example("huber(0.3)", [0.0, 1.0, 4.7862111815436986e-116])
def test_no_constant_of_a_fine_grid_is_better(loss, y):
    y = np.array(y)
    grid = np.linspace(y.min(), y.max(), 2000)
    every = as_loss(loss, "continuous").pointwise(
        y, Predictions(np.repeat(grid[:, None], len(y), axis=1))
    )
    assert of_numbers(loss, y) <= every.mean(axis=1).min() * (1 + SEARCH) + 1e-300


def test_a_loss_without_a_finite_constant():
    with pytest.raises(LossError, match="no constant has a finite squared loss"):
        of_numbers("squared", np.array([-1e300, 1e300]))


def deviance(y, prediction):
    return prediction - y * np.log(prediction)


def careful(y, prediction):
    if (prediction <= 0).any():
        raise ValueError("never")
    return np.abs(y - prediction) / prediction


@pytest.mark.filterwarnings("error")
def test_constants_that_the_loss_refuses_are_passed_over():
    counts = np.array([0.0, 0.0, 0.0, 1.0, 2.0, 5.0])
    mean = counts.mean()
    part = np.where(counts > 0, counts * np.log(np.where(counts > 0, counts, 1.0) / mean), 0.0)
    assert of_numbers("poisson", counts) == pytest.approx(2 * part.mean(), rel=SEARCH)
    assert of_numbers(deviance, counts) == pytest.approx(mean - mean * np.log(mean), rel=SEARCH)
    assert 0 < of_numbers(careful, counts) < 10
    with pytest.raises(LossError, match="no constant has a finite careful loss"):
        of_numbers(careful, -counts)
