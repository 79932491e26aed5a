"""Carry out a function for each task."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from typing import Any

from pycvstat.errors import warn
from pycvstat.run.book import Book
from pycvstat.run.checkpoint import Checkpoint
from pycvstat.run.identity import describe, digest
from pycvstat.run.messages import repeat_warnings
from pycvstat.run.settings import Execution
from pycvstat.run.work import Work, full_name, inside_task, inside_worker


def run_tasks(
    function: Callable[[Any, Any], Any],
    shared: Any,
    tasks: Sequence[Any],
    *,
    execution: Execution,
    identity: Mapping[str, Any],
    label: str,
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
    book = Book(tasks, kept, label)
    work = Work(function, shared, full_name(label))
    try:
        _carry_out(work, book, execution, label)
    except KeyboardInterrupt as interrupt:
        if kept:
            interrupt.add_note(f"Finished tasks are kept; the same call continues: {kept.place}")
        raise
    _repeat(book)
    return book.results()


def _carry_out(work: Work, book: Book, execution: Execution, label: str) -> None:
    from pycvstat.run.progress import progress_line

    count, left = len(book.tasks), len(book.remaining())
    show = False if inside_task() else execution.progress
    with (
        progress_line(show, total=count, done=count - left, label=label) as line,
        closing(_steps(work, book, execution)) as steps,
    ):
        for _ in steps:
            line.update(len(book.replies) - line.n)
            _say_troubles(book)


def _steps(work: Work, book: Book, execution: Execution) -> Generator[None]:
    """The back end's iterator, which comes back after each task."""
    if execution.backend == "serial" or inside_worker():
        from pycvstat.run.serial import work_here

        return work_here(work, book)
    if execution.backend == "processes":
        from pycvstat.run.processes import work_in_processes

        return work_in_processes(work, book, execution.workers)
    from pycvstat.run.cluster import work_on_cluster

    return work_on_cluster(work, book, execution.backend)


def _say_troubles(book: Book) -> None:
    while book.troubles:
        number, trouble = book.troubles.pop(0)
        warn(
            f"Task {number + 1} could not be kept in the checkpoint and the run goes on: "
            f"{trouble.given}"
        )


def _repeat(book: Book) -> None:
    registry: dict[Any, Any] = {}
    for number in sorted(book.replies):
        repeat_warnings(book.replies[number].warnings, registry)
