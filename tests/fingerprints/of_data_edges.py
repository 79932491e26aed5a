"""Data at the edges: formulas, responses, vectors and tables that suit and that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.formula import Encoder, parse, response
from pycvstat.data.formula.bases import contrasts, orthogonal
from pycvstat.data.formula.encoder import check_size
from pycvstat.data.formula.syntax import deparse, is_syntactic, quote
from pycvstat.data.formula.terms import needs_all_levels
from pycvstat.data.frame import read, read_y
from pycvstat.data.frame.columns import word_order
from pycvstat.data.task import Task
from tests.data.formula.recorded import as_frame
from tests.data.formula.test_against_r import RECORDED
from tests.data.formula.test_errors import NAMES, REFUSED
from tests.data.frame.test_columns import IN_ORDER
from tests.data.frame.test_reading import BAD
from tests.fingerprints.edges import outcomes

Call = Callable[[], Any]
FRAME = as_frame(RECORDED["data"])
FORMULAS = list(dict.fromkeys(case["formula"] for case in RECORDED["cases"]))
COMPUTED = r"""
    bs(x); ns(x, 3); bs(x, df = 5, degree = 2); ns(x, knots = c(-1, 0.5)); ns(x, df = 1);
    bs(x, df = 3, intercept = TRUE); ns(x, Boundary.knots = c(-3, 3)); bs(x, degree = 0);
    ns(x, 0); bs(x, df = 2); poly(x, 0); poly(x, 11); poly(x, 12); poly(i, 5); poly(x, 1.5);
    poly(x, 2, raw = 1); scale(x, 0, 0); scale(x, TRUE, FALSE); scale(l); cut(x, 3);
    cut(x, c(0, 1)); cut(x, c(1, 0, -5, 5)); cut(x, c(-9, 9)); cut(x, c(0));
    cut(x, c(-9, 0, 0, 9)); cut(z, c(0, 5, 99), labels = c('a'));
    cut(x, c(-9, 0, 9), dig.lab = 1); factor(i, levels = c(1, 2)); factor(g, labels = 'k');
    factor(g, c('a', 'b', 'a')); factor(x); factor(l, levels = c(TRUE, FALSE));
    ordered(i, levels = 5:1); log(x); log(z, 1); log(z, 0); sqrt(x); I(x / 0); I(x %% 0);
    I(x^0.5); I(1 / (x - x)); I(i %in% 3); I(g %in% c('a', 2)); I(g < 'b'); I(f == 'none');
    I(x == 'a'); I(l + l); I(x %/% 0.7); I(-2^2 * x); I(2^-1 * x); I(!l & x > 0 | l); I(!(l));
    exp(1000 * x); offset(f); offset(x) + offset(2 * z); x + offset(x); I(TRUE * x); I(NA * x);
    abs(-x); I(x) + I(x); I((x)); I(((x)) + 0); x:(z + f); (x + z + f)^2 - x:z; x*z*f - x:z:f;
    x %in% z; f/(x + z); (x / f) / g; x - x + z; 1 + x - 1; x + 0; 0 + 1 + x; (x)^1;
    (x + f)^30; x^2L; x^-1; a b; `a b`^2; `a b`:`we\`ird`; 1e2 * x; I(1e400 * x); I(0x1F + x);
    I(1e-3L * x); I(.5 + x); I(5. + x); I('a' == g); I("a" == g); T + x; I(Inf * x);
    I(NaN + x); I(NULL); . + .; .:x; .^2; . - . + x; ..1; x.y; .x; _x
"""
OF_RESPONSE = """
    y; log(z); log(x); sqrt(x); I(x > 0); f; o; u; g; l; factor(i); i; -y; cut(z, c(0, 5, 10));
    cut(z, c(3, 5)); y + x; exp(800 * z); I(y / 0); `a b`; (y); factor(x > 99); I(1 * l);
    y - 1; 0 * y; factor(g, levels = c('b', 'a'))
"""


def encoded(text: str, coding: Any) -> list[Any]:
    """The matrix of half of the rows, and by what they taught the matrix of the others."""
    formula = parse(text, FRAME.names)
    half, others = FRAME.take(np.arange(0, FRAME.n, 2)), FRAME.take(np.arange(1, FRAME.n, 2))
    fitted = Encoder(formula, FRAME, coding).fit(half)
    found: list[Any] = [repr(formula), formula.labels, formula.orders, formula.variables]
    for frame in (half, others, FRAME):
        design = fitted.matrix(frame)
        found += [design.X, design.columns, design.assign, design.intercept, design.offset]
    return found


def formulas() -> Iterator[Call]:
    for text in (*FORMULAS, *(f"y ~ {one.strip()}" for one in COMPUTED.split(";"))):
        for coding in ("contrasts", "kknn"):
            yield partial(encoded, text, coding)
    for text in REFUSED:
        yield lambda text=text: repr(parse(text, NAMES))


def responses() -> Iterator[Call]:
    def read_as(text: str, **given: Any) -> list[Any]:
        task = Task.build(text, FRAME.to_pandas(), **given)
        one = task.response
        kinds = [one.name, one.kind, one.values, one.levels, one.zeros_and_ones]
        return [*kinds, list(one.labels(one.values)), [str(x) for x in one.for_folds]]

    for left in OF_RESPONSE.split(";"):
        text = f"{left.strip()} ~ x"
        yield lambda text=text: response(parse(text, FRAME.names), FRAME).values
        for classes in (False, True):
            yield partial(read_as, text, classes=classes)


NA, INF = None, float("inf")
TIMES = pd.DatetimeIndex(["2020-01-01 00:00", None, "1969-12-31 23:59"])
VECTORS: list[Any] = [
    [1, 2.5, NA], [np.nan, INF, -INF], [True, NA, False], [NA] * 3,
    ["b", "", NA], [], [7], np.float32([0.1, 2, 3]),
    np.int8([1, -2, 3]), np.array([1, 2**53], np.uint64), np.array([True, False]),
    [2**53, -(2**53)], [2**53 + 1], [-(2**53) - 1], [1e308, -1e-308],
    [date(2020, 1, 31), NA], TIMES, TIMES.tz_localize("UTC"),
    np.array(["2020-01-01", "NaT"], "datetime64[D]"), np.ma.masked_equal([1, 2, 3], 2),
    pd.array([1, NA, 3], "Int64"), pd.array([True, NA], "boolean"),
    pd.array(["a", NA], "string"), pd.Categorical(["b", "a", NA], ["b", "a", "c"]),
    pd.Categorical([3, 1, 3], [1, 2, 3], ordered=True), pd.Categorical([1.5, 2.0]),
    pd.Categorical([True, False]), range(3), {1}, "abc", 5,
    pd.arrays.SparseArray([0, 1, 0]), [np.float64(1), np.int8(2)],
    np.zeros((3, 1)), np.array(1.0), *(bad for kind, (bad, *_) in BAD.items() if kind != "object"),
]  # fmt: skip


def vectors() -> Iterator[Call]:
    def column(given: Any) -> list[Any]:
        one = read_y(given)
        as_given, plain = one.to_pandas(as_given=True), one.to_pandas()
        kept = [one.name, one.kind, one.values, one.levels, one.missing(), one.infinite()]
        types = [str(as_given.dtype), [str(x) for x in as_given], str(plain.dtype)]
        orders = [list(map(str, part)) for part in one.as_factor() + one.as_factor("C")]
        return [
            *kept,
            *types,
            *orders,
            [str(x) for x in one.labels()],
            len(one.take([0][: len(one)])),
        ]

    def frame(given: Any, **more: Any) -> list[Any]:
        one = read({"v": given, **more})
        found = [one.names, one.n, one.missing(), one.infinite(), one.complete(), repr(one)]
        return [*found, one.fingerprint, one.numeric]

    def whole(table: Any) -> list[Any]:
        one = read(table)
        return [one.names, one.n, repr(one)]

    for given in VECTORS:
        yield partial(column, given)
        yield partial(frame, given)
        yield partial(frame, given, w=[1.0, 2.0, 3.0])
    tables: list[Any] = [
        {}, {"": [1]}, {NA: [1]}, {1: [1], "1": [2]}, [[1, 2]], np.zeros((2, 0)), np.zeros((0, 2)),
        np.zeros(3), np.zeros((2, 2, 2)), pd.DataFrame(index=[1, 2]), "data.csv", None, 3,
        np.array([[1, "a"]], dtype=object), pd.Series([1, 2], name="s"), {"a": [1], "b": [1, 2]},
        pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame({("a", "b"): [1]}),
    ]  # fmt: skip
    for table in tables:
        yield partial(whole, table)


def doubts() -> Iterator[Call]:
    """Words that are numbers, dates, times or marks, in shares on either side of the borders."""
    sorts: dict[str, Callable[[int], str]] = {
        "number": lambda i: f"{i}.5",
        "comma": lambda i: f"{i},5",
        "date": lambda i: f"{1 + i % 28}.{1 + i // 28:02d}.2020",
        "time": lambda i: f"{i // 60}:{i % 60:02d}",
        "name": lambda i: f"r{i}",
    }
    for (_, sort), n, odd in product(sorts.items(), (9, 10, 11, 12, 50), (0, 1, 2, 3)):
        for mark in ("k.A.", "many"):
            words = [mark if i < odd else sort(i) for i in range(n)]
            for side in ("w ~ y", "y ~ w"):
                data = {"w": words, "y": np.arange(float(n))}
                yield lambda side=side, data=data: Task.build(side, data).n
    for levels, n in product((9, 10, 11, 45, 49, 50, 51), (50, 51, 60, 110)):
        given = [f"l{i % levels}" for i in range(n)]
        for words in (given, pd.Categorical(given)):
            data = {"w": words, "y": np.arange(float(n))}
            yield lambda data=data: Task.build("y ~ .", data).n
            yield lambda w=words, n=n: Task.build(X={"w": w}, y=np.arange(float(n))).n


ROWS = {
    "y": [1.0, 2, 3, NA, 5, 6], "x": [1.0, NA, 3, 4, 5, 6], "g": [*"aabbc", NA],
    "w": [1.0, 0, 2, 1, 1, 3], "bad": [1.0, -1, 2, 1, INF, 3], "k": [1, 1, 2, 2, 3, 3],
    "flag": [True, False, True, True, False, True], "z": [0.5, 1, 2, 3, 4, 5],
}  # fmt: skip


def tasks() -> Iterator[Call]:
    def built(**given: Any) -> list[Any]:
        task = Task.build(data=ROWS, **given)
        design = task.design() if given.get("na") != "pass" else None
        found = [task.n, task.rows, task.weights, task.loss_weights, task.groups, task.omitted]
        texts = [task.texts, repr(task), task.offered, task.grouped_by, task.incomplete]
        matrix = None if design is None else [design.X, design.columns]
        return [*found, *texts, matrix, task.fingerprint, task.take(np.array([0, 1])).n]

    columns = (None, "w", "bad", "flag", "g", "k", "no", [1, 2, 3], [1.0] * 6, [0] * 6, True)
    for na in ("raise", "omit", "pass", "drop"):
        for text in ("z ~ x", "y ~ .", "y ~ x + g", "g ~ z", "flag ~ z + k", "z ~ . - x", "z ~ 1"):
            yield partial(built, formula=text, na=na)
            for what, given in product(("weights", "loss_weights", "groups"), columns):
                yield partial(built, formula=text, na=na, **{what: given})
        for own in (["z ~ x", "z ~ g"], ["z ~ x", "y ~ x"], ["z ~ k", "z ~ w + x"], ["z ~ 1"]):
            for text in (None, "z ~ ."):
                yield partial(built, formula=text, own=own, na=na, weights="w")
    X = np.arange(6.0).reshape(3, 2)
    for one, y in product(
        (X, X[:2], X.T, {"y": [1, 2, 3]}), ([1, 2, 3], ["a", "b", "a"], [1, NA, 2])
    ):
        yield lambda X=one, y=y: [Task.build(X=X, y=y).texts, Task.build(X=X, y=y).response.values]


def of_arithmetic() -> list[Any]:
    """Contrasts, polynomials, terms, words and their order, one function at a time."""
    draw = np.random.default_rng(1)
    found: list[Any] = [[contrasts(n) for n in range(2, 9)]]
    for n, degree in ((3, 1), (5, 2), (5, 4), (40, 6)):
        basis = orthogonal(draw.normal(size=n), degree)
        found += [basis.at(np.linspace(-2, 2, 7))]
    found += [
        needs_all_levels(t, v, e)
        for t, v, e in product(range(1, 8), range(3), ([], [1], [1, 2], [3, 5]))
    ]
    words = [
        "x",
        "x1",
        "1x",
        ".x",
        ".1x",
        "_x",
        "x_",
        "if",
        "TRUE",
        "..1",
        "...",
        "a b",
        "é",
        "T",
        "",
        "x.",
        "NA",
    ]
    found += [[is_syntactic(w), quote(w)] for w in words]
    order = [word_order(IN_ORDER[::-1], kind) for kind in ("ICU", "C")]
    return [*found, *order]


def sizes() -> Iterator[Call]:
    for columns, n, say in product((10, 10**4, 10**6, 10**8), (10, 10**5, 10**7), (True, False)):
        yield lambda c=columns, n=n, s=say: [check_size({"x": c, "g": 5}, n, say=s)]


def texts() -> list[Any]:
    return [deparse(parse(text, FRAME.names).response) for text in FORMULAS]


CALLS: dict[str, Call] = {
    "edges: formulas": outcomes(formulas),
    "edges: responses": outcomes(responses),
    "edges: vectors and tables": outcomes(vectors),
    "edges: doubts about words": outcomes(doubts),
    "edges: tasks": outcomes(tasks),
    "edges: arithmetic of formulas": of_arithmetic,
    "edges: formulas as text": texts,
}
