"""Folds in and out: every way keeps the fingerprint."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from pycvstat.errors import FoldError, InputError
from pycvstat.folds import (
    Blocks,
    FoldPlan,
    Holdout,
    KFold,
    LeaveOneOut,
    PairedHalves,
    Repeated,
    Subsampling,
    TimeSeries,
)
from pycvstat.folds.forms import r_code
from tests.rscript import live_r, r_values

PLANS = {
    "kfold": KFold(3, random=1).plan(10),
    "loo": LeaveOneOut().plan(6),
    "repeated": Repeated(KFold(3), times=4, random=1).plan(10),
    "overlapping": Blocks(6, as_in_r=True).plan(10),
    "holdout": Holdout(0.25, random=1).plan(11),
    "subsampling": Subsampling(4, train=0.7, random=1).plan(10),
    "time": TimeSeries(3, horizon=2, gap=1, step=2).plan(10),
    "halves": PairedHalves(2, 2, random=1).plan(40),
}


@pytest.mark.parametrize("name", list(PLANS))
def test_csv_both_ways(name, tmp_path):
    plan = PLANS[name]
    plan.to_csv(tmp_path / "folds.csv")
    back = FoldPlan.from_csv(tmp_path / "folds.csv", n=plan.n)
    assert back.fingerprint == plan.fingerprint
    np.testing.assert_array_equal(back.repeat, plan.repeat)
    np.testing.assert_array_equal(back.fold, plan.fold)


def test_csv_of_a_partition_is_short(tmp_path):
    FoldPlan.from_fold_ids([1, 2, 1]).to_csv(tmp_path / "folds.csv")
    assert (tmp_path / "folds.csv").read_text() == "row,repeat,fold\n1,1,1\n3,1,1\n2,1,2\n"
    assert FoldPlan.from_csv(tmp_path / "folds.csv").kind == "kfold"


def test_csv_with_fold_ids_only(tmp_path):
    (tmp_path / "ids.csv").write_text("fold\nb\na\nb\n")
    assert FoldPlan.from_csv(tmp_path / "ids.csv").fold_ids.tolist() == [2, 1, 2]
    (tmp_path / "ids.csv").write_text("\ufefffold\n10\n9\n10\n", encoding="utf-8")
    assert FoldPlan.from_csv(tmp_path / "ids.csv").fold_ids.tolist() == [2, 1, 2]


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(FoldError, match="The file cannot be read"):
        FoldPlan.from_csv(tmp_path / "absent.csv")
    with pytest.raises(InputError, match="not the path of a file"):
        FoldPlan.from_csv(3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("row,group\n1,2\n", "no column 'fold'"),
        ("", "no column 'fold'"),
        ("fold\n1\nNA\n2\n", "fold must not be missing"),
        ("row,fold\n1,1\nx,2\n", "whole numbers"),
        ("row,fold\n1,1\n0,2\n3,2\n", "counts rows from 1"),
        ("row,fold,role\n1,1,test\n2,1,trian\n2,2,test\n1,2,train\n", "test or train"),
        ("row,fold\n1\n", "fold must not be missing"),
    ],
)
def test_csv_that_holds_no_folds(text, message, tmp_path):
    (tmp_path / "folds.csv").write_text(text)
    with pytest.raises(FoldError, match=message):
        FoldPlan.from_csv(tmp_path / "folds.csv")


def test_csv_that_is_not_text(tmp_path):
    (tmp_path / "folds.csv").write_bytes("fold\ném\nb\n".encode("latin1"))
    with pytest.raises(FoldError, match="UTF-8"):
        FoldPlan.from_csv(tmp_path / "folds.csv")


@given(st.lists(st.integers(1, 4), min_size=2, max_size=30).filter(lambda x: len(set(x)) > 1))
def test_fold_ids_and_row_lists_both_ways(ids):
    plan = FoldPlan.from_fold_ids(ids)
    levels = sorted(set(ids))
    assert [levels[label - 1] for label in plan.fold_ids] == ids
    again = FoldPlan.from_rows(plan.to_rows(first=1), n=len(ids), first=1)
    assert again.fingerprint == plan.fingerprint
    assert again.kind == plan.kind
    trained = FoldPlan.from_rows([train for train, _ in plan], n=len(ids), holds="train")
    assert trained.fingerprint == plan.fingerprint
    assert FoldPlan.from_splits(list(plan), n=len(ids)).fingerprint == plan.fingerprint


def test_fold_ids_of_any_type():
    words = ["b", "a", "b", "c"]
    expected = [2, 1, 2, 3]
    levels = pd.Categorical(words, categories=["c", "b", "a", "unused"])
    assert FoldPlan.from_fold_ids(words).fold_ids.tolist() == expected
    assert FoldPlan.from_fold_ids(np.array(words)).fold_ids.tolist() == expected
    assert FoldPlan.from_fold_ids(pd.Series(words)).fold_ids.tolist() == expected
    assert FoldPlan.from_fold_ids(levels).fold_ids.tolist() == [2, 3, 2, 1]
    assert FoldPlan.from_fold_ids([10, 9, 10]).fold_ids.tolist() == [2, 1, 2]
    assert FoldPlan.from_fold_ids([True, False]).fold_ids.tolist() == [2, 1]
    pl = pytest.importorskip("polars")
    assert FoldPlan.from_fold_ids(pl.Series(words)).fold_ids.tolist() == expected
    two = np.array([[1, 2], [2, 2], [1, 1]])
    assert FoldPlan.from_fold_ids(two).fold_ids.tolist() == two.tolist()
    assert FoldPlan.from_fold_ids(pd.DataFrame(two)).fold_ids.tolist() == two.tolist()


def test_repetitions_are_found_in_lists():
    plan = PLANS["repeated"]
    again = FoldPlan.from_rows(plan.to_rows(), n=plan.n)
    assert again.times == 4
    assert again.kind == "kfold"
    np.testing.assert_array_equal(again.fold_ids, plan.fold_ids)
    assert FoldPlan.from_rows(PLANS["subsampling"].to_rows(), n=10).times == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: FoldPlan.from_fold_ids([1, 1, 1]), "at least 2 folds"),
        (lambda: FoldPlan.from_fold_ids([]), "no fold ids"),
        (lambda: FoldPlan.from_fold_ids([1, None, 2]), "row 2"),
        (lambda: FoldPlan.from_fold_ids([1, float("nan"), 2]), "must not be missing"),
        (lambda: FoldPlan.from_rows([[1, 2], [3]], n=3), "outside the data"),
        (lambda: FoldPlan.from_rows([[0, 1], [1.5]], n=3), "whole numbers"),
        (lambda: FoldPlan.from_rows([[0, 1], ["a"]], n=3), "whole numbers"),
        (lambda: FoldPlan.from_rows([[0, 1], [2]], n=3, first=2), "0 or 1"),
        (lambda: FoldPlan.from_splits([[0, 1, 2], [2]], n=3), "pairs"),
        (lambda: FoldPlan.from_rows([[0, 0], [1, 2]], n=3), "listed twice"),
        (lambda: FoldPlan.from_rows([[], [1, 2]], n=3), "no test rows"),
        (lambda: FoldPlan.from_rows([[0], [1, 2]], n=3, holds="trian"), "which rows"),
        (lambda: FoldPlan.from_rows(5, n=3), "a list"),
        (lambda: FoldPlan.from_rows([[np.nan], [1, 2]], n=3), "whole numbers"),
        (lambda: FoldPlan.from_rows([[[0, 1], [2]], [1]], n=3), "whole numbers"),
        (lambda: FoldPlan.from_fold_ids(5), "one label per row"),
        (lambda: FoldPlan.from_fold_ids("abab"), "one label per row"),
        (lambda: KFold(2).plan(np.array(5)), "data with rows"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_lists_that_hold_no_folds(call, message):
    with pytest.raises(FoldError, match=message):
        call()


@live_r
def test_r_reads_the_code_and_the_csv(tmp_path):
    for plan in PLANS.values():
        path = (tmp_path / "folds.csv").as_posix()
        plan.to_csv(path)
        values = r_values(
            plan.to_r() + "\nfor (rows in folds) out(rows)\n"
            "if (exists('folds_train')) for (rows in folds_train) out(rows)\n"
            f"d <- read.csv('{path}'); if (is.null(d$role)) d$role <- 'test'\n"
            "out(d$row[d$role == 'test'])"
        )
        np.testing.assert_array_equal(values.pop(), plan.rows + 1)
        for i, rows in enumerate(values[: len(plan)]):
            np.testing.assert_array_equal(rows, plan.test_rows(i) + 1)
        for i, rows in enumerate(values[len(plan) :]):
            np.testing.assert_array_equal(rows, plan.train_rows(i) + 1)
        assert len(values) == len(plan) * (1 if plan.train is None else 2)


@live_r
def test_folds_made_in_r():
    values = r_values(
        "set.seed(1); f <- caret::createFolds(iris$Species, k = 5, returnTrain = TRUE)\n"
        "for (rows in f) out(rows)"
    )
    plan = FoldPlan.from_rows(values, n=150, first=1, holds="train")
    assert plan.kind == "kfold"
    assert plan.check() == ()


def test_fits_are_named_in_r_by_fold_and_by_repeat_where_there_are_several() -> None:
    once = r_code(PLANS["kfold"], "folds")
    assert [f"Fold{i} = " in once for i in (1, 2, 3)] == [True] * 3
    assert "Rep" not in once
    assert "Rep4.Fold3 = " in r_code(PLANS["repeated"], "folds")


def test_code_for_r_is_asked_for_by_its_name():
    plan = KFold(5, random=1).plan(20)
    with pytest.raises(InputError, match="no argument 'style'"):
        plan.to_r(style="course")
    with pytest.raises(FoldError, match="The name of the list") as caught:
        plan.to_r(Path("folds.R"))
    assert "write(plan.to_r" in str(caught.value)
