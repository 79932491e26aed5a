"""Reports as files: the ending of the path decides how a document is written, and by what.

PDF is printed by headless Chromium, Word written by pandoc: each is found, or named where missing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from pycvstat.errors import InputError, PycvstatError, pip_install
from pycvstat.errors.checks import check_path, written
from pycvstat.report.citations import bibtex
from pycvstat.report.content import Document, Figure
from pycvstat.report.plots.style import Format, picture
from pycvstat.report.render.html import render_for_word, render_page

BROWSER = "PYCVSTAT_BROWSER"
"""Environment variable: the path of a Chromium, or "none" for behaving as if there were none."""
_NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "msedge",
)  # fmt: skip
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
_FLAGS = (
    "--headless",
    "--no-sandbox",  # the page is ours: it has no script and loads nothing
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
PATIENCE = 120  # seconds


def find_browser() -> str | None:
    """The path of a Chromium-like browser, or None."""
    given = os.environ.get(BROWSER, "auto")
    if given == "none":
        return None
    if given not in ("auto", "required"):
        return shutil.which(given)
    found = (shutil.which(name) for name in _NAMES)
    places = (place for place in _PLACES if Path(place).exists())
    return next((path for path in [*found, *places] if path), None)


def need_browser() -> str:
    """The path of a browser, or an error that says what to install."""
    found = find_browser()
    if found is None:
        from pycvstat.r.bridge.installed import system_install

        tools = {"apt-get": "chromium", "dnf": "chromium", "brew": "--cask chromium"}
        install = system_install(tools) or "install Google Chrome or Chromium"
        fix = f"{install}; or set {BROWSER} to its path; or write .html or .tex"
        given = f"{BROWSER}={os.environ.get(BROWSER, 'auto')}"
        raise InputError("a PDF is printed by Chromium, and none was found.", given=given, fix=fix)
    return found


def browse(page: Path, *options: str) -> None:
    """Open a local page in a headless browser of its own."""
    browser = need_browser()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [browser, *_FLAGS, f"--user-data-dir={profile}", *options, page.as_uri()]
        _run(command, "Chromium")


def html_to_pdf(html: str, target: Path) -> None:
    """Print a page of HTML."""
    with tempfile.TemporaryDirectory() as place:
        page, result = Path(place, "report.html"), Path(place, "report.pdf")
        page.write_text(html, encoding="utf-8")
        browse(page, f"--print-to-pdf={result}", "--no-pdf-header-footer")
        if not result.exists():
            raise PycvstatError("Chromium printed nothing.", given=str(target), fix="write .html")
        shutil.copyfile(result, target)


def find_pandoc() -> str | None:
    """The path of pandoc: of the package pypandoc_binary, or on the path; or None."""
    from importlib.util import find_spec

    if find_spec("pypandoc") is not None:
        import pypandoc

        try:
            return str(pypandoc.get_pandoc_path())
        except OSError:
            return shutil.which("pandoc")
    return shutil.which("pandoc")


def need_pandoc() -> str:
    """The path of pandoc, or an error that says what to install."""
    found = find_pandoc()
    if found is None:
        fix = f"{pip_install('pypandoc_binary')}; or write .html or .md"
        raise InputError("a Word file is written by pandoc, and it was not found.", fix=fix)
    return found


def describe() -> str:
    """The programs that reports use, or how to get them.

    Examples
    --------
    >>> print(describe().splitlines()[0])
    Reports
    """
    lines = ["Reports"]
    for name, what, need in (("Chromium", "PDF", need_browser), ("pandoc", "Word", need_pandoc)):
        try:
            lines.append(f"  {name:<10} {need()}")
        except InputError as missing:
            lines.append(f"  {name:<10} missing, for {what}: {missing.fix}")
    return "\n".join(lines)


def html_to_docx(page: Path, target: Path) -> None:
    """Convert a page and its figures to Word."""
    command = [
        need_pandoc(),
        "--from=html-auto_identifiers",
        "--to=docx",
        "--standalone",
        f"--resource-path={page.parent}",
        f"--output={target}",
        str(page),
    ]
    _run(command, "pandoc")


def _run(command: list[str], name: str) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise PycvstatError(f"{name} did not finish.", given=f"{PATIENCE} seconds") from None
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise PycvstatError(f"{name} failed.", given=" ".join(last) or f"code {done.returncode}")


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
    ['.html', '.md', '.qmd', '.tex', '.pdf', '.docx']
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
        file.write_bytes(picture(figure.draw, figure.size, self.form))
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


def _write(target: Path, text: str) -> None:
    target.write_text(text, encoding="utf-8")


def _pdf(document: Document, target: Path) -> None:
    html_to_pdf(render_page(document, opened=True), target)


def _docx(document: Document, target: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        page, made = Path(place, "report.html"), Path(place, "report.docx")
        _write(page, render_for_word(document, Beside(page, "png")))
        html_to_docx(page, made)
        target.write_bytes(made.read_bytes())


def _markdown(document: Document, target: Path) -> None:
    from pycvstat.report.render.markdown import render_markdown

    _write(target, render_markdown(document, Beside(target, "svg")))


def _latex(document: Document, target: Path) -> None:
    from pycvstat.report.render.latex import render_latex

    cited = _bibliography(document, target)
    _write(target, render_latex(document, Beside(target, "pdf"), cited))


def _quarto(document: Document, target: Path) -> None:
    from pycvstat.report.render.markdown import render_quarto

    cited = _bibliography(document, target)
    _write(target, render_quarto(document, Beside(target, "svg"), cited))


def _bibliography(document: Document, target: Path) -> str:
    """Writes the works that are cited beside a file and gives the path of their BibTeX."""
    folder, keys = figures_beside(target), document.cited()
    if keys:
        folder.mkdir(exist_ok=True)
        _write(folder / "references.bib", bibtex(keys) + "\n")
    return f"{folder.name}/references.bib" if keys else ""


register(ReportFormat(".html", lambda document, path: _write(path, render_page(document))))
register(ReportFormat(".md", _markdown, beside=True))
register(ReportFormat(".qmd", _quarto, beside=True))
register(ReportFormat(".tex", _latex, beside=True))
register(ReportFormat(".pdf", _pdf, need=need_browser))
register(ReportFormat(".docx", _docx, need=need_pandoc))


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
    target = check_path(path)
    kind = FORMATS.get(target.suffix.lower())
    if kind is None:
        *most, last = FORMATS
        problem = f"a report ends in {', '.join(most)} or {last}."
        fix = f"{target.stem or 'report'}.html"
        raise InputError(problem, given=target.name or str(target), fix=fix)
    check_writable(target)
    if kind.beside and figures_beside(target).is_file():
        problem = "the figures belong in a directory, and there is a file of its name."
        fix = "move that file, or choose another name for the report"
        raise InputError(problem, given=str(figures_beside(target)), fix=fix)
    kind.need()
    return target


def check_writable(target: Path, what: str = "report") -> None:
    """Refuse a path that no file can be written to."""
    folder = target.parent
    if target.is_dir():
        raise InputError("this path is a directory.", given=str(target), fix="name a file in it")
    if not folder.is_dir():
        fix = "make it first, or choose another path"
        raise InputError(f"the directory of the {what} does not exist.", given=str(folder), fix=fix)
    try:
        if target.exists():
            with target.open("r+b"):
                pass
        else:
            with tempfile.TemporaryFile(dir=folder):
                pass
    except OSError as error:
        fix = "choose a path where you may write"
        given = f"{target} ({error.strerror or error})"
        raise InputError(f"the {what} cannot be written there.", given=given, fix=fix) from None


def write_rows(frame: pd.DataFrame, target: Path, what: str) -> Path:
    """Comma-separated values in which no text is a formula to a spreadsheet: it gets an apostrophe.

    Texts that are numbers stay: there is nothing to compute.
    """
    with written(target, what):
        frame.rename(columns=_as_text).map(_as_text).to_csv(target, index=False)
    return target


def _as_text(cell: Any) -> Any:
    if not isinstance(cell, str) or re.fullmatch(r"[-+][\d.]+(e[-+]?\d+)?", cell):
        return cell
    plain = cell.replace("\r", " ")  # which would begin another line
    return f"'{plain}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else plain


def write_document(document: Document, target: Path) -> Path:
    """Write a document to a path that `check_report_path` let pass."""
    with written(target, "report"):
        FORMATS[target.suffix.lower()].write(document, target)
    return target
