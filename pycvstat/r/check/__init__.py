"""Parity with R: cases of Python and R, cross-checks of results, and R scripts of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pycvstat.r.check.call import compare_values
from pycvstat.r.check.case import Case
from pycvstat.r.check.crosscheck import Crosscheck, conventions, crosscheck
from pycvstat.rmath.tolerances import Tolerance

if TYPE_CHECKING:
    from pycvstat.r.check.cases import run_suite
    from pycvstat.r.check.checking import check
    from pycvstat.r.check.conversion import as_r, from_r
    from pycvstat.r.check.script import script_text

__all__ = [
    "Case", "Crosscheck", "Tolerance", "as_r", "check", "compare_values", "conventions",
    "crosscheck", "from_r", "run_suite", "script_text",
]  # fmt: skip
_HOME = {"run_suite": "cases", "check": "checking", "script_text": "script"}
_HOME |= {"as_r": "conversion", "from_r": "conversion"}
"""Public names of what a cross-check does not need, and the modules that define them."""


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'pycvstat.r.check' has no attribute {name!r}")
    return getattr(import_module(f"pycvstat.r.check.{_HOME[name]}"), name)
