"""Two ways to R's sums: long doubles of NumPy, and compiled loops with 80-bit numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

from pycvstat import rmath
from pycvstat.rmath import sums
from tests.rmath.test_sums import RECORDED, vector

if not rmath.EXTENDED:
    pytest.skip("the compiler's 80-bit numbers are those of x86-64", allow_module_level=True)

from pycvstat.rmath import extended

loaded = sums.compiled
shapes = st.tuples(st.integers(2, 40), st.integers(1, 7))  # three columns go together
matrices = arrays.arrays(np.float64, shapes, elements=st.floats(width=64))


@pytest.fixture(scope="module", autouse=True)
def by_numpy() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "compiled", lambda: None)
        yield


def same(found: Any, expected: Any) -> bool:
    """To the bit, the sign of zeros included; which NaN it is does not count."""
    number = ~np.isnan(expected)
    bits = np.asarray(found)[number].tobytes() == np.asarray(expected)[number].tobytes()
    return bits and bool(np.isnan(found)[~number].all())


@given(x=matrices, turned=st.booleans())
def test_means_and_variances_have_the_same_bits(x: Any, turned: bool) -> None:
    x = np.asfortranarray(x) if turned else x
    with np.errstate(all="ignore"):
        assert same(extended.means(x), rmath.mean(x, axis=0))
        assert same(extended.variances(x), rmath.var(x, axis=0))


@given(
    y=arrays.arrays(np.float64, 20, elements=st.floats(width=64)),
    rows=arrays.arrays(np.int64, (5, 12), elements=st.integers(0, 19)),
    ks=st.lists(st.integers(1, 12), min_size=1),
)
def test_running_means_have_the_same_bits(y: Any, rows: Any, ks: list[int]) -> None:
    sizes = np.array(ks)
    with np.errstate(all="ignore"):
        assert same(extended.running_means(y, rows, sizes), sums.running_means(y, rows, sizes))


@pytest.mark.parametrize(("n", "divisor", "shift", "bits"), RECORDED)
def test_recorded_bits(n: int, divisor: float, shift: float, bits: str) -> None:
    x = vector(n, divisor, shift)[:, None]
    expected = [float.fromhex(value) for value in bits.split()]
    assert [extended.means(x)[0], extended.variances(x)[0]] == expected[1:3]


def test_sums_are_taken_by_the_loops_once_they_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "compiled", lambda: extended)
    monkeypatch.setattr(extended, "means", lambda x: np.full(x.shape[1], 7.0))
    assert rmath.mean([1.0, 2.0]) == 7.0


def test_loops_that_another_thread_is_loading_are_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert loaded() is extended
    monkeypatch.setitem(sys.modules, extended.__name__, ModuleType(extended.__name__))
    assert loaded() is None
