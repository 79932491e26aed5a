"""What a statsmodels model as a learner takes, refuses and says."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.othermod.betareg import BetaModel
from statsmodels.tsa.ar_model import AutoReg

import pycvstat as pcv
from pycvstat.errors import DataError, FitError, InputError, PycvstatWarning
from tests.learners.statsmodels.test_plain_loop import DATA, FOLDS

POISSON = sm.families.Poisson()
RATES = pcv.Statsmodels(smf.glm, family=POISSON, exposure="exposure")


def test_formula_functions_wrap_themselves() -> None:
    by_function = pcv.cross_validate(smf.ols, "y ~ x", DATA, folds=FOLDS)
    by_class = pcv.cross_validate(sm.OLS, "y ~ x", DATA, folds=FOLDS)
    assert by_function.estimate == by_class.estimate
    assert by_function.learner.name == "statsmodels OLS"
    both = pcv.compare({"sm": smf.ols, "ours": pcv.OLS()}, "y ~ x", DATA, folds=FOLDS)
    estimates = both.tidy()["estimate"].to_numpy()
    np.testing.assert_allclose(estimates[0], estimates[1], rtol=1e-12)


def test_r_formulas_keep_their_meaning_and_levels() -> None:
    """One level occurs in a single fold; poly() has two columns, made from the training rows."""
    data = DATA.head(60).assign(rare=["only"] + ["usual"] * 59)
    with pytest.warns(PycvstatWarning, match="do not determine the coefficients of rare"):
        ours = pcv.cross_validate(smf.ols, "y ~ poly(x, 2) + rare", data, folds=FOLDS)
    with pytest.warns(PycvstatWarning, match="do not determine the coefficients of rare"):
        theirs = pcv.cross_validate(pcv.OLS(), "y ~ poly(x, 2) + rare", data, folds=FOLDS)
    np.testing.assert_allclose(ours.table.losses, theirs.table.losses, rtol=1e-9)


def test_the_dot_leaves_out_columns_named_as_arguments() -> None:
    data = DATA[["count", "x", "exposure"]]
    fitted = RATES.fit("count ~ .", data)
    assert list(fitted.coefficients) == ["(Intercept)", "x"]
    named = RATES.fit("count ~ x + exposure", data)
    assert list(named.coefficients) == ["(Intercept)", "x", "exposure"]


def test_rows_without_an_exposure_are_omitted_or_refused() -> None:
    data = DATA.assign(exposure=DATA.exposure.where(DATA.index > 2))
    with pytest.raises(DataError, match="3 of 240 rows have missing values"):
        pcv.cross_validate(RATES, "count ~ x", data, folds=FOLDS)
    omitted = pcv.cross_validate(RATES, "count ~ x", data, folds=FOLDS, na="omit")
    assert omitted.task.n == 237


def test_new_rows_need_the_exposure() -> None:
    fitted = RATES.fit("count ~ x", DATA)
    with pytest.raises(DataError, match="exposure is missing: the data have no column 'exposure'"):
        fitted.predict({"x": [0.0]})
    with pytest.warns(PycvstatWarning, match="1 of 2 rows have missing or infinite predictors"):
        found = fitted.predict({"x": [0.0, 0.0], "exposure": [2.0, np.nan]})
    once = fitted.predict({"x": [0.0], "exposure": [1.0]})
    np.testing.assert_allclose(found, [2 * once[0], np.nan])


def test_an_exposure_may_be_an_offset_of_the_formula() -> None:
    by_name = pcv.cross_validate(RATES, "count ~ x", DATA, folds=FOLDS)
    learner = pcv.Statsmodels(sm.GLM, family=POISSON)
    by_formula = pcv.cross_validate(learner, "count ~ x + offset(log(exposure))", DATA, folds=FOLDS)
    np.testing.assert_allclose(by_name.table.losses, by_formula.table.losses, rtol=1e-10)
    with pytest.raises(InputError, match="OLS knows no offset"):
        pcv.cross_validate(smf.ols, "y ~ x + offset(z)", DATA, folds=FOLDS)


def test_a_name_that_statsmodels_would_ignore_is_no_parameter_of_a_grid() -> None:
    """``OLS.fit`` takes any name and looks at none: all candidates would be the same."""
    with pytest.raises(InputError, match="no argument 'lamda'") as caught:
        pcv.tune(smf.ols, "y ~ x", DATA, grid={"lamda": [0.1, 1.0]}, folds=FOLDS)
    assert "cov_type" in str(caught.value.fix)
    data = DATA.assign(two=DATA.y > DATA.y.median())
    with pytest.raises(InputError, match="may ignore it in silence") as caught:
        pcv.tune(smf.logit, "two ~ x", data, grid={"gtol": [1e-4, 1e-9]}, folds=FOLDS)
    assert "fit__gtol" in str(caught.value.fix)
    grid = {"fit__gtol": [1e-4, 1e-9], "fit__method": ["bfgs"]}  # what it hands to the optimiser
    assert pcv.tune(smf.logit, "two ~ x", data, grid=grid, folds=FOLDS).best["fit__method"]


def test_a_grid_reaches_the_regularisation_the_fit_and_the_model() -> None:
    penalties = [0.0, 0.05, 0.2]
    tuned = pcv.tune(smf.ols, "y ~ x + z", DATA, grid={"alpha": penalties}, folds=FOLDS)
    for alpha, ours in zip(penalties, tuned.table.estimate(), strict=True):
        errors = []
        for train, test in tuned.plan:
            fit = smf.ols("y ~ x + z", DATA.iloc[train]).fit_regularized(alpha=alpha)
            errors.append(((DATA.y.iloc[test] - fit.predict(DATA.iloc[test])) ** 2).mean())
        assert ours == pytest.approx(np.mean(errors), rel=1e-10)
    quantiles = pcv.tune(smf.quantreg, "y ~ x", DATA, grid={"q": [0.2, 0.5]}, folds=FOLDS)
    assert quantiles.best == {"q": 0.5}
    norms = [sm.robust.norms.HuberT(), sm.robust.norms.TukeyBiweight()]
    robust = pcv.tune(smf.rlm, "y ~ x", DATA, grid={"M": norms}, folds=FOLDS)
    assert robust.best["M"] in norms


def test_ambiguous_and_unknown_names() -> None:
    learner = pcv.Statsmodels(sm.PHReg)
    assert learner.with_params(alpha=1.0).fitting == {"alpha": 1.0}

    class Twice(sm.OLS):
        """An argument that the model and its fit share."""

        def __init__(self, endog: Any, exog: Any, method: str = "pinv", **given: Any) -> None:
            super().__init__(endog, exog, **given)

    with pytest.raises(InputError, match="'method' is an argument of Twice and of its fit"):
        pcv.Statsmodels(Twice).with_params(method="qr")
    assert pcv.Statsmodels(Twice).with_params(fit__method="qr").fitting == {"method": "qr"}
    with pytest.raises(InputError, match="did you mean 'alpha'"):
        pcv.Statsmodels(smf.ols, fit={"alpha": 1.0}).with_params(alhpa=2.0)
    with pytest.raises(InputError, match="did you mean 'exposure'"):
        pcv.Statsmodels(smf.glm, exposur="exposure")


def test_models_that_hold_data_are_refused_with_the_line_to_write() -> None:
    built = smf.glm("count ~ x", DATA, family=POISSON)
    for given in (built, built.fit()):
        with pytest.raises(InputError) as told:
            pcv.cross_validate(given, "count ~ x", DATA, folds=FOLDS)
        assert "pcv.Statsmodels(sm.GLM, family=..." in str(told.value)
        assert "with the formula 'count ~ x'" in str(told.value)


def test_forecasters_are_sent_elsewhere() -> None:
    with pytest.raises(InputError, match="AutoReg has no prediction for new rows"):
        pcv.Statsmodels(AutoReg, lags=2)
    with pytest.raises(InputError, match="this is no statsmodels model"):
        pcv.Statsmodels("ols")


def test_values_instead_of_a_name() -> None:
    learner = pcv.Statsmodels(smf.glm, family=POISSON, exposure=DATA.exposure)
    with pytest.raises(InputError, match="exposure holds one value per row"):
        pcv.cross_validate(learner, "count ~ x", DATA, folds=FOLDS)
    with pytest.raises(InputError, match=r"sm\.families\.Poisson\(\)"):
        pcv.Statsmodels(smf.glm, family="poisson")


def test_weights() -> None:
    ours = pcv.cross_validate(pcv.WLS(), "y ~ x", DATA, folds=FOLDS, weights="w")
    theirs = pcv.cross_validate(smf.wls, "y ~ x", DATA, folds=FOLDS, weights="w")
    np.testing.assert_allclose(ours.table.losses, theirs.table.losses, rtol=1e-9)
    with pytest.raises(InputError, match="OLS has no argument weights"):
        pcv.cross_validate(smf.ols, "y ~ x", DATA, folds=FOLDS, weights="w")
    with pytest.raises(InputError, match=r"freq_weights=\.\.\. or var_weights="):
        pcv.cross_validate(sm.GLM, "y ~ x", DATA, folds=FOLDS, weights="w")


def test_classes_need_a_model_of_classes() -> None:
    with pytest.raises(InputError, match="OLS predicts numbers, and the response is nominal"):
        pcv.cross_validate(smf.ols, "factor(event) ~ x", DATA, folds=FOLDS)
    with pytest.raises(FitError, match="does not give one number per row"):
        pcv.cross_validate(smf.mnlogit, "w ~ x", DATA, folds=FOLDS)
    with pytest.raises(FitError, match=r"(?s)w, whose values it takes for classes.*factor\(y\)"):
        pcv.Statsmodels(smf.mnlogit).fit("w ~ x", DATA)
    with pytest.raises(InputError, match="Logit predicts 2 classes, and the response is ordinal"):
        pcv.cross_validate(smf.logit, "grade ~ x", DATA, folds=FOLDS)


def test_ordered_models_get_no_intercept() -> None:
    fitted = pcv.Statsmodels(OrderedModel, distr="logit").fit("grade ~ x", DATA)
    levels = list(fitted.task.response.levels)
    cuts = [f"{low}/{high}" for low, high in pairwise(levels)]
    assert list(fitted.coefficients) == ["x", *cuts]
    assert np.isfinite([*fitted.coefficients.values()]).all()
    assert fitted.predict_proba(DATA.head(3)).shape == (3, 3)


def test_fits_that_do_not_converge_are_counted() -> None:
    learner = pcv.Statsmodels(smf.negativebinomial, fit={"maxiter": 1})
    with pytest.warns(PycvstatWarning, match="4 of 4 fits did not converge") as told:
        pcv.cross_validate(learner, "count ~ x + z", DATA, folds=FOLDS)
    assert "fold 1 of 4, fold 2 of 4, fold 3 of 4 and 1 more" in str(told[0].message)


def test_separated_classes() -> None:
    data = pd.DataFrame({"x": np.arange(20.0), "y": np.repeat([0, 1], 10)})
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        pcv.cross_validate(smf.logit, "y ~ x", data, folds=pcv.KFold(4, random=1))
    said = " ".join(str(w.message) for w in heard)
    assert "the predictors separate the classes" in said
    assert "fits did not converge" in said


def test_foreign_errors_are_told_and_kept() -> None:
    learner = pcv.Statsmodels(smf.ols, fit={"method": "magic"})
    with pytest.raises(FitError, match=r"fold 1 of 4.*statsmodels OLS failed to fit") as told:
        pcv.cross_validate(learner, "y ~ x", DATA, folds=FOLDS)
    assert isinstance(told.value.__cause__, ValueError)
    assert "magic" in str(told.value) or "method" in str(told.value)


def test_groups_not_seen_in_training_get_the_prediction_of_the_population() -> None:
    learner = pcv.Statsmodels(smf.mixedlm, groups="patient")
    with pytest.warns(PycvstatWarning, match="predicts the mean of the population"):
        result = pcv.cross_validate(
            learner, "y ~ x", DATA, folds=pcv.Grouped(4, random=1), groups="patient"
        )
    train, test = next(iter(result.plan))
    fit = smf.mixedlm("y ~ x", DATA.iloc[train], groups=DATA.patient.iloc[train]).fit()
    ours = result.table.predictions.values[0][: len(test)]
    intercept, slope = fit.fe_params
    np.testing.assert_allclose(ours, intercept + slope * DATA.x.iloc[test])


def test_robust_covariances_by_columns() -> None:
    by_patient = {"cov_type": "cluster", "cov_kwds": {"groups": "patient"}}
    learner = pcv.Statsmodels(smf.ols, fit=by_patient)
    ours = learner.fit("y ~ x", DATA)
    theirs = smf.ols("y ~ x", DATA).fit(cov_type="cluster", cov_kwds={"groups": DATA.patient})
    np.testing.assert_allclose(ours.tidy()["std_error"], theirs.bse, rtol=1e-12)
    np.testing.assert_allclose(
        ours.tidy()[["conf_low", "conf_high"]], theirs.conf_int(), rtol=1e-10
    )


@pytest.mark.usefixtures("two_threads")
def test_workers_and_checkpoints(tmp_path: Any) -> None:
    assert pickle.loads(pickle.dumps(RATES)).beside == RATES.beside
    serial = pcv.cross_validate(RATES, "count ~ x", DATA, folds=FOLDS)
    kept = pcv.cross_validate(RATES, "count ~ x", DATA, folds=FOLDS, checkpoint=tmp_path, n_jobs=2)
    again = pcv.cross_validate(RATES, "count ~ x", DATA, folds=FOLDS, checkpoint=tmp_path)
    assert serial.table.losses.tolist() == kept.table.losses.tolist() == again.table.losses.tolist()


def test_nested_and_tuned() -> None:
    learner = pcv.Tuned(RATES, {"alpha": [0.0, 0.1]}, inner=pcv.Blocks(3))
    result = pcv.cross_validate(learner, "count ~ x + z", DATA, folds=FOLDS)
    nested = pcv.nested_cv(
        RATES, "count ~ x + z", DATA, grid={"alpha": [0.0, 0.1]}, outer=FOLDS, inner=pcv.Blocks(3)
    )
    assert result.estimate == nested.estimate


CARS = pcv.data.mtcars()


@pytest.mark.parametrize(
    ("make", "formula", "said"),
    [
        (lambda: pcv.Statsmodels(smf.ols, formula="y ~ x"), "", "formula is not an argument"),
        (lambda: pcv.Statsmodels(smf.ols, data=CARS), "", "data is not an argument"),
        (lambda: pcv.Statsmodels(smf.ols, fit="HC3"), "", r'fit=\{"cov_type": "HC3"\}'),
        (lambda: pcv.Statsmodels(smf.ols, fit={"cov_typ": "HC3"}), "", "did you mean 'cov_type'"),
        (lambda: pcv.Statsmodels(smf.glm, family="gama"), "", r"sm\.families\.Gamma\(\)"),
        (lambda: pcv.Statsmodels(smf.glm, family=sm.families.Poisson), "", r"family=Poisson\(\)"),
        (lambda: pcv.Statsmodels(smf.glm, exposure="ee"), "carb ~ wt", "no column 'ee'"),
        (lambda: pcv.Statsmodels(smf.mixedlm), "mpg ~ wt", "MixedLM needs groups"),
        (lambda: pcv.Statsmodels(smf.logit), "carb ~ wt", "smf.mnlogit with factor"),
    ],
)
def test_what_cannot_be_fitted_is_said_before_any_work(make: Any, formula: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as told:
        pcv.cross_validate(make(), formula, CARS, folds=4)
    assert "fold" not in str(told.value).replace("folds", "")


@pytest.mark.parametrize("model", [smf.logit, smf.probit])
def test_separated_classes_are_named(model: Any) -> None:
    data = pd.DataFrame({"x": np.arange(40.0), "y": (np.arange(40) > 19) * 1})
    with pytest.warns(PycvstatWarning) as told:
        pcv.cross_validate(model, "y ~ x", data, folds=pcv.KFold(4, random=1))
    assert any("the predictors separate the classes" in str(one.message) for one in told)
    assert not any("Perfect separation" in str(one.message) for one in told)


def test_robust_regression_that_ran_out_of_steps_is_counted() -> None:
    with pytest.warns(PycvstatWarning, match="4 of 4 fits did not converge"):
        pcv.cross_validate(pcv.Statsmodels(smf.rlm, fit={"maxiter": 2}), "mpg ~ wt", CARS, folds=4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pcv.cross_validate(smf.rlm, "mpg ~ wt", CARS, folds=4)


def said(call: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in heard]


def test_what_several_fits_say_is_said_once_with_their_folds(tmp_path: Any) -> None:
    data = pd.DataFrame({"x": np.arange(40.0), "y": np.repeat([0, 1], 20)})
    given = {"folds": pcv.Blocks(5)}
    alone = said(lambda: pcv.cross_validate(smf.logit, "y ~ x", data, **given))
    (separated,) = [text for text in alone if "separate the classes" in text]
    assert "Given: fold 1 of 5, fold 2 of 5, fold 3 of 5 and 2 more" in separated
    for further in ({"n_jobs": 2}, {"checkpoint": tmp_path}, {"checkpoint": tmp_path}):
        other = said(lambda: pcv.cross_validate(smf.logit, "y ~ x", data, **given, **further))  # noqa: B023
        assert sorted(other) == sorted(alone)
    rare = DATA.head(60).assign(who=[f"k{row % 20}" if row < 20 else "z" for row in range(60)])
    for learner in (smf.ols, pcv.RLM()):
        texts = said(lambda: pcv.cross_validate(learner, "y ~ who", rare, **given))  # noqa: B023
        (lost,) = [text for text in texts if "do not determine" in text]
        assert "fold 1 of 5, fold 2 of 5" in lost
        assert "this is said of the first" in lost


def test_many_columns_are_said_by_training_rows() -> None:
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.normal(size=(40, 20)), columns=[f"x{j}" for j in range(20)])
    data = data.assign(y=rng.normal(size=40))
    fewer = data.drop(columns=["x0", "x1"])  # 18 with the intercept: half of 36, not of 32
    for learner in (smf.ols, pcv.OLS(), pcv.GLM(), pcv.RLM()):
        texts = said(lambda: pcv.cross_validate(learner, "y ~ .", fewer, folds=pcv.Blocks(5)))  # noqa: B023
        assert len([text for text in texts if "19 columns to fit to 32 rows" in text]) == 1
        texts = said(lambda: pcv.cross_validate(learner, "y ~ .", fewer, folds=pcv.Blocks(40)))  # noqa: B023
        assert not any("columns to fit" in text for text in texts)
    penalised = pcv.Statsmodels(smf.ols, fit={"alpha": 0.1})
    texts = said(lambda: pcv.cross_validate(penalised, "y ~ .", data, folds=pcv.Blocks(5)))
    assert not any("columns to fit" in text for text in texts)


def test_names_of_columns_are_looked_for_in_all_data() -> None:
    with pytest.raises(DataError, match="no column 'exposur'") as told:
        pcv.cross_validate(
            pcv.Statsmodels(smf.glm, exposure="exposur"), "count ~ x", DATA, folds=FOLDS
        )
    assert "did you mean 'exposure'" in str(told.value)
    assert "fold" not in str(told.value)
    clustered = {"cov_type": "cluster", "cov_kwds": {"groups": "patent"}}
    with pytest.raises(DataError, match="did you mean 'patient'"):
        pcv.cross_validate(pcv.Statsmodels(smf.ols, fit=clustered), "y ~ x", DATA, folds=FOLDS)


def test_names_that_a_fit_ignores_are_refused() -> None:
    for model, name in ((smf.ols, "lamda"), (smf.quantreg, "tau"), (smf.rlm, "k")):
        with pytest.raises(InputError, match=f"has no argument '{name}'"):
            pcv.Statsmodels(model, fit={name: 1.0})
    assert pcv.Statsmodels(smf.logit, fit={"gtol": 1e-9}).fitting == {"gtol": 1e-9}


def test_hazards_are_not_taken_for_responses() -> None:
    texts = said(lambda: pcv.cross_validate(sm.PHReg, "exposure ~ x", DATA, folds=FOLDS))
    assert any("predicts logarithms of hazards" in text for text in texts)


def test_summaries_name_response_and_classes() -> None:
    fitted = pcv.Statsmodels(smf.mnlogit).fit("factor(grade) ~ x", DATA)
    levels = fitted.task.response.levels
    text = str(fitted.summary())
    assert all(level in text for level in levels[1:])
    plain = str(pcv.Statsmodels(smf.ols).fit("y ~ x", DATA).summary())
    assert re.search(r"Dep. Variable: +y ", plain)


@pytest.mark.parametrize(
    ("learner", "range_"),
    [
        (smf.poisson, "CountModel takes a response 0 or more"),
        (smf.negativebinomial, "CountModel takes a response 0 or more"),
        (pcv.Statsmodels(smf.glm, family=POISSON), "Poisson takes a response 0 or more"),
        (pcv.Statsmodels(smf.glm, family=sm.families.Gamma()), "Gamma takes a response above 0"),
        (BetaModel, "from 0 to 1, both excluded"),
        (smf.probit, "BinaryModel takes a response from 0 to 1"),
    ],
)
def test_responses_out_of_range_are_told_before_any_work(learner: Any, range_: str) -> None:
    data = DATA.assign(wide=np.arange(len(DATA)) - 3.0)
    with pytest.raises(InputError, match=range_) as told:
        pcv.cross_validate(learner, "wide ~ x", data, folds=FOLDS)
    assert "wide from -3 to" in str(told.value)
    assert "fold" not in str(told.value.problem)


def test_separation_of_several_classes_is_the_advice_where_nothing_is_finite() -> None:
    data = pd.DataFrame({"x": np.arange(60.0), "k": np.repeat(["a", "b", "c"], 20)})
    with pytest.raises(FitError, match="not finite") as told:
        pcv.cross_validate(smf.mnlogit, "k ~ x", data, folds=pcv.KFold(4, random=1))
    assert "separate the classes" in str(told.value.fix)
