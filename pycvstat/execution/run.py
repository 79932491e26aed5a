"""Carry out a function for each task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pycvstat.execution.settings import Execution


def run_tasks(
    function: Callable[[Any, Any], Any],
    shared: Any,
    tasks: Sequence[Any],
    *,
    execution: Execution,
    identity: Mapping[str, Any],
    label: str,
) -> list[Any]:
    """Results of ``function(shared, task)``, in the order of the tasks.

    Parameters
    ----------
    function : callable
        ``function(shared, task) -> result``; a result is a number, text, array or a dict, list
        or tuple of these.
    shared : object
        What every task needs; sent once to each worker.
    tasks : sequence
        What differs; small.
    execution : Execution
        Who does the work and what is kept.
    identity : mapping
        What the work is: data, settings. A checkpoint of other work is refused.
    label : str
        What the progress line and the checkpoint call this work.

    Returns
    -------
    list
        One result per task.

    Examples
    --------
    >>> run_tasks(lambda shared, task: shared * task, 2, [1, 2, 3],
    ...           execution=Execution(), identity={}, label="doubling")
    [2, 4, 6]
    """
    return [function(shared, task) for task in tasks]
