"""Strata that are a column of the data, known by its name."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pycvstat as pcv
from pycvstat.errors import FoldError
from pycvstat.report.sentences import plan_told

RNG = np.random.default_rng(5)
DATA = pd.DataFrame({"x": RNG.normal(size=60), "g": np.repeat(np.arange(20), 3)})
DATA["s"] = np.where(DATA.g % 4 == 0, "a", "b")
DATA["y"] = DATA.x + RNG.normal(size=60)
BY_NAME = pcv.Grouped(5, random=1, strata="s")


def plan_of(folds, data=DATA, **how):
    return pcv.cross_validate(pcv.OLS(), "y ~ x", data, folds=folds, **how).plan


def test_the_name_means_the_values_of_the_column():
    given = plan_of(pcv.Grouped(5, random=1, strata=DATA.s), groups="g")
    for data in (DATA, pl.from_pandas(DATA), {name: list(DATA[name]) for name in DATA}):
        assert np.array_equal(plan_of(BY_NAME, data, groups="g").fold_ids, given.fold_ids)
    without = plan_of(pcv.Grouped(5, random=1), groups="g")
    assert not np.array_equal(without.fold_ids, given.fold_ids)


@pytest.mark.parametrize(
    "folds", [pcv.RFolds("rsample", 5, seed=1, strata="s"), pcv.RFolds("rsample", 5, seed=1)]
)
def test_dialects_read_the_column_as_a_plan_of_the_data_does(folds):
    assert np.array_equal(plan_of(folds).fold_ids, folds.plan(DATA, y=DATA.y).fold_ids)


def test_a_text_of_a_users_own_splitter_is_no_column():
    @dataclass(frozen=True)
    class Named(pcv.Blocks):
        strata: str = "of my own"

    assert len(plan_of(Named(4))) == 4
    assert Named(4).column == ""
    assert BY_NAME.column == pcv.Repeated(pcv.Grouped(5, strata="s"), 2, random=1).column == "s"


@pytest.mark.parametrize("folds", [BY_NAME, pcv.RFolds("rsample", 5, seed=1, strata="s")])
def test_missing_strata_are_called_strata(folds):
    holed = DATA.copy()
    holed.loc[3, "s"] = None
    with pytest.raises(FoldError, match="strata must not be missing"):
        plan_of(folds, holed, groups="g" if folds is BY_NAME else None)


@pytest.mark.parametrize("strata", [DATA.s, 3, ["a", "b"]])
def test_strata_of_a_dialect_are_a_name_or_the_response(strata):
    with pytest.raises(FoldError, match="by its name"):
        pcv.RFolds("rsample", 5, seed=1, strata=strata)


def test_rows_left_out_take_their_strata_with_them():
    holed = DATA.copy()
    holed.loc[[3, 40], "x"] = np.nan
    folds = pcv.Repeated(pcv.Grouped(4, strata="s"), 2, random=1)
    left = plan_of(folds, holed, groups="g", na="omit").fold_ids
    assert np.array_equal(left, plan_of(folds, holed.dropna(), groups="g").fold_ids)


def test_several_splits_read_it_too_and_it_is_told():
    found = pcv.multiverse(
        pcv.OLS(), "y ~ x", DATA, groups="g", folds=[pcv.Grouped(5, strata="s")], seeds=[1]
    )
    one = pcv.cross_validate(pcv.OLS(), "y ~ x", DATA, groups="g", folds=BY_NAME)
    assert found.tidy()["estimate"][0] == one.estimate
    assert "(by s; 20 gs)" in plan_told(one.plan, one.task)


def test_a_name_that_is_no_column_is_refused():
    with pytest.raises(FoldError, match="strata names no column of the data"):
        plan_of(pcv.Grouped(5, random=1, strata="t"), groups="g")
