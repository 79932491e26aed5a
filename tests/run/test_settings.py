"""What a user asks for is checked before anything starts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat.errors import InputError
from pycvstat.run import Execution, execution_from


def test_nothing_asked_works_here() -> None:
    assert execution_from() == Execution(1, None, "auto", None)
    assert execution_from(1) == Execution()


def test_workers() -> None:
    assert execution_from(3) == Execution(3)
    assert execution_from(-1).workers >= 1
    assert execution_from(-1000).workers == 1


def test_a_checkpoint_is_a_path() -> None:
    assert execution_from(checkpoint="kept").checkpoint == Path("kept")


def test_a_client_brings_its_workers(client: Any) -> None:
    execution = execution_from(None, client)
    assert execution == Execution(1, client)


def fake(**changes: Any) -> Any:
    parts = {"submit": None, "nthreads": dict, "status": "running"}
    return SimpleNamespace(**{**parts, "asynchronous": False, **changes})


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"n_jobs": True}, "n_jobs must be"),
        ({"n_jobs": 2.5}, "n_jobs must be"),
        ({"n_jobs": "all"}, "n_jobs must be"),
        ({"n_jobs": np.array([1, 2])}, "n_jobs must be"),
        ({"progress": np.array([True, False])}, "progress cannot be this"),
        ({"progress": pd.NA}, "progress cannot be this"),
        ({"client": "threads"}, "no dask.distributed Client"),
        ({"client": fake(), "n_jobs": 2}, "brings its own"),
        ({"client": fake(status="closed")}, "not connected"),
        ({"client": fake(asynchronous=True)}, "asynchronous"),
        ({"progress": "yes"}, "progress"),
        ({"progress": None}, "progress"),
        ({"task_limit": 10}, "with n_jobs=2"),
        ({"task_limit": 0, "n_jobs": 2}, "a number of seconds"),
        ({"task_limit": "1h", "n_jobs": 2}, "a number of seconds"),
        ({"task_limit": float("nan"), "n_jobs": 2}, "a number of seconds"),
        ({"task_limit": float("inf"), "n_jobs": 2}, "a number of seconds"),
        ({"task_limit": 10, "client": fake()}, "a dask client"),
        ({"checkpoint": 7}, "checkpoint must be"),
        ({"checkpoint": ""}, "checkpoint must be"),
        ({"checkpoint": "a\0b"}, "checkpoint must be"),
        ({"checkpoint": "a\ud800"}, "checkpoint must be"),
    ],
)
def test_what_means_nothing_is_refused(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        execution_from(**asked)
    assert caught.value.fix


def test_numpy_integers_count() -> None:
    assert execution_from(np.int64(2)).workers == 2  # type: ignore[arg-type]


def test_truth_values_of_numpy_are_truth_values() -> None:
    assert execution_from(progress=np.True_).progress is True  # type: ignore[arg-type]
    assert execution_from(progress=np.False_).progress is False  # type: ignore[arg-type]
