"""One task, carried out the same way wherever it runs, and what becomes of it.

BLAS and OpenMP libraries split sums over threads, so the last digits of a product depend on their
number: work is done with one thread, in this process as in others. What draws from the global
generators finds them in a state of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from pycvstat.errors import PycvstatWarning, interruptible, users_line, warn


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
    again : int, optional
        The number of a task that is the first once more, and draws as the first did.
    filters : tuple
        The warning filters of the session that asked.
    """

    function: Callable[[Any, Any], Any]
    shared: Any
    name: str
    again: int | None = None
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
        for category, text, filename, line in self.warnings:
            where = users_line() if issubclass(category, PycvstatWarning) else (filename, line)
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
    on the run's name and the task's number only, and around it joblib does one thing after the
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
    outer, _here.task = _here.task, f"{common.name}/{0 if number == common.again else number}"
    try:
        _seed(_here.task)
        with interruptible():
            return common.function(common.shared, task)
    finally:
        _here.task = outer


def one_job() -> Any:
    """Have joblib do one thing after the other inside the block."""
    import joblib

    return joblib.parallel_config("sequential")


def _seed(name: str) -> None:
    import numpy as np

    digest = hashlib.sha256(json.dumps(name).encode()).digest()
    random.seed(int.from_bytes(digest[:16]))
    np.random.seed(int.from_bytes(digest[16:20]))  # more than one word takes ten times as long


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

    before = random.getstate()
    name, key, *rest = cast("tuple[Any, ...]", np.random.get_state())
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state((name, key.tolist(), *rest))  # of an array it would take much longer


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
            with one_job():
                result = perform(common, number, task)
        except (Exception, SystemExit) as caught:
            error = caught
        finally:
            _here.elsewhere = False
    places = tuple((w.category, str(w.message), w.filename, w.lineno) for w in told)
    return Reply(result, error, places)


VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
"""What libraries read when they are loaded; they are set for libraries loaded during the work."""

ONE = dict.fromkeys(VARIABLES, "1")


class _OneThread:
    """Limits while at least one piece of work runs in this process, then what was before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0

    def enter(self) -> bool:
        """Limit, and say whether every library has obeyed."""
        with self._lock:
            self._users += 1
            return self._users > 1 or self._limit()

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._restore()

    def _limit(self) -> bool:
        self._numba = _numba()
        # numba rereads its variable whenever it compiles, and refuses to when it has changed
        names = [n for n in VARIABLES if self._numba is None or not n.startswith("NUMBA")]
        self._environment = {name: os.environ.get(name) for name in names}
        for name, value in self._environment.items():
            if value != "1":
                os.environ[name] = "1"
        self._before = [(library, library.num_threads) for library in _libraries()]
        if self._numba:  # when it starts its threads it may load OpenMP, and sets those of OpenMP
            self._numba_threads = self._numba.get_num_threads()
            self._numba.set_num_threads(1)
        several = [library for library in _libraries() if library.num_threads != 1]
        for library in several:
            library.set_num_threads(1)
        return all(library.num_threads == 1 for library in several)

    def _restore(self) -> None:
        for name, value in self._environment.items():
            if value is None:
                os.environ.pop(name, None)
            elif value != os.environ.get(name):
                os.environ[name] = value
        for library, count in self._before:
            library.set_num_threads(count)
        self._free_new_libraries()
        if self._numba:
            self._numba.set_num_threads(self._numba_threads)

    def _free_new_libraries(self) -> None:
        """Give what was loaded during the work the threads it would have started with."""
        known = {library.filepath for library, _ in self._before}
        for library in _libraries():
            if library.filepath not in known:
                library.set_num_threads(self._usual_threads(library.user_api))
        if self._numba is None and (numba := _numba()):
            try:
                numba.config.reload_config()
            except RuntimeError:  # its threads run already and cannot become more
                os.environ["NUMBA_NUM_THREADS"] = "1"

    def _usual_threads(self, user_api: str) -> int:
        """What a library loaded during the work would have started with."""
        names = ("OMP_NUM_THREADS",) if user_api == "openmp" else VARIABLES[:5]
        given = (self._environment[name] for name in reversed(names))
        return next((int(g) for g in given if g and g.isdigit()), os.cpu_count() or 1)


_loaded: tuple[int, list[Any]] = (0, [])


def _libraries() -> list[Any]:
    """The libraries that have threads; to look for them takes long, so only after imports."""
    global _loaded
    if _loaded[0] != len(sys.modules):
        from threadpoolctl import ThreadpoolController

        found = list(ThreadpoolController().lib_controllers)
        _loaded = (len(sys.modules), found)
    return _loaded[1]


def _numba() -> Any:
    return sys.modules.get("numba")


def _say_unlimited() -> None:
    """OpenBLAS, for one, takes no orders from a thread once the main thread has given some."""
    warn(
        "A numerical library cannot be limited to one thread here: last digits may depend on "
        "the number of cores. Set OPENBLAS_NUM_THREADS=1 before Python starts."
    )


_one_thread = _OneThread()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit numerical libraries to one thread inside the block, and restore them after it.

    Examples
    --------
    >>> with one_thread():
    ...     os.environ["OMP_NUM_THREADS"]
    '1'
    """
    obeyed = _one_thread.enter()
    try:
        if not obeyed:
            _say_unlimited()
        yield
    finally:
        _one_thread.leave()
