"""Train error, test error and their gap over a grid: the pictures of over- and underfitting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import InputError, PycvstatError, noted
from pycvstat.errors.checks import memory_for
from pycvstat.errors.names import answering
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners import as_learner
from pycvstat.learners.base import Learner, Prepared
from pycvstat.losses import FoldMeans, LossTable, Predictions
from pycvstat.losses.table import parameter_columns
from pycvstat.procedures.engine import Work, describe, identity_of, losses_of
from pycvstat.procedures.grid import as_candidates
from pycvstat.procedures.notes import refuse_state, tell_notes, where
from pycvstat.procedures.setting import (
    KEEP_LIMIT,
    Arguments,
    Setting,
    augmented,
    one_row,
    read_setting,
    refuse_loss_weights,
)
from pycvstat.rmath.sums import mean_of
from pycvstat.run import run_tasks
from pycvstat.types import FloatArray, IntArray
from pycvstat.verbs import Verbs


@dataclass(frozen=True, eq=False)
class ErrorCurve(Verbs):
    """Train and test error of every candidate, by fold.

    The train error is the error on the very rows a fit was trained on; for nearest neighbours it
    counts the row itself, so it is 0 at k = 1 when no row is duplicated.

    Parameters
    ----------
    train, test : FoldMeans
    task : Task
    learner : Learner
    loss : str
    seed : int, optional
    table : LossTable, optional
        Every test loss and out-of-fold prediction, when there are not too many to keep.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> curve = pcv.error_curve(pcv.KNN(kernel="rectangular"), "mpg ~ .", pcv.data.mtcars(),
    ...                         grid={"k": [1, 5, 20]}, folds=pcv.Blocks(4))
    >>> curve.best, curve.gap().round(2).tolist()
    ({'k': 5}, [14.57, 6.6, 4.71])
    """

    view: ClassVar[str] = "curves"
    counterpart: ClassVar[str] = "procedures_in_r.error_curve"
    scripted: ClassVar[bool] = True

    train: FoldMeans
    test: FoldMeans
    task: Task
    learner: Learner
    loss: str
    seed: int | None = None
    table: LossTable | None = None

    def __repr__(self) -> str:
        return f"ErrorCurve({self.learner.name}, {len(self.candidates)} candidates)"

    @property
    def plan(self) -> FoldPlan:
        """The fold plan."""
        return self.test.plan

    @property
    def candidates(self) -> tuple[dict[str, Any], ...]:
        """The parameters of every candidate."""
        return self.test.candidates

    @property
    def _best(self) -> int:
        return int(np.nanargmin(self.test.estimate()))

    @property
    def best(self) -> dict[str, Any]:
        """The candidate with the smallest test error (the first of ties)."""
        return self.candidates[self._best]

    def gap(self) -> FloatArray:
        """Test error minus train error by candidate, means of fold means."""
        return self.test.estimate() - self.train.estimate()

    def tidy(self) -> pd.DataFrame:
        """One row per candidate: parameters, train, test, gap, and the standard error of test."""
        columns: dict[str, Any] = parameter_columns(self.candidates, 1)
        columns |= {
            "train": self.train.estimate(),
            "test": self.test.estimate(),
            "gap": self.gap(),
            "std_error": self.test.std_error(),
        }
        return pd.DataFrame(columns)

    def glance(self) -> pd.DataFrame:
        """One row: learner, best candidate, its train and test error."""
        best = self._best
        row: dict[str, Any] = {"learner": self.learner.name, "loss": self.loss}
        row |= {f"best_{name}": value for name, value in self.best.items()}
        row |= {
            "train": self.train.estimate()[best],
            "test": self.test.estimate()[best],
            "gap": self.gap()[best],
        }
        return one_row(row, self.task, self.plan, self.seed, fits=len(self.plan))

    def augment(self) -> pd.DataFrame:
        """The data with out-of-fold predictions of the candidate with the smallest test error."""
        return augmented(self.task, kept(self.table).select(self._best))


@answering
def error_curve(
    learner: Any,
    formula: str | None = None,
    data: Any = None,
    *,
    grid: Any,
    folds: Any,
    loss: Any = None,
    **arguments: Unpack[Arguments],
) -> ErrorCurve:
    """Train error, test error and gap over a grid.

    Parameters
    ----------
    learner, formula, data, folds, loss, **arguments
        As in `cross_validate`.
    grid : mapping of lists, list of mappings or search

    Examples
    --------
    >>> import pycvstat as pcv
    >>> data = pcv.data.mtcars()
    >>> curve = pcv.error_curve(pcv.KNN(kernel="rectangular"), "mpg ~ .", data,
    ...                         grid={"k": [1, 5, 20]}, folds=pcv.Blocks(4))
    >>> curve.tidy()["train"].round(2).tolist()
    [0.0, 7.24, 23.27]
    """
    candidates = as_candidates(grid, as_learner(learner))
    chosen = candidates.learner
    setting = read_setting(candidates.learners, formula, data, folds, loss, arguments)
    refuse_loss_weights(setting.task, "an error curve")
    prepared, plan = setting.prepare(chosen, candidates), setting.plan
    contexts = prepared.begin(plan, setting.stream)
    points = tuple(dict(c) for c in prepared.candidates)
    label = f"error curve of {chosen.name}"
    train, test, table = train_and_test(setting, chosen, prepared, contexts, points, label)

    def means(errors: FloatArray) -> FoldMeans:
        return FoldMeans(plan, errors, setting.loss.name, points, setting.loss.range)

    seed, name = plan.seed, setting.loss.name
    return ErrorCurve(means(train), means(test), setting.task, chosen, name, seed, table)


def kept(table: LossTable | None) -> LossTable:
    """The table, or an error that says how to get out-of-fold predictions."""
    if table is None:
        fix = "cross_validate the learner with the parameters of interest, then augment()"
        raise InputError("only fold means were kept: there are too many losses.", fix=fix)
    return table


def train_and_test(
    setting: Setting,
    learner: Learner,
    prepared: Prepared,
    contexts: Sequence[Any],
    points: tuple[dict[str, Any], ...],
    label: str,
    orders: Sequence[IntArray] | None = None,
) -> tuple[FloatArray, FloatArray, LossTable | None]:
    """Errors on training and on test rows, each (fits, points), and the table of test losses.

    Parameters
    ----------
    setting : Setting
    learner : Learner
    prepared : Prepared
    contexts : sequence
    points : tuple of dict
        The candidates, which one fit has together; or ``n_train``, a fit for each.
    label : str
    orders : sequence of (m,) int64, optional
        Training rows of each fit, in the order in which they are taken up to ``n_train``.
    """
    plan, loss, y = setting.plan, setting.loss, setting.task.response.values
    few = len(plan.rows) * len(points) <= KEEP_LIMIT
    work = Work(prepared, plan, contexts, y, loss, "all" if few else "fold_means", "raise")
    told = setting.identity(learner)
    identity = {} if told is None else identity_of(work) | told | {"orders": orders}
    sizes = [[int(m)] if orders is None else [p["n_train"] for p in points] for m in plan.n_train]
    tasks: list[Any] = [(i, size, None) for i in range(len(plan)) for size in sizes[i]]
    again = prepared.suspect is not None
    found = run_tasks(
        _fit_one,
        (work, orders),
        [*tasks, (0, sizes[0][0], prepared.repeated)] if again else tasks,
        execution=setting.execution,
        identity=identity,
        label=label,
        again=again,
    )
    if again:
        first, last = found[0][:-1], found.pop()[:-1]
        refuse_state(prepared.suspect, first, last, where(plan, 0), prepared.repeated)
    train, test, losses, values, notes = ([fit[part] for fit in found] for part in range(5))
    said: list[list[tuple[str, str]]] = [[] for _ in range(len(plan))]
    for j, of_fit in enumerate(notes):
        said[tasks[j][0]] += of_fit
    tell_notes(plan, said)
    shape = (len(plan), len(points))
    errors = np.concatenate(train).reshape(shape), np.concatenate(test).reshape(shape)
    if not few:
        return *errors, None
    step = len(sizes[0])
    groups = range(0, len(found), step)
    kept_losses = np.hstack([np.vstack(losses[i : i + step]) for i in groups])
    predicted = Predictions(np.hstack([np.vstack(values[i : i + step]) for i in groups]))
    return *errors, LossTable(plan, kept_losses.T, loss.name, loss.range, points, predicted, y)


def _fit_one(
    shared: tuple[Work, Sequence[IntArray] | None], task: tuple[int, int, Sequence[int] | None]
) -> tuple[Any, ...]:
    """Mean losses on training and test rows, (C,); test losses and predictions, (C, m), if kept.

    And last the notes of the fit.
    """
    (work, orders), (i, size, which) = shared, task
    train = work.plan.train_rows(i) if orders is None else np.sort(orders[i][:size])
    rows = np.concatenate([train, work.plan.test_rows(i)])
    try:
        # what is not finite in the end is refused
        with np.errstate(all="ignore"), memory_for("a fit and its predictions"), noted() as said:
            p = work.prepared.predict(train, rows, which, work.contexts[i])
            losses = losses_of(work, p, rows)
    except PycvstatError as error:
        first, *others = work.prepared.candidates
        what = f", {describe(first)}" if first and not others else ""
        place = f"{where(work.plan, i)}, {size} training rows{what}"
        raise error.at(place) from error.__cause__
    tested = slice(size, None if work.keep == "all" else size)
    return (
        mean_of([losses[:, :size].T], size),
        mean_of([losses[:, size:].T], len(rows) - size),
        losses[:, tested].copy(),
        p.values[:, tested].copy(),
        said,
    )
