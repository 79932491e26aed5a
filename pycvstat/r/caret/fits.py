"""A method of train prepared for the engine: pre-processing and seeds are part of every fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pycvstat.data.task import Task
from pycvstat.folds import FoldPlan
from pycvstat.learners.base import Predictions, Prepared, Which
from pycvstat.learners.solution import Outcome, Sample, stacked
from pycvstat.losses import Maker
from pycvstat.r.caret import preprocess
from pycvstat.r.caret.methods import Method, Predict, Tune
from pycvstat.r.session import stream
from pycvstat.rmath.random import RRandom
from pycvstat.types import BoolArray, FloatArray, IntArray

CONSTANT = "(Intercept)"


class Fits:
    """The fits of some candidates to the same rows.

    Parameters
    ----------
    kept : (p,) bool
        The predictors that pre-processing left.
    change : callable
        What is done to predictors before they are used.
    models : list of callable
        The predictions of each candidate.
    """

    def __init__(self, kept: BoolArray, change: preprocess.Change, models: list[Predict]) -> None:
        self.kept, self.change, self.models = kept, change, models

    def predict(self, X: FloatArray, draws: Sequence[RRandom]) -> list[Outcome]:
        """Predict rows (m, p), each candidate with its own draws."""
        changed = self.change(X)
        return [model(changed, stream) for model, stream in zip(self.models, draws, strict=True)]


class PreparedTrain(Prepared):
    """A method of train on the predictors of a task.

    Attributes
    ----------
    X : (n, p) float64
        The design of all rows, without the constant.
    loop : list of int
        The candidates' places among the seeds of a fit: those that share a fit share one.
    seeds : (fits, loop) int64
    """

    def __init__(
        self, method: Method, task: Task, candidates: Sequence[Tune], steps: tuple[str, ...] = ()
    ) -> None:
        self.method, self.task, self.candidates, self.steps = method, task, tuple(candidates), steps
        self.X, self.columns = self.without_constant(task.design())
        alone = [{k: v for k, v in one.items() if k != method.together} for one in candidates]
        distinct = [one for i, one in enumerate(alone) if one not in alone[:i]]
        self.loop = [distinct.index(one) for one in alone]
        self.seeds: IntArray = np.zeros((0, 0), dtype=np.int64)
        self._kind = stream().sample_kind

    @property
    def order(self) -> list[int]:
        """The candidates as train fits them: of those that share a fit the largest value first."""
        size = [one.get(self.method.together, 0) for one in self.candidates]
        top = dict.fromkeys(self.loop, 0.0)
        for loop, value in zip(self.loop, size, strict=True):
            top[loop] = max(top[loop], value)
        return sorted(range(len(size)), key=lambda c: (self.loop[c], size[c] < top[self.loop[c]]))

    @staticmethod
    def without_constant(design: Any) -> tuple[FloatArray, tuple[str, ...]]:
        """The columns of a design, and their names, as train hands them to a method."""
        kept = [name != CONSTANT for name in design.columns]
        return design.X[:, kept], tuple(name for name in design.columns if name != CONSTANT)

    def changed(self, rows: IntArray) -> tuple[BoolArray, preprocess.Change, Sample]:
        """What pre-processing learns from these rows, and what it makes of them."""
        response = self.task.response
        y = response.values[rows].astype(np.float64)
        weights = None if self.task.weights is None else self.task.weights[rows]
        sample = Sample(self.X[rows], y, self.columns, response.levels, weights, intercept=False)
        kept, change = preprocess.learned(self.steps, sample.X, self.columns)
        X = change(sample.X)
        names = tuple(f"PC{i + 1}" for i in range(X.shape[1]))
        if "pca" not in self.steps:
            names = sample.named(kept)
        return kept, change, replace(sample, X=X, columns=names)

    def fitted(self, rows: IntArray, tunes: Sequence[Tune]) -> Fits:
        """What these rows give."""
        kept, change, sample = self.changed(rows)
        return Fits(kept, change, self.method.fit(sample, tunes))

    def maker(self) -> Maker:
        """Of a method of train the columns are known."""
        return Maker(len(self.columns))

    def begin(self, plan: FoldPlan, random: Any) -> Sequence[Any]:
        """The seeds of each fit."""
        return [*self.seeds, None]

    def predict(
        self, train: IntArray, new: IntArray, which: Which = None, context: Any = None
    ) -> Predictions:
        """Fit each candidate on the rows `train` and predict the rows `new`."""
        places = range(len(self.candidates)) if which is None else which
        fits = self.fitted(train, [dict(self.candidates[c]) for c in places])
        draws = [RRandom(int(context[self.loop[c]]), self._kind) for c in places]
        return stacked(fits.predict(self.X[new], draws))
