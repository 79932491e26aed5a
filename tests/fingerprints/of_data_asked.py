"""Columns of further types, levels of numbers and dates, powers that others explain, designs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from pycvstat.data.formula import Encoder, parse
from pycvstat.data.formula.bases import SplineBasis, orthogonal
from pycvstat.data.frame import read, read_y
from pycvstat.data.frame.columns import level_name, positions, recoded, type_of_levels, word_order
from pycvstat.data.response import MANY, extra_column, weights_of
from pycvstat.data.task import Task
from tests.fingerprints.edges import outcomes
from tests.fingerprints.of_data_edges import VECTORS, Call

NA = None


def powers() -> Iterator[Call]:
    """Numbers spread evenly, ever further, and in two heaps: some powers explain the next."""
    spread = {
        "even": lambda n: np.arange(1.0, n + 1),
        "further": lambda n: np.exp(np.arange(n) / 3.0),
        "heaps": lambda n: np.where(np.arange(n) < n // 2, np.arange(n) * 1e-5, np.arange(n)),
    }

    def made(kind: str, n: int, degree: int) -> list[Any]:
        with np.errstate(all="ignore"):
            found = orthogonal(spread[kind](n), degree)
        return [found.alpha, found.norm2, found.values]

    for kind, (n, degree) in product(spread, ((2, 1), (3, 2), (10, 9), (20, 18), (26, 25))):
        yield partial(made, kind, n, degree)
        frame = read({"x": spread[kind](n), "y": np.arange(float(n))})
        yield (
            lambda f=frame, d=degree: Encoder(parse(f"y ~ poly(x, {d})", f.names), f).fit(f).columns
        )
    for degree, natural, whole in product((1, 2, 3), (False, True), (False, True)):
        knots = np.array([0.5, 1.0])
        for inside in (knots[:0], knots[:1], knots, knots[::-1]):
            basis = SplineBasis(inside, (0.0, 2.0), degree, natural, whole)
            at = np.array([-1.0, 0.0, 0.5, 0.75, 1.0, 2.0, 3.0, np.nan])
            if not natural or degree == 3:
                yield partial(lambda b, x: b.at(x), basis, at)


def arrow(values: list[Any], kind: Any) -> Any:
    return pd.array(values, dtype=pd.ArrowDtype(kind))


def columns() -> Iterator[Call]:
    one = [1.5, 2.0, 4.0]
    given: list[Any] = [
        *VECTORS, pd.array(one, "Float32"), pd.array([1.5, NA], "Float64"), np.float16(one),
        pd.array([1, 2], "UInt8"), np.uint64([2**53 - 1, 2**53]), np.int64([-(2**53), 4]),
        np.array(one, dtype=">f8"), np.array([1, 2], dtype=">i4"),
        pd.Series(["a", "b"], dtype="O"),
        pd.Series([True, False], dtype="O"), pd.Series([1, 2], dtype="O"),
        pd.Categorical([1, 2, NA]), pd.Categorical([0.1 + 0.2, 0.3]), pd.Categorical(["1", 1.0]),
        pd.Categorical([], ["a"]), pd.period_range("2020-01", periods=2, freq="M"),
        pd.to_timedelta([1, 2], "s"), pd.interval_range(0, 2), ["2020", 2020], [b"a"], [1 + 2j],
        [[1], [2]], [{"a": 1}], [float("inf"), 1], [10**400, 1], [2**53, 0.5], [-(2**53) - 1, NA],
        [NA, "a", 1, 2.5, [3], "x" * 50], [["y" * 60], 1], np.ma.masked_array([1.0, 2.0], [0, 0]),
    ]  # fmt: skip

    def column(values: Any) -> list[Any]:
        one = read_y(values)
        kept = [one.name, one.kind, one.values, one.levels, one.dtype, one.of_words]
        shown = [one.to_pandas(as_given=True), one.to_pandas()]
        return [*kept, [[str(x.dtype), [str(v) for v in x]] for x in shown], list(one.labels())]

    def of_arrow(values: list[Any], kind: str, *more: Any) -> list[Any]:
        return column(arrow(values, getattr(pa, kind)(*more)))

    def of_polars(values: list[Any], kind: str) -> list[Any]:
        import polars as pl

        return column(pl.Series("v", values, dtype=getattr(pl, kind), strict=False))

    for values in given:
        yield partial(column, values)
    for kind in ("int8", "uint64", "float32", "float64", "string", "bool_", "date32"):
        for values in ([1, 2, NA], [0, 1, 1], ["b", "a", NA]):
            yield partial(_tried, partial(of_arrow, values, kind))
    from decimal import Decimal

    yield partial(of_arrow, [Decimal("1.5"), NA, Decimal(2)], "decimal128", 5, 2)
    yield partial(of_arrow, [Decimal("1.5"), Decimal(2)], "decimal128", 5, 2)
    yield partial(of_arrow, [1, 2], "duration", "s")
    for kind in ("Int8", "UInt64", "Float32", "Boolean", "String", "Categorical", "Null", "Date"):
        for values in ([1, 2, NA], [0, 1, 1], ["b", "a", NA]):
            yield partial(_tried, partial(of_polars, values, kind))


def _tried(call: Call) -> Any:
    """The value, where the other package makes such a column at all."""
    try:
        return call()
    except (TypeError, pa.ArrowInvalid, pa.ArrowTypeError) as error:
        return type(error).__name__


def levels() -> Iterator[Call]:
    numbers = (
        0.0,
        -0.0,
        1.0,
        1e14,
        1e15 - 1,
        1e15,
        1e15 + 2,
        -1e15,
        0.1 + 0.2,
        1 / 3,
        1e-5,
        1e22,
        123456789012345.6,
        5e-324,
        np.float32(0.1),
        np.int8(3),
        True,
        np.bool_(False),
        "w",
    )
    for number in numbers:
        yield partial(level_name, number)
    for values in ([1.0, 2.0], [0.1 + 0.2], [1 / 3], [1e15, 1e22], ["a"], [True], [1, 2], [2.0, 2]):
        index = pd.Index(values)
        yield partial(type_of_levels, [level_name(v) for v in values], index)
    for days in ([0.0, 1.0], [0.5], [0.0, 0.25, np.nan], [-1.0, 18262.999988425926]):
        moments = pd.to_datetime(np.array(days), unit="D")
        yield lambda m=moments: [list(read_y(m).as_factor()[1]), read_y(m).as_factor()[0]]
    yield partial(recoded, np.array([0, 1, -1]), ["a", "b"], ["b"], 7)
    yield partial(recoded, np.array([0, 1, -1]), ["a", "b"], ["b", "a", "c"])
    for rows in ([], [0], [True, False], np.array([], bool), np.array([2, 0])):
        yield partial(positions, rows)
    frame = read({"w": [1.0, 0, 2], "g": ["a", "b", "a"], "f": pd.Categorical([1, 2, 1])})
    for what in ("w", "g", "no", [1, 2], [3.0, 1, 2], ["a", "b", "a"], pd.Series([1, 2, 1])):
        yield lambda w=what: [
            extra_column("it", w, frame).name,
            extra_column("it", w, frame).values,
        ]
    words = [
        "字", "文", "☃", "ab", "a\u200bb", "a\x07b", "a\u00adc", "ꙮ", "€", "ß", "ſ", "ŀ", "l·", "đ",
        "ς", "σ", "Ω", "µ", "ª", "²", "2", "Ⅳ", "ﬁ", "fi", "Ǆ", "а́", "й", "ґ", "ʼn", "ŉ", "°", "_",
    ]  # fmt: skip
    for kind in ("ICU", "C"):
        yield partial(word_order, words, kind)
        yield partial(word_order, [*words[::-1], *(f"{w}{w.upper()}" for w in words)], kind)
    for values in ([1.0, 2.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [-1.0, 1, 1], [np.inf, 1, 1]):
        for keep in ([0, 1, 2], [0, 1], [2]):
            yield lambda v=values, k=keep: weights_of(read_y(v), np.array(k))


def designs() -> Iterator[Call]:
    """Factors of many levels, crossed and nested, seen and unseen, in both codings."""
    n = 60
    data = read(
        {
            "y": np.arange(n) % 7 * 1.0,
            "x": np.arange(n) / 3.0,
            "many": [f"l{i % (MANY + 1)}" for i in range(n)],
            "two": np.where(np.arange(n) % 2, "u", "v"),
            "o": pd.Categorical(np.arange(n) % 4, [0, 1, 2, 3], ordered=True),
            "t": np.arange(n) % 3 == 0,
        }
    )
    texts = (
        "many", "two", "o", "t", "many:two", "many*x", "two/x", "x + o:t", "two:o + 0", "o*t*two",
        "I(x > 5)", "factor(x > 5)", "two + two:x", "x:two:t", "0 + x:two", "poly(x, 2):two",
    )  # fmt: skip
    for text, coding, rows in product(texts, ("contrasts", "kknn"), (range(0, n, 2), range(12))):
        part = data.take(np.array(rows))

        def made(t: str = text, c: Any = coding, p: Any = part) -> list[Any]:
            fitted = Encoder(parse(f"y ~ {t}", data.names), data, c).fit(p)
            found = fitted.matrix(p), fitted.matrix(data)
            return [[one.X, one.columns, one.assign, one.intercept] for one in found]

        yield made
    for text in ("y ~ .", "two ~ .", "o ~ x", "t ~ x", "y ~ . - many", "log(y + 1) ~ x"):
        task = partial(Task.build, text, data.to_pandas())
        yield lambda t=task: [t().design().X, t().response.values, t().fingerprint, repr(t())]


FURTHER = """
    bs(x, Boundary.knots = c(99, -9)); bs(x, Boundary.knots = c(-9)); ns(x, knots = c(500));
    bs(x, Boundary.knots = c(0, 40)); ns(x, Boundary.knots = c(5, 9), df = 3); scale(x, TRUE,
    FALSE); scale(x, FALSE, TRUE); scale(x, FALSE, FALSE); scale(x, 1, 2); scale(x); poly(huge,
    2); poly(x, 1); poly(x, 2, raw = TRUE); bs(huge, 4); scale(huge); log(x); cut(x, 3); cut(x,
    c(0, 5, 99)); factor(t); I(huge^2); I(huge * huge); offset(x):two; x:offset(x) + two;
    two*offset(x); offset(x) + offset(x); poly(x, 61); poly(x, 60); poly(two, 2); bs(x, 99,
    degree = 99); scale(two); log(two); x %in% two;
    two*x %in% t; x %in% two*t; x:two*t; x/two:t; two^2:x; x/t %in% two; I(x %% 2 * 3);
    I(x * 3 %% 2); I(2 * x %/% 3); I(1:2 * x); I(-x^2 + 1); I(x < 1 + 2 & !t | t); I(x - 1 == 2 * x)
"""


def stated() -> Iterator[Call]:
    """What formulas say of themselves: whether a row says it alone, and what they refuse."""
    n = 60
    data = read(
        {
            "y": np.arange(n) % 7 * 1.0,
            "x": np.arange(n) / 3.0,
            "huge": np.arange(n) * 1e200,
            "two": np.where(np.arange(n) % 2, "u", "v"),
            "t": np.arange(n) % 3 == 0,
        }
    )

    def of(text: str) -> list[Any]:
        encoder = Encoder(parse(f"y ~ {text}", data.names), data, "contrasts")
        with np.errstate(all="ignore"):
            return [encoder.stateless, encoder.fit(data).columns]

    for text in FURTHER.split(";"):
        yield partial(of, text.strip())
    deep: tuple[Callable[[int], str], ...] = (
        lambda d: "(" * d + "x" + ")" * d, lambda d: f"I({'-' * d}x)", lambda d: f"I({'!' * d}x)",
        lambda d: f"I({'abs(' * d}x{')' * d})", lambda d: f"I(x{'^x' * d})",
        lambda d: f"I(x{' + x' * d})", lambda d: f"x{' + x' * d}",
        lambda d: "-" * d + "x", lambda d: "x:(" * d + "x" + ")" * d,
    )  # fmt: skip
    for make, depth in product(deep, (*range(46, 53), *range(196, 204))):
        yield lambda m=make, d=depth: parse(f"y ~ {m(d)}", ["y", "x"]).labels
    for words in (["-", "?"], ["1", "-"], ["-", "", "."], ["a", "?"], ["1", "2"], ["1,5", "2,5"]):
        for side in ("w ~ y", "y ~ w"):
            made = {"w": words * 6, "y": np.arange(6.0 * len(words))}
            yield lambda s=side, d=made: Task.build(s, d).n
    for values in (np.int64([2**53 + 1]), np.uint64([2**63]), np.int64([-(2**53) - 1, 0])):
        yield partial(lambda v: read_y(v).values, values)
    pairs = [("a", "i4"), ("b", "f8")]
    for given in (np.array([(1, 2.0), (3, 4.5)], pairs), np.array([[(1, 2.0)]], pairs)):
        yield partial(lambda v: [read(v).names, read(v).n], given)
        yield partial(lambda v: [read(v).names, read(v).n], given.view(np.recarray))


CALLS: dict[str, Call] = {
    "edges: what formulas say": outcomes(stated),
    "edges: powers and splines": outcomes(powers),
    "edges: columns of further types": outcomes(columns),
    "edges: levels and weights": outcomes(levels),
    "edges: designs": outcomes(designs),
}
