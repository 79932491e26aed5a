"""Random draws, splitters, R's folds, folds from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pycvstat as pcv

N = 43
NUMBERS = pcv.RRandom(11).rnorm(N)
CLASSES = np.array(["b", "A", "a", "C"])[pcv.RRandom(12).sample(4, N, replace=True) - 1]
GROUPS = pcv.RRandom(13).sample(12, N, replace=True)


def rows(plan: Any) -> list[Any]:
    """Everything that a plan says about rows."""
    trained = [plan.train_rows(i) for i in range(len(plan))]
    return [plan.rows, plan.offsets, plan.repeat, plan.fold, plan.left_out, trained, plan.seed]


def _folds(splitter: Any, **given: Any) -> Callable[[], Any]:
    return lambda: rows(splitter.plan(N, **given))


def _draws(rng: pcv.RRandom) -> list[Any]:
    mixed = [rng.sample(7), rng.rnorm(3), rng.rexp(3), rng.runif(2, -1, 4), rng.sample(50, 5)]
    return [*mixed, rng.permutation(9), rng.rnorm(2, [0, 10], [1, 0])]


WORDS = [0.5, 0.2, 0.2, 0.1]
KFOLD, CLASSED = pcv.KFold(5), pcv.Stratified(4)
CALLS: dict[str, Callable[[], Any]] = {
    "draws of several kinds": lambda: _draws(pcv.RRandom(1)),
    "draws, seed below zero": lambda: _draws(pcv.RRandom(-12345)),
    "draws, old sampling": lambda: _draws(pcv.RRandom(42, "Rounding")),
    "normal draws": lambda: pcv.RRandom(2021).rnorm(5000),
    "exponential draws": lambda: pcv.RRandom(3).rexp(3000, 2.5),
    "draws by weight": lambda: pcv.RRandom(4).sample(["x", "y", "z", "w"], 40, True, WORDS),
    "draws by weight, none twice": lambda: pcv.RRandom(4).sample(4, 3, prob=WORDS),
    "draws by many weights": lambda: pcv.RRandom(5).sample(300, 50, True, np.arange(1, 301)),
    "few of very many": lambda: pcv.RRandom(6).sample(20_000_000, 30),
    "KFold": _folds(pcv.KFold(5, random=1)),
    "KFold from NumPy's generator": lambda: rows(
        pcv.KFold(5, random=np.random.Generator(np.random.MT19937(1))).plan(N)
    ),
    "Blocks": _folds(pcv.Blocks(6)),
    "Blocks that overlap as in R": lambda: rows(pcv.Blocks(6, as_in_r=True).plan(10)),
    "Stratified by classes": _folds(pcv.Stratified(4, random=2), y=CLASSES),
    "Stratified by numbers": _folds(pcv.Stratified(5, random=3), y=NUMBERS),
    "Stratified by given bins": _folds(pcv.Stratified(3, random=3, bins=4), y=NUMBERS),
    "Grouped": _folds(pcv.Grouped(4, random=4), groups=GROUPS),
    "Grouped by strata": _folds(pcv.Grouped(4, random=4, strata=CLASSES), groups=GROUPS),
    "StratifiedGrouped": _folds(pcv.StratifiedGrouped(3, random=4), y=NUMBERS, groups=GROUPS),
    "LeaveOneGroupOut": _folds(pcv.LeaveOneGroupOut(), groups=GROUPS),
    "Bootstrap": _folds(pcv.Bootstrap(6, random=6)),
    "LeaveOneOut": _folds(pcv.LeaveOneOut()),
    "Predefined": _folds(pcv.Predefined(np.column_stack([CLASSES, np.arange(N) % 3]))),
    "Holdout": _folds(pcv.Holdout(0.25, random=5)),
    "Holdout of a number of rows": _folds(pcv.Holdout(7, random=5)),
    "Subsampling": _folds(pcv.Subsampling(8, train=0.8, random=6)),
    "TimeSeries": _folds(pcv.TimeSeries(10, horizon=3, gap=1, step=2)),
    "TimeSeries, sliding": _folds(pcv.TimeSeries(8, step=3, window="sliding")),
    "Repeated KFold": _folds(pcv.Repeated(KFOLD, 3, random=7)),
    "Repeated Stratified": _folds(pcv.Repeated(CLASSED, 2, random=8), y=CLASSES),
    "Repeated Holdout": _folds(pcv.Repeated(pcv.Holdout(0.3), 4, random=9)),
    "NestedPairs": _folds(pcv.NestedPairs(4, repeats=3, random=10)),
    "PairedHalves": _folds(pcv.PairedHalves(inner=3, outer=2, random=11)),
    "FiveByTwo": _folds(pcv.FiveByTwo(random=12)),
    "folds from ids": lambda: rows(pcv.FoldPlan.from_fold_ids(list(CLASSES))),
    "folds from rows": lambda: rows(pcv.FoldPlan.from_rows([[2, 3], [1, 5], [4]], n=5, first=1)),
    "folds from splits": lambda: rows(
        pcv.FoldPlan.from_splits([([0, 1], [2]), ([1, 2, 3], [0])], n=4)
    ),
    "folds of R: rsample": _folds(pcv.RFolds("rsample", 5, seed=1)),
    "folds of R: rsample, repeated": _folds(pcv.RFolds("rsample", 4, seed=2, repeats=3)),
    "folds of R: rsample, strata of classes": _folds(
        pcv.RFolds("rsample", 4, seed=3, strata=True), y=CLASSES
    ),
    "folds of R: rsample, strata of numbers": _folds(
        pcv.RFolds("rsample", 4, seed=3, strata=True), y=NUMBERS
    ),
    "folds of R: caret, classes": _folds(pcv.RFolds("caret", 5, seed=4), y=CLASSES),
    "folds of R: caret, C locale": _folds(pcv.RFolds("caret", 5, seed=4, collation="C"), y=CLASSES),
    "folds of R: caret, numbers": _folds(pcv.RFolds("caret", 5, seed=4, repeats=2), y=NUMBERS),
    "folds of R: boot": _folds(pcv.RFolds("boot", 5, seed=5)),
    "folds of R: boot, other K": _folds(pcv.RFolds("boot", 12, seed=5)),
    "folds of R: cv": _folds(pcv.RFolds("cv", 5, seed=6, repeats=2)),
    "folds of R: glmnet": _folds(pcv.RFolds("glmnet", 5, seed=7)),
    "folds of R: mlr3": _folds(pcv.RFolds("mlr3", 5, seed=8, repeats=2)),
    "folds of R: origami": _folds(pcv.RFolds("origami", 5, seed=9)),
    "folds of R: kknn": _folds(pcv.RFolds("kknn", 5, seed=10)),
    "folds of R: old sampling": _folds(pcv.RFolds("rsample", 5, seed=1, sample_kind="Rounding")),
}
