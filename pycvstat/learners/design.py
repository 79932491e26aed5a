"""Learners on a design matrix: formula in, matrix to the arithmetic, predictions row by row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.data.formula import Design, FittedEncoder
from pycvstat.data.frame import Frame, read
from pycvstat.data.task import Task
from pycvstat.errors import FitError, InputError, PycvstatError, note, telling, warn
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.aliased import LEVELLED, warn_once
from pycvstat.learners.base import Fitted, Learner, Params, Predictions, Prepared, Which, spread
from pycvstat.learners.missing import NA, tell_missing
from pycvstat.learners.solution import (
    FitReport as FitReport,
    Outcome as Outcome,
    Sample as Sample,
    Solution as Solution,
    results_table,
    stacked,
)
from pycvstat.losses.predictions import Maker
from pycvstat.types import BoolArray, FloatArray, IntArray

FEW = 4  # columns that nobody finds many


class DesignLearner(Learner):
    """A learner that sees the data as R's model matrix, intercept included."""

    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    fitted_class: ClassVar[type[FittedDesign]]
    """What a fit to all rows is."""

    shrinks: ClassVar[bool] = False
    """Whether it can use more columns than half of the rows."""

    def maker(self, task: Task) -> Maker:
        """Columns of the design without the constant."""
        design = task.design()
        return Maker(len(design.columns) - design.intercept, one_scale=True)

    @property
    def has_likelihood(self) -> bool:
        """Whether its solutions say their likelihood, by which terms can be selected."""
        return False

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
        tell_wide(self, task.n, design.X.shape[1])
        sample = sample_of(task, design, design.X, np.arange(task.n))
        solution = solved([self], sample)[0]
        with np.errstate(all="ignore"):
            refuse_non_finite(self.name, solution.predict(sample.X, sample.offset).values)
        for text in solution.report.notes:
            warn(text)
        return self.fitted_class(self, task, encoder, sample, solution)


class PreparedDesign(Prepared):
    """A design learner prepared for one task."""

    @cached_property
    def design(self) -> Design:
        """The design of all rows; its columns and offset hold for every fit."""
        return self.task.design("contrasts")

    @cached_property
    def _with_levels(self) -> Frame:
        """The factors and texts among the predictors."""
        frame = self.task.frame.select(self.task.formula.predictors)
        return frame.select([name for name in frame.names if frame[name].kind in LEVELLED])

    def predict(
        self, train: IntArray, new: IntArray, which: Which = None, context: Any = None
    ) -> Predictions:
        """Fit each candidate on the rows `train` and predict the rows `new`."""
        X_train, X_new = self.task.matrices("contrasts", train, new)
        tell_wide(self.learners[0], len(train), X_train.shape[1])
        sample = sample_of(self.task, self.design, X_train, train)
        solutions = solved(self.chosen(which), sample)
        offset = None if self.design.offset is None else self.design.offset[new]
        outcomes = [solution.predict(X_new, offset) for solution in solutions]
        if any(one.report.notes or one.report.aliased for one in solutions):
            frames = self._with_levels.take(train), self._with_levels.take(new)
            warn_once(self.learners[0], solutions, sample, X_new, *frames)
        return stacked(outcomes, tuple(solution.report for solution in solutions))


@contextmanager
def _theirs(what: str) -> Iterator[None]:
    """Where statsmodels computes for a fit, and may not be able to: our error says so."""
    try:
        with np.errstate(all="ignore"):
            yield
    except PycvstatError:
        raise
    except Exception as error:
        problem, fix = f"statsmodels has no {what} of this fit.", "use tidy() and predict()"
        if isinstance(error, NotImplementedError):
            raise InputError(problem, fix=fix) from None
        fix += ", or, where columns have extreme sizes, change their unit"
        raise FitError(problem, given=telling(error), fix=fix) from error


class FittedRegression(Fitted):
    """A fitted model with coefficients of the columns of a design matrix."""

    results: Any

    @abstractmethod
    def tidy(self, level: float = 0.95) -> pd.DataFrame:
        """One row per coefficient: term, estimate, std_error, statistic, p_value, conf_low, ..."""

    def summary(self) -> Any:
        """The summary of statsmodels; it prints itself."""
        with _theirs("summary"):
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
                return results_table(self.results, self.columns, kept, [], level)
            return self._solution.table(self._sample, level)

    @cached_property
    def results(self) -> Any:
        """The results object of statsmodels: summary, diagnostics, predictions with intervals.

        It holds our coefficients, of the columns that have one.
        """
        covariance = self.learner.covariance(self.task)
        with _theirs("results"):
            try:
                return self._solution.results(self._sample, **covariance)
            except (ValueError, TypeError) as error:
                if not covariance:
                    raise
                problem = "statsmodels does not make this covariance."
                given = f"{self.learner!r}: {telling(error)}"
                fix = "see cov_type and cov_kwds of get_robustcov_results"
                raise FitError(problem, given=given, fix=fix) from error

    def answers(self, new: Any, na: NA) -> tuple[FloatArray, FloatArray | None, BoolArray]:
        """Predict the rows without a missing predictor."""
        frame = read(new)
        design = self._encoder.matrix(frame)
        known: BoolArray = np.asarray(np.isfinite(design.X).all(axis=1))
        if design.offset is not None:
            known &= np.isfinite(design.offset)
        tell_missing(known, na)
        frames = (one.select(self.task.formula.predictors) for one in (self.task.frame, frame))
        warn_once(self.learner, [self._solution], self._sample, design.X[known], *frames)
        offset = None if design.offset is None else design.offset[known]
        with np.errstate(all="ignore"):
            outcome = self._solution.predict(design.X[known], offset)
        refuse_non_finite(self.learner.name, spread(outcome.values, known, 0.0))
        return outcome.values, outcome.prob, known


DesignLearner.fitted_class = FittedDesign


def shares_rows(task: Task, plan: FoldPlan) -> bool:
    """Whether every fit trains on all rows that it does not test, with one design for all."""
    return plan.train is None and task.encoder("contrasts").stateless


def tell_wide(learner: Any, n: int, width: int) -> None:
    """Say that the columns are many for n training rows."""
    if not learner.shrinks and width > max(FEW, n / 2):
        note(
            f"{learner.name} has {width} columns to fit to {n} rows: leave some out, or use Ridge, "
            "Lasso or ElasticNet.",
            about="columns",
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
        design.assign,
        task.formula.terms,
    )


def solved(learners: Sequence[DesignLearner], sample: Sample) -> list[Solution]:
    """Fit the settings of one learner; numerical breakdowns become FitError."""
    try:
        with np.errstate(all="ignore"):
            return type(learners[0]).solve_all(learners, sample)
    except (np.linalg.LinAlgError, FloatingPointError, OverflowError) as error:
        problem = f"{learners[0].name} broke down numerically."
        fix = "look for columns that are nearly copies of others, or of extreme size"
        raise FitError(problem, given=f"{type(error).__name__}: {error}", fix=fix) from None


SMALLEST = 1e-140  # the square still has all its digits, and so has its inverse


def refuse_extreme(name: str, X: FloatArray, columns: Sequence[str]) -> None:
    """Refuse columns whose squares leave the range of numbers.

    Examples
    --------
    >>> refuse_extreme("Lasso", np.array([[1e-100], [0.0]]), ["x"])
    """
    size = np.abs(X).max(axis=0, initial=0.0)
    bad = (size > 0) & ((size < SMALLEST) | (size > 1 / SMALLEST))
    if bad.any():
        place = int(bad.argmax())
        problem = f"{name} cannot use a column whose squares leave the range of numbers."
        given = f"{columns[place]}, with values up to {size[place]:.3g} in size"
        raise FitError(problem, given=given, fix="change the unit of the column")


def refuse_non_finite(name: str, values: FloatArray) -> None:
    """Predictions that left the range of numbers: R gives them as NaN or Inf."""
    bad = ~np.isfinite(values)
    if bad.any():
        raise FitError(
            f"{name} gives predictions that are not finite.",
            given=f"{int(bad.sum())} of {len(bad)} rows, the first is row {bad.argmax() + 1} "
            "(counted from 1)",
            fix="change the unit of columns of extreme size",
        )
