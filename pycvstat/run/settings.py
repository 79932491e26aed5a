"""How work is to be carried out: by whom, kept where, and shown by a line with the time left."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pycvstat.errors import Advice, InputError
from pycvstat.errors.checks import check_path, is_whole

if TYPE_CHECKING:
    from distributed import Client

Progress = bool | Literal["auto"]
USUAL = {"ncols": 80, "nrows": 24}  # of a terminal that does not know its size


@dataclass(frozen=True, slots=True)
class Execution:
    """Who does the work and what is kept of it.

    Parameters
    ----------
    workers : int
        Local processes that work at the same time; 1 works in this process.
    client : dask.distributed.Client, optional
        Its cluster does the work instead.
    progress : bool or "auto"
        A progress line with the time left; "auto" shows it only on a terminal.
    checkpoint : pathlib.Path, optional
        A directory in which every finished task is kept at once.
    """

    workers: int = 1
    client: Client | None = None
    progress: Progress = "auto"
    checkpoint: Path | None = None


def execution_from(
    n_jobs: int | None = None,
    client: Client | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress = "auto",
) -> Execution:
    """Check what a user asked for and say it as an `Execution`.

    Parameters
    ----------
    n_jobs : int, optional
        Local worker processes; None or 1 works in this process, -1 uses every core and -2 all
        but one.
    client : dask.distributed.Client, optional
        It brings its own workers, so ``n_jobs`` has no place beside it.
    checkpoint : path, optional
        A directory in which finished tasks are kept, so that a killed run continues.
    progress : bool or "auto"
        Show a progress line: always, never, or only on a terminal.

    Returns
    -------
    Execution

    Examples
    --------
    >>> execution_from(n_jobs=2).workers
    2
    """
    if client is not None:
        _check_client(client, n_jobs)
    return Execution(_workers(n_jobs), client, _shown(progress), _directory(checkpoint))


def _shown(progress: Any) -> Progress:
    if isinstance(progress, (bool, np.bool_)):
        return bool(progress)
    if not isinstance(progress, str) or progress != "auto":
        raise InputError(
            "progress cannot be this.", given=repr(progress), fix='use True, False or "auto"'
        )
    return "auto"


def _directory(checkpoint: str | os.PathLike[str] | None) -> Path | None:
    if checkpoint is None:
        return None
    try:
        return check_path(checkpoint)
    except InputError as error:
        raise InputError(
            "checkpoint must be the path of a directory.",
            given=error.given,
            fix=Advice("use {checkpoint}, for example", checkpoint="kept"),
        ) from None


def _workers(n_jobs: int | None) -> int:
    """The number of processes that n_jobs asks for."""
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0:
        raise InputError(
            "n_jobs must be a whole number other than 0.",
            given=repr(n_jobs),
            fix=Advice("use {n_jobs} or more, or -1 for every core", n_jobs=1),
        )
    from joblib import cpu_count  # cores this process may use, also inside a container

    return int(n_jobs) if n_jobs > 0 else max(1, cpu_count() + 1 + int(n_jobs))


def _check_client(client: Any, n_jobs: int | None) -> None:
    if not all(hasattr(client, name) for name in ("submit", "asynchronous", "nthreads")):
        wrong = "This is no dask.distributed Client.", repr(client), "use client=Client(...)"
    elif n_jobs is not None:
        fix = "leave n_jobs out and scale the cluster"
        wrong = "A dask client brings its own workers.", f"n_jobs={n_jobs}", fix
    elif client.asynchronous:
        fix = "make it with Client(..., asynchronous=False)"
        wrong = "The dask client is asynchronous.", repr(client), fix
    elif client.status != "running":
        given = f"a client that is {client.status}"
        wrong = "The dask client is not connected.", given, "connect a new Client"
    else:
        return
    raise InputError(wrong[0], given=wrong[1], fix=wrong[2])


def progress_line(show: Progress, *, total: int, done: int, label: str) -> Any:
    """A tqdm bar; it prints nothing where nobody watches.

    Parameters
    ----------
    show : bool or "auto"
        "auto" shows it only on a terminal, and only for work of more than a second.
    total : int
        Tasks in all.
    done : int
        Tasks that were done before; they do not count for the time left.
    label : str
    """
    from tqdm import tqdm

    watched = sys.stderr is not None and sys.stderr.isatty()
    size: dict[str, Any] = USUAL if watched and _has_no_size(sys.stderr) else {}
    return tqdm(
        total=total,
        initial=done,
        desc=label,
        unit="task",
        file=sys.stderr,
        disable=not (watched if show == "auto" else show),
        delay=1.0 if show == "auto" else 0.0,
        smoothing=0.0,  # tasks of one kind: the mean is the best guess
        dynamic_ncols=not size,
        **size,
    )


def _has_no_size(stream: Any) -> bool:
    """Whether this is a terminal of size 0, as under ``script`` or in a container."""
    try:
        return os.get_terminal_size(stream.fileno()).columns == 0
    except (OSError, ValueError, AttributeError):  # no terminal of the system
        return False
