"""Every procedure: cross-validation, tuning, nested cross-validation, comparisons, curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scipy import stats

import pycvstat as pcv
from tests.fingerprints.of_learners import CARS, FOLDS, IRIS, MIXED, losses

KNN = pcv.KNN(kernel="rectangular")
GRID = {"k": range(1, 11)}
LABELS = pcv.data.labels(80)
WAVES = pcv.data.waves(60)
GAPS = CARS.assign(wt=CARS["wt"].where(CARS["hp"] != 110))


def _cv(learner: Any, formula: str, data: Any, folds: Any = FOLDS, **given: Any) -> Any:
    return lambda: losses(pcv.cross_validate(learner, formula, data, folds=folds, **given))


def quartic(y: Any, prediction: Any) -> Any:
    """A loss of a user's own."""
    return (y - prediction) ** 4


def simpler(candidate: dict[str, Any]) -> float:
    """An order of a user's own."""
    return -float(candidate["k"])


def _tuned(result: Any) -> list[Any]:
    chosen = [result.choice.index, result.choice.tied, result.choice.limit]
    return [*chosen, result.candidates, result.means.fold_means(), result.means.std_error()]


def _tune(
    learner: Any = KNN, formula: str = "mpg ~ wt + hp", data: Any = CARS, **given: Any
) -> Any:
    given = {"grid": GRID, "folds": FOLDS} | given
    return lambda: _tuned(pcv.tune(learner, formula, data, **given))


def _nested(
    learner: Any = KNN, formula: str = "mpg ~ wt + hp", data: Any = CARS, **given: Any
) -> Any:
    given = {"grid": GRID, "outer": FOLDS, "inner": pcv.KFold(4)} | given

    def call() -> list[Any]:
        result = pcv.nested_cv(learner, formula, data, **given)
        inside = [result.chosen_index, result.inner_curves, result.tied]
        final = [result.final(policy) for policy in ("retune", "vote", "median")]
        return [losses(result), inside, final, result.min_cv]

    return call


def _compared(result: Any) -> list[Any]:
    each = [losses(one) for one in result.results.values()]
    return [result.best, each, _numbers(result.pairs())]


def _numbers(table: Any) -> Any:
    """The numeric columns of pairs of methods."""
    return table[["estimate", "std_error", "conf_low", "conf_high", "p_value", "p_adjusted"]]


def _told(table: Any) -> Any:
    """The numbers of a tidy table."""
    return table.select_dtypes(["float", "bool"])


def _error_curve(result: Any) -> list[Any]:
    return [result.train.fold_means(), result.test.fold_means(), result.table.losses, result.gap()]


def _learning_curve(result: Any) -> list[Any]:
    return [result.sizes, result.train, result.test, result.table.losses, list(result.orders)]


def _audited(found: Any) -> list[Any]:
    return [found.skill, found.p_value, found.duplicates, list(found.split_groups)]


def _adjusted() -> list[Any]:
    folds = pcv.RFolds("boot", 8, seed=1)
    result = pcv.cross_validate(pcv.GLM(), "mpg ~ wt + hp", CARS, folds=folds, bias_adjusted=True)
    return [result.adjusted, result.pooled]


def _predicted() -> list[Any]:
    result = pcv.tune(KNN, "mpg ~ wt", CARS, grid=GRID, folds=pcv.Holdout(0.2, random=3))
    return [result.predict(CARS), result.best]


def _from_columns() -> list[Any]:
    X, y = MIXED[["x", "z"]], MIXED["y"]
    return losses(pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=FOLDS))


METHODS = {
    "ols": pcv.OLS(),
    "knn": pcv.Tuned(KNN, GRID, inner=4),
    "ridge": pcv.Tuned(pcv.Ridge(), {"lam": [0.01, 0.1, 1, 10]}, inner=pcv.KFold(4)),
    "mean": pcv.Mean(),
}
DRAWN = {"k": stats.randint(1, 12), "kernel": ["optimal", "inv", "rank"]}
LAM = {"lam": stats.loguniform(1e-3, 10)}

CALLS: dict[str, Callable[[], Any]] = {
    "loss: absolute": _cv(pcv.QuantReg(), "mpg ~ wt", CARS, loss="absolute"),
    "loss: huber": _cv(pcv.OLS(), "mpg ~ wt + hp", CARS, loss="huber(2)"),
    "loss: pinball": _cv(pcv.QuantReg(0.8), "mpg ~ wt", CARS, loss="pinball(0.8)"),
    "loss: poisson": _cv(pcv.GLM("poisson"), "count ~ x + z", MIXED, loss="poisson"),
    "loss: log": _cv(pcv.MNLogit(), "Species ~ Sepal.Length", IRIS, loss="log"),
    "loss: brier, two classes": _cv(pcv.Logit(), "y ~ x1 + x2", LABELS, loss="brier"),
    "loss: brier, three classes": _cv(pcv.KNN(9), "Species ~ .", IRIS, loss="brier"),
    "loss: a function": _cv(pcv.OLS(), "mpg ~ wt", CARS, loss=quartic),
    "leave-one-out, least squares": _cv(pcv.OLS(), "mpg ~ wt + hp", CARS, pcv.LeaveOneOut()),
    "leave-one-out, logistic": _cv(pcv.Logit(), "y ~ x1 + x2", LABELS, pcv.LeaveOneOut()),
    "leave-one-out, ridge": _cv(pcv.Ridge(1.0), "mpg ~ .", CARS, pcv.LeaveOneOut()),
    "leave-one-out, lasso": _cv(pcv.Lasso(0.2), "mpg ~ .", CARS, pcv.LeaveOneOut()),
    "leave-one-out, nearest": _cv(pcv.KNN(5), "mpg ~ .", CARS, pcv.LeaveOneOut()),
    "repeated folds": _cv(pcv.OLS(), "mpg ~ wt", CARS, pcv.Repeated(pcv.KFold(5), 4, random=2)),
    "folds in pairs": _cv(pcv.OLS(), "y ~ x + z", MIXED, pcv.NestedPairs(4, 2, random=2)),
    "rolling folds": _cv(pcv.OLS(), "y ~ x", MIXED, pcv.TimeSeries(30, horizon=5, step=5)),
    "groups": _cv(pcv.OLS(), "y ~ x + z", MIXED, pcv.Grouped(4, random=1), groups="g"),
    "rows with missing values left out": _cv(pcv.KNN(3), "mpg ~ wt + qsec", GAPS, na="omit"),
    "predictors as columns": _from_columns,
    "bias-adjusted": _adjusted,
    "tune": _tune(),
    "tune by one standard error": _tune(rule="one_se", complexity="-k"),
    "tune by one standard error, an order": _tune(rule="one_se", complexity=simpler),
    "tune by a tolerance": _tune(rule="tolerance", complexity="-k", tolerance=0.1),
    "tune, fold means only": _tune(keep="fold_means"),
    "tune on a development set": _tune(folds=pcv.Holdout(0.25, random=1), refit="train"),
    "tune, leave-one-out": _tune(folds=pcv.LeaveOneOut()),
    "tune over kernels": _tune(grid={"k": [3, 7], "kernel": ["inv", "cos"], "distance": [1, 2]}),
    "tune over random draws": _tune(grid=pcv.RandomSearch(DRAWN, 9, random=1)),
    "tune over a Sobol sequence": _tune(
        pcv.Ridge(), "mpg ~ .", grid=pcv.QuasiRandomSearch(LAM, 9, "sobol")
    ),
    "tune over a Halton sequence": _tune(
        pcv.Lasso(), "mpg ~ .", grid=pcv.QuasiRandomSearch(LAM, 7)
    ),
    "tune an elastic net": _tune(
        pcv.ElasticNet(), "mpg ~ .", grid={"lam": [0.01, 0.1, 1], "alpha": [0, 0.5, 1]}
    ),
    "tune a ridge, leave-one-out": _tune(
        pcv.Ridge(), "mpg ~ .", grid={"lam": [0.01, 0.1, 1, 10]}, folds=pcv.LeaveOneOut()
    ),
    "tune classes": _tune(formula="Species ~ .", data=IRIS, folds=pcv.Stratified(5, random=1)),
    "tune classes by log loss": _tune(pcv.KNN(), "y ~ x1 + x2", LABELS, loss="log"),
    "tune, and predict": _predicted,
    "nested": _nested(),
    "nested, blocks": _nested(
        formula="y ~ .", data=WAVES, outer=pcv.Blocks(8), inner=pcv.Blocks(5)
    ),
    "nested, development sets": _nested(inner="dev"),
    "nested, repeated": _nested(outer=pcv.Repeated(pcv.KFold(4), 2, random=4)),
    "nested, one standard error": _nested(rule="one_se", complexity="-k"),
    "nested, classes": _nested(formula="Species ~ .", data=IRIS),
    "nested, ridge": _nested(pcv.Ridge(), "mpg ~ .", grid={"lam": [0.01, 0.1, 1, 10]}),
    "nested, lasso": _nested(pcv.Lasso(), "mpg ~ .", grid={"lam": [0.01, 0.1, 1]}),
    "nested, groups": _nested(
        formula="y ~ x + z", data=MIXED, groups="g", outer=pcv.Grouped(4, random=2), inner=3
    ),
    "compare": lambda: _compared(pcv.compare(METHODS, "mpg ~ wt + hp", CARS, folds=FOLDS)),
    "compare, 5x2": lambda: _compared(
        pcv.compare({n: METHODS[n] for n in ("ols", "mean")}, "y ~ x + z", MIXED,
                    folds=pcv.FiveByTwo(random=3))
    ),
    "resamples with replacement": lambda: _told(
        pcv.cross_validate(
            pcv.OLS(), "mpg ~ wt + hp", CARS, folds=pcv.Bootstrap(100, random=1)
        ).tidy("bootstrap")
    ),
    "confidence set": lambda: _told(
        pcv.compare(METHODS, "mpg ~ wt + hp", CARS, folds=FOLDS).confidence_set().tidy()
    ),
    "stability": lambda: _told(
        pcv.compare({"a": pcv.OLS(), "b": pcv.Mean()}, "mpg ~ wt", CARS, folds=FOLDS)
        .stability(draws=20).tidy()
    ),
    "multiverse": lambda: _told(
        # sums of all splits at once, whose last bits hang on where their memory lies
        pcv.multiverse(pcv.OLS(), "mpg ~ wt", CARS, folds=[5, 8], seeds=range(3), null=9)
        .tidy().round(10)
    ),
    "benchmark": lambda: _compared(
        pcv.benchmark({"knn": (KNN, GRID), "ols": pcv.OLS()}, "mpg ~ wt + hp", CARS,
                      times=4, random=1)
    ),
    "error curve": lambda: _error_curve(
        pcv.error_curve(KNN, "mpg ~ wt + hp", CARS, grid=GRID, folds=FOLDS)
    ),
    "error curve, ridge": lambda: _error_curve(
        pcv.error_curve(pcv.Ridge(), "mpg ~ .", CARS, grid={"lam": [0.1, 1, 10]}, folds=FOLDS)
    ),
    "learning curve": lambda: _learning_curve(
        pcv.learning_curve(pcv.OLS(), "mpg ~ wt", CARS, sizes=[6, 12, 24], folds=FOLDS)
    ),
    "learning curve, shares": lambda: _learning_curve(
        pcv.learning_curve(pcv.KNN(3), "Species ~ .", IRIS, sizes=[0.1, 0.5, 1.0], folds=FOLDS)
    ),
    "audit": lambda: _audited(
        pcv.audit(pcv.OLS(), "y ~ x + z", MIXED, groups=MIXED["g"].to_numpy(),
                  folds=pcv.Grouped(4, random=1), times=10)
    ),
    "audit, repeated rows": lambda: _audited(
        pcv.audit(pcv.KNN(1), "Species ~ .", IRIS, folds=5, times=5)
    ),
}  # fmt: skip
