"""Every interval method on every layout of folds, with losses that suit and that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.folds import FoldPlan
from pycvstat.intervals import METHODS, corrected_t, interval, legal_methods
from pycvstat.intervals.confidence_set import confidence_set
from pycvstat.intervals.coverage import figures
from pycvstat.intervals.hoeffding import dev_size_needed, excess_risk_bound, hoeffding_radius
from pycvstat.intervals.independent import proportion
from pycvstat.intervals.paired import paired
from pycvstat.losses import LossTable
from pycvstat.losses.metrics import METRICS
from tests.fingerprints.edges import outcome, outcomes, told
from tests.fingerprints.of_intervals import AUCS, CARS

Call = Callable[[], Any]
N = 24
GROUPS = np.arange(N) // 2
PLANS: dict[str, Callable[[], FoldPlan]] = {
    "two folds": lambda: pcv.KFold(2, random=1).plan(N),
    "uneven folds": lambda: pcv.KFold(5, random=1).plan(N),
    "leave-one-out": lambda: pcv.LeaveOneOut().plan(N),
    "repeated": lambda: pcv.Repeated(pcv.KFold(4), 3, random=1).plan(N),
    "holdout": lambda: pcv.Holdout(0.4, random=1).plan(N),
    "one row": lambda: pcv.Holdout(1, random=1).plan(N),
    "subsampling": lambda: pcv.Subsampling(6, train=0.75, random=1).plan(N),
    "bootstrap": lambda: pcv.Bootstrap(8, random=1).plan(N),
    "groups": lambda: pcv.Grouped(3, random=1).plan(N, groups=GROUPS),
    "leave out groups": lambda: pcv.LeaveOneGroupOut().plan(N, groups=GROUPS),
    "pairs": lambda: pcv.NestedPairs(4, 3, random=1).plan(N),
    "halves": lambda: pcv.PairedHalves(4, 3, random=1).plan(N),
    "five by two": lambda: pcv.FiveByTwo(random=1).plan(N),
    "over time": lambda: pcv.TimeSeries(12, horizon=2).plan(N),
}
LEVELS: tuple[Any, ...] = (0.95, 0.5, 0.999, 0.0, 1.0, 95, "0.9")


def losses(kind: str, n: int) -> Any:
    """One loss of every row."""
    draw = np.random.default_rng(len(kind))
    at = np.arange(n)
    kinds = {
        "positive": lambda: draw.gamma(2.0, size=n),
        "any sign": lambda: draw.normal(size=n),
        "errors": lambda: (at % 3 == 0) * 1.0,
        "no errors": lambda: np.zeros(n),
        "all errors": lambda: np.ones(n),
        "equal": lambda: np.full(n, 2.5),
        "heavy": lambda: draw.pareto(1.2, size=n) ** 2,
        "one differs": lambda: (at == 3) * 5.0,
        "failed": lambda: np.where(at % 7 == 2, np.nan, 1.0 + at),
        "infinite": lambda: np.where(at == 2, np.inf, 1.0 + at),
        "huge": lambda: draw.gamma(2.0, size=n) * 1e200,
    }
    return kinds[kind]()


KINDS = (
    "positive", "any sign", "errors", "no errors", "all errors", "equal", "heavy", "one differs",
    "failed", "infinite", "huge",
)  # fmt: skip


@cache
def plan_of(name: str) -> FoldPlan:
    return PLANS[name]()


@cache
def table(plan: str, kind: str, columns: int = 1, top: float = np.inf) -> LossTable:
    """A table of losses; of several candidates each a little worse than the one before."""
    folds = plan_of(plan)
    one = losses(kind, N)[folds.rows] + 0.01 * (np.arange(len(folds.rows)) % 4)
    one = losses(kind, N)[folds.rows] if kind in ("errors", "no errors", "all errors") else one
    shifts = [one * (1 + 0.1 * j) + 0.05 * j * (np.arange(len(one)) % 2) for j in range(columns)]
    low = -np.inf if kind == "any sign" else 0.0
    named = tuple({"k": j + 1} for j in range(columns)) if columns > 1 else ({},)
    return LossTable(folds, np.column_stack(shifts), range=(low, top), candidates=named)


another = table.__wrapped__
"""The same table as another object: pairs tell one from the other."""


def limits(found: Any) -> list[Any]:
    ends = [found.low, found.high, found.estimate, found.std_error, found.df, found.level]
    said = [found.method, found.target, told(found.title), [told(note) for note in found.notes]]
    return [*ends, *said, outcome(found.p_value), outcome(partial(found.p_value, 0.3)), repr(found)]


def one_interval(plan: str, kind: str, columns: int = 1, top: float = np.inf, **given: Any) -> Any:
    return limits(interval(table(plan, kind, columns, top), **given))


OPTIONS: dict[str, dict[str, Any]] = {
    "bootstrap": {"draws": 100, "random": 1},
    "bbc_cv": {"draws": 100, "random": 1},
}


def methods() -> Iterator[Call]:
    for name, plan in product(("auto", *sorted(METHODS)), PLANS):
        options = OPTIONS.get(name, {})
        for kind in KINDS:
            yield partial(one_interval, plan, kind, method=name, **options)
        yield partial(one_interval, plan, "positive", 3, method=name, **options)
        yield partial(one_interval, plan, "errors", top=1.0, method=name, **options)
        for side in ("lower", "upper"):
            yield partial(one_interval, plan, "positive", method=name, side=side, **options)


def levels() -> Iterator[Call]:
    usual = ("uneven folds", "holdout", "five by two", "pairs", "halves")
    for level, plan, side in product(LEVELS, usual, ("both", "lower", "upper", "left")):
        for kind in ("positive", "errors"):
            yield partial(one_interval, plan, kind, level=level, side=side)
    for given in ({"draws": 1}, {"draws": 0}, {"random": 1.5}, {"bounds": (0, 1)}, {"other": 3}):
        for name in ("auto", *sorted(METHODS)):
            yield partial(one_interval, "uneven folds", "errors", method=name, **given)


def words() -> Iterator[Call]:
    for plan, kind in product(PLANS, ("positive", "errors", "heavy")):
        yield partial(lambda p, k: legal_methods(table(p, k)), plan, kind)
        for name, heavy, pair in product(sorted(METHODS), (False, True), (False, True)):
            yield partial(lambda *a: told(figures(a[2], table(*a[:2]), *a[3:])),
                          plan, kind, name, heavy, pair)  # fmt: skip


def pairs() -> Iterator[Call]:
    def one(plan: str, kinds: tuple[str, str], **given: Any) -> list[Any]:
        made = paired(*(another(plan, kind) for kind in kinds), **given)
        return [limits(made.interval), made.p_value, made.statistic, made.names]

    both = [("positive", "one differs"), ("errors", "all errors"), ("errors", "errors"),
            ("equal", "positive"), ("failed", "positive"), ("heavy", "heavy")]  # fmt: skip
    for plan, kinds, name in product(PLANS, both, ("auto", *sorted(METHODS))):
        yield partial(one, plan, kinds, method=name, **OPTIONS.get(name, {}))


def sets() -> Iterator[Call]:
    def one(plan: str, kind: str, columns: int, **given: Any) -> list[Any]:
        found = confidence_set(table(plan, kind, columns), draws=100, **given)
        return [found.estimate, found.statistic, found.p_value, found.tidy(), repr(found)]

    for plan, kind, columns in product(PLANS, KINDS, (1, 2, 4)):
        yield partial(one, plan, kind, columns)
    for level in LEVELS:
        yield partial(one, "uneven folds", "positive", 3, level=level)


def from_elsewhere() -> Iterator[Call]:
    def made(values: Any, ids: Any = None, **given: Any) -> list[Any]:
        found = pcv.from_losses(values, ids, **given)
        said = [found.estimate, found.pooled, found.names, found.plan.rows]
        both = found.interval() if len(found.names) == 1 else list(found.interval().values())
        return [*said, limits(both) if len(found.names) == 1 else [limits(one) for one in both]]

    vectors: tuple[Any, ...] = (
        [1.0, 2, 3, 4, 5, 7], [0, 1, 0, 1, 1, 0], [], [1.0], [1.0, None, 2], "abc", [[1, 2], [3]],
        {"a": [1.0, 2, 3, 5], "b": [2.0, 2, 3, 1]}, {"a": [1.0], "b": [1.0, 2]}, {}, [np.inf, 1, 2],
        np.arange(12.0).reshape(6, 2), [True, False, True, True],
    )  # fmt: skip
    ids: tuple[Any, ...] = (
        None,
        [1, 1, 2, 2, 3, 3],
        [1, 2, 1, 2],
        [1, 1, 1, 1],
        [1, 2],
        ["a", "b"],
    )
    for values, of in product(vectors, ids):
        yield partial(made, values, of)
        for given in ({"n_train": 50}, {"n_train": 0}, {"bounds": (0.0, 9.0)}, {"bounds": (1, 0)},
                      {"groups": [1, 1, 2, 2, 3, 3]}, {"loss": "zero_one"}):  # fmt: skip
            yield partial(made, values, of, **given)


def scores() -> Iterator[Call]:
    for n, (train, test), level in product((0, 1, 2, 3, 10), ((9, 1), (1, 9), (0, 5)), (0.9, 1.2)):
        made = partial(corrected_t, np.arange(n) ** 1.5, n_train=train, n_test=test, level=level)
        yield partial(lambda made: limits(made()), made)
    for n, level, kind in product((1, 2, 3, 7, 40), (0.5, 0.95), ("wilson", "beta")):
        for errors in {0, 1, n // 2, n}:
            yield partial(lambda *a: [getattr(proportion(*a), x) for x in ("low", "high")],
                          errors, n, level, kind)  # fmt: skip
    for n, delta, size in product((1, 2, 500), (0.05, 0.0, 1.0), (1, 2, 30)):
        yield partial(excess_risk_bound, n, delta, size)
        yield partial(hoeffding_radius, n, delta, size, (-1.0, 3.0))
        yield partial(dev_size_needed, 0.1 * n, delta, size)


@cache
def result(plan: str, classes: bool) -> Any:
    """Predictions of numbers or of two classes over a layout of folds."""
    data = AUCS[:N] if classes else CARS[:N]
    learner: Any = pcv.Logit() if classes else pcv.OLS()
    return pcv.cross_validate(
        learner, "y ~ x1" if classes else "mpg ~ wt", data, folds=plan_of(plan)
    )


def metrics() -> Iterator[Call]:
    def rows(plan: str, classes: bool, name: str, averaging: Any) -> Any:
        return result(plan, classes).metrics(name, averaging)

    for plan, (name, metric) in product(("uneven folds", "holdout", "repeated"), METRICS.items()):
        for averaging in ("folds", "pooled")[: 2 if metric.linear else 1]:
            yield partial(rows, plan, metric.needs in ("classes", "scores"), name, averaging)


CALLS: dict[str, Call] = {
    "edges: intervals": outcomes(methods),
    "edges: levels, sides and options": outcomes(levels),
    "edges: what is said of intervals": outcomes(words),
    "edges: pairs": outcomes(pairs),
    "edges: sets of candidates": outcomes(sets),
    "edges: losses from elsewhere": outcomes(from_elsewhere),
    "edges: scores and bounds": outcomes(scores),
    "edges: metrics": outcomes(metrics),
}
