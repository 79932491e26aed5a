"""Linear models: coefficient tables and fitted values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycvstat import data
from pycvstat.learners.base import Learner
from pycvstat.learners.glm import GLM
from pycvstat.learners.multinomial import MNLogit
from pycvstat.learners.ols import OLS, WLS
from pycvstat.learners.penalised import ElasticNet
from pycvstat.learners.quantile import QuantReg
from pycvstat.learners.robust import RLM
from pycvstat.r.check.cases.case import Cases, case
from pycvstat.rmath.tolerances import ITERATIVE, LINEAR, NUMERICAL, Tolerance

LM = (
    "mpg ~ wt",
    "mpg ~ wt + hp",
    "mpg ~ .",
    "mpg ~ wt * hp",
    "mpg ~ factor(cyl) + wt",
    "mpg ~ factor(cyl) * wt",
    "mpg ~ poly(wt, 2) + hp",
    "log(mpg) ~ log(wt) + I(hp^2)",
    "mpg ~ 0 + factor(gear)",
    "mpg ~ (wt + hp + qsec)^2",
)
GLMS: dict[str, tuple[str, Learner]] = {
    "glm am ~ wt, binomial": ("am ~ wt", GLM("binomial")),
    "glm carb ~ hp + wt, poisson": ("carb ~ hp + wt", GLM("poisson")),
    "glm mpg ~ wt, Gamma log": ("mpg ~ wt", GLM("gamma", link="log")),
    "glm vs ~ mpg, binomial probit": ("vs ~ mpg", GLM("binomial", link="probit")),
    "glm carb ~ hp + wt, negative binomial": ("carb ~ hp + wt", GLM("negative_binomial")),
}
TABLE = {
    "coefficients": "estimate",
    "standard errors": "std_error",
    "statistics": "statistic",
    "p values": "p_value",
}
COLLINEAR = Tolerance(1e-8, "near-collinear columns magnify the rounding of a factorisation")


def _fit(learner: Learner, formula: str) -> Any:
    if isinstance(learner, WLS):
        return learner.fit(formula, data.mtcars(), weights="qsec")
    return learner.fit(formula, data.mtcars())


def _column(_: Mapping[str, Any], learner: Learner, formula: str, column: str) -> Any:
    return _fit(learner, formula).tidy()[column].to_numpy()


def _fitted(_: Mapping[str, Any], learner: Learner, formula: str) -> Any:
    return np.asarray(_fit(learner, formula).predict(data.mtcars()))


def _table(name: str, learner: Learner, formula: str, tolerance: Tolerance) -> Cases:
    found = {
        f"{name}: {part}": case(_column, learner, formula, column, tolerance=tolerance)
        for part, column in TABLE.items()
    }
    found[f"{name}: fitted"] = case(_fitted, learner, formula, tolerance=tolerance)
    return found


def cases() -> Cases:
    """lm, glm, multinom, rlm, rq and glmnet on mtcars."""
    found: Cases = {}
    for formula in LM:
        tolerance = COLLINEAR if "^" in formula or "*" in formula else LINEAR
        found |= _table(f"lm {formula}", OLS(), formula, tolerance)
    for name, (formula, learner) in GLMS.items():
        found |= _table(name, learner, formula, ITERATIVE)
    found |= _table("lm mpg ~ wt + hp, weights qsec", WLS(), "mpg ~ wt + hp", LINEAR)
    for part, column in list(TABLE.items())[:2]:
        found[f"multinom factor(cyl) ~ qsec: {part}"] = case(
            _column, MNLogit(), "factor(cyl) ~ qsec", column, tolerance=NUMERICAL
        )
    others: dict[str, Learner] = {
        "rlm mpg ~ wt + hp": RLM(),
        "rlm mpg ~ wt + hp, bisquare": RLM("bisquare"),
    }
    others |= {f"rq mpg ~ wt + hp, tau = {tau:g}": QuantReg(tau=tau) for tau in (0.25, 0.5, 0.9)}
    for name, learner in others.items():
        found[f"{name}: coefficients"] = case(
            _column, learner, "mpg ~ wt + hp", "estimate", tolerance=ITERATIVE
        )
    for alpha in (0.0, 0.5, 1.0):
        for lam in (0.1, 1.0):
            net = ElasticNet(alpha=alpha, lam=lam)
            found[f"glmnet alpha = {alpha:g}, lambda = {lam:g}: fitted"] = case(
                _fitted, net, "mpg ~ wt + hp + qsec + drat", tolerance=ITERATIVE
            )
    return found
