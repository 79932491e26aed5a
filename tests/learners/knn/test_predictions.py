"""Means and votes."""

from __future__ import annotations

import numpy as np
import pytest

from pycvstat.errors import InputError
from pycvstat.learners.knn import predictions as votes

RNG = np.random.default_rng(1)


def test_running_means_are_weighted_means_with_equal_weights() -> None:
    y, rows = RNG.normal(size=80) ** 3, RNG.integers(0, 80, (40, 12))
    ks = np.array([7, 1, 12, 7])
    means = votes.running_means(y, rows, ks)
    for place, k in enumerate(ks):
        alone = votes.weighted_mean(y[rows[:, :k]], np.ones((40, k)))
        assert means[place].tolist() == alone.tolist()


def test_shares() -> None:
    codes, w = RNG.integers(0, 3, (50, 6)), RNG.random((50, 6))
    shares = votes.class_shares(codes, w, 4)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-15)
    assert (shares[:, 3] == 0).all()
    np.testing.assert_allclose(shares[:, 1], np.average(codes == 1, axis=1, weights=w), rtol=1e-14)


def test_first_of_equal_shares_wins() -> None:
    assert votes.largest_share(np.array([[0.2, 0.4, 0.4], [0.5, 0.5, 0.0]])).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("codes", "winner"),
    [([0, 1, 1, 0], 1), ([0, 0, 1, 1], 0), ([2, 1, 0], 2), ([2, 1, 1, 2, 0], 1)],
)
def test_settled_by_the_farthest_member(codes: list[int], winner: int) -> None:
    given = np.array([codes])
    shares = votes.class_shares(given, np.ones((1, len(codes))), 3)
    assert votes.nearest_of_tied(shares, given).tolist() == [winner]


def test_band_between_classes() -> None:
    assert votes.y_band(4, 0).tolist() == np.eye(4).tolist()
    assert votes.y_band(4, 2)[0].tolist() == [3.0, 2.0, 1.0, 0.0]
    assert votes.y_band(3, 0.5)[0].tolist() == [1.5, 0.5, 0.0]
    assert votes.y_band(4, 1.5)[0].tolist() == [2.5, 1.5, 0.0, 0.0]  # as kknn: 1:1.5 is 1
    for wrong in (-1, 3, 4):
        with pytest.raises(InputError, match=f"ykernel={wrong} with 3 classes"):
            votes.y_band(3, wrong)


def test_ordered_classes_at_exactly_one_half() -> None:
    sixths = votes.class_shares(np.array([[0, 1, 1, 2, 2, 2]]), np.ones((1, 6)), 3)
    assert votes.middle_class(sixths).tolist() == [1]
    smoothed = votes.smoothed_shares(sixths, 0)
    np.testing.assert_allclose(smoothed, sixths, rtol=1e-15)
