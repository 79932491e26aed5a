"""The pages that `make docs` built: whole, without dead links, loading nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from pycvstat.report.render.formats import _FLAGS, find_browser

HERE = Path(__file__).parents[2] / "vignettes"
BUILT = HERE.parent / "out" / "docs"
sys.path.insert(0, str(HERE))

from reference import path_of, public_names  # noqa: E402

CELLS = "# %% [markdown]"
SOURCES = sorted(p for p in HERE.glob("*.py") if p.read_text("utf-8").startswith(CELLS))
# what a browser fetches by itself: scripts, style sheets, icons, pictures, fonts
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|audio|video|embed)\b[^>]*?\ssrc=["']([^"']+)"""
    r"""|<link\b(?![^>]*rel="(?:next|prev|search|index|canonical)")[^>]*?\shref=["']([^"']+)"""
    r"""|@import\s+["']([^"']+)|url\(\s*["']?([^"')]+)""",
    re.VERBOSE,
)
ENTRIES = [(name, value) for group in public_names().values() for name, value in group]


def test_the_pages_are_whole(tmp_path: Path) -> None:
    assert BUILT.with_suffix(".log").read_text(encoding="utf-8") == ""  # what Sphinx had to say
    pages = {
        path.relative_to(BUILT).as_posix(): path.read_text(encoding="utf-8")
        for path in BUILT.rglob("*.html")
        if "_static" not in path.parts  # templates of the theme
    }
    expected = {f"{path.stem}.html" for path in SOURCES}
    expected |= {f"reference/{path_of(name)}.html" for name, _ in ENTRIES}
    expected |= {f"beside_r/{path.stem}.html" for path in (HERE / "beside_r").glob("*.py")}
    assert expected | {"index.html", "gallery.html", "search.html"} <= set(pages)
    assert not list(dead_links(BUILT, pages))
    assert not list(from_elsewhere(BUILT, pages))
    assert not list(undescribed(pages))
    assert not [name for name, text in pages.items() if "object at 0x" in text]
    if find_browser() or os.environ.get("PYCVSTAT_BROWSER") == "required":
        search = f"{BUILT.as_uri()}/search.html?q=neighbours"
        assert "pycvstat.KNN.html" in in_browser(tmp_path, search)
        shown = [*sorted(f"{path.stem}.html" for path in SOURCES), "index.html", "gallery.html"]
        assert wide_on_a_phone(tmp_path, [*shown, "reference/pycvstat.KNN.html"]) == ""


def dead_links(folder: Path, pages: dict[str, str]) -> Iterator[str]:
    """Links to files, or to places in pages, that do not exist."""
    ids = {name: set(re.findall(r'\s(?:id|name)="([^"]+)"', text)) for name, text in pages.items()}
    for name, text in pages.items():
        for link in set(re.findall(r'(?:href|src)="([^"]+)"', text)):
            path, _, place = unquote(unescape(link)).partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            to = (folder / name).parent / path.partition("?")[0] if path else folder / name
            there = to.exists()
            if there and place:
                there = place in ids[to.resolve().relative_to(folder).as_posix()]
            if not there:
                yield f"{name} -> {link}"


def from_elsewhere(folder: Path, pages: dict[str, str]) -> Iterator[str]:
    """What a page or its style sheets would fetch from the network."""
    styles = {str(path): path.read_text(encoding="utf-8") for path in folder.rglob("*.css")}
    for name, text in (pages | styles).items():
        for found in LOADED.findall(text):
            if re.match("(https?:)?//", "".join(found)):
                yield f"{name} loads {''.join(found)}"


def undescribed(pages: dict[str, str]) -> Iterator[str]:
    """Pages with pictures without words, or a formula that is not shown as one."""
    for name, text in pages.items():
        shown = text.count('<svg role="img"')
        if not shown == text.count("<desc ") <= text.count("<figcaption>"):
            yield f"{name}: {shown} pictures"
        if re.search(r"<img (?![^>]*alt=)", text):
            yield f"{name}: a picture without alt"
    for source in SOURCES:
        formulas = re.search(r"^# .*\$\S.*\$", source.read_text(encoding="utf-8"), re.MULTILINE)
        if ("<math" in pages[f"{source.stem}.html"]) != (formulas is not None):
            yield f"{source.stem}: formulas"


PROBE = """<style>iframe {{ width: 390px; height: 800px }}</style>{frames}<pre id="found">?</pre>
<script>
window.onload = () => {{
  const wide = [...document.querySelectorAll("iframe")].filter(
    frame => frame.contentDocument.documentElement.scrollWidth > 390);
  document.getElementById("found").textContent = wide.map(frame => frame.id).join(" ");
}};
</script>"""


def wide_on_a_phone(place: Path, names: list[str]) -> str:
    """Which pages have to be moved sideways on a screen of 390 pixels."""
    at = BUILT.as_uri()
    frames = "".join(f'<iframe id="{name}" src="{at}/{name}"></iframe>' for name in names)
    probe = place / "probe.html"
    probe.write_text(PROBE.format(frames=frames), encoding="utf-8")
    (found,) = re.findall(r'<pre id="found">(.*?)</pre>', in_browser(place, probe.as_uri()))
    return str(found)


def in_browser(place: Path, address: str) -> str:
    """A page as a browser has it that reaches nothing but these files."""
    command = [str(find_browser()), *_FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom",
               "--allow-file-access-from-files",
               f"--user-data-dir={place}/profile", "--virtual-time-budget=10000",
               address]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
