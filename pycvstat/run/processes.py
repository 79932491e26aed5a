"""Tasks in local processes.

A thread of this process feeds each worker and knows at any moment which task it has: when the
worker dies, the blame is exact and the other workers go on.
"""

from __future__ import annotations

import queue
import tempfile
import threading
from collections.abc import Generator
from pathlib import Path

from pycvstat.errors import ExecutionError
from pycvstat.run.book import Book
from pycvstat.run.packing import pack, pickled, remove
from pycvstat.run.process import WorkerProcess
from pycvstat.run.resting import Surroundings, new_worker, resting
from pycvstat.run.work import Work

STARTS = 3
"""How often a worker may fail to start before the run is given up."""


def work_in_processes(work: Work, book: Book, workers: int) -> Generator[None]:
    """Do all tasks in local processes; yields after each.

    Parameters
    ----------
    work : Work
    book : Book
    workers : int
    """
    place = Path(tempfile.mkdtemp(prefix="pycvstat-")) / "work"
    try:
        questions = {n: pickled((place, n, book.tasks[n])) for n in book.remaining()}
        pack(work, place)
        yield from _Team(book, questions).run(min(workers, len(questions)))
    finally:
        remove(place)


class _Team:
    """Worker processes, and the threads that feed them."""

    def __init__(self, book: Book, questions: dict[int, bytes]) -> None:
        self.book, self.questions = book, questions
        self.news: queue.SimpleQueue[str | BaseException] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.processes: dict[WorkerProcess, Surroundings] = {}
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
                self._dismiss(process)
            self.news.put("no more tasks")
        except BaseException as error:  # the session's thread raises it
            self.news.put(error)

    def _do(self, process: WorkerProcess, number: int) -> WorkerProcess | None:
        """Have one task done; the worker, or None when it died in it."""
        try:
            reply = process.ask(self.questions[number])
        except OSError:
            how = self._end(process)
            if not self.stopped:
                self.book.death(number, how)
            return None
        self.book.answer(number, reply)
        return process

    def _start(self) -> WorkerProcess:
        """A worker that waited, or a new one."""
        how = ""
        for _ in range(STARTS):
            with self.lock:
                if self.stopped:
                    break
                process, surroundings = resting.take() or new_worker()
                self.processes[process] = surroundings
            if process.is_ready():
                return process
            how = self._end(process)
        raise ExecutionError(
            "A worker process cannot be started.", given=how, fix="use n_jobs=1"
        ) from None

    def _dismiss(self, process: WorkerProcess) -> None:
        """Let a worker wait for the next run."""
        with self.lock:
            surroundings = self.processes.pop(process)
        resting.put(process, surroundings)

    def _end(self, process: WorkerProcess) -> str:
        how = process.end()
        with self.lock:
            self.processes.pop(process, None)
        return how

    def _stop(self) -> None:
        """End the workers that are still there; their threads notice."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.popen.kill()
