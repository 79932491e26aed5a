"""R code, and work with R, in a process of its own, which may crash, hang or flood the screen."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pycvstat.errors import PycvstatError, PycvstatWarning, RError, warn
from pycvstat.errors.checks import is_number
from pycvstat.r.bridge.installed import missing, no_r, r_program
from pycvstat.r.bridge.parts import r_text
from pycvstat.r.bridge.session import check_seconds, out_of_time, run, time_limit

MOST_OUTPUT = 1_000_000  # bytes
ANSWER = f"import sys; from {__name__} import answer; answer(sys.argv[1])"


@dataclass(frozen=True, slots=True)
class ScriptOutput:
    """What a separate R wrote.

    Attributes
    ----------
    output : str
        Its standard output.
    messages : str
        Its messages and warnings (standard error).
    seconds : float
        How long it ran.
    """

    output: str
    messages: str
    seconds: float


def rscript(
    code: str | Path,
    *arguments: str,
    seconds: float = 60.0,
    max_output: int = MOST_OUTPUT,
    env: Mapping[str, str] | None = None,
) -> ScriptOutput:
    """Run R code in a separate R that cannot take this process with it.

    Parameters
    ----------
    code : str or pathlib.Path
        R code, or the file that holds it.
    *arguments : str
        What ``commandArgs(TRUE)`` gives to the code.
    seconds : float
        The longest it may run.
    max_output : int
        The most bytes it may write to its output or its messages.
    env : mapping, optional
        Environment variables to add.

    Returns
    -------
    ScriptOutput
        What it wrote.

    Raises
    ------
    RError
        With R's own message when the code stops; with the fact when R crashes, runs too long
        or writes too much.

    Examples
    --------
    >>> rscript("cat(1 + 1)").output
    '2'
    """
    check_seconds(seconds)
    if not (is_number(max_output) and max_output > 0):
        raise RError("max_output is a number of bytes above 0.", given=repr(max_output))
    added = [*(env or {}).items()]
    _check_texts([*arguments, *(text for pair in added for text in pair)], "argument")
    _check_texts([str(code) if isinstance(code, Path) else code], "piece of code")
    with tempfile.TemporaryDirectory(prefix="pycvstat-") as folder:
        file = code if isinstance(code, Path) else Path(folder, "code.R")
        if isinstance(code, str):
            file.write_text(code, encoding="utf-8")
        command = [_rscript_program(), "--no-save", "--no-restore", str(file), *arguments]
        started = time.monotonic()
        status, output, messages = _watched(command, Path(folder), seconds, max_output, env)
        took = time.monotonic() - started
    if status != 0:
        raise _failure(status, messages)
    return ScriptOutput(output, messages, took)


def _check_texts(texts: Sequence[object], what: str) -> None:
    """Refuse what cannot reach another process whole."""
    for text in texts:
        if not isinstance(text, str):
            raise RError(f"Each {what} for R is text.", given=f"{text!r:.80}")
        r_text(text)


def _rscript_program() -> str:
    problem, program = no_r(), r_program()
    if problem is not None:
        raise problem
    beside = Path(str(program)).with_name("Rscript")
    return str(beside) if beside.exists() else "Rscript"


def _watched(
    command: Sequence[str],
    folder: Path,
    seconds: float,
    max_output: int,
    env: Mapping[str, str] | None,
) -> tuple[int, str, str]:
    """Run a command until it ends, or end it when it passes a limit: status, output, messages."""
    streams = folder / "out", folder / "err"
    with streams[0].open("wb") as out, streams[1].open("wb") as err:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
        deadline, status = time.monotonic() + seconds, None
        try:
            while status is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    status = process.wait(timeout=0.05)
                if max(stream.stat().st_size for stream in streams) > max_output:
                    raise RError(
                        f"R wrote more than {max_output:,} bytes and was stopped.",
                        given=f"it began with: {_beginning(streams[0], 200)!r}",
                        fix="print less, or allow more with max_output",
                    )
                if status is None and time.monotonic() > deadline:
                    raise out_of_time(seconds)
        finally:
            if process.poll() is None:  # also what it started
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return status, _beginning(streams[0], max_output), _beginning(streams[1], max_output)


def _beginning(stream: Path, most: int) -> str:
    with stream.open("rb") as file:
        return file.read(most).decode("utf-8", errors="replace")


def _failure(status: int, messages: str) -> RError:
    """What an exit status of R says: a crash, or an error of its own with its message."""
    said = messages.strip()[-2000:] or "nothing"
    if status < 0 or status > 128:
        number = -status if status < 0 else status - 128
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return RError(
            f"R crashed ({name}).",
            given=f"its last words: {said}",
            fix="update the R package it was in: Rscript -e 'update.packages(ask = FALSE)'; "
            "SIGKILL often means that memory ran out",
        )
    return RError(f"R stopped with exit status {status}.", given=f"R's message: {said}")


def separately(function: Callable[..., Any], *arguments: Any, seconds: float) -> Any:
    """Call a function that uses R in a new Python process.

    Parameters
    ----------
    function : callable
        Of a module, not defined in a script.
    *arguments : object
        What can be pickled.
    seconds : float
        After this long the process is ended, whatever R does.

    Returns
    -------
    object
        What the function returned; its warnings are given here.

    Raises
    ------
    RError
        When R crashed or took too long.
    PycvstatError
        What the function raised.
    """
    problem = missing()
    if problem is not None:
        raise problem
    with tempfile.TemporaryDirectory(prefix="pycvstat-") as place:
        folder = Path(place)
        (folder / "call").write_bytes(_packed(function, arguments))
        command = [sys.executable, "-c", ANSWER, str(folder)]
        here = str(Path(__file__).resolve().parents[3])  # so that this package is found there
        path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
        known = {"PYTHONPATH": path}
        status, _, messages = _watched(command, folder, seconds, MOST_OUTPUT, known)
        if not (folder / "answer").exists():
            raise _failure(status, messages)
        value, said = pickle.loads((folder / "answer").read_bytes())
    for text in said:
        warn(text)
    if isinstance(value, PycvstatError):
        raise value
    return value


def _packed(function: Callable[..., Any], arguments: Any) -> bytes:
    try:
        return pickle.dumps((function, arguments))
    except Exception as error:  # pickle raises whatever the object does
        fix = "leave out separate=True; or define its functions in a module"
        given = f"{type(error).__name__}: {error}"
        raise RError("This cannot be sent to a process of its own.", given=given, fix=fix) from None


def answer(place: str) -> None:
    """Do, in a process of its own, the work that waits in a folder."""
    folder = Path(place)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PycvstatWarning)
        try:
            function, arguments = pickle.loads((folder / "call").read_bytes())
            value = function(*arguments)
        except PycvstatError as error:
            value = error
        except Exception as error:  # in the other process it would be a traceback
            value = RError("the work with R failed.", given=f"{type(error).__name__}: {error}")
    said = [str(w.message) for w in caught if issubclass(w.category, PycvstatWarning)]
    unfinished = folder / "unfinished"
    unfinished.write_bytes(pickle.dumps((value, said)))
    unfinished.rename(folder / "answer")


_BEFORE = """{
  home <- parent.env(environment())
  home$.pcv_before <- list(options = options(), kind = RNGkind(), folder = getwd(),
    seed = get0(".Random.seed", globalenv(), inherits = FALSE), attached = search(),
    names = ls(globalenv(), all.names = TRUE))
  NULL
}"""
_AFTER = """{
  old <- .pcv_before
  for (name in setdiff(search(), old$attached)) try(detach(name, character.only = TRUE), TRUE)
  new <- setdiff(names(options()), names(old$options))
  options(c(old$options, setNames(vector("list", length(new)), new)))
  suppressWarnings(do.call(RNGkind, as.list(old$kind)))
  rm(list = setdiff(ls(globalenv(), all.names = TRUE), old$names), envir = globalenv())
  if (!is.null(old$seed)) assign(".Random.seed", old$seed, envir = globalenv())
  setwd(old$folder)
  NULL
}"""


@contextlib.contextmanager
def as_it_was() -> Iterator[None]:
    """Take back what code does to the session of R, and do not show what it prints.

    Options, random numbers, attached packages, variables and the working directory are those of
    before.

    Examples
    --------
    >>> with as_it_was():
    ...     run("{ options(digits = 3); x <<- 1; print(pi) }")
    3.141592653589793
    >>> run("getOption('digits')")
    7
    """
    run(_BEFORE)
    from rpy2.rinterface_lib import callbacks

    before = callbacks.consolewrite_print
    callbacks.consolewrite_print = lambda text: None
    try:
        yield
    finally:
        callbacks.consolewrite_print = before
        with time_limit(None):
            run(_AFTER)
