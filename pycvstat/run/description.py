"""One walk through a value and all that its code refers to."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import is_dataclass
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

from pycvstat.run.changes import Changes, cell_key
from pycvstat.run.objects import is_cloned, library_name, parts
from pycvstat.run.users_code import (
    Reference,
    attributes_of,
    full_name,
    globals_of,
    is_of_package,
    is_users,
    members_of,
)

DICTS = (dict, OrderedDict, Counter, MappingProxyType)


class Description:
    """Describes values as JSON; functions, classes and objects met again are said to be so.

    Parameters
    ----------
    known : Changes, optional
        How all of the code uses its variables; those that it only adds to are left out.

    Attributes
    ----------
    changes : Changes
        How the code met so far uses its variables.
    troubles : list of str
        What could not be described.
    """

    def __init__(self, known: Changes | None = None) -> None:
        self.known, self.changes = known or Changes(), Changes()
        self.troubles: list[str] = []
        self._met: dict[tuple[int, bool], dict[str, Any]] = {}
        self._alive: list[Any] = []  # so that no other object gets the id of one that was met
        self._inside: list[int] = []
        self._names: list[str] = []
        self._learnt = 0  # within how many parts that are used as they are, and not cloned
        self._code: CodeType | None = None  # of the function that the walk came through last

    def of(self, value: Any) -> Any:
        """The description of a value.

        Parameters
        ----------
        value : object
        """
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            whole = value == value and abs(value) != float("inf")
            return float(value) if whole else repr(float(value))
        if isinstance(value, (bytes, bytearray)):
            return f"bytes sha256:{hashlib.sha256(value).hexdigest()[:16]}"
        if id(value) in self._inside:
            return "itself"
        self._inside.append(id(value))
        described = self._of_whole(value)
        self._inside.pop()
        return described

    def _of_whole(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            return self.of(value.item()) if value.dtype.kind in "biufU" else repr(value)
        if type(value) in (np.ndarray, np.memmap):
            return self._array(value)
        if type(value) in DICTS:
            return self._dict(value)
        if type(value) in (list, tuple, range):
            return [self.of(item) for item in value]
        if type(value) in (set, frozenset):
            return sorted((self._apart(item) for item in value), key=json.dumps)
        if isinstance(value, CodeType):
            return f"code sha256:{digest(self._steps(value))[:16]}"
        return self._of_code(value)

    def _of_code(self, value: Any) -> Any:
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, MethodType):
            return {"method": self.of(value.__func__), "of": self.of(value.__self__)}
        if isinstance(value, ModuleType):
            return self._module(value)
        return self._class(value) if isinstance(value, type) else self._object(value)

    def _steps(self, code: CodeType) -> list[Any]:
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        steps = [code.co_code.hex(), code.co_exceptiontable.hex(), code.co_flags]
        return [*steps, arguments, code.co_names, self.of(code.co_consts)]

    def _array(self, value: np.ndarray[Any, Any]) -> Any:
        if value.dtype.hasobject:
            return self.of(value.tolist())
        head = f"{value.dtype.str} {value.shape}"
        content = np.ascontiguousarray(value).tobytes()
        return f"array {head} sha256:{hashlib.sha256(content).hexdigest()[:16]}"

    def _dict(self, value: Mapping[Any, Any]) -> dict[str, Any]:
        named = {self._key(key): item for key, item in value.items()}
        with self._within(self._code, learnt=len(self._inside) > 1):  # 1: what is asked for
            return {name: self.of(named[name]) for name in sorted(named)}

    def _key(self, key: Any) -> str:
        if isinstance(key, str):
            return key
        plain = isinstance(key, (int, float, bytes, np.generic, type(None)))
        return f"({key!r})" if plain else json.dumps(self._apart(key), sort_keys=True)

    def _apart(self, value: Any) -> Any:
        """The description of something that has no place in any order."""
        met = dict(self._met)
        described = self.of(value)
        self._met = met
        return described

    def _function(self, function: FunctionType) -> dict[str, Any]:
        head = {"function": full_name(function)}
        if again := self._again(function, head):
            return again
        head["code"] = self.of(function.__code__)
        users = is_users(function)
        if is_of_package(function):
            return head
        if users:
            self.changes.note(function)
        with self._within(function.__code__):
            content = {
                "defaults": self.of([function.__defaults__, function.__kwdefaults__]),
                "closure": self._named(_closure(function)),
                "attributes": self._named(_attributes(function)),
                "refers": self._named(globals_of(function) if users else ()),
            }
        return head | {name: part for name, part in content.items() if part}

    def _class(self, kind: type) -> dict[str, Any]:
        head = {"class": full_name(kind)}
        if not is_users(kind):
            return head
        if again := self._again(kind, head):
            return again
        with self._within(None):
            return head | {"refers": self._named(members_of(kind))}

    def _module(self, module: ModuleType) -> dict[str, Any]:
        head = {"module": full_name(module)}
        if not is_users(module):
            return head
        return head | {"refers": self._named(attributes_of(module, self._code))}

    def _object(self, value: Any) -> dict[str, Any]:
        kind = type(value)
        name = None if is_users(kind) else library_name(value)
        if name is not None:
            return {"class": full_name(kind), "name": name}
        may_be_shared = hasattr(value, "__dict__") and not is_dataclass(value)
        if may_be_shared and (again := self._again(value, {"object": full_name(kind)})):
            return again
        head, told = self._class(kind), self._parts(value)
        return head | {f"{n} of it" if n in head else n: part for n, part in told.items()}

    def _parts(self, value: Any) -> dict[str, Any]:
        copied = not is_cloned(value)
        try:
            found = parts(value, fitted=self._learnt > 0 or copied)
        except Exception:  # whatever a class raises that cannot be pickled
            named = [".".join(self._names), full_name(type(value))]
            self.troubles.append(": ".join(filter(None, named)))
            return {}
        with self._within(None, learnt=copied):
            return self._named((n, found[n], None) for n in sorted(found))

    def _named(self, references: Iterable[Reference]) -> dict[str, Any]:
        """Descriptions by name, without variables that code only adds to."""
        told = {}
        for name, value, key in references:
            if self.known.only_added_to(value, key):
                continue
            self._names.append(name)
            told[name] = self.of(value)
            self._names.pop()
        return told

    def _again(self, value: Any, head: dict[str, Any]) -> dict[str, Any] | None:
        """What is said of a value that was met before; None the first time."""
        key = id(value), self._learnt > 0
        if key not in self._met:
            self._met[key] = {**head, "as before": len(self._met)}
            self._alive.append(value)
            return None
        return self._met[key]

    @contextmanager
    def _within(self, code: CodeType | None, learnt: bool = True) -> Iterator[None]:
        """In this block modules are met in this code, and what estimators learnt matters."""
        outer, self._code = self._code, code
        self._learnt += learnt
        yield
        self._learnt -= learnt
        self._code = outer


def _closure(function: FunctionType) -> Iterator[Reference]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for name, cell in cells:
        with suppress(ValueError):  # not filled yet
            yield name, cell.cell_contents, cell_key(cell)


def _attributes(function: FunctionType) -> Iterator[Reference]:
    for name, value in sorted(vars(function).items()):
        if not name.startswith("__"):
            yield name, value, None


def digest(description: Any) -> str:
    """SHA-256 of a description.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(description, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
