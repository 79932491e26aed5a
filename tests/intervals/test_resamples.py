"""The leave-one-out bootstrap and .632+: all resamples of few rows, and what each formula is."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pycvstat.intervals.bootstrap import out_of_bag, plus

DERIVATIVE = 1e-8  # central differences of step 1e-5
SUMS = 1e-12
numbers = st.lists(st.floats(-5, 5), min_size=4, max_size=4, unique=True)


def everything(y):
    """Counts of all n^n resamples, and squared losses of their means."""
    n = len(y)
    counts = np.array([np.bincount(rows, minlength=n) for rows in product(range(n), repeat=n)])
    return counts, (y - (counts @ y / n)[:, None]) ** 2


def leave_one_out(y, p):
    """The estimate where rows are drawn with probabilities p and weighed by them."""
    counts, losses = everything(y)
    left = counts == 0
    chance = np.array([np.prod(p[list(rows)]) for rows in product(range(len(y)), repeat=len(y))])
    by_row = (chance @ np.where(left, losses, 0)) / (chance @ left)
    return float(p @ by_row)


@settings(max_examples=8, deadline=None)
@given(numbers)
def test_the_standard_error_is_that_of_the_derivatives(y):
    y = np.array(y)
    n, step = len(y), 1e-5
    even = np.full(n, 1 / n)
    ends = [[leave_one_out(y, (1 - s) * even + s * e) for s in (step, -step)] for e in np.eye(n)]
    towards = [(up - down) / (2 * step * n) for up, down in ends]
    found = out_of_bag(*everything(y))
    assert found.estimate == pytest.approx(leave_one_out(y, even), rel=SUMS)
    raw = np.hypot(found.std_error, found.monte_carlo)
    own = np.sqrt(np.sum(np.square(towards)))
    floor = found.std_error**2 > own**2 - found.monte_carlo**2 + SUMS * own**2
    assert floor or raw == pytest.approx(own, rel=DERIVATIVE)


@settings(max_examples=20, deadline=None)
@given(numbers)
def test_the_standard_error_is_efrons_and_tibshiranis_when_all_resamples_are_drawn(y):
    counts, losses = everything(np.array(y))
    n, left = counts.shape[1], counts == 0
    by_row = np.where(left, losses, 0).sum(axis=0) / left.sum(axis=0)
    q = np.where(left, losses, 0).mean(axis=1)
    covariance = ((counts - 1) * q[:, None]).mean(axis=0) * (1 - 1 / n) ** -n
    derivative = (2 + 1 / (n - 1)) * (by_row - by_row.mean()) / n + covariance
    found = out_of_bag(counts, losses)
    own = np.sqrt(np.sum(derivative**2))
    noisy = np.hypot(found.std_error, found.monte_carlo)
    floor = found.std_error**2 > own**2 - found.monte_carlo**2 + SUMS * own**2
    assert floor or noisy == pytest.approx(own, rel=1e-10)


def test_few_resamples_give_the_standard_error_of_many_on_average():
    """300 sets of 25 resamples of one sample; without the correction it would be .19."""
    rng = np.random.default_rng(3)
    y = rng.normal(size=40)

    def found(drawn):
        counts = rng.multinomial(40, np.full(40, 1 / 40), size=drawn)
        return out_of_bag(counts, (y - (counts @ y / 40)[:, None]) ** 2)

    many = found(20_000)
    few = [found(25) for _ in range(300)]
    assert np.mean([one.std_error for one in few]) == pytest.approx(many.std_error, rel=0.05)
    assert many.monte_carlo < 0.1 * many.std_error < 0.1 * np.mean([f.monte_carlo for f in few]) * 9


def test_rows_in_every_resample_do_not_count():
    counts = np.array([[1, 0, 2], [1, 2, 0]])
    losses = np.array([[9.0, 1.0, 9.0], [9.0, 9.0, 3.0]])
    assert out_of_bag(counts, losses).estimate == 2.0


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 1))
def test_632_plus_lies_between_its_parts(apparent, bagged, no_information):
    found = plus(apparent, bagged, no_information)
    assert 0 <= found.overfitting <= 1
    assert 0.632 <= found.weight <= 1 + SUMS
    ends = sorted([apparent, bagged])
    assert ends[0] - SUMS <= found.estimate <= ends[1] + SUMS


def test_632_plus_of_a_rule_that_remembers():
    """Efron and Tibshirani (1997): two classes that nothing predicts, one nearest neighbour."""
    assert plus(0.0, 0.5, 0.5).estimate == 0.5


@pytest.mark.parametrize("apparent", [0.1, 0.3])
@pytest.mark.parametrize("bagged", [0.2, 0.6])
@pytest.mark.parametrize("no_information", [0.25, 0.9])
def test_632_plus_is_equation_32(apparent, bagged, no_information):
    """As published: the .632 estimate is of the out-of-bag error as it is, the addition is not."""
    most = min(bagged, no_information)
    rate = (most - apparent) / (no_information - apparent)
    rate = rate if bagged > apparent and no_information > apparent else 0.0
    added = (most - apparent) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
    expected = 0.368 * apparent + 0.632 * bagged + added
    assert plus(apparent, bagged, no_information).estimate == pytest.approx(expected, rel=SUMS)
