"""Whether a learner keeps something from fit to fit: its first fit, repeated after all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pycvstat.errors import FitError
from pycvstat.types import FloatArray

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
