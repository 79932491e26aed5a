"""Formulas as candidates, and models with formulas of their own, two ways to the same numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.errors import FormulaError, InputError, PycvstatWarning
from tests.rscript import in_r, live_r

MTCARS = pcv.data.mtcars()
FORMULAS = ["mpg ~ wt", "mpg ~ poly(wt, 2)", "mpg ~ wt + factor(cyl)", "mpg ~ wt * hp"]
FOLDS = pcv.KFold(5, random=1)
SAME = 1e-11  # all folds from one factorisation, or each by its own
SMALL = pcv.Model(pcv.OLS(), "mpg ~ wt")
KNN = pcv.Model(pcv.KNN(5), "mpg ~ wt + hp")


@pytest.mark.parametrize("learner", [pcv.OLS(), pcv.KNN(5), pcv.Ridge(2.0), pcv.RLM(), pcv.Mean()])
def test_formulas_are_candidates(learner: Any) -> None:
    """The column of a candidate is the cross-validation of its formula alone."""
    found = pcv.tune(learner, "mpg ~ wt", MTCARS, grid={"formula": FORMULAS}, folds=FOLDS)
    alone = [pcv.cross_validate(learner, text, MTCARS, folds=FOLDS) for text in FORMULAS]
    expected = np.stack([one.fold_errors for one in alone], axis=1)
    np.testing.assert_allclose(found.means.means, expected, rtol=SAME)
    best = FORMULAS[int(expected.mean(axis=0).argmin())] if learner != pcv.Mean() else FORMULAS[0]
    assert found.best == {"formula": best}
    by_hand = learner.fit(best, MTCARS).predict(MTCARS)
    np.testing.assert_array_equal(found.predict(MTCARS), by_hand)
    assert found.model.task.formula.text == best


def test_formulas_together_with_other_parameters() -> None:
    grid = {"k": [1, 4], "formula": FORMULAS[:2], "kernel": ["rectangular", "inv"]}
    found = pcv.tune(pcv.KNN(), data=MTCARS, grid=grid, folds=FOLDS)
    assert found.tidy().columns.tolist()[:3] == ["k", "formula", "kernel"]
    for row in found.tidy().to_dict("records"):
        learner = pcv.KNN(row["k"], kernel=row["kernel"])
        alone = pcv.cross_validate(learner, row["formula"], MTCARS, folds=FOLDS)
        assert row["estimate"] == alone.estimate


def test_nested_is_the_plain_loop() -> None:
    """Tuning over formulas inside outer folds, by a loop of fits of single formulas."""
    outer, inner = pcv.Blocks(4), pcv.Blocks(3)
    nested = pcv.nested_cv(
        pcv.OLS(), data=MTCARS, grid={"formula": FORMULAS}, outer=outer, inner=inner
    )
    y, errors, chosen = MTCARS["mpg"].to_numpy(), [], []
    for train, test in outer.plan(32):
        part = MTCARS.iloc[train]
        means = []
        for text in FORMULAS:
            folds = []
            for there, new in inner.plan(len(train)):
                fitted = pcv.OLS().fit(text, part.iloc[there])
                folds.append(((y[train][new] - fitted.predict(part.iloc[new])) ** 2).mean())
            means.append(np.mean(folds))
        chosen.append(FORMULAS[int(np.argmin(means))])
        fitted = pcv.OLS().fit(chosen[-1], part)
        errors.append(((y[test] - fitted.predict(MTCARS.iloc[test])) ** 2).mean())
    assert nested.chosen["formula"] == chosen
    np.testing.assert_allclose(nested.fold_errors, errors, rtol=SAME)
    assert nested.final("vote") in nested.candidates
    assert nested.final("median") in nested.candidates
    assert nested.fit().task.formula.text == nested.final()["formula"]


def test_models_are_compared_on_one_frame() -> None:
    tuned = pcv.Tuned(pcv.KNN(), {"formula": FORMULAS[:2], "k": [3, 5]}, inner=pcv.Blocks(3))
    models = {"small": SMALL, "knn": KNN, "all": pcv.OLS(), "tuned": tuned}
    found = pcv.compare(models, "mpg ~ wt + hp + qsec", MTCARS, folds=FOLDS)
    plain = {
        "small": (pcv.OLS(), "mpg ~ wt"),
        "knn": (pcv.KNN(5), "mpg ~ wt + hp"),
        "all": (pcv.OLS(), "mpg ~ wt + hp + qsec"),
        "tuned": (tuned, None),
    }
    for name, (learner, text) in plain.items():
        alone = pcv.cross_validate(learner, text, MTCARS, folds=FOLDS)
        np.testing.assert_array_equal(found[name].fold_errors, alone.fold_errors)
    assert found.pairs().shape[0] == 6
    of_list = pcv.compare([SMALL, KNN], data=MTCARS, folds=FOLDS)
    assert list(of_list.results) == ["OLS: mpg ~ wt", "KNN(k=5): mpg ~ wt + hp"]


def test_a_benchmark_of_models_with_formulas() -> None:
    methods = {"small": SMALL, "knn": (pcv.KNN(), {"formula": FORMULAS[:2], "k": [1, 5]})}
    found = pcv.benchmark(methods, data=MTCARS, times=3, random=1)
    alone = pcv.benchmark({"small": pcv.OLS()}, FORMULAS[0], MTCARS, times=3, random=1)
    np.testing.assert_array_equal(found["small"].fold_errors, alone["small"].fold_errors)


def test_tuning_chooses_among_any_models() -> None:
    found = pcv.tune([SMALL, KNN, pcv.Mean()], "mpg ~ wt", MTCARS, folds=FOLDS)
    assert found.best == {"model": "KNN(k=5): mpg ~ wt + hp"}
    alone = [pcv.cross_validate(one, "mpg ~ wt", MTCARS, folds=FOLDS).estimate
             for one in (SMALL, KNN, pcv.Mean())]  # fmt: skip
    np.testing.assert_allclose(found.tidy()["estimate"], alone, rtol=SAME)
    models = {"small": SMALL, "knn": KNN}
    mixed = [{"model": "small"}, {"model": "knn", "k": 3}, {"model": "knn", "k": 5}]
    grids = pcv.tune(models, data=MTCARS, grid=mixed, folds=FOLDS)
    assert grids.best == {"model": "knn", "k": 5}
    assert grids.model.learner == pcv.KNN(5)
    nested = pcv.nested_cv(models, data=MTCARS, outer=4, inner=pcv.Blocks(3))
    assert set(nested.chosen["model"]) <= {"small", "knn"}
    with pytest.raises(InputError, match="different parameters"):
        pcv.nested_cv(models, data=MTCARS, grid=mixed, outer=4, inner=3).final("median")


def test_classes_and_probabilities() -> None:
    data = MTCARS.assign(am=pd.Categorical(np.where(MTCARS["am"] == 1, "yes", "no")))
    models = {"logit": pcv.Model(pcv.Logit(), "am ~ wt"), "knn": pcv.Model(pcv.KNN(5), "am ~ wt")}
    found = pcv.tune(models, data=data, folds=FOLDS, loss="log")
    alone = pcv.cross_validate(pcv.Logit(), "am ~ wt", data, folds=FOLDS, loss="log")
    assert found.tidy()["estimate"][0] == pytest.approx(alone.estimate, rel=SAME)


def test_rows_lost_in_one_formula_are_lost_for_all() -> None:
    data = MTCARS.astype(float)
    data.loc[data.index[[0, 5, 9]], "hp"] = np.nan
    with pytest.warns(PycvstatWarning, match=r"29 of 32 rows are left; 'mpg ~ wt' alone .* 32"):
        found = pcv.compare({"a": SMALL, "b": KNN}, data=data, folds=FOLDS, na="omit")
    assert (found.task.n, found.task.omitted) == (29, 3)
    kept = pcv.cross_validate(SMALL, data=data.dropna(), folds=FOLDS)
    np.testing.assert_array_equal(found["a"].fold_errors, kept.fold_errors)
    with pytest.raises(pcv.errors.DataError, match="3 of 32 rows have missing values"):
        pcv.compare({"a": SMALL, "b": KNN}, data=data, folds=FOLDS)
    weight = np.r_[np.nan, np.ones(31)]
    lost = {"data": data.drop(columns="hp"), "weights": weight, "folds": FOLDS, "na": "omit"}
    with warnings.catch_warnings():  # a row without a weight is lost by no formula
        warnings.simplefilter("error")
        found = pcv.tune(pcv.WLS(), grid={"formula": ["mpg ~ wt", "mpg ~ qsec"]}, **lost)
    assert found.task.omitted == 1


def test_a_grid_of_several_models_says_what_to_do():
    with pytest.raises(InputError, match="without a grid"):
        pcv.tune([SMALL, KNN], data=MTCARS, grid={"k": [1, 3]}, folds=FOLDS)


class FailsOnFew(pcv.Mean):
    """Fails where a fold has fewer than 25 training rows."""

    def solve(self, sample: Any) -> Any:
        if sample.X.shape[1] > 2 and len(sample.y) < 26:
            raise pcv.errors.FitError("too few rows")
        return super().solve(sample)


def test_a_candidate_that_fails_in_some_folds() -> None:
    grid = {"formula": ["mpg ~ wt", "mpg ~ wt + hp"]}
    with pytest.raises(pcv.errors.FitError, match=r"fold 1 of 5.*formula='mpg ~ wt \+ hp'"):
        pcv.tune(FailsOnFew(), data=MTCARS, grid=grid, folds=FOLDS)
    with pytest.warns(PycvstatWarning, match="fits failed"):
        found = pcv.tune(FailsOnFew(), data=MTCARS, grid=grid, folds=FOLDS, on_error="warn")
    assert found.best == {"formula": "mpg ~ wt"}
    assert {one.params["formula"] for one in found.failures} == {"mpg ~ wt + hp"}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pcv.compare([SMALL, pcv.Model(pcv.OLS(), "log(mpg) ~ wt")], data=MTCARS, folds=5),
         r"different responses, mpg and log\(mpg\)"),
        (lambda: pcv.tune(pcv.OLS(), "hp ~ wt", MTCARS, grid={"formula": FORMULAS}, folds=5),
         "different responses, hp and mpg"),
        (lambda: pcv.Model(SMALL, "mpg ~ hp"), "one formula"),
        (lambda: pcv.Model(pcv.Tuned(pcv.KNN(), {"k": [1]}, 3), "mpg ~ hp"), "that is tuned"),
        (lambda: pcv.Model(pcv.OLS(), 3), "must be text"),
        (lambda: pcv.Model("ols", "y ~ x"), "no fit and predict"),
        (lambda: pcv.tune([SMALL, SMALL], data=MTCARS, folds=5), "given twice"),
        (lambda: pcv.tune([], data=MTCARS, folds=5), "no models"),
        (lambda: pcv.tune([SMALL, pcv.Tuned(pcv.KNN(), {"k": [1]}, 3)], data=MTCARS, folds=5),
         "without a choice inside"),
        (lambda: pcv.tune([SMALL, pcv.OLS()], data=MTCARS, folds=5), "OLS has no formula|no form"),
        (lambda: pcv.tune(pcv.OLS(), data=MTCARS, folds=5,
                          grid={"formula": ["mpg ~ wt", "mpg~wt"]}), "same formula twice"),
        (lambda: pcv.tune(pcv.OLS(), data=MTCARS, grid={"formula": [1]}, folds=5), "must be text"),
        (lambda: pcv.tune(pcv.OLS(), "mpg ~ wt", MTCARS, folds=5), "no grid"),
        (lambda: pcv.cross_validate([SMALL, KNN], data=MTCARS, folds=5), "one learner is fitted"),
        (lambda: pcv.tune([SMALL, KNN], data=MTCARS, grid={"model": ["ols"]}, folds=5),
         "no model of this name"),
        (lambda: pcv.tune([SMALL, KNN], data=MTCARS, grid={"k": [1]}, folds=5), "one learner"),
        (lambda: pcv.compare(3, data=MTCARS, folds=5), "by name, or in a list"),
        (lambda: SMALL.fit_task(Task.build("mpg ~ hp", MTCARS)), "without the column"),
        (lambda: pcv.Tuned([SMALL, KNN]), "inner is missing"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_answered(call: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()


def test_one_model_written_twice_is_said() -> None:
    grid = {"formula": ["mpg ~ wt * hp", "mpg ~ hp + wt + wt:hp", "mpg ~ hp"]}
    with pytest.warns(PycvstatWarning, match=r"the same model.\n.*'mpg ~ wt \* hp' and"):
        pcv.tune(pcv.OLS(), data=MTCARS, grid=grid, folds=FOLDS)


@live_r
def test_scripts_of_r_run(tmp_path: Any) -> None:
    """The R script of formulas, models and stepwise selection gives what it expects."""
    stepwise = pcv.Stepwise(pcv.OLS(), "both", "bic")
    results = [
        pcv.tune(pcv.OLS(), data=MTCARS, grid={"formula": FORMULAS}, folds=FOLDS),
        pcv.tune([SMALL, pcv.Mean()], "mpg ~ wt", MTCARS, folds=FOLDS),
        pcv.cross_validate(stepwise, "mpg ~ wt + hp + qsec", MTCARS, folds=FOLDS),
    ]
    for i, result in enumerate(results):
        script = result.to_r(tmp_path / f"{i}.R")
        done = in_r(script, tmp_path)
        assert done.returncode == 0, done.stderr
        assert repr(result.estimate)[:9] in done.stdout.split("expected")[0]


def test_a_column_that_is_missing_is_named() -> None:
    grid = {"formula": ["mpg ~ wt", "mpg ~ weight"]}
    with pytest.raises(FormulaError, match="no column 'weight'"):
        pcv.tune(pcv.OLS(), data=MTCARS, grid=grid, folds=5)


@given(st.permutations(FORMULAS), st.integers(1, 3))
@settings(max_examples=8, deadline=None)
def test_the_order_of_candidates_changes_no_number(order: list[str], size: int) -> None:
    one = pcv.tune(pcv.OLS(), data=MTCARS, grid={"formula": FORMULAS}, folds=FOLDS)
    other = pcv.tune(pcv.OLS(), data=MTCARS, grid={"formula": order[:size]}, folds=FOLDS)
    known = dict(zip(one.tidy()["formula"], one.tidy()["estimate"], strict=True))
    expected = [known[text] for text in order[:size]]
    np.testing.assert_allclose(other.tidy()["estimate"], expected, rtol=SAME)


@pytest.mark.usefixtures("two_threads")
def test_work_in_processes_checkpoints_and_files(tmp_path: Any) -> None:
    grid = {"formula": FORMULAS, "lam": [0.1, 1.0]}
    given = {"data": MTCARS, "grid": grid, "folds": FOLDS}
    serial = pcv.tune(pcv.Ridge(), **given)
    there = pcv.tune(pcv.Ridge(), **given, n_jobs=2)
    np.testing.assert_array_equal(serial.means.means, there.means.means)
    for _ in range(2):
        kept = pcv.tune(pcv.Ridge(), **given, checkpoint=tmp_path / "work")
        np.testing.assert_array_equal(serial.means.means, kept.means.means)
    for result in (serial, pcv.compare({"a": SMALL, "b": KNN}, data=MTCARS, folds=FOLDS)):
        result.save(tmp_path / "result.pcv")
        again = pcv.load(tmp_path / "result.pcv")
        assert again.summary() == result.summary()
        assert again.task.texts == result.task.texts


def test_reports_say_which_formulas() -> None:
    found = pcv.compare({"small": SMALL, "knn": KNN}, data=MTCARS, folds=FOLDS)
    assert "mpg ~ wt; mpg ~ wt + hp · 32 rows" in found.summary()
    tuned = pcv.tune(pcv.OLS(), data=MTCARS, grid={"formula": FORMULAS}, folds=FOLDS)
    assert "formula = mpg ~ wt * hp" in tuned.summary()
    assert "formula='mpg ~ wt + hp'" in pcv.cross_validate(KNN, data=MTCARS, folds=5).summary()


@live_r
def test_r_computes_the_same() -> None:
    curve = pcv.Model(pcv.OLS(), "mpg ~ poly(wt, 2)")
    models = {"small": SMALL, "curve": curve, "mean": pcv.Mean()}
    glm = {"formula": ["am ~ wt", "am ~ wt + hp"], "link": ["logit", "probit"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for result in (
            pcv.cross_validate(SMALL, data=MTCARS, folds=FOLDS),
            pcv.tune(pcv.OLS(), data=MTCARS, grid={"formula": FORMULAS}, folds=FOLDS),
            pcv.tune(pcv.GLM("binomial"), data=MTCARS, grid=glm, folds=FOLDS),
            pcv.tune(models, "mpg ~ wt", MTCARS, folds=FOLDS),
            pcv.nested_cv(models, "mpg ~ wt", MTCARS, outer=4, inner=pcv.Blocks(3)),
        ):
            assert result.crosscheck().verdict == "agrees", result.crosscheck()
