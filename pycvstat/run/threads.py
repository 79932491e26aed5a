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
from contextlib import contextmanager
from typing import Any

from pycvstat.errors import warn

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
        os.environ.update(dict.fromkeys(names, "1"))
        if self._numba:  # first, because it may set OpenMP's threads when it starts its own
            self._numba_threads = self._numba.get_num_threads()
            self._numba.set_num_threads(1)
        self._before = [(library, library.num_threads) for library in _libraries()]
        for library, _ in self._before:
            library.set_num_threads(1)
        return all(library.num_threads == 1 for library, _ in self._before)

    def _restore(self) -> None:
        for name, value in self._environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
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
