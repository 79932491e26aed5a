"""Bootstraps: of out-of-fold losses, of a tuned minimum (BBC-CV), and of the fits (.632, .632+)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pycvstat import rmath
from pycvstat.errors import InputError, IntervalError
from pycvstat.errors.checks import is_whole
from pycvstat.folds import KFold
from pycvstat.intervals.limits import Limits, spread
from pycvstat.intervals.method import InR, Method, register
from pycvstat.intervals.of_metrics import of_drawn_rows
from pycvstat.losses import LossTable
from pycvstat.losses.metric import Averaging, Metric
from pycvstat.rmath.random import Random, Stream, as_stream
from pycvstat.types import FloatArray, IntArray

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


def bootstrap_rows(
    n: int, value_of: Callable[[IntArray], float], level: float, draws: int, random: Stream
) -> Limits:
    """Percentiles of a function of rows drawn with replacement.

    Draws in which it is not defined are left out, and refused when there are more than one in 20.

    Examples
    --------
    >>> from pycvstat.rmath.random import as_stream
    >>> x = np.arange(10.0)
    >>> limits = bootstrap_rows(10, lambda rows: np.median(x[rows]), 0.9, 200, as_stream(1))
    >>> limits.estimate, limits.low < 4.5 < limits.high
    (4.5, True)
    """
    values = np.array([value_of(draw_rows(n, random)) for _ in range(draws)])
    defined = np.isfinite(values)
    estimate = value_of(np.arange(n))
    if not np.isfinite(estimate) or defined.mean() < 0.95:
        raise IntervalError(
            "the metric is not defined for these predictions, or for many draws of their rows.",
            given=f"{int((~defined).sum())} of {draws} draws",
            fix="a metric of means, or more rows of the rare class",
        )
    spread(values[defined], "the metrics of the draws")
    limits = percentiles(estimate, values[defined], level)
    if not limits.low <= estimate <= limits.high:
        raise IntervalError(
            "draws with replacement are all on one side of this metric, so percentiles are no "
            "limits for it.",
            given=f"{estimate:.4g}, and percentiles from {limits.low:.4g} to {limits.high:.4g}",
            fix="averaging='folds', or a smooth metric such as 'brier' or 'calibration_slope'",
        )
    left = f"{draws - defined.sum()} draws left out, in which the metric is not defined"
    return limits if defined.all() else replace(limits, notes=(left,))


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
    deviation = float(values.std(ddof=1))
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


def _seeded(drawn: Callable[[Stream], Limits], random: Random) -> Limits:
    """Limits from a stream, with the seed with which R draws the same among their details.

    None is the seed of a generator that goes on from elsewhere.
    """
    stream = as_stream(random)
    seed = stream.seed if stream.untouched else None
    limits = drawn(stream)
    return replace(limits, details={**limits.details, "seed": seed})


def _formula(
    table: LossTable,
    level: float,
    draws: int = 1000,
    random: Random = 1,
    metric: Metric | None = None,
    averaging: Averaging = "pooled",
    other: LossTable | None = None,
) -> Limits:
    """Of a mean loss or of a metric; of its difference where there is another table, row by row."""
    draws = check_draws(draws)
    if metric is None:
        values = table.tested_rows()[1]
        return _seeded(lambda stream: bootstrap(values, level, draws, stream), random)
    if other is not None:
        n, first = of_drawn_rows(table, metric, averaging)
        second = of_drawn_rows(other, metric, averaging)[1]
        both = lambda rows: first(rows) - second(rows)  # noqa: E731
        return _seeded(lambda s: bootstrap_rows(n, both, level, draws, s), random)
    if metric.smooth is None or (averaging == "repeats" and table.plan.times > 1):
        n, value_of = of_drawn_rows(table, metric, averaging)
        return _seeded(lambda s: bootstrap_rows(n, value_of, level, draws, s), random)
    columns = (replace(table, losses=part[:, None], seal="") for part in metric.parts(table).T)
    parts = [column.tested_rows()[1] for column in columns]
    value = metric.smooth.value
    return _seeded(lambda s: bootstrap(np.hstack(parts), level, draws, s, value), random)


BOOTSTRAP = register(
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


def bbc_cv(losses: FloatArray, level: float, draws: int, random: Stream) -> Limits:
    """Select on rows drawn with replacement, score on the rows not drawn.

    As in R: each draw is ``sample.int(n, n, replace = TRUE)``, `which.min` of the means selects,
    the limits are `quantile`'s default (type 7) of the scores and the estimate is their mean.

    Parameters
    ----------
    losses : (n, C) float64
        Out-of-fold losses by row and candidate.
    level : float
    draws : int
        A draw that leaves no row out is skipped.
    random : Stream

    Examples
    --------
    >>> from pycvstat.rmath.random import as_stream
    >>> losses = np.column_stack([np.arange(10.0), np.arange(10.0) + 1])
    >>> limits = bbc_cv(losses, 0.9, 200, as_stream(1))
    >>> limits.low < limits.estimate < limits.high
    True
    """
    spread(losses, "the losses")
    n = len(losses)
    scores = []
    for _ in range(draws):
        drawn = draw_rows(n, random)
        rest = np.ones(n, dtype=bool)
        rest[drawn] = False
        if rest.any():
            chosen = rmath.which_min_mean(losses[drawn])
            scores.append(float(losses[rest, chosen].mean()))
    if not scores:
        raise IntervalError("no draw left a row out.", given=f"{n} rows, {draws} draws")
    return percentiles(float(np.mean(scores)), np.array(scores), level)


def _corrected(table: LossTable, level: float, draws: int = 1000, random: Random = 1) -> Limits:
    losses, draws = table.tested_rows()[1], check_draws(draws)
    return _seeded(lambda stream: bbc_cv(losses, level, draws, stream), random)


BBC_CV = register(
    Method(
        name="bbc_cv",
        title="bootstrap bias-corrected cross-validation (BBC-CV)",
        target="ER",
        formula=_corrected,
        layouts=("K-fold", "leave-one-out", "repeated K-fold"),
        citation=("tsamardinos2018",),
        folds=KFold(10),
        rank=4,
        because="the least of several estimates is optimistic, and this corrects it without refits",
        known=lambda plan: "corrects the optimism of the minimum",
        several=True,
        options=("draws", "random"),
        metrics="none",
        aliases=("bbc",),
        r=InR("pcv_ci_bbc_cv(pcv_means(x, row), level, draws, seed)"),
    )
)


@dataclass(frozen=True, slots=True, eq=False)
class OutOfBag:
    """The leave-one-out bootstrap.

    Parameters
    ----------
    estimate : float
    std_error : float
        Without the part that comes from drawing only B resamples.
    monte_carlo : float
        That part: the standard deviation that other draws of the resamples would give it.
    """

    estimate: float
    std_error: float
    monte_carlo: float


def out_of_bag(counts: IntArray, losses: FloatArray) -> OutOfBag:
    """The mean over rows of a row's mean loss in the resamples without it, and its standard error.

    The standard error is the delta method after the bootstrap of Efron and Tibshirani (1997,
    section 5): the root of the sum of squares of the derivatives of the estimate by the weights of
    the rows. A derivative is that of the row's own loss, and a covariance over the resamples of how
    often the row was drawn with their losses. Here the losses enter it as deviations from each
    row's mean, which changes nothing when all resamples are drawn and is less noisy for B of them;
    the variance that is noise all the same is estimated and taken off.

    Parameters
    ----------
    counts : (B, n) int64
        How often each resample has each row.
    losses : (B, n) float64
        The loss of each row in each resample; those of rows that it has are not read. Rows that
        every resample has do not count.

    Examples
    --------
    >>> counts = np.array([[2, 0, 1], [0, 3, 0], [1, 2, 0]])
    >>> out_of_bag(counts, np.array([[9.0, 1.0, 9.0], [2.0, 9.0, 3.0], [9.0, 9.0, 5.0]])).estimate
    2.3333333333333335
    """
    drawn, n = counts.shape
    left = counts == 0
    times = left.sum(axis=0)
    tested = times > 0
    by_row = np.where(left, losses, 0.0).sum(axis=0) / np.maximum(times, 1)
    estimate = float(by_row[tested].mean())
    by_row[~tested] = estimate
    deviation = np.where(left, losses - by_row, 0.0).mean(axis=1)
    products = (counts - counts.mean(axis=0)) * (deviation - deviation.mean())[:, None]
    scale = (1 - 1 / n) ** -n  # one over the probability that a resample lacks a row
    own = (by_row - estimate) / n
    derivative = own + scale * products.mean(axis=0)
    noise = float(scale**2 * products.var(axis=0, ddof=1).sum() / drawn)
    variance = max(float((derivative**2).sum()) - noise, float((own**2).sum()))
    return OutOfBag(estimate, float(np.sqrt(variance)), float(np.sqrt(noise)))


@dataclass(frozen=True, slots=True)
class Plus:
    """The .632+ estimate and what it is made of.

    Parameters
    ----------
    estimate : float
    overfitting : float
        The relative overfitting rate, from 0 to 1.
    weight : float
        Of the out-of-bag error: .632 without overfitting, 1 with an overfitting rate of 1.
    """

    estimate: float
    overfitting: float
    weight: float


def plus(apparent: float, bagged: float, no_information: float) -> Plus:
    """The .632+ estimate (Efron and Tibshirani 1997, equations 27 to 32).

    It is the .632 estimate and an addition for overfitting, in which an out-of-bag error above the
    no-information error counts as the latter.

    Parameters
    ----------
    apparent : float
        The error on its own rows of the fit to all rows.
    bagged : float
        The out-of-bag error.
    no_information : float
        The error that the fit would have if responses did not depend on predictors.

    Examples
    --------
    >>> plus(0.0, 0.5, 0.5)
    Plus(estimate=0.5, overfitting=1.0, weight=1.0)
    >>> plus(0.2, 0.2, 0.5)
    Plus(estimate=0.2, overfitting=0.0, weight=0.632)
    >>> round(plus(0.0, 0.75, 0.5).estimate, 3)  # .632 * .75 + .368 * .5
    0.658
    """
    most = min(bagged, no_information)
    above = bagged > apparent and no_information > apparent
    rate = (most - apparent) / (no_information - apparent) if above else 0.0
    weight = 0.632 / (1 - 0.368 * rate)
    estimate = 0.368 * apparent + 0.632 * bagged + (weight - 0.632) * (most - apparent)
    return Plus(float(estimate), float(rate), float(weight))
