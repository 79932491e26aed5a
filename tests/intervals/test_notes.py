"""What intervals say about themselves, and from where on."""

from __future__ import annotations

import numpy as np
import pytest

from pycvstat.errors import IntervalError
from pycvstat.intervals.checks import check_size, kurtosis
from pycvstat.intervals.cluster import cluster_robust
from pycvstat.intervals.nadeau_bengio import corrected_t_limits

SCORES = np.array([1.0, 2.0, 4.0, 3.0])


def test_fewer_than_30_groups_are_few() -> None:
    losses = np.sin(np.arange(60.0)) + 2
    assert cluster_robust(losses, np.arange(60) % 30, 0.95).notes == ()
    few = cluster_robust(losses, np.arange(60) % 29, 0.95).notes
    assert few == ("only 29 groups: expect the interval to be too short",)


def test_more_than_three_tenths_is_a_large_test_share() -> None:
    assert corrected_t_limits(SCORES, 0.3, 0.95).notes == ()
    (note,) = corrected_t_limits(SCORES, 0.5, 0.95).notes
    assert note.endswith("here 0.67")


@pytest.mark.parametrize("size", [1e-60, 1.0, 1e60, 1e290])
def test_kurtosis_has_no_unit(size: float) -> None:
    expected = float(((SCORES - 2.5) ** 4).mean() / ((SCORES - 2.5) ** 2).mean() ** 2)
    np.testing.assert_allclose(kurtosis(SCORES * size), expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_kurtosis_of_what_has_none() -> None:
    assert np.isnan(kurtosis(np.ones(4)))
    assert np.isnan(kurtosis(np.array([1.0, np.inf])))


def test_losses_too_small_for_squares_are_refused() -> None:
    check_size(np.array([0.0, 0.0]))
    check_size(np.array([-1e-140, 0.0]))
    for tiny in (9e-141, 5e-324, -9e-141):
        with pytest.raises(IntervalError, match="leave the range of numbers"):
            check_size(np.array([tiny, 0.0]))
