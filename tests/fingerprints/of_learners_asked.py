"""Learners asked further: steps of penalised paths, over many predictors and of few penalties."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import pycvstat as pcv
from tests.fingerprints.edges import outcomes
from tests.fingerprints.of_learners_edges import DATA

Call = Callable[[], Any]
RESPONSES = {"gaussian": "y", "binomial": "class", "multinomial": "size", "poisson": "count"}
GROUPED = {"type_multinomial": "grouped"}


def steps(X: Any, y: Any, asked: dict[str, Any]) -> list[Any]:
    """A path to seven digits, and after how many sweeps it ended how."""
    path = pcv.r.glmnet.glmnet(X, y, **asked).path
    slopes = path.beta[path.beta != 0.0]
    found = [path.lambda_, path.a0, slopes, path.dev_ratio, path.nulldev]
    numbers = [float(f"{x:.7g}") for one in found for x in np.ravel(one)]
    return [numbers, np.argwhere(path.beta), path.npasses, path.end]


def wide(rows: int, columns: int) -> tuple[Any, Any]:
    """Predictors of several sizes, one constant, one nearly another, and a response of some."""
    rng = np.random.default_rng(17)
    X = rng.normal(size=(rows, columns)) * 10.0 ** (np.arange(columns) % 3) + 5.0
    y = X[:, 0] + X[:, 3] - 0.01 * X[:, 2] + rng.normal(size=rows)
    X[:, 1], X[:, 4] = 3.0, X[:, 3] + 1e-3 * X[:, 0]
    return X, y


def wide_paths() -> Iterator[Call]:
    factor = 1.0 + np.arange(500) % 2
    w = 1.0 + np.arange(12) % 3
    options: list[dict[str, Any]] = [
        {}, {"standardize": False}, {"intercept": False}, {"dfmax": 2}, {"pmax": 3}, {"maxit": 9},
        {"standardize": False, "intercept": False}, {"lambda_min_ratio": 0.5}, {"thresh": 1e-3},
        {"weights": w}, {"weights": w * (w < 3)}, {"weights": w, "intercept": False},
        {"penalty_factor": factor}, {"penalty_factor": np.where(np.arange(500) % 250, factor, 0)},
        {"lambda_": [3.0, 1.0]}, {"lambda_": [0.5]}, {"nlambda": 1}, {"nlambda": 2}, {"pmax": 0},
        {"dfmax": 0}, {"maxit": 1}, {"maxit": 2}, {"nlambda": 30, "lambda_min_ratio": 0.2},
        *({"nlambda": 30, "lambda_min_ratio": 0.1, "dfmax": most} for most in (3, 4, 5, 6)),
    ]  # fmt: skip
    X, y = wide(12, 500)
    for alpha, given in product((0.3, 1.0), options):
        yield partial(steps, X, y, {"alpha": alpha, "nlambda": 5} | given)
    for columns in (499, 501):
        yield partial(steps, *wide(12, columns), {"nlambda": 5})


def narrow_paths(family: str, kind: dict[str, Any]) -> Iterator[Call]:
    """Few rows and few penalties; the last predictor is constant."""
    rows = DATA[:24]
    X, y = rows[["x", "z", "w", "positive", "tied", "same"]].to_numpy(), rows[RESPONSES[family]]
    w = np.array([1.0, 2.0, 0.0, 0.5] * 6)
    options: list[dict[str, Any]] = [
        {}, {"standardize": False}, {"intercept": False}, {"dfmax": 1}, {"pmax": 2}, {"maxit": 9},
        {"standardize": False, "intercept": False}, {"lambda_min_ratio": 0.3}, {"thresh": 1e-3},
        {"weights": w}, {"weights": w + 1.0, "intercept": False}, {"nlambda": 9},
        {"penalty_factor": [2, 1, 2, 1, 1, 5]}, {"penalty_factor": [0, 1, 0, 1, 1, 1]},
        {"lambda_": [0.3, 0.1]}, {"lambda_": [0.2]}, {"nlambda": 1}, {"maxit": 3}, {"maxit": 4},
        {"nlambda": 2}, {"nlambda": 20, "lambda_min_ratio": 0.8}, {"dfmax": 0}, {"pmax": 4},
        *({"nlambda": 25, "lambda_min_ratio": 0.01, "dfmax": most} for most in (2, 3, 4)),
    ]  # fmt: skip
    for alpha, given in product((0.0, 0.4, 1.0), options):
        usual = {"family": family, "nlambda": 6, "lambda_min_ratio": 0.05, "alpha": alpha, **kind}
        yield partial(steps, X, y, usual | given)
    for columns in (2, 30):
        more = wide(24, 30)[0][:, :columns]
        yield partial(steps, more, y, {"family": family, "nlambda": 4, **kind})


def paths_without_rows() -> Iterator[Call]:
    """Folds of unequal size; below and from 500 predictors on."""
    ids = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3])
    asked: list[dict[str, Any]] = [
        {}, {"intercept": False}, {"standardize": False}, {"maxit": 6}, {"pmax": 4},
        {"weights": 1.0 + np.arange(12) % 4}, {"lambda_": [2.0, 0.5, 0.1]},
        {"penalty_factor": None}, {"dfmax": 2}, {"grouped": False, "type_measure": "mae"},
    ]  # fmt: skip
    for columns, given in product((5, 500), asked):
        X, y = wide(12, columns)
        X[:, 2] = np.where(ids == 2, X[:, 2], 1.0)  # varies in one fold alone
        if "penalty_factor" in given:
            given = {"penalty_factor": np.arange(columns) % 4}
        yield partial(validated_path, X, y, {"foldid": ids, "nlambda": 5, "alpha": 0.7, **given})


def validated_path(X: Any, y: Any, asked: dict[str, Any]) -> list[Any]:
    """Penalties, errors over folds and how many predictors there are."""
    found = pcv.r.glmnet.cv_glmnet(X, y, **asked)
    told = [found.lambda_, found.cvm, found.cvsd, found.nzero, found.lambda_min, found.lambda_1se]
    return [float(f"{x:.7g}") for one in told for x in np.ravel(one)]


CALLS: dict[str, Call] = {
    "asked: paths over many predictors": outcomes([*wide_paths()]),
    **{f"asked: paths, {one}": outcomes([*narrow_paths(one, {})]) for one in RESPONSES},
    "asked: paths, grouped": outcomes([*narrow_paths("multinomial", GROUPED)]),
    "asked: paths without some rows": outcomes([*paths_without_rows()]),
}
