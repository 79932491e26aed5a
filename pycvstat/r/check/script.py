"""A self-contained R script that reproduces a result and prints it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pycvstat.data.formula.syntax import quote
from pycvstat.data.frame import Column
from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_path
from pycvstat.folds.plan import FoldPlan
from pycvstat.procedures.compare import Comparison
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.tune import TuneResult
from pycvstat.procedures.tuned import Tuned
from pycvstat.r.check.as_r import as_r
from pycvstat.r.check.check_procedures import (
    candidate_codes,
    check_loss,
    inner_loss,
    r_rule,
)
from pycvstat.r.check.counterpart import Counterpart, counterpart
from pycvstat.r.check.r_values import r_formula, test_rows, train_rows

WIDTH = 96


def write_script(result: Any, path: str | PathLike[str]) -> Path:
    """Write the script; run it with ``Rscript``.

    Parameters
    ----------
    result : CVResult, TuneResult, NestedResult, Comparison or ErrorCurve
    path : path
        Ending in .R; for one that ends in .rds the result itself is written.
    """
    target = check_path(path)
    if target.suffix.lower() == ".rds":
        return Path(as_r(result, target))
    if target.suffix.lower() != ".r":
        fix = f"{target.stem}.R; a list for readRDS ends in .rds"
        raise InputError("an R script ends in .R.", given=target.name, fix=fix)
    text = script_text(result)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            "the script cannot be written.", given=f"{target}: {error.strerror}"
        ) from None
    return target


def script_text(result: Any) -> str:
    """The script as text: data, folds, the functions used, the call, what to expect.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> "lm(formula, train" in script_text(result)
    True
    """
    if isinstance(result, Comparison):
        parts: list[tuple[str, Any]] = list(result.results.items())
        task, plan, loss = result.task, result.plan, result.loss
    elif isinstance(result, CVResult | TuneResult | ErrorCurve):
        parts = [("result", result)]
        task, plan = result.task, result.plan
        loss = result.means.loss if isinstance(result, TuneResult) else result.loss
    else:
        raise InputError(
            "this kind of result has no R script.",
            given=type(result).__name__,
            fix="use the result of cross_validate, tune, nested_cv, compare or error_curve",
        )
    check_loss(loss)
    blocks = [_call(name, part, loss) for name, part in parts]
    packages = sorted({p for _, codes in blocks for code in codes for p in code.packages})
    learners = {code.name for _, codes in blocks for code in codes}
    return "\n".join(
        [
            _header(task, plan, packages),
            _functions(learners),
            _data(task),
            _folds(plan),
            *(text for text, _ in blocks),
        ]
    )


def _header(task: Task, plan: FoldPlan, packages: Sequence[str]) -> str:
    from importlib.metadata import version

    lines = [
        f"# Written by pycvstat {version('pycvstat')}. Run with: Rscript this_file.R",
        f"# {task.n} rows; folds: {_comment(plan.recipe)}; fold fingerprint {plan.fingerprint}",
    ]
    lines += [f"library({package})" for package in packages]
    return "\n".join([*lines, ""])


def _comment(text: str) -> str:
    """Text that stays inside a comment line."""
    return re.sub(r"[^\x20-\x7e]", "?", text)


def _functions(learners: set[str]) -> str:
    from pycvstat.r.bridge.reference import path

    text = path("procedures.R").read_text(encoding="utf-8")
    if "knn_standin" in learners:
        text += "\n" + path("kknn_standin.R").read_text(encoding="utf-8")
    return text


def _data(task: Task) -> str:
    columns = [f"  {quote(name)} = {_column(task.frame[name])}" for name in task.frame.names]
    body = ",\n".join(columns)
    weights = "NULL" if task.weights is None else r_vector([r_number(w) for w in task.weights])
    return (
        f"data <- data.frame(\n{body},\n  check.names = FALSE)\n\n"
        f"# One weight per row, or NULL.\nweights <- {weights}\n"
    )


def _column(column: Column) -> str:
    values = column.values
    if column.kind == "numeric":
        return r_vector([r_number(float(v)) for v in values])
    if column.kind == "logical":
        return r_vector(["NA" if v != v else "TRUE" if v else "FALSE" for v in values])
    if column.kind == "date":
        return f"as.Date({r_vector([r_number(float(v)) for v in values])}, origin = '1970-01-01')"
    if column.kind == "text":
        levels = tuple(sorted({v for v in values if v is not None}))
        codes = ["NA" if v is None else str(levels.index(v) + 1) for v in values]
    else:
        levels = column.levels
        codes = ["NA" if v < 0 else str(int(v) + 1) for v in values]
    names = r_vector([r_text(level) for level in levels])
    ordered = ", ordered = TRUE" if column.kind == "ordered" else ""
    return f"factor({names}[{r_vector(codes)}], levels = {names}{ordered})"


def r_number(value: float) -> str:
    """A number that R reads back exactly.

    Examples
    --------
    >>> r_number(0.1), r_number(3.0), r_number(float("inf"))
    ('0.10000000000000001', '3', 'Inf')
    """
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return format(value, ".17g")


def r_text(value: str) -> str:
    r"""A string literal of R in which nothing can end the string.

    Examples
    --------
    >>> r_text('a"; system("x")')
    '"a\\"; system(\\"x\\")"'
    """
    escaped = []
    for character in value:
        code = ord(character)
        if character in '"\\':
            escaped.append("\\" + character)
        elif 32 <= code < 127:
            escaped.append(character)
        else:
            escaped.append(f"\\U{{{code:x}}}" if code > 0xFFFF else f"\\u{{{code:x}}}")
    return '"' + "".join(escaped) + '"'


def r_vector(items: Sequence[str]) -> str:
    """``c(...)`` over several lines.

    Examples
    --------
    >>> r_vector(["1", "2"])
    'c(1, 2)'
    """
    lines, line = [], "c("
    for i, item in enumerate(items):
        piece = item + ("" if i == len(items) - 1 else ", ")
        if len(line) + len(piece) > WIDTH:
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return "\n".join([*lines, line + ")"])


def _rows(rows: Sequence[Any]) -> str:
    return r_vector([str(int(r)) for r in rows])


def _row_lists(parts: Sequence[Any]) -> str:
    return "list(\n  " + ",\n  ".join(_rows(part) for part in parts) + ")"


def _folds(plan: FoldPlan) -> str:
    train = train_rows(plan)
    return (
        "# Test rows of every fit; the training rows are the rest unless they are listed.\n"
        f"test <- {_row_lists(test_rows(plan))}\n"
        f"train <- {'NULL' if train is None else _row_lists(train)}\n"
    )


def _call(name: str, result: Any, loss: str) -> tuple[str, list[Counterpart]]:
    formula = f"formula <- as.formula({r_text(r_formula(result.task.formula))})"
    if isinstance(result, TuneResult):
        call, codes = _tuning_call(result, loss)
    elif isinstance(result, ErrorCurve):
        call, codes = _curve_call(result, loss)
    elif isinstance(result.learner, Tuned):
        call, codes = _nested_call(result, result.learner, loss)
    else:
        codes = [counterpart(result.learner, result.task, written=True)]
        call = (
            f"learner <- pcv_learner({r_text(codes[0].name)}, {_parameters(codes[0].params)})\n"
            f"result <- pcv_cross_validate(formula, data, learner, {r_text(loss)}, test, train,\n"
            "                             weights)\n" + _expected(result)
        )
    notes = "".join(f"# {_comment(note)}\n" for note in codes[0].notes)
    return f"# {_comment(name)}\n{notes}{formula}\n{call}\n", codes


def _tuning_call(result: TuneResult, loss: str) -> tuple[str, list[Counterpart]]:
    codes = candidate_codes(result.learner, result.candidates, result.task, written=True)
    call = (
        f"candidates <- {_parameter_list(codes)}\n"
        f"result <- pcv_tune(formula, data, {r_text(codes[0].name)}, candidates,\n"
        f"                   {r_text(loss)}, test, train, weights,\n"
        f"                   {_parameters(r_rule(result.rule, result.candidates)[0])})\n"
        "print(result$estimate, digits = 15)\n"
        f"print(result$chosen)  # expected: {result.choice.index + 1}"
    )
    return call, codes


def _curve_call(result: ErrorCurve, loss: str) -> tuple[str, list[Counterpart]]:
    codes = candidate_codes(result.learner, result.candidates, result.task, written=True)
    call = (
        f"candidates <- {_parameter_list(codes)}\n"
        f"result <- pcv_error_curve(formula, data, {r_text(codes[0].name)}, candidates,\n"
        f"                          {r_text(loss)}, test, train, weights)\n"
        "print(colMeans(result$train), digits = 15)\n"
        "print(colMeans(result$test), digits = 15)"
    )
    return call, codes


def _nested_call(result: CVResult, learner: Tuned, loss: str) -> tuple[str, list[Counterpart]]:
    codes = candidate_codes(learner.learner, learner.candidates, result.task, written=True)
    tuning_loss = inner_loss(result, learner)
    rule = _parameters(r_rule(learner.selection_rule(), learner.candidates)[0])
    check_loss(tuning_loss)
    inner = ",\n".join(
        f"list(test = {_row_lists(test_rows(p))},\n train = "
        + ("NULL" if p.train is None else _row_lists(train_rows(p) or []))
        + ")"
        for p in result.inner_plans
    )
    call = (
        f"candidates <- {_parameter_list(codes)}\n"
        "# Inner folds by outer fit; rows count within the outer training rows.\n"
        f"inner <- list({inner})\n"
        f"result <- pcv_nested(formula, data, {r_text(codes[0].name)}, candidates,\n"
        f"                     {r_text(loss)}, test, inner, train, weights,\n"
        f"                     {r_text(tuning_loss)}, {rule},\n"
        f"                     {r_text(learner.refit)})\n"
        f"print(result$chosen)  # expected: {[d['chosen'] + 1 for d in result.details]}\n"
        + _expected(result)
    )
    return call, codes


def _expected(result: CVResult) -> str:
    return (
        'if (any(result$refused != "")) print(result$refused)  # fits that R refuses, and why\n'
        "print(result$fold_means, digits = 15)\n"
        f"print(result$estimate, digits = 15)  # expected: {result.estimate:.15g}\n"
        f"print(mean(result$losses), digits = 15)  # expected (pooled): {result.pooled:.15g}"
    )


def _parameter_list(codes: Sequence[Counterpart]) -> str:
    return "list(\n  " + ",\n  ".join(_parameters(code.params) for code in codes) + ")"


def _parameters(params: Mapping[str, Any]) -> str:
    inside = ", ".join(f"{quote(k)} = {_literal(v)}" for k, v in params.items() if v is not None)
    return f"list({inside})"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return r_text(value)
    if isinstance(value, list):
        return r_vector([_literal(item) for item in value])
    return r_number(float(value))
