"""R's draws and sums: how much is made, looked at and held at a time, and rare numbers."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import product
from typing import Any
from unittest import mock

import numpy as np

from pycvstat import rmath
from pycvstat.rmath import RRandom, arithmetic, sums
from pycvstat.rmath.printing import format_numbers, table
from pycvstat.rmath.random import compiled, draws, generator
from pycvstat.rmath.random.sampling import revsort
from tests.fingerprints.edges import outcomes
from tests.rmath.random import test_work as work

Call = Callable[[], Any]


def of_draws() -> Iterator[Call]:
    """Counts of outputs and of ways; draws from uniforms that are rare."""
    for draw, _ in work.LOOKED.values():
        yield partial(work.looked, draw)
    for kind, n, count in product(("Rejection", "Rounding"), (3, 400, 2**17 + 1), (1, 60, 300)):
        for again in (True, False):
            yield partial(work.looked, lambda _, k=kind, n=n, c=count, a=again: (
                RRandom(2, k).sample(n, min(c, n), a)))  # fmt: skip
    for n in (1, 2, 20, 5000):
        yield partial(work.looked, lambda r, n=n: [r.rexp(n), r.rnorm(n), r.runif(n)])
        yield partial(work.looked, lambda r, n=n: r.sample(300, n, True, range(300, 600)))
    for counts in work.MADE:
        yield partial(work.made, [*counts])
    yield work.shared
    for then in work.GOES_ON.values():
        yield lambda t=then: work.held(t) < 100_000
    for n, count in product((99, 100, 101, 1599, 1600, 1601), (1, 6, 7, 100)):
        yield partial(work.laid_out, n, min(n, count))
    yield work.ways
    yield work.greatest_seed
    for draw in work.AGAIN.values():
        yield partial(work.in_small_steps, draw)
        yield lambda d=draw: work.looked(lambda _: work.in_small_steps(d))
    for n, count in product((20, 21, 22), (2, 6, 7, 10, 11, 12)):
        yield partial(_hashed, n, count)
    bits = np.array([0, 1, 2, 3, 2**31, 2**31 - 1, 2**32 - 1, 2**32 - 2], dtype=np.uint64)
    yield lambda: draws.as_uniforms(bits)
    powers = draws.as_uniforms(np.array([0, *(2**k for k in range(32))] * 2, dtype=np.uint64))
    for count in (1, 2, 3, 30):
        for start in range(0, 40, 3):
            yield lambda s=start, c=count: draws._draws(powers[s:], c)
    close = [0.075, 0.925, 0.5, float(np.exp(-25)), 2.0**-33, 1 - 2.0**-52]
    around = [f(x) for x in close for f in (float, _above, _below)]
    yield lambda: draws.quantiles(np.array(around))
    for likely, rest, kind in product((199, 200, 201), (0, 1, 30), ("Rejection", "Rounding")):
        prob = [1.0] * likely + [1e-4] * rest
        yield lambda p=prob, k=kind: RRandom(4, k).sample(len(p), 9, True, p)
    for n, ties in product((2, 3, 5, 8, 13, 30), (2, 3, 4)):
        values = np.arange(n) * 7 % 5 % ties / 8.0
        yield lambda v=values: revsort(v)
        yield lambda v=values + 0.25: [
            (rng := RRandom(8)).sample(len(v), len(v), prob=v),
            rng.sample(len(v), 2 * len(v), True, v),
            rng.runif(1),
        ]


def _above(x: float) -> float:
    return float(np.nextafter(x, 1))


def _below(x: float) -> float:
    return float(np.nextafter(x, 0))


def _hashed(n: int, count: int) -> Any:
    with mock.patch.object(generator, "_HASHED_ABOVE", 20):
        return [RRandom(3).sample(n, count), compiled.Compiled(3).sample(n, count)]


def of_sums() -> Iterator[Call]:
    """Parts that are averaged together, bytes that are held, columns that rounding confuses."""
    losses = np.random.default_rng(3).normal(size=(700, 3)) ** 3
    for sizes in ([100, 101, 3, 102, 100, 3], [99, 100], [101, 101], [1, 1, 2, 1], [1]):
        yield partial(_averaged, np.append(0, np.cumsum(sizes)), losses)
    for n, count in ((50_000, 6), (40, 20_000), (1, 40_000), (0, 40_000)):
        yield partial(_few_are_held, n, count)
    for scale, n in product((1.0, 1e-8, 1e300), (2, 3, 30)):
        columns = np.sort(losses[:n], axis=0)[:, [0, 0, 1]] * scale
        columns[:, 1] = columns[::-1, 0]
        for step in (0.0, 1.0, 2.0, 4.0, 8.0, 16.0):
            near = columns + np.array([step, 0, 0]) * np.spacing(columns[0, 0])
            yield lambda x=near: rmath.which_min_mean(x)
            yield lambda x=near: rmath.which_min_mean(x[:, ::-1])
    for rows in (0, 1, 2, 3):
        for statistic in (rmath.mean, rmath.var, rmath.sum_, rmath.sd):
            yield lambda s=statistic, r=rows: s(losses[:r], axis=0)
            yield lambda s=statistic, r=rows: s(np.arange(2 * r).reshape(r, 2) % 3, axis=0)
    for x in (losses[:5], losses[:4, 0], losses[:4].reshape(2, 2, 3)):
        yield lambda x=x: rmath.cumsum(x)
    y, places = losses[:9, 0], np.arange(12).reshape(2, 6) % 9
    with_others = (y.astype(np.float32), y > 0, np.arange(9), y[::-1])
    for one, ks in product((y, *with_others), ([1], [6], [3, 1, 6], [2, 2])):
        yield lambda y=one, k=ks: sums.running_means(y, places, np.array(k))


def _averaged(offsets: Any, losses: Any) -> list[Any]:
    with mock.patch.object(sums, "mean_of", wraps=sums.mean_of) as noted:
        found = sums.means_between(offsets, losses)
    return [found, [[piece.shape for piece in call.args[0]] for call in noted.call_args_list]]


def _few_are_held(n: int, count: int) -> bool:
    x = np.ones((n, count))
    tracemalloc.start()
    rmath.column_sums(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak < 16 * count + 2.2 * 16 * sums.TOGETHER


def compiled_sums() -> list[Any]:
    """By the compiled loops, which are taken once loaded: one to seven columns of any numbers."""
    if rmath.EXTENDED:
        import_module("pycvstat.rmath.extended")
    found: list[Any] = []
    x = np.random.default_rng(6).normal(size=(40, 7)) ** 5 * 10.0 ** np.arange(-3, 4) + 1e3
    x[3, 1], x[5, 4], x[6, 5], x[[7, 8], 6] = np.nan, np.inf, 1e308, 1.7e308
    with np.errstate(all="ignore"):
        for n, count in product((2, 3, 4, 7, 9, 40), range(1, 8)):
            for part in (x[:n, :count], x[:n, -count:], np.asfortranarray(x[-n:, :count])):
                found += [rmath.mean(part, axis=0), rmath.var(part, axis=0)]
        rows = np.arange(60).reshape(5, 12) * 7 % 40
        for y, ks in product(x.T, ([1], [12], [3, 1, 12], [2, 2, 5])):
            found.append(sums.running_means(y, rows, np.array(ks)))
    return [np.where(np.isnan(one), np.nan, one) for one in found]  # any NaN


def of_numbers() -> Iterator[Call]:
    """Numbers of no finite value or of other signs beside others, in forms and intervals."""
    some = [np.inf, -np.inf, np.nan, 0.5, -0.5, 1.0, -1.0, 0.0]
    for one, two in product(some, some):
        yield lambda a=one, b=two: format_numbers([a, b])
        yield lambda a=one, b=two: table({"x": [a, 10.0], "yy": [b, -3.5]}, ["r", "s"])
    for value in (np.inf, -np.inf):
        yield lambda v=value: arithmetic.as_character(v)
    for breaks in ([-np.inf, -1.0, 1.0, np.inf], [-2.0, -1.0], [0.5, np.inf]):
        for digits, right in product((0, 1, 3, 12, 14), (True, False)):
            yield lambda b=breaks, d=digits, r=right: arithmetic.cut_labels(
                np.array(b), right=r, lowest=r, digits=d
            )


CALLS: dict[str, Call] = {
    "edges: work of draws": outcomes(of_draws),
    "edges: work of sums": outcomes(of_sums),
    "edges: compiled sums": compiled_sums,
    "edges: numbers beyond all": outcomes(of_numbers),
}
