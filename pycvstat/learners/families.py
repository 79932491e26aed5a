"""Families and links of generalised linear models, with R's definitions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import InputError

FloatArray = NDArray[np.float64]
Function = Callable[[FloatArray], FloatArray]

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link function, its inverse, the inverse's derivative, and which predictors are valid."""

    name: str
    link: Function
    inverse: Function
    derivative: Function
    valid: Callable[[FloatArray], bool] = lambda eta: True


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A family: variance function, unit deviance, starting means.

    Parameters
    ----------
    name : str
    variance : function of mu
    deviance : function of y, mu
        Per row, without weights.
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
    variance: Function
    deviance: Callable[[FloatArray, FloatArray], FloatArray]
    start: Callable[[FloatArray, FloatArray], FloatArray]
    valid_mean: Callable[[FloatArray], bool]
    valid_response: Callable[[FloatArray], bool]
    support: str
    default_link: str
    free_dispersion: bool = True


def _positive(x: FloatArray) -> bool:
    return bool((np.isfinite(x) & (x > 0)).all())


def _finite(x: FloatArray) -> bool:
    return bool(np.isfinite(x).all())


def _log_ratio(y: FloatArray, mu: FloatArray) -> FloatArray:
    """y log(y / mu), which is 0 at y = 0."""
    return np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0) / mu), 0.0)


def _binomial_deviance(y: FloatArray, mu: FloatArray) -> FloatArray:
    return 2 * (_log_ratio(y, mu) + _log_ratio(1 - y, 1 - mu))


def _poisson_deviance(y: FloatArray, mu: FloatArray) -> FloatArray:
    return 2 * (_log_ratio(y, mu) - (y - mu))


GAUSSIAN = Family(
    "gaussian",
    np.ones_like,
    lambda y, mu: (y - mu) ** 2,
    lambda y, w: y,
    _finite,
    _finite,
    "any number",
    "identity",
)
BINOMIAL = Family(
    "binomial",
    lambda mu: mu * (1 - mu),
    _binomial_deviance,
    lambda y, w: (w * y + 0.5) / (w + 1),
    lambda mu: bool((np.isfinite(mu) & (mu > 0) & (mu < 1)).all()),
    lambda y: bool(((y >= 0) & (y <= 1)).all()),
    "two classes, TRUE/FALSE, or shares between 0 and 1",
    "logit",
    free_dispersion=False,
)
POISSON = Family(
    "poisson",
    lambda mu: mu,
    _poisson_deviance,
    lambda y, w: y + 0.1,
    _positive,
    lambda y: bool((y >= 0).all()),
    "counts that are not negative",
    "log",
    free_dispersion=False,
)
GAMMA = Family(
    "gamma",
    lambda mu: mu**2,
    lambda y, mu: -2 * (np.log(y / mu) - (y - mu) / mu),
    lambda y, w: y,
    _positive,
    _positive,
    "numbers above 0",
    "inverse",
)
INVERSE_GAUSSIAN = Family(
    "inverse_gaussian",
    lambda mu: mu**3,
    lambda y, mu: (y - mu) ** 2 / (y * mu**2),
    lambda y, w: y,
    lambda mu: True,
    _positive,
    "numbers above 0",
    "inverse_squared",
)


def negative_binomial(alpha: float) -> Family:
    """Variance mu + alpha mu^2. As in R: ``MASS::negative.binomial(theta = 1 / alpha)``."""
    theta = 1 / alpha

    def deviance(y: FloatArray, mu: FloatArray) -> FloatArray:
        rest: FloatArray = (y + theta) * np.log((y + theta) / (mu + theta))
        return 2 * (_log_ratio(y, mu) - rest)

    return Family(
        "negative_binomial",
        lambda mu: mu + alpha * mu**2,
        deviance,
        lambda y, w: y + (y == 0) / 6,
        _positive,
        lambda y: bool((y >= 0).all()),
        "counts that are not negative",
        "log",
        free_dispersion=False,
    )


def tweedie(power: float) -> Family:
    """Variance mu^power. As in R: ``statmod::tweedie(var.power = power, link.power = 0)``."""

    def deviance(y: FloatArray, mu: FloatArray) -> FloatArray:
        own = y ** (2 - power) / ((1 - power) * (2 - power))
        return 2 * (own - y * mu ** (1 - power) / (1 - power) + mu ** (2 - power) / (2 - power))

    return Family(
        "tweedie",
        lambda mu: mu**power,
        deviance,
        lambda y, w: y + 0.1 * (y == 0),
        _positive,
        _positive if power > 2 else lambda y: bool((y >= 0).all()),
        "numbers above 0" if power > 2 else "numbers that are not negative",
        "log",
    )


FAMILIES = {
    family.name: family for family in (GAUSSIAN, BINOMIAL, POISSON, GAMMA, INVERSE_GAUSSIAN)
}
FAMILY_NAMES = (*FAMILIES, "negative_binomial", "tweedie")
SPELLINGS = {"inverse.gaussian": "inverse_gaussian", "negbin": "negative_binomial"}
LINK_SPELLINGS = {
    "cauchit": "cauchy",
    "1/mu^2": "inverse_squared",
    "inverse_power": "inverse",
    "nbinom": "negative_binomial",
}


def _logit_inverse(eta: FloatArray) -> FloatArray:
    odds: FloatArray = np.exp(np.clip(eta, -30, 30))
    odds = np.where(eta < -30, EPS, np.where(eta > 30, 1 / EPS, odds))
    return odds / (1 + odds)


def _logit_derivative(eta: FloatArray) -> FloatArray:
    e = np.exp(np.clip(eta, -30, 30))
    return np.where(np.abs(eta) > 30, EPS, e / (1 + e) ** 2)


def _floor(x: FloatArray) -> FloatArray:
    floored: FloatArray = np.maximum(x, EPS)
    return floored


def _probit_inverse(eta: FloatArray) -> FloatArray:
    from scipy.special import ndtr, ndtri

    bound = -ndtri(EPS)
    made: FloatArray = ndtr(np.clip(eta, -bound, bound))
    return made


def _probit(mu: FloatArray) -> FloatArray:
    from scipy.special import ndtri

    made: FloatArray = ndtri(mu)
    return made


def _cauchy_inverse(eta: FloatArray) -> FloatArray:
    bound = -np.tan(np.pi * (EPS - 0.5))
    clipped = np.clip(eta, -bound, bound)
    # far in the lower tail 1/2 + atan/pi cancels; atan(-1/x)/pi does not
    tail = np.arctan(1 / np.where(clipped == 0, 1.0, -clipped)) / np.pi
    return np.where(clipped < -1, tail, 0.5 + np.arctan(clipped) / np.pi)


def _cloglog_inverse(eta: FloatArray) -> FloatArray:
    return np.clip(-np.expm1(-np.exp(eta)), EPS, 1 - EPS)


def _cloglog_derivative(eta: FloatArray) -> FloatArray:
    e = np.exp(np.minimum(eta, 700.0))
    return _floor(e * np.exp(-e))


def _gaussian_density(eta: FloatArray) -> FloatArray:
    return _floor(np.exp(-(eta**2) / 2) / float(np.sqrt(2 * np.pi)))


LINKS = {
    link.name: link
    for link in (
        Link("identity", lambda mu: mu, lambda eta: eta, np.ones_like),
        Link("log", np.log, lambda eta: _floor(np.exp(eta)), lambda eta: _floor(np.exp(eta))),
        Link("logit", lambda mu: np.log(mu / (1 - mu)), _logit_inverse, _logit_derivative),
        Link("probit", _probit, _probit_inverse, _gaussian_density),
        Link(
            "cauchy",
            lambda mu: np.tan(np.pi * (mu - 0.5)),
            _cauchy_inverse,
            lambda eta: _floor(1 / (np.pi * (1 + eta**2))),
        ),
        Link(
            "cloglog",
            lambda mu: np.log(-np.log1p(-mu)),
            _cloglog_inverse,
            _cloglog_derivative,
        ),
        Link(
            "loglog",
            lambda mu: -np.log(-np.log(mu)),
            lambda eta: 1 - _cloglog_inverse(-eta),
            lambda eta: _cloglog_derivative(-eta),
        ),
        Link(
            "logc",
            lambda mu: np.log1p(-mu),
            lambda eta: -np.expm1(eta),
            lambda eta: -np.exp(eta),
            lambda eta: bool((np.isfinite(eta) & (eta < 0)).all()),
        ),
        Link("sqrt", np.sqrt, np.square, lambda eta: 2 * eta, _positive),
        Link(
            "inverse",
            lambda mu: 1 / mu,
            lambda eta: 1 / eta,
            lambda eta: -1 / eta**2,
            lambda eta: bool((np.isfinite(eta) & (eta != 0)).all()),
        ),
        Link(
            "inverse_squared",
            lambda mu: 1 / mu**2,
            lambda eta: 1 / np.sqrt(eta),
            lambda eta: -1 / (2 * eta**1.5),
            _positive,
        ),
    )
}
LINK_NAMES = (*LINKS, "negative_binomial", "power(...)")


def power(exponent: float) -> Link:
    """mu^exponent. As in R: ``power(exponent)`` for exponents above 0."""

    def derivative(eta: FloatArray) -> FloatArray:
        slope: FloatArray = eta ** (1 / exponent - 1) / exponent
        return _floor(slope) if exponent > 0 else slope

    return Link(
        f"power({exponent:g})",
        lambda mu: mu**exponent,
        lambda eta: _floor(eta ** (1 / exponent)),
        derivative,
        _positive,
    )


def negative_binomial_link(alpha: float) -> Link:
    """log(mu / (mu + 1 / alpha)), the canonical link of the negative binomial."""
    return Link(
        "negative_binomial",
        lambda mu: np.log(mu / (mu + 1 / alpha)),
        lambda eta: -1 / (alpha * (1 - np.exp(-eta))),
        lambda eta: np.exp(eta) / (alpha * (1 - np.exp(eta)) ** 2),
        lambda eta: bool((np.isfinite(eta) & (eta < 0)).all()),
    )


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
            raise InputError("Tweedie with var_power 2 is the gamma family.", fix="family='gamma'")
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
