"""Cross-checks of fold plans, intervals and fits, right and wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import RError

MTCARS = pcv.data.mtcars()
PLANS = [
    pcv.Blocks(4), pcv.KFold(4, random=1), pcv.LeaveOneOut(), pcv.Holdout(0.3, random=2),
    pcv.Repeated(pcv.KFold(4), times=2, random=1), pcv.Subsampling(3, train=0.8, random=1),
    pcv.RFolds("rsample", 4, seed=1), pcv.RFolds("rsample", 4, seed=1, repeats=2), pcv.KFold(3),
    pcv.RFolds("glmnet", 5, seed=3),
]  # fmt: skip


@pytest.mark.live_r
@pytest.mark.parametrize("splitter", PLANS, ids=repr)
def test_r_cuts_the_same_folds(splitter):
    assert splitter.plan(23).crosscheck()


@pytest.mark.live_r
def test_another_fold_is_caught_and_located():
    right = pcv.KFold(4, random=1).plan(23)
    rows = right.rows.copy()
    rows[0], rows[6] = rows[6], rows[0]
    wrong = replace(right, rows=rows)
    checked = wrong.crosscheck()
    assert not checked
    assert checked.first_difference.startswith("test rows: fold 1, test row 1")


@pytest.mark.live_r
@pytest.mark.parametrize(
    ("folds", "methods"),
    [
        (pcv.KFold(6, random=1), ["corrected_t", "all_pairs", "within_fold", "auto"]),
        (pcv.Repeated(pcv.KFold(5), times=3, random=1), ["corrected_t"]),
        (pcv.Holdout(0.3, random=1), ["holdout_z"]),
        (pcv.FiveByTwo(random=1), ["five_by_two_t"]),
    ],
    ids=repr,
)
def test_r_computes_the_same_interval(folds, methods):
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=folds)
    for method in methods:
        assert result.interval(method).crosscheck()
        assert result.interval(method, level=0.8).crosscheck()


@pytest.mark.live_r
@pytest.mark.parametrize("method", ["wilson", "clopper_pearson"])
def test_r_computes_the_same_interval_of_a_share(method):
    result = pcv.cross_validate(
        pcv.GLM("binomial"), "y ~ .", pcv.data.labels(80), folds=pcv.Holdout(0.4, random=1)
    )
    assert result.interval(method).crosscheck()


@pytest.mark.live_r
@pytest.mark.parametrize(
    ("learner", "formula"),
    [
        (pcv.OLS(), "mpg ~ wt * factor(cyl)"),
        (pcv.OLS(), "mpg ~ wt + I(2 * wt) + hp"),
        (pcv.GLM("binomial"), "am ~ wt"),
        (pcv.GLM("poisson"), "carb ~ hp"),
        (pcv.KNN(k=5, kernel="rectangular"), "mpg ~ wt + hp"),
    ],
    ids=lambda x: str(x),
)
def test_r_gives_the_same_fit(learner, formula):
    checked = learner.fit(formula, MTCARS).crosscheck()
    assert checked, checked.first_difference


@pytest.mark.live_r
def test_an_interval_moved_by_an_ulp_in_a_million_is_caught():
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=pcv.KFold(6, random=1))
    found = result.interval()
    moved = replace(found, high=found.high * (1 + 1e-9))
    assert moved.crosscheck().first_difference == "high: element 1"


@pytest.mark.live_r
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pcv.Stratified(3, random=1).plan(9, y=list("aaabbbccc")).crosscheck(),
         "no counterpart"),
        (lambda: pcv.KFold(3).plan(9, random=np.random.default_rng(1)).crosscheck(),
         "seed of these folds is not known"),
        (lambda: pcv.RLM().fit("mpg ~ wt", MTCARS).crosscheck(), "coefficient table"),
    ],
)  # fmt: skip
def test_what_r_cannot_check_is_said(call, words):
    with pytest.raises(RError, match=words):
        call()
