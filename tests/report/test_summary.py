"""Summaries: 80 columns, both averages named, nothing from the data controls a terminal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import pycvstat as pcv
from pycvstat.losses.metrics import METRICS
from pycvstat.r.check import conventions
from pycvstat.report.assemble import summary
from pycvstat.report.content import Document, Facts, Headline, Note, Paragraph, Section, Table
from pycvstat.report.render.text import WIDTH, render_text, width
from tests.report.conftest import HOSTILE, result
from tests.report.pages import read_page


def test_every_summary_fits_80_columns(any_result: Any) -> None:
    lines = any_result.summary().splitlines()
    assert max(len(line) for line in lines) <= 80
    assert max(width(line) for line in lines) <= 80
    assert len(lines) > 2


def test_the_report_summary_fits_80_columns_too(any_result: Any) -> None:
    assert max(len(line) for line in summary(any_result).splitlines()) <= 80


@pytest.mark.parametrize("name", ["cv", "repeated", "leave-one-out", "nested", "losses"])
def test_both_averages_are_named(name: str) -> None:
    text = result(name).summary()
    assert "mean of fold means" in text
    assert "mean over observations" in text


def test_the_standard_error_of_tuning_is_called_naive() -> None:
    assert "naive s.e." in result("tune").summary()


def test_the_estimand_is_named_with_its_training_size() -> None:
    assert "expected risk (squared error) of OLS trained on 28 rows" in " ".join(
        result("cv").summary().split()
    )
    assert "expected risk (squared error) of the tuned procedure trained on 66 rows" in " ".join(
        result("nested").summary().split()
    )


def test_a_tuned_estimate_is_not_offered_as_a_risk() -> None:
    text = " ".join(result("tune").summary().split())
    assert "As an estimate of the risk of the tuned procedure it tends to be too small" in text


def test_the_chosen_candidate_is_listed_even_when_it_is_not_among_the_best() -> None:
    found = result("tune one_se")
    row = next(line for line in found.summary().splitlines() if line.strip().endswith("yes"))
    assert row.split()[0] == str(found.best["k"])


def test_a_seed_is_shown_only_where_something_was_drawn() -> None:
    assert "set.seed(1)" in result("cv").summary()
    assert "seed" not in result("leave-one-out").summary()


def test_nothing_controls_the_terminal() -> None:
    text = result("hostile comparison").summary() + result("hostile").summary()
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_numbers_of_the_summary_are_those_of_tidy() -> None:
    found = result("cv")
    row = found.tidy().iloc[0]
    text = found.summary()
    for column in ("estimate", "conf_low", "conf_high", "std_error"):
        assert f"{row[column]:.3f}" in text


def test_html_of_every_result_is_whole_and_escaped(any_result: Any) -> None:
    page = read_page(any_result._repr_html_())
    assert page.all("h3")
    assert not page.all("script")
    assert not page.all("b")


def test_markdown_of_every_result_has_a_title(any_result: Any) -> None:
    text = any_result._repr_markdown_()
    assert text.startswith("# ")
    assert "<script" not in text


def test_a_hostile_name_is_read_back_from_html() -> None:
    page = read_page(result("hostile comparison")._repr_html_())
    cells = [cell.text() for cell in page.all("td")]
    assert HOSTILE[0] in cells
    assert HOSTILE[1] in cells


TEXT = st.text(max_size=120)


@given(
    st.lists(st.lists(TEXT, min_size=4, max_size=4), max_size=3),
    st.text(alphabet="lr", min_size=4, max_size=4),
    TEXT,
)
def test_any_content_fits_80_columns(rows: list[list[str]], align: str, words: str) -> None:
    columns = ("one", words, "three", "four")
    blocks = (
        Paragraph((words,)),
        Note(words),
        Headline(words, words),
        Facts(((words, words),)),
        Table(columns, tuple(tuple(row) for row in rows), align, words),
    )
    for line in render_text(Document(words, words, (Section(words, blocks),))).splitlines():
        assert width(line) <= WIDTH


class Plain:
    """A part of a user's without a text of its own."""

    def fit(self, X: object, y: object) -> Plain:
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.zeros(len(X))

    def split(self, X: object, y: object = None, groups: object = None) -> object:
        yield np.arange(16), np.arange(16, 32)

    def get_n_splits(self, *given: object) -> int:
        return 1


def test_no_text_shows_where_an_object_lies_in_memory() -> None:
    cars, drawn = pcv.data.mtcars(), pcv.KFold(4, random=np.random.default_rng(1))
    results = [
        pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=folds) for folds in (Plain(), drawn)
    ]
    grid = {"kernel": ["rectangular", "optimal"]}
    results.append(pcv.tune(pcv.KNN(), "mpg ~ wt", cars, grid=grid, folds=drawn))
    for one in results:
        assert " at 0x" not in " ".join([repr(one), repr(one.plan), one.summary()]).lower()
    losses = [*pcv.losses.LOSSES.values(), pcv.losses.huber(1.0), pcv.losses.pinball(0.9)]
    metrics = [pcv.losses.Metric(np.corrcoef, needs="classes"), *METRICS.values()]
    assert " at 0x" not in repr([losses, metrics])
    assert results[0].plan.recipe == "Plain()"
    assert results[1].plan.recipe == "KFold(4, random=Generator(PCG64))"


def test_reprs_are_short() -> None:
    from pycvstat.r.kknn import cv_kknn, kknn

    cars = pd.concat([pcv.data.mtcars()] * 5, ignore_index=True) + np.arange(160)[:, None] / 100
    cv = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=pcv.KFold(4, random=1))
    near = pcv.KNN().fit("mpg ~ wt", cars).neighbours(cars)
    long = [
        cv.table, cv.table.means(), cv.table.predictions, near,
        kknn("mpg ~ wt", cars, cars), cv_kknn("mpg ~ wt", cars, random=1), cv,
    ]  # fmt: skip
    shown = {type(one).__name__: repr(one) for one in long}
    assert {k: text for k, text in shown.items() if len(text) > 150 or " at 0x" in text} == {}


def test_a_loss_without_a_name_is_named_once() -> None:
    cars = pcv.data.mtcars()
    cv = pcv.cross_validate(
        pcv.OLS(), "mpg ~ wt", cars, folds=pcv.Blocks(4), loss=lambda y, p: (y - p) ** 4
    )
    assert repr(cv).startswith("CVResult(OLS, Blocks(4): user loss ")
    assert conventions(cv.table)["quantity"][0] == "mean user loss"
