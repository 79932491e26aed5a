"""Every interval method, metrics, pairs of methods, bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pycvstat as pcv
from tests.fingerprints.of_learners import CARS, FOLDS, MIXED

N = 61
LOSSES = pcv.RRandom(31).rnorm(N, 1, 2) ** 2
OTHER = LOSSES + pcv.RRandom(32).rnorm(N, 0.3)
ERRORS = (pcv.RRandom(33).runif(N) < 0.3).astype(float)
ERRORS_OTHER = (pcv.RRandom(34).runif(N) < 0.4).astype(float)
IDS = np.arange(N) % 7 + 1
REPEATED = np.column_stack([pcv.KFold(5, random=s).plan(N).fold_ids for s in (1, 2, 3)])
SUBJECTS = (np.arange(N) % 13).astype(str)
SUBJECT_FOLDS = np.arange(N) % 13 % 4
GRID = {"lam": [0.01, 0.1, 1.0, 10.0]}
AUCS = pcv.data.labels(90)


def limits(found: Any) -> list[Any]:
    """The numbers of an interval."""
    ends = [found.low, found.high, found.estimate, found.std_error, found.df]
    return [found.method, *ends, found.level, found.p_value(), found.clipped]


def _pair(found: Any) -> list[Any]:
    return [*limits(found.interval), found.p_value, found.statistic]


def _interval(losses: Any, ids: Any, method: str = "auto", **given: Any) -> Callable[[], Any]:
    names = ("groups", "bounds", "loss", "n_train")
    read = {name: given.pop(name) for name in names if name in given}
    return lambda: limits(pcv.from_losses(losses, ids, **read).interval(method, **given))


def _of_folds(
    folds: Any, method: str = "auto", learner: Any = None, formula: str = "y ~ x + z",
    data: Any = MIXED, loss: Any = None, **options: Any,
) -> Callable[[], Any]:  # fmt: skip
    def call() -> list[Any]:
        made = pcv.cross_validate(learner or pcv.OLS(), formula, data, folds=folds, loss=loss)
        return limits(made.interval(method, **options))

    return call


def _of_tuning(folds: Any, method: str, **options: Any) -> Callable[[], Any]:
    def call() -> list[Any]:
        tuned = pcv.tune(pcv.Ridge(), "mpg ~ .", CARS, grid=GRID, folds=folds)
        return limits(tuned.interval(method, **options))

    return call


def _paired(first: Any, second: Any, ids: Any, method: str, **given: Any) -> Callable[[], Any]:
    def call() -> list[Any]:
        both = pcv.from_losses({"a": first, "b": second}, ids, **given)
        return _pair(both.paired("a", "b", method=method))

    return call


def _all_pairs(adjust: Any) -> Callable[[], Any]:
    def call() -> list[Any]:
        losses = {"a": LOSSES, "b": OTHER, "c": LOSSES * 1.2, "d": OTHER + ERRORS}
        pairs = pcv.from_losses(losses, IDS).pairs(adjust=adjust)
        names = ["estimate", "std_error", "conf_low", "conf_high", "statistic", "p_adjusted"]
        return [pairs[["a", "b"]], pairs[names]]

    return call


def _metric(name: str, **given: Any) -> Callable[[], Any]:
    def call() -> list[Any]:
        result = pcv.cross_validate(**{"folds": FOLDS, **given})
        found = result.metric(name)
        return [found.by_fold, found.estimate, found.pooled]

    return call


def spread_of_errors(y: Any, prediction: Any) -> float:
    """A metric of a user's own."""
    return float(np.max(np.abs(y - prediction)))


CLASSES: dict[str, Any] = {"learner": pcv.Logit(), "formula": "y ~ x1 + x2", "data": AUCS}
LINE: dict[str, Any] = {"learner": pcv.OLS(), "formula": "mpg ~ wt + hp", "data": CARS}
ONE = pcv.Holdout(0.3, random=2)
HALVES, TWICE = pcv.PairedHalves(5, 4, random=3), pcv.FiveByTwo(random=3)
CALLS: dict[str, Callable[[], Any]] = {
    "interval of K folds": _interval(LOSSES, IDS),
    "interval: corrected_t, level": _interval(LOSSES, IDS, "corrected_t", level=0.8),
    "interval: corrected_t, repeated": _interval(
        np.column_stack([LOSSES, OTHER**2, LOSSES[::-1]]), REPEATED
    ),
    "interval: corrected_t, subsampling": _of_folds(pcv.Subsampling(12, random=1)),
    "interval: all_pairs": _interval(LOSSES, IDS, "all_pairs"),
    "interval: all_pairs, leave-one-out": _of_folds(pcv.LeaveOneOut(), "all_pairs"),
    "interval: within_fold": _interval(LOSSES, IDS, "within_fold"),
    "interval: wilson": _interval(ERRORS, None, "wilson", n_train=100),
    "interval: wilson, no errors": _interval(np.zeros(40), None, n_train=100),
    "interval: clopper_pearson": _interval(ERRORS, IDS, "clopper_pearson"),
    "interval: holdout_z": _of_folds(ONE),
    "interval: hoeffding": _interval(ERRORS, None, "hoeffding", n_train=50, bounds=(0.0, 1.0)),
    "interval: bootstrap": _interval(LOSSES, IDS, "bootstrap", draws=400, random=1),
    "interval: cluster": _interval(LOSSES, SUBJECT_FOLDS, groups=SUBJECTS),
    "interval: conservative_z": _of_folds(HALVES),
    "interval: ncv": _of_folds(pcv.NestedPairs(5, 6, random=1)),
    "interval: five_by_two_f": _of_folds(TWICE),
    "interval: five_by_two_t": _of_folds(TWICE, "five_by_two_t"),
    "interval: cv_auc": _of_folds(pcv.Stratified(5, random=1), "cv_auc", **CLASSES),
    "interval: bbc_cv": _of_tuning(FOLDS, "bbc_cv", draws=300, random=1),
    "interval: tibshirani": _of_tuning(FOLDS, "tibshirani"),
    "interval: dev_set": _of_tuning(pcv.Holdout(0.3, random=1), "dev_set", bounds=(0.0, 200.0)),
    "interval of RMSE": _of_folds(FOLDS, metric="rmse"),
    "interval of RMSE, pairs of folds": _of_folds(
        pcv.NestedPairs(4, 4, random=1), "ncv", metric="rmse"
    ),
    "interval of R2": _of_folds(FOLDS, "all_pairs", metric="r2"),
    "interval of AUC": _of_folds(pcv.Stratified(5, random=1), metric="auc", **CLASSES),
    "interval of AUC, one split": _of_folds(ONE, metric="auc", **CLASSES),
    "interval of a function": _of_folds(FOLDS, metric=spread_of_errors),
    "interval, log loss": _of_folds(FOLDS, loss="log", **CLASSES),
    "corrected t of scores": lambda: limits(
        pcv.corrected_t(LOSSES[:20], n_train=40, n_test=10, level=0.9)
    ),
    "bounds on excess risk": lambda: [
        pcv.excess_risk_bound(500, 0.05, 30),
        pcv.dev_size_needed(0.1, 0.05, 30),
        pcv.intervals.hoeffding_radius(100, 0.1, 7, (-1.0, 3.0)),
    ],
    "pair": _paired(LOSSES, OTHER, IDS, "auto"),
    "pair: all_pairs": _paired(LOSSES, OTHER, IDS, "all_pairs"),
    "pair: errors of one test set": _paired(ERRORS, ERRORS_OTHER, None, "auto", n_train=60),
    "pair: groups": _paired(LOSSES, OTHER, SUBJECT_FOLDS, "auto", groups=SUBJECTS),
    "pair: within_fold": _paired(LOSSES, OTHER, IDS, "within_fold"),
    "pairs, holm": _all_pairs("holm"),
    "pairs, bonferroni": _all_pairs("bonferroni"),
    "metric rmse": _metric("rmse", **LINE),
    "metric r2": _metric("r2", **LINE),
    "metric r2_correlation": _metric("r2_correlation", **LINE),
    "metric auc": _metric("auc", **CLASSES),
}
