"""Numbers printed elsewhere are traced back to their folds, seed and average."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.errors import InputError, PycvstatWarning
from pycvstat.folds import DIALECTS, RFolds
from pycvstat.procedures.conventions import Printed, expected_by_chance
from pycvstat.procedures.find_convention import _Search, _searches
from pycvstat.rmath.random import RRandom
from pycvstat.rmath.random.compiled import Compiled, started

CARS = pcv.data.mtcars()
FORMULA = "mpg ~ wt + hp"
DIGITS = 1e-9  # closed forms and fits of every fold, whose rounding differs


def again(found: pd.DataFrame, data: Any = CARS) -> np.ndarray:
    """What the lines of code give."""
    return np.array([eval(line, {"pcv": pcv, "data": data}) for line in found["code"]])


def first(found: pd.DataFrame, **wanted: Any) -> int:
    rows = np.logical_and.reduce([found[name] == value for name, value in wanted.items()])
    return int(np.flatnonzero(rows)[0])


@pytest.mark.parametrize("kind", ["Rejection", "Rounding"])
def test_compiled_draws_are_those_of_the_generator(kind):
    for seed in (-3, 0, 1, 17, 2021):
        plain, compiled = RRandom(seed, kind), Compiled(seed, kind)
        for n in (1, 2, 7, 400, 1000, 70_000):  # more than 16 bits, more than a block
            np.testing.assert_array_equal(plain.permutation(n), compiled.permutation(n))
            other = compiled.fork().sample(n, 3, replace=True)
            drawn = plain.sample(n, 3, replace=True)
            np.testing.assert_array_equal(drawn, compiled.sample(n, 3, replace=True))
            np.testing.assert_array_equal(drawn, other)
        assert plain.sample(2**31 - 1, 1) == compiled.sample(2**31 - 1, 1)
        assert plain.state.tolist() == compiled.state.tolist()
        (one,) = (each for each in started(seed) if each.sample_kind == kind)
        np.testing.assert_array_equal(one.permutation(50), RRandom(seed, kind).permutation(50))


def test_closed_forms_are_the_fits_of_every_fold():
    plans = [
        RFolds(d, 5, seed=3, repeats=2).plan(32, y=CARS["mpg"]) for d in DIALECTS if d != "boot"
    ]
    labels = np.vstack([plan.fold_ids.T - 1 for plan in plans])
    residuals, excess = pcv.OLS().prepare(Task.build(FORMULA, CARS)).left_out(labels)
    y = CARS["mpg"].to_numpy()
    for row, label, more in zip(residuals, labels, excess, strict=True):
        plan = pcv.FoldPlan.from_fold_ids(label)
        fitted = pcv.cross_validate(pcv.OLS(), FORMULA, CARS, folds=plan, bias_adjusted=True)
        np.testing.assert_allclose(y - row, fitted.predictions, rtol=DIGITS)
        assert fitted.pooled - more == pytest.approx(fitted.adjusted, rel=DIGITS)


def test_the_second_call_of_cv_glm_on_one_stream():
    pcv.r.set_seed(17)
    for _ in range(2):
        call = pcv.r.boot.cv_glm(CARS, pcv.OLS().fit(FORMULA, CARS), K=8)
    for place, average in enumerate(("pooled", "adjusted")):
        found = pcv.find_convention(
            f"{call.delta[place]:.7f}", pcv.OLS(), FORMULA, CARS, k=8, seeds=range(25)
        )
        row = first(found, dialect="boot", seed=17, call=2, average=average, scale="")
        assert found["value"][row] == pytest.approx(call.delta[place], rel=DIGITS)
        assert found["by_chance"][row] < 0.05
    np.testing.assert_allclose(again(found), found["value"], rtol=DIGITS)


@pytest.mark.slow
def test_caret_train_prints_the_mean_of_the_roots():
    # set.seed(42); train(mpg ~ wt + hp, mtcars, "lm", trControl = trainControl("cv", 5)): 2.623536
    found = pcv.find_convention("2.623536", pcv.OLS(), FORMULA, CARS, k=5, seeds=range(2500))
    assert found.loc[0, ["dialect", "seed", "scale"]].tolist() == ["train", 42, "root by fold"]
    assert found["by_chance"][0] < 0.05
    np.testing.assert_allclose(again(found), found["value"], rtol=DIGITS)


@pytest.mark.parametrize("seed", [1, 42, 2021, 4219])
@pytest.mark.parametrize("dialect", ["rsample", "kknn", "lecture", "cut", "pls", "cv"])
def test_every_dialect_is_found_and_every_line_runs(dialect, seed):
    folds = RFolds(dialect, 6, seed=seed, sample_kind="Rounding")
    result = pcv.cross_validate(pcv.OLS(), FORMULA, CARS, folds=folds)
    for average, value in {"pooled": result.pooled, "folds": result.estimate}.items():
        found = pcv.find_convention(repr(value), pcv.OLS(), FORMULA, CARS, k=6, seeds=[7, seed])
        row = first(found, dialect=dialect, seed=seed, average=average, scale="")
        assert found["sample_kind"][row] == "Rounding"
        np.testing.assert_allclose(again(found), found["value"], rtol=DIGITS)


@pytest.mark.parametrize(
    ("of", "wanted"),
    [
        (lambda r: r.metric("r2_correlation", "folds").estimate, {"loss": "r2_correlation"}),
        (lambda r: r.metric("rmse", "folds").estimate, {"scale": "root by fold"}),
        (lambda r: r.metric("rmse", "repeats").estimate, {"scale": "root by repeat"}),
        (lambda r: r.metric("mae", "pooled").estimate, {"loss": "absolute"}),
        (lambda r: r.pooled**0.5, {"scale": "root", "average": "pooled"}),
        (lambda r: r.metric("r2", "pooled").estimate, {"loss": "r2"}),
    ],
)
def test_repetitions_on_any_scale(of, wanted):
    folds = RFolds("rsample", 6, seed=2021, repeats=3)
    value = of(pcv.cross_validate(pcv.OLS(), FORMULA, CARS, folds=folds))
    found = pcv.find_convention(repr(value), pcv.OLS(), FORMULA, CARS, k=6, seeds=[2021])
    first(found, dialect="rsample", repeats=3, **wanted)
    np.testing.assert_allclose(again(found), found["value"], rtol=DIGITS)


def test_neighbours_scaled_before_and_classes_told_right():
    iris = pcv.data.iris()
    numbers = [name for name in iris if name != "Species"]
    scaled = iris.assign(**iris[numbers].apply(lambda x: (x - x.mean()) / x.std()))
    folds = RFolds("kknn", 10, seed=123)
    wrong = pcv.cross_validate(pcv.KNN(3, scale=False), "Species ~ .", scaled, folds=folds)
    found = pcv.find_convention(
        repr(1 - wrong.pooled), pcv.KNN(3), "Species ~ .", iris, seeds=[123, 5]
    )
    row = first(found, dialect="kknn", seed=123, scale="right", average="pooled")
    assert "data.assign" in " ".join(found["code"])
    assert found["by_chance"][row] > 1  # so few different numbers are met by chance
    some = found.groupby(["learner", "scale", "average", "repeats"]).head(1)
    np.testing.assert_allclose(again(some, iris), some["value"], rtol=DIGITS)


def test_leaving_one_out_has_no_seed():
    value = pcv.cross_validate(pcv.OLS(), FORMULA, CARS, folds=pcv.LeaveOneOut()).estimate
    found = pcv.find_convention(f"{value:.6f}", pcv.OLS(), FORMULA, CARS, seeds=range(20))
    assert found["dialect"][0] == "loo"
    assert found["seed"].isna()[0]


def test_hits_by_chance_are_as_many_as_expected():
    rng = np.random.default_rng(1)
    values = rng.normal(20.0, 0.3, 50_000)
    for number in ("19.90", "20.123", "20.5"):
        printed = Printed.of(number)
        met = int(printed.is_met(values).sum())
        expected = expected_by_chance(values, printed)
        assert abs(met - expected) < 5 * np.sqrt(expected + 1)  # five standard deviations


def test_digits_are_those_that_were_written():
    assert Printed.of("19.30").within == pytest.approx(0.005)
    assert Printed.of(19.3).within == pytest.approx(0.05)
    assert Printed.of("1.23e2").within == pytest.approx(0.5)
    assert Printed.of("19.3").is_met(np.array([19.2499, 19.25, 19.35, 19.3501])).tolist() == [
        False, True, True, False,
    ]  # fmt: skip


def test_what_no_convention_gives_is_said_with_the_nearest():
    with pytest.warns(PycvstatWarning, match="the nearest is"):
        found = pcv.find_convention("55.5", pcv.OLS(), FORMULA, CARS, seeds=range(5))
    assert not len(found)
    assert found.attrs["expected"] == pytest.approx(0, abs=0.5)  # fewer than one
    assert found.attrs["seeds"] == "the seeds that were given"


def test_an_answer_for_neighbours_says_that_common_seeds_were_searched(monkeypatch):
    searching = sys.modules["pycvstat.procedures.find_convention"]
    monkeypatch.setattr(searching, "FAVOURITE", (1,))
    monkeypatch.setattr(searching, "COMMON", (5, 6))
    with pytest.warns(PycvstatWarning, match="3 seeds, common ones only"):
        found = pcv.find_convention("55.5", pcv.KNN(3), FORMULA, CARS, k=3)
    assert "common ones only" in found.attrs["seeds"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"number": "abc"}, "must be a number"),
        ({"number": "nan"}, "must be a number"),
        ({"number": None}, "must be a number"),
        ({"seeds": [1.5]}, "whole numbers"),
        ({"k": 1}, "K"),
    ],
)
def test_what_cannot_be_searched_is_said(given, message):
    asked = {"number": "8.1", "learner": pcv.OLS(), "formula": FORMULA, "data": CARS} | given
    with pytest.raises(InputError, match=message):
        pcv.find_convention(**asked)


@pytest.mark.parametrize("share", [0.5, 2.0])
@pytest.mark.parametrize("unit", [0.01, 100.0])
def test_closed_forms_search_where_they_give_the_fits(share, unit, monkeypatch):
    """To 1e-8 of the largest residual."""
    task = Task.build(FORMULA, CARS.assign(mpg=CARS["mpg"] * unit))
    prepared = type(pcv.OLS().prepare(task))
    exact = prepared.left_out

    def off(self, labels):
        residuals, *more = exact(self, labels)
        return residuals + share * 1e-8 * np.abs(residuals).max(), *more

    monkeypatch.setattr(prepared, "left_out", off)
    search = _Search(Printed.of("1.0"), pcv.OLS(), task, 5, "")
    assert search.closed == (share < 1)


@pytest.mark.parametrize("n", [1000, 1001])
def test_leave_one_out_is_tried_of_1000_rows_where_every_fold_is_fitted(n, monkeypatch):
    tried = []
    monkeypatch.setattr(_Search, "look", lambda self, made, *_: tried.append(made[0].dialect))
    monkeypatch.setattr("pycvstat.procedures.find_convention._draw", lambda *_: None)
    data = pd.DataFrame({"x": np.arange(n) * 1.0, "y": np.arange(n) % 7 * 1.0})
    for learner, closed in ((pcv.KNN(), False), (pcv.OLS(), True)):
        tried.clear()
        searches = list(_searches(Printed.of("1"), learner, "y ~ x", data, 5, [1]))
        assert tried == ["loo"] * (len(searches) if closed or n == 1000 else 0)


@pytest.mark.parametrize(("at_once", "seeds"), [(0.9, [1, 1, 1]), (1.0, [2, 1]), (3.0, [3])])
def test_sets_of_folds_are_evaluated_when_so_many_rows_are_drawn(at_once, seeds, monkeypatch):
    searching = sys.modules["pycvstat.procedures.find_convention"]
    looked = []
    monkeypatch.setattr(_Search, "look", lambda _, folds, labels, calls: looked.append(labels))
    search = next(_searches(Printed.of("1"), pcv.OLS(), FORMULA, CARS, 5, []))
    looked.clear()
    searching._draw(search, [7], 1)
    (one,) = looked
    looked.clear()
    monkeypatch.setattr(searching, "_ROWS", round(at_once * one.size))
    searching._draw(search, [7, 8, 9], 1)
    assert [len(labels) // len(one) for labels in looked] == seeds


@pytest.mark.parametrize("seeds", [17, np.int64(17), [17], (seed for seed in [17]), range(17, 18)])
def test_one_seed_or_several(seeds):
    value = repr(
        pcv.cross_validate(pcv.OLS(), FORMULA, CARS, folds=RFolds("cut", 5, seed=17)).pooled
    )
    found = pcv.find_convention(value, pcv.OLS(), FORMULA, CARS, k=5, seeds=seeds)
    assert set(found["seed"]) == {17}


@pytest.mark.parametrize("seeds", ["ab", [1.5], [], pcv.KFold(3)])
def test_what_is_no_seed(seeds):
    with pytest.raises(InputError, match="seeds are whole numbers"):
        pcv.find_convention("1", pcv.OLS(), FORMULA, CARS, k=5, seeds=seeds)
