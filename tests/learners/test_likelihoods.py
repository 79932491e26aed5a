"""Minus twice the log-likelihood, twice: as R writes it, and from SciPy's densities."""

import numpy as np
import pytest
from scipy import stats

import pycvstat as pcv
from pycvstat.learners.families import (
    BINOMIAL,
    GAMMA,
    GAUSSIAN,
    INVERSE_GAUSSIAN,
    POISSON,
    negative_binomial,
)

DRAW = np.random.default_rng(1)
N = 40
MU = DRAW.uniform(0.2, 0.8, N)
ONES = np.ones(N)
TRIALS = DRAW.integers(1, 9, N).astype(float)
DIGITS = 1e-12  # sums of logarithms


def test_normal_errors_of_the_variance_of_maximum_likelihood():
    y, w = DRAW.normal(MU), DRAW.uniform(0.5, 2, N)
    deviance = float((w * (y - MU) ** 2).sum())
    logs = stats.norm.logpdf(y, MU, np.sqrt(deviance / N / w))
    found = GAUSSIAN.likelihood(y, MU, w, deviance)
    assert found == pytest.approx(-2 * logs.sum() + 2, rel=DIGITS)


def test_shares_of_trials():
    events = DRAW.binomial(TRIALS.astype(int), MU)
    logs = stats.binom.logpmf(events, TRIALS, MU)
    found = BINOMIAL.likelihood(events / TRIALS, MU, TRIALS, 0.0)
    assert found == pytest.approx(-2 * logs.sum(), rel=DIGITS)
    some = np.append(TRIALS, 0.0)  # rows of weight 0 say nothing
    found = BINOMIAL.likelihood(np.append(events / TRIALS, 1.0), np.append(MU, 0.0), some, 0.0)
    assert found == pytest.approx(-2 * logs.sum(), rel=DIGITS)


def test_counts():
    y, mu = DRAW.poisson(5 * MU), 5 * MU
    logs = stats.poisson.logpmf(y, mu)
    found = POISSON.likelihood(y, mu, TRIALS, 0.0)
    assert found == pytest.approx(-2 * (TRIALS * logs).sum(), rel=DIGITS)
    for alpha in (0.3, 2.0):
        logs = stats.nbinom.logpmf(y, 1 / alpha, 1 / (1 + alpha * mu))
        found = negative_binomial(alpha).likelihood(y, mu, TRIALS, 0.0)
        assert found == pytest.approx(-2 * (TRIALS * logs).sum(), rel=DIGITS)


def test_waiting_times():
    y, deviance = DRAW.gamma(2.0, MU), 31.0
    shape = N / deviance
    logs = stats.gamma.logpdf(y, shape, scale=MU / shape)
    found = GAMMA.likelihood(y, MU, ONES, deviance)
    assert found == pytest.approx(-2 * logs.sum() + 2, rel=DIGITS)


def test_inverse_gaussian_at_its_own_dispersion():
    """At the dispersion of maximum likelihood the exponents add up to half the number of rows."""
    y = DRAW.wald(MU, 3.0)
    deviance = float(((y - MU) ** 2 / (y * MU**2)).sum())
    dispersion = deviance / N
    logs = stats.invgauss.logpdf(y, MU * dispersion, scale=1 / dispersion)
    found = INVERSE_GAUSSIAN.likelihood(y, MU, ONES, deviance)
    assert found == pytest.approx(-2 * logs.sum() + 2, rel=DIGITS)


def test_a_fit_without_a_degree_of_freedom_has_no_dispersion():
    data = {"y": [1.0, 2.0, 5.0], "x": [0.0, 1.0, 3.0]}
    for formula, known in (("y ~ x", True), ("y ~ poly(x, 2)", False)):
        fitted = pcv.GLM("gamma", "log").fit(formula, data)
        dispersion = fitted._solution.likelihood(fitted._sample).dispersion
        assert np.isfinite(dispersion) == known
        assert known or np.isnan(dispersion)
