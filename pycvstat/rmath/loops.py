"""Small compiled loops.

numba compiles for seconds what NumPy's notation can say of wrong shapes, axes and NaN; these say
nothing, and are compiled at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

int64: Any = np.int64
"""``int64(0)`` is a number to numba; of 0 it compiles what it is given to once more than needed."""


@njit(cache=True)
def put(into: Any, values: Any) -> None:
    """``into[:] = values``."""
    for i in range(len(values)):
        into[i] = values[i]


@njit(cache=True)
def largest(values: Any) -> Any:
    """``values.max()``."""
    found = values[0]
    for value in values:
        found = max(found, value)
    return found


@njit(cache=True)
def nonzero(values: Any) -> int:
    """``np.count_nonzero(values)``."""
    count = 0
    for value in values:
        count += value != 0.0
    return count


@njit(cache=True)
def in_order(values: Any) -> Any:
    """``np.sort(values)``, of few."""
    found = values.copy()
    for i in range(1, len(found)):
        value, j = found[i], i
        while j > 0 and found[j - 1] > value:
            found[j] = found[j - 1]
            j -= 1
        found[j] = value
    return found
