"""A separate R: what it writes, and what is said when it crashes, hangs or floods."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pycvstat.errors import RError
from pycvstat.r.bridge import rscript

pytestmark = pytest.mark.live_r


def test_output_messages_and_arguments() -> None:
    ran = rscript("message('said'); cat(commandArgs(TRUE))", "a b", "c", env={"LC_ALL": "C"})
    assert ran.output == "a b c"
    assert ran.messages == "said\n"
    assert 0 < ran.seconds < 60


def test_a_stop_carries_rs_message() -> None:
    with pytest.raises(RError, match=r"exit status 1\.\n  Given: R's message: Error: oops"):
        rscript("stop('oops')")


@pytest.mark.parametrize("signal", ["SIGSEGV", "SIGKILL"])
def test_a_crash_is_a_crash(signal: str) -> None:
    with pytest.raises(RError, match=rf"R crashed \({signal}\)"):
        rscript(
            f"tools::pskill(Sys.getpid(), tools::{signal}); Sys.sleep(5)".replace(
                "tools::SIGSEGV", "11"
            )
        )


def test_a_hang_is_stopped_with_what_it_started() -> None:
    started = time.monotonic()
    with pytest.raises(RError, match="did not finish within 1 seconds"):
        rscript("system('sleep 60')", seconds=1)
    assert time.monotonic() - started < 10


def test_a_flood_is_stopped() -> None:
    with pytest.raises(RError, match="wrote more than 10,000 bytes"):
        rscript("repeat cat('flood ')", max_output=10_000)
    with pytest.raises(RError, match="wrote more than 100 bytes"):
        rscript("cat(strrep('x', 1000))", max_output=100)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (".Internal(address())", "exit status 1"),
        ("quit('no', 3)", r"exit status 3\.\n  Given: R's message: nothing"),
        ("f <- function() f(); f()", "exit status 1"),
        ("options(expressions = 5e5); f <- function(n) f(n + 1); f(1)", "R (crashed|stopped)"),
        ("writeBin(as.raw(0:255), stderr()); stop('\\xff')", "exit status 1"),
        ("1 +", "exit status 1.*unexpected end of input"),
    ],
)
def test_other_ends_are_told(code: str, words: str) -> None:
    with pytest.raises(RError, match=f"(?s){words}"):
        rscript(code)
    assert rscript("cat(2)").output == "2"


def test_floods_of_messages_are_stopped() -> None:
    with pytest.raises(RError, match="wrote more than 10,000 bytes"):
        rscript("repeat message('flood')", max_output=10_000)


def test_a_hang_that_ignores_signals_is_stopped() -> None:
    started = time.monotonic()
    with pytest.raises(RError, match="did not finish within 1 seconds"):
        rscript("system2('sh', c('-c', shQuote('trap \"\" INT TERM; sleep 60')))", seconds=1)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rscript(3), "piece of code for R is text"),  # type: ignore[arg-type]
        (lambda: rscript("1", 3), "argument for R is text"),  # type: ignore[arg-type]
        (lambda: rscript("1", env={"A": 1}), "argument for R is text"),  # type: ignore[dict-item]
        (lambda: rscript("cat(1)\0stop()"), "NUL"),
        (lambda: rscript("1", "a\0b"), "NUL"),
        (lambda: rscript("1", env={"A": "a\0b"}), "NUL"),
        (lambda: rscript(Path("no\0where.R")), "NUL"),
        (lambda: rscript("cat('\ud800')"), "half of a character"),
        (lambda: rscript("1", seconds="a"), "seconds above 0"),  # type: ignore[arg-type]
        (lambda: rscript("1", seconds=0), "seconds above 0"),
        (lambda: rscript("1", max_output="a"), "bytes above 0"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_script_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(RError, match=words):
        call()
