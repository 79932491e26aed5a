"""Learners made of others: what is known of one candidate, and of several."""

from __future__ import annotations

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.data.task import Task


@pytest.mark.parametrize(
    ("learners", "exact"),
    [
        ([pcv.OLS()], True), ([pcv.KNN(2)], False),
        ([pcv.OLS(), pcv.Model(pcv.OLS(), "y ~ z")], False), ([pcv.KNN(2), pcv.OLS()], False),
    ],
)  # fmt: skip
def test_the_learning_curve_is_known_of_one_candidate_alone(learners, exact):
    data = {"y": np.arange(9.0) % 4, "x": np.arange(9.0), "z": np.arange(9.0) ** 2}
    models = pcv.Models(learners)
    candidates = [{"model": name} for name in models.models]
    known = models.prepare(Task.build("y ~ x + z", data), candidates).maker()
    assert bool(known and known.exact) is exact
