"""Tasks on the workers of a `dask.distributed` cluster."""

from __future__ import annotations

import pickle
import queue
import threading
import warnings
from asyncio import CancelledError
from collections.abc import Generator
from typing import Any

from pycvstat.errors import ExecutionError, PycvstatWarning
from pycvstat.execution.book import Book
from pycvstat.execution.packing import pickled
from pycvstat.execution.threads import one_thread
from pycvstat.execution.work import Reply, Work, perform_elsewhere

PATIENCE = 60.0
"""Seconds that a cluster may be without workers."""

_one_task = threading.Lock()


def work_on_cluster(work: Work, book: Book, client: Any) -> Generator[None]:
    """Do all tasks on a cluster; yields after each.

    The scheduler tries a task again when its worker dies, and gives it up after a few deaths; but
    it also counts a death against tasks that only waited on that worker. So tasks that it gave
    up are tried once more, each alone on the cluster: only one that fails then is lost.

    Parameters
    ----------
    work : Work
    book : Book
    client : dask.distributed.Client
    """
    pickled(work, [])  # says what cannot be sent, before the cluster does
    questions = {number: pickled((number, book.tasks[number])) for number in book.remaining()}
    _wait_for_workers(client)
    _advise(client)
    run = _ClusterRun(work, book, client, questions)
    try:
        yield from run.together()
        yield from run.one_by_one()
    finally:
        run.cancel(0)


def perform_on_cluster(work: Work, question: bytes) -> Reply:
    """What became of one task; runs on a worker.

    Limits of threads, warnings and random generators belong to the whole process, so a worker
    with several threads does one task at a time.

    Parameters
    ----------
    work : Work
    question : bytes
    """
    number, task = pickle.loads(question)
    with _one_task, one_thread():
        return perform_elsewhere(work, number, task)


class _ClusterRun:
    """The futures of one run."""

    def __init__(self, work: Work, book: Book, client: Any, questions: dict[int, bytes]) -> None:
        self.work, self.book, self.client, self.questions = work, book, client, questions
        self.news: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self.pending: dict[int, Any] = {}
        self.suspects: list[int] = []
        self._send_data()

    def _send_data(self) -> None:
        """Send the work to every worker once; those that come later fetch it from these."""
        try:
            [self.data] = self.client.scatter([self.work], broadcast=True, hash=False)
        except Exception as error:
            raise ExecutionError(
                "The data cannot be sent to the cluster.",
                given=f"{type(error).__name__}: {error}",
                fix="make every module of your learner importable on the workers, and look at "
                "their memory",
            ) from None

    def submit(self, number: int) -> None:
        question = self.questions[number]
        future = self.client.submit(perform_on_cluster, self.data, question, pure=False)
        self.pending[number] = future
        future.add_done_callback(lambda done: self.news.put((number, done)))

    def cancel(self, beginning: int) -> None:
        """Cancel tasks from a number on; what runs already is not waited for."""
        numbers = [number for number in self.pending if number >= beginning]
        futures = [self.pending.pop(number) for number in numbers]
        if futures and self.client.status == "running":
            self.client.cancel(futures)

    def together(self) -> Generator[None]:
        while (number := self.book.take()) is not None:
            self.submit(number)
        while self.pending:
            number, future = self._next()
            if self.pending.get(number) is future:
                del self.pending[number]
                self._settle(number, future)
                yield

    def one_by_one(self) -> Generator[None]:
        suspects, self.suspects = sorted(self.suspects), []
        for number in suspects:
            if not self.book.wanted(number):
                continue
            self.submit(number)
            yield from self.together()
            if self.suspects:
                self.book.lose(number, "every worker that tried it died")
                self.suspects = []

    def _next(self) -> tuple[int, Any]:
        """The next future that is done, as long as there is a cluster to do it."""
        while True:
            try:
                return self.news.get(timeout=PATIENCE / 6)
            except queue.Empty:
                _wait_for_workers(self.client)

    def _settle(self, number: int, future: Any) -> None:
        from distributed import KilledWorker

        try:
            reply: Reply = future.result()
        except KilledWorker:
            self.suspects.append(number)
            return
        except CancelledError as error:  # the data went with the last worker that had them
            self.book.death(number, str(error))
            self._begin_again()
            return
        except Exception as error:
            reply = Reply(error=_unreadable(error))
        self.book.answer(number, reply)
        if reply.error is not None:
            self.cancel(number)

    def _begin_again(self) -> None:
        """Send the data once more, and the tasks that are not done."""
        _wait_for_workers(self.client)
        self._send_data()
        for number in list(self.pending):
            if self.pending[number].status in ("cancelled", "lost"):
                self.submit(number)
        while (again := self.book.take()) is not None:
            self.submit(again)


def _unreadable(error: Exception) -> ExecutionError:
    return ExecutionError(
        "A worker of the cluster cannot do its work.",
        given=f"{type(error).__name__}: {error}",
        fix="install the same versions on the workers, with every module of your learner",
    )


def _wait_for_workers(client: Any) -> None:
    """Make sure that there is a cluster with workers, now or within a minute."""
    if client.status != "running":
        raise ExecutionError(
            "The dask cluster is gone.",
            given=f"a client that is {client.status}",
            fix="connect a new client",
        )
    try:
        if not client.nthreads():
            client.wait_for_workers(1, timeout=PATIENCE)
    except Exception as error:
        raise ExecutionError(
            f"The dask cluster has no workers, also after {PATIENCE:.0f} seconds.",
            given=f"{type(error).__name__}: {error}",
            fix="start workers, or scale the cluster",
        ) from None


def _advise(client: Any) -> None:
    if max(client.nthreads().values(), default=1) > 1:
        warnings.warn(
            PycvstatWarning(
                "Workers of this dask cluster have several threads, and each does one task at a "
                "time: start it with threads_per_worker=1."
            ),
            stacklevel=5,
        )
