"""Errors and warnings: what is wrong, what was given, what to do."""

from __future__ import annotations


class PycvstatError(Exception):
    """The base of every error raised on purpose by pycvstat.

    Parameters
    ----------
    problem : str
        What is wrong, in one sentence.
    given : object, optional
        What was passed, shown after "Given:".
    fix : str, optional
        What to do about it, shown after "Do this:".

    Examples
    --------
    >>> print(InputError("K must be at least 2.", given=1, fix="use K=5 or K=10"))
    K must be at least 2.
      Given: 1
      Do this: use K=5 or K=10
    """

    def __init__(self, problem: str, *, given: object = None, fix: str | None = None) -> None:
        self.problem, self.given, self.fix = problem, given, fix
        super().__init__(_message(problem, given, fix))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.problem, self.given, self.fix)


def _message(problem: str, given: object, fix: str | None) -> str:
    lines = [problem]
    if given is not None:
        lines.append(f"  Given: {given}")
    if fix is not None:
        lines.append(f"  Do this: {fix}")
    return "\n".join(lines)


def _rebuild(
    kind: type[PycvstatError], problem: str, given: object, fix: str | None
) -> PycvstatError:
    return kind(problem, given=given, fix=fix)


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


class PycvstatWarning(UserWarning):
    """A warning of pycvstat: what was noticed, what was given, what to do.

    Examples
    --------
    >>> print(PycvstatWarning("2 fits failed.", given="fold 3"))
    2 fits failed.
      Given: fold 3
    """

    def __init__(self, problem: str, *, given: object = None, fix: str | None = None) -> None:
        super().__init__(_message(problem, given, fix))
