"""Stepwise selection beside R's step, live, and beside a plain loop of fits."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import pycvstat as pcv
from pycvstat.errors import FitError, InputError, PycvstatWarning
from tests.rscript import live_r

MTCARS = pcv.data.mtcars()
CLOSE = 1e-8  # of criteria beside R's: iterative fits end by the same rule


@cache
def drawn(seed: int, n: int = 80, p: int = 6) -> pd.DataFrame:
    """Numbers, a factor, and responses of every family."""
    rng = pcv.RRandom(seed)
    data = pd.DataFrame({f"x{j}": np.asarray(rng.rnorm(n)) for j in range(p)})
    data["f"] = np.asarray(["a", "b", "c"], dtype=object)[rng.sample(3, n, replace=True) - 1]
    eta = 0.5 * data["x0"] - 0.4 * data["x1"] + 0.3 * (data["f"] == "b")
    data["y"] = eta + np.asarray(rng.rnorm(n))
    data["event"] = (np.asarray(rng.runif(n)) < 1 / (1 + np.exp(-2 * eta))).astype(int)
    data["count"] = np.floor(np.exp(eta) * 4 * np.asarray(rng.runif(n)))
    data["size"] = np.exp(eta + 0.5 * np.asarray(rng.rnorm(n)))
    data["w"] = rng.sample(3, n, replace=True).astype(float)
    return data


RIGHT = "x0 + x1 + x2 + x3 + x4 + x5 + f"
CASES: dict[str, tuple[Any, str, str]] = {
    "least squares": (pcv.OLS(), f"y ~ {RIGHT}", "lm({f}, d)"),
    "interactions": (pcv.OLS(), "y ~ (x0 + x1 + f)^2 + x2 + I(x3^2)", "lm({f}, d)"),
    "a polynomial": (pcv.OLS(), "y ~ poly(x0, 3) + f * x1", "lm({f}, d)"),
    "an offset": (pcv.OLS(), "y ~ x0 + x1 + x2 + offset(w)", "lm({f}, d)"),
    "aliased": (pcv.OLS(), "y ~ x0 + x1 + I(2 * x0) + x2", "lm({f}, d)"),
    "weights": (pcv.WLS(), f"y ~ {RIGHT}", "lm({f}, d, weights = w)"),
    "logit": (pcv.Logit(), f"event ~ {RIGHT}", "glm({f}, binomial, d)"),
    "counts": (pcv.GLM("poisson"), f"count ~ {RIGHT}", "glm({f}, poisson, d)"),
    "gamma": (pcv.GLM("gamma", "log"), f"size ~ {RIGHT}", "glm({f}, Gamma('log'), d)"),
    "normal glm": (pcv.GLM(), f"y ~ {RIGHT}", "glm({f}, gaussian, d)"),
    "inverse": (pcv.GLM("inverse_gaussian", "log"), f"I(size + 2) ~ {RIGHT}",
                "glm({f}, inverse.gaussian('log'), d)"),
    "negative": (pcv.GLM("negative_binomial", alpha=0.5), f"count ~ {RIGHT}",
                 "glm({f}, MASS::negative.binomial(2), d)"),
}  # fmt: skip


@live_r
@pytest.mark.parametrize("direction", ["both", "backward", "forward"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_steps_are_those_of_r(name: str, direction: Any) -> None:
    """The same changes, criteria, degrees of freedom and last formula, by AIC and BIC."""
    from pycvstat.r import bridge

    learner, formula, code = CASES[name]
    left, _, right = formula.partition(" ~ ")
    small = f"{left} ~ {'offset(w)' if 'offset' in right else '1'}"
    start = code.format(f=small if direction == "forward" else formula)
    for seed in (1, 2):
        data = drawn(seed)
        in_r = bridge.run(
            "lapply(list(aic = 2, bic = log(nrow(d))), function(k) { fit <- step(" + start
            + f", list(upper = {formula}), direction = direction, trace = 0, k = k); "
            "a <- fit$anova; list(step = as.character(a$Step), df = a$`Resid. Df`, "
            "dev = a$`Resid. Dev`, aic = a$AIC, terms = attr(terms(fit), 'term.labels')) })",
            d=data, direction=direction,
        )  # fmt: skip
        for criterion, r in in_r.items():
            given = {"weights": "w"} if name == "weights" else {}
            ours = pcv.Stepwise(learner, direction, criterion).fit(formula, data, **given)
            steps = np.ravel(r["step"]).tolist()
            path = ours.path.iloc[: len(steps)]  # R does not list a last step that raised it
            assert len(ours.path) == len(steps) or ours.path[criterion].diff().iloc[-1] > 0
            assert _parts(path["step"]) == _parts(steps)
            assert path["df_residual"].tolist() == np.ravel(r["df"]).tolist()
            np.testing.assert_allclose(path["residual_deviance"], r["dev"], rtol=CLOSE)
            np.testing.assert_allclose(path[criterion], r["aic"], rtol=CLOSE, atol=CLOSE)
            terms = [label for label in np.ravel(r["terms"]).tolist() if label]
            assert sorted(_parts(ours.report.selected)) == sorted(_parts(terms))


def _parts(labels: Any) -> list[tuple[str, list[str]]]:
    """Signs and variables: R names an interaction by the order in which its parts came."""
    return [(one[:2], sorted(one.removeprefix(one[:2]).split(":"))) if one[:1] in "+-" else
            ("", sorted(one.split(":"))) for one in labels]  # fmt: skip


@live_r
@pytest.mark.parametrize("learner", [pcv.OLS(), pcv.GLM("poisson")])
def test_inside_folds_r_selects_the_same(learner: Any) -> None:
    data, formula = drawn(4), f"{'y' if learner == pcv.OLS() else 'count'} ~ {RIGHT}"
    for direction, criterion in (("both", "aic"), ("forward", "bic")):
        stepwise = pcv.Stepwise(learner, direction, criterion)
        found = pcv.cross_validate(stepwise, formula, data, folds=pcv.KFold(5, random=1))
        assert found.crosscheck().verdict == "agrees"
    models = {"step": stepwise, "all": learner}
    nested = pcv.nested_cv(models, formula, data, outer=3, inner=pcv.Blocks(3))
    assert nested.crosscheck().verdict == "agrees"


def plain(data: pd.DataFrame, terms: list[str], k: float) -> list[str]:
    """Backward selection by fits of whole formulas, one after the other."""

    def criterion(kept: list[str]) -> float:
        fitted = pcv.OLS().fit(f"y ~ {' + '.join(kept) or '1'}", data)
        rss = ((data["y"] - fitted.predict(data)) ** 2).sum()
        return float(len(data) * np.log(rss / len(data)) + k * len(fitted.columns))

    value = criterion(terms)
    while True:
        tries = [[t for t in terms if t != out] for out in terms]
        values = [value, *map(criterion, tries)]
        if (best := int(np.argmin(values))) == 0:
            return terms
        terms, value = tries[best - 1], values[best]


@given(st.integers(1, 10**6), st.sampled_from(["aic", "bic"]))
@settings(max_examples=10, deadline=None)
def test_backward_is_the_plain_loop(seed: int, criterion: Any) -> None:
    """On all rows, and in every fold."""
    stepwise, terms = pcv.Stepwise(pcv.OLS(), "backward", criterion), RIGHT.split(" + ")
    data = drawn(seed, n=60)[["y", *terms]]
    k = 2.0 if criterion == "aic" else np.log(60)
    assert list(stepwise.fit(f"y ~ {RIGHT}", data).report.selected) == plain(data, terms, k)
    found = pcv.cross_validate(stepwise, f"y ~ {RIGHT}", data, folds=pcv.Blocks(3))
    errors = []
    for train, test in found.plan:
        part = data.iloc[train]
        kept = plain(part, terms, 2.0 if criterion == "aic" else np.log(len(part)))
        fitted = pcv.OLS().fit(f"y ~ {' + '.join(kept) or '1'}", part)
        errors.append(((data["y"] - fitted.predict(data)).iloc[test] ** 2).mean())
    np.testing.assert_allclose(found.fold_errors, errors, rtol=1e-9)


@given(st.integers(1, 10**6))
@settings(max_examples=10, deadline=None)
def test_every_step_lowers_the_criterion_and_keeps_the_hierarchy(seed: int) -> None:
    fitted = pcv.Stepwise(pcv.OLS()).fit("y ~ (x0 + x1 + x2 + f)^2", drawn(seed))
    assert (np.diff(fitted.path["aic"]) < 0).all()
    selected = [set(label.split(":")) for label in fitted.report.selected]
    for parts in selected:
        assert all({part} in selected for part in parts)


def test_the_last_model_is_the_fit_of_its_formula() -> None:
    fitted = pcv.Stepwise(pcv.OLS()).fit("mpg ~ .", MTCARS)
    alone = pcv.OLS().fit(fitted.formula, MTCARS)
    pd.testing.assert_frame_equal(fitted.tidy(), alone.tidy())
    np.testing.assert_allclose(fitted.predict(MTCARS), alone.predict(MTCARS), rtol=1e-12)
    assert fitted.results.rsquared == pytest.approx(alone.results.rsquared)


def test_selection_is_part_of_the_procedure() -> None:
    """In compare, tune over directions, nested and reports."""
    data, folds = drawn(5), pcv.KFold(5, random=1)
    grid = {"direction": ["both", "forward"], "criterion": ["aic", "bic"]}
    tuned = pcv.tune(pcv.Stepwise(pcv.OLS()), f"y ~ {RIGHT}", data, grid=grid, folds=folds)
    alone = pcv.Stepwise(pcv.OLS(), "forward", "bic")
    found = pcv.cross_validate(alone, f"y ~ {RIGHT}", data, folds=folds)
    assert tuned.tidy()["estimate"][3] == pytest.approx(found.estimate, rel=1e-12)
    chosen = found.tidy("folds")["selected"]
    assert all(set(text.split(" + ")) <= {*RIGHT.split(" + "), "1"} for text in chosen)
    assert "terms selected" in found.summary().lower()
    compared = pcv.compare({"step": alone, "all": pcv.OLS()}, f"y ~ {RIGHT}", data, folds=folds)
    assert compared["step"].estimate == found.estimate


def test_columns_that_were_not_selected_have_no_part_in_what_aliased_ones_determine() -> None:
    """With them there are more columns than rows; those of the last model alone say the same."""
    rng = np.random.default_rng(0)
    data = {"y": rng.normal(size=12), "f": rng.choice(list("abc"), 12), "x": rng.normal(size=12)}
    data["z"] = rng.normal(size=12)
    learner, folds = pcv.Stepwise(pcv.OLS()), pcv.Bootstrap(8, random=1)
    with pytest.warns(PycvstatWarning) as told:
        pcv.cross_validate(learner, "y ~ x*z*f", data, folds=folds)
    assert any("do not determine" in str(one.message) for one in told)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: pcv.Stepwise(pcv.KNN()), InputError, "needs a regression with a likelihood"),
        (lambda: pcv.Stepwise(pcv.Stepwise(pcv.OLS())), InputError, "needs a regression"),
        (lambda: pcv.Stepwise(pcv.OLS(cov_type="HC3")), InputError, "needs a regression"),
        (lambda: pcv.Stepwise(pcv.GLM("tweedie")), InputError, "needs a regression"),
        (lambda: pcv.Stepwise(pcv.OLS(), "up"), InputError, "direction must be"),
        (lambda: pcv.Stepwise(pcv.OLS(), criterion="cp"), InputError, "criterion must be"),
        (lambda: pcv.Stepwise(pcv.OLS()).fit("y ~ 0 + a + b", {
            "y": [1.0, 2.0, 4.0], "a": ["u", "v", "v"], "b": ["s", "s", "t"]}), InputError,
         "without an intercept"),
        (lambda: pcv.Stepwise(pcv.OLS()).fit("y ~ x", {"y": [0.0, 0.0], "x": [0, 1]}), FitError,
         "not finite"),
        (lambda: pcv.Stepwise(pcv.OLS()).fit("y ~ a + b", {
            "y": [1.0, 2.0, 4.0], "a": [1.0, 0.3, 0.9], "b": [0.1, 0.7, 0.2]}), FitError,
         "not finite"),
    ],
)  # fmt: skip
def test_what_cannot_be_selected_is_answered(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call()
