"""The exact bits of what a call returns, as one hash; nothing else of it counts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

FACTS = (str, int, float, bool, tuple, type(None))
SAID = ("title", "words", "because", "citation", "in_r")


def digest(value: Any) -> str:
    """One hash of all numbers and words, in their order; classes and integer widths do not count.

    Examples
    --------
    >>> digest([1, 0.5]) == digest((np.int32(1), np.float64(0.5)))
    True
    >>> digest(0.0) == digest(-0.0)
    False
    """
    hashed = hashlib.sha256()
    for part in _parts(value):
        hashed.update(len(part).to_bytes(8, "little") + part)
    return hashed.hexdigest()


def leading(value: Any, count: int = 4) -> list[float]:
    """The first numbers, for people; those that are NaN are left out.

    Examples
    --------
    >>> leading({"a": "word", "b": np.array([1.5, np.nan, 2.0])})
    [1.5, 2.0]
    """
    return list(islice((x for x in _numbers(value) if x == x), count))


def facts(record: Any) -> list[Any]:
    """What a record says of itself: not its functions, and not what sentences say.

    Examples
    --------
    >>> from pycvstat.losses import LOSSES
    >>> facts(LOSSES["zero_one"])[:2]
    [['name', 'zero_one'], ['range', (0.0, 1.0)]]
    """
    kept = [(one.name, getattr(record, one.name)) for one in fields(record) if one.name not in SAID]
    return [[name, value] for name, value in kept if isinstance(value, FACTS)]


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, (bool, int, np.bool_, np.integer)):
        yield f"i{int(value)}".encode()
    elif isinstance(value, (float, np.floating)):
        yield f"f{float(value).hex()}".encode()
    elif value is None or isinstance(value, str):
        yield f"s{value}".encode()
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        kind = "<f8" if value.dtype.kind == "f" else "<i8"
        array = np.ascontiguousarray(value, dtype=kind)
        if kind == "<f8":
            array = np.where(np.isnan(array), np.nan, array)
        yield f"a{kind}{array.shape}".encode()
        yield array.tobytes()
    else:
        inside = _inside(value)
        yield f"l{len(inside)}".encode()
        for part in inside:
            yield from _parts(part)


def _inside(value: Any) -> list[Any]:
    """What a container holds, in its order."""
    if isinstance(value, pd.DataFrame):
        return [part for name in value for part in (str(name), value[name])]
    if isinstance(value, (pd.Series, pd.Categorical)):
        return [np.asarray(value)]
    if isinstance(value, Mapping):
        return [part for key, kept in value.items() for part in (str(key), kept)]
    if isinstance(value, (list, tuple, np.ndarray)):
        return list(value)
    raise TypeError(f"a call returns numbers, words and containers of them, not {type(value)}")


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, (bool, int, float, np.bool_, np.number)):
        yield float(value)
    elif value is not None and not isinstance(value, str):
        for part in _inside(value):
            yield from _numbers(part)
