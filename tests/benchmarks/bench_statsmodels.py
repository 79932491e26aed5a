"""statsmodels' models over ten folds: built in, through the adapter, and in plain loops.

    python tests/benchmarks/bench_statsmodels.py [repetitions]

Medians in milliseconds of ten folds of 1,000 rows with five predictors, one thread, each way after
one run that is not counted; the ways take turns. All of them predict the same: to 1e-6, where each
stops near an optimum by a rule of its own, and RLM to 1e-3, whose constants differ.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from threadpoolctl import threadpool_limits

import pycvstat as pcv

FOLDS = pcv.KFold(10, random=1)
RIGHT = "a + b + c + d + e"


def sample(n: int = 1000) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    eta = 0.5 * data.a - 0.3 * data.b
    data["y"] = eta + rng.normal(size=n)
    data["event"] = (eta + rng.logistic(size=n) > 0) * 1.0
    data["count"] = rng.poisson(np.exp(eta))
    return data


DATA = sample()
POISSON, BINOMIAL = sm.families.Poisson(), sm.families.Binomial()
MODELS: dict[str, tuple[str, Any, Any, Any, Mapping[str, Any]]] = {
    "least squares": ("y", pcv.OLS(), smf.ols, sm.OLS, {}),
    "logit": ("event", pcv.Logit(), smf.glm, sm.GLM, {"family": BINOMIAL}),
    "Poisson": ("count", pcv.GLM("poisson"), smf.glm, sm.GLM, {"family": POISSON}),
    "robust": ("y", pcv.RLM(), smf.rlm, sm.RLM, {}),
}


def ways(model: str) -> dict[str, Callable[[], Any]]:
    """Each returns the predictions of all test rows, fold after fold."""
    y, built_in, function, kind, given = MODELS[model]
    formula, plan = f"{y} ~ {RIGHT}", FOLDS.plan(len(DATA))
    X, response = sm.add_constant(DATA[list("abcde")].to_numpy()), DATA[y].to_numpy()

    def validated(learner: Any) -> Any:
        result = pcv.cross_validate(learner, formula, DATA, folds=FOLDS)
        return result.table.predictions.values[0]

    def arrays() -> Any:
        fits = (kind(response[a], X[a], **given).fit().predict(X[b]) for a, b in plan)
        return np.concatenate(list(fits))

    def formulas() -> Any:
        fits = (
            function(formula, DATA.iloc[a], **given).fit().predict(DATA.iloc[b]) for a, b in plan
        )
        return np.concatenate(list(fits))

    return {
        "built in": lambda: validated(built_in),
        "adapter": lambda: validated(pcv.Statsmodels(function, **given)),
        "loop of arrays": arrays,
        "loop of formulas": formulas,
    }


def measured(model: str, repetitions: int) -> dict[str, float]:
    """Milliseconds of every way, after all have predicted the same."""
    found = ways(model)
    first = [np.asarray(way()) for way in found.values()]
    for predictions in first[1:]:
        tolerance = 1e-3 if model == "robust" else 1e-6
        np.testing.assert_allclose(predictions, first[0], rtol=tolerance, atol=tolerance)
    times: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(repetitions):
        for name, way in found.items():
            start = time.perf_counter()
            way()
            times[name].append(1e3 * (time.perf_counter() - start))
    return {name: statistics.median(some) for name, some in times.items()}


def main(repetitions: int = 7) -> pd.DataFrame:
    warnings.simplefilter("ignore")
    threadpool_limits(1)
    table = pd.DataFrame({model: measured(model, repetitions) for model in MODELS}).T
    print(table.round(1))
    return table


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
