"""Paired comparison on identical folds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import f

import pycvstat as pcv
from pycvstat import rmath
from pycvstat.errors import InputError, IntervalError, PycvstatWarning
from pycvstat.folds import FiveByTwo, FoldPlan, NestedPairs
from pycvstat.intervals import corrected_t, interval
from pycvstat.intervals.from_losses import from_losses
from pycvstat.intervals.paired import adjusted, all_pairs, paired
from pycvstat.losses import FoldMeans, LossTable, Predictions
from tests.intervals.shared_losses import one_split

N = 60
PLAN = FoldPlan.from_fold_ids(np.arange(N) % 6)


def table(seed, plan=PLAN, shift=0.0):
    draw = np.random.default_rng(seed)
    return LossTable(plan, shift + draw.gamma(2.0, size=(len(plan.rows), 1)), "absolute")


def test_it_is_the_corrected_t_of_fold_differences():
    a, b = table(1), table(2)
    found = paired(a, b, names=("knn", "ols"), method="corrected_t")
    by_hand = corrected_t((a.fold_means() - b.fold_means())[:, 0], 50, 10)
    assert (found.low, found.high) == pytest.approx((by_hand.low, by_hand.high), rel=1e-12)
    assert found.difference == found.estimate
    assert found.p_value == pytest.approx(by_hand.p_value(), rel=1e-12)
    assert found.statistic == found.estimate / found.std_error
    assert found.interval.estimand.startswith("difference, knn minus ols, of the expected risk")
    assert found.summary().startswith("knn minus ols\n")
    assert f"p = {found.p_value:.3f}" in found.summary()
    assert "nadeau2003" in found.cite()
    row = found.tidy().iloc[0]
    assert (row.a, row.b, row.conf_low, row.p_value) == ("knn", "ols", found.low, found.p_value)


@pytest.mark.parametrize("method", ["corrected_t", "all_pairs", "within_fold", "cluster"])
def test_swapping_the_methods_changes_the_sign(method):
    one = paired(table(1), table(2), method=method)
    other = paired(table(2), table(1), method=method)
    assert other.low == pytest.approx(-one.high, rel=1e-12)
    assert other.p_value == pytest.approx(one.p_value, rel=1e-9)


def test_p_value_and_interval_agree():
    for seed in range(1, 30):
        found = paired(table(0), table(seed, shift=0.4), level=0.9)
        assert (found.p_value < 0.1) is not (found.low <= 0 <= found.high)


@pytest.mark.parametrize("metric", [None, "rmse"])
def test_one_side_of_a_difference(metric):
    """A bound of 97.5 % is the end of the interval of 95 %; the other end is that of the range."""
    draw = np.random.default_rng(3)
    a, b = (LossTable(PLAN, draw.gamma(1.0, size=(N, 1)), "squared") for _ in range(2))
    both, upper, lower = (
        paired(a, b, metric=metric, side=side, level=level)
        for side, level in (("both", 0.95), ("upper", 0.975), ("lower", 0.975))
    )
    assert (upper.low, upper.high) == (-np.inf, pytest.approx(both.high, rel=1e-12))  # 2 * 0.975
    assert (lower.low, lower.high) == (pytest.approx(both.low, rel=1e-12), np.inf)
    assert upper.p_value == lower.p_value == both.p_value
    assert upper.interval.notes == ()
    with pytest.raises(InputError, match="side"):
        paired(a, b, side="left")


def test_five_by_two():
    plan = FiveByTwo(random=1).plan(N)
    a, b = table(1, plan), table(2, plan)
    p = (a.fold_means() - b.fold_means()).reshape(5, 2)
    by_f = paired(a, b, method="five_by_two_f")
    assert by_f.statistic == pytest.approx((p**2).sum() / (2 * p.var(axis=1, ddof=1).sum()))
    assert (by_f.p_value < 0.05) is not (by_f.low <= 0 <= by_f.high)
    by_t = paired(a, b, method="five_by_two_t")
    assert by_t.statistic == pytest.approx(p[0, 0] / np.sqrt(p.var(axis=1, ddof=1).mean()))
    assert by_t.interval.df == 5


@pytest.fixture(scope="module")
def rejected_everywhere():
    """A comparison whose F test rejects every difference, so that no interval is left."""
    both = {"ols": pcv.OLS(), "mean": pcv.Mean()}
    return pcv.compare(both, "mpg ~ hp", pcv.data.mtcars(), folds=FiveByTwo(random=73))


def test_an_empty_interval_is_a_rejection(rejected_everywhere):
    (row,) = rejected_everywhere.pairs().to_dict("records")
    p = (rejected_everywhere["ols"].fold_errors - rejected_everywhere["mean"].fold_errors).reshape(
        5, 2
    )
    mean = rmath.mean(p.ravel())
    centred = ((p - mean) ** 2).sum() / (2 * p.var(axis=1, ddof=1).sum())
    assert centred > f.ppf(0.95, 10, 5)  # the least F of all differences
    assert row["estimate"] == pytest.approx(mean, rel=1e-12)  # sums
    assert np.isnan([row["conf_low"], row["conf_high"]]).all()
    assert row["p_value"] == row["p_adjusted"] < 0.001
    found = rejected_everywhere.paired("ols", "mean")
    assert "no limits, p = 0.000882" in repr(found)
    assert not found.interval.clipped
    said = " ".join(found.summary().split())
    assert "\N{MINUS SIGN}20.982 (empty 95 % interval), p < 0.001" in said
    assert "rejects every value" in said
    assert found.plot() is not None
    assert rejected_everywhere.plot("paired") is not None


def test_an_interval_of_one_risk_is_refused_where_its_test_rejects_everything():
    plan = FiveByTwo(random=1).plan(10)
    means = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], 2) + np.tile([0.0, 0.1], 5)
    with pytest.raises(IntervalError, match="rejects every value"):
        interval(FoldMeans(plan, means[:, None], "squared"), "five_by_two_f")


@pytest.mark.filterwarnings("ignore:The inflation")
def test_other_plans():
    split = one_split(np.zeros(N)).plan
    errors = [replace(table(s, split), loss="zero_one", range=(0.0, 1.0)) for s in (1, 2)]
    errors = [replace(t, losses=np.round(np.clip(t.losses / 4, 0, 1))) for t in errors]
    found = paired(*errors)
    assert found.method == "holdout_t"  # differences are -1, 0, 1: not for Wilson
    assert found.interval.target == "R(90)"
    pairs = NestedPairs(4, 3, random=1).plan(N)
    assert paired(table(1, pairs), table(2, pairs)).method == "ncv"


def test_rmse():
    """The difference of two roots, by the delta method of the two jointly."""
    draw = np.random.default_rng(3)
    a, b = (LossTable(PLAN, draw.gamma(1.0, size=(N, 1)), "squared") for _ in range(2))
    found = paired(a, b, method="all_pairs", metric="rmse")
    roots = [np.sqrt(t.losses.mean()) for t in (a, b)]
    assert found.difference == pytest.approx(roots[0] - roots[1], rel=1e-12)
    linear = a.losses / (2 * roots[0]) - b.losses / (2 * roots[1])
    assert found.std_error == pytest.approx(linear.std() / np.sqrt(N), rel=1e-12)


def test_auc():
    draw = np.random.default_rng(4)
    y = (np.arange(N) // 6 % 2).astype(float)
    tables = [
        LossTable(PLAN, np.zeros((N, 1)), "zero_one", (0.0, 1.0), y=y,
                  predictions=Predictions((y[PLAN.rows] + draw.normal(size=N))[None, :]))
        for _ in range(2)
    ]  # fmt: skip
    found = paired(*tables, metric="auc")
    singles = [interval(t, "corrected_t", metric="auc").estimate for t in tables]
    assert found.difference == pytest.approx(singles[0] - singles[1])


def test_refused():
    other = FoldPlan.from_fold_ids(np.roll(np.arange(N) % 6, 1))
    with pytest.raises(IntervalError, match="not made on identical folds") as refused:
        paired(table(1), table(2, other))
    assert "compare(" in refused.value.fix
    with pytest.raises(IntervalError, match="different losses"):
        paired(table(1), replace(table(2), loss="squared"))
    with pytest.raises(IntervalError, match="one candidate each"):
        paired(table(1), replace(table(2), losses=np.ones((N, 3)), candidates=({},) * 3))
    with pytest.raises(IntervalError, match="different responses"):
        paired(replace(table(1), y=np.zeros(N)), replace(table(2), y=np.ones(N)))
    with pytest.raises(IntervalError, match="do not vary"):
        paired(table(1), table(1))
    with pytest.raises(InputError, match="has no option 'bogus'"):
        paired(table(1), table(2), bogus=1)
    losses = table(2).losses.copy()
    losses[0] = np.nan
    nan = replace(table(2), losses=losses)
    with pytest.raises(IntervalError, match="NaN"):
        paired(table(1), nan)


def test_all_pairs():
    tables = {"a": table(1), "b": table(2), "c": table(3, shift=1.5)}
    frame = all_pairs(tables)
    assert frame[["a", "b"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert frame.p_value[1] == paired(tables["a"], tables["c"]).p_value
    assert (frame.p_adjusted >= frame.p_value).all()
    np.testing.assert_array_equal(frame.p_adjusted, adjusted(frame.p_value, "holm"))
    none, bonferroni = all_pairs(tables, adjust="none"), all_pairs(tables, adjust="bonferroni")
    np.testing.assert_array_equal(none.p_adjusted, frame.p_value)
    np.testing.assert_allclose(bonferroni.p_adjusted, np.minimum(3 * frame.p_value, 1))
    with pytest.raises(InputError, match="at least two"):
        all_pairs({"a": table(1)})
    with pytest.raises(InputError, match="adjust must be"):
        all_pairs(tables, adjust="hochberg")


def test_two_methods_with_equal_fold_means_are_tested_by_their_rows():
    """As many errors in every fold, of other rows: a p value of 1, which Holm's count includes."""
    errors = {"a": [1, 0, 0, 1, 0, 0], "b": [0, 1, 0, 0, 0, 1], "c": [1, 1, 1, 1, 1, 0]}
    frame = from_losses(errors, [1, 1, 1, 2, 2, 2], bounds=(0, 1)).pairs().set_index(["a", "b"])
    assert frame["p_value"]["a", "b"] == 1
    assert frame["estimate"]["a", "b"] == 0
    assert frame["p_adjusted"].min() == pytest.approx(3 * frame["p_value"].min())
    split = from_losses(errors, n_train=20, bounds=(0, 1))
    assert split.pairs()["p_value"][0] == split.paired("a", "b").p_value == 1
    with pytest.warns(PycvstatWarning, match="a and b have the same mean losses in every fold"):
        by_fold = from_losses(errors, [1, 1, 1, 2, 2, 2]).pairs(method="corrected_t")
    assert by_fold["p_value"].isna()[0]


def test_two_methods_with_the_same_losses():
    tables = {"a": table(1), "same": table(1), "c": table(3)}
    with pytest.warns(PycvstatWarning, match="a and same have the same mean losses"):
        frame = all_pairs(tables)
    assert frame.estimate[0] == 0
    assert np.isnan(frame.p_adjusted[0])
    assert frame.p_adjusted[1:].notna().all()


def test_a_method_is_not_compared_with_itself():
    results = from_losses({"a": [1.0, 2, 4, 3], "b": [1.0, 1, 2, 3]}, [1, 1, 2, 2])
    with pytest.raises(InputError, match=r"with itself\.\n  Given: a and a"):
        results.paired("a", "a")
