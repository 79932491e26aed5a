"""Every learner beside its R counterpart: cross-validated and fitted, weighted, hostile names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import PycvstatWarning, RError
from tests.rscript import in_r

pytestmark = pytest.mark.live_r

EVIL = 'x"; system("touch pwned")'
N = 90


def by_r(checked):
    """The rows that R computed."""
    ours = "stored", "choice by the rule"
    return [row for row in checked.rows if not row.quantity.startswith(ours)]


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    d = pd.DataFrame({"a b": rng.normal(size=N), EVIL: rng.normal(size=N)})
    d["f"] = pd.Categorical(rng.choice(["u", "v; q()", "w`"], N))
    d["o"] = pd.Categorical(rng.choice(["lo", "mid", "hi"], N), ["lo", "mid", "hi"], ordered=True)
    d["l"], d["z"] = rng.random(N) > 0.5, rng.uniform(0.5, 3, N)
    eta = 0.5 * d["a b"] - 0.3 * d["z"] + 0.6 * (d["f"] == "u")
    chance = 1 / (1 + np.exp(-eta))
    d["y"], d["w"] = 2 + eta + 0.5 * rng.normal(size=N), rng.integers(1, 5, N).astype(float)
    d["count"], d["positive"] = rng.poisson(np.exp(eta)), rng.gamma(4, np.exp(eta) / 4)
    d["two"] = pd.Categorical(np.where(rng.random(N) < chance, "yes", "no"))
    d["truth"] = rng.random(N) < chance
    d["bit"] = d["truth"].astype(float)
    codes = (rng.random(N) < 0.5).astype(int) + (rng.random(N) < chance)
    d["three"] = pd.Categorical(np.array(["p", "q", "r"])[codes])
    d["rank"] = d["three"].cat.as_ordered()
    d["spread"] = rng.poisson(rng.gamma(0.7, 3 * d["z"]))
    return d


ALL = f"`a b` * f + `{EVIL}` + o + l + poly(z, 2)"
SOME = "`a b` + f + z"
CASES = [
    (pcv.RLM(), f"y ~ {ALL}", None),
    (pcv.RLM("bisquare", maxiter=50), f"y ~ {ALL}", "absolute"),
    (pcv.RLM("hampel"), f"y ~ {ALL}", "huber(1.345)"),
    (pcv.RLM("huber", tuning=2.0, tol=1e-8, maxiter=80), f"y ~ {ALL}", None),
    (pcv.QuantReg(0.3), f"y ~ {ALL}", "pinball(0.3)"),
    (pcv.Mean(), f"y ~ {ALL}", None),
    (pcv.Mean(), "three ~ z", "log"),
    (pcv.Mean(), "rank ~ z", None),
    (pcv.Ridge(0.1), f"y ~ {ALL}", None),
    (pcv.Lasso(0.02), f"y ~ {ALL}", None),
    (pcv.Lasso(0.02), "y ~ z", None),
    (pcv.ElasticNet(0.05, 0.4, False), f"y ~ {ALL}", None),
    (pcv.GLM("poisson"), f"count ~ {ALL} + offset(z)", "poisson"),
    (pcv.GLM("gamma", "log"), f"positive ~ {ALL}", None),
    (pcv.GLM("gamma", "power(0.5)"), "positive ~ z", None),
    (pcv.GLM("inverse_gaussian", "log"), "positive ~ z", None),
    (pcv.GLM("negative_binomial", alpha=0.5), f"count ~ {ALL}", None),
    (pcv.GLM("negative_binomial", alpha="ml"), "spread ~ z", None),
    (pcv.GLM("gamma", "log", tol=1e-3, maxiter=9), "positive ~ z", None),
    (pcv.GLM("gaussian"), f"log(positive) ~ {ALL}", None),
    (pcv.GLM("binomial"), f"two ~ {SOME}", "log"),
    (pcv.GLM("binomial", "cauchit"), f"truth ~ {SOME}", "brier"),
    (pcv.Logit(), f"bit ~ {SOME}", "log"),
    (pcv.Logit(), f"truth ~ {SOME}", None),
    (pcv.MNLogit(), f"three ~ {SOME}", "log"),
    (pcv.MNLogit(), f"rank ~ {SOME}", None),
    (pcv.MNLogit(), f"two ~ {SOME}", "brier"),
]


def name_of(case: object) -> str:
    return str(case)[:40]


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize(
    ("learner", "formula", "loss"),
    [*CASES, (pcv.OLS(), f"y ~ {ALL} + offset(z)", None)],
    ids=name_of,
)
def test_r_computes_the_same(data, learner, formula, loss, weights):
    if weights and isinstance(learner, pcv.OLS):
        learner = pcv.WLS()
    given = {} if weights is None else {"weights": weights}
    folds = pcv.KFold(5, random=7)
    result = pcv.cross_validate(learner, formula, data, folds=folds, loss=loss, **given)
    checked = result.crosscheck()
    assert len(by_r(checked)) == 7
    assert checked, checked.first_difference
    checked = learner.fit(formula, data, **given).crosscheck()
    assert len(checked.rows) >= 3
    assert checked, checked.first_difference


@pytest.mark.live_kknn
@pytest.mark.parametrize(
    ("learner", "formula", "loss"),
    [
        (pcv.KNN(5), f"y ~ `a b` + f + `{EVIL}` + o + z", None),
        (pcv.KNN(5), "three ~ `a b` + f + z", "log"),
        (pcv.KNN(5, ykernel=1), "rank ~ `a b` + f + o", None),
        (pcv.KNN(7, "gaussian", distance=1), "truth ~ `a b` + z", "brier"),
    ],
    ids=name_of,
)
def test_kknn_computes_the_same(data, learner, formula, loss):
    folds = pcv.Repeated(pcv.KFold(4), 2, random=3)
    assert pcv.cross_validate(learner, formula, data, folds=folds, loss=loss).crosscheck()
    assert learner.fit(formula, data).crosscheck()


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
@pytest.mark.parametrize(
    ("learner", "formula", "loss"), [CASES[i] for i in (2, 4, 9, 12, 16, 19, 22)], ids=name_of
)
def test_the_weighted_script_reproduces_the_estimate(data, learner, formula, loss, tmp_path):
    result = pcv.cross_validate(
        learner, formula, data, folds=pcv.KFold(4, random=1), loss=loss, weights="w"
    )
    script = result.to_r(tmp_path / "analysis.R")
    ran = in_r(script, tmp_path)
    assert ran.returncode == 0, ran.stderr
    line = next(line for line in ran.stdout.splitlines() if line.startswith("estimate: "))
    assert float(line.split()[1]) == pytest.approx(result.estimate, rel=1e-6)  # iterative fits
    assert {p.name for p in Path(tmp_path).iterdir()} == {"analysis.R", "analysis.csv"}


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (pcv.RLM("andrew"), "no such norm"),
        (pcv.GLM("tweedie"), "no such family or link"),
        (pcv.GLM("binomial", "loglog"), "no such family or link"),
    ],
    ids=str,
)
def test_what_r_does_not_have_is_named(data, learner, words):
    formula = "bit ~ z" if learner.name == "GLM" else "y ~ z"
    result = pcv.cross_validate(learner, formula, data, folds=pcv.KFold(3, random=1))
    with pytest.raises(RError, match=words):
        result.crosscheck()


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_fits_that_r_refuses_are_left_out_by_name():
    data = pd.DataFrame({"y": np.arange(12.0) ** 1.5, "f": list("aaaaabbbbbbc")})
    rare = pcv.cross_validate(pcv.OLS(), "y ~ f", data, folds=pcv.LeaveOneOut())
    checked = rare.crosscheck()
    assert checked.verdict == "not fully compared"
    assert not checked
    assert [row.count for row in by_r(checked)] == [12, 12, 11, 11, 11, 0, 0, 0]
    assert checked.left_out == (
        "estimate (mean of fold means), pooled (mean over observations) (needs every fit); "
        "fold 12 (R says: factor f has new level c)"
    )
    robust = pcv.cross_validate(pcv.RLM(), "y ~ f", data, folds=pcv.Blocks(3)).crosscheck()
    assert "fold 3 (R says: 'x' is singular" in robust.left_out
    two = data.assign(f=["a"] * 11 + ["b"])  # without row 12 the factor has one level
    lost = pcv.cross_validate(pcv.OLS(), "y ~ f", two, folds=pcv.LeaveOneOut()).crosscheck()
    assert "fold 12 (R says: contrasts can be applied only to factors with 2 or" in lost.left_out
    assert lost.first_difference is None


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_a_refused_fit_is_named_in_every_procedure():
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"x": rng.normal(size=24), "f": ["a"] * 23 + ["b"]})
    data["y"] = data["x"] + rng.normal(size=24)
    # without row 24 the column of level b holds zeros only, which MASS::rlm refuses
    learner, folds, grid = pcv.RLM(), pcv.Blocks(4), {"maxiter": [20, 40]}
    tuned = pcv.tune(learner, "y ~ x + f", data, grid=grid, folds=folds).crosscheck()
    assert [row.count for row in by_r(tuned)] == [24, 6, 0, 0, 0]
    assert by_r(tuned)[-1].quantity == "fold 4, maxiter=20, fold 4, maxiter=40"
    curve = pcv.error_curve(learner, "y ~ x + f", data, grid=grid, folds=folds).crosscheck()
    assert [row.count for row in by_r(curve)] == [24, 6, 6, 0, 0, 0]
    sizes = pcv.learning_curve(learner, "y ~ x + f", data, sizes=[12, 18], folds=folds).crosscheck()
    assert by_r(sizes)[-1].quantity.endswith("fold 4, 18 rows")
    nested = pcv.nested_cv(
        learner, "y ~ x + f", data, grid=grid, outer=folds, inner=pcv.Blocks(3)
    ).crosscheck()
    assert "R says: in the inner folds, 'x' is singular" in nested.left_out
    for checked in (tuned, curve, sizes, nested):
        assert checked.verdict == "not fully compared"
        assert checked.first_difference is None
        assert "singular" in checked.left_out


def test_a_warning_of_r_is_passed_on_and_noted():
    result = pcv.cross_validate(
        pcv.OLS(), "mpg ~ wt + I(2 * wt)", pcv.data.mtcars(), folds=pcv.KFold(4, random=1)
    )
    with pytest.warns(PycvstatWarning, match="rank-deficient") as caught:
        checked = result.crosscheck()
    assert checked
    assert len(caught) == 1
    assert any("rank-deficient" in note for note in checked.notes)


def test_bias_adjustment_rules_and_inner_losses_are_checked_too():
    cars = pcv.data.mtcars()
    folds = pcv.KFold(5, random=2)
    adjusted = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=folds, bias_adjusted=True)
    checked = adjusted.crosscheck()
    assert checked
    assert by_r(checked)[-1].quantity == "bias-adjusted estimate"
    grid = {"lam": [0.1, 1.0, 5.0]}
    for rule in ({"rule": "one_se"}, {"rule": "tolerance", "tolerance": 0.2}, {"rule": "min"}):
        tuned = pcv.tune(
            pcv.Ridge(), "mpg ~ .", cars, grid=grid, folds=folds, complexity="-lam", **rule
        )
        checked = tuned.crosscheck()
        assert checked
        assert by_r(checked)[-1].quantity == "chosen candidate"
        nested = pcv.nested_cv(
            pcv.Ridge(), "mpg ~ .", cars, grid=grid, outer=folds, inner=3, complexity="-lam", **rule
        )
        assert nested.crosscheck()
    kept = pcv.Tuned(
        pcv.Ridge(), grid, inner=pcv.Holdout(0.25, random=1), refit="train", loss="absolute"
    )
    assert pcv.cross_validate(kept, "mpg ~ .", cars, folds=folds).crosscheck()
    assert pcv.error_curve(pcv.Ridge(), "mpg ~ .", cars, grid=grid, folds=folds).crosscheck()


def test_scripts_of_rules_and_curves_run(tmp_path):
    cars, folds = pcv.data.mtcars(), pcv.KFold(4, random=2)
    grid = {"lam": [0.1, 1.0, 5.0]}
    curve = pcv.error_curve(pcv.Ridge(), "mpg ~ wt + hp", cars, grid=grid, folds=folds)
    nested = pcv.nested_cv(
        pcv.Ridge(), "mpg ~ wt + hp", cars, grid=grid, outer=folds, inner=3,
        rule="one_se", complexity="-lam",
    )  # fmt: skip
    chosen = " ".join(str(c + 1) for c in nested.chosen_index)
    first = f"{curve.train.estimate()[0]:.6g}"[:6]
    for result, words in ((curve, f"train_error: {first}"), (nested, f"chosen: {chosen}")):
        script = result.to_r(tmp_path / "one.R")
        ran = in_r(script, tmp_path)
        assert ran.returncode == 0, ran.stderr
        assert words in ran.stdout


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_separated_classes_are_left_out_by_name(tmp_path):
    iris = pcv.data.iris()
    result = pcv.cross_validate(pcv.MNLogit(), "Species ~ .", iris, folds=pcv.KFold(3, random=1))
    fit = pcv.MNLogit().fit("Species ~ .", iris)
    for checked in (result.crosscheck(), fit.crosscheck()):
        assert checked.verdict == "not fully compared"
        assert "the predictors separate the classes" in checked.left_out
    script = result.to_r(tmp_path / "iris.R")
    ran = in_r(script, tmp_path)
    assert "Not compared: fold 1: the predictors separate the classes" in ran.stdout
    assert "expected" not in ran.stdout
    x = np.array([0.0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 5])
    y = pd.Categorical(["a"] * 5 + ["b"] * 5 + ["b", "a"])  # the last two make the classes overlap
    ids = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 2]
    one = pcv.cross_validate(
        pcv.MNLogit(), "y ~ x", {"x": x, "y": y}, folds=pcv.Predefined(ids), loss="log"
    )
    checked = one.crosscheck()
    assert checked.first_difference is None
    assert [row.count for row in by_r(checked)] == [12, 12, 7, 7, 2, 0, 0, 0]
    assert "fold 2 (R says: the predictors separate" in checked.left_out


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
@pytest.mark.parametrize("species", [["setosa", "versicolor"], ["versicolor", "virginica"]])
def test_where_glm_finds_no_maximum_its_stop_is_compared_and_said_to_be_one(species):
    iris = pcv.data.iris()
    two = iris[iris["Species"].isin(species)].assign(
        Species=lambda d: d["Species"].cat.remove_unused_categories()
    )
    folds, formula = pcv.KFold(3, random=1), "Species ~ `Sepal.Length` + `Sepal.Width`"
    checked = pcv.cross_validate(pcv.Logit(), formula, two, folds=folds).crosscheck()
    assert checked
    said = any("the likelihood has no maximum that glm finds" in note for note in checked.notes)
    assert said is ("setosa" in species)
