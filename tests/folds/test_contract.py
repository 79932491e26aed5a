"""What every splitter must do, also a user's own: add it to SPLITTERS."""

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
    Bootstrap,
    FiveByTwo,
    Grouped,
    Holdout,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    NestedPairs,
    PairedHalves,
    Predefined,
    Repeated,
    RFolds,
    Splitter,
    Stratified,
    StratifiedGrouped,
    Subsampling,
    TimeSeries,
    as_splitter,
)
from pycvstat.folds.splitter import Layout
from tests.folds import contract
from tests.folds.contract import data_of


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
    "StratifiedGrouped": lambda seed: StratifiedGrouped(2, random=seed),
    "StratifiedGrouped bins": lambda seed: StratifiedGrouped(2, random=seed, bins=2),
    "LeaveOneGroupOut": lambda seed: LeaveOneGroupOut(),
    "LeaveOneOut": lambda seed: LeaveOneOut(),
    "Bootstrap": lambda seed: Bootstrap(4, random=seed),
    "Repeated bootstrap": lambda seed: Repeated(Bootstrap(2), times=2, random=seed),
    "Repeated strata and groups": lambda seed: Repeated(StratifiedGrouped(2), 2, random=seed),
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


def response(name):
    """What the folds are drawn by."""
    return "x" if "caret" in name or "train" in name or "bins" in name else "label"


@pytest.mark.parametrize("name", list(SPLITTERS))
@settings(max_examples=25, deadline=None)
@given(n=st.integers(12, 60), seed=st.integers(-(2**31) + 1, 2**31 - 1))
def test_a_plan_keeps_its_promises(name, n, seed):
    contract.a_plan_keeps_its_promises(SPLITTERS[name], n, seed, response(name))
    if "Grouped" in name or "groups" in name:
        plan = SPLITTERS[name](seed).plan(data_of(n), y=response(name), groups="subject")
        assert plan.check() == ()


@pytest.mark.parametrize("name", list(SPLITTERS))
def test_equal_seeds_equal_folds(name):
    contract.equal_seeds_give_equal_folds(SPLITTERS[name], response(name))


@pytest.mark.parametrize("name", list(SPLITTERS))
def test_data_of_any_kind(name):
    contract.data_may_be_of_any_kind(SPLITTERS[name], response(name))


@pytest.mark.parametrize("name", list(SPLITTERS))
def test_inside_scikit_learn(name):
    contract.scikit_learn_takes_it(SPLITTERS[name], response(name))


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


def test_a_layout_that_is_none_is_answered():
    @dataclass(frozen=True, repr=False)
    class Nothing(OddAndEven):
        def _layout(self, given, stream):
            pass

    with pytest.raises(FoldError, match="_layout of Nothing must return a Layout") as refused:
        Nothing().plan(6)
    assert refused.value.given == "None"


def test_predefined_keeps_the_contract_too():
    ids = np.array([1, 2, 3] * 4)
    plan = Predefined(ids).plan(data_of(12))
    assert plan.seed is None
    assert plan.fold_ids.tolist() == ids.tolist()
    assert Predefined(ids).get_n_splits() == 3
    assert repr(Predefined(ids)) == "Predefined(<12 values>)"
    assert replace(Predefined(ids)).plan(12).fingerprint == plan.fingerprint
