"""How R computes the results of procedures, by `procedures.R`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import RError
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Fitted
from pycvstat.learners.in_r import LearnerInR
from pycvstat.losses import as_loss
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.procedures.selection import Rule, complexity_keys
from pycvstat.procedures.tune import TuneResult
from pycvstat.r.check.call import Call, Quantity, in_r, of_table
from pycvstat.r.check.counterpart import counterpart
from pycvstat.r.check.labels import candidate_labels, cell_labels, fit_labels
from pycvstat.r.check.r_values import r_formula, r_frame, tested_rows, trained_rows
from pycvstat.rmath import mean
from pycvstat.rmath.tolerances import EXACT, Tolerance

R_LOSS = re.compile(r"squared|absolute|zero_one|log|brier|poisson|huber\(.*\)|pinball\(.*\)")


def _made(
    learner: LearnerInR,
    code: str,
    values: Mapping[str, Any],
    quantities: Sequence[Quantity],
    fits: Sequence[str],
    shown: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Call:
    says, needed = learner.says, (learner.files, learner.packages)
    return Call(code, values, quantities, says, *needed, fits, shown, (*learner.notes, *notes))


@in_r.register
def _cross_validation(result: CVResult, written: bool, y: Any = None) -> Call:
    if result.learner.candidates:
        return _nested(result, result.learner, written)
    code = counterpart(result.learner, result.task, written=written)
    more = []
    if adjusted := result.bias is not None:
        words = "bias-adjusted estimate"
        more.append(Quantity("adjusted", words, result.adjusted, code.tolerance))
    return _made(
        code,
        f"pcv_cross_validate(as.formula(formula), data, pcv_learner({code.learner}, params), loss,"
        f" test, train, weights{', adjust = TRUE' if adjusted else ''})",
        _given(result.task, result.loss, result.plan) | {"params": dict(code.params)},
        of_table(result.table, code.tolerance) + more,
        fit_labels(result.plan),
        ("estimate", "pooled", *["adjusted"] * adjusted),
    )


def _nested(result: CVResult, tuned: Any, written: bool) -> Call:
    codes = _candidates(tuned.learner, tuned.candidates, result.task, written)
    rule, notes = _rule(tuned.selection_rule(), tuned.candidates)
    fits, k = np.arange(len(result.plan)), len(tuned.candidates)
    chosen = [detail.choice.index + 1 for detail in result.details]
    curves = np.stack([mean(detail.means, axis=0) for detail in result.details])
    names, cells = fit_labels(result.plan), cell_labels(result.plan, tuned.candidates)
    tolerance = codes[0].tolerance
    return _made(
        codes[0],
        f"pcv_nested(as.formula(formula), data, {codes[0].learner}, candidates, loss, test, inner,"
        " train, weights, inner_loss, rule, refit)",
        _given(result.task, result.loss, result.plan)
        | {
            "candidates": [dict(code.params) for code in codes],
            "inner": [
                {"test": tested_rows(p), "train": trained_rows(p)} for p in result.inner_plans
            ],
            "inner_loss": _inner_loss(result, tuned),
            "rule": rule,
            "refit": tuned.refit,
        },
        [
            Quantity("chosen", "chosen candidate by outer fold", chosen, EXACT, names, fits),
            Quantity("inner_curves", "inner curves", curves, tolerance, cells, np.repeat(fits, k)),
            *of_table(result.table, tolerance),
        ],
        names,
        ("chosen", "estimate", "pooled"),
        notes,
    )


@in_r.register
def _tuning(result: TuneResult, written: bool, y: Any = None) -> Call:
    codes = _candidates(result.learner, result.candidates, result.task, written)
    rule, notes = _rule(result.rule, result.candidates)
    tolerance, means = codes[0].tolerance, result.means
    names = cell_labels(result.plan, result.candidates)
    several = candidate_labels(result.candidates)
    return _made(
        codes[0],
        f"pcv_tune(as.formula(formula), data, {codes[0].learner}, candidates, loss, test, train,"
        " weights, rule)",
        _given(result.task, means.loss, result.plan)
        | {"candidates": [dict(code.params) for code in codes], "rule": rule},
        [
            _by_cell("fold_means", "fold means of every candidate", means.means, tolerance, names),
            Quantity(
                "estimate", "estimates of every candidate", means.estimate(), tolerance, several
            ),
            Quantity("chosen", "chosen candidate", result.choice.index + 1, EXACT),
        ],
        names,
        ("estimate", "chosen"),
        notes,
    )


@in_r.register
def _error_curve(result: ErrorCurve, written: bool, y: Any = None) -> Call:
    codes = _candidates(result.learner, result.candidates, result.task, written)
    names = cell_labels(result.plan, result.candidates)
    return _made(
        codes[0],
        f"pcv_error_curve(as.formula(formula), data, {codes[0].learner}, candidates, loss, test,"
        " train, weights)",
        _given(result.task, result.loss, result.plan)
        | {"candidates": [dict(code.params) for code in codes]},
        _curves("candidate", result.train.means, result.test.means, codes[0].tolerance, names),
        names,
        ("train_error", "test_error"),
    )


@in_r.register
def _learning_curve(result: LearningCurve, written: bool, y: Any = None) -> Call:
    code = counterpart(result.learner, result.task, written=written)
    names = [f"{fit}, {m} rows" for fit in fit_labels(result.plan) for m in result.sizes]
    return _made(
        code,
        f"pcv_learning_curve(as.formula(formula), data, pcv_learner({code.learner}, params), loss,"
        " test, orders, sizes, weights)",
        _given(result.task, result.loss, result.plan)
        | {
            "params": dict(code.params),
            "orders": [order + 1 for order in result.orders],
            "sizes": np.atleast_1d(result.sizes),
        },
        _curves("size", result.train, result.test, code.tolerance, names),
        names,
        ("train_error", "test_error"),
    )


def _curves(
    what: str, train: Any, test: Any, tolerance: Tolerance, names: Sequence[str]
) -> list[Quantity]:
    """Train and test errors by fit, and their means."""
    close = tolerance.of_the_largest()
    by_fit = [
        _by_cell(side, f"{side} error by fold and {what}", values, close, names)
        for side, values in (("train", train), ("test", test))
    ]
    means = [
        Quantity(f"{side}_error", f"mean {side} error by {what}", mean(values, axis=0), close)
        for side, values in (("train", train), ("test", test))
    ]
    return by_fit + means


@in_r.register
def _fit(fitted: Fitted, written: bool, y: Any = None) -> Call:
    task: Any = getattr(fitted, "task", None)
    code = counterpart(fitted.learner, task, written=written)
    values = _given(task, "squared", None) | {"params": dict(code.params)}
    return _made(
        code,
        f"pcv_fit(as.formula(formula), data, pcv_learner({code.learner}, params), weights)",
        {name: value for name, value in values.items() if name != "loss"},
        [*_coefficients(fitted, code.tolerance), _own_predictions(fitted, code.tolerance)],
        ["the fit"],
    )


PARTS = ("estimate", "std_error", "statistic", "p_value")


def _coefficients(fitted: Any, tolerance: Tolerance) -> list[Quantity]:
    table = fitted.tidy()
    terms, one = table["term"].astype(str).tolist(), np.zeros(len(table), dtype=np.int64)
    known = [part for part in PARTS if table[part].notna().any()]
    return [Quantity("terms", "terms", terms, EXACT, terms, one)] + [
        Quantity(part, part, table[part].to_numpy(float), tolerance.of_the_largest(), terms, one)
        for part in known
    ]


def _own_predictions(fitted: Any, tolerance: Tolerance) -> Quantity:
    """Predictions of the training rows; codes of classes, counted from 0."""
    import pandas as pd

    predicted, levels = fitted.predict(fitted.task.frame), fitted.task.response.levels
    values = pd.Categorical(predicted, levels).codes if levels else predicted
    rows = [f"row {i + 1}" for i in range(fitted.task.n)]
    return Quantity(
        "predictions", "predictions of its own rows", values, EXACT if levels else tolerance,
        rows, np.zeros(len(rows), dtype=np.int64),
    )  # fmt: skip


def _by_cell(
    name: str, title: str, values: Any, tolerance: Tolerance, labels: Sequence[str]
) -> Quantity:
    """One number for every fit and candidate, which are so many fits of R."""
    return Quantity(name, title, values, tolerance, labels, np.arange(np.size(values)))


def _given(task: Task, loss: str, plan: FoldPlan | None) -> dict[str, Any]:
    """What every procedure takes: formula, data, weights, loss, folds."""
    check_loss(loss)
    given = {"formula": r_formula(task.formula), "data": r_frame(task), "weights": task.weights}
    folds = {} if plan is None else {"test": tested_rows(plan), "train": trained_rows(plan)}
    return given | folds | {"loss": loss}


def check_loss(loss: str) -> None:
    """Refuse a loss that the R reference does not know."""
    if R_LOSS.fullmatch(loss) is None:
        raise RError(
            "this loss has no counterpart in the R reference.",
            given=loss,
            fix="use squared, absolute, zero_one, log, brier, poisson, huber(...) or pinball(...)",
        )


def _candidates(
    learner: Any, candidates: Sequence[Mapping[str, Any]], task: Task, written: bool
) -> list[LearnerInR]:
    """The R counterparts of all candidates, which must be one and the same R function."""
    codes = [counterpart(learner.with_params(**c), task, written=written) for c in candidates]
    packages = tuple(dict.fromkeys(p for code in codes for p in code.packages))
    return [replace(code, packages=packages) for code in codes]


def _inner_loss(result: CVResult, tuned: Any) -> str:
    """The loss that tuning minimises."""
    name = result.loss
    if tuned.loss is not None:
        name = as_loss(tuned.loss, result.task.response.kind).name
    check_loss(name)
    return name


def _rule(
    rule: Rule, candidates: Sequence[dict[str, Any]]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The rule as `procedures.R` takes it, with the rank of every candidate, 1 the simplest."""
    if rule.complexity is None:
        return {"name": rule.name}, ()
    keys = complexity_keys(candidates, rule.complexity)
    order = sorted(set(keys))
    ranks = [order.index(key) + 1 for key in keys]
    given = {"name": rule.name, "rank": ranks, "tolerance": float(rule.tolerance)}
    return given, ("The order of the candidates by complexity was given to R.",)
