"""Learners made of others: their candidates, each prepared by its own learner and formula."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pycvstat.data.task import Task
from pycvstat.errors import warn
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Candidates, Fitted, Learner, Params, Predictions, Prepared, Which
from pycvstat.learners.solution import FitReport
from pycvstat.losses.predictions import Maker
from pycvstat.types import IntArray


class Part(NamedTuple):
    """What is fitted for a candidate: a learner with some parameters, by a formula of its own."""

    learner: Learner
    formula: str | None
    params: Params


class Composed(Learner):
    """A learner whose candidates are other learners, each fitted by its own formula."""

    @abstractmethod
    def part(self, params: Params) -> Part:
        """What is fitted for a candidate."""

    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> Prepared:
        """Prepare every learner and formula once, for all of its candidates."""
        if list(candidates) != [{}]:
            return PreparedParts(self, task, candidates)
        learner, formula, _ = self.part({})
        return learner.prepare(task if formula is None else task.under(formula))

    def fit_task(self, task: Task) -> Fitted:
        """Fit on all rows of a task."""
        learner, formula, _ = self.part({})
        return learner.fit_task(task if formula is None else task.under(formula))

    def check(self, task: Task) -> None:
        """Refuse a task that the learner cannot work on under its formula."""
        learner, formula, _ = self.part({})
        learner.check(task if formula is None else task.under(formula))


class PreparedParts(Prepared):
    """Candidates that are several learners or have several formulas.

    Those of one learner and one formula are prepared together, so that they share what they can.
    """

    def __init__(self, learner: Composed, task: Task, candidates: Sequence[Params]) -> None:
        made = Candidates.of(learner, candidates)
        self.task, self.candidates, self.learners = task, tuple(made), made.learners
        grouped: dict[Any, list[tuple[int, Part]]] = {}
        for i, params in enumerate(made):
            part = learner.part(params)
            grouped.setdefault((id(part.learner), part.formula), []).append((i, part))
        tell_same(list(grouped), task)
        self.places = [[i for i, _ in group] for group in grouped.values()]
        self.parts = [_prepared([part for _, part in group], task) for group in grouped.values()]
        suspects = [j for j, part in enumerate(self.parts) if part.suspect is not None]
        if suspects:
            self.suspect = self.parts[suspects[0]].suspect
            self.repeated = tuple(self.places[j][0] for j in suspects)

    def maker(self) -> Maker | None:
        """That of the first part; of several candidates none has the learning curve."""
        known = self.parts[0].maker()
        return known and replace(known, exact=known.exact and len(self.candidates) == 1)

    def begin(self, plan: FoldPlan, random: Any) -> Sequence[Any]:
        """What the fits of every part draw; None from parts that draw nothing."""
        drawn = [part.begin(plan, random) for part in self.parts]
        if all(one is None for of_part in drawn for one in of_part):
            return super().begin(plan, random)
        return [[of_part[i] for of_part in drawn] for i in range(len(plan))]

    def predict(
        self, train: IntArray, new: IntArray, which: Which = None, context: Any = None
    ) -> Predictions:
        """Fit each candidate by its own learner and formula."""
        asked = list(range(len(self.candidates)) if which is None else which)
        places, found = list[list[int]](), list[Predictions]()
        for j, own in enumerate(self.places):
            if here := [i for i in asked if i in own]:
                drawn = None if context is None else context[j]
                found.append(self.parts[j].predict(train, new, [own.index(i) for i in here], drawn))
                places.append([asked.index(i) for i in here])
        p = joined(found, places)
        return Predictions(p.values, p.prob, _reports([one.detail for one in found], places))

    def predict_plan(self, plan: FoldPlan) -> Predictions | None:
        """All fits at once, where every part has a closed form."""
        found = list[Predictions]()
        for part in self.parts:
            p = part.predict_plan(plan)
            if p is None:
                return None
            found.append(p)
        p = joined(found, self.places)
        details = [one.detail or (None,) * len(plan) for one in found]
        fits = tuple(_reports([one[i] for one in details], self.places) for i in range(len(plan)))
        return Predictions(p.values, p.prob, fits)


def tell_same(keys: Sequence[tuple[int, str | None]], task: Task) -> None:
    """Say that two formulas of one learner have the same terms, in whatever order."""
    seen: dict[Any, str] = {}
    for learner, text in keys:
        one = task.formula if text is None else task.under(text).formula
        terms = frozenset(frozenset(one.expressions[i] for i in t.variables) for t in one.terms)
        what = learner, terms, one.intercept, one.offsets
        if what in seen:
            warn("two formulas are the same model.", given=f"{seen[what]!r} and {one.text!r}")
        seen.setdefault(what, one.text)


def _prepared(parts: Sequence[Part], task: Task) -> Prepared:
    learner, formula, _ = parts[0]
    own = task if formula is None else task.under(formula)
    return learner.prepare(own, Candidates.of(learner, [part.params for part in parts]))


def joined(found: Sequence[Predictions], places: Sequence[Sequence[int]]) -> Predictions:
    """Predictions of several learners in the places of their candidates.

    Examples
    --------
    >>> one, two = (Predictions(np.array([[value]])) for value in (1.0, 2.0))
    >>> joined([one, two], [[1], [0]]).values.ravel()
    array([2., 1.])
    """
    order = np.argsort([i for own in places for i in own])

    def together(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate(arrays)[order]

    probs = [p.prob for p in found if p.prob is not None]
    return Predictions(
        together([p.values for p in found]), together(probs) if len(probs) == len(found) else None
    )


def _reports(details: Sequence[Any], places: Sequence[Sequence[int]]) -> Any:
    """What the learners report of a fit, by candidate; None where none reports anything."""
    if not any(isinstance(detail, tuple) for detail in details):
        return None
    by_place: dict[int, Any] = {}
    for detail, own in zip(details, places, strict=True):
        told = detail if isinstance(detail, tuple) else (FitReport(),) * len(own)
        by_place |= dict(zip(own, told, strict=True))
    return tuple(by_place[i] for i in sorted(by_place))
