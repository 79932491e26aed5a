"""What interval methods, dialects of folds and conventions are on record with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.folds import DIALECTS
from pycvstat.intervals import METHODS
from pycvstat.procedures import conventions
from pycvstat.procedures.conventions import Convention, Estimate, Printed
from tests.fingerprints.bits import facts

PRINTED = ("19.30", "0.5", "1e-3", 12.25, "7", "-0.125")


def _weights() -> list[float]:
    cases = product((None, 1, 7, 100, 271, 5_000, 9_999), ("Rejection", "Rounding"), (1, 3), (1, 5))
    return [conventions.weight(Convention("boot", s, kind, c, r)) for s, kind, c, r in cases]


def _usual() -> list[Any]:
    ways = [("squared", *way) for way in product(("folds", "pooled"), ("", "root", "root by fold"))]
    return [
        [dialect, conventions.usual(Convention(dialect, 1), Estimate(*way))]
        for dialect in [*DIALECTS, "somebody's"]
        for way in ways
    ]


def _estimates() -> Any:
    rng = pcv.RRandom(6)
    residual, y = rng.rnorm(60).reshape(3, 20), rng.rnorm(20)
    labels = (rng.sample(5, 60, replace=True) - 1).reshape(3, 20)
    labels[2, labels[2] == 3] = 0  # a fold without rows
    losses = {"residual": residual, "zero_one": (residual > 0.4) * 1.0}
    found = conventions.estimates(losses, y, labels, 5)
    return [[*estimate, values] for estimate, values in found.items()]


def _chances() -> list[Any]:
    drawn = pcv.RRandom(7).rnorm(400, 12)
    read = [Printed.of(number) for number in PRINTED]
    by_chance = [
        conventions.expected_by_chance(values, one)
        for one in read
        for values in (drawn, drawn[:20], np.append(drawn, np.nan), drawn[:0])
    ]
    met = [one.is_met(drawn.round(2)) for one in read]
    return [[[one.value, one.within] for one in read], by_chance, met]


CALLS: dict[str, Callable[[], Any]] = {
    **{f"interval method: {name}": partial(facts, one) for name, one in METHODS.items()},
    **{f"dialect: {name}": partial(facts, one) for name, one in DIALECTS.items()},
    "conventions: weights": _weights,
    "conventions: seeds": lambda: [conventions.FAVOURITE, conventions.COMMON, conventions.REPEATS],
    "conventions: what is usual": _usual,
    "conventions: estimates": _estimates,
    "conventions: chance": _chances,
}
