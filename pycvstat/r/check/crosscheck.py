"""Compute the quantities of a result in R, on the same data and folds, side by side."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

from pycvstat.errors import InputError
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.base import Interval
from pycvstat.intervals.from_losses import LossResult
from pycvstat.intervals.paired import Paired
from pycvstat.learners.base import Fitted
from pycvstat.learners.knn.fitted import FittedKNN
from pycvstat.procedures.compare import Comparison
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.procedures.tune import TuneResult
from pycvstat.r.bridge.session import collation
from pycvstat.r.check.calls import call_of
from pycvstat.r.check.check_folds import check_plan
from pycvstat.r.check.check_intervals import check_interval, check_losses, check_paired
from pycvstat.r.check.check_neighbours import check_neighbours
from pycvstat.r.check.conventions import notes as named_differences
from pycvstat.r.check.quantities import losses_of_predictions, side_by_side
from pycvstat.r.check.r_values import r_warnings
from pycvstat.r.check.table import Crosscheck

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
    if y is not None and not isinstance(result, FoldPlan):
        raise InputError("y= belongs to fold plans.", given=type(result).__name__)
    with r_warnings() as said:
        found = check(result) if y is None else check_plan(result, y)
    return replace(found, notes=(*found.notes, *said, *_order_of_words(result)))


def _order_of_words(result: Any) -> list[str]:
    """What is said where the R that was asked sorts words in another order."""
    ours = getattr(getattr(result, "task", None), "sorted_by", "")
    if not ours or ours == (theirs := collation()):
        return []
    return [
        f"R sorts words by {theirs} here, and these levels are sorted by {ours}: R was given them "
        f"so; levels='{theirs}' makes them as it would itself."
    ]


@singledispatch
def check(result: Any) -> Crosscheck:
    """The cross-check of a kind of result."""
    raise InputError(
        "this kind of result has no cross-check.",
        given=type(result).__name__,
        fix="cross-check a fold plan, a fit, an interval, or the result of a procedure",
    )


@check.register(CVResult | TuneResult | ErrorCurve | LearningCurve | Fitted)
def _procedure(result: Any) -> Crosscheck:
    """What R computes by a call of the same procedure."""
    from pycvstat.r.bridge import run

    call = call_of(result)
    rows = side_by_side(call.quantities, call.run(), call.fits)
    more: tuple[str, ...] = ()
    if isinstance(result, CVResult):
        place = [q.name for q in call.quantities].index("losses")
        rows[place:place] = losses_of_predictions(result.table)
        more = named_differences(result.table)
    version = f"{run('R.version.string')}; {call.learner.says}"
    notes = dict.fromkeys((*call.learner.notes, *call.notes, *more))
    return Crosscheck(tuple(rows), version, tuple(notes))


@check.register
def _comparison(result: Comparison) -> Crosscheck:
    """Every method of the comparison."""
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


check.register(FoldPlan)(check_plan)
check.register(Interval)(check_interval)
check.register(Paired)(check_paired)
check.register(LossResult)(check_losses)
check.register(FittedKNN)(check_neighbours)

__all__ = ["crosscheck"]
