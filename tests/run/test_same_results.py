"""Who does the work never changes a result, to the last bit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.run import jobs
from tests.run.conftest import Run
from tests.run.test_records import same


@pytest.fixture(scope="module")
def expected(run: Run) -> list[Any]:
    return run(jobs.fit, jobs.data())


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_any_number_of_workers(run: Run, expected: list[Any], n_jobs: int) -> None:
    assert same(run(jobs.fit, jobs.data(), n_jobs=n_jobs), expected)


def test_a_cluster(run: Run, expected: list[Any], client: Any) -> None:
    assert same(run(jobs.fit, jobs.data(), client=client), expected)


def test_a_checkpoint(run: Run, expected: list[Any], tmp_path: Path) -> None:
    for _ in range(2):
        assert same(run(jobs.fit, jobs.data(), n_jobs=2, checkpoint=tmp_path), expected)


def test_the_callers_own_random_state(run: Run, expected: list[Any]) -> None:
    np.random.seed(77)
    before = np.random.get_state()[1].tolist()  # type: ignore[union-attr]
    assert same(run(jobs.fit, jobs.data()), expected)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[union-attr]


def test_other_work_draws_other_numbers(run: Run, expected: list[Any]) -> None:
    other = run(jobs.fit, jobs.data(), label="other run")
    assert {r["drawn"] for r in other}.isdisjoint(r["drawn"] for r in expected)


def test_work_inside_tasks_draws_other_numbers_in_each(run: Run) -> None:
    def outer(shared: object, task: int) -> Any:
        return run(jobs.draws)

    found = run(outer, n_jobs=2)
    assert len({pair for inner in found for pair in inner}) == 36
    assert run(outer) == found


def test_python_and_numpy_draw_different_numbers(run: Run) -> None:
    drawn = run(jobs.draws)
    assert len({x for pair in drawn for x in pair}) == 12
    assert run(jobs.draws, n_jobs=2) == drawn


def test_an_estimator_without_a_seed_and_with_jobs_of_its_own(run: Run, client: Any) -> None:
    expected = run(jobs.forest, jobs.data(), range(3))
    assert same(run(jobs.forest, jobs.data(), range(3), n_jobs=2), expected)
    assert same(run(jobs.forest, jobs.data(), range(3), client=client), expected)


def test_a_function_defined_on_the_spot(run: Run, client: Any) -> None:
    factor = np.arange(3)

    def local(shared: float, task: int) -> Any:
        return factor * shared * task

    expected = run(local, 1.5)
    assert same(run(local, 1.5, n_jobs=2), expected)
    assert same(run(local, 1.5, client=client), expected)


def test_arrays_arrive_as_they_were(run: Run, client: Any) -> None:
    fixed = np.arange(5.0)
    fixed.flags.writeable = False
    shared = {"free": np.arange(6.0), "fixed": fixed, "columns": np.ones((4, 3), order="F")}
    expected = [(True, True), (False, True), (True, False)]
    for how in ({"n_jobs": 2}, {"client": client}):
        found = run(jobs.flags, shared, list(shared), **how)
        assert [f[:2] for f in found] == expected
        assert {f[2] for f in found} == {0}  # NumPy multiplies other arrays differently


def test_a_worker_cannot_change_the_callers_data(run: Run, client: Any) -> None:
    shared = jobs.data()
    before = shared["y"].copy()
    for how in ({"n_jobs": 2}, {"client": client}):
        assert run(jobs.spoils, shared, **how) == [float(i) for i in range(6)]
        np.testing.assert_array_equal(shared["y"], before)


def test_no_tasks(run: Run) -> None:
    assert run(jobs.fit, None, []) == []
    assert run(jobs.fit, None, [], n_jobs=2) == []


def test_one_thread_everywhere(run: Run, client: Any) -> None:
    for how in ({}, {"n_jobs": 2}, {"client": client}):
        assert {count for counts in run(jobs.threads, **how) for count in counts} == {1}


def test_workers_start_no_workers(run: Run, client: Any) -> None:
    for how in ({"n_jobs": 2}, {"client": client}):
        for pids in run(jobs.nested, **how):
            assert len(set(pids)) == 1
            assert os.getpid() not in pids


def test_data_are_sent_once_to_each_worker(run: Run, client: Any, tmp_path: Path) -> None:
    for name, how in (("processes", {"n_jobs": 2}), ("cluster", {"client": client})):
        place = tmp_path / name
        place.mkdir()
        run(jobs.who, jobs.Counted(place), range(40), **how)
        pids = (place / "unpacked").read_text().split()
        assert len(pids) == len(set(pids)) <= 2
