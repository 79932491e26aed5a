"""A cluster that goes away in the middle costs what was in flight."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pycvstat.errors import ExecutionError, PycvstatWarning
from tests.run import jobs
from tests.run.conftest import Run, local_cluster

pytestmark = pytest.mark.slow

ENDS: dict[str, Callable[[Any, Any], Any]] = {
    "the client is closed": lambda cluster, client: client.close(),
    "the cluster is closed": lambda cluster, client: cluster.close(),
    "its workers are taken away": lambda cluster, client: cluster.scale(0),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_cluster_that_goes_away(
    end: Callable[[Any, Any], Any], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pycvstat.run.cluster.PATIENCE", 1.0)
    monkeypatch.setattr("pycvstat.run.workers.LISTEN", 0.5)
    (tmp_path / "done").mkdir()
    with local_cluster() as (cluster, client):

        def go_away() -> None:
            while not list(tmp_path.glob("k/*/task-*.npz")):
                time.sleep(0.05)
            end(cluster, client)

        leaving = threading.Thread(target=go_away)
        leaving.start()
        with pytest.raises(ExecutionError, match="The dask cluster"):
            run(jobs.slow, tmp_path / "done", range(500), client=client, checkpoint=tmp_path / "k")
        leaving.join()
    kept = len(list(tmp_path.glob("k/*/task-*.npz")))
    begun = len(list((tmp_path / "done").iterdir()))
    assert 0 < kept <= begun < 500


def test_workers_with_several_threads_give_the_same_and_are_advised(run: Run) -> None:
    expected = run(jobs.fit, jobs.data())
    with (
        local_cluster(n_workers=1, threads_per_worker=3) as (_, client),
        pytest.warns(PycvstatWarning, match="threads_per_worker=1"),
    ):
        found = run(jobs.fit, jobs.data(), client=client)
    assert repr(found) == repr(expected)
    assert all((a["one_row"] == b["one_row"]).all() for a, b in zip(found, expected, strict=True))


def test_a_cluster_inside_this_process(run: Run) -> None:
    expected = run(jobs.draws)
    before = np.random.get_state()[1].tolist()  # type: ignore[union-attr]
    with (
        local_cluster(n_workers=1, processes=False, host=None) as (_, client),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", "A numerical library cannot be limited")
        found = run(jobs.draws, client=client)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[union-attr]
    assert [numpy for _, numpy in found] == [numpy for _, numpy in expected]
