"""Tasks on the workers of a `dask.distributed` cluster."""

from __future__ import annotations

import pickle
import threading
import warnings
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any

from pycvstat.errors import ExecutionError, warn
from pycvstat.run import workers
from pycvstat.run.reproducible import Common, Reply, one_thread, own_generators, perform_elsewhere

if TYPE_CHECKING:
    from pycvstat.run.tasks import Run

PATIENCE = 60.0
"""Seconds that a cluster may be without workers."""

_one_task = threading.Lock()


class Cluster(workers.Workers):
    """A dask cluster: its scheduler has all tasks at once, and what they have in common.

    The scheduler tries a task again when its worker dies, and gives it up after a few deaths; but
    it also counts a death against tasks that only waited on that worker.
    """

    def __init__(self, common: Common, run: Run, client: Any) -> None:
        super().__init__(common, run)
        self.client, self.parts = client, workers.apart(common)
        self._sent: Any = None
        if max(client.nthreads().values(), default=1) > 1:
            warn(
                "Workers of this dask cluster have several threads, and each does one task at a "
                "time: start it with threads_per_worker=1."
            )

    def are_free(self) -> bool:
        return True

    def begin(self, number: int) -> Any:
        if self._sent is None or self._sent.status not in ("pending", "finished"):
            self.look()
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")
                # a task, which the scheduler repeats when the worker that holds it dies
                self._sent = self.client.submit(workers.arrive, *self.parts, pure=False)
        message = self.messages[number]
        return self.client.submit(perform_on_cluster, self._sent, message, pure=False)

    def reply(self, number: int, future: Any) -> Reply:
        from distributed import KilledWorker

        try:
            return workers.from_bytes(self._result(future))
        except KilledWorker as error:
            raise workers.WorkerLost("every worker that tried it died") from error
        except CancelledError as error:
            self.look()
            raise workers.WorkerLost("the cluster cancelled it") from error
        except Exception as error:
            self.look()
            problem = "A worker of the cluster cannot do its work."
            fix = "install the same versions on the workers, with every module of your learner"
            failure = ExecutionError(problem, given=f"{type(error).__name__}: {error}", fix=fix)
            return Reply(error=failure)

    def _result(self, future: Any) -> Any:
        """What a task gave, as long as there is a cluster to hand it out, or to do it again."""
        while True:
            try:
                return future.result(timeout=workers.LISTEN)
            except TimeoutError:
                self.look()

    def leave(self, futures: list[Any]) -> None:
        """Cancel what is not wanted; what runs already is not waited for."""
        if futures and self.client.status == "running":
            self.client.cancel(futures)

    def look(self) -> None:
        """Make sure that there is a cluster with workers, now or within a minute."""
        if self.client.status != "running":
            given = f"a client that is {self.client.status}"
            raise ExecutionError("The dask cluster is gone.", given=given, fix="connect a new one")
        try:
            if not self.client.nthreads():
                self.client.wait_for_workers(1, timeout=PATIENCE)
        except Exception as error:
            raise ExecutionError(
                f"The dask cluster has no workers, also after {PATIENCE:.0f} seconds.",
                given=f"{type(error).__name__}: {error}",
                fix="start workers, or scale the cluster",
            ) from error


def perform_on_cluster(common: workers.Aligned, message: bytes) -> bytes:
    """What became of one task, as a message; runs on a worker.

    Limits of threads, warnings and random generators belong to the whole process, so a worker
    with several threads does one task at a time.

    Parameters
    ----------
    common : Aligned
        Holds a `Common`.
    message : bytes
    """
    number, task = pickle.loads(message)
    with _one_task, one_thread(), own_generators():
        return workers.to_bytes(perform_elsewhere(common.value, number, task))
