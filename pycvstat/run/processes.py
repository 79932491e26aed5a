"""Tasks in local processes.

Each worker is an executor of loky's with one process: when the process dies, its task is known
and the other workers go on. Workers stay for a minute after a run, because a new one needs a
second to import what a learner needs; they are used again only where a new one would be the same.
"""

from __future__ import annotations

import gc
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joblib.externals.loky import process_executor
from joblib.externals.loky.process_executor import ProcessPoolExecutor, ShutdownExecutorError

from pycvstat.errors import ExecutionError
from pycvstat.run.references import file_of
from pycvstat.run.reproducible import ONE, Common, Reply, perform_elsewhere
from pycvstat.run.workers import WorkerLost, Workers, from_bytes, pack, to_bytes, unpack

if TYPE_CHECKING:
    from pycvstat.run.tasks import Run

PATIENCE = 60.0
"""Seconds that a worker waits for the next run."""

ENDED = BrokenExecutor, ShutdownExecutorError  # a process that died, or that was ended

Beginning = dict[str, Any]
"""What a new process would begin with, and when the module files it would read were changed."""

_waiting: list[Worker] = []
_of_another_process: list[Worker] = []  # never touched, nor collected: the parent uses them


class Worker:
    """A process that does one task at a time, and what it began with."""

    overdue = False

    def __init__(self, began_with: Beginning) -> None:
        self.began_with = began_with
        self._executor = ProcessPoolExecutor(
            1, initializer=_start, initargs=(os.getpid(),), env=ONE
        )

    def do(self, function: Callable[..., Any], *arguments: Any, limit: float | None = None) -> Any:
        """Begin a task, or whatever else the process is to do, and end it after so many seconds."""
        self._last = self._executor.submit(function, *arguments)
        if limit is not None:
            timer = _in(limit, self._give_up)
            self._last.add_done_callback(lambda done: timer.cancel())
        return self._last

    def wait(self) -> None:
        """Be there for the next run, for a while."""
        _waiting.append(self)
        self._patience = _in(PATIENCE, self._go)

    def taken(self) -> Worker:
        """The worker, which was waiting until now."""
        self._patience.cancel()
        return self

    def _go(self) -> None:
        """End, unless a run was faster: loky's own limit lets a worker go that was just asked."""
        with suppress(ValueError):
            _waiting.remove(self)
            self.end()

    def _give_up(self) -> None:
        self.overdue = True
        self.end()

    def end(self) -> None:
        """End the process at once, whatever it does."""
        for _ in range(1000):  # loky stumbles over a task that its thread has not yet read
            if self._last.running() or self._last.done():
                break
            time.sleep(0.001)
        self._executor.shutdown(kill_workers=True)


class Processes(Workers):
    """Local processes, and the directory from which they read what tasks have in common."""

    attempts = 3

    def __init__(self, common: Common, run: Run, count: int, limit: float | None) -> None:
        super().__init__(common, run)
        self.count, self.limit, self.run = count, limit, run
        self._free: list[Worker] = []
        self._busy: dict[int, Worker] = {}
        self.place = Path(tempfile.mkdtemp(prefix="pycvstat-"))
        try:
            pack(common, self.place)
        except BaseException:
            shutil.rmtree(self.place)
            raise

    def are_free(self) -> bool:
        return len(self._busy) < self.count

    def begin(self, number: int) -> Any:
        while True:
            worker = self._free.pop() if self._free else _take()
            try:
                future = worker.do(_answer, self.place, self.messages[number], limit=self.limit)
            except ENDED:  # it died while it waited
                continue
            except OSError as error:
                raise ExecutionError(
                    "A worker process cannot be started.",
                    given=error.strerror or str(error),
                    fix=f"use fewer than n_jobs={self.count}",
                ) from error
            self._busy[number] = worker
            return future

    def reply(self, number: int, future: Any) -> Reply:
        worker = self._busy.pop(number)
        try:
            message = future.result()
        except ENDED as error:
            if worker.overdue:
                return Reply(error=self._too_long(number))
            raise WorkerLost(" ".join(str(error).split())) from error
        self._free.append(worker)
        return from_bytes(message)

    def _too_long(self, number: int) -> ExecutionError:
        task = f"task {number + 1} of {len(self.run.tasks)}"
        return ExecutionError(
            f"{self.run.label}: {task} was not done after {self.limit:g} seconds.",
            given=f"task_limit={self.limit:g}",
            fix="give more seconds, or look at what the learner waits for",
        )

    def leave(self, futures: list[Any]) -> None:
        for worker in self._busy.values():
            worker.end()
        for worker in self._free:
            with suppress(*ENDED):
                worker.do(_forget)
                worker.wait()
        shutil.rmtree(self.place, ignore_errors=True)


def _in(seconds: float, function: Callable[[], None]) -> threading.Timer:
    """Call a function later, in a thread that keeps nobody from ending."""
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer


def _take() -> Worker:
    """A worker that waited, if a new one would be the same; else a new one."""
    now = _beginning()
    while True:
        try:
            worker = _waiting.pop().taken()
        except IndexError:
            return Worker(now)
        then = worker.began_with
        if all(then.setdefault(name, value) == value for name, value in now.items()):
            return worker
        worker.end()


def _beginning() -> Beginning:
    try:
        directory = os.getcwd()
    except OSError:
        directory = ""
    files = {file_of(module) for module in list(sys.modules)} - {None}
    return {
        "environment": dict(os.environ),
        "directory": directory,
        "path": list(sys.path),
        **{str(file): _changed(str(file)) for file in files},
    }


def _changed(file: str) -> int | None:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return None


def _leave_to_parent() -> None:
    _of_another_process.extend(_waiting)
    _waiting.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


# What follows runs in the worker.

_common: tuple[Path, Common] | None = None


def _start(session: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the session decides what Ctrl-C stops
    # or loky replaces a worker that has grown and warns in a thread: an error, the thread would end
    process_executor._USE_PSUTIL = False
    threading.Thread(target=_end_with, args=(session,), daemon=True).start()


def _end_with(session: int) -> None:
    """When the session is gone, even during a task, so is the worker, with what was packed."""
    while os.getppid() == session:
        time.sleep(0.5)
    if _common:
        shutil.rmtree(_common[0], ignore_errors=True)
    os._exit(0)


def _answer(place: Path, message: bytes) -> bytes:
    global _common
    try:
        number, task = pickle.loads(message)
        if _common is None or _common[0] != place:
            _common = place, unpack(place)
    except Exception as error:
        fix = "make every module of your learner importable in a new Python process"
        given = f"{type(error).__name__}: {error}"
        failure = ExecutionError("A worker cannot read its work.", given=given, fix=fix)
        return to_bytes(Reply(error=failure))
    return to_bytes(perform_elsewhere(_common[1], number, task))


def _forget() -> None:
    """Let go of what a run had in common; what stays, modules above all, is searched only once."""
    global _common
    _common = None
    gc.collect()
    gc.freeze()
