"""What makes an object what it is: its parameters, its attributes, or what its pickle is made of.

Equal objects have equal parts in every session, which their pickles need not have: those depend
on the order of sets and on which texts are shared.
"""

from __future__ import annotations

import copyreg
import sys
import threading
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

import numpy as np

from pycvstat.run.users_code import is_users

LOCKS = (type(threading.Lock()), type(threading.RLock()))
CACHES = (threading.local, WeakKeyDictionary, WeakValueDictionary, WeakSet)


class Indescribable(Exception):
    """An object that may be another one in another session, and nothing tells."""


def is_estimator(value: Any) -> bool:
    """Whether an object names its parameters as scikit-learn's estimators do.

    Parameters
    ----------
    value : object
    """
    return hasattr(type(value), "get_params")


def is_cloned(value: Any) -> bool:
    """Whether work begins with a new object like this one, which has learnt nothing.

    A learner of ours holds an estimator that is cloned; other objects are copied as they are.

    Parameters
    ----------
    value : object
    """
    kind = type(value)
    base: Any = getattr(sys.modules.get("sklearn.base"), "BaseEstimator", None)
    if base is not None and isinstance(value, base):
        return bool(kind.__sklearn_clone__ is base.__sklearn_clone__)  # others are frozen
    ours = is_dataclass(value) and kind.__module__.startswith("pycvstat.")
    return ours or (is_estimator(value) and not is_users(kind))


def parts(value: Any, fitted: bool) -> dict[str, Any]:
    """The parts of an object by name.

    Parameters
    ----------
    value : object
    fitted : bool
        Whether what an estimator has learnt belongs to it, besides its parameters.

    Examples
    --------
    >>> parts(partial(max, 1), fitted=False)
    {'of': <built-in function max>, 'arguments': (1,), 'named': {}}
    >>> parts(slice(2, 5), fitted=False)
    {'arguments': (2, 5, None)}
    """
    if isinstance(value, (*LOCKS, *CACHES)):
        return {}
    if isinstance(value, partial):
        return {"of": value.func, "arguments": value.args, "named": value.keywords}
    if isinstance(value, property):
        return {"get": value.fget, "set": value.fset, "del": value.fdel}
    if isinstance(value, (staticmethod, classmethod)):
        return {"of": value.__func__}
    if type(value).__module__.startswith("numba.") and hasattr(value, "py_func"):
        return {"of": value.py_func, "options": value.targetoptions}
    if is_dataclass(value):
        return {f.name: getattr(value, f.name, None) for f in fields(value)}
    if is_estimator(value):
        learnt = vars(value) if fitted and hasattr(value, "__dict__") else {}
        return {**learnt, **value.get_params(deep=False)}
    if type(value).__module__.startswith("pycvstat.") and hasattr(value, "fingerprint"):
        return {"fingerprint": value.fingerprint}
    if isinstance(value, np.vectorize):
        return {name: part for name, part in vars(value).items() if name != "_ufunc"}
    if _is_data_frame(value):
        return {"index": value.index, "columns": list(value.items())}
    return _reduced(value)


def _is_data_frame(value: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def _reduced(value: Any) -> dict[str, Any]:
    """What a pickle of the object would be made of."""
    reduce = copyreg.dispatch_table.get(type(value))
    made: Any = reduce(value) if reduce else value.__reduce_ex__(4)
    if isinstance(made, str):
        wrapped = getattr(value, "__wrapped__", None)  # as functools.lru_cache has it
        if wrapped is None and not _is_found(value, made):
            raise Indescribable
        return {"name": made} if wrapped is None else {"of": wrapped}
    maker, arguments, state, items, entries = (*made, None, None, None)[:5]
    found = {
        "made by": None if maker in (copyreg.__newobj__, type(value)) else maker,  # type: ignore[attr-defined]
        "arguments": tuple(a for a in arguments if a is not type(value)),
        "items": list(items or ()),
        "entries": list(entries or ()),
    }
    return {**{name: part for name, part in found.items() if part}, **_attributes(value, state)}


def _attributes(value: Any, state: Any) -> dict[str, Any]:
    if isinstance(state, tuple) and len(state) == 2 and isinstance(state[1], dict):
        state = {**(state[0] or {}), **state[1]}  # attributes, and those in slots
    if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
        return {} if state is None else {"state": state}
    kind = type(value)
    return {
        name: part
        for name, part in state.items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }


def _is_found(value: Any, name: str) -> bool:
    """Whether an object is what a module calls so."""
    from pickle import whichmodule  # type: ignore[attr-defined]

    found: Any = sys.modules.get(whichmodule(value, name))
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value


def library_name(value: Any) -> str | None:
    """What the package of an object's class calls it, like ``norm`` of ``scipy.stats``.

    Parameters
    ----------
    value : object

    Examples
    --------
    >>> library_name(np.ma.masked), library_name(np.ma.array([1]))
    ('masked', None)
    """
    for module in _packages(type(value).__module__):
        for name, part in list(vars(module).items()):
            if part is value:
                return str(name)
    return None


def _packages(module: str) -> Iterator[Any]:
    while module:
        if module in sys.modules:
            yield sys.modules[module]
        module = module.rpartition(".")[0]
