"""Every scenario of the simulations: its law, what it draws, its losses and its risks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.simulate.laws import at_points
from pycvstat.simulate.like import like

simulate = pcv.simulate
MADE: dict[str, Callable[[], Any]] = {
    **{name: lambda made=made: made for name, made in simulate.SCENARIOS.items()},
    "two ols": lambda: simulate.two_ols(60, 0.3),
    "t of 5": simulate.heavy_tailed,
    "lognormal": simulate.lognormal,
    "nested knn": lambda: simulate.nested("knn"),
    "nested lasso": lambda: simulate.nested("lasso"),
    "tuned knn": simulate.tuned_knn,
    "ranked logistic": simulate.ranked_logistic,
    "groups": simulate.grouped_ols,
    "uneven groups": lambda: simulate.grouped_ols(20, 2, 8),
    "like cars": lambda: like(pcv.OLS(), pcv.data.mtcars(), "mpg ~ wt"),
    "like labels": lambda: like(pcv.Logit(), pcv.data.labels(60), "y ~ x1 + x2", n=30),
    **{
        f"rivals {learner}": lambda learner=learner: simulate.rivals(learner, 0.25)
        for learner in ("ols", "ols_50", "ols_wide", "t5", "knn", "logistic")
    },
}
LAWS = (simulate.sine(), simulate.plane(), simulate.bumps(), simulate.two_classes())


def _said(made: Any) -> list[Any]:
    words = [made.name, repr(made.learner), made.formula, made.versus, repr(made.grid)]
    return [*words, made.n, made.ranked, made.linear, made.group_sizes, made.range]


def _drawn(make: Callable[[], Any]) -> Callable[[], Any]:
    def call() -> list[Any]:
        made, stream = make(), pcv.RRandom(5)
        X, y = made.draw(stream, 2)
        points = made.points(stream, 1)[0][:50]
        small = replace(made, n=min(made.n, 60))
        fits = at_points(
            [np.arange(small.n), np.arange(40)][: 1 + (small.n > 40)], small.n, len(points)
        )
        folds = pcv.KFold(3, random=1).plan(small.n)
        table, risks = small.cross_validated(X[0, : small.n], y[0, : small.n], points, folds, fits)
        groups = [] if made.groups is None else made.groups
        return [_said(made), X, y, points, groups, made.law.bayes_risk, table.losses, risks]

    return call


def _law(law: Any) -> Callable[[], Any]:
    return lambda: [law.name, *law.draw(pcv.RRandom(1), 20), law.test_points, law.bayes_risk]


CALLS: dict[str, Callable[[], Any]] = {
    **{f"scenario: {name}": _drawn(made) for name, made in MADE.items()},
    **{f"law: {law.name}": _law(law) for law in LAWS},
}
