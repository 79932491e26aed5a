"""Workers stay for the next run, but never work with what has changed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pycvstat.run import processes
from tests.run import jobs
from tests.run.conftest import Run

Workers = Callable[[], set[int]]


@pytest.fixture
def workers(run: Run) -> Iterator[Workers]:
    """Who works in a run of two workers."""
    end_waiting()
    yield lambda: set(run(jobs.slow_who, None, range(8), n_jobs=2))
    end_waiting()


def end_waiting() -> None:
    while processes._waiting:
        processes._waiting.pop().end()


def test_workers_stay(workers: Workers) -> None:
    first = workers()
    assert len(first) == 2
    assert workers() == first


def test_another_environment_needs_others(
    workers: Workers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = workers()
    monkeypatch.setenv("SOMETHING", "else")
    second = workers()
    monkeypatch.syspath_prepend(tmp_path)
    third = workers()
    monkeypatch.chdir(tmp_path)
    fourth = workers()
    assert len(first | second | third | fourth) == 8


def test_a_changed_module_needs_others(
    run: Run, workers: Workers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "own_learner.py").write_text("def task(shared, task): return 'old'")
    import own_learner  # type: ignore[import-not-found]

    try:
        assert run(own_learner.task, n_jobs=2) == ["old"] * 6
        assert run(own_learner.task, n_jobs=2) == ["old"] * 6
        # another length: Python takes compiled code of the same size and second for current
        (tmp_path / "own_learner.py").write_text("def task(shared, task): return 'new'  # changed")
        assert run(own_learner.task, n_jobs=2) == ["new"] * 6
    finally:
        del sys.modules["own_learner"]


def test_a_worker_that_died_while_waiting_is_replaced(workers: Workers) -> None:
    first = workers()
    victim = min(first)
    os.kill(victim, signal.SIGKILL)
    time.sleep(0.2)
    second = workers()
    assert len(first & second) == 1
    assert victim not in second
    for pid in second:
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    assert not workers() & second


def test_a_run_that_fails_leaves_whole_workers(run: Run, workers: Workers) -> None:
    first = workers()
    with pytest.raises(ZeroDivisionError):
        run(lambda shared, task: 1 / (task - 3), n_jobs=2)
    assert workers() & first


def test_nobody_waits_for_ever(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "PATIENCE", 0.3)
    first = workers()
    for _ in range(600):
        if not any(Path(f"/proc/{pid}").exists() for pid in first):
            break
        time.sleep(0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(min(first), 0)
    assert len(workers() - first) == 2


def test_a_worker_that_was_taken_does_not_go(workers: Workers) -> None:
    """However late its time to go comes: what ends under a task has nobody to do it."""
    first = workers()
    worker = processes._take()
    worker._go()
    assert worker.do(os.getpid).result() in first
    worker.wait()
    assert worker in processes._waiting
    worker._go()
    assert worker not in processes._waiting
    assert len(workers() & first) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_waiting_workers_hold_no_data(workers: Workers) -> None:
    for pid in workers():
        maps = Path(f"/proc/{pid}/maps")
        for _ in range(100):
            if "pycvstat-" not in maps.read_text():
                break
            time.sleep(0.02)
        assert "pycvstat-" not in maps.read_text()


FORKED = """
import os
from pycvstat.run import execution_from, run_tasks
from tests.run import jobs

def who():
    return set(run_tasks(jobs.slow_who, None, range(6), execution=execution_from(n_jobs=2),
                         identity={}, label="who"))

first = who()
if child := os.fork():
    _, status = os.waitpid(child, 0)
    print(status, who() == first)
else:
    os._exit(len(who() & first))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_process_has_workers_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "0 True\n", done.stderr


def test_a_died_worker_takes_one_task_with_it(run: Run, tmp_path: Path) -> None:
    """The other workers go on with what they have."""
    assert run(jobs.dies_once, tmp_path, range(12), n_jobs=3) == list(range(12))
    assert all(len((tmp_path / f"{i}").read_text().split()) == 1 for i in range(12))
