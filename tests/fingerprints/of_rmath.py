"""What R computes of numbers alone: the calls that live R confirms, kept where there is no R."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pycvstat.rmath import cumsum, mean, row_sums, sd, sum_, var
from pycvstat.rmath.arithmetic import by_c, cut, cut_labels, power, quantiles, remainder
from pycvstat.rmath.printing import rounded, table, vector
from pycvstat.rmath.random import RRandom
from pycvstat.rmath.random.draws import quantiles as normal_quantiles
from tests.rmath.random.test_live import mixture
from tests.rmath.test_arithmetic import EXTREMES
from tests.rmath.test_printing import NUMBERS
from tests.rmath.test_sums import RECORDED, vector as summed

X = np.concatenate(
    [np.random.default_rng(1).normal(size=200) * 9, np.arange(-20, 20) / 8, EXTREMES]
)
WIDE = 10.0 ** np.arange(-30, 31, 3)
BREAKS = [-8.0, -1.5, 0.0, 1 / 3, 2.25, 8.0]
ENDS = [{"right": right, "lowest": lowest} for right in (True, False) for lowest in (True, False)]


def _mixtures(kind: str) -> Callable[[], Any]:
    return lambda: [mixture(RRandom(seed, kind)) for seed in (1, 2, -7, 2**31 - 1, 20_260)]  # type: ignore[arg-type, no-untyped-call]


def _dealt(kind: str) -> Callable[[], Any]:
    """Few and many of small and large decks: one algorithm each."""

    def call() -> list[Any]:
        rng = RRandom(5, kind)  # type: ignore[arg-type]
        sizes = ((n, m) for n in (1, 2, 17, 300, 70_000) for m in {1, n // 2 or 1, min(n, 900)})
        return [[rng.sample(n, m), rng.sample(n, m, replace=True)] for n, m in sizes]

    return call


def _by_weight() -> list[Any]:
    rng = RRandom(8)
    drawn = []
    for n in (2, 3, 5, 16, 17, 199, 200, 201, 700):
        p = rng.sample(3, n, replace=True) * np.where(np.arange(n) % 7 == 3, 1e-3, 1.0)
        drawn += [rng.sample(n, prob=p), rng.sample(n, 2 * n, replace=True, prob=p)]
    return [*drawn, rng.runif(1)]


def _tails() -> Any:
    p = np.concatenate([10.0 ** -np.arange(1, 299, 3), np.exp(-(np.arange(4.8, 5.2, 0.01) ** 2)),
                        np.arange(1, 400) / 400])  # fmt: skip
    return [normal_quantiles(p), normal_quantiles(1 - p[p > 1e-12])]


def _arithmetic() -> list[Any]:
    with np.errstate(all="ignore"):
        powers = [power(X, np.array(e)) for e in (2.0, 3.0, -1.0, 0.5, 0.0, np.nan)]
        kept = X[np.abs(X) < 1e10]
        divisors = (0.1, -2.5, 1e-3, 3.0, 0.0, np.inf, 1e15, 2.0**52, 2.0**53, 1e300)
        left = [remainder(kept, np.array(d)) for d in divisors]
        of_c = [by_c(math.exp, np.exp)(X), by_c(math.log, np.log)(np.append(X, np.nan))]
        return [powers, left, of_c]


def _places() -> list[Any]:
    breaks = np.array(BREAKS)
    values = np.concatenate([breaks, X, [np.nan]])
    codes = [cut(values, breaks, **ends) for ends in ENDS]
    close = [breaks, breaks * 1e6, np.array([1.0, 1.0001, 1.00012, 3.0]), np.array([-0.0, 1e-5])]
    labels = [cut_labels(some, **ends) for some in close for ends in ENDS]
    return [codes, labels, [quantiles(X[:n], np.linspace(0, 1, 9)) for n in (1, 2, 5, 160)]]


def _printed() -> list[Any]:
    found: list[Any] = []
    for make in NUMBERS.values():
        for seed in range(4):
            x = make(RRandom(seed))  # type: ignore[no-untyped-call]
            found += [
                vector(x),
                vector(x[:1]),
                table({"one": x[:4], "a long name": x[4:8]}, [*"abcd"]),
            ]
    return [*found, [vector(WIDE[i : i + 4]) for i in range(9)], [rounded(X, d) for d in range(4)]]


def _summed() -> list[Any]:
    columns = np.column_stack([summed(999, d, shift) for _, d, shift, _ in RECORDED])
    found = [statistic(columns, axis=0) for statistic in (sum_, mean, var, sd)]
    return [*found, cumsum(columns[:, 1]), row_sums(columns[:50])]


CALLS: dict[str, Callable[[], Any]] = {
    "all kinds of draws": _mixtures("Rejection"),
    "all kinds of draws, old sampling": _mixtures("Rounding"),
    "decks of all sizes": _dealt("Rejection"),
    "decks of all sizes, old sampling": _dealt("Rounding"),
    "draws by tied, small and many weights": _by_weight,
    "normal quantiles into the tails": _tails,
    "powers, remainders, functions of C": _arithmetic,
    "intervals of numbers and their labels": _places,
    "numbers as R prints them": _printed,
    "sums of columns": _summed,
}
