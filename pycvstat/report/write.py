"""Writing a report: the ending of the path decides how."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from pycvstat.errors import InputError
from pycvstat.errors.checks import check_path
from pycvstat.r.check.table import Crosscheck
from pycvstat.report.assemble import full
from pycvstat.report.content import Document
from pycvstat.report.render.formats import FORMATS, figures_beside


def check_report_path(path: str | PathLike[str]) -> Path:
    """Refuse a path that no report can be written to, before any work is done.

    Parameters
    ----------
    path : path
        Its ending is one of `FORMATS`; .pdf needs Chromium and .docx pandoc.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     check_report_path(f"{place}/out.html").name
    'out.html'
    """
    target = check_path(path).expanduser()
    kind = FORMATS.get(target.suffix.lower())
    if kind is None:
        *most, last = FORMATS
        raise InputError(
            f"a report ends in {', '.join(most)} or {last}.",
            given=target.name or str(target),
            fix=f"{target.stem or 'report'}.html",
        )
    _check_writable(target)
    if kind.beside and figures_beside(target).is_file():
        raise InputError(
            "the figures belong in a directory, and there is a file of its name.",
            given=str(figures_beside(target)),
            fix="move that file, or choose another name for the report",
        )
    kind.need()
    return target


def _check_writable(target: Path) -> None:
    folder = target.parent
    if target.is_dir():
        raise InputError("this path is a directory.", given=str(target), fix="name a file in it")
    if not folder.is_dir():
        raise InputError(
            "the directory of the report does not exist.",
            given=str(folder),
            fix="make it first, or choose another path",
        )
    try:
        if target.exists():
            with target.open("r+b"):
                pass
        else:
            with tempfile.TemporaryFile(dir=folder):
                pass
    except OSError as error:
        raise InputError(
            "the report cannot be written there.",
            given=f"{target} ({error.strerror or error})",
            fix="choose a path where you may write",
        ) from None


def write_report(
    result: Any,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    level: float = 0.95,
    method: str = "auto",
    crosscheck: Crosscheck | bool = False,
    include: Sequence[Any] = (),
) -> Path:
    """Write the report of a result.

    Parameters
    ----------
    result : any result
    path : path
        ``.html``: one self-contained page. ``.md`` and ``.tex``: text with the figures beside it,
        in the directory ``<name>_files``, as SVG and PDF. ``.pdf``: the page printed by Chromium.
        ``.docx``: Word, by pandoc.
    title : str, optional
        Instead of the one made from the result.
    level : float
        Confidence level of intervals.
    method : str
        Interval method.
    crosscheck : Crosscheck or bool
        A cross-check to show; True runs one in R.
    include : sequence of results
        Further results whose sections are added, such as an error curve.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        A path that cannot be written, or a program that is missing: before any work is done.
    """
    target = check_report_path(path)
    found = result.crosscheck() if crosscheck is True else crosscheck
    check = found if isinstance(found, Crosscheck) else None
    document = full(result, level, method, title=title, crosscheck=check, include=include)
    return write_document(document, target)


def write_document(document: Document, target: Path) -> Path:
    """Write a document to a path that `check_report_path` let pass."""
    try:
        FORMATS[target.suffix.lower()].write(document, target)
    except OSError as error:
        raise InputError(
            "the report could not be written.", given=f"{target} ({error.strerror or error})"
        ) from None
    return target
