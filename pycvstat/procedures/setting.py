"""What every procedure reads first: the data, the learner, the folds, the loss, who works."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import pandas as pd

from pycvstat.data.frame import row_labels
from pycvstat.data.task import Task
from pycvstat.errors import DataError
from pycvstat.folds import as_splitter
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import require_separate
from pycvstat.learners import as_learner
from pycvstat.learners.base import Learner, Params, Prepared
from pycvstat.losses import Loss, as_loss
from pycvstat.procedures.engine import Keep, OnError, Outcome, run
from pycvstat.rmath.random import as_stream
from pycvstat.run import Execution, execution_from
from pycvstat.run.fingerprint import describe


class DataArguments(TypedDict, total=False):
    """How data are given to a procedure besides formula and frame.

    X, y: predictors and response instead of a formula; weights, groups: a column by name or one
    value per row, where weights enter the fits and never the losses, no fold may split a group and
    a number of folds K means ``Grouped(K)``; na: "raise", "omit" or "pass"; levels: "ICU" or "C",
    how words are sorted that become levels.
    """

    X: Any
    y: Any
    weights: Any
    groups: Any
    na: Any
    levels: Any


class RunArguments(TypedDict, total=False):
    """How a procedure is carried out; none of it changes a result.

    n_jobs: local worker processes; client: a dask.distributed client; checkpoint: a directory in
    which finished fits are kept, and that says what it is about (see `pycvstat.run.checkpoint`);
    progress: True, False or "auto".
    """

    n_jobs: int | None
    client: Any
    checkpoint: Any
    progress: Any


class Arguments(DataArguments, RunArguments):
    """What every procedure takes by keyword besides its own arguments."""


@dataclass(frozen=True, eq=False)
class Setting:
    """Data, folds and loss of a procedure, with the stream its draws continue in."""

    task: Task
    plan: FoldPlan
    loss: Loss
    stream: Any
    execution: Execution
    on_error: OnError

    def run(
        self,
        learner: Learner,
        candidates: tuple[Params, ...] = ({},),
        *,
        identity: dict[str, Any] | None = None,
        keep: Keep = "all",
        label: str,
    ) -> Outcome:
        """Run the engine for one learner; each learner's draws start from the same state."""
        prepared = self.prepare(learner, candidates)
        stream = deepcopy(self.stream)
        outcome = run(
            prepared,
            self.plan,
            self.task.response.values,
            self.loss,
            random=stream,
            keep=keep,
            on_error=self.on_error,
            execution=self.execution,
            identity=identity or self.identity(learner),
            label=label,
        )
        return replace(outcome, seed=None if stream.untouched else stream.seed)

    def identity(self, learner: Learner) -> dict[str, Any] | None:
        """What a checkpoint is about, in words, which nothing that the user's code does changes."""
        if self.execution.checkpoint is None:
            return None
        what = {"data": self.task.fingerprint, "learner": learner, "loss": self.loss}
        return dict(describe(what))

    def prepare(self, learner: Learner, candidates: tuple[Params, ...] = ({},)) -> Prepared:
        """The learner on these data; a tuned learner minimises the same loss unless told."""
        return learner.inside(self.loss, self.on_error).prepare(self.task, candidates)


def read_setting(
    formula: str | None,
    data: Any,
    *,
    folds: Any,
    loss: Any,
    on_error: OnError,
    arguments: Mapping[str, Any],
    named: str = "folds",
    separate: bool = True,
    beside: Collection[str] = (),
    classes: bool = False,
) -> Setting:
    """Check everything a user gave and draw the folds; no test row or its group is trained on."""
    arguments = dict(arguments)
    how = {name: arguments.pop(name) for name in RunArguments.__annotations__ if name in arguments}
    given = {n: arguments.pop(n) for n in DataArguments.__annotations__ if n in arguments}
    execution = execution_from(
        how.get("n_jobs"), how.get("client"), how.get("checkpoint"), how.get("progress", "auto")
    )
    task = (
        data
        if isinstance(data, Task)
        else Task.build(formula, data, beside=beside, classes=classes, **given)
    )
    _refuse_one_class(task)
    plan, stream = draw_folds(folds, task, row_labels(given.get("X", data)))
    if separate:
        require_separate(plan, argument=named)
    return Setting(task, plan, as_loss(loss, task.response.kind), stream, execution, on_error)


def _refuse_one_class(task: Task) -> None:
    """A response of which all rows are of one class leaves nothing to predict."""
    response = task.response
    if response.levels and (response.values == response.values[0]).all():
        raise DataError(
            f"the response {response.name!r} has a single class.",
            given=f"{response.levels[int(response.values[0])]!r} in all {task.n} rows",
            fix="give data with rows of at least two classes",
        )


def draw_folds(folds: Any, task: Task, labels: pd.Index[Any] | None) -> tuple[FoldPlan, Any]:
    """The plan, and the stream in which learners continue to draw.

    Fold ids with row labels are checked against those of the data as given, where they have any.
    """
    splitter = as_splitter(folds, grouped=task.groups is not None)
    stream = as_stream(getattr(splitter, "random", None))
    y = task.response.labels(task.response.values)  # classes by name: codes would be numbers
    rows = task.n if labels is None else pd.DataFrame(index=labels[task.rows])
    plan = splitter.plan(rows, y=y, groups=task.groups, random=stream)
    return plan, stream


def read_learner(learner: Any) -> Learner:
    """A learner, or anything with fit and predict, as a learner."""
    return as_learner(learner)
