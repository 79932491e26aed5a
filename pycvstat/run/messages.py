"""What workers send back."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import dataclass
from typing import Any

from pycvstat.errors import ExecutionError, PycvstatWarning, users_line
from pycvstat.run.packing import pickled

Told = tuple[type[Warning], str, str, int]
"""A warning: its category, text, file and line."""


@dataclass(frozen=True, eq=False)
class Reply:
    """What became of a task: a result or an error, and the warnings on the way."""

    result: Any = None
    error: BaseException | None = None
    warnings: tuple[Told, ...] = ()


def to_bytes(reply: Reply) -> bytes:
    """A reply on its way back to the session.

    Parameters
    ----------
    reply : Reply
    """
    try:
        parts = _parts(reply.error) if reply.error else None
        return pickled((reply.result, parts, reply.warnings))
    except Exception as error:
        if reply.error is None:
            return to_bytes(Reply(error=error))
        given = f"{type(reply.error).__qualname__}: {reply.error}"
        failure = ExecutionError("A task failed with an error that cannot be sent.", given=given)
        return to_bytes(Reply(error=failure))


def _parts(error: BaseException) -> tuple[Any, ...]:
    """What an error is made from, when it can be made again."""
    reduced: Any = error.__reduce_ex__(4)
    _error(*reduced[:3])
    return tuple(reduced[:3])


def from_bytes(message: bytes) -> Reply:
    """The reply in a message.

    Errors travel as what they are made from. To let dask pickle them would add the traceback of
    the worker and lose attributes, such as the code of a SystemExit.

    Parameters
    ----------
    message : bytes
    """
    try:
        result, parts, told = pickle.loads(message)
        return Reply(result, parts and _error(*parts), told)
    except Exception as error:
        given = f"{type(error).__name__}: {error}"
        return Reply(error=ExecutionError("A worker's reply cannot be read.", given=given))


def _error(make: Any, arguments: tuple[Any, ...] = (), state: Any = None) -> BaseException:
    error: BaseException = make(*arguments)
    if state:
        error.__setstate__(state)
    return error


def repeat_warnings(told: tuple[Told, ...], registry: dict[Any, Any]) -> None:
    """Warn here as the task did there; the filters of this session decide what is shown.

    Our own warnings are given at the user's line, as from work in this process.

    Parameters
    ----------
    told : tuple
    registry : dict
        Remembers what was shown, so that a warning is not repeated for each task.
    """
    here = users_line()
    for category, text, filename, line in told:
        where = here if issubclass(category, PycvstatWarning) else (filename, line)
        warnings.warn_explicit(text, category, *where, registry=registry)
