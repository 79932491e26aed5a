"""The parity suite: every case of every room, against live R or against recorded values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from pycvstat.errors import InputError, PycvstatError, RError, heard
from pycvstat.r.check.cases.case import Cases
from pycvstat.r.check.table import Crosscheck, Row, compare_values
from pycvstat.rmath.tolerances import EXACT
from pycvstat.verbs import Verbs

if TYPE_CHECKING:
    import pandas as pd

Room = Literal["random", "folds", "neighbours", "linear", "cross_validation", "nested", "intervals"]
ROOMS: dict[Room, str] = {
    "random": "random numbers",
    "folds": "folds",
    "neighbours": "nearest neighbours",
    "linear": "linear models",
    "cross_validation": "cross-validation",
    "nested": "nested cross-validation",
    "intervals": "intervals",
}
SECONDS = 600.0  # for all that R does
SHARED = {
    "neighbours": {"x", "y", "label"},
    "intervals": {"losses", "errors", "grid", "halves", "scores", "pair_losses"},
}
Against = Literal["auto", "live", "recorded"]


@dataclass(frozen=True, eq=False)
class ParitySuite(Verbs):
    """The result of the parity suite; true when every comparison agrees and every room ran.

    Parameters
    ----------
    rooms : dict of Crosscheck
        By the name of the room.
    problems : dict of str
        Why a room did not run.
    against : str
        "live" or "recorded".

    Examples
    --------
    >>> suite = run_suite("recorded", ("random",))
    >>> bool(suite), suite.glance()["comparisons"].tolist()
    (True, [65])
    """

    view: ClassVar[str] = "suite"

    rooms: dict[Room, Crosscheck]
    problems: dict[Room, str]
    against: str

    def __bool__(self) -> bool:
        return not self.problems and bool(self.rooms) and all(self.rooms.values())

    def __repr__(self) -> str:
        rows = sum(len(room.rows) for room in self.rooms.values())
        good = sum(row.agrees for room in self.rooms.values() for row in room.rows)
        return f"ParitySuite({good} of {rows} comparisons agree, {self.against} R)"

    @property
    def first_difference(self) -> str | None:
        """The first quantity that differs, and where."""
        for name, room in self.rooms.items():
            if room.first_difference is not None:
                return f"{ROOMS[name]}, {room.first_difference}"
        return None

    def tidy(self) -> pd.DataFrame:
        """One row per comparison."""
        import pandas as pd

        parts = [room.tidy().assign(room=ROOMS[name]) for name, room in self.rooms.items()]
        frame = pd.concat(parts, ignore_index=True)
        return frame[["room", *(c for c in frame.columns if c != "room")]]

    def glance(self) -> pd.DataFrame:
        """One row: rooms, comparisons, how many agree, numbers, verdict."""
        import pandas as pd

        rooms = self.by_room()
        row: dict[str, Any] = {"rooms": len(self.rooms), "not_run": len(self.problems)}
        row |= {n: int(rooms[n].sum()) for n in ("comparisons", "agree", "numbers")}
        verdict = "agrees" if self else "differs"
        return pd.DataFrame([row | {"verdict": verdict, "against": self.against}])

    def by_room(self) -> pd.DataFrame:
        """One row per room: comparisons, numbers, how many agree, largest difference."""
        import pandas as pd

        rows = [
            {
                "room": ROOMS[name],
                "comparisons": len(room.rows),
                "agree": sum(row.agrees for row in room.rows),
                "numbers": sum(row.count for row in room.rows),
                "largest_relative": _largest(room),
                "r": room.r_version,
            }
            for name, room in self.rooms.items()
        ]
        rows += [
            {"room": ROOMS[name], "comparisons": 0, "agree": 0, "numbers": 0,
             "largest_relative": np.nan, "r": problem}
            for name, problem in self.problems.items()
        ]  # fmt: skip
        return pd.DataFrame(rows)


def _largest(room: Crosscheck) -> float:
    found = [row.relative for row in room.rows if row.relative == row.relative]
    return max(found, default=0.0)


def run_suite(against: Against = "auto", rooms: tuple[Room, ...] = tuple(ROOMS)) -> ParitySuite:
    """Run the parity cases.

    Parameters
    ----------
    against : {"auto", "live", "recorded"}
        Live R, the recorded values, or live where R is there.
    rooms : tuple of str

    Returns
    -------
    ParitySuite

    Examples
    --------
    >>> bool(run_suite("recorded", ("random",)))
    True
    """
    from pycvstat.r.bridge import available

    if against not in ("auto", "live", "recorded"):
        raise InputError("against must be auto, live or recorded.", given=against)
    if against == "auto":
        against = "live" if available() else "recorded"
    answers = _live(rooms) if against == "live" else {room: _recorded(room) for room in rooms}
    done: dict[Room, Crosscheck] = {}
    problems: dict[Room, str] = {}
    for room, answer in answers.items():
        if isinstance(answer, RError):
            problems[room] = " ".join(str(answer).split())
        else:
            done[room] = _compared(room, answer)
    return ParitySuite(done, problems, against)


@dataclass(frozen=True, eq=False)
class Answer:
    """What R says in a room: its values, who it is, and what it warned about."""

    values: dict[str, Any]
    version: str
    warnings: tuple[str, ...] = ()


def check_room(room: Room, against: str = "live") -> Crosscheck:
    """Compare every case of a room."""
    answer = _recorded(room) if against == "recorded" else _live((room,))[room]
    if isinstance(answer, RError):
        raise answer
    return _compared(room, answer)


def _recorded(room: str) -> Answer:
    return Answer(*recorded_values(room))


def _live(rooms: tuple[Room, ...]) -> dict[Room, Answer | RError]:
    """Answers of R in a process of its own: what crashes or hangs there is reported here.

    When it does, every room is tried alone, so that the others are compared all the same.
    """
    from pycvstat.r.bridge.separate import separately

    try:
        found: dict[Room, Answer | RError] = separately(live_answers, rooms, seconds=SECONDS)
        return found
    except RError as error:
        if len(rooms) == 1:
            return {rooms[0]: error}
    return {room: answer for one in rooms for room, answer in _live((one,)).items()}


def live_answers(rooms: tuple[Room, ...]) -> dict[Room, Answer | RError]:
    """What the running R says in each room, or why it could not."""
    answers: dict[Room, Answer | RError] = {}
    for room in rooms:
        try:
            with heard() as said:
                values, version = live_values(room)
            answers[room] = Answer(values, version, tuple(said))
        except RError as error:
            answers[room] = error
    return answers


def _compared(room: str, answer: Answer) -> Crosscheck:
    values = answer.values
    found = python_cases(room)
    missing = sorted(set(values) - SHARED.get(room, set()) - set(found))
    extra = sorted(set(found) - set(values))
    rows = [_compare(name, found, values) for name in values if name in found]
    rows += [_absent(name, "Python") for name in missing] + [_absent(name, "R") for name in extra]
    return Crosscheck(tuple(rows), answer.version, answer.warnings)


def python_cases(room: str) -> Cases:
    """The Python side of a room."""
    cases: Cases = import_module(f"pycvstat.r.check.cases.{room}").cases()
    return cases


def _compare(name: str, cases: Cases, values: Mapping[str, Any]) -> Row:
    case = cases[name]
    try:
        value = case.value(values)
    except PycvstatError as error:
        return _absent(name, f"Python: {error.problem}")
    return compare_values(name, value, values[name], case.tolerance)


def _absent(name: str, side: str) -> Row:
    return Row(name, None, None, np.nan, np.nan, np.nan, f"no value from {side}", 0, EXACT)


def needs(room: str, what: str = "needs") -> list[str]:
    """R packages (or, with "source", files) that the cases of a room use."""
    from pycvstat.r.bridge.reference import path

    text = path(f"cases/{room}.R").read_text(encoding="utf-8")
    found = re.search(rf"^# {what}: (.+)$", text, flags=re.MULTILINE)
    return [] if found is None else [word.strip() for word in found[1].split(",")]


def live_values(room: str) -> tuple[dict[str, Any], str]:
    """Values of the running R, and which R and packages it is."""
    from pycvstat.r.bridge import require, run, source
    from pycvstat.r.bridge.reference import path

    packages = needs(room)
    if packages:
        require(packages)
    files = needs(room, "source")
    if "lecture.R" in files and not run('nzchar(system.file(package = "kknn"))'):
        source(path("kknn_standin.R"))
    for name in files:
        source(path(name))
    values = run(path(f"cases/{room}.R").read_text(encoding="utf-8"))
    assert isinstance(values, dict)
    versions = [f"{p} {run('as.character(packageVersion(p))', p=p)}" for p in packages]
    return values, ", ".join([str(run("R.version.string")), *versions])


def recorded_values(room: str) -> tuple[dict[str, Any], str]:
    """Recorded values, and which R and packages they come from."""
    from pycvstat.r.bridge.reference import recorded

    content = recorded(f"cases-{room}.json")
    values = {name: _numbers(value) for name, value in content["values"].items()}
    return values, f"recorded {content['meta']['date']}: {content['meta']['r']}"


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return np.array([float(v) for v in value])
    return float(value)
