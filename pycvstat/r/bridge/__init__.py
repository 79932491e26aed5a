"""R from Python: one place that starts R, passes values both ways and says what is missing.

``PYCVSTAT_R`` decides about R: ``auto`` uses it where it is found, ``none`` behaves as a machine
without R, ``required`` turns a missing R into an error.
"""

from __future__ import annotations

from pycvstat.r.bridge.installed import has, require, setting
from pycvstat.r.bridge.parts import RList, RValue
from pycvstat.r.bridge.processes import ScriptOutput, rscript
from pycvstat.r.bridge.session import available, run, source, time_limit

__all__ = [
    "RList", "RValue", "ScriptOutput", "available", "has", "require", "rscript", "run",
    "setting", "source", "time_limit",
]  # fmt: skip
