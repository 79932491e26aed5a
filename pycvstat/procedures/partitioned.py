"""Cross-validation of least squares over a dask frame, by sums over its partitions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat.data import formula as formulas
from pycvstat.data.formula import FittedEncoder, Formula
from pycvstat.data.partitions import Partition, complete_rows_of, in_common, partitions_of, see
from pycvstat.data.task import Task
from pycvstat.errors import FoldError, InputError, PycvstatError
from pycvstat.errors.checks import check_word, shown
from pycvstat.folds import as_splitter
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import require_separate
from pycvstat.intervals.from_table import usual_row
from pycvstat.learners.aliased import notes_of_aliased
from pycvstat.learners.base import Learner
from pycvstat.learners.design import solved
from pycvstat.learners.linear.least_squares import require_finite
from pycvstat.learners.linear.triangles import triangle, triangles
from pycvstat.learners.solution import FitReport, Sample
from pycvstat.losses import FoldMeans, as_loss, loss_label
from pycvstat.procedures.cross_validate import OfTable
from pycvstat.procedures.notes import tell_notes
from pycvstat.procedures.setting import RunArguments
from pycvstat.rmath.random import as_stream
from pycvstat.run import Execution, execution_from, run_tasks
from pycvstat.run.reproducible import one_thread
from pycvstat.types import FloatArray, IntArray

LARGEST = 2**28  # bytes of all triangles of all partitions


@dataclass(frozen=True, eq=False)
class PartitionedResult(OfTable):
    """The cross-validated risk of least squares over a dask frame, of which no row was kept.

    Rows are counted in the order of the partitions. ``dask.dataframe.from_pandas`` sorts them by
    their index unless it is told ``sort=False``: a seed then gives other folds than in memory. What
    ``persist()`` holds on a cluster is fetched one partition at a time, and summed in this process.

    Parameters
    ----------
    table : FoldMeans
        Mean squared errors of the folds, with what R² is made of.
    learner : Learner
    formula : str
    partitions : int
    omitted : int
        Rows that were left out for missing values.
    details : tuple of FitReport
    seed : int, optional
        The seed of the folds, R's ``set.seed``.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pycvstat as pcv
    >>> cars = dd.from_pandas(pcv.data.mtcars(), npartitions=3, sort=False)
    >>> pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=pcv.Blocks(4))
    PartitionedResult(OLS, Blocks(4), 3 partitions: squared loss 9.83473)
    """

    view: ClassVar[str] = "bootstrapped"

    table: FoldMeans
    learner: Learner
    formula: str
    partitions: int
    omitted: int = 0
    details: tuple[FitReport, ...] = ()
    seed: int | None = None

    def __repr__(self) -> str:
        of = f"{self.learner.name}, {self.plan.recipe}, {self.partitions} partitions"
        return f"PartitionedResult({of}: squared loss {self.estimate:.6g})"

    def tidy(self, what: str = "estimate", level: float = 0.95) -> pd.DataFrame:
        """One row per quantity, or per fold (``"folds"``)."""
        check_word("what", what, ("estimate", "folds"))
        return self.table.by_fit() if what == "folds" else pd.DataFrame(self._averages(level)[0])

    def glance(self, level: float = 0.95) -> pd.DataFrame:
        """One row: learner, loss, estimates, interval, metrics, sizes, seed."""
        row: dict[str, Any] = {"learner": self.learner.name, "loss": self.loss}
        row |= usual_row(self.table, level, self.interval)
        del row["metric"]  # the loss
        metrics = {name: self.metric(name).estimate for name in ("rmse", "r2")}
        row |= {"pooled": self.pooled, **metrics, "n": self.plan.n, "omitted": self.omitted}
        row |= {"partitions": self.partitions, "fits": len(self.plan), "folds": self.plan.recipe}
        return pd.DataFrame([row | {"seed": self.seed, "fingerprint": self.plan.fingerprint}])


@dataclass(frozen=True, eq=False)
class Summing:
    """What is made of every partition: a design, and the response about a number.

    Rows are told apart by `groups` labels: the fit that tests them, or that none does.
    """

    formula: Formula
    encoder: FittedEncoder
    centre: float
    groups: int

    def of(self, task: tuple[Partition, IntArray]) -> dict[str, FloatArray]:
        """Triangles (groups, q, q) of the design beside the response, and moments (groups, 3).

        The moments are counts, and sums of the response and of its square.
        """
        partition, labels = task
        frame = complete_rows_of(partition.read(), self.formula)
        try:
            design = self.encoder.matrix(frame)
            X, y = require_finite(design.X, formulas.response(self.formula, frame).values)
        except PycvstatError as error:
            raise error.at(str(partition)) from error
        y, whole = y - self.centre, y
        left = y if design.intercept else whole
        Z = np.column_stack([X, left if design.offset is None else left - design.offset])
        R = np.sum([triangles(Z, one, self.groups) for one in labels], axis=0)
        powers = np.ones(len(y)), y, y * y
        moments = [[np.bincount(one, w, self.groups) for w in powers] for one in labels]
        return {"triangles": R, "moments": np.sum(moments, axis=0).T}


def cross_validate_partitions(
    learner: Learner, formula: Any, data: Any, folds: Any, loss: Any, arguments: Mapping[str, Any]
) -> PartitionedResult:
    """Cross-validate a learner by two passes over the partitions of a dask frame.

    The first finds complete rows and the levels of factors; the second makes of the rows of each
    fold a triangle with their cross products, from which every fit and its error follow.
    """
    _refuse_what_needs_rows(learner, formula, loss, arguments)
    names = tuple(map(str, data.columns))
    parsed = formulas.parse(formula, names)
    parts = partitions_of(data, [n for n in names if n in (*parsed.variables, *parsed.removed)])
    execution = _execution(arguments)
    if any(part.held is not None for part in parts):
        execution = replace(execution, client=None, workers=1)
    run = partial(run_tasks, execution=execution)
    label = f"cross-validating {learner.name}, partitions"
    seen = run(see, parsed, parts, identity={"formula": formula}, label=f"{label} seen")
    task = in_common(parsed, seen, arguments.get("na", "raise"))
    learner.check(task)
    encoder = _of_single_rows(task)
    sizes = np.array([one.complete for one in seen])
    plan, seed = _draw(folds, int(sizes.sum()))
    each = zip(parts, np.split(_labels(plan), np.cumsum(sizes)[:-1], axis=1), strict=True)
    tasks = [(part, own) for part, own in each if own.size]
    _refuse_large(plan, len(encoder.columns) + 1, len(tasks))
    centre = float(sizes @ np.array([one.centre for one in seen]) / plan.n)
    summing = Summing(parsed, encoder, centre, len(plan) + plan.times)
    identity = {"formula": formula, "levels": task.fingerprint, "centre": summing.centre}
    sums = run(Summing.of, summing, tasks, identity=identity, label=f"{label} summed")
    table, details = _fitted(learner, task, encoder, plan, sums)
    return PartitionedResult(table, learner, parsed.text, len(parts), task.omitted, details, seed)


def _refuse_what_needs_rows(
    learner: Learner, formula: Any, loss: Any, arguments: Mapping[str, Any]
) -> None:
    if not isinstance(formula, str):
        raise InputError("a dask frame needs a formula.", given=shown(formula), fix='"y ~ x"')
    sums = {"na", *RunArguments.__annotations__}
    wanted = [] if learner.by_products else [learner.name]
    wanted += [f"{name}=" for name, of in arguments.items() if name not in sums and of is not None]
    if (named := as_loss(loss).name) != "squared":
        wanted.append(f"the {loss_label(named)}")
    if wanted:
        fix = "data.compute(); sums give the squared error, RMSE and R² of OLS()"
        given = "a dask frame, whose partitions are only summed"
        raise InputError(f"{wanted[0]} needs all rows in memory.", given=given, fix=fix)
    check_word("na", arguments.get("na", "raise"), ("raise", "omit"))


def _execution(arguments: Mapping[str, Any]) -> Execution:
    """What was asked for; without it the client that dask uses, where there is one."""
    how = {name: arguments[name] for name in RunArguments.__annotations__ if name in arguments}
    distributed = sys.modules.get("distributed")
    if how.get("client") is None and how.get("n_jobs") is None and distributed is not None:
        with suppress(ValueError):  # there is none
            how["client"] = distributed.default_client()
    return execution_from(**how)


def _of_single_rows(task: Task) -> FittedEncoder:
    """The encoder, unless a term is computed from other rows as well."""
    encoder = task.encoder("contrasts")
    if not encoder.stateless:
        raise InputError(
            "a term that is computed from a whole column needs all rows in memory.",
            given=task.formula.text,
            fix="poly(x, 2, raw = TRUE), log(x), I(x^2), factors and interactions; "
            "or data.compute()",
        )
    return encoder.fit(task.frame)


def _draw(folds: Any, n: int) -> tuple[FoldPlan, int | None]:
    """The plan of n rows, of which neither response nor group is known; and its seed."""
    splitter = as_splitter(folds)
    stream = as_stream(getattr(splitter, "random", None))
    if splitter.stratified:
        problem = "stratified folds need the response of all rows."
        raise FoldError(problem, given=repr(splitter), fix="folds=KFold(10, random=1)")
    plan = splitter.plan(n, random=stream)
    require_separate(plan, "folds")
    return plan, None if stream.untouched else stream.seed


def _labels(plan: FoldPlan) -> IntArray:
    """The fit that tests each row, in each repetition (times, n); and a label where none does."""
    labels = np.empty((plan.times, plan.n), np.min_scalar_type(len(plan) + plan.times))
    labels[:] = len(plan) + np.arange(plan.times)[:, None]
    for i, repeat in enumerate(plan.repeat):
        labels[repeat, plan.test_rows(i)] = i
    tested = np.bincount(labels.ravel(), minlength=len(plan))[: len(plan)]
    if plan.train is not None or (tested != plan.n_test).any():
        raise FoldError(
            "these folds train on other rows than those that they do not test, or test rows twice.",
            given=plan.recipe,
            fix="folds=KFold(10, random=1), Repeated(...) or Holdout(0.2, random=1)",
        )
    return labels


def _refuse_large(plan: FoldPlan, q: int, count: int) -> None:
    rows = (len(plan) + plan.times) * q
    if rows > plan.n or 8 * rows * q * count > LARGEST:
        fix = "fewer folds or columns, or larger partitions: data.repartition(...)"
        given = f"{len(plan)} fits and {q - 1} columns, {plan.n} rows in {count} partitions"
        raise FoldError("the sums would be larger than what they save.", given=given, fix=fix)


def _fitted(
    learner: Learner,
    task: Task,
    encoder: FittedEncoder,
    plan: FoldPlan,
    sums: Sequence[Mapping[str, FloatArray]],
) -> tuple[FoldMeans, tuple[FitReport, ...]]:
    """Every fit, and its squared error, from the triangles of the folds."""
    stacks = zip(*(one["triangles"] for one in sums), strict=True)
    counts, totals, squares = np.sum([one["moments"] for one in sums], axis=0)[: len(plan)].T
    errors, details, notes = np.empty(len(plan)), [], []
    with one_thread(), np.errstate(all="ignore"):
        R = np.stack([triangle(np.concatenate(stack)) for stack in stacks])
        label = np.append(plan.repeat, np.arange(plan.times))
        for i in range(len(plan)):
            others = (label == plan.repeat[i]) & (np.arange(len(R)) != i)
            train, test = np.concatenate(R[others]), R[i]
            sample = Sample(train[:, :-1], train[:, -1], encoder.columns)
            solution: Any = solved([learner], sample)[0]  # type: ignore[list-item]
            residuals = test[:, -1] - solution.predict(test[:, :-1], None).values
            errors[i] = residuals @ residuals / counts[i]
            report = solution.report
            told = report.aliased and notes_of_aliased(
                learner, sample, report.aliased, test[:, :-1], counted=False
            )
            details.append(report)
            notes.append([(", ".join(report.aliased), text) for text in told])
    tell_notes(plan, notes)
    parts = {"r2": np.column_stack([errors, totals / counts, squares / counts])}
    table = FoldMeans(plan, errors[:, None], "squared", parts=parts, maker=learner.maker(task))
    return table, tuple(details)
