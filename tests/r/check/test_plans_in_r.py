"""Every splitter beside R's own draw of the same folds; one wrong row is located."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, RError
from pycvstat.folds import DIALECTS

pytestmark = pytest.mark.live_r

RNG = np.random.default_rng(8)
N = 53
Y, LABEL = RNG.normal(size=N), RNG.choice(list("abc"), N)
CODE, GROUP = RNG.integers(0, 3, N), RNG.choice([f"g{i}" for i in range(14)], N)

PLAIN = [
    pcv.Blocks(4), pcv.Blocks(6, as_in_r=True), pcv.KFold(7, random=5), pcv.LeaveOneOut(),
    pcv.KFold(7, random=pcv.RRandom(3)), pcv.KFold(7), pcv.Holdout(random=5),
    pcv.Holdout(11, random=5), pcv.Subsampling(4, random=5),
    pcv.Subsampling(4, train=0.7, random=5), pcv.Repeated(pcv.KFold(5), 3, random=5),
    pcv.Repeated(pcv.Holdout(0.2), times=3, random=5), pcv.TimeSeries(10),
    pcv.TimeSeries(10, horizon=3, gap=2, step=2, window="sliding"),
    pcv.NestedPairs(5, repeats=3, random=5), pcv.PairedHalves(3, 4, 0.85, random=5),
    pcv.PairedHalves(random=5), pcv.FiveByTwo(random=5),
    *(pcv.RFolds(name, 7, seed=5) for name, one in DIALECTS.items() if not one.in_r.needs),
    *(pcv.RFolds("cv", 7, seed=5, repeats=3, sample_kind=k) for k in ("Rejection", "Rounding")),
    pcv.KFold(7, random=pcv.RRandom(3, "Rounding")),
    pcv.Repeated(pcv.NestedPairs(4, repeats=2), times=2, random=5),
    pcv.RFolds("rsample", 7, seed=5, repeats=2), pcv.RFolds("boot", 9, seed=2, repeats=2),
    pcv.RFolds("glmnet", 4, seed=5, sample_kind="Rounding"),
    pcv.Bootstrap(3, random=5), pcv.Repeated(pcv.Bootstrap(3), 2, random=5),
    *(pcv.RFolds(name, k, seed=k, repeats=2) for name in ("cut", "pls") for k in (3, 4, 6, 9, 13)),
]  # fmt: skip
BY_RESPONSE = [
    (pcv.Stratified(4, random=5), LABEL),
    (pcv.Stratified(4, random=5), Y),
    (pcv.Stratified(4, random=5, bins=3), Y),
    (pcv.Stratified(4, random=5), CODE),
    (pcv.Repeated(pcv.Stratified(4), 2, random=5), LABEL),
    (pcv.RFolds("rsample", 4, seed=5, strata=True), Y),
    (pcv.RFolds("rsample", 4, seed=5, strata=True), LABEL),
    (pcv.RFolds("caret", 4, seed=5), Y),
    (pcv.RFolds("caret", 4, seed=5, repeats=2), LABEL),
    (pcv.RFolds("train", 4, seed=5), Y),
    (pcv.RFolds("train", 4, seed=5, repeats=2, sample_kind="Rounding"), LABEL),
]
USED = pcv.RRandom(1)
USED.sample(3)
GROUPED = [
    pcv.Grouped(4, random=5),
    pcv.Repeated(pcv.Grouped(5), 2, random=5),
    pcv.LeaveOneGroupOut(),
    pcv.StratifiedGrouped(4, random=5),
    pcv.Repeated(pcv.StratifiedGrouped(3), 2, random=5),
]


def check(plan, **given) -> None:
    checked = plan.crosscheck(**given)
    assert checked, checked.first_difference
    rows = plan.rows.copy()
    last = plan.offsets[1]
    if plan.is_partition:
        rows[0], rows[last] = rows[last], rows[0]
        wrong = replace(plan, rows=rows).crosscheck(**given)
        assert not wrong
        assert "fold 1, test row" in wrong.first_difference


@pytest.mark.filterwarnings("ignore:boot's cv.glm changes K")
@pytest.mark.parametrize("splitter", PLAIN, ids=str)
def test_r_cuts_the_same_folds(splitter):
    check(splitter.plan(N))


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
@pytest.mark.parametrize(("splitter", "y"), BY_RESPONSE, ids=str)
def test_r_cuts_the_same_folds_by_the_response(splitter, y):
    check(splitter.plan(N, y=y), y=y)


@pytest.mark.parametrize("splitter", GROUPED, ids=str)
def test_r_cuts_the_same_folds_by_group(splitter):
    for y in (LABEL, Y, CODE):
        check(splitter.plan(N, y=y, groups=GROUP), y=y)


def test_training_rows_are_compared_where_they_are_not_the_rest():
    plan = pcv.TimeSeries(10, horizon=2).plan(20)
    train = (plan.train[0][:-1], *plan.train[1:])
    wrong = replace(plan, train=train).crosscheck()
    assert wrong.first_difference == "training rows by fold: fold 1"


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: pcv.Stratified(4, random=1).plan(N, y=Y).crosscheck(), RError, "drawn by"),
        (lambda: pcv.KFold(4, random=np.random.default_rng(1)).plan(N).crosscheck(), RError,
         "seed of these folds is not known"),
        (lambda: pcv.KFold(4, random=1).plan(N, random=USED).crosscheck(), RError,
         "seed of these folds is not known"),
        (lambda: pcv.Predefined(CODE).plan(N).crosscheck(), RError, "no counterpart"),
        (lambda: pcv.Stratified(4, random=1).plan(N, y=Y).crosscheck(y=Y[1:]), InputError,
         "one value per row"),
        (lambda: pcv.OLS().fit("mpg ~ wt", pcv.data.mtcars()).crosscheck(y=Y), InputError,
         "belongs to fold plans"),
    ],
)  # fmt: skip
def test_what_r_cannot_cut_is_named(make, error, words):
    with pytest.raises(error, match=words):
        make()
