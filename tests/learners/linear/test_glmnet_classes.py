"""Descent by classes: what counts as certain."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

from pycvstat.learners.linear import glmnet_classes
from pycvstat.learners.linear.glmnet_classes import _CERTAIN, On, _one_by_one
from pycvstat.learners.linear.glmnet_path import FINISHED


def test_probabilities_at_their_bounds_are_certain_and_classes_of_these_alone_rest():
    """Those of 1e-9 and below, and beyond 1 - 2e-9; of three classes, the first one's are."""
    near = np.array([1.0, 1.0 + 0.5e-9, 1.0 + 3e-9, 1.5, 3.0, 1e6]) * _CERTAIN
    shares = np.stack([np.full(6, _CERTAIN / 2), near, 1.0 - near])
    y, w, seen = np.zeros((3, 6)), np.arange(1.0, 7.0), []

    def descend(columns, v, r, b, b0, *rest):
        seen.append([v.copy(), r.copy(), rest[1]])
        return b0, rest[8], rest[11], FINISHED

    on = On(
        np.ones((1, 6)), y, w, shares, np.ones(6), np.zeros((3, 1)), np.zeros(3), np.zeros(1),
        np.ones(1, bool), np.ones(1, bool), np.zeros(1, np.int64), np.zeros(2, np.int64),
    )  # fmt: skip
    others = dict.fromkeys(("_squares", "_odds", "_multiply"), lambda *given: None)
    with mock.patch.multiple(
        glmnet_classes, _descend=descend, centre=lambda b, alpha: 0.0, **others
    ):
        end = _one_by_one.py_func(on, np.ones(1), 0.1, 0.0, True, 1e-9, 99, 1.0)
    assert end == FINISHED
    assert len(seen) == 2
    low, high = np.where(np.arange(6) < 2, 0.0, near), np.where(np.arange(6) < 4, 1.0, 1.0 - near)
    for (v, r, mass), share in zip(seen, (low, high), strict=True):
        assert r == pytest.approx(-w * share, rel=1e-12)
        assert v == pytest.approx(w * share * (1.0 - share), rel=1e-12)
        assert mass == pytest.approx(v.sum(), rel=1e-12)
