"""The one place that starts R inside this process and evaluates code in it."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import signal
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pycvstat.errors import RError, warn
from pycvstat.errors.checks import is_number
from pycvstat.r.bridge.installed import install_rpy2, missing, no_r, r_program, r_version, setting
from pycvstat.r.bridge.starting import running_r

_log = logging.getLogger("pycvstat.R")

# Evaluates code so that no R condition reaches rpy2: a stop becomes text and a call, warnings
# and messages are collected, 50 of each as R does. quit() is an error, as it would end Python.
_EVALUATOR = """
function(code, values, workspace) {
  env <- new.env(parent = workspace)
  for (name in names(values)) assign(name, values[[name]], envir = env)
  warned <- said <- list(); told <- c(warning = 0L, message = 0L); stopped <- character()
  words <- function(condition) paste(conditionMessage(condition), collapse = "\n")
  own <- c("eval(part, env)", "eval(call, env)", "parse(text = code, keep.source = FALSE)")
  value <- withCallingHandlers(
    tryCatch({
      result <- NULL
      for (part in parse(text = code, keep.source = FALSE)) result <- eval(part, env)
      if (is.function(result) && length(values)) {
        call <- as.call(c(list(part), sapply(names(values), as.name, simplify = FALSE)))
        result <- eval(call, env)
      }
      result
    }, error = function(e) {
      call <- if (is.null(conditionCall(e))) "" else deparse(conditionCall(e), nlines = 1)[1]
      stopped <<- c(words(e), if (call %in% own) "" else call)
      NULL
    }, interrupt = function(i) {
      stopped <<- "interrupted"
      NULL
    }),
    warning = function(w) {
      told["warning"] <<- told["warning"] + 1L
      if (told["warning"] <= 50L) warned[[told["warning"]]] <<- words(w)
      invokeRestart("muffleWarning")
    },
    message = function(m) {
      told["message"] <<- told["message"] + 1L
      if (told["message"] <= 50L) said[[told["message"]]] <<- words(m)
      invokeRestart("muffleMessage")
    })
  list(value, stopped, as.character(unlist(warned)), as.character(unlist(said)), told)
}
"""

_WORKSPACE = """
local({
  quit <- q <- function(...) stop("quit() would end Python, so it is not allowed here")
  for (name in c("quit", "q")) {  # base::quit() too
    unlockBinding(name, baseenv())
    assign(name, quit, envir = baseenv())
    lockBinding(name, baseenv())
  }
  environment()
})
"""
_seconds: ContextVar[float] = ContextVar("seconds", default=math.inf)
MOST_TEXT = 5000  # characters of an error of R that are shown


# R asks systemd for the time zone, and warns where there is none (in a container)
_NO_SYSTEMD = "running command 'timedatectl'"


@dataclass(frozen=True, slots=True)
class _Session:
    evaluator: Any
    workspace: Any
    process: int


def available() -> bool:
    """Whether R can be used from this process.

    Returns
    -------
    bool
        False without R, without a fitting rpy2, or with ``PYCVSTAT_R=none``.

    Raises
    ------
    RError
        When R cannot be used although ``PYCVSTAT_R=required``.
    """
    try:
        start()
    except RError:
        if setting() == "required":
            raise
        return False
    return True


def start() -> _Session:
    """Start R in this process, or say why that is not possible.

    Raises
    ------
    RError
        With the command that fixes it.
    """
    runs = _started.cache_info().currsize  # then R has what it needs
    problem = no_r() if runs else missing()
    if problem is not None:
        raise problem
    session = _started()
    if threading.current_thread() is not threading.main_thread():
        fix = "do the R part before or after the parallel part"
        raise RError("R can only be used from the main thread.", fix=fix)
    if session.process != os.getpid():
        fix = "call R in the process that started it, not in a worker"
        raise RError("R belongs to the parent process.", fix=fix)
    return session


def run(code: str, /, **values: object) -> object:
    """Evaluate R code with Python values and return its value to Python.

    Parameters
    ----------
    code : str
        R code. When its value is a function and values are given, it is called with them by name.
    **values : object
        What the names in the code stand for: scalars, sequences, dicts, NumPy arrays, pandas or
        polars frames, and R values from an earlier call.

    Returns
    -------
    object
        A vector of length one becomes a scalar, other vectors NumPy or pandas arrays (with NA
        kept), factors ``pandas.Categorical``, data frames ``pandas.DataFrame``, plain lists dicts
        or lists, lists with a class :class:`RList`, anything else :class:`RValue`.

    Raises
    ------
    RError
        With R's own message and the call that failed; or when R is missing.
    KeyboardInterrupt
        When interrupted: R has stopped, and can go on with the next call.

    Warns
    -----
    PycvstatWarning
        For each R warning.

    Examples
    --------
    >>> run("mean(x)", x=[1, 2, 4])
    2.3333333333333335
    >>> run("stats::quantile", x=[1, 2, 4], probs=0.5)
    50%    2.0
    dtype: float64
    """
    from pycvstat.r.bridge.parts import from_sexp
    from pycvstat.r.bridge.to_python import value_of
    from pycvstat.r.bridge.to_r import write

    if not isinstance(code, str):
        raise RError("R code is text.", given=f"{code!r:.80}")
    session = start()
    from rpy2.rinterface_lib.embedded import RRuntimeError

    late: list[float] = []
    try:
        with _quiet_console(), _interruptible(), _interrupted_after(_seconds.get(), late):
            value, stopped, warned, said, told = session.evaluator(
                write(code), write(values), session.workspace
            )
    except KeyboardInterrupt:
        if late:
            raise out_of_time(late[0]) from None
        raise
    except RRuntimeError as problem:  # a jump to R's top level, past every handler
        raise RError("R stopped without a message.", given=str(problem).strip() or None) from None
    if len(stopped) == 1:  # while R waits, it keeps the signal to itself
        raise out_of_time(late[0]) if late else KeyboardInterrupt
    for message in _texts(said):
        _log.info(message.rstrip())
    for message in _texts(warned):
        if _NO_SYSTEMD not in message:
            warn(f"R warned: {message}")
    if told[0] > len(warned):
        warn(f"R gave {told[0]} warnings; the first {len(warned)} are shown.")
    if len(stopped):
        message, call = (text[:MOST_TEXT] for text in _texts(stopped))
        raise RError(f"R stopped: {message}", given=f"in {call}" if call else None)
    return value_of(from_sexp(value))


@contextlib.contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Let R work at most this long in each call of :func:`run`.

    R is interrupted as by Ctrl-C, so it can go on with the next call. What cannot be interrupted
    is compiled code of a package that never lets R ask; a separate process can be ended whatever
    it does: :func:`rscript`, ``crosscheck(separate=True)``.

    Parameters
    ----------
    seconds : float or None
        None: as long as it takes.

    Examples
    --------
    >>> with time_limit(60):
    ...     run("1 + 1")
    2.0
    """
    if seconds is not None:
        check_seconds(seconds)
    token = _seconds.set(math.inf if seconds is None else float(seconds))
    try:
        yield
    finally:
        _seconds.reset(token)


def check_seconds(seconds: Any) -> None:
    """Refuse what is no number of seconds above 0."""
    if not (is_number(seconds) and seconds > 0):
        raise RError("A time limit is a number of seconds above 0.", given=repr(seconds))


def out_of_time(seconds: float) -> RError:
    """What is said when R took longer than it may."""
    fix = "look for an endless loop, or allow more seconds"
    return RError(f"R did not finish within {seconds:g} seconds and was stopped.", fix=fix)


@cache
def source(file: Path) -> None:
    """Read a file of R functions once; later calls of :func:`run` see what it defines.

    Parameters
    ----------
    file : pathlib.Path
        The R file.
    """
    run("sys.source(file, envir = parent.env(environment()))", file=str(file))


def collation() -> str:
    """How this R sorts words: by "ICU", or by code point as in its "C" locale."""
    return "C" if run('sort(c("a", "B"))[1] == "B"') else "ICU"


def _texts(vector: Any) -> list[str]:
    return [str(text) for text in vector]


@cache
def _started() -> _Session:
    if threading.current_thread() is not threading.main_thread():
        fix = "call pycvstat.r.bridge.start() in the main thread first"
        raise RError("R can only be started from the main thread.", fix=fix)
    try:
        rinterface = running_r()
        return _Session(rinterface.evalr(_EVALUATOR), rinterface.evalr(_WORKSPACE), os.getpid())
    except Exception as problem:  # rpy2 fails in many ways: ImportError, ValueError, OSError, ...
        version = r_version(r_program() or "")
        raise RError(
            "R and rpy2 are installed but do not work together.",
            given=f"{type(problem).__name__}: {problem}",
            fix=install_rpy2(version),
        ) from None


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end R's work, and then raise here; rpy2 can lose it inside R's callbacks."""
    from rpy2.rinterface_lib import openrlib

    if os.name == "nt":  # R has another flag there
        yield
        return
    asked: list[int] = []

    def tell_r(number: int, frame: Any) -> None:
        asked.append(number)
        openrlib.rlib.R_interrupts_pending = 1

    before = signal.signal(signal.SIGINT, tell_r)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)
        openrlib.rlib.R_interrupts_pending = 0  # not for the next call
    if asked:
        raise KeyboardInterrupt


@contextlib.contextmanager
def _interrupted_after(seconds: float, late: list[float]) -> Iterator[None]:
    """Interrupt this block as Ctrl-C does when it takes too long, and note that in `late`."""
    if math.isinf(seconds):
        yield
        return
    main = threading.main_thread().ident
    assert main is not None

    def stop() -> None:
        late.append(seconds)
        signal.pthread_kill(main, signal.SIGINT)

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


@contextlib.contextmanager
def _quiet_console() -> Iterator[None]:
    """Send what R writes to its error console to the log, for the time of one call."""
    from rpy2.rinterface_lib import callbacks

    before = callbacks.consolewrite_warnerror
    callbacks.consolewrite_warnerror = _log.info
    try:
        yield
    finally:
        callbacks.consolewrite_warnerror = before
