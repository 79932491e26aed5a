"""Lei's confidence set: the formula done row by row, its level, ties, groups, what is refused."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pycvstat as pcv
from pycvstat.errors import InputError, IntervalError
from pycvstat.folds import FoldPlan
from pycvstat.intervals.confidence_set import confidence_set
from pycvstat.intervals.from_losses import LossResult
from pycvstat.losses import LossTable

VIGNETTES = Path(__file__).parents[2] / "vignettes"
RECORDED = json.loads((VIGNETTES / "recorded" / "selection.json").read_text())
seeds = st.integers(0, 10_000)


def table(losses, ids=None, groups=None):
    n, c = losses.shape
    ids = np.arange(n) % 5 if ids is None else ids
    plan = FoldPlan.from_fold_ids(ids, groups=groups)
    candidates = tuple({"k": i} for i in range(c))
    return LossTable(plan, losses[plan.rows], candidates=candidates)


def but_one(t):
    losses = t.losses.copy()
    losses[0, 1:] = np.nan
    return replace(t, losses=losses, seal="")


def drawn(seed, n=60, c=4):
    rng = np.random.default_rng(seed)
    return rng.gamma(2.0, size=(n, 1)) + rng.normal(size=(n, c)) * rng.uniform(0.1, 1, c)


@pytest.mark.parametrize("seed", range(4))
def test_the_formula_with_a_multiplier_for_every_row(seed):
    """Lei (2020), section 2.3, with the divisor n - 1 within folds; p values to Monte Carlo."""
    losses = drawn(seed)
    n, c = losses.shape
    ids, found = np.arange(n) % 5, confidence_set(table(losses), draws=20_000)
    multipliers = np.random.default_rng(9).normal(size=(20_000, n))
    for m in range(c):
        largest, of_draws = [], []
        for j in set(range(c)) - {m}:
            difference = losses[:, m] - losses[:, j]
            fold = np.array([difference[ids == v].mean() for v in range(5)])
            size = np.bincount(ids)[ids]
            centred = (difference - fold[ids]) * np.sqrt(size / (size - 1))
            sd = np.sqrt(np.mean(centred**2))
            largest.append(np.sqrt(n) * difference.mean() / sd)
            of_draws.append(multipliers @ centred / (np.sqrt(n) * sd))
        assert found.statistic[m] == pytest.approx(max(largest), rel=1e-10)
        p = np.mean(np.max(of_draws, axis=0) > max(largest))
        assert found.p_value[m] == pytest.approx(p, abs=0.015)  # 3 standard errors of both


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_what_does_not_matter(seed):
    losses = drawn(seed)
    one = confidence_set(table(losses))
    other = confidence_set(table(3 * losses + drawn(seed + 1)[:, :1]))
    np.testing.assert_allclose(other.statistic, one.statistic, rtol=1e-8)
    np.testing.assert_allclose(other.p_value, one.p_value, atol=0.002)  # a draw at the limit
    again = confidence_set(table(losses), level=0.5)
    assert set(map(str, again.members)) <= set(map(str, one.members))
    assert one.inside[np.argmin(one.estimate)]


def test_equal_candidates_and_those_that_always_lose():
    losses = drawn(1, c=2)
    together = np.column_stack([losses[:, 0], losses[:, 0], losses[:, 0] + 1, losses[:, 0] + 1])
    found = confidence_set(table(together))
    assert found.inside.tolist() == [True, True, False, False]
    assert found.p_value[:2].tolist() == [1.0, 1.0]
    assert np.isposinf(found.statistic[2:]).all()


def test_failed_candidates_are_outside_without_a_p_value():
    losses = drawn(2)
    losses[3, 1] = np.nan
    found = confidence_set(table(losses))
    assert np.isnan(found.p_value).tolist() == [False, True, False, False]
    assert not found.inside[1]


def test_rows_of_a_group_count_once():
    """Every row five times over in a group is no more data than once."""
    once = drawn(3, n=40)
    ids = np.arange(40) % 5
    alone = confidence_set(table(once, ids))
    repeated = np.repeat(once, 5, axis=0)
    groups = np.repeat(np.arange(40), 5)
    grouped = confidence_set(table(repeated, np.repeat(ids, 5), groups))
    naive = confidence_set(table(repeated, np.repeat(ids, 5)))
    ratio = grouped.statistic / alone.statistic
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-10)
    assert ratio[0] == pytest.approx(np.sqrt(8 / 7 / (40 / 39)), rel=1e-10)  # the divisors n - 1
    assert naive.statistic[0] / alone.statistic[0] > 2


def test_repeats_are_averaged_by_row():
    losses = drawn(4)
    ids = np.arange(60) % 5
    one = confidence_set(table(losses, ids))
    plan = FoldPlan.from_fold_ids(np.column_stack([ids] * 3))
    again = confidence_set(LossTable(plan, losses[plan.rows], candidates=({},) * 4))
    np.testing.assert_allclose(again.statistic, one.statistic, rtol=1e-10)
    assert "averaged over its tests" in " ".join(again.assumptions)


def test_weights_of_losses_count_as_rows_do():
    """Whole weights: the estimates are those of rows written out as often."""
    rng = np.random.default_rng(4)
    losses, ids = drawn(4), np.arange(60) % 5
    weights = rng.integers(1, 4, 60).astype(float)
    plan = FoldPlan.from_fold_ids(ids)
    one = LossTable(plan, losses[plan.rows], candidates=({},) * 4, weights=weights)
    often = np.repeat(np.arange(60), weights.astype(int))
    written = confidence_set(table(losses[often], ids[often], groups=often))
    found = confidence_set(one)
    np.testing.assert_allclose(found.estimate, written.estimate, rtol=1e-12)
    np.testing.assert_allclose(found.statistic, written.statistic, rtol=0.1)  # other divisors
    methods = {"a": one.select(0), "b": one.select(1)}
    pair = LossResult(methods).confidence_set()
    np.testing.assert_allclose(pair.estimate, found.estimate[:2], rtol=1e-12)


def test_of_a_tuning_a_comparison_and_a_benchmark():
    tuned = pcv.tune(
        pcv.KNN(kernel="rectangular"), "y ~ .", pcv.data.waves(80),
        grid={"k": [1, 3, 5, 40]}, folds=pcv.KFold(5, random=1),
    )  # fmt: skip
    found = tuned.confidence_set(0.9)
    assert tuned.best in found.members
    assert {"k": 40} not in found.members
    assert found.tidy()["inside"].sum() == len(found.members) == found.glance()["inside"].item()
    np.testing.assert_allclose(found.estimate, tuned.means.pooled(), rtol=1e-12)
    learners = {"ols": pcv.OLS(), "mean": pcv.Mean()}
    cars = "mpg ~ wt + hp", pcv.data.mtcars()
    compared = pcv.compare(learners, *cars, folds=pcv.KFold(8, random=1))
    assert compared.confidence_set().members == ("ols",)
    assert pcv.benchmark(learners, *cars, times=4, random=1).confidence_set().members == ("ols",)
    left_out = pcv.compare(learners, *cars, folds=pcv.LeaveOneOut()).confidence_set()
    assert "does not grow" in left_out.assumptions[-1]
    both = {"a": [0.5, 1.0, 2.0, 1.5], "b": [5.0, 6.0, 7.5, 6.5]}
    assert pcv.from_losses(both, [1, 1, 2, 2]).confidence_set().members == ("a",)


def test_the_curve_shows_the_set():
    tuned = pcv.tune(
        pcv.KNN(kernel="rectangular"), "y ~ .", pcv.data.waves(80),
        grid={"k": range(1, 20)}, folds=pcv.KFold(5, random=1),
    )  # fmt: skip
    ax = tuned.plot("curve", confidence_set=0.95)
    shown = next(line for line in ax.lines if line.get_label() == "not shown to be worse")
    members = [one["k"] for one in tuned.confidence_set().members]
    assert shown.get_xdata().tolist() == members
    labels = [line.get_label() for line in tuned.plot("curve").lines]
    assert "not shown to be worse" not in labels


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda t: confidence_set(t.means()), IntervalError, "only fold means were kept"),
        (lambda t: confidence_set(t.select(0)), InputError, "at least two candidates"),
        (lambda t: confidence_set(but_one(t)), InputError, "Given: 1, 3 failed"),
        (lambda t: confidence_set(t, draws=5), InputError, "at least 100 draws"),
        (lambda t: confidence_set(t, level=95), InputError, "level"),
    ],
)
def test_refused(call, error, says):
    with pytest.raises(error, match=says):
        call(table(drawn(1)))


def test_refused_where_losses_are_no_sample():
    learners = {"ols": pcv.OLS(), "mean": pcv.Mean()}
    for folds in (pcv.Bootstrap(20, random=1), pcv.TimeSeries(20)):
        found = pcv.compare(learners, "mpg ~ wt", pcv.data.mtcars(), folds=folds)
        with pytest.raises(IntervalError, match="is not known to be valid here"):
            found.confidence_set()


SIMULATED = RECORDED["confidence_sets"]
MONTE_CARLO = 2 * np.sqrt(0.95 * 0.05 / 400)


@pytest.mark.parametrize("name", SIMULATED)
def test_the_best_candidate_is_held_as_often_as_the_level_says(name):
    found = SIMULATED[name]
    assert found["sets"] >= 400
    assert found["best_on_average"] >= 0.95
    assert found["best"] >= 0.95 - (0 if "lasso" not in name else MONTE_CARLO + 0.01)
    assert found["size"] < found["candidates"]


def test_six_scenarios_and_the_first_sets_again():
    sys.path.insert(0, str(VIGNETTES))
    try:
        import record_selection
    finally:
        sys.path.remove(str(VIGNETTES))
    assert set(record_selection.SELECTIONS) == set(SIMULATED)
    assert len(SIMULATED) == 6
    for name, selection in record_selection.SELECTIONS.items():
        sizes = [int(one["inside"].sum()) for one in selection.sets(3)]
        assert sizes == SIMULATED[name]["first"][:3], name
    for name, resampled in record_selection.RESAMPLED.items():
        before = RECORDED["resampled"][name]["first"][:3]
        assert resampled.result(2)["first"][:3] == pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize("unit", [2.0**-460, 2.0**660])
def test_losses_have_no_unit(unit: float) -> None:
    """Of 1e-139 and of 1e199, whose squares are no numbers of a computer."""
    plan = pcv.KFold(5, random=1).plan(60)
    losses = np.random.default_rng(1).gamma(2.0, size=(60, 3)) * [1.0, 1.1, 1.6]
    named = tuple({"k": k} for k in range(3))
    one, other = (
        confidence_set(LossTable(plan, of[plan.rows], candidates=named), draws=200)
        for of in (losses, losses * unit)
    )
    np.testing.assert_array_equal(one.statistic, other.statistic)
    np.testing.assert_array_equal(one.p_value, other.p_value)
    assert 0 < one.inside.sum() < 3
