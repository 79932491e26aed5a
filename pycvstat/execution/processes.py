"""Tasks in local processes.

Each worker is a Python process of its own, started afresh for a run so that it never works with
modules that have changed since. A thread of this process feeds it and knows at any moment which
task it has: when it dies, the blame is exact and the other workers go on.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator
from contextlib import suppress
from multiprocessing import spawn
from pathlib import Path

from pycvstat.errors import ExecutionError
from pycvstat.execution.book import Book
from pycvstat.execution.messages import Reply, from_bytes
from pycvstat.execution.packing import pack, pickled, remove
from pycvstat.execution.threads import ONE
from pycvstat.execution.work import Work
from pycvstat.execution.worker import FINISH, READY, read, write

STARTS = 3
"""How often a worker may fail to start before the run is given up."""

START = """\
import json, sys
sys.path[:] = json.loads(sys.argv.pop(1))
from pycvstat.execution.worker import serve
serve()
"""


def work_in_processes(work: Work, book: Book, workers: int) -> Generator[None]:
    """Do all tasks in local processes; yields after each.

    Parameters
    ----------
    work : Work
    book : Book
    workers : int
    """
    questions = {number: pickled((number, book.tasks[number])) for number in book.remaining()}
    place = Path(tempfile.mkdtemp(prefix="pycvstat-")) / "work"
    try:
        pack(work, place)
        yield from _Team(place, book, questions).run(min(workers, len(questions)))
    finally:
        remove(place)


class _Team:
    """Worker processes, and the threads that feed them."""

    def __init__(self, place: Path, book: Book, questions: dict[int, bytes]) -> None:
        self.place, self.book, self.questions = place, book, questions
        self.news: queue.SimpleQueue[str | BaseException] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.processes: set[_Process] = set()
        self.stopped = False

    def run(self, workers: int) -> Generator[None]:
        threads = [threading.Thread(target=self._feed, daemon=True) for _ in range(workers)]
        try:
            for thread in threads:
                thread.start()
            yield from self._watch(workers)
        finally:
            self._stop()
            for thread in threads:
                thread.join()

    def _watch(self, active: int) -> Generator[None]:
        while active:
            news = self.news.get()
            if isinstance(news, BaseException):
                raise news
            if news == "no more tasks":
                active -= 1
            else:
                yield

    def _feed(self) -> None:
        """Give one worker task after task, and replace it when it dies."""
        process = None
        try:
            while (number := self.book.take()) is not None:
                process = process or self._start()
                process = self._do(process, number)
                if self.stopped:
                    return
                self.news.put("a task")
            if process:
                self._end(process)
            self.news.put("no more tasks")
        except BaseException as error:  # the session's thread raises it
            self.news.put(error)

    def _do(self, process: _Process, number: int) -> _Process | None:
        """Have one task done; the worker, or None when it died in it."""
        try:
            reply = process.ask(self.questions[number])
        except OSError:
            how = self._end(process, kill=True)
            if not self.stopped:
                self.book.death(number, how)
            return None
        self.book.answer(number, reply)
        return process

    def _start(self) -> _Process:
        how = ""
        for _ in range(STARTS):
            with self.lock:
                if self.stopped:
                    break
                process = _Process(self.place)
                self.processes.add(process)
            if process.is_ready():
                return process
            how = self._end(process, kill=True)
        raise ExecutionError(
            "A worker process cannot be started.", given=how, fix="use n_jobs=1"
        ) from None

    def _end(self, process: _Process, *, kill: bool = False) -> str:
        how = process.end(kill=kill)
        with self.lock:
            self.processes.discard(process)
        return how

    def _stop(self) -> None:
        """End the workers that are still there; their threads notice."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.popen.kill()


class _Process:
    """One worker process, asked one task at a time."""

    def __init__(self, place: Path) -> None:
        self.popen = subprocess.Popen(
            [os.fsdecode(spawn.get_executable()), "-c", START, json.dumps(sys.path), str(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE},
            process_group=0,  # Ctrl-C is for the session
        )
        assert self.popen.stdin
        assert self.popen.stdout
        self.questions, self.answers = self.popen.stdin, self.popen.stdout

    def is_ready(self) -> bool:
        try:
            return read(self.answers) == READY
        except OSError:
            return False

    def ask(self, question: bytes) -> Reply:
        """The worker's reply; an OSError when it is dead."""
        write(self.questions, question)
        return from_bytes(read(self.answers))

    def end(self, *, kill: bool) -> str:
        """End the process, and say how it ended."""
        with suppress(OSError):
            if not kill:
                write(self.questions, FINISH)
            self.questions.close()
        try:
            code = self.popen.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            code = self.popen.wait()
        self.answers.close()
        if code >= 0:
            return f"the worker ended with exit code {code}"
        return f"the worker was ended by signal {-code} ({signal.Signals(-code).name})"
