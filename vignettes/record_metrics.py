"""Record the coverage of intervals of metrics: python vignettes/record_metrics.py

Every scenario has its seed; the truth is the expected metric at the size of the training sets, over
models fitted anew and tested on new rows. The tests repeat a part.
"""

from __future__ import annotations

import json
import platform
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.errors import IntervalError
from pycvstat.folds import Splitter
from pycvstat.intervals import interval
from pycvstat.learners.base import Learner
from pycvstat.losses.metrics import METRICS
from pycvstat.procedures.engine import run
from pycvstat.simulate import Law

TARGET = Path(__file__).parent / "recorded" / "metrics.json"
NUMBERS = ("rmse", "mae", "r2")
CLASSES = (
    "accuracy", "sensitivity", "specificity", "precision", "f1", "mcc", "auc", "brier", "log_loss",
)  # fmt: skip
MODELS = 400  # models over which a truth is averaged
NEW = 2000  # new rows on which each is tested


@dataclass(frozen=True)
class Scenario:
    """A law of numbers and one of two classes, each with its learner, and the folds."""

    numbers: tuple[Law, Learner]
    classes: tuple[Law, Learner]
    n: int
    folds: Splitter
    sets: int
    seed: int


def risk(slope: float, shift: float) -> Any:
    """The probability of class 1, from two of the predictors."""
    return lambda X: 1 / (1 + np.exp(-(slope * X[:, 0] + X[:, 1] + shift)))


LINE = Law("line", 5, lambda X: X[:, 0] + X[:, 1] / 2, noise=1.5)
WAVES = Law("waves", 3, lambda X: np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2, noise=0.7)
EVEN = Law("even", 5, risk(1.5, 0.0), classes=True)
RARE = Law("rare", 5, risk(1.5, -2.0), classes=True)
TEN, TEN_BY_TEN = pcv.KFold(10), pcv.Repeated(pcv.KFold(10), 10)
NEAREST = pcv.KNN(15, scale=False)
SCENARIOS = {
    "regressions, n = 100": Scenario((LINE, pcv.OLS()), (EVEN, pcv.Logit()), 100, TEN, 600, 1),
    "one event in five, n = 300": Scenario(
        (LINE, pcv.OLS()), (RARE, pcv.Logit()), 300, TEN, 600, 2
    ),
    "15-NN, n = 200": Scenario((WAVES, NEAREST), (EVEN, NEAREST), 200, TEN, 600, 3),
    "regressions, n = 200, 10 x 10 folds": Scenario(
        (LINE, pcv.OLS()), (EVEN, pcv.Logit()), 200, TEN_BY_TEN, 300, 4
    ),
}  # fmt: skip


def truths(law: Law, learner: Learner, m: int, names: tuple[str, ...], random: Any) -> Any:
    """The expected metrics of models fitted on m rows.

    A smooth function of means is that of the expected means, any other is averaged by model.
    """
    parts: dict[str, list[Any]] = {name: [] for name in names}
    for _ in range(MODELS):
        X, y = law.draw(random, m + NEW)
        prepared = learner.prepare(Task.build(X=X, y=y))
        p = prepared.predict(np.arange(m), np.arange(m, m + NEW))
        for name in names:
            metric = METRICS[name]
            given = p.given_to(name, metric.needs, y[m:], 0)
            if metric.smooth is None:
                parts[name].append(metric.value(y[m:], given))
            else:
                parts[name].append(metric.smooth.columns(y[m:], given, 0).mean(axis=0))
    found = {}
    for name, values in parts.items():
        mean, smooth = np.mean(values, axis=0), METRICS[name].smooth
        found[name] = float(mean if smooth is None else smooth.value(mean))
    return found


def limits(law: Law, learner: Learner, one: Scenario, names: tuple[str, ...], random: Any) -> Any:
    """Lower and upper limits of every metric on one data set; NaN where it is refused."""
    X, y = law.draw(random, one.n)
    task = Task.build(X=X, y=y)
    plan = one.folds.plan(one.n, random=random)
    table = run(learner.prepare(task), plan, y, law.loss, random=None).table
    assert table is not None
    rows = []
    for name in names:
        try:
            found = interval(table, metric=name)
            rows.append((found.low, found.high))
        except IntervalError:
            rows.append((np.nan, np.nan))
    return rows


def coverage(one: Scenario, sets: int, seed: int) -> list[dict[str, Any]]:
    """One row per metric: coverage, misses on both sides, width, and what is true."""
    stream, found = pcv.RRandom(seed), []
    m = int(one.folds.plan(one.n, random=pcv.RRandom(1)).n_train[0])
    for (law, learner), names in ((one.numbers, NUMBERS), (one.classes, CLASSES)):
        truth = truths(law, learner, m, names, stream)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ends = np.array([limits(law, learner, one, names, stream) for _ in range(sets)])
        for name, (low, high) in zip(names, ends.transpose(1, 2, 0), strict=True):
            usable = ~np.isnan(low)
            low, high, true = low[usable], high[usable], truth[name]
            found.append({
                "metric": name, "truth": true, "sets": int(usable.sum()),
                "coverage": float(np.mean((low <= true) & (true <= high))),
                "too_low": float(np.mean(high < true)), "too_high": float(np.mean(low > true)),
                "width": float(np.mean(high - low)),
            })  # fmt: skip
    return found


def main() -> None:
    meta = {
        "made_by": "python vignettes/record_metrics.py", "pycvstat": pcv.__version__,
        "numpy": np.__version__, "python": platform.python_version(), "level": 0.95,
        "models": MODELS, "new_rows": NEW,
    }  # fmt: skip
    runs = {
        name: {"seed": one.seed, "rows": coverage(one, one.sets, one.seed)}
        for name, one in SCENARIOS.items()
    }
    TARGET.write_text(json.dumps({"meta": meta, "scenarios": runs}, indent=1) + "\n")


if __name__ == "__main__":
    main()
