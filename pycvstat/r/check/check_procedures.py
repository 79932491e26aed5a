"""Cross-checks of procedures: cross-validation, tuning, nested cross-validation, comparison."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat import rmath
from pycvstat.data.task import Task
from pycvstat.errors import RError
from pycvstat.folds.plan import FoldPlan
from pycvstat.losses import as_loss
from pycvstat.procedures.compare import Comparison
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.procedures.selection import Rule, complexity_keys
from pycvstat.procedures.tune import TuneResult
from pycvstat.procedures.tuned import Tuned
from pycvstat.r.check.conventions import notes as named_differences
from pycvstat.r.check.counterpart import Counterpart, counterpart
from pycvstat.r.check.labels import candidate_labels, cell_labels, cells_of, fit_labels
from pycvstat.r.check.loss_rows import not_comparable, rows_elsewhere, rows_of_table
from pycvstat.r.check.r_values import listed, r_formula, r_frame, test_rows, train_rows
from pycvstat.r.check.table import EXACT, Crosscheck, Row, compare_values

R_LOSS = re.compile(r"squared|absolute|zero_one|log|brier|poisson|huber\(.*\)|pinball\(.*\)")
LEVELS = "has new level"  # of model.frame, in every language that R speaks here


def check_cross_validation(result: CVResult) -> Crosscheck:
    """Predictions, losses, fold means and estimates; for tuned learners also what was chosen."""
    _refuse_failures(result.failures)
    if isinstance(result.learner, Tuned):
        return _nested(result, result.learner)
    code = counterpart(result.learner, result.task)
    r = call_r(
        "pcv_cross_validate(as.formula(formula), data, pcv_learner(name, params), loss, test,"
        " train, weights)",
        result.task,
        result.plan,
        result.table.loss,
        code,
        params=dict(code.params),
    )
    left_out = not_comparable(result, r["refused"])
    if left_out:
        rows, notes = rows_elsewhere(result.table, r, code.tolerance, left_out)
        return _verdict(rows, code, (*notes, *named_differences(result.table)))
    rows = rows_of_table(result.table, r, code.tolerance)
    if result.bias is not None:
        rows.append(_adjusted(result, code))
    return _verdict(rows, code, named_differences(result.table))


def _adjusted(result: CVResult, code: Counterpart) -> Row:
    r = call_r(
        "pcv_adjusted(as.formula(formula), data, pcv_learner(name, params), loss, test, train,"
        " weights)",
        result.task,
        result.plan,
        result.table.loss,
        code,
        params=dict(code.params),
    )
    return compare_values("bias-adjusted estimate", result.adjusted, r, code.tolerance)


def check_tuning(result: TuneResult) -> Crosscheck:
    """Fold means and estimates of every candidate, and the choice."""
    _refuse_failures(result.failures)
    codes = candidate_codes(result.learner, result.candidates, result.task)
    rule, note = r_rule(result.rule, result.candidates)
    r = call_r(
        "pcv_tune(as.formula(formula), data, name, candidates, loss, test, train, weights, rule)",
        result.task,
        result.plan,
        result.means.loss,
        codes[0],
        candidates=_named([dict(c.params) for c in codes]),
        rule=rule,
    )
    tolerance, means = codes[0].tolerance, result.means
    rows = [
        compare_values(
            "fold means of every candidate",
            means.fold_means(),
            _matrix(r["fold_means"], means.fold_means().shape),
            tolerance,
            cells_of(means),
        ),
        compare_values(
            "estimates of every candidate",
            means.estimate(),
            r["estimate"],
            tolerance,
            candidate_labels(result.candidates),
        ),
        compare_values("chosen candidate", result.choice.index + 1, r["chosen"], EXACT),
    ]
    return _verdict(rows, codes[0], note)


def check_error_curve(result: ErrorCurve) -> Crosscheck:
    """Train and test error of every candidate by fold."""
    codes = candidate_codes(result.learner, result.candidates, result.task)
    r = call_r(
        "pcv_error_curve(as.formula(formula), data, name, candidates, loss, test, train, weights)",
        result.task,
        result.plan,
        result.loss,
        codes[0],
        candidates=_named([dict(c.params) for c in codes]),
    )
    labels = cell_labels(result.plan, result.candidates)
    rows = [
        compare_values(
            f"{what} error by fold and candidate",
            means.fold_means(),
            _matrix(r[what], means.fold_means().shape),
            codes[0].tolerance.of_the_largest(),
            labels,
        )
        for what, means in (("train", result.train), ("test", result.test))
    ]
    return _verdict(rows, codes[0])


def check_learning_curve(result: LearningCurve) -> Crosscheck:
    """Train and test error of every training size by fold."""
    code = counterpart(result.learner, result.task)
    r = call_r(
        "pcv_learning_curve(as.formula(formula), data, pcv_learner(name, params), loss, test,"
        " orders, sizes, weights)",
        result.task,
        result.plan,
        result.loss,
        code,
        params=dict(code.params),
        orders=listed([order + 1 for order in result.orders]),
        sizes=np.atleast_1d(result.sizes),
    )
    labels = [f"{fit}, {m} rows" for fit in fit_labels(result.plan) for m in result.sizes]
    tolerance = code.tolerance.of_the_largest()
    rows = [
        compare_values(
            f"{what} error by fold and size", ours, _matrix(r[what], ours.shape), tolerance, labels
        )
        for what, ours in (("train", result.train), ("test", result.test))
    ]
    return _verdict(rows, code)


def _nested(result: CVResult, learner: Tuned) -> Crosscheck:
    codes = candidate_codes(learner.learner, learner.candidates, result.task)
    rule, note = r_rule(learner.selection_rule(), learner.candidates)
    r = call_r(
        "pcv_nested(as.formula(formula), data, name, candidates, loss, test, inner, train,"
        " weights, inner_loss, rule, refit)",
        result.task,
        result.plan,
        result.table.loss,
        codes[0],
        candidates=_named([dict(c.params) for c in codes]),
        inner=_named([_split(plan) for plan in result.inner_plans]),
        inner_loss=inner_loss(result, learner),
        rule=rule,
        refit=learner.refit,
    )
    fits = fit_labels(result.plan)
    chosen = [d["chosen"] + 1 for d in result.details]
    curves = np.stack([rmath.mean(d["means"], axis=0) for d in result.details])
    rows = [
        compare_values("chosen candidate by outer fold", chosen, r["chosen"], EXACT, fits),
        compare_values(
            "inner curves",
            curves,
            _matrix(r["inner_curves"], curves.shape),
            codes[0].tolerance,
            cell_labels(result.plan, learner.candidates),
        ),
        *rows_of_table(result.table, r, codes[0].tolerance),
    ]
    return _verdict(rows, codes[0], (*note, *named_differences(result.table)))


def check_comparison(result: Comparison) -> Crosscheck:
    """Every method of the comparison."""
    from pycvstat.r.check.crosscheck import check

    checked = {name: check(one) for name, one in result.results.items()}
    return Crosscheck(
        tuple(
            replace(row, quantity=f"{name}: {row.quantity}")
            for name, one in checked.items()
            for row in one.rows
        ),
        "; ".join(dict.fromkeys(p for one in checked.values() for p in one.r_version.split("; "))),
        tuple(dict.fromkeys(note for one in checked.values() for note in one.notes)),
    )


def candidate_codes(
    learner: Any, candidates: Sequence[Mapping[str, Any]], task: Task, *, written: bool = False
) -> list[Counterpart]:
    """The R counterparts of all candidates, which must be one and the same R function."""
    codes = [counterpart(learner.with_params(**c), task, written=written) for c in candidates]
    packages = tuple(dict.fromkeys(p for code in codes for p in code.packages))
    return [replace(code, packages=packages) for code in codes]


def inner_loss(result: CVResult, learner: Tuned) -> str:
    """The loss that tuning minimises."""
    if learner.loss is None:
        return result.table.loss
    return as_loss(learner.loss, result.task.response.kind).name


def r_rule(
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


def call_r(
    code: str, task: Task, plan: FoldPlan | None, loss: str, learner: Counterpart, **values: Any
) -> Any:
    """Evaluate code that uses `procedures.R` on the data of a task."""
    from pycvstat.r.bridge import require, run, source
    from pycvstat.r.bridge.reference import path

    check_loss(loss)
    if learner.packages:
        require(list(learner.packages))
    source(path("procedures.R"))
    if learner.name == "knn_standin":
        source(path("kknn_standin.R"))
    if plan is not None:
        values |= {"test": listed(test_rows(plan)), "train": listed(train_rows(plan))}
    try:
        return run(
            code,
            formula=r_formula(task.formula),
            data=r_frame(task),
            name=learner.name,
            loss=loss,
            weights=task.weights,
            **values,
        )
    except RError as error:
        raise _explained(error, learner) from None


def check_loss(loss: str) -> None:
    """Refuse a loss that the R reference does not know."""
    if R_LOSS.fullmatch(loss) is None:
        raise RError(
            "this loss has no counterpart in the R reference.",
            given=loss,
            fix="use squared, absolute, zero_one, log, brier, poisson, huber(...) or pinball(...)",
        )


def _explained(error: RError, learner: Counterpart) -> RError:
    if LEVELS not in error.problem:
        return error
    return RError(
        f"{learner.says} of R refuses to predict levels that its training rows lack; "
        "pycvstat leaves their column out, and warns.",
        given=error.problem.removeprefix("R stopped: "),
        fix="merge rare levels, or folds=Stratified(...) by them",
    )


def _refuse_failures(failures: Sequence[Any]) -> None:
    if failures:
        raise RError(
            "some fits of this result failed, so it has no numbers to compare.",
            given=f"{len(failures)} failed fits",
            fix="look at result.failures",
        )


def _verdict(rows: Sequence[Row], code: Counterpart, notes: Sequence[str] = ()) -> Crosscheck:
    from pycvstat.r.bridge import run

    version = f"{run('R.version.string')}; {code.says}"
    return Crosscheck(tuple(rows), version, tuple(dict.fromkeys((*code.notes, *notes))))


def _split(plan: FoldPlan) -> dict[str, Any]:
    return {"test": listed(test_rows(plan)), "train": listed(train_rows(plan))}


def _named(items: Sequence[Any]) -> dict[str, Any]:
    return {f"i{i + 1}": item for i, item in enumerate(items)}


def _matrix(values: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64).reshape(shape)
