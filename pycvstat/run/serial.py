"""All tasks in this process, one after the other."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from pycvstat.run.one_task import Common, Reply, own_generators, perform
from pycvstat.run.threads import one_thread

if TYPE_CHECKING:
    from pycvstat.run.tasks import Run


def work_here(common: Common, run: Run) -> Generator[None]:
    """Do all tasks; yields after each. Errors come as they are, with their traceback.

    Parameters
    ----------
    common : Common
    run : Run
    """
    with one_thread(), own_generators():
        while (number := run.take()) is not None:
            run.answer(number, Reply(perform(common, number, run.tasks[number])))
            yield
