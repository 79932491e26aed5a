"""A self-contained R script that reproduces a result and prints it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

from pycvstat.errors import InputError
from pycvstat.errors.checks import check_path
from pycvstat.folds.plan import FoldPlan
from pycvstat.procedures.compare import Comparison
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.procedures.tune import TuneResult
from pycvstat.r.bridge.reference import path as reference
from pycvstat.r.bridge.to_r import literal
from pycvstat.r.check.call import Call, call_of, fit_labels
from pycvstat.r.check.conversion import as_r

WITH_SCRIPT = (CVResult, TuneResult, ErrorCurve, LearningCurve, Comparison)


def write_script(result: Any, path: str | PathLike[str]) -> Path:
    """Write the script; run it with ``Rscript``.

    Parameters
    ----------
    result : CVResult, TuneResult, NestedResult, Comparison, ErrorCurve or LearningCurve
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
    """The script as text: the functions used, what they are given, the call, what to expect.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> "lm(formula, train" in script_text(result)
    True
    """
    if not isinstance(result, WITH_SCRIPT):
        raise InputError(
            "this kind of result has no R script.",
            given=type(result).__name__,
            fix="use a result of cross_validate, tune, nested_cv, compare or one of the curves",
        )
    parts = result.results if isinstance(result, Comparison) else {"result": result}
    calls = {name: call_of(part, written=True) for name, part in parts.items()}
    written, plan = dict[str, str](), result.plan
    blocks = [_block(name, call, plan, written) for name, call in calls.items()]
    files = dict.fromkeys(file for call in calls.values() for file in call.files)
    packages = sorted({package for call in calls.values() for package in call.packages})
    header = [
        f"# Written by pycvstat {version('pycvstat')}. Run with: Rscript this_file.R",
        f"# {plan.n} rows; folds: {_comment(plan.recipe)}; fold fingerprint {plan.fingerprint}",
        *(f"library({package})" for package in packages),
        "",
    ]
    functions = [reference(file).read_text(encoding="utf-8") for file in files]
    return "\n".join([*header, *functions, *blocks])


def _comment(text: str) -> str:
    """Text that stays inside a comment line."""
    return re.sub(r"[^\x20-\x7e]", "?", text)


REMARKS = {
    "weights": "One weight per row, or NULL.",
    "test": "Test rows of every fit; the training rows are the rest unless they are listed.",
    "inner": "Inner folds by outer fit; rows count within the outer training rows.",
}


def _block(name: str, call: Call, plan: FoldPlan, written: dict[str, str]) -> str:
    """One call with what it is given, unless that stands there already."""
    values: Mapping[str, Any] = call.values
    if plan.times > 1:
        values = {**values, "fits": fit_labels(plan)}
    lines = [f"# {_comment(name)}", *(f"# {_comment(note)}" for note in call.notes)]
    for given, value in values.items():
        text = literal(value)
        if written.get(given) == text:
            continue
        written[given] = text
        lines += [f"# {REMARKS[given]}"] if given in REMARKS else []
        lines.append(f"{given} <- {text}")
    expected = literal({q.name: q.ours for q in call.quantities if q.name in call.shown})
    fits = ", fits" if plan.times > 1 else ""
    return "\n".join([*lines, f"result <- {call.code}", f"pcv_show(result, {expected}{fits})", ""])
