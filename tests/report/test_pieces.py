"""Pieces for a paper: sentences word by word, tables in every format, figures, numbers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pycvstat.errors import InputError
from pycvstat.report.pieces import TABLES, alone, to_table
from pycvstat.report.render import formats
from pycvstat.report.views.base import view_of
from tests.report.conftest import MAKERS, result

SENTENCES = {
    "cv": "By 10-fold cross-validation, the expected risk (squared error) of OLS trained on 28 "
    "rows, averaged over training sets, is estimated at 8.577 (95 % interval 3.709 to 19.836); "
    "square root 2.929 (1.926 to 4.454).",
    "repeated": "By 5-fold cross-validation repeated 3 times, the expected risk (squared error) of "
    "OLS trained on 25 rows, averaged over training sets, is estimated at 7.910 (95 % interval "
    "3.439 to 18.196); square root 2.813 (1.854 to 4.266).",
    "tune": "By 5-fold cross-validation, k = 4 was chosen among 12 candidates (k from 1 to 12) as "
    "the smallest estimate of the expected risk (squared error) of the learner trained on 64 rows, "
    "averaged over training sets: 0.45934.",
    "compare": "By 8-fold cross-validation, knn has the smallest squared error, 7.733 (95 % "
    "interval 3.684 to 16.235); square root 2.781; it differs from mean (p = 0.008) at the level "
    "0.05 (Holm).",
    "paired": "Difference, ols minus mean, of the expected risk of the learner trained on 28 "
    "rows, averaged over training sets: −28.505 (95 % interval −47.113 to −9.898), p = 0.004.",
    "plan": "5-fold cross-validation: 40 rows · 5 fits, each trained on 32 rows and tested on 8.",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences_word_by_word(name: str) -> None:
    assert result(name).sentence() == SENTENCES[name]


def test_every_result_has_a_sentence(any_result: Any) -> None:
    assert re.fullmatch(r"\S.+\.", any_result.sentence())


@pytest.mark.parametrize("form", ["tex", "html", "md"])
def test_every_result_has_a_table(any_result: Any, form: Any) -> None:
    text = any_result.to_table(form)
    rows = view_of(any_result).main_table().rows
    count = {"tex": r" \\", "html": "<tr", "md": "\n|"}[form]
    assert text.count(count) >= len(rows) + 1


def test_tables_of_great_tables_say_the_same() -> None:
    pytest.importorskip("great_tables")
    html = result("compare").to_table("gt").as_raw_html()
    for words in ("Squared error", "7.733", "3.684 to 16.235", "adjusted by Holm"):
        assert words in html


def test_without_great_tables_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "great_tables", None)
    with pytest.raises(InputError, match=r"pip install great_tables(.|\n)*or take 'html'"):
        result("cv").to_table("gt")


def test_a_table_for_word_is_a_real_table(need: Callable[..., None], tmp_path: Path) -> None:
    need("pandoc", formats.find_pandoc(), "PYCVSTAT_PANDOC")
    target = result("compare").to_table("docx", tmp_path / "t.docx")
    with zipfile.ZipFile(target) as archive:
        text = archive.read("word/document.xml").decode("utf-8")
    assert text.count("<w:tbl>") == 1
    assert "Squared error" in text
    assert 'w:val="TableCaption"' in text


def test_a_missing_pandoc_is_named_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "find_pandoc", lambda: None)
    with pytest.raises(InputError, match="pip install pypandoc_binary"):
        to_table(object(), "docx")


@pytest.mark.parametrize("engine", ["pdflatex"])
def test_a_table_compiles_with_booktabs_only(
    need: Callable[..., None], tmp_path: Path, engine: str
) -> None:
    need(engine, shutil.which(engine), "PYCVSTAT_LATEX")
    made = [result(name).to_table("tex") for name in ("compare", "hostile comparison", "audit")]
    result("compare").numbers(tmp_path / "numbers.tex")
    head = "\\documentclass{article}\\usepackage{booktabs,array,textcomp}\\input{numbers}"
    body = f"{head}\n\\begin{{document}}\\pcvKnnEstimate\n{''.join(made)}\\end{{document}}"
    (tmp_path / "a.tex").write_text(body, encoding="utf-8")
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "a.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-1500:]


@pytest.mark.parametrize("name", MAKERS)
def test_numbers_are_macros_and_values(tmp_path: Path, name: str) -> None:
    found = result(name)
    values = json.loads(found.numbers(tmp_path / "n.json").read_text("utf-8"))
    assert values["sentence"] == found.sentence()
    macros = found.numbers(tmp_path / "n.tex", prefix="our").read_text("utf-8")
    names = re.findall(r"\\newcommand\{\\(\w+)\}", macros)
    assert len(set(names)) == len(names) == len(values)
    assert all(re.fullmatch("our[A-Za-z]+", one) for one in names)


def test_numbers_are_exact_as_values_and_rounded_as_macros(tmp_path: Path) -> None:
    found = result("cv")
    values = json.loads(found.numbers(tmp_path / "n.json").read_text())
    assert values["estimate"] == found.estimate
    assert values["conf_low"] == found.interval().low
    assert values["all_rows"] == str(found.interval().all_rows)
    assert r"\newcommand{\pcvEstimate}{8.5770}" in found.numbers(tmp_path / "n.tex").read_text()


@pytest.mark.parametrize(("width", "points"), [("single", 240.9), ("double", 496.1)])
def test_figures_have_the_width_of_a_column(tmp_path: Path, width: Any, points: float) -> None:
    """In points, of which an inch has 72; fonts are in the file, letters of an SVG are paths."""
    data = result("cv").figure(tmp_path / "f.pdf", width=width).read_bytes()
    (box,) = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+)", data)
    assert float(box) == pytest.approx(points, abs=0.1)
    assert b"/FontFile2" in data
    assert b"/Type3" not in data
    svg = result("cv").figure(tmp_path / "f.svg", width=width).read_text("utf-8")
    assert "<text" not in svg
    assert f'width="{points:.1f}'[:10] in svg


def test_every_figure_is_a_tidy_table_too(any_result: Any, tmp_path: Path) -> None:
    for kind in view_of(any_result).pictures:
        frame = pd.read_csv(any_result.figure(tmp_path / "f.csv", kind))
        assert len(frame)


@pytest.mark.parametrize(
    ("name", "kind", "columns"),
    [
        ("classes", "roc", ["class", "event", "probability", "fit"]),
        ("cv", "losses", ["row", "loss"]),
        ("compare", "paired", ["repeat", "fold", "ols", "mean", "knn"]),
    ],
)
def test_a_table_holds_the_numbers_in_its_figure(
    tmp_path: Path, name: str, kind: str, columns: list[str]
) -> None:
    frame = pd.read_csv(result(name).figure(tmp_path / "f.csv", kind))
    assert frame.columns.tolist() == columns
    assert len(frame) == {"roc": 120, "losses": 32, "paired": 8}[kind]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda r, p: r.figure(p / "f.gif"), r"ends in \.pdf, \.svg or \.png"),
        (lambda r, p: r.figure(p / "no" / "f.pdf"), "directory of the figure does not exist"),
        (lambda r, p: r.figure(p / "f.pdf", width="wide"), "single"),
        (lambda r, p: r.figure(p / "f.pdf", "folds", levle=0.9), "option of the picture"),
        (lambda r, p: r.to_table("latex"), "tex"),
        (lambda r, p: r.to_table("md", p / "no" / "t.md"), "directory of the table does not exist"),
        (lambda r, p: r.numbers(p / "n.csv"), r"numbers go into \.tex or \.json"),
        (lambda r, p: r.numbers(p / "n.tex", prefix="a1"), "a prefix of macros is letters"),
        (lambda r, p: r.numbers(p), "numbers go into"),
    ],
)
def test_bad_input_is_answered(tmp_path: Path, call: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call(result("cv"), tmp_path)


def test_a_table_alone_says_nothing_else() -> None:
    table = view_of(result("cv")).main_table()
    assert alone(table).title == ""
    assert set(TABLES) == {"tex", "html", "md", "docx", "gt"}
