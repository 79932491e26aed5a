"""The percentile bootstrap of out-of-fold losses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pycvstat.errors import InputError
from pycvstat.errors.checks import is_whole
from pycvstat.folds import KFold
from pycvstat.intervals.checks import spread
from pycvstat.intervals.method import InR, Limits, Method, register
from pycvstat.intervals.metrics import Smooth
from pycvstat.losses import LossTable
from pycvstat.types import FloatArray, IntArray

if TYPE_CHECKING:
    from pycvstat.rmath.random import Random, Stream

Statistic = Callable[[FloatArray], float]


def bootstrap(
    values: FloatArray, level: float, draws: int, random: Stream, statistic: Statistic = np.mean
) -> Limits:
    """Percentiles of a function of column means over rows drawn with replacement.

    As in R: each draw is ``sample.int(n, n, replace = TRUE)``, the limits are `quantile`'s
    default (type 7).

    Parameters
    ----------
    values : (n, J) float64
        One row per observation.
    level : float
    draws : int
    random : Stream
    statistic : callable
        Of the J column means; with J = 1 their value.

    Examples
    --------
    >>> from pycvstat.rmath.random import as_stream
    >>> limits = bootstrap(np.arange(10.0)[:, None], 0.9, 200, as_stream(1))
    >>> limits.estimate, limits.low < 4.5 < limits.high
    (4.5, True)
    """
    spread(values[:, 0], "the losses")
    n = len(values)
    drawn = [statistic(values[draw_rows(n, random)].mean(axis=0)) for _ in range(draws)]
    return percentiles(statistic(values.mean(axis=0)), np.array(drawn), level)


def draw_rows(n: int, random: Stream) -> IntArray:
    """n rows drawn with replacement, counted from 0. As in R: ``sample.int(n, n, TRUE) - 1``."""
    return np.asarray(random.sample(n, n, replace=True), dtype=np.int64) - 1


def percentiles(estimate: float, values: FloatArray, level: float) -> Limits:
    """Percentile limits of bootstrap values; their standard deviation as standard error.

    Examples
    --------
    >>> round(percentiles(0.5, np.linspace(0, 1, 101), 0.9).low, 6)
    0.05
    """
    low, high = np.quantile(values, [(1 - level) / 2, 1 - (1 - level) / 2])
    deviation = float(values.std(ddof=1)) if values.size > 1 else float("nan")
    return Limits(
        float(estimate), deviation, float(low), float(high), np.nan, (), {"draws": values.size}
    )


def check_draws(draws: int) -> int:
    """The number of bootstrap draws, at least 100.

    Examples
    --------
    >>> check_draws(1000)
    1000
    """
    if not (is_whole(draws) and draws >= 100):
        raise InputError(
            "percentiles need a whole number of at least 100 draws.",
            given=repr(draws),
            fix="draws=1000",
        )
    return int(draws)


def seed_of(stream: Stream) -> int | None:
    """The seed with which R draws the same; None for a generator that goes on from elsewhere."""
    return stream.seed if stream.untouched else None


def with_seed(limits: Limits, seed: int | None) -> Limits:
    """The limits with the seed of their draws among the details."""
    return replace(limits, details={**limits.details, "seed": seed})


def _formula(
    table: LossTable,
    level: float,
    draws: int = 1000,
    random: Random = 1,
    metric: Smooth | None = None,
) -> Limits:
    from pycvstat.rmath.random import as_stream

    stream, draws = as_stream(random), check_draws(draws)
    seed = seed_of(stream)
    if metric is None:
        return with_seed(bootstrap(table.tested_rows()[1][:, :1], level, draws, stream), seed)
    parts = metric.components(table)
    by_row = np.column_stack(
        [replace(table, losses=part[:, None]).tested_rows()[1][:, 0] for part in parts.T]
    )
    return with_seed(bootstrap(by_row, level, draws, stream, metric.value), seed)


METHOD = register(
    Method(
        name="bootstrap",
        title="percentile bootstrap of out-of-fold losses",
        target="PQ",
        formula=_formula,
        layouts=("one split", "K-fold", "leave-one-out", "repeated K-fold"),
        citation=("efron1993",),
        folds=KFold(10),
        known=lambda plan: (
            "treats out-of-fold losses as independent: as liberal for the expected risk as the CLT"
        ),
        options=("draws", "random"),
        metrics="own",
        r=InR("pcv_ci_bootstrap(pcv_means(x, row), level, draws, seed)", test="none"),
    )
)
