"""Folds from elsewhere, and ours inside scikit-learn."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import model_selection as sk
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

from pycvstat.errors import FoldError
from pycvstat.folds import (
    Blocks,
    FoldPlan,
    Grouped,
    KFold,
    LeaveOneOut,
    Predefined,
    Repeated,
    Stratified,
    as_splitter,
)

Y = np.array(["a", "b"] * 10)
GROUPS = np.repeat(np.arange(5), 4)

# splitter, kind of the plan, repetitions
SKLEARN = [
    (sk.KFold(4), "kfold", 1),
    (sk.KFold(4, shuffle=True, random_state=1), "kfold", 1),
    (sk.StratifiedKFold(4), "kfold", 1),
    (sk.GroupKFold(4), "kfold", 1),
    (sk.StratifiedGroupKFold(2), "kfold", 1),
    (sk.RepeatedKFold(n_splits=4, n_repeats=3, random_state=1), "kfold", 3),
    (sk.RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1), "kfold", 2),
    (sk.LeaveOneOut(), "loo", 1),
    (sk.LeaveOneGroupOut(), "kfold", 1),
    (sk.LeavePGroupsOut(2), "predefined", 1),
    (sk.ShuffleSplit(5, test_size=0.2, random_state=1), "subsampling", 1),
    (sk.StratifiedShuffleSplit(5, test_size=0.2, random_state=1), "subsampling", 1),
    (sk.GroupShuffleSplit(5, test_size=0.2, random_state=1), "subsampling", 1),
    (sk.TimeSeriesSplit(4), "timeseries", 1),
    (sk.PredefinedSplit([0, 1] * 10), "kfold", 1),
]


@pytest.mark.parametrize(("splitter", "kind", "times"), SKLEARN, ids=lambda v: type(v).__name__)
def test_splitters_of_scikit_learn(splitter, kind, times):
    plan = as_splitter(splitter).plan(20, y=Y, groups=GROUPS)
    expected = list(
        splitter.split(np.zeros((20, 1)), Y, GROUPS if "Group" in repr(splitter) else None)
    )
    assert len(plan) == len(expected) == as_splitter(splitter).get_n_splits(Y, Y, GROUPS)
    for (train, test), (given_train, given_test) in zip(plan, expected, strict=True):
        np.testing.assert_array_equal(train, np.sort(given_train))
        np.testing.assert_array_equal(test, np.sort(given_test))
    assert plan.kind == kind
    assert plan.times == times
    assert plan.recipe == repr(splitter)


def test_a_splitter_of_scikit_learn_that_fails_is_named():
    with pytest.raises(FoldError, match="StratifiedKFold could not split") as caught:
        as_splitter(sk.StratifiedKFold(2)).plan(20, y=np.linspace(0, 1, 20))
    assert "Supported target types" in str(caught.value)
    with pytest.raises(FoldError, match="KFold could not split"):
        as_splitter(sk.KFold(21)).plan(20)
    with pytest.raises(FoldError, match="kind of splitter") as caught:
        as_splitter(sk.KFold)
    assert "KFold(...)" in str(caught.value)


def test_whatever_says_how_to_fold():
    assert as_splitter(5) == KFold(5)
    assert as_splitter(np.int64(5)) == KFold(5)
    plan = KFold(3, random=1).plan(9)
    assert as_splitter(plan).plan(9) is plan
    assert as_splitter(plan).plan(np.zeros((9, 2))) is plan
    assert as_splitter(list(plan)).plan(9).fingerprint == plan.fingerprint
    assert as_splitter(iter(plan)).plan(9).fingerprint == plan.fingerprint
    assert as_splitter(plan.fold_ids).plan(9).fingerprint == plan.fingerprint
    assert as_splitter(list(plan.fold_ids)).plan(9).fingerprint == plan.fingerprint
    assert as_splitter(pd.Series(plan.fold_ids)).plan(9).fingerprint == plan.fingerprint
    assert isinstance(as_splitter(["a", "b", "a"]), Predefined)
    grouped = as_splitter(plan).plan(9, groups=["u"] * 9)
    assert grouped.groups.tolist() == ["u"] * 9
    assert grouped.fingerprint == plan.fingerprint
    assert grouped.seed == 1
    assert as_splitter(plan).get_n_splits() == as_splitter(list(plan)).get_n_splits() == 3
    assert repr(as_splitter(plan)) == "KFold(3, random=1)"


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (1, "K must be at least 2"),
        (2.5, "K must be an integer"),
        (True, "K must be an integer"),
        ("10-fold", "does not say how to fold"),
        (None, "does not say how to fold"),
        ({"a": 1}, "does not say how to fold"),
        (object(), "does not say how to fold"),
        (KFold, "call it: KFold"),
        ([], "no fold ids"),
    ],
)
def test_what_does_not_say_how_to_fold(folds, message):
    with pytest.raises(FoldError, match=message):
        as_splitter(folds)


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (KFold(3, random=1).plan(9), "made for 9 rows"),
        ([([0, 1], [2, 10]), ([2], [0, 1])], "outside the data"),
        ([([0, 1], [2], [3])], "pairs"),
        ([1, 2, 1], "one label per row"),
    ],
)
def test_folds_of_other_data(folds, message):
    with pytest.raises(FoldError, match=message):
        as_splitter(folds).plan(10)


@pytest.mark.parametrize(
    "cv",
    [
        KFold(4, random=1),
        Repeated(KFold(4), times=2, random=1),
        Blocks(4),
        LeaveOneOut(),
        KFold(4, random=1).plan(20),
    ],
    ids=repr,
)
def test_inside_cross_val_score_and_grid_search(cv):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    scores = sk.cross_val_score(LinearRegression(), X, y, cv=cv, scoring="neg_mean_squared_error")
    plan = cv if isinstance(cv, FoldPlan) else cv.plan(20)
    for score, (train, test) in zip(scores, plan, strict=True):
        fit = LinearRegression().fit(X[train], y[train])
        assert score == -np.mean((y[test] - fit.predict(X[test])) ** 2)
    grid = {"strategy": ["mean", "median"]}
    search = sk.GridSearchCV(DummyRegressor(), grid, cv=cv, scoring="neg_mean_squared_error")
    search.fit(X, y)
    assert search.n_splits_ == len(plan)


def test_strata_and_groups_inside_scikit_learn():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(20, 2)), index=range(100, 120))
    y = pd.Series(Y, index=range(100, 120))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = sk.cross_val_score(LogisticRegression(), X, y, cv=Stratified(4, random=1))
        assert len(scores) == 4
        grouped = sk.cross_val_score(
            LogisticRegression(), X, y, groups=GROUPS, cv=Grouped(5, random=1)
        )
    assert len(grouped) == 5
    # scikit-learn goes by position, also where labels are duplicated
    X.index = y.index = [0] * 20
    np.testing.assert_array_equal(
        sk.cross_val_score(LogisticRegression(), X, y, cv=Stratified(4, random=1)), scores
    )


def test_a_plan_refuses_other_data_inside_scikit_learn():
    with pytest.raises(FoldError, match="made for 20 rows"):
        KFold(4, random=1).plan(20).split(np.zeros((19, 2)))


def test_kinds_of_scikit_learns_splitters_are_those_of_what_they_are_made_of():
    class Rolling(sk.TimeSeriesSplit):
        pass

    class Alike(sk.StratifiedKFold):
        pass

    assert as_splitter(Rolling(4)).plan(20).scheme == "time series"
    assert as_splitter(Alike(4)).stratified
    assert not as_splitter(sk.KFold(4)).stratified
