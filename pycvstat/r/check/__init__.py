"""Parity with R: cases of Python and R, cross-checks of results, and R scripts of them."""

from pycvstat.r.check.call import compare_values
from pycvstat.r.check.case import Case
from pycvstat.r.check.cases import run_suite
from pycvstat.r.check.checking import check
from pycvstat.r.check.conversion import as_r, from_r
from pycvstat.r.check.crosscheck import Crosscheck, conventions, crosscheck
from pycvstat.r.check.script import script_text
from pycvstat.rmath.tolerances import Tolerance

__all__ = [
    "Case",
    "Crosscheck",
    "Tolerance",
    "as_r",
    "check",
    "compare_values",
    "conventions",
    "crosscheck",
    "from_r",
    "run_suite",
    "script_text",
]
