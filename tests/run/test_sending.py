"""Work is packed once and mapped by every worker."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from pycvstat.run.workers import ALIGNMENT, Aligned, pack, unpack

arrays = hnp.arrays(
    st.sampled_from([np.float64, np.int32, np.bool_, "U3"]),
    hnp.array_shapes(min_dims=0, max_dims=2, min_side=0),
)


@given(st.lists(arrays, max_size=4))
def test_arrays_come_back(tmp_path_factory: pytest.TempPathFactory, values: list[object]) -> None:
    path = tmp_path_factory.mktemp("packed")
    pack({"values": values, "f": lambda x: x + 1}, path)
    back = unpack(path)
    for a, b in zip(values, back["values"], strict=True):
        np.testing.assert_array_equal(a, b)
        assert b.ctypes.data % ALIGNMENT == 0 or b.nbytes == 0
    assert back["f"](1) == 2


def test_two_readers_do_not_see_each_others_changes(tmp_path: Path) -> None:
    pack(np.zeros(1000), tmp_path)
    one, two = unpack(tmp_path), unpack(tmp_path)
    one[:] = 1
    assert not two.any()
    assert not unpack(tmp_path).any()


@given(st.lists(arrays, max_size=4), st.integers(2, 5))
def test_any_pickle_protocol(values: list[object], protocol: int) -> None:
    back = pickle.loads(pickle.dumps(Aligned(values), protocol=protocol)).value
    for a, b in zip(values, back, strict=True):
        np.testing.assert_array_equal(a, b)
