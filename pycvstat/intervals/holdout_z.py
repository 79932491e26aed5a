"""Holdout z: the mean loss on one test set, with its standard error."""

from __future__ import annotations

import numpy as np

from pycvstat.folds import Holdout
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
    sd = spread(losses, "the losses of the test set", "method='wilson' for losses of 0 and 1")
    return symmetric(losses.mean(), sd / np.sqrt(losses.size), level)


METHOD = register(
    Method(
        name="holdout_z",
        title="holdout z",
        target="R",
        formula=lambda table, level: holdout_z(table.losses[:, 0], level),
        layouts=("one split",),
        citation=("schulz2025",),
        folds=Holdout(0.25),
        rank=1,
        because="there is one split",
        known=lambda plan: (
            "says nothing about other training sets: with two thirds of the rows for training it "
            "covered the expected risk in 88.5 % of cases at nominal 95 % in the benchmark of "
            "Schulz-Kümpel et al. (2025), whose data and learners are not yours"
        ),
        aliases=("holdout", "z"),
        r=InR("pcv_ci_holdout_z(x, level)"),
    )
)
