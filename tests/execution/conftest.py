"""Runs of tasks, said shortly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from pycvstat.execution import execution_from, run_tasks

Run = Callable[..., list[Any]]


@pytest.fixture(scope="session")
def run() -> Run:
    """``run(function, shared, tasks, n_jobs=, backend=, checkpoint=, progress=, ...)``."""

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


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """A client of a real cluster of two processes on this machine."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
