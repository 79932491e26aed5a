"""The pages of cases beside R: recorded values are met everywhere, live R where it is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pycvstat.r.check import check
from pycvstat.r.check.case import cases_in

HERE = Path(__file__).parents[2] / "vignettes"
sys.path.insert(0, str(HERE))
FILES = sorted((HERE / "beside_r").glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_recorded_values_are_met_and_written_as_a_page(file, tmp_path):
    cases, about = cases_in(file)
    assert len(about.split("\n\n")) >= 3
    found = check(cases, file.with_suffix(".json"), "recorded", about=about)
    assert found, found.words
    page = found.report(tmp_path / "page.qmd").read_text(encoding="utf-8")
    assert page.startswith(f'---\ntitle: "{about.partition(chr(10))[0]}"\n')
    assert "| Statistic | R | Python | Match | Notes |" in page
    assert "```{" not in page  # Quarto would run it


@pytest.mark.live_r
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_live_r_gives_the_same(file):
    found = check(cases_in(file)[0], against="live")
    assert found, found.words


def test_the_four_pages_are_there():
    names = {file.stem for file in FILES}
    assert names == {
        "corrected_resampled_t",
        "k_fold_cross_validation",
        "nearest_neighbours_with_ties",
        "ridge_and_lasso",
    }
