"""What procedures share: what each reads first, and the rows that their results have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pycvstat.data.frame import row_labels
from pycvstat.data.task import Task
from pycvstat.errors import Advice, DataError, InputError, warn
from pycvstat.errors.checks import is_whole, shown
from pycvstat.folds import KFold, Repeated, RFolds, as_splitter
from pycvstat.folds.forms import named
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import require_separate
from pycvstat.learners.base import Learner, Params, Prepared
from pycvstat.losses import Loss, LossTable, as_loss
from pycvstat.losses.table import fold_weights
from pycvstat.procedures.engine import Keep, OnError, Outcome, run
from pycvstat.rmath.random import as_stream
from pycvstat.run import Execution, execution_from
from pycvstat.run.fingerprint import describe
from pycvstat.types import FloatArray

KEEP_LIMIT = 4_000_000  # losses that are kept without being asked for: 32 MB and as much again


class DataArguments(TypedDict, total=False):
    """How data are given to a procedure besides formula and frame.

    X, y: predictors and response instead of a formula; weights, loss_weights, groups: a column by
    name or one value per row, where weights enter the fits, loss_weights the means of losses (True:
    the same weights), no fold may split a group and
    a number of folds K means ``Grouped(K)``; na: "raise", "omit" or "pass"; levels: "ICU" or "C",
    how words are sorted that become levels.
    """

    X: Any
    y: Any
    weights: Any
    loss_weights: Any
    groups: Any
    na: Any
    levels: Any


class RunArguments(TypedDict, total=False):
    """How a procedure is carried out; none of it changes a result.

    n_jobs: local worker processes; client: a dask.distributed client; checkpoint: a directory in
    which finished fits are kept, and that says what it is about (see `pycvstat.run.checkpoint`);
    progress: True, False or "auto"; task_limit: the seconds that a worker process may take for one
    task, the fits of one fold, before it is ended.
    """

    n_jobs: int | None
    client: Any
    checkpoint: Any
    progress: Any
    task_limit: float | None


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
        check_state: bool = True,
    ) -> Outcome:
        """Run the engine for one learner; each learner's draws start from the same state."""
        prepared = self.prepare(learner, candidates)
        draws = type(prepared).begin is not Prepared.begin
        stream = deepcopy(self.stream) if draws else self.stream
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
            weighted=self.task.weights is not None,
            levels=self.task.response.levels,
            loss_weights=self.task.loss_weights,
            label=label,
            check_state=check_state,
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
    learners: Sequence[Learner],
    formula: str | None,
    data: Any,
    folds: Any,
    loss: Any,
    arguments: Mapping[str, Any],
    on_error: OnError = "raise",
    named: str = "folds",
    separate: bool = True,
) -> Setting:
    """Check everything a user gave and draw the folds; no test row or its group is trained on."""
    how = {name: arguments[name] for name in RunArguments.__annotations__ if name in arguments}
    given = {name: arguments[name] for name in DataArguments.__annotations__ if name in arguments}
    execution = execution_from(**how)
    if isinstance(data, Task):
        task = data
    else:
        beside = tuple(dict.fromkeys(name for learner in learners for name in learner.beside))
        classes = any(learner.for_classes for learner in learners)
        own = _own_formulas(learners, formula, formula is None and "X" not in given)
        task = Task.build(formula, data, beside=beside, classes=classes, own=own, **given)
    _refuse_one_class(task)
    plan, stream = draw_folds(folds, task, given.get("X", data))
    _check_loss_weights(task, plan)
    if separate:
        require_separate(plan, named)
    return Setting(task, plan, as_loss(loss, task.response.kind), stream, execution, on_error)


def _own_formulas(learners: Sequence[Learner], formula: str | None, alone: bool) -> tuple[str, ...]:
    """The formulas that are fitted, where learners have their own; `alone`: all must have one."""
    asked = tuple(dict.fromkeys(text for one in learners for text in one.formulas))
    own = tuple(text for text in asked if text is not None)
    if own and alone and None in asked:
        bare = next(one for one in learners if None in one.formulas)
        problem = f"{bare.name} has no formula of its own, and none was given for all."
        fix = 'give it one, as in Model(OLS(), "y ~ x"), or give a formula beside the data'
        raise InputError(problem, given=f"other learners have {own[0]!r}", fix=fix)
    own_and_given = (formula if text is None else text for text in asked)
    return tuple(dict.fromkeys(t for t in own_and_given if t is not None)) if own else ()


def _check_loss_weights(task: Task, plan: FoldPlan) -> None:
    """Every fold needs a row that counts; folds of one row have no mean for weights to enter."""
    if task.loss_weights is None:
        return
    if plan.kind == "bootstrap":
        raise InputError(
            "losses over resamples are not weighted.",
            given="loss_weights= with resamples",
            fix=Advice("{folds}", folds=Repeated(KFold(10), 10)),
        )
    empty = np.flatnonzero(fold_weights(plan, task.loss_weights) == 0)
    if empty.size:
        fix = "fewer folds, or leave these rows out"
        given = f"fit {int(empty[0]) + 1}"
        raise DataError("a fold has only rows whose losses weigh nothing.", given=given, fix=fix)
    if plan.n_test.max() == 1:
        warn(
            "folds of a single row: weights of losses enter the mean over observations (pooled), "
            "not the mean of fold means."
        )


def refuse_loss_weights(task: Task, what: str) -> None:
    """Refuse weights of losses where losses are averaged without them."""
    if task.loss_weights is not None:
        fix = "cross_validate(), tune(), nested_cv() and compare() weigh them"
        given = "loss_weights="
        raise InputError(f"{what} averages losses that count alike.", given=given, fix=fix)


def _refuse_one_class(task: Task) -> None:
    """A response of which all rows are of one class leaves nothing to predict."""
    response = task.response
    if response.levels and (response.values == response.values[0]).all():
        fix = "give data with rows of at least two classes"
        given = f"{response.levels[int(response.values[0])]!r} in all {task.n} rows"
        raise DataError(f"the response {response.name!r} has a single class.", given=given, fix=fix)


def draw_folds(folds: Any, task: Task, data: Any) -> tuple[FoldPlan, Any]:
    """The plan, and the stream in which learners continue to draw.

    Fold ids with row labels are checked against those of the data as given, where they have any;
    strata given by a column's name are looked up there.
    """
    splitter = as_splitter(folds, grouped=task.groups is not None)
    if isinstance(splitter, RFolds) and splitter.collation is None and task.sorted_by == "C":
        splitter = replace(splitter, collation="C")
    stream = as_stream(getattr(splitter, "random", None))
    labels = row_labels(data)
    rows: Any = task.n if labels is None else pd.DataFrame(index=labels[task.rows])
    if splitter.column:
        column = pd.Series(named(splitter.column, data, "strata"))
        rows = pd.DataFrame({splitter.column: column.iloc[task.rows]})
    plan = splitter.plan(rows, y=task.response.for_folds, groups=task.groups, random=stream)
    return plan, stream


def read_seeds(seeds: Any, example: str) -> list[int]:
    """The seeds that a user gave, one or several."""
    several = isinstance(seeds, Iterable) and not isinstance(seeds, str)
    given = list(seeds) if several else [seeds]
    if not given or not all(map(is_whole, given)):
        problem = "seeds are whole numbers, at least one."
        raise InputError(problem, given=shown(seeds), fix=f"seeds={example}")
    return [int(seed) for seed in given]


def one_row(
    found: Mapping[str, Any], task: Task, plan: FoldPlan, seed: int | None, **counts: int
) -> pd.DataFrame:
    """What was found, and what was done for it: rows, weights, counts of fits, folds, seed."""
    done = {"n": task.n, "weights": task.weights_used, **counts}
    return pd.DataFrame([{**found, **done, "folds": plan.recipe, "seed": seed}])


def out_of_fold(table: LossTable) -> FloatArray:
    """Out-of-fold prediction of each row, averaged over repeats for numbers.

    For classes the most frequent predicted class, ties to the first; NaN where a row was never
    tested.
    """
    plan, p = table.plan, table.predictions
    assert p is not None
    values = p.values.ravel()
    if not table.levels:
        total = np.bincount(plan.rows, weights=values, minlength=plan.n)
        times = np.bincount(plan.rows, minlength=plan.n)
        average: FloatArray = np.full(plan.n, np.nan)
        np.divide(total, times, out=average, where=times > 0)
        return average
    ok = ~np.isnan(values)
    counts = np.zeros((plan.n, len(table.levels)))
    np.add.at(counts, (plan.rows[ok], values[ok].astype(np.int64)), 1)
    return np.where(counts.any(axis=1), counts.argmax(axis=1).astype(np.float64), np.nan)


def augmented(task: Task, table: LossTable) -> pd.DataFrame:
    """The data with .row, .prediction, .prob_* of every class, .repeat, .fold and .loss.

    One row per row of the data; where rows were tested several times, one per test, in the order of
    the repetitions and of the rows.
    """
    plan, p = table.plan, table.predictions
    assert p is not None
    fit, at = np.repeat(np.arange(len(plan)), plan.n_test), np.full(task.n, -1)
    at[plan.rows] = np.arange(len(plan.rows))
    several = len(plan.rows) > len(np.unique(plan.rows))
    if several:
        at = np.lexsort((plan.rows, plan.repeat[fit]))
    rows = plan.rows[at] if several else np.arange(task.n)
    tested = at >= 0

    def held_out(values: NDArray[Any], missing: Any = np.nan) -> NDArray[Any]:
        if tested.all():
            found: NDArray[Any] = values[at]
            return found
        found = np.full(len(at), missing, dtype=object if missing is None else np.float64)
        found[tested] = values[at[tested]]
        return found

    data = task.frame.to_pandas()
    data = data.iloc[rows].reset_index(drop=True) if several else data
    added = {".row": task.rows[rows]}
    if levels := task.response.levels:
        added[".prediction"] = held_out(task.response.labels(p.values.ravel()), None)
        for c, level in enumerate(levels if p.prob is not None else ()):
            added[f".prob_{level}"] = held_out(p.prob[..., c].ravel())  # type: ignore[index]
    else:
        added[".prediction"] = held_out(p.values.ravel())
        added[".residual"] = task.response.values[rows] - added[".prediction"]
    added[".repeat"], added[".fold"] = held_out(plan.repeat[fit] + 1), held_out(plan.fold[fit] + 1)
    return beside(data, added | {".loss": held_out(table.losses.ravel())})


def beside(data: pd.DataFrame, added: Mapping[str, Any]) -> pd.DataFrame:
    """The data with columns beside them; a warning names those of the data that are replaced."""
    if taken := [name for name in added if name in data]:
        problem = "augment() replaces columns of the data that are called as what it adds."
        warn(problem, given=", ".join(taken), fix="rename them in the data")
    return data.assign(**added)
