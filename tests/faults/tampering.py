"""Saved results in which one thing was changed, whatever it is, and the checksums made anew."""

from __future__ import annotations

import types
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import pycvstat as pcv
from pycvstat.run import store
from pycvstat.run.records import Encoder
from tests.report.conftest import result

Place = tuple[Any, ...]
NO_PICTURE = b'<svg viewBox="0 0 72 72"></svg>'
WAVES = {"formula": "y ~ .", "data": pcv.data.waves(30)}
ALONE = pcv.KNN(kernel="rectangular")  # R needs no package for it
SMALL = {
    "tune": lambda: pcv.tune(
        ALONE, **WAVES, grid={"k": [1, 3, 5, 9]}, folds=pcv.KFold(4, random=1)
    ),
    "bootstrap": lambda: pcv.cross_validate(
        pcv.OLS(), "mpg ~ wt + hp", pcv.data.mtcars(), folds=pcv.Bootstrap(15, random=1)
    ),
    "nested": lambda: pcv.nested_cv(
        ALONE, **WAVES, grid={"k": [1, 3, 5]}, outer=pcv.KFold(3, random=2), inner=pcv.KFold(2)
    ),
    "compare": lambda: pcv.compare(
        {"ols": pcv.OLS(), "knn": pcv.KNN(3, "rectangular")}, **WAVES, folds=pcv.KFold(3, random=1)
    ),
    "tune dev set": lambda: pcv.tune(
        ALONE,
        **WAVES,
        grid={"k": [1, 5, 9], "kernel": ["rectangular"]},
        folds=pcv.Holdout(0.25, random=1),
    ),
    "error curve": lambda: pcv.error_curve(
        ALONE, **WAVES, grid={"k": [1, 3, 9]}, folds=pcv.KFold(3, random=1)
    ),
    "learning curve": lambda: pcv.learning_curve(
        pcv.KNN(3, "rectangular"), **WAVES, sizes=[8, 16], folds=pcv.KFold(3, random=1)
    ),
}


@cache
def made(kind: str) -> Any:
    """A result of a kind, small where R is asked often."""
    return SMALL[kind]() if kind in SMALL else result(kind)


def record(result: Any) -> tuple[Any, list[Any]]:
    """What a file holds: a tree and its arrays."""
    encoder = Encoder()
    return encoder.encode(result), encoder.arrays


def leaves(tree: Any, place: Place = (), name: str = "") -> Iterator[tuple[Place, str, Any]]:
    """Every text, number, truth value and None of a tree, with a name for what it is."""
    if not isinstance(tree, list):
        yield place, name, tree
        return
    kind, *rest = tree
    if kind == "dataclass":
        yield (*place, 1), f"{name}/class", rest[0]
        own = rest[0].split(":")[1]
        for i, (field, value) in enumerate(rest[1]):
            yield from leaves(value, (*place, 2, i, 1), f"{name}/{own}.{field}")
    elif kind == "object":
        for i, (field, value) in enumerate(rest[1]):
            yield from leaves(value, (*place, 2, i, 1), f"{name}/{rest[0]}.{field}")
    elif kind == "dict":
        for i, (key, value) in enumerate(rest[0]):
            yield from leaves(key, (*place, 1, i, 0), f"{name} key")
            yield from leaves(value, (*place, 1, i, 1), f"{name}[{key}]")
    elif kind in ("list", "tuple", "objects"):
        items = 1 if kind != "objects" else 2
        for i, value in enumerate(tree[items]):
            which = i if len(tree[items]) < 4 else ""
            yield from leaves(value, (*place, items, i), f"{name}[{which}]")
    elif kind == "range":
        yield (*place, 1, 1), f"{name} range", rest[0][1]
    elif kind == "float":
        yield (*place, 1), name, rest[0]
    elif kind in ("array", "scalar"):
        yield (*place, 1), f"{name} {kind}", ["array", rest[0]]
    elif kind != "name":
        raise AssertionError(f"{kind!r} is a part that this walk does not know")


def others(value: Any, arrays: list[Any]) -> Iterator[Any]:
    """Something else of the same kind."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield value + "x"
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, float):
        yield value * 1.001 + 1e-6
    elif value is None:
        yield 1
        yield "x"
    else:
        array = np.array(arrays[value[1]])
        if array.size == 0:
            return
        flat = array.flat
        at = array.size // 2
        if array.dtype.kind == "b":
            flat[at] = not flat[at]
        elif array.dtype.kind == "f":
            flat[at] = flat[at] * 1.001 + 1e-6 if np.isfinite(flat[at]) else 1.0
        elif array.dtype.kind in "iu":
            flat[at] = flat[at] - 1 if flat[at] else 1
        else:
            flat[at] = "x"
        yield array


def tampered(result: Any) -> Iterator[tuple[str, Any, list[Any]]]:
    """Copies of what a file holds, each with one change; one for every name of a place."""
    tree, arrays = record(result)
    seen = set()
    for place, name, value in leaves(tree):
        if name in seen:
            continue
        seen.add(name)
        for other in others(value, arrays):
            if isinstance(other, np.ndarray):
                # an array that stands in several places is changed in this one
                yield name, changed(tree, place, len(arrays)), [*arrays, other]
            else:
                yield f"{name} -> {type(other).__name__}", changed(tree, place, other), arrays


def changed(tree: Any, place: Place, value: Any) -> Any:
    """The tree with another value in one place; it shares every other part."""
    if not place:
        return value
    i = place[0]
    return [*tree[:i], changed(tree[i], place[1:], value), *tree[i + 1 :]]


def _at_once(_: int) -> None:
    """Nobody waits for the disk."""


def write(path: Path, tree: Any, arrays: list[Any]) -> None:
    """A file of them with its checksums, as anyone can make it."""
    path.unlink(missing_ok=True)  # a file that takes another's place waits for the disk
    encoder = partial(types.SimpleNamespace, encode=lambda _: tree, arrays=arrays)
    with mock.patch.object(store, "Encoder", encoder), mock.patch("os.fsync", _at_once):
        store.save(path, "changed", None)
