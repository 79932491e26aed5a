"""Values of R in a file: who said them, to what code and data, and a checksum of all."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from pycvstat.errors import InputError
from pycvstat.errors.checks import check_path
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
        try:
            with WholeFile(file) as out:
                out.write(f'{{{head},\n"values": {{\n{lines}\n}}}}\n'.encode())
        except OSError as error:
            raise InputError(
                "the recorded values cannot be written.", given=f"{file}: {error.strerror}"
            ) from None


def _checksum(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _damaged(file: Path, why: str) -> InputError:
    return InputError(
        "A file of recorded R values is not the one that was recorded.",
        given=f"{file.name} ({why})",
        fix="restore it from the repository, or record it again where R is",
    )


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
