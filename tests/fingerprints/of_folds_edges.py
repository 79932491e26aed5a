"""Every splitter at the edges: few rows, as many folds as rows and one more, ties, tiny classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

import pycvstat as pcv
from pycvstat.folds import DIALECTS
from tests.fingerprints.edges import outcomes
from tests.fingerprints.of_folds import rows

SIZES = (1, 2, 3, 4, 5, 6, 7, 10, 11, 20, 21, 40)
SHARES = (0.0, 0.01, 0.05, 0.3, 0.5, 0.75, 0.95, 1.0, 1, 2, 5, 19, 20)
Call = Callable[[], Any]


@cache
def response(n: int, kind: str) -> Any:
    """Numbers, numbers with ties, classes of even and of uneven sizes, a factor, logicals."""
    at = np.arange(n)
    return {
        "numbers": (at * 7919 % 101) / 8.0,
        "ties": at * 7919 % 101 % 3 * 1.0,
        "classes": np.array(list("baCA"))[at * 7919 % 101 % 4],
        "rare": np.where(at == 1, "r", np.where(at % 5 == 3, "s", "t")),
        "factor": pd.Categorical(np.array(["lo", "hi"])[at % 2], ["lo", "hi", "none"]),
        "flags": at % 3 == 0,
    }[kind]


KINDS = ("numbers", "ties", "classes", "rare", "factor", "flags")


def groups(n: int, size: int) -> Any:
    """Groups of one, two and of `size` rows."""
    at = np.arange(n)
    return np.where(at % 5 == 0, -at, np.where(at % 5 < 3, 100 + at // 5, at // (5 * size)))


def planned(make: Callable[[], Any], n: int, **given: Any) -> Any:
    plan = make().plan(n, **given)
    problems = plan.check(refuse=False)
    return [rows(plan), plan.kind, plan.scheme, plan.times, [len(problems), *problems]]


def over_rows() -> Iterator[Call]:
    whole = (1, 2, 3, 5, 10, 11, 20)
    for n, k in product(SIZES, whole):
        yield partial(planned, partial(pcv.KFold, k, random=1), n)
        yield partial(planned, partial(pcv.Blocks, k), n)
        yield partial(planned, partial(pcv.Blocks, k, as_in_r=True), n)
    for n, k in product((3, 6, 11, 20), (1, 2, 3, 5)):
        yield partial(planned, partial(pcv.NestedPairs, k, repeats=2, random=1), n)
        yield partial(planned, partial(pcv.Repeated, pcv.KFold(k) if k > 1 else 1, 2, random=1), n)
        yield partial(planned, partial(pcv.Bootstrap, k, random=1), n)
        yield partial(planned, partial(pcv.PairedHalves, inner=k, outer=2, random=1), n)
        yield partial(planned, partial(pcv.LeaveOneOut), n)
        yield partial(planned, partial(pcv.FiveByTwo, random=1), n)


def shares() -> Iterator[Call]:
    for n, share in product((1, 2, 3, 10, 20, 21), SHARES):
        yield partial(planned, partial(pcv.Holdout, share, random=1), n)
        yield partial(planned, partial(pcv.Subsampling, 2, train=share, random=1), n)
        yield partial(planned, partial(pcv.PairedHalves, 2, 1, train=share, random=1), n)


def over_time() -> Iterator[Call]:
    for first, horizon, gap, step in product((1, 3, 9), (1, 2), (0, 1), (None, 1, 3)):
        for window, n in product(("expanding", "sliding"), (3, 4, 10, 11)):
            given = {"horizon": horizon, "gap": gap, "step": step, "window": window}
            kept = {name: value for name, value in given.items() if value is not None}
            yield partial(planned, partial(pcv.TimeSeries, first, **kept), n)


def by_response() -> Iterator[Call]:
    for n, k, kind in product((3, 5, 11, 20, 40), (2, 3, 5), KINDS):
        y = response(n, kind)
        yield partial(planned, partial(pcv.Stratified, k, random=2), n, y=y)
        yield partial(planned, partial(pcv.Stratified, k, random=2, bins=k), n, y=y)
        given = {"y": y, "groups": groups(n, 1)}
        yield partial(planned, partial(pcv.StratifiedGrouped, k, random=2), n, **given)
        yield partial(planned, partial(pcv.Grouped, k, random=2, strata=y), n, groups=groups(n, 2))


def by_group() -> Iterator[Call]:
    for n, k, size in product((2, 5, 11, 40), (2, 3, 5, 9), (1, 2)):
        yield partial(planned, partial(pcv.Grouped, k, random=3), n, groups=groups(n, size))
        yield partial(planned, pcv.LeaveOneGroupOut, n, groups=groups(n, size))
        yield partial(planned, partial(pcv.KFold, k, random=3), n, groups=groups(n, size))


def of_r() -> Iterator[Call]:
    for dialect, n, k in product(DIALECTS, (2, 3, 5, 10, 11, 40), (2, 3, 5, 10, 11)):
        for kind in ("numbers", "rare"):
            made = partial(pcv.RFolds, dialect, k, seed=1)
            yield partial(planned, made, n, y=response(n, kind))
    for n, k, kind, times in product((5, 11, 40, 81), (2, 4), KINDS, (1, 2)):
        for dialect in ("rsample", "caret"):
            made = partial(pcv.RFolds, dialect, k, seed=1, repeats=times, strata=dialect != "caret")
            yield partial(planned, made, n, y=response(n, kind))


GIVEN: tuple[Any, ...] = (
    [], [1], [1, 1], [1, 2], [1, 2, 2, 3], ["b", "a", "b"], [2, np.nan, 1], [0, 0, 5], [1.5, 2.5],
    [[1, 2], [2, 1], [1, 1]], np.zeros((3, 0)), np.array([[1, 1], [2, 2]]), [True, False, True],
    {"a": [1, 2, 1], "b": [1, 1, 2]}, 5, None, "abc", [-1, 1, -1], [0, 1, -1],
)  # fmt: skip
LISTS: tuple[Any, ...] = (
    [[0, 1], [2]], [[0], [1], [2]], [[0, 1, 2]], [[0, 1], [1, 2]], [[0], []], [], [[3]], [[-1, 0]],
    [[0, 0], [1, 2]], [[0, 1], [2], [2], [0, 1]], [[0], [1]], [[2, 1], [0]], [[0.5], [1, 2]],
)  # fmt: skip
SPLITS: tuple[Any, ...] = (
    [([0, 1], [2]), ([1, 2], [0])], [([0], [1]), ([0, 1], [2])], [([0, 1], [1, 2])], [([], [0])],
    [([0, 0, 1], [2])], [([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])], [([0], [])], [([0, 3], [1])],
    [([-1], [0])], [],
)  # fmt: skip


def written(plan: pcv.FoldPlan) -> list[Any]:
    """Every form that a plan takes, and what it is read as again."""
    with TemporaryDirectory() as folder:
        plan.to_csv(f"{folder}/plan.csv")
        with open(f"{folder}/plan.csv", encoding="utf-8") as file:
            lines = file.read()
        again = [rows(pcv.FoldPlan.from_csv(f"{folder}/plan.csv", n)) for n in (None, plan.n)]
    forms = [plan.to_rows(), plan.to_rows(first=1), plan.to_r(), plan.tidy(), plan.glance()]
    return [lines, again, forms, plan.augment(), repr(plan), list(plan.split()), plan.fingerprint]


def from_elsewhere() -> Iterator[Call]:
    plan = pcv.FoldPlan
    for ids in GIVEN:
        yield lambda ids=ids: rows(plan.from_fold_ids(ids))
        yield lambda ids=ids: rows(pcv.Predefined(ids).plan(3))
        yield lambda ids=ids: written(plan.from_fold_ids(ids))
    for given, first, n in product(LISTS, (0, 1), (2, 3, 4)):
        yield lambda g=given, f=first, n=n: written(plan.from_rows(g, n=n, first=f))
    for given, first, n in product(SPLITS, (0, 1), (2, 3, 4)):
        yield lambda g=given, f=first, n=n: written(plan.from_splits(g, n=n, first=f))


def as_files() -> Iterator[Call]:
    def read(text: str, n: int | None) -> Any:
        with TemporaryDirectory() as folder:
            with open(f"{folder}/plan.csv", "w", encoding="utf-8") as file:
                file.write(text)
            return rows(pcv.FoldPlan.from_csv(f"{folder}/plan.csv", n))

    heads = ("row,fold", "row,repeat,fold", "fold", "row,repeat,fold,role", "row")
    bodies = (
        [(1, 1), (2, 2)], [(2, "b"), (1, "a"), (3, "a")], [(0, 1), (1, 2)], [(1, 1), (1, 2)],
        [(1, 1, 1), (2, 1, 2), (1, 2, 2), (2, 2, 1)], [(1, 1, 1, "test"), (2, 1, 1, "train")],
        [(1, ""), (2, 1)], [(1, "x", 1)], [(1,), (2,), (1,)], [], [(1, 0, 1), (2, 0, 2)],
        [(1, 1, 1, "test"), (2, 1, 1, "other")], [(1.5, 1), (2, 2)], [(-1, 1), (1, 2)],
    )  # fmt: skip
    for head, body, n in product(heads, bodies, (None, 2, 4)):
        text = "\n".join([head, *(",".join(map(str, line)) for line in body)])
        yield partial(read, text, n)


def beyond() -> Iterator[Call]:
    """More fits and rows than fit into memory, refused before they are made."""
    for splitter, n in (
        (pcv.LeaveOneOut(), 20_000_000), (pcv.LeaveOneOut(), 10_000_001),
        (pcv.Subsampling(10_000_001, random=1), 30),
        (pcv.Bootstrap(10_000_001, random=1), 30), (pcv.TimeSeries(10), 100_000),
        (pcv.Repeated(pcv.KFold(2), 5_000_001, random=1), 30), (pcv.KFold(2), 10**12),
        (pcv.NestedPairs(3, repeats=10**9, random=1), 30), (pcv.KFold(2), 2.5), (pcv.KFold(2), -1),
        (pcv.PairedHalves(inner=10**9, random=1), 30),
        (pcv.RFolds("rsample", 3, seed=1, repeats=10**9), 30), (pcv.Grouped(3), 9),
    ):  # fmt: skip
        yield lambda s=splitter, n=n: s.plan(n).recipe
    for ids in (
        np.array([[1, 2], [2, 1], [1, 1]]),
        [[1, 2, 1], [2, 1, 1]],
        pd.DataFrame({"a": [1]}),
    ):
        yield lambda ids=ids: rows(pcv.FoldPlan.from_fold_ids(ids))


CALLS: dict[str, Call] = {
    "edges: folds beyond memory": outcomes(beyond),
    "edges: folds of rows": outcomes(over_rows),
    "edges: shares of rows": outcomes(shares),
    "edges: folds over time": outcomes(over_time),
    "edges: folds by the response": outcomes(by_response),
    "edges: folds by groups": outcomes(by_group),
    "edges: folds of R": outcomes(of_r),
    "edges: folds from elsewhere": outcomes(from_elsewhere),
    "edges: folds from files": outcomes(as_files),
}
