"""Intervals on shared losses: estimate, standard error, low, high."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from pycvstat.folds import FiveByTwo, NestedPairs, PairedHalves
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import interval
from pycvstat.losses import FoldMeans, LossTable, Predictions
from pycvstat.r.check.call import Call, call_of
from pycvstat.r.check.cases import Cases
from pycvstat.rmath import RRandom

FOLDS = np.repeat(np.arange(6), 10)
ANYWHERE = (-np.inf, np.inf)  # so that no end is clipped
LEVELS = (0.8, 0.9, 0.95, 0.99)


def _losses(n: int, columns: int = 1) -> Any:
    return RRandom(5).rexp(n * columns).reshape(n, columns, order="F")


def _errors() -> Any:
    return (RRandom(6).runif(60) < 0.3).astype(float)[:, None]


def _table(plan: FoldPlan, losses: Any, **more: Any) -> LossTable:
    return LossTable(plan, losses, **{"candidates": ({},) * losses.shape[1], **more})


def _holdout(losses: Any, range_: tuple[float, float] = (0.0, np.inf)) -> LossTable:
    n = len(losses)
    plan = FoldPlan.from_splits([(np.arange(n, 2 * n), np.arange(n))], 2 * n)
    return _table(plan, losses, range=range_)


def _kfold(columns: int = 1, **more: Any) -> LossTable:
    groups = np.repeat(np.arange(12), 5) if columns == 1 else None
    plan = FoldPlan.from_fold_ids(FOLDS, groups=groups if more.pop("grouped", False) else None)
    return _table(plan, _losses(60, columns), **more)


def _scored() -> LossTable:
    classes, score = _errors()[:, 0].astype(np.int64), _losses(60)[:, 0]
    predictions = Predictions(classes[None].astype(float), np.stack([-score, score], axis=1)[None])
    plan = FoldPlan.from_fold_ids(FOLDS)
    return _table(plan, np.zeros((60, 1)), predictions=predictions, y=classes)


def _means(plan: FoldPlan) -> FoldMeans:
    return FoldMeans(plan, _losses(len(plan)), "loss", range=ANYWHERE)


def _pairs() -> LossTable:
    plan = NestedPairs(4, repeats=3, random=5).plan(24)
    return _table(plan, _losses(len(plan.rows)))


DRAWS = {"draws": 200, "random": 3}
METHODS: dict[str, tuple[Callable[[], LossTable | FoldMeans], str, dict[str, Any]]] = {
    "holdout z": (lambda: _holdout(_losses(60)), "holdout_z", {}),
    "Hoeffding": (lambda: _holdout(_errors(), (0, 1)), "hoeffding", {"bounds": (0, 1)}),
    "Wilson": (lambda: _holdout(_errors(), (0, 1)), "wilson", {}),
    "Clopper-Pearson": (lambda: _holdout(_errors(), (0, 1)), "clopper_pearson", {}),
    "CLT, all pairs": (_kfold, "all_pairs", {}),
    "CLT, within folds": (_kfold, "within_fold", {}),
    "corrected t": (_kfold, "corrected_t", {}),
    "by cluster": (lambda: _kfold(grouped=True), "cluster", {}),
    "cvAUC": (_scored, "cv_auc", {}),
    "bootstrap": (_kfold, "bootstrap", DRAWS),
    "BBC-CV": (lambda: _kfold(4, range=ANYWHERE), "bbc_cv", DRAWS),
    "Tibshirani": (lambda: _kfold(4, range=ANYWHERE), "tibshirani", {}),
    "dev set": (lambda: _holdout(_losses(60, 4)), "dev_set", {"bounds": (0, 20)}),
    "5x2 t": (lambda: _means(FiveByTwo(random=1).plan(10)), "five_by_two_t", {}),
    "5x2 F": (lambda: _means(FiveByTwo(random=1).plan(10)), "five_by_two_f", {}),
    "conservative z": (
        lambda: _means(PairedHalves(inner=6, outer=4, random=1).plan(40)), "conservative_z", {},
    ),
    "NCV": (_pairs, "ncv", {}),
}  # fmt: skip


def _limits(name: str, level: float) -> Call:
    table, method, options = METHODS[name]
    return call_of(interval(table(), method=method, level=level, **options))


def cases() -> Cases:
    """Every formula at four levels."""
    return {
        f"{name}, level {level:g}": partial(_limits, name, level)
        for name in METHODS
        for level in LEVELS
    }
