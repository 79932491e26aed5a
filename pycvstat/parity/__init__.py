"""Parity with R: cross-checks of results, scripts that reproduce them, and the parity suite."""

from pycvstat.parity.as_r import as_r
from pycvstat.parity.conventions import conventions
from pycvstat.parity.crosscheck import crosscheck
from pycvstat.parity.from_r import from_r
from pycvstat.parity.script import script_text
from pycvstat.parity.suite import ParitySuite, run_suite
from pycvstat.parity.table import Crosscheck, Tolerance, compare_values

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
