"""A checkpoint in the next session: scripts that are run, run again, changed and run once more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pycvstat

ROOT = Path(pycvstat.__file__).parents[1]

BEGIN = """
import numpy as np, pandas as pd, pycvstat as pcv
from dataclasses import replace
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import Lasso

def cv(learner, **how):
    if not isinstance(learner, pcv.FromFunctions):
        learner = pcv.External(learner)
    learner = replace(learner, check_state=False)  # some change what they were made with
    return pcv.cross_validate(learner, "mpg ~ wt + hp", pcv.data.mtcars(),
                              folds=pcv.KFold(4, random=1), checkpoint=PLACE, **how)

def means(fit):
    return cv(pcv.FromFunctions(fit, lambda m, X: np.full(len(X), m)))
"""
OWN = """
class Own(RegressorMixin, BaseEstimator):
    {inside}

    def fit(self, X, y):
        {first}
        self.model_ = {model}
        return self

    def predict(self, X):
        return self.model_.predict(X)

cv(Own())
"""


def own(model: str, inside: str = "", first: str = "pass") -> str:
    return OWN.format(inside=inside or "pass", model=model, first=first)


PLAIN = """
class Plain:
    def __init__(self, it): self.it = it
    def predict(self, X): return np.full(len(X), self.m)
    def fit(self, X, y):
        {does}
        self.m = y.mean() + {uses}
        return self

cv(Plain({made}))
"""


def plain(does: str, uses: str, made: str) -> str:
    """An object, no estimator, that changes what it was made with."""
    return PLAIN.format(does=does, uses=uses, made=made)


NESTED = """
pcv.nested_cv(pcv.KNN(), 'mpg ~ wt', pcv.data.mtcars(), grid={'k': [1, 2]}, checkpoint=PLACE,
              outer=pcv.KFold(4, random=1), inner=pcv.Blocks(3), loss=LOSS)
"""
FITTED = """
def learnt(): return Lasso(0.01).fit([[0, 0], [1, 1]], [0, VALUE])
"""

REFERRED = {
    "an estimator": "MODEL = Lasso(alpha=VALUE)\n"
    "cv(pcv.FromFunctions(lambda X, y: clone(MODEL).fit(X, y), lambda m, X: m.predict(X)))",
    "an estimator, in a method": "MODEL = Lasso(alpha=VALUE)\n" + own("clone(MODEL).fit(X, y)"),
    "a fitted estimator": "MODEL = Lasso(0.01).fit([[0, 0], [1, 1]], [0, VALUE])\n"
    "cv(pcv.FromFunctions(lambda X, y: MODEL, lambda m, X: m.predict(X)))",
    "a fitted estimator, in a method": "MODEL = Lasso(0.01).fit([[0, 0], [1, 1]], [0, VALUE])\n"
    + own("MODEL"),
    "a fitted estimator, given before": "MODEL = Lasso(0.01).fit([[0, 0], [1, 1]], [0, VALUE])\n"
    "class Stack(Lasso):\n"
    "    def __init__(self, inner=None): self.inner = inner\n"
    "    def fit(self, X, y): self.m_ = MODEL; return self\n"
    "    def predict(self, X): return self.m_.predict(X)\n"
    "cv(Stack(MODEL))",
    "an estimator of a class": own("clone(self.inner).fit(X, y)", "inner = Lasso(alpha=VALUE)"),
    "private data of a class": own("Lasso(alpha=self.__alpha).fit(X, y)", "__alpha = VALUE"),
    "what a method sets, too": "alpha_ = VALUE\n"
    + own("Lasso(alpha=alpha_).fit(X, y)", first="self.alpha_ = 0"),
    "a series": "PRIOR = pd.Series([VALUE] * 3)\nmeans(lambda X, y: y.mean() + PRIOR.iloc[0])",
    "a frame": "PRIOR = pd.DataFrame({'a': [VALUE], 'b': 'x'})\n"
    "means(lambda X, y: y.mean() + PRIOR['a'].sum())",
    "a namespace": "import types\nC = types.SimpleNamespace(a=VALUE)\n"
    "means(lambda X, y: y.mean() + C.a)",
    "a dataclass": "from dataclasses import dataclass\n"
    "@dataclass\nclass Settings:\n    a: float\nC = Settings(VALUE)\n"
    "means(lambda X, y: y.mean() + C.a)",
    "an object": "class Settings:\n    def __init__(self, a): self.a = a\nC = Settings(VALUE)\n"
    "means(lambda X, y: y.mean() + C.a)",
    "an object with slots": "class Settings:\n    __slots__ = ('a',)\n"
    "C = Settings(); C.a = VALUE\nmeans(lambda X, y: y.mean() + C.a)",
    "a member of an enum": "import enum\nclass Kind(enum.Enum):\n    A = VALUE\n"
    "means(lambda X, y: y.mean() + Kind.A.value)",
    "a partial": "import functools\ndef shifted(y, by): return y.mean() + by\n"
    "F = functools.partial(shifted, by=VALUE)\nmeans(lambda X, y: F(y))",
    "a cached function": "import functools\n"
    "@functools.lru_cache\ndef shift(): return VALUE\nmeans(lambda X, y: y.mean() + shift())",
    "a generic function": "import functools\n"
    "@functools.singledispatch\ndef shift(x): return 0\n"
    "@shift.register\ndef _(x: float): return VALUE\n"
    "means(lambda X, y: y.mean() + shift(1.0))",
    "a wrapped function": "import contextlib\n"
    "@contextlib.contextmanager\ndef shift(): yield VALUE\n"
    "def fit(X, y):\n    with shift() as by: return y.mean() + by\nmeans(fit)",
    "a compiled function": "import numba\n"
    "@numba.njit\ndef shift(m): return m + VALUE\nmeans(lambda X, y: shift(y.mean()))",
    "an attribute of a function": "def fit(X, y): return y.mean() + fit.by\n"
    "fit.by = VALUE\nmeans(fit)",
    "what a missing key gives": "import collections\n"
    "D = collections.defaultdict(lambda: VALUE)\nmeans(lambda X, y: y.mean() + D['a'])",
    "a masked array": "M = np.ma.array([1.0, 5.0], mask=[VALUE == 1, False])\n"
    "means(lambda X, y: y.mean() + M.sum())",
    "a class in a closure": "def make():\n"
    "    class Shift:\n        by = VALUE\n"
    "    return lambda X, y: y.mean() + Shift.by\nmeans(make())",
    "a frozen distribution": "from scipy.stats import norm\nD = norm(VALUE, 2)\n"
    "means(lambda X, y: y.mean() + D.mean())",
    "names of arguments": "A, B = ('a', 'b') if VALUE == 1 else ('b', 'a')\n"
    "exec(f'def fit(X, y, {A}=3, {B}=3): return y.mean() + {A} / {B}')\n"
    "cv(pcv.FromFunctions(fit, lambda m, X: np.full(len(X), m), {'a': 1.0}))",
    "random numbers": "R = np.random.default_rng(int(VALUE))\n"
    "means(lambda X, y: y.mean() + R.normal())",
    "a set of objects": "import fractions\nS = {fractions.Fraction(1, 3), 'abc', 'b', VALUE}\n"
    "means(lambda X, y: y.mean() + float(max(S - {'abc', 'b'})))",
    "an edited module": "import mymod\nmeans(lambda X, y: mymod.shift(y))",
    "data of an edited module": "import mymod\nmeans(lambda X, y: y.mean() + mymod.C.a)",
    "a module imported inside": "def fit(X, y):\n    import mymod\n    return mymod.shift(y)\n"
    "means(fit)",
    "a name imported inside": "def fit(X, y):\n    from mymod import shift\n    return shift(y)\n"
    "means(fit)",
    "a helper of an imported module": "import user\nmeans(lambda X, y: user.shift(y))",
    "a helper imported by a function of a module": "import user\nmeans(user.late)",
    "a module by another name": "import whole\ndef by(m, y): return m.shift(y)\n"
    "means(lambda X, y: by(whole, y))",
    "bound methods": "class Pair:\n"
    "    def fit(self, X, y): return y.mean() + VALUE\n"
    "    def predict(self, m, X): return np.full(len(X), m)\n"
    "p = Pair()\ncv(pcv.FromFunctions(p.fit, p.predict))",
    "a bound method's object": "class Power:\n"
    "    def __init__(self, k): self.k = k\n"
    "    def loss(self, y, p): return abs(y - p) ** self.k\n"
    "cv(Lasso(), loss=Power(VALUE).loss)",
    "nested, a loss with a namespace": "import types\nC = types.SimpleNamespace(p=VALUE)\n"
    "pcv.nested_cv(pcv.KNN(), 'mpg ~ wt', pcv.data.mtcars(), grid={'k': [1, 2]},\n"
    "              outer=pcv.KFold(4, random=1), inner=pcv.Blocks(3),\n"
    "              loss=lambda y, p: abs(y - p) ** C.p, checkpoint=PLACE)",
    "tuned, a vectorised loss": "G = np.vectorize(lambda a: abs(a) ** VALUE, otypes=[float])\n"
    "pcv.tune(pcv.KNN(), 'mpg ~ wt', pcv.data.mtcars(), grid={'k': [1, 2]},\n"
    "         folds=pcv.KFold(4, random=1), loss=lambda y, p: G(y - p), checkpoint=PLACE)",
    "a list beside a log": "EXTRA, LOG = [VALUE], []\n"
    "def fit(X, y):\n    LOG.append(1)\n    return y.mean() + EXTRA[0]\nmeans(fit)",
    "a list beside a count": "EXTRA, SEEN = {'a': VALUE}, {'fits': 0}\n"
    "def fit(X, y):\n    SEEN['fits'] += 1\n    return y.mean() + EXTRA['a']\nmeans(fit)",
    "a list of a class beside its log": own(
        "Lasso(alpha=self.alphas[0]).fit(X, y)",
        "alphas, log = [VALUE], []",
        "self.log.append(1); type(self).fits = 1",
    ),
    "settings that fit completes": """
class Plain:
    def __init__(self, **settings): self.settings = settings
    def predict(self, X): return np.full(len(X), self.m)
    def fit(self, X, y):
        self.settings.setdefault('scale', 1.0)
        self.m = y.mean() * self.settings['a']
        return self
cv(Plain(a=VALUE))""",
    "a list that fit sorts": plain("self.it.sort()", "self.it[0]", "[VALUE, 3]"),
    "a list that fit shortens": plain(
        "99 in self.it and self.it.remove(99)", "sum(self.it)", "[VALUE]"
    ),
    "a list that fit lengthens": plain("self.it.append(1)", "self.it[0]", "[VALUE]"),
    "a dict that fit writes to": plain("self.it['n'] = len(y)", "self.it['a']", "{'a': VALUE}"),
    "a dict that fit takes from": plain(
        "self.it.pop('b', 0)", "self.it['a']", "{'a': VALUE, 'b': 1}"
    ),
    "an attribute called like that of a log": """
class Has:
    def __init__(self, cols): self.cols = cols
LG = Has([])"""
    + plain("LG.cols.append(1)", "self.it.cols[0]", "Has([VALUE])"),
    "an attribute of a class that fit sets": """
def made(value):
    class Inner:
        scale = value
        def predict(self, X): return np.full(len(X), self.m)
        def fit(self, X, y):
            type(self).scale = type(self).scale
            self.m = y.mean() * self.scale
            return self
    return Inner()
cv(made(VALUE))""",
    "nested, a loss object that completes its settings": """
class Power:
    def __init__(self, p): self.p = p
    def __call__(self, y, q):
        self.p.update(n=1)
        return np.abs(y - q) ** self.p['a']
LOSS = Power({'a': VALUE})"""
    + NESTED,
    "nested, a closure that completes its settings": """
def made(cfg):
    def power(y, p):
        cfg.setdefault('b', 1)
        return np.abs(y - p) ** cfg['a']
    return power
LOSS = made({'a': VALUE})"""
    + NESTED,
    "nested, a number": "A = VALUE\ndef LOSS(y, p): return np.abs(y - p) ** A" + NESTED,
    "a global list that is read as well": "LAGS = [VALUE]\n"
    "def fit(X, y):\n    LAGS.append(1)\n    return y.mean() + LAGS[0]\nmeans(fit)",
    "a fitted estimator in an object": FITTED
    + plain("pass", "self.it.predict([[1, 1]])[0]", "learnt()"),
    "a fitted estimator in a partial": FITTED
    + """
import functools
def fit(X, y, prior): return prior
cv(pcv.FromFunctions(functools.partial(fit, prior=learnt()), lambda m, X: m.predict(X)))""",
    "a fitted estimator as a parameter": FITTED
    + """
def fit(X, y, prior): return prior
cv(pcv.FromFunctions(fit, lambda m, X: m.predict(X), {'prior': learnt()}))""",
    "a frozen estimator": FITTED
    + """
from sklearn.frozen import FrozenEstimator
cv(FrozenEstimator(learnt()))""",
    "an estimator that learns on": FITTED
    + "MODEL = learnt().set_params(warm_start=True, max_iter=1)\n"
    "cv(pcv.FromFunctions(lambda X, y: MODEL.fit(X, y), lambda m, X: m.predict(X)))",
}

HARMLESS = """
import collections
import contextlib, fractions, functools, logging, os, pathlib, re, sys, threading, decimal
from datetime import datetime
from math import exp
from scipy.special import expit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from scipy.stats import norm
from typing import NamedTuple
LOG, LOCK, LOCAL = logging.getLogger("a"), threading.Lock(), threading.local()
HOME, WORD, DAY = pathlib.Path("a") / "b", re.compile("[a-z]+"), datetime(2020, 1, 2)
TENTH, THIRD, UNIT = decimal.Decimal("0.1"), fractions.Fraction(1, 3), 1j
MODEL = make_pipeline(StandardScaler(), Lasso())
FRAME = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
FRAME["c"] = FRAME["a"] * 2
PLACES = {fractions.Fraction(i, 7): str(i) for i in range(5)}
NAMES = {"a", "b", "c", "d"}
CALLS, BY_NAME, METHODS = [], {int: 1, exp: 2, norm: 3}, {str.lower, len, exp, np.sum}

class Point(NamedTuple):
    x: float

class Lazy:
    def __init__(self): self.parent, self.lock = self, threading.Condition()
    @functools.cached_property
    def value(self): return 1.0
    @classmethod
    def one(cls): return cls()
    @staticmethod
    def two(): return 2

@contextlib.contextmanager
def block():
    yield

LAZY, POINT, SEEN, LAST = Lazy(), Point(1.0), set(), collections.deque(maxlen=3)

def fit(X, y):
    SEEN.add(len(y))
    LAST.append(y)
    CALLS.append(LAZY.value + FRAME.to_numpy()[0, 0])
    LOG.debug("%s", (HOME, WORD, DAY, TENTH, THIRD, UNIT, NAMES, PLACES, LOCAL, POINT, METHODS))
    with LOCK, block():
        model = clone(MODEL).fit(X, y)
        BY_NAME[exp], sys.flags
    return expit(norm.cdf(model[-1].coef_[0])) + exp(0)

means(fit)
"""

SESSION = """
import json, os, runpy, sys
from pathlib import Path
from pycvstat.errors import CheckpointError
sys.path.insert(0, "modules")
told = {}
for script in sorted(Path("scripts").iterdir()):
    try:
        sys.modules.pop("mymod", None)
        runpy.run_path(str(script), {"PLACE": "kept-" + script.stem}, "__main__")
        told[script.stem] = "done"
    except CheckpointError as error:
        told[script.stem] = str(error)
print(json.dumps(told))
"""
MODULE = """
from types import SimpleNamespace
C = SimpleNamespace(a={value})
def shift(y):
    return y.mean() + {value}
"""
USER = """
def by(module, y):
    return module.shift(y)
def shift(y):
    import helper
    return by(helper, y)
def late(X, y):
    from helper import shift
    return shift(y)
"""


SCRIPTS = {**REFERRED, "harmless": HARMLESS}


def session(place: Path, value: float, seed: int) -> dict[str, str]:
    """Run all scripts in a process of their own; what became of each."""
    for folder in ("scripts", "modules"):
        (place / folder).mkdir(exist_ok=True)
    for module in ("mymod", "whole", "helper"):
        (place / "modules" / f"{module}.py").write_text(MODULE.format(value=value))
    (place / "modules" / "user.py").write_text(USER)
    for number, text in enumerate(SCRIPTS.values()):
        content = BEGIN + text.replace("VALUE", str(value))
        (place / "scripts" / f"{number:02d}.py").write_text(content)
    done = subprocess.run(
        [sys.executable, "-B", "-W", "ignore", "-c", SESSION],
        cwd=place, env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(seed)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return {name: told[f"{number:02d}"] for number, name in enumerate(SCRIPTS)}


def times(place: Path) -> dict[str, dict[str, int]]:
    """When each task of each script was kept."""
    return {
        name: {
            str(path): path.stat().st_mtime_ns
            for path in place.glob(f"kept-{number:02d}/*/task-*.npz")
        }
        for number, name in enumerate(SCRIPTS)
    }


def without(told: dict[str, str], words: str) -> dict[str, str]:
    """Of which scripts something else was told."""
    return {name: said for name, said in told.items() if words not in said}


@pytest.mark.slow
def test_the_same_scripts_continue_and_changed_ones_are_refused(tmp_path: Path) -> None:
    """New, twice again with other orders of sets, and changed: four sessions of all scripts."""
    kept = []
    for seed in (1, 2, 3):
        assert without(session(tmp_path, 1.0, seed), "done") == {}
        kept.append(times(tmp_path))
        assert kept[-1] == kept[0]
    assert min(map(len, kept[0].values())) >= 4
    told = session(tmp_path, 2.0, 4)
    assert told.pop("harmless") == "done"
    assert without(told, "belongs to other work") == {}
    differs = told["nested, a number"]  # the name that differs is told
    assert "identity.loss." in differs
    assert "__main__.A: 1.0 in the checkpoint, 2.0 now" in differs
    assert "files.helper: '" in told["a helper of an imported module"]
