"""The parity suite: every case of every room, against live R or against recorded values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from pycvstat.errors import InputError, PycvstatError, RError, heard, warn
from pycvstat.r.check.call import Call
from pycvstat.r.check.cases import Cases
from pycvstat.r.check.table import Crosscheck, Row
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
    answers = _live(rooms) if against == "live" else {room: recorded(room) for room in rooms}
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
    """What R says in a room.

    Parameters
    ----------
    values : mapping
        Case -> name -> values; "asked" is the checksum of the R code.
    version : str
        Who it is.
    warnings : tuple of str
    """

    values: Mapping[str, Mapping[str, Any]]
    version: str
    warnings: tuple[str, ...] = field(default=())


def check_room(room: Room, against: str = "live") -> Crosscheck:
    """Compare every case of a room."""
    answer = recorded(room) if against == "recorded" else _live((room,))[room]
    if isinstance(answer, RError):
        raise answer
    return _compared(room, answer)


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
            answers[room] = live(room)
        except RError as error:
            answers[room] = error
    return answers


def live(room: Room) -> Answer:
    """What the running R says to every case of a room."""
    from pycvstat.r.bridge import run

    values, packages = {}, dict[str, None]()
    with heard() as said:
        for name, make in cases(room).items():
            call = make()
            found = call.run()
            parts = {q.name: _plain(found[q.name]) for q in call.quantities if q.name in found}
            values[name] = {"asked": _asked(call), **parts}
            packages |= dict.fromkeys(call.packages)
    versions = [f"{p} {run('as.character(packageVersion(p))', p=p)}" for p in packages]
    version = ", ".join([str(run("R.version.string")), *versions])
    warned = tuple(words for words in said if words.startswith("R warned"))
    for words in warned:
        warn(words)
    return Answer(values, version, warned)


def _plain(values: Any) -> list[Any]:
    found: list[Any] = np.ravel(np.asarray(values)).tolist()
    return found


def _asked(call: Call) -> str:
    return hashlib.sha256(call.code.encode()).hexdigest()[:12]


def recorded(room: Room) -> Answer:
    """What R said when it was recorded."""
    from pycvstat.r.bridge.reference import recorded as read

    content = read(f"cases-{room}.json")
    meta = content["meta"]
    return Answer(content["values"], f"recorded {meta['date']}: {meta['r']}")


def cases(room: Room) -> Cases:
    """The cases of a room."""
    found: Cases = import_module(f"pycvstat.r.check.cases.{room}").cases()
    return found


def _compared(room: Room, answer: Answer) -> Crosscheck:
    found, rows = cases(room), list[Row]()
    with heard():
        for name, make in found.items():
            rows += _case(name, make, answer.values.get(name))
    rows += [_absent(name, "Python") for name in answer.values if name not in found]
    return Crosscheck(tuple(rows), answer.version, answer.warnings)


def _case(name: str, make: Any, values: Mapping[str, Any] | None) -> list[Row]:
    try:
        call = make()
    except PycvstatError as error:
        return [_absent(name, f"Python: {error.problem}")]
    if values is None:
        return [_absent(name, "R")]
    if values["asked"] != _asked(call):
        return [_absent(name, "R for this code: record it anew")]
    rows = call.beside(values)
    return [replace(row, quantity=f"{name}: {row.quantity}".rstrip(": ")) for row in rows]


def _absent(name: str, side: str) -> Row:
    return Row(name, None, None, np.nan, np.nan, np.nan, f"no value from {side}", 0, EXACT)
