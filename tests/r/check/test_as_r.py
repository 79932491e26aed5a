"""Results in R: plain lists that R's own functions take, identical to what R would write."""

from __future__ import annotations

import subprocess

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, RError
from pycvstat.r.bridge import require, run

pytestmark = [
    pytest.mark.live_r,
    pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning"),
]

CARS = pcv.data.mtcars()
FOLDS = pcv.KFold(4, random=1)


@pytest.fixture(scope="module")
def results():
    data = CARS.assign(f=pd.Categorical(CARS["cyl"].astype(int)), row=np.arange(32.0))
    cv = pcv.cross_validate(pcv.OLS(), "mpg ~ wt + f + row", data, folds=FOLDS)
    grid = {"k": [1, 2]}
    compared = pcv.compare({"a": pcv.OLS(), "b": pcv.Mean()}, "mpg ~ wt", CARS, folds=FOLDS)
    return {
        "cv": cv,
        "classes": pcv.cross_validate(pcv.KNN(5), "y ~ .", pcv.data.labels(80), folds=FOLDS),
        "tune": pcv.tune(pcv.KNN(), "mpg ~ .", CARS, grid=grid, folds=FOLDS),
        "nested": pcv.nested_cv(pcv.KNN(), "mpg ~ .", CARS, grid=grid, outer=FOLDS, inner=3),
        "compared": compared,
        "paired": compared.paired("a", "b"),
        "interval": cv.interval(),
        "curve": pcv.error_curve(pcv.KNN(), "mpg ~ .", CARS, grid=grid, folds=FOLDS),
        "sizes": pcv.learning_curve(pcv.OLS(), "mpg ~ wt", CARS, sizes=[10, 20], folds=FOLDS),
        "losses": pcv.from_losses({"a": [1.0, 2, 3, 5], "b": [2.0, 2, 3, 1]}, [1, 1, 2, 2]),
        "audit": pcv.audit(pcv.OLS(), "mpg ~ wt", CARS, folds=FOLDS, times=5),
        "check": cv.plan.crosscheck(),
        "suite": pcv.r.check.run_suite("recorded", ("random",)),
        "fit": pcv.OLS().fit("mpg ~ wt + I(2 * wt)", CARS),
        "neighbours": pcv.KNN(3).fit("mpg ~ wt", CARS),
    }


def identical(code: str, **values: object) -> bool:
    return bool(run(f"identical({code})", **values))


def test_a_plan_is_the_list_that_r_would_write():
    plan = pcv.KFold(3, random=1).plan(7)
    x = pcv.as_r(plan)
    code = plan.to_r()
    assert run(f"{{ {code}; identical(x$indexOut, folds) }}", x=x)
    assert identical("x$index, lapply(x$indexOut, function(i) setdiff(1:7, i))", x=x)
    assert identical("x$fold_ids[x$indexOut$Fold2], rep(2L, length(x$indexOut$Fold2))", x=x)
    assert identical("x$n, 7L", x=x)
    assert identical("x$seed, 1L", x=x)


def test_caret_and_rsample_take_the_folds():
    require(["caret", "rsample"])
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt + hp", CARS, folds=FOLDS)
    folds = pcv.as_r(result.plan)
    rmse = run(
        """{ control <- caret::trainControl("cv", index = f$index, indexOut = f$indexOut)
             caret::train(mpg ~ wt + hp, mtcars, method = "lm", trControl = control)$resample$RMSE
        }""",
        f=folds,
    )
    assert np.asarray(rmse) ** 2 == pytest.approx(result.fold_errors, rel=1e-10)
    sets = run(
        """{ splits <- Map(function(i, o) rsample::make_splits(list(analysis = i, assessment = o),
                                                              mtcars), f$index, f$indexOut)
             rsample::manual_rset(unname(splits), names(f$index)) }""",
        f=folds,
    )
    assert pcv.from_r(sets).fingerprint == result.plan.fingerprint


@pytest.mark.parametrize(
    "plan",
    [
        FOLDS.plan(11),
        pcv.Repeated(pcv.KFold(3), 2, random=1).plan(9),
        pcv.TimeSeries(5, gap=1).plan(12),
        pcv.Subsampling(3, random=1).plan(20),
    ],
    ids=str,
)
def test_folds_come_back_as_they_went(plan, tmp_path):
    for back in (pcv.from_r(pcv.as_r(plan)), pcv.from_r(pcv.as_r(plan, tmp_path / "folds.rds"))):
        assert back.fingerprint == plan.fingerprint


def test_every_result_is_a_list_of_plain_things(results):
    plain = """function(x) {
      if (is.data.frame(x)) return(all(vapply(x, function(v) is.atomic(v), TRUE)))
      if (is.list(x)) return(is.null(attr(x, "class")) && all(vapply(x, plain, TRUE)))
      is.null(x) || is.atomic(x)
    }"""
    for name, result in results.items():
        x = pcv.as_r(result)
        assert run(f"{{ plain <- {plain}; plain(x) }}", x=x), name
        if name not in ("fit", "neighbours"):
            assert run("names(x)[1:3]", x=x).tolist() == ["tidy", "glance", "augment"], name


def test_numbers_are_the_same_bits_and_rows_count_from_one(results):
    cv = results["cv"]
    x = pcv.as_r(cv)
    for code, value in [
        ("x$glance$estimate", cv.estimate),
        ("x$by_fold$estimate", cv.fold_errors),
        ("x$losses$loss", cv.table.losses[:, 0]),
        ("x$losses$row", cv.plan.rows + 1),
        ("x$augment$row", np.arange(32.0)),  # a column of the data
        ("x$augment$f", cv.task.frame.to_pandas()["f"]),
    ]:
        assert identical(f"{code}, y", x=x, y=value), code
    assert run("unname(tapply(x$losses$loss, x$losses$fold, mean))", x=x).tolist() == (
        pytest.approx(cv.fold_errors.tolist(), rel=1e-14)
    )


def test_what_is_missing_is_na_and_not_nan(results):
    assert run("is.na(x) && !is.nan(x)", x=run("x$tidy$std_error[2]", x=pcv.as_r(results["cv"])))
    x = pcv.as_r(results["fit"])
    assert run("{ v <- x$tidy$estimate[3]; is.na(v) && !is.nan(v) }", x=x)
    with_holes = pd.DataFrame({"a": [1.5, None], "b": ["u", None]})
    assert run("all(is.na(x$d[2, ])) && is.factor(x$d$b) == FALSE", x=pcv.as_r({"d": with_holes}))


def test_neighbours_are_kknn_s_matrices(results):
    x, fitted = pcv.as_r(results["neighbours"]), results["neighbours"]
    found = fitted.neighbours(fitted.task.frame)
    assert identical("x$C, y", x=x, y=found.rows + 1)
    assert identical("x$D, y", x=x, y=found.distances)


def test_results_under_r_s_own_names():
    found = pcv.r.kknn.kknn("mpg ~ wt", CARS[:24], CARS[24:], k=3)
    assert identical("x$C, y", x=pcv.as_r(found), y=found.C)
    trained = pcv.r.kknn.train_kknn("mpg ~ wt", CARS, ks=[1, 3])
    x = pcv.as_r(trained)
    assert run("names(x$mean_squ)", x=x) == "optimal"
    assert identical("x$task$mpg, mtcars$mpg", x=x)


def test_a_file_is_read_by_another_r(results, tmp_path):
    path = results["nested"].to_r(tmp_path / "nested.rds")
    code = 'x <- readRDS("nested.rds"); cat(sprintf("%.17g", x$glance$estimate), names(x))'
    said = subprocess.run(
        ["Rscript", "--vanilla", "-e", code], cwd=tmp_path, capture_output=True, text=True
    ).stdout.split()
    assert float(said[0]) == results["nested"].estimate
    assert said[1:] == [
        "tidy", "glance", "augment", "by_fold", "losses", "inner", "selection", "folds",
    ]  # fmt: skip
    again = pcv.from_r(path)
    assert float(again["glance"]["estimate"].iloc[0]) == results["nested"].estimate


def test_a_dict_intervals_in_r_is_a_list_of_them(results):
    x = pcv.as_r(results["compared"].interval())
    assert run("names(x)", x=x).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda r: pcv.as_r(r, "x.txt"), InputError, r"ends in \.rds"),
        (lambda r: pcv.as_r(r, "no/such/x.rds"), InputError, "folder does not exist"),
        (lambda r: pcv.as_r({"f": lambda: 1}), RError, "no R form"),
    ],
)
def test_what_cannot_go_is_said(results, call, error, words):
    with pytest.raises(error, match=words):
        call(results["cv"])


def test_without_r_it_is_said(results, without_r):
    with pytest.raises(RError, match="PYCVSTAT_R=none"):
        pcv.as_r(results["cv"])
