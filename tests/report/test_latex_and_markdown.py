"""LaTeX and Markdown: what comes from the data stays text."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pycvstat.report.content import (
    Document,
    Facts,
    Headline,
    Note,
    Section,
    Table,
    Verbatim,
    paragraph,
    visible,
)
from pycvstat.report.render.formats import find_pandoc
from pycvstat.report.render.latex import render_latex, tex
from pycvstat.report.render.markdown import code, plain, render_markdown
from tests.report.conftest import HOSTILE, LEVELS, result

SPECIAL = re.compile(r"[\\{}$&#%_^~<>|\"`]|--|''")


@given(st.text())
def test_nothing_in_a_text_means_anything_to_tex(text: str) -> None:
    written = tex(visible(text))
    # what the package writes for special characters, taken out
    ours = (r"\\ensuremath\{[^}]*\}+", r"\\[A-Za-z]+\{\w*\}", r"\\['`^~=u.\"]\{\w\}",
            r"\\[{}$&#%_]", r"(?<=[-'])\{\}(?=[-'])")  # fmt: skip
    rest = re.sub("|".join(ours), "0", written)
    assert not SPECIAL.search(rest)


def words(text: str) -> Document:
    blocks = (
        paragraph(text, Verbatim(text)),
        Note(text),
        Headline(text, text),
        Facts(((text, text),)),
        Table((text, "x"), ((text, "1"),), "lr", text),
    )
    return Document(text, text, (Section(text, blocks),))


def ran(command: list[str], place: Path) -> str:
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False,
                          errors="replace")  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


def compiled(engine: str, place: Path, file: str = "out.tex") -> str:
    return ran([engine, "-interaction=nonstopmode", "-halt-on-error", file], place)


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("hostile comparison", "pdflatex"),
        pytest.param("nested", "lualatex", marks=pytest.mark.slow),
    ],
)
def test_latex_compiles_with_bibtex(
    need: Callable[..., None], tmp_path: Path, name: str, engine: str
) -> None:
    need(engine, shutil.which(engine), "PYCVSTAT_LATEX")
    result(name).report(tmp_path / "out.tex", profile="paper", units={"y": "λ/€"})
    compiled(engine, tmp_path)
    ran(["bibtex", "out"], tmp_path)
    compiled(engine, tmp_path)
    said = compiled(engine, tmp_path)
    assert "undefined" not in said
    assert "Missing character" not in said


def test_latex_shows_every_character_or_its_code_point() -> None:
    written = tex("变 ≤ β λ Λ Ω € é ő ħ ’ −1")
    assert written == (
        r"\symbolof{53D8} \ensuremath{\leq} \ensuremath{\beta} \ensuremath{\lambda} "
        r"\ensuremath{\Lambda} \ensuremath{\Omega} \texteuro{} é \H{o} \symbolof{0127} "
        r"\textquoteright{} \ensuremath{-}1"
    )
    assert tex("a--b") == "a-{}-b"


def test_latex_has_environments_in_pairs() -> None:
    text = render_latex(words("a & b"), lambda figure: "")
    begun, ended = (re.findall(rf"\\{word}\{{(\w+)\}}", text) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended)


def pandoc(text: str, form: str) -> Any:
    command = [str(find_pandoc()), f"--from={form}", "--to=json"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def text_in(node: Any) -> str:
    """All text of a pandoc document."""
    if isinstance(node, list):
        return "".join(map(text_in, node))
    if not isinstance(node, dict):
        return ""
    kind, inner = node.get("t"), node.get("c")
    if kind in ("Space", "SoftBreak", "LineBreak"):
        return " "
    if kind == "Str":
        return str(inner)
    if kind == "Code":
        return str(inner[1])
    assert kind not in ("RawInline", "RawBlock", "Link", "Image", "Math"), kind
    return text_in(inner)


NASTY = [*HOSTILE, *LEVELS, "- a", "1. b", "# c", "> d", "a  b", "**x**", "www.evil.example",
         "&amp;", "~~s~~", "http://evil.example", "[^1]", "- [ ] x", "::: div", "\\", "`", "``",
         "a|b", "====", "+ e"]  # fmt: skip


@pytest.mark.parametrize("form", ["gfm", "commonmark"])
def test_markdown_is_read_back_as_it_was(need: Callable[..., None], form: str) -> None:
    need("pandoc", find_pandoc(), "PYCVSTAT_PANDOC")
    for given_text in NASTY:
        text = visible(given_text)
        blocks = pandoc(plain(text), form)["blocks"]
        assert [block["t"] for block in blocks] == ["Para"], text
        # a blank of no width keeps addresses from becoming links
        assert text_in(blocks).replace("\u200b", "") == " ".join(text.split()), text


def test_code_is_read_back_as_it_was(need: Callable[..., None]) -> None:
    need("pandoc", find_pandoc(), "PYCVSTAT_PANDOC")
    for text in ("a", "`a b` ~ .", "``x``", "y ~ `a``b`"):
        (block,) = pandoc(code(text), "gfm")["blocks"]
        assert [part["t"] for part in block["c"]] == ["Code"]
        assert text_in(block) == text


def test_markdown_tables_keep_their_cells(need: Callable[..., None]) -> None:
    need("pandoc", find_pandoc(), "PYCVSTAT_PANDOC")
    document = words("a|b\\|c")
    blocks = pandoc(render_markdown(document), "gfm")["blocks"]
    tables = [block for block in blocks if block["t"] == "Table"]
    assert len(tables) == 2
    assert all(text_in(table).count("a|b\\|c") == 2 for table in tables)


def test_figures_of_markdown_are_beside_it(tmp_path: Path) -> None:
    target = result("cv").report(tmp_path / "my report.md")
    text = target.read_text(encoding="utf-8")
    names = re.findall(r"!\[[^\n]+\]\(<([^>]+)>\)", text)
    assert len(names) == 3
    assert all((tmp_path / name).read_bytes().startswith(b"<?xml") for name in names)


@pytest.mark.parametrize("name", ["compare", "hostile"])
def test_quarto_source_is_read_by_pandoc(
    need: Callable[..., None], tmp_path: Path, name: str
) -> None:
    need("pandoc", find_pandoc(), "PYCVSTAT_PANDOC")
    target = result(name).report(tmp_path / "paper.qmd", profile="paper")
    command = [str(find_pandoc()), "--from=markdown", "--citeproc", "--standalone", "--to=html"]
    page = ran([*command, target.name], tmp_path)
    assert page.count("<table") == 1
    assert page.count("<img") == 1
    assert "<script>alert" not in page
    assert 'class="csl-entry"' in page
    assert "[@" not in page
    assert "Stone 1974" in " ".join(page.split())
