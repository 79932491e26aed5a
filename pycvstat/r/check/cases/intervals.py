"""Intervals on shared losses: estimate, standard error, low, high."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pycvstat.errors import PycvstatWarning
from pycvstat.folds import FiveByTwo, NestedPairs, PairedHalves
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import interval
from pycvstat.losses import FoldMeans, LossTable, Predictions
from pycvstat.r.check.cases.case import Cases, case
from pycvstat.rmath.tolerances import QUANTILES, SUMS

FOLDS = np.repeat(np.arange(6), 10)
ANYWHERE = (-np.inf, np.inf)  # so that no end is clipped


def _holdout(values: Any, range_: tuple[float, float] = (0.0, np.inf)) -> LossTable:
    n = len(values)
    plan = FoldPlan.from_splits([(np.arange(n, 2 * n), np.arange(n))], 2 * n)
    return LossTable(plan, np.asarray(values, dtype=np.float64)[:, None], range=range_)


def _errors(r: Mapping[str, Any]) -> LossTable:
    return _holdout(r["errors"], (0.0, 1.0))


def _kfold(r: Mapping[str, Any]) -> LossTable:
    return LossTable(FoldPlan.from_fold_ids(FOLDS), np.asarray(r["losses"])[:, None])


def _grouped(r: Mapping[str, Any]) -> LossTable:
    plan = FoldPlan.from_fold_ids(FOLDS, groups=np.repeat(np.arange(12), 5))
    return LossTable(plan, np.asarray(r["losses"])[:, None])


def _scored(r: Mapping[str, Any]) -> LossTable:
    classes, score = np.asarray(r["errors"]).astype(np.int64), np.asarray(r["losses"])
    predictions = Predictions(classes[None].astype(float), np.stack([-score, score], axis=1)[None])
    plan = FoldPlan.from_fold_ids(FOLDS)
    return LossTable(plan, np.zeros((60, 1)), predictions=predictions, y=classes)


def _grid(r: Mapping[str, Any]) -> Any:
    return np.asarray(r["grid"]).reshape(60, 4, order="F")


def _tuned(r: Mapping[str, Any]) -> LossTable:
    plan = FoldPlan.from_fold_ids(FOLDS)
    return LossTable(plan, _grid(r), range=ANYWHERE, candidates=({},) * 4)


def _dev_set(r: Mapping[str, Any]) -> LossTable:
    table = _holdout(r["losses"])
    return LossTable(table.plan, _grid(r), candidates=({},) * 4)


def _halves(r: Mapping[str, Any]) -> FoldMeans:
    plan = FiveByTwo(random=1).plan(10)
    return FoldMeans(plan, np.asarray(r["halves"])[:, None], "loss", range=ANYWHERE)


def _subsamples(r: Mapping[str, Any]) -> FoldMeans:
    plan = PairedHalves(inner=6, outer=4, random=1).plan(40)
    return FoldMeans(plan, np.asarray(r["scores"])[:, None], "loss", range=ANYWHERE)


def _pairs(r: Mapping[str, Any]) -> LossTable:
    plan = NestedPairs(4, repeats=3, random=5).plan(24)
    fit = np.repeat(np.arange(len(plan)), plan.n_test)
    losses = np.empty(len(fit))
    losses[np.lexsort((plan.rows, fit))] = r["pair_losses"]  # R's rows rise within every fit
    return LossTable(plan, losses[:, None])


Table = LossTable | FoldMeans
DRAWS = {"draws": 200, "random": 3}
METHODS: dict[str, tuple[Callable[[Mapping[str, Any]], Table], str, dict[str, Any]]] = {
    "holdout z": (lambda r: _holdout(r["losses"]), "holdout_z", {}),
    "Hoeffding": (_errors, "hoeffding", {"bounds": (0, 1)}),
    "Wilson": (_errors, "wilson", {}),
    "Clopper-Pearson": (_errors, "clopper_pearson", {}),
    "CLT, all pairs": (_kfold, "all_pairs", {}),
    "CLT, within folds": (_kfold, "within_fold", {}),
    "corrected t": (_kfold, "corrected_t", {}),
    "by cluster": (_grouped, "cluster", {}),
    "cvAUC": (_scored, "cv_auc", {}),
    "bootstrap": (_kfold, "bootstrap", DRAWS),
    "BBC-CV": (_tuned, "bbc_cv", DRAWS),
    "Tibshirani": (_tuned, "tibshirani", {}),
    "dev set": (_dev_set, "dev_set", {"bounds": (0, 20)}),
    "5x2 t": (_halves, "five_by_two_t", {}),
    "5x2 F": (_halves, "five_by_two_f", {}),
    "conservative z": (_subsamples, "conservative_z", {}),
    "NCV": (_pairs, "ncv", {}),
}
ITERATED = ("Clopper-Pearson", "5x2 F")


def _limits(r: Mapping[str, Any], name: str, level: float) -> list[float]:
    table, method, options = METHODS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)  # few repetitions, heavy tails
        found = interval(table(r), method=method, level=level, **options)
    return [found.estimate, found.std_error, found.low, found.high]


def cases() -> Cases:
    """Every formula at four levels."""
    return {
        f"{name}, level {level:g}": case(
            _limits, name, level, tolerance=QUANTILES if name in ITERATED else SUMS
        )
        for name in METHODS
        for level in (0.8, 0.9, 0.95, 0.99)
    }
