"""Losses against their definitions, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from pycvstat.errors import InputError, LossError
from pycvstat.losses import LOSSES, Predictions, as_loss, huber, pinball

FINITE = st.floats(-1e6, 1e6, allow_nan=False)


def one(values: list[float], prob: list[list[float]] | None = None) -> Predictions:
    return Predictions(
        np.array([values], dtype=float), None if prob is None else np.array([prob], dtype=float)
    )


@given(arrays(float, 5, elements=FINITE), arrays(float, 5, elements=FINITE))
def test_squared_absolute_huber_and_pinball_are_their_definitions(y, p):
    squared = as_loss("squared").pointwise(y, one(p.tolist()))[0]
    absolute = as_loss("absolute").pointwise(y, one(p.tolist()))[0]
    np.testing.assert_array_equal(squared, (p - y) ** 2)
    np.testing.assert_array_equal(absolute, np.abs(p - y))
    small = np.abs(y - p) <= 1.5
    expected = np.where(small, squared / 2, 1.5 * (absolute - 0.75))
    np.testing.assert_allclose(huber(1.5).pointwise(y, one(p.tolist()))[0], expected, rtol=1e-15)
    half = pinball(0.5).pointwise(y, one(p.tolist()))[0]
    np.testing.assert_array_equal(half, absolute / 2)


def test_pinball_weighs_underprediction_by_tau():
    loss = pinball(0.9).pointwise(np.array([1.0, 0.0]), one([0.0, 1.0]))[0]
    np.testing.assert_allclose(loss, [0.9, 0.1], rtol=1e-15)


def test_classification_losses():
    y = np.array([0, 1, 2])
    p = one([0, 2, 2], [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(as_loss("zero_one", "nominal").pointwise(y, p), [[0, 1, 0]])
    np.testing.assert_allclose(
        as_loss("log", "nominal").pointwise(y, p)[0, :2], -np.log([0.7, 0.3]), rtol=1e-15
    )
    brier = as_loss("brier", "nominal").pointwise(y, p)[0]
    np.testing.assert_allclose(brier, [0.09 + 0.04 + 0.01, 0.01 + 0.49 + 0.36, 0.0], rtol=1e-14)
    np.testing.assert_array_equal(as_loss("absolute", "ordinal").pointwise(y, p), [[0, 1, 0]])


def test_brier_of_two_classes_equals_squared_error_of_the_probability():
    y = np.array([0, 1])
    two = as_loss("brier", "nominal").pointwise(y, one([0, 1], [[0.7, 0.3], [0.4, 0.6]]))
    numeric = as_loss("brier").pointwise(y.astype(float), one([0.3, 0.6]))
    np.testing.assert_allclose(two, [[0.09, 0.16]], rtol=1e-14)
    np.testing.assert_allclose(numeric, two, rtol=1e-14)


def test_poisson_deviance_is_zero_at_the_truth_and_handles_zero_counts():
    y = np.array([0.0, 2.0])
    loss = as_loss("poisson").pointwise(y, one([0.5, 2.0]))[0]
    np.testing.assert_allclose(loss, [1.0, 0.0], atol=1e-15)


def test_log_loss_is_clipped_at_its_declared_range():
    loss = as_loss("log", "nominal").pointwise(np.array([0]), one([1], [[0.0, 1.0]]))[0, 0]
    assert loss == LOSSES["log"].range[1]


def test_a_user_loss_gives_one_number_per_row():
    def fourth(y, p):
        return (y - p) ** 4

    assert as_loss(fourth).name == "fourth"
    np.testing.assert_array_equal(as_loss(fourth).pointwise(np.array([1.0]), one([3.0])), [[16.0]])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: as_loss("squard"), "did you mean 'squared'"),
        (lambda: as_loss("rmse"), "loss='squared', and metric='rmse' of its interval"),
        (lambda: as_loss("auc", "nominal"), "auc is a metric of the table"),
        (lambda: as_loss("squared", "nominal"), "no meaning for a nominal response"),
        (lambda: as_loss(3), "a name or a function"),
        (lambda: as_loss(lambda y, p: 1.0).pointwise(np.zeros(3), one([0, 0, 0])),
         "one number per prediction"),
        (lambda: as_loss(lambda y, p: (p - y) * 1j).pointwise(np.zeros(3), one([0, 1, 0])),
         "real numbers"),
        (lambda: as_loss(lambda y, p: ["a"] * 3).pointwise(np.zeros(3), one([0, 1, 0])),
         "real numbers"),
        (lambda: as_loss("log", "nominal").pointwise(np.array([0]), one([0])),
         "needs class probabilities"),
        (lambda: as_loss("log").pointwise(np.array([2.0]), one([0.5])), "y in 0 and 1"),
        (lambda: as_loss("brier").pointwise(np.array([0.0]), one([2.0])), "from 0 to 1"),
        (lambda: as_loss("poisson").pointwise(np.array([1.0]), one([-0.5])),
         "positive predictions"),
    ],
)  # fmt: skip
def test_what_losses_refuse(make, words):
    with pytest.raises(LossError, match=words):
        make()


@pytest.mark.parametrize("make", [lambda: huber(0), lambda: pinball(1), lambda: huber(np.nan),
                                  lambda: huber("1"), lambda: pinball(None)])  # fmt: skip
def test_parameters_of_losses_are_checked(make):
    with pytest.raises(InputError):
        make()


def test_deviance_is_never_negative():
    """y log(y / mu) - (y - mu) rounds to less than 0 where mu is next to y."""
    y = np.linspace(0.5, 9.0, 200)
    near = y * (1 + np.linspace(-4e-16, 4e-16, 200))
    losses = LOSSES["poisson"].pointwise(y, Predictions(near[None, :]))
    assert losses.min() == 0.0
    assert losses.max() < 1e-14


@pytest.mark.parametrize("name", ["log", "brier"])
def test_probabilities_end_at_0_and_1(name):
    loss = as_loss(name)
    assert np.isfinite(loss.pointwise(np.array([0.0, 1.0]), one([0.0, 1.0]))).all()
    for outside in (-0.5, -1e-9, 1 + 1e-9, 1.5):
        with pytest.raises(LossError, match="from 0 to 1"):
            loss.pointwise(np.array([0.0]), one([outside]))


def test_families_are_named_by_their_number():
    y, p = np.array([0.0]), one([4.0])
    assert as_loss("huber(2)").pointwise(y, p).tolist() == huber(2.0).pointwise(y, p).tolist()
    assert as_loss("pinball(0.25)").pointwise(y, p).tolist() == [[3.0]]
    assert as_loss("pinball").pointwise(y, p).tolist() == [[2.0]]
    assert as_loss("huber").name == "huber(1.345)"
    for wrong in ("huber(1.2.3)", "pinball(..)"):
        with pytest.raises(LossError, match="no loss called"):
            as_loss(wrong)


def test_errors_of_predicted_numbers_0_and_1():
    """More than one half is a 1."""
    y = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    loss = as_loss("zero_one").pointwise(y, one([0.5, 0.6, 0.5, 0.6, 3.0]))
    assert loss.tolist() == [[0.0, 1.0, 1.0, 0.0, 0.0]]
    with pytest.raises(LossError, match="y in 0 and 1"):
        as_loss("zero_one").pointwise(np.array([0.0, 0.5]), one([0.0, 1.0]))


def test_poisson_deviance_between_the_counts():
    y, mean = np.array([0.5, 0.25, 3.0]), [0.75, 2.0, 1e-3]
    loss = as_loss("poisson").pointwise(y, one(mean))[0]
    by_hand = [2 * (a * np.log(a / m) - (a - m)) for a, m in zip(y, mean, strict=True)]
    np.testing.assert_allclose(loss, by_hand, rtol=1e-14)
    for wrong in (0.0, -1.0):
        with pytest.raises(LossError, match="positive predictions"):
            as_loss("poisson").pointwise(np.array([1.0]), one([wrong]))
    with pytest.raises(LossError, match="needs y >= 0"):
        as_loss("poisson").pointwise(np.array([-1e-9]), one([1.0]))
