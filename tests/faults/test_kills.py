"""SIGKILL at random moments: the continued result is bit-identical, and little is done twice.

Killed sessions are forks of one Python; those that go on are new, with other addresses and hashes.
`PYCVSTAT_KILLS` says how many runs are killed in each way (1 by default).
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.faults.long_work import TASKS
from tests.forked import Script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")

PROGRAM = Path(__file__).resolve().with_name("long_work.py")
SEEDS = range(int(os.environ.get("PYCVSTAT_KILLS", "1")))
WORKERS = 2


def environment() -> dict[str, str]:
    path = os.pathsep.join(str(Path(part).resolve()) for part in sys.path)
    return {**os.environ, "PYTHONPATH": path}


def start(place: Path, how: str) -> Script:
    with (place / "stderr").open("ab") as told:
        return Script([str(PROGRAM), how], place, environment(), told, told)


def go_on(place: Path, how: str) -> None:
    """Do the work, or what is left of it, in a new Python."""
    command = [sys.executable, str(PROGRAM), how]
    with (place / "stderr").open("ab") as told:
        done = subprocess.run(command, cwd=place, env=environment(), stderr=told, timeout=300)
    assert done.returncode == 0, (place / "stderr").read_text()


def wait_until(condition: Callable[[], object], process: Script) -> None:
    """Wait until something is so, or the process ends without it."""
    while process.poll() is None and not condition():
        time.sleep(0.01)


def finish(process: Script, place: Path) -> None:
    assert process.wait(timeout=300) == 0, (place / "stderr").read_text()


def content(place: Path) -> dict[str, bytes]:
    with np.load(place / "result.npz") as result:
        return {name: result[name].tobytes() for name in result.files}


def wait_for_a_moment(moment: random.Random, process: Script, place: Path) -> None:
    """Until so many tasks are kept, none included, and a little longer."""
    tasks = moment.randrange(TASKS)
    wait_until(lambda: list(place.glob("kept/*/manifest.json")) and kept(place) >= tasks, process)
    time.sleep(moment.uniform(0.0, 0.15))


def kept(place: Path) -> int:
    return len(list(place.glob("kept/*/task-*.npz")))


def fits(place: Path) -> int:
    """How many tasks came to their last fit."""
    notes = place / "fits"
    return len(notes.read_text().splitlines()) if notes.exists() else 0


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in found for child in _text(path).split()]


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def workers_of(process: Script, how: str) -> list[int]:
    """Processes that do tasks, among the children."""
    mark = b"spawn_main" if how == "cluster" else b"popen_loky"
    return [pid for pid in children(process.pid) if mark in _command(pid)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    place = tmp_path_factory.mktemp("undisturbed")
    go_on(place, "1")
    assert fits(place) == TASKS
    return content(place)


@pytest.mark.parametrize("how", ["1", "2"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_killed_session_continues(
    seed: int, how: str, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    moment = random.Random(f"session {how} {seed}")
    kills = moment.randint(1, 3)
    for _ in range(kills):
        process = start(tmp_path, how)
        wait_for_a_moment(moment, process, tmp_path)
        process.kill()
        process.wait()
    go_on(tmp_path, how)
    assert content(tmp_path) == undisturbed
    assert TASKS <= fits(tmp_path) <= TASKS + kills * int(how)  # at most what was in flight
    assert list(tmp_path.glob("kept/*/.*")) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_killed_workers_are_replaced(
    seed: int, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    moment = random.Random(f"workers {seed}")
    kills = moment.randint(1, 2)
    process = start(tmp_path, "2")
    done = 0
    while done < kills and process.poll() is None:
        wait_for_a_moment(moment, process, tmp_path)
        if found := workers_of(process, "2"):
            os.kill(moment.choice(found), signal.SIGKILL)
            done += 1
    finish(process, tmp_path)
    assert content(tmp_path) == undisturbed
    assert TASKS <= fits(tmp_path) <= TASKS + done


@pytest.mark.parametrize("seed", SEEDS)
def test_killed_workers_of_a_cluster_are_replaced(
    seed: int, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    moment = random.Random(f"cluster {seed}")
    process = start(tmp_path, "cluster")
    wait_for_a_moment(moment, process, tmp_path)
    if process.poll() is None and (found := workers_of(process, "cluster")):
        os.kill(moment.choice(found), signal.SIGKILL)
    finish(process, tmp_path)
    assert content(tmp_path) == undisturbed


@pytest.fixture
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Script, str]]:
    """A scheduler and a worker as programs of their own."""
    place = tmp_path_factory.mktemp("worker")
    program = ["-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
               "--no-dashboard"]  # fmt: skip
    told, tell = os.pipe()
    running = Script(program, place, environment(), tell, tell)
    os.close(tell)
    said = os.fdopen(told)
    address = next(found[0] for line in said if (found := re.findall(r"tcp://\S+", line)))
    reading = threading.Thread(target=said.read, daemon=True)
    reading.start()
    program = ["-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard",
               "--no-nanny", "--death-timeout", "5"]  # fmt: skip
    with (place / "said").open("wb") as file:
        worker = Script(program, place, environment(), file, file)
    yield running, address
    for process in (worker, running):
        process.kill()
        process.wait()
    reading.join()
    said.close()


@pytest.mark.parametrize("victim", ["scheduler", "client"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_killed_scheduler_or_client_costs_what_was_in_flight(
    seed: int,
    victim: str,
    tmp_path: Path,
    undisturbed: dict[str, bytes],
    scheduler: tuple[Script, str],
) -> None:
    """The death of the scheduler is said; the same call goes on here, or on the cluster."""
    running, address = scheduler
    process = start(tmp_path, address)
    wait_for_a_moment(random.Random(f"{victim} {seed}"), process, tmp_path)
    done = process.poll() is not None
    (running if victim == "scheduler" else process).kill()
    if process.wait(timeout=300) != 0 and victim == "scheduler" and not done:
        assert "The dask cluster" in (tmp_path / "stderr").read_text()
    before = kept(tmp_path)
    go_on(tmp_path, "1" if victim == "scheduler" else address)
    assert content(tmp_path) == undisturbed
    here = TASKS - before if victim == "scheduler" else 0
    assert fits(tmp_path) == here  # those of the cluster are noted elsewhere


@pytest.mark.parametrize("seed", SEEDS)
def test_sessions_in_one_directory_mix_nothing(
    seed: int, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    """Three sessions share a checkpoint, one is killed; the others finish."""
    moment = random.Random(f"sessions {seed}")
    places = [tmp_path / name for name in "abc"]
    for place in places:
        place.mkdir()
        (place / "kept").symlink_to(tmp_path / "kept")
    (tmp_path / "kept").mkdir()
    sessions = [start(place, moment.choice("12")) for place in places]
    victim = moment.randrange(3)
    wait_for_a_moment(moment, sessions[victim], places[victim])
    sessions[victim].kill()
    sessions[victim].wait()
    for i, place in enumerate(places):
        if i != victim:
            finish(sessions[i], place)
            assert content(place) == undisturbed
    assert len(list(tmp_path.glob("kept/*/task-*.npz"))) == TASKS
    go_on(places[victim], "1")
    assert content(places[victim]) == undisturbed


def test_interrupting_stops_everything_and_keeps_what_is_done(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    """Ctrl-C, which a terminal sends to the whole process group."""
    process = start(tmp_path, "2")
    wait_until(lambda: list(tmp_path.glob("kept/*/task-*.npz")), process)
    found = workers_of(process, "2")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) != 0
    told = (tmp_path / "stderr").read_text()
    assert "KeyboardInterrupt" in told
    assert "Finished tasks are kept; the same call continues" in told
    assert not any(Path(f"/proc/{pid}").exists() for pid in found)
    go_on(tmp_path, "2")
    assert content(tmp_path) == undisturbed
    assert fits(tmp_path) <= TASKS + WORKERS


def test_workers_of_a_killed_session_end_and_clean_up(tmp_path: Path) -> None:
    for name in ("tmp", "run"):
        (tmp_path / name).mkdir()
    os.environ["TMPDIR"] = str(tmp_path / "tmp")
    try:
        process = start(tmp_path / "run", "2")
    finally:
        del os.environ["TMPDIR"]
    wait_until(lambda: fits(tmp_path / "run"), process)
    found = workers_of(process, "2")
    assert len(found) == WORKERS
    process.kill()
    process.wait()
    patience = time.monotonic() + 5
    while any(_alive(pid) for pid in found) and time.monotonic() < patience:
        time.sleep(0.05)
    assert not any(_alive(pid) for pid in found)
    assert list((tmp_path / "tmp").glob("pycvstat-*")) == []


def _alive(pid: int) -> bool:
    return _text(Path(f"/proc/{pid}/stat")).split(" ")[2:3] not in ([], ["Z"])
