"""Record how often confidence sets hold the best candidate, and intervals from resamples the risk.

python vignettes/record_selection.py

Every scenario has its seed; the first sets of each are repeated by the test suite.
"""

from __future__ import annotations

import json
import platform
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.errors import PycvstatWarning
from pycvstat.intervals.confidence_set import confidence_set
from pycvstat.procedures.engine import run
from pycvstat.procedures.grid import as_candidates
from pycvstat.simulate.laws import (
    HeavyTailed,
    Law,
    at_points,
    bumps,
    plane,
    predictions,
    sine,
    task_of,
    two_classes,
)

TARGET = Path(__file__).parent / "recorded" / "selection.json"
SETS, FIRST, POINTS = 400, 10, 500
KNN = pcv.KNN(kernel="rectangular")
TEN = pcv.KFold(10, random=1)
SPARSE = Law("two of ten coefficients", 10, lambda X: X[:, 0] + X[:, 1])
HEAVY = HeavyTailed("plane with t3 noise", 5, lambda X: X.sum(axis=1))


@dataclass(frozen=True)
class Selection:
    """Candidates that are compared on data sets of one law."""

    law: Law
    n: int
    learner: Any
    grid: dict[str, Any]
    folds: Any = field(default=TEN)
    seed: int = 71

    def sets(self, count: int) -> list[dict[str, Any]]:
        """For each data set which candidates are inside, and the risk of each over the folds."""
        stream = pcv.RRandom(self.seed)
        points = self.law.predictors(pcv.RRandom(7), POINTS)
        candidates, plan = as_candidates(self.grid, self.learner), self.folds.plan(self.n)
        fits, found = at_points([train for train, _ in plan], self.n, POINTS), []
        for _ in range(count):
            X, y = self.law.draw(stream, self.n)
            task = task_of(X, y, points)
            alone = self.learner.prepare(task.take(np.arange(self.n)), candidates)
            table = run(alone, plan, y, self.law.loss, random=pcv.RRandom(1)).table
            predicted = predictions(self.learner.prepare(task, candidates), fits)
            risk = self.law.risk(predicted, self.law.mean(points)).mean(axis=0)
            found.append({"inside": confidence_set(table).inside, "risk": risk})
        return found

    def result(self, count: int) -> dict[str, Any]:
        """Coverage of the best candidate here and of the best on average, and sizes of the sets."""
        found = self.sets(count)
        inside = np.array([one["inside"] for one in found])
        risks = np.array([one["risk"] for one in found])
        best = risks.argmin(axis=1)
        return {
            "sets": count,
            "candidates": inside.shape[1],
            "best": float(inside[np.arange(count), best].mean()),
            "best_on_average": float(inside[:, risks.mean(axis=0).argmin()].mean()),
            "size": float(inside.sum(axis=1).mean()),
            "first": inside[:FIRST].sum(axis=1).tolist(),
        }


SELECTIONS = {
    "kNN, sine, n = 100": Selection(sine(), 100, KNN, {"k": range(1, 31)}),
    "ridge, plane, n = 60": Selection(plane(10), 60, pcv.Ridge(), {"lam": np.logspace(-3, 1, 15)}),
    "lasso, two of ten, n = 100": Selection(
        SPARSE, 100, pcv.Lasso(), {"lam": np.logspace(-2.5, 0, 15)}
    ),
    "kNN, 0-1 loss, n = 150": Selection(two_classes(), 150, KNN, {"k": range(1, 41, 3)}),
    "ridge, t3 noise, n = 100": Selection(HEAVY, 100, pcv.Ridge(), {"lam": np.logspace(-3, 1, 15)}),
    "kNN, bumps, 5 folds twice, n = 80": Selection(
        bumps(), 80, KNN, {"k": range(1, 21)}, pcv.Repeated(pcv.KFold(5), 2, random=1)
    ),
}


@dataclass(frozen=True)
class Resampled:
    """Intervals from resamples for the risk of the fit to all rows of one law's data sets."""

    law: Law
    n: int
    learner: Any
    seed: int = 72
    times: int = 100

    def result(self, count: int) -> dict[str, Any]:
        """Coverage and mean estimate of every method."""
        stream, everything = pcv.RRandom(self.seed), np.arange(self.n)
        points = self.law.predictors(pcv.RRandom(7), POINTS)
        fits, rows = at_points([everything], self.n, POINTS), []
        for _ in range(count):
            X, y = self.law.draw(stream, self.n)
            task = task_of(X, y, points)
            predicted = predictions(self.learner.prepare(task), fits)[0, 0]
            risk = float(self.law.risk(predicted, self.law.mean(points)))
            data = {f"x{j}": column for j, column in enumerate(X.T, 1)} | {"y": y}
            folds = pcv.Bootstrap(self.times, random=1)
            result = pcv.cross_validate(self.learner, "y ~ .", data, folds=folds)
            for found in (result.interval(name) for name in ("out_of_bag", ".632+", "optimism")):
                covers = found.low <= risk <= found.high
                rows.append((found.method, found.estimate, covers, risk))
        methods = dict.fromkeys(row[0] for row in rows)
        of = {name: [row[1:] for row in rows if row[0] == name] for name in methods}
        means = {name: np.mean(values, axis=0).tolist() for name, values in of.items()}
        first = [row[1] for row in rows[: 3 * 2]]
        return {"sets": count, "resamples": self.times, "means": means, "first": first}


RESAMPLED = {
    "least squares, 5 predictors, n = 60": Resampled(plane(5), 60, pcv.OLS()),
    "least squares, 5 predictors, n = 300": Resampled(plane(5), 300, pcv.OLS()),
    "1-NN, bumps, n = 100": Resampled(bumps(), 100, pcv.KNN(1)),
}


def main() -> None:
    start = time.process_time()
    warnings.simplefilter("ignore", PycvstatWarning)
    found: dict[str, Any] = {"made_by": "vignettes/record_selection.py"}
    found["versions"] = {"python": platform.python_version(), "numpy": np.__version__}
    found["confidence_sets"] = {}
    for name, selection in SELECTIONS.items():
        found["confidence_sets"][name] = selection.result(SETS)
        print(name, found["confidence_sets"][name], file=sys.stderr)
    found["resampled"] = {}
    for name, resampled in RESAMPLED.items():
        found["resampled"][name] = resampled.result(SETS // 2)
        print(name, found["resampled"][name], file=sys.stderr)
    found["seconds"] = round(time.process_time() - start)
    TARGET.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
