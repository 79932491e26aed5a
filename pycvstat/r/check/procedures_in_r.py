"""How R computes the results of procedures, by `procedures.R`, and fits, by that, kknn or FNN."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.data.task import Task
from pycvstat.errors import RError
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Candidates
from pycvstat.learners.in_r import LearnerInR
from pycvstat.losses import Metric, as_loss
from pycvstat.losses.metrics import as_metric
from pycvstat.procedures.engine import describe
from pycvstat.procedures.selection import Rule, complexity_keys
from pycvstat.r.bridge import has
from pycvstat.r.check.call import Call, Quantity, fit_labels, of_table
from pycvstat.r.check.data_in_r import conditioned, data_of, rows_used, told
from pycvstat.rmath import mean
from pycvstat.rmath.tolerances import EXACT, SUMS, Tolerance

if TYPE_CHECKING:
    from pycvstat.learners.base import Fitted
    from pycvstat.learners.knn import FittedKNN
    from pycvstat.procedures.cross_validate import CVResult
    from pycvstat.procedures.error_curve import ErrorCurve
    from pycvstat.procedures.learning_curve import LearningCurve
    from pycvstat.procedures.tune import TuneResult

R_METRICS = ("rmse", "r2", "r2_correlation", "accuracy", "balanced_accuracy", "kappa", "auc")
R_LOSS = re.compile(
    r"squared|absolute|zero_one|log|brier|poisson|huber\(.*\)|pinball\(.*\)|auc\(.*\)"
)


def cross_validation(result: CVResult, written: bool, y: Any) -> Call:
    if result.learner.candidates:
        return _nested(result, result.learner, written)
    codes = _counterparts(result.learner, ({},), result.task, written)
    quantities, adjusted = of_table(result.table, codes[0].tolerance), result.bias is not None
    if adjusted:
        words = "bias-adjusted estimate"
        quantities.append(Quantity("adjusted", words, result.adjusted, codes[0].tolerance))
    return _made(
        codes,
        result.task,
        f"pcv_cross_validate(task, {{learner}}, loss, test, train"
        f"{', adjust = TRUE' if adjusted else ''})",
        _given(result.task, result.loss, result.plan),
        quantities,
        fit_labels(result.plan),
        ("estimate", "pooled", *["adjusted"] * adjusted),
    )


def _nested(result: CVResult, tuned: Any, written: bool) -> Call:
    candidates, loss = tuned.candidates, result.loss
    codes = _counterparts(tuned.learner, candidates, result.task, written)
    better = "smaller" if tuned.metric is None else as_metric(tuned.metric).better
    rule, notes = _rule(tuned.selection_rule, candidates, better)
    inner = [_rows(plan) for plan in result.inner_plans]
    if tuned.loss is not None:
        loss = as_loss(tuned.loss, result.task.response.kind).name
    if tuned.metric is not None:
        loss = _metric(as_metric(tuned.metric))
    fits, names = np.arange(len(result.plan)), fit_labels(result.plan)
    chosen = [detail.choice.index + 1 for detail in result.details]
    curves = np.stack([mean(detail.means, axis=0) for detail in result.details])
    cells, of_cell = _cells(result.plan, candidates), np.repeat(fits, len(candidates))
    return _made(
        codes,
        result.task,
        "pcv_nested(task, {learners}, candidates, loss, test, inner, train, inner_loss,"
        " rule, refit)",
        _given(result.task, result.loss, result.plan),
        [
            Quantity("chosen", "chosen candidate by outer fold", chosen, EXACT, names, fits),
            Quantity("inner_curves", "inner curves", curves, codes[0].tolerance, cells, of_cell),
            *of_table(result.table, codes[0].tolerance),
        ],
        names,
        ("chosen", "estimate", "pooled"),
        notes,
        {"inner": inner, "inner_loss": _known(loss), "rule": rule, "refit": tuned.refit},
    )


def tuning(result: TuneResult, written: bool, y: Any) -> Call:
    candidates, means = result.candidates, result.means
    codes = _counterparts(result.learner, candidates, result.task, written)
    rule, notes = _rule(result.rule, candidates, means.better)
    judged = _metric(as_metric(result.metric)) if result.metric else means.loss
    close, names = codes[0].tolerance, _cells(result.plan, candidates)
    words, several = "estimates of every candidate", [describe(c) for c in candidates]
    return _made(
        codes,
        result.task,
        "pcv_tune(task, {learners}, candidates, loss, test, train, rule)",
        _given(result.task, judged, result.plan),
        [
            _by_cell("fold_means", "fold means of every candidate", means.means, close, names),
            Quantity("estimate", words, means.estimate(), close, several),
            Quantity("chosen", "chosen candidate", result.choice.index + 1, EXACT),
        ],
        names,
        ("estimate", "chosen"),
        notes,
        {"rule": rule},
    )


def error_curve(result: ErrorCurve, written: bool, y: Any) -> Call:
    codes = _counterparts(result.learner, result.candidates, result.task, written)
    code = "pcv_error_curve(task, {learners}, candidates, loss, test, train)"
    names, errors = _cells(result.plan, result.candidates), (result.train.means, result.test.means)
    return _curve(result, codes, code, {}, "candidate", errors, names)


def learning_curve(result: LearningCurve, written: bool, y: Any) -> Call:
    codes = _counterparts(result.learner, ({},), result.task, written)
    code = "pcv_learning_curve(task, {learner}, loss, test, orders, sizes)"
    names = [f"{fit}, {m} rows" for fit in fit_labels(result.plan) for m in result.sizes]
    orders, sizes = [order + 1 for order in result.orders], np.atleast_1d(result.sizes)
    more = {"orders": orders, "sizes": sizes}
    return _curve(result, codes, code, more, "size", (result.train, result.test), names)


def _curve(
    result: ErrorCurve | LearningCurve,
    codes: Sequence[LearnerInR],
    code: str,
    more: Mapping[str, Any],
    what: str,
    errors: tuple[Any, Any],
    names: Sequence[str],
) -> Call:
    """Train and test errors by fit, and their means."""
    close, sides = codes[0].tolerance.of_the_largest(), {"train": errors[0], "test": errors[1]}
    quantities = [
        _by_cell(side, f"{side} error by fold and {what}", values, close, names)
        for side, values in sides.items()
    ] + [
        Quantity(f"{side}_error", f"mean {side} error by {what}", mean(values, axis=0), close)
        for side, values in sides.items()
    ]
    given = _given(result.task, result.loss, result.plan)
    return _made(
        codes, result.task, code, given, quantities, names, ("train_error", "test_error"), more=more
    )


def fit(fitted: Fitted, written: bool, y: Any) -> Call:
    """Coefficients, and predictions of the training rows: codes of classes, counted from 0."""

    def of_fit(name: str, title: str, values: Any, by: Tolerance, labels: list[str]) -> Quantity:
        return Quantity(name, title, values, by, labels, np.zeros(len(labels), dtype=np.int64))

    task: Any = getattr(fitted, "task", None)
    codes = _counterparts(fitted.learner, ({},), task, written)
    close, table = codes[0].tolerance, fitted.tidy()  # type: ignore[attr-defined]
    terms, scaled = table["term"].astype(str).tolist(), close.of_the_largest()
    predicted, levels = fitted.predict(task.frame), task.response.levels
    values = pd.Categorical(predicted, levels).codes if levels else predicted
    name, rows = "predictions of its own rows", [f"row {i + 1}" for i in range(task.n)]
    return _made(
        codes,
        task,
        "pcv_fit(task, {learner})",
        data_of(task),
        [
            of_fit("terms", "terms", terms, EXACT, terms),
            *(
                of_fit(part, part, table[part].to_numpy(float), scaled, terms)
                for part in ("estimate", "std_error", "statistic", "p_value")
                if table[part].notna().any()
            ),
            of_fit("predictions", name, values, EXACT if levels else close, rows),
        ],
        ["the fit"],
    )


KKNN = """{
  library(kknn)  # attached: it looks up its contrasts by name
  task <- pcv_task(formula, data, NULL, reading)
  f <- kknn::kknn(task$formula, task$data, task$data, k = p$k, distance = p$distance,
                  kernel = p$kernel, scale = p$scale)
  list(rows = as.vector(t(f$C)), distances = as.vector(t(f$D)), weights = as.vector(t(f$W)))
}"""
FNN = """{
  found <- list(distances = as.vector(t(FNN::get.knnx(scaled, scaled, k)$nn.dist)))
  if (!is.null(x)) found$rows <- as.vector(t(standin_neighbours(x, x, k + 1)[, seq_len(k)]))
  found
}"""


def neighbours(fitted: FittedKNN, written: bool, y: Any) -> Call:
    """Neighbours of the training rows themselves: by kknn, else by FNN where nothing ties."""
    task, found = fitted.task, fitted.neighbours(fitted.task.frame)
    m, k = found.rows.shape
    labels = [f"row {i + 1}, neighbour {j + 1}" for i in range(m) for j in range(k)]
    rows = Quantity("rows", "neighbour rows", found.rows + 1, EXACT, labels)
    distances = Quantity("distances", "distances", found.distances, SUMS, labels)
    if not has("kknn"):
        return _beside_fnn(fitted, rows, distances)
    weights = Quantity("weights", "weights", found.weights, SUMS, labels)
    known = fitted.learner.in_r(task)
    given = data_of(task) | {"p": dict(known.params)}
    quantities = [rows, distances, weights]
    return Call(KKNN, given, quantities, known.says, known.files, known.packages)


def _beside_fnn(fitted: Any, rows: Quantity, distances: Quantity) -> Call:
    task, learner = fitted.task, fitted.learner
    if not (task.frame.numeric and learner.distance == 2):
        problem = "R lacks the package kknn, and FNN knows numeric columns and distance 2 only."
        fix = 'install.packages("kknn") in R'
        raise RError(problem, given=f"distance={learner.distance}", fix=fix)
    X = task.design("kknn").X
    used = X[:, np.ptp(X, axis=0) > 0]
    scaled = used / used.std(axis=0, ddof=1) if learner.scale else used
    ties = learner.scale and learner.ties == "kknn"
    notes = ["kknn is not installed: distances beside FNN."]
    notes += ["Neighbour rows beside the stand-in of this project for kknn."] * ties
    flat = learner.kernel == "rectangular"  # all of whose weights are 1
    return Call(
        FNN,
        {"scaled": scaled, "k": learner.k, "x": X if ties else None},
        [rows, distances] if ties else [distances],
        "FNN::get.knnx",
        ("kknn_standin.R",),
        ("FNN",),
        notes=tuple(notes),
        apart={} if flat else {"weights": "kknn is not installed"},
    )


TASK = """{{
  task <- pcv_task(formula, data, weights, reading)
  c(list(rows = task$rows), {code})
}}"""


def _made(
    codes: Sequence[LearnerInR],
    task: Task,
    code: str,
    values: Mapping[str, Any],
    quantities: Sequence[Quantity],
    fits: Sequence[str],
    shown: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Call:
    """The call of a function of `procedures.R`, for one learner or for candidates of one."""
    first, params = codes[0], [dict(one.params) for one in codes]
    learner, made = first.learner, f"pcv_learner({first.learner}, params)"
    code = TASK.format(code=code.format(learner=made, learners=learner))
    given = {"candidates": params} if "candidates" in code else {"params": params[0]}
    packages = tuple(dict.fromkeys(package for one in codes for package in one.packages))
    every = {**values, **given, **more}
    return Call(
        code, every, [rows_used(task), *quantities], first.says, first.files, packages, fits, shown,
        (*first.notes, *notes, *told(task, every)),
    )  # fmt: skip


def _by_cell(
    name: str, title: str, values: Any, tolerance: Tolerance, labels: Sequence[str]
) -> Quantity:
    """One number for every fit and candidate, which are so many fits of R."""
    return Quantity(name, title, values, tolerance, labels, np.arange(np.size(values)))


def _cells(plan: FoldPlan, candidates: Sequence[dict[str, Any]]) -> list[str]:
    """Names of fits and candidates together, candidates running faster."""
    names = [describe(c) for c in candidates]
    return [f"{fit}, {name}" for fit in fit_labels(plan) for name in names]


def _given(task: Task, loss: str, plan: FoldPlan) -> dict[str, Any]:
    """What every procedure takes: formula, data, weights, folds, loss."""
    if task.loss_weights is not None:
        raise RError("the R reference does not weigh losses.", given="loss_weights=")
    return data_of(task) | _rows(plan) | {"loss": _known(loss)}


def _rows(plan: FoldPlan) -> dict[str, Any]:
    """Test rows of every fit, counted from 1; training rows where they are not the rest."""
    test = np.split(plan.rows + 1, plan.offsets[1:-1])
    train = None if plan.train is None else [rows + 1 for rows in plan.train]
    return {"test": test, "train": train}


def _metric(metric: Metric) -> str:
    """The name in R of what a metric is of every fold: its own, or that of a mean loss."""
    mean = metric.smooth.loss if metric.smooth and not metric.smooth.words else ""
    return mean or metric.name


def _known(loss: str) -> str:
    """The name of a loss or metric, which the R reference must know."""
    if loss not in R_METRICS and R_LOSS.fullmatch(loss) is None:
        fix = "use squared, absolute, zero_one, log, brier, poisson, huber(...) or pinball(...), "
        fix += f"as a metric {', '.join(R_METRICS)} or auc(class)"
        raise RError("this loss has no counterpart in the R reference.", given=loss, fix=fix)
    return loss


def _counterparts(
    learner: Any, candidates: Sequence[Mapping[str, Any]], task: Task, written: bool
) -> list[LearnerInR]:
    """The R code of every candidate, which must be one and the same R function.

    For a script that somebody runs elsewhere it does not matter what is installed here.
    """
    codes = []
    for one in Candidates.of(learner, candidates).learners:
        found = one.in_r(task)
        if found is None:
            raise RError(
                f"there is no R counterpart of {one.name}.",
                given=type(one).__name__,
                fix="the learners that fit by a formula of R have one, and yours where its in_r() "
                "says the R code",
            )
        if not written and found.otherwise is not None and not all(map(has, found.packages)):
            found = found.otherwise
        codes.append(found)
    return [replace(code, tolerance=conditioned(code.tolerance, task)) for code in codes]


def _rule(
    rule: Rule, candidates: Sequence[dict[str, Any]], better: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The rule as `procedures.R` takes it, with the rank of every candidate, 1 the simplest."""
    larger = {"larger": True} if better == "larger" else {}
    if rule.complexity is None:
        return {"name": rule.name, **larger}, ()
    keys = complexity_keys(candidates, rule.complexity)
    order = sorted(set(keys))
    ranks = [order.index(key) + 1 for key in keys]
    given = {"name": rule.name, "rank": ranks, "tolerance": float(rule.tolerance)}
    return given | larger, ("The order of the candidates by complexity was given to R.",)
