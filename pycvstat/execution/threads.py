"""One thread per worker: sums must not depend on how many threads share them.

BLAS and OpenMP libraries split sums over threads, so the last digits of a product depend on
their number. Work is therefore always done with one thread, in this process as in others, and
several workers never fight for the same core.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

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

    def enter(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._limit()

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._restore()

    def _limit(self) -> None:
        from threadpoolctl import threadpool_limits

        self._environment = {name: os.environ.get(name) for name in VARIABLES}
        os.environ.update(ONE)
        self._limits = threadpool_limits(limits=1)
        self._known = {library.filepath for library in _libraries()}
        self._numba = _numba()
        self._numba_threads = self._numba.get_num_threads() if self._numba else 0
        limit_numba()

    def _restore(self) -> None:
        for name, value in self._environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._limits.restore_original_limits()
        for library in _libraries():
            if library.filepath not in self._known:
                library.set_num_threads(self._usual_threads(library.user_api))
        if self._numba:
            self._numba.set_num_threads(self._numba_threads)
        elif numba := _numba():  # imported during the work
            with suppress(RuntimeError):  # its threads run already and cannot become more
                numba.config.reload_config()

    def _usual_threads(self, user_api: str) -> int:
        """What a library loaded during the work would have started with."""
        names = ("OMP_NUM_THREADS",) if user_api == "openmp" else VARIABLES[:5]
        given = (self._environment[name] for name in reversed(names))
        return next((int(g) for g in given if g and g.isdigit()), os.cpu_count() or 1)


def _libraries() -> list[Any]:
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().lib_controllers)


def _numba() -> Any:
    return sys.modules.get("numba")


def limit_numba() -> None:
    """Give this thread's numba loops one thread; a no-op until numba is imported."""
    numba = _numba()
    if numba is not None and hasattr(numba, "set_num_threads"):
        numba.set_num_threads(1)


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
    _one_thread.enter()
    try:
        yield
    finally:
        _one_thread.leave()


_limited = threading.local()


def one_thread_for_good() -> None:
    """Limit this thread of a worker process, and libraries that it has loaded since the last call.

    Nothing is restored: on a worker with several threads that would change the limits under
    another task.
    """
    if getattr(_limited, "modules", 0) == len(sys.modules):
        return
    from threadpoolctl import threadpool_limits

    os.environ.update(ONE)
    threadpool_limits(limits=1)
    limit_numba()
    _limited.modules = len(sys.modules)
