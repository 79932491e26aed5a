"""One task, carried out the same way wherever it runs, and what becomes of it."""

from __future__ import annotations

import random
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pycvstat.errors import PycvstatWarning, users_line
from pycvstat.run.fingerprint import digest


@dataclass(frozen=True, eq=False)
class Common:
    """What all tasks of a run have in common; every worker needs it before its first task.

    Parameters
    ----------
    function : callable
        ``function(shared, task) -> result``.
    shared : object
    name : str
        Names the run among others; a task's random numbers follow from it, see `perform`.
    filters : tuple
        The warning filters of the session that asked.
    """

    function: Callable[[Any, Any], Any]
    shared: Any
    name: str
    filters: tuple[Any, ...] = field(default_factory=lambda: tuple(warnings.filters))


@dataclass(frozen=True, eq=False)
class Reply:
    """What became of a task: a result or an error, and the warnings on the way."""

    result: Any = None
    error: BaseException | None = None
    warnings: tuple[tuple[type[Warning], str, str, int], ...] = ()

    def repeat_warnings(self, registry: dict[Any, Any]) -> None:
        """Warn here as the task did there; the filters of this session decide what is shown.

        Our own warnings are given at the user's line, as from work in this process.

        Parameters
        ----------
        registry : dict
            Remembers what was shown, so that a warning is not repeated for each task.
        """
        here = users_line()
        for category, text, filename, line in self.warnings:
            where = here if issubclass(category, PycvstatWarning) else (filename, line)
            warnings.warn_explicit(text, category, *where, registry=registry)


class _Here(threading.local):
    task = ""  # the task that this thread is in, and those around it
    elsewhere = False  # in a worker


_here = _Here()


def full_name(label: str) -> str:
    """A name for work that is asked for here: within a task, it belongs to that task.

    Parameters
    ----------
    label : str

    Examples
    --------
    >>> full_name("tuning")
    '/tuning'
    """
    return f"{_here.task}/{label}"


def inside_task() -> bool:
    """Whether the caller runs inside a task: then a progress line belongs to someone else."""
    return bool(_here.task)


def inside_worker() -> bool:
    """Whether the caller runs in a worker: then it must not start workers of its own."""
    return _here.elsewhere


def perform(common: Common, number: int, task: Any) -> Any:
    """The result of one task.

    Whatever draws from the global generators of Python or NumPy starts from a state that depends
    on the run's name and the task's number only, and joblib inside a task does one thing after the
    other: so a result cannot depend on who computed it and what was computed before. One thing
    is out of reach: threads of a dask worker draw from Python's generator too, so on a cluster
    this holds for NumPy's only.

    Parameters
    ----------
    common : Common
    number : int
        The task's place among the tasks.
    task : object
    """
    import joblib

    outer, _here.task = _here.task, f"{common.name}/{number}"
    try:
        _seed(_here.task)
        with joblib.parallel_config("sequential"):
            return common.function(common.shared, task)
    finally:
        _here.task = outer


def _seed(name: str) -> None:
    import numpy as np

    bits = digest(name)
    random.seed(bits[:32])
    np.random.seed([int(bits[i : i + 8], 16) for i in range(32, 64, 8)])


@contextmanager
def own_generators() -> Iterator[None]:
    """Give the global generators back as they were when the block ends.

    Examples
    --------
    >>> state = random.getstate()
    >>> with own_generators():
    ...     _ = random.random()
    >>> random.getstate() == state
    True
    """
    import numpy as np

    before, before_numpy = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(before_numpy)


def perform_elsewhere(common: Common, number: int, task: Any) -> Reply:
    """What became of one task in a worker: errors and warnings travel in the reply.

    Parameters
    ----------
    common : Common
    number : int
    task : object
    """
    _here.elsewhere = True
    result, error = None, None
    with warnings.catch_warnings(record=True) as told:
        warnings.filters[:] = list(common.filters)  # type: ignore[index]
        try:
            result = perform(common, number, task)
        except (Exception, SystemExit) as caught:
            error = caught
        finally:
            _here.elsewhere = False
    places = tuple((w.category, str(w.message), w.filename, w.lineno) for w in told)
    return Reply(result, error, places)
