"""Learners made of others: what is known of one candidate, and of several."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

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


class Own(DummyRegressor):
    """One that might keep something from fit to fit."""


def test_of_several_that_might_keep_something_the_first_is_named_and_all_are_repeated():
    models = pcv.Models([pcv.OLS(), Own(), Own(strategy="median")])
    candidates = [{"model": name} for name in models.models]
    prepared = models.prepare(Task.build("y ~ x", {"y": [1.0, 2.0], "x": [0.0, 1.0]}), candidates)
    assert prepared.repeated == (1, 2)
    assert "median" not in repr(prepared.suspect)
