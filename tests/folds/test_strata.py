"""Strata: rows of classes too small for folds of their own are spread by R's draws."""

import numpy as np
import pytest

from pycvstat.data.frame import read_y
from pycvstat.folds.rstrata import rsample_strata
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
