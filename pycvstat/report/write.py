"""Writing a report: the ending of the path decides how."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from pycvstat.errors import InputError
from pycvstat.errors.checks import check_path
from pycvstat.r.check.table import Crosscheck
from pycvstat.report.assemble import full
from pycvstat.report.content import Document, Figure
from pycvstat.report.plots.style import Format
from pycvstat.report.render import programs
from pycvstat.report.render.figures import figure_bytes
from pycvstat.report.render.html import render_for_word, render_page
from pycvstat.report.render.latex import render_latex
from pycvstat.report.render.markdown import render_markdown
from pycvstat.report.wanted import Wanted

ENDINGS = (".html", ".md", ".tex", ".pdf", ".docx")


def check_report_path(path: str | PathLike[str]) -> Path:
    """Refuse a path that no report can be written to, before any work is done.

    Parameters
    ----------
    path : path
        Its ending is one of .html, .md, .tex, .pdf, .docx; .pdf needs Chromium and .docx pandoc.

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
    if target.suffix.lower() not in ENDINGS:
        raise InputError(
            "a report ends in .html, .md, .tex, .pdf or .docx.",
            given=target.name or str(target),
            fix=f"{target.stem or 'report'}.html",
        )
    _check_writable(target)
    if target.suffix.lower() in (".md", ".tex") and figures_beside(target).is_file():
        raise InputError(
            "the figures belong in a directory, and there is a file of its name.",
            given=str(figures_beside(target)),
            fix="move that file, or choose another name for the report",
        )
    if target.suffix.lower() == ".pdf":
        programs.need_browser()
    if target.suffix.lower() == ".docx":
        programs.need_pandoc()
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
    wanted = Wanted(level, method, full=True)
    document = full(result, wanted, title=title, crosscheck=check, include=include)
    return write_document(document, target)


def write_document(document: Document, target: Path) -> Path:
    """Write a document to a path that `check_report_path` let pass."""
    try:
        _WRITERS[target.suffix.lower()](document, target)
    except OSError as error:
        raise InputError(
            "the report could not be written.", given=f"{target} ({error.strerror or error})"
        ) from None
    return target


def _html(document: Document, target: Path) -> None:
    target.write_text(render_page(document), encoding="utf-8")


def _pdf(document: Document, target: Path) -> None:
    programs.html_to_pdf(render_page(document, opened=True), target)


def _markdown(document: Document, target: Path) -> None:
    beside = Beside(target, "svg")
    target.write_text(render_markdown(document, beside), encoding="utf-8")


def _latex(document: Document, target: Path) -> None:
    beside = Beside(target, "pdf")
    target.write_text(render_latex(document, beside), encoding="utf-8")


def _docx(document: Document, target: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        page, made = Path(place, "report.html"), Path(place, "report.docx")
        page.write_text(render_for_word(document, Beside(page, "png")), encoding="utf-8")
        programs.html_to_docx(page, made)
        target.write_bytes(made.read_bytes())


_WRITERS: dict[str, Callable[[Document, Path], None]] = {
    ".html": _html,
    ".md": _markdown,
    ".tex": _latex,
    ".pdf": _pdf,
    ".docx": _docx,
}


@dataclass(frozen=True)
class Beside:
    """Writes figures into the directory beside a file and gives their relative paths."""

    target: Path
    form: Format

    def __call__(self, figure: Figure) -> str:
        folder = figures_beside(self.target)
        folder.mkdir(exist_ok=True)
        file = folder / f"{figure.name}.{self.form}"
        file.write_bytes(figure_bytes(figure, self.form))
        return f"{folder.name}/{file.name}"


def figures_beside(target: Path) -> Path:
    """The directory of the figures of a report, named in letters that no format needs to quote.

    Examples
    --------
    >>> figures_beside(Path("my report.md")).name
    'my-report_files'
    """
    stem = re.sub(r"[^A-Za-z0-9-]+", "-", target.stem).strip("-") or "report"
    return target.parent / f"{stem}_files"
