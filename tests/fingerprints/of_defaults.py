"""What arguments are where they are not given, and what records and lists of seeds hold."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any

import pycvstat
from pycvstat.folds import DIALECTS
from pycvstat.intervals import METHODS
from pycvstat.losses import LOSSES
from pycvstat.losses.metrics import METRICS
from pycvstat.procedures import conventions
from tests.fingerprints.bits import facts

ROOMS = (
    "rmath", "data", "folds", "losses", "learners", "intervals", "procedures", "simulate",
)  # fmt: skip
FACTS = (bool, int, float, tuple, range)
RECORDS: dict[str, list[Any]] = {
    "folds": [*DIALECTS.values()],
    "losses": [*LOSSES.values(), *METRICS.values()],
    "intervals": [*METHODS.values()],
}
SEEDS = [conventions.FAVOURITE, conventions.COMMON, conventions.REPEATS]


def modules(room: str) -> Iterator[Any]:
    package = importlib.import_module(f"{pycvstat.__name__}.{room}")
    names = [one.name for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    yield from map(importlib.import_module, [package.__name__, *sorted(names)])


def public(owner: Any, module: str) -> Iterator[Any]:
    """Functions and classes of a module, and what classes define, in the order of their names."""
    for name, one in sorted(vars(owner).items()):
        one = getattr(one, "__func__", one)
        ours = isinstance(one, FunctionType | type) and one.__module__ == module
        if ours and (not name.startswith("_") or name == "__init__"):
            yield one
            if isinstance(one, type):
                yield from public(one, module)


def defaults(room: str) -> list[Any]:
    """Name by name, what is a number or a truth."""
    found = []
    for module in modules(room):
        for one in public(module, module.__name__):
            if isinstance(one, FunctionType):
                given = inspect.signature(one).parameters.values()
                kept = [[p.name, str(p.default)] for p in given if isinstance(p.default, FACTS)]
                found += [[one.__qualname__, kept]] if kept else []
    held = [facts(one) for one in RECORDS.get(room, ())]
    return [*sorted(found, key=str), *held, *(SEEDS if room == "procedures" else ())]


CALLS: dict[str, Callable[[], Any]] = {
    f"defaults: {room}": partial(defaults, room) for room in ROOMS
}
