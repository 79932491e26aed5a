"""The interval that every method returns, what it is about, and the model trained on all rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.errors import InputError
from pycvstat.intervals.limits import Limits, Side, two_sided_p
from pycvstat.intervals.method import Method, Target
from pycvstat.losses import Table
from pycvstat.losses.table import Sealed
from pycvstat.types import FloatArray
from pycvstat.verbs import Tabled, Verbs


@dataclass(frozen=True, slots=True)
class Estimand:
    """What an interval is about.

    Parameters
    ----------
    kind : {"ER", "R", "PQ", "R and ER"}
        Expected risk, risk of the fitted model, or K-fold test error.
    size : str
        The number of training rows: "90", or "89 to 90".
    of : str
        The learner.
    folds, times : int
        Of a K-fold test error: the number of folds, and of partitions.
    before, after : str
        What a metric or a comparison makes of the risk.
    risk : str
        What it is called: that of a metric by the metric's name.

    Examples
    --------
    >>> about = Estimand("ER", "90")
    >>> about.short, about.words(of="OLS")
    ('ER(90)', 'expected risk of OLS trained on 90 rows, averaged over training sets')
    >>> str(Estimand("R", "67"))
    'risk of the model trained on these 67 rows (R(67))'
    """

    kind: Target
    size: str
    of: str = "the learner"
    folds: int = 0
    times: int = 1
    before: str = ""
    after: str = ""
    risk: str = "risk"

    @property
    def short(self) -> str:
        """The kind with the training size."""
        return " and ".join(f"{kind}({self.size})" for kind in self.kind.split(" and "))

    def words(self, of: str = "", risk: str = "") -> str:
        """The same in words, with another name of the learner or of the risk."""
        return self.before + self._risk(of or self.of, risk or self.risk) + self.after

    def _risk(self, of: str, risk: str) -> str:
        if self.kind == "ER":
            return (
                f"expected {risk} of {of} trained on {self.size} rows, averaged over training sets"
            )
        if self.kind == "R and ER":
            return (
                f"{risk} of the model fitted on all {self.size} rows, and expected risk of {of} "
                f"trained on {self.size} rows"
            )
        if self.kind == "R":
            return f"{risk} of the model trained on these {self.size} rows"
        repeats = "" if self.times == 1 else f", averaged over {self.times} partitions"
        return (
            f"{self.folds}-fold test error: mean {risk} of the {self.folds} models of this "
            f"partition, each trained on {self.size} rows{repeats}"
        )

    def __str__(self) -> str:
        return f"{self.words()} ({self.short})"


@dataclass(frozen=True, slots=True)
class AllRows:
    """The model trained on all rows, beside what an interval is about.

    Parameters
    ----------
    n, m : int
        All rows, and those that the models of the interval were trained on.
    shift, error : float, optional
        Expected risk at n rows less that at m, and its standard error, where they are known.
    by : str
        How they are known.
    follows : float, optional
        The correlation of the estimate and the model's own risk over data sets.
    where : str
        Where that was simulated.

    Examples
    --------
    >>> print(AllRows(100, 90, -0.3, 0.1, "by the learning curve", 0.05, "OLS, n = 100, p = 10"))
    The model that will be used is trained on all 100 rows: its expected risk is 0.3 ± 0.1 lower, \
by the learning curve; its own risk R(100) hardly follows the estimate from data set to data set \
(correlation 0.05 in the nearest simulation: OLS, n = 100, p = 10).
    """

    n: int
    m: int
    shift: float | None = None
    error: float = 0.0
    by: str = ""
    follows: float | None = None
    where: str = ""

    def __str__(self) -> str:
        start = f"The model that will be used is trained on all {self.n} rows"
        return f"{start}: {self.moved}{self.own}."

    @property
    def moved(self) -> str:
        """How its expected risk differs."""
        if self.m == self.n:
            return "the size that this is about"
        if self.shift is None:
            return "its expected risk is usually a little better (a learning curve says how much)"
        way = "lower" if self.shift <= 0 else "higher"
        return f"its expected risk is {abs(self.shift):.2g} ± {self.error:.1g} {way}, {self.by}"

    @property
    def own(self) -> str:
        """How the estimate follows its own risk."""
        if self.follows is None:
            return ""
        how = "hardly follows" if abs(self.follows) < 0.35 else "follows in part"
        return (
            f"; its own risk R({self.n}) {how} the estimate from data set to data set (correlation "
            f"{self.follows:.2f} in the nearest simulation: {self.where})"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """One score per fit, with the sizes of its training and test rows."""

    values: FloatArray
    n_train: FloatArray
    n_test: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What an interval was asked for, so that R can be asked the same.

    Parameters
    ----------
    table : LossTable, FoldMeans or Scores
    metric : str, optional
        The name of the metric, where it is not the mean loss.
    options : mapping
        Of the method, without a generator.
    given : str
        What of the table was computed from the losses before.
    """

    table: Table | Scores
    metric: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    given: str = ""


@dataclass(frozen=True, eq=False)
class Interval(Sealed, Verbs, Tabled):
    """A confidence interval that says what it is about.

    Parameters
    ----------
    low, high : float
        NaN where no interval is known to be valid, and of an empty set; the notes say why.
    estimate : float
        The centre; it may differ from ``result.estimate`` (pooled, debiased).
    std_error : float
        NaN where the method has none.
    level : float
        Nominal confidence level.
    method, title : str
        The name of the method and how to print it.
    about : Estimand
        What the interval is about; `estimand` says it in words, `target` in short.
    metric : str
        The loss or metric.
    df : float
        Degrees of freedom; infinite for the normal distribution, NaN where neither applies.
    citation : tuple of str
        Keys of the bibliography: the method, and the package where one computes it.
    known : str
        How liberal or wide the method is known to be on such a plan.
    chosen : str
        Why ``method="auto"`` chose it; empty when asked for by name.
    notes : tuple of str
    clipped : bool
        Whether an end was moved to the end of the metric's range.
    empty : bool
        Whether the test behind the limits rejects every value.
    log : bool
        Whether it is symmetric on the scale of logarithms.
    side : {"both", "upper", "lower"}
        "upper" and "lower": one bound of this level, the other end is that of the range.
    details : mapping
        Numbers behind the interval, by name.
    source : LossTable or FoldMeans, optional
        The losses it was read from, when it is about their mean.
    asked : Asked, optional
        What was asked for.
    all_rows : AllRows, optional
        How this relates to the model trained on all rows.

    Examples
    --------
    >>> from pycvstat.intervals import corrected_t
    >>> interval = corrected_t([0.2, 0.3, 0.1, 0.25, 0.15], n_train=80, n_test=20)
    >>> interval
    Interval(0.2, 95 % from 0.0528 to 0.347, ER(80), corrected_t)
    """

    view: ClassVar[str] = "interval"
    counterpart: ClassVar[str] = "intervals_in_r.of_interval"
    stored: ClassVar[str] = "stored interval"

    low: float
    high: float
    estimate: float
    std_error: float
    level: float
    method: str
    title: str
    about: Estimand
    metric: str = "loss"
    df: float = math.inf
    citation: tuple[str, ...] = ()
    known: str = ""
    chosen: str = ""
    notes: tuple[str, ...] = ()
    clipped: bool = False
    empty: bool = False
    log: bool = False
    side: Side = "both"
    details: Mapping[str, Any] = field(default_factory=dict)
    source: Table | None = field(default=None, repr=False)
    asked: Asked | None = field(default=None, repr=False)
    all_rows: AllRows | None = field(default=None, repr=False)
    seal: InitVar[str] = ""

    def _numbers(self) -> list[Any]:
        ends = [self.low, self.high, self.estimate, self.std_error, self.level, self.df]
        ends += [self.clipped, self.empty, self.log]
        return [
            np.array(ends, dtype=np.float64),
            np.array([repr(dict(self.details)), repr(self.all_rows)], dtype=object),
        ]

    @property
    def estimand(self) -> str:
        """What the interval is about, in words, with the training size."""
        return str(self.about)

    @property
    def target(self) -> str:
        """The same in short: ``"ER(90)"``, ``"R(67)"``, ``"PQ(90)"``."""
        return self.about.short

    @property
    def without(self) -> bool:
        """Whether there are no limits, because none are known to be valid."""
        return math.isnan(self.low) and not self.empty

    @property
    def width(self) -> float:
        """The length of the interval."""
        return self.high - self.low

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided p value of the hypothesis that the estimand equals `null`.

        Examples
        --------
        >>> from pycvstat.intervals import corrected_t
        >>> round(corrected_t([0.2, 0.3, 0.1, 0.25, 0.15], 80, 20).p_value(), 4)
        0.0196
        """
        if math.isnan(self.std_error) or math.isnan(self.df):
            return math.nan
        if self.log:
            distance = math.log(self.estimate / null) * self.estimate if null > 0 else math.inf
        else:
            distance = self.estimate - null
        return two_sided_p(distance / self.std_error, self.df)

    def row(self) -> dict[str, Any]:
        """What every table has of an interval: no limits without target, method and notes."""
        return {
            "estimate": self.estimate,
            "std_error": self.std_error,
            "conf_low": self.low,
            "conf_high": self.high,
            "level": self.level,
            "method": self.method,
            "target": self.target,
            "metric": self.metric,
            "notes": "; ".join(self.notes),
        }

    def tidy(self) -> pd.DataFrame:
        """One row: estimate, std_error, limits, level, method, target, metric, notes."""
        return pd.DataFrame([self.row()])

    def glance(self) -> pd.DataFrame:
        """One row: what `tidy` has, with degrees of freedom, estimand, why the method, ..."""
        row = self.tidy()
        row["df"], row["estimand"] = self.df, self.estimand
        row["clipped"], row["chosen"] = self.clipped, self.chosen
        row["all_rows"] = str(self.all_rows or "")
        return row

    def augment(self) -> pd.DataFrame:
        """The losses it was read from, one row each: repeat, fold, row, loss, deviation.

        Fold means where only those were kept. The deviation is from the estimate.
        """
        if self.source is None:
            raise InputError(
                "this interval was not read from losses: it has no rows to show.",
                given=f"{self.method} for {self.metric}",
                fix="augment() of the result that it came from",
            )
        rows = self.source.tidy()
        rows["deviation"] = rows["loss"] - self.estimate
        return rows

    def __repr__(self) -> str:
        if self.without:
            return f"Interval({self.estimate:.4g}, no limits, {self.target}, {self.method})"
        ends = {
            "both": f"from {self.low:.3g} to {self.high:.3g}",
            "upper": f"up to {self.high:.3g}",
        }
        said = ends.get(self.side, f"from {self.low:.3g} on")
        level = f"{self.level * 100:g} %"
        return f"Interval({self.estimate:.4g}, {level} {said}, {self.target}, {self.method})"


def interval_of(
    method: Method, limits: Limits, level: float, about: Estimand, **more: Any
) -> Interval:
    """The interval of a method that gave these limits."""
    return Interval(
        low=limits.low,
        high=limits.high,
        estimate=limits.estimate,
        std_error=limits.std_error,
        level=level,
        method=method.name,
        title=method.title,
        about=about,
        df=limits.df,
        log=limits.log,
        citation=method.citation,
        notes=limits.notes,
        details=limits.details,
        empty=limits.empty,
        **more,
    )
