"""The parity suite: every case of every room, against live R or against recorded values."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pandas as pd

from pycvstat.errors import InputError, PycvstatError, RError, heard, warn
from pycvstat.r.bridge import available, reference, run
from pycvstat.r.bridge.processes import separately
from pycvstat.r.check.call import Call, Row
from pycvstat.r.check.crosscheck import Crosscheck
from pycvstat.verbs import Verbs

if TYPE_CHECKING:
    from pycvstat.r.check.cases import Case

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

    view: ClassVar[str] = "parity"

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
        rooms = ((ROOMS[name], room.first_difference) for name, room in self.rooms.items())
        return next((f"{name}, {found}" for name, found in rooms if found is not None), None)

    def tidy(self) -> pd.DataFrame:
        """One row per comparison."""
        parts = [room.tidy().assign(room=ROOMS[name]) for name, room in self.rooms.items()]
        frame = pd.concat(parts, ignore_index=True)
        return frame[["room", *(c for c in frame.columns if c != "room")]]

    def glance(self) -> pd.DataFrame:
        """One row: rooms, comparisons, how many agree, numbers, verdict."""
        rooms = self.by_room()
        row: dict[str, Any] = {"rooms": len(self.rooms), "not_run": len(self.problems)}
        row |= {n: int(rooms[n].sum()) for n in ("comparisons", "agree", "numbers")}
        verdict = "agrees" if self else "differs"
        return pd.DataFrame([row | {"verdict": verdict, "against": self.against}])

    def by_room(self) -> pd.DataFrame:
        """One row per room: comparisons, numbers, how many agree, largest difference."""
        names = ["room", "comparisons", "agree", "numbers", "largest_relative", "r"]
        found: list[tuple[Any, ...]] = []
        for name, room in self.rooms.items():
            agree, numbers = sum(r.agrees for r in room.rows), sum(r.count for r in room.rows)
            largest = max((r.relative for r in room.rows if not np.isnan(r.relative)), default=0.0)
            found.append((ROOMS[name], len(room.rows), agree, numbers, largest, room.r_version))
        problems = [(ROOMS[name], 0, 0, 0, np.nan, why) for name, why in self.problems.items()]
        return pd.DataFrame(found + problems, columns=names)


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
    if against not in ("auto", "live", "recorded"):
        raise InputError("against must be auto, live or recorded.", given=against)
    if against == "auto":
        against = "live" if available() else "recorded"
    answers = _live(rooms) if against == "live" else {room: recorded(room) for room in rooms}
    problems = {r: " ".join(str(a).split()) for r, a in answers.items() if isinstance(a, RError)}
    done = {r: _compared(r, a) for r, a in answers.items() if not isinstance(a, RError)}
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
    values, packages = {}, dict[str, None]()
    with heard() as said:
        for case in cases(room):
            call = case.call()
            found = call.run()
            values[case.name] = {"asked": _asked(call)} | {
                q.name: np.ravel(np.asarray(found[q.name])).tolist()
                for q in call.quantities
                if q.name in found
            }
            packages |= dict.fromkeys(call.packages)
    versions = [f"{p} {run('as.character(packageVersion(p))', p=p)}" for p in packages]
    version = ", ".join([str(run("R.version.string")), *versions])
    warned = tuple(words for words in said if words.startswith("R warned"))
    for words in warned:
        warn(words)
    return Answer(values, version, warned)


def _asked(call: Call) -> str:
    return hashlib.sha256(call.code.encode()).hexdigest()[:12]


def recorded(room: Room) -> Answer:
    """What R said when it was recorded."""
    content = reference.recorded(f"cases-{room}.json")
    return Answer(content["values"], "recorded {date}: {r}".format(**content["meta"]))


def cases(room: Room) -> list[Case]:
    """The cases of a room."""
    return list(_makers()[room]())


def _makers() -> dict[Room, Callable[[], Iterable[Case]]]:
    """What makes the cases of each room; loaded here, since it takes every learner."""
    from pycvstat.r.check import cases, model_cases, package_cases

    return {
        "random": cases.random_numbers,
        "folds": cases.folds,
        "neighbours": cases.neighbours,
        "linear": model_cases.models,
        "cross_validation": model_cases.cross_validation,
        "nested": model_cases.nested,
        "intervals": cases.intervals,
        "packages": package_cases.packages,
    }


def _compared(room: Room, answer: Answer) -> Crosscheck:
    found, rows = cases(room), list[Row]()
    with heard():
        for case in found:
            rows += _compared_case(case, answer.values.get(case.name))
    known = {case.name for case in found}
    rows += [_absent(name, "Python") for name in answer.values if name not in known]
    return Crosscheck(tuple(rows), answer.version, answer.warnings)


def _compared_case(case: Case, values: Mapping[str, Any] | None) -> list[Row]:
    name = case.name
    try:
        call = case.call()
    except PycvstatError as error:
        return [_absent(name, f"Python: {error.problem}")]
    if values is None:
        return [_absent(name, "R")]
    if values["asked"] != _asked(call):
        return [_absent(name, "R for this code: record it anew")]
    rows = call.beside(values)
    return [replace(row, quantity=f"{name}: {row.quantity}".rstrip(": ")) for row in rows]


def _absent(name: str, side: str) -> Row:
    return Row(name, place=f"no value from {side}")


def record(folder: Path | None = None) -> list[Path]:
    """Write ``cases-*.json`` and their checksums; returns the files written.

    Parameters
    ----------
    folder : pathlib.Path, optional
        ``r_reference/recorded`` of a checkout by default.
    """
    place = reference.path("recorded") if folder is None else folder
    written = []
    for room in ROOMS:
        answer = live(room)
        target = place / f"cases-{room}.json"
        if target.exists() and json.loads(target.read_text("utf-8"))["values"] == answer.values:
            continue
        meta = {
            "r": answer.version,
            "platform": platform.platform(terse=True),
            "date": datetime.now(UTC).date().isoformat(),
            "script": _makers()[room].__module__.replace(".", "/") + ".py",
        }
        # one line per case, so that differences can be read
        lines = [f"{json.dumps(case)}: {json.dumps(v)}" for case, v in answer.values.items()]
        body = ",\n".join(lines)
        target.write_text(f'{{"meta": {json.dumps(meta)},\n"values": {{\n{body}\n}}}}\n', "utf-8")
        written.append(target)
    sums = (  # of every recorded file, whoever recorded it
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        for file in sorted(place.glob("*.json"))
    )
    (place / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return written
