"""The course's functions on their own terms: splits, the leak, ties, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pycvstat.data import waves
from pycvstat.errors import FoldError, InputError, PycvstatError, PycvstatWarning
from pycvstat.r.lecture import (
    get_optimal_k_by_cv,
    knn_cv_results,
    knn_test_error,
    knn_test_error_by_fold,
    knn_validation_error_by_fold_k,
    train_test_by_fold,
    train_validation_by_fold,
)


@pytest.fixture
def data() -> pd.DataFrame:
    return waves(60, random=5)


def test_splits_are_blocks_in_order(data: pd.DataFrame) -> None:
    split = train_validation_by_fold(data, 2, 7)
    assert split.validation.index.tolist() == list(range(9, 18))
    assert split.train.index.tolist() == [*range(9), *range(18, 60)]
    outer = train_test_by_fold(data, 7, 7)
    assert outer.test.index.tolist() == list(range(54, 60))
    assert len(outer.train_and_val) == 54


def test_overlapping_folds_are_refused_unless_asked_for() -> None:
    ten = pd.DataFrame({"x": range(10), "y": np.arange(10.0)})
    with pytest.raises(FoldError, match="row 10 is tested 2 times"):
        train_validation_by_fold(ten, 1, 6)
    with pytest.raises(FoldError, match="row 10"):
        knn_test_error(ten, 6, 2, "y", [1])
    rows = [
        train_validation_by_fold(ten, fold, 6, as_in_r=True).validation["x"].tolist()
        for fold in range(1, 7)
    ]
    assert rows == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [9]]
    assert knn_test_error(ten, 6, 2, "y", [1], as_in_r=True) > 0


def test_one_split_by_hand(data: pd.DataFrame) -> None:
    train, validation = train_validation_by_fold(data, 3, 6)
    spread = train.drop(columns="y").std()
    near = [
        ((train - row).drop(columns="y") / spread).pow(2).sum(axis=1).nsmallest(4).index
        for _, row in validation.iterrows()
    ]
    predicted = np.array([train.loc[rows, "y"].mean() for rows in near])
    by_hand = np.mean((predicted - validation["y"]) ** 2)
    assert knn_validation_error_by_fold_k(data, 3, 6, "y", 4) == pytest.approx(by_hand, rel=1e-12)


def test_candidates_are_sorted_and_repeated_ones_dropped(data: pd.DataFrame) -> None:
    table = knn_cv_results(data, 5, "y", [7, 3, 3, 1])
    assert table["k"].tolist() == [1, 3, 7]
    alone = knn_cv_results(data, 5, "y", [3])["val_error"][0]
    assert table["val_error"][1] == alone


def test_the_printed_leak_is_warned_about(data: pd.DataFrame) -> None:
    leaking = data.iloc[:45]
    with pytest.warns(PycvstatWarning, match="the estimate leaks") as caught:
        error = knn_test_error_by_fold(data, 1, 4, 3, "y", range(1, 9), tuning_data=leaking)
    assert caught[0].filename == __file__
    k = get_optimal_k_by_cv(leaking, 3, "y", range(1, 9))
    assert error == knn_validation_error_by_fold_k(data, 1, 4, "y", k[0])
    with pytest.warns(PycvstatWarning, match="leaks"):
        assert knn_test_error(data, 4, 3, "y", range(1, 9), tuning_data=leaking) > 0


def test_ties_of_k_are_all_returned_and_said() -> None:
    # two groups far apart with a constant y in each: every small k predicts without error
    x = np.r_[np.arange(20.0), 1000 + np.arange(20.0)]
    order = np.argsort(np.tile(np.arange(20), 2), kind="stable")
    data = pd.DataFrame({"x": x, "y": np.repeat([0.0, 1.0], 20)}).iloc[order]
    assert get_optimal_k_by_cv(data, 4, "y", [1, 2, 3]) == [1, 2, 3]
    with pytest.warns(PycvstatWarning, match=r"k = 1, 2, 3 have the same validation error; k = 1"):
        assert knn_test_error_by_fold(data, 1, 4, 4, "y", [1, 2, 3]) == 0.0


def test_polars_and_odd_names(data: pd.DataFrame) -> None:
    odd = data.rename(columns={"y": "the y", "x1": "x 1"})
    expected = knn_test_error(data, 4, 3, "y", [2, 5])
    assert knn_test_error(odd, 4, 3, "the y", [2, 5]) == expected
    assert knn_test_error(pl.from_pandas(data), 4, 3, "y", [2, 5]) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 5, "z", 3), "not a column"),
        ((0, 5, "y", 3), "from 1 to 5"),
        ((6, 5, "y", 3), "from 1 to 5"),
        ((1.5, 5, "y", 3), "from 1 to 5"),
        ((1, 1, "y", 3), "K must be at least 2"),
        ((1, 5, "y", 0), "at least 1"),
        ((1, 5, "y", 2.5), "whole numbers"),
        ((1, 5, "y", 49), "k=49 with 48 training rows"),
        ((1, 5, ["y"], 3), "not a column"),
        ((1, 5, "y", "3"), "whole numbers"),
    ],
)
def test_bad_arguments(data: pd.DataFrame, arguments: tuple, message: str) -> None:
    with pytest.raises(PycvstatError, match=message):
        knn_validation_error_by_fold_k(data, *arguments)


@pytest.mark.parametrize("folds", [0, -1, 1, "a", 2.5, None, True])
@pytest.mark.parametrize("as_in_r", [False, True])
def test_numbers_of_test_folds_that_mean_nothing(
    data: pd.DataFrame, folds: Any, as_in_r: bool
) -> None:
    with pytest.raises(FoldError, match="K must be"):
        knn_test_error(data, folds, 5, "y", [1], as_in_r=as_in_r)


def test_bad_data(data: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="at least 1"):
        get_optimal_k_by_cv(data, 5, "y", [])
    with pytest.raises(InputError, match="at least 1"):
        get_optimal_k_by_cv(data, 5, "y", [[1], [2, 3]])
    classes = data.assign(y=pd.Categorical(["a", "b"] * 30))
    with pytest.raises(InputError, match="predict a number"):
        get_optimal_k_by_cv(classes, 5, "y", [1])
    gaps = data.assign(x1=[np.nan, *data["x1"][1:]])
    with pytest.raises(InputError):
        get_optimal_k_by_cv(gaps, 5, "y", [1])
