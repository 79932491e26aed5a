"""Verdicts at their borders, what is said of few and of many fits, resamples, rows that repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.procedures.audit import LEAK_LEVEL, _one_sided, _partners, _skill
from pycvstat.procedures.conventions import Printed, expected_by_chance
from pycvstat.procedures.leaks import RARE, near_copies, near_rows, nearest_rows
from pycvstat.procedures.multiverse import Multiverse, Universe
from pycvstat.procedures.notes import refuse_state, tell_not_converged, tell_notes
from pycvstat.procedures.selection import Choice, Rule, choose, standing
from tests.fingerprints.edges import once, outcomes, told
from tests.fingerprints.of_procedures_edges import (
    CARS,
    DATA,
    FOLDS,
    KNN,
    LABELS,
    LOGIT,
    MEAN,
    OLS,
    THREE,
    Call,
    as_text,
    shown,
)
from tests.fingerprints.of_procedures_tables import means, tables

COPIES = DATA.assign(x2=DATA["x"] * 2, x3=DATA["x"] * 3, f=np.repeat(["p", "q", "r", "s"], 4))


def audits() -> Iterator[Call]:
    for folds in ("one out", "two", "repeated", "subsampling", "over time", "holdout"):
        for learner, formula in ((OLS, "y ~ x + z"), (KNN, "c ~ z"), (MEAN, "y ~ 1")):
            made = once(partial(pcv.audit, learner, formula, DATA, folds=FOLDS[folds], times=5))
            yield lambda made=made: [
                shown(made()),
                made().skill,
                made().p_value,
                told(made().nearest),
            ]
        for seed in (1, 2):
            made = partial(pcv.audit, OLS, "y ~ z", DATA, folds=FOLDS[folds], random=seed, times=6)
            made = once(partial(made, groups="g"))
            yield lambda made=made: tables(made())
            yield lambda made=made: [as_text(made().augment()), made().seed]
        yield lambda f=folds: _partners(FOLDS[f].plan(16))
    found = pcv.audit(OLS, "y ~ x + z", DATA, folds=THREE, times=5)
    near = found.nearest
    for p, change in product((0.0, 0.5, 1.0, 2.0), ("p_value", "nearest", "copies", "near")):
        made = replace(found, p_value=p * LEAK_LEVEL) if change == "p_value" else found
        if change == "nearest" and near is not None:
            made = replace(found, nearest=replace(near, p_value=p * RARE, learner=p))
        if change == "copies":
            made = replace(found, copies=tuple("abcdefghijklmnop")[: round(6.5 * p)])
        if change == "near":
            made = replace(found, near=np.zeros((round(p), 2), dtype=np.int64))
        yield lambda made=made: [made.leaks, bool(made), as_text(made.tidy()), repr(made)]
    for skill in ([0.0] * 5, [0.2] * 5, [-0.2] * 5, [0.1, 0.2, 0.1, 0.3, 0.1], [0, 0, 0, 0, 1.0]):
        yield partial(_one_sided, np.array(skill))
    both = (
        [(1.0, 2.0), (3.0, 2.0)], [(0.0, 0.0), (0.0, 0.0)], [(9.0, 1.0), (0.5, 1.0)],
        [(1.0, np.inf), (1.0, 3.0)], [(np.inf, np.inf), (1.0, 3.0)], [(0.0, 1.0), (1.5, 1.0)],
        [(1.0, np.nan), (np.nan, 4.0)], [(-9.0, 2.0), (1.0, 3.0)],
    )  # fmt: skip
    for some in both:
        yield partial(_skill, some)


def said() -> Iterator[Call]:
    """What several fits have to say: of one, of three, of more; and who predicts otherwise."""
    plans = [FOLDS[name].plan(16) for name in ("five", "repeated", "one out", "holdout")]
    plans.append(pcv.Bootstrap(6, random=1).plan(16))
    sure, unsure = (SimpleNamespace(converged=of) for of in (True, False))
    for plan, stuck in product(plans, ([], [0], [1, 2], [0, 1, 2], [1, 2, 3], range(4), range(5))):
        reports: list[Any] = [(sure,) for _ in plan]
        for i in stuck:
            reports[i % len(plan)] = (sure, unsure)
        reports[-1] = reports[-1] if len(plan) - 1 in stuck else None
        yield partial(tell_not_converged, plan, reports)
        for texts in ("same", "others"):
            notes = [
                [("a", f"text {i if texts == 'others' else 7}"), ("b", "8")] if i in stuck else []
                for i in range(len(plan))
            ]
            yield partial(tell_notes, plan, notes)
    first = np.arange(12.0).reshape(2, 6)
    other, gap = first.copy(), first.copy()
    other[1, 3], gap[0, 2] = -7.0, np.nan
    for before, again, which in product(
        (first, gap, None), (first, other, gap, other[1:], None), ((0, 1), (1,), (0,))
    ):
        asked = (None, before), (None, again), "fold 2 of 3", which
        if again is None or len(again) == len(which):
            yield lambda a=asked: refuse_state(OLS, *a)
        if len(which) == 2 and again is not None and before is not None and len(again) == 2:
            both = [before[:, :3], before[:, 3:]], [again[:, :3], again[:, 3:]]
            yield lambda b=both: refuse_state(OLS, *b, "fold 1", (0, 1))


def resampled() -> Iterator[Call]:
    for times, (learner, formula) in product(
        (2, 9, 100), [(OLS, "y ~ x + z"), (LOGIT, "c ~ z"), (MEAN, "c ~ 1"), (KNN, "y ~ x")]
    ):
        folds = pcv.Bootstrap(times, random=3)
        made = cache(partial(pcv.cross_validate, learner, formula, DATA, folds=folds))
        for metric, averaging in product((None, "rmse", "brier"), ("rows", "folds", "pooled")):
            yield lambda made=made, m=metric, a=averaging: _boot(made().boot632(m, a, 0.8))
        for side, level in product(("both", "upper", "lower", "left"), (0.5, 0.9, 0.999)):
            yield lambda made=made, s=side, v=level: _boot(made().out_of_bag(v, s))
        for level in (0.5, 0.9, 0.999, 1.0):
            yield lambda made=made, v=level: _boot(made().boot632_plus(v))
            yield lambda made=made, v=level: _boot(made().optimism(level=v))
            yield lambda made=made, v=level: as_text(made().tidy("bootstrap", v))
        for metric in ("rmse", "r2", "mae", "auc", "accuracy", "brier"):
            yield lambda made=made, m=metric: _boot(made().optimism(m, 0.8))
        yield lambda made=made: [made().apparent, made().no_information, made()._counts]
        yield lambda made=made: [len(made().details), len(made().inner_plans), made().selected]
    few = LABELS[:9].assign(y=["a", "b", "b", "b", "b", "c", "b", "b", "b"])
    for learner in (KNN, MEAN, pcv.Tuned(KNN, {"k": [1, 2]}, inner=2)):
        folds = pcv.Bootstrap(7, random=2)
        made = once(partial(pcv.cross_validate, learner, "y ~ x1", few, folds=folds))
        yield lambda made=made: shown(made(), "augment")
        yield lambda made=made: [
            len(made().inner_plans),
            len(made().details),
            _boot(made().out_of_bag()),
        ]


def _boot(found: Any) -> list[Any]:
    ends = [found.low, found.high, found.estimate, found.std_error, found.level, found.df]
    about = [
        found.method,
        found.metric,
        found.target,
        found.side,
        found.clipped,
        list(found.citation),
    ]
    return [*ends, *about, dict(found.details), told(found.notes), told(found.all_rows)]


def adjusted() -> Iterator[Call]:
    """Fits with something to say, which the fits for an adjustment do not say again."""
    for folds in ("two", "five", "repeated", "one out", "holdout"):
        for formula in ("y ~ x + x2", "y ~ x + x2 + x3 + f", "y ~ f + z"):
            made = partial(pcv.cross_validate, OLS, formula, COPIES, folds=FOLDS[folds])
            yield lambda made=made: [made(bias_adjusted=True).adjusted, made().pooled]
            yield lambda made=made: [as_text(made(bias_adjusted=True).tidy())]
    for draws, k in product((19, 20, 21, 20.5), (2, 5, 6)):
        both = partial(pcv.compare, {"u": OLS, "v": MEAN}, "y ~ x", DATA)
        yield lambda b=both, d=draws, k=k: shown(b(folds=pcv.KFold(k, random=2)).stability(d, 3))
    for order, fits in product(((0, 1, 2), (2, 0, 1)), (1, 2, 5)):
        errors = np.random.default_rng(2).random((fits, 3))[:, order]
        grid = [{"k": k} for k in (1, 2, 4)]
        for tied, sign in product(((0,), (2, 0), (1,)), (1.0, -1.0)):
            asked = Choice(tied[0], tied, 1.0), errors, grid, KNN, sign
            yield lambda a=asked: told_standing(standing(*a))
    for columns, better in product(
        (([1.0, 2.0], [2.0, 1.0], [1.5, 1.4]), ([3.0, 1.0], [2.0, 2.1], [0.0, 4.0])), ("k", "-k")
    ):
        for share in (0.0, 0.03, 0.5):
            rule = Rule("tolerance", better, share)
            yield lambda c=columns, r=rule: _choice(choose(means(*c), r))
            yield lambda c=columns, r=rule: _choice(choose(means(*c), replace(r, name="one_se")))


def _choice(found: Choice) -> list[Any]:
    return [found.index, found.tied, found.limit]


def told_standing(one: Any) -> list[Any]:
    return [
        dict(one.edge),
        one.tied,
        one.runner_up,
        one.lead,
        one.noise,
        one.close,
        one.within_noise,
    ]


def concluded() -> Iterator[Call]:
    """Conclusions where an end or a p value lies on the border, or is not known."""
    numbers = (-1.0, 0.0, 1.0, np.nan)
    for low, high, p in product(numbers, numbers, (0.04, 0.05, 0.06, np.nan)):
        for pair, null, level in product((("a", ""), ("a", "b")), (None, 0.0, 1.0), (0.95, 0.5)):
            one = np.array([[low]]), np.array([[high]]), np.array([[p]])
            words = (("m",),), (("t",),), (("",),)
            way = (Universe("KFold(2)", 1, 2, 1, "K-fold"),), (pair,), np.array([[0.5]])
            made = Multiverse(*way, *one, *words, level, "squared", 9, null)
            yield partial(made.conclusion, 0, 0)
    for n in (29, 30, 31, 100, 899, 900, 901, 961, 1000):
        values = np.random.default_rng(n).normal(size=n)
        for number in ("0.5", "0.05", "3", "-1.25"):
            yield partial(expected_by_chance, values, Printed.of(number))


def repeating() -> Iterator[Call]:
    """Rows that come again, up to as many as are looked at; classes and numbers told by others."""
    draw = np.random.default_rng(5)

    def task(n: int, noise: float, copies: int, columns: int = 2) -> Task:
        x = draw_of(n, columns)
        x[n - copies :] = x[:copies] + noise * np.random.default_rng(n).normal(
            size=(copies, columns)
        )
        data = {f"x{j}": x[:, j] for j in range(columns)}
        return Task.build("y ~ .", data | {"y": x.sum(axis=1) + 0.1 * np.sin(9 * x[:, 0])})

    def draw_of(n: int, columns: int) -> Any:
        return np.random.default_rng(n + columns).normal(size=(n, columns))

    for n, (noise, copies), columns in product(
        (30, 60), ((0.0, 5), (1e-6, 1), (1e-6, 3), (1e-3, 6), (0.05, 10), (0.2, 12)), (1, 2, 3)
    ):
        made = once(partial(task, n, noise, copies, columns))
        for folds in (THREE, FOLDS["repeated"], FOLDS["holdout"], pcv.Blocks(2)):
            yield lambda made=made, f=folds, n=n: near_rows(made(), f.plan(n))
            yield lambda made=made, f=folds, n=n: [*nearest_rows(made(), f.plan(n))]
    many = once(partial(task, 4001, 1e-7, 1900, 1))
    for tested in (1999, 2000, 2001):
        ids = np.where(np.arange(4001) < tested, 1, 2)
        plan = pcv.FoldPlan.from_fold_ids(ids)
        yield lambda p=plan: near_rows(many(), p)
        yield lambda p=plan: [*nearest_rows(many(), p)]
    for n, kinds in product((19, 20, 21, 25, 40, 100, 200), (1, 2, 3, 4, 5, 8, 9)):
        at = np.arange(n)
        noisy = draw.normal(size=n)
        columns = {
            "few": (at % kinds).astype(float) ** 1.5,
            "word": np.array(list("abcdefghi"))[at % kinds],
            "order": at * 1.0, "noise": noisy, "nearly": at + 0.3 * noisy,
            "gaps": np.where(at % 7 == 3, np.nan, at % kinds),
        }  # fmt: skip
        few = columns["few"]
        answers = {
            "few": few * 2 + 1, "order": np.exp(at / n), "nearly": few + 0.07 * noisy,
            "class": np.where(at < n // 2, "u", "v"),
            "third": np.array(["p", "q", "r"])[at * 3 // n],
            "of few": np.where(at % kinds > kinds // 2, "u", "v"),
        }  # fmt: skip
        for name, y in answers.items():
            given = pd.DataFrame(columns).assign(y=y)
            if name == "class":
                given["order"] = np.roll(given["order"], 1)
            yield lambda g=given: near_copies(Task.build("y ~ .", g.drop(columns="gaps")))
            yield lambda g=given: near_copies(Task.build("y ~ .", g, na="pass"))


def refitted() -> Iterator[Call]:
    """Development sets that keep their fit, grids of words, medians, and folds that are refused."""
    grid = {"k": [1, 2, 4], "kernel": ["inv", "rank", "rectangular"]}
    for refit, folds in product(("all", "train", "none"), ("holdout", "five", "subsampling")):
        made = partial(pcv.tune, KNN, "y ~ x + z", DATA, grid=grid, refit=refit)
        made = once(partial(made, folds=FOLDS[folds]))
        yield lambda made=made: [
            made().predict({"x": [1.5, 4.0, 2.0], "z": [0.5, 2.0, 9.0]}),
            made().best,
        ]
        if refit == "none":
            continue
        tuned = partial(pcv.Tuned, KNN, grid, refit=refit)
        yield lambda tuned=tuned, f=folds: shown(
            pcv.cross_validate(tuned(inner=FOLDS[f]), "y ~ x + z", DATA, folds=THREE), "augment"
        )
    for outer, inner in product(("five", "repeated", "holdout"), ("dev", 3, FOLDS["holdout"])):
        made = partial(pcv.nested_cv, KNN, "y ~ x + z", DATA, grid=grid, outer=FOLDS[outer])
        made = once(partial(made, inner=inner))
        yield lambda made=made: [
            str(made().final(policy)) for policy in ("retune", "vote", "median", "none")
        ]
        yield lambda made=made: tables(made(), "folds", "inner", "selection")
    for learner, formula, by in product(
        (KNN, MEAN, LOGIT), ("c ~ z", "c ~ x"), ("five", "repeated", "subsampling", "over time")
    ):
        made = once(partial(pcv.cross_validate, learner, formula, DATA, folds=FOLDS[by]))
        yield lambda made=made: [*map(str, made().predictions)]
        yield lambda made=made: as_text(made().augment())
    for outer, k in product((pcv.Blocks(2), pcv.Blocks(3)), ([1, 50], [50], [9, 2])):
        made = partial(pcv.nested_cv, KNN, "y ~ x", DATA[:12], grid={"k": k}, on_error="warn")
        made = once(partial(made, outer=outer, inner=2))
        yield lambda made=made: [made().chosen_index, *made().tied]
    apart = (
        [{"k": 1}, {"distance": 2.0}],
        [{"distance": 1.0}, {"k": 2}],
        [{"k": 1}, {"kernel": "inv"}],
    )
    for some, rule in product(apart, ("one_se", "tolerance", "min")):
        yield lambda s=some, r=rule: shown(
            pcv.tune(KNN, "y ~ x", DATA, grid=s, folds=THREE, rule=r)
        )
    grids: tuple[Any, ...] = ({"k": [50]}, {"k": [1, 50]}, {"k": [50, 60]}, [{}])
    for few, folds in product(grids, (THREE, FOLDS["repeated"], pcv.Bootstrap(3, random=1))):
        asked = {"formula": "c ~ x + z", "data": DATA, "grid": few, "folds": folds}
        fixed = KNN.with_params(k=max(few["k"]) if isinstance(few, dict) else 11)
        yield lambda a=asked: shown(pcv.error_curve(KNN, **a))
        yield lambda f=fixed, w=folds: shown(
            pcv.learning_curve(f, "y ~ x", DATA, sizes=[4, 8], folds=w)
        )
        for on_error in ("raise", "warn"):
            yield lambda a=asked, e=on_error: shown(pcv.tune(KNN, on_error=e, **a))
            made = partial(pcv.cross_validate, fixed, "c ~ x", DATA, folds=folds)
            yield lambda made=made, e=on_error: shown(made(on_error=e), "augment")
    for name, folds in FOLDS.items():
        made = once(partial(pcv.cross_validate, OLS, "mpg ~ wt", CARS, folds=folds))
        yield lambda made=made: [made().fold_errors, made().estimate, made().pooled]
        yield lambda made=made, n=name: [n, made().predictions]


CALLS: dict[str, Call] = {
    "edges: verdicts of audits": outcomes(audits),
    "edges: what fits say": outcomes(said),
    "edges: intervals of resamples": outcomes(resampled),
    "edges: adjustments and choices": outcomes(adjusted),
    "edges: conclusions": outcomes(concluded),
    "edges: rows that repeat": outcomes(repeating),
    "edges: what is refitted": outcomes(refitted),
}
