"""R's sums: bits of R, and the exact sums they stand for."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pycvstat import rmath
from pycvstat.errors import InputError
from pycvstat.rmath import sums
from tests.rscript import live_r, r_values
from tests.tied import tied_columns

STATISTICS: dict[str, Callable[..., Any]] = {
    "sum": rmath.sum_,
    "mean": rmath.mean,
    "var": rmath.var,
    "sd": rmath.sd,
}
extended = pytest.mark.skipif(
    not rmath.EXTENDED, reason="R's bits need a long double of 64 bits: run it on x86-64 Linux"
)
numbers = st.floats(-1e9, 1e9, allow_subnormal=False)

# R 4.2.2 on x86-64: n, divisor, shift; sum, mean, var and sd of (1:n * 37) %% 101 / divisor + shift
RECORDED = [
    (5, 7, 0, "0x1.2p+5 0x1.ccccccccccccdp+2 "
     "0x1.1e771e4d528cp+4 0x1.0ecdf8b0deaacp+2"),
    (50, 3, 0.1, "0x1.a8aaaaaaaaaabp+9 0x1.0fc962fc962fdp+4 "
     "0x1.79e129f55d81dp+6 0x1.3706a702ed3cep+3"),
    (999, 7, 10000, "0x1.3116b09249249p+23 0x1.38b93624ae669p+13 "
     "0x1.15c2de30d4947p+4 0x1.0aa8a141d2197p+2"),
    (1000, 3e5, 7, "0x1.b582ab4475334p+12 0x1.c002bbaa73eacp+2 "
     "0x1.44871c186c507p-27 0x1.97a0065717265p-14"),
    (4000, 0.07, -1, "0x1.5c61449249249p+21 0x1.64bdb6db6db6dp+9 "
     "0x1.52d1b607a3333p+17 0x1.a080f9903bf65p+8"),
    # without the correction these means are an ulp off
    (1331, 7, 0.1, "0x1.2d2315f15f15fp+13 0x1.cf5b7de47d891p+2 "
     "0x1.155d327ac1867p+4 0x1.0a77cf1d23113p+2"),
    (2917, 3e5, 0.1, "0x1.242fab3d77a17p+8 0x1.9a4860860db2ep-4 "
     "0x1.446720fa54e05p-27 0x1.978bf01b0f769p-14"),
    (3832, 3, -1, "0x1.d524aaaaaaaabp+15 0x1.f576d348dce7ap+3 "
     "0x1.79c548473fd09p+6 0x1.36fb2d59b8178p+3"),
]  # fmt: skip


def vector(n: int, divisor: float, shift: float) -> np.ndarray[Any, Any]:
    return (np.arange(1, n + 1) * 37) % 101 / divisor + shift


@extended
@pytest.mark.parametrize(("n", "divisor", "shift", "bits"), RECORDED)
def test_recorded_bits(n: int, divisor: float, shift: float, bits: str) -> None:
    x = vector(n, divisor, shift)
    ours = [statistic(x) for statistic in STATISTICS.values()]
    assert ours == [float.fromhex(value) for value in bits.split()]


@given(st.lists(numbers, min_size=2, max_size=60))
def test_within_an_ulp_of_the_exact_value(x: list[float]) -> None:
    exact = [Fraction(v) for v in x]
    mean = sum(exact) / len(x)
    largest = max(abs(v) for v in x)
    assert rmath.sum_(x) == pytest.approx(float(sum(exact)), rel=3e-16, abs=1e-18 * largest)
    assert rmath.mean(x) == pytest.approx(float(mean), rel=3e-16, abs=1e-18 * largest)


@given(st.lists(numbers, min_size=2, max_size=40))
def test_variance_about_the_mean(x: list[float]) -> None:
    exact = [Fraction(v) for v in x]
    mean = sum(exact) / len(x)
    variance = float(sum((v - mean) ** 2 for v in exact) / (len(x) - 1))
    slack = (1e-16 * max(abs(v) for v in x)) ** 2  # the mean is rounded to a double
    assert rmath.var(x) == pytest.approx(variance, rel=1e-15, abs=slack)
    assert rmath.sd(x) == np.sqrt(rmath.var(x))


@pytest.mark.parametrize("name", STATISTICS)
def test_columns_are_vectors(name: str) -> None:
    x = np.random.default_rng(1).normal(size=(57, 5)) ** 3
    statistic = STATISTICS[name]
    assert statistic(x, axis=0).tolist() == [statistic(column) for column in x.T]
    assert statistic(np.asfortranarray(x), axis=0).tolist() == statistic(x, axis=0).tolist()


@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 7), (2, 3), (57, 1), (300, 2000), (16_385, 2), (0, 3), (3, 0)]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_means_of_many_columns_are_those_of_each(shape: tuple[int, int], order: Any) -> None:
    x = np.asarray(np.random.default_rng(1).normal(size=shape) ** 3, order=order)
    kept = x.copy()
    found = rmath.mean(x, axis=0)
    np.testing.assert_array_equal(found, [rmath.mean(column) for column in x.T])
    np.testing.assert_array_equal(x, kept)


def test_column_sums_go_on_where_they_stopped() -> None:
    x = np.random.default_rng(1).normal(size=(40_000, 3)) ** 3
    total = None
    for part in np.split(x, [1, 1500, 24_000]):
        total = rmath.column_sums(part, total)
    np.testing.assert_array_equal(total, rmath.column_sums(x))
    expected = [rmath.sum_(column) for column in x.T]
    np.testing.assert_array_equal(rmath.column_sums(x).astype(float), expected)


def test_means_beside_values_that_are_not_finite() -> None:
    x = np.array([[1.0, np.inf, np.nan, -np.inf, 1e308], [2.0, 1.0, 1.0, np.inf, 1.6e308]])
    np.testing.assert_array_equal(rmath.mean(x, axis=0), [1.5, np.inf, np.nan, np.nan, 1.3e308])


def test_the_smallest_mean_is_that_of_r() -> None:
    tied = tied_columns(30)
    assert np.argmin(tied.mean(axis=0)) == 1
    assert rmath.which_min_mean(tied) == 0
    assert rmath.which_min_mean(tied[:, ::-1]) == 0
    assert rmath.which_min_mean(np.column_stack([tied, tied[:, 0] - 1e-9])) == 2
    assert rmath.which_min_mean(np.full((3, 2), 1.7e308) * [1.0, 0.9]) == 1


@given(st.lists(st.lists(st.sampled_from([0.1, 0.2, 0.3, 1e9]), min_size=4, max_size=4),
                min_size=1, max_size=30))  # fmt: skip
def test_the_smallest_mean_is_the_first_of_equals(rows: list[list[float]]) -> None:
    assert rmath.which_min_mean(rows) == np.argmin(rmath.mean(rows, axis=0))


def test_the_input_stays_as_it_is() -> None:
    x = np.arange(5, dtype=np.longdouble)
    rmath.var(x)
    assert x.tolist() == [0, 1, 2, 3, 4]


@extended
def test_extended_precision() -> None:
    assert rmath.sum_([1e18, 1.0, -1e18]) == 1.0
    assert 1e18 + 1.0 - 1e18 == 0.0
    assert rmath.cumsum([[1e18, 1.0, -1e18]])[0, -1] == 1.0
    assert rmath.row_sums([[1e18, 1.0, -1e18]]).tolist() == [1.0]


def test_sequential_not_pairwise() -> None:
    x = np.random.default_rng(3).normal(size=20_000) * 1e8
    total = np.longdouble(0)
    for value in x:
        total += np.longdouble(value)
    assert rmath.sum_(x) == float(total)
    assert rmath.row_sums(x[None]).tolist() == [float(total)]
    assert rmath.cumsum(x)[-1] == float(total)


def test_few_values() -> None:
    assert np.isnan(rmath.mean([]))
    assert np.isnan(rmath.var([1.0]))
    assert rmath.sum_([]) == 0.0
    assert rmath.var([0.1] * 80) == 0.0
    assert np.isinf(rmath.mean([1.0, np.inf]))


@pytest.mark.parametrize(("x", "axis"), [([[1.0]], None), ([1.0], 0), (1.0, None)])
def test_shapes_that_mean_nothing(x: Any, axis: Any) -> None:
    with pytest.raises(InputError, match="dimensions"):
        rmath.mean(x, axis=axis)


@pytest.mark.parametrize(("n", "count"), [(50_000, 6), (16_384, 6), (40, 20_000), (1, 40_000)])
def test_few_values_are_long_doubles_at_a_time(n: int, count: int) -> None:
    x, found = np.ones((n, count)), 16 * count
    tracemalloc.start()
    rmath.column_sums(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < found + 2.2 * 16 * 16_384  # two blocks: one is made before the last is left


def test_parts_of_up_to_100_rows_are_averaged_with_those_of_their_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shapes, own = [], sums.mean_of

    def noted(pieces: Any, n: int) -> Any:
        shapes.append([piece.shape for piece in pieces])
        return own(pieces, n)

    monkeypatch.setattr(sums, "mean_of", noted)
    sizes = [100, 101, 3, 102, 100, 100, 3]
    losses = np.random.default_rng(1).normal(size=(sum(sizes), 2))
    offsets = np.append(0, np.cumsum(sizes))
    found = sums.means_between(offsets, losses)
    assert shapes == [[(101, 2)], [(102, 2)], [(3, 4)], [(100, 6)]]
    parts = np.split(losses, offsets[1:-1])
    np.testing.assert_array_equal(found, [rmath.mean(part, axis=0) for part in parts])


@live_r
@extended
def test_bits_of_r() -> None:
    shapes = [(n, d, shift) for n in (2, 17, 999) for d in (3e5, 7, 0.07) for shift in (0, 1e4)]
    code = "for (x in X) out(c(sum(x), mean(x), var(x), sd(x), var(x / sd(x)), cumsum(x)))"
    made = "".join(
        f"c({', '.join(float(v).hex() for v in vector(*shape))})," for shape in shapes
    ).rstrip(",")
    values = r_values(f"X <- list({made})\n{code}")
    for shape, expected in zip(shapes, values, strict=True):
        x = vector(*shape)
        ours = [statistic(x) for statistic in STATISTICS.values()]
        ours += [rmath.var(x / rmath.sd(x)), *rmath.cumsum(x)]
        np.testing.assert_array_equal(ours, expected, str(shape))


@live_r
@extended
def test_row_sums_of_r() -> None:
    x = np.random.default_rng(2).normal(size=(30, 40)) ** 5
    rows = ", ".join(float(v).hex() for v in x.ravel())
    (expected,) = r_values(f"out(rowSums(matrix(c({rows}), 30, byrow = TRUE)))")
    np.testing.assert_array_equal(rmath.row_sums(x), expected)
