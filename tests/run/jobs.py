"""Tasks that worker processes import."""

from __future__ import annotations

import os
import random
import signal
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from pycvstat.errors import FitError


def data(n: int = 400, p: int = 60) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {"X": rng.normal(size=(n, p)), "y": rng.normal(size=n)}


def fit(shared: dict[str, Any], task: int) -> dict[str, Any]:
    """Sums whose last digits show threads, alignment and random states."""
    X, y = shared["X"][task:], shared["y"][task:]
    beta = np.linalg.lstsq(X, y, rcond=None)[0]
    return {
        "beta": beta,
        "product": float((X @ X.T).sum()),
        "one_row": X[0] @ X.T,
        "drawn": float(np.random.rand()),
    }


def draws(shared: Any, task: int) -> tuple[float, float]:
    return random.random(), float(np.random.rand())


def forest(shared: dict[str, Any], task: int) -> dict[str, Any]:
    """An estimator without a seed of its own that asks for several jobs."""
    from sklearn.ensemble import RandomForestRegressor

    model = RandomForestRegressor(8, max_depth=3, n_jobs=2)
    model.fit(shared["X"][::2], shared["y"][::2])
    return {"predicted": model.predict(shared["X"][task::5])}


def noted(shared: Path, task: Any) -> Any:
    """Note in a directory that the task was done, and by whom."""
    with (shared / f"{task}").open("a") as file:
        file.write(f"{os.getpid()}\n")
    return task


def slow(shared: Path, task: int) -> int:
    time.sleep(0.05)
    noted(shared, task)
    return task


def dies_once(shared: Path, task: int) -> int:
    """Task 2 takes its first worker with it."""
    if task == 2 and not (shared / "died").exists():
        (shared / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    noted(shared, task)
    return task


def dies_always(shared: Path, task: int) -> int:
    if task == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05)
    noted(shared, task)
    return task


def leaves(shared: Any, task: int) -> int:
    if task == 1:
        os._exit(7)
    return task


def fails_late(shared: Path, task: int) -> int:
    """Task 1 fails after task 3 has failed."""
    if task == 1:
        while not (shared / "3").exists():
            time.sleep(0.01)
        raise FitError("the second fit failed.", given="k=3", fix="use k=1")
    noted(shared, task)
    if task == 3:
        raise FitError("the fourth fit failed.")
    return task


def fails_after_others(shared: Path, task: int) -> int:
    """Task 0 fails some time after task 1 was done."""
    warnings.warn(f"beware of {task}", UserWarning, stacklevel=1)
    if task == 0:
        while not (shared / "1").exists():
            time.sleep(0.01)
        time.sleep(0.5)
        raise FitError("the first fit failed.")
    noted(shared, task)
    return task


class CannotTravel(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__("it was odd")


def fails_oddly(shared: Any, task: int) -> int:
    raise CannotTravel(1, 2)


def quits(shared: Any, task: int) -> int:
    raise SystemExit(5)


def warns(shared: Any, task: int) -> int:
    warnings.warn(f"beware of {task}", UserWarning, stacklevel=1)
    warnings.warn("the same each time", RuntimeWarning, stacklevel=1)
    return task


def warned(shared: Any, task: int) -> str:
    """What a learner sees that treats its own warnings as failures."""
    try:
        warnings.warn("no convergence", RuntimeWarning, stacklevel=1)
    except RuntimeWarning:
        return "failed"
    return "went on"


def prints(shared: Any, task: int) -> int:
    print("said by a task", flush=True)
    os.write(1, b"written by a task\n")
    return task


def threads(shared: Any, task: int) -> list[int]:
    from threadpoolctl import threadpool_info

    return [library["num_threads"] for library in threadpool_info()]


def nested(shared: Any, task: int) -> list[int]:
    """A task that asks for workers of its own."""
    from pycvstat.run import execution_from, run_tasks

    return run_tasks(
        who, None, range(3), execution=execution_from(n_jobs=2), identity={}, label="inner"
    )


def who(shared: Any, task: Any) -> int:
    return os.getpid()


def slow_who(shared: Any, task: Any) -> int:
    time.sleep(0.05)
    return os.getpid()


class Counted:
    """Data that note every time they are unpacked."""

    def __init__(self, place: Path) -> None:
        self.place, self.values = place, np.arange(1000.0)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        noted(self.place, "unpacked")


def flags(shared: dict[str, Any], task: str) -> tuple[bool, bool, int]:
    array = shared[task]
    return array.flags.writeable, array.flags.c_contiguous, array.ctypes.data % 64


def spoils(shared: dict[str, Any], task: int) -> float:
    """Change the shared data, as no learner should."""
    shared["y"][:] = task
    return float(shared["y"][0])


def hangs(shared: Path, task: int) -> int:
    """Task 1 hangs; task 0 fails when it does."""
    noted(shared, f"begun {task}")
    if task == 1:
        time.sleep(600)
    begun = shared / "begun 1"
    while not (begun.exists() and begun.read_text()):
        time.sleep(0.01)
    raise FitError("the first fit failed.")


def hangs_alone(shared: Path, task: int) -> int:
    if task == 1:
        noted(shared, f"begun {task}")
        time.sleep(600)
    return task


for _function in (noted, slow, hangs_alone, dies_once, dies_always, fails_late):
    _function.fingerprint = _function.__name__  # type: ignore[attr-defined]  # they write files


def hungry(shared: None, task: int) -> int:
    """Task 2 finds no memory in its process, which has all that it needs until then."""
    if task == 2:
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**24, before[1]))
        try:
            np.ones(2**28)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)
    return task


hungry.fingerprint = "hungry"  # type: ignore[attr-defined]  # it asks the system
