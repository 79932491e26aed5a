"""R's draws, sums and printed numbers at their borders: what is drawn, and what is refused."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.rmath import RRandom, arithmetic, loops, sums, tolerances
from pycvstat.rmath.printing import format_numbers, rounded, table, vector
from pycvstat.rmath.random import as_stream, compiled
from pycvstat.rmath.random.draws import BitStream, consecutive
from pycvstat.rmath.random.sampling import revsort
from tests.fingerprints.edges import outcomes

KINDS: tuple[Any, ...] = ("Rejection", "Rounding")
NOT_FINITE = [0.0, -0.0, 0.5, -0.5, 2.0, -2.0, np.inf, -np.inf, np.nan]
RANGES = (
    1, 2, 3, 4, 5, 8, 9, 2**15, 2**15 + 1, 2**16 - 1, 2**16, 2**16 + 1, 2**17 + 1, 2**31 - 1, 2**31,
    2**31 + 1, 2**32 + 1, 2**33, 4_500_000_000_000_000, 4_500_000_000_000_001, 0, -1,
)  # fmt: skip
WEIGHTS: list[Any] = [
    [1, 2, 3], [0, 0, 1], [0, 1, 1], [0, 0, 0], [1, 1, 1], [0.5, -1, 2], [1, np.inf, 1], [1, 2],
    [1, 2, 3, 4], "abc", 5, [[1, 2, 3]], [], [1e-300, 1, 1], [0.25, 0.25, 0.5],
]  # fmt: skip


def draws() -> Iterator[Callable[[], Any]]:
    """Parameters that fit and that do not; what is drawn after shows how much was consumed."""

    def then(draw: Callable[[RRandom], Any]) -> list[Any]:
        rng = RRandom(3)
        return [draw(rng), rng.untouched, rng.runif(1)]

    for seed in (0, 2**31 - 1, 1 - 2**31, 2**31, -(2**31), 1.5, True, 3.0, "1"):
        yield lambda seed=seed: RRandom(seed).runif(1)
    for n in (0, 1, 3, -1, 2.5, 2.0, True):
        for name in ("runif", "rnorm", "rexp", "permutation"):
            yield partial(then, lambda rng, name=name, n=n: getattr(rng, name)(n))
    yield partial(then, lambda rng: rng.runif(1, []))
    pairs: list[Any] = [([0, 1], 2), ([0, 1, 2], [5, 6]), ([], 1), ([[1]], 2), ("a", 1)]
    for a, b in [(a, b) for a in NOT_FINITE for b in NOT_FINITE] + pairs:
        yield partial(then, lambda rng, a=a, b=b: rng.runif(3, a, b))
        yield partial(then, lambda rng, a=a, b=b: rng.rnorm(3, a, b))
    for rate in [*NOT_FINITE, [1, np.inf], [2, 1, 0], [], [1, 2, 3, 4, 5]]:
        yield partial(then, lambda rng, rate=rate: rng.rexp(3, rate))
    for bad in ("1", 1.5, True, None.__class__):
        yield lambda bad=bad: as_stream(bad)


def samples() -> Iterator[Callable[[], Any]]:
    """Of every range about which an index takes other bits, few and all, by every way."""

    def then(make: Any, kind: Any, *given: Any) -> list[Any]:
        rng = make(11, kind)
        return [rng.sample(*given), rng.runif(1)]

    for kind in KINDS:
        for n in RANGES:
            for size in (0, 1, 2, 40):
                yield partial(then, RRandom, kind, n, size)
                yield partial(then, RRandom, kind, n, size, True)
                yield partial(then, compiled.Compiled, kind, n, size)
                yield partial(then, compiled.Compiled, kind, n, size, True)
        for n in (2**9 + 1, 2**16 + 1, 2**31 + 1):  # of which about half the tries are refused
            yield partial(then, RRandom, kind, n, 5000, True)
            yield partial(then, RRandom, kind, 2**16 + 1 + n % 2**10, 5000)
        yield partial(then, RRandom, kind, 10_000_001, 900)
        yield partial(then, RRandom, kind, 10_000_000, 900)
        yield partial(then, RRandom, kind, 2**20, 700)
        yield partial(then, compiled.Compiled, kind, 2**20, 700)
        yield partial(then, compiled.Compiled, kind, 2**20 + 1, 700)
    of: list[Any] = ([], [7], [7, 8], (3.5, 2.5), "abc", {1: 2}, {1}, 2.5, True, [[1]], b"ab")
    for x in of:
        for size in (None, 0, 1, 2, 3, -1, 1.5):
            yield partial(then, RRandom, "Rejection", x, size)
            yield partial(then, RRandom, "Rejection", x, size, True)


def weighted() -> Iterator[Callable[[], Any]]:
    """Weights that fit and that do not; R changes to Walker's aliases above 200 likely values."""

    def then(stream: Any, *given: Any) -> list[Any]:
        return [stream.sample(*given), stream.runif(1)]

    for prob in WEIGHTS:
        for size in (0, 1, 2, 3, None):
            for again in (True, False):
                yield lambda g=(3, size, again, prob): then(RRandom(5), *g)
                yield lambda g=(3, size, again, prob): then(NUMPYS(), *g)
    for likely in (198, 199, 200, 201, 202):
        for few in (1, 2, 3):  # 0.1 of one in n, above which a value is likely
            prob = [10.0] * likely + [float(few)] * (likely // 9)
            for kind in KINDS:
                yield lambda p=prob, k=kind: then(RRandom(5, k), len(p), 20, True, p)
    for n in (201, 2**9 + 1, 2**16 - 1, 2**16, 2**16 + 1):
        for kind in KINDS:
            for many in (30, 3000):
                args = (n, many, True, 1 + np.arange(n) % 7)
                yield lambda k=kind, a=args: then(RRandom(6, k), *a)
    for n in range(1, 12):
        yield lambda n=n: revsort(np.ones(n))
        for several in (2, 3, 99):
            yield lambda n=n, m=several: revsort(np.arange(7 * n, 8 * n) ** 3 % m / 8)


def NUMPYS() -> Any:
    return as_stream(np.random.default_rng(4))


def streams() -> Iterator[Callable[[], Any]]:
    """Outputs looked at, skipped and taken, across what is made at a time; copies; NumPy's."""

    def looked(counts: tuple[int, ...]) -> list[Any]:
        stream, found = BitStream(9), []
        for count in counts:
            seen = stream.peek(count)
            found += [len(seen), seen[-3:], stream.take(count // 2 + 1)[-2:], stream.consumed]
            found += [stream.words()[0], stream.words()[1][:3], copy.deepcopy(stream).uniforms(2)]
        return found

    sizes = (1, 623, 624, 625, 1023, 1024, 1025, 64 * 1024, 64 * 1024 + 1)
    for size in sizes:
        yield partial(looked, (size, 5))
        yield partial(looked, (3, size, size))
    for seed in (0, 1, -1, 2**31 - 1):
        for kind in KINDS:
            yield lambda seed=seed, kind=kind: RRandom(seed, kind).state
    for several in ([2, 9, 1, 3, 9], [1, 1, 1], [1, 1, 2], [5], []):
        for count in range(5):
            yield lambda s=several, c=count: consecutive(np.array(s, dtype=int), c)
    for call in (
        lambda s: s.permutation(5), lambda s: s.runif(3), lambda s: s.runif(2, 1, 4),
        lambda s: s.rnorm(3), lambda s: s.rnorm(2, 1, 4), lambda s: s.rexp(3),
        lambda s: s.rexp(2, 4),
        lambda s: s.sample(5), lambda s: s.sample(5, 9, True), lambda s: s.sample([3, 4], 2),
        lambda s: [str(s.seed), s.untouched, s.sample(5, 2).dtype.kind], lambda s: s.sample(3, 4),
    ):  # fmt: skip
        yield lambda call=call: call(NUMPYS())
    yield lambda: [[each.sample(9), each.sample_kind] for each in compiled.started(4)]


def summed() -> Iterator[Callable[[], Any]]:
    """Sums of none, few and many rows; what is averaged as R's `mean`, and as its `colMeans`."""
    x = np.random.default_rng(2).normal(size=(sums.TOGETHER + 1, 2)) ** 3 + 1e3
    shapes: list[Any] = [[], [0.5], [0.1, 0.7], [[]], [[1.0, 2.0]], 3.0, [[[1.0]]], [1, 2, 4]]
    for values in shapes:
        for axis in (None, 0):
            for statistic in (rmath.sum_, rmath.mean, rmath.var, rmath.sd):
                yield lambda s=statistic, v=values, a=axis: s(v, axis=a)
    for n in (1, 2, sums.TOGETHER - 1, sums.TOGETHER, sums.TOGETHER + 1):
        yield lambda n=n: sums.mean_of(np.array_split(x[:n], 3 if n > 2 else 1), n)
    for sizes in ((1, 2, 3), (99, 100, 101, 102), (150, 1, 150, 1)):
        yield lambda s=sizes: sums.means_between(np.append(0, np.cumsum(s)), x)
    tied = np.array([[1.0, 1.0, 3.0], [3.0, 3.0, 1.0]])
    near = tied + np.array([0, 4e-16, 0])
    for columns in (tied, tied[:, 1:], tied[:, 2:], tied * 5e307, near):
        yield lambda c=columns: rmath.which_min_mean(c)
    yield lambda: rmath.column_sums(x[:9], rmath.column_sums(x[9:20])).astype(float)
    rows = np.arange(24).reshape(4, 6) * 7 % 11
    for y in (x[:11, 0], np.arange(11), x[:40, 0].astype(np.float32)):
        yield lambda y=y: sums.running_means(y, rows, np.array([1, 5, 6]))
    for few in ([0.0], [2.0, 0.0, -1.0, 2.0]):
        yield lambda few=few: [loops.largest(np.array(few)), loops.nonzero(np.array(few))]


def printed() -> Iterator[Callable[[], Any]]:
    """Numbers, vectors, tables and labels of every width and of none."""
    numbers = [0.0, -0.0, 1.0, -1.0, 0.5, 1e5, 123456.0, 1e15, 1e-4, 1e-5, 1.25e-5, 99999.5, 1e16,
               0.1 + 0.2, 1e-3, 2e4, 1 / 3, -2 / 3e9, 12.5, np.inf, -np.inf, 1e-300,
               5e-324]  # fmt: skip
    for number in numbers:
        yield lambda x=number: [arithmetic.as_character(x), arithmetic.as_character(-x)]
        for digits in (1, 2, 7, 15):
            yield lambda x=number, d=digits: format_numbers([x, 2.5], d)
    yield lambda: [format_numbers([np.nan]), format_numbers([]), vector([]), vector([np.nan, 1])]
    for n in (1, 9, 10, 11, 40, 99, 100, 101):
        for width in (1, 7.0, 1234.5678, 1e-12):
            yield lambda n=n, w=width: vector(np.arange(n) * w)
    yield lambda: table({"a": [1.5, 22.0], "b": [1e-8, 3.0], "name": [0, 1]}, ["x", "yy"], 3)
    yield lambda: table({"a": []}, [])
    halves = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.15, 0.25, 0.35, 195.975, 1e-5])
    for decimals in (0, 1, 2, 5):
        yield lambda d=decimals: rounded(halves, d)
    ends: list[list[float]] = [
        [0, 1, 2], [-np.inf, 0, np.inf], [0.0, 1e-13, 1.0], [1, 1 + 1e-14, 2, 3],
        [1.0, 1.0001, 2],
        [0.123456, 0.123457, 1], [0, 1], [-1e6, 1e5], [0.12, 0.57, 3.14], [1, 1 + 1e-11, 2],
        [1, 1 + 1e-12, 2],
    ]  # fmt: skip
    for breaks in ends:
        for right in (True, False):
            for lowest in (True, False):
                form = {"right": right, "lowest": lowest}
                for digits in (0, 1, 2, 3, 4, 13, 15):
                    yield lambda b=breaks, d=digits, f=form: arithmetic.cut_labels(
                        np.array(b), digits=d, **f
                    )
                values = np.array([*breaks, -9.0, 0.5, 9.0, np.nan, np.inf])
                yield lambda b=breaks, v=values, f=form: arithmetic.cut(v, np.array(b), **f)
    x = np.array([3.0, 1.0, 2.0, 2.0, 2.0, 8.0, 5.0])
    for bins in (1, 2, 3, 4, 7):
        yield lambda bins=bins: arithmetic.quantile_codes(x, bins)
    for n in (1, 2, 3, 7):
        yield lambda n=n: arithmetic.quantiles(x[:n], np.array([0, 0.1, 0.25, 0.5, 0.9, 1]))
    signs = np.array([-0.0, 0.0, 3.0, 2.0, -2.0, 1.0, np.inf, -np.inf, np.nan])
    for y in signs:
        yield lambda y=y: _without_warnings(arithmetic.power, signs, y)
        yield lambda y=y: _without_warnings(arithmetic.remainder, signs[:6], y)
    yield lambda: _without_warnings(arithmetic.by_c(math.log1p, np.log1p), signs)
    found = [one for one in vars(tolerances).values() if isinstance(one, tolerances.Tolerance)]
    for one in found:
        yield lambda one=one: [
            [each.relative, each.of_largest] for each in (one, one.of_the_largest())
        ]


def _without_warnings(function: Callable[..., Any], *given: Any) -> Any:
    with np.errstate(all="ignore"):
        return function(*map(np.asarray, given))


CALLS: dict[str, Callable[[], Any]] = {
    "edges: draws": outcomes(draws),
    "edges: samples": outcomes(samples),
    "edges: weights": outcomes(weighted),
    "edges: streams": outcomes(streams),
    "edges: sums": outcomes(summed),
    "edges: how R prints": outcomes(printed),
}
