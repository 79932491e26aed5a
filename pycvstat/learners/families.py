"""Families and links of statsmodels under R's rules: where fits start, and what is valid."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy
from statsmodels.genmod import families as sm
from statsmodels.genmod.families import links

from pycvstat.errors import Advice, InputError
from pycvstat.errors.checks import is_number, nearest, shown
from pycvstat.types import FloatArray

EPS = float(np.finfo(np.float64).eps)

Range = tuple[float, float]
ANY: Range = (-np.inf, np.inf)
POSITIVE: Range = (0.0, np.inf)
NEGATIVE: Range = (-np.inf, 0.0)


def inside(x: FloatArray, bounds: Range) -> bool:
    """Whether all values lie between the two bounds; no infinite or missing one does.

    Examples
    --------
    >>> inside(np.array([0.5, 2.0]), POSITIVE), inside(np.array([0.0]), POSITIVE)
    (True, False)
    """
    return bool(((x > bounds[0]) & (x < bounds[1])).all())


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link of statsmodels, its means kept where R keeps them.

    Parameters
    ----------
    name : str
    of : link of statsmodels
    bounds : (low, high)
        R lets no mean leave these; then the inverse's slope is not below 2.2e-16 either.
    valid : (low, high)
        Between these must the linear predictor be.
    """

    name: str
    of: Any
    bounds: Range = ANY
    valid: Range = ANY

    def link(self, mu: FloatArray) -> FloatArray:
        """The linear predictor of means."""
        eta: FloatArray = self.of(mu)
        return eta

    def inverse(self, eta: FloatArray) -> FloatArray:
        """The means of a linear predictor."""
        mu: FloatArray = self.of.inverse(eta)
        return mu if self.bounds == ANY else np.clip(mu, *self.bounds)

    def derivative(self, eta: FloatArray) -> FloatArray:
        """The slope of the inverse."""
        slope: FloatArray = self.of.inverse_deriv(eta)
        return slope if self.bounds == ANY else np.maximum(slope, EPS)


WITHIN_1: Range = (EPS, 1 - EPS)
ABOVE_0: Range = (EPS, np.inf)


class Logit(links.Logit):  # type: ignore[misc]
    """R's logit ends at predictors of 30, in either direction."""

    def inverse(self, z: FloatArray) -> FloatArray:
        """The means."""
        odds = np.exp(np.clip(z, -30.0, 30.0))
        mu = odds / (1.0 + odds)  # rounded as in R: the digits of 1 - mu are those of mu
        mu[z > 30], mu[z < -30] = WITHIN_1[1], WITHIN_1[0]
        return mu

    def inverse_deriv(self, z: FloatArray) -> FloatArray:
        """Their slope, with all digits also where a mean is nearly 1."""
        t = np.exp(-np.abs(z))
        slope: FloatArray = t / (1.0 + t) ** 2
        slope[np.abs(z) > 30] = EPS
        return slope


def _cubed(mu: FloatArray) -> FloatArray:
    return mu**3


class InverseGaussian(sm.InverseGaussian):  # type: ignore[misc]
    """R allows means below 0, whose negative variance ends the iterations."""

    def __init__(self) -> None:
        super().__init__()
        self.variance = _cubed


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A family of statsmodels with what R's fits need besides.

    Parameters
    ----------
    name : str
    of : family of statsmodels
    start : function of y, weights
        Means at which the iterations start.
    means : (low, high)
        Between these must they be.
    responses : function of y
        Whether they are allowed.
    support : str
        The same in words.
    default_link : str
    likelihood : function of y, mu, weights, deviance, optional
        Minus twice the log-likelihood as R has it; none where R has none.
    free_dispersion : bool
        Whether the dispersion is estimated (Student's t) or 1 (normal distribution).
    """

    name: str
    of: Any
    start: Callable[[FloatArray, FloatArray], FloatArray]
    means: Range
    responses: Callable[[FloatArray], Any]
    support: str
    default_link: str
    likelihood: Callable[[FloatArray, FloatArray, FloatArray, float], float] | None = None
    free_dispersion: bool = True

    def variance(self, mu: FloatArray) -> FloatArray:
        """The variance of responses with these means."""
        found: FloatArray = self.of.variance(mu)
        return found

    def deviance(self, y: FloatArray, mu: FloatArray) -> FloatArray:
        """The unit deviance of every row."""
        root: FloatArray = self.of.resid_dev(y, mu)
        return root**2

    def log_likelihood(self, y: FloatArray, mu: FloatArray, weights: FloatArray) -> float:
        """Of responses with these means, each as often as its weight says."""
        return float(self.of.loglike(y, mu, freq_weights=weights))

    def linked(self, link: Link) -> Any:
        """The family of statsmodels with this link, whether or not statsmodels expects it."""
        made = copy(self.of)
        made._check_link, made.safe_links = False, [links.Link]
        made.link = link.of
        return made


# Minus twice the log-likelihoods, as R's ``family()$aic`` has them.


def _gaussian(y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float) -> float:
    """Normal errors with the variance of maximum likelihood, which counts as a coefficient.

    Examples
    --------
    >>> y, mu, w = np.array([1.0, 3.0]), np.array([2.0, 2.0]), np.ones(2)
    >>> round(_gaussian(y, mu, w, 2.0), 6)
    7.675754
    """
    n = len(y)
    return float(n * (np.log(deviance / n * 2 * np.pi) + 1) + 2 - np.log(w).sum())


def _binomial(y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float) -> float:
    """Shares of w trials, of which R takes whole numbers.

    Examples
    --------
    >>> round(_binomial(np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.ones(2), 0.0), 6)
    2.772589
    """
    n, events = np.rint(w), np.rint(w * y)
    choices = gammaln(n + 1) - gammaln(events + 1) - gammaln(n - events + 1)
    logs = choices + xlogy(events, mu) + xlog1py(n - events, -mu)
    return float(-2 * np.where(w > 0, logs, 0.0).sum())


def _poisson(y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float) -> float:
    """Counts."""
    return float(-2 * (w * (xlogy(y, mu) - mu - gammaln(y + 1))).sum())


def _gamma(y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float) -> float:
    """Gamma responses at the dispersion deviance / sum of weights, a coefficient too."""
    shape = float(w.sum()) / deviance
    logs = xlogy(shape, shape * y / mu) - np.log(y) - shape * y / mu - gammaln(shape)
    return float(-2 * (w * logs).sum() + 2)


def _inverse_gaussian(y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float) -> float:
    """Inverse Gaussian responses, the dispersion as of `_gamma`."""
    dispersion = deviance / float(w.sum())
    return float((w * (np.log(dispersion * 2 * np.pi) + 1 + 3 * np.log(y))).sum() + 2)


def _negative_binomial(
    alpha: float, y: FloatArray, mu: FloatArray, w: FloatArray, deviance: float
) -> float:
    """Counts with variance mu + alpha mu^2, for a known alpha."""
    theta = 1.0 / alpha
    logs = xlogy(y, mu) + xlogy(theta, theta) - (y + theta) * np.log(mu + theta)
    logs += gammaln(theta + y) - gammaln(theta) - gammaln(y + 1)
    return float(-2 * (w * logs).sum())


COUNTS = "counts that are not negative"
GAUSSIAN = Family(
    "gaussian", sm.Gaussian(), lambda y, w: y, ANY, np.isfinite, "any number", "identity", _gaussian
)
BINOMIAL = Family(
    "binomial",
    sm.Binomial(),
    lambda y, w: (w * y + 0.5) / (w + 1),
    (0.0, 1.0),
    lambda y: (y >= 0) & (y <= 1),
    "two classes, TRUE/FALSE, or shares between 0 and 1",
    "logit",
    _binomial,
    free_dispersion=False,
)
POISSON = Family(
    "poisson",
    sm.Poisson(),
    lambda y, w: y + 0.1,
    POSITIVE,
    lambda y: y >= 0,
    COUNTS,
    "log",
    _poisson,
    free_dispersion=False,
)
GAMMA = Family(
    "gamma",
    sm.Gamma(),
    lambda y, w: y,
    POSITIVE,
    lambda y: y > 0,
    "numbers above 0",
    "inverse",
    _gamma,
)
INVERSE_GAUSSIAN = replace(
    GAMMA,
    name="inverse_gaussian",
    of=InverseGaussian(),
    means=ANY,
    default_link="inverse_squared",
    likelihood=_inverse_gaussian,
)


def negative_binomial(alpha: float) -> Family:
    """Variance mu + alpha mu^2. As in R: ``MASS::negative.binomial(theta = 1 / alpha)``."""
    return replace(
        POISSON,
        name="negative_binomial",
        of=sm.NegativeBinomial(alpha=alpha),
        start=lambda y, w: y + (y == 0) / 6,
        likelihood=partial(_negative_binomial, alpha),
    )


def tweedie(power: float) -> Family:
    """Variance mu^power. As in R: ``statmod::tweedie(var.power = power, link.power = 0)``."""
    zeros = power < 2
    return Family(
        "tweedie",
        sm.Tweedie(var_power=power),
        lambda y, w: y + 0.1 * (y == 0),
        POSITIVE,
        (lambda y: y >= 0) if zeros else (lambda y: y > 0),
        "numbers that are not negative" if zeros else "numbers above 0",
        "log",
    )


FAMILIES = {
    family.name: family for family in (GAUSSIAN, BINOMIAL, POISSON, GAMMA, INVERSE_GAUSSIAN)
}
FAMILY_NAMES = (*FAMILIES, "negative_binomial", "tweedie")
SPELLINGS = {"inverse.gaussian": "inverse_gaussian", "negbin": "negative_binomial"}
LINKS = {
    link.name: link
    for link in (
        Link("identity", links.Identity()),
        Link("log", links.Log(), ABOVE_0),
        Link("logit", Logit(), WITHIN_1),
        Link("probit", links.Probit(), WITHIN_1),
        Link("cauchy", links.Cauchy(), WITHIN_1),
        Link("cloglog", links.CLogLog(), WITHIN_1),
        Link("loglog", links.LogLog(), WITHIN_1),
        Link("logc", links.LogC(), valid=NEGATIVE),
        Link("sqrt", links.Sqrt(), valid=POSITIVE),
        Link("inverse", links.InversePower()),
        Link("inverse_squared", links.InverseSquared(), valid=POSITIVE),
    )
}
LINK_NAMES = (*LINKS, "negative_binomial", "power(...)")
LINK_SPELLINGS = {
    "cauchit": "cauchy",
    "1/mu^2": "inverse_squared",
    "inverse_power": "inverse",
    "nbinom": "negative_binomial",
}


def power(exponent: float) -> Link:
    """mu^exponent. As in R: ``power(exponent)`` for exponents above 0."""
    bounds = ABOVE_0 if exponent > 0 else ANY
    return Link(f"power({exponent:g})", links.Power(power=exponent), bounds, POSITIVE)


def negative_binomial_link(alpha: float) -> Link:
    """log(mu / (mu + 1 / alpha)), the canonical link of the negative binomial."""
    return Link("negative_binomial", links.NegativeBinomial(alpha=alpha), valid=NEGATIVE)


def family_named(name: str, alpha: float | None, var_power: float | None) -> Family:
    """A family by name; parameters only where they belong."""
    plain = str(name).lower()
    plain = SPELLINGS.get(plain, plain)
    if plain not in FAMILY_NAMES:
        fix = nearest(plain, FAMILY_NAMES)
        raise InputError("There is no such family.", given=repr(name), fix=fix)
    _only_with("alpha", alpha, plain == "negative_binomial", "negative_binomial")
    _only_with("var_power", var_power, plain == "tweedie", "tweedie")
    if plain == "negative_binomial":
        return negative_binomial(_above("alpha", 1.0 if alpha is None else alpha, 0.0))
    if plain == "tweedie":
        exponent = _above("var_power", 1.5 if var_power is None else var_power, 1.0)
        if exponent == 2:
            problem = "Tweedie with var_power 2 is the gamma family."
            raise InputError(problem, fix=Advice("{family}", family="gamma"))
        return tweedie(exponent)
    return FAMILIES[plain]


def link_named(name: str | None, family: Family, alpha: float | None) -> Link:
    """A link by name; None is the family's default."""
    plain = family.default_link if name is None else str(name).lower()
    plain = LINK_SPELLINGS.get(plain, plain)
    if plain in LINKS:
        return LINKS[plain]
    if plain == "negative_binomial" and family.name == "negative_binomial":
        return negative_binomial_link(1.0 if alpha is None else alpha)
    found = re.fullmatch(r"power\((-?[0-9.]+)\)", plain.replace(" ", ""))
    if found and float(found.group(1)) != 0:
        return power(float(found.group(1)))
    problem = f"There is no such link for the {family.name} family."
    raise InputError(problem, given=repr(name), fix=f"one of {', '.join(LINK_NAMES)}")


def _only_with(name: str, value: float | None, allowed: bool, family: str) -> None:
    if value is not None and not allowed:
        raise InputError(f"{name} belongs to the family {family!r}.", given=f"{name}={value}")


def _above(name: str, value: float, bound: float) -> float:
    if not (is_number(value) and np.isfinite(value) and value > bound):
        fix = 'alpha="ml" estimates it' if name == "alpha" else None
        raise InputError(f"{name} must be a number above {bound:g}.", given=shown(value), fix=fix)
    return float(value)
