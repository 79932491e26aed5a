"""Scripts in the style of a course: short, and R prints the number by them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError
from tests.rscript import in_r

CARS = pcv.data.mtcars()
IRIS = pcv.data.iris()
AUTO = pcv.data.auto().rename(columns={"weight": "wt"})
TWO = IRIS[IRIS["Species"] != "setosa"].assign(Species=lambda d: d["Species"].astype(str))
READ = CARS[["mpg", "wt", "hp"]].assign(
    g=CARS["gear"].astype(str),
    truth=np.where(CARS["am"] == 1, "T", "F"),
    absent=np.where(CARS["vs"] == 1, "NA", "no"),
    day=pd.date_range("2020-01-01", periods=len(CARS)),
)

ALIASED = CARS.assign(g=READ["g"], w=np.linspace(0.5, 2, 32))
MARKED = READ.assign(
    told=CARS["am"] == 1,
    said=np.where(CARS["vs"] == 1, 'a "quoted" word', "back\\slash"),
    size=pd.Categorical(np.where(CARS["vs"] == 1, "big", "small"), ordered=True),
    hour=pd.date_range("2020-01-01", periods=len(CARS), freq="h"),
)
READ["two words"] = pd.Categorical(np.where(CARS["vs"] == 1, "x", "y"))
LINES = 22
"""Of the longest script: a dozen, one per column of classes, and a seed."""

CASES = {
    **{
        f"lm on folds of {name}": (pcv.OLS(), "log(mpg) ~ wt + I(hp^2)", CARS, folds)
        for name, folds in {
            "KFold": pcv.KFold(5, random=1), "Blocks": pcv.Blocks(4), "loo": pcv.LeaveOneOut(),
            "repeated": pcv.Repeated(pcv.KFold(4), 3, random=2),
            **{
                dialect: pcv.RFolds(dialect, 8, seed=2021, sample_kind="Rounding")
                for dialect in ("rsample", "caret", "boot", "glmnet", "mlr3", "kknn", "lecture")
            },
            "cut": pcv.RFolds("cut", 5, seed=3), "pls": pcv.RFolds("pls", 5, seed=3, repeats=2),
        }.items()
    },
    "glm of counts": (pcv.GLM("poisson"), "carb ~ hp + wt", CARS, pcv.KFold(5, random=1)),
    "glm of classes": (pcv.Logit(), "Species ~ Petal.Width", TWO, pcv.RFolds("caret", 5, seed=1)),
    "strata of y": (pcv.OLS(), "mpg ~ wt", AUTO, pcv.RFolds("rsample", 5, seed=3, strata=True)),
    "strata of a column": (
        pcv.OLS(), "Sepal.Length ~ .", IRIS, pcv.RFolds("rsample", 5, seed=3, strata="Species")
    ),
    **{
        f"read.csv of {formula}": (pcv.OLS(), formula, READ, pcv.KFold(5, random=1))
        for formula in ("mpg ~ wt + g", "mpg ~ truth", "mpg ~ absent + g", "mpg ~ day",
                        "mpg ~ wt + `two words`", "mpg ~ . - hp - day")
    },
    "strata of digits": (
        pcv.OLS(), "mpg ~ wt + g", READ, pcv.RFolds("rsample", 5, seed=1, strata="g")
    ),
    "classes T and F": (pcv.Logit(), "truth ~ hp", READ, pcv.KFold(5, random=1)),
    "classes TRUE and FALSE": (pcv.Logit(), "told ~ hp", MARKED, pcv.RFolds("caret", 4, seed=1)),
    "sums of TRUE": (pcv.OLS(), "mpg ~ I(told * 2) + wt", MARKED, pcv.KFold(5, random=1)),
    "classes with marks": (pcv.Logit(), "said ~ wt", MARKED, pcv.KFold(5, random=1)),
    "splines": (pcv.OLS(), "mpg ~ ns(wt, 2) + bs(hp, 4)", CARS, pcv.KFold(5, random=1)),
    "C of patsy": (pcv.OLS(), "mpg ~ wt + C(gear)", CARS, pcv.KFold(5, random=1)),
    "no column but y": (pcv.OLS(), "mpg ~ 1", CARS, pcv.KFold(5, random=1)),
    "a formula of its own": (
        pcv.Model(pcv.OLS(), "mpg ~ wt"), "mpg ~ wt + hp", CARS, pcv.KFold(5, random=1)
    ),
    "a factor": (pcv.OLS(), "Sepal.Length ~ Species", IRIS, pcv.KFold(10, random=17)),
}  # fmt: skip


@pytest.mark.live_r
@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
@pytest.mark.parametrize("name", CASES)
def test_r_prints_the_number_by_a_short_script(name, tmp_path):
    learner, formula, data, folds = CASES[name]
    result = pcv.cross_validate(learner, formula, data, folds=folds)
    found = printed(result, tmp_path / "cars.R")
    # R prints seven digits
    np.testing.assert_allclose(found, [result.estimate, result.pooled], rtol=1e-6)


def printed(result, path):
    """The numbers that R prints by the script."""
    lines = result.to_r(path, style="course").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LINES
    done = in_r(path, path.parent)
    assert done.returncode == 0, done.stderr
    return [float(number) for number in re.findall(r"^\[1\] (\S+)$", done.stdout, re.M)]


@pytest.mark.live_r
@pytest.mark.parametrize("dialect", ["boot", "caret"])
def test_r_tunes_by_a_short_script(dialect, tmp_path):
    grid = {"formula": [f"mpg ~ poly(wt, {degree})" for degree in (1, 2, 3)]}
    folds = pcv.RFolds(dialect, 10, seed=17)
    result = pcv.tune(pcv.OLS(), "mpg ~ wt", AUTO, grid=grid, folds=folds)
    found = printed(result, tmp_path / "auto.R")
    np.testing.assert_allclose(found, [result.estimate], rtol=1e-6)  # seven digits


@pytest.mark.live_r
@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_the_dot_of_a_formula_stands_for_columns_in_the_order_of_the_data(tmp_path):
    # where columns span others, the order says which has no coefficient: gear, or its levels g
    grid = {"formula": ["mpg ~ wt + g", "mpg ~ . - hp"]}
    folds = pcv.KFold(4, random=1)
    result = pcv.nested_cv(pcv.OLS(), None, ALIASED, grid=grid, outer=folds, inner=pcv.KFold(3))
    assert result.crosscheck()
    tuned = pcv.tune(pcv.OLS(), None, ALIASED, grid=grid, folds=folds)
    np.testing.assert_allclose(printed(tuned, tmp_path / "a.R"), [tuned.estimate], rtol=1e-6)


def test_an_argument_of_another_name_is_answered(tmp_path):
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", CARS, folds=pcv.Blocks(4))
    with pytest.raises(InputError, match="no argument 'styl'"):
        result.to_r(tmp_path / "out.R", styl="course")


def test_a_grid_is_typed_as_in_a_course(tmp_path):
    one, two = {"k": range(1, 21)}, {"k": [1, 5], "kernel": ["inv", "optimal"]}
    for grid, line in (
        (one, "grid <- expand.grid(k = 1:20)"),
        (two, 'grid <- expand.grid(kernel = c("inv", "optimal"), k = c(1, 5), strings'),
    ):
        result = pcv.tune(pcv.KNN(), "mpg ~ wt", CARS, grid=grid, folds=pcv.Blocks(4))
        text = result.to_r(tmp_path / "cars.R", style="course").read_text(encoding="utf-8")
        assert line in text
        assert "k = grid$k[i], distance = 2, kernel = " in text


def test_no_row_and_no_fold_is_written_out_and_doubles_are_short(tmp_path):
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", CARS, folds=pcv.KFold(10, random=1))
    text = result.to_r(tmp_path / "cars.R", style="course").read_text(encoding="utf-8")
    assert "22.8" not in text
    assert "1L" not in text
    assert "22.8,2.32" in (tmp_path / "cars.csv").read_text(encoding="utf-8")
    assert f"{result.estimate:.7g}" in text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", CARS, folds=pcv.Stratified(4)),
            "Stratified",
        ),
        (lambda: pcv.cross_validate(pcv.RLM(), "mpg ~ wt", CARS, folds=pcv.Blocks(4)), "RLM"),
        (
            lambda: pcv.cross_validate(
                pcv.WLS(), "mpg ~ wt", CARS, folds=pcv.Blocks(4), weights="hp"
            ),
            "weights",
        ),
        (lambda: pcv.tune(pcv.Ridge(), "mpg ~ .", CARS, grid={"lam": [1.0]}, folds=4), "Ridge"),
        *(
            (lambda at=at: pcv.cross_validate(*at[:3], folds=pcv.Blocks(4), **at[3]), told)
            for told, *at in (
                ("Stepwise", pcv.Stepwise(pcv.OLS()), "mpg ~ wt + hp", CARS, {}),
                ("weights", pcv.OLS(), "mpg ~ wt", CARS, {"loss_weights": "hp"}),
                ("ordered", pcv.KNN(3), "size ~ hp", MARKED, {}),
                ("hour", pcv.OLS(), "mpg ~ hour", MARKED, {}),
                ("negative", pcv.GLM("negative_binomial"), "carb ~ wt", CARS, {}),
            )
        ),
        (
            lambda: pcv.tune(
                pcv.KNN(),
                "mpg ~ wt",
                CARS,
                grid={"k": [1, 2]},
                folds=4,
                rule="one_se",
                complexity="-k",
            ),
            "one_se",
        ),
        (
            lambda: pcv.cross_validate(
                pcv.OLS(), "mpg ~ wt", CARS, folds=pcv.RFolds("rsample", 4, seed=1, strata="gear")
            ),
            "gear",
        ),
        (
            lambda: pcv.error_curve(pcv.KNN(), "mpg ~ wt", CARS, grid={"k": [1, 2]}, folds=4),
            "Curve",
        ),
    ],
)
def test_what_no_course_writes_is_said(given, told, tmp_path):
    with pytest.raises(InputError, match="style of a course") as caught:
        given().to_r(tmp_path / "out.R", style="course")
    assert told in str(caught.value.given)
    with pytest.raises(InputError, match="style"):
        given().to_r(tmp_path / "out.R", style="short")


def test_a_result_without_a_script_has_none_in_this_style_either(tmp_path):
    interval = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", CARS, folds=pcv.Blocks(4)).interval()
    with pytest.raises(InputError, match="no R script"):
        interval.to_r(tmp_path / "out.R", style="course")


def test_words_that_no_rule_reads_otherwise_need_no_classes(tmp_path):
    result = pcv.cross_validate(pcv.OLS(), "Sepal.Length ~ .", IRIS, folds=pcv.Blocks(4))
    text = result.to_r(tmp_path / "iris.R", style="course").read_text(encoding="utf-8")
    assert "colClasses" not in text


@pytest.mark.parametrize("style", ["full", "course"])
def test_a_file_that_no_script_of_this_name_reads_is_not_replaced(style, tmp_path):
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", CARS, folds=pcv.Blocks(4))
    again = pcv.cross_validate(pcv.OLS(), "mpg ~ hp", CARS, folds=pcv.Blocks(4))
    own = tmp_path / "cars.csv"
    own.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="would replace a file"):
        result.to_r(tmp_path / "cars.R", style=style)
    assert [file.name for file in tmp_path.iterdir()] == ["cars.csv"]
    script = tmp_path / "cars.R"
    script.write_text('cars <- read.csv("cars.csv")', encoding="utf-8")
    with pytest.raises(InputError, match="would replace a file"):
        result.to_r(script, style=style)
    result.to_r(tmp_path / "other.R", style=style)
    again.to_r(tmp_path / "other.R", style=style)
    assert "110" in (tmp_path / "other.csv").read_text(encoding="utf-8")
    assert own.read_text(encoding="utf-8") == "mine"
