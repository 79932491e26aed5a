"""Where the R reference code and the recorded R values are, in a checkout and in a wheel alike."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pycvstat.errors import InputError
from pycvstat.r.bridge.installed import has
from pycvstat.r.bridge.session import source

_PACKAGE = Path(__file__).resolve().parents[2]


def path(name: str = "") -> Path:
    """Find a file of the R reference.

    Parameters
    ----------
    name : str
        The file, relative to ``r_reference/``; the folder itself when empty.

    Returns
    -------
    pathlib.Path
        An existing path.

    Examples
    --------
    >>> path("lecture.R").name
    'lecture.R'
    """
    in_wheel = _PACKAGE / "_r_reference"
    folder = in_wheel if in_wheel.is_dir() else _PACKAGE.parent / "r_reference"
    found = folder / name
    if not found.exists():
        raise InputError(
            "There is no such file in the R reference.",
            given=name,
            fix="one of: " + ", ".join(sorted(p.name for p in folder.rglob("*") if p.is_file())),
        )
    return found


def load(files: Iterable[str]) -> None:
    """Make what R files define known to R; where kknn is not installed, beside its stand-in."""
    known = list(files)
    if "lecture.R" in known and not has("kknn"):
        known = ["kknn_standin.R", *known]
    for file in known:
        source(path(file))


def recorded(name: str) -> dict[str, Any]:
    """Read recorded R values and check them against their checksum.

    Parameters
    ----------
    name : str
        A file of ``r_reference/recorded/``.

    Returns
    -------
    dict
        The content; ``["meta"]`` says which R, which packages and which script made it.

    Examples
    --------
    >>> recorded("lecture.json")["meta"]["kknn"]
    '1.4.1'
    """
    content = path(f"recorded/{name}").read_bytes()
    sums = path("recorded/SHA256SUMS").read_text(encoding="utf-8").split()
    expected = dict(zip(sums[1::2], sums[::2], strict=True)).get(name)
    if hashlib.sha256(content).hexdigest() != expected:
        problem = "A file of recorded R values is not the one that was recorded."
        fix = "restore it from the repository, or record it again with r_reference/record.R"
        raise InputError(problem, given=name, fix=fix)
    values: dict[str, Any] = json.loads(content)
    return values
