"""A line with the time left for who watches, nothing for anybody else."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run import jobs
from tests.run.conftest import Run


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_silent_where_nobody_watches(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(jobs.who)
    run(jobs.who, n_jobs=2)
    run(jobs.who, progress=False)
    assert capsys.readouterr() == ("", "")


def test_a_line_when_asked_for(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(jobs.who, progress=True)
    told = capsys.readouterr().err
    assert "test run: 100%" in told
    assert "6/6" in told


def test_the_time_left_on_a_terminal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    run(jobs.slow, tmp_path, range(30))
    told = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert "test run:" in told
    assert "<00:0" in told  # the time left


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of Unix")
def test_a_terminal_that_does_not_know_its_size() -> None:
    """As under ``script`` or in a container."""
    script = (
        "from pycvstat.run.tasks import progress_line\n"
        "with progress_line(True, total=3, done=0, label='long work') as line: line.update(3)"
    )
    outside, inside = os.openpty()
    try:
        subprocess.run([sys.executable, "-c", script], stderr=inside, check=True)
        told = os.read(outside, 10_000).decode()
    finally:
        os.close(outside)
        os.close(inside)
    assert "long work: 100%" in told
    assert "3/3" in told


def test_short_work_shows_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    run(jobs.who)
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_a_continued_run_counts_what_was_done(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(jobs.who, checkpoint=tmp_path)
    next(tmp_path.glob("*/task-*.npz")).unlink()
    run(jobs.who, checkpoint=tmp_path, progress=True)
    assert " 83%" in capsys.readouterr().err


def test_work_inside_a_task_shows_no_line_of_its_own(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    def outer(shared: object, task: int) -> list[object]:
        return run(jobs.who, progress=True)

    run(outer, progress=True)
    assert capsys.readouterr().err.count("test run: 100%") == 1


def test_a_session_without_standard_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert len(run(jobs.who)) == 6
