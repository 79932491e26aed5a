"""The R code of a learner, as far as R has what it needs."""

from __future__ import annotations

from pycvstat.data.task import Task
from pycvstat.errors import RError
from pycvstat.learners.base import Learner
from pycvstat.learners.in_r import LearnerInR


def counterpart(learner: Learner, task: Task, *, written: bool = False) -> LearnerInR:
    """The R counterpart of a learner, or an error that says there is none.

    With ``written=True`` the counterpart is for a script that somebody runs elsewhere, so it does
    not matter what is installed here.
    """
    found = learner.in_r(task)
    if found is None:
        raise RError(
            f"there is no R counterpart of {learner.name}.",
            given=type(learner).__name__,
            fix="the learners that fit by a formula of R have one, and yours where its in_r() "
            "says the R code",
        )
    if written or found.otherwise is None or _installed(found.packages):
        return found
    return found.otherwise


def _installed(packages: tuple[str, ...]) -> bool:
    from pycvstat.r.bridge import run

    return all(run("nzchar(system.file(package = name))", name=name) for name in packages)
