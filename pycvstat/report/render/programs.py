"""PDF by headless Chromium and Word by pandoc, each found or named when it is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from pycvstat.errors import InputError, PycvstatError, pip_install
from pycvstat.r.bridge.installed import system_install

BROWSER = "PYCVSTAT_BROWSER"
"""Environment variable: the path of a Chromium, or "none" for behaving as if there were none."""
_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
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
        tools = {"apt-get": "chromium", "dnf": "chromium", "brew": "--cask chromium"}
        install = system_install(tools) or "install Google Chrome or Chromium"
        raise InputError(
            "a PDF is printed by Chromium, and none was found.",
            given=f"{BROWSER}={os.environ.get(BROWSER, 'auto')}",
            fix=f"{install}; or set {BROWSER} to its path; or write .html or .tex",
        )
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
        raise InputError(
            "a Word file is written by pandoc, and it was not found.",
            fix=f"{pip_install('pypandoc_binary')}; or write .html or .md",
        )
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
