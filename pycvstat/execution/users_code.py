"""What code of the user refers to.

Code of packages has a version. That of a script or a notebook changes without one, and so do the
functions and numbers it refers to: all of them are what the work is. What the code itself changes,
a counter or a log, is not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

import numpy as np

DATA = (bool, int, float, str, bytes, list, tuple, dict, set, frozenset, np.ndarray, np.generic)
IN_PLACE = {"append", "extend", "insert", "pop", "clear", "remove", "add", "update", "setdefault"}
STORES = ("STORE_GLOBAL", "STORE_ATTR", "STORE_DEREF")


def is_users(value: Any) -> bool:
    """Whether a function or a class comes from no installed package.

    Parameters
    ----------
    value : function or type

    Examples
    --------
    >>> is_users(np.mean), is_users(dict)
    (False, False)
    """
    module = getattr(value, "__module__", None) or "__main__"
    top = module.partition(".")[0]
    if module == "__main__":
        return True
    if top == "pycvstat" or top in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not any(place in file for place in ("site-packages", "dist-packages"))


def referred(value: FunctionType | type) -> dict[str, Any]:
    """Functions and data that a user's function or class refers to, directly or not, by name.

    Parameters
    ----------
    value : function or type

    Returns
    -------
    dict
        Sorted by name; the methods of a class among them. Empty for code of a package.

    Examples
    --------
    >>> referred(np.linalg.norm)
    {}
    """
    found: dict[str, Any] = {}
    waiting: list[Any] = [value]
    while waiting:
        for name, part in _references(waiting.pop()):
            if name not in found and part is not value:
                found[name] = part
                waiting.append(part)
    code = [f.__code__ for f in (value, *found.values()) if isinstance(f, FunctionType)]
    return {
        name: part
        for name, part in sorted(found.items())
        if not isinstance(part, type) and not is_changed(part, name.rpartition(".")[2], code)
    }


def is_changed(value: Any, name: str, code: Iterable[CodeType]) -> bool:
    """Whether code sets this name, or changes what may be this list, dict or set in place.

    Parameters
    ----------
    value : object
    name : str
        What the code calls it.
    code : iterable of code objects
    """
    from dis import get_instructions

    within = isinstance(value, (list, dict, set))
    for part in code:
        if within and IN_PLACE & set(part.co_names):
            return True
        for one in get_instructions(part):
            if one.opname in STORES and one.argval == name:
                return True
            if within and one.opname == "STORE_SUBSCR":
                return True
    return False


def _references(value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, (FunctionType, type)) or not is_users(value):
        return
    if isinstance(value, FunctionType):
        everything = value.__globals__
        for name in _names(value.__code__) & everything.keys():
            part = everything[name]
            if isinstance(part, (*DATA, FunctionType, type)) and not name.startswith("__"):
                yield f"{value.__module__}.{name}", part
    else:
        for name, part in vars(value).items():
            yield from _members(f"{value.__module__}.{value.__qualname__}.{name}", part)
        yield from ((f"{base.__module__}.{base.__qualname__}", base) for base in value.__bases__)


def _members(name: str, part: Any) -> Iterator[tuple[str, Any]]:
    """The functions behind an attribute of a class, or its data."""
    if isinstance(part, property):
        some = {"get": part.fget, "set": part.fset, "del": part.fdel}
        yield from ((f"{name}.{how}", f) for how, f in some.items() if f is not None)
    elif isinstance(part, (staticmethod, classmethod)):
        yield name, part.__func__
    elif isinstance(part, FunctionType) or (isinstance(part, DATA) and "__" not in name):
        yield name, part


def _names(code: CodeType) -> set[str]:
    """Global names that code, and code inside it, looks up; attributes may be called the same."""
    from dis import get_instructions

    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    own = {i.argval for i in get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return own.union(*(_names(part) for part in inner))
