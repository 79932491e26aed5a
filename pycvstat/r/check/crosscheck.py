"""Compute the quantities of a result in R, on the same data and folds, side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pycvstat.errors import InputError, heard, warn
from pycvstat.folds.plan import FoldPlan
from pycvstat.losses import LossTable
from pycvstat.procedures.compare import Comparison
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.r.bridge.session import collation
from pycvstat.r.check import of_intervals, of_neighbours, of_plans, of_procedures
from pycvstat.r.check.call import Call, Quantity, call_of, has_classes
from pycvstat.r.check.conventions import notes as named_differences
from pycvstat.r.check.labels import row_labels
from pycvstat.r.check.table import Crosscheck, Row
from pycvstat.rmath.tolerances import SAME_BITS, SUMS

SECONDS = 600.0  # for everything that R does for one cross-check


def crosscheck(
    result: Any, *, seconds: float = SECONDS, separate: bool = False, y: Any = None
) -> Crosscheck:
    """Compute a result's quantities in R and compare them.

    Parameters
    ----------
    result : fold plan, fitted model, interval, paired difference, or result of a procedure
    seconds : float
        The longest that one call of R may take.
    separate : bool
        Run R in a process of its own: slower to start, but then a crash of R is an error like
        any other, and the time limit, for all of R's work together, holds whatever R does.
    y : sequence, optional
        The response, for fold plans that were drawn by it.

    Returns
    -------
    Crosscheck
        True when every quantity agrees; `first_difference` says where the two part.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat.r.bridge import available
    >>> plan = pcv.KFold(5, random=1).plan(20)
    >>> bool(crosscheck(plan)) if available() else True
    True
    """
    from pycvstat.r.bridge import time_limit

    if separate:
        from pycvstat.r.bridge.separate import separately

        found: Crosscheck = separately(_checked, result, y, seconds=seconds)
        return found
    with time_limit(seconds):
        return _checked(result, y)


def _checked(result: Any, y: Any) -> Crosscheck:
    from pycvstat.r.bridge import run

    if y is not None and not isinstance(result, FoldPlan):
        raise InputError("y= belongs to fold plans.", given=type(result).__name__)
    parts = result.results if isinstance(result, Comparison) else {"": result}
    rows: list[Row] = []
    says, notes = [str(run("R.version.string"))], list[str]()
    with heard() as said:
        for name, part in parts.items():
            for call in _calls(part, y):
                start = f"{name}: " if name else ""
                found = call.beside(call.run())
                rows += [replace(row, quantity=start + row.quantity) for row in found]
                says.append(call.says)
                notes += call.notes
    for words in said:
        warn(words)
    notes += [*said, *_order_of_words(result)]
    version = "; ".join(dict.fromkeys(filter(None, says)))
    return Crosscheck(tuple(rows), version, tuple(dict.fromkeys(notes)))


def _calls(result: Any, y: Any) -> list[Call]:
    call = call_of(result, y=y)
    if not isinstance(result, CVResult):
        return [call]
    named = replace(call, notes=(*call.notes, *named_differences(result.table)))
    return [*_losses_of_predictions(result.table), named]


def _losses_of_predictions(table: LossTable) -> list[Call]:
    """The losses that R computes from our predictions: the same bits where only + - * occur."""
    if table.predictions is None or table.y is None:
        return []
    prob, classes = table.predictions.prob, has_classes(table)
    rounded = table.loss in ("log", "poisson") or (prob is not None and prob.shape[2] > 2)
    name, ours = "losses of these predictions", table.losses[:, 0]
    tolerance = SUMS if rounded else SAME_BITS
    return [
        Call(
            "list(losses = pcv_loss(loss, y, if (classes) list(class = values + 1, prob = prob)"
            " else values))",
            {
                "loss": table.loss,
                "y": table.y[table.plan.rows] + (1 if classes else 0),
                "classes": classes,
                "values": table.predictions.values[0],
                "prob": None if prob is None else prob[0],
            },
            [Quantity("losses", name, ours, tolerance, row_labels(table.plan))],
            files=("procedures.R",),
        )
    ]


def _order_of_words(result: Any) -> list[str]:
    """What is said where the R that was asked sorts words in another order."""
    ours = getattr(getattr(result, "task", None), "sorted_by", "")
    if not ours or ours == (theirs := collation()):
        return []
    return [
        f"R sorts words by {theirs} here, and these levels are sorted by {ours}: R was given them "
        f"so; levels='{theirs}' makes them as it would itself."
    ]


KINDS = (of_procedures, of_plans, of_intervals, of_neighbours)  # each registers its calls

__all__ = ["KINDS", "crosscheck"]
