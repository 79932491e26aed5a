"""Intervals of metrics and of fold means, and what intervals tell: words, models, R's formula."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.intervals import METHODS, interval
from pycvstat.intervals.coverage import heavy_from, heavy_tails, kurtosis, methods, thickness
from pycvstat.intervals.legal import legal_methods, obstacle
from pycvstat.intervals.limits import kept_inside
from pycvstat.intervals.metric_rows import usual_metrics
from pycvstat.intervals.paired import all_pairs, paired
from pycvstat.losses import FoldMeans, LossTable
from pycvstat.losses.metrics import METRICS
from tests.fingerprints.edges import outcomes, told
from tests.fingerprints.of_intervals_edges import (
    OPTIONS,
    PLANS,
    Call,
    N,
    limits,
    losses,
    plan_of,
    result,
    table,
)

SOME = ("positive", "any sign", "equal", "heavy", "failed")
USUAL = ("uneven folds", "leave-one-out", "repeated", "holdout", "subsampling", "groups")


def told_of(found: Any) -> list[Any]:
    """Limits, and every word beside them."""
    asked, rows = found.asked, found.all_rows
    kept = None if asked is None else [asked.metric, asked.given, sorted(asked.options)]
    about = [rows.n, rows.m, rows.follows, rows.where, rows.shift, rows.error, rows.by]
    words = [found.known, found.chosen, str(found.estimand), told(found.clipped), found.metric]
    return [limits(found), kept, about, words, list(found.citation)]


def words() -> Iterator[Call]:
    for plan, kind in product(PLANS, ("positive", "errors", "heavy")):
        yield lambda p=plan, k=kind: told_of(interval(table(p, k)))
    for plan, name in product(USUAL, sorted(METHODS)):
        given = {"method": name, **OPTIONS.get(name, {})}
        yield lambda p=plan, g=given: told_of(interval(table(p, "positive"), **g))
        yield lambda p=plan, g=given: told_of(
            paired(table(p, "positive"), table(p, "one differs"), names=("u", "v"), **g).interval
        )


def of_means() -> Iterator[Call]:
    """Tables of which only the mean of every fold was kept."""

    def means(plan: str, kind: str, columns: int = 1) -> FoldMeans:
        one = table(plan, kind, columns)
        return FoldMeans(one.plan, one.fold_means(), one.loss, one.candidates, one.range)

    for plan, kind in product(PLANS, SOME):
        yield lambda p=plan, k=kind: list(legal_methods(means(p, k)))
        for name in ("auto", *sorted(METHODS)):
            given = {"method": name, **OPTIONS.get(name, {})}
            yield lambda p=plan, k=kind, g=given: told_of(interval(means(p, k), **g))
    for plan in PLANS:
        yield lambda p=plan: told_of(interval(means(p, "positive", 3)))
        yield lambda p=plan: limits(
            paired(means(p, "positive"), means(p, "heavy"), names=("a", "b")).interval
        )
        yield lambda p=plan: limits(
            paired(means(p, "positive"), table(p, "heavy"), names=("a", "b")).interval
        )


def weighted() -> Iterator[Call]:
    def one(plan: str, kind: str, weights: Any) -> LossTable:
        folds = plan_of(plan)
        return LossTable(folds, losses(kind, N)[folds.rows, None], weights=weights)

    for plan, kind in product(USUAL, ("positive", "errors", "equal")):
        for weights in (np.ones(N), 1.0 + np.arange(N) % 3, 0.5 + np.arange(N) % 2):
            for name in ("auto", "corrected_t", "cluster", "bootstrap", "holdout_t", "log_t"):
                given = {"method": name, **OPTIONS.get(name, {})}
                yield lambda p=plan, k=kind, w=weights, g=given: told_of(
                    interval(one(p, k, w), **g)
                )


@cache
def other(plan: str, classes: bool) -> Any:
    learner: Any = pcv.KNN(3, kernel="rectangular")
    first = result(plan, classes)
    return pcv.cross_validate(learner, data=first.task, folds=first.plan)


def metrics() -> Iterator[Call]:
    for plan, (name, metric) in product(("uneven folds", "holdout", "repeated"), METRICS.items()):
        classes = metric.needs in ("classes", "scores")
        for averaging, method in product((None, "folds", "pooled"), ("corrected_t", "all_pairs")):
            given = {"metric": name, "averaging": averaging, "method": method}
            yield lambda p=plan, c=classes, g=given: told_of(interval(result(p, c).table, **g))
        given = {"metric": name, "names": ("a", "b")}
        for averaging in ("folds", "pooled"):
            yield lambda p=plan, c=classes, g=given, a=averaging: told_of(
                paired(result(p, c).table, other(p, c).table, averaging=a, **g).interval
            )
        yield lambda p=plan, c=classes, m=name: all_pairs(
            {"a": result(p, c).table, "b": other(p, c).table, "c": result(p, c).table}, metric=m
        )
    for name, plan in product(sorted(METHODS), ("uneven folds", "holdout", "repeated")):
        for metric in ("rmse", "auc", "accuracy"):
            given = {"method": name, "metric": metric, **OPTIONS.get(name, {})}
            classes = METRICS[metric].needs in ("classes", "scores")
            yield lambda p=plan, c=classes, g=given: told_of(interval(result(p, c).table, **g))


def shapes() -> Iterator[Call]:
    """How heavy tails are, at the borders of what counts; obstacles, word by word."""
    draw = np.random.default_rng(1)
    for n, power in product((1, 2, 7, 8, 9, 29, 30, 31, 99, 100, 101, 700, 900), (0.5, 1, 2, 4)):
        values = draw.gamma(1.0, size=n) ** power
        yield partial(lambda v: [kurtosis(v), kurtosis(v - v.mean()), thickness(v)], values)
        yield partial(heavy_from, n, n % 2 == 0)
        folds = pcv.FoldPlan.from_fold_ids(np.arange(n) % 3) if n > 2 else None
        for low in (0.0, -np.inf) if folds else ():
            made = partial(LossTable, folds, values[folds.rows, None], range=(low, np.inf))
            yield lambda made=made: heavy_tails(made())
    for values in (np.zeros(9), np.ones(9), np.array([0.0, 0, 0, 0, 0, 0, 0, 0, 7])):
        yield partial(lambda v: [kurtosis(v), thickness(v)], values)
    for plan, method in product(PLANS, METHODS.values()):
        for kind, columns in product(("positive", "errors"), (1, 2)):
            yield lambda p=plan, m=method, k=kind, c=columns: obstacle(m, table(p, k, c))
    yield lambda: methods().drop(columns=["title", "plans"])
    for plan, classes in product(("uneven folds", "holdout"), (False, True)):
        yield lambda p=plan, c=classes: usual_metrics(result(p, c).table)
        for y in (np.arange(N) % 2 * 1.0, np.arange(N) % 3 * 1.0):
            made = partial(pcv.cross_validate, pcv.OLS(), X=np.arange(N)[:, None] ** 2.0, y=y)
            yield lambda made=made, p=plan: usual_metrics(made(folds=plan_of(p)).table)
    for low, high in product((-0.5, 0.0, 0.3), (0.2, 1.0, 1.5)):
        found = interval(table("uneven folds", "errors"), "corrected_t")
        yield lambda a=low, b=high, f=found: told(kept_inside(_limits(a, b), 0.0, 1.0))


def _limits(low: float, high: float) -> Any:
    from pycvstat.intervals.limits import Limits

    return Limits((low + high) / 2, 0.1, low, high)


CALLS: dict[str, Call] = {
    "edges: words of intervals": outcomes(words),
    "edges: intervals of fold means": outcomes(of_means),
    "edges: intervals of weighted losses": outcomes(weighted),
    "edges: intervals of metrics": outcomes(metrics),
    "edges: tails and obstacles": outcomes(shapes),
}
