"""TRIPOD+AI: numbers and titles as published, answers from the result, nothing invented."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError
from pycvstat.report.assemble import full
from pycvstat.report.checklist import OPEN, TRIPOD_AI
from pycvstat.report.content import Document, Table
from tests.report.conftest import result
from tests.report.test_profiles import surveyed

PUBLISHED = {
    "Title": "1", "Abstract": "2", "Background": "3a 3b 3c", "Objectives": "4", "Data": "5a 5b",
    "Participants": "6a 6b 6c 20a 20b 20c", "Data preparation": "7", "Outcome": "8a 8b 8c",
    "Predictors": "9a 9b 9c", "Sample size": "10", "Missing data": "11",
    "Analytical methods": "12a 12b 12c 12d 12e 12f 12g", "Class imbalance": "13", "Fairness": "14",
    "Model output": "15", "Training versus evaluation": "16", "Ethical approval": "17",
    "Funding": "18a", "Conflicts of interest": "18b", "Protocol": "18c", "Registration": "18d",
    "Data sharing": "18e", "Code sharing": "18f", "Patient and public involvement": "19",
    "Model development": "21", "Model specification": "22", "Model performance": "23a 23b",
    "Model updating": "24", "Interpretation": "25", "Limitations": "26",
    "Usability of the model in the context of current care": "27a 27b 27c",
}  # fmt: skip
"""Table 1 of doi:10.1136/bmj-2023-078378."""
ONLY_AUTHORS = (
    *("1", "2", "3a", "3b", "3c", "5a", "5b", "6a", "6b", "6c", "7", "8b", "8c", "9a", "9c"),
    *("12f", "14", "17", "18a", "18b", "18c", "18d", "19", "20c", "24", "25", "26"),
    *("27a", "27b", "27c"),
)
CASES = [(name, "full") for name in ("repeated", "holdout", "bootstrap", "classes", "nested",
          "error curve", "learning curve", "hostile")]  # fmt: skip
CASES += [(name, "paper") for name in ("cv", "tune", "compare", "hostile comparison")]


def _answers(document: Document) -> dict[str, tuple[str, str]]:
    """Answer and section by the number of the item."""
    (table,) = [b for b in document.sections[-1].blocks if isinstance(b, Table)]
    return {row[0]: (row[2], row[3]) for row in table.rows}


def answers(one: Any) -> dict[str, tuple[str, str]]:
    return _answers(full(one, checklist="tripod+ai"))


def test_items_are_those_of_the_statement() -> None:
    published = {number: title for title, all_of in PUBLISHED.items() for number in all_of.split()}
    assert {item.number: item.title for item in TRIPOD_AI} == published
    assert len(TRIPOD_AI) == 52
    assert len({item.number.rstrip("abcdefg") for item in TRIPOD_AI}) == 27


@pytest.mark.parametrize(("name", "profile"), CASES)
def test_every_item_is_answered_or_open_and_points_at_a_section(name: str, profile: str) -> None:
    document = full(result(name), checklist="tripod+ai", profile=profile)
    titles = {one.title for one in document.sections}
    found = _answers(document)
    assert list(found) == [item.number for item in TRIPOD_AI]
    assert all(found[number] == (OPEN, "") for number in ONLY_AUTHORS)
    for answer, place in found.values():
        assert answer
        assert "{" not in answer or name.startswith("hostile")
        assert (place in titles and place) if answer.partition(OPEN)[0] else place == ""
    assert len([a for a, _ in found.values() if a != OPEN]) >= 18
    assert document.cited()[-1] == "collins2024"


def test_answers_hold_the_numbers_of_the_result() -> None:
    found = answers(result("classes"))
    assert found["10"][0].startswith("120 rows; a 60 and b 60. [NEEDS INPUT]")
    assert found["15"] == ("probabilities of the classes a and b.", "Data")
    assert found["13"][0] == OPEN  # whether anything was done is not known
    assert result("classes").sentence() in found["23a"][0]
    nested = answers(result("nested"))
    assert "tuning inside each: 4 fits" in nested["21"][0]
    assert "12 candidates (k from 1 to 12)" in nested["12c"][0]
    assert "chosen: k = 4" in answers(result("tune"))["22"][0]


def test_groups_weights_and_missing_values_are_told() -> None:
    assert answers(surveyed())["12d"][0].startswith("20 patients kept whole in the folds.")
    data = pcv.data.mtcars().reset_index(drop=True)
    data.loc[[3, 5], "wt"] = np.nan
    data["w"] = 1.0
    found = answers(
        pcv.cross_validate(
            pcv.Logit(), "factor(am) ~ wt", data, folds=pcv.KFold(3, random=1), na="omit",
            weights="w",
        )
    )  # fmt: skip
    assert found["11"][0] == "2 rows with missing values left out."
    assert found["20a"][0].startswith("32 rows, 2 left out; 0 ")
    assert found["13"][0] == "weights of rows, in the fits, not in the losses."


def test_a_group_left_out_at_a_time_shows_how_clusters_differ() -> None:
    data = {"y": [1.0, 2.0, 4.0, 3.0, 5.0, 9.0], "x": [1, 2, 3, 4, 5, 7], "g": list("aabbcc")}
    one = pcv.cross_validate(pcv.Mean(), "y ~ x", data, groups="g", folds=pcv.LeaveOneGroupOut())
    means = one.table.fold_means()[:, 0]
    low, high = f"{means.min():.3f}", f"{means.max():.3f}"
    assert f"from {low} to {high}" in answers(one)["23b"][0]
    assert answers(one)["23b"][1] == "Errors of the folds"


def test_without_data_there_is_nothing_to_answer(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="answered from a result that has data"):
        result("interval").report(tmp_path / "a.html", checklist="tripod+ai")
    with pytest.raises(InputError, match="answered from a result that has data"):
        full(result("audit"), checklist="tripod+ai")
    with pytest.raises(InputError, match="tripod"):
        result("cv").report(tmp_path / "a.html", checklist="strobe")
    assert list(tmp_path.iterdir()) == []
