"""The formats of reports: the ending of a file, and how a document is written to it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pycvstat.errors import InputError
from pycvstat.report.content import Document, Figure
from pycvstat.report.plots.style import Format
from pycvstat.report.render import programs
from pycvstat.report.render.figures import figure_bytes
from pycvstat.report.render.html import render_for_word, render_page
from pycvstat.report.render.latex import render_latex
from pycvstat.report.render.markdown import render_markdown


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A format of reports.

    Parameters
    ----------
    ending : str
        Of the file: ``".html"``.
    write : callable
        ``write(document, path)``.
    need : callable
        Refuses where a program is missing, before any work is done.
    beside : bool
        Whether figures go into a directory beside the file.

    Examples
    --------
    >>> list(FORMATS)
    ['.html', '.md', '.tex', '.pdf', '.docx']
    """

    ending: str
    write: Callable[[Document, Path], None]
    need: Callable[[], object] = lambda: None
    beside: bool = False


FORMATS: dict[str, ReportFormat] = {}


def register(one: ReportFormat) -> ReportFormat:
    """Add a format, which every report can then be written in; its ending must be new.

    Examples
    --------
    >>> FORMATS[".tex"].beside
    True
    """
    if one.ending in FORMATS:
        raise InputError("a format of this ending exists.", given=one.ending)
    FORMATS[one.ending] = one
    return one


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


register(ReportFormat(".html", _html))
register(ReportFormat(".md", _markdown, beside=True))
register(ReportFormat(".tex", _latex, beside=True))
register(ReportFormat(".pdf", _pdf, need=programs.need_browser))
register(ReportFormat(".docx", _docx, need=programs.need_pandoc))
