"""Plain values as JSON and arrays, and back, exactly."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import Field, InitVar, fields, is_dataclass
from functools import cache
from importlib import import_module
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import InputError
from pycvstat.run import brought

OF_KIND = {"f": "fiu", "i": "iu", "b": "b"}
"""Kinds of arrays that can stand where arrays of a kind are declared."""
PACKAGE = __name__.split(".")[0]


class Encoder:
    """Turns a record into a JSON tree and a list of arrays.

    None, bool, int, str and finite floats are themselves; everything else is a list that begins
    with its name. The same array met twice is kept once. A field that is marked as spare is None
    where it cannot be kept.

    Examples
    --------
    >>> encoder = Encoder()
    >>> encoder.encode({"k": (1, 2.5), "loss": np.zeros(3)})
    ['dict', [['k', ['tuple', [1, 2.5]]], ['loss', ['array', 0]]]]
    >>> decode(['tuple', [1, 2.5]], [])
    (1, 2.5)
    """

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._seen: dict[int, int] = {}

    def encode(self, value: Any, where: str = "the record") -> Any:
        """The JSON form of a value; its arrays are added to `arrays`."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else ["float", repr(value)]
        if isinstance(value, np.generic):
            return ["scalar", self._keep(np.asarray(value), where)]
        if kind in (list, tuple):
            return [kind.__name__, [self.encode(v, f"{where}[{i}]") for i, v in enumerate(value)]]
        if kind is dict:
            return ["dict", [self._pair(key, v, where) for key, v in value.items()]]
        if kind is range:
            return ["range", [value.start, value.stop, value.step]]
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if is_dataclass(kind) and kind.__module__.split(".")[0] == PACKAGE:
            parts = [self._field(value, f) for f in fields(value) if f.init]
            parts += [["seal", value.seal]] if hasattr(value, "seal") else []
            return ["dataclass", f"{kind.__module__}:{kind.__qualname__}", parts]
        return self._brought(value, where)

    def _brought(self, value: Any, where: str) -> list[Any]:
        """A class by its name, an object by its class and the arguments that make it again."""
        if path := brought.path_of(value):
            return ["name", path]
        arguments = brought.arguments_of(value)
        if arguments is None:
            raise _unsavable(value, where)
        of = type(value).__name__
        for name, argument in arguments.items():
            _refuse_files(name, argument, of)
        parts = [[n, self.encode(v, f"{n} of {of}")] for n, v in arguments.items()]
        return ["object", brought.path_of(type(value)), parts]

    def _pair(self, key: Any, value: Any, where: str) -> list[Any]:
        path, of, owner = where.partition(" of ")
        place = f"{path}[{key!r}]{of}{owner}"
        _refuse_files(key, value, path)
        return [self.encode(key, place), self.encode(value, place)]

    def _field(self, value: Any, field: Field[Any]) -> list[Any]:
        where = f"{field.metadata.get('said', field.name)} of {type(value).__name__}"
        try:
            return [field.name, self.encode(getattr(value, field.name), where)]
        except InputError:
            if "spare" not in field.metadata:
                raise
            return [field.name, None]

    def _array(self, value: NDArray[Any], where: str) -> list[Any]:
        if type(value) not in (np.ndarray, np.memmap):
            raise _unsavable(value, where)
        if value.dtype.kind != "O":
            return ["array", self._keep(value, where)]
        items = [self.encode(v, f"{where}[{i}]") for i, v in enumerate(value.ravel())]
        return ["objects", list(value.shape), items]

    def _keep(self, value: NDArray[Any], where: str) -> int:
        if value.dtype.hasobject or value.dtype.kind not in "biufcSUMmV":
            raise _unsavable(value, f"{where} (dtype {value.dtype})")
        if id(value) not in self._seen:
            self._seen[id(value)] = len(self.arrays)
            self.arrays.append(value)
        return self._seen[id(value)]


def _refuse_files(name: Any, value: Any, of: str) -> None:
    if brought.names_files(name, value):
        raise InputError(
            "An argument that names files cannot be kept in a file.",
            given=f"{name}={value!r} of {of}",
            fix="save results without it: memory=None",
        )


def _unsavable(value: Any, where: str) -> InputError:
    return InputError(
        "This value cannot be kept in a file.",
        given=f"{where} is {type(value).__module__}.{type(value).__qualname__}",
        fix="numbers, text, arrays, lists and dicts can, learners of this package, models of "
        "statsmodels and estimators of scikit-learn; without this value the numbers stay: "
        "result.report('result.html'), result.tidy().to_csv('result.csv')",
    )


def decode(tree: Any, arrays: list[NDArray[Any]]) -> Any:
    """The value of a JSON form.

    Parameters
    ----------
    tree : object
        What `Encoder.encode` gave.
    arrays : list of arrays
        What `Encoder.arrays` held.
    """
    if tree is None or type(tree) in (bool, int, float, str):
        return tree
    name, content, *rest = tree
    if name == "float":
        return float(content)
    if name == "array":
        return arrays[content]
    if name == "scalar":
        return arrays[content][()]
    if name in ("list", "tuple"):
        return (list if name == "list" else tuple)(decode(item, arrays) for item in content)
    if name == "dict":
        made = {decode(key, arrays): decode(value, arrays) for key, value in content}
        if bad := [key for key, value in made.items() if brought.names_files(key, value)]:
            raise ValueError(f"{bad[0]!r} names files")
        return made
    if name == "range":
        return range(*content)
    if name == "objects":
        return _objects(content, [decode(item, arrays) for item in rest[0]])
    if name == "dataclass":
        kind = _dataclass(content)
        parts = {key: decode(value, arrays) for key, value in rest[0]}
        _check_types(kind, parts)
        return getattr(kind, "from_fields", kind)(**parts)
    if name == "name":
        return brought.looked_up(content)
    if name == "object":
        return brought.made(content, {key: decode(value, arrays) for key, value in rest[0]})
    raise ValueError(f"unknown part {name!r}")


def _objects(shape: list[int], items: list[Any]) -> NDArray[Any]:
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # a slice assignment would unpack nested lists
        array[i] = item
    return array.reshape(shape)


def _dataclass(name: str) -> Any:
    """A dataclass that pycvstat itself defines; no other class is ever looked up."""
    module, _, qualname = name.partition(":")
    if module.split(".")[0] != PACKAGE:
        raise ValueError(f"{name!r} is not a class of {PACKAGE}")
    if module not in sys.modules:
        import_module(module)
    found: Any = sys.modules[module]
    for part in qualname.split("."):
        found = vars(found)[part]
    if not (isinstance(found, type) and is_dataclass(found) and found.__module__ == module):
        raise ValueError(f"{name!r} is not a dataclass")
    return found


def _check_types(kind: Any, parts: dict[str, Any]) -> None:
    """Refuse a part that is not of the type that its class declares."""
    declared = _declared(kind)
    for name, value in parts.items():
        hint = declared[name]
        if not _is_a(value, hint.type if isinstance(hint, InitVar) else hint):
            raise ValueError(f"{name} of {kind.__name__} is {value!r:.80}")


@cache
def _declared(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a value is of a type as it is written at a field."""
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is Any:
        return True
    if hasattr(kind, "__value__"):  # `type NDArray[...] = ...`, as of numpy 2.5
        return _is_a(value, kind.__value__[inner])
    if kind is Literal:
        return any(type(value) is type(one) and value == one for one in inner)
    if kind in (Union, UnionType):
        return any(_is_a(value, one) for one in inner)
    if not isinstance(value, (float, int) if kind is float else kind):
        return False
    items: Any = value
    if kind is np.ndarray:
        number = get_args(inner[1])[0]
        return number is Any or items.dtype.kind in OF_KIND[np.dtype(number).kind]
    if kind is tuple:
        each = inner[:1] * len(items) if inner[-1] is ... else inner
        return len(items) == len(each) and all(map(_is_a, items, each))
    if kind in (dict, Mapping):
        return all(_is_a(k, inner[0]) and _is_a(v, inner[1]) for k, v in items.items())
    return kind is not list or all(_is_a(v, inner[0]) for v in items)
