"""A t interval of the rows' losses, for differences and for losses with two ends."""

from __future__ import annotations

import numpy as np

from pycvstat.folds import KFold
from pycvstat.intervals.log_t import instability
from pycvstat.intervals.method import InR, Limits, Method, register
from pycvstat.intervals.quantiles import spread, symmetric
from pycvstat.losses import LossTable
from pycvstat.types import FloatArray

SHARED = 1.25
"""The variance of a mean over rows, over that of independent rows: chosen by simulation, so that
paired tests at 5 % kept their level in six pairs of learners of equal risk."""


def pointwise_t(mean: float, losses: FloatArray, factor: float, level: float) -> Limits:
    """mean ± t_{n-1} sd sqrt(factor / n) for the n rows' mean losses, about the mean of folds.

    Examples
    --------
    >>> limits = pointwise_t(3.5, np.array([1.0, 2.0, 4.0, 3.0, 5.0, 6.0]), 1.25, 0.95)
    >>> limits.estimate, round(limits.std_error, 6)
    (3.5, 0.853913)
    """
    sd = spread(losses, "the losses of the rows", "method='wilson' for losses of 0 and 1")
    std_error = sd * np.sqrt(factor / losses.size)
    return symmetric(mean, std_error, level, float(losses.size - 1), factor=factor)


def _formula(table: LossTable, level: float) -> Limits:
    unstable = instability(table) if table.plan.times > 1 else 0.0
    mean, (_, losses) = float(table.estimate()[0]), table.tested_rows()
    return pointwise_t(mean, losses[:, 0], max(SHARED, 1 + 4 * unstable), level)


METHOD = register(
    Method(
        name="pointwise_t",
        title="row-wise corrected t",
        target="ER",
        formula=_formula,
        layouts=("K-fold", "leave-one-out", "repeated K-fold"),
        citation=("nadeau2003",),
        folds=KFold(10),
        rank=1,
        for_pairs=True,
        because="as a test it kept its level in simulations, with more power than fold means",
        metrics="none",
        r=InR(
            "pcv_ci_pointwise_t(mean(pcv_means(x, fit)), pcv_means(x, row), "
            "pcv_instability(x, row, times), level)",
            "length(unique(row)) - 1",
        ),
    )
)
