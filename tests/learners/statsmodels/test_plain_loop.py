"""Fifteen kinds of model: fold by fold the predictions of a plain loop over statsmodels.

The loop writes each model as its users do, with statsmodels' own formulas or with arrays, and
shares nothing with the learner but the rows of the folds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.discrete.count_model import ZeroInflatedPoisson
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.othermod.betareg import BetaModel

import pycvstat as pcv

SAME = 1e-8
"""The same likelihood from the same start, with columns whose last bits may differ."""

FOLDS = pcv.KFold(4, random=3)


def sample(n: int = 240) -> pd.DataFrame:
    """Responses of many kinds of the same two predictors, with an exposure and patients."""
    rng = np.random.default_rng(8)
    x, z = rng.normal(size=n), rng.uniform(-1, 1, n)
    patient = rng.integers(0, 30, n)
    eta = 0.4 * x - 0.5 * z
    exposure = rng.uniform(0.5, 3, n)
    counts = rng.poisson(exposure * np.exp(eta + 0.2))
    grade = np.digitize(eta + rng.logistic(size=n), [-0.8, 0.6])
    return pd.DataFrame(
        {
            "x": x,
            "z": z,
            "word": rng.choice(["low", "middle", "high"], n),
            "y": 1 + eta + rng.normal(size=30)[patient] + rng.normal(size=n),
            "event": (eta + rng.logistic(size=n) > 0).astype(int),
            "count": counts,
            "zeros": counts * (rng.uniform(size=n) < 0.7),
            "share": np.clip(1 / (1 + np.exp(-eta - rng.normal(size=n))), 0.01, 0.99),
            "grade": pd.Categorical.from_codes(grade, ["mild", "fair", "grave"], ordered=True),
            "patient": patient,
            "exposure": exposure,
            "w": rng.integers(1, 4, n),
        }
    )


DATA = sample()
QUIET = {"disp": 0}


def design(rows: pd.DataFrame) -> pd.DataFrame:
    return sm.add_constant(rows[["x", "z"]])


def loop_of(fit: Callable[..., Any], predict: Callable[..., Any]) -> Callable[..., Any]:
    def predictions(plan: Any) -> list[Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [predict(fit(DATA.iloc[a]), DATA.iloc[b]) for a, b in plan]

    return predictions


def by_formula(function: Any, formula: str, beside: tuple[str, ...] = (), **given: Any) -> Any:
    """A loop with statsmodels' formula; `beside` are columns, sliced at fit and prediction."""
    fitting = given.pop("fit", {})
    sliced = given.pop("sliced", {})

    def fit(rows: pd.DataFrame) -> Any:
        columns = {name: rows[column] for name, column in sliced.items()}
        return function(formula, data=rows, **given, **columns).fit(**fitting)

    def predict(results: Any, rows: pd.DataFrame) -> Any:
        return results.predict(rows, **{name: rows[sliced[name]] for name in beside})

    return loop_of(fit, predict)


POISSON, BINOMIAL = sm.families.Poisson(), sm.families.Binomial()
KINDS: dict[str, tuple[Any, str, Any]] = {
    "least squares": (smf.ols, "y ~ x + word", by_formula(smf.ols, "y ~ x + word")),
    "robust covariance": (
        pcv.Statsmodels(sm.OLS, fit={"cov_type": "HC3"}),
        "y ~ x * z",
        by_formula(smf.ols, "y ~ x * z", fit={"cov_type": "HC3"}),
    ),
    "weighted least squares": (
        pcv.Statsmodels(smf.wls, weights="w"),
        "y ~ x + z",
        by_formula(smf.wls, "y ~ x + z", sliced={"weights": "w"}),
    ),
    "rates": (
        pcv.Statsmodels(smf.glm, family=POISSON, exposure="exposure"),
        "count ~ x + z",
        by_formula(
            smf.glm, "count ~ x + z", ("exposure",), sliced={"exposure": "exposure"}, family=POISSON
        ),
    ),
    "frequency weights": (
        pcv.Statsmodels(sm.GLM, family=BINOMIAL, freq_weights="w"),
        "event ~ x + z",
        by_formula(smf.glm, "event ~ x + z", sliced={"freq_weights": "w"}, family=BINOMIAL),
    ),
    "logit": (
        pcv.Statsmodels(smf.logit),
        "event ~ x + z + word",
        by_formula(smf.logit, "event ~ x + z + word", fit=QUIET),
    ),
    "probit with an offset": (
        pcv.Statsmodels(smf.probit, offset="z"),
        "event ~ x",
        by_formula(smf.probit, "event ~ x", ("offset",), sliced={"offset": "z"}, fit=QUIET),
    ),
    "counts": (
        pcv.Statsmodels(smf.poisson, exposure="exposure"),
        "count ~ x",
        by_formula(
            smf.poisson, "count ~ x", ("exposure",), sliced={"exposure": "exposure"}, fit=QUIET
        ),
    ),
    "negative binomial": (
        smf.negativebinomial,
        "count ~ x + z",
        by_formula(smf.negativebinomial, "count ~ x + z", fit=QUIET),
    ),
    "zero inflation": (
        pcv.Statsmodels(ZeroInflatedPoisson, exog_infl="~ z", fit={"maxiter": 200}),
        "zeros ~ x + z",
        loop_of(
            lambda rows: ZeroInflatedPoisson(
                rows.zeros, design(rows), exog_infl=sm.add_constant(rows[["z"]])
            ).fit(disp=0, maxiter=200),
            lambda results, rows: results.predict(
                design(rows), exog_infl=sm.add_constant(rows[["z"]])
            ),
        ),
    ),
    "quantiles": (
        pcv.Statsmodels(smf.quantreg, fit={"q": 0.8}),
        "y ~ x + z",
        by_formula(smf.quantreg, "y ~ x + z", fit={"q": 0.8}),
    ),
    "robust": (
        pcv.Statsmodels(smf.rlm, M=sm.robust.norms.TukeyBiweight()),
        "y ~ x + z",
        by_formula(smf.rlm, "y ~ x + z", M=sm.robust.norms.TukeyBiweight()),
    ),
    "mixed": (
        pcv.Statsmodels(smf.mixedlm, groups="patient"),
        "y ~ x + z",
        by_formula(smf.mixedlm, "y ~ x + z", sliced={"groups": "patient"}),
    ),
    "mixed, random slopes": (
        pcv.Statsmodels(smf.mixedlm, groups="patient", re_formula="~ z"),
        "y ~ x + z",
        by_formula(smf.mixedlm, "y ~ x + z", sliced={"groups": "patient"}, re_formula="~ z"),
    ),
    "estimating equations": (
        pcv.Statsmodels(
            smf.gee,
            groups="patient",
            family=POISSON,
            cov_struct=sm.cov_struct.Exchangeable(),
            offset="z",
        ),
        "count ~ x",
        loop_of(
            lambda rows: smf.gee(
                "count ~ x",
                "patient",
                rows,
                family=POISSON,
                cov_struct=sm.cov_struct.Exchangeable(),
                offset="z",
            ).fit(),
            lambda results, rows: results.predict(rows, offset=rows.z),
        ),
    ),
    "beta": (BetaModel, "share ~ x + z", by_formula(BetaModel.from_formula, "share ~ x + z")),
    "penalised": (
        pcv.Statsmodels(smf.ols, fit={"alpha": 0.1, "L1_wt": 0.5}),
        "y ~ x + z",
        loop_of(
            lambda rows: smf.ols("y ~ x + z", rows).fit_regularized(alpha=0.1, L1_wt=0.5),
            lambda results, rows: results.predict(rows),
        ),
    ),
    "penalised logit": (
        pcv.Statsmodels(smf.logit, fit={"alpha": 2.0}),
        "event ~ x + z",
        loop_of(
            lambda rows: smf.logit("event ~ x + z", rows).fit_regularized(alpha=2.0, disp=0),
            lambda results, rows: results.predict(rows),
        ),
    ),
}


@pytest.mark.filterwarnings("ignore:statsmodels MixedLM predicts the mean of the population")
@pytest.mark.parametrize("kind", KINDS)
def test_predictions_of_numbers(kind: str) -> None:
    learner, formula, loop = KINDS[kind]
    result = pcv.cross_validate(learner, formula, DATA, folds=FOLDS)
    plan = result.plan
    expected = np.concatenate([np.asarray(part) for part in loop(plan)])
    np.testing.assert_allclose(result.table.predictions.values[0], expected, rtol=SAME, atol=SAME)


CLASSES: dict[str, tuple[Any, str, Any]] = {
    "logit": (
        smf.logit,
        "factor(event) ~ x + z",
        by_formula(smf.logit, "event ~ x + z", fit=QUIET),
    ),
    "multinomial": (
        smf.mnlogit,
        "grade ~ x + z",
        loop_of(
            lambda rows: sm.MNLogit(rows.grade.cat.codes, design(rows)).fit(disp=0),
            lambda results, rows: results.predict(design(rows)),
        ),
    ),
    "ordered": (
        pcv.Statsmodels(OrderedModel, distr="logit", fit={"method": "bfgs"}),
        "grade ~ x + z",
        loop_of(
            lambda rows: OrderedModel(rows.grade, rows[["x", "z"]], distr="logit").fit(
                method="bfgs", disp=0
            ),
            lambda results, rows: results.predict(rows[["x", "z"]]),
        ),
    ),
}


@pytest.mark.parametrize("kind", CLASSES)
def test_probabilities_of_classes(kind: str) -> None:
    learner, formula, loop = CLASSES[kind]
    result = pcv.cross_validate(learner, formula, DATA, folds=FOLDS)
    expected = np.concatenate([np.asarray(part) for part in loop(result.plan)])
    prob = result.table.predictions.prob
    assert prob is not None
    ours = prob[0, :, 1] if expected.ndim == 1 else prob[0]
    np.testing.assert_allclose(ours, expected, rtol=SAME, atol=SAME)
