"""What all tests share: who may run R, recorded R values, reproducible property tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

from pycvstat.errors import RError
from pycvstat.rbridge import available, installed, reference, setting

# the same examples in every run, however slow the machine
settings.register_profile("pycvstat", derandomize=True, deadline=None, database=None)
settings.load_profile("pycvstat")

os.environ.setdefault("MPLBACKEND", "Agg")

EXAMPLES_IN_R = ("pycvstat.rbridge.session.", "pycvstat.rbridge.script.")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that run R where R is absent; fail at once where it is required."""
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.name.startswith(EXAMPLES_IN_R):
            item.add_marker(pytest.mark.live_r)
    live = [item for item in items if item.get_closest_marker("live_r")]
    if not live:
        return
    try:
        usable = available()
    except RError as problem:
        pytest.exit(f"PYCVSTAT_R={setting()}: {problem}", returncode=4)
    if not usable:
        reason = f"no R here: {str(installed.missing()).splitlines()[0]}"
        for item in live:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], dict[str, Any]]:
    """Return the reader of ``r_reference/recorded/``."""
    return reference.recorded


@pytest.fixture
def without_r(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behave as a machine that has no R."""
    monkeypatch.setenv("PYCVSTAT_R", "none")
