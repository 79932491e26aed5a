"""Strata: rows of classes too small for folds of their own are spread by R's draws."""

import warnings

import numpy as np
import pytest

from pycvstat.data.frame import read_y
from pycvstat.folds import RFolds
from pycvstat.folds.strata import rsample_strata
from pycvstat.rmath.random import RRandom, as_stream

LABELS = ["a"] * 12 + ["b"] * 12 + ["c"]  # one row in 25 is less than a tenth


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_small_class_goes_where_sample_says(seed: int) -> None:
    """As in R: rsample::make_strata(x, pool = 0.1), which draws sample(strata, replace = TRUE)."""
    strata = rsample_strata(read_y(LABELS), integers=False, collation="C", stream=as_stream(seed))
    drawn = int(RRandom(seed).sample(2, 1, replace=True)[0]) - 1
    expected = [np.arange(12).tolist(), np.arange(12, 24).tolist()]
    expected[drawn].append(24)
    assert [part.tolist() for part in strata] == expected


def test_numbers_are_sorted_as_r_writes_them() -> None:
    """As in R: as.character(1e5) is "1e+05", and of the integer 100000L it is "100000"."""
    values = read_y([1e5] * 10 + [15.0] * 10)
    first = [
        rsample_strata(values, integers=integers, collation="C", stream=as_stream(1))[0]
        for integers in (False, True)
    ]
    assert [rows.tolist() for rows in first] == [[*range(10, 20)], [*range(10)]]


@pytest.mark.parametrize("others", [9, 10])
def test_strata_below_a_tenth_are_risky(others: int) -> None:
    """As in R: make_strata(x, pool = 0.05) warns below 0.1, not at it."""
    small = read_y(["a"] * (100 - others) + ["b"] * others)
    given = {"integers": False, "collation": "C", "stream": as_stream(1), "pool": 0.05}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert len(rsample_strata(small, **given)) == 2  # type: ignore[arg-type]
    assert [str(one.message) for one in said] == [
        "Strata of 5% of the data may be statistically risky."
    ] * (others == 9)


@pytest.mark.parametrize(("dialect", "strata"), [("caret", False), ("rsample", True)])
@pytest.mark.parametrize("values", [[-1.0, 0.0, 1.0], [-2.0, -1.0, 0.0, 1.0, 2.0]])
def test_both_zeros_are_one_label(dialect: str, strata: bool, values: list[float]) -> None:
    """As in R, where cut() and as.character() write -0 as 0."""
    y = np.array(values)[RRandom(3).sample(len(values), 120, replace=True) - 1]
    minus = np.where(y == 0, -0.0, y)
    folds = RFolds(dialect, 5, seed=1, strata=strata)  # type: ignore[arg-type]
    fold_ids = folds.plan(120, y=minus).fold_ids
    np.testing.assert_array_equal(fold_ids, folds.plan(120, y=y).fold_ids)
