"""Which of several candidates are not shown to be worse than another: Lei's confidence set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.errors import InputError, IntervalError
from pycvstat.errors.checks import check_level
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.bootstrap import check_draws
from pycvstat.intervals.legal import SAID, range_of
from pycvstat.losses import LossTable, Table
from pycvstat.losses.table import parameter_columns
from pycvstat.rmath.random import Random, Stream, as_stream
from pycvstat.types import FloatArray, IntArray
from pycvstat.verbs import Verbs

LEGAL = ("one split", "K-fold", "leave-one-out", "repeated K-fold", "subsampling")


@dataclass(frozen=True, eq=False)
class ConfidenceSet(Verbs):
    """The candidates that are not shown to be worse than another (Lei 2020).

    With the confidence level as its probability, the set holds the candidate with the smallest
    risk, the mean over the folds of the risks of the fits that were made. What is not in it is
    shown to be worse than some other candidate; what is in it is not shown to be as good.

    Parameters
    ----------
    candidates : tuple of dict
        Parameters, or ``{"method": name}``.
    estimate : (C,) float64
        Mean loss over the tested rows.
    statistic : (C,) float64
        The largest standardised difference from another candidate.
    p_value : (C,) float64
        Of the hypothesis that no other candidate has a smaller risk; NaN where a fit failed.
    level : float
    plan : FoldPlan
    loss : str
    draws : int
        Draws of the multiplier bootstrap.
    seed : int, optional

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.tune(pcv.KNN(kernel="rectangular"), "y ~ .", pcv.data.waves(80),
    ...                   grid={"k": [1, 3, 5, 40]}, folds=pcv.KFold(5, random=1))
    >>> result.confidence_set().members
    ({'k': 3}, {'k': 5})
    """

    view: ClassVar[str] = "comparison"

    candidates: tuple[dict[str, Any], ...]
    estimate: FloatArray
    statistic: FloatArray
    p_value: FloatArray
    level: float
    plan: FoldPlan
    loss: str
    draws: int
    seed: int | None = None

    @property
    def inside(self) -> Any:
        """Whether each candidate is in the set, (C,) bool."""
        return self.p_value > 1 - self.level

    @property
    def members(self) -> tuple[Any, ...]:
        """The candidates in the set: their parameters, or their names."""
        chosen = compress(self.candidates, self.inside)
        return tuple(c["method"] if [*c] == ["method"] else c for c in chosen)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the confidence level rests on."""
        kind, size = self.plan.scheme, range_of(self.plan.n_train)
        units = "rows" if self.plan.groups is None else "groups"
        found = [
            f"{units} are independent draws of one population",
            f"the risk is that of the fits made here, on {size} rows: not of fits to all rows, and "
            "not the mean over training sets",
            f"there are enough {units} for means of differences of losses to be normal, which have "
            "no heavy tails",
            "the difference of two candidates is relatively stable: a single training row changes "
            "it little, compared with how it varies from row to row (see stability())",
        ]
        if kind in ("repeated K-fold", "subsampling"):
            found.append(
                "losses of a row are averaged over its tests: the theorem is for one partition"
            )
        if kind == "leave-one-out":
            found.append("the theorem is for a number of folds that does not grow with the rows")
        return tuple(found)

    def __repr__(self) -> str:
        return (
            f"ConfidenceSet({int(self.inside.sum())} of {len(self.candidates)} candidates, "
            f"{100 * self.level:g} %)"
        )

    def tidy(self) -> pd.DataFrame:
        """One row per candidate: parameters or method, estimate, statistic, p_value, inside."""
        columns: dict[str, Any] = parameter_columns(self.candidates, 1)
        columns |= {"estimate": self.estimate, "statistic": self.statistic}
        return pd.DataFrame(columns | {"p_value": self.p_value, "inside": self.inside})

    def glance(self) -> pd.DataFrame:
        """One row: how many candidates, how many inside, level, draws, folds, seed."""
        row = {
            "candidates": len(self.candidates),
            "inside": int(self.inside.sum()),
            "level": self.level,
            "loss": self.loss,
            "n": self.plan.n,
            "folds": self.plan.recipe,
            "draws": self.draws,
            "seed": self.seed,
        }
        return pd.DataFrame([row])


def confidence_set(
    table: Table, level: float = 0.95, draws: int = 1000, random: Random = 1
) -> ConfidenceSet:
    """The candidates of a table that are not shown to be worse than another.

    Parameters
    ----------
    table : LossTable
        Of several candidates, over one split, a partition, repeated ones, or random splits.
    level : float
    draws : int
        Draws of the multiplier bootstrap.
    random : int, RRandom, numpy.random.Generator or None
        What they are drawn with.
    """
    if not isinstance(table, LossTable):
        raise IntervalError(
            "a confidence set needs the losses of every row; only fold means were kept.",
            given=f"fold means of {len(table.candidates)} candidates",
            fix='tune(..., keep="all")',
        )
    table, kind = table.linearised(), table.plan.scheme
    if kind not in LEGAL:
        raise IntervalError(
            f"a confidence set is not known to be valid here: its plan is {SAID[kind]}.",
            given=table.plan.recipe,
            fix="folds=KFold(10)",
        )
    level, draws, stream = check_level(level), check_draws(draws), as_stream(random)
    seed = stream.seed if stream.untouched else None
    rows, means = table.tested_rows()
    known = np.atleast_1d(np.isfinite(means).all(axis=0))
    if known.sum() < 2:
        failed = f", {count} failed" if (count := int((~known).sum())) else ""
        raise InputError(
            "a confidence set is of at least two candidates.", given=f"{known.sum()}{failed}"
        )
    units = rows if table.plan.groups is None else table.plan.groups[rows]
    sums = unit_sums(table.losses[:, known], table.plan, np.unique(units, return_inverse=True)[1])
    statistic, p_value = np.full((2, len(known)), np.nan)
    statistic[known], p_value[known] = none_better(
        means[:, known].mean(axis=0), sums, draws, stream
    )
    estimate = np.where(known, means.mean(axis=0), np.nan)
    of = table.candidates, estimate, statistic, p_value, level, table.plan, table.loss
    return ConfidenceSet(*of, draws, seed)


def of_methods(tables: Mapping[str, LossTable], level: float, **options: Any) -> ConfidenceSet:
    """The same for methods on identical folds, one table each."""
    first = next(iter(tables.values()))
    losses = np.hstack([table.losses for table in tables.values()])
    names = tuple({"method": name} for name in tables)
    together = LossTable(first.plan, losses, first.loss, first.range, names, weights=first.weights)
    return confidence_set(together, level, **options)


def unit_sums(losses: FloatArray, plan: FoldPlan, units: IntArray) -> FloatArray:
    """Each unit's share of the deviation of the mean loss, (units, C).

    Losses are centred within their folds, with the divisor n - 1 of a variance; those of
    leave-one-out around their mean.

    Parameters
    ----------
    losses : (N, C) float64
    plan : FoldPlan
    units : (tested rows,) int64
        The independent unit of each row, counted from 0: itself, or its group.

    Examples
    --------
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2, 2])
    >>> losses = np.array([[1.0], [3.0], [5.0], [5.0]])
    >>> unit_sums(losses, plan, np.arange(4)).ravel().round(3).tolist()
    [-0.354, 0.354, 0.0, 0.0]
    """
    sizes = plan.n_test
    if sizes.min() > 1:
        fold = np.repeat(np.arange(len(sizes)), sizes)
        means = np.add.reduceat(losses, plan.offsets[:-1]) / sizes[:, None]
        centred = (losses - means[fold]) * np.sqrt(sizes / (sizes - 1))[fold, None]
    else:
        centred = losses - losses.mean(axis=0)
    rows, row, tests = np.unique(plan.rows, return_inverse=True, return_counts=True)
    found = np.zeros((int(units.max()) + 1, losses.shape[1]))
    np.add.at(found, units[row], centred / (tests[row] * len(rows))[:, None])
    return found


def none_better(
    means: FloatArray, sums: FloatArray, draws: int, stream: Stream
) -> tuple[FloatArray, FloatArray]:
    """For each candidate the largest standardised difference from another, and its p value.

    The p value is the share of draws of the Gaussian multiplier bootstrap in which that largest
    difference is larger (Lei 2020, section 2.3, without screening). Given the losses its draws are
    normal, with the covariance of the sums.

    Parameters
    ----------
    means : (C,) float64
    sums : (units, C) float64
        As of `unit_sums`.
    draws : int
    stream : Stream
    """
    # over a power of 2, without which squares may overflow
    means, sums = (np.ldexp(of, -np.frexp(np.abs(means).max())[1]) for of in (means, sums))
    factor: FloatArray = np.linalg.qr(sums - sums.mean(axis=1, keepdims=True)).R
    factor = factor * np.where(np.diag(factor) < 0, -1.0, 1.0)[:, None]
    normal = stream.rnorm(draws * len(factor)).reshape(draws, len(factor)) @ factor
    statistic, p_value = np.empty((2, len(means)))
    for c in range(len(means)):
        others = np.arange(len(means)) != c
        difference = means[c] - means[others]
        spread = np.sqrt(((sums[:, [c]] - sums[:, others]) ** 2).sum(axis=0))
        varies = spread > 1e-13 * np.abs(means).max()  # below: rounding errors of equal losses
        tied = ~varies & (np.abs(difference) <= 1e-13 * np.abs(means).max())
        standard = np.empty(len(difference))
        standard[varies] = difference[varies] / spread[varies]
        standard[~varies] = np.where(tied, -np.inf, np.copysign(np.inf, difference))[~varies]
        statistic[c] = standard.max()
        drawn = (normal[:, [c]] - normal[:, others])[:, varies] / spread[varies]
        largest = drawn.max(axis=1, initial=-np.inf)
        p_value[c] = (largest >= statistic[c]).mean()
    return statistic, p_value
