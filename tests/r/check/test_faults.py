"""R missing, wrong, failing, warning, crashing or hanging: each is reported as itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import pycvstat as pcv
from pycvstat.errors import PycvstatWarning, RError
from pycvstat.learners.in_r import LearnerInR
from pycvstat.r.bridge import installed
from pycvstat.r.check import cases
from pycvstat.r.check.cases import run_suite
from tests.forked import python

MTCARS = pcv.data.mtcars()


@pytest.fixture
def profile(monkeypatch, tmp_path):
    """Make every R that starts from now on do something when it loads a package."""

    def on_load(package: str, action: str) -> None:
        file = tmp_path / "profile.R"
        file.write_text(f'setHook(packageEvent("{package}", "onLoad"), function(...) {action})\n')
        monkeypatch.setenv("R_PROFILE_USER", str(file))

    return on_load


def verdicts(found):
    """The verdicts of every room."""
    return {g: {r.verdict for r in found.rows if r.group == g} for g in found.by_group()["group"]}


@pytest.mark.live_r
def test_a_crash_in_one_room_is_named_and_the_others_are_compared(profile, forks):
    profile("FNN", "tools::pskill(Sys.getpid(), 11)")
    found = run_suite("live", ("random", "neighbours", "intervals"))
    assert found.verdict == "not fully compared"
    assert verdicts(found) == {
        "random numbers": {"agrees"},
        "nearest neighbours": {"not compared"},
        "intervals": {"agrees"},
    }
    assert "R crashed (SIGSEGV)" in found.left_out
    assert "R crashed" in found.summary()


@pytest.mark.live_r
def test_an_error_and_a_warning_inside_a_room(profile, forks):
    broken = "function(...) stop('the package is broken')"
    profile("FNN", f"utils::assignInNamespace('get.knnx', {broken}, 'FNN')")
    found = run_suite("live", ("neighbours", "random"))
    assert "the package is broken" in found.left_out
    assert verdicts(found)["random numbers"] == {"agrees"}
    profile("FNN", "warning('the package is odd')")
    with pytest.warns(PycvstatWarning, match="R warned: the package is odd"):
        found = run_suite("live", ("neighbours",))
    assert found
    assert found.notes == ("R warned: the package is odd",)


@pytest.mark.live_r
def test_a_hang_in_a_room_is_ended(profile, monkeypatch):
    monkeypatch.setattr(cases, "SECONDS", 2.0)
    profile("FNN", "repeat {}")
    found = run_suite("live", ("neighbours",))
    assert not found
    assert "did not finish within 2 seconds" in found.left_out


@pytest.mark.live_r
def test_the_command_ends_with_one_line_and_a_status(profile):
    profile("FNN", "tools::pskill(Sys.getpid(), 9)")
    ran = python(
        "-c", "from pycvstat.cli import main; raise SystemExit(main())",
        "crosscheck", "--live", "--room", "neighbours", cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert ran.returncode != 0
    assert "R crashed (SIGKILL)" in ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr


@pytest.mark.live_r
def test_a_crash_under_a_users_cross_check(profile, forks):
    profile("quantreg", "tools::pskill(Sys.getpid(), 11)")
    result = pcv.cross_validate(pcv.QuantReg(), "mpg ~ wt", MTCARS, folds=pcv.KFold(3, random=1))
    with pytest.raises(RError, match="R crashed") as caught:
        result.crosscheck(separate=True)
    assert caught.value.fix is not None


@pytest.mark.live_r
def test_a_missing_package_comes_with_its_command(monkeypatch):
    without = LearnerInR("pcv_learners$quantreg", "quantreg::rq", packages=("nosuchpackage",))
    monkeypatch.setattr(pcv.QuantReg, "in_r", lambda self, task: without)
    result = pcv.cross_validate(pcv.QuantReg(), "mpg ~ wt", MTCARS, folds=pcv.KFold(3, random=1))
    with pytest.raises(RError, match="R lacks packages") as caught:
        result.crosscheck()
    assert caught.value.given == "nosuchpackage"
    assert "nosuchpackage" in str(caught.value.fix)


def test_an_old_r_is_named_with_what_to_do(monkeypatch, tmp_path):
    program = tmp_path / "R"
    program.write_text("#!/bin/sh\necho 'R version 3.6.3 (2020-02-29)'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.delenv("R_HOME", raising=False)
    monkeypatch.delenv("PYCVSTAT_R", raising=False)
    problem = installed.missing()
    assert problem is not None
    assert "R 4.2" in problem.problem
    assert problem.given == "R 3.6.3"
    assert problem.fix is not None


KINDS = {
    "plan": lambda: pcv.KFold(3, random=1).plan(9),
    "cv": lambda: pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=pcv.KFold(3, random=1)),
    "interval": lambda: KINDS["cv"]().interval(),
    "fit": lambda: pcv.OLS().fit("mpg ~ wt", MTCARS),
    "neighbours": lambda: pcv.KNN(3).fit("mpg ~ wt", MTCARS),
    "losses": lambda: pcv.from_losses([1.0, 2.0, 3.0, 5.0], [1, 1, 2, 2]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("separate", [False, True])
def test_without_r_every_kind_says_so(kind, separate, without_r):
    with pytest.raises(RError, match="PYCVSTAT_R=none") as caught:
        KINDS[kind]().crosscheck(separate=separate)
    assert caught.value.fix == "unset PYCVSTAT_R to use R"
