"""Tasks on the workers of a `dask.distributed` cluster."""

from __future__ import annotations

import pickle
import queue
import threading
from collections.abc import Generator
from concurrent.futures import CancelledError
from typing import Any

from pycvstat.errors import ExecutionError, warn
from pycvstat.run.book import DEATHS, Book
from pycvstat.run.messages import Reply, from_bytes, to_bytes
from pycvstat.run.packing import Aligned, pickled
from pycvstat.run.threads import one_thread
from pycvstat.run.work import Work, own_generators, perform_elsewhere

PATIENCE = 60.0
"""Seconds that a cluster may be without workers."""

ROUNDS = 3
"""How often tasks are tried together without one of them being done, before each is alone."""

_one_task = threading.Lock()


def work_on_cluster(work: Work, book: Book, client: Any) -> Generator[None]:
    """Do all tasks on a cluster; yields after each.

    The scheduler tries a task again when its worker dies, and gives it up after a few deaths; but
    it also counts a death against tasks that only waited on that worker. So tasks that it gave
    up are tried again, at last each alone on the cluster: only one that fails then is lost.

    Parameters
    ----------
    work : Work
    book : Book
    client : dask.distributed.Client
    """
    pickled(work, [])  # says what cannot be sent, before the cluster does
    questions = {number: pickled((number, book.tasks[number])) for number in book.remaining()}
    _advise(client)
    run = _ClusterRun(work, book, client, questions)
    try:
        yield from run.together()
        yield from run.one_by_one()
    finally:
        run.cancel(0)


def perform_on_cluster(work: Aligned, question: bytes) -> bytes:
    """What became of one task, as a message; runs on a worker.

    Limits of threads, warnings and random generators belong to the whole process, so a worker
    with several threads does one task at a time.

    Parameters
    ----------
    work : Aligned
        Holds a `Work`.
    question : bytes
    """
    number, task = pickle.loads(question)
    with _one_task, one_thread(), own_generators():
        return to_bytes(perform_elsewhere(work.value, number, task))


class _ClusterRun:
    """The futures of one run."""

    def __init__(self, work: Work, book: Book, client: Any, questions: dict[int, bytes]) -> None:
        self.work, self.book, self.client, self.questions = work, book, client, questions
        self.news: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self.pending: dict[int, Any] = {}
        self.suspects: list[int] = []  # tasks that the scheduler gave up
        self.adrift: list[int] = []  # tasks whose data went with the last worker that held them
        self.data: Any = None

    def together(self) -> Generator[None]:
        """All tasks, and those adrift again as long as that leads on."""
        numbers, rounds = list(iter(self.book.take, None)), 0
        while numbers and rounds < ROUNDS:
            before = len(self.book.replies)
            yield from self._do(numbers)
            numbers, self.adrift = self._wanted(self.adrift), []
            rounds = 0 if len(self.book.replies) > before else rounds + 1
        self.suspects += numbers

    def one_by_one(self) -> Generator[None]:
        """The tasks that are not done yet, each alone: now a death is its own."""
        numbers, self.suspects = self._wanted(self.suspects), []
        for number in numbers:
            for _ in range(DEATHS):
                yield from self._do([number])
                if not self.adrift:
                    break
                self.adrift = []
            if number not in self.book.replies:
                self.book.lose(number, "every worker that tried it died")

    def _wanted(self, numbers: list[int]) -> list[int]:
        return [number for number in sorted(numbers) if self.book.wanted(number)]

    def _do(self, numbers: list[int]) -> Generator[None]:
        """Submit tasks and settle them as they are done."""
        if self.data is None:
            self._send_data()
        for number in numbers:
            self._submit(number)
        while self.pending:
            number, future = self._next()
            if self.pending.get(number) is future:
                del self.pending[number]
                self._settle(number, future)
                yield

    def _send_data(self) -> None:
        """Send the work to one worker, from which the others fetch it once.

        To broadcast it would hang for ever when a worker dies meanwhile: the scheduler goes on
        trying to reach it.
        """
        for attempt in range(1, DEATHS + 1):
            _wait_for_workers(self.client)
            try:
                [self.data] = self.client.scatter([Aligned(self.work)], hash=False)
                return
            except Exception as error:  # also when that worker dies meanwhile: then again
                if attempt == DEATHS:
                    raise ExecutionError(
                        "The data cannot be sent to the cluster.",
                        given=f"{type(error).__name__}: {error}",
                        fix="make every module of your learner importable on the workers, and "
                        "look at their memory",
                    ) from None

    def _submit(self, number: int) -> None:
        question = self.questions[number]
        future = self.client.submit(perform_on_cluster, self.data, question, pure=False)
        self.pending[number] = future
        future.add_done_callback(lambda done: self.news.put((number, done)))

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
            reply = from_bytes(future.result())
        except KilledWorker:
            self.suspects.append(number)
            return
        except CancelledError:
            self.adrift.append(number)
            self.data = None
            return
        except Exception as error:
            reply = Reply(error=_unreadable(error))
        self.book.answer(number, reply)
        if reply.error is not None:
            self.cancel(number)

    def cancel(self, beginning: int) -> None:
        """Cancel tasks from a number on; what runs already is not waited for.

        Parameters
        ----------
        beginning : int
        """
        numbers = [number for number in self.pending if number >= beginning]
        futures = [self.pending.pop(number) for number in numbers]
        if futures and self.client.status == "running":
            self.client.cancel(futures)


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
        warn(
            "Workers of this dask cluster have several threads, and each does one task at a "
            "time: start it with threads_per_worker=1."
        )
