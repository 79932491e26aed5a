"""Which method is legal where, what auto chooses, and what a refusal says."""

from dataclasses import replace

import numpy as np
import pytest

from pycvstat.errors import IntervalError, LossError
from pycvstat.folds import FiveByTwo, FoldPlan, NestedPairs, PairedHalves
from pycvstat.intervals import METHODS, interval, legal_methods
from pycvstat.intervals.metric_rows import metric_rows
from pycvstat.losses import FoldMeans, LossTable, Predictions
from tests.intervals.shared_losses import one_split

N = 40
IDS = np.arange(N) % 4


def plan_of(kind):
    if kind == "one split":
        return one_split(np.zeros(12), 28).plan
    if kind == "K-fold":
        return FoldPlan.from_fold_ids(IDS)
    if kind == "leave-one-out":
        return FoldPlan.from_fold_ids(np.arange(N))
    if kind == "repeated K-fold":
        return FoldPlan.from_fold_ids(np.column_stack([IDS, np.roll(IDS, 1), IDS[::-1]]))
    if kind == "subsampling":
        splits = [np.random.default_rng(s).permutation(N) for s in range(6)]
        return FoldPlan.from_splits([(s[4:], s[:4]) for s in splits], N, kind="subsampling")
    if kind == "nested pairs":
        return NestedPairs(4, 3, random=1).plan(N)
    if kind == "paired halves":
        return PairedHalves(3, 4, random=1).plan(N)
    if kind == "5x2":
        return FiveByTwo(random=1).plan(N)
    if kind == "bootstrap":
        drawn = [np.random.default_rng(s).integers(0, N, N) for s in range(6)]
        splits = [(rows, np.setdiff1d(np.arange(N), rows)) for rows in drawn]
        return FoldPlan.from_splits(splits, N, kind="bootstrap")
    folds = [(np.arange(10 + 5 * i), np.arange(10 + 5 * i, 15 + 5 * i)) for i in range(6)]
    return FoldPlan.from_splits(folds, N, kind="timeseries")


def table_of(kind, *, zero_one=False, candidates=1, groups=False):
    plan = plan_of(kind)
    if groups:
        plan = replace(plan, groups=np.arange(plan.n) % 4)
    draw = np.random.default_rng(5)
    losses = draw.random((len(plan.rows), candidates))
    if zero_one:
        losses = (losses < 0.3).astype(float)
    return LossTable(plan, losses, "zero_one" if zero_one else "absolute",
                     (0.0, 1.0 if zero_one else np.inf),
                     tuple({"k": i} for i in range(candidates)))  # fmt: skip


LEGAL = {
    "one split": {"bootstrap", "cluster", "hoeffding", "holdout_t", "holdout_z"},
    "K-fold": {
        "all_pairs", "bootstrap", "cluster", "corrected_t", "log_t", "pointwise_t", "within_fold",
    },
    "leave-one-out": {"all_pairs", "bootstrap", "cluster", "corrected_t", "log_t", "pointwise_t"},
    "repeated K-fold": {"bootstrap", "cluster", "corrected_t", "log_t", "pointwise_t"},
    "subsampling": {"corrected_t", "log_t"},
    "nested pairs": {"ncv"},
    "paired halves": {"conservative_z"},
    "5x2": {"corrected_t", "five_by_two_f", "five_by_two_t"},
    "time series": set(),
    "bootstrap": set(),
}  # fmt: skip


@pytest.mark.parametrize("kind", LEGAL)
def test_legal_methods(kind):
    assert plan_of(kind).scheme == kind
    assert set(legal_methods(table_of(kind))) == LEGAL[kind] - {"hoeffding"}
    bounded = replace(table_of(kind), range=(0.0, 1.0))
    assert set(legal_methods(bounded)) == LEGAL[kind] - {"log_t"}


def test_the_auc_is_of_two_classes():
    table = table_of("K-fold")
    numbers = Predictions(np.zeros((1, N)))
    numeric = replace(table, y=np.arange(float(N)), predictions=numbers)
    labels = replace(table, y=np.arange(N) % 2, predictions=numbers)
    scored = replace(table, y=np.arange(N) % 2.0, predictions=numbers)
    assert "cv_auc" not in legal_methods(numeric) + legal_methods(labels) + legal_methods(table)
    assert "cv_auc" in legal_methods(scored)
    with pytest.raises(IntervalError, match="this table holds a numeric response"):
        interval(numeric, "cv_auc")
    with pytest.raises(IntervalError, match="this table holds predicted classes only"):
        interval(labels, "cv_auc")


@pytest.mark.parametrize("kind", LEGAL)
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore:The inflation")
def test_legal_methods_work_and_others_are_refused(kind, name):
    table = table_of(kind)
    options = {"bounds": (0, 1)} if "bounds" in METHODS[name].options else {}
    if name in LEGAL[kind]:
        found = interval(table, name, **options)
        assert found.low < found.estimate < found.high
    else:
        with pytest.raises(IntervalError) as refused:
            interval(table, name, **options)
        assert refused.value.problem.startswith(f"{name} is not legal here: ")


@pytest.mark.parametrize(
    ("kind", "zero_one", "expected"),
    [
        ("one split", False, "holdout_t"),
        ("one split", True, "wilson"),
        ("K-fold", False, "log_t"),
        ("K-fold", True, "corrected_t"),
        ("leave-one-out", False, "log_t"),
        ("repeated K-fold", True, "corrected_t"),
        ("subsampling", False, "log_t"),
        ("nested pairs", False, "ncv"),
        ("paired halves", False, "conservative_z"),
        ("5x2", False, "five_by_two_f"),
    ],
)
@pytest.mark.filterwarnings("ignore:The inflation")
def test_auto(kind, zero_one, expected):
    found = interval(table_of(kind, zero_one=zero_one))
    assert found.method == expected
    assert found.chosen
    assert "chosen because" in found.summary()
    assert interval(table_of(kind, zero_one=zero_one), expected).chosen == ""


@pytest.mark.parametrize("kind", ["one split", "K-fold", "leave-one-out", "repeated K-fold"])
def test_auto_on_groups(kind):
    """About the expected risk, as elsewhere; one split has one fit, and the cluster interval."""
    usual = interval(table_of(kind, groups=True))
    assert usual.method == ("cluster" if kind == "one split" else "log_t")
    found = interval(table_of(kind, groups=True), "cluster")
    assert any("4 groups that count as" in note for note in found.notes)
    with pytest.raises(IntervalError, match="rows come in groups") as refused:
        interval(table_of(kind, groups=True), "bootstrap")
    assert refused.value.fix == f"method={usual.method!r} on these folds"


def test_auto_on_candidates():
    several = table_of("K-fold", candidates=5)
    assert interval(several).method == "bbc_cv"
    assert interval(several).estimand.startswith("expected risk of the tuned learner")
    only_means = several.means()
    assert interval(only_means).method == "tibshirani"
    dev = replace(table_of("one split", candidates=5), range=(0.0, 1.0))
    assert interval(dev).method == "dev_set"
    with pytest.raises(IntervalError, match="needs the bounds"):
        interval(table_of("one split", candidates=5))
    with pytest.raises(IntervalError, match="holds 5"):
        interval(several, "corrected_t")
    assert interval(several.select(2), "corrected_t").method == "corrected_t"


def test_auto_refuses_time_series():
    with pytest.raises(IntervalError, match="dependent over time"):
        interval(table_of("time series"))


def test_refusals_name_reason_nearest_method_and_folds():
    """The whole text, as users see it."""
    with pytest.raises(IntervalError) as refused:
        interval(table_of("repeated K-fold"), "all_pairs")
    assert str(refused.value) == (
        "all_pairs is not legal here: its plan is a repeated K-fold partition, and the losses of "
        "one row in several repetitions are dependent.\n"
        "  Given: fold ids, metric absolute\n"
        "  Do this: method='log_t' on these folds; or folds=KFold(10) for all_pairs"
    )
    with pytest.raises(IntervalError) as refused:
        interval(table_of("K-fold"), "ncv")
    assert refused.value.fix == (
        "method='log_t' on these folds; or folds=NestedPairs(repeats=200) for ncv"
    )


def test_a_metric_without_pointwise_losses():
    """The AUC, and fold means of which the losses were not kept."""
    plan = plan_of("K-fold")
    draw = np.random.default_rng(1)
    y = (draw.random(N) < 0.5).astype(float)
    table = LossTable(
        plan, draw.random((N, 1)), "zero_one", y=y, predictions=Predictions(draw.random((1, N)))
    )
    with pytest.raises(IntervalError, match="it needs pointwise losses, and of auc") as refused:
        interval(table, "all_pairs", metric="auc")
    assert refused.value.fix == "method='corrected_t' on these folds"
    assert interval(table, metric="auc").method == "corrected_t"
    grouped = replace(table, plan=replace(plan, groups=IDS))
    assert interval(grouped).method == "log_t"
    assert interval(grouped, metric="auc").method == "corrected_t"  # clusters need every loss
    assert interval(table, "cv_auc").metric == "auc"
    assert "mean AUC of the 4 models" in interval(table, "cv_auc").estimand
    with pytest.raises(IntervalError, match="needs pointwise losses, and of absolute"):
        interval(FoldMeans(plan, draw.random((4, 1)), "absolute"), "bootstrap")


@pytest.mark.parametrize(
    "asked", [{"metric": "accuracy"}, {"metric": "brier"}, {"metric": "auc", "averaging": "pooled"}]
)
def test_an_interval_of_the_auc_is_not_given_for_another_metric(asked):
    draw = np.random.default_rng(1)
    y = (draw.random(N) < 0.5).astype(float)
    table = LossTable(
        plan_of("K-fold"), draw.random((N, 1)), "zero_one", y=y,
        predictions=Predictions(draw.random((1, N))),
    )  # fmt: skip
    with pytest.raises(IntervalError, match="is about the mean of the AUCs of the folds"):
        interval(table, "cv_auc", **asked)
    rows = metric_rows(table, asked["metric"], asked.get("averaging"), method="cv_auc")
    assert rows["conf_low"].isna().all()
    one = interval(table, "cv_auc", metric="roc_auc", averaging="folds")
    assert (one.low, one.high) == (interval(table, "cv_auc").low, interval(table, "cv_auc").high)


def test_folds_are_advised_only_where_they_would_help():
    """What a refusal says to do must work."""
    with pytest.raises(IntervalError) as refused:
        interval(table_of("one split"), "bbc_cv")
    assert refused.value.fix == (
        "method='holdout_t' on these folds; or tune(..., folds=KFold(10)) for bbc_cv"
    )
    with pytest.raises(IntervalError) as refused:
        interval(table_of("K-fold"), "dev_set")
    assert refused.value.fix.endswith("tune(..., folds=Holdout(test=0.2)) for dev_set")
    with pytest.raises(IntervalError) as refused:  # squared losses are of no use to it anywhere
        interval(table_of("subsampling"), "wilson")
    assert refused.value.fix == "method='log_t' on these folds"
    with pytest.raises(IntervalError) as refused:
        interval(FoldMeans(plan_of("one split"), np.ones((1, 1)), "auc"), "holdout_z")
    assert refused.value.fix == "method='cv_auc' on these folds"
    with pytest.raises(IntervalError) as refused:
        interval(FoldMeans(plan_of("one split"), np.ones((1, 1)), "gini"), "holdout_z")
    assert refused.value.fix == "folds=Repeated(KFold(10), 10) for corrected_t"


@pytest.mark.parametrize("method", ["auto", "wilson", "ncv", "bbc_cv"])
def test_a_metric_these_losses_do_not_have_is_told_first(method):
    with pytest.raises(LossError, match="rmse is a function of the squared loss"):
        interval(table_of("K-fold", zero_one=True), method, metric="rmse")


SIZES = {
    "one split": "R(28)",
    "K-fold": "ER(30)",
    "leave-one-out": "ER(39)",
    "repeated K-fold": "ER(30)",
    "subsampling": "ER(36)",
    "nested pairs": "R(40) and ER(40)",
    "paired halves": "ER(36)",
    "5x2": "ER(20)",
}


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.filterwarnings("ignore:The inflation")
def test_estimands_name_the_training_size(kind):
    found = interval(table_of(kind))
    assert found.target == SIZES[kind]
    assert found.estimand.endswith(f"({SIZES[kind]})")
    assert SIZES[kind].split("(")[1][:2] in found.estimand.split("(")[0]


def test_other_targets():
    assert interval(table_of("K-fold"), "all_pairs").target == "PQ(30)"
    assert interval(table_of("leave-one-out"), "all_pairs").estimand.startswith(
        "40-fold test error"
    )
    assert interval(table_of("one split", zero_one=True), "wilson").target == "R(28)"
    assert interval(table_of("K-fold", zero_one=True), "wilson").target == "PQ(30)"
