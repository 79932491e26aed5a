"""The book of a run: what is still to be done, what is done, what failed."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Sequence
from typing import Any

from pycvstat.errors import CheckpointError, ExecutionError
from pycvstat.run.checkpoint import Checkpoint
from pycvstat.run.messages import Reply

DEATHS = 3
"""Workers that a task may take with it before it is given up."""


class Book:
    """Hands out tasks, lowest number first, and writes down what became of them.

    Any thread may call it. A task that fails stops those after it but not those before it, so
    the error that a user sees is always that of the first failing task. A task that takes its
    workers with it stops nobody.

    Parameters
    ----------
    tasks : sequence
    kept : Checkpoint or None
    label : str
    """

    def __init__(self, tasks: Sequence[Any], kept: Checkpoint | None, label: str) -> None:
        self.tasks, self.kept, self.label = tasks, kept, label
        found = kept.read(len(tasks)) if kept else {}
        self.replies = {number: Reply(result) for number, result in found.items()}
        self.troubles: list[tuple[int, CheckpointError]] = []
        self._todo = [number for number in range(len(tasks)) if number not in found]
        self._end = len(tasks)  # tasks from this number on are not started any more
        self._deaths: dict[int, int] = {}
        self._lost: dict[int, str] = {}
        self._lock = threading.Lock()

    def remaining(self) -> list[int]:
        """The numbers of the tasks that have not been handed out."""
        return list(self._todo)

    def wanted(self, number: int) -> bool:
        """Whether a task is still worth doing: nothing before it has failed."""
        return number < self._end

    def take(self) -> int | None:
        """The number of a task to do now, or None when there is none at the moment."""
        while True:
            with self._lock:
                if not self._todo or self._todo[0] >= self._end:
                    return None
                number = heapq.heappop(self._todo)
            found = self.kept.look(number) if self.kept else None
            if found is None:
                return number
            self.replies[number] = Reply(found[0])  # another run in this directory was faster

    def answer(self, number: int, reply: Reply) -> None:
        """Write down what a task gave; a result is kept in the checkpoint first."""
        if reply.error is None and self.kept is not None:
            try:
                self.kept.keep(number, reply.result)
            except CheckpointError as trouble:
                self.troubles.append((number, trouble))
            except Exception as error:  # a result that no file can hold
                reply = Reply(error=error)
        with self._lock:
            self.replies[number] = reply
            if reply.error is not None:
                self._end = min(self._end, number)

    def death(self, number: int, how: str) -> None:
        """Write down that a worker died in a task: it is tried again, but not for ever."""
        with self._lock:
            self._deaths[number] = self._deaths.get(number, 0) + 1
            if self._deaths[number] < DEATHS:
                heapq.heappush(self._todo, number)
            else:
                self._lost[number] = how

    def lose(self, number: int, how: str) -> None:
        """Write down that a task cannot be done; the others go on."""
        with self._lock:
            self._lost[number] = how

    def results(self) -> list[Any]:
        """All results in the order of the tasks, or the error of the first task that has one."""
        errors = {n: reply.error for n, reply in self.replies.items() if reply.error is not None}
        if errors:
            raise errors[min(errors)] from None
        if self._lost:
            raise self._loss()
        return [self.replies[number].result for number in range(len(self.tasks))]

    def _loss(self) -> ExecutionError:
        numbers = [str(number + 1) for number in sorted(self._lost)]
        which = f"task {numbers[0]}" if len(numbers) == 1 else f"tasks {', '.join(numbers)}"
        kept = "; the others are kept in the checkpoint" if self.kept else ""
        return ExecutionError(
            f"{self.label}: {which} of {len(self.tasks)} ended every worker that tried{kept}.",
            given=self._lost[min(self._lost)],
            fix="look at its memory use and at compiled code in the learner; fewer workers leave "
            "more memory to each",
        )
