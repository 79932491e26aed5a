"""Laws of every kind, and experiments of few replications with all that they tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.folds import FoldPlan
from pycvstat.intervals.limits import Limits
from pycvstat.simulate import interval_coverage
from pycvstat.simulate.laws import GroupedNoise, HeavyTailed, Law, MonteCarlo, Skewed, group_of
from pycvstat.simulate.like import like
from pycvstat.simulate.scenarios import expected_auc
from tests.fingerprints.edges import outcomes

Call = Callable[[], Any]
simulate = pcv.simulate
CARS, LABELS = pcv.data.mtcars(), pcv.data.labels(40)
NEAREST = pcv.KNN(kernel="rectangular")
FEW = NEAREST.with_params(k=2)


def flat(value: Any) -> Any:
    """A record as what its fields hold."""
    if is_dataclass(value) and not isinstance(value, FoldPlan):
        return [[one.name, flat(getattr(value, one.name))] for one in fields(value)]
    if isinstance(value, FoldPlan):
        return value.fold
    return [flat(one) for one in value] if isinstance(value, (list, tuple)) else value


def shown(result: Any) -> list[Any]:
    return [flat(result), result.tidy(), result.glance()]


def risks(parts: Any) -> list[Any]:
    return [flat(parts), parts.risk]


def first(X: Any) -> Any:
    return X[:, 0]


def half(X: Any) -> Any:
    """A probability that is exactly one half where the predictor is negative."""
    return np.where(X[:, 0] < 0, 0.5, 0.9)


def laws() -> Iterator[Call]:
    def drawn(law: Law, n: int) -> list[Any]:
        X, y = law.draw(pcv.RRandom(3), n)
        made = np.stack([law.test_means, law.test_means * 0 + 0.5, law.test_means * 0])
        risks = [law.risk(made), law.risk(made[:, :5], np.linspace(0, 1, 5))]
        return [repr(law), X, y, law.bayes_risk, risks, law.test_points[:3], law.loss.name]

    kinds: list[Callable[..., Law]] = [
        Law, partial(Law, classes=True), HeavyTailed, partial(HeavyTailed, df=5), Skewed,
        GroupedNoise, partial(GroupedNoise, sizes=(1, 3), share=0.2),
    ]  # fmt: skip
    for make, d, noise, uniform in product(kinds, (1, 3), (0.5, 1.0, 2.0), (False, True)):
        law = make("law", d, half, noise=noise, uniform=uniform, points=20)
        for n in (1, 2, 9):
            yield partial(drawn, law, n)
    for name in ("sine", "plane", "bumps", "two_classes"):
        yield lambda name=name: drawn(replace(getattr(simulate, name)(), points=10), 5)
    for n, sizes in product((1, 2, 7, 8, 9), ((1,), (2,), (1, 2), (3, 1, 4))):
        yield partial(group_of, n, sizes)
    for values in ([1.0], [1.0, 2.0], [2.0, 2.0, 5.0]):
        yield lambda values=values: flat(MonteCarlo.of(values))


def experiments() -> Iterator[Call]:
    steps = [lambda X, t=t: (X[:, 0] > t) * 1.0 for t in (-1.0, 0.0, 1.0)]
    lines = [lambda X, b=b: b * X[:, 0] for b in (0.0, 0.5, 1.0)]
    even = [lambda X: np.full(len(X), 0.5), lambda X: np.full(len(X), 0.6)]
    numbers, classes = Law("line", 1, first, 0.5), Law("half", 1, half, classes=True)
    for law, rules, m in product((numbers, classes), (steps, lines, even, []), (1, 2, 30)):
        for given in ({}, {"bounds": (-1.0, 3.0)}, {"delta": 0.5}, {"delta": 0.0}, {"delta": 1.0}):
            made = partial(simulate.risk_decomposition, law, rules, m, replications=5, **given)
            yield lambda made=made: risks(made())
    for law, n, times in product((numbers, classes), (5, 12), (1, 2, 4)):
        given = {"replications": times}
        yield lambda law=law, n=n, g=given: shown(simulate.bias_variance(law, pcv.OLS(), n, **g))
        grid = {"grid": {"k": [1, 3]}} | given
        yield lambda law=law, n=n, g=grid: shown(simulate.bias_variance(law, NEAREST, n, **g))
        yield lambda law=law, n=n, g=given: shown(simulate.theorem_1(law, FEW, n, **g))
        for folds in (pcv.KFold(3), pcv.Blocks(2), pcv.KFold(3, random=1), pcv.KFold(30)):
            against = partial(simulate.cv_against_risk, law, FEW, n, folds, **given)
            yield lambda made=against: shown(made())
        asked = {"outer": pcv.KFold(3), "inner": pcv.Blocks(2)} | given
        tuned = partial(simulate.tuning_quantities, law, NEAREST, {"k": [1, 2]}, n, **asked)
        yield lambda made=tuned: shown(made())


def _facts(made: Any) -> list[Any]:
    groups = [] if made.groups is None else made.groups
    X, y = made.draw(pcv.RRandom(1), 2)
    return [made.name, made.n, made.range, groups, made.linear, made.ranked, X[:, -1], y[:, -1],
            made.points(pcv.RRandom(2), 2)[0][0]]  # fmt: skip


def third_half(table: Any, level: float) -> Limits:
    """A method that refuses, is empty, touches the truth or misses it, by the first loss."""
    mean = float(table.losses.mean())
    kind = int(table.losses[0, 0] * 1e6) % 5
    if kind == 0:
        raise pcv.errors.IntervalError("refused.")
    if kind == 1:
        return Limits(mean, 0.1, np.nan, np.nan, p_value=0.0)
    return Limits(mean, 0.2, mean - 0.3 * (kind - 2), mean + 0.2 * (kind - 2))


def coverages() -> Iterator[Call]:
    for method, sets in product(("auto", "corrected_t", "all_pairs", third_half), (1, 2, 8)):
        for scenario in ("ols_low", "knn_classes"):
            made = partial(simulate.coverage, scenario, method, sets=sets, folds=pcv.KFold(3))
            yield lambda made=made: shown(made(targets=("ER(n)", "ER(m)", "R", "PQ")))
    asked: list[dict[str, Any]] = [
        {"scenario": "ols_low", "method": third_half}, {"scenario": "ols_low", "sets": 1},
        {"scenario": "ols_low", "sets": 2.5}, {"scenario": "ols_low", "level": 1.0},
        {"scenario": "none"}, {"scenario": "ols_low", "method": "none"},
        {"scenario": pcv.OLS(), "like": CARS, "formula": "mpg ~ wt"},
        {"scenario": pcv.OLS(), "like": CARS, "formula": "mpg ~ wt", "n": 12, "method": "auto"},
        {"scenario": pcv.Logit(), "like": LABELS, "formula": "y ~ x1", "method": "auto"},
        {"scenario": "ols_low", "method": "nested_cv"}, {"scenario": simulate.two_ols(30, 0.5)},
        {"scenario": simulate.ranked_logistic(60), "folds": pcv.KFold(2)},
        {"scenario": simulate.grouped_ols(6, 2, 3), "folds": pcv.Grouped(3)},
        {"scenario": "ols_low", "folds": pcv.KFold(5), "level": 0.8, "random": 4},
    ]  # fmt: skip
    for given in asked:
        yield lambda g=given: shown(simulate.coverage(**{"sets": 3} | g))
    for n, p in ((30, 3), (5, 1)):
        yield lambda n=n, p=p: _facts(simulate.ols(n, p))
        yield lambda n=n, p=p: _facts(simulate.two_ols(n, p / 4))
        yield lambda n=n, p=p: _facts(simulate.grouped_ols(n, p, 2 * p))
        yield lambda n=n, p=p: _facts(simulate.ranked_logistic(n))
        yield lambda n=n, p=p: _facts(simulate.heavy_tailed(p + 2))
    for scores, shares in product(([1.0, 2.0, 3.0], [1.0, 1.0, 2.0]), ([0.1, 0.5, 0.9], [0, 1, 1])):
        yield lambda s=scores, p=shares: expected_auc(np.array(s), np.array(p))
    for targets in ((), ("PQ",), ("R", "R"), ("X",)):
        yield lambda t=targets: shown(simulate.coverage("ols_low", sets=3, targets=t))
    likes = [(pcv.OLS(), CARS, "mpg ~ wt"), (pcv.Logit(), LABELS, "y ~ x1"),
             (pcv.KNN(3), LABELS, "y ~ x1 + x2"), (pcv.OLS(), CARS[:2], "mpg ~ 1")]  # fmt: skip
    for (learner, data, formula), n in product(likes, (None, 1, 5, 50)):
        made = partial(like, learner, data, formula, n)
        yield lambda made=made: [made().n, made().name, made().draw(pcv.RRandom(2), 2),
                                 made().points(None, 1), made().law.bayes_risk]  # fmt: skip


def counted() -> Iterator[Call]:
    """Intervals of which the ends are the truth, or just beside it."""
    rows = np.array([[1, 2, 1.5, 0.1], [2, 3, 2.5, 0.2], [0, 2, 1, 0.3], [-1, 0, -0.5, 0.1],
                     [np.nan] * 4, [np.nan, np.nan, 2, 0.4], [3, 4, 3.5, 0.2]])  # fmt: skip
    asked = {"scenario": "s", "method": "m", "folds": "f", "level": 0.9, "seed": 1}
    asked["drawn"] = pcv.KFold(2, random=1).plan(4)
    truths = {"ER(9)": np.array([2.0] * 7), "R(9)": np.array([2, 2, 2, 0, 1, 2, 5.0])}
    heavy = np.array([True, False, True, True, False, True, False])
    for kept in (slice(None), slice(0, 1), slice(0, 2), slice(4, 6), slice(3, 7)):
        of = {name: values[kept] for name, values in truths.items()}
        made = partial(interval_coverage._count, rows[kept], of, heavy[kept], **asked)
        yield lambda made=made: shown(made())


CALLS: dict[str, Call] = {
    "edges: laws": outcomes(laws),
    "edges: experiments": outcomes(experiments),
    "edges: coverage": outcomes(coverages),
    "edges: what is counted": outcomes(counted),
}
