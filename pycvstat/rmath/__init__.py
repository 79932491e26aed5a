"""R's arithmetic: its random numbers bit for bit, its sums to the last bit.

May import `errors` only. New code that repeats a number of R's own goes here.
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
