"""Every call ends in a result that keeps its promises, or in one of our own errors.

PYCVSTAT_CASES sets the number of generated cases of this file (2,000 by default, 100,000 for the
nightly run): ``PYCVSTAT_CASES=100000 python -m pytest tests/properties``.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, assume, given, settings, strategies as st

import pycvstat as pcv
from pycvstat.errors import PycvstatError, PycvstatWarning
from pycvstat.formula import quote

sys.path.insert(0, str(Path(__file__).parent))
from strategies import FOLDS, LEARNERS, LOSSES, frames

CASES = int(os.environ.get("PYCVSTAT_CASES", "2000"))
GENERATED = {"suppress_health_check": list(HealthCheck), "deadline": None}


def outcome(call: Callable[[], Any]) -> Any:
    """The result, or None after one of our own errors; other errors and warnings go through."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PycvstatWarning)
        try:
            return call()
        except PycvstatError:
            return None


def check_plan(plan: pcv.FoldPlan) -> None:
    for train, test in plan:
        assert len(np.intersect1d(train, test)) == 0
        assert len(train) > 0
        assert len(test) > 0
    if plan.is_partition:
        for repeat in range(plan.times):
            rows = np.concatenate(
                [plan.test_rows(i) for i in range(len(plan)) if plan.repeat[i] == repeat]
            )
            assert sorted(rows.tolist()) == list(range(plan.n))


def check_result(result: Any) -> None:
    check_plan(result.plan)
    losses = result.table.losses
    assert losses.shape == (len(result.plan.rows), 1)
    assert np.isfinite(losses).all()
    np.testing.assert_allclose(
        result.estimate, np.mean(result.fold_errors), rtol=1e-12
    )  # the same numbers in another order
    low, high = result.table.range
    assert losses.min() >= low
    assert losses.max() <= high


@settings(max_examples=CASES * 3 // 4, **GENERATED)
@given(frames(), st.data())
def test_cross_validate(frame, data):
    response = data.draw(st.sampled_from(list(frame.columns)))
    learner = outcome(lambda: data.draw(LEARNERS))
    assume(learner is not None)
    folds, loss = data.draw(FOLDS), data.draw(LOSSES)
    na = data.draw(st.sampled_from(["raise", "omit"]))
    result = outcome(
        lambda: pcv.cross_validate(
            learner, f"{quote(response)} ~ .", frame, folds=folds, loss=loss, na=na
        )
    )
    if result is not None:
        check_result(result)
        assert outcome(lambda: result.tidy()) is not None
        assert len(result.augment()) == result.task.n
        found = outcome(lambda: result.interval())
        if found is not None and np.isfinite(found.low) and np.isfinite(found.high):
            assert found.low <= found.high


@settings(max_examples=CASES // 8, **GENERATED)
@given(frames(), st.data())
def test_tune_and_nested(frame, data):
    response = data.draw(st.sampled_from(list(frame.columns)))
    formula = f"{quote(response)} ~ ."
    grid = {"k": data.draw(st.lists(st.integers(0, 8), max_size=3))}
    folds = data.draw(FOLDS)
    learner = pcv.KNN(kernel="rectangular")
    result = outcome(lambda: pcv.tune(learner, formula, frame, grid=grid, folds=folds))
    if result is not None:
        assert result.best in [{"k": k} for k in grid["k"]]
        assert result.estimate == np.nanmin(result.tidy()["estimate"])
    nested = outcome(
        lambda: pcv.nested_cv(learner, formula, frame, grid=grid, outer=folds, inner=2)
    )
    if nested is not None:
        check_result(nested)
        assert all(c in [{"k": k} for k in grid["k"]] for c in nested.chosen)


@settings(max_examples=CASES // 8, **GENERATED)
@given(st.integers(6, 30), st.integers(0, 10**6), st.integers(1, 5), st.integers(-40, 40))
def test_renaming_permuting_and_scaling(n, seed, k, power):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"]).assign(
        y=rng.normal(size=n)
    )
    folds = pcv.KFold(3, random=seed)
    for learner in (pcv.KNN(k=min(k, n // 2)), pcv.OLS()):
        base = outcome(
            lambda learner=learner: pcv.cross_validate(learner, "y ~ .", frame, folds=folds)
        )
        if base is None:
            continue
        renamed = frame.rename(columns={"a": "été", "b": "x y", "c": "if"})
        again = pcv.cross_validate(learner, "y ~ .", renamed, folds=folds)
        np.testing.assert_array_equal(again.table.losses, base.table.losses)
        permuted = pcv.cross_validate(learner, "y ~ .", frame[["c", "y", "a", "b"]], folds=folds)
        # no ties in normal data: the same neighbours; least squares by another pivoting order
        np.testing.assert_allclose(permuted.table.losses, base.table.losses, rtol=1e-6, atol=1e-12)
        scaled = frame.assign(y=frame["y"] * 2.0**power)
        times = pcv.cross_validate(learner, "y ~ .", scaled, folds=folds)
        np.testing.assert_array_equal(times.table.losses, base.table.losses * 4.0**power)
