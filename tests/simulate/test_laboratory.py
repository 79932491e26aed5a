"""The theory of the course where the truth is known: each estimator against what it estimates.

Seeds are fixed, so these tests are deterministic; the limits are in Monte Carlo standard errors
of the difference, taken replication by replication.
"""

from __future__ import annotations

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError
from pycvstat.rmath.random import as_stream
from pycvstat.simulate.decomposition import bias_variance, risk_decomposition
from pycvstat.simulate.laws import MonteCarlo, bumps, plane, sine, two_classes
from pycvstat.simulate.quantities import (
    cv_against_risk,
    risk_after_training,
    theorem_1,
    tuning_quantities,
)

WITHIN = 3.0  # Monte Carlo standard errors
KNN = pcv.KNN(kernel="rectangular")


def risks_after(m, law, learner, replications, seed=1, grid=None):
    """The expected risk after training on m rows, of every candidate of a grid."""
    stream = as_stream(seed)
    drawn = (law.draw(stream, m) for _ in range(replications))
    risks = [risk_after_training(law, learner, X, y, stream, grid) for X, y in drawn]
    return [MonteCarlo.of(values) for values in np.transpose(risks)]


@pytest.mark.parametrize(
    ("law", "learner", "m"),
    [(plane(3), pcv.OLS(), 15), (sine(), pcv.KNN(k=3, kernel="rectangular"), 20)],
    ids=["OLS", "kNN"],
)
def test_theorem_1(law, learner, m):
    """Leave-one-out on m + 1 points has the mean of the risk after training on m."""
    found = theorem_1(law, learner, m, replications=200)
    assert abs(found.in_errors) < WITHIN
    (wrong,) = risks_after(2 * m, law, learner, replications=200)
    gap = (found.estimate.mean - wrong.mean) / np.hypot(found.estimate.std_error, wrong.std_error)
    assert gap > WITHIN  # the training size matters: the same estimate is 5 and 8 errors off at 2m


@pytest.mark.parametrize("folds", [pcv.KFold(5), pcv.Blocks(5)], ids=repr)
def test_cross_validation_estimates_the_risk_at_its_own_training_size(folds):
    found = cv_against_risk(plane(5), pcv.OLS(), 50, folds, replications=500)
    assert found.quantity == "expected risk at 40 rows"
    assert abs(found.in_errors) < WITHIN


def test_cross_validation_of_classes():
    found = cv_against_risk(two_classes(), pcv.GLM("binomial"), 60, pcv.KFold(4), replications=150)
    assert abs(found.in_errors) < WITHIN


def test_nested_estimates_the_tuned_risk_and_neither_oracle_nor_minimum_does():
    q = tuning_quantities(
        bumps(3), KNN, {"k": range(1, 31)}, 80, outer=pcv.Blocks(8), inner=pcv.Blocks(5),
        replications=100,
    )  # fmt: skip
    assert q.n_train == 70
    assert abs(q.nested_bias.mean) < WITHIN * q.nested_bias.std_error
    assert q.oracle.mean + WITHIN * q.oracle.std_error < q.tuned.mean
    gaps = dict(zip(["oracle", "tuned", "nested", "min_cv"], q.tidy()["gap_to_tuned"], strict=True))
    assert gaps["tuned"] == 0.0
    assert gaps["oracle"] < 0.0
    assert gaps["min_cv"] < gaps["nested"]  # the minimum of the estimates is the smaller one


def test_bias_variance_and_noise_add_up_to_the_risk():
    grid = {"k": [1, 5, 15, 40]}
    parts = bias_variance(sine(), KNN, 60, grid=grid, replications=150)
    direct = risks_after(60, sine(), KNN, replications=100, seed=5, grid=grid)
    for risk, truth in zip(parts.risk, direct, strict=True):
        assert (
            abs(risk - truth.mean) < 4 * truth.std_error + 0.01 * risk
        )  # fixed points against new
    assert np.all(np.diff(parts.bias2) > 0)
    assert np.all(np.diff(parts.variance) < 0)


def test_estimation_approximation_and_bayes_error():
    """A class that holds the best threshold has no approximation error; a shifted one has."""

    def steps(cuts):
        return [lambda X, t=t: (X[:, 0] > t).astype(float) for t in cuts]

    small = risk_decomposition(two_classes(), steps([-1.0, 0.0, 1.0]), 60, replications=300)
    assert small.approximation == 0.0
    shifted = risk_decomposition(two_classes(), steps([0.5, 1.0]), 60, replications=300)
    assert shifted.approximation > 0
    assert small.bayes == shifted.bayes
    large = risk_decomposition(two_classes(), steps([-1.0, 0.0, 1.0]), 600, replications=300)
    assert large.estimation.mean < small.estimation.mean
    assert small.estimation.mean < small.bound
    assert small.risk == pytest.approx(small.estimation.mean + small.approximation + small.bayes)


def test_the_finite_class_bound_holds_as_often_as_it_says():
    steps = [lambda X, t=t: (X[:, 0] > t).astype(float) for t in np.linspace(-2, 2, 9)]
    found = risk_decomposition(two_classes(), steps, 50, delta=0.05, replications=400)
    assert found.bound == pytest.approx(np.sqrt(2 / 50 * np.log(2 * 9 / 0.05)), rel=1e-14)


@pytest.mark.parametrize(
    "call",
    [
        lambda: bias_variance(two_classes(), KNN, 20),
        lambda: bias_variance(sine(), KNN, 20, replications=1),
        lambda: risk_decomposition(two_classes(), [], 20),
        lambda: risk_decomposition(two_classes(), [lambda X: X[:, 0]], 20, delta=0),
    ],
)
def test_bad_input_is_explained(call):
    with pytest.raises(InputError):
        call()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"law": "sine"}, "draws from a Law"),
        ({"law": sine}, "draws from a Law"),
        ({"n": "20"}, "number of rows"),
        ({"n": 0}, "number of rows"),
        ({"replications": 0}, "replications must be"),
        ({"replications": 2.5}, "replications must be"),
    ],
)
def test_simulations_need_a_law_and_numbers(asked, words):
    asked = {"law": sine(), "n": 20, "replications": 2} | asked
    law, n, times = asked["law"], asked["n"], {"replications": asked["replications"]}
    for call in (
        lambda: bias_variance(law, KNN, n, **times),
        lambda: cv_against_risk(law, KNN, n, pcv.Blocks(2), **times),
        lambda: risk_decomposition(law, [lambda X: X[:, 0]], n, **times),
        lambda: theorem_1(law, KNN, n, **times),
        lambda: tuning_quantities(law, KNN, {"k": [1]}, n, outer=pcv.Blocks(2),
                                  inner=pcv.Blocks(2), **times),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            call()
