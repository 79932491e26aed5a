"""Families and links against statsmodels' own fits: other iterations, the same optimum."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
import statsmodels.api as sm

from pycvstat.learners.families import LINKS, family_named, link_named
from pycvstat.learners.irls import Control, Problem, fit_glm
from pycvstat.learners.robust import NORMS, norm_of
from pycvstat.learners.statsmodels.multinomial import fit_multinomial

OPTIMUM = 1e-6
"""Both stop near the optimum: by the deviance here, by the deviance there."""

EXACT = 1e-12

FAMILIES = {
    "gaussian": sm.families.Gaussian,
    "binomial": sm.families.Binomial,
    "poisson": sm.families.Poisson,
    "gamma": sm.families.Gamma,
    "inverse_gaussian": sm.families.InverseGaussian,
    "negative_binomial": sm.families.NegativeBinomial,
    "tweedie": sm.families.Tweedie,
}
THEIR_LINKS = {
    "identity": sm.families.links.Identity,
    "log": sm.families.links.Log,
    "logit": sm.families.links.Logit,
    "probit": sm.families.links.Probit,
    "cauchy": sm.families.links.Cauchy,
    "cloglog": sm.families.links.CLogLog,
    "loglog": sm.families.links.LogLog,
    "logc": sm.families.links.LogC,
    "sqrt": sm.families.links.Sqrt,
    "inverse": sm.families.links.InversePower,
    "inverse_squared": sm.families.links.InverseSquared,
}
UNIT = {"logit", "probit", "cauchy", "cloglog", "loglog", "logc"}
PAIRS = [
    (family, link)
    for family, link in itertools.product(FAMILIES, THEIR_LINKS)
    if link not in UNIT or family == "binomial"
]


def sample(family: str, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Means between 0.3 and 0.7, so that every link is at home."""
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, n)
    mean = 0.5 + 0.2 * x
    draw = {
        "gaussian": lambda: mean + rng.normal(size=n) * 0.05,
        "binomial": lambda: rng.binomial(20, mean) / 20,
        "poisson": lambda: rng.poisson(mean).astype(float),
        "gamma": lambda: rng.gamma(5, mean / 5),
        "inverse_gaussian": lambda: rng.wald(mean, 5.0),
        "negative_binomial": lambda: rng.poisson(rng.gamma(1.0, mean)).astype(float),
        "tweedie": lambda: rng.gamma(2 * (1 + rng.poisson(9 * mean)), 0.05),
    }[family]
    return np.column_stack([np.ones(n), x]), draw()


def theirs_of(family: str, link: object = None) -> object:
    """The family with our defaults."""
    defaults = {"tweedie": {"var_power": 1.5}, "negative_binomial": {"alpha": 1.0}}
    return FAMILIES[family](link, check_link=False, **defaults.get(family, {}))


@pytest.mark.parametrize(("family", "link"), PAIRS)
def test_coefficients(family: str, link: str) -> None:
    X, y = sample(family)
    ours = family_named(family, None, None)
    control = Control(1e-12, 200)
    fit = fit_glm(Problem.of(X, y, ours, link_named(link, ours, None), control=control))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # statsmodels warns of links it does not expect
        family_object = theirs_of(family, THEIR_LINKS[link]())
        theirs = sm.GLM(y, X, family=family_object).fit(
            tol=1e-14, maxiter=200, start_params=fit.fitted.coefficients
        )
    np.testing.assert_allclose(fit.fitted.coefficients, theirs.params, rtol=OPTIMUM, atol=OPTIMUM)
    assert fit.deviances[-1] == pytest.approx(theirs.deviance, rel=OPTIMUM)


@pytest.mark.parametrize("name", [*LINKS, "power(0.5)", "power(-1.5)"])
def test_links_are_inverted_and_differentiated(name: str) -> None:
    link = link_named(name, family_named("gaussian", None, None), None)
    mu = np.linspace(0.05, 0.95, 19)
    eta = link.link(mu)
    np.testing.assert_allclose(link.inverse(eta), mu, rtol=EXACT)
    step = 1e-6
    slope = (link.inverse(eta + step) - link.inverse(eta - step)) / (2 * step)
    np.testing.assert_allclose(link.derivative(eta), slope, rtol=1e-6)


@pytest.mark.parametrize("name", THEIR_LINKS)
def test_links_are_those_of_statsmodels(name: str) -> None:
    mu = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(
        LINKS[name].link(mu), THEIR_LINKS[name]()(mu), rtol=EXACT, atol=EXACT
    )


def test_the_canonical_link_of_the_negative_binomial() -> None:
    family = family_named("negative_binomial", 0.7, None)
    link = link_named("nbinom", family, 0.7)
    mu = np.linspace(0.1, 9, 19)
    theirs = sm.families.links.NegativeBinomial(alpha=0.7)
    np.testing.assert_allclose(link.link(mu), theirs(mu), rtol=EXACT)
    np.testing.assert_allclose(link.inverse(link.link(mu)), mu, rtol=EXACT)
    np.testing.assert_allclose(link.derivative(link.link(mu)), theirs.inverse_deriv(theirs(mu)))


@pytest.mark.parametrize("family", FAMILIES)
def test_variances_and_deviances(family: str) -> None:
    X, y = sample(family)
    ours = family_named(family, None, None)
    theirs = theirs_of(family)
    mu = 0.5 + 0.1 * X[:, 1]
    np.testing.assert_allclose(ours.variance(mu), theirs.variance(mu), rtol=EXACT)
    assert ours.deviance(y, mu).sum() == pytest.approx(theirs.deviance(y, mu), rel=1e-10)


@pytest.mark.parametrize("name", NORMS)
def test_a_residual_of_zero_has_its_whole_weight(name: str) -> None:
    assert norm_of(name, NORMS[name][1]).weights(np.zeros(1)).tolist() == [1.0]


def test_multinomial() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(300), rng.normal(size=(300, 3))])
    eta = np.column_stack([np.zeros(300), X @ rng.normal(size=(4, 2))])
    codes = (eta + rng.gumbel(size=eta.shape)).argmax(axis=1)
    fit = fit_multinomial(X, codes)
    theirs = sm.MNLogit(codes, X).fit(disp=0, tol=1e-14, maxiter=200)
    np.testing.assert_allclose(fit.coefficients, theirs.params.T, rtol=1e-9)
    np.testing.assert_allclose(np.sqrt(np.diag(fit.covariance)), theirs.bse.T.ravel(), rtol=1e-9)
