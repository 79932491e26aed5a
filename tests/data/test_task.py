"""Rows, groups and weights of a task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat.data.task import Task
from pycvstat.errors import DataError

DATA = pd.DataFrame(
    {
        "y": [1.0, 2.0, 4.0, 3.0, 5.0, 7.0],
        "x": [1.0, 3.0, 2.0, 5.0, 4.0, 6.0],
        "g": list("aabbcc"),
        "w": [1.0, 2.0, 1.0, 2.0, 1.0, 2.0],
    }
)


def labels(formula: str, data: Any = DATA, **given: Any) -> tuple[str, ...]:
    return Task.build(formula, data, **given).formula.labels


@pytest.mark.parametrize("name", ["groups", "weights"])
def test_the_dot_leaves_out_groups_and_weights_however_they_are_given(name: str) -> None:
    column = {"groups": "g", "weights": "w"}[name]
    rest = tuple(n for n in ("x", "g", "w") if n != column)
    for same in (column, DATA[column], DATA[column].astype("category" if column == "g" else int)):
        assert labels("y ~ .", **{name: same}) == rest
    assert labels("y ~ .", **{name: DATA[column].to_numpy()}) == ("x", "g", "w")
    other = DATA[column][::-1].reset_index(drop=True)
    assert labels("y ~ .", **{name: other}) == ("x", "g", "w")


def test_groups_and_weights_may_be_predictors() -> None:
    assert labels("y ~ x + g", groups="g") == ("x", "g")
    assert labels("y ~ . + w", weights="w") == ("x", "g", "w")
    assert labels("y ~ x * g - g", groups=DATA["g"], weights="w") == ("x", "x:g")


def test_weights_beside_a_column_of_that_name() -> None:
    data = DATA.rename(columns={"w": "weights"})
    assert labels("y ~ .", data, weights=np.ones(6)) == ("x", "g", "weights")


def test_rows_that_miss_what_is_taken_away_are_incomplete() -> None:
    data = DATA.assign(w=DATA["w"].where(DATA.index != 3))
    with pytest.raises(DataError, match=r"w \(only taken away\): 1"):
        Task.build("y ~ . - w", data)
    assert Task.build("y ~ . - w", data, na="omit").rows.tolist() == [0, 1, 2, 4, 5]
    assert Task.build("y ~ x", data).n == 6
