"""Arguments as kknn takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from pycvstat.data.frame import Column, Frame, read
from pycvstat.data.frame.columns import Kind
from pycvstat.data.task import Task
from pycvstat.errors import DataError, InputError, warn
from pycvstat.learners.knn.kernels import KERNELS, Kernel


def match_kernel(given: Any) -> Kernel:
    """A kernel by the beginning of its name.

    As in R: ``match.arg(kernel)``.

    Examples
    --------
    >>> match_kernel("rect")
    'rectangular'
    """
    found = [name for name in KERNELS if isinstance(given, str) and name.startswith(given)]
    if given not in KERNELS and len(found) != 1:
        raise InputError(
            f"kernel must be one of {', '.join(KERNELS)}.",
            given=repr(given),
            fix=f"which of {', '.join(found)}?" if found and given else None,
        )
    return cast(Kernel, given if given in KERNELS else found[0])


def match_kernels(given: Any) -> tuple[Kernel, ...]:
    """One kernel or several."""
    several = [given] if isinstance(given, str) else list(given)
    if not several:
        raise InputError("no kernel is given.", fix=f"use some of {', '.join(KERNELS)}")
    return tuple(match_kernel(one) for one in several)


def new_rows(task: Task, data: Any) -> Frame:
    """Rows to predict as kknn sees them: without rows with NA, factors coded by position.

    Parameters
    ----------
    task : Task
        The training rows.
    data : frame
    """
    frame = read(data).select(task.formula.predictors)
    columns = {name: _as_coded(frame[name], task.frame[name]) for name in frame.names}
    coded = Frame(columns, frame.n)
    return coded.take(np.flatnonzero(coded.complete()))


def _as_coded(new: Column, train: Column) -> Column:
    """A factor whose levels stand for those of the training rows, one by one in order."""
    if train.kind not in ("factor", "ordered", "text"):
        return new
    codes, levels = new.as_factor()
    expected = train.as_factor()[1]
    if len(levels) != len(expected):
        raise DataError(
            f"{new.name!r} has {len(levels)} levels here and {len(expected)} in the training rows.",
            given=f"{_some(levels)} and {_some(expected)}",
            fix="give both the same categories; kknn would mix up columns",
        )
    if levels != expected:
        warn(
            f"{new.name!r} has other levels than in the training rows; as in kknn, the first "
            "stands for the first, and so on.",
            given=f"{_some(levels)} for {_some(expected)}",
            fix="pycvstat.KNN refuses this",
        )
    kind: Kind = "ordered" if train.kind == "ordered" else "factor"
    return Column(new.name, kind, codes, expected)


def _some(levels: Sequence[str]) -> str:
    shown = ", ".join(levels[:6])
    return shown if len(levels) <= 6 else f"{shown}, ..."
