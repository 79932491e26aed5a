"""R's random numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from pycvstat.r.check.call import Call
from pycvstat.r.check.cases import Cases, beside
from pycvstat.rmath import RRandom

SEEDS = (0, 1, 42, 2**31 - 1, -5)
DRAWS: dict[str, Callable[[RRandom], Any]] = {
    "runif(10)": lambda r: r.runif(10),
    "rnorm(10)": lambda r: r.rnorm(10),
    "rnorm(5, 3, 2)": lambda r: r.rnorm(5, 3, 2),
    "rexp(10)": lambda r: r.rexp(10),
    "sample(10)": lambda r: r.sample(10),
    "sample(1e6, 5)": lambda r: r.sample(1_000_000, 5),
    "sample(2e7, 5)": lambda r: r.sample(20_000_000, 5),
    "sample(7, 9, TRUE)": lambda r: r.sample(7, 9, replace=True),
    "sample(5, 3, prob = 1:5)": lambda r: r.sample(5, 3, prob=np.arange(1.0, 6.0)),
    "sample(5, 9, TRUE, 1:5)": lambda r: r.sample(5, 9, True, np.arange(1.0, 6.0)),
    "sample(300, 20, TRUE, 1:300)": lambda r: r.sample(300, 20, True, np.arange(1.0, 301.0)),
    "c(runif(2), rnorm(3), sample(9), rexp(1))": lambda r: np.concatenate(
        [r.runif(2), r.rnorm(3), r.sample(9), r.rexp(1)]
    ),
}


def _drawn(code: str, draw: Callable[[RRandom], Any], seed: int) -> Call:
    return beside(draw(RRandom(seed)), f"{{ set.seed(seed); {code} }}", seed=seed)


def _rounded(seed: int) -> Call:
    code = """{
      suppressWarnings(set.seed(seed, sample.kind = "Rounding"))
      drawn <- sample(10)
      RNGkind(sample.kind = "Rejection")
      drawn
    }"""
    return beside(RRandom(seed, sample_kind="Rounding").sample(10), code, seed=seed)


def cases() -> Cases:
    """Every kind of draw after every seed."""
    found: Cases = {
        f"{code}, seed {seed}": partial(_drawn, code, draw, seed)
        for seed in SEEDS
        for code, draw in DRAWS.items()
    }
    return found | {f"sample(10) before R 3.6, seed {s}": partial(_rounded, s) for s in SEEDS}
