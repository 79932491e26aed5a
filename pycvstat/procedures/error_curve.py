"""Train error, test error and their gap over a grid: the pictures of over- and underfitting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import InputError, PycvstatError
from pycvstat.errors.names import answering
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Learner, Prepared
from pycvstat.losses import FoldMeans, LossTable, Predictions
from pycvstat.losses.table import mean_of, parameter_columns
from pycvstat.procedures.engine import Keep, Work, describe, identity_of, losses_of, where
from pycvstat.procedures.grid import as_candidates, beside
from pycvstat.procedures.quantities import KEEP_LIMIT, augmented, weights_words
from pycvstat.procedures.setting import Arguments, Setting, read_learner, read_setting
from pycvstat.run import run_tasks
from pycvstat.types import FloatArray, IntArray
from pycvstat.verbs import Verbs

if TYPE_CHECKING:
    import pandas as pd


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

    view: ClassVar[str] = "error_curve"

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
        import pandas as pd

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
        import pandas as pd

        best = self._best
        row: dict[str, Any] = {"learner": self.learner.name, "loss": self.loss}
        row |= {f"best_{name}": value for name, value in self.best.items()}
        row |= {
            "train": self.train.estimate()[best],
            "test": self.test.estimate()[best],
            "gap": self.gap()[best],
            "n": self.task.n,
            "weights": weights_words(self.task),
            "fits": len(self.plan),
            "folds": self.plan.recipe,
            "seed": self.seed,
        }
        return pd.DataFrame([row])

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
    chosen = read_learner(learner)
    candidates = as_candidates(grid, chosen)
    setting = read_setting(
        formula,
        data,
        folds=folds,
        loss=loss,
        on_error="raise",
        arguments=arguments,
        beside=beside(chosen, candidates),
        classes=chosen.for_classes,
    )
    prepared = setting.prepare(chosen, candidates)
    plan, contexts = setting.plan, prepared.begin(setting.plan, setting.stream)
    work = curve_work(setting, prepared, contexts, len(prepared.candidates))
    tasks = [(i, int(plan.n_train[i])) for i in range(len(plan))]
    fits = train_and_test(setting, chosen, work, None, tasks, f"error curve of {chosen.name}")
    names = tuple(dict(c) for c in prepared.candidates)

    def means(errors: list[FloatArray]) -> FoldMeans:
        return FoldMeans(plan, np.stack(errors), setting.loss.name, names, setting.loss.range)

    train, test = means([fit.train for fit in fits]), means([fit.test for fit in fits])
    table = test_losses(setting, [fit.losses for fit in fits], [fit.values for fit in fits], names)
    return ErrorCurve(train, test, setting.task, chosen, setting.loss.name, plan.seed, table)


@dataclass(frozen=True, slots=True, eq=False)
class FitErrors:
    """One fit: mean losses on training and test rows, (C,); test losses and predictions, (C, m).

    The latter are empty where there are too many to keep.
    """

    train: FloatArray
    test: FloatArray
    losses: FloatArray
    values: FloatArray


def test_losses(
    setting: Setting,
    losses: list[FloatArray],
    values: list[FloatArray],
    candidates: tuple[dict[str, Any], ...],
) -> LossTable | None:
    """The test losses of all fits as a table; None when they are too many to keep."""
    if not _keep(setting, len(candidates)):
        return None
    return LossTable(
        setting.plan,
        np.hstack(losses).T,
        setting.loss.name,
        setting.loss.range,
        candidates,
        Predictions(np.hstack(values)),
        setting.task.response.values,
    )


def _keep(setting: Setting, candidates: int) -> bool:
    return len(setting.plan.rows) * candidates <= KEEP_LIMIT


def kept(table: LossTable | None) -> LossTable:
    """The table, or an error that says how to get out-of-fold predictions."""
    if table is None:
        raise InputError(
            "only fold means were kept: there are too many losses.",
            fix="cross_validate the learner with the parameters of interest, then augment()",
        )
    return table


def curve_work(setting: Setting, prepared: Prepared, contexts: Sequence[Any], points: int) -> Work:
    """The fits of a curve with so many points."""
    keep: Keep = "all" if _keep(setting, points) else "fold_means"
    y = setting.task.response.values
    return Work(prepared, setting.plan, contexts, y, setting.loss, keep, "raise")


def train_and_test(
    setting: Setting,
    learner: Learner,
    work: Work,
    orders: Sequence[IntArray] | None,
    tasks: Sequence[tuple[int, int]],
    label: str,
) -> list[FitErrors]:
    """Errors of every candidate on training and on test rows, from one fit each.

    Parameters
    ----------
    setting : Setting
    learner : Learner
    work : Work
    orders : sequence of (m,) int64, optional
        Training rows of each fit, in the order in which they are taken.
    tasks : sequence of (int, int)
        A fit of the plan, and how many of its training rows it takes.
    label : str
    """
    told = setting.identity(learner)
    identity = {} if told is None else identity_of(work) | told | {"orders": orders}
    return run_tasks(
        _fit_one, (work, orders), tasks, execution=setting.execution, identity=identity, label=label
    )


def _fit_one(shared: tuple[Work, Sequence[IntArray] | None], task: tuple[int, int]) -> FitErrors:
    (work, orders), (i, size) = shared, task
    train = work.plan.train_rows(i) if orders is None else np.sort(orders[i][:size])
    rows = np.concatenate([train, work.plan.test_rows(i)])
    try:
        with np.errstate(all="ignore"):  # what is not finite in the end is refused
            p = work.prepared.predict(train, rows, None, work.contexts[i])
            losses = losses_of(work, p, rows)
    except PycvstatError as error:
        which = _only(work.prepared.candidates)
        place = f"{where(work.plan, i)}, {size} training rows{which}"
        raise error.at(place) from error.__cause__
    tested = slice(size, None if work.keep == "all" else size)
    return FitErrors(
        mean_of([losses[:, :size].T], size),
        mean_of([losses[:, size:].T], len(rows) - size),
        losses[:, tested].copy(),
        p.values[:, tested].copy(),
    )


def _only(candidates: tuple[Mapping[str, Any], ...]) -> str:
    return f", {describe(candidates[0])}" if len(candidates) == 1 and candidates[0] else ""
