"""The parity suite live and recorded, and that it catches what is wrong."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, RError
from pycvstat.r.bridge import reference
from pycvstat.r.check import cases as cases_of, check
from pycvstat.r.check.cases import RECORDED, ROOMS, cases, run_suite
from pycvstat.r.check.checking import Answer, read_answers, write_answers

KEPT = reference.path(RECORDED)


@pytest.mark.parametrize("room", list(ROOMS))
def test_every_recorded_value_is_met(room):
    checked = run_suite("recorded", (room,))
    assert checked, checked.words


EXACT = ("random", "folds", "intervals")  # no linear algebra: R's digits are the same everywhere


@pytest.mark.slow
@pytest.mark.live_r
def test_live_r_agrees_in_every_room():
    checked = run_suite("live", [room for room in ROOMS if room not in EXACT])
    assert checked, checked.words


@pytest.mark.live_r
def test_live_r_gives_the_recorded_digits(monkeypatch, tmp_path):
    kept = tmp_path / "cases.json"
    shutil.copy(KEPT, kept)
    monkeypatch.setattr(reference, "path", lambda _: kept)
    checked = run_suite("both", EXACT)
    assert checked, checked.words
    assert len(checked.rows) == 2 * len(run_suite("recorded", EXACT).rows)
    assert kept.read_bytes() == KEPT.read_bytes()  # every value was recorded


def test_what_is_recorded_are_the_cases_and_no_others_850_quantities_of_them():
    names = [case.name for room in ROOMS for case in cases(room)]
    assert len(names) == len({*names}) == len(read_answers(KEPT))
    assert {*names} == {*read_answers(KEPT)}
    table = json.loads(KEPT.read_text())["values"]
    assert all(one["by"]["r"].startswith("R version") for one in table.values())
    parts = [one["value"] for one in table.values()]
    assert sum(len(v["list"]) if isinstance(v, dict) and "list" in v else 1 for v in parts) >= 850


@pytest.fixture
def changed(monkeypatch, tmp_path):
    """Checks a room of which a recorded value was changed."""

    def change(room, case, how):
        kept = read_answers(KEPT)
        old = kept[case]
        value = json.loads(json.dumps(old.value))
        kept[case] = Answer(old.asked, old.by, how(value) or value)
        write_answers(tmp_path / "cases.json", kept)
        monkeypatch.setattr(reference, "path", lambda _: tmp_path / "cases.json")
        return run_suite("recorded", (room,))

    return change


def test_one_ulp_is_caught_and_located(changed):
    def up(value):
        value[3] = float(np.nextafter(value[3], np.inf))

    case = "rnorm(10), seed 42"
    checked = changed("random", case, up)
    assert checked.verdict == "differs"
    assert checked.first_difference == f"{case}: element 4"
    row = next(row for row in checked.rows if not row.agrees)
    assert row.ulp == 1.0


def test_one_row_is_caught_and_located(changed):
    def move(value):
        value["list"]["rows"]["numbers"][10] += 1

    case = "FNN get.knnx and knn.reg, k = 3"
    checked = changed("neighbours", case, move)
    assert checked.first_difference == f"{case}$rows: row 4, column 2"


def test_one_fold_is_caught_and_located(changed):
    def move(value):
        value["list"]["test_rows"][0] += 1

    case = "rsample vfold_cv, 11 rows, 3 folds, seed 7"
    checked = changed("folds", case, move)
    assert checked.first_difference == f"{case}: test rows: fold 1, test row 1"


def test_a_refusal_that_was_recorded_is_read_as_one(changed):
    def refuse(value):
        value["list"]["refused"] = {"words": ["", "singular", "", ""]}

    case = "ridge mpg ~ ., 4 x 4"
    checked = changed("nested", case, refuse)
    assert checked.verdict == "not fully compared"
    assert f"{case}: fold 2 (R says: singular)" in checked.left_out
    assert f"{case}: estimate (mean of fold means)" in checked.left_out


def test_a_recorded_file_that_was_edited_is_refused(monkeypatch, tmp_path):
    edited = KEPT.read_text().replace("0.8966", "0.8967", 1)
    (tmp_path / "cases.json").write_text(edited)
    with pytest.raises(InputError, match="not the one that was recorded"):
        check(cases("random"), tmp_path / "cases.json", "recorded")


def test_a_missing_r_is_said_and_not_skipped(without_r):
    with pytest.raises(RError, match="PYCVSTAT_R=none"):
        run_suite("live", ("random",))


def test_an_error_of_our_own_is_a_difference(monkeypatch):
    def fails():
        raise InputError("no.")

    first, *rest = cases("random")
    monkeypatch.setattr(cases_of, "cases", lambda _: [pcv.Case(first.name, fails, "1"), *rest])
    checked = run_suite("recorded", ("random",))
    assert checked.first_difference == f"{first.name}: no value from Python: no."


def test_summary_is_readable():
    text = run_suite("recorded", ("random", "intervals")).summary()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "random numbers" in text


def test_names_of_rooms_are_those_of_the_command_line():
    from pycvstat.cli.parser import ROOMS as words

    assert set(words) == set(ROOMS)
    with pytest.raises(InputError, match="no such room"):
        run_suite("recorded", ("attic",))
