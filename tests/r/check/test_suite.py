"""The parity suite live and recorded, and that it catches what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, RError
from pycvstat.r.bridge import reference
from pycvstat.r.check import suite
from pycvstat.r.check.call import compare_values
from pycvstat.r.check.cases import Case
from pycvstat.r.check.suite import ROOMS, Answer, check_room, recorded, run_suite
from pycvstat.rmath.tolerances import EXACT, SUMS


@pytest.mark.parametrize("room", list(ROOMS))
def test_every_recorded_value_is_met(room):
    checked = check_room(room, "recorded")
    assert checked, checked.first_difference


@pytest.mark.live_r
@pytest.mark.parametrize("room", list(ROOMS))
def test_live_r_agrees_in_every_room(room):
    checked = check_room(room, "live")
    assert checked, checked.first_difference


@pytest.mark.live_r
def test_at_least_300_quantities_are_compared_live():
    live = run_suite("live")
    assert not live.problems
    assert sum(len(room.rows) for room in live.rooms.values()) >= 300


@pytest.mark.live_r
@pytest.mark.parametrize("room", ["random", "folds", "intervals"])
def test_live_values_are_the_recorded_ones(room):
    """These rooms involve no linear algebra: another R must give the same digits."""
    now, kept = suite.live(room), recorded(room)
    assert list(now.values) == list(kept.values)
    for case, parts in kept.values.items():
        for name, value in parts.items():
            tolerance = SUMS if room == "intervals" and name != "asked" else EXACT
            row = compare_values(name, value, now.values[case][name], tolerance)
            assert row.agrees, (case, name, row.place)


def changed(monkeypatch, room, case, **parts):
    """The cross-check of a room of which a recorded case was changed."""
    answer = recorded(room)
    values = {**answer.values, case: {**answer.values.get(case, {}), **parts}}
    monkeypatch.setattr(suite, "recorded", lambda _: Answer(values, answer.version))
    return check_room(room, "recorded")


def test_one_ulp_is_caught_and_located(monkeypatch):
    case = "rnorm(10), seed 42"
    value = list(recorded("random").values[case]["value"])
    value[3] = float(np.nextafter(value[3], np.inf))
    checked = changed(monkeypatch, "random", case, value=value)
    assert not checked
    assert checked.first_difference == f"{case}: element 4"
    row = next(row for row in checked.rows if not row.agrees)
    assert row.ulp == 1.0


def test_one_row_is_caught_and_located(monkeypatch):
    case = "FNN get.knnx and knn.reg, k = 3"
    rows = list(recorded("neighbours").values[case]["rows"])
    rows[10] += 1
    checked = changed(monkeypatch, "neighbours", case, rows=rows)
    assert checked.first_difference == f"{case}: rows: element 11"


def test_one_fold_is_caught_and_located(monkeypatch):
    case = "rsample vfold_cv, 11 rows, 3 folds, seed 7"
    rows = list(recorded("folds").values[case]["test_rows"])
    rows[0] += 1
    checked = changed(monkeypatch, "folds", case, test_rows=rows)
    assert checked.first_difference == f"{case}: test rows: fold 1, test row 1"


def test_a_case_that_only_one_side_has_is_a_difference(monkeypatch):
    answer = recorded("random")
    name = next(iter(answer.values))
    values = {k: v for k, v in answer.values.items() if k != name} | {"new": {"value": [1.0]}}
    monkeypatch.setattr(suite, "recorded", lambda _: Answer(values, answer.version))
    places = [row.place for row in check_room("random", "recorded").rows if not row.agrees]
    assert places == ["no value from R", "no value from Python"]


def test_what_was_recorded_for_other_code_is_a_difference(monkeypatch):
    checked = changed(monkeypatch, "random", "runif(10), seed 0", asked="0" * 12)
    assert "record it anew" in checked.first_difference


def test_a_recorded_file_that_was_edited_is_refused(monkeypatch, tmp_path):
    folder = tmp_path / "recorded"
    folder.mkdir()
    for file in ("cases-random.json", "SHA256SUMS"):
        (folder / file).write_bytes(reference.path(f"recorded/{file}").read_bytes())
    monkeypatch.setattr(reference, "path", lambda name: tmp_path / name)
    assert check_room("random", "recorded")
    edited = (folder / "cases-random.json").read_text().replace("1", "2", 1)
    (folder / "cases-random.json").write_text(edited)
    with pytest.raises(InputError, match="not the one that was recorded"):
        check_room("random", "recorded")


def test_every_recorded_file_has_the_checksum_it_was_recorded_with():
    folder = reference.path("recorded")
    files = sorted(p.name for p in folder.glob("*.json"))
    listed = sorted(
        line.split()[1] for line in (folder / "SHA256SUMS").read_text().splitlines() if line
    )
    assert files == listed
    for name in files:
        assert "meta" in reference.recorded(name)


def test_a_missing_r_is_said_and_not_skipped(without_r):
    found = run_suite("live", ("random",))
    assert not found
    assert "random" in found.problems
    with pytest.raises(RError):
        check_room("random", "live")


def test_an_error_of_our_own_is_a_difference(monkeypatch):
    def fails():
        raise InputError("no.")

    monkeypatch.setattr(suite, "cases", lambda _: [Case("runif(10), seed 0", fails)])
    row = next(r for r in check_room("random", "recorded").rows if r.quantity.startswith("runif"))
    assert row.place == "no value from Python: no."


@pytest.mark.parametrize(
    ("a", "b", "agrees"),
    [
        ([1.0, np.nan], [1.0, np.nan], True),
        ([1.0, np.nan], [1.0, 2.0], False),
        ([1.0], [1.0, 1.0], False),
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a", "c"], False),
        ([0.0], [5e-324], False),
        ([np.inf], [np.inf], True),
        ([], [], True),
    ],
)
def test_comparing_values(a, b, agrees):
    assert compare_values("x", a, b, EXACT).agrees is agrees


def test_relative_tolerance_is_a_limit_on_both_sides():
    assert compare_values("x", [1.0], [1.0 + 0.9e-12], SUMS).agrees
    assert not compare_values("x", [1.0], [1.0 + 1.2e-12], SUMS).agrees
    big = [1e6, 1.0]
    near = [1e6, 1.0 + 1e-8]
    assert not compare_values("x", big, near, SUMS).agrees
    assert compare_values("x", big, near, SUMS.of_the_largest()).agrees


def test_summary_is_readable():
    text = run_suite("recorded", ("random", "intervals")).summary()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "random numbers" in text


def test_names_of_rooms_are_those_of_the_command_line():
    from pycvstat.cli.parser import ROOMS as words

    assert set(words) == set(ROOMS)


def test_public_front_door():
    assert pcv.r.check.run_suite is run_suite
