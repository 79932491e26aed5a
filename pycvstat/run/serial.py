"""All tasks in this process, one after the other."""

from __future__ import annotations

from collections.abc import Generator

from pycvstat.run.book import Book
from pycvstat.run.messages import Reply
from pycvstat.run.threads import one_thread
from pycvstat.run.work import Work, own_generators, perform


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
