"""Parity with R: cross-checks of results, scripts that reproduce them, and the parity suite."""

from pycvstat.r.check.call import compare_values
from pycvstat.r.check.conversion import as_r, from_r
from pycvstat.r.check.crosscheck import Crosscheck, conventions, crosscheck
from pycvstat.r.check.script import script_text
from pycvstat.r.check.suite import ParitySuite, run_suite
from pycvstat.rmath.tolerances import Tolerance

__all__ = [
    "Crosscheck",
    "ParitySuite",
    "Tolerance",
    "as_r",
    "compare_values",
    "conventions",
    "crosscheck",
    "from_r",
    "run_suite",
    "script_text",
]
