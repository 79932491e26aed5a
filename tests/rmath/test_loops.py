"""The small compiled loops give what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

from pycvstat.rmath import loops


@pytest.mark.parametrize("values", [[2.0], [3.0, -1.0, 3.0, 0.0], [0.0, 2.0, 1.0, -5.0, 9.0, 2.0]])
def test_of_a_few_numbers(values: list[float]) -> None:
    few, into = np.array(values), np.empty(len(values))
    assert loops.largest(few) == few.max()
    assert loops.nonzero(few) == np.count_nonzero(few)
    assert np.array_equal(loops.in_order(few), np.sort(few))
    assert np.array_equal(few, values)
    loops.put(into, few)
    assert np.array_equal(into, few)
