"""What R gets to read: formula and data as they were given, what it cannot find out, and plans."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.formula.syntax import columns_in
from pycvstat.data.frame import Frame, read_y
from pycvstat.data.response import of_all
from pycvstat.data.task import Task
from pycvstat.errors import InputError, RError
from pycvstat.folds.forms import codes_of
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import rows_of
from pycvstat.folds.splitter import RowsInR, Splitter
from pycvstat.r.check.call import Call, Quantity, fit_labels
from pycvstat.rmath.random import RRandom
from pycvstat.rmath.tolerances import ITERATIVE, LINEAR, Tolerance
from pycvstat.types import IntArray

# dots that R takes for arguments, names of `procedures.R`, marks that turn the writing direction
NOT_IN_R = re.compile(r"^\.\.(\.|[0-9]+)$|^\.pcv_|[\u202a-\u202e\u2066-\u2069]")
DOT = re.compile(r"(?<![\w.`])\.(?![\w.`])")
GIVEN = {
    "test": "the folds",
    "inner": "the inner folds",
    "orders": "the order of training rows",
    "weights": "the weights",
}


def told(task: Task, given: Mapping[str, Any]) -> list[str]:
    """What R does not find out by itself."""
    facts = [words for name, words in GIVEN.items() if given.get(name) is not None]
    known = [f"R was given {', '.join(facts)}, and did not compute them."] if facts else []
    reading = given["reading"]
    if lost := 0 if task.given is None else task.given.n - len(_handed(task)):
        known.append(f"R was not given {lost} rows without weights or groups.")
    if task.formula.beside and any(map(DOT.search, formulas_of(task))):
        known.append(f"R was told that . leaves out {', '.join(task.formula.beside)}.")
    if task.sorted_by:
        how = "by code point" if reading["words"] == "C" else "as ICU does"
        known.append(f"R was told to sort words {how}, whatever its locale.")
    return known


ROUNDINGS = 100  # of a unit in the last place: a factorisation is some dozens of operations a row


def conditioned(close: Tolerance, task: Task) -> Tolerance:
    """The tolerance of direct linear algebra where predictors are nearly collinear.

    Two factorisations part by so many roundings times the condition number of the predictors,
    their columns of equal length; columns that others span do not count.
    """
    if close != LINEAR:
        return close
    X = task.design().X
    sizes = np.linalg.norm(X, axis=0)
    values = np.linalg.svd(X[:, sizes > 0] / sizes[sizes > 0], compute_uv=False)
    values = values[values > max(X.shape) * np.finfo(float).eps * values.max(initial=0.0)]
    number = float(values[0] / values[-1]) if len(values) else 1.0
    limit = min(ROUNDINGS * number * np.finfo(float).eps, ITERATIVE.relative)
    if limit <= close.relative:
        return close
    reason = f"{close.reason}; the predictors' condition number is {number:.1g}"
    return Tolerance(limit, reason)


def rows_used(task: Task) -> Quantity:
    """The rows that are fitted and predicted, counted among those that R gets."""
    used = np.flatnonzero(np.isin(_handed(task), task.rows)) + 1
    return Quantity("rows", "rows used", used, fits=np.empty(0, dtype=np.int64))


def _handed(task: Task) -> IntArray:
    """The rows of the data that R gets: those used, and those that it shall leave out itself.

    Rows without weights or groups, of which the formula says nothing, R does not get.
    """
    if task.given is None:
        return task.rows
    if task.weights is None and task.groups is None:
        return np.arange(task.given.n)
    each = (task.formula, *task.own)
    known = {name for one in each for name in (*one.variables, *one.removed)}
    return np.union1d(task.rows, np.flatnonzero(~task.given.complete(known)))


def data_of(task: Task) -> dict[str, Any]:
    """The formula and the data as they were given, and how they are read besides."""
    handed, weights, frame = _handed(task), task.weights, task.given or task.frame
    frame = frame.take(handed) if len(handed) < frame.n else frame
    if weights is not None:
        weights = np.ones(len(handed))
        weights[np.isin(handed, task.rows)] = task.weights
    words = {"words": "C" if task.sorted_by == "C" else "ICU"}
    beside = {"beside": [name for name in task.formula.beside if name in frame]}
    reading = {"classes": bool(task.response.levels), **beside, **words}
    text, *own = formulas_of(task)
    given = {"formula": text, "data": r_frame(as_offered(task, frame)), "weights": weights}
    return given | {"reading": reading | ({"own": own} if own else {})}


def formulas_of(task: Task) -> list[str]:
    """The formula as it was given, and those of learners that have one.

    Examples
    --------
    >>> data = {"x": [1.0, 2.0, 3.0], "y": [1.0, 4.0, 9.0]}
    >>> formulas_of(Task.build("y ~ .", data)), formulas_of(Task.build(None, data, own=["y ~ x^2"]))
    (['y ~ .'], ['y ~ x^2'])
    """
    own = [one.text for one in task.own]
    text = task.formula.text
    given = text in own or not own or text != of_all(task.own)
    return list(dict.fromkeys((text, *own))) if given else own


def as_offered(task: Task, frame: Frame) -> Frame:
    """Columns in the order of the data where ``.`` stands for them, after those of the response:
    of several that span each other, R leaves out the last."""
    if not any(map(DOT.search, formulas_of(task))):
        return frame
    place = {name: i for i, name in enumerate(task.offered)}
    place |= dict.fromkeys(columns_in(task.formula.response), -1)
    return frame.select(sorted(frame.names, key=lambda name: place.get(name, len(place))))


def r_frame(frame: Frame) -> Frame:
    """The data for R, when it can use their names in a formula."""
    for name in frame.names:
        if NOT_IN_R.search(name):
            problem = "R cannot use a column of this name in a formula."
            raise RError(problem, given=repr(name), fix="rename the column")
    return frame


SORTED = "R sorts words by its own locale, which can change the order of classes."
CUT = """{{
  cut <- function(part) {{
    rows <- pcv_folds(function() {code}, seed_, times_, kind_, reseeds_)
    setNames(list(lengths(rows), unlist(lapply(rows, sort))), paste0(part, c("_sizes", "_rows")))
  }}
  do.call(c, lapply(parts_, cut))
}}"""


def plan_in_r(plan: FoldPlan, written: bool, y: Any) -> Call:
    rows = plan.splitter.in_r() if isinstance(plan.splitter, Splitter) else None
    if rows is None or not rows.code:
        raise RError(
            "these folds have no counterpart that R could draw.",
            given=plan.recipe,
            fix="plan.check() looks for rows tested twice or never; plan.to_r() hands the rows "
            "to R",
        )
    parts = {"test": ("test rows", plan.rows, plan.n_test)}
    if rows.trains and plan.train is not None:
        parts["train"] = ("training rows", np.concatenate(plan.train), plan.n_train)
    draw = {"times_": rows.times, "reseeds_": rows.reseeds, "parts_": list(parts)}
    return Call(
        CUT.format(code=rows.code),
        _read(plan, rows, y) | _draw(plan) | draw,
        [quantity for part, of in parts.items() for quantity in _rows(plan, part, *of)],
        files=("folds.R",),
        packages=rows.packages,
        notes=(SORTED,) if rows.needs == "y" and rows.packages else (),
    )


def _rows(plan: FoldPlan, part: str, what: str, rows: Any, sizes: Any) -> list[Quantity]:
    fits = fit_labels(plan)
    labels = [f"{fit}, {what[:-1]} {i + 1}" for fit, m in zip(fits, sizes, strict=True)
              for i in range(m)]  # fmt: skip
    sizes_by_fold = Quantity(f"{part}_sizes", f"{what} by fold", sizes, labels=fits)
    return [sizes_by_fold, Quantity(f"{part}_rows", what, rows + 1, labels=labels)]


def _read(plan: FoldPlan, rows: RowsInR, y: Any) -> dict[str, Any]:
    """What the code in R reads."""
    found = {"n": plan.n, "y": None, "group": None, **rows.reads}
    if "y" in rows.needs.split():
        response = _response(plan, y)
        found["y"] = response if rows.packages else _levelled(response)
    if "group" in rows.needs.split():
        found["group"] = codes_of(read_y(np.asarray(plan.groups)))[0] + 1
    return found


def _draw(plan: FoldPlan) -> dict[str, Any]:
    """The seed, and how indices are drawn from it."""
    if plan.seed is None and plan.splitter.draws:
        problem = "the seed of these folds is not known, so R cannot draw them again."
        raise RError(problem, given=plan.recipe, fix="give the splitter a seed: random=1")
    own = getattr(plan.splitter, "random", None)
    kind = own.sample_kind if isinstance(own, RRandom) else "Rejection"
    return {"seed_": plan.seed, "kind_": kind}


def _response(plan: FoldPlan, y: Any) -> Any:
    if y is None:
        problem = "these folds were drawn by the response, which the plan does not hold."
        fix = "plan.crosscheck(y=y), with the y that the plan was made for"
        raise RError(problem, given=plan.recipe, fix=fix)
    if rows_of(y) != plan.n:
        raise InputError("y must have one value per row.", given=f"{rows_of(y)} for {plan.n} rows")
    return y


def _levelled(y: Any) -> Any:
    """Words as a factor, so that the order of its levels is ours whatever R's locale is."""
    column = read_y(y)
    if column.kind != "text":
        return y
    codes, levels = column.as_factor()
    return pd.Categorical.from_codes(codes, pd.Index(levels, dtype=object))
