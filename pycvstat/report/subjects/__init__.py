"""What each kind of result says of itself: a title and sections, brief or full."""

from pycvstat.report.subjects import comparisons, others, parity, risks, simulated
from pycvstat.report.subjects.base import Parts, parts_of

__all__ = [
    "Parts",
    "comparisons",
    "others",
    "parity",
    "parts_of",
    "risks",
    "simulated",
]
