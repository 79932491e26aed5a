"""Models of statsmodels, ten folds of 1,000 rows with five predictors

Built in and through the adapter, against loops of arrays. All predict the same: to 1e-6, where each
stops near an optimum by a rule of its own, and RLM to 1e-3, whose constants differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf

import pycvstat as pcv
from tests.benchmarks.line import Line

FOLDS = pcv.KFold(10, random=1)
FORMULA = "a + b + c + d + e"


def sample(n: int = 1000) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    eta = 0.5 * data.a - 0.3 * data.b
    data["y"] = eta + rng.normal(size=n)
    data["event"] = (eta + rng.logistic(size=n) > 0) * 1.0
    data["count"] = rng.poisson(np.exp(eta))
    return data


DATA = sample()
MODELS: dict[str, tuple[str, Any, Any, Any, Mapping[str, Any]]] = {
    "least squares": ("y", pcv.OLS(), smf.ols, sm.OLS, {}),
    "logit": ("event", pcv.Logit(), smf.glm, sm.GLM, {"family": sm.families.Binomial()}),
    "Poisson": ("count", pcv.GLM("poisson"), smf.glm, sm.GLM, {"family": sm.families.Poisson()}),
    "robust": ("y", pcv.RLM(), smf.rlm, sm.RLM, {}),
}


def lines() -> Iterator[Line]:
    plan, X = FOLDS.plan(len(DATA)), sm.add_constant(DATA[list("abcde")].to_numpy())
    for model, (y, built_in, function, kind, given) in MODELS.items():
        response = DATA[y].to_numpy()

        def validated(learner: Any, y: str = y) -> Any:
            result = pcv.cross_validate(learner, f"{y} ~ {FORMULA}", DATA, folds=FOLDS)
            return result.table.predictions.values[0]

        def loop(kind: Any = kind, given: Any = given, response: Any = response) -> Any:
            fits = (kind(response[a], X[a], **given).fit().predict(X[b]) for a, b in plan)
            return np.concatenate(list(fits))

        for way, learner in (
            ("built in", built_in), ("by the adapter", pcv.Statsmodels(function, **given)),
        ):  # fmt: skip
            yield Line(
                f"{model}, {way}",
                lambda v=validated, one=learner: v(one),
                "a loop of arrays",
                loop,
                agree=1e-3 if model == "robust" else 1e-6,
            )
