"""Values of Python and R side by side, and values of R as they are recorded.

A value is nothing, a vector (of any shape), or parts: a list, a data frame. Parts and columns are
compared by name, everything else in its order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors import InputError, RError
from pycvstat.r.bridge import RList, RValue
from pycvstat.r.check.call import Row, compare_values
from pycvstat.rmath.tolerances import Tolerance

NOT_FINITE = {"NaN": np.nan, "Inf": np.inf, "-Inf": -np.inf}


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """Numbers or words, and what R knows besides: a shape, names, the levels of a factor."""

    values: Any
    names: tuple[str, ...] = ()
    levels: tuple[str, ...] | None = None

    @property
    def words(self) -> bool:
        """Whether it holds words."""
        return bool(self.values.dtype == object)

    def labels(self) -> list[str] | None:
        """What its elements are called, where they have other names than their number."""
        if self.values.ndim == 1:
            return list(self.names) if self.names else None
        places = np.ndindex(self.values.shape)
        if self.values.ndim == 2:
            return [f"row {i + 1}, column {j + 1}" for i, j in places]
        return [f"element [{', '.join(str(i + 1) for i in at)}]" for at in places]


Value = Vector | dict[str, Any] | list[Any] | None


def read(value: Any) -> Value:
    """A value of Python, or of R as it came to Python, in its parts.

    Examples
    --------
    >>> read((1, 2.5)).values, read({"a": "x"})["a"].values
    (array([1. , 2.5]), array(['x'], dtype=object))
    """
    if isinstance(value, Vector) or value is None:
        return value
    if type(value).__module__.partition(".")[0] == "polars":
        value = value.to_pandas()
    if isinstance(value, RValue):
        raise RError("R's value cannot be compared.", given=f"a value of class {value.r_class[0]}")
    if isinstance(value, RList):
        return _named(list(value.names), list(value.values))
    if isinstance(value, Mapping):
        return {str(name): read(part) for name, part in value.items()}
    if isinstance(value, pd.DataFrame):
        return _named(list(value.columns), [value.iloc[:, i] for i in range(value.shape[1])])
    if isinstance(value, pd.Series):
        named = pd.api.types.infer_dtype(value.index) == "string"
        found = _vector(value.array)
        return replace(found, names=tuple(map(str, value.index))) if named else found
    if isinstance(value, list | tuple) and not all(map(pd.api.types.is_scalar, value)):
        return [read(part) for part in value]
    return _vector(value)


def _named(names: list[Any], parts: list[Any]) -> Value:
    if len({*names}) < len(names) or "" in names:
        return [read(part) for part in parts]
    return {str(name): read(part) for name, part in zip(names, parts, strict=True)}


def _vector(value: Any) -> Vector:
    if isinstance(value, pd.Categorical):
        levels = tuple(map(str, value.categories))
        return Vector(_words([None if x is pd.NA else x for x in value]), levels=levels)
    array = np.ma.filled(value, np.nan) if isinstance(value, np.ma.MaskedArray) else value
    array = np.atleast_1d(np.asarray(array, dtype=None))
    kind = pd.api.types.infer_dtype(array.ravel(), skipna=True)
    if array.dtype.kind in "Mm" or kind.startswith(("date", "timedelta")):
        how: Any = pd.Timedelta if kind.startswith("timedelta") else pd.Timestamp
        return Vector(_words([None if pd.isna(x) else how(x).isoformat() for x in array.ravel()]))
    if array.dtype.kind == "c" or kind == "complex":
        return Vector(np.stack([array.real, array.imag], axis=-1).astype(np.float64))
    if array.dtype.kind in "biuf":
        return Vector(array.astype(np.float64))
    if all(isinstance(x, str) or pd.api.types.is_number(x) or pd.isna(x) for x in array.ravel()
           ) and any(isinstance(x, str) for x in array.ravel()):  # fmt: skip
        return Vector(_words(array.ravel()).reshape(array.shape))
    try:
        numbers = [np.nan if pd.isna(x) else float(x) for x in array.ravel()]
    except (TypeError, ValueError):
        raise InputError(
            "this value cannot be compared with one of R.",
            given=f"{kind} values such as {array.ravel()[0]!r:.80}",
            fix="numbers, words, logicals, factors, dates, arrays, frames, and lists of these can",
        ) from None
    return Vector(np.array(numbers, dtype=np.float64).reshape(array.shape))


def _words(items: Any) -> Any:
    found = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        absent = item is None or item is pd.NA or (isinstance(item, float) and np.isnan(item))
        found[i] = None if absent else str(item)
    return found


def to_json(value: Any) -> Any:
    """The value as JSON: numbers as a list, everything else under the name of what it is.

    Examples
    --------
    >>> to_json(np.array([1.0, np.nan])), to_json({"a": ["x", None]})
    ([1.0, 'NaN'], {'list': {'a': {'words': ['x', None]}}})
    """
    found = read(value)
    if isinstance(found, dict):
        return {"list": {name: to_json(part) for name, part in found.items()}}
    if isinstance(found, list):
        return {"list": [to_json(part) for part in found]}
    if found is None:
        return None
    flat = found.values.ravel().tolist()
    if not found.words:
        flat = [x if np.isfinite(x) else f"{x:g}".replace("inf", "Inf").replace("nan", "NaN")
                for x in flat]  # fmt: skip
    more: dict[str, Any] = {"names": list(found.names)} if found.names else {}
    more |= {} if found.levels is None else {"levels": list(found.levels)}
    more |= {"shape": list(found.values.shape)} if found.values.ndim > 1 else {}
    return {"words" if found.words else "numbers": flat, **more} if found.words or more else flat


def of_json(tree: Any) -> Value:
    """The value that `to_json` wrote.

    Examples
    --------
    >>> of_json([1.0, "Inf"]).values
    array([ 1., inf])
    """
    if tree is None:
        return None
    if isinstance(tree, list):
        tree = {"numbers": tree}
    if "list" in tree:
        parts = tree["list"]
        if isinstance(parts, dict):
            return {name: of_json(part) for name, part in parts.items()}
        return [of_json(part) for part in parts]
    if "words" in tree:
        values = _words(tree["words"])
    else:
        values = np.array([NOT_FINITE.get(x, x) for x in tree["numbers"]], dtype=np.float64)
    levels = tuple(tree["levels"]) if "levels" in tree else None
    return Vector(values.reshape(tree.get("shape", -1)), tuple(tree.get("names", ())), levels)


def side_by_side(quantity: str, python: Any, r: Any, tolerance: Tolerance) -> list[Row]:
    """One row for every vector in two values, or for what only one of them has.

    Examples
    --------
    >>> from pycvstat.rmath.tolerances import EXACT
    >>> rows = side_by_side("fit", {"b": [1, 2], "n": 3}, {"b": [1, 9], "n": 3}, EXACT)
    >>> [(row.quantity, row.verdict, row.place) for row in rows]
    [('fit$b', 'differs', 'element 2'), ('fit$n', 'agrees', '')]
    """
    ours, theirs = _matched(read(python), read(r))
    if isinstance(ours, dict | list) and type(ours) is type(theirs):
        return [row for part in _parts(ours, theirs)
                for row in _part(quantity, *part, tolerance)]  # fmt: skip
    if not isinstance(ours, Vector) or not isinstance(theirs, Vector):
        place = "" if ours is theirs is None else f"{_what(ours)} here, {_what(theirs)} in R"
        return [Row(quantity, place=place, relative=np.nan if place else 0.0, tolerance=tolerance)]
    if ours.words != theirs.words:  # an NA alone is of no kind
        ours, theirs = (
            _missing_words(one, other) for one, other in ((ours, theirs), (theirs, ours))
        )
    if ours.words != theirs.words and ours.values.size and theirs.values.size:
        first, second = (value.values.ravel()[0] for value in (ours, theirs))
        place = f"{_what(ours)} here, {_what(theirs)} in R"
        return [Row(quantity, first, second, place=place, tolerance=tolerance)]
    names = theirs.labels() or ours.labels()
    rows = [compare_values(quantity, ours.values, theirs.values, tolerance, names)]
    if None not in (ours.levels, theirs.levels) and ours.levels != theirs.levels:
        rows.append(compare_values(f"{quantity}, levels", ours.levels, theirs.levels, tolerance))
    return rows


def _missing_words(vector: Vector, other: Vector) -> Vector:
    if vector.words or not other.words or not np.isnan(vector.values).all():
        return vector
    return replace(vector, values=np.full(vector.values.shape, None, dtype=object))


def _matched(ours: Value, theirs: Value) -> tuple[Value, Value]:
    """A frame beside a matrix as a matrix, names beside names in one order."""
    if isinstance(ours, dict) and isinstance(theirs, Vector):
        return _beside(ours, theirs)
    if isinstance(theirs, dict) and isinstance(ours, Vector):
        found, other = _beside(theirs, ours)
        return other, found
    if isinstance(ours, list) and isinstance(theirs, dict):
        return ours, list(theirs.values())
    if isinstance(theirs, list) and isinstance(ours, dict):
        return list(ours.values()), theirs
    if isinstance(ours, Vector) and isinstance(theirs, Vector):
        names = theirs.names
        if ours.names != names and sorted(ours.names) == sorted(names) and len({*names}) > 1:
            order = [ours.names.index(name) for name in names]
            return Vector(ours.values[order], names, ours.levels), theirs
    return ours, theirs


def _beside(parts: dict[str, Any], vector: Vector) -> tuple[Value, Value]:
    columns = [part for part in parts.values() if isinstance(part, Vector)]
    if len(columns) < len(parts) or not columns:
        return parts, vector
    sizes = {part.values.shape for part in columns}
    if vector.values.ndim == 2 and len(sizes) == 1:
        return Vector(np.stack([part.values for part in columns], axis=1)), vector
    if vector.names and sizes == {(1,)}:
        return parts, {name: Vector(vector.values[[i]]) for i, name in enumerate(vector.names)}
    return parts, vector


def _parts(ours: Any, theirs: Any) -> Iterator[tuple[str, Any, Any]]:
    """The name of every part, and both of it."""
    if isinstance(ours, dict):
        for name in dict.fromkeys([*ours, *theirs]):
            yield f"${name}", ours.get(name, ABSENT), theirs.get(name, ABSENT)
        return
    for i in range(max(len(ours), len(theirs))):
        first, second = (side[i] if i < len(side) else ABSENT for side in (ours, theirs))
        yield f"[[{i + 1}]]", first, second


ABSENT = object()


def _part(quantity: str, name: str, ours: Any, theirs: Any, tolerance: Tolerance) -> list[Row]:
    if ours is ABSENT or theirs is ABSENT:
        side = "Python" if ours is ABSENT else "R"
        return [Row(f"{quantity}{name}", place=f"no value from {side}", tolerance=tolerance)]
    return side_by_side(f"{quantity}{name}", ours, theirs, tolerance)


def _what(value: Value) -> str:
    if value is None:
        return "nothing (NULL)"
    if isinstance(value, Vector):
        return "words" if value.words else "numbers"
    return f"{len(value)} parts"
