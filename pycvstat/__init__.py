"""Cross-validation as statistics: data -> folds -> learner -> losses -> interval, checked by R.

The public names are loaded when they are first used, so importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same names as in _HOME, for type checkers and editors
    pass

_HOME: dict[str, str] = {}
"""Public name -> module inside pycvstat that defines it; "" where the name is itself a module."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("pycvstat")
    if name not in _HOME:
        raise AttributeError(f"module 'pycvstat' has no attribute {name!r}")
    if not _HOME[name]:
        return import_module(f"pycvstat.{name}")
    value: object = getattr(import_module(f"pycvstat.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
