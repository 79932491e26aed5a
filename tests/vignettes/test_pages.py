"""The vignettes run, their pages load nothing from elsewhere and have no dead links; all names."""

from __future__ import annotations

import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.report.plots.style import house_style
from pycvstat.report.render.formats import _FLAGS, find_browser

HERE = Path(__file__).parents[2] / "vignettes"
sys.path.insert(0, str(HERE))

pytest.importorskip("myst_nb", reason="needs Sphinx: pip install 'pycvstat[docs]'")

from pages import HEAD, notebook, split_options  # noqa: E402
from reference import page, path_of, public_names  # noqa: E402
from shown import picture, table  # noqa: E402

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


def build(source: Path, target: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """What `make docs` does, for these sources."""
    command = [sys.executable, "-m", "sphinx", "-c", str(HERE), "-E", "-n", "-W", "--keep-going",
               "-q", "--no-color", *more, str(source), str(target)]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_pages_are_built(tmp_path: Path) -> None:
    done = build(HERE, tmp_path / "docs")
    assert (done.returncode, done.stderr) == (0, "")
    pages = {
        path.relative_to(tmp_path / "docs").as_posix(): path.read_text(encoding="utf-8")
        for path in (tmp_path / "docs").rglob("*.html")
        if "_static" not in path.parts  # templates of the theme
    }
    expected = {f"{path.stem}.html" for path in SOURCES}
    expected |= {f"reference/{path_of(name)}.html" for name, _ in ENTRIES}
    expected |= {f"beside_r/{path.stem}.html" for path in (HERE / "beside_r").glob("*.py")}
    assert expected | {"index.html", "gallery.html", "search.html"} <= set(pages)
    assert not list(dead_links(tmp_path / "docs", pages))
    assert not list(from_elsewhere(tmp_path / "docs", pages))
    assert not list(undescribed(pages))
    assert not [name for name, text in pages.items() if "object at 0x" in text]
    if find_browser() or os.environ.get("PYCVSTAT_BROWSER") == "required":
        assert "pycvstat.KNN.html" in in_browser(tmp_path, "search.html?q=neighbours")
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
    frames = "".join(f'<iframe id="{name}" src="{name}"></iframe>' for name in names)
    (place / "docs" / "probe.html").write_text(PROBE.format(frames=frames), encoding="utf-8")
    (found,) = re.findall(r'<pre id="found">(.*?)</pre>', in_browser(place, "probe.html"))
    return str(found)


def in_browser(place: Path, page: str) -> str:
    """A page as a browser has it that reaches nothing but these files."""
    command = [str(find_browser()), *_FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom",
               "--allow-file-access-from-files",
               f"--user-data-dir={place}/profile", "--virtual-time-budget=10000",
               f"{(place / 'docs').as_uri()}/{page}"]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


FAULTY = {
    "fails": "1 / 0",
    "warns": "import warnings\nwarnings.warn('look')",
    "pictures": "import matplotlib.pyplot as plt\nplt.subplots()[1]\n\n# %%\n#| alt: none\n1",
}


@pytest.mark.slow
def test_what_fails_warns_or_is_not_described_stops_the_pages(tmp_path: Path) -> None:
    for name, code in FAULTY.items():
        text = f"{CELLS}\n# # {name}\n\n# %%\n{code}\n"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    toc = "\n".join(FAULTY)
    home = f"# Home\n\n```{{toctree}}\n{toc}\n```\n\n[nowhere](gone.md), $\\nonsense$\n"
    (tmp_path / "index.md").write_text(home, encoding="utf-8")
    done = build(tmp_path, tmp_path / "out", "-D", "extensions=myst_nb,pages")
    assert done.returncode == 1
    told = re.findall(r"(\w+)\.\w+:?\d*: WARNING: (.*)", done.stderr)
    assert {name for name, words in told if "Executing notebook failed" in words} == {
        "fails",
        "warns",
    }
    assert [name for name, words in told if "go together" in words] == ["pictures", "pictures"]
    assert (
        "index",
        "'myst' cross-reference target not found: 'gone.md' [myst.xref_missing]",
    ) in told
    assert [name for name, words in told if "no formula" in words] == ["index"]
    assert "ZeroDivisionError" in done.stderr
    assert re.search("UserWarning\\S*: look", done.stderr)


def test_every_vignette_is_listed() -> None:
    listed = re.findall(
        r"```\{vignettes\}\n(.*?)```", (HERE / "vignettes.md").read_text(), re.DOTALL
    )
    assert sorted(listed[0].split()) == [path.stem for path in SOURCES]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_starts_from_a_question(source: Path) -> None:
    assert HEAD.match(source.read_text(encoding="utf-8"))


def test_reference_is_whole() -> None:
    modules = {"data", "errors", "gallery", "intervals", "losses", "r", "simulate"}
    assert set(pcv.__all__) - modules <= {name.rsplit(".", 1)[-1] for name, _ in ENTRIES}
    paths = [path_of(name) for name, _ in ENTRIES]
    assert len(set(paths)) == len(paths)
    for path, (_, value) in zip(paths, ENTRIES, strict=True):
        home, _, last = path.rpartition(".")
        assert getattr(pkgutil.resolve_name(home), last) is value


def test_every_public_name_has_an_example() -> None:
    for name, value in ENTRIES:
        if callable(value) and not (isinstance(value, type) and issubclass(value, Exception)):
            assert ">>>" in (value.__doc__ or ""), name


def test_a_page_says_what_kind_of_thing_it_is_about() -> None:
    assert page("pcv.KNN", pcv.KNN, "Learners").startswith("``KNN``\n=======\n\n.. autoclass::")
    assert ".. autofunction:: pycvstat.tune" in page("pcv.tune", pcv.tune, "Procedures")
    assert "A table of: ``a``." in page("pcv.x.T", {"a": 1}, "Losses")


def test_a_source_becomes_a_notebook() -> None:
    first, cell = notebook(
        "# %%\n#| caption: one\n#|   two\n#| alt: three\nx = 1  # fmt: skip"
    ).cells
    assert first.metadata["tags"] == ["remove-cell"]
    assert cell.source == "x = 1"
    assert cell.metadata["mystnb"] == {"figure": {"caption": "one two"}, "image": {"alt": "three"}}
    assert split_options("x = 1") == ("x = 1", {})


def test_pictures_are_the_same_in_every_run() -> None:
    with house_style():
        figure, axis = plt.subplots()
        try:
            assert picture(axis) == picture(figure)
        finally:
            plt.close(figure)


def test_tables_align_numbers_and_escape_words() -> None:
    html = table(pd.DataFrame({"a": ["<b>"], "x": [1.5], "p_value": [1e-9]}))
    assert '<td class="words">&lt;b&gt;</td>' in html
    assert "<td>1.500</td>" in html
    assert "&lt; 0.001" in html


def test_links_and_resources_are_found_out(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("")
    text = '<a href="a.html#no"></a><a href="b.html"></a><a href="https://x.org"></a>'
    pages = {
        "a.html": text + '<script src="https://x.org/y.js"></script><link rel="next" href="b">'
    }
    assert sorted(dead_links(tmp_path, pages)) == [
        "a.html -> a.html#no", "a.html -> b", "a.html -> b.html",
    ]  # fmt: skip
    assert list(from_elsewhere(tmp_path, pages)) == ["a.html loads https://x.org/y.js"]
    assert list(from_elsewhere(tmp_path, {"b.html": "@import '//x.org/z.css'"}))
