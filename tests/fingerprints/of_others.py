"""Functions under their R names, the command line, simulations that are quick."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.cli import main
from tests.fingerprints.of_learners import CARS, IRIS, MIXED

simulate = pcv.simulate


def _in_r(name: str) -> Any:
    """A room of R functions, wherever it stands."""
    return getattr(getattr(pcv, "r", pcv), name)


kknn, lecture = _in_r("kknn"), _in_r("lecture")
KNN = pcv.KNN(kernel="rectangular")
WAVES, LABELS = pcv.data.waves(72), pcv.data.labels(60)
KS = range(1, 16)


def _kknn(formula: str, data: Any, **given: Any) -> Callable[[], Any]:
    def call() -> list[Any]:
        found = kknn.kknn(formula, data[::2], data[1::2], **given)
        return [found.fitted_values, found.CL, found.W, found.D, found.C, found.prob]

    return call


def _train_kknn(formula: str, data: Any, **given: Any) -> Callable[[], Any]:
    def call() -> list[Any]:
        found = kknn.train_kknn(formula, data, **given)
        errors = [found.mean_squ, found.mean_abs, found.misclass]
        best = [found.best_k, found.best_kernel]
        return [*errors, *best, list(found.fitted_values), found.predict(data[:9])]

    return call


def _cv_kknn(formula: str, data: Any, **given: Any) -> Callable[[], Any]:
    def call() -> list[Any]:
        found = kknn.cv_kknn(formula, data, random=1, **given)
        return [found.yhat, found.folds, found.mean_abs, found.mean_squ, found.misclass]

    return call


def _lecture_run() -> list[Any]:
    run = lecture.lecture_run(pcv.data.waves(120, random=2021))
    return [run.cv_curve, run.optimal_k, run.test_error, run.nested_k, run.nested_errors]


def _printed(*words: str, data: Any = CARS) -> Callable[[], Any]:
    """The numbers that a command prints as JSON: first the glance, then the rows."""

    def call() -> list[Any]:
        with TemporaryDirectory() as folder, redirect_stdout(io.StringIO()) as out:
            file = Path(folder) / "data.csv"
            data.to_csv(file, index=False)
            assert main([words[0], str(file), *words[1:], "--json", "--seed", "1"]) == 0
        printed = json.loads(out.getvalue())
        kept = ("estimate", "pooled", "std_error", "conf_low", "conf_high", "p_value")
        rows = [printed["glance"], *printed["tidy"]]
        return [[row[name] for name in kept if name in row] for row in rows]

    return call


def _covered(scenario: Any, method: str, **given: Any) -> Callable[[], Any]:
    def call() -> list[Any]:
        found = simulate.coverage(scenario, method, sets=20, **given)
        targets = [
            [row.target, row.truth.mean, row.coverage.mean, row.too_low.mean]
            for row in found.targets
        ]
        return [targets, found.width.mean, found.estimate.mean, found.std_error.mean]

    return call


def _means(*values: Any) -> list[float]:
    return [number for value in values for number in (value.mean, value.std_error)]


def _theorem_1() -> list[float]:
    found = simulate.theorem_1(simulate.sine(), KNN.with_params(k=3), 12, replications=30)
    return _means(found.estimate, found.truth, found.difference)


def _cv_against_risk() -> list[float]:
    law = simulate.two_classes()
    found = simulate.cv_against_risk(law, pcv.KNN(5), 30, pcv.KFold(5), replications=20)
    return _means(found.estimate, found.truth, found.difference)


def _tuning_quantities() -> list[float]:
    found = simulate.tuning_quantities(
        simulate.bumps(2), KNN, {"k": [1, 5, 12]}, 40, outer=pcv.KFold(4), inner=pcv.Blocks(3),
        replications=15,
    )  # fmt: skip
    return _means(found.oracle, found.tuned, found.nested, found.min_cv)


def _bias_variance() -> list[Any]:
    found = simulate.bias_variance(
        simulate.sine(), KNN, 40, grid={"k": [1, 5, 20]}, replications=20
    )
    return [found.bias2, found.variance, found.noise, found.risk]


def _risk_decomposition() -> list[Any]:
    steps = [lambda X, t=t: (X[:, 0] > t).astype(float) for t in (-1.0, 0.0, 1.0)]
    found = simulate.risk_decomposition(simulate.two_classes(), steps, 50, replications=50)
    return [*_means(found.estimation), found.approximation, found.bayes, found.bound]


def _by_fold(data: Any, **given: Any) -> list[Any]:
    return [lecture.knn_test_error_by_fold(data, f, 6, 4, "y", KS, **given) for f in (1, 3, 6)]


def _splits() -> list[Any]:
    parts = lecture.train_validation_by_fold(WAVES, 2, 5)
    test = lecture.train_test_by_fold(WAVES, 3, 7, as_in_r=True)
    return [part.to_numpy() for part in (*parts, *test)]


CV = ("cv", "mpg ~ wt + hp", "--learner")
CALLS: dict[str, Callable[[], Any]] = {
    "kknn": _kknn("mpg ~ .", CARS),
    "kknn, rank by absolute distance": _kknn("mpg ~ wt + hp", CARS, kernel="rank", distance=1),
    "kknn, classes": _kknn("Species ~ .", IRIS, k=9, kernel="triangular"),
    "kknn, ordered classes": _kknn("size ~ x + word", MIXED, k=5, ykernel=1),
    "train_kknn": _train_kknn("mpg ~ .", CARS, kmax=12, kernel=["rectangular", "optimal", "inv"]),
    "train_kknn, tied rows": _train_kknn("y ~ z + flag", MIXED, ks=[1, 3, 8], scale=False),
    "train_kknn, classes": _train_kknn("Species ~ .", IRIS, ks=[1, 5, 9], kernel="rank"),
    "train_kknn, ordered classes": _train_kknn("size ~ x + z", MIXED, kmax=8, distance=1),
    "cv_kknn": _cv_kknn("mpg ~ wt + hp", CARS, kcv=6, k=4),
    "cv_kknn, classes": _cv_kknn("Species ~ .", IRIS, kernel="gaussian"),
    "lecture: splits": _splits,
    "lecture: one k": lambda: lecture.knn_validation_error_by_fold_k(WAVES, 2, 5, "y", 4),
    "lecture: curve": lambda: lecture.knn_cv_results(WAVES, 8, "y", KS),
    "lecture: optimal k": lambda: lecture.get_optimal_k_by_cv(WAVES, 8, "y", KS),
    "lecture: test errors": lambda: _by_fold(WAVES),
    "lecture: test errors that leak": lambda: _by_fold(WAVES, tuning_data=WAVES[:60]),
    "lecture: nested": lambda: lecture.knn_test_error(WAVES, 8, 5, "y", KS),
    "lecture: the script": _lecture_run,
    "command cv": _printed(*CV, "ols"),
    "command cv, repeated": _printed(*CV, "knn:k=5", "--folds", "repeated:5x3"),
    "command cv, folds of R": _printed(*CV, "glm", "--folds", "caret:5", "--loss", "absolute"),
    "command tune": _printed(
        "tune", "mpg ~ .", "--learner", "ridge", "--grid", "lam=log:0.01:10:5", "--rule", "one_se",
        "--complexity=-lam",
    ),
    "command nested": _printed(
        "nested", "y ~ .", "--learner", "knn", "--grid", "k=1:9", "--outer", "5", "--inner", "dev",
        data=WAVES,
    ),
    "command compare": _printed(
        "compare", "y ~ .", "--learner", "logit", "--learner", "knn", "--grid", "knn:k=1:9:2",
        "--folds", "5", "--inner", "3", data=LABELS,
    ),
    "coverage: least squares": _covered("ols_low", "corrected_t"),
    "coverage: in pairs": _covered("ols_low", "ncv", folds=pcv.NestedPairs(4, 3)),
    "coverage: nearest": _covered("knn_classes", "wilson"),
    "coverage: logistic": _covered("logistic", "all_pairs", targets=("PQ", "ER(n)")),
    "coverage: tuned ridge": _covered("tuned_ridge", "all_pairs", folds=pcv.KFold(4)),
    "coverage: two learners": _covered(simulate.two_ols(60), "corrected_t", folds=pcv.KFold(5)),
    "coverage: tuned neighbours": _covered(simulate.tuned_knn(), "bbc_cv", draws=100, random=2),
    "coverage: AUC": _covered(simulate.ranked_logistic(80), "cv_auc"),
    "coverage: groups": _covered(simulate.grouped_ols(10, 4), "cluster", folds=pcv.Grouped(5)),
    "theorem 1": _theorem_1,
    "cross-validation against risk": _cv_against_risk,
    "quantities of tuning": _tuning_quantities,
    "bias and variance": _bias_variance,
    "estimation and approximation": _risk_decomposition,
    "example data": lambda: [WAVES, LABELS, CARS, IRIS, pcv.data.mammals(), np.asarray(MIXED["y"])],
}  # fmt: skip
