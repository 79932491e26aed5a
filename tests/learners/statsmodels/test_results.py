"""The results objects of statsmodels that our fits hand out, at our coefficients."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

import pycvstat as pcv
from pycvstat.errors import FitError, PycvstatWarning
from tests.learners.statsmodels.test_plain_loop import DATA

ROUNDING = 1e-9
"""Direct formulas on the same rows, by another factorisation."""

OPTIMUM = 1e-5
"""Both stop near the optimum, each by its own rule."""

POISSON, BINOMIAL = sm.families.Poisson(), sm.families.Binomial()
GAMMA_LOG = sm.families.Gamma(sm.families.links.Log())
FITS: dict[str, tuple[Any, str, Any, str | None, float]] = {
    "OLS": (pcv.OLS(), "y ~ word + x", smf.ols("y ~ C(word) + x", DATA).fit(), None, ROUNDING),
    "WLS": (
        pcv.WLS(),
        "y ~ x + z",
        smf.wls("y ~ x + z", DATA, weights=DATA.w).fit(),
        "w",
        ROUNDING,
    ),
    "Poisson": (
        pcv.GLM("poisson"),
        "count ~ x + offset(log(exposure))",
        smf.glm("count ~ x", DATA, family=POISSON, exposure=DATA.exposure).fit(),
        None,
        OPTIMUM,
    ),
    "gamma": (
        pcv.GLM("gamma", "log", tol=1e-13),
        "exposure ~ x",
        smf.glm("exposure ~ x", DATA, family=GAMMA_LOG).fit(tol=1e-13, use_t=True),
        None,
        OPTIMUM,
    ),
    "gaussian with weights": (
        pcv.GLM(),
        "y ~ x",
        smf.glm("y ~ x", DATA, var_weights=DATA.w).fit(use_t=True),
        "w",
        ROUNDING,
    ),
    "logit": (
        pcv.Logit(),
        "factor(event) ~ x + z",
        smf.glm("event ~ x + z", DATA, family=BINOMIAL).fit(),
        None,
        OPTIMUM,
    ),
    "robust": (
        pcv.RLM(tol=1e-12, maxiter=200),
        "y ~ x + z",
        smf.rlm("y ~ x + z", DATA).fit(tol=1e-14, maxiter=200),
        None,
        1e-3,  # MASS's constant is .6745, statsmodels' the normal quartile
    ),
    "quantile": (
        pcv.QuantReg(0.7),
        "y ~ x + z",
        smf.quantreg("y ~ x + z", DATA).fit(q=0.7, p_tol=1e-10, max_iter=5000),
        None,
        1e-2,  # statsmodels ends near a vertex, where residuals are not quite 0
    ),
}


@pytest.mark.parametrize("name", FITS)
def test_results_are_those_of_statsmodels(name: str) -> None:
    learner, formula, theirs, weights, tolerance = FITS[name]
    fitted = learner.fit(formula, DATA, weights=weights)
    ours = fitted.results
    assert isinstance(ours, type(theirs))
    assert isinstance(ours.model, type(theirs.model))
    for part in ("params", "bse", "pvalues", "fittedvalues", "cov_params", "conf_int"):
        mine, other = (getattr(r, part) for r in (ours, theirs))
        if callable(mine):
            mine, other = mine(), other()
        np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance, err_msg=part)
    assert (ours.df_resid, ours.nobs) == (theirs.df_resid, theirs.nobs)
    assert list(ours.params.index) == list(fitted.coefficients)
    assert ours.params.tolist() == list(fitted.coefficients.values())
    text = str(fitted.summary())
    assert "Dep. Variable:" in text
    assert "(Intercept)" in text


@pytest.mark.parametrize("name", [n for n in FITS if n not in ("robust", "quantile")])
def test_predictions_with_intervals(name: str) -> None:
    learner, formula, theirs, weights, tolerance = FITS[name]
    ours = learner.fit(formula, DATA, weights=weights).results
    np.testing.assert_allclose(
        ours.get_prediction().conf_int(),
        theirs.get_prediction().conf_int(),
        rtol=tolerance,
        atol=tolerance,
    )


def test_standard_errors_are_those_of_the_table() -> None:
    """Of least squares and generalised linear models: R's and statsmodels' are the same."""
    for name in ("OLS", "WLS", "Poisson", "gamma", "gaussian with weights", "logit"):
        learner, formula, _, weights, _ = FITS[name]
        fitted = learner.fit(formula, DATA, weights=weights)
        np.testing.assert_allclose(fitted.results.bse, fitted.tidy()["std_error"], rtol=ROUNDING)
        np.testing.assert_allclose(
            fitted.results.conf_int(), fitted.tidy()[["conf_low", "conf_high"]], rtol=ROUNDING
        )


@pytest.mark.parametrize("weights", [None, "w"])
def test_multinomial(weights: str | None) -> None:
    """Whole weights are rows that are repeated, of which statsmodels has none."""
    fitted = pcv.MNLogit().fit("grade ~ x + z", DATA, weights=weights)
    rows = DATA if weights is None else DATA.loc[DATA.index.repeat(DATA.w)]
    X = sm.add_constant(rows[["x", "z"]])
    theirs = sm.MNLogit(rows.grade.cat.codes, X).fit(disp=0, tol=1e-12)
    ours = fitted.results
    assert isinstance(ours.model, sm.MNLogit)
    np.testing.assert_allclose(ours.params, theirs.params, rtol=1e-7)
    np.testing.assert_allclose(ours.bse, theirs.bse, rtol=1e-7)
    assert ours.llf == pytest.approx(theirs.llf, rel=1e-12)
    np.testing.assert_allclose(ours.bse.to_numpy().T.ravel(), fitted.tidy()["std_error"], rtol=1e-9)
    assert ours.mle_retvals["converged"]
    assert "grade=fair" in str(fitted.summary())


def test_penalised_fits_have_coefficients_only() -> None:
    for learner in (pcv.Ridge(0.3), pcv.Lasso(0.1), pcv.ElasticNet(0.2)):
        fitted = learner.fit("y ~ x + z", DATA)
        assert fitted.results.params.tolist() == list(fitted.coefficients.values())
        np.testing.assert_allclose(fitted.results.fittedvalues, fitted.predict(DATA), rtol=1e-12)


@pytest.mark.parametrize("learner", [pcv.OLS(), pcv.GLM(), pcv.RLM(), pcv.QuantReg()])
def test_aliased_columns_have_no_coefficient(learner: Any) -> None:
    data = DATA.assign(twice=2 * DATA.x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        fitted = learner.fit("y ~ x + twice + z", data)
    assert list(fitted.results.params.index) == ["(Intercept)", "x", "z"]
    assert np.isnan(fitted.coefficients["twice"])
    assert fitted.tidy()["term"].tolist() == ["(Intercept)", "x", "twice", "z"]


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_standard_errors(kind: str) -> None:
    theirs = smf.ols("y ~ x + z", DATA).fit(cov_type=kind)
    table = pcv.OLS(cov_type=kind).fit("y ~ x + z", DATA).tidy()
    np.testing.assert_allclose(table["std_error"], theirs.bse, rtol=ROUNDING)
    np.testing.assert_allclose(table["p_value"], theirs.pvalues, rtol=1e-7)
    plain = pcv.OLS().fit("y ~ x + z", DATA).tidy()
    assert table["estimate"].tolist() == plain["estimate"].tolist()


def test_standard_errors_by_cluster() -> None:
    """The column of the clusters is no predictor, and rows without a cluster are incomplete."""
    learner = pcv.OLS(cov_type="cluster", cov_kwds={"groups": "patient"})
    theirs = smf.ols("y ~ x + z", DATA).fit(
        cov_type="cluster", cov_kwds={"groups": DATA["patient"]}
    )
    fitted = learner.fit("y ~ .", DATA[["y", "x", "z", "patient"]])
    np.testing.assert_allclose(fitted.tidy()["std_error"], theirs.bse, rtol=ROUNDING)
    result = pcv.cross_validate(learner, "y ~ x + z", DATA, folds=pcv.Blocks(4))
    plain = pcv.cross_validate(pcv.OLS(), "y ~ x + z", DATA, folds=pcv.Blocks(4))
    assert result.estimate == plain.estimate


def test_rows_of_weight_0_play_no_part() -> None:
    data = DATA.assign(w=DATA.w.where(DATA.index % 7 != 0, 0))
    kept = data[data.w > 0]
    for learner in (pcv.WLS(), pcv.GLM("poisson"), pcv.MNLogit()):
        formula = "grade ~ x" if learner.name == "MNLogit" else "count ~ x"
        ours = learner.fit(formula, data, weights="w").results
        alone = learner.fit(formula, kept, weights="w").results
        np.testing.assert_allclose(ours.bse, alone.bse, rtol=1e-12)
        assert ours.nobs == len(kept)


def test_a_robust_fit_of_as_many_rows_as_columns_has_a_table_and_no_results() -> None:
    fitted = pcv.RLM().fit("y ~ x", {"x": [1.0, 3.0], "y": [2.0, 8.0]})
    assert fitted.tidy()["estimate"].tolist() == pytest.approx([-1.0, 3.0], rel=1e-12)
    with pytest.raises(FitError, match="2 rows and as many coefficients"):
        _ = fitted.results
