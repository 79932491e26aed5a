"""Every interval method beside its formula in R, on a user's losses; and the smallest mistakes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import RError
from pycvstat.intervals import METHODS

pytestmark = [
    pytest.mark.live_r,
    pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning"),
]

DATA = pcv.data.waves(63, random=4)
LABELS = pcv.data.labels(90, random=4)
GROUPS = np.repeat(np.arange(21), 3)
GRID = {"k": range(1, 10)}
KNN = pcv.KNN(kernel="rectangular")

PLANS = {
    "kfold": pcv.KFold(6, random=4),
    "holdout": pcv.Holdout(0.4, random=4),
    "repeated": pcv.Repeated(pcv.KFold(5), 3, random=4),
    "loo": pcv.LeaveOneOut(),
    "grouped": pcv.Grouped(5, random=4),
    "subsampling": pcv.Subsampling(12, train=0.8, random=4),
    "pairs": pcv.NestedPairs(5, repeats=20, random=4),
    "halves": pcv.PairedHalves(inner=6, outer=5, train=0.9, random=4),
    "5x2": pcv.FiveByTwo(random=4),
}
NUMBERS = [
    *(("kfold", m, {}) for m in ("corrected_t", "all_pairs", "within_fold", "bootstrap")),
    ("kfold", "cluster", {}),
    ("kfold", "corrected_t", {"metric": "r2_correlation"}),
    ("holdout", "holdout_z", {}),
    ("holdout", "holdout_t", {}),
    ("kfold", "log_t", {}),
    ("kfold", "pointwise_t", {}),
    ("repeated", "log_t", {}),
    ("repeated", "pointwise_t", {}),
    ("loo", "log_t", {}),
    ("subsampling", "log_t", {}),
    ("holdout", "hoeffding", {"bounds": (0, 500)}),
    ("holdout", "bootstrap", {"draws": 300, "random": 9}),
    ("repeated", "corrected_t", {}),
    ("repeated", "bootstrap", {"random": None}),
    ("loo", "all_pairs", {}),
    ("loo", "corrected_t", {}),
    ("grouped", "cluster", {}),
    ("subsampling", "corrected_t", {}),
    *(("pairs", "ncv", {"bias": bias}) for bias in ("authors", "paper", "none")),
    ("halves", "conservative_z", {}),
    *(("5x2", m, {}) for m in ("five_by_two_t", "five_by_two_f", "corrected_t")),
]
METRIC = [
    (plan, method, {**options, "metric": metric})
    for plan, method, options in NUMBERS
    for metric in ("rmse", "r2")
    if method not in ("hoeffding", "log_t", "pointwise_t") and "metric" not in options
    and not (metric == "r2" and plan == "5x2")  # the mean of ten halves can lie below every R^2
]  # fmt: skip
CLASSES = [
    *((plan, m, {}) for plan in ("kfold", "holdout") for m in ("wilson", "clopper_pearson")),
    *(
        (plan, "cv_auc", {"ties": t})
        for plan in ("kfold", "holdout", "repeated")
        for t in ("below", "half")
    ),
    ("holdout", "hoeffding", {}),
    ("kfold", "corrected_t", {"metric": "auc"}),
]
TUNED = [
    ("kfold", "bbc_cv", {}, "all"),
    ("kfold", "tibshirani", {}, "all"),
    ("kfold", "tibshirani", {}, "fold_means"),
    ("holdout", "dev_set", {}, "all"),
]


def made() -> dict[str, object]:
    results = {}
    for name, folds in PLANS.items():
        groups = {"groups": GROUPS} if name == "grouped" else {}
        results[name] = pcv.cross_validate(pcv.OLS(), "y ~ .", DATA, folds=folds, **groups)
    repeated = pcv.Repeated(pcv.Stratified(5), 3, random=4)
    nine = pcv.KNN(9, kernel="rectangular")  # shares of nine neighbours: scores that tie
    results["classes", "repeated"] = pcv.cross_validate(nine, "y ~ .", LABELS, folds=repeated)
    for name, folds in (("kfold", pcv.Stratified(5, random=4)), ("holdout", PLANS["holdout"])):
        results["classes", name] = pcv.cross_validate(nine, "y ~ .", LABELS, folds=folds)
        for keep in ("all", "fold_means"):
            results["tuned", name, keep] = pcv.tune(
                KNN, "y ~ .", DATA if name == "kfold" else LABELS, grid=GRID, folds=folds, keep=keep
            )
    return results


@pytest.fixture(scope="module")
def results():
    return made()


def check(interval) -> None:
    checked = interval.crosscheck()
    found = [row.quantity for row in checked.rows]
    assert found[:4] == ["estimate", "std_error", "low", "high"]
    assert all(name.startswith("stored") for name in found[4:])
    assert checked, checked.first_difference
    for part in ("estimate", "low", "high"):
        value = getattr(interval, part)
        moved = replace(interval, **{part: value * (1 + 1e-9) + (1e-9 if value == 0 else 0)})
        assert moved.crosscheck().first_difference == f"{part}: element 1"


@pytest.mark.parametrize(("plan", "method", "options"), NUMBERS + METRIC, ids=str)
def test_r_computes_the_same_interval(results, plan, method, options):
    check(results[plan].interval(method, 0.9, **options))


@pytest.mark.parametrize(("plan", "method"), [("holdout", "holdout_t"), ("kfold", "cluster")])
def test_a_loss_of_ones_own_without_known_ends_has_no_log_scale(plan, method):
    def cubed(y, prediction):
        return abs(y - prediction) ** 3

    result = pcv.cross_validate(pcv.OLS(), "y ~ .", DATA, folds=PLANS[plan], loss=cubed)
    found = result.interval(method)
    assert not found.log
    check(found)


@pytest.mark.parametrize("side", ["upper", "lower"])
@pytest.mark.parametrize(("plan", "method"), [("holdout", "holdout_t"), ("kfold", "corrected_t")])
def test_r_computes_the_same_bound(results, plan, method, side):
    found = results[plan].interval(method, 0.9, side=side)
    assert found.crosscheck()
    end = "high" if side == "upper" else "low"
    moved = replace(found, **{end: getattr(found, end) * (1 + 1e-9)})
    assert moved.crosscheck().first_difference == f"{end}: element 1"


@pytest.mark.parametrize(("plan", "method", "options"), CLASSES, ids=str)
def test_r_computes_the_same_interval_of_errors_and_areas(results, plan, method, options):
    check(results["classes", plan].interval(method, **options))


@pytest.mark.parametrize(("plan", "method", "options", "keep"), TUNED, ids=str)
def test_r_computes_the_same_interval_of_a_tuning(results, plan, method, options, keep):
    check(results["tuned", plan, keep].interval(method, **options))


def test_every_method_has_a_formula_in_r_and_is_tried_here():
    tried = {method for _, method, *_ in NUMBERS + CLASSES + TUNED}
    assert {name for name, method in METHODS.items() if method.r} == set(METHODS) == tried


def test_a_metric_of_the_user_is_given_to_r_and_that_is_said(results):
    interval = results["kfold"].interval("corrected_t", metric=lambda y, p: float(np.ptp(y - p)))
    checked = interval.crosscheck()
    assert checked
    assert "by fold were given to R" in checked.notes[0]


@pytest.mark.parametrize("metric", [None, "rmse"])
def test_losses_with_weights_are_refused_and_do_not_differ(metric):
    data = pcv.data.mtcars()
    given = {"folds": pcv.Blocks(4), "loss_weights": data["hp"]}
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", data, **given)
    with pytest.raises(RError, match="does not weigh losses"):
        result.interval(metric=metric).crosscheck()


def test_draws_that_r_cannot_repeat_are_named(results):
    generator = np.random.default_rng(1)
    interval = results["kfold"].interval("bootstrap", random=generator)
    with pytest.raises(RError, match="seed of these draws is not known"):
        interval.crosscheck()
    used = pcv.RRandom(1)
    used.runif(1)
    with pytest.raises(RError, match="seed of these draws"):
        results["kfold"].interval("bootstrap", random=used).crosscheck()


def test_scores_of_other_programs():
    check(pcv.corrected_t([0.2, 0.3, 0.1, 0.25, 0.15], n_train=80, n_test=20))


@pytest.mark.parametrize(
    ("folds", "methods"),
    [
        (PLANS["kfold"], ["pointwise_t", "corrected_t", "all_pairs", "within_fold", "bootstrap"]),
        (PLANS["5x2"], ["five_by_two_t", "five_by_two_f"]),
        (PLANS["pairs"], ["ncv"]),
        (PLANS["holdout"], ["holdout_z", "holdout_t"]),
    ],
    ids=str,
)
def test_r_computes_the_same_difference_and_p_value(folds, methods):
    both = pcv.compare({"ols": pcv.OLS(), "knn": KNN}, "y ~ .", DATA, folds=folds)
    for method in methods:
        found = both.paired("ols", "knn", method=method)
        checked = found.crosscheck()
        assert checked, checked.first_difference
        if method != "bootstrap":  # it has no p value
            assert any(row.quantity == "p value" for row in checked.rows)
            moved = replace(found, p_value=found.p_value * (1 + 1e-8))
            assert moved.crosscheck().first_difference == "p value: element 1"


def test_r_rejects_every_difference_where_we_do():
    both = pcv.compare({"ols": pcv.OLS(), "mean": pcv.Mean()}, "mpg ~ hp", pcv.data.mtcars(),
                       folds=pcv.FiveByTwo(random=73))  # fmt: skip
    found = both.paired("ols", "mean")
    assert np.isnan(found.low)
    assert found.crosscheck()


def test_losses_made_elsewhere():
    losses = {"a": np.arange(12.0) % 5, "b": np.arange(12.0) % 7}
    found = pcv.from_losses(losses, np.repeat([1, 2, 3], 4))
    checked = found.crosscheck()
    assert checked
    assert len(checked.rows) == 5  # three by R, and two stored tables
    assert [row.count for row in checked.rows[:3]] == [6, 2, 2]
    assert found.paired("a", "b").crosscheck()
    assert found.interval(name="a").crosscheck()


def test_means_are_compared_bit_by_bit_where_they_are_r_s_mean():
    losses = np.random.default_rng(1).random(20_000)
    short = pcv.from_losses(losses[:90], np.arange(90) % 7)
    long = pcv.from_losses(losses, [1] * 19_900 + [2] * 100)
    for found, tolerance in ((short, 0.0), (long, 1e-12)):
        checked = found.crosscheck()
        assert checked, checked.first_difference
        assert checked.tidy()["tolerance"].tolist()[:3] == [tolerance, tolerance, 1e-12]


def test_an_interval_goes_through_a_file_and_is_checked_after(results, tmp_path):
    interval = results["kfold"].interval("bootstrap", metric="rmse")
    again = pcv.load(interval.save(tmp_path / "one.npz"))
    assert again.crosscheck()
