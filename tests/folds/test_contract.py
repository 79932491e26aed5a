"""What every splitter must do, also a user's own: add it to SPLITTERS."""

import pickle
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from pycvstat.errors import FoldError
from pycvstat.folds import (
    DIALECTS,
    Blocks,
    FiveByTwo,
    FoldPlan,
    Grouped,
    Holdout,
    KFold,
    LeaveOneOut,
    NestedPairs,
    PairedHalves,
    Predefined,
    Repeated,
    RFolds,
    Splitter,
    Stratified,
    Subsampling,
    TimeSeries,
    as_splitter,
)
from pycvstat.folds.splitter import Layout
from pycvstat.rmath.random import RRandom


@dataclass(frozen=True, repr=False)
class OddAndEven(Splitter):
    """A user's own splitter."""

    draws: ClassVar[bool] = False

    def _layout(self, given, stream):
        return Layout("kfold", [np.arange(0, given.n, 2), np.arange(1, given.n, 2)])

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2


SPLITTERS = {
    "Blocks": lambda seed: Blocks(3),
    "Blocks as in R": lambda seed: Blocks(4, as_in_r=True),
    "KFold": lambda seed: KFold(4, random=seed),
    "KFold(2)": lambda seed: KFold(2, random=seed),
    "Stratified": lambda seed: Stratified(3, random=seed),
    "Stratified bins": lambda seed: Stratified(3, random=seed, bins=2),
    "Grouped": lambda seed: Grouped(2, random=seed),
    "LeaveOneOut": lambda seed: LeaveOneOut(),
    "Repeated": lambda seed: Repeated(KFold(3), times=3, random=seed),
    "Repeated strata": lambda seed: Repeated(Stratified(2), times=2, random=seed),
    "Repeated groups": lambda seed: Repeated(Grouped(2), times=2, random=seed),
    "Repeated holdout": lambda seed: Repeated(Holdout(0.4), times=3, random=seed),
    "Holdout": lambda seed: Holdout(0.25, random=seed),
    "Subsampling": lambda seed: Subsampling(5, train=0.7, random=seed),
    "TimeSeries": lambda seed: TimeSeries(4, horizon=2, gap=1, step=2),
    "NestedPairs": lambda seed: NestedPairs(3, repeats=2, random=seed),
    "PairedHalves": lambda seed: PairedHalves(2, 2, train=0.8, random=seed),
    "FiveByTwo": lambda seed: FiveByTwo(random=seed),
    **{
        f"RFolds {dialect}": lambda seed, dialect=dialect: RFolds(dialect, 4, seed=seed)
        for dialect in DIALECTS
    },
    "RFolds boot": lambda seed: RFolds("boot", 2, seed=seed),  # boot changes other K
    "RFolds repeated": lambda seed: RFolds("cv", 4, seed=seed, repeats=3),
    "a user's own": lambda seed: OddAndEven(),
}
PARTITION = ("kfold", "loo", "five_by_two")


def data_of(n):
    """A frame of n rows with two classes, a number and groups of up to three rows."""
    rng = np.random.default_rng(n)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "label": np.where(np.arange(n) % 2, "a", "b"),
            "subject": np.arange(n) // 3,
        },
        index=[f"row {i}" for i in range(n)],
    )


@pytest.mark.parametrize("name", list(SPLITTERS))
@settings(max_examples=25, deadline=None)
@given(n=st.integers(12, 60), seed=st.integers(-(2**31) + 1, 2**31 - 1))
def test_a_plan_keeps_its_promises(name, n, seed):
    splitter, data = SPLITTERS[name](seed), data_of(n)
    given_y = data["x"] if "caret" in name or "bins" in name else "label"
    plan = splitter.plan(data, y=given_y, groups="subject")
    assert isinstance(plan, FoldPlan)
    for train, test in plan:
        for rows in (train, test):
            assert len(rows) > 0
            assert (np.diff(rows) > 0).all()  # increasing, so no row twice
            assert rows[0] >= 0
            assert rows[-1] < n
        assert len(np.intersect1d(train, test)) == 0
    assert len(plan) == len(plan.n_test) == len(plan.repeat) == len(plan.fold)
    assert len(plan.rows) == plan.n_test.sum()
    overlaps = name == "Blocks as in R" and not plan.is_partition
    assert plan.is_partition or plan.kind not in PARTITION or overlaps
    if plan.is_partition:
        ids = plan.fold_ids.reshape(n, -1)
        assert FoldPlan.from_fold_ids(ids).fingerprint == plan.fingerprint
    if "Grouped" in name or "groups" in name:
        assert plan.check() == ()


@pytest.mark.parametrize("name", list(SPLITTERS))
def test_equal_seeds_equal_folds(name):
    data = data_of(30)
    given = {"y": "x" if "caret" in name else "label", "groups": "subject"}
    splitter = SPLITTERS[name](7)
    first = splitter.plan(data, **given)
    assert first.fingerprint == SPLITTERS[name](7).plan(data, **given).fingerprint
    assert pickle.loads(pickle.dumps(splitter)).plan(data, **given).fingerprint == first.fingerprint
    if not splitter.draws:
        assert first.seed is None
        return
    assert first.seed == 7
    assert SPLITTERS[name](8).plan(data, **given).fingerprint != first.fingerprint
    free = SPLITTERS[name](None)
    drawn = free.plan(data, **given)
    again = free.plan(data, random=drawn.seed, **given)
    assert again.fingerprint == drawn.fingerprint
    generator = free.plan(data, random=np.random.default_rng(1), **given)
    assert generator.seed is None
    stream = RRandom(7)
    continued = [free.plan(data, random=stream, **given) for _ in range(2)]
    assert continued[0].fingerprint == first.fingerprint
    assert continued[1].fingerprint != first.fingerprint
    assert continued[1].seed is None  # the seed alone does not give these folds


@pytest.mark.parametrize("name", list(SPLITTERS))
def test_data_of_any_kind(name):
    pl = pytest.importorskip("polars")
    frame = data_of(24)
    y, groups = frame["x" if "caret" in name else "label"].to_numpy(), frame["subject"].to_numpy()
    kinds = [24, frame, frame.to_numpy(), frame["x"], list(frame["x"]), pl.from_pandas(frame),
             frame.to_dict("list"), np.int64(24)]  # fmt: skip
    plans = [SPLITTERS[name](1).plan(data, y=y, groups=groups) for data in kinds]
    assert len({plan.fingerprint for plan in plans}) == 1


@pytest.mark.parametrize("name", list(SPLITTERS))
def test_inside_scikit_learn(name):
    frame = data_of(24)
    y = frame["x" if "caret" in name else "label"]
    splitter = SPLITTERS[name](3)
    plan = splitter.plan(frame, y=y, groups="subject")
    splits = list(splitter.split(frame, y, frame["subject"]))
    assert splitter.get_n_splits(frame, y, frame["subject"]) == len(plan) == len(splits)
    for (train, test), (planned_train, planned_test) in zip(splits, plan, strict=True):
        np.testing.assert_array_equal(train, planned_train)
        np.testing.assert_array_equal(test, planned_test)


@pytest.mark.parametrize("name", list(SPLITTERS))
def test_recipes_can_be_typed_again(name):
    splitter = SPLITTERS[name](5)
    if name == "a user's own":
        assert repr(splitter) == "OddAndEven()"
        return
    assert eval(repr(splitter)) == splitter
    assert as_splitter(splitter) is splitter


@pytest.mark.parametrize("name", list(SPLITTERS))
@pytest.mark.parametrize("empty", [0, [], pd.DataFrame({"x": []}), np.empty((0, 2)), {"x": []}, {}])
def test_there_must_be_rows(name, empty):
    with pytest.raises(FoldError, match="There are no rows to split"):
        SPLITTERS[name](1).plan(empty)


@pytest.mark.parametrize("name", list(SPLITTERS))
@pytest.mark.parametrize("data", [2.5, "data.csv", None, True, object()])
def test_the_data_must_have_rows(name, data):
    with pytest.raises(FoldError, match="needs data with rows"):
        SPLITTERS[name](1).plan(data)


@pytest.mark.parametrize("name", list(SPLITTERS))
def test_one_row_is_not_enough(name):
    with pytest.raises(FoldError):
        SPLITTERS[name](1).plan(1, y=["a"], groups=["a"])


@pytest.mark.parametrize("name", [name for name in SPLITTERS if SPLITTERS[name](1).draws])
@pytest.mark.parametrize("seed", ["1", 1.5, 2**31, True])
def test_seeds_are_checked_when_the_splitter_is_made(name, seed):
    with pytest.raises(ValueError, match=r"seed|random"):
        SPLITTERS[name](seed)


def test_predefined_keeps_the_contract_too():
    ids = np.array([1, 2, 3] * 4)
    plan = Predefined(ids).plan(data_of(12))
    assert plan.seed is None
    assert plan.fold_ids.tolist() == ids.tolist()
    assert Predefined(ids).get_n_splits() == 3
    assert repr(Predefined(ids)) == "Predefined(<12 values>)"
    assert replace(Predefined(ids)).plan(12).fingerprint == plan.fingerprint
