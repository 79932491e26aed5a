"""Cross-validation over resamples with replacement: .632, .632+, and optimism beside the mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat import rmath
from pycvstat.errors import IntervalError, warn
from pycvstat.errors.checks import check_level, check_word
from pycvstat.errors.names import answering
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.bootstrap import OutOfBag, out_of_bag, percentiles, plus
from pycvstat.intervals.coverage import warn_heavy_tails
from pycvstat.intervals.legal import range_of
from pycvstat.intervals.limits import Limits, Side, kept_inside, one_sided, symmetric, two_sided
from pycvstat.intervals.result import AllRows, Estimand, Interval
from pycvstat.learners.base import Learner
from pycvstat.losses import Loss, LossTable, Predictions
from pycvstat.losses.metric import count_classes
from pycvstat.losses.metrics import MetricLike, as_metric
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.setting import Setting
from pycvstat.types import FloatArray, IntArray

FEWEST = 100  # resamples of which percentiles are taken
OPTIMISM_TITLE = "optimism-corrected bootstrap"


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapResult(CVResult):
    """The risk of one learner, cross-validated over resamples with replacement.

    `estimate` is the mean over resamples of the mean loss on the rows left out, as caret and
    tidymodels have it; what the literature makes of the same fits are methods.

    Parameters
    ----------
    everywhere : LossTable
        Losses and predictions of the fit to each resample, and last of the fit to all rows, for
        all rows.
    no_information : float
        The mean loss of the fit to all rows over all pairs of a response and a prediction.

    Notes
    -----
    As in R: caret's ``method = "boot"`` is `estimate` (of a metric ``metric("rmse", "folds")``),
    ``"boot632"`` is ``boot632("rmse", averaging="folds")`` and ``"optimism_boot"`` is
    ``optimism("rmse")``, which for the losses is ``rms::validate``.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(),
    ...                             folds=pcv.Bootstrap(100, random=1))
    >>> [round(found.estimate, 2) for found in (
    ...     result.out_of_bag(), result.boot632(), result.boot632_plus(), result.optimism())]
    [10.95, 10.12, 10.14, 10.16]
    """

    view: ClassVar[str] = "bootstrapped"

    everywhere: LossTable = field(kw_only=True)
    no_information: float = field(kw_only=True)

    more_tables: ClassVar[tuple[str, ...]] = (*CVResult.more_tables, "bootstrap")

    @property
    def apparent(self) -> float:
        """The mean loss on all rows of the fit to all rows."""
        return float(self._everywhere[-1].mean())

    @property
    def _everywhere(self) -> FloatArray:
        """Losses by fit and row, (B + 1, n)."""
        return self.everywhere.losses.reshape(len(self.plan) + 1, self.plan.n)

    @property
    def _counts(self) -> IntArray:
        """How often each resample has each row, (B, n)."""
        n = self.plan.n
        return np.stack([np.bincount(rows, minlength=n) for rows, _ in self.plan])

    def _bagged(self) -> OutOfBag:
        found = self._everywhere[:-1]
        if not np.isfinite(found).all():
            raise IntervalError(
                "fits to some resamples failed, and an estimate from the others would be about "
                "other samples.",
                given=f"{int((~np.isfinite(found)).any(axis=1).sum())} of {len(found)} resamples",
                fix="repair these fits",
            )
        return out_of_bag(self._counts, found)

    @answering
    def interval(self, method: str = "auto", level: float = 0.95, **options: Any) -> Interval:
        """As the method of that name: "out_of_bag" (the usual one), ".632", ".632+", "optimism".

        Parameters
        ----------
        method : str
            "auto" is "out_of_bag" for the mean loss, "optimism" for a metric.
        level : float
        **options
            Of the method.
        """
        made: dict[str, Callable[..., Interval]] = {
            "out_of_bag": self.out_of_bag,
            ".632": self.boot632,
            ".632+": self.boot632_plus,
            "optimism": self.optimism,
        }
        name = ("optimism" if "metric" in options else "out_of_bag") if method == "auto" else method
        if name in made:
            return made[name](level=level, **options)
        return super().interval(method, level, **options)

    @answering
    def out_of_bag(self, level: float = 0.95, side: Side = "both") -> Interval:
        """The leave-one-out bootstrap: each row's mean loss in the resamples without it.

        Its interval has the standard error of Efron and Tibshirani (1997), by the delta method
        after the bootstrap.

        Parameters
        ----------
        level : float
        side : {"both", "upper", "lower"}
            As of other intervals: "upper" and "lower" give one bound of this level.
        """
        found, each = self._bagged(), two_sided(check_level(level), side)
        warn_heavy_tails(self.table)
        limits = one_sided(symmetric(found.estimate, found.std_error, each, np.inf), side)
        notes = []
        if found.monte_carlo > found.std_error:
            notes.append("few resamples make the standard error imprecise: folds=Bootstrap(200)")
        if untested := self.plan.n - len(np.unique(self.plan.rows)):
            notes.append(f"{untested} rows are in every resample and do not count")
        different = range_of(np.array([len(np.unique(rows)) for rows, _ in self.plan]))
        about = Estimand("ER", f"{different} different")
        title, limits = "leave-one-out bootstrap", replace(limits, notes=tuple(notes))
        return self._interval("out_of_bag", title, limits, level, about, side=side)

    @answering
    def boot632(
        self, metric: MetricLike | None = None, averaging: str = "rows", level: float = 0.95
    ) -> Interval:
        """The .632 estimate: .368 times the apparent error and .632 times the out-of-bag error.

        It has no interval: no standard error was derived for it, and where fits follow their
        training rows closely it is too small by an unknown amount.

        Parameters
        ----------
        metric : str, Metric or callable, optional
            A metric instead of the mean loss, averaged over resamples.
        averaging : {"rows", "folds"}
            The out-of-bag error as a mean over rows, as Efron (1983) has it, or over resamples, as
            caret has it, whose weights are 1/e and 1 - 1/e; so has every metric.
        level : float
        """
        check_word("averaging", averaging, ("rows", "folds"))
        weight = 0.632 if metric is None and averaging == "rows" else 1 - np.exp(-1)
        if metric is None and averaging == "rows":
            apparent, bagged = self.apparent, self._bagged().estimate
        elif metric is None:
            apparent, bagged = self.apparent, self.estimate
        else:
            apparent = float(self._by_fit(metric)[1][-1])
            bagged = self.metric(metric, "folds").estimate
        why = "no standard error is known for the .632 estimate; boot632_plus() has one"
        details = {"apparent": apparent, "out_of_bag": bagged}
        estimate = (1 - weight) * apparent + weight * bagged
        about = Estimand("ER", str(self.plan.n))
        limits = Limits(estimate, np.nan, np.nan, np.nan, np.nan, (why,), details)
        return self._interval(".632", ".632 bootstrap", limits, level, about, metric)

    @answering
    def boot632_plus(self, level: float = 0.95) -> Interval:
        """The .632+ estimate, which gives the out-of-bag error more weight the more fits overfit.

        Its standard error is that of the out-of-bag error, scaled by the ratio of the estimates
        (Efron and Tibshirani 1997).
        """
        bagged = self.out_of_bag(level)
        kept = bagged.notes[: len(bagged.notes) - bagged.clipped]  # the cut is of its own interval
        found = plus(self.apparent, bagged.estimate, self.no_information)
        error = bagged.std_error * found.estimate / bagged.estimate
        limits = symmetric(found.estimate, error, level, np.inf, kept)
        details = {
            "apparent": self.apparent,
            "out_of_bag": bagged.estimate,
            "no_information": self.no_information,
            "overfitting": found.overfitting,
            "weight": found.weight,
        }
        about = Estimand("ER", str(self.plan.n))
        title = ".632+ bootstrap"
        return self._interval(".632+", title, replace(limits, details=details), level, about)

    @answering
    def optimism(self, metric: MetricLike | None = None, level: float = 0.95) -> Interval:
        """The apparent error, corrected by its mean optimism over the resamples (Harrell).

        The optimism of a resample is the error of its fit on its own rows minus that on all rows.
        The interval has the percentiles of the errors of the fits on their own rows, shifted by the
        optimism (Noma et al. 2021).

        Parameters
        ----------
        metric : str, Metric or callable, optional
            A metric instead of the mean loss.
        level : float

        Notes
        -----
        As in R: ``rms::validate(fit, B = times)`` from the same seed.
        """
        own, everywhere = self._by_fit(metric)
        optimism = float(rmath.mean(own[:-1])) - float(rmath.mean(everywhere[:-1]))
        apparent = float(everywhere[-1])
        details = {"apparent": apparent, "optimism": optimism}
        limits = Limits(apparent - optimism, np.nan, np.nan, np.nan, np.nan, (), details)
        if len(self.plan) < FEWEST:
            few = f"percentiles need at least {FEWEST} resamples, and there are {len(self.plan)}"
            limits = replace(limits, notes=(few,))
        else:
            known = percentiles(apparent, own[:-1], check_level(level))
            low, high = known.low - optimism, known.high - optimism
            words = "location-shifted: too short where fits follow their training rows closely"
            limits = replace(limits, low=low, high=high, notes=(words,))
        about = Estimand("R", str(self.plan.n))
        return self._interval("optimism", OPTIMISM_TITLE, limits, level, about, metric)

    def _by_fit(self, metric: MetricLike | None) -> tuple[FloatArray, FloatArray]:
        """The metric of each fit, the last one to all rows: on its own rows and on all rows."""
        n, table = self.plan.n, self.everywhere
        rows = [*(train for train, _ in self.plan), np.arange(n)]
        if metric is None:
            losses = self._everywhere
            own = np.array([losses[i][of].mean() for i, of in enumerate(rows)])
            return own, losses.mean(axis=1)
        read, classes = as_metric(metric, table.levels), count_classes(table)
        y, given = read.rows(table)
        y = y[:n]
        each = np.split(given, len(rows))
        own = np.array([read.value(y[r], each[i][r], classes) for i, r in enumerate(rows)])
        values = np.array([read.value(y, p, classes) for p in each])
        if not (np.isfinite(own).all() and np.isfinite(values).all()):
            raise IntervalError(
                f"{read.name} is not defined in every resample.",
                given=f"{int((~np.isfinite(own)).sum())} of {len(own)} resamples",
                fix="a metric that needs no rows of every class, such as 'brier'",
            )
        return own, values

    def _interval(
        self,
        name: str,
        title: str,
        limits: Limits,
        level: float,
        about: Estimand,
        metric: MetricLike | None = None,
        side: Side = "both",
    ) -> Interval:
        called, ends = self.loss, self.table.range
        if metric is not None:
            read = as_metric(metric, self.table.levels)
            called, ends, about = read.name, read.range, replace(about, risk=read.label)
        limits, clipped = kept_inside(limits, *ends)
        different = [len(np.unique(rows)) for rows, _ in self.plan]
        size = round(float(np.mean(different))) if name == "out_of_bag" else self.plan.n
        return Interval(
            low=limits.low,
            high=limits.high,
            estimate=limits.estimate,
            std_error=limits.std_error,
            level=check_level(level),
            method=name,
            title=title,
            about=about,
            metric=called,
            df=limits.df,
            citation=CITED[name],
            notes=limits.notes,
            clipped=clipped,
            side=side,
            details=limits.details,
            all_rows=AllRows(self.plan.n, size),
        )

    def tidy(self, what: str = "estimate", level: float = 0.95) -> pd.DataFrame:
        """As for cross-validation; "bootstrap": one row per estimate from the resamples."""
        if what != "bootstrap":
            return super().tidy(what, level)
        found = (self.out_of_bag(level), self.boot632(level=level), self.boot632_plus(level),
                 self.optimism(level=level))  # fmt: skip
        return pd.DataFrame([one.row() for one in found])


CITED = {
    "out_of_bag": ("efron1997",),
    ".632": ("efron1983",),
    ".632+": ("efron1997",),
    "optimism": ("harrell1996", "noma2021"),
}


def bootstrapped(setting: Setting, learner: Learner, label: str, **more: Any) -> BootstrapResult:
    """Fit to every resample and to all rows, predict all rows with each."""
    plan, n = setting.plan, setting.plan.n
    _warn_of_missing_classes(setting)
    everything, fits = np.arange(n), len(plan) + 1
    whole = FoldPlan(
        n,
        np.tile(everything, fits),
        np.arange(fits + 1) * n,
        np.arange(fits),
        np.zeros(fits, dtype=np.int64),
        "bootstrap",
        plan.recipe,
        (*(rows for rows, _ in plan), everything),
        groups=plan.groups,
    )
    outcome = replace(setting, plan=whole).run(learner, label=label, **more)
    table = outcome.table
    assert table is not None
    tested = np.concatenate([i * n + test for i, (_, test) in enumerate(plan)])
    left_out = replace(
        outcome,
        kept=_rows_of(table, plan, tested),
        details=outcome.details[:-1],
        inner_plans=outcome.inner_plans[: len(plan)],
    )
    return BootstrapResult.made(
        setting,
        learner,
        left_out,
        everywhere=table,
        no_information=no_information(setting.loss, table),
    )


def _rows_of(table: LossTable, plan: FoldPlan, which: IntArray) -> LossTable:
    """The losses of some rows, as those of a plan."""
    p = table.predictions
    assert p is not None
    prob = None if p.prob is None else p.prob[:, which]
    kept = Predictions(p.values[:, which], prob, p.detail)
    return replace(table, plan=plan, losses=table.losses[which], predictions=kept, seal="")


def no_information(loss: Loss, table: LossTable) -> float:
    """The mean loss of the last fit over all pairs of a response and a prediction."""
    p, n, y = table.predictions, table.plan.n, table.y
    assert p is not None
    assert y is not None
    last = Predictions(p.values[:, -n:], None if p.prob is None else p.prob[:, -n:])
    if not np.isfinite(last.values).all():
        return float("nan")
    values, counts = np.unique(y, return_counts=True)
    each = [loss.pointwise(np.full(n, v, dtype=y.dtype), last).mean() for v in values]
    return float(counts @ np.array(each) / n)


def _warn_of_missing_classes(setting: Setting) -> None:
    """Say which resamples have no row of a class: their fits cannot predict it."""
    response, plan = setting.task.response, setting.plan
    if not response.levels:
        return
    missing = [set(range(len(response.levels))) - {*response.values[rows]} for rows, _ in plan]
    without = [i for i, some in enumerate(missing) if some]
    if without:
        names = " or ".join(sorted({repr(response.levels[c]) for some in missing for c in some}))
        problem = f"{len(without)} of {len(plan)} resamples have no row of {names}."
        fix = "r.rsample.bootstraps(data, times, strata=...) draws within classes"
        warn(problem, given=f"first resample {without[0] + 1}", fix=fix)
