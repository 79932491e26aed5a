"""A record in a file: complete or absent, checked to the last byte, never a pickle."""

from __future__ import annotations

import errno
import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import CheckpointError, InputError
from pycvstat.run.store import WholeFile, load, remove_abandoned, save

RECORD: dict[str, Any] = {
    "estimate": 0.1 + 0.2,
    "losses": np.linspace(0, 1, 50).reshape(5, 10),
    "levels": ("a", "ö", "\N{SNOWMAN}"),
    "text": np.array(["x", None], dtype=object),
    "missing": float("nan"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "result.npz"
    save(place, "curve", RECORD)
    return place


def test_a_record_comes_back(path: Path) -> None:
    saved = load(path)
    assert saved.kind == "curve"
    assert saved.record["estimate"] == RECORD["estimate"]
    np.testing.assert_array_equal(saved.record["losses"], RECORD["losses"])
    assert saved.versions["numpy"] == np.__version__


def test_equal_records_make_equal_files(path: Path, tmp_path: Path) -> None:
    save(tmp_path / "again.npz", "curve", RECORD)
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_plain_numpy_reads_the_arrays(path: Path) -> None:
    with np.load(path, allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["a0"], RECORD["losses"])
        assert json.loads(archive["header"].tobytes())["kind"] == "curve"


def test_every_truncation_is_noticed(path: Path) -> None:
    content = path.read_bytes()
    for size in range(0, len(content), 7):
        path.write_bytes(content[:size])
        with pytest.raises(CheckpointError, match="damaged"):
            load(path)


def test_every_changed_byte_is_noticed_or_changes_nothing(path: Path) -> None:
    content = path.read_bytes()
    for at in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[at] ^= 0x41
        path.write_bytes(damaged)
        try:
            record = load(path).record
        except CheckpointError:
            continue
        # dates and attributes of the archive are not part of the record
        assert record["losses"].tobytes() == RECORD["losses"].tobytes()
        assert {k: v for k, v in record.items() if k not in ("losses", "text", "missing")} == {
            k: v for k, v in RECORD.items() if k not in ("losses", "text", "missing")
        }
        assert list(record["text"]) == ["x", None]


def rewritten(path: Path, changes: dict[str, bytes]) -> Path:
    """A whole ZIP archive with other members, as no accident would make it."""
    changed = path.with_name("changed.npz")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in dict.fromkeys([*old.namelist(), *changes]):
            new.writestr(name, changes[name] if name in changes else old.read(name))
    return changed


def as_npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array)
    return file.getvalue()


def test_changed_parts_are_noticed(path: Path) -> None:
    with pytest.raises(CheckpointError, match="array 0 does not match its checksum"):
        load(rewritten(path, {"a0.npy": as_npy(RECORD["losses"] + 1e-16)}))
    with np.load(path) as archive:
        header = archive["header"].tobytes().replace(b"curve", b"curvy")
    with pytest.raises(CheckpointError, match="header does not match its checksum"):
        load(rewritten(path, {"header.npy": as_npy(np.frombuffer(header, np.uint8))}))
    with pytest.raises(CheckpointError, match="parts that the header does not name"):
        load(rewritten(path, {"a7.npy": as_npy(np.ones(1))}))


class Attack:
    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("attacked",)


def test_a_pickle_is_never_opened(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hostile = io.BytesIO()
    np.lib.format.write_array(hostile, np.array([Attack()], dtype=object), allow_pickle=True)
    for content in (pickle.dumps(Attack()), hostile.getvalue()):
        (tmp_path / "a.npz").write_bytes(content)
        with pytest.raises(CheckpointError, match="damaged"):
            load(tmp_path / "a.npz")
    for member in ("header.npy", "a0.npy"):
        with pytest.raises(CheckpointError, match="damaged"):
            load(rewritten(path, {member: hostile.getvalue()}))
    assert not (tmp_path / "attacked").exists()


def test_an_archive_that_unfolds_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(10**7))
    with pytest.raises(CheckpointError, match="compressed"):
        load(tmp_path / "bomb.npz")


def test_an_array_that_claims_to_be_huge_is_refused(path: Path) -> None:
    claim = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        claim, {"descr": "|u1", "fortran_order": False, "shape": (2**60,)}
    )
    with pytest.raises(CheckpointError, match="damaged"):
        load(rewritten(path, {"header.npy": claim.getvalue()}))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not the path of a file"):
        load(None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "nothing.npz")


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match="cannot be written"):
        save(tmp_path / "file" / "a.npz", "x", 1)
    with pytest.raises(CheckpointError, match="cannot be written"):
        save(tmp_path / "absent" / "a.npz", "x", 1)


def test_a_full_disk_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match="No space left"):
        save(path, "curve", {"other": 1})
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_an_unsavable_record_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        save(tmp_path / "a.npz", "x", {"f": len})
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_write_leaves_no_file(tmp_path: Path) -> None:
    whole = WholeFile(tmp_path / "a")
    whole.__enter__().write(b"half of it")
    whole.__exit__(KeyboardInterrupt, None, None)
    assert list(tmp_path.iterdir()) == []


def test_of_two_first_writers_one_wins(tmp_path: Path) -> None:
    for content in (b"first", b"second"):
        with WholeFile(tmp_path / "a", replace=False) as file:
            file.write(content)
    assert (tmp_path / "a").read_bytes() == b"first"


def test_first_writers_where_there_are_no_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*args: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    test_of_two_first_writers_one_wins(tmp_path)


def test_drafts_of_dead_processes_are_removed_and_others_stay(tmp_path: Path) -> None:
    half = f"WholeFile(Path({str(tmp_path / 'task')!r})).__enter__().write(b'half'); os._exit(0)"
    lines = "import os; from pathlib import Path; from pycvstat.run.store import WholeFile; "
    subprocess.run([sys.executable, "-c", lines + half], check=True)
    mine = WholeFile(tmp_path / "task")
    mine.__enter__()
    stranger = tmp_path / ".task-elsewhere-1-00.part"
    stranger.write_bytes(b"")
    assert len(list(tmp_path.iterdir())) == 3
    remove_abandoned(tmp_path)
    assert set(tmp_path.iterdir()) == {mine.draft, stranger}
    mine.__exit__(KeyboardInterrupt, None, None)


def test_a_tilde_is_the_home_directory_where_one_is_meant(tmp_path, monkeypatch):
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.chdir(here)
    result = pcv.cross_validate(
        pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4), checkpoint="~/kept"
    )
    result.report("~/out.md")
    result.report("~/out.csv")
    result.save("~/out.npz")
    assert pcv.load("~/out.npz").estimate == result.estimate
    assert {"kept", "out.md", "out.csv", "out.npz"} <= {path.name for path in home.iterdir()}
    assert not [*here.iterdir()]
    result.report("~draft.md")  # nobody's home
    assert (here / "~draft.md").is_file()
