"""R reads formula and data as they were given: a wrong reading of ours is seen."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.data import formula as formulas, task
from pycvstat.data.formula.evaluate import ALLOWED, OPERATORS
from pycvstat.data.frame import columns
from pycvstat.r.bridge import reference
from pycvstat.r.check.call import call_of

FOLDS = pcv.KFold(3, random=1)
rng = np.random.default_rng(3)
DATA = pd.DataFrame(
    {
        "y": rng.normal(size=40),
        "x": rng.normal(size=40),
        "z": rng.normal(size=40),
        "g": np.array(["b", "A", "a", "B"])[np.arange(40) % 4],
        "w": rng.uniform(1, 2, 40),
    }
)
HOLES = DATA.assign(z=DATA["z"].mask(DATA.index == 4), x=DATA["x"].mask(DATA.index == 9))


@pytest.mark.live_r
@pytest.mark.parametrize(
    ("learner", "formula", "given"),
    [
        (pcv.OLS(), "y ~ . - z - w", {}),
        (pcv.OLS(), "y ~ x + g + offset(z)", {}),
        (pcv.OLS(), "y ~ poly(x, 2) + I(z^2) + C(g)", {"data": HOLES, "na": "omit"}),
        (pcv.OLS(), "y ~ . - z", {"data": HOLES, "na": "omit"}),  # as R, without the row of z
        (pcv.WLS(), "y ~ .", {"weights": "w"}),
        (pcv.WLS(), "y ~ x", {"weights": DATA["w"].mask(DATA.index == 2), "na": "omit"}),
        (pcv.OLS(), "y ~ x", {"groups": DATA["g"].mask(DATA.index == 7), "na": "omit",
                              "folds": pcv.Grouped(3, random=1)}),
        (pcv.Ridge(lam=0.3), "y ~ g + x", {}),
        (pcv.Ridge(lam=0.3), "y ~ g + x", {"levels": "C"}),
        (pcv.MNLogit(), "g ~ x", {}),
        (pcv.MNLogit(), "g ~ x", {"levels": "C"}),
        (pcv.OLS(), None, {"X": DATA[["x", "z"]], "y": DATA["y"]}),
    ],
    ids=str,
)  # fmt: skip
def test_r_reads_the_same(learner, formula, given):
    asked = {"data": None if formula is None else DATA, "folds": FOLDS} | given
    result = pcv.cross_validate(learner, formula, **asked)
    checked = result.crosscheck()
    assert checked, checked.words
    assert any(r.quantity == "rows used" for r in checked.rows)
    code = call_of(result).values
    assert formula is None or code["formula"] == formula


OWN = ["y ~ . - z", "y ~ x * z - x", "y ~ poly(z, 2) + offset(x)"]


@pytest.mark.live_r
def test_a_formula_that_names_all_columns_of_the_models_is_still_that_of_the_others():
    models = [pcv.Model(pcv.OLS(), "y ~ x"), pcv.OLS()]
    result = pcv.tune(models, "y ~ x + z", DATA, folds=FOLDS)
    assert result.crosscheck(), result.crosscheck().words


@pytest.mark.live_r
@pytest.mark.filterwarnings("ignore:rows that miss a value:pycvstat.errors.PycvstatWarning")
@pytest.mark.parametrize("formula", [None, "y ~ x"])
def test_r_reads_the_formulas_of_a_grid_as_they_were_given(formula):
    models = {text: pcv.Model(pcv.WLS(), text) for text in OWN}
    models |= {} if formula is None else {"plain": pcv.WLS()}
    steps = pcv.Stepwise(pcv.WLS(), "forward")
    for result in (
        pcv.tune(models, formula, HOLES, weights="w", folds=FOLDS, na="omit"),
        pcv.tune(steps, data=HOLES, grid={"formula": OWN}, weights="w", folds=FOLDS, na="omit"),
    ):
        assert result.crosscheck(), result.crosscheck().words
        params = [one.get("params", one) for one in call_of(result).values["candidates"]]
        assert [one["formula"] for one in params if "formula" in one] == OWN
        assert not any("was not given" in note for note in result.crosscheck().notes)


@pytest.mark.live_r
@pytest.mark.parametrize("wrong", ["y ~ x", "y ~ x:z"])
def test_a_formula_of_a_model_that_was_read_wrongly_is_seen(monkeypatch, wrong):
    right = formulas.parse
    other = {OWN[1]: wrong}
    monkeypatch.setattr(formulas, "parse", lambda text, *of: right(other.get(text, text), *of))
    result = pcv.tune(pcv.OLS(), data=DATA, grid={"formula": OWN[1:]}, folds=FOLDS)
    assert result.crosscheck().verdict == "differs"


@pytest.mark.live_r
def test_what_r_was_told_is_named():
    result = pcv.cross_validate(pcv.WLS(), "y ~ .", DATA, weights="w", folds=FOLDS, levels="C")
    notes = " ".join(result.crosscheck().notes)
    assert "R was given the folds, the weights, and did not compute them." in notes
    assert "R was told that . leaves out w." in notes
    assert "R was told to sort words by code point, whatever its locale." in notes


@pytest.mark.live_r
def test_a_formula_that_was_read_wrongly_is_seen():
    result = pcv.cross_validate(pcv.OLS(), "y ~ x + z", DATA, folds=FOLDS)
    wrong = replace(result.task.formula)
    object.__setattr__(wrong, "text", "y ~ x * z")
    assert not replace(result, task=replace(result.task, formula=wrong)).crosscheck()


@pytest.mark.live_r
def test_words_that_were_sorted_wrongly_are_seen(monkeypatch):
    right = columns.word_order
    monkeypatch.setattr(columns, "word_order", lambda words, how: right(words, how)[::-1])
    result = pcv.cross_validate(pcv.Ridge(lam=0.3), "y ~ g + x", DATA, folds=FOLDS)
    assert result.crosscheck().verdict == "differs"


@pytest.mark.live_r
def test_a_row_that_was_left_out_wrongly_is_seen(monkeypatch):
    right = task.complete_rows
    monkeypatch.setattr(task, "complete_rows", lambda *given: right(*given)[:-1])
    result = pcv.cross_validate(pcv.OLS(), "y ~ x", HOLES, folds=FOLDS, na="omit")
    assert result.crosscheck().first_difference.startswith("rows used: shapes (38,) and (39,)")


def test_r_may_call_what_a_formula_of_ours_may_call():
    text = reference.path("procedures.R").read_text()
    (listed,) = re.findall(r"pcv_known <- c\((.*?)\)\n\n", text, re.DOTALL)
    known = set(re.findall(r'"([^"]+)"', listed))
    assert {*ALLOWED, *OPERATORS} - {"**"} <= known
    assert known - {*ALLOWED, *OPERATORS} == {"~", "(", ":", "!"}  # which call nothing


def test_no_file_of_r_functions_hides_one_of_another():
    files = ("folds.R", "intervals.R", "kknn_standin.R", "lecture.R", "procedures.R")
    texts = [reference.path(file).read_text() for file in files]
    names = [name for text in texts for name in {*re.findall(r"^(\S+) <- ", text, re.MULTILINE)}]
    assert {name for name in names if names.count(name) > 1} == set()


@pytest.mark.live_r
@pytest.mark.parametrize("text", ["y ~ system('false')", "stop('run')", "y ~ x; stop('run')", "x"])
def test_r_runs_no_text_that_is_no_formula(text):
    result = pcv.cross_validate(pcv.OLS(), "y ~ x", DATA, folds=FOLDS)
    wrong = replace(result.task.formula)
    object.__setattr__(wrong, "text", text)
    with pytest.raises(pcv.errors.RError) as caught:
        replace(result, task=replace(result.task, formula=wrong)).crosscheck()
    assert "run" not in caught.value.problem.replace("may not call", "")


CARS = pcv.data.mtcars()


@pytest.mark.live_r
@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
@pytest.mark.parametrize(
    ("formula", "allowed"),
    [
        ("mpg ~ wt", (1e-10, 1e-10)),
        ("mpg ~ poly(hp, 5, raw = TRUE)", (1.1e-10, 1e-9)),
        ("mpg ~ poly(wt, 6, raw = TRUE)", (1e-9, 1e-8)),
        ("mpg ~ wt + I(wt + 1e-5 * qsec)", (1e-9, 1e-7)),
        ("mpg ~ wt + hp + I(wt + hp)", (1e-10, 1e-10)),  # what others span is left out
    ],
)
def test_the_tolerance_knows_how_nearly_collinear_predictors_are(formula, allowed):
    result = pcv.cross_validate(pcv.OLS(), formula, CARS, folds=pcv.LeaveOneOut())
    checked = result.crosscheck()
    assert checked, checked.words
    (row,) = [row for row in checked.rows if row.quantity.startswith("estimate")]
    assert allowed[0] <= row.tolerance.relative <= allowed[1]
    assert ("condition number" in row.tolerance.reason) == (allowed[1] > 1e-10)
    losses = result.table.losses.copy()
    losses[3] *= 1 + 1e-6
    wrong = replace(result, table=replace(result.table, losses=losses, seal=""))
    assert wrong.crosscheck().verdict == "differs"
