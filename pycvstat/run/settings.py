"""How work is to be carried out: by whom, shown how, kept where."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from pycvstat.errors import Advice, InputError
from pycvstat.errors.checks import check_path, is_whole

if TYPE_CHECKING:
    from distributed import Client

BackendName = Literal["serial", "processes"]
Progress = bool | Literal["auto"]


@dataclass(frozen=True, slots=True)
class Execution:
    """Who does the work and what is kept of it.

    Parameters
    ----------
    workers : int
        Processes that work at the same time; 1 with ``backend="serial"``.
    backend : {"serial", "processes"} or dask.distributed.Client
        In this process, in local processes, or on the cluster of a dask client.
    progress : bool or "auto"
        A progress line with the time left; "auto" shows it only on a terminal.
    checkpoint : pathlib.Path, optional
        A directory in which every finished task is kept at once.

    Examples
    --------
    >>> Execution().backend
    'serial'
    """

    workers: int = 1
    backend: BackendName | Client = "serial"
    progress: Progress = "auto"
    checkpoint: Path | None = None


def execution_from(
    n_jobs: int | None = None,
    backend: BackendName | Client | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress = "auto",
) -> Execution:
    """Check what a user asked for and say it as an `Execution`.

    Parameters
    ----------
    n_jobs : int, optional
        Local worker processes; None or 1 works in this process, -1 uses every core and -2 all
        but one.
    backend : {"serial", "processes"} or dask.distributed.Client, optional
        None chooses from ``n_jobs``. A client brings its own workers, so ``n_jobs`` has no place
        beside it.
    checkpoint : path, optional
        A directory in which finished tasks are kept, so that a killed run continues.
    progress : bool or "auto"
        Show a progress line: always, never, or only on a terminal.

    Returns
    -------
    Execution

    Examples
    --------
    >>> execution_from(n_jobs=2).backend
    'processes'
    """
    progress, place = _shown(progress), _directory(checkpoint)
    if backend is not None and not isinstance(backend, str):
        return Execution(_cluster_size(backend, n_jobs), backend, progress, place)
    if backend not in (None, *get_args(BackendName)):
        raise InputError(
            "There is no such back end.",
            given=repr(backend),
            fix='use "serial", "processes" or a dask.distributed Client',
        )
    workers = _workers(n_jobs)
    if backend == "serial" and workers > 1:
        raise InputError(
            "The serial back end has one worker.",
            given=f"n_jobs={n_jobs}",
            fix='leave n_jobs out, or use backend="processes"',
        )
    chosen: BackendName = backend or ("serial" if workers == 1 else "processes")
    return Execution(workers, chosen, progress, place)


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
    wanted = int(n_jobs)
    if wanted > 0:
        return wanted
    return max(1, _cores() + 1 + wanted)


def _cores() -> int:
    """Cores this process may use, also inside a container."""
    from joblib import cpu_count

    count: int = cpu_count()
    return count


def _cluster_size(client: Any, n_jobs: int | None) -> int:
    """The number of threads behind a dask client."""
    if not all(hasattr(client, name) for name in ("submit", "scatter", "nthreads")):
        raise InputError(
            "This is neither the name of a back end nor a dask.distributed Client.",
            given=repr(client),
            fix='use "serial", "processes" or a Client',
        )
    if n_jobs is not None:
        raise InputError(
            "A dask client brings its own workers.",
            given=f"n_jobs={n_jobs}",
            fix="leave n_jobs out and scale the cluster",
        )
    if client.asynchronous:
        raise InputError(
            "The dask client is asynchronous.",
            given=repr(client),
            fix="make it with Client(..., asynchronous=False)",
        )
    if client.status != "running":
        raise InputError(
            "The dask client is not connected.",
            given=f"a client that is {client.status}",
            fix="connect a new Client",
        )
    return max(1, sum(int(count) for count in client.nthreads().values()))
