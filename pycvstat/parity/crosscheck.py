"""Compute the quantities of a result in R, on the same data and folds, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import InputError, PycvstatWarning, RError
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.base import Interval
from pycvstat.learners.base import Fitted
from pycvstat.losses import FoldMeans, LossTable
from pycvstat.parity.check_fits import check_fit
from pycvstat.parity.check_folds import check_plan
from pycvstat.parity.check_intervals import check_interval
from pycvstat.parity.conventions import notes as named_differences
from pycvstat.parity.counterpart import Counterpart, counterpart
from pycvstat.parity.r_values import listed, r_formula, r_frame, test_rows, train_rows
from pycvstat.parity.table import EXACT, Crosscheck, Row, Tolerance, compare_values
from pycvstat.procedures.compare import Comparison
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.tune import TuneResult
from pycvstat.procedures.tuned import Tuned
from pycvstat.task import Task

R_LOSSES = ("squared", "absolute", "zero_one", "log", "brier", "poisson")


@singledispatch
def crosscheck(result: Any, **options: Any) -> Crosscheck:
    """Compute a result's quantities in R and compare them.

    Parameters
    ----------
    result : CVResult, TuneResult, NestedResult, Comparison, Interval, fitted model or FoldPlan

    Returns
    -------
    Crosscheck
        True when every quantity agrees; `first_difference` says where the two part.
    """
    raise InputError(
        "this kind of result has no cross-check.",
        given=type(result).__name__,
        fix="cross-check a fold plan, an interval, or the result of a procedure",
    )


@crosscheck.register
def _(result: FoldPlan) -> Crosscheck:
    return check_plan(result)


@crosscheck.register
def _(result: Interval) -> Crosscheck:
    return check_interval(result)


@crosscheck.register
def _(result: Fitted) -> Crosscheck:
    return check_fit(result)


@crosscheck.register
def _(result: CVResult) -> Crosscheck:
    if isinstance(result.learner, Tuned):
        return _nested(result)
    code = counterpart(result.learner, result.task)
    r = _call(
        "pcv_cross_validate(as.formula(formula), data, pcv_learner(name, params), loss, test,"
        " train)",
        result.task,
        result.plan,
        result.table.loss,
        code,
        params=dict(code.params),
    )
    rows = _rows_of_table(result.table, r, code.tolerance)
    return _verdict(rows, [code], named_differences(result.table))


def _rows_of_table(table: LossTable, r: Any, tolerance: Tolerance, prefix: str = "") -> list[Row]:
    labels = row_labels(table.plan)
    fits = fit_labels(table.plan)
    assert table.predictions is not None
    classes = table.y is not None and np.issubdtype(table.y.dtype, np.integer)
    compare = compare_values
    return [
        compare(
            f"{prefix}out-of-fold predictions",
            table.predictions.values[0],
            r["predictions"],
            EXACT if classes else tolerance,
            labels,
        ),
        compare(
            f"{prefix}losses", table.losses[:, 0], r["losses"], tolerance.of_the_largest(), labels
        ),
        compare(f"{prefix}fold means", table.fold_means()[:, 0], r["fold_means"], tolerance, fits),
        compare(
            f"{prefix}estimate (mean of fold means)", table.estimate(), r["estimate"], tolerance
        ),
        compare(
            f"{prefix}pooled (mean over observations)",
            table.pooled(),
            np.mean(np.asarray(r["losses"])),
            tolerance,
        ),
    ]


@crosscheck.register
def _(result: TuneResult) -> Crosscheck:
    codes = [counterpart(result.learner.with_params(**c), result.task) for c in result.candidates]
    r = _call(
        "pcv_tune(as.formula(formula), data, name, candidates, loss, test, train)",
        result.task,
        result.plan,
        result.means.loss,
        codes[0],
        candidates=_named([dict(c.params) for c in codes]),
    )
    tolerance = codes[0].tolerance
    rows = [
        compare_values(
            "fold means of every candidate",
            result.means.fold_means(),
            _matrix(r["fold_means"], result.means),
            tolerance,
            _cells(result.means),
        ),
        compare_values(
            "estimates of every candidate",
            result.means.estimate(),
            r["estimate"],
            tolerance,
            candidate_labels(result.candidates),
        ),
    ]
    if result.rule.name == "min" and result.rule.complexity is None:
        rows.append(compare_values("chosen candidate", result.choice.index + 1, r["chosen"], EXACT))
    return _verdict(rows, codes[:1])


def _nested(result: CVResult) -> Crosscheck:
    learner = result.learner
    assert isinstance(learner, Tuned)
    if learner.rule != "min" or learner.complexity is not None or learner.refit != "all":
        raise RError(
            "the R side tunes by the smallest estimate and retrains on all rows.",
            given=f"rule={learner.rule!r}, refit={learner.refit!r}",
        )
    codes = [counterpart(learner.learner.with_params(**c), result.task) for c in learner.candidates]
    r = _call(
        "pcv_nested(as.formula(formula), data, name, candidates, loss, test, inner, train)",
        result.task,
        result.plan,
        result.table.loss,
        codes[0],
        candidates=_named([dict(c.params) for c in codes]),
        inner=_named([_split(plan) for plan in result.inner_plans]),
    )
    fits = fit_labels(result.plan)
    chosen = [d["chosen"] + 1 for d in result.details]
    curves = np.stack([d["means"].mean(axis=0) for d in result.details])
    rows = [
        compare_values("chosen candidate by outer fold", chosen, r["chosen"], EXACT, fits),
        compare_values("inner curves", curves, np.asarray(r["inner_curves"]), codes[0].tolerance),
        *_rows_of_table(result.table, r, codes[0].tolerance),
    ]
    return _verdict(rows, codes[:1], named_differences(result.table))


@crosscheck.register
def _(result: Comparison) -> Crosscheck:
    rows: list[Row] = []
    notes: list[str] = []
    version = ""
    for name, one in result.results.items():
        checked = crosscheck(one)
        rows += [_prefixed(row, name) for row in checked.rows]
        notes += [note for note in checked.notes if note not in notes]
        version = checked.r_version
    return Crosscheck(tuple(rows), version, tuple(notes))


def _prefixed(row: Row, name: str) -> Row:
    from dataclasses import replace

    return replace(row, quantity=f"{name}: {row.quantity}")


def _call(
    code: str, task: Task, plan: FoldPlan, loss: str, learner: Counterpart, **values: Any
) -> Any:
    from pycvstat.rbridge import require, run, source
    from pycvstat.rbridge.reference import path

    if loss not in R_LOSSES:
        raise RError(
            "this loss has no counterpart in the R reference.",
            given=loss,
            fix=f"use one of {', '.join(R_LOSSES)}",
        )
    if learner.packages:
        require(list(learner.packages))
    source(path("procedures.R"))
    if learner.name == "knn_standin":
        source(path("kknn_standin.R"))
    with _r_warnings():
        return run(
            code,
            formula=r_formula(task.formula),
            data=r_frame(task),
            name=learner.name,
            loss=loss,
            test=listed(test_rows(plan)),
            train=listed(train_rows(plan)),
            **values,
        )


@contextmanager
def _r_warnings() -> Iterator[None]:
    """Each distinct R warning once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PycvstatWarning)
        yield
    for text in dict.fromkeys(str(w.message) for w in caught):
        warnings.warn(PycvstatWarning(text), stacklevel=4)


def _verdict(
    rows: Sequence[Row], codes: Sequence[Counterpart], named: Sequence[str] = ()
) -> Crosscheck:
    from pycvstat.rbridge import run

    version = str(run("R.version.string"))
    notes = tuple(dict.fromkeys(note for code in codes for note in code.notes))
    says = ", ".join(dict.fromkeys(code.says for code in codes))
    return Crosscheck(tuple(rows), f"{version}; {says}", (*notes, *named))


def _split(plan: FoldPlan) -> dict[str, Any]:
    return {"test": listed(test_rows(plan)), "train": listed(train_rows(plan))}


def _named(items: Sequence[Any]) -> dict[str, Any]:
    return {f"i{i + 1}": item for i, item in enumerate(items)}


def _matrix(values: Any, means: FoldMeans) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64).reshape(means.fold_means().shape)


def fit_labels(plan: FoldPlan) -> list[str]:
    """Names of the fits.

    Examples
    --------
    >>> fit_labels(FoldPlan.from_fold_ids([1, 2, 1, 2]))
    ['fold 1', 'fold 2']
    """
    many = plan.times > 1
    return [
        (f"repeat {r + 1}, " if many else "") + f"fold {f + 1}"
        for r, f in zip(plan.repeat, plan.fold, strict=True)
    ]


def row_labels(plan: FoldPlan) -> list[str]:
    """Names of the tested rows, counted from 1 as in R."""
    fits = fit_labels(plan)
    return [f"{fits[i]}, row {row + 1}" for i in range(len(plan)) for row in plan.test_rows(i)]


def candidate_labels(candidates: Sequence[dict[str, Any]]) -> list[str]:
    """Names of candidates."""
    from pycvstat.procedures.engine import describe

    return [describe(c) for c in candidates]


def _cells(means: FoldMeans) -> list[str]:
    return [
        f"{fit}, {candidate}"
        for fit in fit_labels(means.plan)
        for candidate in candidate_labels(means.candidates)
    ]


__all__ = ["candidate_labels", "crosscheck", "fit_labels", "row_labels"]
