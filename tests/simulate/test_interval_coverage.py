"""Coverage by simulation: small enough for every run, sharp enough to see a wrong formula."""

import numpy as np
import pytest

from pycvstat.errors import InputError, IntervalError
from pycvstat.folds import Grouped, Holdout, KFold, NestedPairs, Repeated, Subsampling
from pycvstat.intervals import Limits, interval
from pycvstat.intervals.limits import symmetric
from pycvstat.learners.external.learner import FromFunctions
from pycvstat.simulate.interval_coverage import coverage
from pycvstat.simulate.laws import GroupedNoise, Law
from pycvstat.simulate.scenarios import (
    SCENARIOS,
    Scenario,
    expected_auc,
    grouped_ols,
    ols,
    ranked_logistic,
    tuned_knn,
    two_ols,
)

ERRORS = 3.5  # Monte Carlo errors: one test in two thousand fails by chance, were seeds not fixed


def exact_risk(n, p):
    """Expected squared error of least squares on p standard normal predictors, unit noise."""
    return (n + 1) * (n - 2) / (n * (n - p - 2))


def test_corrected_t_covers_the_expected_risk():
    """10 x 10-fold, OLS with n = 100 and p = 20: without its correction it covers 40 %."""
    corrected = []

    def uncorrected_t(table, level):
        corrected.append(interval(table, "corrected_t", level=level))
        scores = table.fold_means()[:, 0]
        error = scores.std(ddof=1) / np.sqrt(scores.size)
        return symmetric(scores.mean(), error, level, float(scores.size - 1))

    found = coverage("ols", uncorrected_t, folds=Repeated(KFold(10), times=10), sets=300, random=7)
    assert found.method == "uncorrected_t"
    assert found.folds == coverage("ols", "corrected_t", sets=2).folds
    row = found["ER(100)"]
    assert row.coverage.mean < 0.5
    covers = [one.low <= row.truth.mean <= one.high for one in corrected]
    assert 0.89 < np.mean(covers) < 0.97


def test_corrected_t_on_other_plans():
    """One K-fold is wide, subsampling as good as 10 x 10; each as long as it should be."""
    single = coverage("ols", "corrected_t", folds=KFold(10), sets=300, random=8)
    assert single["ER(100)"].coverage.mean > 0.95
    drawn = coverage("ols", "corrected_t", folds=Subsampling(25, train=0.9), sets=300, random=8)
    assert 0.88 < drawn["ER(100)"].coverage.mean < 0.96
    assert 0.9 < drawn.width.mean / single.width.mean * 1.35 < 1.3


@pytest.mark.parametrize("risk", [0.0, 1.0])
@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "hoeffding"])
def test_an_interval_covers_its_ends(method, risk):
    """Of no errors and of errors only: the risk is where the interval ends."""
    law = Law("certain", 1, lambda X: np.full(len(X), risk), classes=True)
    always_0 = FromFunctions(lambda X, y: None, lambda fitted, X: np.zeros(len(X)))
    scenario = Scenario("certain", law, 20, always_0)
    found = coverage(scenario, method, sets=3, folds=Holdout(0.5, random=1))
    for target in found.targets:
        assert target.truth.mean == risk
        assert target.coverage.mean == 1
        assert target.too_low.mean == target.too_high.mean == 0


def test_ncv_covers_the_risk_of_the_fitted_model():
    """At 90 %, where the CLT interval covers 78 %."""
    plain = coverage("ols", "all_pairs", sets=150, level=0.9, random=9)
    paired = coverage(
        "ols", "ncv", folds=NestedPairs(10, repeats=50), sets=150, level=0.9, random=9
    )
    assert plain["R(100)"].coverage.mean < 0.85 < paired["R(100)"].coverage.mean < 0.97
    assert paired.width.mean > plain.width.mean
    # the estimate is debiased to the size of the data
    assert abs(paired.estimate.mean - exact_risk(100, 20)) < ERRORS * paired.estimate.std_error
    inflated = plain.estimate.mean - exact_risk(90, 20)
    assert abs(inflated) < ERRORS * plain.estimate.std_error


def test_expected_risks_of_least_squares():
    found = coverage(ols(60, 10), "all_pairs", sets=600, random=3)
    for target, m in (("ER(60)", 60), ("ER(54)", 54)):
        truth = found[target].truth
        assert abs(truth.mean - exact_risk(m, 10)) < ERRORS * truth.std_error
    assert abs(found.estimate.mean - exact_risk(54, 10)) < ERRORS * found.estimate.std_error


@pytest.mark.parametrize("name", SCENARIOS)
def test_estimates_are_of_their_estimand(name):
    """The mean estimate is the expected risk at the training size of the folds."""
    # a tuned fit makes five of its own: with fewer data sets the limits widen, as they are Monte
    # Carlo errors; where a fit has seen the rows that it is tested on, the mean is 24 too low
    sets = 100 if name == "tuned_ridge" else 150
    found = coverage(name, "all_pairs", folds=KFold(5), sets=sets, random=5, targets=["ER(m)"])
    truth = found["ER(80)"].truth
    both = np.hypot(found.estimate.std_error, truth.std_error)
    assert abs(found.estimate.mean - truth.mean) < ERRORS * both


def test_the_mean_risk_of_the_folds():
    found = coverage("ols_low", "all_pairs", sets=100, targets=["PQ", "R", "ER(m)"], random=2)
    assert [row.target for row in found.targets] == ["PQ(90)", "R(100)", "ER(90)"]
    assert found["PQ(90)"].truth.mean == pytest.approx(found["ER(90)"].truth.mean, rel=0.01)
    shares = found["PQ(90)"]
    total = shares.coverage.mean + shares.too_low.mean + shares.too_high.mean
    assert total == pytest.approx(1)


def test_the_size_and_power_of_a_paired_test():
    equal = coverage(two_ols(), "all_pairs", sets=300, random=4)
    assert equal["ER(100)"].truth.mean == pytest.approx(0, abs=0.01)
    assert 0.01 < equal.excludes_zero.mean < 0.13
    unequal = coverage(two_ols(effect=0.5), "all_pairs", sets=300, random=4)
    assert unequal.excludes_zero.mean > 3 * equal.excludes_zero.mean


def test_data_sets_are_counted_while_one_waits(capsys):
    coverage("ols_low", sets=4)
    assert capsys.readouterr().err == ""
    coverage("ols_low", sets=4, progress=True)
    told = capsys.readouterr().err
    assert "coverage of corrected_t: 100%" in told
    assert "4/4" in told


def test_groups():
    clustered = coverage(grouped_ols(), "cluster", folds=Grouped(10), sets=200, random=6)
    by_row = coverage(grouped_ols(), "all_pairs", folds=Grouped(10), sets=200, random=6)
    assert clustered.width.mean > 1.3 * by_row.width.mean
    covered = clustered["ER(200)"].coverage.mean
    assert max(0.92, by_row["ER(200)"].coverage.mean + 0.05) < covered < 1


def test_the_tuned_minimum_is_optimistic_and_corrected():
    case = tuned_knn()

    def naive(table, level):
        return symmetric(float(table.estimate().min()), 1.0, level)

    plain = coverage(case, naive, folds=KFold(10), sets=100, random=2, targets=["R"])
    corrected = coverage(case, "bbc_cv", sets=100, random=2, targets=["R"], draws=200)
    truth = plain["R(100)"].truth.mean
    assert plain.estimate.mean < truth
    assert plain.estimate.mean + 0.03 < corrected.estimate.mean
    assert abs(corrected.estimate.mean - truth) < ERRORS * corrected.estimate.std_error


def test_auc():
    found = coverage(ranked_logistic(), "cv_auc", sets=50, targets=["PQ"], random=2)
    row = found["PQ(180)"]
    assert abs(found.estimate.mean - row.truth.mean) < ERRORS * found.estimate.std_error
    assert row.coverage.mean > 0.8


def test_expected_auc_is_the_auc_of_many_labels():
    from pycvstat.losses.of_probabilities import auc

    draw = np.random.default_rng(1)
    scores = np.round(draw.normal(size=4000), 1)
    p = 1 / (1 + np.exp(-scores))
    sampled = [auc((draw.random(4000) < p).astype(int), scores) for _ in range(40)]
    error = np.std(sampled, ddof=1) / np.sqrt(40)
    assert abs(np.mean(sampled) - expected_auc(scores, p)) < ERRORS * error


def test_grouped_noise_has_its_variance_and_correlation():
    from pycvstat.rmath.random import RRandom

    law = GroupedNoise("g", 1, lambda X: 0 * X[:, 0], noise=2.0, sizes=(4,), share=0.3)
    _, y = law.draw(RRandom(1), 40_000)
    groups = y.reshape(-1, 4)
    assert y.var() == pytest.approx(4, rel=0.05)
    assert np.corrcoef(groups.T)[0, 1] == pytest.approx(0.3, abs=0.04)


def test_the_same_seed_gives_the_same_result():
    one, other = (coverage("ols_low", sets=60, random=3).tidy() for _ in range(2))
    assert one.equals(other)
    assert not one.equals(coverage("ols_low", sets=60, random=4).tidy())
    assert {"coverage", "coverage_error", "width", "too_low", "too_high"} <= set(one)


def test_bad_input():
    with pytest.raises(InputError, match="no such scenario"):
        coverage("olsx")
    with pytest.raises(IntervalError, match="did you mean 'corrected_t'"):
        coverage("ols", "corrected")
    for sets in (1, 0, 2.5, True):
        with pytest.raises(InputError, match="whole number of at least 2"):
            coverage("ols", sets=sets)
    for targets in ([], ["ER"], "R and ER"):
        with pytest.raises(InputError, match=r"no such target|no target"):
            coverage("ols", sets=4, targets=targets)
    with pytest.raises(InputError, match="no such target"):
        coverage("ols_low", sets=4)["ER(1)"]

    def refuses(table, level):
        raise IntervalError("no")

    with pytest.raises(IntervalError, match="refused nearly every data set"):
        coverage("ols_low", refuses, folds=Holdout(0.25), sets=4)


def test_data_sets_that_are_refused_are_counted():
    """Rare errors: some test sets have none, and holdout z refuses them."""
    rare = Law("rare", 1, lambda X: np.full(len(X), 0.02), classes=True)
    from dataclasses import replace

    case = replace(SCENARIOS["knn_classes"], law=rare)
    found = coverage(case, "holdout_z", sets=60, random=1)
    assert found.refused > 0
    assert found.sets + found.refused == 60


def test_an_empty_interval_is_a_miss_and_a_rejection():
    """The F test of 5x2 rejects every value where repetitions differ more than their halves."""

    def empty(table, level):
        return Limits(1.0, np.nan, np.nan, np.nan, np.nan, p_value=0.01)

    found = coverage("ols_low", empty, folds=Holdout(0.25), sets=10)
    assert (found.sets, found.refused) == (10, 0)
    assert found["R(100)"].coverage.mean == 0.0
    assert found.excludes_zero.mean == 1.0
    assert found.width.mean == 0.0
