"""Dialects without R: folds recorded from the packages' own code, and published numbers."""

import json
from pathlib import Path

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import FoldError, InputError, PycvstatWarning, RError
from pycvstat.folds import DIALECTS, FoldPlan, RFolds
from pycvstat.rmath.random import RRandom

# Recorded with R 4.2.2, set.seed(2021), 23 rows, 5 folds, from the fold code of cv 2.0.4 (folds(),
# cvCompute() for reps), mlr3 1.8.0 (ResamplingCV, ResamplingRepeatedCV), origami 1.0.8
# (folds_vfold) and kknn 1.4.1 (the labels that cv.kknn drew).
RECORDED = {
    ("cv", 2): [
        [5, 4, 3, 4, 3, 1, 1, 4, 3, 5, 2, 1, 5, 1, 5, 4, 2, 2, 3, 3, 2, 2, 1],
        [4, 4, 2, 5, 1, 3, 3, 5, 4, 1, 2, 1, 3, 4, 2, 3, 2, 5, 3, 2, 1, 5, 1],
    ],
    ("mlr3", 2): [
        [2, 1, 4, 3, 2, 2, 3, 1, 2, 1, 5, 5, 4, 4, 3, 4, 2, 1, 3, 1, 5, 5, 3],
        [4, 5, 1, 2, 4, 3, 2, 4, 5, 1, 5, 1, 2, 3, 4, 1, 3, 5, 2, 2, 3, 3, 1],
    ],
    ("origami", 1): [[2, 1, 4, 3, 2, 2, 3, 1, 2, 1, 5, 5, 4, 4, 3, 4, 2, 1, 3, 1, 5, 5, 3]],
    ("kknn", 1): [[2, 4, 4, 3, 5, 1, 4, 3, 4, 2, 3, 4, 5, 3, 2, 4, 5, 2, 3, 4, 5, 5, 1]],
}


@pytest.mark.parametrize(("dialect", "repeats"), list(RECORDED))
def test_recorded_folds(dialect, repeats):
    plan = RFolds(dialect, 5, seed=2021, repeats=repeats).plan(23)
    assert plan.fold_ids.reshape(23, -1).T.tolist() == RECORDED[dialect, repeats]


@pytest.mark.parametrize("dialect", ["cv", "origami", "caret"])
def test_leave_one_out_is_not_shuffled(dialect):
    plan = RFolds(dialect, 8, seed=1).plan(8, y=np.arange(8.0))
    assert plan.kind == "loo"
    assert plan.fold_ids.tolist() == list(range(1, 9))


def mtcars():
    recorded = Path(__file__).parents[2] / "r_reference" / "recorded"
    data = json.loads((recorded / "kknn-1.4.1-seed2021.json").read_text())["data"]["mtcars"]
    return {name: np.array(column["values"], dtype=float) for name, column in data.items()}


def test_origami_published_error_of_mtcars():
    # origami's own test: lm(mpg ~ .), 10 folds, set.seed(1): pooled 14.1114, fold mean 14.0256
    data = mtcars()
    y = data.pop("mpg") if "mpg" in data else data.pop("y")
    X = np.column_stack([np.ones(32), *data.values()])
    plan = RFolds("origami", 10, seed=1).plan(32)
    errors = []
    for train, test in plan:
        beta = np.linalg.lstsq(X[train], y[train], rcond=None)[0]
        errors.append((y[test] - X[test] @ beta) ** 2)
    assert round(np.concatenate(errors).mean(), 4) == 14.1114
    assert round(np.mean([e.mean() for e in errors]), 4) == 14.0256


def test_boot_says_that_it_changes_k():
    with pytest.warns(PycvstatWarning, match="changes K from 60 to 50 for 100 rows"):
        plan = RFolds("boot", 60, seed=1).plan(100)
    assert plan.fold_ids.max() == 50


def test_empty_folds_are_left_out():
    plan = RFolds("kknn", 20, seed=1).plan(20)
    assert len(plan) < 20
    assert plan.is_partition
    drawn = RRandom(1).sample(20, 20, replace=True)
    np.testing.assert_array_equal(plan.fold_ids, drawn)
    assert RFolds("kknn", 20, seed=1).get_n_splits(np.zeros(20)) == len(plan)
    assert RFolds("kknn", 20).get_n_splits() == 20


def test_a_stream_of_the_same_seed_is_continued():
    folds = RFolds("rsample", 5, seed=3, sample_kind="Rounding")
    rng = RRandom(3, sample_kind="Rounding")
    plan = folds.plan(20, random=rng)
    assert plan.fingerprint == folds.plan(20).fingerprint
    assert not rng.untouched
    assert RFolds("rsample", 5, seed=3).plan(20).fingerprint != plan.fingerprint
    assert folds.plan(20, random=9).fingerprint == plan.fingerprint


def test_folds_of_classes_follow_the_order_of_words_that_the_data_were_given() -> None:
    words = np.array(["a", "B", "c", "D"])[np.random.default_rng(1).integers(0, 4, 60)]
    data = {"w": words.tolist(), "x": list(range(60))}

    def folds(levels: str, **given: str) -> str:
        splitter = RFolds("caret", 5, seed=1, **given)
        found = pcv.cross_validate(pcv.KNN(3), "w ~ x", data, folds=splitter, levels=levels)
        return found.plan.fingerprint

    assert folds("C") == folds("C", collation="C") != folds("ICU")
    assert folds("ICU") == folds("ICU", collation="ICU") == folds("C", collation="ICU")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RFolds("sklearn", 5), "Unknown dialect"),
        (lambda: RFolds(np.array([1, 2]), 5), "Unknown dialect"),
        (lambda: RFolds("caret", 5, collation=np.array(["C"] * 2)), "Unknown collation"),
        (lambda: FoldPlan.from_splits(None, 30), r"must be \(train rows"),
        (lambda: RFolds("glmnet", 2), "at least 3"),
        (lambda: RFolds("mlr3", 5, repeats=0), "repeats"),
        (lambda: RFolds("mlr3", 5, strata=True), "rsample's folds only"),
        (lambda: RFolds("mlr3", 5, seed=1.5), "A seed is an integer"),
        (lambda: RFolds("mlr3", 5, sample_kind="old"), "Unknown sample_kind"),
        (lambda: RFolds("caret", 5, collation="en"), "Unknown collation"),
        (lambda: RFolds("caret", 5, seed=1).plan(20), "needs the response"),
        (lambda: RFolds("caret", 5, seed=1).plan(20, y=np.ones(20)), "constant"),
        (lambda: RFolds("rsample", 5, strata="z").plan({"y": [1.0] * 20}), "no column"),
        (lambda: RFolds("rsample", 5, strata=True).plan(20), "needs the response"),
        (lambda: RFolds("rsample", 21, seed=1).plan(20), "more folds than rows"),
    ],
)
def test_what_cannot_be_done_is_said(make, message):
    with pytest.raises(InputError, match=message) as caught:
        make()
    assert isinstance(caught.value, FoldError) or "seed" in message or "kind" in message


LEAST = {"glmnet": 3}  # which stops below


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_begins_at_its_least_number_of_folds(name):
    least = LEAST.get(name, 2)
    y = np.arange(24) % 2
    assert len(RFolds(name, least, seed=1).plan(24, y=y)) == least
    with pytest.raises(FoldError, match=f"at least {least}"):
        RFolds(name, least - 1)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_plan_keeps_what_made_it_where_r_can_make_it(name):
    folds = RFolds(name, 4, seed=1)
    assert folds.plan(24, y=np.arange(24) % 2).splitter == folds


@pytest.fixture
def by_a_column():
    return RFolds("rsample", 4, seed=1, strata="z").plan({"z": np.arange(24) % 2})


def test_a_plan_by_strata_of_a_column_is_made_by_a_course(by_a_column):
    assert "strata = STRATA" in by_a_column.splitter.in_r().course


@pytest.mark.live_r
def test_and_by_nothing_else_in_r(by_a_column):
    with pytest.raises(RError, match="no counterpart"):
        by_a_column.crosscheck()


def test_which_dialects_stratify_and_what_they_draw_from() -> None:
    stratified = {name for name in DIALECTS if RFolds(name, 5, seed=1).stratified}
    assert stratified == {"caret", "train"}
    assert RFolds("rsample", 5, seed=1, strata="y").stratified == "y"
    assert RFolds("rsample", 5, seed=1, strata=True).stratified is True
    assert RFolds("rsample", 5, sample_kind="Rounding").random is None
    assert RFolds("rsample", 5, seed=3).random == 3
    assert repr(RFolds("rsample", 5, 3, sample_kind="Rounding").random) == (
        'RRandom(3, sample_kind="Rounding")'
    )
