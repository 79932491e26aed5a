"""Every table that procedures have, ties among candidates, searches, seeds, and borders of size."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import loguniform, randint

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.losses import FoldMeans
from pycvstat.procedures.conventions import (
    COMMON,
    FAVOURITE,
    REPEATS,
    Convention,
    Estimate,
    usual,
    weight,
)
from pycvstat.procedures.engine import describe
from pycvstat.procedures.grid import as_candidates, refuse_too_many
from pycvstat.procedures.leaks import duplicated_rows, near_copies, split_groups
from pycvstat.procedures.learning_curve import training_sizes
from pycvstat.procedures.notes import where
from pycvstat.procedures.selection import Choice, Rule, choose, edges, standing
from pycvstat.procedures.stability import Stability
from pycvstat.procedures.tuned import development_set
from tests.fingerprints.edges import once, outcomes, told
from tests.fingerprints.of_procedures_edges import (
    CARS,
    DATA,
    FOLDS,
    KNN,
    LOGIT,
    MEAN,
    OLS,
    THREE,
    Call,
    as_text,
)

LAYOUTS = (THREE, FOLDS["holdout"], FOLDS["repeated"], FOLDS["subsampling"])


def tables(result: Any, *names: str) -> list[Any]:
    """What its tables hold, to the tenth digit."""
    found = [result.tidy(), *(result.tidy(name) for name in names), result.glance()]
    return [as_text(one.drop(columns="fingerprint", errors="ignore")) for one in found]


def of_one() -> Iterator[Call]:
    models = (
        (OLS, "y ~ x"),
        (LOGIT, "c ~ z"),
        (KNN, "c ~ x"),
        (pcv.Stepwise(OLS), "y ~ x + z + w"),
    )
    for folds, (learner, formula) in product(LAYOUTS, models):
        made = once(partial(pcv.cross_validate, learner, formula, DATA, folds=folds))
        yield lambda made=made: tables(made(), "folds", "losses")
        yield lambda made=made: [as_text(made().augment()), list(made().predictions)]
        yield lambda made=made: made().selected
        if formula.startswith("c"):
            yield lambda made=made: as_text(made().confusion(0.9))
            for baseline in (False, True):
                yield lambda made=made, b=baseline: as_text(
                    made().metrics(["accuracy", "brier", "auc"], baseline=b)
                )
        else:
            yield lambda made=made: as_text(made().metrics(["rmse", "mae", "r2"], baseline=True))
    made = partial(pcv.cross_validate, OLS, "y ~ x", DATA, folds=pcv.Bootstrap(9, random=1))
    yield lambda: tables(made(), "folds", "losses", "bootstrap")


def nested() -> Iterator[Call]:
    for folds, inner in product(LAYOUTS, (THREE, FOLDS["holdout"])):
        grids: tuple[Any, ...] = ({"k": [1, 2, 4]}, {"k": [1, 3], "kernel": ["rank", "inv"]})
        for grid in grids:
            made = partial(pcv.nested_cv, KNN, "y ~ x + z", DATA, grid=grid, inner=inner)
            made = once(partial(made, outer=folds))
            yield lambda made=made: tables(made(), "folds", "losses", "inner", "selection")
            yield lambda made=made: [as_text(made().augment()), made().inner_curves]
            yield lambda made=made: [_standing(one) for one in made().standings]
            yield lambda made=made: [made().tied, made().final("vote"), made().final("median")]
    larger = partial(pcv.nested_cv, KNN, "c ~ x", DATA, grid={"k": [2, 3, 5]}, metric="accuracy")
    yield lambda: [_standing(one) for one in larger(outer=THREE, inner=THREE).standings]


def _standing(one: Any) -> list[Any]:
    numbers = [dict(one.edge), one.tied, one.runner_up, one.lead, one.noise, one.close]
    return [*numbers, one.within_noise]


def of_several() -> Iterator[Call]:
    learners = {"line": OLS, "mean": MEAN, "other": pcv.Ridge(0.01)}
    for folds in LAYOUTS:
        made = once(partial(pcv.compare, learners, "y ~ x", DATA, folds=folds))
        yield lambda made=made: tables(made(), "folds", "losses", "pairs")
        yield lambda made=made: as_text(made().augment())
    for scale, null, method in product((0.01, 1.0, 30.0), (None, 0.5, 2.0), ("auto", "all_pairs")):
        data = DATA.assign(y=DATA["y"] * scale)
        made = partial(pcv.multiverse, learners, "y ~ x", data, seeds=range(3), null=null)
        made = partial(made, folds=[2, pcv.KFold(4), pcv.Blocks(3)], method=method)
        yield lambda made=made: tables(made(), "conclusions")
    small = CARS.assign(mpg=CARS["mpg"] / 10)  # differences between 0 and -1
    for folds in (5, pcv.FiveByTwo()):
        made = partial(pcv.multiverse, learners, "mpg ~ wt", small, seeds=range(2))
        yield lambda made=made, f=folds: tables(made(folds=[f]), "conclusions")
    own = (("five_by_two_f", pcv.FiveByTwo()), ("conservative_z", pcv.PairedHalves()))
    for method, folds in own:
        made = partial(pcv.multiverse, learners, "mpg ~ wt", CARS)
        yield lambda made=made, m=method, f=folds: tables(
            made(folds=[f], seeds=[1, 2], method=m), "conclusions"
        )


def drawn() -> Iterator[Call]:
    """Folds over time and of R's words, weights of fits, one row replaced, fits that all fail."""
    for learners, method in product((OLS, {"line": OLS, "mean": MEAN}), ("auto", "corrected_t")):
        made = partial(pcv.multiverse, learners, "y ~ x", DATA, seeds=range(2), method=method)
        yield lambda made=made: tables(made(folds=[pcv.TimeSeries(8), pcv.Bootstrap(5)]))
    words = DATA.assign(c=np.array(["b", "A", "a", "B"])[np.arange(16) * 7 % 16 % 4])
    for levels, dialect in product(("ICU", "C"), ("caret", "rsample", "kknn")):
        folds = pcv.RFolds(dialect, 3, seed=1, strata=dialect == "rsample")
        made = partial(pcv.cross_validate, KNN, "c ~ x + z", words, folds=folds)
        made = once(partial(made, levels=levels))
        yield lambda made=made: [made().plan.rows, made().plan.offsets, made().pooled]
    for given in ({"weights": "w"}, {"loss_weights": "w"}, {}):
        made = once(partial(pcv.cross_validate, pcv.WLS(), "y ~ x", DATA, folds=THREE, **given))
        yield lambda made=made: tables(made(), "folds")
        yield lambda made=made: [made().table.weighted, told(made().interval().notes), repr(made())]
    for zeros in (4, 8, 12, 16):
        weights = np.where(np.arange(16) < zeros, 0.0, 1.0)
        for folds in (pcv.Blocks(4), pcv.Blocks(8), pcv.LeaveOneOut()):
            made = partial(pcv.cross_validate, OLS, "y ~ x", DATA, loss_weights=weights)
            yield lambda made=made, f=folds: tables(made(folds=f), "folds")
    plan = THREE.plan(16)
    for change in (0.9, 1.0, 1.1, 0.0):
        one = Stability((("a", ""),), np.array([change]), np.array([8.0]), plan, "squared", 20)
        yield lambda one=one: [one.ratio, one.stable, tables(one)]
    one = Stability((("a", ""),), np.array([1.0]), np.array([0.0]), plan, "squared", 20)
    yield lambda one=one: [one.ratio, one.stable, repr(one)]
    for refit, folds in product(("all", "train", "none"), (FOLDS["holdout"], THREE)):
        asked = {"grid": {"k": [1, 3]}, "folds": folds, "refit": refit}
        made = once(partial(pcv.tune, KNN, "y ~ x", DATA, **asked))
        yield lambda made=made: [made().choice.limit, made().predict({"x": [1.5, 4.0]})]
        tuned = pcv.Tuned(KNN, {"k": [1, 3]}, inner=FOLDS["holdout"], refit="all")
        nested = once(partial(pcv.cross_validate, tuned, "y ~ x", DATA, folds=folds))
        yield lambda made=nested: [made().pooled, made().predictions]
    for metric in ("r2", "rmse", "accuracy"):
        formula = "c ~ x" if metric == "accuracy" else "y ~ x"
        for rule in ({}, {"rule": "one_se", "complexity": "-k"}):
            made = partial(pcv.tune, KNN, formula, DATA, grid={"k": [2, 3, 4]}, folds=THREE)
            made = once(partial(made, metric=metric, **rule))
            yield lambda made=made: [made().choice.limit, made().best]
    all_fail = partial(pcv.nested_cv, KNN, "y ~ x", DATA[:6], grid={"k": [50]}, on_error="warn")
    some = partial(pcv.nested_cv, KNN, "y ~ x", DATA, grid={"k": [1, 9, 50]}, on_error="warn")
    yield lambda: tables(some(outer=pcv.Blocks(2), inner=pcv.Blocks(2)), "selection", "inner")
    copies = DATA.assign(**{f"x{i}": DATA["y"] * i for i in range(1, 15)})
    copies = copies.drop(columns=["g", "c"])
    yield lambda: tables(pcv.audit(OLS, "y ~ .", copies, folds=4, times=5))
    yield lambda: tables(all_fail(outer=pcv.Blocks(2), inner=pcv.Blocks(2)), "selection", "folds")


def with_own_formulas() -> Iterator[Call]:
    """Learners with a formula of their own, without one, and both, beside one that is given."""
    own, other = pcv.Model(OLS, "y ~ x"), pcv.Model(KNN, "y ~ x + z")
    arrays: dict[str, Any] = {"X": DATA[["x", "z"]], "y": DATA["y"]}
    learners = ({"a": own, "b": OLS}, {"a": own, "b": other}, {"b": OLS}, {"a": own}, {"c": other})
    for some, formula in product(learners, (None, "y ~ z", "y ~ .", "x ~ z")):
        made = once(partial(pcv.compare, some, formula, DATA, folds=THREE))
        yield lambda made=made: [tables(made()), made().task.n, repr(made().task)]
        yield lambda s=some: tables(pcv.compare(s, folds=THREE, **arrays))
    for learner, formula in product((own, OLS, [own, other], other), (None, "y ~ x")):
        yield lambda w=learner, f=formula: tables(pcv.tune(w, f, DATA, folds=THREE))
        yield lambda w=learner, f=formula: tables(pcv.cross_validate(w, f, DATA, folds=THREE))


def means(*columns: list[float]) -> FoldMeans:
    plan = pcv.FoldPlan.from_fold_ids(np.arange(12) % len(columns[0]))
    named = tuple({"k": k + 1, "w": -k / 2} for k in range(len(columns)))
    return FoldMeans(plan, np.array(columns).T, "squared", named)


def ties() -> Iterator[Call]:
    """Candidates with one estimate and other folds, by every rule."""
    rows = (
        ([1.0, 3, 2], [3.0, 1, 2], [2.0, 2, 2], [4.0, 4, 5]),
        ([1.0, 3, 2], [1.0, 3, 2]),
        ([5.0, 3], [4.0, 4], [4.0, 5], [3.0, 5]),
        ([1.0, np.nan, 2], [3.0, 1, 3], [3.0, 1, 3]),
        ([0.0, 0, 0], [0.0, 0, 0], [1e-9, 0, 0]),
    )
    orders: tuple[Any, ...] = (None, "k", "-k", ["w", "k"], ["-w"], lambda c: -c["k"])
    for columns, order in product(rows, orders):
        for name in ("min", "one_se", "tolerance"):
            yield lambda c=columns, o=order, n=name: _chosen(means(*c), Rule(n, o))
    for columns in rows:
        table = means(*columns)
        for tied, sign in product(((0,), (1, 0), (0, 1, 2)), (1.0, -1.0)):
            if len(tied) <= len(columns):
                choice = Choice(tied[0], tied, 2.0)
                given = choice, table.means, table.candidates, KNN, sign
                yield lambda g=given: _standing(standing(*g))
    for values in ([1, 2], [1, 2, 3], [2, 4, 6], [3, 3, 3], [1.0, 2.5, 9.0]):
        for index in range(len(values)):
            yield partial(edges, [{"k": v, "distance": 1} for v in values], index, KNN)
            grid = [{"lam": v - 1.0} for v in values]
            yield partial(edges, grid, index, pcv.Ridge())


def _chosen(table: FoldMeans, rule: Rule) -> list[Any]:
    found = choose(table, rule)
    return [found.index, found.tied, found.limit]


def searches() -> Iterator[Call]:
    spaces: tuple[Any, ...] = (
        {"k": randint(1, 9)}, {"k": [1, 2, 3], "kernel": ["inv", "rank"]},
        {"lam": loguniform(1, 9)}, {}, [1], {"k": []},
    )  # fmt: skip
    for space, n, seed in product(spaces, (0, 1, 2, 5, 8, 9, 1.5, 100_001), (1, 2)):
        yield lambda s=space, n=n, r=seed: pcv.RandomSearch(s, n, random=r).candidates()
        for kind in ("halton", "sobol", "none"):
            yield lambda s=space, n=n, k=kind, r=seed: pcv.QuasiRandomSearch(
                s, n, sequence=k, random=r
            ).candidates()
    for count in (99_999, 100_000, 100_001):
        yield partial(refuse_too_many, count, "so many")
        yield lambda c=count: len(as_candidates({"k": range(c)}, KNN))
    yield lambda: [FAVOURITE, COMMON, REPEATS]
    conventions = (
        Convention("boot", 1), Convention("boot", None, "Rounding"), Convention("loo", None),
        Convention("caret", 99, call=2), Convention("kknn", 1, repeats=3),
    )  # fmt: skip
    for one in conventions:
        yield partial(weight, one)
        for average, scale in product(("pooled", "folds", "adjusted"), ("", "root", "percent")):
            yield partial(usual, one, Estimate("squared", average, scale))
    for sizes, most in product(
        ([1], [0.5], [0.2, 1.0], [1.0], [2, 1], [10], [11], [1, 1.5], [1e-9]), (1, 10)
    ):
        yield partial(training_sizes, sizes, most)
    for k in (1, 2, 3, 4, 10):
        yield lambda k=k: development_set("dev", k).test
    yield partial(describe, {"k": 5, "kernel": "rank", "lam": np.float64(0.1), "f": None})


def leaks() -> Iterator[Call]:
    data = DATA.assign(
        u=pd.Categorical(DATA["g"], [*"abcdefgh", *"uvwxyz"]), twin=DATA["y"] * 2 + 1
    )
    twice = pd.concat([data[:6], data], ignore_index=True)
    many = pd.Categorical(np.where(np.arange(16) < 8, "a", "b"), list("ponmlkjihgfedcba"))
    for frame, formula, ids in product(
        (data, twice), ("y ~ .", "y ~ x + u", "c ~ .", "u ~ y + x", "x ~ z"), (3, 4)
    ):
        plan = pcv.FoldPlan.from_fold_ids(np.arange(len(frame)) % ids)
        for call in (duplicated_rows, split_groups):
            yield lambda f=frame, t=formula, p=plan, c=call: c(Task.build(t, f, groups="g"), p)
        yield lambda f=frame, t=formula: near_copies(Task.build(t, f))
    for n in (9, 10, 11, 16):
        score = pd.DataFrame({"y": many[:n], "s": np.arange(n) * 1.0, "w": np.arange(n) % 4})
        yield lambda s=score: near_copies(Task.build("y ~ s + w", s))
        sure = pd.DataFrame({"y": np.arange(n) ** 1.5, "s": np.arange(n) * 1.0, "w": 1.0})
        yield lambda s=sure: near_copies(Task.build("y ~ s + w", s))
    for folds in (*LAYOUTS, pcv.Bootstrap(3, random=1)):
        plan = folds.plan(16)
        yield lambda p=plan: [where(p, i) for i in range(len(p))]


CALLS: dict[str, Call] = {
    "edges: tables of cross-validation": outcomes(of_one),
    "edges: tables of nested cross-validation": outcomes(nested),
    "edges: tables of several": outcomes(of_several),
    "edges: folds, weights and failures": outcomes(drawn),
    "edges: formulas of learners": outcomes(with_own_formulas),
    "edges: ties": outcomes(ties),
    "edges: searches": outcomes(searches),
    "edges: leaks": outcomes(leaks),
}
