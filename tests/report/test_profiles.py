"""What reports show and what they do not: no row of the data unless it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError
from pycvstat.report.assemble import full, once
from pycvstat.report.content import Figure, Note, References, Table, section
from pycvstat.report.render.html import render_page
from tests.report.conftest import MAKERS, result
from tests.report.pages import read_page

EVERY = [n for n in MAKERS if n not in ("crosscheck", "parity")]


def survey() -> pd.DataFrame:
    """Incomes that nobody else has, of people in households."""
    rng = np.random.default_rng(4)
    income = np.round(rng.lognormal(10, 1, 60), 2) + 0.001234
    return pd.DataFrame({"income": income, "age": rng.integers(18, 80, 60),
                         "patient": np.arange(60) // 3, "site_id": np.arange(60) // 6})  # fmt: skip


def surveyed(groups: str = "patient") -> Any:
    return pcv.cross_validate(
        pcv.OLS(), "income ~ age", survey(), groups=groups, folds=pcv.Grouped(5, random=1)
    )


@pytest.mark.parametrize("more", [{}, {"profile": "paper"}, {"script": True}])
def test_no_row_is_shown_unasked(tmp_path: Path, more: dict[str, Any]) -> None:
    page = surveyed().report(tmp_path / "a.html", **more).read_text("utf-8")
    others = {survey()["income"].min(), survey()["income"].max()}  # the range is told
    values = [v for v in survey()["income"] if v not in others]
    assert not [v for v in values if repr(v) in page or f"{v:.17g}" in page]
    assert ("pcv_csv(" in page) == ("script" in more)


def test_rows_are_shown_when_asked_for(tmp_path: Path) -> None:
    titles = [s.title for s in full(surveyed(), data=True).sections]
    assert "Rows of the data" in titles
    (shown,) = [s for s in full(surveyed(), data=True).sections if s.title == "Rows of the data"]
    assert len(shown.blocks[0].rows) == 60


def test_the_script_reads_its_data_from_a_file(tmp_path: Path) -> None:
    script = surveyed().to_r(tmp_path / "our analysis.R")
    text, data = script.read_text("utf-8"), (tmp_path / "our-analysis.csv").read_text("utf-8")
    assert '"our-analysis.csv"' in text
    income = survey()["income"]
    assert not [v for v in income if repr(v) in text or f"{v:.17g}" in text]
    assert pd.read_csv(tmp_path / "our-analysis.csv")["income"].tolist() == income.tolist()
    assert data.splitlines()[0] == '"income","age"'
    surveyed().to_r(tmp_path / "b.R", data=False)
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize("name", EVERY)
def test_a_paper_is_question_table_figure_methods_references(name: str) -> None:
    document = full(result(name), profile="paper")
    first, *rest = document.sections
    kinds = [type(block) for block in first.blocks]
    assert kinds.count(Table) == kinds.count(Figure) == 1
    titles = [one.title for one in rest]
    assert titles[0] == "Methods"
    assert titles[1:] in (["References"], [])
    if rest[1:]:
        assert rest[1].blocks == (References(),)


def test_sections_are_left_out_and_added_by_title() -> None:
    titles = [s.title for s in full(result("cv"), exclude=["Folds", "data"]).sections]
    assert "Folds" not in titles
    assert "Data" not in titles
    assert "Question" in titles
    more = [s.title for s in full(result("cv"), profile="paper", include=["Folds"]).sections]
    assert more[-1] == "Folds"
    with pytest.raises(InputError, match="no section 'Fold' here"):
        full(result("cv"), exclude=["Fold"])
    with pytest.raises(InputError, match="exclude is a list"):
        full(result("cv"), exclude="Folds")
    with pytest.raises(InputError, match="full"):
        full(result("cv"), profile="short")


def test_what_is_asked_for_is_checked_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="profile"):
        result("cv").report(tmp_path / "a.html", profile="short", crosscheck=True)
    assert list(tmp_path.iterdir()) == []


def test_groups_are_named_and_counted() -> None:
    words = "patient-grouped 5-fold cross-validation (20 patients)"
    page = " ".join(read_page(render_page(full(surveyed()))).text().split())
    assert f"was estimated by {words}" in page
    assert f"plan{words}" in page or f"plan {words}" in page
    other = " ".join(read_page(render_page(full(surveyed("site_id")))).text().split())
    assert "grouped 5-fold cross-validation (10 groups by site_id)" in other


def test_units_and_square_roots() -> None:
    document = full(result("compare"), units={"mpg": "miles per gallon"}, profile="paper")
    page = " ".join(read_page(render_page(document)).text().split())
    assert "7.733 (miles per gallon)²" in page
    assert "square root 2.781 miles per gallon" in page
    assert "Squared error in (miles per gallon)² (square root in miles per gallon)" in page
    assert "−28.505" in render_page(full(result("compare")))
    assert "square root" not in render_page(full(result("classes")))  # of a log loss


@pytest.mark.parametrize("name", EVERY)
def test_sentences_hold_no_code(name: str) -> None:
    """Beside formulas: no call of Python, no symbol of a training size in what is asked."""
    page = read_page(render_page(full(result(name), profile="paper")))
    asked = page.all("p")[1].text()
    for word in ("random=", "KFold(", "Repeated(", "ER(", "PQ("):
        assert word not in asked
    if name != "coverage":  # which is told its folds as they are typed
        assert "KFold(" not in page.text()


def test_no_note_is_said_twice() -> None:
    twice = section("A", Note("heavy tails"), Note("other")), section("B", Note("heavy tails"))
    assert [len(one.blocks) for one in once(twice)] == [2]
    for name in EVERY:
        notes = [b.text for s in full(result(name)).sections for b in s.blocks if type(b) is Note]
        assert len(notes) == len(set(notes))


def test_tables_and_figures_are_counted_in_a_document() -> None:
    blocks = [b for s in full(result("nested")).sections for b in s.blocks]
    for kind in (Table, Figure):
        numbers = [b.number for b in blocks if isinstance(b, kind) and b.caption]
        assert numbers == list(range(1, len(numbers) + 1))
