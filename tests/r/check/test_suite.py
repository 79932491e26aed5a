"""The parity suite live and recorded, and that it catches what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, RError
from pycvstat.r.bridge import reference
from pycvstat.r.check import suite
from pycvstat.r.check.cases.case import Case
from pycvstat.r.check.suite import ROOMS, check_room, recorded_values, run_suite
from pycvstat.r.check.table import compare_values
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
    live, _ = suite.live_values(room)
    kept, _ = recorded_values(room)
    for name, value in kept.items():
        row = compare_values(name, value, live[name], SUMS if room == "intervals" else EXACT)
        assert row.agrees, (name, row.place)


def corrupted(monkeypatch, room: str, name: str, change):
    values, version = recorded_values(room)
    values[name] = change(values[name])
    monkeypatch.setattr(suite, "recorded_values", lambda _: (values, version))
    return check_room(room, "recorded")


def test_one_ulp_is_caught_and_located(monkeypatch):
    def change(x):
        x = x.copy()
        x[3] = np.nextafter(x[3], np.inf)
        return x

    checked = corrupted(monkeypatch, "random", "rnorm(10), seed 42", change)
    assert not checked
    assert checked.first_difference == "rnorm(10), seed 42: element 4"
    row = next(row for row in checked.rows if not row.agrees)
    assert row.ulp == 1.0


def test_one_row_is_caught_and_located(monkeypatch):
    def change(x):
        x = x.copy()
        x[10] += 1
        return x

    checked = corrupted(monkeypatch, "neighbours", "neighbour rows, k = 3", change)
    assert checked.first_difference == "neighbour rows, k = 3: element 11"


def test_one_fold_is_caught_and_located(monkeypatch):
    def change(x):
        x = x.copy()
        x[0] = 1 + x[0] % 3
        return x

    name = "rsample vfold_cv, 11 rows, 3 folds, seed 7"
    checked = corrupted(monkeypatch, "folds", name, change)
    assert checked.first_difference == f"{name}: element 1"


def test_a_quantity_that_only_one_side_has_is_a_difference(monkeypatch):
    values, version = recorded_values("random")
    name = next(iter(values))
    shortened = {k: v for k, v in values.items() if k != name} | {"new": 1.0}
    monkeypatch.setattr(suite, "recorded_values", lambda _: (shortened, version))
    places = [row.place for row in check_room("random", "recorded").rows if not row.agrees]
    assert places == ["no value from Python", "no value from R"]


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
    def fails(_):
        raise InputError("no.")

    monkeypatch.setattr(suite, "python_cases", lambda _: {"runif(10), seed 0": Case(fails)})
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
    from pycvstat.cli.arguments import ROOMS as words

    assert set(words) == set(ROOMS)


def test_public_front_door():
    assert pcv.r.check.run_suite is run_suite
