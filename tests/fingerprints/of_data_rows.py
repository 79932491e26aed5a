"""Rows by their labels, tasks that files hold, splines over all options, what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import fields, replace
from functools import partial
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from pycvstat.data import response
from pycvstat.data.formula import Encoder, encoder, parse
from pycvstat.data.formula.bases import orthogonal
from pycvstat.data.formula.evaluate import column
from pycvstat.data.formula.syntax import deparse
from pycvstat.data.formula.terms import shortened
from pycvstat.data.frame import Frame, read, read_y
from pycvstat.data.frame.frames import in_common_rows, in_rows_of, nearest, row_labels
from pycvstat.data.task import Task
from pycvstat.errors import PycvstatError
from tests.fingerprints.edges import outcomes, told

Call = Callable[[], Any]
NA = None
GB = 1e9
WHOLE = r"""y; y ~ a ~ b; ~ a; y ~; y ~ a b; y ~ f(a; y ~ a); y ~ (a; y ~ a +; y ~ 'a; y ~ '';
    y ~ log(a =; y ~ log(a; y ~ log(x = a); y ~ log(a == b); y ~ log(a, base =); y ~ `~`;
    y ~ I(a == '~'); y ~ I(a == "'"); y ~ I(a == '"'); y ~ I(a == '#'); y ~ c; y ~ .; y ~ a,b"""


def labelled() -> Iterator[Call]:
    """Labels in order, out of it, doubled, of another length, and none."""

    def labels(given: Any) -> list[Any] | None:
        return None if (own := row_labels(given)) is None else list(own)

    def of(values: Any) -> list[Any]:
        return [list(values), labels(values)]

    some = [["a", "b", "c"], ["c", "a", "b"], ["a", "b", "d"], ["a", "a", "b"], ["a", "b"],
            [1, 2, 3], [3, 2, 1], [*"aabb"], [*"bbaa"], [*"abcd"], [*"dcba"], [*"abce"], [*"cdef"],
            [1.0, 2.0, 3.0]]  # fmt: skip
    for own, other in product(some, some):
        given = pd.Series(np.arange(1.0, len(own) + 1), index=own)
        yield lambda g=given, o=other: of(in_rows_of(pd.Index(o), g, "'it'", "'theirs'"))
    series = pd.Series([1.0, 2, 3], index=[5, 6, 7])
    turned = series[::-1]
    for parts in ([1, 2, 3], series, turned), ([1, 2, 3], turned, series), ([1], [2]), (turned,):
        yield lambda p=parts: [
            of(part) for part in in_common_rows([(f"'{i}'", x) for i, x in enumerate(p)])
        ]
    for parts in ((series, [1, 2, 3]), ([1, 2, 3], turned, series), ([1], [2])):
        table = {f"v{i}": part for i, part in enumerate(parts)}
        yield lambda t=table: [labels(t), [read(t)[name].values for name in t]]
    for known in (["one", "ones", "on"], ["ONE"], ["other"], ["abcde", "abcd", "abc"]):
        for name in ("one", "onee", "abcdef", "OTHER", "zzz"):
            yield lambda n=name, k=known: [nearest(n, k)]
    for count in (1, 11, 12, 13, 40):
        frame = read({f"column {i}": [i, 2.0] for i in range(count)})
        yield lambda f=frame: f["zzz"]
        yield lambda f=frame: parse("`column 0` ~ qqq", f.names)
        yield lambda f=frame: response.extra_column("it", "no", f)
        yield lambda f=frame: [name in f for name in ("column 0", "zzz", 3)]
    yield lambda: read({"a": frame["column 3"], "b": [5, 6]})["a"].name
    yield lambda: Frame({"a": frame["column 3"]}, 3).n
    yield lambda: frame.with_column(read_y([1.0, 2, 3])).n
    for dtype, turn in product((np.float64, np.float32, int), (False, True)):
        x = np.arange(6.0).reshape(2, 3).astype(dtype)
        x = x.T if turn else x
        yield lambda x=x: [[c.values, c.dtype] for c in read(x).columns.values()]


def kept() -> Iterator[Call]:
    """Tasks from what a file holds, whole and spoiled; weights said; labels of codes."""
    data = {"y": [1.0, NA, 3, 4, 5], "x": [1, NA, 3, 4, 5], "z": [0.0, 1, 0, 2, 1], "g": [*"bbabc"]}

    def again(task: Task, **changed: Any) -> Any:
        parts = {one.name: getattr(task, one.name) for one in fields(task) if one.init}
        try:
            return Task.from_fields(**parts | changed).fingerprint
        except ValueError as error:
            return [type(error).__name__, told(error)]

    for text, na in product(
        ("y ~ x + z", "z ~ x + g", "g ~ z", "log(z + 1) ~ g"), ("omit", "pass")
    ):
        try:
            task = Task.build(text, data, na=na)  # type: ignore[arg-type]
        except PycvstatError:
            continue
        yield partial(again, task)
        for name in task.frame.names:
            own = task.frame[name]
            others = [own.rename("w"), replace(own, values=own.values[::-1].copy())]
            for other in others:
                changed = Frame({**task.frame.columns, name: other}, task.n)
                yield partial(again, task, frame=changed)
                if task.given is not None:
                    other = task.given[name].rename("w")
                    spoiled = Frame({**task.given.columns, name: other}, task.given.n)
                    yield partial(again, task, given=spoiled)
        held = task.response
        for other in (replace(held, name="q"), replace(held, values=held.values[::-1])):
            yield partial(again, task, response=other)
        yield partial(again, task, rows=task.rows[:-1])
    three = {"x": [1, 2, 3], "y": [1, 2, 4]}
    for fits, of_losses in product((NA, [1.0, 2, 3]), (NA, [2.0, 2, 1], True)):
        given = {"weights": fits, "loss_weights": of_losses}
        yield lambda g=given: Task.build("y ~ x", three, **g).weights_used
    for values in ([0, 1, 1], [0, 2, 2], [1, 2, 1], [-1, 1, 1], [0, 0, 0], [0, 1, NA]):
        made = {"y": values, "x": [1.0, 2, 3]}
        for classes in (False, True):
            yield lambda m=made, c=classes: [
                (one := Task.build("y ~ x", m, classes=c).response).kind, one.levels, one.values,
                one.zeros_and_ones,
            ]  # fmt: skip
    for n, na in product((0, 1, 2), ("raise", "omit", "pass")):
        few = {"y": np.arange(1.0, n + 1), "x": np.arange(n)}
        yield lambda f=few, na=na: [(one := Task.build("y ~ x", f, na=na)).n, one.rows]
    letters = Task.build("g ~ z", {"g": [*"bca"], "z": [1, 2, 3]}).response
    yield lambda: [str(x) for x in letters.labels(np.array([0.0, np.nan, 2.0, 1.0]))]
    for sort in ("ICU", "C"):
        words = {"y": ["b", "A", "a"], "g": ["B", "a", "A"], "x": [1, 2, 3]}
        for text in ("y ~ x", "y ~ g", "x ~ g", "x ~ g + y"):
            yield lambda s=sort, t=text, w=words: [
                (one := Task.build(t, w, levels=s)).sorted_by, one.response.levels,
                one.design().columns, [c.kind for c in one.frame.columns.values()],
            ]  # fmt: skip
    for given in ({"X": [[1.0], [2.0]]}, {"y": [1, 2]}, {"X": [[1.0]], "y": [1], "data": three},
                  {"formula": "y ~ x"}, {"data": three}, {"own": ["y ~ x"]}, {},
                  {"formula": 3, "data": three}, {"formula": "y ~ x", "data": three, "y": [1]},
                  {"X": np.ones((2, 1)), "y": [1, 2, 3]}, {"own": ["y ~ x"], "data": three},
                  {"X": {"y": [1, 2], "y_": [3, 4]}, "y": [5, 6]}):  # fmt: skip
        yield lambda g=given: Task.build(**g).texts
    rows: dict[str, Any] = {"y": [1.0, 2, 3, 4], "a": [1, NA, 3, 4], "b": [1, 2, NA, 4]}
    rows |= {"c": [1.0, 2, 3, 4], "w": [NA, 1.0, 1, 1]}
    for own in product(("y ~ a", "y ~ b", "y ~ c", "y ~ a + b"), repeat=2):
        for weights in (NA, "w"):
            yield lambda o=own, w=weights: Task.build(data=rows, own=o, weights=w, na="omit").n
    n = 60
    named = {"y": np.arange(n), "few": ["u", "v"] * 30, "many": [f"r{i}" for i in range(n)],
             "spoiled": [*map(str, range(n - 1)), "?"]}  # fmt: skip
    for text in ("y ~ factor(many)", "y ~ factor(few, levels = c('u', 'v'))", "y ~ factor(spoiled)",
                 "y ~ I(many == few)", "y ~ I(few == 'u')", "y ~ spoiled + few",
                 "y ~ I(spoiled > 3)", "y ~ cut(spoiled, c(0, 9))"):  # fmt: skip
        yield lambda t=text: Task.build(t, named).n
    yield lambda: Task.build(X={k: named[k] for k in ("few", "many")}, y=named["y"]).n
    for numbers, marks in product(
        ([1] * 12, [2] * 8, [1] * 8, [1] * 11), ([1] * 3, [1] * 4, [9] * 3)
    ):
        words = [f"{i}.5" for i, times in enumerate(numbers) for _ in range(times)]
        words += [f"w{i}" for i, times in enumerate(marks) for _ in range(times)]
        for side in ("w ~ y", "y ~ w"):
            yield lambda w=words, s=side: Task.build(s, {"w": w, "y": np.arange(len(w))}).n
    for words in (["1", "x", "2", "z", "3", "w", "4"] * 2, [f"{i},5" for i in range(12)] + ["-"]):
        for side in ("w ~ y", "y ~ w"):
            yield lambda w=words, s=side: Task.build(s, {"w": w, "y": np.arange(len(w))}).n


def splined() -> Iterator[Call]:
    """bs() and ns() over their options; knots and boundaries of the rows they are fitted on."""
    x = np.array([0.0, 0.5, 1, 1, 2, 3, 4, 4.5, 6, 8, np.nan])
    data = read({"x": x, "same": np.ones(11), "pair": np.arange(11) // 6, "y": np.arange(11.0)})
    boundaries = ("", ", Boundary.knots = c(-1, 9)", ", Boundary.knots = c(1, 4)")
    for name, intercept, ends in product(("bs", "ns"), ("", ", intercept = TRUE"), boundaries):
        for more in ("", ", df = 4", ", df = 5", ", knots = c(1, 3)", ", knots = 2"):
            for degree in ("", ", degree = 1", ", degree = 2") if name == "bs" else ("",):
                yield partial(_fitted, f"{name}(x{more}{degree}{intercept}{ends})", data)
    for call in ("poly(x)", "poly(x, raw = TRUE)", "ns(x, df = 2)", "bs(pair)", "ns(pair)",
                 "scale(pair)", "poly(pair, 1)", "poly(pair, 2)",
                 "bs(same)", "ns(same, 2)", "scale(same)", "scale(same, scale = FALSE)",
                 "poly(same, 1)", "bs(x, 500)", "bs(x, 501)", "ns(x, 0)", "poly(x, 50)",
                 "poly(x, 51)", "poly(x, 9)", "poly(x, 8)", "bs(x, degree = 500)",
                 "scale(x, 2, 4)", "scale(x, FALSE)", "scale(x, 3)", "scale(x, TRUE, 0)",
                 "scale(x, TRUE, -1)"):  # fmt: skip
        yield partial(_fitted, call, data)
    spread = {
        "heaps": np.where(np.arange(12) < 6, np.arange(12) * 1e-5, np.arange(12)),
        "further": np.exp(np.arange(12) / 2.0),
        "even": np.arange(9.0),
        "far": 1e8 + np.arange(9.0),
    }
    for values in spread.values():
        frame = read({"x": values, "y": np.arange(float(len(values)))})
        for degree in range(1, len(values)):
            yield partial(_powers, values, degree)
            yield partial(_fitted, f"poly(x, {degree})", frame)


def _fitted(call: str, data: Frame) -> list[Any]:
    made = Encoder(parse(f"y ~ {call}", data.names), data)
    fitted = [made.fit(data.take(np.array(rows))) for rows in (range(data.n), range(2, 8))]
    return [made.widths, made.stateless, *([one.columns, one.matrix(data).X] for one in fitted)]


def _powers(values: Any, degree: int) -> list[Any]:
    with np.errstate(all="ignore"):
        found = orthogonal(values, degree)
        return [found.alpha, found.norm2, found.values]


def sized() -> Iterator[Call]:
    """Matrices about the sizes that are told and refused; the memory of machines and limits."""
    for of_memory in (8 * GB, 6.4e9, 48 * GB):
        for size in (GB, of_memory / 6):
            for cells in (size / 8 - 1, size / 8, size / 8 + 1):
                for say in (True, False):
                    yield partial(_told, {"x": 1, "g:h": 1}, cells / 2, of_memory, say)
    yield partial(_told, {"x": 5, "g": 7, "h": 7}, 10**8, 2 * GB, True)
    unlimited = -1
    for pages, space, files in product(
        (NA, 4, 1024), (unlimited, 3 * 4096), ((), ("max",), ("5000",), ("9000", "7000"))
    ):
        yield partial(_memory, pages, space, files)


def _told(widths: dict[str, int], n: float, of_memory: float, say: bool) -> Any:
    with mock.patch.object(encoder, "memory", return_value=of_memory):
        return [encoder.check_size(widths, n, say=say)]  # type: ignore[arg-type]


def _memory(pages: int | None, space: int, files: tuple[str, ...]) -> float:
    def configured(name: str) -> int:
        if pages is None:
            raise OSError
        return {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": pages}[name]

    class File:
        def __init__(self, text: str) -> None:
            self.text = text

        def read_text(self) -> str:
            return self.text

    with ExitStack() as patched:
        patched.enter_context(mock.patch("os.sysconf", configured))
        patched.enter_context(mock.patch("resource.getrlimit", return_value=(space, 4096)))
        patched.enter_context(mock.patch.object(encoder, "CONTAINER", files))
        patched.enter_context(mock.patch.object(encoder, "Path", File))
        return encoder.memory()


def refused() -> Iterator[Call]:
    """How much of a long text is shown, where; operators side by side; how many terms there are."""
    digits = "1234567890" * 30
    for length in (199, 200, 201, 300):
        yield lambda n=length: [shortened(digits[:n])]
    for before, after in product((1, 39, 40, 41, 60), (0, 18, 19, 20, 21, 40)):
        yield lambda b=before, a=after: parse(f"{digits[:b]}?{digits[:a]}", ["y"])
    operators = ("|", "&", "<", "==", "+", "-", "*", "/", "%in%", "%%", "%/%", ":", "^")
    for one, two in product(operators, operators):
        yield lambda o=one, t=two: _tree(f"I(a {o} b {t} c)")
        yield lambda o=one, t=two: _tree(f"I(!a {o} -b {t} !c)")
    for text in WHOLE.split(";"):
        yield partial(_tree, text, "")
    missing = read({"y": [1.0] * 4, "g": ["a", NA, "b", NA], "h": ["a", "b", NA, NA],
                    "f": pd.Categorical(["a", "b", NA, "b"]), "t": [True, NA, False, NA],
                    "x": [1.0, 2.0, NA, 4.0]})  # fmt: skip
    for text in ("g == h", "g != h", "f == h", "g == 'a'", "'b' != f", "t & x > 1", "x < 3 | t",
                 "g %in% c('a', 'c')", "x %in% c(1, 4)", "x == 1", "t == x", "f %in% 'b'", "-t",
                 "!t", "log(x, 3)", "log(x, 10)", "log(x, base = 2)"):  # fmt: skip
        node = parse(f"y ~ I({text})", missing.names).expressions[0]
        yield lambda n=node: column(n, missing).values
    letters = "abcdefghijk"
    cross = "*".join(letters)
    for left, right in (("*".join("abcde"), "*".join("defg")), (cross, cross)):
        yield lambda a=left, b=right: len(parse(f"y ~ ({a}):({b})", ["y", *letters]).labels)
    for power in ("0", "1", "2", "3", "1.5", "1e400", "20000", "1e9", "-1", "a"):
        yield lambda p=power: parse(f"y ~ (a + b + c + d)^{p}", ["y", *letters]).labels
    for effects in ("1", "a", "0 + a", "1 + a"):
        yield lambda e=effects: parse(f"y ~ b + ({e} | c)", ["y", *letters]).labels
    levels = {"y": [1.0, 2, 3, 4], "g": [*"abca"], "o": pd.Categorical([*"abca"], ordered=True)}
    for name, new in product(("g", "o"), (["a", "z"], ["q", "z", "z"], ["c", None], ["d"])):
        made = Encoder(parse(f"y ~ {name}", list(levels)), read(levels))
        other = read({"y": np.ones(len(new)), "g": new, "o": new})
        yield lambda m=made, o=other: m.fit(read(levels)).matrix(o).X
    for count in (94, 95, 96):
        steps = {"y": np.arange(count), "o": pd.Categorical(np.arange(count), ordered=True)}
        yield lambda s=steps: Encoder(parse("y ~ o", ["y", "o"]), read(s)).widths
    wide = {"y": np.arange(40), "g": [f"'{i:02d}'" for i in range(40)]}
    for unseen in (1, 4, 5, 6, 7):
        new = read(
            {"y": np.ones(8), "g": [*(f"'n{i}'" for i in range(unseen)), *["'01'"] * (8 - unseen)]}
        )
        yield (
            lambda o=new: (
                Encoder(parse("y ~ g", ["y", "g"]), read(wide)).fit(read(wide)).matrix(o).X
            )
        )


def _tree(text: str, left: str = "y ~ ") -> list[Any]:
    formula = parse(left + text, ["y", "a", "b", "c"])
    return [repr(formula.expressions), [deparse(node) for node in formula.expressions]]


CALLS: dict[str, Call] = {
    "edges: rows by labels": outcomes(labelled),
    "edges: tasks that files hold": outcomes(kept),
    "edges: splines and powers": outcomes(splined),
    "edges: sizes of designs": outcomes(sized),
    "edges: what formulas refuse": outcomes(refused),
}
