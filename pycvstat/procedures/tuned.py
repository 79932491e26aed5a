"""A tuned learner is a learner: fitting it is tuning on what it is given, then retraining."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import Advice, FoldError, InputError, warn
from pycvstat.errors.checks import check_word
from pycvstat.errors.names import EXAMPLES
from pycvstat.folds import as_splitter
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import require_separate
from pycvstat.learners import as_learner
from pycvstat.learners.base import Candidates, Fitted, Learner, Params, Predictions, Prepared, Which
from pycvstat.losses import FoldMeans, Loss, LossTable, Maker, as_loss
from pycvstat.losses.metrics import as_metric, fold_values
from pycvstat.procedures.engine import OnError, Work, describe, fit_one, joined
from pycvstat.procedures.grid import as_candidates
from pycvstat.procedures.notes import where
from pycvstat.procedures.selection import (
    Complexity,
    Rule,
    RuleName,
    Tuning,
    choose,
    needs_one_split,
    read_rule,
)
from pycvstat.rmath.random import as_stream
from pycvstat.types import IntArray

if TYPE_CHECKING:
    from pycvstat.data.task import Task
    from pycvstat.procedures.tune import TuneResult


@dataclass(frozen=True, repr=False)
class Tuned(Learner):
    """A learner whose parameters are chosen inside every training set.

    Parameters
    ----------
    learner : Learner, or a list or dict of learners
    grid : mapping, list of mappings or search
        The candidates; see `tune`. None where one of several learners is chosen.
    inner : splitter, int or "dev"
        How the training rows are split for tuning. ``Holdout(0.2)`` is a development set;
        "dev" is the course's cheap variant of nested CV: under K outer folds a development set of
        a share 1/(K-1) of the training rows.
    rule : {"min", "one_se", "tolerance"}
    complexity, tolerance
        See `Rule`.
    refit : {"all", "train"}
        After tuning, retrain on all rows that were given, or (development set only) keep the
        fit on its training part.
    loss : str or function, optional
        The loss that is minimised; by default the loss of the outer procedure.
    metric : str, Metric or function, optional
        Instead of a loss: the candidate with the best mean of the metric's values by inner fold.
    on_error : {"raise", "warn"}, optional
        What candidates that fail do; by default as in the outer procedure.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> learner = pcv.Tuned(pcv.KNN(), {"k": range(1, 31)}, inner=pcv.Blocks(5))
    >>> learner.name
    'tuned KNN'
    """

    learner: Learner
    grid: Any = None
    inner: Any = None
    rule: RuleName = "min"
    complexity: Complexity | None = None
    tolerance: float = 0.03
    refit: Literal["all", "train"] = "all"
    loss: Any = None
    on_error: OnError | None = None
    metric: Any = None

    def __post_init__(self) -> None:
        if self.inner is None:
            raise InputError(
                "inner is missing: how training rows are split.", fix=EXAMPLES["inner"]
            )
        object.__setattr__(self, "learner", as_learner(self.learner))
        check_word("refit", self.refit, ("all", "train"))
        if self.on_error is not None:
            check_word("on_error", self.on_error, get_args(OnError))
        if self.metric is not None:
            as_metric(self.metric)
        self.selection_rule  # noqa: B018 - refused before any data are read
        object.__setattr__(self, "learner", self.candidates.learner)

    @property
    def name(self) -> str:
        """The name shown in tables and reports."""
        return f"tuned {self.learner.name}"

    @property
    def base(self) -> Learner:
        """The learner whose parameters are chosen."""
        return self.learner.base

    @property
    def for_classes(self) -> bool:
        """Whether its learner predicts classes only."""
        return self.learner.for_classes

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns beside the formula that any of its candidates reads."""
        each = self.candidates.learners
        return tuple(dict.fromkeys(name for one in each for name in one.beside))

    @property
    def formulas(self) -> tuple[str | None, ...]:
        """The formulas of its candidates."""
        return tuple(text for one in self.candidates.learners for text in one.formulas)

    @cached_property
    def candidates(self) -> Candidates:
        """The candidates that are tuned over."""
        return as_candidates(self.grid, self.learner)

    @cached_property
    def selection_rule(self) -> Rule:
        """The rule as an object."""
        return read_rule(self.rule, self.complexity, self.tolerance, self.learner, self.candidates)

    def inside(self, loss: Loss, on_error: OnError) -> Tuned:
        """The same, with the loss and `on_error` of a procedure where it has none of its own."""
        made = copy(self)  # with the candidates, which are drawn once
        object.__setattr__(made, "loss", loss if self.loss is None else self.loss)
        object.__setattr__(made, "on_error", self.on_error or on_error)
        return made

    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> PreparedTuned:
        """Prepare the inner learner for all candidates."""
        if list(candidates) != [{}]:
            problem = "a tuned learner chooses its own parameters, and cannot be tuned again."
            fix = "put all parameters into one grid"
            raise InputError(problem, given=f"{len(candidates)} candidates", fix=fix)
        prepared = self.learner.prepare(task, self.candidates)
        return PreparedTuned(self, task, prepared)

    def tune(self, task: Task, folds: Any, **more: Any) -> TuneResult:
        """Tune on all rows of a task, over these folds."""
        from pycvstat.procedures.tune import tune

        return tune(
            self.learner,
            data=task,
            grid=self.candidates,
            folds=folds,
            rule=self.rule,
            complexity=self.complexity,
            tolerance=self.tolerance,
            metric=self.metric,
            keep="fold_means",
            **more,
        )

    def fit_task(self, task: Task) -> Fitted:
        """Tune on all rows and fit the chosen candidate."""
        on_error = self.on_error or "raise"
        tuning = self.tune(task, self.inner, loss=self.loss, refit=self.refit, on_error=on_error)
        return tuning.model


class PreparedTuned(Prepared):
    """A tuned learner on one task; every fit reports its inner curve and its choice."""

    def __init__(self, learner: Tuned, task: Task, prepared: Prepared) -> None:
        self.learner, self.prepared, self.suspect = learner, prepared, prepared.suspect
        self.loss = as_loss(learner.loss, task.response.kind)
        self.on_error = learner.on_error or "raise"
        self.y, self.groups, self.levels = task.response.values, task.groups, task.response.levels
        self.loss_weights = task.loss_weights
        self.named = task.response.for_folds
        self.candidates: tuple[Params, ...] = ({},)

    def maker(self) -> Maker | None:
        """That of the learner that is tuned, which changes from fit to fit."""
        known = self.prepared.maker()
        return known and replace(known, exact=False)

    def begin(self, plan: FoldPlan, random: Any) -> Sequence[FoldPlan]:
        """Inner plans, drawn in the order of the fits, and last the one for all rows."""
        return inner_plans(self.learner, plan, self.named, self.groups, random)

    def predict(
        self, train: IntArray, new: IntArray, which: Which = None, context: Any = None
    ) -> Predictions:
        """Tune on `train`, retrain, predict `new`."""
        inner = self._inner(train, context)
        choice = choose(inner, self.learner.selection_rule)
        base = train
        if self.learner.refit == "train":
            ((own, _),) = context
            base = train[own]
        p = self.prepared.predict(base, new, [choice.index])
        return Predictions(p.values, p.prob, Tuning(choice, inner.means))

    def _inner(self, train: IntArray, plan: FoldPlan) -> FoldMeans:
        """Inner fold means, or values of the metric: the engine on the training rows."""
        metric = self.learner.metric
        fits = range(len(plan))
        work = Work(
            self.prepared,
            plan,
            (None,) * len(fits),
            self.y,
            self.loss,
            "fold_means" if metric is None else "all",
            self.on_error,
            base=train,
            fold_word="inner fold",
            loss_weights=self.loss_weights,
        )
        found = [fit_one(work, j) for j in fits]
        failed = [(j, failure) for j, fold in enumerate(found) for failure in fold["failures"]]
        if failed:
            j, first = failed[0]
            params = describe(self.prepared.candidates[first["candidate"]])
            warn(
                f"{len(failed)} inner fits failed; their candidates cannot be chosen there.",
                given=f"first in {where(plan, j, 'inner fold')}, {params}: {first['reason']}",
            )
        candidates = work.candidates
        if metric is None:
            means = np.stack([fold["means"] for fold in found])
            return FoldMeans(plan, means, self.loss.name, candidates, seal="chosen from here")
        losses = np.concatenate([fold["losses"] for fold in found], axis=1).T
        of = self.loss.name, self.loss.range, candidates, joined(found)
        table = LossTable(plan, losses, *of)
        return fold_values(replace(table, y=self.y[train], levels=self.levels, seal=""), metric)


def inner_plans(
    learner: Tuned, plan: FoldPlan, y: Any, groups: NDArray[Any] | None, random: Any
) -> list[FoldPlan]:
    """Inner plans of every fit in order, and last the one for tuning on all rows."""
    if isinstance(learner.inner, str):
        splitter: Any = development_set(learner.inner, int(plan.fold.max()) + 1)
    else:
        splitter = as_splitter(learner.inner, grouped=groups is not None)
    own = getattr(splitter, "random", None)
    stream = random if own is None else as_stream(own)
    plans: list[FoldPlan] = []
    for train in (*(train for train, _ in plan), np.arange(plan.n)):
        inside = None if groups is None else groups[train]
        try:
            inner = splitter.plan(len(train), y=y[train], groups=inside, random=stream)
            require_separate(inner, "inner")
        except FoldError as error:
            fit = len(plans)
            place = "on all rows" if fit == len(plan) else f"of {where(plan, fit)}"
            raise FoldError(
                f"inner folds {place}: {error.problem}",
                given=error.given or f"{len(train)} training rows",
                fix=error.advice.of("inner") if isinstance(error.advice, Advice) else error.advice,
            ) from None
        if learner.refit == "train" and len(inner) != 1:
            raise needs_one_split(f"{len(inner)} inner splits", "inner")
        plans.append(inner)
    return plans


def development_set(inner: str, k: int) -> Any:
    """The course's development set under K outer folds: a share 1/(K-1) of the training rows."""
    from pycvstat.folds import Holdout

    if inner != "dev":
        raise InputError("inner is a splitter, a number of folds, or 'dev'.", given=repr(inner))
    if k < 3:
        problem = "inner='dev' uses a share 1/(K-1) of the training rows, and needs K >= 3."
        raise InputError(problem, given=f"K = {k}", fix=Advice("{inner}", inner=Holdout(0.25)))
    return Holdout(test=1 / (k - 1))
