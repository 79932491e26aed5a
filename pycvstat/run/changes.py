"""Logs and counts that code only adds to: no result depends on them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

Key = tuple[str, ...]
"""A variable: of a module, ``("global", module, name)``; of a closure, ``("cell", id)``."""

LOGS = (list, set, deque)
COUNTS = (int, float)
READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
GLOBALS = (*READS, "STORE_GLOBAL", "DELETE_GLOBAL")
CELLS = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "STORE_DEREF", "DELETE_DEREF")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
BOTH_WAYS = (("LOAD_GLOBAL", "STORE_GLOBAL"), ("LOAD_DEREF", "STORE_DEREF"))
ADDING = ("append", "appendleft", "extend", "add")

Step = tuple[str, Any, str]
"""The name of an operation, what it is about, and how dis shows it."""


class Changes:
    """How code uses each variable: adds to a log, counts, or otherwise.

    Examples
    --------
    >>> def fit(X, y):
    ...     LOG.append(1)
    ...     SHIFT.append(1)
    ...     return y.mean() + SHIFT[0]
    >>> changes = Changes()
    >>> changes.note(fit)
    >>> changes.only_added_to([1], ("global", __name__, "LOG"))
    True
    >>> changes.only_added_to([2.5], ("global", __name__, "SHIFT"))
    False
    """

    def __init__(self) -> None:
        self._uses: dict[Key, set[str]] = {}

    def __bool__(self) -> bool:
        return any("otherwise" not in uses for uses in self._uses.values())

    def only_added_to(self, value: Any, key: Key | None) -> bool:
        """Whether code only appends to this list, or only counts with this number.

        Parameters
        ----------
        value : object
        key : tuple, optional
            The variable; None for anything else, such as an attribute.
        """
        uses = self._uses.get(key) if key else None
        return (uses == {"logs"} and type(value) in LOGS) or (
            uses == {"counts"} and type(value) in COUNTS
        )

    def note(self, function: FunctionType) -> None:
        """Find what a function, and the functions inside it, use and how.

        Parameters
        ----------
        function : function
        """
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        names = {name: cell_key(cell) for name, cell in cells}
        for code in codes(function.__code__):
            self._read(code, str(function.__globals__.get("__name__")), names)

    def _read(self, code: CodeType, module: str, cells: dict[str, Key]) -> None:
        from dis import get_instructions

        steps = [(one.opname, one.argval, one.argrepr) for one in get_instructions(code)]
        steps = [step for step in steps if step[0] != "EXTENDED_ARG"]
        for i, (operation, name, _) in enumerate(steps):
            key = _key(operation, name, module, cells)
            if key:
                self._uses.setdefault(key, set()).add(_use(steps, i))


def _use(steps: list[Step], i: int) -> str:
    """What becomes of the variable of step `i`."""
    if _counts(steps[i : i + 4]) or (i >= 3 and _counts(steps[i - 3 : i + 1])):
        return "counts"
    operation, name, _ = steps[i + 1] if i + 1 < len(steps) else ("", None, "")
    return "logs" if operation in ATTRIBUTES and name in ADDING else "otherwise"


def _counts(steps: list[Step]) -> bool:
    """Whether these steps are ``N += 1``."""
    if len(steps) < 4:
        return False
    (load, name, _), (number, value, _), (_, _, sign), (store, stored, _) = steps
    adds = number.startswith("LOAD") and type(value) in COUNTS and sign == "+="
    return adds and name == stored and (load, store) in BOTH_WAYS


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside it.

    Parameters
    ----------
    code : code object
    """
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def cell_key(cell: Any) -> Key:
    """The name of a variable that functions share.

    Parameters
    ----------
    cell : cell object
    """
    return ("cell", str(id(cell)))


def _key(operation: str, name: Any, module: str, cells: dict[str, Key]) -> Key | None:
    if operation in GLOBALS:
        return ("global", module, name)
    return cells.get(name) if operation in CELLS else None
