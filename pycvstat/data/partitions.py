"""A dask frame: partitions that are read one at a time, and what all of them have in common."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pycvstat.data import formula as formulas
from pycvstat.data.formula import Formula, factors, variables
from pycvstat.data.formula.evaluate import refuse_undefined
from pycvstat.data.formula.syntax import Call
from pycvstat.data.frame import Column, Frame, read
from pycvstat.data.frame.columns import recoded
from pycvstat.data.response import refuse_missing, response_of
from pycvstat.data.task import Task
from pycvstat.errors import DataError, PycvstatError, telling
from pycvstat.errors.checks import short_of_memory

FETCHED = 300.0
"""Seconds within which a cluster hands out a partition that it holds."""


def is_partitioned(data: Any) -> bool:
    """Whether this is a dask frame; dask is not imported to find out.

    Examples
    --------
    >>> is_partitioned({"x": [1.0, 2.0]})
    False
    """
    package = type(data).__module__.partition(".")[0]
    return package in ("dask", "dask_expr") and hasattr(data, "partitions")


@dataclass(frozen=True, eq=False)
class Partition:
    """How to make one partition, wherever that is done; the rest of the frame is not needed.

    Parameters
    ----------
    number : int
        Its place among the partitions, counted from 1.
    fingerprint : str
        What dask calls it, made from the files, data and functions that it comes from.
    recipe : bytes
        The part of dask's graph that makes it.
    held : dask frame and client, optional
        The partition and the cluster that holds it; it is fetched from there.
    """

    number: int
    fingerprint: str
    recipe: bytes
    held: Any = field(default=None, metadata={"spare": True})

    def read(self) -> Frame:
        """Make it here, by one thread."""
        from dask.local import get_sync

        try:
            if self.held is not None:
                part, client = self.held
                return read(client.compute(part).result(timeout=FETCHED))
            graph, key = pickle.loads(self.recipe)
            return read(get_sync(graph, key))
        except MemoryError as error:
            raise short_of_memory(f"partition {self.number}", error).at(str(self)) from error
        except PycvstatError as error:
            raise error.at(str(self)) from error
        except Exception as error:  # whatever the user's own functions raise
            fix = f"look at data.partitions[{self.number - 1}].compute()"
            raise DataError(f"{self} cannot be read.", given=telling(error), fix=fix) from error

    def __str__(self) -> str:
        return f"partition {self.number}"


def partitions_of(data: Any, names: Iterable[str]) -> list[Partition]:
    """The partitions of a dask frame, of which only these columns are read."""
    import cloudpickle
    from dask import optimization

    cull: Any = optimization.cull
    chosen = data[list(names)].optimize()
    graph = dict(chosen.__dask_graph__())
    found = []
    for number, key in enumerate(chosen.__dask_keys__(), start=1):
        needed = cull(graph, [key])[0]
        nodes = (getattr(node, "value", node) for node in needed.values())
        futures = [node for node in nodes if type(node).__module__ == "distributed.client"]
        held = (chosen.partitions[number - 1], futures[0].client) if futures else None
        recipe = b"" if futures else cloudpickle.dumps((needed, key))
        found.append(Partition(number, str(key), recipe, held))
    return found


@dataclass(frozen=True, eq=False)
class Seen:
    """What one partition is like.

    Parameters
    ----------
    rows : int
        Its number of rows.
    missing : mapping of str to int
        How many values are missing, for the columns that have any.
    centre : float
        The mean of the response in complete rows; 0 without any.
    complete : int
        How many rows miss nothing.
    shown : Frame
        Complete rows that show every level of every factor.
    """

    rows: int
    missing: dict[str, int]
    centre: float
    complete: int
    shown: Frame


def complete_rows_of(frame: Frame, formula: Formula) -> Frame:
    """The rows that miss nothing that the formula uses."""
    known = frame.complete((*formula.variables, *formula.removed))
    return frame if known.all() else frame.take(known)


def see(formula: Formula, partition: Partition) -> Seen:
    """Look through one partition."""
    frame = partition.read()
    kept = complete_rows_of(frame, formula)
    first, centre = [np.arange(min(kept.n, 1))], 0.0
    try:
        for node in formula.expressions if kept.n else ():
            if isinstance(node, Call) and node.function in variables.COMPUTED:
                variables.freeze(node, kept, "contrasts")
                continue
            made = factors.value(node, kept)
            refuse_undefined(node, made, kept)
            if made.kind not in ("numeric", "date"):
                first.append(np.unique(made.as_factor()[0], return_index=True)[1])
        if kept.n:
            response = response_of(formulas.response(formula, kept), formula.text)
            centre = float(response.values.mean())
    except PycvstatError as error:
        raise error.at(str(partition)) from error
    shown = kept.take(np.unique(np.concatenate(first)))
    return Seen(frame.n, frame.missing(), centre, kept.n, shown)


def in_common(formula: Formula, seen: Sequence[Seen], na: str) -> Task:
    """A task of the rows that show every level: the design that all partitions have.

    Kinds must be the same in all partitions; categories are those of all together.
    """
    whole = sum(one.rows for one in seen)
    missing = {n: sum(one.missing.get(n, 0) for one in seen) for one in seen for n in one.missing}
    complete = sum(one.complete for one in seen)
    if not whole:
        raise DataError("the data have no rows.", given=f"{len(seen)} empty partitions")
    if complete < whole and na != "omit":
        raise refuse_missing(whole, whole - complete, missing, "pass")
    if not complete:
        raise DataError("no row is complete.", given=f"{whole} rows, each with a missing value")
    numbered = {number: one.shown for number, one in enumerate(seen, start=1) if one.complete}
    names = next(iter(numbered.values())).names
    columns = {name: _joined({k: shown[name] for k, shown in numbered.items()}) for name in names}
    frame = Frame(columns, sum(shown.n for shown in numbered.values()))
    response = response_of(formulas.response(formula, frame), formula.text)
    return Task(frame, formula, response, np.arange(frame.n), omitted=whole - complete)


def _joined(parts: Mapping[int, Column]) -> Column:
    """One column of those of the partitions of these numbers."""
    (start, first), *_ = parts.items()
    for number, part in parts.items():
        ordered = first.kind == "ordered" and part.levels != first.levels
        if part.kind != first.kind or ordered:
            what = "has other levels" if ordered else f"is {part.kind}"
            raise DataError(
                f"the column {first.name!r} is not the same in all partitions.",
                given=f"it is {first.kind} in partition {start} and {what} in partition {number}",
                fix=f"data[{first.name!r}] = data[{first.name!r}].astype(...), the same for all",
            )
    levels = tuple(dict.fromkeys(level for part in parts.values() for level in part.levels))
    values = [
        recoded(part.values, part.levels, levels) if levels else part.values
        for part in parts.values()
    ]
    return replace(first, values=np.concatenate(values), levels=levels)
