"""Every recorded call of kknn and train.kknn, to the last tie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat.r.kknn import cv_kknn, kknn, train_kknn
from pycvstat.rmath.sums import EXTENDED
from tests.r.kknn.records import FILES, numbers, record, test_rows

DISTANCE = 1e-13  # relative: the same operations in the same order
WEIGHT = 1e-12  # relative: densities go through other processors' exp and log
ERROR = 1e-12  # relative: sums of squares

pytestmark = pytest.mark.skipif(
    not EXTENDED, reason="ties of kknn need a long double of 64 bits: run it on x86-64 Linux"
)


@pytest.mark.parametrize("file", FILES)
def test_kknn(file: str) -> None:
    frames, cases = record(file)
    calls = [case for case in cases if case["kind"] == "kknn"]
    assert len(calls) > 100
    for case in calls:
        check_kknn(file, frames[case["data"]], case)


def check_kknn(file: str, frame: pd.DataFrame, case: dict[str, Any]) -> None:
    n, k = case["n_train"], case["k"]
    fit = kknn(
        case["formula"],
        frame.iloc[:n],
        test_rows(file, frame, n),
        k=k,
        distance=case["distance"],
        kernel=case["kernel"],
        ykernel=case["ykernel"],
        scale=case["scale"],
    )
    said = f"{case['data']}: {case['formula']}, k={k}, p={case['distance']}, {case['kernel']}"
    assert fit.response == case["response"], said
    np.testing.assert_array_equal(fit.C, numbers(case["C"], k), said)
    np.testing.assert_allclose(fit.D, numbers(case["D"], k), DISTANCE, err_msg=said)
    np.testing.assert_allclose(fit.W, numbers(case["W"], k), WEIGHT, err_msg=said)
    if fit.prob is None:
        np.testing.assert_allclose(
            fit.fitted_values, numbers(case["fitted"]), DISTANCE, err_msg=said
        )
    else:
        assert fit.fitted_values.tolist() == case["fitted"], said
        shares = numbers(case["prob"], len(fit.levels))
        np.testing.assert_allclose(fit.prob, shares, WEIGHT, err_msg=said)


@pytest.mark.parametrize("file", FILES)
def test_train_kknn(file: str) -> None:
    frames, cases = record(file)
    calls = [case for case in cases if case["kind"] == "train.kknn"]
    assert calls
    for case in calls:
        check_train(frames[case["data"]], case)


def check_train(frame: pd.DataFrame, case: dict[str, Any]) -> None:
    fit = train_kknn(
        case["formula"],
        frame,
        ks=np.atleast_1d(case["ks"]).tolist(),
        distance=case["distance"],
        kernel=np.atleast_1d(case["kernel"]).tolist(),
        ykernel=case.get("ykernel", 0),
        scale=case["scale"],
    )
    for name in ("mean_squ", "mean_abs", "misclass"):
        table = getattr(fit, name)
        if case[name] is None:
            assert table.isna().all(axis=None)
            continue
        expected = numbers(case[name], table.shape[1])
        np.testing.assert_allclose(table, expected, ERROR, err_msg=case["data"])
    assert (fit.best_kernel, fit.best_k) == (case["best_kernel"], case["best_k"]), case["data"]
    if "predicted" in case:
        check_predicted(fit, frame.tail(9).drop(columns="y"), case["predicted"])


def check_predicted(fit: Any, new: pd.DataFrame, expected: Any) -> None:
    if fit.response == "continuous":
        expected = numbers(expected)
        np.testing.assert_allclose(fit.predict(new), expected, DISTANCE)
    else:
        assert fit.predict(new).tolist() == expected


def test_cv_kknn() -> None:
    frames, cases = record("kknn-1.4.1-hard.json")
    calls = [case for case in cases if case["kind"] == "cv.kknn"]
    assert len(calls) == 4
    for case in calls:
        fit = cv_kknn(
            "y ~ .", frames[case["data"]], kcv=case["kcv"], k=case["k"], random=case["seed"]
        )
        np.testing.assert_allclose(fit.yhat, numbers(case["yhat"]), DISTANCE)
        errors = [fit.misclass, fit.mean_abs, fit.mean_squ]
        errors = [error for error in errors if not np.isnan(error)]
        np.testing.assert_allclose(errors, numbers(case["errors"]), ERROR)
