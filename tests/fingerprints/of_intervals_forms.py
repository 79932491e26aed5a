"""Rows of metrics, intervals of learners, pairs, and losses from elsewhere in every form."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

import pycvstat as pcv
from pycvstat.intervals import interval
from pycvstat.intervals.metric_rows import confusion_rows, metric_rows, rows_of_methods
from pycvstat.intervals.of_metrics import words_of
from pycvstat.intervals.paired import all_pairs, paired
from pycvstat.losses import LossTable
from pycvstat.losses.metrics import as_metric
from tests.fingerprints.edges import outcomes, told
from tests.fingerprints.of_intervals_asked import told_of
from tests.fingerprints.of_intervals_corners import MORE
from tests.fingerprints.of_intervals_edges import (
    AUCS,
    CARS,
    OPTIONS,
    PLANS,
    Call,
    N,
    another,
    limits,
    plan_of,
    result,
    table,
)
from tests.fingerprints.of_procedures_edges import Fails, as_text

CLASSES = pd.DataFrame(
    {
        "c": np.array(["a", "b", "c"])[np.arange(24) * 5 % 7 % 3],
        "d": np.where(np.arange(24) % 5 == 0, "no", "yes"),
        "x": np.arange(24) * 7 % 11 / 2,
        "y": np.arange(24) % 5 * 1.5 + np.arange(24) / 7,
    }
)


def rows_of_metrics() -> Iterator[Call]:
    near = pcv.KNN(3, kernel="rectangular")

    @cache
    def classified(plan: str, formula: str, learner: Any = near) -> LossTable:
        return pcv.cross_validate(learner, formula, CLASSES, folds=MORE[plan]()).table

    learners = (("c ~ x", near), ("d ~ x", near), ("d ~ x", pcv.Mean()))
    for plan, (formula, learner) in product(MORE, learners):
        if plan in ("pairs of few", "pairs of fewer"):
            continue
        made = partial(classified, plan, formula, learner)
        for level in (0.9, 0.5):
            yield lambda made=made, v=level: as_text(confusion_rows(made(), v))
        names = ["accuracy", "brier", "sensitivity", "auc", "mcc"][: 5 if formula[0] == "d" else 2]
        for averaging in (None, "folds", "pooled", "repeats"):
            yield lambda made=made, a=averaging, n=names: as_text(metric_rows(made(), n, a, 0.8))
    failing = partial(pcv.cross_validate, Fails(), "y ~ x", CLASSES, on_error="warn")
    for plan in ("uneven folds", "repeated", "holdout"):
        yield lambda p=plan: as_text(metric_rows(failing(folds=plan_of(p)).table, ["rmse", "r2"]))
    for plan, (a, b) in product(
        ("uneven folds", "twice"), (("y ~ x", "y ~ x"), ("d ~ x", "d ~ x"))
    ):
        both = {
            "near": partial(classified, plan, a),
            "mean": partial(classified, plan, b, pcv.Mean()),
        }
        for names in (
            ["rmse"],
            ["rmse", "mape"],
            ["accuracy", "log_loss"],
            ["auc", "rmse"],
            [],
            "r2",
        ):
            yield lambda both=both, n=names: as_text(
                rows_of_methods({name: of() for name, of in both.items()}, n, level=0.8)
            )
    for metric, averaging in product(
        ("rmse", "r2", "auc", "accuracy"), ("folds", "pooled", "repeats")
    ):
        yield lambda m=metric, a=averaging: words_of(as_metric(m), a)
        given = {"metric": metric, "averaging": averaging, **OPTIONS["bootstrap"]}
        for plan in ("twice", "uneven folds", "holdout"):
            classes = metric in ("auc", "accuracy")
            yield lambda p=plan, c=classes, g=given: told_of(
                interval(result_of(p, c).table, "bootstrap", **g)
            )


@cache
def result_of(plan: str, classes: bool) -> Any:
    if plan in PLANS:
        return result(plan, classes)
    learner: Any = pcv.Logit() if classes else pcv.OLS()
    data = AUCS[:N] if classes else CARS[:N]
    return pcv.cross_validate(
        learner, "y ~ x1" if classes else "mpg ~ wt", data, folds=MORE[plan]()
    )


def of_learners() -> Iterator[Call]:
    """Intervals of losses whose learner is known, and what they say of the fit to all rows."""
    for plan in MORE:
        if plan in ("pairs of few", "pairs of fewer"):
            continue
        for side, level in (("both", 0.95), ("upper", 0.9), ("lower", 0.6)):
            yield lambda p=plan, s=side, v=level: told_of(
                interval(result_of(p, False).table, "auto", v, side=s)
            )
        yield lambda p=plan: [
            "hardly" in str(interval(result_of(p, classes).table).all_rows) for classes in (0, 1)
        ]
        yield lambda p=plan: as_text(interval(result_of(p, False).table).augment())
    data = CARS[:N]
    for sizes in ([6, 9, 12], [4, 12]):
        curve = partial(pcv.learning_curve, pcv.OLS(), "mpg ~ wt", data, sizes=sizes)
        for plan in ("uneven folds", "two folds", "repeated"):
            yield lambda c=curve, p=plan: told_of(
                interval(result_of(p, False).table, curve=c(folds=pcv.KFold(4, random=2)))
            )


def pairs() -> Iterator[Call]:
    """Pairs that cannot be compared, equal ones, and what their texts name."""
    tables = {
        "a": lambda: another("uneven folds", "positive"),
        "b": lambda: another("uneven folds", "one differs"),
        "same": lambda: another("uneven folds", "positive"),
        "of two": lambda: another("uneven folds", "positive", 2),
        "elsewhere": lambda: another("two folds", "positive"),
        "other loss": lambda: LossTable(
            plan_of("uneven folds"), table("uneven folds", "heavy").losses, "absolute"
        ),
        "answers": lambda: result("uneven folds", False).table,
        "means": lambda: table("uneven folds", "any sign").means(),
    }
    for a, b in product(tables, tables):
        yield lambda a=a, b=b: told_of(paired(tables[a](), tables[b](), names=(a, b)).interval)
        yield lambda a=a, b=b: told(repr(paired(tables[a](), tables[b](), names=(a, b))))
    for some, adjust, level in product(
        (("a", "b"), ("a", "b", "same"), ("a", "b", "of two"), ("a", "elsewhere"), ("a",)),
        ("holm", "bonferroni", "none", "other"),
        (0.8, 0.95),
    ):
        yield lambda s=some, j=adjust, v=level: as_text(
            all_pairs({name: tables[name]() for name in s}, adjust=j, level=v)
        )


def forms() -> Iterator[Call]:
    """Losses from elsewhere in every form, with folds, names, groups and predictions."""
    one = np.array([1.0, 2.5, 3.0, 4.0, 5.5, 7.0])
    two = np.column_stack([one, one[::-1] ** 2])
    given: tuple[Any, ...] = (
        one, one[:, None], two, two[:, [0, 1, 1]], pd.DataFrame(two, columns=["u", "v"]),
        pd.Series(one, index=[5, 4, 3, 2, 1, 0]), {"u": one, "v": one + np.arange(6) % 3},
        {"u": two}, {"u": two, "v": two + 1}, {1: one, "1": one}, one[:1], one * 0, one * 0 + 1,
        one % 2, np.zeros((2, 3, 4)), pd.DataFrame(two, columns=["u", "u"]), 3.0, one[:4],
    )  # fmt: skip
    ids: tuple[Any, ...] = (
        [1, 1, 2, 2, 3, 3], np.array([[1, 2], [1, 1], [2, 2], [2, 1], [3, 3], [3, 3]]),
        np.array([1, 1, 2, 2, 3, 3])[:, None], pcv.Subsampling(2, train=0.5, random=1).plan(6),
        pcv.Holdout(6, random=1).plan(12), pd.Series([1, 1, 2, 2, 3, 3], index=range(6)), 7, None,
    )  # fmt: skip
    for values, of in product(given, ids):
        yield lambda v=values, i=of: elsewhere(v, i, **({"n_train": 9} if i is None else {}))
        for more in ({"names": ["p", "q"]}, {"names": "p"}, {"loss": "squared"}, {"loss": 3}):
            yield lambda v=values, i=of, m=more: elsewhere(v, i, **m)
    first = ids[0]
    ends: tuple[Any, ...] = (
        (1.0, 7.0), (1.1, 7.0), (1.0, 6.9), (-np.inf, 7), (0, np.inf), (np.inf, 0), (2.0, 2.0),
        (-np.inf, np.inf), (np.inf, np.inf), (np.nan, 1), (0, "a"), 5, (1, 2, 3), (-np.inf, 3),
    )  # fmt: skip
    for bounds, name in product(ends, ("loss", "squared")):
        yield lambda b=bounds, n=name: elsewhere(one, first, bounds=b, loss=n)
        yield lambda b=bounds: elsewhere(one % 2, first, bounds=b)
    for name, values in product(("squared", "zero_one", "log"), (one, -one, one % 2, one / 9)):
        yield lambda n=name, v=values: elsewhere(v, first, loss=n)
    for n_train in (-1, 0, 1, 2, 2**53 - 1, 2**53, 2**53 + 1, 1.5, True, "9"):
        yield lambda n=n_train: elsewhere(one, None, n_train=n)
    y, scores = np.arange(6) % 2 * 1.0, one / 9
    for values, answers, guesses, of in product(
        (one, two), (None, y, y[:5]), (None, scores, scores[:4]), (first, ids[1])
    ):
        yield lambda v=values, a=answers, g=guesses, i=of: elsewhere(v, i, y=a, predictions=g)
    for groups in ([1, 1, 2, 2, 3, 3], [1, 2, 1, 2, 1, 2], [1, 2], None):
        for values in (one, two):
            yield lambda v=values, g=groups: elsewhere(v, first, groups=g)


def elsewhere(values: Any, ids: Any, **given: Any) -> list[Any]:
    found = pcv.from_losses(values, ids, **given)
    shown = found.tidy(0.8).round(10).to_csv(), found.glance().drop(columns="fingerprint").to_csv()
    table = found.tables[found.names[0]]
    about = [table.loss, table.range, found.plan.n, found.plan.rows, found.augment()]
    one = found.interval() if len(found.names) == 1 else found.interval(name=found.names[-1])
    return [found.names, *shown, *about, found.estimate, found.pooled, limits(one)]


CALLS: dict[str, Call] = {
    "edges: rows of metrics": outcomes(rows_of_metrics),
    "edges: intervals of learners": outcomes(of_learners),
    "edges: pairs and texts": outcomes(pairs),
    "edges: forms of losses": outcomes(forms),
}
