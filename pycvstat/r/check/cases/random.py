"""R's random numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pycvstat.r.check.cases.case import Cases, case
from pycvstat.rmath.random import RRandom

SEEDS = (0, 1, 42, 2**31 - 1, -5)
DRAWS: dict[str, Callable[[RRandom], Any]] = {
    "runif(10)": lambda r: r.runif(10),
    "rnorm(10)": lambda r: r.rnorm(10),
    "rnorm(5, 3, 2)": lambda r: r.rnorm(5, 3, 2),
    "rexp(10)": lambda r: r.rexp(10),
    "sample(10)": lambda r: r.sample(10),
    "sample(1e6, 5)": lambda r: r.sample(1_000_000, 5),
    "sample(2e7, 5)": lambda r: r.sample(20_000_000, 5),
    "sample(7, 9, replace)": lambda r: r.sample(7, 9, replace=True),
    "sample(5, 3, prob)": lambda r: r.sample(5, 3, prob=np.arange(1.0, 6.0)),
    "sample(5, 9, replace, prob)": lambda r: r.sample(5, 9, True, np.arange(1.0, 6.0)),
    "sample(300, 20, replace, prob): Walker": lambda r: r.sample(
        300, 20, True, np.arange(1.0, 301.0)
    ),
    "runif, rnorm, sample, rexp in turn": lambda r: np.concatenate(
        [r.runif(2), r.rnorm(3), r.sample(9), r.rexp(1)]
    ),
}


def _drawn(_: Mapping[str, Any], draw: Callable[[RRandom], Any], seed: int) -> Any:
    return draw(RRandom(seed))


def _rounded(_: Mapping[str, Any], seed: int) -> Any:
    return RRandom(seed, sample_kind="Rounding").sample(10)


def cases() -> Cases:
    """Every kind of draw after every seed."""
    found = {
        f"{name}, seed {seed}": case(_drawn, draw, seed)
        for seed in SEEDS
        for name, draw in DRAWS.items()
    }
    old = {f"sample(10) before R 3.6, seed {seed}": case(_rounded, seed) for seed in SEEDS}
    return found | old
