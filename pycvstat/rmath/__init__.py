"""R's arithmetic: its random numbers bit for bit, its sums to the last bit.

May import `errors`. New here: whatever repeats a number that R itself computes.
"""

from pycvstat.rmath.random import RRandom
from pycvstat.rmath.sums import (
    EXTENDED,
    column_sums,
    cumsum,
    mean,
    row_sums,
    sd,
    sum_,
    var,
    which_min_mean,
)

__all__ = [
    "EXTENDED",
    "RRandom",
    "column_sums",
    "cumsum",
    "mean",
    "row_sums",
    "sd",
    "sum_",
    "var",
    "which_min_mean",
]
