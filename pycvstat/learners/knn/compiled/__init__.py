"""The compiled loops of the neighbour search. Imported only when neighbours are searched.

Every loop adds the terms ``weight * |a - b|^p`` in column order and does nothing else to them, so
a distance has the same bits wherever it is computed, and the same bits as kknn's.

numba keeps the machine code in its cache and looks only at the file of the function called: after
a change here, delete ``compiled/__pycache__``.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

loop: Any = numba.njit(cache=True, error_model="numpy")
inlined: Any = numba.njit(cache=True, error_model="numpy", forceinline=True)

u: Any = np.uint64

WIDTH = 64  # rows of a block: whole SIMD registers, and a block of 50 columns fits the L1 cache

UNREACHED = 1.0e300
"""kknn's sum for a place that no row has reached."""
