"""The parity suite: the cases of every room, checked in one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from pycvstat.errors import InputError
from pycvstat.r.bridge import available, reference
from pycvstat.r.check.case import Case
from pycvstat.r.check.checking import Against, check
from pycvstat.r.check.crosscheck import SECONDS, Crosscheck

Room = Literal[
    "random", "folds", "neighbours", "linear", "cross_validation", "nested", "intervals", "packages"
]
ROOMS: dict[Room, str] = {
    "random": "random numbers",
    "folds": "folds",
    "neighbours": "nearest neighbours",
    "linear": "linear models",
    "cross_validation": "cross-validation",
    "nested": "nested cross-validation",
    "intervals": "intervals",
    "packages": "R packages",
}
RECORDED = "recorded/cases.json"


def run_suite(against: Against = "auto", rooms: Sequence[Room] = tuple(ROOMS)) -> Crosscheck:
    """Run the parity cases; R runs in a process of its own.

    Parameters
    ----------
    against : {"auto", "live", "recorded", "both", "record"}
        As of `check`. The recorded values are part of the package.
    rooms : sequence of str

    Returns
    -------
    Crosscheck
        With a group for every room.

    Examples
    --------
    >>> found = run_suite("recorded", ("random",))
    >>> bool(found), len(found.rows)
    (True, 65)
    """
    if unknown := [room for room in rooms if room not in ROOMS]:
        raise InputError("there is no such room.", given=unknown[0], fix=f"of {', '.join(ROOMS)}")
    every = [case for room in rooms for case in cases(room)]
    if against == "auto":
        against = "live" if available() else "recorded"
    kept = None if against == "live" else reference.path(RECORDED)  # not ours to add to, installed
    return check(every, kept, against, seconds=SECONDS, separate=True)


def cases(room: Room) -> list[Case]:
    """The cases of a room; loaded here, since they take every learner."""
    from pycvstat.r.check import cases, model_cases, package_cases

    makers: dict[Room, Callable[[], Iterable[Case]]] = {
        "random": cases.random_numbers,
        "folds": cases.folds,
        "neighbours": cases.neighbours,
        "linear": model_cases.models,
        "cross_validation": model_cases.cross_validation,
        "nested": model_cases.nested,
        "intervals": cases.intervals,
        "packages": package_cases.packages,
    }
    return [replace(case, group=ROOMS[room]) for case in makers[room]()]
