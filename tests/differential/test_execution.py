"""Procedures made of others, and whoever does the work: the same bits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import pycvstat as pcv
from tests.differential.problems import Numeric, cases, numeric_problems
from tests.differential.test_ways_in import LEARNERS, bits, procedures
from tests.run.conftest import local_cluster

pytestmark = [
    pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning"),
    pytest.mark.usefixtures("two_threads"),
]


@cases("procedures")
@given(numeric_problems(), st.data())
def test_a_procedure_is_what_it_is_made_of(problem: Numeric, data: Any) -> None:
    given = {"X": problem.X, "y": problem.y}
    folds = pcv.cross_validate(pcv.Mean(), **given, folds=problem.folds).plan
    learner = data.draw(LEARNERS)
    alone = pcv.cross_validate(learner, **given, folds=folds)
    compared = pcv.compare({"first": learner, "mean": pcv.Mean()}, **given, folds=folds)
    assert bits(compared.results["first"]) == bits(alone)
    read = pcv.from_losses(
        alone.table.losses[:, 0][np.argsort(folds.rows)], ids(folds)
    ) if folds.is_partition and folds.times == 1 else None  # fmt: skip
    if read is not None:
        assert read.pooled == pytest.approx(alone.pooled, rel=1e-14)
        assert read.estimate == pytest.approx(alone.estimate, rel=1e-14)
    grid = {"k": [1, 2, 4]}
    tuned = pcv.tune(pcv.KNN(), **given, grid=grid, folds=folds, keep="all")
    curve = pcv.error_curve(pcv.KNN(), **given, grid=grid, folds=folds)
    each = [pcv.cross_validate(pcv.KNN(k), **given, folds=folds) for k in grid["k"]]
    assert tuned.table.losses.tolist() == np.column_stack([e.table.losses for e in each]).tolist()
    assert tuned.tidy()["estimate"].tolist() == [e.estimate for e in each]
    assert curve.tidy()["test"].tolist() == [e.estimate for e in each]
    nested = pcv.nested_cv(pcv.KNN(), **given, grid=grid, outer=folds, inner=pcv.Blocks(2))
    for (train, test), (a, b), chosen in zip(
        folds, pairwise(folds.offsets), nested.chosen, strict=True
    ):
        inside = pcv.tune(
            pcv.KNN(), X=problem.X[train], y=problem.y[train], grid=grid, folds=pcv.Blocks(2)
        )
        assert dict(inside.best) == dict(chosen)
        losses = nested.table.losses[a:b, 0]
        fitted = pcv.KNN(**chosen).fit("y ~ .", problem.frame.iloc[train])
        new = problem.frame.iloc[test].drop(columns="y")
        np.testing.assert_array_equal(losses, (problem.y[test] - fitted.predict(new)) ** 2)


def ids(plan: Any) -> Any:
    found = np.empty(plan.n, dtype=int)
    for number, (_, test) in enumerate(plan):
        found[test] = number
    return found


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with local_cluster(n_workers=1) as (_, connected):
        yield connected


def called(problem: Numeric, data: Any) -> Any:
    name = data.draw(st.sampled_from(["cross_validate", "tune", "compare", "nested_cv"]))
    call = procedures(data.draw(LEARNERS), problem.folds)[name]
    return lambda **how: bits(call(X=problem.X, y=problem.y, **how))


# threads of the cluster's client draw random numbers while a case is generated
@pytest.mark.filterwarnings("ignore:Do not use the `random` module")
@cases("workers")
@given(problem=numeric_problems(), data=st.data())
def test_this_process_worker_processes_and_dask(client: Any, problem: Numeric, data: Any) -> None:
    call = called(problem, data)
    expected = call()
    assert call(n_jobs=2) == expected
    assert call(client=client) == expected


@cases("resumed")
@given(numeric_problems(), st.data())
def test_resumed_from_what_is_left_of_a_checkpoint(problem: Numeric, data: Any) -> None:
    call = called(problem, data)
    expected = call()
    with TemporaryDirectory() as place:
        assert call(checkpoint=place) == expected
        for file in sorted(Path(place).glob("*/task-*.npz")):
            if data.draw(st.booleans()):
                file.unlink()
        assert call(checkpoint=place) == expected
