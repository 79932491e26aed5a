"""Models of statsmodels as learners, and its results objects at our coefficients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.othermod.betareg import BetaModel
from statsmodels.tsa.ar_model import AutoReg

import pycvstat as pcv
from pycvstat.data.task import Task
from tests.fingerprints.edges import outcomes
from tests.fingerprints.of_learners_asked import means_of_rows
from tests.fingerprints.of_learners_edges import DATA

Call = Callable[[], Any]
N = 36
ROWS = DATA[:N].assign(
    exposure=1.0 + np.arange(N) % 5,
    team=np.arange(N) % 4,
    zero=np.r_[0.0, np.full(N - 1, 0.4) + 0.01 * np.arange(N - 1)],
    whole=np.r_[1.0, np.full(N - 1, 0.4) + 0.01 * np.arange(N - 1)],
    below=np.r_[-1e-9, np.full(N - 1, 0.4) + 0.01 * np.arange(N - 1)],
    above=np.r_[1 + 1e-9, np.full(N - 1, 0.4) + 0.01 * np.arange(N - 1)],
    within=lambda d: 0.1 + 0.8 * d["share"],
    also=lambda d: d["x"],
)
FAMILIES = sm.families
of = pcv.Statsmodels


def fits() -> Iterator[Call]:
    """Tables, predictions over folds, what is told."""
    numbers = [
        of(smf.ols), of(smf.ols, fit={"cov_type": "HC3"}), of(smf.wls), of(smf.rlm),
        of(smf.ols, fit={"cov_type": "cluster", "cov_kwds": {"groups": "team"}}),
        of(smf.ols, fit={"alpha": 0.1}), of(smf.quantreg, fit={"q": 0.3}),
        of(smf.rlm, fit={"maxiter": 1}), of(smf.glm, family=FAMILIES.Gaussian(), var_weights="w"),
    ]  # fmt: skip
    for learner, formula in product(numbers, ("y ~ x + z", "y ~ x + also + word", "y ~ 1")):
        yield partial(fitted, learner, formula)
    counts = of(smf.glm, family=FAMILIES.Poisson(), exposure="exposure"), of(smf.poisson)
    for learner, formula in product(counts, ("count ~ x", "count ~ x + offset(z / 9)")):
        yield partial(fitted, learner, formula)
    classes = of(smf.logit), of(smf.probit), of(smf.glm, family=FAMILIES.Binomial())
    for learner, formula in product(classes, ("class ~ x", "flag ~ z + word", "share ~ x")):
        yield partial(fitted, learner, formula)
    for learner in (of(smf.mnlogit), of(OrderedModel, distr="logit", fit={"method": "bfgs"})):
        for formula in ("size ~ x", "class ~ x", "y ~ x"):
            yield partial(fitted, learner, formula)
    yield partial(fitted, of(BetaModel), "within ~ x")
    yield partial(fitted, of(BetaModel, exog_precision="~ z"), "within ~ x")
    yield partial(fitted, of(smf.mixedlm, groups="team"), "y ~ x")
    for given in ({}, {"weights": "w"}):
        for learner in numbers[:4]:
            yield partial(means_of_rows, learner, "y ~ x", ROWS, {"folds": pcv.Blocks(3), **given})
    grids = {"alpha": [0.1, 1.0], "L1_wt": [0.0, 0.5]}, {"fit__alpha": [0.2]}, {"q": [0.2]}
    for learner, grid in product((smf.ols, smf.quantreg), grids):
        asked = {"grid": grid, "folds": pcv.Blocks(3)}
        yield lambda a=(learner, "y ~ x", ROWS), g=asked: pcv.tune(*a, **g).best


def fitted(learner: Any, formula: str) -> list[Any]:
    model = learner.fit(formula, ROWS)
    table = model.tidy().select_dtypes("number").to_numpy()
    known = [model.columns, repr(learner), learner.name, learner.shrinks, [*learner.beside]]
    found = means_of_rows(learner, formula, ROWS, {"folds": pcv.Blocks(3)})
    return [few(table), few(found), known, model.report.aliased, model.report.converged]


def few(found: Any) -> Any:
    """Four digits: optimisers end where the gradient is small."""
    if isinstance(found, list):
        return [few(one) for one in found]
    numbers = np.asarray(found, dtype=float)
    return [f"{x:.4g}" for x in np.where(np.abs(numbers) < 1e-7, 0.0, numbers).ravel()]


def refusals() -> Iterator[Call]:
    """Responses at the ends of what a likelihood knows, and arguments that mean nothing."""
    models = [
        of(smf.logit), of(smf.poisson), of(BetaModel), of(smf.negativebinomial),
        of(smf.glm, family=FAMILIES.NegativeBinomial(alpha=1.0)),
        *(of(smf.glm, family=one()) for one in (FAMILIES.Binomial, FAMILIES.Poisson,
          FAMILIES.Tweedie, FAMILIES.Gamma, FAMILIES.InverseGaussian)),
    ]  # fmt: skip
    for learner, left in product(models, ("zero", "whole", "below", "above", "within", "size")):
        yield partial(checked, learner, f"{left} ~ x")
    makers: list[Callable[[], Any]] = [
        partial(of, smf.ols, formula="y ~ x"), partial(of, smf.ols, data=ROWS),
        partial(of, smf.ols, fit="HC3"), partial(of, smf.ols, fit={"cov_typ": "HC3"}),
        partial(of, smf.glm, family="gama"), partial(of, smf.glm, family="none of them"),
        partial(of, smf.glm, family=FAMILIES.Poisson), partial(of, smf.glm, family="NegBinomial"),
        partial(of, smf.glm, exposure="ee"), partial(of, smf.mixedlm), partial(of, "ols"),
        partial(of, smf.ols, missing="drop"), partial(of, AutoReg), partial(of, np.mean),
        partial(of, sm.OLS(ROWS["y"], ROWS[["x"]])), partial(of, smf.ols("y ~ x", ROWS)),
        partial(of, sm.WLS(ROWS["y"], ROWS[["x"]], weights=ROWS["w"]).fit()),
        partial(of, smf.glm, exposure=ROWS["exposure"]), partial(of, smf.glm, freq_weights=[1] * N),
        partial(of, smf.ols, fit={"cov_type": "cluster", "cov_kwds": {"groups": "tema"}}),
        partial(of, smf.glm, exposur="exposure"), partial(of, smf.quantreg, fit={"tau": 0.1}),
        partial(of, BetaModel, exog_precision=["z", "zz"]), partial(of, smf.logit, fit={"gtol": 1}),
    ]  # fmt: skip
    for make in makers:
        yield lambda make=make: checked(make(), "y ~ x")
    asked: tuple[dict[str, Any], ...] = (
        {"weights": 1}, {"fit__q": 1}, {"model__q": 1}, {"none": 1}, {"offset": "z"}, {"alpha": 1},
        {"method": "bfgs"}, {"cov_type": "HC0"}, {"fit__none": 1}, {"M": 1}, {"L1_wt": 0},
        {"L1_wt": 0, "alpha": 2},
    )  # fmt: skip
    for model, names in product((smf.ols, smf.glm, smf.rlm, smf.logit), asked):
        yield lambda a=model, names=names: repr(of(a).with_params(**names))
    for learner, formula in (
        (of(smf.ols), "y ~ x + offset(z)"), (of(smf.logit), "size ~ x"), (of(smf.ols), "class ~ x"),
    ):  # fmt: skip
        yield partial(checked, learner, formula)
        yield partial(checked, learner, formula, weights="w")


def checked(learner: Any, formula: str, **given: Any) -> list[Any]:
    learner.check(Task.build(formula, ROWS, **given))
    return [learner.name, learner.for_classes]


def results() -> Iterator[Call]:
    """Of our learners: what a results object says, with weights, offsets and aliased columns."""
    learners: list[tuple[Any, str]] = [
        (pcv.OLS(), "y ~ x + z + also"), (pcv.WLS(), "y ~ x + z + also"),
        (pcv.RLM(), "y ~ x + also"), (pcv.RLM("bisquare", tuning=9.0), "y ~ x"),
        (pcv.QuantReg(), "y ~ x + also"), (pcv.QuantReg(0.8), "y ~ x + z"),
        (pcv.GLM("poisson"), "count ~ x + also"), (pcv.GLM("gamma", "log"), "positive ~ z"),
        (pcv.GLM("poisson"), "count ~ x + offset(z / 9)"), (pcv.OLS(), "y ~ x + offset(z)"),
        (pcv.Logit(), "class ~ x + also"), (pcv.MNLogit(), "size ~ x + also"),
        (pcv.MNLogit(), "class ~ z"), (pcv.Ridge(0.2), "y ~ x + z"),
    ]  # fmt: skip
    weights: tuple[dict[str, Any], ...] = {}, {"weights": "w"}, {"weights": "none"}
    for (learner, formula), given in product(learners, weights):
        yield partial(said, learner, formula, ROWS, given)
    for learner in (pcv.OLS(), pcv.GLM(), pcv.RLM(), pcv.QuantReg()):
        for n in (4, 5) if not isinstance(learner, pcv.RLM) else (2, 3, 4, 5):
            yield partial(said, learner, "y ~ x + z", ROWS[:n], {})


NUMBERS = (
    "params", "bse", "tvalues", "pvalues", "scale", "df_resid", "df_model", "fvalue", "deviance",
    "null_deviance", "pearson_chi2", "resid", "fittedvalues", "sparsity", "bandwidth", "weights",
    "nobs",
)  # fmt: skip
LIKELIHOOD = "llf", "aic", "bic", "rsquared", "prsquared", "llnull"


def said(learner: Any, formula: str, data: Any, given: dict[str, Any]) -> list[Any]:
    model = learner.fit(formula, data, **given)
    found = [model.tidy(level).select_dtypes("number").to_numpy() for level in (0.95, 0.5)]
    numbers = [few(one) for one in found]
    results = model.results() if callable(model.results) else model.results
    plain = getattr(results, "_results", results)  # without labels
    likelihood = () if isinstance(learner, pcv.RLM) else LIKELIHOOD
    for name in (*NUMBERS, *likelihood):
        value = getattr(plain, name, None)
        if value is not None:
            numbers.append([name, few(np.ravel(value))])
    names = [str(one) for one in np.ravel(results.model.exog_names)]
    return [
        numbers,
        names,
        results.model.endog_names if isinstance(results.model.endog_names, str) else "",
    ]


CALLS: dict[str, Call] = {
    "statsmodels: fits": outcomes(fits),
    "statsmodels: refusals": outcomes(refusals),
    "statsmodels: results": outcomes(results),
}
