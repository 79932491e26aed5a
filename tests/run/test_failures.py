"""Errors come through as they are; dying workers cost nothing but time."""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from joblib.externals.loky.process_executor import ProcessPoolExecutor

from pycvstat.errors import ExecutionError, FitError, InputError
from pycvstat.run.processes import _waiting
from tests.run import jobs
from tests.run.conftest import Run

How = dict[str, Any]


@pytest.fixture(params=["processes", "cluster"])
def elsewhere(request: pytest.FixtureRequest) -> How:
    if request.param == "processes":
        return {"n_jobs": 2}
    return {"client": request.getfixturevalue("client")}


@pytest.fixture(params=["here", "processes", "cluster"])
def anywhere(request: pytest.FixtureRequest) -> How:
    if request.param == "here":
        return {}
    if request.param == "processes":
        return {"n_jobs": 2}
    return {"client": request.getfixturevalue("client")}


def test_the_first_failing_task_speaks(run: Run, elsewhere: How, tmp_path: Path) -> None:
    with pytest.raises(FitError) as caught:
        run(jobs.fails_late, tmp_path, range(4), **elsewhere)
    assert str(caught.value) == ("the second fit failed.\n  Given: k=3\n  Do this: use k=1")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_failure_stops_what_comes_after(run: Run, tmp_path: Path) -> None:
    (tmp_path / "3").touch()
    with pytest.raises(FitError):
        run(jobs.fails_late, tmp_path, range(200), n_jobs=2)
    assert len(list(tmp_path.iterdir())) < 20


def test_a_failure_waits_for_nothing_that_comes_after(run: Run, tmp_path: Path) -> None:
    """A worker that hangs there is ended."""
    with pytest.raises(FitError, match="the first fit failed"):
        run(jobs.hangs, tmp_path, range(2), n_jobs=2)
    pid = int((tmp_path / "begun 1").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_worker_that_hangs_is_ended_and_its_task_named(run: Run, tmp_path: Path) -> None:
    """The task before it is kept."""
    kept = tmp_path / "kept"
    with pytest.raises(ExecutionError, match=r"task 2 of 4 was not done after 2 seconds") as caught:
        run(jobs.hangs_alone, tmp_path, range(4), n_jobs=2, task_limit=2, checkpoint=kept)
    assert caught.value.given == "task_limit=2"
    assert list(kept.glob("*/task-*.npz"))
    pid = int((tmp_path / "begun 1").read_text())
    patience = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < patience:
        time.sleep(0.01)  # it is ended beside what the session does
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert run(jobs.slow, tmp_path, range(6), n_jobs=2, task_limit=20) == list(range(6))


def test_an_error_that_cannot_travel_keeps_its_text(run: Run, elsewhere: How) -> None:
    with pytest.raises(ExecutionError, match="CannotTravel") as caught:
        run(jobs.fails_oddly, None, **elsewhere)
    assert caught.value.given == "CannotTravel: it was odd"


def test_a_task_that_quits(run: Run, anywhere: How) -> None:
    with pytest.raises(SystemExit) as caught:
        run(jobs.quits, None, **anywhere)
    assert caught.value.code == 5


def test_a_worker_that_dies_once(run: Run, elsewhere: How, tmp_path: Path) -> None:
    assert run(jobs.dies_once, tmp_path, **elsewhere) == list(range(6))
    assert (tmp_path / "died").exists()


def test_a_task_that_kills_its_workers(run: Run, elsewhere: How, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with pytest.raises(ExecutionError, match=r"task 3 of 6 ended every worker") as caught:
        run(jobs.dies_always, tmp_path, checkpoint=kept, **elsewhere)
    assert "the others are kept in the checkpoint" in str(caught.value)
    assert {p.name for p in tmp_path.iterdir()} == {"0", "1", "3", "4", "5", "kept"}
    assert len(list(kept.glob("*/task-*.npz"))) == 5


def test_what_ended_a_worker_is_said(run: Run) -> None:
    with pytest.raises(ExecutionError, match=r"EXIT\(7\)"):
        run(jobs.leaves, n_jobs=2)


def test_workers_that_cannot_start(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _waiting.clear()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ExecutionError, match="no other task was done") as caught:
        run(jobs.fit, jobs.data(), n_jobs=2)
    assert "EXIT(1)" in str(caught.value.given)

    def full(*arguments: Any, **named: Any) -> Any:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(ProcessPoolExecutor, "submit", full)
    with pytest.raises(ExecutionError, match=r"(?s)cannot be started.*Too many open files"):
        run(jobs.fit, jobs.data(), n_jobs=2)


def test_a_module_that_workers_cannot_import(
    run: Run, elsewhere: How, monkeypatch: pytest.MonkeyPatch
) -> None:
    import types

    module = types.ModuleType("only_here")
    exec("def task(shared, task): return task", module.__dict__)
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(ExecutionError, match="only_here"):
        run(module.task, None, **elsewhere)


def test_what_cannot_be_sent_is_named_before_work_starts(
    run: Run, elsewhere: How, tmp_path: Path
) -> None:
    lock = threading.Lock()

    class Learner:
        def __init__(self) -> None:
            self.model = {"callback": lock}

    with pytest.raises(InputError, match=r"cannot be sent") as caught:
        run(jobs.noted, {"learner": Learner(), "place": tmp_path}, **elsewhere)
    assert "learner.model.callback" in str(caught.value.given)
    with pytest.raises(InputError, match=r"lock"):
        run(lambda shared, task: lock, tmp_path, **elsewhere)
    with pytest.raises(InputError, match=r"cannot be sent"):
        run(jobs.noted, tmp_path, [1, (i for i in range(2))], **elsewhere)
    assert list(tmp_path.iterdir()) == []


def test_a_result_that_cannot_be_sent(run: Run, elsewhere: How) -> None:
    with pytest.raises(InputError, match=r"cannot be sent"):
        run(lambda shared, task: threading.Lock(), None, **elsewhere)


def test_warnings_arrive(run: Run, anywhere: How) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        run(jobs.warns, None, range(3), **anywhere)
    texts = [str(w.message) for w in told]
    assert texts == ["beware of 0", "the same each time", "beware of 1", "beware of 2"]
    assert {w.filename for w in told} == {jobs.__file__}


def test_what_comes_after_a_failure_does_not_warn(run: Run, elsewhere: How, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="beware") as told, pytest.raises(FitError):
        run(jobs.fails_after_others, tmp_path, range(2), **elsewhere)
    assert [str(w.message) for w in told] == ["beware of 0"]


def test_warnings_that_are_errors_are_errors_there(run: Run, anywhere: How) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(RuntimeWarning, match="the same each time"):
            run(jobs.warns, None, **anywhere)


def test_a_task_sees_the_warning_filters_of_the_session(run: Run, anywhere: How) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert set(run(jobs.warned, **anywhere)) == {"failed"}
        warnings.simplefilter("ignore", RuntimeWarning)
        assert set(run(jobs.warned, **anywhere)) == {"went on"}


def test_what_tasks_print_is_printed(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    _waiting.clear()  # others print where they did when they started
    assert run(jobs.prints, n_jobs=2) == list(range(6))
    assert capfd.readouterr().out.count("said by a task") == 6


def test_nothing_is_left_behind(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run(jobs.fit, jobs.data(), n_jobs=2)
    with pytest.raises(ExecutionError):
        run(jobs.leaves, n_jobs=2)
    assert list(tmp_path.iterdir()) == []


def test_no_room_for_the_data(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def full(self: Path, *args: Any, **kwargs: Any) -> Any:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(ExecutionError, match=r"(?s)could not be written.*No space left"):
            run(jobs.who, jobs.data(), n_jobs=2)
    assert list(tmp_path.iterdir()) == []


def test_a_client_that_is_closed(run: Run) -> None:
    class Closed:
        status = "closed"
        asynchronous = False
        submit: Callable[..., Any]
        scatter = submit = nthreads = lambda *args: {}

    with pytest.raises((ExecutionError, InputError), match=r"closed"):
        run(jobs.who, client=Closed())


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
def test_memory_that_runs_out_in_one_worker_only(run: Run, tmp_path: Path) -> None:
    with pytest.raises(MemoryError):
        run(jobs.hungry, None, range(4), n_jobs=2, checkpoint=tmp_path)
    kept = {path.name for path in tmp_path.glob("*/task-*.npz")}
    assert len(kept) >= 2  # the tasks before it
