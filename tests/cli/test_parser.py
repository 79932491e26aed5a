"""The command line: what it prints, what it writes, and errors without a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from pycvstat import cli
from pycvstat.r.lecture import course


def test_doctor(without_r: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 0
    assert "R is switched off" in capsys.readouterr().out


def test_lecture_without_r(
    without_r: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lecture.html"
    assert cli.main(["lecture", "--report", str(path)]) == 0
    printed = capsys.readouterr().out
    assert printed.rstrip().endswith(f"Report: {path}")
    assert "Python and R agree" in printed
    assert "kknn 1.4.1, recorded" in printed
    assert max(map(len, printed.splitlines()[:-1])) <= 80
    page = path.read_text(encoding="utf-8")
    assert "<svg" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_lecture_says_when_python_and_r_differ(
    without_r: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "pycvstat.report.views.parity.course_data", lambda: course.waves(200, random=1)
    )
    assert cli.main(["lecture", "--report", str(tmp_path / "l.html")]) == 1
    shown = capsys.readouterr()
    assert "Python and R DIFFER" in shown.out
    assert "differ by more than rounding" in shown.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lecture", "--report", "tests.html/lecture.html"], "directory of the report does not"),
        (["lecture", "--report", "lecture.xls"], "a report ends in .html"),
    ],
)
def test_errors_have_no_traceback(
    without_r: None, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert cli.main(arguments) == 1
    assert message in capsys.readouterr().err


def test_unknown_commands_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["lectures"])
    assert ended.value.code == 2
    assert "lecture" in capsys.readouterr().err
