"""Rows, groups and weights of a task."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pycvstat.data.frame import Frame, read
from pycvstat.data.task import Task
from pycvstat.errors import DataError, FormulaError, InputError

DATA = pd.DataFrame(
    {
        "y": [1.0, 2.0, 4.0, 3.0, 5.0, 7.0],
        "x": [1.0, 3.0, 2.0, 5.0, 4.0, 6.0],
        "g": list("aabbcc"),
        "w": [1.0, 2.0, 1.0, 2.0, 1.0, 2.0],
    }
)


def labels(formula: str, data: Any = DATA, **given: Any) -> tuple[str, ...]:
    return Task.build(formula, data, **given).formula.labels


@pytest.mark.parametrize("text", ["", "  "])
def test_a_formula_without_words_is_none(text: str) -> None:
    with pytest.raises(FormulaError, match="The formula"):
        Task.build(text, DATA)


@pytest.mark.parametrize("name", ["groups", "weights"])
def test_the_dot_leaves_out_groups_and_weights_however_they_are_given(name: str) -> None:
    column = {"groups": "g", "weights": "w"}[name]
    rest = tuple(n for n in ("x", "g", "w") if n != column)
    for same in (column, DATA[column], DATA[column].astype("category" if column == "g" else int)):
        assert labels("y ~ .", **{name: same}) == rest
    assert labels("y ~ .", **{name: DATA[column].to_numpy()}) == ("x", "g", "w")
    other = DATA[column][::-1].reset_index(drop=True)
    assert labels("y ~ .", **{name: other}) == ("x", "g", "w")


def test_groups_and_weights_may_be_predictors() -> None:
    assert labels("y ~ x + g", groups="g") == ("x", "g")
    assert labels("y ~ . + w", weights="w") == ("x", "g", "w")
    assert labels("y ~ x * g - g", groups=DATA["g"], weights="w") == ("x", "x:g")


def test_what_is_no_column_is_named_as_it_was_given() -> None:
    for name in ("weights", "groups"):
        with pytest.raises(DataError, match=f"Column '{name}' is not a sequence"):
            labels("y ~ w", **{name: 5})


def test_weights_beside_a_column_of_that_name() -> None:
    data = DATA.rename(columns={"w": "weights"})
    assert labels("y ~ .", data, weights=np.ones(6)) == ("x", "g", "weights")


def test_rows_that_miss_what_is_taken_away_are_incomplete() -> None:
    data = DATA.assign(w=DATA["w"].where(DATA.index != 3))
    with pytest.raises(DataError, match=r"w \(only taken away\): 1"):
        Task.build("y ~ . - w", data)
    assert Task.build("y ~ . - w", data, na="omit").rows.tolist() == [0, 1, 2, 4, 5]
    assert Task.build("y ~ x", data).n == 6


@pytest.mark.parametrize(
    ("levels", "order"), [("ICU", ("a", "B", "ø", "z")), ("C", ("B", "a", "z", "ø"))]
)
def test_words_are_sorted_as_asked(levels: Any, order: tuple[str, ...]) -> None:
    data = {"y": [1.0, 2.0, 3.0, 4.0], "g": ["z", "ø", "B", "a"], "c": ["ø", "z", "a", "B"]}
    task = Task.build("y ~ g", data, levels=levels)
    assert task.design().columns == ("(Intercept)", *(f"g{level}" for level in order[1:]))
    assert task.sorted_by == levels
    assert Task.build("factor(c) ~ y", data, levels=levels).response.levels == order
    new = task.encoder().fit(task.frame).matrix(read({"g": ["ø", "a"]}))
    assert new.X.sum(axis=1).tolist() == [1.0 + (order[0] != "ø"), 1.0 + (order[0] != "a")]


@pytest.mark.parametrize(
    ("levels", "order"), [("ICU", ("a", "B", "ø", "z")), ("C", ("B", "a", "z", "ø"))]
)
def test_categories_of_polars_have_no_order_but_that_of_words(
    levels: Any, order: tuple[str, ...]
) -> None:
    words = pl.Series(["z", "ø", "B", "a"], dtype=pl.Categorical)
    data = pl.DataFrame({"y": [1.0, 2.0, 3.0, 4.0], "g": words})
    for formula in ("y ~ g", "g ~ y"):
        task = Task.build(formula, data, levels=levels)
        column = task.frame["g"]
        assert (column.levels, column.labels().tolist()) == (order, ["z", "ø", "B", "a"])
        assert task.sorted_by == levels
        assert task.frame.to_pandas(as_given=True)["g"].cat.categories.tolist() == list(order)


def test_categories_keep_their_order() -> None:
    data = DATA.assign(g=pd.Categorical(DATA["g"], ["c", "b", "a"]))
    task = Task.build("y ~ g", data, levels="C")
    assert (task.design().columns, task.sorted_by) == (("(Intercept)", "gb", "ga"), "")


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(InputError, match="levels"):
        Task.build("y ~ g", DATA, levels="en_US")  # type: ignore[arg-type]


def test_training_rows_of_a_fold_have_the_design_of_a_fit_to_them() -> None:
    data = pd.DataFrame({"y": np.arange(40.0), "x": np.random.default_rng(2).normal(size=40)})
    train, new = np.arange(30), np.arange(30, 40)
    for formula in ("y ~ poly(x, 3)", "y ~ scale(x)", "y ~ x"):
        X, X_new = Task.build(formula, data).matrices("contrasts", train, new)
        alone = Task.build(formula, data[:30])
        np.testing.assert_array_equal(X, alone.design().X)
        np.testing.assert_array_equal(
            X_new, alone.encoder().fit(alone.frame).matrix(read(data[30:])).X
        )


def test_a_task_of_several_formulas_names_all_their_columns():
    data = {"y": [1.0, 2.0, 3.0], "x": [1.0, 2.0, 4.0], "a b": [0.0, 1.0, 5.0]}
    task = Task.build(None, data, own=("y ~ x", "y ~ `a b` + x"))
    assert task.formula.text == "y ~ x + `a b`"
    assert task.formula.predictors == ("x", "a b")
    assert Task.build(None, data, own=("y ~ 1",)).formula.text == "y ~ 1"


@pytest.mark.parametrize(
    ("values", "levels"), [([0.0, 1.0, 1.0], ("0", "1")), ([-1.0, 1.0, 1.0], ())]
)
def test_numbers_0_and_1_are_classes_where_a_learner_asks_for_them(values, levels):
    data = {"y": values, "x": [1.0, 2.0, 4.0]}
    assert Task.build("y ~ x", data, classes=True).response.levels == levels
    assert Task.build("y ~ x", data).response.levels == ()


def test_a_constant_column_can_be_centred_without_being_scaled():
    data = {"y": [1.0, 2.0, 4.0], "x": [3.0, 3.0, 3.0]}
    design = Task.build("y ~ scale(x, scale = FALSE)", data).design()
    assert design.X[:, 1].tolist() == [0.0, 0.0, 0.0]


def test_the_fingerprint_is_of_the_words_of_groups_and_not_of_where_they_are() -> None:
    """It stands in checkpoints and reports, which other sessions read."""
    found = {
        Task.build("y ~ x", DATA, groups=[f"{name}{name}" for name in names]).fingerprint
        for names in ("aabbcc", "aabbcc", "aabbca")
    }
    assert len(found) == 2
    assert Task.build("y ~ x", DATA, groups="g").fingerprint == (
        "b827aa94f917ce2a481b19adf06e5d1f1ca5962bbc1d2791a17f50197b8e242c"
    )


@pytest.mark.parametrize("na", ["omit", "pass"])
def test_what_a_file_holds_of_a_task_belongs_together(na: Any) -> None:
    data = {"y": [1.0, 2, 3, 4], "x": [1.0, np.nan, 3, 4], "z": [0.0, 1, 0, 2]}
    task = Task.build("y ~ x + z", data, na=na)
    parts = {one.name: getattr(task, one.name) for one in fields(task) if one.init}
    assert Task.from_fields(**parts).fingerprint == task.fingerprint
    column = task.frame["z"]
    for other in (replace(column, values=column.values + 1), column.rename("w")):
        columns = {name: other if name == "z" else task.frame[name] for name in task.frame.names}
        with pytest.raises(ValueError, match="'z' is not as it was read"):
            Task.from_fields(**parts | {"frame": Frame(columns, task.n)})
    for other in (
        replace(task.response, values=task.response.values + 1),
        replace(task.response, name="x"),
    ):
        with pytest.raises(ValueError, match="the response is not that of the data"):
            Task.from_fields(**parts | {"response": other})
