"""Formulas of all kinds, and every learner: coefficients, predictions, errors over folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

import pycvstat as pcv

CARS = pcv.data.mtcars()
IRIS = pcv.data.iris()
FOLDS = pcv.KFold(5, random=1)


def _mixed() -> pd.DataFrame:
    """Words, truth values, ordered classes, counts, weights, tied numbers."""
    rng, n = pcv.RRandom(21), 60
    x, z = rng.rnorm(n), np.round(rng.runif(n, 0, 3), 1)
    word = np.array(["a", "B", "b", "A", "z", "10"])[rng.sample(6, n, replace=True) - 1]
    size = np.array(["small", "middle", "large"])[rng.sample(3, n, replace=True) - 1]
    y = x + 0.5 * z + (word == "b") + rng.rnorm(n)
    return pd.DataFrame(
        {
            "y": y,
            "x": x,
            "z": z,
            "word": word,
            "flag": rng.runif(n) < 0.4,
            "size": pd.Categorical(size, ["small", "middle", "large"], ordered=True),
            "class": pd.Categorical(np.where(y > 0.6, "yes", "no"), ["no", "yes"]),
            "count": np.floor(np.exp(0.4 * x + 0.3) + rng.rexp(n)),
            "positive": np.exp(0.3 * x + 0.4 * rng.rnorm(n)),
            "share": np.round(1 / (1 + np.exp(-x)), 1),
            "w": np.round(rng.runif(n, 0.5, 3), 2),
            "g": rng.sample(15, n, replace=True),
        }
    )


MIXED = _mixed()


def model(learner: Any, formula: str, data: pd.DataFrame, **given: Any) -> list[Any]:
    """What a fit to all rows says, and what it predicts for the first rows."""
    fitted = learner.fit(formula, data, **given)
    new = data.head(12)
    found: list[Any] = [fitted.predict(new)]
    if fitted.task.response.levels:
        found.append(fitted.predict_proba(new))
    return found + ([fitted.tidy()] if hasattr(fitted, "tidy") else [])


def losses(result: Any) -> list[Any]:
    """Estimates, losses and predictions of a cross-validation."""
    predicted = result.table.predictions
    kept = [result.estimate, result.pooled, result.fold_errors, result.table.losses]
    return [*kept, predicted.values, predicted.prob, result.predictions]


def _of(learner: Any, formula: str, data: pd.DataFrame, **given: Any) -> Callable[[], Any]:
    """A fit to all rows, and one cross-validation."""
    return lambda: [
        model(learner, formula, data, **given),
        losses(pcv.cross_validate(learner, formula, data, folds=FOLDS, **given)),
    ]


FORMULAS = (
    "mpg ~ wt",
    "mpg ~ .",
    "mpg ~ . - wt - qsec",
    "mpg ~ wt * hp + wt:qsec",
    "mpg ~ (wt + hp + qsec)^2",
    "mpg ~ wt - 1",
    "mpg ~ poly(wt, 2) + poly(hp, 3, raw = TRUE)",
    "mpg ~ scale(wt) + scale(hp, scale = FALSE)",
    "mpg ~ I(wt^2) + I(1 / hp) + sqrt(disp)",
    "mpg ~ log(wt) + exp(wt / 5) + log10(hp) + log1p(disp)",
    "mpg ~ tanh(wt / 3) + sin(hp) + wt^2",
    "mpg ~ factor(cyl) * wt",
    "mpg ~ factor(cyl):factor(am) + hp",
    "mpg ~ factor(gear) - 1",
    "mpg ~ cut(hp, c(0, 100, 150, 400)) + ordered(gear)",
    "log(mpg) ~ wt + offset(hp / 100)",
    "mpg ~ am %in% factor(cyl) + wt",
    "mpg ~ I(wt > 3) + I(hp %/% 50)",
)
NAMED: dict[str, Callable[[], Any]] = {
    "words": _of(pcv.OLS(), "y ~ word + x", MIXED),
    "truth values": _of(pcv.OLS(), "y ~ flag * x", MIXED),
    "ordered classes": _of(pcv.OLS(), "y ~ size + z", MIXED),
    "words of capitals, penalised": _of(pcv.Ridge(0.3), "y ~ word + x + size", MIXED),
    "a column that others span": _of(pcv.OLS(), "y ~ x + z + I(x + z) + flag", MIXED),
    "an offset in predictions": _of(pcv.GLM("poisson"), "count ~ x + offset(z)", MIXED),
}
GLMS: Mapping[str, tuple[Any, str]] = {
    "gaussian": (pcv.GLM(), "y ~ x + z"),
    "binomial": (pcv.GLM("binomial"), "class ~ x + z"),
    "binomial shares": (pcv.GLM("binomial"), "share ~ x + z"),
    "binomial, probit": (pcv.GLM("binomial", "probit"), "class ~ x"),
    "binomial, cauchit": (pcv.GLM("binomial", "cauchit"), "class ~ x"),
    "binomial, cloglog": (pcv.GLM("binomial", "cloglog"), "class ~ x"),
    "poisson": (pcv.GLM("poisson"), "count ~ x + z"),
    "poisson, sqrt": (pcv.GLM("poisson", "sqrt"), "count ~ x"),
    "gamma": (pcv.GLM("gamma"), "positive ~ x"),
    "gamma, log": (pcv.GLM("gamma", "log"), "positive ~ x + z"),
    "inverse gaussian, log": (pcv.GLM("inverse_gaussian", "log"), "positive ~ x"),
    "negative binomial": (pcv.GLM("negative_binomial", alpha=0.7), "count ~ x + z"),
    "tweedie": (pcv.GLM("tweedie", var_power=1.6), "positive ~ x"),
}
KERNELS = (
    "rectangular", "triangular", "epanechnikov", "biweight", "triweight", "cos", "inv",
    "gaussian", "rank", "optimal",
)  # fmt: skip


def _nearest() -> Any:
    def fit(X: Any, y: Any) -> tuple[Any, Any]:
        return X, y

    def predict(kept: tuple[Any, Any], X: Any) -> Any:
        distances = np.abs(X[:, None, :] - kept[0][None, :, :]).sum(axis=2)
        return kept[1][distances.argmin(axis=1)]

    return pcv.FromFunctions(fit, predict)


class _Plane:
    """An estimator with scikit-learn's methods: least squares by NumPy."""

    def fit(self, X: Any, y: Any) -> _Plane:
        ones = np.column_stack([np.ones(len(X)), X])
        self.slopes = np.linalg.lstsq(ones, y, rcond=None)[0]
        return self

    def predict(self, X: Any) -> Any:
        return self.slopes[0] + X @ self.slopes[1:]


LEARNERS: dict[str, Callable[[], Any]] = {
    "WLS": _of(pcv.WLS(), "y ~ x + word", MIXED, weights="w"),
    "GLM with weights": _of(pcv.GLM("poisson"), "count ~ x", MIXED, weights="w"),
    "Logit": _of(pcv.Logit(), "class ~ x + z + word", MIXED),
    "Logit, separated classes": _of(pcv.Logit(), "class ~ y", MIXED),
    "MNLogit": _of(pcv.MNLogit(), "Species ~ Sepal.Length + Sepal.Width", IRIS),
    "MNLogit with weights": _of(pcv.MNLogit(), "size ~ x + z", MIXED, weights="w"),
    **{
        f"RLM, {norm}": _of(pcv.RLM(norm, maxiter=60), "y ~ x + z", MIXED)
        for norm in ("huber", "bisquare", "hampel", "andrew", "ramsay", "trimmed")
    },
    "RLM with weights": _of(pcv.RLM(tuning=2.0), "y ~ x + z", MIXED, weights="w"),
    "QuantReg": _of(pcv.QuantReg(), "y ~ x + z", MIXED),
    "QuantReg, upper": _of(pcv.QuantReg(0.9), "y ~ x + word", MIXED, weights="w"),
    "Ridge": _of(pcv.Ridge(0.5), "mpg ~ .", CARS),
    "Ridge, not standardised": _of(pcv.Ridge(0.5, standardize=False), "mpg ~ .", CARS),
    "Ridge with weights": _of(pcv.Ridge(0.5), "y ~ x + z + word", MIXED, weights="w"),
    "Ridge by GCV": lambda: pcv.Ridge().gcv("mpg ~ .", CARS, lam=[0.0, 0.1, 1.0, 10.0]),
    "Lasso": _of(pcv.Lasso(0.3), "mpg ~ .", CARS),
    "Lasso with weights": _of(pcv.Lasso(0.1), "y ~ x + z + word", MIXED, weights="w"),
    "ElasticNet": _of(pcv.ElasticNet(0.3, alpha=0.4), "mpg ~ .", CARS),
    "Mean": _of(pcv.Mean(), "y ~ x", MIXED, weights="w"),
    "Mean of classes": _of(pcv.Mean(), "size ~ x", MIXED),
    **{f"KNN, {k}": _of(pcv.KNN(7, kernel=k), "y ~ x + z + word", MIXED) for k in KERNELS},
    "KNN of tied rows": _of(pcv.KNN(5, kernel="rectangular"), "y ~ z + flag", MIXED),
    "KNN of tied rows, lowest first": _of(pcv.KNN(5, ties="row"), "y ~ z + flag", MIXED),
    "KNN by absolute distance": _of(pcv.KNN(4, distance=1), "mpg ~ .", CARS),
    "KNN by distance of power 3, unscaled": _of(
        pcv.KNN(4, distance=3, scale=False), "mpg ~ wt + qsec", CARS
    ),
    "KNN of classes": _of(pcv.KNN(9, kernel="triangular"), "Species ~ .", IRIS),
    "KNN of ordered classes": _of(pcv.KNN(9, ykernel=1), "size ~ x + z", MIXED),
    "KNN, scale() and poly()": _of(pcv.KNN(3), "mpg ~ scale(wt) + poly(hp, 2)", CARS),
    "KNN, functions": _of(pcv.KNN(3), "mpg ~ log(wt) + exp(qsec / 9) + gear^3", CARS),
    "External": _of(pcv.External(_Plane()), "y ~ x + word", MIXED),
    "FromFunctions": _of(_nearest(), "y ~ x + z", MIXED),
    "Tuned": _of(pcv.Tuned(pcv.KNN(), {"k": range(1, 9)}, inner=pcv.Blocks(4)), "mpg ~ .", CARS),
}
CALLS: dict[str, Callable[[], Any]] = {
    **{f"formula {formula}": _of(pcv.OLS(), formula, CARS) for formula in FORMULAS},
    **{f"formula with {name}": call for name, call in NAMED.items()},
    **{f"GLM, {name}": _of(*made, MIXED) for name, made in GLMS.items()},
    **LEARNERS,
}
