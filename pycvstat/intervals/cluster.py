"""The cluster-robust interval for rows that come in groups."""

from __future__ import annotations

import numpy as np

from pycvstat.errors import IntervalError
from pycvstat.folds import Grouped
from pycvstat.intervals.legal import is_unbounded
from pycvstat.intervals.method import InR, Limits, Method, register
from pycvstat.intervals.quantiles import spread, symmetric
from pycvstat.intervals.tails import kurtosis
from pycvstat.losses import LossTable
from pycvstat.types import FloatArray, IntArray

FEW = 30  # groups below which cluster-robust standard errors are known to be too small


def cluster_robust(losses: FloatArray, groups: IntArray, level: float, log: bool = False) -> Limits:
    """mean ± t se, se clustered on the group (statsmodels, with its G / (G - 1)).

    The degrees of freedom are Satterthwaite's, see `freedom`; with `log` of the logarithm of the
    mean. As in R: ``sandwich::vcovCL(lm(loss ~ 1), ~ group)``.

    Examples
    --------
    >>> losses = np.array([1.0, 2.0, 4.0, 5.0, 3.0, 3.0])
    >>> limits = cluster_robust(losses, np.array([0, 0, 1, 1, 2, 2]), 0.95)
    >>> limits.estimate, round(limits.std_error, 6), round(limits.df, 6)
    (3.0, 0.866025, 2.0)
    """
    from statsmodels.regression.linear_model import OLS

    count = int(groups.max()) + 1
    if count < 2:
        raise IntervalError(
            "a cluster-robust variance needs at least two groups.", given=f"{count} group"
        )
    sums = np.bincount(groups, losses - losses.mean())
    total = float(np.bincount(groups, np.abs(losses)).max())
    spread(np.append(sums, 0.0), "the summed losses of the groups", scale=total)
    fit = OLS(losses, np.ones_like(losses)).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    notes = () if count >= FEW else (f"only {count} groups: expect the interval to be too short",)
    df = freedom(np.asarray(sums, dtype=np.float64), np.bincount(groups))
    return symmetric(losses.mean(), fit.bse[0], level, df, notes, log=log, groups=count)


def freedom(sums: FloatArray, sizes: IntArray) -> float:
    """Degrees of freedom of the variance of the groups' summed deviations (Satterthwaite).

    The least of: G - 1; those of groups of unequal sizes whose rows are alike, the trace of the
    covariance of the sums, squared, over that of its square (Bell and McCaffrey); and, as squares
    of skewed sums vary more, 2 G / (kurtosis - 1).

    Examples
    --------
    >>> round(freedom(np.array([-3.0, 3.0, 1.0, -1.0]), np.array([9, 1, 1, 1])), 2)
    1.46
    """
    count, share = sizes.size, sizes / sizes.sum()
    centred = np.eye(count) - np.outer(share, np.ones(count))
    covariance = (centred * sizes.astype(np.float64) ** 2) @ centred.T
    unequal = np.trace(covariance) ** 2 / (covariance**2).sum()
    beyond = kurtosis(sums, 0.0) - 1
    skewed = 2 * count / beyond if beyond > 0 else np.inf
    return float(min(count - 1, unequal, skewed))


def _formula(table: LossTable, level: float) -> Limits:
    rows, means = table.tested_rows()
    groups = rows if table.plan.groups is None else table.plan.groups[rows]
    _, codes = np.unique(groups, return_inverse=True)
    return cluster_robust(means[:, 0], codes, level, log=is_unbounded(table))


METHOD = register(
    Method(
        name="cluster",
        title="cluster-robust by subject",
        target="PQ",
        formula=_formula,
        layouts=("one split", "K-fold", "leave-one-out", "repeated K-fold"),
        citation=("liang1986", "seabold2010"),
        folds=Grouped(10),
        rank=6,
        because="rows come in groups, and it needs no second fit",
        for_groups=True,
        known=lambda plan: (
            "a little liberal with few groups; like the CLT interval it leaves out the variance "
            "between training sets"
        ),
        grouped=True,
        aliases=("cluster_robust", "grouped"),
        r=InR(
            "pcv_ci_cluster(pcv_means(x, row), group, level, is.infinite(highest) && all(x >= 0))",
            "pcv_cluster_freedom(pcv_means(x, row), group)",
        ),
    )
)
