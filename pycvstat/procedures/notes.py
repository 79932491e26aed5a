"""What fits have to say, said once for all of them; learners that keep state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pycvstat.errors import FitError, warn
from pycvstat.folds.plan import FoldPlan
from pycvstat.types import FloatArray


def where(plan: FoldPlan, i: int, fold_word: str = "fold") -> str:
    """The name of a fit: its fold, and its repeat where there are several; or its resample."""
    if plan.kind == "bootstrap":
        whole = int(plan.n_test[i]) == len(np.unique(plan.train_rows(i)))
        return "the fit to all rows" if whole else f"resample {i + 1}"
    fold = f"{fold_word} {int(plan.fold[i]) + 1} of {int(plan.fold.max()) + 1}"
    return fold if plan.times == 1 else f"repeat {int(plan.repeat[i]) + 1}, {fold}"


def tell_notes(plan: FoldPlan, notes: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Say once, with the folds, what several fits have to say: what about, and the text."""
    said: dict[str, dict[int, str]] = {}
    for i, of_fit in enumerate(notes):
        for about, text in of_fit:
            said.setdefault(about, {})[i] = text
    for texts in said.values():
        differ = "; this is said of the first" if len({*texts.values()}) > 1 else ""
        warn(next(iter(texts.values())), given=f"{_places(plan, [*texts])}{differ}")


def _places(plan: FoldPlan, fits: Sequence[int]) -> str:
    """The names of some fits, the first of many."""
    more = f" and {len(fits) - 3} more" if len(fits) > 3 else ""
    return f"{', '.join(where(plan, i) for i in fits[:3])}{more}"


def tell_not_converged(plan: FoldPlan, details: Sequence[Any]) -> None:
    """Say in which fits the iterations of a candidate did not converge."""
    stuck = [
        i
        for i, reports in enumerate(details)
        if isinstance(reports, tuple) and not all(report.converged for report in reports)
    ]
    if stuck:
        problem = f"{len(stuck)} of {len(details)} fits did not converge."
        fix = "raise maxiter, or read their predictions with care"
        warn(problem, given=_places(plan, stuck), fix=fix)


AGAIN = -1
"""Stands for the first fit, of the first candidate, after all others."""


def refuse_state(
    learner: Any,
    first: Sequence[FloatArray | None],
    again: Sequence[FloatArray | None],
    place: str,
    which: Sequence[int] = (0,),
) -> None:
    """Refuse a learner that gives something else when it is fitted to the same rows again.

    Parameters
    ----------
    learner : Learner
    first, again : sequence of (C, ...) float64 or None
        What the fit gave at first, of all candidates, and again, of those that were repeated.
    place : str
        Which fit it is.
    which : sequence of int
        The candidates that were repeated.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> refuse_state(pcv.OLS(), [np.array([[1.0, 2.0]])], [np.array([[1.0, 3.0]])], "fold 1 of 5")
    Traceback (most recent call last):
    pycvstat.errors.FitError: fold 1 of 5: OLS predicts something else ... Given: 2.0, then 3.0...
    """
    for before, two in zip(first, again, strict=True):
        one = None if before is None else before[list(which)]
        if one is None or two is None or np.array_equal(one, two, equal_nan=True):
            continue
        at = np.unravel_index((one != two).argmax(), one.shape)
        raise FitError(
            f"{learner.name} predicts something else when it is fitted to the same rows again, "
            "after all other fits.",
            given=f"{one[at]!s}, then {two[at]!s}",
            fix="let it keep nothing from fit to fit (in its class, its module, or a list or dict "
            "that is a default) and draw with a seed or from NumPy's global generator; or go on, "
            "with results that depend on the order of the fits and the number of workers: "
            f"{type(learner).__name__}(..., check_state=False)",
        ).at(place)
