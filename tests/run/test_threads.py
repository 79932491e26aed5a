"""One thread during work, and what was before after it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from pycvstat.run.reproducible import VARIABLES, one_thread


def counts() -> set[int]:
    np.ones(2) @ np.ones(2)
    return {library["num_threads"] for library in threadpool_info()}


@pytest.fixture(autouse=True)
def three_threads() -> Any:
    with threadpool_limits(limits=3):
        yield


def test_limits_hold_inside_and_end_with_the_block() -> None:
    with one_thread():
        assert counts() == {1}
    assert counts() == {3}


def test_blocks_may_lie_in_one_another_and_end_in_errors() -> None:
    with one_thread():
        with pytest.raises(ZeroDivisionError), one_thread():
            assert 1 / 0
        assert counts() == {1}
    assert counts() == {3}


def test_a_library_that_takes_no_orders_is_reported() -> None:
    """OpenBLAS ignores other threads once the main thread, as here, has set a number."""
    found: list[Any] = []

    def work() -> None:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with one_thread():
                found.append((counts(), [str(w.message) for w in told]))

    other = threading.Thread(target=work)
    other.start()
    other.join()
    [(inside, told)] = found
    assert (inside == {1}) == (told == [])


def test_the_environment_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with one_thread():
        # numba once imported is limited by itself: it refuses a variable that changes
        asked = [name for name in VARIABLES if not name.startswith("NUMBA")]
        assert {os.environ[name] for name in asked} == {"1"}
    assert os.environ["OMP_NUM_THREADS"] == "5"
    assert "MKL_NUM_THREADS" not in os.environ


OVERLAP = """
import threading
import warnings
import numpy
from pycvstat.run.reproducible import one_thread
from threadpoolctl import threadpool_info

def counts():
    return [library["num_threads"] for library in threadpool_info()]

before = counts()
inside, leave = threading.Event(), threading.Event()

def work():
    with one_thread():
        inside.set()
        leave.wait()

other = threading.Thread(target=work)
other.start()
inside.wait()
during = counts()
leave.set()
other.join()
print(during == [1], counts() == before)
"""

LOADED = """
from contextlib import nullcontext
from pycvstat.run.reproducible import one_thread
from threadpoolctl import threadpool_info

def counts():
    return [library["num_threads"] for library in threadpool_info()]

with BLOCK():
    import numba, scipy.linalg
    try:
        import numba.np.ufunc.omppool  # takes OpenMP from the system
    except ImportError:
        import sklearn.ensemble  # brings it
    during = counts()
print(set(during), len(during) >= 3, counts())
"""


def told_by(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_limits_hold_until_the_last_block_ends() -> None:
    assert told_by(OVERLAP) == "True True\n"


def test_libraries_loaded_during_the_work_are_limited_and_set_free() -> None:
    limited = told_by(LOADED.replace("BLOCK", "one_thread"))
    usual = told_by(LOADED.replace("BLOCK", "nullcontext"))
    assert limited.startswith("{1} True ")
    assert limited.split("True")[1] == usual.split("True")[1]


LOOPS = """
import numba
from pycvstat.run.reproducible import one_thread

numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
before = numba.get_num_threads()
with one_thread():
    inside = numba.get_num_threads()
print(inside, numba.get_num_threads() == before)
"""


def test_numba_loops_get_one_thread() -> None:
    pytest.importorskip("numba")
    assert told_by(LOOPS) == "1 True\n"


STARTED = """
import contextlib, numba
with contextlib.suppress(ImportError):
    import numba.np.ufunc.omppool  # OpenMP, of which numba starts no threads yet
from threadpoolctl import threadpool_info, threadpool_limits
from pycvstat.run.reproducible import one_thread

def counts():
    return {library["filepath"]: library["num_threads"] for library in threadpool_info()}

with threadpool_limits(3):
    before = counts()
    with one_thread():
        inside = counts()
    print(set(inside.values()), before == counts())
"""


def test_limits_of_others_hold_after_numba_has_started_its_threads() -> None:
    pytest.importorskip("numba")
    assert told_by(STARTED) == "{1} True\n"


COMPILED = """
from pycvstat.run.reproducible import one_thread

def compiled(numba, start_threads):
    if start_threads:
        numba.get_num_threads()
    return numba.njit(lambda x: x + 1)(1)

for during in (False, True):
    with one_thread():
        import numba
        compiled(numba, START and not during)
        numba.njit(lambda x: x * 2)(1)
    compiled(numba, True)
print("compiled")
"""


@pytest.mark.parametrize("start", ["False", "True"])
def test_numba_compiles_in_and_after_blocks(start: str) -> None:
    """It raises when its variable differs from the threads that it has started."""
    pytest.importorskip("numba")
    assert told_by(COMPILED.replace("START", start)) == "compiled\n"
