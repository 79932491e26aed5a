"""Real full and read-only file systems, mounted for one process by a user namespace."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def _namespaces() -> bool:
    """Whether an ordinary user may mount file systems of his own here."""
    try:
        return subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


pytestmark = pytest.mark.skipif(
    not _namespaces(),
    reason="needs `unshare -rm true` (util-linux, user namespaces allowed); the same faults are "
    "injected in tests/run",
)

PROGRAM = """
import sys, warnings
from pathlib import Path
import numpy as np
from pycvstat.errors import CheckpointError
from pycvstat.run import execution_from, run_tasks

def task(shared, number):
    Path("done", str(number)).touch()
    return np.full(2000, number)  # 16 kB

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    try:
        found = run_tasks(task, None, range(8), execution=execution_from(n_jobs=int(sys.argv[1]),
                          checkpoint="kept"), identity={}, label="work")
        print("result", sum(int(r.sum()) for r in found))
    except CheckpointError as error:
        print("refused", error)
print("warnings", len(told))
for warning in told:
    print(warning.message)
print("done", len(list(Path("done").iterdir())))
print("kept", len(list(Path("kept").glob("*/task-*.npz"))))
print("drafts", len(list(Path("kept").glob("*/.*"))))
"""


def on_file_system(place: Path, before: str, n_jobs: int) -> list[str]:
    """Lines that the program prints after a shell has prepared its checkpoint directory."""
    (place / "kept").mkdir(exist_ok=True)
    (place / "done").mkdir(exist_ok=True)
    (place / "program.py").write_text(PROGRAM)
    command = f"{before} && {sys.executable} program.py {n_jobs}"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", command],
        cwd=place,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(p).resolve()) for p in sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_full_disk(tmp_path: Path, n_jobs: int) -> None:
    """100 kB hold four or five of eight results; a run goes on and says what it could not keep."""
    told = on_file_system(tmp_path, "mount -t tmpfs -o size=100k none kept", n_jobs)
    assert told[0] == "result 56000"
    kept = int(told[-2].split()[1])
    assert 3 <= kept <= 6
    assert told[1] == f"warnings {8 - kept}"
    assert all("No space left on device" in line for line in told[2 : 2 + 8 - kept])
    assert told[-1] == "drafts 0"


def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    told = on_file_system(
        tmp_path, "mount -t tmpfs -o size=4k none kept && (cat /dev/zero > kept/zeros || true)", 2
    )
    assert told[0] == "refused The checkpoint cannot be written."
    assert "No space left on device" in told[1]
    assert "done 0" in told


def test_a_read_only_file_system(tmp_path: Path) -> None:
    """A finished checkpoint is read; an unfinished one is refused before work starts."""
    read_only = "mount --bind kept kept && mount -o remount,bind,ro kept"
    told = on_file_system(tmp_path, read_only, 2)
    assert told[0] == "refused The checkpoint cannot be written."
    assert "done 0" in told
    assert "done 8" in on_file_system(tmp_path, "true", 2)
    for path in (tmp_path / "done").iterdir():
        path.unlink()
    told = on_file_system(tmp_path, read_only, 2)
    assert told[0] == "result 56000"
    assert "done 0" in told
    next((tmp_path / "kept").glob("*/task-*.npz")).unlink()
    told = on_file_system(tmp_path, read_only, 1)
    assert told[0] == "refused The checkpoint cannot be written."
    assert "1 tasks are to be done" in told[1]
    assert "done 0" in told
