"""All tasks in this process, one after the other."""

from __future__ import annotations

from collections.abc import Generator

from pycvstat.execution.book import Book
from pycvstat.execution.messages import Reply
from pycvstat.execution.threads import one_thread
from pycvstat.execution.work import Work, own_generators, perform


def work_here(work: Work, book: Book) -> Generator[None]:
    """Do all tasks; yields after each. Errors come as they are, with their traceback.

    Parameters
    ----------
    work : Work
    book : Book
    """
    with one_thread(), own_generators():
        while (number := book.take()) is not None:
            result = perform(work, number, book.tasks[number])
            book.answer(number, Reply(result))
            yield
