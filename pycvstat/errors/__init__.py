"""What is wrong, what was given, what to do: errors, warnings, and the checks that say so.

May import nothing of the package. New here: a check that two rooms need; an error says the
problem, what was given and what to write instead.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import sysconfig
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import FrameType
from typing import Self

from pycvstat.errors.advice import Advice, AsClasses, InPython, Reading

__all__ = [
    "Advice", "AsClasses", "CheckpointError", "DataError", "ExecutionError", "FitError",
    "FoldError", "FormulaError", "InPython", "InputError", "IntervalError", "LossError",
    "PycvstatError", "PycvstatWarning", "RError", "Reading",
]  # fmt: skip


class Said(Exception):
    """What errors and warnings share: three lines, the last of which may name objects."""

    def __init__(
        self, problem: str, *, given: object = None, fix: str | Advice | None = None
    ) -> None:
        self.problem, self.given, self.advice = problem, given, fix
        super().__init__(message(problem, given, fix))

    @property
    def fix(self) -> str | None:
        """What to do."""
        return None if self.advice is None else str(self.advice)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.problem, self.given, self.advice), self.__dict__


def message(problem: str, given: object, fix: object) -> str:
    """The lines of an error or a warning."""
    lines = [problem]
    if given is not None:
        lines.append(f"  Given: {given}")
    if fix is not None:
        lines.append(f"  Do this: {fix}")
    return "\n".join(lines)


def _rebuild(kind: type[Said], problem: str, given: object, fix: str | Advice | None) -> Said:
    return kind(problem, given=given, fix=fix)


class PycvstatError(Said):
    """The base of every error raised on purpose by pycvstat.

    Parameters
    ----------
    problem : str
        What is wrong, in one sentence.
    given : object, optional
        What was passed, shown after "Given:".
    fix : str or Advice, optional
        What to do about it, shown after "Do this:".

    Examples
    --------
    >>> print(InputError("K must be at least 2.", given=1, fix="use K=5 or K=10"))
    K must be at least 2.
      Given: 1
      Do this: use K=5 or K=10
    """

    @property
    def line(self) -> str:
        """What is wrong and what was given, in one line."""
        return self.problem if self.given is None else f"{self.problem} {self.given}"

    def at(self, place: str) -> Self:
        """The same error, from the same cause, said of a place.

        Examples
        --------
        >>> print(FitError("it failed.", fix="wait").at("fold 3"))
        fold 3: it failed.
          Do this: wait
        """
        moved = type(self)(f"{place}: {self.problem}", given=self.given, fix=self.advice)
        moved.__cause__ = self.__cause__
        return moved


class InputError(PycvstatError, ValueError):
    """An argument that cannot mean anything here."""


class DataError(InputError):
    """Data that cannot be used as asked: missing values, unseen levels, wrong columns."""


class FormulaError(InputError):
    """A formula that cannot be read, or uses a name or function that is not allowed."""


class FoldError(InputError):
    """A fold plan that cannot be made, or that breaks its promises."""


class LossError(InputError):
    """A loss or metric that does not fit the predictions."""


class IntervalError(InputError):
    """An interval or test that is not legal for these losses and this plan."""


class FitError(PycvstatError, RuntimeError):
    """A learner that failed on one fit; the message names the fold and the parameters."""


class RError(PycvstatError, RuntimeError):
    """R is missing, lacks a package, or failed."""


class ExecutionError(PycvstatError, RuntimeError):
    """A task that could not be carried out by the chosen back end."""


class CheckpointError(PycvstatError, RuntimeError):
    """A checkpoint that belongs to other work or is damaged."""


class PycvstatWarning(Said, UserWarning):
    """A warning of pycvstat: what was noticed, what was given, what to do.

    Examples
    --------
    >>> print(PycvstatWarning("2 fits failed.", given="fold 3"))
    2 fits failed.
      Given: fold 3
    """


_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


def warn(problem: str, *, given: object = None, fix: str | Advice | None = None) -> None:
    """Warn at the user's line: the one outside the package that called into it.

    Parameters
    ----------
    problem, given, fix
        As for `PycvstatError`.
    """
    warnings.warn(PycvstatWarning(problem, given=given, fix=fix), stacklevel=len(_ours(1)) + 1)


class _Notes(threading.local):
    taken: list[tuple[str, str]] | None = None  # by the fit that this thread is in


_notes = _Notes()


def note(text: str, about: str = "") -> None:
    """Warn of one fit among others: inside `noted` it is left to who knows all fits.

    Parameters
    ----------
    text : str
    about : str, optional
        What it has in common with other notes that say as much; by default the whole text.
    """
    if _notes.taken is None:
        warn(text)
    else:
        _notes.taken.append((about or text, text))


@contextmanager
def noted() -> Iterator[list[tuple[str, str]]]:
    """Take the notes of a fit, what each is about and its text, instead of warning.

    Examples
    --------
    >>> with noted() as said:
    ...     note("it did not converge in 3 steps.", about="convergence")
    >>> said
    [('convergence', 'it did not converge in 3 steps.')]
    """
    outer, _notes.taken = _notes.taken, []
    said = _notes.taken
    try:
        yield said
    except BaseException:
        for _, text in said:
            warn(text)
        raise
    finally:
        _notes.taken = outer


class interruptible:
    """Ctrl-C stops what is inside also where numba makes SystemErrors of it, one of another.

    Examples
    --------
    >>> try:
    ...     with interruptible():
    ...         raise SystemError("a result with an exception set") from KeyboardInterrupt()
    ... except KeyboardInterrupt:
    ...     print("stopped")
    stopped
    """

    def __enter__(self) -> None:
        """Nothing is set up."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        cause = error
        while isinstance(cause, SystemError):
            cause = cause.__cause__
        if cause is not error and isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from error


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collect what is warned about inside the block, one text each, instead of showing it.

    Examples
    --------
    >>> with heard() as said:
    ...     warn("2 fits failed.", given="fold 3")
    >>> said
    ['2 fits failed. Given: fold 3']
    """
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PycvstatWarning)
        yield said
    ours = [str(w.message) for w in caught if issubclass(w.category, PycvstatWarning)]
    said += dict.fromkeys(" ".join(text.split()) for text in ours)


def users_line() -> tuple[str, int]:
    """File and line that called into the package.

    Examples
    --------
    >>> users_line()[0].startswith("<doctest")
    True
    """
    frame = _ours(1)[-1].f_back
    return ("sys", 1) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def _ours(up: int) -> list[FrameType]:
    """The frames from the caller to the outermost of the package, calls between them included."""
    frame: FrameType | None = sys._getframe(up)
    frames = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    while not frames[-1].f_code.co_filename.startswith(_PACKAGE):
        frames.pop()
    return frames


def pip_install(*requirements: str) -> str:
    """The command that installs packages beside this one, however this one was installed.

    Examples
    --------
    >>> pip_install("rpy2>=3.6.6").endswith(" 'rpy2>=3.6.6'")
    True
    """
    python, wanted = shlex.quote(sys.executable), " ".join(map(shlex.quote, requirements))
    managed = os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
    if managed and sys.prefix == sys.base_prefix:  # where this package, too, was forced in
        wanted = f"--break-system-packages {wanted}"
    if find_spec("pip") is not None:
        return f"{python} -m pip install {wanted}"
    if shutil.which("uv"):
        return f"uv pip install --python {python} {wanted}"
    return f"{python} -m ensurepip && {python} -m pip install {wanted}"


NAMED = re.compile(r"^\s*(\w+\.)*\w*(Error|Exception)\b.*: ")


def telling(error: BaseException) -> str:
    """The line that says what went wrong: the last that names an error, else the first.

    A first line that ends in a colon is joined by what it announces.

    Examples
    --------
    >>> telling(ValueError("All 5 fits failed.\\n...\\nTypeError: x is text\\n"))
    'TypeError: x is text'
    >>> telling(KeyError())
    'KeyError: no message'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [line for line in lines if NAMED.match(line)]
    if named:
        return named[-1]
    first = " ".join(lines[:2] if lines and lines[0].endswith(":") else lines[:1]) or "no message"
    return f"{type(error).__name__}: {first}"
