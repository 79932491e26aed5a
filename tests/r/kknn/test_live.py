"""Live kknn on data made here: ties, factors, many columns, k up to the number of rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat import KNN
from pycvstat.data.task import Task
from pycvstat.learners.knn.distances import KERNELS
from pycvstat.r.bridge import run
from pycvstat.r.bridge.installed import r_packages
from pycvstat.r.kknn import kknn, train_kknn

DISTANCE = 1e-13  # relative: the same operations in the same order
WEIGHT = 1e-12  # relative: densities go through other processors' exp and log

pytestmark = pytest.mark.live_r

PREDICT = """
fit <- kknn::kknn(as.formula(formula), train, test, k = k, distance = distance, kernel = kernel,
                  scale = scale, ykernel = ykernel)
list(C = fit$C, D = fit$D, W = fit$W, fitted = as.numeric(fit$fitted.values))
"""
TRAIN = """
fit <- suppressWarnings(kknn::train.kknn(as.formula(formula), data, ks = ks, distance = distance,
                                         kernel = kernel, scale = scale, ykernel = ykernel))
list(errors = cbind(fit$MEAN.SQU, fit$MEAN.ABS, fit$MISCLASS) + 0, k = fit$best.parameters$k,
     kernel = fit$best.parameters$kernel)
"""
PATH = """
sapply(ks, function(k) as.numeric(kknn::kknn(y ~ ., train, test, k = k, distance = distance,
                                             kernel = kernel)$fitted.values))
"""

Column = Callable[[np.random.Generator, int], Any]
COLUMNS: dict[str, Column] = {
    "normal": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-3, 4),
    "shifted": lambda rng, n: rng.normal(size=n) + 1e4,
    "integers": lambda rng, n: rng.integers(0, rng.integers(2, 8), n).astype(float),
    "tenths": lambda rng, n: rng.integers(-3, 3, n) * 0.1,
    "rounded": lambda rng, n: np.round(rng.normal(size=n), 1),
    "constant": lambda rng, n: np.full(n, 0.1),
}
SHAPES = ("smooth", "tied", "copies", "mixed", "wide", "classes", "grades")
FORMULAS = ("y ~ .", "y ~ f", "y ~ o + x0", "y ~ x0 * f", "y ~ . - x0", "y ~ f:o + x0",
            "y ~ f + o - 1", "y ~ I(x0^2) + f", "y ~ (x0 + f + o)^2")  # fmt: skip

OF_COLUMNS = """
    scale(x) scale(x,center=FALSE) scale(log(p)) poly(x,1) poly(x,2) poly(p,3) exp(x/9) log10(p)
    log1p(p) tanh(x) cosh(x/9) sin(x) I(x^3) I(p^-1) I(2^x) I(x%%0.3) log(p,3)
"""
FUNCTIONS = OF_COLUMNS.split()


@pytest.fixture(scope="module", autouse=True)
def _kknn() -> None:
    if r_packages(["kknn"])["kknn"] is None:
        pytest.skip("the R package kknn is not installed; its recorded values are tested")
    run("suppressPackageStartupMessages(library(kknn))")  # model.matrix looks for its contrasts


def make(rng: np.random.Generator, shape: str, n: int) -> pd.DataFrame:
    kinds = ["normal"] * 40 if shape == "wide" else list(rng.choice(list(COLUMNS), 4))
    if shape in ("tied", "copies"):
        kinds = ["integers", "tenths", "rounded"]
    columns = {f"x{i}": COLUMNS[kind](rng, n) for i, kind in enumerate(kinds)}
    data = pd.DataFrame(columns)
    if shape == "copies":
        data = data.iloc[np.arange(n) // 2].reset_index(drop=True)
    if shape == "mixed":
        data["f"] = pd.Categorical(rng.choice(list("abc"), n), categories=list("abcd"))
        data["o"] = pd.Categorical(rng.choice(["s", "m", "l"], n), ["s", "m", "l"], ordered=True)
    data["y"] = np.round(rng.normal(size=n), int(rng.choice([0, 2, 12])))
    if shape in ("classes", "grades"):
        words = ["u", "v", "w"]
        data["y"] = pd.Categorical(rng.choice(words, n), words, ordered=shape == "grades")
    return data


def setting(rng: np.random.Generator, shape: str) -> dict[str, Any]:
    return {
        "formula": str(rng.choice(FORMULAS)) if shape == "mixed" else "y ~ .",
        "distance": float(rng.choice([2, 2, 2, 0.5, 1, 1.5, 3])),
        "scale": bool(rng.random() < 0.8),
        "ykernel": float(rng.choice([0, 1])),
    }


@pytest.mark.parametrize("shape", SHAPES)
def test_kknn(shape: str) -> None:
    rng = np.random.default_rng(SHAPES.index(shape))
    for n in (5, 12, 24, 60, 150):
        for kernel in rng.choice(KERNELS, 4, replace=False):
            data, call = make(rng, shape, n + 9), setting(rng, shape)
            k = min(n, int(rng.choice([1, 2, 5, 9, 12, 30, n - 2, n - 1, n])))
            call |= {"k": k, "kernel": str(kernel)}
            train, test = data[:n], data[n:].reset_index(drop=True)
            expected = run(PREDICT, train=train, test=test, **call)
            fit = kknn(call.pop("formula"), train, test, **call)
            said = f"{shape}, n={n}, {call}"
            rows = np.reshape(np.asarray(expected["C"]), (9, k))
            np.testing.assert_array_equal(fit.C, rows, said)
            for name, tolerance in (("D", DISTANCE), ("W", WEIGHT)):
                values = np.reshape(np.asarray(expected[name]), (9, k))
                np.testing.assert_allclose(getattr(fit, name), values, tolerance, err_msg=said)
            fitted = pd.Series(fit.fitted_values)
            if fit.levels:
                fitted = fitted.map(lambda v, levels=fit.levels: levels.index(v) + 1.0)
            np.testing.assert_allclose(
                fitted, np.ravel(expected["fitted"]), DISTANCE, DISTANCE, err_msg=said
            )


@pytest.mark.parametrize("shape", SHAPES)
def test_train_kknn(shape: str) -> None:
    rng = np.random.default_rng(100 + SHAPES.index(shape))
    for n in (5, 14, 40, 150):
        data, call = make(rng, shape, n), setting(rng, shape)
        ks = sorted({min(n - 1, k) for k in (1, 4, 11, 30, n - 2, n - 1)})
        kernels = [str(kernel) for kernel in rng.choice(KERNELS, 4, replace=False)]
        expected = run(TRAIN, data=data, ks=ks, kernel=kernels, **call)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fit = train_kknn(call.pop("formula"), data, ks=ks, kernel=kernels, **call)
        said = f"{shape}, n={n}, {kernels}, {call}"
        errors = np.hstack([fit.mean_squ, fit.mean_abs, fit.misclass])
        np.testing.assert_allclose(errors, np.asarray(expected["errors"]), 1e-12, err_msg=said)
        best = int(np.ravel(expected["k"])[0]), str(np.ravel(expected["kernel"])[0])
        assert (fit.best_k, fit.best_kernel) == best, said


def test_functions_of_columns_full_of_ties() -> None:
    rng = np.random.default_rng(300)
    call = {"k": 5, "distance": 2, "kernel": "triangular", "scale": True, "ykernel": 0}
    for _ in range(120):
        n = int(rng.integers(20, 80))
        data = pd.DataFrame({"x": rng.integers(-8, 8, n) / 2, "p": rng.integers(2, 9, n) / 2})
        data["y"] = rng.normal(size=n).round(2)
        chosen = rng.choice(FUNCTIONS, int(rng.integers(1, 4)), replace=False)
        formula, cut = f"y ~ {' + '.join(chosen)}", n - 10
        train, test = data[:cut], data[cut:].reset_index(drop=True)
        expected = run(PREDICT, formula=formula, train=train, test=test, **call)
        fit = kknn(formula, train, test, **call)
        np.testing.assert_array_equal(fit.C, expected["C"], formula)
        fitted = np.ravel(expected["fitted"])
        np.testing.assert_allclose(fit.fitted_values, fitted, DISTANCE)
        prepared = KNN(k=5, kernel="triangular").prepare(Task.build(formula, data))
        predicted = prepared.predict(np.arange(cut), np.arange(cut, n)).values[0]
        np.testing.assert_allclose(predicted, fitted, DISTANCE)


@pytest.mark.parametrize("shape", ["smooth", "tied", "copies"])
def test_every_k_of_a_fold(shape: str) -> None:
    rng = np.random.default_rng(200 + SHAPES.index(shape))
    ks = list(range(1, 16))
    for kernel in ("rectangular", "optimal"):
        data = make(rng, shape, 120)
        prepared = KNN(kernel=kernel, distance=2).prepare(  # type: ignore[arg-type]
            Task.build("y ~ .", data), [{"k": k} for k in ks]
        )
        for new in np.split(np.arange(100), 4):  # folds of a part of the data, as in nested CV
            train = np.setdiff1d(np.arange(100), new)
            expected = run(
                PATH,
                train=data.iloc[train].reset_index(drop=True),
                test=data.iloc[new].reset_index(drop=True),
                ks=ks,
                kernel=kernel,
                distance=2,
            )
            predicted = prepared.predict(train, new).values
            np.testing.assert_allclose(predicted.T, np.asarray(expected), DISTANCE, DISTANCE)


def test_large_data_full_of_ties() -> None:
    rng = np.random.default_rng(5)
    data = pd.DataFrame(rng.integers(0, 12, (6000, 3)).astype(float), columns=list("abc"))
    data["y"] = rng.normal(size=6000)
    call = {"k": 20, "distance": 2, "kernel": "triangular", "scale": True, "ykernel": 0}
    train, test = data[:5900], data[5900:].reset_index(drop=True)
    expected = run(PREDICT, formula="y ~ .", train=train, test=test, **call)
    np.testing.assert_array_equal(kknn("y ~ .", train, test, **call).C, expected["C"])
