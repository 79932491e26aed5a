"""The fixture ``r`` in tests of a user's own: live, recorded, recording, without R."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[2]

TEST = """
def test_trimmed(r):
    x = [1.0, 2.0, 4.0, 5.0, 90.0]
    r.agrees(11 / 3, "mean(x, trim = 0.2)", data={"x": x}, rtol=1e-12, because="sums")
    assert r.agrees(4.0, "median(x)", data={"x": x})
"""
WRONG = """
def test_wrong(r):
    r.agrees(4.5, "median(x)", data={"x": [1.0, 4.0, 5.0]})
"""
PLUGIN = ("-p", "pycvstat.r.pytest_plugin", "-p", "no:cacheprovider")


def with_r(pytester, monkeypatch, *words):
    """A pytest of its own, since R starts once in a process."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return pytester.runpytest_subprocess(*PLUGIN, *words)


@pytest.mark.live_r
def test_live_values_are_kept_beside_the_test_and_do_without_r(pytester, monkeypatch):
    pytester.makepyfile(test_mine=TEST + WRONG)
    found = with_r(pytester, monkeypatch)
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(["*test_wrong: element 1: 4.5, in R 4.0; 0.11 apart, 0 allowed*"])
    kept = json.loads((pytester.path / "test_mine.r.json").read_text())["values"]
    assert [*kept] == ["test_trimmed", "test_trimmed (2)", "test_wrong"]
    assert kept["test_trimmed"]["by"]["r"].startswith("R version")
    for words, setting in (((), "none"), (("--r=recorded",), "auto")):
        monkeypatch.setenv("PYCVSTAT_R", setting)
        pytester.runpytest_inprocess(*PLUGIN, *words).assert_outcomes(passed=1, failed=1)
    pytester.makepyfile(test_mine=TEST.replace("90.0", "91.0"))
    changed = pytester.runpytest_inprocess(*PLUGIN, "--r=recorded")
    changed.assert_outcomes(failed=1)
    changed.stdout.fnmatch_lines(["*the recorded value is of other code or data*"])
    with_r(pytester, monkeypatch, "--r=record").assert_outcomes(passed=1)
    pytester.runpytest_inprocess(*PLUGIN, "--r=recorded").assert_outcomes(passed=1)


@pytest.mark.parametrize("words", [(), ("--r=recorded",), ("--r=live",)])
def test_without_r_a_missing_value_is_a_failure_and_no_skip(words, pytester, without_r):
    pytester.makepyfile(test_mine=TEST)
    found = pytester.runpytest_inprocess(*PLUGIN, *words)
    found.assert_outcomes(failed=1)
    said = "PYCVSTAT_R=none" if "--r=live" in words else "not compared: there is no recorded value"
    found.stdout.fnmatch_lines([f"*{said}*"])


def test_the_entry_point_has_the_name_of_the_module():
    import tomllib

    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert points["pytest11"] == {"pycvstat.r.pytest_plugin": "pycvstat.r.pytest_plugin"}
