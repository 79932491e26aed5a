"""R beside us: the bridge to a running R, the checks against it, R packages' functions.

`bridge` starts R and passes values both ways, `check` puts the same quantity computed by R beside
ours, and each R package (`kknn`, `lecture`) has a module with its functions under their R names.
May import the rooms below, `bridge` only `errors` and `data`. New here: the functions of an R
package, or a quantity to compare. The modules are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same names as in __all__, for type checkers and editors
    from pycvstat.r import check as check, kknn as kknn, lecture as lecture

__all__ = ["check", "kknn", "lecture"]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module 'pycvstat.r' has no attribute {name!r}")
    return import_module(f"pycvstat.r.{name}")


def __dir__() -> list[str]:
    return __all__
