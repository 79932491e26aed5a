"""R's own words reach the user, and no rpy2 traceback does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest

from pycvstat.errors import PycvstatWarning, RError
from pycvstat.r.bridge import available, installed, require, run, source

pytestmark = pytest.mark.live_r


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("stop('oops')", "R stopped: oops"),
        ("f <- function(x) stop('in f'); f(1)", "R stopped: in f\n  Given: in f(1)"),
        ("log('a')", "R stopped: non-numeric argument to mathematical function"),
        ("nosuch(1)", 'R stopped: could not find function "nosuch"'),
        ("1 +", "R stopped: <text>:2:0: unexpected end of input"),
        ("quit()", "R stopped: quit() would end Python"),
        ("f <- function(x) f(x); f(1)", "R stopped: evaluation nested too deeply"),
    ],
)
def test_errors_carry_rs_message(code: str, message: str) -> None:
    with pytest.raises(RError) as caught:
        run(code)
    assert str(caught.value).startswith(message)
    assert caught.value.__cause__ is None


def test_a_call_does_not_look_again_for_what_r_needs_to_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    available()
    asked: list[str] = []
    monkeypatch.setattr(installed, "python_version_of", asked.append)
    assert (run("1 + 1"), asked) == (2.0, [])


def test_after_an_error_r_goes_on() -> None:
    with pytest.raises(RError):
        run("stop('oops')")
    assert run("1 + 1") == 2.0


def test_warnings_are_collected_and_the_value_is_kept() -> None:
    with pytest.warns(PycvstatWarning, match="R warned: NAs introduced by coercion") as caught:
        value = run("x <- c(as.numeric('a'), as.numeric('b')); 7")
    assert value == 7.0
    assert len(caught) == 2
    assert Path(caught[0].filename).name == Path(__file__).name


def test_messages_are_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("message('hello'); 1") == 1.0
    assert capfd.readouterr() == ("", "")


def test_a_function_is_called_with_the_values_by_name() -> None:
    assert run("mean", x=[1, 2, 6]) == 3.0
    assert run("function(a, b) a - b", b=1, a=5) == 4.0
    fit = run(
        "stats::lm", formula=run("y ~ x"), data=pd.DataFrame({"x": [1, 2, 3], "y": [2, 4, 6]})
    )
    assert fit["coefficients"].tolist() == pytest.approx([0, 2], abs=1e-12)


def test_names_of_one_call_are_unknown_to_the_next() -> None:
    run("kept <- 1", other=2)
    with pytest.raises(RError, match="object 'kept' not found"):
        run("kept")
    with pytest.raises(RError, match="object 'other' not found"):
        run("other")


def test_sourced_functions_stay_known(tmp_path: Path) -> None:
    file = tmp_path / "functions.R"
    file.write_text("twice_of <- function(x) 2 * helper_of(x)\nhelper_of <- function(x) x")
    source(file)
    assert run("twice_of(4)") == 8.0
    assert run("exists('twice_of', globalenv())") is False


def test_missing_packages_come_with_the_command() -> None:
    require(["stats", "utils"])
    with pytest.raises(RError) as caught:
        require(["stats", "nosuchpackage"])
    assert caught.value.given == "nosuchpackage"
    assert caught.value.fix is not None
    assert "nosuchpackage" in caught.value.fix


def in_a_new_python(code: str, **environment: str) -> str:
    given = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), **environment}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=given
    )
    return done.stdout


def test_child_processes_keep_their_environment(tmp_path: Path) -> None:
    code = """if True:
        import subprocess
        from pycvstat.r.bridge import run
        def shown():
            lines = subprocess.run(["env"], capture_output=True, text=True).stdout.splitlines()
            return {line for line in lines if not line.startswith(("R_", "PYTHON_SESSION"))}
        before = shown()
        run("1")
        print(sorted(shown() ^ before))
    """
    file = tmp_path / "Renviron"
    file.write_text("PATH=/nowhere:${PATH}\nOF_THE_FILE=1\n")
    assert in_a_new_python(code, R_ENVIRON_USER=str(file)) == "[]\n"


def test_an_r_that_runs_already_keeps_its_environment() -> None:
    code = """if True:
        from rpy2 import rinterface
        rinterface.initr()
        rinterface.evalr("Sys.setenv(MINE = 'kept')")
        from pycvstat.r.bridge import run
        print(run("Sys.getenv('MINE')"))
    """
    assert in_a_new_python(code) == "kept\n"


def test_r_knows_its_folders_without_another_r_and_rpy2_is_as_it_was() -> None:
    folders = "c(R.home('doc'), R.home('share'), R.home('include'), .libPaths())"
    code = f"""if True:
        import sys
        started = []
        sys.addaudithook(
            lambda event, given: event == "subprocess.Popen" and started.append(given[0])
        )
        from pycvstat.r.bridge import run
        print(*run("{folders}"))
        print([program for program in started if "Rscript" in program])
        from rpy2 import rinterface, situation
        for replaced in (rinterface._getrenvvars, situation.r_ld_library_path_from_subprocess):
            print(replaced.__module__)
    """
    rs = subprocess.run(["Rscript", "-e", f"cat({folders})"], capture_output=True, text=True)
    assert in_a_new_python(code).splitlines() == [
        rs.stdout, "[]", "rpy2.rinterface", "rpy2.situation"
    ]  # fmt: skip


def test_other_threads_are_told() -> None:
    available()
    caught: list[RError] = []

    def ask() -> None:
        try:
            run("1")
        except RError as problem:
            caught.append(problem)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert "main thread" in str(caught[0])


@pytest.mark.parametrize("code", ["base::quit()", "base::q('no')", "do.call('quit', list())"])
def test_nothing_ends_python(code: str) -> None:
    with pytest.raises(RError, match="would end Python"):
        run(code)


def test_jumps_to_the_top_level_become_errors() -> None:
    with pytest.raises(RError, match="R stopped without a message"):
        run("invokeRestart('abort')")
    assert run("1 + 1") == 2.0


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("stop(structure(class = c('error', 'condition'), list(message = character(0))))", ""),
        ("stop(structure(class = c('error', 'condition'), list(message = c('a', 'b'))))", "a\nb"),
    ],
)
def test_odd_messages(code: str, message: str) -> None:
    with pytest.raises(RError) as caught:
        run(code)
    assert caught.value.problem == f"R stopped: {message}"


def test_errors_as_long_as_books_are_cut() -> None:
    with pytest.raises(RError) as caught:
        run("stop(strrep('x', 1e7))")
    assert len(str(caught.value)) < 10_000


def test_floods_of_warnings_and_messages_are_counted() -> None:
    with pytest.warns(PycvstatWarning) as caught:
        assert run("for (i in 1:3000) { warning(i); message(i) }; 7") == 7.0
    assert len(caught) == 51
    assert str(caught[49].message) == "R warned: 50"
    assert str(caught[50].message) == "R gave 3000 warnings; the first 50 are shown."


def test_megabytes_of_output_and_values(capfd: pytest.CaptureFixture[str]) -> None:
    assert len(str(run("cat(strrep('x', 1e7)); strrep('y', 1e7)"))) == 10_000_000
    assert len(capfd.readouterr().out) == 10_000_000


def test_memory_that_r_does_not_get() -> None:
    with pytest.raises(RError, match="cannot allocate vector"):
        run("numeric(1e15)")
    assert run("sum(1:4)") == 10


@pytest.mark.parametrize("code", ["repeat {}", "Sys.sleep(60)", "repeat sort(runif(1e5))"])
def test_hanging_code_is_interrupted_and_r_goes_on(code: str) -> None:
    before = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    started = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run(code)
    assert time.monotonic() - started < 30
    assert signal.getsignal(signal.SIGINT) is before
    assert run("1 + 1") == 2.0


def test_a_time_limit_of_r_holds_here_too() -> None:
    with pytest.raises(RError, match="reached elapsed time limit"):
        run("setTimeLimit(elapsed = 0.2, transient = TRUE); repeat {}")
    assert run("setTimeLimit(); 3") == 3.0
