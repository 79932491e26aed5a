"""Worker processes that wait for the next run.

A new process needs a second to import what a learner needs, so workers stay for a minute after a
run. They are used again only where a new process would be the same: with the same environment
and search path, and while no module file outside the installed packages has changed.
"""

from __future__ import annotations

import atexit
import os
import sys
import sysconfig
import threading
import time
from pathlib import Path
from typing import Any

from pycvstat.run.process import WorkerProcess

PATIENCE = 60.0
"""Seconds that a worker waits for the next run."""


class Resting:
    """Workers that wait; the last to come is the first to go."""

    def __init__(self) -> None:
        self._waiting: list[tuple[float, WorkerProcess, Surroundings]] = []
        self._lock = threading.Lock()

    def take(self) -> tuple[WorkerProcess, Surroundings] | None:
        """A worker that can be used now; those that cannot are ended."""
        now = Surroundings()
        while True:
            with self._lock:
                if not self._waiting:
                    return None
                _, process, before = self._waiting.pop()
            if process.is_alive() and before.still_hold(now):
                return process, before
            process.end(kill=True)

    def put(self, process: WorkerProcess, surroundings: Surroundings) -> None:
        """Let a worker wait.

        Parameters
        ----------
        process : WorkerProcess
        surroundings : Surroundings
            Those in which it was started.
        """
        if not process.rest():
            process.end(kill=True)
            return
        with self._lock:
            self._waiting.append((time.monotonic(), process, surroundings))
        timer = threading.Timer(PATIENCE + 1, self.end, kwargs={"waited": PATIENCE})
        timer.daemon = True
        timer.start()

    def end(self, waited: float = 0.0) -> None:
        """End the workers that have waited so long.

        Parameters
        ----------
        waited : float
            Seconds.
        """
        latest = time.monotonic() - waited
        with self._lock:
            ended = [item for item in self._waiting if item[0] <= latest]
            self._waiting = [item for item in self._waiting if item[0] > latest]
        for _, process, _ in ended:
            process.end(kill=True)

    def forget(self) -> None:
        """Leave the workers to the process that this one was forked from."""
        self._waiting, self._lock = [], threading.Lock()


def new_worker() -> tuple[WorkerProcess, Surroundings]:
    """A new process, and the surroundings in which it was started."""
    surroundings = Surroundings()
    return WorkerProcess(), surroundings


class Surroundings:
    """What a new process would begin with, and the module files it would read."""

    def __init__(self) -> None:
        self.outside: Any = (list(sys.path), dict(os.environ), _directory())
        self.files = {file: _changed(file) for file in _own_module_files()}

    def still_hold(self, now: Surroundings) -> bool:
        """Whether a process started then has nothing that differs now.

        Parameters
        ----------
        now : Surroundings
        """
        if self.outside != now.outside:
            return False
        return all(self.files.setdefault(file, at) == at for file, at in now.files.items())


def _directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def _own_module_files() -> list[str]:
    """Files of the imported modules that are not part of Python or of an installed package."""
    installed = tuple({f"{Path(path)}{os.sep}" for path in sysconfig.get_paths().values()})
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return [file for file in files if isinstance(file, str) and not file.startswith(installed)]


def _changed(file: str) -> int | None:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return None


resting = Resting()
atexit.register(resting.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=resting.forget)
