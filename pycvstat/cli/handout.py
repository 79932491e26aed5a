"""The course's R code as a file to hand out."""

from __future__ import annotations

from pathlib import Path

from pycvstat.errors import InputError


def write_lecture(path: Path) -> Path:
    """Write the course's functions, repaired, with each repair marked."""
    from pycvstat.r.bridge.reference import path as reference

    if path.suffix.lower() != ".r":
        raise InputError("R code goes into a file that ends in .R.", given=str(path))
    try:
        path.write_text(reference("lecture.R").read_text(encoding="utf-8"), encoding="utf-8")
    except OSError as error:
        raise InputError("the file cannot be written.", given=f"{path}: {error.strerror}") from None
    return path
