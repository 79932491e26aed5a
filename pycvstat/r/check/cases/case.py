"""One case: a quantity that R computes, and how Python gets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pycvstat.rmath.tolerances import EXACT, Tolerance


@dataclass(frozen=True, slots=True)
class Case:
    """A Python value to compare with R's of the same name.

    Parameters
    ----------
    value : callable
        Computes it when asked, from what R recorded (shared data) if it needs to.
    tolerance : Tolerance
    """

    value: Callable[[Mapping[str, Any]], Any]
    tolerance: Tolerance = EXACT


Cases = dict[str, Case]


def case(function: Callable[..., Any], *arguments: Any, tolerance: Tolerance = EXACT) -> Case:
    """A case whose value is ``function(what R recorded, *arguments)``.

    Examples
    --------
    >>> case(lambda r, k: r["x"] + k, 1).value({"x": 2})
    3
    """
    return Case(lambda r: function(r, *arguments), tolerance)
