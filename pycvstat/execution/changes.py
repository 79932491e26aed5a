"""What code changes while it runs, a counter or a log: that is not what the code is."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

Key = tuple[str, ...]
"""What a name is: of a module, ``("global", module, name)``; of a closure, ``("cell", id)``; of a
class, a module or an object, ``("attribute", name)``, or with its owner before the name."""

CONTAINERS = (list, dict, set, deque)
GROWING = ("append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault")
SHRINKING = ("pop", "popleft", "popitem", "remove", "discard", "clear")
IN_PLACE = frozenset((*GROWING, *SHRINKING, "sort", "reverse"))
FITS = frozenset(("fit", "partial_fit", "fit_transform", "fit_predict"))
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
SUBSCRIPTS = ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL")
CELLS = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "STORE_DEREF", "DELETE_DEREF")


class Changes:
    """Names that code gives new values, lists it changes in place, and estimators it fits.

    Only what the code names is found: a list that it changes under another name is not.

    Examples
    --------
    >>> def fit(X, y):
    ...     LOG.append(1)
    ...     return y.mean() + SHIFT[0]
    >>> changes = Changes()
    >>> changes.note(fit)
    >>> changes.hide([1], ("global", __name__, "LOG"))
    True
    >>> changes.hide([2.5], ("global", __name__, "SHIFT"))
    False
    """

    def __init__(self) -> None:
        self.assigned: set[Key] = set()
        self.grown: set[Key] = set()
        self.fitted: set[Key] = set()

    def __bool__(self) -> bool:
        return bool(self.assigned or self.grown or self.fitted)

    def hide(self, value: Any, *keys: Key) -> bool:
        """Whether a value under one of these names is changed by the code itself.

        Parameters
        ----------
        value : object
        *keys : tuple
        """
        if not self.assigned.isdisjoint(keys):
            return True
        return isinstance(value, CONTAINERS) and not self.grown.isdisjoint(keys)

    def note(self, function: FunctionType) -> None:
        """Find what a function changes, and the functions inside it.

        Parameters
        ----------
        function : function
        """
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        names = {name: cell_key(cell) for name, cell in cells}
        for code in codes(function.__code__):
            self._read(code, str(function.__globals__.get("__name__")), names)

    def _read(self, code: CodeType, module: str, cells: dict[str, Key]) -> None:
        """An expression like ``type(self).log.append`` begins where each of its parts begins."""
        from dis import get_instructions

        chains: dict[Any, list[Key]] = {}
        for one in get_instructions(code):
            place = one.positions and (one.positions.lineno, one.positions.col_offset)
            chain = chains.setdefault(place, []) if place and None not in place else []
            key = _key(one.opname, one.argval, module, cells)
            self._notice(one.opname, one.argval, key, chain)
            if key:
                chain.append(key)

    def _notice(self, operation: str, name: Any, key: Key | None, chain: list[Key]) -> None:
        if key and operation.startswith(("STORE", "DELETE")):
            self.assigned.add(key)
        elif operation in ("STORE_ATTR", "DELETE_ATTR"):
            owners = [k for k in chain if k != ("attribute", name)]
            if owners:
                self.assigned.add(("attribute", owners[-1][-1], name))
        elif not chain:
            return
        elif operation in SUBSCRIPTS or (operation in ATTRIBUTES and name in IN_PLACE):
            self.grown.add(chain[-1])
        elif operation in ATTRIBUTES and name in FITS:
            self.fitted.add(chain[-1])


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
    if operation in CELLS:
        return cells.get(name)
    if operation in ATTRIBUTES:
        return ("attribute", name)
    if operation.startswith("LOAD_FAST") and name == "cls":
        return ("local", "cls")
    return None
