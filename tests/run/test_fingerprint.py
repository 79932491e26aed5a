"""Equal work has equal descriptions, in every session; other work differs where it differs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat.errors import CheckpointError
from pycvstat.run.fingerprint import describe, differences, digest
from pycvstat.run.tasks import Execution


def squared(y: float, p: float) -> float:
    return (y - p) ** 2


def power(k: int) -> Callable[[float, float], float]:
    return lambda y, p: (y - p) ** k


class Model:
    def __init__(self, depth: int) -> None:
        self.depth = depth


def recursive() -> list[Any]:
    inner: list[Any] = [1]
    inner.append(inner)
    return inner


VALUES: list[Any] = [
    None,
    True,
    1,
    1.5,
    float("nan"),
    float("inf"),
    "a",
    np.float64(2.5),
    np.arange(3),
    np.arange(3.0),
    np.array(["a", None], dtype=object),
    np.zeros((2, 2)),
    {"a": 1},
    {1: "a"},
    {"x", "y"},
    [1, 2],
    range(4),
    squared,
    power(2),
    power(3),
    lambda y, p: abs(y - p),
    lambda y, p=1: abs(y - p),
    partial(squared, 1),
    partial(squared, 2),
    np.sum,
    len,
    Model(2),
    Model(3),
    Model,
    Execution(2),
    recursive(),
    pd.DataFrame({"a": [1, 2]}),
    pd.DataFrame({"a": [1, 3]}),
    np.random.default_rng(1),
    np.random.RandomState(1),
    np.random.RandomState(2),
]


def test_different_values_have_different_descriptions() -> None:
    digests = [digest(describe(value)) for value in VALUES]
    same = [(a, b) for a, b in combinations(range(len(VALUES)), 2) if digests[a] == digests[b]]
    assert [(VALUES[a], VALUES[b]) for a, b in same] == []


@pytest.mark.parametrize("value", VALUES)
def test_a_description_is_the_same_twice(value: Any) -> None:
    assert digest(describe(value)) == digest(describe(value))


SCRIPT = """
SCALE = {scale}
step = "a name that is also that of an attribute: {other}"

def helper(x, *, power={power}):
    return {helper}

def loss(y, p):
    return SCALE * helper(y - p)

class Base:
    def shift(self):
        return {shift}

class Model(Base):
    step = {step}

    def fit(self, X, y):
        return helper(y) + self.mark + self.step

    @property
    def mark(self):
        return {mark}
"""
AS_IT_IS = {
    "scale": 1,
    "power": 2,
    "helper": "x**power",
    "shift": 1,
    "step": 1,
    "mark": 3,
    "other": 1,
}


def script(name: str, **changes: Any) -> str:
    namespace: dict[str, Any] = {"__name__": "script"}
    exec(SCRIPT.format(**AS_IT_IS | changes), namespace)
    thing = namespace[name]
    return digest(describe(thing() if isinstance(thing, type) else thing))


@pytest.mark.parametrize("change", [{"scale": 3}, {"power": 4}, {"helper": "abs(x)"}])
def test_a_function_is_described_with_what_it_refers_to(change: dict[str, Any]) -> None:
    assert script("loss") == script("loss")
    assert script("loss") != script("loss", **change)
    assert script("loss") == script("loss", mark=4)


@pytest.mark.parametrize(
    "change", [{"power": 4}, {"helper": "abs(x)"}, {"shift": 2}, {"step": 5}, {"mark": 4}]
)
def test_an_object_is_described_with_the_code_of_its_class(change: dict[str, Any]) -> None:
    assert script("Model") == script("Model")
    assert script("Model") != script("Model", **change)
    assert script("Model") == script("Model", scale=3, other=2)


def changing(what: str) -> Callable[[], Any]:
    """A function that changes what it was made with in one way."""
    log, seen, model = [3], {"a": 1}, Model(1)

    def read() -> Any:
        log.append(1)
        return log[0]

    def subscript() -> None:
        seen["a"] += 1

    def attribute() -> None:
        model.depth += 1

    found: Callable[[], Any] = locals()[what]
    return found


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("read", "closure.log"),
        ("subscript", "closure.seen.a"),
        ("attribute", "closure.model.state.depth"),
    ],
)
def test_what_code_changes_is_what_it_is(what: str, name: str) -> None:
    function = changing(what)
    before = describe(function)
    function()
    assert differences(before, describe(function))[0].startswith(f"{name}: ")


BEGIN = """
import builtins, importlib, os, sys
import numpy as np, pandas as pd
from importlib import import_module as imported
from os import environ as settings, getenv
from numpy import loadtxt as read_text
from pathlib import Path
import tests.run.jobs as own
A, N = 1.0, 0
"""
DOUBTS = {
    "return y.mean() + globals()['A']": "globals",
    "return y.mean() + eval('A')": "eval",
    "exec('y = y + A'); return y": "exec",
    "return importlib.import_module('jobs').shift(y)": "import_module",
    "return imported('jobs').shift(y)": "import_module",
    "return __import__('jobs').shift(y)": "__import__",
    "from importlib import import_module; return import_module('jobs').shift(y)": "import_module",
    "return getattr(own, 'shi' + 'ft')(y)": "getattr",
    "return vars(own)['shift'](y)": "vars",
    "return own.__dict__['shift'](y)": "__dict__",
    "return sys.modules['jobs'].shift(y)": "modules",
    "return float(os.environ['A'])": "environ",
    "return float(settings['A'])": "environ",
    "return float(getenv('A'))": "getenv",
    "import os as system; return float(system.getenv('A'))": "getenv",
    "return float(open('a').read())": "open",
    "return float(Path('a').read_text())": "read_text",
    "return np.load('a.npy').mean()": "load",
    "return read_text('a').mean()": "loadtxt",
    "return pd.read_csv('a.csv')['a'].mean()": "read_csv",
    "return [eval('A') for _ in y]": "eval",
    "return pd.get_option('display.precision')": "get_option",
    "return pd.options.display.precision": "options",
    "import pandas; return pandas.options.display.precision": "options",
    "return np.geterr()['over']": "geterr",
    "return np.get_printoptions()['precision']": "get_printoptions",
    "from decimal import getcontext; return getcontext().prec": "getcontext",
    "global N; N += 1; return N": "N",
}


def function(body: str) -> Any:
    namespace: dict[str, Any] = {"__name__": "script"}
    exec(f"{BEGIN}def fit(X, y):\n    {body}", namespace)
    return namespace["fit"]


@pytest.mark.parametrize("body", DOUBTS)
def test_code_whose_references_cannot_be_seen_is_refused(body: str) -> None:
    fit = function(body)
    with pytest.raises(CheckpointError, match="cannot tell") as caught:
        describe({"learner": Model(fit)})
    assert caught.value.given.startswith("learner.state.depth: script.fit: it ")  # type: ignore[attr-defined]
    assert repr(DOUBTS[body]) in str(caught.value.given)
    assert "as a parameter" in (caught.value.fix or "")
    fit.fingerprint = "version 1"
    first = describe({"learner": Model(fit)})
    fit.fingerprint = "version 2"
    assert (
        "'version 1' in the checkpoint" in differences(first, describe({"learner": Model(fit)}))[0]
    )


@pytest.mark.parametrize(
    "body",
    [
        "import re; return re.compile('a'), getattr(y, 'mean')(), vars(y)",
        "return own.fit(X, y), pd.eval, np.testing, sys.flags",
        "environ = {}; return environ",
        "own.options = y; return own.options",
    ],
)
def test_code_that_can_be_seen_is_not(body: str) -> None:
    describe(function(body))


def test_a_variable_of_the_function_around_that_is_changed_is_refused() -> None:
    count = 0

    def counting() -> int:
        nonlocal count
        count += 1
        return count

    with pytest.raises(CheckpointError, match="it changes 'count' of the function around it"):
        describe(counting)


def test_a_class_or_an_object_can_say_what_it_is() -> None:
    class Reader:
        fingerprint = "reads a.txt of 2024-05-01"

        def __init__(self, depth: int) -> None:
            self.depth = depth

        def fit(self) -> str:
            with open("a.txt") as file:
                return file.read()

    first, other = Reader(1), Reader(2)
    assert describe(first) != describe(other)
    other.fingerprint = "mine"
    other.depth = object()  # type: ignore[assignment]  # nothing else counts
    assert describe(other)["fingerprint of it"] == "mine"


def test_estimators_are_described_by_their_parameters() -> None:
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def pipeline(depth: int) -> Any:
        return describe(make_pipeline(StandardScaler(), RandomForestRegressor(max_depth=depth)))

    assert pipeline(2) == pipeline(2)
    assert any(
        "max_depth: 2 in the checkpoint, 3 now" in line
        for line in differences(pipeline(2), pipeline(3))
    )


def test_other_sessions_describe_alike() -> None:
    script = (
        "from tests.run.test_fingerprint import VALUES; import sys; "
        "from pycvstat.run.fingerprint import *; "
        "print(digest(describe([v for v in VALUES])), 'sklearn' in sys.modules)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
    assert told.pop().endswith(" False\n")  # tests import it when they run


@pytest.mark.parametrize(
    "text",
    [
        "(i for i in range(3))",
        "open(__file__)",
        "sqlite3.connect(':memory:')",
        "np.frompyfunc(lambda a: a + 1, 1, 1)",
        "weakref.ref(Model)",
    ],
)
def test_what_may_be_another_object_next_time_is_refused(text: str) -> None:
    import sqlite3
    import weakref

    names = {"np": np, "sqlite3": sqlite3, "weakref": weakref, "Model": Model, "__file__": __file__}
    thing = eval(text, names)
    try:
        namespace = {"__name__": "script", "THING": thing}
        exec("def fit(X, y):\n    return THING, y", namespace)
        with pytest.raises(CheckpointError, match=r"script\.THING: ") as caught:
            describe({"learner": Model(namespace["fit"])})  # type: ignore[arg-type]
        assert type(thing).__name__ in str(caught.value)
        assert "as a parameter" in (caught.value.fix or "")
        with pytest.raises(CheckpointError):
            describe([thing])
    finally:
        getattr(thing, "close", lambda: None)()


def test_lists_without_end_are_refused() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(CheckpointError, match="deeper than Python allows"):
        describe(deep)


def test_many_paths_through_few_objects_take_no_time() -> None:
    """Objects that know each other, as in a graph: each is described once."""
    models = [Model(i) for i in range(60)]
    for model in models:
        model.others = models  # type: ignore[attr-defined]
    assert digest(describe(models)) == digest(describe(models))


def test_a_frame_is_its_columns_however_they_are_kept() -> None:
    scattered = pd.DataFrame({"a": [1.0], "b": [2.0]})
    scattered["c"] = 3.0
    together = pd.DataFrame([[1.0, 2.0, 3.0]], columns=["a", "b", "c"])
    assert describe(scattered) == describe(together)
    assert describe(scattered) != describe(together.rename(columns={"a": "A"}))


def test_order_of_settings_does_not_matter() -> None:
    assert digest(describe({"a": 1, "b": 2})) == digest(describe({"b": 2, "a": 1}))


def test_differences_name_the_place() -> None:
    kept = {"data": "ab", "loss": {"name": "squared", "range": [0, None]}, "gone": 1}
    now = {"data": "ab", "loss": {"name": "absolute", "range": [0, 1]}, "new": 1}
    assert differences(kept, now) == [
        "loss.name: 'squared' in the checkpoint, 'absolute' now",
        "loss.range[1]: None in the checkpoint, 1 now",
        "gone: 1 in the checkpoint, 'absent' now",
        "new: 'absent' in the checkpoint, 1 now",
    ]
    assert differences(kept, kept) == []
    assert len(differences({"a": "x" * 500}, {"a": "y" * 500})[0]) < 250
