"""Every class of results has every verb, and each gives what it should.

Reports of every one are written in `test_write.py` and read in `test_html_report.py`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from dataclasses import fields
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from matplotlib.axes import Axes
from sklearn.linear_model import LinearRegression

import pycvstat as pcv
from pycvstat.errors import InputError, heard
from pycvstat.intervals.paired import Paired
from pycvstat.intervals.result import Interval
from pycvstat.learners import as_learner
from pycvstat.procedures.cross_validate import OfTable
from pycvstat.report.content import width
from pycvstat.verbs import CompareVerbs, EstimateVerbs, Shown, Verbs
from tests.report.conftest import MAKERS, result

BASES = {Shown, Verbs, EstimateVerbs, CompareVerbs, OfTable}
WITHOUT_ROWS = {
    "Agreement",
    "BiasVariance",
    "ConfidenceSet",
    "PartitionedResult",
    "Coverage",
    "Crosscheck",
    "Multiverse",
    "Stability",
    "TuningQuantities",
    "SideBySide",
}


def classes(base: type = Shown) -> set[type]:
    """All classes of results that the package defines."""
    for module in pkgutil.walk_packages(pcv.__path__, "pycvstat."):
        if not module.name.startswith("pycvstat.cli"):
            importlib.import_module(module.name)
    found, todo = set(), [base]
    while todo:
        one = todo.pop()
        found.add(one)
        todo += one.__subclasses__()
    named = {getattr(sys.modules[one.__module__], one.__name__, None) for one in found - BASES}
    return {one for one in named if one is not None and one.__module__.startswith("pycvstat.")}


def test_every_class_is_made_here() -> None:
    assert classes() == {type(result(name)) for name in MAKERS}


def test_the_text_fits_80_columns(any_result: Any) -> None:
    lines = any_result.summary().splitlines()
    assert max(width(line) for line in lines) <= 80
    assert len(lines) > 2
    if isinstance(any_result, Verbs):
        assert str(any_result) == any_result.summary()


def test_the_repr_is_short(any_result: Any) -> None:
    """Of the result and of all its parts."""
    parts = [getattr(any_result, f.name) for f in fields(any_result) if f.repr]
    ours = [part for part in parts if type(part).__module__.startswith("pycvstat.")]
    details = getattr(any_result, "details", ())
    for one in (any_result, *ours, *(details[:1] if isinstance(details, tuple) else ())):
        assert len(repr(one).splitlines()) == 1, type(one)
        assert len(repr(one)) < 400, type(one)
        assert " at 0x" not in repr(one)


@pytest.mark.parametrize(
    "learner",
    [pcv.KNN(), pcv.OLS(), LinearRegression(), sm.OLS, pcv.Tuned(pcv.KNN(), {"k": [1, 3]}, 3)],
)
def test_the_repr_of_a_fit_is_short(learner: Any) -> None:
    fit = as_learner(learner).fit("mpg ~ wt + hp", pcv.data.mtcars())
    assert repr(fit).endswith(" fitted to 32 rows of mpg ~ wt + hp")
    assert len(repr(fit)) < 120


def test_tidy_has_rows(any_result: Any) -> None:
    table = any_result.tidy()
    assert isinstance(table, pd.DataFrame)
    assert len(table) >= 1


def test_tables_say_what_their_interval_says() -> None:
    """Its warnings, its centre where it is another, and the reason why there is none."""
    heavy = pcv.from_losses(np.append(np.ones(59), 1e6), np.arange(60) % 6)
    assert "heavy tails" in heavy.tidy()["notes"][0]
    apart = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(),
                               folds=pcv.TimeSeries(20, horizon=4, step=4))  # fmt: skip
    first = apart.tidy().iloc[0]
    assert first["notes"].startswith("losses of rolling folds are dependent")
    assert (first["method"], first["target"]) == ("none", "")
    pairs = pcv.cross_validate(
        pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.NestedPairs(4, repeats=5, random=1)
    )
    with heard():
        centre = pairs.interval().estimate
    assert f"the interval is around {centre:.6g}" in pairs.glance()["notes"][0]


def test_weights_enter_the_fits_and_that_is_said(tmp_path: Any) -> None:
    cars = pcv.data.mtcars()
    weighted = pcv.cross_validate(pcv.WLS(), "mpg ~ hp", cars, weights="wt", folds=pcv.Blocks(4))
    words = "in the fits, not in the losses"
    assert weighted.glance()["weights"].tolist() == [words]
    assert f"from 1.5130 to 5.4240, {words}" in " ".join(weighted.summary().split())
    page = " ".join(weighted.report(tmp_path / "page.md").read_text("utf-8").split())
    assert f"from 1.5130 to 5.4240, {words}" in page
    assert f"Weights were {words}." in page
    plain = pcv.cross_validate(pcv.WLS(), "mpg ~ hp", cars, weights=[1] * 32, folds=pcv.Blocks(4))
    assert plain.estimate != weighted.estimate
    without = pcv.cross_validate(pcv.OLS(), "mpg ~ hp", cars, folds=pcv.Blocks(4))
    assert without.glance()["weights"].tolist() == ["none"]
    assert "eights" not in without.summary()


def test_limits_stand_beside_what_they_are_of(any_result: Any) -> None:
    """No interval travels without its target, method, level and notes."""
    tables = [any_result.tidy(), any_result.glance()]
    if len(getattr(any_result, "tables", getattr(any_result, "results", ()))) > 1:
        tables.append(any_result.pairs())
    for table in tables:
        if "conf_low" in table.columns:
            assert {"level", "target", "notes"} <= set(table.columns)
            method = table["interval" if "interval" in table.columns else "method"]
            limited = table["conf_low"].notna()
            assert (table.loc[limited, "target"] != "").all()
            assert (method[~limited] == "none").all()


def test_glance_has_one_row(any_result: Any) -> None:
    table = any_result.glance()
    assert isinstance(table, pd.DataFrame)
    assert len(table) == 1
    assert table.columns.is_unique


def test_augment_has_one_row_per_row_of_data_or_loss(any_result: Any) -> None:
    if type(any_result).__name__ in WITHOUT_ROWS:
        with pytest.raises(InputError, match="no rows of data"):
            any_result.augment()
        return
    table = any_result.augment()
    assert table.columns.is_unique
    rows = getattr(any_result, "plan", any_result)
    losses = len(rows.rows) if isinstance(rows, pcv.FoldPlan) else 0
    by_row = {losses, getattr(rows, "n", 0)}
    assert len(table) in by_row or isinstance(any_result, Interval | Paired)
    assert len(table) > 1


def test_notebooks_show_it(any_result: Any) -> None:
    assert any_result._repr_html_().count("<h3") >= 1
    assert any_result._repr_markdown_().startswith("# ")


def test_it_is_drawn(any_result: Any) -> None:
    _, ax = plt.subplots()
    try:
        assert any_result.plot(ax=ax) is ax
        assert isinstance(any_result.plot(), Axes)
    finally:
        plt.close("all")


def test_it_is_cited(any_result: Any) -> None:
    assert "@" in any_result.cite()


def test_augmented_intervals_hold_the_numbers_behind_them() -> None:
    interval = result("interval")
    assert interval.augment().groupby("fold")["loss"].mean().mean() == pytest.approx(
        interval.estimate, rel=1e-12  # order of summation
    )  # fmt: skip
    pair = result("paired")
    assert pair.augment().groupby("fold")["difference"].mean().mean() == pytest.approx(
        pair.estimate, rel=1e-12
    )


def test_an_interval_of_a_metric_has_no_rows() -> None:
    with pytest.raises(InputError, match="augment\\(\\) of the result"):
        result("cv").interval(metric="rmse").augment()


def test_curves_augment_with_the_predictions_of_cross_validation() -> None:
    curve = result("error curve")
    learner = curve.learner.with_params(**curve.best)
    other = pcv.cross_validate(learner, "y ~ .", pcv.data.waves(80), folds=curve.plan)
    pd.testing.assert_frame_equal(curve.augment(), other.augment())


def test_learning_curves_augment_at_the_largest_size() -> None:
    curve = result("learning curve")
    losses = curve.augment().groupby(".fold")[".loss"].mean()
    assert losses.mean() == pytest.approx(curve.tidy()["test"].iloc[-1], rel=1e-12)


def test_audits_augment_with_what_was_found() -> None:
    data = pcv.data.mtcars().reset_index(drop=True)
    twice = pd.concat([data, data.iloc[:2]], ignore_index=True)
    twice["who"] = [*range(32), 0, 1]
    rows = pcv.audit(
        pcv.OLS(), "mpg ~ wt", twice, folds=pcv.LeaveOneOut(), groups="who", times=5
    ).augment()
    assert rows[".repeated_by"].dropna().to_dict() == {0: 32, 1: 33, 32: 0, 33: 1}
    assert rows.index[rows[".group_split"]].tolist() == [0, 1, 32, 33]
