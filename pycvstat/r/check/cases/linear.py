"""Regression models: coefficient tables and fitted values."""

from __future__ import annotations

from functools import partial

from pycvstat import data
from pycvstat.learners.base import Learner
from pycvstat.learners.glm import GLM
from pycvstat.learners.multinomial import MNLogit
from pycvstat.learners.ols import OLS, WLS
from pycvstat.learners.penalised import ElasticNet
from pycvstat.learners.quantile import QuantReg
from pycvstat.learners.robust import RLM
from pycvstat.r.check.call import Call, call_of
from pycvstat.r.check.cases import Cases

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
TWO, FOUR = "mpg ~ wt + hp", "mpg ~ wt + hp + qsec + drat"
OTHERS: dict[str, tuple[str, Learner]] = {
    "glm am ~ wt, binomial": ("am ~ wt", GLM("binomial")),
    "glm carb ~ hp + wt, poisson": ("carb ~ hp + wt", GLM("poisson")),
    "glm mpg ~ wt, Gamma log": ("mpg ~ wt", GLM("gamma", link="log")),
    "glm vs ~ mpg, binomial probit": ("vs ~ mpg", GLM("binomial", link="probit")),
    "glm carb ~ hp + wt, negative binomial": ("carb ~ hp + wt", GLM("negative_binomial")),
    "multinom factor(cyl) ~ qsec": ("factor(cyl) ~ qsec", MNLogit()),
    f"rlm {TWO}": (TWO, RLM()),
    f"rlm {TWO}, bisquare": (TWO, RLM("bisquare")),
    f"lm {TWO}, weights qsec": (TWO, WLS()),
    **{f"rq {TWO}, tau = {tau:g}": (TWO, QuantReg(tau=tau)) for tau in (0.25, 0.5, 0.9)},
    **{
        f"glmnet alpha = {alpha:g}, lambda = {lam:g}": (FOUR, ElasticNet(lam, alpha))
        for alpha in (0.0, 0.5, 1.0)
        for lam in (0.1, 1.0)
    },
}


def _fit(learner: Learner, formula: str) -> Call:
    weights = "qsec" if isinstance(learner, WLS) else None
    return call_of(learner.fit(formula, data.mtcars(), weights=weights))


def cases() -> Cases:
    """lm, glm, multinom, rlm, rq and glmnet on mtcars."""
    found: Cases = {f"lm {formula}": partial(_fit, OLS(), formula) for formula in LM}
    return found | {name: partial(_fit, one, formula) for name, (formula, one) in OTHERS.items()}
