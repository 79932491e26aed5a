"""Runs of tasks, said shortly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from pycvstat.run import execution_from, run_tasks

Run = Callable[..., list[Any]]


@pytest.fixture(scope="module", autouse=True)
def threads(two_threads: None) -> None:
    """Whoever does the work, one thread has to be the doing of the package."""


@pytest.fixture(scope="session")
def run() -> Run:
    """``run(function, shared, tasks, n_jobs=, client=, checkpoint=, progress=, ...)``."""

    def run(
        function: Callable[[Any, Any], Any],
        shared: Any = None,
        tasks: Sequence[Any] = range(6),
        *,
        identity: dict[str, Any] | None = None,
        label: str = "test run",
        **how: Any,
    ) -> list[Any]:
        return run_tasks(
            function,
            shared,
            tasks,
            execution=execution_from(**how),
            identity=identity or {"data": "a"},
            label=label,
        )

    return run


@contextmanager
def local_cluster(**how: Any) -> Iterator[tuple[Any, Any]]:
    """A real cluster on this machine, of two processes unless said otherwise, and its client."""
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    forked = {"distributed.worker.multiprocessing-method": "forkserver"}  # or each loads packages
    usual = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1"}
    silent = {"dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with (
        dask.config.set(forked),
        distributed.LocalCluster(**{**usual, **silent, **how}) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield cluster, client


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """A client of a cluster that all tests share."""
    with local_cluster() as (_, client):
        yield client
