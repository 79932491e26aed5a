"""What a reader asks of a document."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wanted:
    """What a reader asks of a document.

    Parameters
    ----------
    level : float
        Confidence level of the intervals.
    method : str
        Interval method.
    full : bool
        A report, not a summary.
    """

    level: float = 0.95
    method: str = "auto"
    full: bool = False
