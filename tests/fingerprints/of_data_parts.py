"""Frames in parts: how each part is made, what it shows, and what all have in common."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data import partitions
from pycvstat.data.formula import parse
from pycvstat.data.frame import Frame, read
from tests.fingerprints.edges import outcomes

Call = Callable[[], Any]
NA = None


@dataclass
class Held:
    """A partition that is read from memory."""

    frame: Frame

    def read(self) -> Frame:
        return self.frame

    def __str__(self) -> str:
        return "partition '7'"


class Future:
    """What a cluster holds, as `partitions_of` knows it."""

    __module__ = "distributed.client"

    def __init__(self, client: str) -> None:
        self.client = client


@dataclass
class Dask:
    """A frame of dask: its graph and the keys of its partitions."""

    graph: dict[str, Any]
    keys: list[str]

    def __getitem__(self, names: list[str]) -> Dask:
        return self

    def optimize(self) -> Dask:
        return self

    def __dask_graph__(self) -> dict[str, Any]:
        return self.graph

    def __dask_keys__(self) -> list[str]:
        return self.keys

    @property
    def partitions(self) -> list[str]:
        return [f"part of {key}" for key in self.keys]


class Client:
    """A cluster that hands out how long it is waited for."""

    def compute(self, part: str) -> Client:
        return self

    def result(self, timeout: float) -> pd.DataFrame:
        return pd.DataFrame({"seconds": [timeout]})


def handed_out() -> Iterator[Call]:
    """Partitions that are made from their part of a graph, that a cluster holds, and that fail."""
    one, two = {"y": [1.0, 2]}, {"y": [3.0]}
    graph = {"a": one, "b": two, "c": (dict, [["y", [5.0, 6, 7]]]), "d": "b"}

    def of(graph: dict[str, Any], keys: list[str]) -> list[Any]:
        found = partitions.partitions_of(Dask(graph, keys), ["y"])
        return [[p.number, p.fingerprint, p.held, None if p.held else p.read()["y"].values]
                for p in found]  # fmt: skip

    for keys in (["a", "b"], ["c", "d", "a"], ["d"]):
        yield partial(of, graph, keys)
    held = {"a": Future("first"), "b": Future("second"), "c": {"y": [1.0]}}
    held["d"] = (dict, "a", "b")
    yield partial(of, held, ["c", "b", "a", "d"])
    partition = partitions.Partition
    yield lambda: partition(4, "it", b"", ("part", Client())).read()["seconds"].values
    yield lambda: partition(4, "it", b"not a pickle").read().n
    nothing = pickle.dumps(({"a": []}, "a"))
    yield lambda: partition(4, "it", nothing).read().n


def parted() -> Iterator[Call]:
    """Frames in parts: levels that one part shows, rows that miss something, other kinds."""
    whole = {"y": [4.0, 2, 3, 9, 5, 7], "g": [*"bacbad"], "x": [1.0, 2, NA, 4, 5, 6],
             "o": pd.Categorical([1, 2, 3, 1, 2, 3], ordered=True), "t": [True, False] * 3,
             "d": pd.date_range("2020-01-01", periods=6)}  # fmt: skip
    frame = read(whole)
    texts = ("y ~ x", "y ~ g + x", "g ~ x", "y ~ o * t", "y ~ poly(x, 2) + g", "y ~ factor(x)",
             "y ~ d", "y ~ . - x - d", "y ~ scale(g)", "y ~ I(1 / (x - 1))", "x ~ g")  # fmt: skip
    cuts: tuple[list[range], ...] = (
        [range(6)], [range(3), range(3, 6)], [range(1), range(1, 1), range(1, 6)],
        [range(2, 3), range(6)], [range(2, 3)], [range(0), range(0)], [range(5), range(5, 6)],
    )  # fmt: skip

    def of(text: str, parts: list[Frame], na: str) -> list[Any]:
        formula = parse(text, frame.names)
        seen = [partitions.see(formula, Held(part)) for part in parts]  # type: ignore[arg-type]
        each = [[s.rows, s.missing, s.centre, s.complete, s.shown.fingerprint] for s in seen]
        task = partitions.in_common(formula, seen, na)
        return [*each, task.n, task.omitted, task.fingerprint, task.design().columns]

    for text, cut, na in product(texts, cuts, ("raise", "omit")):
        yield partial(of, text, [frame.take(np.array(part, dtype=int)) for part in cut], na)
    others: dict[str, Any] = {"g": [1.0] * 6, "o": pd.Categorical([1, 2] * 3, ordered=True)}
    for name, values in others.items():
        other = read({**whole, name: values})
        for pair in ([frame, other], [other, frame], [frame, frame, other]):
            yield partial(of, f"y ~ {name}", pair, "omit")


CALLS: dict[str, Call] = {"edges: frames in parts": outcomes(handed_out, parted)}
