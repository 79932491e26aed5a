"""Columns of new rows that have names are taken by them, whichever function asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import pycvstat as pcv
from pycvstat.errors import DataError

CARS = pcv.data.mtcars()
NAMES = ["wt", "hp"]
TAKERS: dict[str, Callable[[Any, Any], Any]] = {
    "class_": lambda train, test: pcv.r.class_.knn(train, test, CARS["cyl"], k=3).astype(int),
    "FNN": lambda train, test: pcv.r.FNN.knn_reg(train, test, CARS["mpg"], k=3).pred,
    "glmnet": lambda train, test: pcv.r.glmnet.glmnet(train, CARS["mpg"]).predict(test, s=0.1),
}


def agree(found: Any, other: Any) -> None:
    """Equal to the rounding of a matrix product, whose rows may lie otherwise in memory."""
    np.testing.assert_allclose(np.asarray(found), np.asarray(other), rtol=1e-12)


@pytest.mark.parametrize("name", TAKERS)
def test_named_columns_are_taken_by_their_names(name: str) -> None:
    taken, known = TAKERS[name], CARS[NAMES]
    pcv.r.set_seed(1)
    as_they_are = np.asarray(taken(known, known))
    turned = CARS[NAMES[::-1]]
    for test in (turned, turned.to_dict("list"), pl.from_pandas(turned), known.to_numpy()):
        pcv.r.set_seed(1)
        agree(taken(known, test), as_they_are)
    with pytest.raises(DataError, match="has other columns"):
        taken(known, CARS[["wt", "disp"]])
    other_names = known.set_axis(["a", "b"], axis=1)  # by their places, as in R
    pcv.r.set_seed(1)
    agree(taken(known, other_names), as_they_are)
