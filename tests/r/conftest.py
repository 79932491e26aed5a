"""What tests beside R share."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest

from pycvstat.r.bridge import processes
from tests.forked import begun


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Separate processes begin as forks of a Python that has packages in memory, but no R."""
    forking = SimpleNamespace(**vars(subprocess) | {"Popen": begun})
    monkeypatch.setattr(processes, "subprocess", forking)
