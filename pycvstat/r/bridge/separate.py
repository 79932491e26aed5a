"""Work with R in a Python of its own, which a crash or a hang of R cannot harm."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pycvstat.errors import PycvstatError, PycvstatWarning, RError, warn
from pycvstat.r.bridge.installed import missing
from pycvstat.r.bridge.script import MOST_OUTPUT, failure, text_of, watched


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
        command = [sys.executable, "-m", __name__, str(folder)]
        streams = folder / "out", folder / "err"
        status = watched(command, streams, seconds, MOST_OUTPUT, {"PYTHONPATH": _search_path()})
        if not (folder / "answer").exists():
            raise failure(status, text_of(streams[1], MOST_OUTPUT))
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
        raise RError(
            "This cannot be sent to a process of its own.",
            given=f"{type(error).__name__}: {error}",
            fix="leave out separate=True; or define its functions in a module",
        ) from None


def _search_path() -> str:
    """Where the new process finds this package, installed or not."""
    here = str(Path(__file__).resolve().parents[3])
    return os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])


def _answer(folder: Path) -> None:
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


if __name__ == "__main__":
    _answer(Path(sys.argv[1]))
