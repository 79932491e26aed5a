"""The course's run equals what was recorded from the course's R code with kknn, ties included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat import rmath
from pycvstat.data import waves
from pycvstat.r import lecture
from pycvstat.r.bridge import reference
from pycvstat.r.lecture.course import recorded_course
from pycvstat.rmath.random import RRandom

SUMS = 1e-13  # relative: predictions are sums in R's order, errors are means of their squares


def lecture_cases() -> list[Any]:
    found = []
    for file in sorted(reference.path("recorded").glob("kknn-*.json")):
        record = reference.recorded(file.name)
        found += [
            pytest.param(record["data"][case["data"]], case, id=f"{file.stem}-{case['data']}-{i}")
            for i, case in enumerate(record["cases"])
            if case["kind"] == "lecture_run"
        ]
    return found


def as_frame(columns: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame({name: np.array(c["values"], dtype=float) for name, c in columns.items()})


def numbers(values: Any) -> Any:
    return np.atleast_1d(np.array(values, dtype=float))


def whole(values: Any) -> list[int]:
    return [int(k) for k in np.atleast_1d(values)]


pytestmark = pytest.mark.skipif(
    not rmath.EXTENDED, reason="kknn's ties need a long double of 64 bits: run it on x86-64 Linux"
)


@pytest.mark.parametrize(("columns", "case"), lecture_cases())
def test_run(columns: dict[str, Any], case: dict[str, Any]) -> None:
    run = lecture.lecture_run(
        as_frame(columns),
        "y",
        case["inner"],
        case["ks"],
        case["outer"],
        case["inner"],
        seed=case["shuffle_seed"],
    )
    np.testing.assert_allclose(run.cv_curve, numbers(case["cv_curve"]), rtol=SUMS)
    assert run.optimal_k == whole(case["optimal_k"])
    assert run.test_error == pytest.approx(float(case["test_error"]), rel=SUMS)
    assert run.nested_k == [whole(chosen) for chosen in case["nested_k"]]
    np.testing.assert_allclose(run.nested_errors, numbers(case["nested_errors"]), rtol=SUMS)
    assert run.nested == pytest.approx(float(case["nested"]), rel=SUMS)


def test_the_single_functions_give_the_run() -> None:
    columns, case = lecture_cases()[3].values
    data = as_frame(columns)
    shuffled = data.iloc[RRandom(case["shuffle_seed"]).permutation(len(data))]
    tuning = shuffled.iloc[: len(data) - -(-len(data) // 4)]
    inner, outer, ks = case["inner"], case["outer"], case["ks"]
    table = lecture.knn_cv_results(tuning, inner, "y", ks)
    np.testing.assert_allclose(table["val_error"], numbers(case["cv_curve"]), rtol=SUMS)
    assert lecture.get_optimal_k_by_cv(tuning, inner, "y", ks) == whole(case["optimal_k"])
    by_fold = [
        lecture.knn_validation_error_by_fold_k(tuning, fold, inner, "y", ks[2])
        for fold in range(1, inner + 1)
    ]
    assert np.mean(by_fold) == pytest.approx(table["val_error"][2], rel=SUMS)
    errors = [
        lecture.knn_test_error_by_fold(shuffled, fold, outer, inner, "y", ks)
        for fold in range(1, outer + 1)
    ]
    np.testing.assert_allclose(errors, numbers(case["nested_errors"]), rtol=SUMS)
    nested = lecture.knn_test_error(shuffled, outer, inner, "y", ks)
    assert nested == pytest.approx(float(case["nested"]), rel=SUMS)


def test_the_demonstration() -> None:
    recorded = recorded_course().run
    run = lecture.lecture_run(waves(200, random=2021))
    np.testing.assert_array_equal(run.ks, recorded.ks)
    np.testing.assert_allclose(run.cv_curve, recorded.cv_curve, rtol=SUMS)
    assert run.optimal_k == recorded.optimal_k
    assert run.nested_k == recorded.nested_k
    assert run.test_error == pytest.approx(recorded.test_error, rel=SUMS)
    np.testing.assert_allclose(run.nested_errors, recorded.nested_errors, rtol=SUMS)
