"""R that hangs or crashes: a limit inside this process, and a process of its own."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace

import pytest

import pycvstat as pcv
from pycvstat.errors import PycvstatWarning, RError
from pycvstat.learners.in_r import LearnerInR
from pycvstat.r.bridge import run, time_limit
from pycvstat.r.bridge.processes import separately

pytestmark = pytest.mark.live_r


@pytest.mark.parametrize(
    "code",
    [
        "repeat {}",
        "Sys.sleep(60)",
        "repeat sort(runif(1e5))",
        "tryCatch(repeat {}, error = function(e) repeat {})",
    ],
)
def test_hanging_code_is_stopped_and_r_goes_on(code: str) -> None:
    before = signal.getsignal(signal.SIGINT)
    started = time.monotonic()
    with pytest.raises(RError, match=r"did not finish within 0\.2 seconds"), time_limit(0.2):
        run(code)
    assert time.monotonic() - started < 20
    assert signal.getsignal(signal.SIGINT) is before
    assert run("1 + 1") == 2.0


def test_a_limit_ends_with_its_block() -> None:
    with time_limit(0.1):
        assert run("2") == 2.0
    assert run("Sys.sleep(0.2); 3") == 3.0
    with time_limit(0.1), time_limit(None):
        assert run("Sys.sleep(0.2); 4") == 4.0
    for odd in (0, float("nan"), "a", True):
        with pytest.raises(RError, match="above 0"), time_limit(odd):  # type: ignore[arg-type]
            pass


def test_a_cross_check_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    hangs = LearnerInR("(function(...) repeat {})", "nothing")
    monkeypatch.setattr(pcv.OLS, "in_r", lambda self, task: hangs)
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(3))
    with pytest.raises(RError, match=r"did not finish within 0\.5 seconds"):
        result.crosscheck(seconds=0.5)


def test_work_in_a_process_of_its_own() -> None:
    assert separately(run, "1 + 1", seconds=60) == 2.0
    with pytest.raises(RError, match="R stopped: oops"):
        separately(run, "stop('oops')", seconds=60)
    with pytest.warns(PycvstatWarning, match="R warned: careful"):
        assert separately(run, "warning('careful'); 3", seconds=60) == 3.0


@pytest.mark.parametrize("number", [9, 11])
def test_a_crash_is_reported_as_a_crash(number: int) -> None:
    with pytest.raises(RError, match=rf"R crashed \({signal.Signals(number).name}\)") as caught:
        separately(run, f"tools::pskill(Sys.getpid(), {number}); Sys.sleep(5)", seconds=60)
    assert caught.value.fix is not None
    assert run("1 + 1") == 2.0


def test_a_hang_of_its_own_is_ended() -> None:
    started = time.monotonic()
    with pytest.raises(RError, match="did not finish within 2 seconds"):
        separately(run, "repeat {}", seconds=2)
    assert time.monotonic() - started < 20


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_every_kind_of_result_can_be_checked_separately(forks: None) -> None:
    cars = pcv.data.mtcars()
    folds = pcv.KFold(4, random=1)
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=folds)
    for one in (result, result.plan, result.interval(), pcv.OLS().fit("mpg ~ wt", cars)):
        here, there = one.crosscheck(), one.crosscheck(separate=True, seconds=120)
        assert there
        assert repr(there.rows) == repr(here.rows)  # NaN where there is no number
    wrong = replace(result, table=replace(result.table, losses=result.table.losses * 1.01))
    assert "losses" in str(wrong.crosscheck(separate=True).first_difference)


def test_what_cannot_be_sent_is_said() -> None:
    with pytest.raises(RError, match="cannot be sent"):
        separately(lambda: 1, seconds=60)


def test_without_r_nothing_is_started(without_r: None) -> None:
    with pytest.raises(RError, match="PYCVSTAT_R=none"):
        separately(os.getpid, seconds=1)
