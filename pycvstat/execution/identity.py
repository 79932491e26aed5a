"""What a piece of work is, in words and checksums that can be compared between sessions."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from pycvstat.execution.users_code import is_changed, referred


def describe(value: Any) -> Any:
    """A value as JSON: the same for equal values, in every session.

    Arrays become checksums, functions their name and a checksum of their code with what they
    refer to, objects their class and attributes. Code of the user comes with the functions and
    numbers of its module that it refers to.

    Parameters
    ----------
    value : object

    Returns
    -------
    object
        Made of dicts, lists, text, numbers and None.

    Examples
    --------
    >>> describe({"folds": 10, "rule": ("min", None)})
    {'folds': 10, 'rule': ['min', None]}
    """
    return _describe(value, ())


def _describe(value: Any, inside: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(value) if value == value and abs(value) != float("inf") else repr(float(value))
    if id(value) in inside:
        return "itself"
    inside = (*inside, id(value))
    if isinstance(value, np.generic):
        return _describe(value.item(), inside) if value.dtype.kind in "biufU" else repr(value)
    if isinstance(value, np.ndarray):
        return _describe_array(value, inside)
    if isinstance(value, Mapping):
        return {_name(key): _describe(item, inside) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [_describe(item, inside) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_describe(item, inside) for item in value), key=json.dumps)
    if isinstance(value, CodeType):
        return _describe_code(value, inside)
    if isinstance(value, FunctionType):
        return _describe_function(value, inside)
    return _describe_object(value, inside)


def _name(key: Any) -> str:
    return key if isinstance(key, str) else repr(key)


def _describe_array(value: np.ndarray[Any, Any], inside: tuple[int, ...]) -> Any:
    if value.dtype.hasobject:
        return _describe(value.tolist(), inside)
    head = f"{value.dtype.str} {value.shape}"
    content = np.ascontiguousarray(value).tobytes()
    return f"array {head} sha256:{hashlib.sha256(content).hexdigest()[:16]}"


def _describe_code(code: CodeType, inside: tuple[int, ...]) -> Any:
    parts = [code.co_code.hex(), list(code.co_names), _describe(code.co_consts, inside)]
    return f"code sha256:{digest(parts)[:16]}"


def _describe_function(function: FunctionType, inside: tuple[int, ...]) -> Any:
    return {**_of_itself(function, inside), **_with_references(function, inside)}


def _of_itself(function: FunctionType, inside: tuple[int, ...]) -> dict[str, Any]:
    """A function without the functions and numbers it refers to."""
    return {
        "function": f"{function.__module__}.{function.__qualname__}",
        "code": _describe_code(function.__code__, inside),
        "defaults": _describe([function.__defaults__, function.__kwdefaults__], inside),
        "closure": _closure(function, inside),
    }


def _closure(function: FunctionType, inside: tuple[int, ...]) -> list[Any]:
    code = function.__code__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    content = [(name, _content(cell)) for name, cell in cells]
    return [_describe(v, inside) for name, v in content if not is_changed(v, name, [code])]


def _with_references(value: FunctionType | type, inside: tuple[int, ...]) -> dict[str, Any]:
    parts = {
        name: _of_itself(part, inside)
        if isinstance(part, FunctionType)
        else _describe(part, inside)
        for name, part in referred(value).items()
    }
    return {"refers": parts} if parts else {}


def _content(cell: Any) -> Any:
    try:
        content = cell.cell_contents
    except ValueError:  # not filled yet
        return None
    return _full_name(content) if isinstance(content, type) else content


def _describe_object(value: Any, inside: tuple[int, ...]) -> Any:
    if isinstance(value, type):
        return {"class": _full_name(value), **_with_references(value, inside)}
    kind = type(value)
    return {"class": _full_name(kind), **_with_references(kind, inside), **_parts(value, inside)}


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _parts(value: Any, inside: tuple[int, ...]) -> dict[str, Any]:
    """What makes an object what it is: its parameters, its attributes, or its pickle."""
    if isinstance(value, partial):
        parts = {"of": value.func, "arguments": value.args, "named": value.keywords}
    elif is_dataclass(value):
        parts = {f.name: getattr(value, f.name) for f in fields(value)}
    elif hasattr(value, "get_params"):
        parts = value.get_params(deep=False)
    elif hasattr(value, "fingerprint"):
        parts = {"fingerprint": value.fingerprint}
    elif _is_plain(type(value)):
        parts = vars(value)
    else:
        parts = {"pickled": _pickled(value)}
    return {key: _describe(part, inside) for key, part in parts.items()}


def _is_plain(kind: type) -> bool:
    """Whether instances are their attributes, and nothing else."""
    hooks = ("__reduce__", "__reduce_ex__", "__getstate__", "__slots__")
    mro = kind.__mro__[:-1]
    return "__dict__" in dir(kind) and not any(hook in vars(k) for k in mro for hook in hooks)


def _pickled(value: Any) -> str | None:
    try:
        content = pickle.dumps(value, protocol=5)
    except Exception:  # a generator, a lock: nothing more can be said
        return None
    return f"sha256:{hashlib.sha256(content).hexdigest()[:16]}"


def digest(description: Any) -> str:
    """SHA-256 of a description.

    Examples
    --------
    >>> digest(describe({"a": 1, "b": 2})) == digest(describe({"b": 2, "a": 1}))
    True
    """
    text = json.dumps(description, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def differences(kept: Any, now: Any, where: str = "") -> list[str]:
    """What differs between two descriptions, one line each.

    Parameters
    ----------
    kept, now : object
        Two descriptions.

    Returns
    -------
    list of str

    Examples
    --------
    >>> differences({"data": "ab", "loss": {"name": "squared"}},
    ...             {"data": "ab", "loss": {"name": "absolute"}})
    ["loss.name: 'squared' in the checkpoint, 'absolute' now"]
    """
    if isinstance(kept, dict) and isinstance(now, dict):
        names = [*kept, *(name for name in now if name not in kept)]
        found = (
            differences(kept.get(name, _ABSENT), now.get(name, _ABSENT), f"{where}{name}.")
            for name in names
        )
        return [line for lines in found for line in lines]
    if isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        pairs = zip(kept, now, strict=True)
        lists = [differences(a, b, f"{where.rstrip('.')}[{i}].") for i, (a, b) in enumerate(pairs)]
        return [line for lines in lists for line in lines]
    if kept == now and type(kept) is type(now):
        return []
    return [f"{where.rstrip('.')}: {_short(kept)} in the checkpoint, {_short(now)} now"]


_ABSENT = "absent"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"
