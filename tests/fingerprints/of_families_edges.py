"""Families and links at their borders, and fits of each to responses that suit and that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.learners.families import FAMILIES, LINKS, family_named, inside, link_named
from pycvstat.learners.irls import maximum_likelihood_theta
from tests.fingerprints.edges import outcomes
from tests.fingerprints.of_learners_edges import DATA, digits, fitted, validated

Call = Callable[[], Any]
MEANS = np.array([1e-300, 2.2e-16, 1e-9, 0.1, 0.5, 0.9, 1 - 1e-9, 1.5, 7.0, 1e9])
PREDICTORS = np.array([-1e3, -30.5, -30.0, -9.0, -1.0, 0.0, 0.3, 2.0, 30.0, 30.5, 1e3])
LINK_WORDS = (
    *LINKS, "cauchit", "1/mu^2", "inverse_power", "nbinom", "negative_binomial", "power(0.5)",
    "power(2)", "power(-1)", "power(0)", "power( 3 )", "power(x)", "none", "LOG",
)  # fmt: skip
FAMILY_WORDS: tuple[tuple[Any, ...], ...] = (
    *((name, None, None) for name in (*FAMILIES, "negbin", "inverse.gaussian", "Poisson", "none")),
    *(("negative_binomial", alpha, None) for alpha in (None, 0.5, 2.0, 0, -1, np.inf, "a")),
    *(("tweedie", None, power) for power in (None, 1.2, 2, 2.5, 3, 1, 0.5, np.nan)),
    ("poisson", 1.0, None), ("gamma", None, 1.5),
)  # fmt: skip
RESPONSES = (
    DATA["y"], DATA["count"], DATA["share"], DATA["positive"],
    DATA["count"] * 0, DATA["count"] - 1e-9, DATA["share"] + 0.01,
    DATA["hits"], DATA["count"] * 0 + 1, DATA["positive"] * 1e6,
)  # fmt: skip


def alone() -> Iterator[Call]:
    """Means, slopes, variances, deviances, likelihoods and starts."""
    for words in FAMILY_WORDS:
        for link in (None, *LINK_WORDS):
            yield lambda w=words, k=link: link_named(k, family_named(*w), w[1]).name
        for y, mu in product(
            (MEANS, np.round(MEANS), MEANS * 0, MEANS - 0.5), (MEANS, MEANS[::-1])
        ):
            yield lambda w=words, y=y, mu=mu: quiet(of_family, family_named(*w), y, mu)
    for word in LINK_WORDS:
        yield lambda word=word: quiet(of_link, link_named(word, FAMILIES["poisson"], 0.5))
        yield lambda word=word: quiet(of_link, link_named(word, family_named("negbin", 2, None), 2))
    for ends in ((0.0, 1.0), (0.1, 0.5), (-np.inf, np.inf)):
        for x in ([0.1], [0.5], [0.2, 0.4], [np.nan], [np.inf], [], [0.2, 2.0]):
            yield lambda x=x, ends=ends: inside(np.array(x), ends)
    counts = DATA["count"].to_numpy()
    for w, limit in product((np.ones(40), DATA["w"].to_numpy()), (0, 1, 2, 25)):
        for mu in (np.full(40, counts.mean()), counts + 0.5):
            yield lambda w=w, n=limit, mu=mu: maximum_likelihood_theta(counts, mu, w, n)


@np.errstate(all="ignore")
def quiet(function: Callable[..., Any], *given: Any) -> Any:
    return digits(function(*given))


def of_family(family: Any, y: Any, mu: Any) -> list[Any]:
    weights = 1.0 + np.arange(len(y)) % 3
    found = [family.name, family.free_dispersion, family.support, family.default_link]
    found += [family.variance(mu), family.deviance(y, mu), np.asarray(family.responses(y))]
    found += [family.start(y, weights), family.means, family.log_likelihood(y, mu, weights)]
    if family.likelihood is not None:
        found += [f"{family.likelihood(y, mu, weights, 2.5):.6g}"]
    return found


def of_link(link: Any) -> list[Any]:
    etas = [inside(PREDICTORS[[at]], link.valid) for at in range(len(PREDICTORS))]
    found = [link.link(MEANS), link.inverse(PREDICTORS.copy()), link.derivative(PREDICTORS.copy())]
    return [link.name, *found, etas, link.bounds]


def fits() -> Iterator[Call]:
    """Every family with links of every kind, to responses that it allows and that it does not."""
    for y in RESPONSES:
        data = DATA.assign(left=y)
        for words in FAMILY_WORDS[:5] + FAMILY_WORDS[10:12] + FAMILY_WORDS[17:20]:
            for link in (None, "identity", "power(0.5)"):
                learner = (words[0], link, words[1], words[2])
                yield lambda a=learner, d=data: digits(fitted(made(*a), "left ~ x", d))
            learner = (words[0], None, words[1], words[2])
            yield lambda a=learner, d=data: digits(
                validated(made(*a), "left ~ x + z", d, pcv.KFold(3, random=1), weights="w")
            )
        for given in ({"maxiter": 1}, {"maxiter": 3}, {"tol": 1e-2}, {"tol": 1e-15}):
            yield lambda d=data, g=given: digits(fitted(pcv.GLM("poisson", **g), "left ~ x", d))
        for alpha in ("ml", 0.5):
            learner = ("negative_binomial", None, alpha, None)
            yield lambda a=learner, d=data: digits(fitted(made(*a), "left ~ x", d))
            yield lambda a=learner, d=data: digits(fitted(made(*a), "left ~ x", d, weights="w"))


def made(family: str, link: str | None, alpha: Any, var_power: Any) -> Any:
    return pcv.GLM(family, link, alpha=alpha, var_power=var_power)


CALLS: dict[str, Call] = {
    "edges: families and links": outcomes(alone),
    "edges: fits of every family": outcomes(fits),
}
