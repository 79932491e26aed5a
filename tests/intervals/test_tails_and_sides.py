"""Heavy tails that are seen, bounds of one side, and the logarithm's interval."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pycvstat as pcv
from pycvstat.errors import InputError, IntervalError, PycvstatWarning
from pycvstat.folds import FiveByTwo, FoldPlan, Repeated
from pycvstat.intervals import coverage, interval
from pycvstat.intervals.cluster import cluster_robust, freedom
from pycvstat.intervals.coverage import heavy_from, thickness
from pycvstat.intervals.nadeau_bengio import instability, overlap
from pycvstat.losses import LossTable, Maker
from tests.rscript import live_r, r_values

seeds = st.integers(0, 2**31 - 1)


def table(seed, n=40, folds=5, power=2.0):
    draw = np.random.default_rng(seed)
    plan = FoldPlan.from_fold_ids(draw.permutation(np.arange(n) % folds))
    return LossTable(plan, np.abs(draw.normal(size=(n, 1))) ** power, "squared")


def warned(losses, maker=None):
    plan = FoldPlan.from_fold_ids(np.arange(len(losses)) % 10)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        interval(LossTable(plan, losses[plan.rows][:, None], "squared", maker=maker))
    return any(issubclass(one.category, PycvstatWarning) for one in said)


@pytest.mark.parametrize("n", [10, 25, 50, 100])
def test_of_normal_errors_one_sample_in_twenty_counts_as_heavy(n):
    errors = np.random.default_rng(n).normal(size=(4000, n))
    share = np.mean([thickness(e**2) > heavy_from(n) for e in errors])
    assert share == pytest.approx(0.05, abs=0.01 + 3 * np.sqrt(0.05 * 0.95 / 4000))


def test_errors_of_several_scales_make_tails_of_their_own():
    losses = table(3, n=100, power=3.0).losses[:, 0]  # thickness 2.2
    assert heavy_from(100) < thickness(losses) < heavy_from(100, one_scale=False)
    assert warned(losses)
    assert not warned(losses, Maker(3, one_scale=False))


def test_what_is_warned_of():
    """Of samples of 100 normal errors about 5 %, with t (3) and lognormal ones nearly all."""
    draw = np.random.default_rng(7)
    laws = {
        "normal": lambda: draw.normal(size=100),
        "t3": lambda: draw.standard_t(3, 100),
        "lognormal": lambda: draw.lognormal(size=100) - np.exp(0.5),
    }
    shares = {name: np.mean([warned(law() ** 2) for _ in range(400)]) for name, law in laws.items()}
    assert shares["normal"] < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert shares["t3"] > 0.8
    assert shares["lognormal"] > 0.95


def test_tails_are_looked_at_once(monkeypatch):
    seen = []
    monkeypatch.setattr(coverage, "thickness", lambda losses: seen.append(1) or 9.0)
    with pytest.warns(PycvstatWarning, match="heavy tails"):
        known = interval(table(1)).known
    assert len(seen) == 1
    assert "with heavy tails as here" in known


@pytest.mark.filterwarnings("ignore:The losses have heavy tails")
@given(seeds, st.floats(0.55, 0.99))
@settings(max_examples=30, deadline=None)
def test_a_bound_is_an_end_of_the_interval_of_the_double_error(seed, level):
    one = table(seed)
    both = interval(one, level=2 * level - 1)
    upper, lower = (interval(one, level=level, side=side) for side in ("upper", "lower"))
    assert (upper.low, upper.high) == (0.0, both.high)
    assert (lower.low, lower.high) == (both.low, np.inf)
    assert f"up to {upper.high:.3g}" in repr(upper)
    assert f"from {lower.low:.3g} on" in repr(lower)


def test_bad_sides():
    with pytest.raises(InputError, match="side must be"):
        interval(table(1), side="left")
    with pytest.raises(InputError, match=r"a level above 0\.5"):
        interval(table(1), level=0.4, side="upper")
    plan = FiveByTwo(random=1).plan(40)
    five = LossTable(plan, np.random.default_rng(1).random((len(plan.rows), 1)))
    with pytest.raises(IntervalError, match="no one-sided bound"):
        interval(five, "five_by_two_f", side="upper")


@pytest.mark.filterwarnings("ignore:The losses have heavy tails")
@given(seeds, st.floats(0.5, 0.99))
@settings(max_examples=30, deadline=None)
def test_the_p_value_of_an_end_on_the_scale_of_logarithms(seed, level):
    found = interval(table(seed), "log_t", level)
    assert 0 < found.low < found.estimate < found.high
    assert found.low * found.high == pytest.approx(found.estimate**2, rel=1e-9)
    assert found.p_value(found.high) == pytest.approx(1 - level, rel=1e-9)
    assert found.p_value(found.low) == pytest.approx(1 - level, rel=1e-9)


def test_more_unstable_learners_have_wider_intervals():
    """One nearest neighbour changes with its training rows, least squares on one predictor not."""
    folds = Repeated(pcv.KFold(10), 5, random=1)
    data = pcv.data.mtcars()
    steady = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", data, folds=folds).table
    jumpy = pcv.cross_validate(pcv.KNN(1), "mpg ~ wt + hp + qsec", data, folds=folds).table
    assert instability(steady) < instability(jumpy)
    by_hand = 32 * 5 / (32 * 5 * 9) * (1 + 4 * instability(jumpy))
    assert overlap(jumpy) == pytest.approx(by_hand, rel=0.01)  # folds of 3 and of 4 rows


@given(st.lists(st.integers(1, 30), min_size=2, max_size=30), seeds)
@settings(max_examples=30, deadline=None)
def test_the_interval_by_groups_is_a_jackknife_that_leaves_them_out(sizes, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    losses = np.random.default_rng(seed).exponential(size=len(groups))
    without = np.array([losses[groups != g].mean() for g in range(len(sizes))])
    by_hand = (len(sizes) - 1) / len(sizes) * ((without - losses.mean()) ** 2).sum()
    found = cluster_robust(losses, groups, 0.95, factor=1.5)
    assert found.std_error == pytest.approx(np.sqrt(1.5 * by_hand), rel=1e-9)  # of differences


@given(st.lists(st.integers(1, 30), min_size=2, max_size=30))
def test_degrees_of_freedom_of_groups_are_those_of_the_covariance_of_their_deviations(sizes):
    share, count = np.array(sizes) / np.sum(sizes), len(sizes)
    deviations = np.diag(share / (1 - share)) @ (np.eye(count) - np.outer(np.ones(count), share))
    covariance = deviations @ deviations.T
    by_hand = np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
    assert freedom(np.array(sizes)) == pytest.approx(by_hand, rel=1e-9)
    assert freedom(np.repeat(sizes[0], count)) == pytest.approx(count - 1, rel=1e-9)


@pytest.mark.parametrize("few", [(1,), (1, 1), (3, 2, 1)])
@pytest.mark.parametrize("large", [10**3, 10**5, 10**9])
def test_one_large_group_leaves_one_degree_of_freedom(large, few):
    """The covariance of the deviations is that of the large group, but for 1 / large^2."""
    df = freedom(np.array([large, *few]))
    assert df == pytest.approx(1, abs=20 / large**2 + 1e-15)


def test_groups_of_one_mean_are_counted_as_they_are():
    losses, groups = np.full(12, 0.3), np.repeat(np.arange(4), 3)
    with pytest.raises(IntervalError) as refused:
        cluster_robust(losses, groups, 0.95)
    assert refused.value.given == "4 values, all 0.3"


def test_shared_training_sets_widen_the_interval_by_groups():
    groups, losses = np.arange(40) // 4, np.random.default_rng(1).exponential(size=40)
    folds = FoldPlan.from_fold_ids(1 + groups % 5, groups=groups)
    one = replace(FoldPlan.from_rows([np.arange(40)], 80), groups=np.arange(80) // 4)
    shared = interval(LossTable(folds, losses[folds.rows][:, None]), "cluster")
    alone = interval(LossTable(one, losses[:, None]), "cluster")
    assert alone.std_error == cluster_robust(losses, groups, 0.95).std_error
    assert shared.std_error == pytest.approx(np.sqrt(1.5) * alone.std_error, rel=1e-12)


@live_r
def test_the_jackknife_of_groups_is_that_of_sandwich():
    groups = np.repeat(np.arange(5), [1, 2, 9, 4, 4])
    losses = np.random.default_rng(1).exponential(size=20)
    code = f"""
    d <- data.frame(loss = c({", ".join(map(repr, losses.tolist()))}),
                    group = c({", ".join(map(str, groups))}))
    v <- sandwich::vcovCL(lm(loss ~ 1, d), ~ group, type = "HC3", cadjust = FALSE)
    out(sqrt(v[1, 1]))
    """
    ((theirs,),) = r_values(code)
    assert cluster_robust(losses, groups, 0.95).std_error == pytest.approx(theirs, rel=1e-12)
