"""What all tests share: who may run R, recorded R values, the same draws in every run."""

from __future__ import annotations

import gc
import os
import random
import secrets
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import currently_in_test_context, find, settings, strategies as st
from hypothesis.control import current_build_context
from threadpoolctl import threadpool_limits

from pycvstat.errors import RError
from pycvstat.r.bridge import available, installed, reference, run, setting

# the same examples in every run, however slow the machine
settings.register_profile("pycvstat", derandomize=True, deadline=None, database=None)
settings.load_profile("pycvstat")

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of processes that tests start

EXAMPLES_IN_R = tuple(f"pycvstat.r.bridge.{file}." for file in ("apart", "session", "processes"))

BEGINS_AT_THE_END = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
"""Of two test processes one compiles the first half of a new clone, one the other."""

if sys.platform == "linux":
    from joblib.externals.loky.backend import fork_exec

    from tests import forked

    fork_exec.fork_exec = forked.worker

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # a shell does so to what it starts with &
    signal.signal(signal.SIGINT, signal.default_int_handler)


UNSEEDED = random.Random()


def _drawn(bound: int) -> int:
    """A seed that nobody gave: the same in every run of a test, part of the case in properties."""
    if currently_in_test_context():
        return int(current_build_context().data.draw(st.integers(0, bound - 1)))
    return UNSEEDED.randrange(bound)


secrets.randbelow = _drawn


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Nothing of what is collected becomes garbage."""
    config = session.config
    if BEGINS_AT_THE_END and config.args_source is config.ArgsSource.TESTPATHS:
        config.args[:] = [str(path) for path in reversed(_in_order(config))]
    find(st.none(), lambda _: True)  # hypothesis asks all objects who holds its generator, once
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Threads of test processes would wait for each other; what is imported is no garbage."""
    threadpool_limits(1)
    gc.freeze()
    gc.set_threshold(10_000)


@pytest.fixture(scope="module")
def two_threads() -> Iterator[None]:
    """Let numerical libraries have threads, for tests of who does the work."""
    with threadpool_limits(2):
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Draws do not depend on which tests ran before."""
    UNSEEDED.seed(item.nodeid)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call() -> None:
    """Take the name of the test out of the environment: its workers can serve the next test."""
    os.environ.pop("PYTEST_CURRENT_TEST", None)


def _in_order(config: pytest.Config) -> list[Path]:
    """What is in the directories of tests."""
    roots = [config.rootpath / path for path in config.getini("testpaths")]
    inside = [path for root in roots for path in sorted(root.iterdir())]
    return [path for path in inside if path.is_dir() or path.suffix == ".py"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip tests that run R where R is absent; fail at once where it is required."""
    if config.args_source is config.ArgsSource.TESTPATHS:
        order = {path: place for place, path in enumerate(_in_order(config))}
        depth = len(config.rootpath.parts) + 2
        items.sort(key=lambda item: order[Path(*item.path.parts[:depth])])
        for half in slice(len(items) // 2), slice(len(items) // 2, None):  # of two test processes
            items[half] = sorted(items[half], key=lambda one: not one.get_closest_marker("slow"))
    for item in items:
        in_r = isinstance(item, pytest.DoctestItem) and item.name.startswith(EXAMPLES_IN_R)
        if in_r or item.get_closest_marker("live_kknn"):
            item.add_marker(pytest.mark.live_r)
    live = [item for item in items if item.get_closest_marker("live_r")]
    if not live:
        return
    try:
        usable = available()
    except RError as problem:
        pytest.exit(f"PYCVSTAT_R={setting()}: {problem}", returncode=4)
    if not usable:
        _skip(live, f"no R here: {str(installed.missing()).splitlines()[0]}")
        return
    with_kknn = [item for item in live if item.get_closest_marker("live_kknn")]
    if with_kknn and not _kknn():
        _skip(with_kknn, f"no kknn here: {installed.install_r_packages(['kknn'])}")


def _kknn() -> bool:
    return bool(run("nzchar(system.file(package = 'kknn'))"))


def _skip(items: list[pytest.Item], reason: str) -> None:
    for item in items:
        item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], dict[str, Any]]:
    """Return the reader of ``r_reference/recorded/``."""
    return reference.recorded


@pytest.fixture
def without_r(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behave as a machine that has no R."""
    monkeypatch.setenv("PYCVSTAT_R", "none")
