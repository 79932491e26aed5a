"""Learners on a design matrix: formula in, matrix to the arithmetic, predictions row by row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pycvstat.data.formula import Design, FittedEncoder
from pycvstat.data.frame import read
from pycvstat.data.task import Task
from pycvstat.errors import FitError, InputError, warn
from pycvstat.learners.base import Fitted, Learner, Params, Predictions, Prepared
from pycvstat.learners.coefficients import coefficient_table
from pycvstat.learners.missing import NA, tell_missing
from pycvstat.learners.out_of_range import refuse_non_finite
from pycvstat.learners.statsmodels.results import table
from pycvstat.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd


FEW = 4  # columns that nobody finds many
ROUNDING = 1e-13  # a share of the size of a column that rounding explains


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Training rows as the arithmetic of a learner sees them.

    Parameters
    ----------
    X : (n, p) float64
    y : (n,) float64
        Numbers, or class codes 0, 1, ...
    columns : tuple of str
    levels : tuple of str
        The classes; empty for a continuous response.
    weights, offset : (n,) float64, optional
    intercept : bool
        Whether the first column of X is the constant.
    response : str
        Its name.
    """

    X: FloatArray
    y: FloatArray
    columns: tuple[str, ...]
    levels: tuple[str, ...] = ()
    weights: FloatArray | None = None
    offset: FloatArray | None = None
    intercept: bool = True
    response: str = "y"


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Predictions of one fit for m rows: values (m,), and class probabilities (m, L)."""

    values: FloatArray
    prob: FloatArray | None = None


def stacked(outcomes: Sequence[Outcome], detail: Any = None) -> Predictions:
    """The predictions of several candidates of one fit."""
    probs = [outcome.prob for outcome in outcomes if outcome.prob is not None]
    return Predictions(
        np.stack([outcome.values for outcome in outcomes]),
        np.stack(probs) if len(probs) == len(outcomes) else None,
        detail,
    )


@dataclass(frozen=True, slots=True)
class FitReport:
    """What there is to say about one fit.

    Parameters
    ----------
    aliased : tuple of str
        Columns without a coefficient because earlier columns span them (R's NA).
    converged : bool
    iterations : int
        0 for a direct method.
    notes : tuple of str
        What R would warn about.
    """

    aliased: tuple[str, ...] = ()
    converged: bool = True
    iterations: int = 0
    notes: tuple[str, ...] = ()


class Solution:
    """What fitting gives; subclasses say how to predict and what their coefficients are."""

    report: FitReport = FitReport()

    def predict(self, X: FloatArray, offset: FloatArray | None) -> Outcome:
        """Predict the rows of a design (m, p)."""
        raise NotImplementedError

    def table(self, sample: Sample, level: float) -> pd.DataFrame:
        """The coefficients with what is known about their accuracy."""
        raise NotImplementedError

    def results(self, sample: Sample, **covariance: Any) -> Any:
        """The results object of statsmodels at these coefficients."""
        raise InputError(
            "statsmodels has no results for this learner.",
            given=type(self).__name__.removesuffix("Solution"),
            fix="use tidy() and predict()",
        )


class DesignLearner(Learner):
    """A learner that sees the data as R's model matrix, intercept included."""

    kinds: ClassVar[tuple[str, ...]] = ("continuous",)

    shrinks: ClassVar[bool] = False
    """Whether it can use more columns than half of the rows."""

    @abstractmethod
    def solve(self, sample: Sample) -> Solution:
        """Fit to a sample."""

    def covariance(self, task: Task) -> dict[str, Any]:
        """Arguments of a covariance other than the learner's own: cov_type and cov_kwds."""
        return {}

    @classmethod
    def solve_all(cls, learners: Sequence[DesignLearner], sample: Sample) -> list[Solution]:
        """Fit several settings of this learner to one sample."""
        return [learner.solve(sample) for learner in learners]

    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> Prepared:
        """Check the learner against the task; the design matrix is made once for all fits."""
        return PreparedDesign(self, task, candidates)

    def fit_task(self, task: Task) -> FittedDesign:
        """Fit on all rows of a task."""
        self.check(task)
        encoder = task.encoder("contrasts").fit(task.frame)
        design = encoder.matrix(task.frame)
        tell_wide(self, design)
        sample = sample_of(task, design, design.X, np.arange(task.n))
        solution = solved([self], sample)[0]
        with np.errstate(all="ignore"):
            refuse_non_finite(self.name, solution.predict(sample.X, sample.offset).values)
        for note in solution.report.notes:
            warn(note)
        return FittedDesign(self, task, encoder, sample, solution)


class PreparedDesign(Prepared):
    """A design learner prepared for one task."""

    @cached_property
    def design(self) -> Design:
        """The design of all rows; its columns and offset hold for every fit."""
        found = self.task.design("contrasts")
        tell_wide(self.learners[0], found)
        return found

    def predict(
        self,
        train: IntArray,
        new: IntArray,
        which: Sequence[int] | None = None,
        context: Any = None,
    ) -> Predictions:
        """Fit each candidate on the rows `train` and predict the rows `new`."""
        X_train, X_new = self.task.matrices("contrasts", train, new)
        sample = sample_of(self.task, self.design, X_train, train)
        solutions = solved(self.chosen(which), sample)
        offset = None if self.design.offset is None else self.design.offset[new]
        outcomes = [solution.predict(X_new, offset) for solution in solutions]
        warn_once(solutions, sample, X_new)
        return stacked(outcomes, tuple(solution.report for solution in solutions))


class FittedRegression(Fitted):
    """A fitted model with coefficients of the columns of a design matrix."""

    results: Any

    @abstractmethod
    def tidy(self, level: float = 0.95) -> pd.DataFrame:
        """One row per coefficient: term, estimate, std_error, statistic, p_value, conf_low, ..."""

    def summary(self) -> Any:
        """The summary of statsmodels; it prints itself."""
        return self.results.summary()

    @property
    def coefficients(self) -> dict[str, float]:
        """The coefficients by the name of their column."""
        table = self.tidy()
        return dict(zip(table["term"], table["estimate"].astype(float), strict=True))


class FittedDesign(FittedRegression):
    """A fitted design learner.

    Attributes
    ----------
    learner : Learner
    task : Task
        The training rows.
    columns : tuple of str
        The columns of the design matrix.
    report : FitReport
        Aliased columns, convergence, and what R would warn about.
    """

    def __init__(
        self,
        learner: DesignLearner,
        task: Task,
        encoder: FittedEncoder,
        sample: Sample,
        solution: Solution,
    ) -> None:
        self.learner, self.task, self.response = learner, task, task.response
        self.columns, self.report = sample.columns, solution.report
        self._encoder, self._sample, self._solution = encoder, sample, solution

    def tidy(self, level: float = 0.95) -> pd.DataFrame:
        """One row per coefficient: term, estimate, std_error, statistic, p_value, conf_low, ...

        Coefficients that are not estimated (aliased columns) are NaN, and so are the accuracies
        of learners that have none.

        As in R: ``summary(fit)$coefficients``; the intervals are those of ``confint`` for least
        squares and of ``confint.default`` otherwise.
        """
        with np.errstate(all="ignore"):
            if self.learner.covariance(self.task):
                kept = ~np.isin(self.columns, self.report.aliased)
                return table(self.results, self.columns, kept, [], level)
            return self._solution.table(self._sample, level)

    @cached_property
    def results(self) -> Any:
        """The results object of statsmodels: summary, diagnostics, predictions with intervals.

        It holds our coefficients, of the columns that have one.
        """
        with np.errstate(all="ignore"):
            return self._solution.results(self._sample, **self.learner.covariance(self.task))

    def answers(self, new: Any, na: NA) -> tuple[FloatArray, FloatArray | None, BoolArray]:
        """Predict the rows without a missing predictor."""
        design = self._encoder.matrix(read(new))
        known: BoolArray = np.asarray(np.isfinite(design.X).all(axis=1))
        if design.offset is not None:
            known &= np.isfinite(design.offset)
        tell_missing(known, na)
        warn_once([self._solution], self._sample, design.X[known])
        offset = None if design.offset is None else design.offset[known]
        with np.errstate(all="ignore"):
            outcome = self._solution.predict(design.X[known], offset)
        refuse_non_finite(self.learner.name, outcome.values)
        return outcome.values, outcome.prob, known


def tell_wide(learner: DesignLearner, design: Design) -> None:
    """Say that the columns are many for the rows."""
    n, width = design.X.shape
    if not learner.shrinks and width > max(FEW, n / 2):
        warn(
            f"{learner.name} has {width} columns to fit to {n} rows.",
            fix="leave some out, or use Ridge, Lasso or ElasticNet",
        )


def sample_of(task: Task, design: Design, X: FloatArray, rows: IntArray) -> Sample:
    """The rows of a task that a learner is fitted on."""
    if not len(rows):
        raise FitError("There are no training rows.", fix="use folds that leave some")
    weights = None if task.weights is None else task.weights[rows]
    if weights is not None and not (weights > 0).any():
        raise FitError("no training row has a positive weight.", fix="use folds that leave some")
    return Sample(
        X,
        task.response.values[rows].astype(np.float64),
        design.columns,
        task.response.levels,
        weights,
        None if design.offset is None else design.offset[rows],
        design.intercept,
        task.response.name,
    )


def solved(learners: Sequence[DesignLearner], sample: Sample) -> list[Solution]:
    """Fit the settings of one learner; numerical breakdowns become FitError."""
    try:
        with np.errstate(all="ignore"):
            return type(learners[0]).solve_all(learners, sample)
    except (np.linalg.LinAlgError, FloatingPointError, OverflowError) as error:
        raise FitError(
            f"{learners[0].name} broke down numerically.",
            given=f"{type(error).__name__}: {error}",
            fix="look for columns that are nearly copies of others, or of extreme size",
        ) from None


def warn_once(solutions: Sequence[Solution], sample: Sample, X_new: FloatArray) -> None:
    """Say what R would warn about, and when an aliased column matters for the new rows."""
    notes = dict.fromkeys(note for solution in solutions for note in solution.report.notes)
    for aliased in {solution.report.aliased for solution in solutions if solution.report.aliased}:
        notes |= dict.fromkeys(notes_of_aliased(sample, aliased, X_new))
    for note in notes:
        warn(note)


def notes_of_aliased(sample: Sample, aliased: tuple[str, ...], X_new: FloatArray) -> list[str]:
    """What to say of columns without a coefficient, where it changes predictions."""
    left_out = np.isin(sample.columns, aliased)
    X = sample.X if sample.weights is None else sample.X[sample.weights > 0]
    kept, rest = X[:, ~left_out], X[:, left_out]
    shares = np.asarray(np.linalg.lstsq(kept, rest, rcond=None)[0], dtype=np.float64)
    names = ", ".join(aliased[:5])
    count = undetermined(rest, shares, X_new[:, ~left_out], X_new[:, left_out])
    if count:
        return [
            f"the training rows do not determine the coefficients of {names}, on which "
            f"{count} predictions depend; as in R they are left out."
        ]
    gap = np.abs(rest - kept @ shares).max(axis=0, initial=0.0)
    size = np.abs(rest).max(axis=0, initial=0.0)
    size += (np.abs(kept) @ np.abs(shares)).max(axis=0, initial=0.0)
    if (gap <= ROUNDING * size).all():
        return []
    return [
        f"other columns nearly determine {names}; as in R they are left out. Centre or rescale "
        "them if what is left of them matters."
    ]


def undetermined(
    rest: FloatArray, shares: FloatArray, kept_new: FloatArray, rest_new: FloatArray
) -> int:
    """How many new rows do not lie in the space that the training rows span."""
    if not len(rest_new):
        return 0
    gap = np.abs(rest_new - kept_new @ shares)
    size = np.abs(rest).max(axis=0, initial=0.0) + np.abs(rest_new).max(axis=0)
    return int((gap > 1e-7 * np.where(size > 0, size, 1.0)).any(axis=1).sum())


def plain_table(sample: Sample, estimate: FloatArray, level: float) -> pd.DataFrame:
    """A coefficient table of a learner that gives estimates only."""
    unknown = np.full(len(estimate), np.nan)
    return coefficient_table(sample.columns, estimate, unknown, float("nan"), level)
