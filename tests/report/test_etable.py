"""Results side by side, by us and by maketables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError
from pycvstat.report.views.base import view_of
from tests.report.conftest import result


def test_one_column_per_estimate() -> None:
    both = pcv.etable({"least squares": result("cv"), "methods": result("compare")})
    names = ["least squares", "methods ols", "methods mean", "methods knn"]
    assert both.tidy()["name"].tolist() == names
    expected = [result("cv").estimate, *result("compare").estimate.values()]
    assert both.tidy()["estimate"].tolist() == expected
    table = view_of(both).main_table()
    assert table.columns == ("", *names)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["estimate"] == ("8.577", "9.850", "38.355", "7.733")
    assert rows["folds"][0] == "10-fold cross-validation"
    assert table.notes == "Loss: squared error; rows: 32; interval: log_t."


def test_intervals_and_differences_stand_there_too() -> None:
    frame = pcv.etable([result("interval"), result("paired")]).tidy()
    assert frame["p_value"].tolist()[1] == result("paired").p_value
    assert np.isnan(frame["p_value"][0])


@pytest.mark.parametrize(
    ("given", "words"), [([], "no result to show"), ([result("plan")], "no estimate to be put")]
)
def test_what_has_no_estimate_says_so(given: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        pcv.etable(given)


@pytest.mark.parametrize("name", ["cv", "nested", "compare", "paired", "interval", "losses"])
def test_maketables_reads_results(name: str) -> None:
    found = result(name)
    table = found.__maketables_coef_table__
    assert table.index.name == "Coefficient"
    assert table.columns[:4].tolist() == ["b", "se", "t", "p"]
    assert found.__maketables_stat__("R2") is None
    maketables = pytest.importorskip("maketables")
    text = maketables.ETable([found]).make(type="tex")
    for value in table["b"]:
        assert f"{value:.3f}" in text


def test_only_differences_have_stars() -> None:
    assert result("cv").__maketables_coef_table__["p"].isna().all()
    paired = result("paired").__maketables_coef_table__
    assert paired["p"].tolist() == [result("paired").p_value]
    assert paired["t"].tolist() == [result("paired").interval.estimate
                                    / result("paired").interval.std_error]  # fmt: skip


def test_fits_are_shown_in_notebooks() -> None:
    html = pcv.OLS().fit("mpg ~ wt", pcv.data.mtcars())._repr_html_()
    assert "fitted to 32 rows of mpg ~ wt" in html
    assert "−5.34" in html
    assert "<h3" in pcv.KNN(k=3).fit("mpg ~ wt", pcv.data.mtcars())._repr_html_()


@pytest.mark.parametrize("results", [np.eye(3), pcv.data.mtcars(), [1.0], 3])
def test_what_is_no_result(results: Any) -> None:
    with pytest.raises(InputError, match="no report and no pictures"):
        pcv.etable(results)
