"""Families and links of statsmodels under R's rules: where fits start, and what is valid."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from statsmodels.genmod import families as sm
from statsmodels.genmod.families import links

from pycvstat.errors import Advice, InputError
from pycvstat.types import FloatArray

EPS = float(np.finfo(np.float64).eps)
ANY = (-np.inf, np.inf)
POSITIVE = (EPS, np.inf)
UNIT = (EPS, 1 - EPS)


def _everywhere(x: FloatArray) -> bool:
    return True


def _finite(x: FloatArray) -> bool:
    return bool(np.isfinite(x).all())


def _positive(x: FloatArray) -> bool:
    return bool((np.isfinite(x) & (x > 0)).all())


def _negative(x: FloatArray) -> bool:
    return bool((np.isfinite(x) & (x < 0)).all())


def _not_zero(x: FloatArray) -> bool:
    return bool((np.isfinite(x) & (x != 0)).all())


def _not_negative(x: FloatArray) -> bool:
    return bool((x >= 0).all())


def _cubed(mu: FloatArray) -> FloatArray:
    return mu**3


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link of statsmodels, its means kept where R keeps them.

    Parameters
    ----------
    name : str
    of : link of statsmodels
    bounds : (low, high)
        R lets no mean leave these; then the inverse's slope is not below 2.2e-16 either.
    valid : function of the linear predictor
    """

    name: str
    of: Any
    bounds: tuple[float, float] = ANY
    valid: Callable[[FloatArray], bool] = _everywhere

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


class _Logit(links.Logit):  # type: ignore[misc]
    """R's logit ends at predictors of 30, in either direction."""

    def inverse(self, z: FloatArray) -> FloatArray:
        mu = 1.0 / (1.0 + np.exp(-z))
        mu[z > 30], mu[z < -30] = UNIT[1], UNIT[0]
        return mu

    def inverse_deriv(self, z: FloatArray) -> FloatArray:
        t = np.exp(-np.abs(z))
        slope: FloatArray = t / (1.0 + t) ** 2
        slope[np.abs(z) > 30] = EPS
        return slope


class _InverseGaussian(sm.InverseGaussian):  # type: ignore[misc]
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
    valid_mean : function of mu
    valid_response : function of y
    support : str
        The responses that are allowed, in words.
    default_link : str
    free_dispersion : bool
        Whether the dispersion is estimated (Student's t) or 1 (normal distribution).
    """

    name: str
    of: Any
    start: Callable[[FloatArray, FloatArray], FloatArray]
    valid_mean: Callable[[FloatArray], bool]
    valid_response: Callable[[FloatArray], bool]
    support: str
    default_link: str
    free_dispersion: bool = True

    def variance(self, mu: FloatArray) -> FloatArray:
        """The variance of responses with these means."""
        found: FloatArray = self.of.variance(mu)
        return found

    def deviance(self, y: FloatArray, mu: FloatArray) -> FloatArray:
        """The unit deviance of every row."""
        root: FloatArray = self.of.resid_dev(y, mu)
        return root**2

    def linked(self, link: Link) -> Any:
        """The family of statsmodels with this link."""
        made = copy(self.of)
        made.link = link.of
        return made


def _inside(mu: FloatArray) -> bool:
    return bool((np.isfinite(mu) & (mu > 0) & (mu < 1)).all())


GAUSSIAN = Family(
    "gaussian", sm.Gaussian(), lambda y, w: y, _finite, _finite, "any number", "identity"
)
BINOMIAL = Family(
    "binomial",
    sm.Binomial(),
    lambda y, w: (w * y + 0.5) / (w + 1),
    _inside,
    lambda y: bool(((y >= 0) & (y <= 1)).all()),
    "two classes, TRUE/FALSE, or shares between 0 and 1",
    "logit",
    free_dispersion=False,
)
POISSON = Family(
    "poisson",
    sm.Poisson(),
    lambda y, w: y + 0.1,
    _positive,
    _not_negative,
    "counts that are not negative",
    "log",
    free_dispersion=False,
)
GAMMA = Family(
    "gamma", sm.Gamma(), lambda y, w: y, _positive, _positive, "numbers above 0", "inverse"
)
INVERSE_GAUSSIAN = Family(
    "inverse_gaussian",
    _InverseGaussian(),
    lambda y, w: y,
    _everywhere,
    _positive,
    "numbers above 0",
    "inverse_squared",
)


def negative_binomial(alpha: float) -> Family:
    """Variance mu + alpha mu^2. As in R: ``MASS::negative.binomial(theta = 1 / alpha)``."""
    return Family(
        "negative_binomial",
        sm.NegativeBinomial(alpha=alpha),
        lambda y, w: y + (y == 0) / 6,
        _positive,
        _not_negative,
        "counts that are not negative",
        "log",
        free_dispersion=False,
    )


def tweedie(power: float) -> Family:
    """Variance mu^power. As in R: ``statmod::tweedie(var.power = power, link.power = 0)``."""
    return Family(
        "tweedie",
        sm.Tweedie(var_power=power),
        lambda y, w: y + 0.1 * (y == 0),
        _positive,
        _positive if power > 2 else _not_negative,
        "numbers above 0" if power > 2 else "numbers that are not negative",
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
        Link("log", links.Log(), POSITIVE),
        Link("logit", _Logit(), UNIT),
        Link("probit", links.Probit(), UNIT),
        Link("cauchy", links.Cauchy(), UNIT),
        Link("cloglog", links.CLogLog(), UNIT),
        Link("loglog", links.LogLog(), UNIT),
        Link("logc", links.LogC(), valid=_negative),
        Link("sqrt", links.Sqrt(), valid=_positive),
        Link("inverse", links.InversePower(), valid=_not_zero),
        Link("inverse_squared", links.InverseSquared(), valid=_positive),
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
    bounds = POSITIVE if exponent > 0 else ANY
    return Link(f"power({exponent:g})", links.Power(power=exponent), bounds, _positive)


def negative_binomial_link(alpha: float) -> Link:
    """log(mu / (mu + 1 / alpha)), the canonical link of the negative binomial."""
    return Link("negative_binomial", links.NegativeBinomial(alpha=alpha), valid=_negative)


def family_named(name: str, alpha: float | None, var_power: float | None) -> Family:
    """A family by name; parameters only where they belong."""
    plain = str(name).lower()
    plain = SPELLINGS.get(plain, plain)
    if plain not in FAMILY_NAMES:
        near = difflib.get_close_matches(plain, FAMILY_NAMES, n=1)
        raise InputError(
            "There is no such family.",
            given=repr(name),
            fix=f"did you mean {near[0]!r}?" if near else f"one of {', '.join(FAMILY_NAMES)}",
        )
    _only_with("alpha", alpha, plain == "negative_binomial", "negative_binomial")
    _only_with("var_power", var_power, plain == "tweedie", "tweedie")
    if plain == "negative_binomial":
        return negative_binomial(_above("alpha", 1.0 if alpha is None else alpha, 0.0))
    if plain == "tweedie":
        exponent = _above("var_power", 1.5 if var_power is None else var_power, 1.0)
        if exponent == 2:
            raise InputError(
                "Tweedie with var_power 2 is the gamma family.",
                fix=Advice("{family}", family="gamma"),
            )
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
    raise InputError(
        f"There is no such link for the {family.name} family.",
        given=repr(name),
        fix=f"one of {', '.join(LINK_NAMES)}",
    )


def _only_with(name: str, value: float | None, allowed: bool, family: str) -> None:
    if value is not None and not allowed:
        raise InputError(f"{name} belongs to the family {family!r}.", given=f"{name}={value}")


def _above(name: str, value: float, bound: float) -> float:
    if not (np.isfinite(value) and value > bound):
        raise InputError(f"{name} must be a number above {bound:g}.", given=value)
    return float(value)
