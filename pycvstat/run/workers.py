"""Tasks for workers elsewhere: all together, then alone those that lost their worker."""

from __future__ import annotations

import queue
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from pycvstat.run.one_task import Common, Reply
from pycvstat.run.sending import pickled

if TYPE_CHECKING:
    from pycvstat.run.tasks import Run

LISTEN = 2.0
"""Seconds without news after which the workers are looked at."""


class WorkerLost(Exception):
    """A worker died while it had a task, or before."""


class Workers(ABC):
    """Who takes tasks: processes of this machine, or a cluster.

    Parameters
    ----------
    common : Common
    run : Run

    Attributes
    ----------
    attempts : int
        How often a task that lost its worker is tried alone before it is given up.
    """

    attempts = 1

    def __init__(self, common: Common, run: Run) -> None:
        self.common = common
        # what cannot be sent is said before any work starts
        self.messages = {n: pickled((n, run.tasks[n])) for n in run.remaining()}

    @abstractmethod
    def are_free(self) -> bool:
        """Whether another task can be begun now."""

    @abstractmethod
    def begin(self, number: int) -> Any:
        """Begin a task: a future."""

    @abstractmethod
    def reply(self, number: int, future: Any) -> Reply:
        """What became of a task whose future is done; raises `WorkerLost`."""

    @abstractmethod
    def leave(self, futures: list[Any]) -> None:
        """Nothing more is asked of the workers; what they still do is not wanted."""

    def look(self) -> None:  # noqa: B027  # processes have nothing to look at
        """Raise when there is nobody left to wait for."""


def have_done(workers: Workers, run: Run) -> Generator[None]:
    """Have all tasks done; yields after each.

    A task that lost its worker may have ended it, or only have waited on it, or needed memory
    that others held. So it is tried again when all others are done, alone: a death is its own
    then.

    Parameters
    ----------
    workers : Workers
    run : Run
    """
    pending: dict[int, Any] = {}
    try:
        lost = yield from _together(workers, run, iter(run.take, None), pending)
        for number, how in sorted(lost.items()):
            for _ in range(workers.attempts):
                if run.is_wanted(number):
                    again = yield from _together(workers, run, iter([number]), pending)
                    how = again.get(number, how)
            if run.is_wanted(number):
                run.lost[number] = how
            if not run.replies:
                break  # nobody can do anything
    finally:
        workers.leave(list(pending.values()))


def _together(
    workers: Workers, run: Run, numbers: Iterator[int], pending: dict[int, Any]
) -> Generator[None, None, dict[int, str]]:
    """Have tasks done at the same time; those that lost their worker, and how."""
    news: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    lost: dict[int, str] = {}
    while True:
        begun = next(numbers, None) if workers.are_free() else None
        if begun is not None:
            pending[begun] = workers.begin(begun)
            pending[begun].add_done_callback(lambda done, number=begun: news.put((number, done)))
        elif not any(run.is_wanted(number) for number in pending):
            return lost
        try:
            number, future = news.get(block=begun is None, timeout=LISTEN)
        except queue.Empty:
            if begun is None:
                workers.look()
            continue
        del pending[number]
        try:
            run.answer(number, workers.reply(number, future))
        except WorkerLost as loss:
            lost[number] = str(loss)
        yield
