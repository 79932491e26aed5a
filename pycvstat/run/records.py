"""Plain values as JSON and arrays, and back, exactly; models that users bring.

Of statsmodels, scikit-learn and NumPy only what is listed here is ever looked up: classes whose
construction does nothing but keep its arguments, and names of types and of universal functions.
"""

from __future__ import annotations

import inspect
import math
import reprlib
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
        if path := path_of(value):
            return ["name", path]
        arguments = arguments_of(value)
        if arguments is None:
            raise _unsavable(value, where)
        of = type(value).__name__
        for name, argument in arguments.items():
            _refuse_files(name, argument, of)
        parts = [[n, self.encode(v, f"{n} of {of}")] for n, v in arguments.items()]
        return ["object", path_of(type(value)), parts]

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
    if names_files(name, value):
        problem = "An argument that names files cannot be kept in a file."
        fix = "save results without it: memory=None"
        raise InputError(problem, given=f"{name}={value!r} of {of}", fix=fix)


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
        read = {decode(key, arrays): decode(value, arrays) for key, value in content}
        if bad := [key for key, value in read.items() if names_files(key, value)]:
            raise ValueError(f"{bad[0]!r} names files")
        return read
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
        return looked_up(content)
    if name == "object":
        return made(content, {key: decode(value, arrays) for key, value in rest[0]})
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
            raise ValueError(f"{name} of {kind.__name__} is {reprlib.repr(value)}")


@cache
def _declared(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _parts_of(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """`list` and (`int`,) of ``list[int]``."""
    return get_origin(hint) or hint, get_args(hint)


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a value is of a type as it is written at a field."""
    kind, inner = _parts_of(hint)
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


PLAIN = {kind.__name__: kind for kind in (bool, int, float, str, object)}
ROOMS = {
    "statsmodels": ("discrete", "duration", "gam", "genmod", "miscmodels", "othermod",
                    "regression", "robust"),
    "sklearn": ("calibration", "cluster", "compose", "covariance", "cross_decomposition",
                "decomposition", "discriminant_analysis", "dummy", "ensemble",
                "feature_extraction", "feature_selection", "gaussian_process", "impute",
                "isotonic", "kernel_approximation", "kernel_ridge", "linear_model", "manifold",
                "mixture", "model_selection", "multiclass", "multioutput", "naive_bayes",
                "neighbors", "neural_network", "pipeline", "preprocessing", "random_projection",
                "semi_supervised", "svm", "tree"),
}  # fmt: skip
MODEL = "statsmodels.base.model:Model"
KINDS = {
    "statsmodels.genmod.families.family:Family",
    "statsmodels.genmod.families.links:Link",
    "statsmodels.genmod.cov_struct:CovStruct",
    "statsmodels.robust.norms:RobustNorm",
    "statsmodels.robust.scale:HuberScale",
    "sklearn.base:BaseEstimator",
    "sklearn.compose._column_transformer:make_column_selector",
    "sklearn.gaussian_process.kernels:Kernel",
    "sklearn.model_selection._split:BaseCrossValidator",
    "sklearn.model_selection._split:BaseShuffleSplit",
}
"""Bases of the classes of which there are objects."""

FILES = {"memory": None, "input": "content"}
"""Arguments by which objects read files, and the value with which they read none: what lies in a
folder of ``memory`` would be unpickled at the next fit."""

UNKNOWN = object()


def path_of(thing: Any) -> str | None:
    """The module and name of a class or a universal function; None where it is not looked up.

    Examples
    --------
    >>> path_of(np.log1p), path_of(np.number), path_of(dict)
    ('numpy:log1p', 'numpy:number', None)
    """
    module = "numpy" if isinstance(thing, np.ufunc) else getattr(thing, "__module__", None)
    path = f"{module}:{getattr(thing, '__name__', '')}"
    try:
        return path if looked_up(path) is thing else None
    except (ValueError, ImportError):
        return None


def looked_up(path: str) -> Any:
    """What a module and a name mean; anything that is not listed here is refused.

    Examples
    --------
    >>> looked_up("numpy:log1p")
    <ufunc 'log1p'>
    >>> looked_up("os:system")
    Traceback (most recent call last):
    ValueError: 'os:system' is not kept in files
    """
    module, _, name = path.partition(":")
    found: Any = None
    if module == "builtins":
        found = PLAIN.get(name)
    elif module == "numpy":
        found = vars(np).get(name)
        found = found if isinstance(found, np.ufunc) or is_class(found, np.generic) else None
    else:
        package, *rooms = module.split(".")
        if rooms and rooms[0] in ROOMS.get(package, ()) and "tests" not in rooms:
            found = vars(import_module(module)).get(name)
            ours = isinstance(found, type) and found.__module__ == module
            found = found if ours and _bases(found) & {MODEL, *KINDS} else None
    if found is None:
        raise ValueError(f"{path!r} is not kept in files")
    return found


def made(path: str, arguments: Mapping[str, Any]) -> Any:
    """An object of a class that is listed here.

    Examples
    --------
    >>> made("sklearn.linear_model._ridge:Ridge", {"alpha": 0.5})
    Ridge(alpha=0.5)
    """
    kind = looked_up(path)
    if not has_objects(kind):
        raise ValueError(f"objects of {path!r} are not kept in files")
    for name, value in arguments.items():
        if names_files(name, value):
            raise ValueError(f"{name} of {path!r} names files")
    return kind(**arguments)


def names_files(name: Any, value: Any) -> bool:
    """Whether an argument, also of a step ("ridge__alpha"), names files, or one of its values does.

    Examples
    --------
    >>> names_files("memory", "/tmp"), names_files("memory", None), names_files("alpha", "/tmp")
    (True, False, False)
    >>> names_files("pipeline__memory", [None, "/tmp"])
    True
    """
    last = name.rpartition("__")[2] if isinstance(name, str) else None
    if last not in FILES:
        return False
    if isinstance(value, (list, tuple, np.ndarray)):
        return any(names_files(last, one) for one in np.ravel(np.asarray(value, dtype=object)))
    return isinstance(value, str) and value != FILES[last]


def is_class(thing: Any, base: type) -> bool:
    """Whether it is a class built on another."""
    return isinstance(thing, type) and issubclass(thing, base)


def has_objects(kind: Any) -> bool:
    """Whether objects of a class are kept: models hold data, and are no more than named."""
    return isinstance(kind, type) and bool(_bases(kind) & KINDS)


def _bases(kind: type) -> set[str]:
    return {f"{base.__module__}:{base.__qualname__}" for base in kind.__mro__}


def arguments_of(thing: Any) -> Mapping[str, Any] | None:
    """The arguments that make the same object again; None where they are not all known.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> arguments_of(Ridge(alpha=0.5))["alpha"]
    0.5
    """
    kind = type(thing)
    if path_of(kind) is None or not has_objects(kind) or hasattr(thing, "_metadata_request"):
        return None
    if hasattr(thing, "get_params"):
        return dict(thing.get_params(deep=False))
    found = {}
    for name, parameter in inspect.signature(kind).parameters.items():
        value = getattr(thing, name, getattr(thing, f"_{name}", UNKNOWN))
        if value is UNKNOWN:
            return None
        if not (callable(value) and value is parameter.default):
            found[name] = value
    return found
