"""What tells of leaks in data and folds, beside plain loops that say what it is."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.procedures import leaks

ULPS = 1e-9  # on either side of a border, far more than rounding


def sample(seed: int, n: int = 45, copies: int = 4) -> pd.DataFrame:
    """Rows of two numbers and a class; some come again, a little moved, one far out as it is."""
    draw = np.random.default_rng(seed)
    data = pd.DataFrame({"a": draw.normal(size=n), "b": draw.exponential(size=n)})
    data["g"] = draw.choice(list("uvw"), n)
    data["y"] = draw.normal(size=n)
    again = data[:copies].copy()
    again[["a", "b", "y"]] += 1e-3 * draw.normal(size=(copies, 3))
    out = data[-1:].assign(a=30.0, b=40.0)
    return pd.concat([data, again, out, out], ignore_index=True)


def distances(data: pd.DataFrame, names: str) -> np.ndarray:
    """Between rows: numbers by their standard deviation, classes 0 or 1 in each of their levels."""
    squares = 0.0
    for name in names:
        x = data[name].to_numpy()
        if name == "g":
            squares = squares + 2.0 * (x[:, None] != x)
        else:
            squares = squares + ((x[:, None] - x) / x.std()) ** 2
    return np.sqrt(squares)


def probability(hits: int, rows: int, p: float) -> float:
    """Of so many pairs of rows and more."""
    return float(binom.sf((hits + 1) // 2 - 1, (rows + 1) // 2, p))


def definition_of_near(data: pd.DataFrame, plan: pcv.FoldPlan) -> tuple[list[tuple[int, int]], Any]:
    between, pairs, near, fifth = distances(data, "abgy"), [], [], []
    for train, test in plan:
        for row in test:
            order = train[between[row, train].argsort(kind="stable")]
            first, middle, last = between[row, order[[0, 4, 9]]]
            if first > 0:
                near.append(bool(first / last < leaks.COPY))
                fifth.append(middle / last)
                pairs += [(int(row), int(order[0]))] * near[-1]
    dimension = max(np.log(0.5) / np.log(np.median(fifth)), 1.0)
    p = probability(sum(near), len(near), 1 - (1 - leaks.COPY**dimension) ** 9)
    return sorted(pairs), p


@pytest.mark.parametrize("seed", range(6))
def test_rows_are_near_where_that_is_rare(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The border of what is rare, put on either side of the probability."""
    data = sample(seed, 45 + seed, 2 + seed)
    plan = pcv.KFold(5, random=seed).plan(len(data))
    pairs, p = definition_of_near(data, plan)
    task = Task.build("y ~ .", data)
    monkeypatch.setattr(leaks, "RARE", p * (1 + ULPS))
    assert [tuple(pair) for pair in leaks.near_rows(task, plan).tolist()] == pairs
    monkeypatch.setattr(leaks, "RARE", p * (1 - ULPS))
    assert not leaks.near_rows(task, plan).size


@pytest.mark.parametrize("seed", range(6))
def test_nearest_rows_and_how_often_their_responses_are_too_alike(seed: int) -> None:
    data = sample(seed, 45 + seed, 2 + seed)
    plan = pcv.Repeated(pcv.KFold(5), 2, random=seed).plan(len(data))
    between, y = distances(data, "abg"), data["y"].to_numpy()
    expected, closer, apart = [], 0, 0
    for i, (train, test) in enumerate(plan):
        for row in test if plan.repeat[i] == 0 else ():
            order = train[between[row, train].argsort(kind="stable")][:5]
            expected.append((row, order[0], order[4]))
            with np.errstate(all="ignore"):
                slopes = np.abs(y[order] - y[row]) / between[row, order]
            if np.isfinite(slopes[0]):
                apart += 1
                closer += int(slopes[0] < np.median(slopes[1:]) / 2)
    rows, p = leaks.nearest_rows(Task.build("y ~ .", data), plan)
    np.testing.assert_array_equal(rows, expected)
    assert p == probability(closer, apart, leaks.HALVED)


def test_few_training_rows_have_no_tenth_and_no_fifth_neighbour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = np.append(np.arange(10.0), [0.001, 9.001])
    task = Task.build("y ~ x", {"x": x, "y": x**2})
    monkeypatch.setattr(leaks, "RARE", 1.0)
    for size in (4, 5, 9, 10):
        plan = pcv.FoldPlan.from_splits([(np.arange(size), [10, 11])], 12)
        near = [[10, 0], [11, 9]] if size == 10 else []
        assert leaks.near_rows(task, plan).tolist() == near
        nearest = [[10, 0, 4], [11, size - 1, size - 5]] if size >= 5 else []
        assert leaks.nearest_rows(task, plan)[0].tolist() == nearest


@pytest.mark.filterwarnings("ignore:.*levels in 60 rows:pycvstat.errors.PycvstatWarning")
def test_what_does_not_vary_and_what_is_a_name_tells_no_rows_apart() -> None:
    data = pd.DataFrame({"same": 1.0, "g": list("ab") * 30})
    task = Task.build("y ~ .", data.assign(y=np.arange(60.0)))
    assert leaks._coordinates(task, ["same", "g"]).shape == (60, 0)
    assert leaks._coordinates(task, ["g", "y"]).shape == (60, 3)
    for levels, columns in ((50, 51), (51, 1)):
        many = data.assign(g=[f"l{i % levels}" for i in range(60)], y=np.arange(60.0))
        assert leaks._coordinates(Task.build("y ~ g", many), ["g", "y"]).shape == (60, columns)


@pytest.mark.parametrize("share", [0.5, 1.0, 1.5])
def test_a_copy_leaves_a_hundredth_of_the_variance(share: float) -> None:
    """Residuals orthogonal to the response, of a variance beside the border; two values of many."""
    n = 200
    y = np.repeat([0.0, 1.0], n // 2)
    off = np.tile([1.0, -1.0], n // 2) * np.sqrt(share * 0.01 * 0.25)
    few = Task.build("z ~ x", {"x": y, "z": y + off})
    found = off.var() / (y + off).var() <= leaks.COPY
    assert bool(leaks.near_copies(few)) == found
    long = np.linspace(0, 1, n)
    z = long + off - np.polyval(np.polyfit(long, off, 1), long)
    assert bool(leaks._correlated(long, z)) == (np.corrcoef(long, z)[0, 1] ** 2 > 1 - leaks.COPY)


@pytest.mark.parametrize("wrong", [0, 1, 2, 3])
def test_a_copy_of_classes_errs_in_a_hundredth_of_the_rows(wrong: int) -> None:
    """200 rows: two may err, whether classes are told by name or by the order of numbers."""
    y = np.repeat(["a", "b"], 100)
    named = np.where(y == "a", "u", "v")
    named[np.arange(wrong) * 40] = "v"
    score = np.arange(200.0)
    score[:wrong] = 110.5 + np.arange(wrong) * 10.0  # each breaks the run of the others twice
    data = pd.DataFrame({"y": y, "named": named, "score": score})
    changes = 1 + 2 * wrong
    expected = ("named",) * (wrong <= 2) + ("score",) * (changes <= 1 + 2)
    assert leaks.near_copies(Task.build("y ~ .", data)) == expected


def test_many_classes_and_values_take_no_table_of_all_pairs() -> None:
    """Of 5,000 classes two occur; 999 values tell them but for a hundredth of the rows."""
    n, wrong = 6_000, 60
    code = np.arange(n) % 999
    of_rows = code % 2
    of_rows[:wrong] = 1 - of_rows[:wrong]
    y = pd.Categorical.from_codes(of_rows, [f"class {i}" for i in range(5_000)])
    x = np.where(code == 0, np.nan, code)
    task = Task.build("y ~ x", pd.DataFrame({"x": x, "y": y}), na="pass")
    assert leaks._tells_classes(task, "x")
    of_rows[wrong] = 1 - of_rows[wrong]
    y = pd.Categorical.from_codes(of_rows, y.categories)
    task = Task.build("y ~ x", pd.DataFrame({"x": x, "y": y}), na="pass")
    tracemalloc.start()
    assert not leaks._tells_classes(task, "x")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * 8 * n


def test_how_probable_it_is_that_classes_follow_one_another() -> None:
    """By all orders of 2, 2 and 3 rows."""
    rows = set(permutations("aabbccc"))
    runs = [sum(a != b for a, b in pairwise(r)) == 2 for r in rows]
    assert leaks._by_chance(np.array([2, 2, 3])) == pytest.approx(np.mean(runs), rel=1e-12)
