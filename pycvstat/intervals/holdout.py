"""The normal and the t interval of the mean loss of one test set."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat.folds import Holdout
from pycvstat.intervals.legal import is_unbounded
from pycvstat.intervals.method import InR, Limits, Method, register
from pycvstat.intervals.quantiles import spread, symmetric
from pycvstat.types import FloatArray


def holdout_z(losses: FloatArray, level: float) -> Limits:
    """mean ± z sd / sqrt(m).

    Examples
    --------
    >>> correct = np.repeat([1.0, 0.0], [51, 18])
    >>> limits = holdout_z(correct, 0.95)
    >>> round(limits.low, 7), round(limits.high, 7)
    (0.6347628, 0.8434981)
    """
    return symmetric(losses.mean(), _std_error(losses), level)


def holdout_t(losses: FloatArray, level: float, log: bool = False) -> Limits:
    """mean ± t_{m-1} sd / sqrt(m), or that of the logarithm of the mean.

    Examples
    --------
    >>> limits = holdout_t(np.array([0.5, 1.0, 4.0, 2.5]), 0.95, log=True)
    >>> round(limits.low, 3), round(limits.high, 3)
    (0.568, 7.037)
    """
    return symmetric(losses.mean(), _std_error(losses), level, float(losses.size - 1), log=log)


def _std_error(losses: FloatArray) -> float:
    sd = spread(losses, "the losses of the test set", "method='wilson' for losses of 0 and 1")
    return float(sd / np.sqrt(losses.size))


def _in_t(table: Any, level: float) -> Limits:
    return holdout_t(table.losses[:, 0], level, log=is_unbounded(table))


Z = register(
    Method(
        name="holdout_z",
        title="holdout z",
        target="R",
        formula=lambda table, level: holdout_z(table.losses[:, 0], level),
        layouts=("one split",),
        citation=("schulz2025",),
        folds=Holdout(0.25),
        known=lambda plan: (
            "says nothing about other training sets: with two thirds of the rows for training it "
            "covered the expected risk in 88.5 % of cases at nominal 95 % in the benchmark of "
            "Schulz-Kümpel et al. (2025), whose data and learners are not yours"
        ),
        aliases=("z",),
        r=InR("pcv_ci_holdout_z(x, level)"),
    )
)
T = register(
    Method(
        name="holdout_t",
        title="holdout t",
        target="R",
        formula=_in_t,
        layouts=("one split",),
        citation=("schulz2025",),
        folds=Holdout(0.25),
        rank=1,
        because="there is one split",
        aliases=("holdout",),
        r=InR(
            "pcv_ci_holdout_t(x, level, log = is.infinite(highest) && all(x >= 0))", "length(x) - 1"
        ),
    )
)
