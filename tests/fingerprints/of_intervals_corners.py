"""Intervals where methods, forms and sizes meet: the best of several, resamples, simulations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.intervals import interval
from pycvstat.intervals.bootstrap import bootstrap, bootstrap_rows, check_draws, out_of_bag, plus
from pycvstat.intervals.confidence_set import confidence_set
from pycvstat.intervals.coverage import figures, heavy_tails, nearest
from pycvstat.intervals.from_table import usual_row
from pycvstat.intervals.hoeffding import dev_size_needed, excess_risk_bound
from pycvstat.intervals.legal import legal_methods
from pycvstat.intervals.nadeau_bengio import instability, overlap
from pycvstat.losses import LossTable, Maker
from pycvstat.rmath.random import as_stream
from tests.fingerprints.edges import outcomes, told
from tests.fingerprints.of_intervals_asked import told_of
from tests.fingerprints.of_intervals_edges import (
    KINDS,
    OPTIONS,
    PLANS,
    Call,
    N,
    losses,
    plan_of,
    table,
)
from tests.fingerprints.of_procedures_edges import as_text

MORE = {
    **PLANS,
    "pairs once": lambda: pcv.NestedPairs(4, 1, random=1).plan(N),
    "pairs of few": lambda: pcv.NestedPairs(3, 2, random=1).plan(6),
    "pairs of fewer": lambda: pcv.NestedPairs(3, 2, random=1).plan(5),
    "twice": lambda: pcv.Repeated(pcv.KFold(4), 2, random=1).plan(N),
    "two splits": lambda: pcv.Subsampling(2, train=0.5, random=1).plan(N),
    "split by groups": lambda: replace(
        pcv.FoldPlan.from_rows([np.arange(12)], N), groups=np.arange(N) // 3
    ),
}


def several(plan: str, order: tuple[int, ...], top: float = 10.0, scale: float = 1.0) -> LossTable:
    """Candidates of which the best is where it is asked to be."""
    folds = MORE[plan]()
    at = np.arange(len(folds.rows))
    one = np.random.default_rng(3).random(len(at)) * 2 * scale
    columns = [one + scale * (0.05 * j + 0.3 * (at % (j + 2) == 0)) for j in order]
    named = tuple({"k": j} for j in order)
    return LossTable(folds, np.column_stack(columns), range=(0.0, top), candidates=named)


def best() -> Iterator[Call]:
    orders = ((2, 0, 1), (1, 2, 0), (1, 0), (3, 2, 1, 0))
    for order, plan in product(orders, MORE):
        given = partial(several, plan, order)
        yield lambda g=given: told_of(interval(g()))
        yield lambda g=given: told_of(interval(g(top=np.inf)))
        yield lambda g=given: list(legal_methods(g()))
        for name in ("tibshirani", "bbc_cv"):
            yield lambda g=given, n=name: told_of(interval(g(), n, **OPTIONS.get(n, {})))
        yield lambda g=given: as_text(confidence_set(g(), draws=100).tidy())
    for order, bounds, level in product(orders, ((0, 9), (-1, 3), (0.0, 1.0), None), (0.9, 0.5)):
        given = partial(several, "holdout", order, scale=0.3 + len(order))
        yield lambda g=given, b=bounds, v=level: told_of(interval(g(), "dev_set", v, bounds=b))
        yield lambda g=given, b=bounds, v=level: told_of(
            interval(g().select(1), "hoeffding", v, bounds=b)
        )
    for excess, size, bounds in product(
        (1e-3, 0.4, 1.0, 3.0, 9.0, 0.0, -1.0), (1, 7), ((0, 1), (-2, 3), (0, 1e-200), (3, 1))
    ):
        yield partial(dev_size_needed, excess, 0.1, size, bounds)
        yield partial(excess_risk_bound, 9, 0.1, size, bounds)


def on_all_plans() -> Iterator[Call]:
    """Plans that others leave out, whole words of advice, and rows of tables."""
    for plan, kind in product([*MORE][len(PLANS) :], ("positive", "errors", "heavy", "any sign")):

        def made(p: str = plan, k: str = kind) -> LossTable:
            folds = MORE[p]()
            return LossTable(
                folds, losses(k, N)[folds.rows, None] + 0.01 * (folds.rows % 5)[:, None]
            )

        for name in ("auto", "ncv", "bootstrap", "corrected_t", "log_t", "cluster"):
            yield lambda m=made, n=name: told_of(interval(m(), n, **OPTIONS.get(n, {})))
        yield lambda m=made: usual_row(m(), 0.8)
        for bias in ("authors", "paper", "none", "other"):
            yield lambda m=made, b=bias: told_of(interval(m(), "ncv", bias=b))
    for plan, kind in product(PLANS, ("positive", "errors", "one differs")):
        yield lambda p=plan, k=kind: usual_row(table(p, k), 0.8)
        yield lambda p=plan, k=kind: overlap(table(p, k))
    for kind in KINDS[:8]:
        yield lambda k=kind: instability(table("repeated", k))


def like() -> Iterator[Call]:
    """The simulations that are nearest to tables of several sizes, learners and folds."""
    plans = {
        "K-fold": lambda n: pcv.KFold(10, random=1).plan(n),
        "leave-one-out": lambda n: pcv.LeaveOneOut().plan(n),
        "repeated": lambda n: pcv.Repeated(pcv.KFold(5), 2, random=1).plan(n),
        "subsampling": lambda n: pcv.Subsampling(2, random=1).plan(n),
        "one split": lambda n: pcv.Holdout(0.3, random=1).plan(n),
        "halves": lambda n: pcv.PairedHalves(4, 3, random=1).plan(n),
        "pairs": lambda n: pcv.NestedPairs(4, 2, random=1).plan(n),
        "5x2": lambda n: pcv.FiveByTwo(random=1).plan(n),
        "over time": lambda n: pcv.TimeSeries(12, horizon=9).plan(n),
        "groups": lambda n: pcv.Grouped(5, random=1).plan(n, groups=np.arange(n) // 4),
    }
    makers = (None, Maker(1), Maker(3, True), Maker(5), Maker(12, True), Maker(30), Maker(70))

    def found(plan: str, n: int, maker: Maker | None, kind: str) -> list[Any]:
        folds = plans[plan](n)
        of = losses(kind, n)[folds.rows, None]
        one = LossTable(folds, of, "squared", (0.0, np.inf), maker=maker)
        near = [nearest(one, name, heavy=h) for name in ("", "log_t") for h in (False, True)]
        near += [nearest(one, name, "tests", h) for name in ("", "corrected_t") for h in (0, 1)]
        told_so = [
            told(figures(name, one, heavy, pair))
            for name in ("corrected_t", "holdout_t", "pointwise_t", "cluster", "five_by_two_t")
            for heavy in (False, True)
            for pair in (False, True)
        ]
        return [[[[r.method, r.n, r.p, r.covered] for r in some] for some in near], told_so]

    for plan, n, maker in product(plans, (44, 71, 130, 250, 900), makers):
        yield partial(found, plan, n, maker, "positive")
    for plan, n in product(plans, (44, 250)):
        yield partial(found, plan, n, None, "errors")


def tails() -> Iterator[Call]:
    """A few losses that lie apart among equal ones: a kurtosis below and above every border."""
    for n, apart, low in product((7, 8, 9, 20, 40, 59, 60, 61), (1, 2, 3), (0.0, -np.inf)):
        for one_scale, sign in product((None, True, False), (1.0, -1.0)):

            def made(n: int = n, apart: int = apart, low: float = low, of: Any = one_scale,
                     sign: float = sign) -> LossTable:  # fmt: skip
                values = np.zeros(n)
                values[:apart] = sign ** np.arange(apart) if low < 0 else 3.0
                folds = pcv.FoldPlan.from_fold_ids(np.arange(n) % 3)
                maker = None if of is None else Maker(2, of)
                rows = values[folds.rows, None] * 1.5 + (low == 0) * 0.25
                return LossTable(folds, rows, range=(low, np.inf), maker=maker)

            yield lambda made=made: heavy_tails(made())
            yield lambda made=made: told_of(interval(made(), "corrected_t"))


def drawn() -> Iterator[Call]:
    """Resamples in which a value is not defined, or is the same in all; .632+ and its parts."""

    def rows(undefined: int, value: float, own: float) -> Any:
        count = iter(range(-undefined, 1000))

        def of(drawn: Any) -> float:
            at = next(count)
            if at >= 100 - undefined:
                return own
            return np.nan if at < 0 else value * (at % 10 == 0) + 0.01 * (at % 3 == 0) * (own > 1)

        return limits_of(bootstrap_rows(8, of, 0.9, 100, as_stream(1)))

    def limits_of(found: Any) -> list[Any]:
        ends = [found.low, found.high, found.estimate, found.std_error, found.df]
        return [*ends, told(found.notes), found.details["draws"]]

    for undefined, value, own in product(
        (0, 1, 4, 5, 6, 99), (1.0, 2.0), (0.0, 1.0, 2.0, 3.0, -1.0)
    ):
        yield partial(rows, undefined, value, own)
    yield partial(rows, 0, 1.0, np.nan)
    for draws in (98, 99, 100, 101, 100.0, 100.5, True, None, "100", -100):
        yield partial(check_draws, draws)
    at = np.arange(12.0)
    for columns, level in product(
        ([at, at * 0 + 1], [at * 0 + 1, at], [at, at**2, -at]), (0.5, 0.9)
    ):
        yield lambda c=columns, v=level: limits_of(
            bootstrap(
                np.column_stack(c), v, 120, as_stream(2), lambda m: float(m @ [1, 2, 3][: len(m)])
            )
        )
    for apparent, bagged, none in product(
        (0.0, 0.1, 0.4), (0.0, 0.1, 0.3, 0.6), (0.1, 0.3, 0.5, 0.7)
    ):
        found = partial(plus, apparent, bagged, none)
        yield lambda f=found: [f().estimate, f().overfitting, f().weight]
    draw = np.random.default_rng(4)
    for n, times, spread in product((3, 6, 10), (3, 12, 60), (0.1, 1.0, 9.0)):
        counts = draw.multinomial(n, np.full(n, 1 / n), size=times)
        of_rows = draw.gamma(2.0, size=(times, n)) * spread + np.arange(n)
        bag = partial(out_of_bag, counts, of_rows)
        yield lambda b=bag: [b().estimate, b().std_error, b().monte_carlo]


def kinds() -> Iterator[Call]:
    """Sets of two and three candidates of which one failed, and of groups."""
    for kind, plan, bad in product(KINDS[:6], ("uneven folds", "groups", "twice"), (0, 1, 2, None)):

        def made(kind: str = kind, plan: str = plan, bad: int | None = bad) -> LossTable:
            folds = MORE[plan]()
            one = losses(kind, N)[folds.rows]
            at = np.arange(len(one))
            columns = np.column_stack([one + 0.3 * (at % 4 == 0), one, one + 0.2 * (at % 3 == 1)])
            if bad is not None:
                columns[3, bad] = np.nan
            return LossTable(
                folds, columns, candidates=({"method": "u"}, {"k": 2}, {"method": "w"})
            )

        for level in (0.5, 0.9):
            yield lambda made=made, v=level: _set(confidence_set(made(), v, draws=100))
    for lone in (0, 1, 2):

        def failed(lone: int = lone) -> LossTable:
            of = several("uneven folds", (1, 2, 0)).losses.copy()
            of[0, [j for j in range(3) if j != lone]] = np.nan
            return LossTable(plan_of("uneven folds"), of, candidates=({"k": 1}, {"k": 2}, {"k": 3}))

        yield lambda failed=failed: _set(confidence_set(failed(), draws=100))
    plans = [MORE[name]() for name in ("uneven folds", "leave-one-out", "twice", "one row")]
    plans += [pcv.KFold(3, random=1).plan(5), pcv.KFold(12, random=1).plan(23)]
    for plan, kind, shifts in product(
        plans, ("positive", "no errors", "equal"), ((0, 0), (0, 0, 1), (1, 0, 0), (0, 1e-15))
    ):
        of = losses(kind, plan.n)[plan.rows, None] + np.array(shifts)
        named = tuple({"k": j} for j in range(len(shifts)))
        tied = LossTable(plan, of, candidates=named)
        yield lambda tied=tied: _set(confidence_set(tied, draws=100))


def _set(found: Any) -> list[Any]:
    said = [str(found.members), told(found.assumptions), len(found.assumptions), told(repr(found))]
    return [*said, found.estimate, found.statistic, found.p_value, as_text(found.glance())]


CALLS: dict[str, Call] = {
    "edges: the best of several": outcomes(best),
    "edges: intervals of further plans": outcomes(on_all_plans),
    "edges: nearest simulations": outcomes(like),
    "edges: losses that lie apart": outcomes(tails),
    "edges: draws of rows": outcomes(drawn),
    "edges: sets with failures": outcomes(kinds),
}
