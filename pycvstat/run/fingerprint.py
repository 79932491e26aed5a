"""What a piece of work is, in words and checksums that can be compared between sessions."""

from __future__ import annotations

import copyreg
import hashlib
import json
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from operator import attrgetter
from pickle import whichmodule  # type: ignore[attr-defined]
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

import numpy as np

from pycvstat.errors import CheckpointError
from pycvstat.run.references import (
    doubts_about,
    files_of,
    full_name,
    imports_of,
    is_of_package,
    is_users,
    members_of,
    module_name,
    name_in_package,
    references_of,
)

DICTS = (dict, OrderedDict, Counter, MappingProxyType)
EMPTY = (
    *(type(threading.Lock()), type(threading.RLock()), threading.local),
    *(WeakKeyDictionary, WeakValueDictionary, WeakSet),
)
"""Locks and caches: no result depends on what they hold."""

WRAPS = (
    ("fget", "fset", "fdel"),
    ("py_func", "targetoptions"),
    ("__wrapped__",),
    ("__func__", "__self__"),
    ("__func__",),
)
"""What properties, functions compiled by numba, cached functions and methods are made of."""


def describe(value: Any) -> Any:
    """A value as JSON: the same for equal values, in every session.

    Arrays become checksums; objects their class and attributes; functions of packages their
    name. Code of the user becomes a checksum, with all that it refers to by name, and with
    checksums of the files of its modules and of those modules of the user that they import. A
    function, class or object with an attribute ``fingerprint`` (text) is what that says.

    Parameters
    ----------
    value : object

    Returns
    -------
    object
        Made of dicts, lists, text, numbers and None.

    Raises
    ------
    CheckpointError
        When a part may be another one in another session and nothing tells: a generator, an open
        file, code that reads files or environment variables or looks up what no name tells.

    Examples
    --------
    >>> describe({"folds": 10, "rule": ("min", None)})
    {'folds': 10, 'rule': ['min', None]}
    """
    walk = _Walk()
    try:
        told, troubles = walk.of(value), walk.troubles
    except RecursionError:
        told, troubles = None, ["lists in lists or objects in objects, deeper than Python allows"]
    if troubles:
        raise CheckpointError(
            "A checkpoint cannot tell whether this is the same in another session.",
            given="\n         ".join(troubles),
            fix="make or read it before, and pass it to the learner as a parameter (numbers, text, "
            "arrays); or say yourself what the function or class is, by an attribute: "
            "fit.fingerprint = 'version 1', to be changed whenever it changes; or leave "
            "checkpoint out",
        )
    return told


def digest(description: Any) -> str:
    """SHA-256 of a description.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
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
        pairs = [
            (f"{where}{name}.", kept.get(name, "absent"), now.get(name, "absent"))
            for name in dict.fromkeys([*kept, *now])
        ]
    elif isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        base = where.rstrip(".")
        both = zip(kept, now, strict=True)
        pairs = [(f"{base}[{i}].", a, b) for i, (a, b) in enumerate(both)]
    elif kept == now and type(kept) is type(now):
        pairs = []
    else:
        return [f"{where.rstrip('.')}: {_short(kept)} in the checkpoint, {_short(now)} now"]
    return [line for name, a, b in pairs for line in differences(a, b, name)]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"


class _Walk:
    """One walk through a value and all that its code refers to."""

    def __init__(self) -> None:
        self.troubles: list[str] = []  # what could not be described
        self._met: dict[int, dict[str, Any]] = {}
        self._alive: list[Any] = []  # so that no other object gets the id of one that was met
        self._inside: list[int] = []
        self._names: list[str] = []

    def of(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            whole = value == value and abs(value) != float("inf")
            return float(value) if whole else repr(float(value))
        if isinstance(value, (bytes, bytearray)):
            return f"bytes {_sum(value)}"
        if id(value) in self._inside:
            return "itself"
        self._inside.append(id(value))
        described = self._data(value)
        self._inside.pop()
        return described

    def _data(self, value: Any) -> Any:
        kind = type(value)
        if isinstance(value, np.generic) and value.dtype.kind in "biufU":
            return self.of(value.item())
        if kind in (np.ndarray, np.memmap):
            content = np.ascontiguousarray(value).tobytes()
            told = f"array {value.dtype.str} {value.shape} {_sum(content)}"
            return self.of(value.tolist()) if value.dtype.hasobject else told
        if kind in DICTS:
            return self._named(sorted((self._key(key), item) for key, item in value.items()))
        if kind in (list, tuple, range):
            return [self.of(item) for item in value]
        if kind in (set, frozenset):
            return sorted((self._apart(item) for item in value), key=json.dumps)
        if isinstance(value, CodeType):
            return f"code {_sum(digest(self._code(value)).encode())}"
        if isinstance(value, FunctionType):
            return self._once(value, {"function": full_name(value)}, self._function)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, ModuleType):
            return {"module": full_name(value), **files_of(value.__name__)}
        if not is_users(kind) and (name := name_in_package(value)):
            return {"class": full_name(kind), "name": name}
        if is_dataclass(value) or not hasattr(value, "__dict__"):
            return self._object(value)
        return self._once(value, {"object": full_name(kind)}, self._object)

    def _once(self, value: Any, head: dict[str, Any], parts: Any) -> dict[str, Any]:
        """The head and the parts of something, or that it was met before."""
        if id(value) in self._met:
            return self._met[id(value)]
        self._met[id(value)] = {**head, "as before": len(self._met)}
        self._alive.append(value)
        return head | {name: part for name, part in parts(value).items() if part != {}}

    def _code(self, code: CodeType) -> list[Any]:
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        steps = [code.co_code.hex(), code.co_exceptiontable.hex(), code.co_flags]
        return [*steps, arguments, code.co_names, self.of(code.co_consts)]

    def _function(self, function: FunctionType) -> dict[str, Any]:
        if is_of_package(function):
            return {}
        if said := _said(function):
            return {"fingerprint": said}
        users = is_users(function)
        for doubt in doubts_about(function) if users else ():
            self._trouble(f"{full_name(function)}: {doubt}")
        own = {n: v for n, v in sorted(vars(function).items()) if not n.startswith("__")}
        return {
            "code": self.of(function.__code__),
            "defaults": self.of([function.__defaults__, function.__kwdefaults__]),
            "closure": self._named(_closure(function)),
            "attributes": self._named(own.items()),
            "refers": self._named(references_of(function) if users else ()),
            "files": files_of(module_name(function), *imports_of(function.__code__)),
        }

    def _class(self, kind: type) -> dict[str, Any]:
        head = {"class": full_name(kind)}
        return self._once(kind, head, self._members) if is_users(kind) else head

    def _members(self, kind: type) -> dict[str, Any]:
        if said := _said(kind):
            return {"fingerprint": said}
        return {"refers": self._named(members_of(kind)), "files": files_of(module_name(kind))}

    def _object(self, value: Any) -> dict[str, Any]:
        head = self._class(type(value))
        try:
            parts = _parts(value)
        except Exception:  # whatever a class raises that cannot be pickled
            self._trouble(full_name(type(value)))
            return {}
        told = self._named(parts.items())
        return head | {f"{n} of it" if n in head else n: part for n, part in told.items()}

    def _named(self, references: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        told = {}
        for name, value in references:
            self._names.append(name)
            told[name] = self.of(value)
            self._names.pop()
        return told

    def _trouble(self, what: str) -> None:
        trouble = ": ".join(filter(None, [".".join(self._names), what]))
        if trouble not in self.troubles:
            self.troubles.append(trouble)

    def _key(self, key: Any) -> str:
        return key if isinstance(key, str) else f"({json.dumps(self._apart(key))})"

    def _apart(self, value: Any) -> Any:
        """The description of something that has no place in any order."""
        met = dict(self._met)
        described = self.of(value)
        self._met = met
        return described


def _sum(content: bytes | bytearray) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()[:16]}"


def _said(value: Any) -> str | None:
    """What the user says that a function, a class or an object is."""
    said = getattr(value, "fingerprint", None)
    return said if isinstance(said, str) else None


def _closure(function: FunctionType) -> Iterator[tuple[str, Any]]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for name, cell in cells:
        with suppress(ValueError):  # not filled yet
            yield name, cell.cell_contents


def _parts(value: Any) -> Mapping[str, Any]:
    """What makes an object what it is: its fields, or what its pickle would be made of.

    Pickles themselves depend on the order of sets and on which texts are shared.
    """
    said = _said(value)
    if said is not None and said is not _said(type(value)):
        return {"fingerprint": said}
    if isinstance(value, EMPTY):
        return {}
    if is_dataclass(value):
        return {f.name: getattr(value, f.name, None) for f in fields(value)}
    for names in WRAPS:
        if all(hasattr(value, name) for name in names):
            return {name: getattr(value, name) for name in names}
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.DataFrame):  # however columns are kept
        return {"index": value.index, "columns": list(value.items())}
    reduce = copyreg.dispatch_table.get(type(value))
    made: Any = reduce(value) if reduce else value.__reduce_ex__(4)
    if isinstance(made, str):
        if attrgetter(made)(sys.modules[whichmodule(value, made)]) is not value:
            raise TypeError(made)
        return {"name": made}
    parts = zip(("made by", "arguments", "state", "items", "entries"), made, strict=False)
    return {n: list(v) if n in ("items", "entries") else v for n, v in parts if v is not None}
