"""Works that are cited exist, and are written without TeX."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pycvstat.intervals import METHODS
from pycvstat.report.assemble import full
from pycvstat.report.citations import bibtex, in_text, works
from pycvstat.report.content import Cite, Paragraph
from pycvstat.report.sections.methods import LEARNERS
from tests.report.conftest import result


@pytest.mark.parametrize("key", works())
def test_a_reference_is_plain_text(key: str) -> None:
    work = works()[key]
    assert not re.search(r"[\\{}]|--|``", work.reference())
    assert work.year in work.reference()
    assert work.families[0] in work.reference()
    assert re.fullmatch(r"\d{4}", work.year)
    assert work.bibtex.startswith("@")
    assert work.bibtex.count("{") == work.bibtex.count("}")


def test_every_method_and_learner_is_citable() -> None:
    for method in METHODS.values():
        assert set(method.citation) <= set(works())
    for _, keys in LEARNERS.values():
        assert set(keys) <= set(works())


def test_authors_in_short() -> None:
    assert in_text(["efron1993"]) == "(Efron and Tibshirani, 1993)"
    assert in_text(["schulz2025"]) == "(Schulz-Kümpel et al., 2025)"


def test_bibtex_is_given_once() -> None:
    assert bibtex(["holm1979", "holm1979"]).count("@article") == 1


def test_every_result_cites_this_package(any_result: Any) -> None:
    assert "@" in any_result.cite()


def test_what_is_cited_in_a_report_is_listed(any_result: Any) -> None:
    document = full(any_result)
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Paragraph):
                for part in block.parts:
                    if isinstance(part, Cite):
                        assert set(part.keys) <= set(document.cited()) <= set(works())


def methods_of(name: str) -> str:
    (section,) = [s for s in full(result(name)).sections if s.title.startswith("Methods")]
    (paragraph,) = [b for b in section.blocks if isinstance(b, Paragraph)]
    return "".join(
        in_text(p.keys) if isinstance(p, Cite) else p if isinstance(p, str) else p.text
        for p in paragraph.parts
    )


def test_the_methods_paragraph_of_cross_validation() -> None:
    text = methods_of("cv")
    assert text.startswith(
        "The risk (squared error) of ordinary least squares was estimated by 10-fold "
        "cross-validation (Stone, 1974) with folds made by KFold(10, random=1), on 32 rows "
        "(mpg ~ wt + hp). The estimate, the mean of the fold means, was 8.5770 (mean over "
        "observations: 8.4173). The 95 % interval 1.612 to 15.542 is a corrected resampled t "
        "interval (Nadeau and Bengio, 2003; Bouckaert and Frank, 2004); it is about the expected "
        "risk of the learner trained on 28 to 29 rows, averaged over training sets (ER(28 to 29))."
    )
    assert text.endswith("Folds were drawn with R's random numbers (R Core Team, 2022), seed 1.")


def test_the_methods_paragraph_of_nested_cross_validation() -> None:
    text = methods_of("nested")
    assert "nested cross-validation (Varma and Simon, 2006)" in text
    assert "12 candidates (k from 1 to 12)" in text
    for k in set(result("nested").chosen["k"]):
        assert f"k = {k} (" in text


def test_the_methods_paragraph_of_tuning_and_comparison() -> None:
    assert "(Breiman et al., 1984)" in methods_of("tune one_se")
    assert "(Breiman et al., 1984)" not in methods_of("tune")
    assert "is not an estimate of the risk of the tuned procedure" in methods_of("tune")
    assert "Holm's method (Holm, 1979)" in methods_of("compare")
