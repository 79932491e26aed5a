"""Learners whose arithmetic is not ours: what they are given, and what they return, checked."""

from __future__ import annotations

import inspect
import sys
import zlib
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from pycvstat.data.formula import FittedEncoder, quote
from pycvstat.data.frame import Frame, read
from pycvstat.data.response import Response
from pycvstat.data.task import Task
from pycvstat.errors import FitError, InputError, interruptible, telling
from pycvstat.errors.checks import LESS
from pycvstat.learners.base import (
    WITHOUT_WEIGHTS,
    Fitted,
    Learner,
    Params,
    Predictions,
    Prepared,
    Which,
)
from pycvstat.learners.missing import NA, tell_missing
from pycvstat.learners.solution import Outcome, stacked
from pycvstat.types import BoolArray, FloatArray, IntArray

Role = Literal["classifier", "regressor"]


class Wrapped(Learner):
    """What estimators and pairs of functions share."""

    check_state: bool = True
    takes_missing: ClassVar[bool] = True

    @property
    def may_keep(self) -> bool:
        """Whether it might keep something from fit to fit."""
        return self.check_state

    @abstractmethod
    def fresh(self, seed: int) -> Any:
        """A new object with fit and predict that draws from `seed`, where it draws."""

    def at_work(self) -> AbstractContextManager[None]:
        """Around the fit of a fresh object."""
        return nullcontext()

    @property
    def role(self) -> Role | None:
        """Whether it predicts classes or numbers, where it says so."""
        return None

    @property
    def for_classes(self) -> bool:
        """Whether it predicts classes only."""
        return self.role == "classifier"

    @property
    def sees_frames(self) -> bool:
        """Whether it gets the columns as they are instead of the design matrix."""
        return False

    @property
    def takes_the_likeliest(self) -> bool:
        """Whether classes come from the probabilities, and its ``predict`` is not called."""
        return False

    def check(self, task: Task) -> None:
        """Refuse a response of the wrong kind, and formulas that a raw frame cannot carry."""
        kind = task.response.kind
        if (self.role, kind == "continuous") in (("regressor", False), ("classifier", True)):
            known = "numbers" if self.role == "regressor" else "classes"
            fix = (
                "use a classifier, or make the response numeric"
                if self.role == "regressor"
                else f"use a regressor, or data[{task.response.name!r}].astype('category')"
            )
            raise InputError(f"{self.name} predicts {known}, and the response is {kind}.", fix=fix)
        now = replace(self)  # type: ignore[type-var]  # the user's object may have changed
        if task.weights is not None:
            _weights_argument(now.fresh(0), task.weights, self)
        if task.formula.offsets:
            raise InputError(f"{self.name} knows no offset.", given=task.formula.text)
        only_columns = task.formula.labels == tuple(map(quote, task.formula.predictors))
        if not only_columns and now.sees_frames:
            raise InputError(
                f"{self.name} selects columns itself, so the formula can only name columns.",
                given=task.formula.text,
                fix="write y ~ a + b, and transform inside the pipeline",
            )

    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> Prepared:
        """Check the learner against the task."""
        return PreparedWrapped(self, task, candidates)

    def fit_task(self, task: Task) -> FittedWrapped:
        """Fit on all rows of a task."""
        self.check(task)
        rows = np.arange(task.n)
        now = replace(self)  # type: ignore[type-var]  # the user's object may have changed
        if now.sees_frames:
            return FittedWrapped(self, task, None, _fitted(now, raw(task), task, rows))
        encoder = task.encoder("contrasts").fit(task.frame)
        X = predictors(encoder.matrix(task.frame).X, task)
        fitted = _fitted(now, X, task, rows)
        return FittedWrapped(self, task, encoder, fitted)


class PreparedWrapped(Prepared):
    """An estimator or a pair of functions prepared for one task."""

    def __init__(self, learner: Wrapped, task: Task, candidates: Sequence[Params]) -> None:
        super().__init__(learner, task, candidates)
        # what they remember is of now: the user's objects may have changed
        now = {one: replace(one) for one in (learner, *self.learners)}
        self.learners = tuple(now[one] for one in self.learners)
        self.raw = raw(task) if now[learner].sees_frames else None
        self.suspect = learner if now[learner].may_keep else None

    def predict(
        self, train: IntArray, new: IntArray, which: Which = None, context: Any = None
    ) -> Predictions:
        """Fit each candidate on the rows `train` and predict the rows `new`."""
        X_train, X_new = self._predictors(train, new)
        chosen = self.chosen(which)
        return stacked([self._outcome(learner, X_train, X_new, train) for learner in chosen])

    def _outcome(self, learner: Wrapped, X: Any, X_new: Any, train: IntArray) -> Outcome:
        return outcome_of(_fitted(learner, X, self.task, train), X_new, self.task.response, learner)

    def _predictors(self, train: IntArray, new: IntArray) -> tuple[Any, Any]:
        if self.raw is not None:
            return self.raw.iloc[train], self.raw.iloc[new]
        X_train, X_new = self.task.matrices("contrasts", train, new)
        return predictors(X_train, self.task), predictors(X_new, self.task)


class FittedWrapped(Fitted):
    """A fitted estimator.

    Attributes
    ----------
    estimator : object
        The fitted object itself.
    """

    def __init__(
        self, learner: Wrapped, task: Task, encoder: FittedEncoder | None, fitted: Any
    ) -> None:
        self.learner, self.task, self.estimator = learner, task, fitted
        self._encoder = encoder

    def answers(self, new: Any, na: NA) -> tuple[FloatArray, FloatArray | None, BoolArray]:
        """Predict the rows without a missing predictor."""
        frame: Frame = read(new)
        names = self.task.formula.predictors
        known = np.full(frame.n, True) if self.task.incomplete else frame.complete(names)
        if self._encoder is None:
            tell_missing(known, na)
            X: Any = frame.select(names).take(known).to_pandas(as_given=True)
        else:
            matrix = self._encoder.matrix(frame).X
            usable = ~np.isinf(matrix) if self.task.incomplete else np.isfinite(matrix)
            known &= usable.all(axis=1)
            tell_missing(known, na)
            X = predictors(matrix[known], self.task)
        outcome = outcome_of(self.estimator, X, self.task.response, self.learner)
        return outcome.values, outcome.prob, known


def raw(task: Task) -> pd.DataFrame:
    """The columns of the formula as they were given."""
    return task.frame.select(task.formula.predictors).to_pandas(as_given=True)


def predictors(X: FloatArray, task: Task) -> FloatArray:
    """A model matrix without its intercept."""
    return X[:, 1:] if task.formula.intercept else X


def _fitted(learner: Wrapped, X: Any, task: Task, rows: IntArray) -> Any:
    """A fresh object, fitted; whatever it raises becomes a FitError."""
    y = task.response.values[rows]
    made = learner.fresh(zlib.crc32(np.ascontiguousarray(rows, dtype=np.int64).data) >> 1)
    extra = {} if task.weights is None else _weights_argument(made, task.weights[rows], learner)
    try:
        with interruptible(), learner.at_work():
            fitted = made.fit(X, y, **extra)
    except Exception as error:
        raise _failure(learner, "fit", error, X) from error
    return made if fitted is None else fitted


def _weights_argument(made: Any, weights: FloatArray, learner: Wrapped) -> dict[str, Any]:
    """How a fit method takes weights."""
    name = _name_of_weights(made)
    if name is None:
        raise InputError(f"{learner.name} cannot use weights.", fix=WITHOUT_WEIGHTS)
    return {name: weights}


def _name_of_weights(made: Any) -> str | None:
    """The argument of a fit method for weights; pipelines and searches hand them on.

    Where metadata are routed (``set_fit_request``), scikit-learn finds the way itself.
    """
    sklearn = sys.modules.get("sklearn")
    routed = sklearn is not None and sklearn.get_config().get("enable_metadata_routing", False)
    taken = inspect.signature(made.fit).parameters
    if "sample_weight" in taken or (routed and hasattr(made, "get_metadata_routing")):
        return "sample_weight"
    if steps := getattr(made, "steps", None):
        inner = _name_of_weights(steps[-1][1])
        return inner and f"{steps[-1][0]}__{inner}"
    if several := [one for _, one in getattr(made, "estimators", None) or () if one != "drop"]:
        several += [last] if (last := getattr(made, "final_estimator", None)) is not None else []
        all_take = all(_name_of_weights(one) == "sample_weight" for one in several)
        return "sample_weight" if all_take else None
    inside = next((getattr(made, n) for n in ("estimator", "regressor") if hasattr(made, n)), None)
    hands_on = any(p.kind == p.VAR_KEYWORD for p in taken.values())
    return _name_of_weights(inside) if inside is not None and hands_on else None


def outcome_of(fitted: Any, X: Any, response: Response, learner: Wrapped) -> Outcome:
    """The predictions of a fitted object, checked."""
    try:
        proba = getattr(fitted, "predict_proba", None) if response.levels else None
        prob = None if proba is None else np.asarray(proba(X), dtype=np.float64)
        suffices = prob is not None and learner.takes_the_likeliest
        with interruptible():
            found = None if suffices else fitted.predict(X)
    except Exception as error:
        raise _failure(learner, "predict", error, X) from error
    if prob is not None:
        prob = _all_classes(prob, fitted, len(X), response, learner)
        if suffices:
            return Outcome(prob.argmax(axis=1).astype(np.float64), prob)
    values = _numbers(found, len(X), learner)
    if response.levels and not np.isin(values, np.arange(len(response.levels))).all():
        fix = f"predict 0 to {len(response.levels) - 1}, the codes that fit was given"
        given = f"values such as {values[:3].tolist()}"
        raise FitError(f"{learner.name} did not return class codes.", given=given, fix=fix)
    return Outcome(values, prob)


def _numbers(raw: Any, m: int, learner: Wrapped) -> FloatArray:
    try:
        values = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError):
        raise FitError(
            f"{learner.name} did not return numbers.", given=type(raw).__name__
        ) from None
    if values.shape == (m, 1):
        values = values[:, 0]
    if values.shape != (m,):
        problem = f"{learner.name} returned predictions of the wrong shape."
        fix = "return one value per row"
        raise FitError(problem, given=f"shape {values.shape} for {m} rows", fix=fix)
    return values


def _all_classes(
    prob: FloatArray, fitted: Any, m: int, response: Response, learner: Wrapped
) -> FloatArray:
    """Probabilities of all levels; a class that the training rows lack gets 0."""
    seen = np.asarray(getattr(fitted, "classes_", np.arange(len(response.levels)))).astype(int)
    if prob.shape != (m, len(seen)):
        problem = f"{learner.name} returned probabilities of the wrong shape."
        given = f"shape {prob.shape} for {m} rows and {len(seen)} classes"
        raise FitError(problem, given=given, fix="return one column per class")
    full = np.zeros((m, len(response.levels)))
    full[:, seen] = prob
    return full


def _failure(learner: Wrapped, what: str, error: Exception, X: Any) -> FitError:
    missing = bool(np.any(pd.isna(X)))
    fix = "na='omit' leaves rows with missing values out; or impute first: "
    fix += "make_pipeline(SimpleImputer(), ...)"
    advice = LESS if isinstance(error, MemoryError) else fix if missing else None
    return FitError(f"{learner.name} failed to {what}.", given=telling(error), fix=advice)
