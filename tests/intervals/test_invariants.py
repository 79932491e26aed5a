"""What every interval must satisfy, whatever the losses."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pycvstat import rmath
from pycvstat.errors import IntervalError
from pycvstat.folds import FiveByTwo, KFold, PairedHalves, Repeated
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import METHODS, Method, corrected_t, interval, register
from pycvstat.intervals.bootstrap import bbc_cv
from pycvstat.intervals.cv_auc import cv_auc
from pycvstat.intervals.limits import Limits
from pycvstat.intervals.tibshirani import bias_of_the_minimum, tibshirani
from pycvstat.losses import LossTable
from pycvstat.losses.of_probabilities import auc
from pycvstat.rmath.random import as_stream
from tests.intervals.contract import keeps
from tests.intervals.shared_losses import cases
from tests.tied import tied_columns

ROUNDING = 1e-9  # the same formula on shifted or scaled losses
CASES = {case[2].method: case[2] for case in cases()}

seeds = st.integers(0, 2**31 - 1)


def table(seed, folds=5, n=37, loss="absolute", limits=(-np.inf, np.inf)):
    draw = np.random.default_rng(seed)
    plan = FoldPlan.from_fold_ids(draw.permutation(np.arange(n) % folds))
    return LossTable(plan, draw.gamma(2.0, size=(n, 1)), loss, limits)


@given(seeds, st.floats(-100, 100), st.floats(0.01, 100))
@settings(max_examples=40)
@pytest.mark.parametrize(
    "method", ["corrected_t", "all_pairs", "within_fold", "bootstrap", "cluster"]
)
def test_shifted_and_scaled_losses(method, seed, shift, scale):
    one = table(seed)
    other = LossTable(one.plan, shift + scale * one.losses, range=(-np.inf, np.inf))
    a, b = interval(one, method), interval(other, method)
    size = abs(shift) + scale
    assert b.low == pytest.approx(shift + scale * a.low, rel=ROUNDING, abs=ROUNDING * size)
    assert b.high == pytest.approx(shift + scale * a.high, rel=ROUNDING, abs=ROUNDING * size)


@given(seeds, st.floats(0.5, 0.99), st.floats(0.001, 0.009))
@settings(max_examples=40)
@pytest.mark.parametrize("method", ["corrected_t", "all_pairs", "within_fold"])
def test_higher_levels_are_wider(method, seed, level, more):
    one = table(seed)
    narrow, wide = interval(one, method, level), interval(one, method, level + more)
    assert wide.low < narrow.low < narrow.high < wide.high


@given(seeds, st.floats(0.01, 0.99))
@settings(max_examples=40)
def test_p_value_and_interval_agree(seed, level):
    """The p value of an end of the interval is 1 - level."""
    found = corrected_t(np.random.default_rng(seed).normal(size=10), 90, 10, level)
    assert found.p_value(found.low) == pytest.approx(1 - level, rel=1e-9)
    assert found.p_value(found.high) == pytest.approx(1 - level, rel=1e-9)
    assert found.p_value(found.estimate) == 1


@given(seeds)
@settings(max_examples=30)
def test_the_order_of_rows_and_names_of_folds_do_not_matter(seed):
    one = table(seed)
    draw = np.random.default_rng(seed)
    ids, losses = one.plan.fold_ids, one.per_row()[:, 0]
    mixed, names = draw.permutation(len(ids)), draw.permutation(5)
    plan = FoldPlan.from_fold_ids(names[ids[mixed] - 1])
    other = LossTable(plan, losses[mixed][plan.rows][:, None], range=(-np.inf, np.inf))
    for method in ("corrected_t", "all_pairs", "within_fold"):
        a, b = interval(one, method), interval(other, method)
        assert b.low == pytest.approx(a.low, rel=1e-10)
        assert b.high == pytest.approx(a.high, rel=1e-10)


@given(seeds)
@settings(max_examples=30)
def test_clipped_to_the_range(seed):
    free, kept = table(seed, n=7, folds=3), table(seed, n=7, folds=3, limits=(0.0, 2.5))
    a, b = (interval(one, "corrected_t", level=0.999) for one in (free, kept))
    assert (b.low, b.high) == (max(a.low, 0.0), min(a.high, 2.5))
    assert b.clipped is (a.low < 0 or a.high > 2.5)
    assert any(" end cut at " in note for note in b.notes) is b.clipped


def test_repeats_are_averaged_by_row_before_pooling():
    """The same partition ten times over is no more data than one."""
    one = table(3)
    ids = one.plan.fold_ids
    plan = FoldPlan.from_fold_ids(np.column_stack([ids] * 10))
    ten = LossTable(plan, one.per_row()[plan.rows])
    for method in ("bootstrap", "cluster"):
        a, b = interval(one, method), interval(ten, method)
        assert b.std_error == pytest.approx(a.std_error, rel=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_contract(name):
    keeps(METHODS[name], CASES[name])


def test_a_method_of_ones_own():
    """Registered, chosen by name, checked and named like the others."""

    def median(table, level):
        return Limits(float(np.median(table.losses)), np.nan, 0.0, 1.0, np.nan)

    try:
        register(
            Method(
                name="median_of_mine",
                title="median",
                target="PQ",
                formula=median,
                layouts=("K-fold",),
                citation=(),
                folds="KFold(10)",
                known=lambda plan: "unknown",
            )
        )
        found = interval(table(1), "median_of_mine")
        assert (found.target, found.low, found.high) == ("PQ(29 to 30)", 0.0, 1.0)
        with pytest.raises(ValueError, match="exists"):
            register(METHODS["median_of_mine"])
    finally:
        METHODS.pop("median_of_mine", None)


def test_ends_of_the_0_1_range():
    """No errors and only errors."""
    for method in ("wilson", "clopper_pearson"):
        plan = FoldPlan.from_fold_ids([1, 1, 2, 2])
        none = interval(LossTable(plan, np.zeros((4, 1)), range=(0.0, 1.0)), method)
        every = interval(LossTable(plan, np.ones((4, 1)), range=(0.0, 1.0)), method)
        assert none.low == 0 < none.high < 1
        assert every.high == 1 > every.low > 0
        assert none.high == pytest.approx(1 - every.low)


def holdout(losses):
    n = len(losses) + 5
    plan = FoldPlan.from_rows({"test": range(6, n + 1)}, n=n, first=1)
    candidates = tuple({"k": c} for c in range(losses.shape[1]))
    return LossTable(plan, losses, "zero_one", (0.0, 1.0), candidates)


def test_the_best_of_tied_candidates_is_the_first():
    assert interval(holdout(tied_columns(30)), "dev_set").details["chosen"] == 0
    errors = tied_columns(9)
    assert tibshirani(errors, 0.1, 0.95).details["chosen"] == 0
    assert bias_of_the_minimum(errors) == (errors[:, 0] - errors.min(axis=1)).mean()


def test_bootstrap_draws_take_the_first_of_tied_candidates():
    """Rows of two kinds, whose columns tie where a draw has as many of the one as of the other."""
    kinds = np.array([[0.1, 0.7], [0.7, 0.1]])
    losses = np.append(np.tile(kinds, (8, 1)), [[0.3, 0.3]], axis=0)

    def scores(choose):
        stream, found = as_stream(1), []
        for _ in range(200):
            drawn = np.asarray(stream.sample(17, 17, replace=True)) - 1
            rest = np.setdiff1d(np.arange(17), drawn)
            found.append(losses[rest, choose(losses[drawn])].mean())
        return np.array(found)

    exact = scores(lambda x: int(np.argmin(rmath.mean(x, axis=0))))
    rough = scores(lambda x: int(np.argmin(x.mean(axis=0))))
    assert (exact != rough).any()  # the draws can tell
    assert bbc_cv(losses, 0.9, 200, as_stream(1)).estimate == np.mean(exact)


@given(seeds)
@settings(max_examples=60)
@pytest.mark.parametrize("method", ["corrected_t", "conservative_z", "five_by_two_f"])
def test_the_centre_is_the_estimate_to_the_last_bit(method, seed):
    draw = np.random.default_rng(seed)
    plan = {
        "corrected_t": Repeated(KFold(3), 3, random=1),
        "conservative_z": PairedHalves(3, 2, random=1),
        "five_by_two_f": FiveByTwo(random=1),
    }[method].plan(30)
    losses = LossTable(plan, draw.gamma(2.0, size=(len(plan.rows), 1)))
    means = losses.fold_means()[:, 0]
    if method == "conservative_z":
        means = means[plan.repeat == 0]
    try:
        assert interval(losses, method).estimate == rmath.mean(means)
    except IntervalError:
        assert method == "five_by_two_f"  # no value is compatible with the ten


def test_the_centre_of_cv_auc_is_r_s_mean_of_the_folds():
    rough = 0
    for seed in range(30):
        draw = np.random.default_rng(seed)
        positive, score = np.arange(63) % 3 == 0, draw.random(63)
        offsets = np.arange(0, 64, 9)
        areas = np.array([auc(positive[i : i + 9], score[i : i + 9]) for i in offsets[:-1]])
        centre = cv_auc(positive, score, offsets, 0.95).estimate
        assert centre == rmath.mean(areas)
        rough += centre != areas.mean()
    assert rough  # the bits can tell
