"""Carry out a function for each task: by whom, kept where, and which tasks are done."""

from __future__ import annotations

import heapq
import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import TIMEOUT_MAX
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pycvstat.errors import Advice, CheckpointError, ExecutionError, InputError, warn
from pycvstat.errors.checks import check_path, is_number, is_whole
from pycvstat.run.checkpoint import Checkpoint
from pycvstat.run.fingerprint import describe, digest
from pycvstat.run.reproducible import (
    Common,
    Reply,
    full_name,
    inside_task,
    inside_worker,
    one_job,
    one_thread,
    own_generators,
    perform,
)

if TYPE_CHECKING:
    from distributed import Client

Progress = bool | Literal["auto"]
USUAL = {"ncols": 80, "nrows": 24}  # of a terminal that does not know its size
NOBODY = SimpleNamespace(n=0, update=lambda done=1: None)  # watches


@dataclass(frozen=True, slots=True)
class Execution:
    """Who does the work and what is kept of it.

    Parameters
    ----------
    workers : int
        Local processes that work at the same time; 1 works in this process.
    client : dask.distributed.Client, optional
        Its cluster does the work instead.
    progress : bool or "auto"
        A progress line with the time left; "auto" shows it only on a terminal.
    checkpoint : pathlib.Path, optional
        A directory in which every finished task is kept at once.
    limit : float, optional
        The seconds after which a local process is ended with its task.
    """

    workers: int = 1
    client: Client | None = None
    progress: Progress = "auto"
    checkpoint: Path | None = None
    limit: float | None = None


def execution_from(
    n_jobs: int | None = None,
    client: Client | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress = "auto",
    task_limit: float | None = None,
) -> Execution:
    """Check what a user asked for and say it as an `Execution`.

    Parameters
    ----------
    n_jobs : int, optional
        Local worker processes; None or 1 works in this process, -1 uses every core and -2 all
        but one.
    client : dask.distributed.Client, optional
        It brings its own workers, so ``n_jobs`` has no place beside it.
    checkpoint : path, optional
        A directory in which finished tasks are kept, so that a killed run continues.
    progress : bool or "auto"
        Show a progress line: always, never, or only on a terminal.
    task_limit : float, optional
        The seconds that a local worker process may take for one task.

    Returns
    -------
    Execution

    Examples
    --------
    >>> execution_from(n_jobs=2).workers
    2
    """
    if client is not None:
        _check_client(client, n_jobs)
    workers = _workers(n_jobs)
    if task_limit is not None and not (
        workers > 1 and is_number(task_limit) and 0 < task_limit <= TIMEOUT_MAX
    ):
        raise InputError(
            "task_limit is a number of seconds, after which a worker process is ended.",
            given=f"task_limit={task_limit!r}, {'a dask client' if client else f'{n_jobs=}'}",
            fix=Advice("use {task_limit} with {n_jobs}", task_limit=3600, n_jobs=2),
        )
    return Execution(workers, client, _shown(progress), _directory(checkpoint), task_limit)


def _shown(progress: Any) -> Progress:
    if isinstance(progress, (bool, np.bool_)):
        return bool(progress)
    if not isinstance(progress, str) or progress != "auto":
        raise InputError(
            "progress cannot be this.", given=repr(progress), fix='use True, False or "auto"'
        )
    return "auto"


def _directory(checkpoint: str | os.PathLike[str] | None) -> Path | None:
    if checkpoint is None:
        return None
    try:
        return check_path(checkpoint)
    except InputError as error:
        raise InputError(
            "checkpoint must be the path of a directory.",
            given=error.given,
            fix=Advice("use {checkpoint}, for example", checkpoint="kept"),
        ) from None


def _workers(n_jobs: int | None) -> int:
    """The number of processes that n_jobs asks for."""
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0:
        raise InputError(
            "n_jobs must be a whole number other than 0.",
            given=repr(n_jobs),
            fix=Advice("use {n_jobs} or more, or -1 for every core", n_jobs=1),
        )
    from joblib import cpu_count  # cores this process may use, also inside a container

    return int(n_jobs) if n_jobs > 0 else max(1, cpu_count() + 1 + int(n_jobs))


def _check_client(client: Any, n_jobs: int | None) -> None:
    if not all(hasattr(client, name) for name in ("submit", "asynchronous", "nthreads")):
        wrong = "This is no dask.distributed Client.", repr(client), "use client=Client(...)"
    elif n_jobs is not None:
        fix = "leave n_jobs out and scale the cluster"
        wrong = "A dask client brings its own workers.", f"n_jobs={n_jobs}", fix
    elif client.asynchronous:
        fix = "make it with Client(..., asynchronous=False)"
        wrong = "The dask client is asynchronous.", repr(client), fix
    elif client.status != "running":
        given = f"a client that is {client.status}"
        wrong = "The dask client is not connected.", given, "connect a new Client"
    else:
        return
    raise InputError(wrong[0], given=wrong[1], fix=wrong[2])


def progress_line(show: Progress, *, total: int, done: int, label: str) -> Any:
    """A tqdm bar; nothing is made where nobody watches.

    Parameters
    ----------
    show : bool or "auto"
        "auto" shows it only on a terminal, and only for work of more than a second.
    total : int
        Tasks in all.
    done : int
        Tasks that were done before; they do not count for the time left.
    label : str
    """
    watched = sys.stderr is not None and sys.stderr.isatty()
    if not (watched if show == "auto" else show):
        return nullcontext(NOBODY)
    from tqdm import tqdm

    size: dict[str, Any] = USUAL if watched and _has_no_size(sys.stderr) else {}
    return tqdm(
        total=total,
        initial=done,
        desc=label,
        unit="task",
        file=sys.stderr,
        delay=1.0 if show == "auto" else 0.0,
        smoothing=0.0,  # tasks of one kind: the mean is the best guess
        dynamic_ncols=not size,
        **size,
    )


def _has_no_size(stream: Any) -> bool:
    """Whether this is a terminal of size 0, as under ``script`` or in a container."""
    try:
        return os.get_terminal_size(stream.fileno()).columns == 0
    except (OSError, ValueError, AttributeError):  # no terminal of the system
        return False


def run_tasks(
    function: Callable[[Any, Any], Any],
    shared: Any,
    tasks: Sequence[Any],
    *,
    execution: Execution,
    identity: Mapping[str, Any],
    label: str,
    again: bool = False,
) -> list[Any]:
    """Results of ``function(shared, task)``, in the order of the tasks.

    The results are the same, bit for bit, for any number of workers, for every back end, and
    when a killed run is continued: numerical libraries work with one thread, and a task that
    draws from NumPy's or Python's global generators finds them in a state that depends on
    `label` and its own number only.

    Parameters
    ----------
    function : callable
        ``function(shared, task) -> result``. With a checkpoint a result may hold numbers, text,
        None, arrays, pycvstat's dataclasses, and dicts, lists and tuples of these.
    shared : object
        What every task needs; sent once to each worker.
    tasks : sequence
        What differs; small.
    execution : Execution
        Who does the work and what is kept.
    identity : mapping
        What the work is: data, settings. A checkpoint of other work is refused; nothing else
        uses it.
    label : str
        What the progress line and the checkpoint call this work.
    again : bool
        Whether the last task is the first once more, and is to draw as the first did.

    Returns
    -------
    list
        One result per task.

    Raises
    ------
    Exception
        What the first failing task raised.
    ExecutionError
        When a task ends every worker that tries it; all other tasks are done before that.
    CheckpointError
        When the checkpoint belongs to other work, or cannot be written.

    Examples
    --------
    >>> run_tasks(lambda shared, task: shared * task, 2, [1, 2, 3],
    ...           execution=Execution(), identity={}, label="doubling")
    [2, 4, 6]
    """
    kept = None
    if execution.checkpoint is not None:
        what = {**identity, "function": function, "tasks": digest(describe(tasks))}
        kept = Checkpoint(execution.checkpoint, label, what)
    run = Run(tasks, kept, label)
    try:
        last = len(tasks) - 1 if again else None
        _carry_out(Common(function, shared, full_name(label), last), run, execution)
    except KeyboardInterrupt as interrupt:
        if kept:
            interrupt.add_note(f"Finished tasks are kept; the same call continues: {kept.place}")
        raise
    registry: dict[Any, Any] = {}
    for _, reply in sorted(run.replies.items()):
        reply.repeat_warnings(registry)
        if reply.error is not None:
            break  # here nothing would have come after it
    return run.results()


def _carry_out(common: Common, run: Run, execution: Execution) -> None:
    done = len(run.replies)
    show = False if inside_task() else execution.progress
    with (
        progress_line(show, total=len(run.tasks), done=done, label=run.label) as line,
        closing(_steps(common, run, execution)) as steps,
    ):
        for _ in steps:
            line.update(len(run.replies) - line.n)


def _steps(common: Common, run: Run, execution: Execution) -> Generator[None]:
    """An iterator that does the work and comes back after each task."""
    if inside_worker() or (execution.client is None and execution.workers == 1):
        return work_here(common, run)
    from pycvstat.run.workers import have_done

    if execution.client is not None:
        from pycvstat.run.cluster import Cluster

        return have_done(Cluster(common, run, execution.client), run)
    from pycvstat.run.processes import Processes

    return have_done(Processes(common, run, execution.workers, execution.limit), run)


def work_here(common: Common, run: Run) -> Generator[None]:
    """Do all tasks; yields after each. Errors come as they are, with their traceback."""
    with one_thread(), own_generators(), one_job():
        while (number := run.take()) is not None:
            run.answer(number, Reply(perform(common, number, run.tasks[number])))
            yield


class Run:
    """The tasks of one run: what is still to be done, what is done, what failed.

    Tasks are handed out lowest number first. One that fails stops those after it but not those
    before it, so the error that a user sees is always that of the first failing task. One that
    takes its workers with it stops nobody.

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
        self.lost: dict[int, str] = {}  # tasks that nobody can do, and what happened
        self._todo = [number for number in range(len(tasks)) if number not in found]
        self._end = len(tasks)  # tasks from this number on are not started any more

    def remaining(self) -> list[int]:
        """The numbers of the tasks that have not been handed out."""
        return list(self._todo)

    def is_wanted(self, number: int) -> bool:
        """Whether a task is still to be done: it has no reply, and nothing before it failed."""
        return number < self._end and number not in self.replies

    def take(self) -> int | None:
        """The number of the next task, or None when there is none."""
        while self._todo and self._todo[0] < self._end:
            number = heapq.heappop(self._todo)
            found = self.kept.look(number) if self.kept else None
            if found is None:
                return number
            self.replies[number] = Reply(found[0])  # another run in this directory was faster
        return None

    def answer(self, number: int, reply: Reply) -> None:
        """Write down what a task gave; a result is kept in the checkpoint first."""
        if reply.error is None and self.kept is not None:
            reply = self._keep(number, reply)
        self.replies[number] = reply
        if reply.error is not None:
            self._end = min(self._end, number)

    def _keep(self, number: int, reply: Reply) -> Reply:
        assert self.kept
        try:
            self.kept.keep(number, reply.result)
        except CheckpointError as trouble:
            warn(
                f"Task {number + 1} could not be kept in the checkpoint and the run goes on: "
                f"{trouble.given}"
            )
        except Exception as error:  # a result that no file can hold
            return Reply(error=error)
        return reply

    def results(self) -> list[Any]:
        """All results in the order of the tasks, or the error of the first task that has one."""
        errors = {n: reply.error for n, reply in self.replies.items() if reply.error is not None}
        if errors:
            raise errors[min(errors)]
        if self.lost:
            raise self._loss()
        return [self.replies[number].result for number in range(len(self.tasks))]

    def _loss(self) -> ExecutionError:
        numbers = [str(number + 1) for number in sorted(self.lost)]
        which = f"task {numbers[0]}" if len(numbers) == 1 else f"tasks {', '.join(numbers)}"
        others = "; the others are kept in the checkpoint" if self.kept else ""
        if not self.replies:
            others = ", and no other task was done before"
        return ExecutionError(
            f"{self.label}: {which} of {len(self.tasks)} ended every worker that tried{others}.",
            given=self.lost[min(self.lost)],
            fix="look at its memory use and at compiled code in the learner; fewer workers leave "
            "more memory to each",
        )
