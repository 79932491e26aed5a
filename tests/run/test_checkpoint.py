"""A checkpoint continues its own work, refuses other work, and survives damage."""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pycvstat import KNN
from pycvstat.errors import CheckpointError, PycvstatWarning
from pycvstat.folds import KFold
from pycvstat.run.checkpoint import Checkpoint
from pycvstat.run.store import load, save
from tests.run import jobs
from tests.run.conftest import Run


@pytest.fixture
def done(tmp_path: Path) -> Path:
    """Where tasks note that they were done."""
    (tmp_path / "done").mkdir()
    return tmp_path / "done"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "kept"


def forget(done: Path) -> None:
    for path in done.iterdir():
        path.unlink()


def files(kept: Path) -> list[Path]:
    return sorted(kept.glob("test-run-*/task-*.npz"))


def place(kept: Path) -> Path:
    (found,) = kept.glob("test-run-*")
    return found


def test_what_is_done_is_not_done_again(run: Run, done: Path, kept: Path) -> None:
    assert run(jobs.noted, done, checkpoint=kept) == list(range(6))
    forget(done)
    files(kept)[2].unlink()
    assert run(jobs.noted, done, checkpoint=kept, n_jobs=2) == list(range(6))
    assert [p.name for p in done.iterdir()] == ["2"]


def test_other_work_is_refused_and_named(run: Run, done: Path, kept: Path) -> None:
    run(jobs.noted, done, checkpoint=kept, identity={"data": "5f1e", "folds": {"K": 5}})
    with pytest.raises(CheckpointError, match="belongs to other work") as caught:
        run(jobs.noted, done, checkpoint=kept, identity={"data": "77a0", "folds": {"K": 10}})
    assert str(caught.value) == (
        "The checkpoint belongs to other work.\n"
        "  Given: identity.data: '5f1e' in the checkpoint, '77a0' now\n"
        "         identity.folds.K: 5 in the checkpoint, 10 now\n"
        f"  Do this: use another directory, or delete {place(kept)} to begin again"
    )


def test_other_versions_are_refused(
    run: Run, done: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(jobs.noted, done, checkpoint=kept)
    monkeypatch.setattr("pycvstat.run.checkpoint.versions", lambda: {"numpy": "9.9"})
    with pytest.raises(CheckpointError, match=r"versions.numpy: '[\d.]+' in the checkpoint, '9.9'"):
        run(jobs.noted, done, checkpoint=kept)


def test_another_number_of_tasks_or_function_is_refused(run: Run, done: Path, kept: Path) -> None:
    run(jobs.noted, done, checkpoint=kept)
    with pytest.raises(CheckpointError, match=r"identity.tasks: .* in the checkpoint, .* now"):
        run(jobs.noted, done, range(4), checkpoint=kept)
    with pytest.raises(CheckpointError, match="function"):
        run(jobs.slow, done, checkpoint=kept)


def test_works_with_other_labels_share_a_directory(kept: Path) -> None:
    Checkpoint(kept, "outer folds: knn/5", {}).keep(0, 1.0)
    Checkpoint(kept, "the final fit", {"other": True}).keep(0, 2.0)
    assert Checkpoint(kept, "outer folds: knn/5", {}).read(1) == {0: 1.0}
    names = sorted(p.name.rpartition("-")[0] for p in kept.iterdir())
    assert names == ["outer-folds-knn-5", "the-final-fit"]


def test_a_plain_label_is_the_name_of_its_directory(kept: Path) -> None:
    assert Checkpoint(kept, "cross-validation", {}).place == kept / "cross-validation"


@pytest.mark.parametrize(
    "labels",
    [("a b", "a-b"), ("!", "?"), ("x" * 120 + "1", "x" * 120 + "2"), ("漢" * 99, "漢" * 98)],
    ids=["punctuation", "nothing else", "long", "many bytes"],
)
def test_labels_that_look_alike_have_directories_of_their_own(
    kept: Path, labels: tuple[str, str]
) -> None:
    for label in labels:
        Checkpoint(kept, label, {}).keep(0, label)
    assert [Checkpoint(kept, label, {}).read(1) for label in labels] == [{0: one} for one in labels]
    assert len(list(kept.iterdir())) == 2


@pytest.mark.parametrize("label", ["..", ".", "", "a/../../b", "\x00"])
def test_a_label_cannot_leave_the_directory(kept: Path, label: str) -> None:
    checkpoint = Checkpoint(kept, label, {})
    assert checkpoint.place.resolve().parent == kept.resolve()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-40]),
        lambda path: path.write_bytes(path.read_bytes()[:300]),
        lambda path: path.write_bytes(path.read_bytes().replace(b"result", b"resulT")),
        lambda path: path.write_bytes(os.urandom(500)),
    ],
    ids=["empty", "end missing", "half", "changed", "noise"],
)
def test_a_damaged_file_costs_one_task_and_says_so(
    run: Run, done: Path, kept: Path, damage: Any
) -> None:
    run(jobs.noted, done, checkpoint=kept)
    whole = [path.read_bytes() for path in files(kept)]
    damage(files(kept)[3])
    forget(done)
    with pytest.warns(PycvstatWarning, match="Task 4 of the checkpoint is damaged"):
        assert run(jobs.noted, done, checkpoint=kept) == list(range(6))
    assert [p.name for p in done.iterdir()] == ["3"]
    assert [path.read_bytes() for path in files(kept)] == whole


@pytest.mark.parametrize("wrong", [None, "x", [], {}, 0, {"losses": 1}], ids=str)
def test_a_result_of_another_form_is_done_again(
    run: Run, done: Path, kept: Path, wrong: Any
) -> None:
    """A whole file, with checksums that are right, whose result is not the one that was kept."""
    run(jobs.noted, done, range(1, 4), checkpoint=kept)
    path = files(kept)[1]
    whole = path.read_bytes()
    save(path, "task", {**load(path).record, "result": wrong})
    forget(done)
    with pytest.warns(PycvstatWarning, match="Task 2 of the checkpoint is damaged"):
        assert run(jobs.noted, done, range(1, 4), checkpoint=kept) == [1, 2, 3]
    assert [p.name for p in done.iterdir()] == ["2"]
    assert path.read_bytes() == whole


def test_a_fold_of_another_form_is_done_again(kept: Path) -> None:
    """What the engine reads is what it kept, whoever wrote the file."""
    import pycvstat as pcv

    def estimate() -> float:
        return pcv.cross_validate(
            pcv.KNN(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(4, random=1), checkpoint=kept
        ).estimate

    first = estimate()
    path = min(kept.glob("*/task-*.npz"))
    record = load(path).record
    for wrong in (None, "x", {}, [1], {**record["result"], "losses": record["result"]["losses"].T}):
        save(path, "task", {**record, "result": wrong})
        with pytest.warns(PycvstatWarning, match="Task 1 of the checkpoint is damaged"):
            assert estimate() == first


def test_parts_that_are_one_object_are_read_as_two(run: Run, kept: Path) -> None:
    plan, learner = KFold(3, random=1).plan(9), KNN(k=3)

    def twice(shared: Any, task: int) -> Any:
        return [plan, plan, plan.rows, learner, learner, np.float32(0.1)]

    for _ in range(2):
        assert [result[4] for result in run(twice, checkpoint=kept)] == [learner] * 6


def test_methods_whose_names_look_alike_are_compared(kept: Path) -> None:
    import pycvstat as pcv

    for names in (("a b", "a-b"), ("!", "?"), ("x" * 120 + "1", "x" * 120 + "2")):
        methods = dict(zip(names, (pcv.KNN(k=1), pcv.KNN(k=5)), strict=True))
        work = (methods, "mpg ~ wt", pcv.data.mtcars())
        found = [
            pcv.compare(*work, folds=pcv.KFold(4, random=1), checkpoint=place).tidy()
            for place in (kept, kept, None)
        ]
        assert found[0].equals(found[1])
        assert found[0].equals(found[2])


@pytest.mark.parametrize("missing", ["work", "number", "result", "sha256"])
def test_a_record_without_one_of_its_parts_is_done_again(
    run: Run, done: Path, kept: Path, missing: str
) -> None:
    run(jobs.noted, done, checkpoint=kept)
    path = files(kept)[1]
    record = load(path).record
    save(path, "task", {name: part for name, part in record.items() if name != missing})
    with pytest.warns(PycvstatWarning, match="Task 2 of the checkpoint is damaged"):
        assert run(jobs.noted, done, checkpoint=kept) == list(range(6))


def test_a_damaged_manifest_costs_nothing_and_says_so(run: Run, done: Path, kept: Path) -> None:
    run(jobs.noted, done, checkpoint=kept)
    manifest = place(kept) / "manifest.json"
    content = manifest.read_bytes()
    for damaged in (b"", content[:-30], content.replace(b"identity", b"identitx"), b"[1]"):
        forget(done)
        manifest.write_bytes(damaged)
        with pytest.warns(PycvstatWarning, match="manifest of the checkpoint is damaged"):
            run(jobs.noted, done, checkpoint=kept)
        assert list(done.iterdir()) == []
        assert manifest.read_bytes() == content


def test_a_damaged_manifest_does_not_let_other_work_in(run: Run, done: Path, kept: Path) -> None:
    run(jobs.noted, done, checkpoint=kept)
    (place(kept) / "manifest.json").write_bytes(b"{")
    with (
        pytest.warns(PycvstatWarning, match="damaged"),
        pytest.raises(CheckpointError, match="kept by other work"),
    ):
        run(jobs.noted, done, checkpoint=kept, identity={"data": "b"})


def test_files_of_other_tasks_or_work_are_not_mixed_in(run: Run, done: Path, kept: Path) -> None:
    run(jobs.noted, done, checkpoint=kept)
    shutil.copy(files(kept)[1], files(kept)[4])
    with pytest.raises(CheckpointError, match=r"task-000005\.npz was kept by other work"):
        run(jobs.noted, done, checkpoint=kept)


def test_a_manifest_is_readable(run: Run, done: Path, kept: Path) -> None:
    run(jobs.noted, done, checkpoint=kept, identity={"data": "5f1e"})
    manifest = json.loads((place(kept) / "manifest.json").read_text())
    assert manifest["label"] == "test run"
    assert manifest["identity"]["data"] == "5f1e"
    assert manifest["identity"]["function"]["function"] == "tests.run.jobs.noted"
    assert "numpy" in manifest["versions"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_disk_that_fills_up_loses_only_what_does_not_fit(
    run: Run, done: Path, kept: Path, n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync
    lock = threading.Lock()
    synced: list[int] = []

    def full(handle: int) -> None:
        with lock:
            synced.append(handle)
        if 9 <= len(synced) <= 11:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.warns(PycvstatWarning, match=r"could not be kept.*No space left") as told:
            assert run(jobs.noted, done, checkpoint=kept, n_jobs=n_jobs) == list(range(6))
    lost = len(told)
    assert lost >= 1
    assert len(files(kept)) >= 6 - lost
    assert list(kept.glob("*/.*")) == []
    missing = 6 - len(files(kept))
    forget(done)
    assert run(jobs.noted, done, checkpoint=kept) == list(range(6))
    assert len(list(done.iterdir())) == missing


def test_a_full_disk_at_the_start_is_refused(
    run: Run, done: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match=r"(?s)cannot be written.*No space left"):
        run(jobs.noted, done, checkpoint=kept)
    assert list(done.iterdir()) == []


def test_a_path_that_is_a_file_is_refused(run: Run, done: Path, kept: Path) -> None:
    kept.write_text("")
    with pytest.raises(CheckpointError, match=r"(?s)cannot be written"):
        run(jobs.noted, done, checkpoint=kept)


def test_a_read_only_directory(
    run: Run, done: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A finished checkpoint can be read there; an unfinished one is refused before work starts."""
    run(jobs.noted, done, checkpoint=kept)
    forget(done)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root may write anywhere
    assert run(jobs.noted, done, checkpoint=kept) == list(range(6))
    files(kept)[0].unlink()
    with pytest.raises(CheckpointError, match=r"read-only and 1 tasks are to be done"):
        run(jobs.noted, done, checkpoint=kept)
    assert list(done.iterdir()) == []


@pytest.mark.filterwarnings("ignore:A numerical library cannot be limited")
def test_runs_in_the_same_directory_share_their_work(run: Run, done: Path, kept: Path) -> None:
    results: list[Any] = []
    runs = [
        threading.Thread(
            target=lambda: results.append(run(jobs.slow, done, range(30), checkpoint=kept))
        )
        for _ in range(3)
    ]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    assert results == [list(range(30))] * 3
    assert len(files(kept)) == 30
    assert list(kept.glob("*/.*")) == []


def test_what_another_run_has_done_meanwhile_is_not_done_again(run: Run, tmp_path: Path) -> None:
    ours, theirs, done = (tmp_path / name for name in ("ours", "theirs", "done"))
    done.mkdir()

    def task(shared: Any, number: int) -> int:
        if number == 0 and files(theirs):
            shutil.copy(files(theirs)[4], place(ours))
        return jobs.noted(done, number)  # type: ignore[no-any-return]

    run(task, checkpoint=theirs)
    run(task, checkpoint=ours)
    assert {p.name: len(p.read_text().split()) for p in done.iterdir()} == {
        str(number): 1 if number == 4 else 2 for number in range(6)
    }


def test_a_result_that_no_file_can_hold(run: Run, kept: Path) -> None:
    with pytest.raises(Exception, match="cannot be kept in a file"):
        run(lambda shared, task: {1, 2}, None, checkpoint=kept)


def test_interrupted_work_is_kept(run: Run, done: Path, kept: Path) -> None:
    def interrupted(shared: Path, task: int) -> int:
        if task == 3 and not (shared / "interrupted").exists():
            (shared / "interrupted").touch()
            raise KeyboardInterrupt
        return jobs.noted(shared, task)  # type: ignore[no-any-return]

    with pytest.raises(KeyboardInterrupt) as caught:
        run(interrupted, done, checkpoint=kept)
    assert str(kept) in caught.value.__notes__[0]
    assert len(files(kept)) == 3
    assert run(interrupted, done, checkpoint=kept) == list(range(6))
    assert len((done / "0").read_text().split()) == 1
