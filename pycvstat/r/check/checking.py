"""Cases of Python and R, checked with live R, with values of R in a file, or with both."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from pycvstat.errors import InputError, PycvstatError, RError, heard, warn
from pycvstat.errors.checks import check_path, check_word, written
from pycvstat.r.bridge import available, run, time_limit
from pycvstat.r.bridge.installed import missing, running
from pycvstat.r.bridge.processes import as_it_was, separately
from pycvstat.r.check.call import Call, Row, not_compared
from pycvstat.r.check.case import Case
from pycvstat.r.check.crosscheck import SECONDS, Crosscheck
from pycvstat.r.check.values import of_json, to_json
from pycvstat.run.store import WholeFile

ABOUT = "Values of R, recorded by pycvstat; made anew, not edited: the checksum is of all values."


@dataclass(frozen=True, slots=True)
class Session:
    """Who computed a value of R.

    Parameters
    ----------
    r : str
        "R version 4.2.2 ...".
    packages : dict of str
        The version of each that the code needs.
    system : str
    date : str
    """

    r: str
    packages: dict[str, str]
    system: str
    date: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What R says to a case.

    Parameters
    ----------
    asked : str
        The checksum of the code and the data.
    by : Session
    value : object
        The value as JSON; see `values.to_json`.
    """

    asked: str
    by: Session
    value: Any


def told_by(answers: Iterable[Answer]) -> str:
    """The versions of R, each once with all its packages.

    Examples
    --------
    >>> one, two = (Session("R version 4.2.2", {name: "1.0"}, "", "") for name in ("boot", "MASS"))
    >>> told_by([Answer("", one, 0), Answer("", two, 0)])
    'R version 4.2.2, boot 1.0, MASS 1.0'
    """
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for by in (answer.by for answer in answers):
        found.setdefault((by.r, by.system, by.date), {}).update(by.packages)
    return "; ".join(
        ", ".join(filter(None, [r, *(f"{p} {v}" for p, v in packages.items()), system, date]))
        for (r, system, date), packages in found.items()
    )


def read_answers(path: str | PathLike[str]) -> dict[str, Answer]:
    """The recorded values by the names of their cases; none where there is no file.

    Raises
    ------
    InputError
        When the file is not as it was recorded.
    """
    file = Path(path)
    if not file.exists():
        return {}
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        values, told = content["values"], content["sha256"]
        found = {name: Answer(of["asked"], Session(**of["by"]), of["value"])
                 for name, of in values.items()}  # fmt: skip
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise _damaged(file, f"{type(error).__name__}: {error}") from None
    if told != _checksum(values):
        raise _damaged(file, "its checksum is of other values")
    return found


def write_answers(path: str | PathLike[str], new: Mapping[str, Answer]) -> None:
    """Add values to the file, or put them in the place of those of their names."""
    file = check_path(path)
    if file.suffix.lower() != ".json" or not file.parent.is_dir():
        raise InputError(
            "recorded values belong in a .json file of an existing directory.", given=str(file)
        )
    with _alone(file.parent):
        answers = read_answers(file) | dict(new)
        values = {name: asdict(answer) for name, answer in answers.items()}
        lines = ",\n".join(f"{json.dumps(n)}: {json.dumps(v)}" for n, v in values.items())
        head = f'"about": {json.dumps(ABOUT)},\n"sha256": "{_checksum(values)}"'
        with written(file, "file of recorded values"), WholeFile(file) as out:
            out.write(f'{{{head},\n"values": {{\n{lines}\n}}}}\n'.encode())


def _checksum(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _damaged(file: Path, why: str) -> InputError:
    problem = "A file of recorded R values is not the one that was recorded."
    fix = "restore it from the repository, or record it again where R is"
    return InputError(problem, given=f"{file.name} ({why})", fix=fix)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let no other process write there meanwhile, where the system can say so."""
    with suppress(ImportError):
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
        return
    yield


Against = Literal["auto", "live", "recorded", "both", "record"]
Place = str | PathLike[str]
Said = Answer | RError  # what R says to a case, or why it does not


def check(
    cases: Case | Iterable[Case],
    recorded: Place | None = None,
    against: Against = "auto",
    *,
    seconds: float = SECONDS,
    separate: bool = False,
    about: str = "",
) -> Crosscheck:
    """Compute every case in Python and in R, and put the two side by side.

    Parameters
    ----------
    cases : Case, or several
    recorded : path, optional
        A ``.json`` file of values of R. Where R is used, it writes what the file lacks: new cases,
        and those whose code or data changed.
    against : {"auto", "live", "recorded", "both", "record"}
        Live R where it is and else recorded values, one of them, both, or live R that records
        every value anew. The environment variable ``PYCVSTAT_R`` decides whether R is there.
    seconds : float
        The longest that R may take for a case; with `separate` for all of them.
    separate : bool
        Run R in a process of its own, which may crash or hang: what it then does not answer is
        not compared.
    about : str
        A title, and paragraphs, for the page that ``report`` writes of it.

    Returns
    -------
    Crosscheck
        True when everything was compared and agrees. What R refuses, and what is neither computed
        nor recorded, is not compared; what Python cannot compute differs.

    Examples
    --------
    >>> import statistics
    >>> case = Case("median", statistics.median, "stats::median(x)", {"x": [3.0, 1.0, 2.5]})
    >>> found = check(case)
    >>> bool(found) if available() else "there is no record" in found.left_out
    True
    """
    check_word("against", against, get_args(Against))
    several = _several(cases)
    if against in ("recorded", "record") and recorded is None:
        raise InputError(f'against="{against}" needs a file.', fix='recorded="values.json"')
    known = {} if recorded is None else read_answers(recorded)
    if against == "auto":
        against = "live" if available() else "recorded"
    if against in ("live", "record", "both") and (problem := missing()) is not None:
        raise problem
    posed, failed = _posed(several)
    groups = {case.name: case.group or case.name for case in several}
    sides, notes = dict[str, Mapping[str, Said]](), list[str]()
    if against != "recorded":
        with heard() as said:
            sides["live"] = _asked(posed, groups, seconds, separate)
        notes = [words for words in said if words.startswith("R warned")]
        for words in notes:
            warn(words)
    if against in ("recorded", "both"):
        sides["recorded"] = {name: _kept(name, call, known) for name, call in posed.items()}
    if recorded is not None and against != "recorded":
        _add(recorded, sides["live"], {} if against == "record" else known)
    rows = [
        replace(row, quantity=f"{case.name}{_joined(row.quantity)}{side}", group=case.group)
        for case in several
        for name, of in sides.items()
        for side in [f" ({name})" if len(sides) > 1 else ""]
        for row in failed.get(case.name) or _rows(posed[case.name], of[case.name])
    ]
    who = [
        f"{name}: {told_by(said for said in of.values() if isinstance(said, Answer))}"
        for name, of in sides.items()
    ]
    said_of_all = tuple(dict.fromkeys(notes))
    return Crosscheck(tuple(rows), "; ".join(who), said_of_all, tuple(several), about)


def _add(recorded: Place, live: Mapping[str, Said], known: Mapping[str, Answer]) -> None:
    """Record the answers that are not known."""
    fresh = {
        name: said
        for name, said in live.items()
        if isinstance(said, Answer) and (name not in known or known[name].asked != said.asked)
    }
    if fresh:
        write_answers(recorded, fresh)


def _several(cases: Case | Iterable[Case]) -> list[Case]:
    found = [cases] if isinstance(cases, Case) else list(cases)
    wrong = [one for one in found if not isinstance(one, Case)]
    names = [one.name for one in found if isinstance(one, Case)]
    if wrong or not found:
        given = type(wrong[0]).__name__ if wrong else "none"
        raise InputError("give one or more cases.", given=given, fix="check([Case(...), ...])")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError("two cases have the same name.", given=", ".join(twice))
    return found


def _posed(cases: Sequence[Case]) -> tuple[dict[str, Call], dict[str, list[Row]]]:
    """The calls of R, and the rows of cases that Python cannot compute."""
    posed, failed = dict[str, Call](), dict[str, list[Row]]()
    with heard():
        for case in cases:
            try:
                posed[case.name] = case.pose()
            except RError as error:
                failed[case.name] = [not_compared("", error.line)]
            except PycvstatError as error:
                failed[case.name] = [Row("", place=f"no value from Python: {error.line}")]
    return posed, failed


def _asked(
    posed: Mapping[str, Call], groups: Mapping[str, str], seconds: float, separate: bool
) -> dict[str, Said]:
    """What R says to every call; where it does not survive them all, group by group."""
    if not separate:
        return answers(posed, seconds)
    try:
        bare = {name: call.bare() for name, call in posed.items()}
        found: dict[str, Said] = separately(answers, bare, None, seconds=seconds)
        return found
    except RError as error:
        if len({groups[name] for name in posed}) == 1:
            return dict.fromkeys(posed, error)
    parts = dict.fromkeys(groups[name] for name in posed)
    several = ({name: call for name, call in posed.items() if groups[name] == one} for one in parts)
    return {n: said for one in several for n, said in _asked(one, groups, seconds, True).items()}


def answers(calls: Mapping[str, Call], seconds: float | None) -> dict[str, Said]:
    """What the R of this process says to every call, each in the session as it was before."""
    found: dict[str, Said] = {}
    sessions: dict[tuple[str, ...], Session] = {}
    for name, call in calls.items():
        try:
            with time_limit(seconds):
                call.prepare()
                with as_it_was():
                    value = to_json(call.kept(call.run()))
                if call.packages not in sessions:
                    sessions[call.packages] = _session(call.packages)
        except RError as error:
            found[name] = error
        else:
            found[name] = Answer(call.asked, sessions[call.packages], value)
    return found


def _session(packages: Sequence[str]) -> Session:
    versions = {p: str(run("as.character(packageVersion(p))", p=p)) for p in packages}
    day, system = datetime.now(UTC).date().isoformat(), f"{sys.platform} {platform.machine()}"
    return Session(running(), versions, system, day)


def _kept(name: str, call: Call, known: Mapping[str, Answer]) -> Said:
    """The recorded answer, unless it is to another question."""
    if name not in known:
        return RError("there is no recorded value", fix="record it where R is")
    if known[name].asked != call.asked:
        return RError("the recorded value is of other code or data", fix="record it where R is")
    return known[name]


def _rows(call: Call, said: Said) -> list[Row]:
    if isinstance(said, Answer):
        return call.beside(call.read(of_json(said.value)))
    return [not_compared("", " ".join(said.line.split()))]


def _joined(part: str) -> str:
    return part if part.startswith(("$", "[", ",")) or not part else f": {part}"
