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
from pycvstat.procedures.compare import Comparison
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.error_curve import ErrorCurve
from pycvstat.procedures.learning_curve import LearningCurve
from pycvstat.procedures.tune import TuneResult
from pycvstat.r.check import check_procedures as procedures
from pycvstat.r.check.check_fits import check_fit
from pycvstat.r.check.check_folds import check_plan
from pycvstat.r.check.check_intervals import check_interval, check_losses, check_paired
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
    return replace(found, notes=(*found.notes, *said))


@singledispatch
def check(result: Any) -> Crosscheck:
    """The cross-check of a kind of result."""
    raise InputError(
        "this kind of result has no cross-check.",
        given=type(result).__name__,
        fix="cross-check a fold plan, a fit, an interval, or the result of a procedure",
    )


check.register(FoldPlan)(check_plan)
check.register(Interval)(check_interval)
check.register(Paired)(check_paired)
check.register(LossResult)(check_losses)
check.register(Fitted)(check_fit)
check.register(CVResult)(procedures.check_cross_validation)
check.register(TuneResult)(procedures.check_tuning)
check.register(ErrorCurve)(procedures.check_error_curve)
check.register(LearningCurve)(procedures.check_learning_curve)
check.register(Comparison)(procedures.check_comparison)

__all__ = ["crosscheck"]
