"""A user's file of cases on the command line, its report and its JUnit XML."""

from __future__ import annotations

import csv
from xml.etree import ElementTree

import pytest

from pycvstat import cli
from pycvstat.errors import InputError
from pycvstat.r.check.case import cases_in

FILE = '''"""Means of two kinds

The trimmed mean leaves out a share at both ends.

Both use the same numbers.
"""
import scipy.stats

import pycvstat as pcv

x = [1.0, 2.0, 4.0, 5.0, 90.0]

def trimmed(x):
    return scipy.stats.trim_mean(x, 0.2)

cases = [
    pcv.Case("trimmed mean", trimmed, "mean(x, trim = 0.2)", {"x": x}, 1e-12, "sums"),
    pcv.Case("median < mean", 4.0, "median(x)", {"x": x}),
]
'''


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mycases.py").write_text(FILE)
    return tmp_path


@pytest.mark.live_r
def test_a_file_is_checked_recorded_and_reported(place, capsys, monkeypatch):
    words = ["crosscheck", "mycases.py"]
    assert cli.main([*words, "--report", "page.md", "--junit", "out.xml"]) == 0
    assert "2 of 2 quantities agree" in capsys.readouterr().out
    monkeypatch.setenv("PYCVSTAT_R", "none")
    assert cli.main([*words, "--report", "page.csv"]) == 0
    page = (place / "page.md").read_text()
    assert page.startswith("# Means of two kinds\n")
    for part in ("| Statistic | R | Python | Match | Notes |", "median &lt; mean", "yes",
                 "within 1.0e-12: sums", "```r\nmean(x, trim = 0.2)", "```python\ndef trimmed(x)",
                 "## Session info", "R version", "Both use the same numbers."):  # fmt: skip
        assert part in page, part
    rows = list(csv.DictReader((place / "page.csv").read_text().splitlines()))
    assert [row["verdict"] for row in rows] == ["agrees", "agrees"]
    suite = ElementTree.parse(place / "out.xml").getroot()
    assert suite.attrib == {"name": "crosscheck", "tests": "2", "failures": "0", "errors": "0"}
    assert [case.get("name") for case in suite] == ["trimmed mean", "median < mean"]


@pytest.mark.live_r
def test_a_difference_and_what_is_not_compared_end_with_1(place, capsys):
    more = 'cases = [pcv.Case("refused", 1, "stop(\'no\')"),'
    (place / "mycases.py").write_text(FILE.replace("cases = [", more).replace('4.0, "m', '4.5, "m'))
    assert cli.main(["crosscheck", "mycases.py", "--junit", "out.xml"]) == 1
    told = capsys.readouterr().err
    assert "differs: 1 of 3 quantities agrees; the first that differs: median < mean" in told
    assert "not compared: refused (R stopped: no)" in told
    suite = ElementTree.parse("out.xml").getroot()
    assert (suite.get("failures"), suite.get("errors")) == ("1", "1")
    assert suite[2][0].get("message") == "element 1: 4.5 in Python, 4.0 in R"


def test_without_r_a_missing_value_ends_with_1(place, capsys, without_r):
    assert cli.main(["crosscheck", "mycases.py", "--junit", "out.xml"]) == 1
    assert "there is no recorded value" in capsys.readouterr().err
    assert ElementTree.parse("out.xml").getroot().get("errors") == "2"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1/0", "the file of cases stopped"),
        ("def", "the file of cases stopped"),
        ("raise SystemExit", "the file of cases stopped"),
        ("import nosuch", "No module named"),
        ("x = 1", "the file defines no case"),
    ],
)
def test_files_that_hold_no_cases_are_answered(tmp_path, text, words):
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(InputError, match=words):
        cases_in(tmp_path / "mine.py")
    with pytest.raises(InputError, match="no such file of cases"):
        cases_in(tmp_path / "other.py")
