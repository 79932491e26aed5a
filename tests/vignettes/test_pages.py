"""Pages of vignettes and of public names: what makes them, and what stops them."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.report.plots.style import house_style
from tests.vignettes.built_pages import CELLS, ENTRIES, HERE, SOURCES, dead_links, from_elsewhere

pytest.importorskip("myst_nb", reason="needs Sphinx: pip install 'pycvstat[docs]'")

from pages import HEAD, notebook, split_options
from reference import page, path_of
from shown import picture, table


def build(source: Path, target: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """What `make docs` does, for these sources."""
    command = [sys.executable, "-m", "sphinx", "-c", str(HERE), "-E", "-n", "-W", "--keep-going",
               "-q", "--no-color", *more, str(source), str(target)]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False)


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
