"""The vignettes run, and their pages are self-contained and described; the reference is whole."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import pycvstat as pcv

HERE = Path(__file__).parents[2] / "vignettes"
sys.path.insert(0, str(HERE))

pytest.importorskip("jupytext", reason="needs jupytext: pip install 'pycvstat[docs]'")

from execute import VignetteError, execute, picture, split_options, table  # noqa: E402
from reference import public_names, reference_markdown  # noqa: E402
from render import ORDER, Page, index_page, to_html, vignette_page, vignettes  # noqa: E402

from tests.registries import as_before  # noqa: E402

EXTERNAL = re.compile(r"""(?:src|href)=["'](?!#|data:|[a-z_]+\.html)|url\(\s*["']?(?!#)|@import""")


def test_every_vignette_has_a_source() -> None:
    assert [path.stem for path in vignettes()] == list(ORDER)


@pytest.mark.parametrize("source", vignettes(), ids=lambda path: path.stem)
def test_starts_from_a_question(source: Path) -> None:
    start = source.read_text(encoding="utf-8").split("# %% [markdown]\n")[1]
    question = re.match(r"# # .+\n#\n# \*(.+?)\*\n", start, re.DOTALL)
    assert question is not None
    assert question.group(1).rstrip().endswith("?")


@pytest.mark.slow
@pytest.mark.parametrize("source", vignettes(), ids=lambda path: path.stem)
def test_page(source: Path, tmp_path: Path) -> None:
    with as_before():
        page = vignette_page(source)
    text = page.write(tmp_path).read_text(encoding="utf-8")
    assert not EXTERNAL.findall(text)
    assert text.count("<svg ") == text.count("<desc ") == text.count("<figcaption>")
    formulas = re.search(r"^# .*\$\S.*\$", source.read_text(encoding="utf-8"), re.MULTILINE)
    assert ("<math" in text) == (formulas is not None)
    assert not re.search(r'(?<!tabindex="0">)<table', text)  # a wide table moves, not the page
    assert len(text) < 1_500_000
    links = set(re.findall(r'href="([a-z_]+)\.html"', text))
    assert links <= {*ORDER, "gallery", "index", "reference"}


def test_index(tmp_path: Path) -> None:
    pages = [Page("course", "The course", "Is it right?", "")]
    text = index_page(pages).write(tmp_path).read_text(encoding="utf-8")
    assert 'href="course.html"' in text
    assert "Is it right?" in text


def test_reference_is_whole() -> None:
    text = reference_markdown()
    names = {name.rsplit(".", 1)[-1] for group in public_names().values() for name, _ in group}
    modules = {"data", "errors", "gallery", "intervals", "losses", "r", "simulate"}
    assert set(pcv.__all__) - modules <= names
    anchors = Counter(re.findall(r"\{#([\w-]+)\}", text))
    assert max(anchors.values()) == 1
    assert set(re.findall(r"\]\(#([\w-]+)\)", text)) <= set(anchors)
    assert "object at 0x" not in text


def test_every_public_name_has_an_example() -> None:
    for group in public_names().values():
        for name, value in group:
            if callable(value) and not (isinstance(value, type) and issubclass(value, Exception)):
                assert ">>>" in (value.__doc__ or ""), name


def test_reference_is_self_contained() -> None:
    assert not EXTERNAL.findall(to_html(reference_markdown()))


def write(place: Path, code: str) -> Path:
    path = place / "made_up.py"
    path.write_text(f"# %%\n{code}\n", encoding="utf-8")
    return path


def test_output_and_value_are_shown(tmp_path: Path) -> None:
    shown = execute(write(tmp_path, "print('a < b')\n1 + 1"))
    assert "a &lt; b" in shown
    assert '<pre class="output" tabindex="0">2</pre>' in shown


def test_what_fails_or_warns_stops_the_page(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        execute(write(tmp_path, "1 / 0"))
    with pytest.raises(UserWarning, match="look"):
        execute(write(tmp_path, "import warnings\nwarnings.warn('look')"))


def test_pictures_are_described() -> None:
    figure, _ = plt.subplots()
    try:
        with pytest.raises(VignetteError, match="caption"):
            picture(figure, "one", {"caption": "a picture"})
        assert "<desc" in picture(figure, "one", {"caption": "a picture", "alt": "a line"})
    finally:
        plt.close(figure)


def test_a_described_picture_is_shown(tmp_path: Path) -> None:
    cell = "#| caption: one\n#| alt: two\nimport matplotlib.pyplot as plt\naxis = plt.subplots()[1]"
    assert "<svg" in execute(write(tmp_path, f"{cell}\naxis"))
    with pytest.raises(VignetteError, match="without one"):
        execute(write(tmp_path, f"{cell}\nplt.show()"))


def test_options_go_on_over_lines() -> None:
    code, options = split_options("#| caption: one\n#|   two\n#| alt: three\nx = 1")
    assert code == "x = 1"
    assert options == {"caption": "one two", "alt": "three"}


def test_tables_align_numbers_and_escape_words() -> None:
    html = table(pd.DataFrame({"a": ["<b>"], "x": [1.5], "p_value": [1e-9]}), "A & B")
    assert "&lt;b&gt;" in html
    assert "A &amp; B" in html
    assert "&lt; 0.001" in html
