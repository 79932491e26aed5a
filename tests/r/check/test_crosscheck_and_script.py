"""Cross-checks of a user's own results, and the R scripts that reproduce them."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, RError
from pycvstat.r.bridge.to_r import literal
from pycvstat.r.check.script import script_text
from tests.rscript import in_r

MTCARS = pcv.data.mtcars()
FOLDS = pcv.KFold(6, random=1)


def results():
    yield "ols", pcv.cross_validate(pcv.OLS(), "mpg ~ wt + factor(cyl)", MTCARS, folds=FOLDS)
    yield "loo", pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=pcv.LeaveOneOut())
    yield (
        "subsampling",
        pcv.cross_validate(
            pcv.OLS(), "log(mpg) ~ wt", MTCARS, folds=pcv.Subsampling(5, train=0.8, random=1),
            loss="absolute",
        ),
    )  # fmt: skip
    yield (
        "glm",
        pcv.cross_validate(
            pcv.GLM("binomial"), "y ~ .", pcv.data.labels(80), folds=FOLDS, loss="log"
        ),
    )
    yield "mean", pcv.cross_validate(pcv.Mean(), "mpg ~ 1", MTCARS, folds=FOLDS)
    yield "rlm", pcv.cross_validate(pcv.RLM(), "mpg ~ wt + hp", MTCARS, folds=FOLDS)
    yield "rq", pcv.cross_validate(pcv.QuantReg(tau=0.3), "mpg ~ wt", MTCARS, folds=FOLDS)
    yield (
        "knn",
        pcv.cross_validate(pcv.KNN(k=5, kernel="rectangular"), "mpg ~ .", MTCARS, folds=FOLDS),
    )
    yield ("tune", pcv.tune(pcv.Ridge(), "mpg ~ .", MTCARS, grid={"lam": [0.1, 1.0]}, folds=FOLDS))
    yield (
        "nested",
        pcv.nested_cv(
            pcv.KNN(kernel="rectangular"), "mpg ~ .", MTCARS, grid={"k": range(1, 9)},
            outer=FOLDS, inner=pcv.KFold(4),
        ),
    )  # fmt: skip
    yield (
        "compare",
        pcv.compare({"ols": pcv.OLS(), "mean": pcv.Mean()}, "mpg ~ wt", MTCARS, folds=FOLDS),
    )


@pytest.fixture(scope="module")
def made() -> dict[str, object]:
    return dict(results())


NAMES = [
    "ols", "loo", "subsampling", "glm", "mean", "rlm", "rq", "knn", "tune", "nested", "compare",
]  # fmt: skip


def shown(output: str, name: str) -> list[float]:
    """The numbers that a script prints for a quantity, for the first method of several."""
    line = next(line for line in output.splitlines() if line.startswith(f"{name}: "))
    return [float(word) for word in line.split()[1:]]


@pytest.mark.live_r
@pytest.mark.parametrize("name", NAMES)
def test_r_computes_the_same(made, name):
    checked = made[name].crosscheck()
    assert checked, checked.first_difference
    tidy = checked.tidy()
    assert (tidy["verdict"] == "agrees").all()
    assert tidy["reason"].str.len().min() > 0


@pytest.mark.live_r
@pytest.mark.parametrize("metric", ["auc(versicolor)", "auc(3)"])
def test_r_tunes_by_the_area_of_one_class_against_the_rest(metric):
    """Neighbouring flowers, whose classes overlap: no fold is separated."""
    formulas = ["Species ~ Sepal.Width", "Species ~ Sepal.Length", "Species ~ 1"]
    result = pcv.tune(
        pcv.MNLogit(), "Species ~ Sepal.Width + Sepal.Length", pcv.data.iris(),
        grid={"formula": formulas}, folds=FOLDS, metric=metric,
    )  # fmt: skip
    checked = result.crosscheck()
    assert checked, checked.words
    assert len(set(result.means.estimate())) == 3
    assert f'"{metric}"' in script_text(result)


@pytest.mark.live_r
def test_r_tunes_by_the_area_of_the_first_of_two_numbers():
    formulas = ["am ~ hp", "am ~ carb"]
    result = pcv.tune(
        pcv.GLM("binomial"), data=pcv.data.mtcars(), grid={"formula": formulas},
        folds=pcv.Stratified(3, random=1), metric="auc(1)",
    )  # fmt: skip
    checked = result.crosscheck()
    assert checked, checked.words


@pytest.mark.live_r
@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("knn", "nested")])
def test_the_script_reproduces_the_estimate(made, name, tmp_path):
    """kNN scripts call kknn, which is not installed everywhere; nested ridge stands for them."""
    result = made[name]
    script = result.to_r(tmp_path / "analysis.R")
    ran = in_r(script, tmp_path)
    assert ran.returncode == 0, ran.stderr
    output = ran.stdout
    assert "Not compared" not in output
    if name == "tune":
        assert shown(output, "chosen") == [result.choice.index + 1]
        return
    expected = result.estimate if name != "compare" else result.estimate["ols"]
    assert shown(output, "estimate") == pytest.approx([expected], rel=1e-6)  # iterative fits
    assert f"expected: {expected:.6g}"[:14] in output


@pytest.mark.live_r
def test_a_nested_script_reproduces_the_choices(tmp_path):
    result = pcv.nested_cv(
        pcv.Ridge(), "mpg ~ wt + hp + qsec", MTCARS, grid={"lam": [0.1, 1.0, 10.0]},
        outer=pcv.KFold(4, random=1), inner=pcv.KFold(3),
    )  # fmt: skip
    script = result.to_r(tmp_path / "nested.R")
    ran = in_r(script, tmp_path)
    assert ran.returncode == 0, ran.stderr
    output = ran.stdout
    assert "Not compared" not in output
    assert shown(output, "chosen") == (result.chosen_index + 1).tolist()


@pytest.mark.live_r
def test_a_wrong_result_is_caught_and_located(made):
    result = made["ols"]
    losses = result.table.losses.copy()
    losses[5, 0] *= 1.001
    wrong = replace(result, table=replace(result.table, losses=losses))
    checked = wrong.crosscheck()
    assert not checked
    assert "losses of these predictions: fold 1, row" in checked.first_difference


@pytest.mark.live_r
def test_wrong_folds_are_caught(made):
    result = made["ols"]
    other = pcv.KFold(6, random=2).plan(32)
    wrong = replace(result, table=replace(result.table, plan=other))
    assert not wrong.crosscheck()


HOSTILE = ['a"); q("no")#', "b`; stop('x')", "c\\", "d\nquit()", "été", "$x{1}", "if", "10 %"]


@pytest.mark.live_r
def test_hostile_names_and_levels_do_not_become_r_code(tmp_path):
    rng = np.random.default_rng(1)
    data = pd.DataFrame({name: rng.normal(size=24) for name in HOSTILE})
    data["level"] = pd.Categorical([HOSTILE[i % 3] for i in range(24)], HOSTILE[:3])
    data["y"] = rng.normal(size=24)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows for nine columns: rank is not the point here
        result = pcv.cross_validate(pcv.OLS(), "y ~ .", data, folds=pcv.KFold(3, random=1))
        assert result.crosscheck()
    script = result.to_r(tmp_path / "hostile.R")
    ran = in_r(script, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert shown(ran.stdout, "estimate") == pytest.approx([result.estimate])


@pytest.mark.live_kknn
def test_kknn_itself_finds_its_contrasts_of_factors():
    data = MTCARS.assign(cyl=pd.Categorical(MTCARS["cyl"]), gear=MTCARS["gear"].astype(str))
    result = pcv.cross_validate(pcv.KNN(k=3), "mpg ~ wt + cyl + gear", data, folds=FOLDS)
    assert result.crosscheck()


def test_numbers_and_texts_are_written_exactly():
    assert float(literal(0.1)) == 0.1
    assert literal(float("nan")) == "NaN"
    assert literal('a\nb"\\') == '"a\\u{a}b\\"\\\\"'
    assert "\n" not in literal("line\u2028break\r\n")
    long = literal([12345] * 100)
    assert max(len(line) for line in long.splitlines()) <= 100


def test_a_script_names_kknn_wherever_it_is_written(made):
    assert "library(kknn)" in script_text(made["knn"])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda r: r.to_r("analysis.txt"), InputError, "ends in .R"),
        (lambda r: r.to_r("no/such/folder/a.R"), InputError, "cannot be written"),
    ],
)
def test_unwritable_scripts_are_explained(made, call, error, words):
    with pytest.raises(error, match=words):
        call(made["ols"])


def test_what_has_no_counterpart_says_so(made):
    from sklearn.linear_model import LinearRegression

    result = pcv.cross_validate(LinearRegression(), "mpg ~ wt", MTCARS, folds=FOLDS)
    with pytest.raises(RError, match="no R counterpart"):
        script_text(result)


def test_without_r_a_cross_check_says_what_is_missing(made, without_r):
    with pytest.raises(RError):
        made["ols"].crosscheck()


@pytest.mark.live_r
@pytest.mark.parametrize("name", ["row.names", "check.names", "names", "größe", "变量"])
def test_names_that_mean_something_to_r_are_names(name, tmp_path):
    data = MTCARS.rename(columns={"wt": name})
    result = pcv.cross_validate(pcv.OLS(), f"mpg ~ `{name}` + hp", data, folds=FOLDS)
    assert result.crosscheck()
    script = result.to_r(tmp_path / "names.R")
    assert script.read_text(encoding="utf-8").isascii()
    ran = in_r(script, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert shown(ran.stdout, "estimate") == pytest.approx([result.estimate])


@pytest.mark.live_r
@pytest.mark.parametrize(
    ("name", "words"),
    [("...", "a column of this name"), ("..1", "a column of this name"),
     (".pcv_response", "a column of this name"), ("\u202ex\u2066", "a column of this name"),
     ("a\0b", "NUL character")],
)  # fmt: skip
def test_names_that_r_cannot_have_are_refused(name, words, tmp_path):
    data = MTCARS.rename(columns={"wt": name})
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ .", data, folds=FOLDS)
    with pytest.raises(RError, match=words):
        result.crosscheck()
    with pytest.raises(RError, match=words):
        result.to_r(tmp_path / "names.R")


@pytest.mark.live_r
def test_days_reach_r_as_days():
    rng = np.random.default_rng(1)
    day = pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 300, 40), "D")
    data = pd.DataFrame({"day": day, "y": rng.normal(size=40)})
    assert pcv.OLS().fit("y ~ day", data).crosscheck()


@pytest.mark.live_r
def test_a_word_na_is_a_word_in_a_script(tmp_path):
    words = pd.Series(["NA", "no", "yes"] * 10)
    data = pd.DataFrame({"word": words, "y": np.arange(30.0) + 5 * (words == "NA")})
    result = pcv.cross_validate(pcv.OLS(), "y ~ word", data, folds=FOLDS)
    script = result.to_r(tmp_path / "words.R")
    ran = in_r(script, tmp_path)
    assert shown(ran.stdout, "estimate") == pytest.approx([result.estimate])
