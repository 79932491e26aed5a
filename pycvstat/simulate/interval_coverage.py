"""How often intervals cover, by simulation: coverage, width and the side of the misses."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import pandas as pd

from pycvstat.errors import InputError, IntervalError, PycvstatWarning
from pycvstat.errors.checks import Brief, check_level, check_word, is_whole
from pycvstat.folds import FoldPlan, KFold, Splitter
from pycvstat.intervals import Limits, interval
from pycvstat.intervals.coverage import heavy_tails
from pycvstat.intervals.legal import range_of
from pycvstat.intervals.method import find
from pycvstat.losses import LossTable
from pycvstat.rmath.random import Random, as_stream
from pycvstat.run.tasks import Progress, execution_from, progress_line
from pycvstat.simulate.laws import MonteCarlo, at_points
from pycvstat.simulate.like import like as like_data
from pycvstat.simulate.scenarios import Scenario, as_scenario
from pycvstat.types import BoolArray, FloatArray, IntArray
from pycvstat.verbs import Shown

Target = Literal["ER(n)", "ER(m)", "R", "PQ"]
Formula = Callable[..., Limits]
BLOCK = 50  # data sets that share one drawn plan
_SIZE = {"ER(n)": "all rows", "R": "all rows", "ER(m)": "first m rows", "PQ": "folds"}


@dataclass(frozen=True, slots=True)
class Covered:
    """How often the intervals covered one target.

    Parameters
    ----------
    target : str
        With its training size: ``"ER(100)"``, ``"R(100)"``, ``"PQ(90)"``.
    truth : MonteCarlo
        The target; for R and PQ its mean over data sets.
    coverage, too_low, too_high : MonteCarlo
        Shares of intervals that contain the target, lie below it, lie above it.
    warned : float
        Share of those that lie below it whose losses are warned of as heavy in their tails; NaN
        where none does.
    correlation : float
        Of the estimate and the target over data sets; NaN for an expected risk.

    Examples
    --------
    >>> row = coverage("ols_low", sets=50)["R(100)"]
    >>> round(row.coverage.mean + row.too_low.mean + row.too_high.mean, 9)
    1.0
    """

    target: str
    truth: MonteCarlo
    coverage: MonteCarlo
    too_low: MonteCarlo
    too_high: MonteCarlo
    warned: float
    correlation: float


@dataclass(frozen=True, repr=False, slots=True)
class Coverage(Brief, Shown):
    """The result of a coverage simulation; every number with its Monte Carlo error.

    Parameters
    ----------
    scenario, method, folds : str
    level : float
    sets : int
        Data sets, less those that the method refused.
    refused : int
    targets : tuple of Covered
    width, estimate, std_error : MonteCarlo
    excludes_zero : MonteCarlo
        Share of intervals without 0: of differences, the power or size of the test. An empty
        interval covers nothing, and is neither too low nor too high.
    warned : MonteCarlo
        Share of data sets whose losses are warned of.
    seed : int or None
    drawn : FoldPlan
        The folds of the last data sets.

    Examples
    --------
    >>> result = coverage("ols_low", sets=50)
    >>> [row.target for row in result.targets]
    ['ER(100)', 'ER(90)', 'R(100)']
    """

    view: ClassVar[str] = "simulated"

    scenario: str
    method: str
    folds: str
    level: float
    sets: int
    refused: int
    targets: tuple[Covered, ...]
    width: MonteCarlo
    estimate: MonteCarlo
    std_error: MonteCarlo
    excludes_zero: MonteCarlo
    warned: MonteCarlo
    seed: int | None
    drawn: FoldPlan = field(repr=False)

    def __getitem__(self, target: str) -> Covered:
        """The row of a target: ``"ER(100)"``."""
        rows = {row.target: row for row in self.targets}
        check_word("target", target, rows, "there is no such target.")
        return rows[target]

    def tidy(self) -> pd.DataFrame:
        """One row per target; columns that end in _error are Monte Carlo standard errors."""
        return pd.DataFrame([self._row(row) for row in self.targets])

    def glance(self) -> pd.DataFrame:
        """One row: scenario, method, folds, and what does not depend on a target."""
        numbers = ("width", "estimate", "std_error", "excludes_zero", "warned")
        row = self._asked | {"targets": len(self.targets)}
        row |= {name: getattr(self, name).mean for name in numbers}
        return pd.DataFrame([row | {"sets": self.sets, "refused": self.refused, "seed": self.seed}])

    @property
    def _asked(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("scenario", "method", "folds", "level")}

    def _row(self, row: Covered) -> dict[str, Any]:
        numbers: dict[str, MonteCarlo] = {
            name: getattr(row, name) for name in ("coverage", "too_low", "too_high", "truth")
        } | {"width": self.width, "estimate": self.estimate}
        flat = {k: v.mean for k, v in numbers.items()}
        errors = {f"{k}_error": v.std_error for k, v in numbers.items()}
        flat |= {"warned": row.warned, "correlation": row.correlation}
        about = self._asked | {"target": row.target}
        return about | flat | errors | {"sets": self.sets, "seed": self.seed}


def coverage(
    scenario: str | Scenario,
    method: str | Formula = "corrected_t",
    *,
    folds: Splitter | None = None,
    sets: int = 500,
    level: float = 0.95,
    targets: Sequence[Target] = ("ER(n)", "ER(m)", "R"),
    random: Random = 1,
    like: Any = None,
    formula: str | None = None,
    n: int | None = None,
    progress: Progress = "auto",
    **options: Any,
) -> Coverage:
    """Draw data sets, compute the interval on each, and count how often it covers.

    Risks are known: the noise is averaged analytically and the predictors over new points; the
    expected risk at a training size is the mean over all data sets.

    Parameters
    ----------
    scenario : str, Scenario or learner
        A name of `SCENARIOS`, or your own; a learner together with the data that are `like` yours.
    method : str or callable
        An interval method, "auto", or a formula of your own ``(table, level) -> Limits``.
    folds : splitter, optional
        The usual one for the method by default. It must not have a seed: plans are drawn anew for
        every 50 data sets.
    sets : int
        Number of data sets.
    level : float
    targets : sequence of {"ER(n)", "ER(m)", "R", "PQ"}
        Expected risk at the size of the data and at that of the training sets, risk of the model
        fitted on all rows, mean risk of the models of the folds.
    random : int, RRandom, numpy.random.Generator, optional
    like : DataFrame, optional
        Data whose rows are drawn with replacement; responses are the prediction of the learner,
        fitted to all of them, plus an error of an out-of-fold prediction.
    formula : str, optional
        Of these data.
    n : int, optional
        Rows of each data set drawn from them, as many as they have by default.
    progress : bool or "auto"
        Show a progress line: always, never, or only on a terminal.
    **options
        Of the method.

    Returns
    -------
    Coverage

    Examples
    --------
    >>> result = coverage("ols", "corrected_t", sets=100, random=1)
    >>> result["ER(100)"].coverage.mean
    0.9
    >>> from pycvstat.data import mtcars
    >>> from pycvstat.learners.ols import OLS
    >>> coverage(OLS(), "auto", like=mtcars(), formula="mpg ~ wt", sets=20).glance()["sets"].item()
    20
    """
    level, wanted = check_level(level), _targets(targets)
    if not is_whole(sets) or sets < 2:
        raise InputError("sets must be a whole number of at least 2 data sets.", given=repr(sets))
    sets = int(sets)
    stream = as_stream(random)
    case = as_scenario(scenario) if like is None else like_data(scenario, like, formula, n)
    name = method if isinstance(method, str) else getattr(method, "__name__", "formula")
    splitter = folds if folds is not None else KFold(10)
    read: Any = method
    if isinstance(method, str):
        read = _usual if method == "auto" else find(method).formula
        splitter = splitter if folds is not None or method == "auto" else find(method).folds
    limits, truths, heavy = [], [], []
    show = execution_from(progress=progress).progress
    with progress_line(show, total=sets, done=0, label=f"coverage of {name}") as line:
        for start in range(0, sets, BLOCK):
            plan = splitter.plan(case.n, groups=case.groups, random=stream)
            X, y = case.draw(stream, min(BLOCK, sets - start))
            points, trained = case.points(stream, len(y)), _trained(wanted, plan)
            fitted = [rows for one in trained.values() for rows in one]
            fits = at_points(fitted, case.n, len(points[0]))
            ends = np.cumsum([len(one) for one in trained.values()])[:-1]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PycvstatWarning)
                for a, b, at in zip(X, y, points, strict=True):
                    table, risks = case.cross_validated(a, b, at, plan, fits)
                    limits.append(_limits(case, read, table, level, options))
                    heavy.append(bool(heavy_tails(table)))
                    means = [part.mean() for part in np.split(risks, ends)]
                    of_size = dict(zip(trained, means, strict=True))
                    truths.append([of_size[_SIZE[target]] for target in wanted])
                    line.update()
    labels = [_label(t, case.n, plan) for t in wanted]
    by_target = dict(zip(labels, np.array(truths).T, strict=True))
    asked = {"scenario": case.name, "method": name, "level": level, "seed": stream.seed}
    asked |= {"folds": plan.recipe, "drawn": plan}
    return _count(np.array(limits), by_target, np.array(heavy), **asked)


def _usual(table: LossTable, level: float) -> Any:
    return interval(table, level=level)


def _limits(
    case: Scenario, formula: Formula, table: LossTable, level: float, options: dict[str, Any]
) -> tuple[float, float, float, float]:
    """low, high, estimate and std_error; NaN where the method refused.

    Only the limits are NaN where the method's test rejects every value.
    """
    try:
        limits = formula(table, level, **options)
    except IntervalError:
        return (np.nan,) * 4
    low, high = max(limits.low, case.range[0]), min(limits.high, case.range[1])
    return low, high, limits.estimate, limits.std_error


def _trained(targets: Sequence[Target], plan: FoldPlan) -> dict[str, list[IntArray]]:
    """The training rows of the models that targets are about, by size."""
    rows = np.arange(plan.n)
    found: dict[str, list[IntArray]] = {}
    for size in dict.fromkeys(_SIZE[target] for target in targets):
        if size == "folds":
            found[size] = [plan.train_rows(i) for i in range(len(plan))]
        else:
            found[size] = [rows if size == "all rows" else rows[: plan.n_train[0]]]
    return found


def _label(target: Target, n: int, plan: FoldPlan) -> str:
    if target == "PQ":
        return f"PQ({range_of(plan.n_train)})"
    if target == "ER(m)":
        return f"ER({int(plan.n_train[0])})"
    return f"{'R' if target == 'R' else 'ER'}({n})"


def _count(
    limits: FloatArray, truths: dict[str, FloatArray], heavy: BoolArray, **asked: Any
) -> Coverage:
    usable = ~np.isnan(limits[:, 2])
    if usable.sum() < 2:
        raise IntervalError(
            "the method refused nearly every data set.", given=f"{int((~usable).sum())} refused"
        )
    low, high, estimate, std_error = limits[usable].T
    rows = []
    for target, values in truths.items():
        truth = np.full(len(values), values.mean()) if target.startswith("ER") else values
        true = truth[usable]
        covers = (low <= true) & (true <= high)  # an empty interval does not
        seen, varies = heavy[usable][high < true], np.ptp(true) > 0 and np.ptp(estimate) > 0
        rows.append(
            Covered(
                target,
                truth=MonteCarlo.of(values),
                coverage=MonteCarlo.of(covers),
                too_low=MonteCarlo.of(high < true),
                too_high=MonteCarlo.of(low > true),
                warned=float(seen.mean()) if seen.size else np.nan,
                correlation=float(np.corrcoef(estimate, true)[0, 1]) if varies else np.nan,
            )
        )
    return Coverage(
        **asked,
        sets=int(usable.sum()),
        refused=int((~usable).sum()),
        targets=tuple(rows),
        width=MonteCarlo.of(np.fmax(high - low, 0.0)),
        estimate=MonteCarlo.of(estimate),
        std_error=MonteCarlo.of(std_error),
        excludes_zero=MonteCarlo.of(~((low <= 0) & (high >= 0))),
        warned=MonteCarlo.of(heavy[usable]),
    )


def _targets(targets: Sequence[Target]) -> list[Target]:
    wanted: list[Any] = list(targets) or ["none"]
    for target in wanted:
        check_word("target", target, get_args(Target), "there is no such target.")
    return wanted
