"""What R gets to read: formula and data as they were given, and what it cannot find out itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from pycvstat.data.frame import Frame
from pycvstat.data.given import of_all
from pycvstat.data.task import Task
from pycvstat.errors import RError
from pycvstat.r.check.call import Quantity
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
    handed, weights = _handed(task), task.weights
    frame = task.frame if task.given is None else task.given.take(handed)
    if weights is not None:
        weights = np.ones(len(handed))
        weights[np.isin(handed, task.rows)] = task.weights
    words = {"words": "C" if task.sorted_by == "C" else "ICU"}
    beside = {"beside": [name for name in task.formula.beside if name in frame]}
    reading = {"classes": bool(task.response.levels), **beside, **words}
    text, *own = formulas_of(task)
    given = {"formula": text, "data": r_frame(frame), "weights": weights}
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
    ours = bool(own) and task.formula.text == of_all(task.own)  # none was given for all
    return own if ours else [task.formula.text, *own]


def r_frame(frame: Frame) -> Frame:
    """The data for R, when it can use their names in a formula."""
    for name in frame.names:
        if NOT_IN_R.search(name):
            raise RError(
                "R cannot use a column of this name in a formula.",
                given=repr(name),
                fix="rename the column",
            )
    return frame
