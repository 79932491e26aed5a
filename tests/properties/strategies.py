"""Random data, learners, folds and losses: what users have, and what they should not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import pycvstat as pcv
from pycvstat.data.formula import quote
from pycvstat.learners.knn.distances import KERNELS

NAMES = st.one_of(
    st.sampled_from(["x", "y", "k", "if", "TRUE", "a b", "été", "1st", "x`y", 'q"uote', "a\nb",
                     "..1", ".", "I(x)", "log", "数", "fold", ".prediction", "loss", "$x$"]),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=6),
)  # fmt: skip
USUAL = st.floats(-100, 100, allow_nan=False, width=32)
EXTREME = st.sampled_from(
    [0.0, -0.0, 1e-310, 5e-324, 1e300, -1e300, 1e12, 1e-12, np.inf, -np.inf, np.nan]
)


KINDS = ["smooth", "smooth", "tied", "constant", "extreme", "text", "factor", "ordered", "logical",
         "integer", "nullable", "date"]  # fmt: skip


@st.composite
def columns(draw: Any, n: int, kinds: list[str] = KINDS) -> Any:
    """A column of n values: smooth, tied, constant, extreme, text, categorical, logical, ..."""
    kind = draw(st.sampled_from(kinds))

    def listed(values: Any) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    if kind == "smooth":
        return np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=n)
    if kind == "tied":
        return np.array(listed(st.integers(0, 2)), dtype=float)
    if kind == "constant":
        return np.full(n, draw(USUAL))
    if kind == "extreme":
        return np.array(listed(st.one_of(USUAL, EXTREME)), dtype=float)
    if kind == "text":
        return np.array(listed(st.sampled_from(["a", "b", "ü", ""])), dtype=object)
    if kind in ("factor", "ordered"):
        levels = ["lo", "mid", "hi", "never"]
        return pd.Categorical(
            listed(st.sampled_from(levels[:3])), levels, ordered=kind == "ordered"
        )
    if kind == "logical":
        return np.array(listed(st.booleans()))
    if kind == "integer":
        return np.array(listed(st.integers(-(2**40), 2**40)))
    if kind == "nullable":
        return pd.array(listed(st.one_of(st.integers(-3, 3), st.none())), dtype="Int64")
    return pd.Series(pd.to_datetime(listed(st.sampled_from(["2020-01-01", "2024-02-29"]))))


@st.composite
def frames(draw: Any) -> pd.DataFrame:
    """A frame of 1 to 24 rows and 1 to 5 columns."""
    n = draw(st.one_of(st.integers(1, 6), st.integers(7, 24)))
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    data = {name: draw(columns(n)) for name in names}
    return pd.DataFrame({k: (v.to_numpy() if isinstance(v, pd.Series) else v)
                         for k, v in data.items()})  # fmt: skip


LEARNERS = st.one_of(
    st.builds(
        pcv.KNN,
        k=st.integers(-1, 12),
        kernel=st.sampled_from(["rectangular", "optimal", "gaussian", "rank", "inv", "none"]),
        distance=st.sampled_from([0.5, 1, 2, 3, 0, -1]),
        scale=st.booleans(),
        ties=st.sampled_from(["kknn", "row"]),
    ),
    st.just(pcv.OLS()),
    st.just(pcv.Mean()),
    st.builds(pcv.GLM, st.sampled_from(["binomial", "poisson", "gaussian", "nope"])),
    st.builds(pcv.Ridge, lam=st.sampled_from([0.0, 0.1, 10.0, -1.0])),
    st.builds(pcv.Lasso, lam=st.sampled_from([0.01, 1.0])),
)
"""Built lazily: what a constructor refuses is an outcome, too."""

FOLDS = st.one_of(
    st.integers(-1, 30),
    st.builds(lambda k: pcv.Blocks(k), st.integers(2, 8)),
    st.builds(lambda k, s: pcv.KFold(k, random=s), st.integers(2, 8), st.integers(0, 99)),
    st.builds(lambda k, s: pcv.Stratified(k, random=s), st.integers(2, 4), st.integers(0, 99)),
    st.just(pcv.LeaveOneOut()),
    st.builds(lambda t, s: pcv.Holdout(t, random=s), st.sampled_from([0.1, 0.5, 0.9]),
              st.integers(0, 99)),
    st.builds(lambda t, s: pcv.Subsampling(t, train=0.7, random=s), st.integers(1, 3),
              st.integers(0, 99)),
    st.builds(lambda k, s: pcv.Repeated(pcv.KFold(k), times=2, random=s), st.integers(2, 4),
              st.integers(0, 99)),
    st.lists(st.integers(0, 3), max_size=24),
)  # fmt: skip
LOSSES = st.sampled_from(
    [None, None, None, "squared", "absolute", "zero_one", "log", "brier", "poisson", "huber",
     "pinball", "nonsense", "huber(..)", "pinball(2)", "huber(1e3)", 3, abs,
     lambda y, p: y * np.nan,
     lambda y, p: np.abs(y - p) ** 9, lambda y, p: 0.0, lambda y, p: y / {}]
)  # fmt: skip


@st.composite
def wide_frames(draw: Any) -> pd.DataFrame:
    """More columns than rows: n << p."""
    n, p = draw(st.integers(2, 9)), draw(st.integers(10, 40))
    scale = draw(st.sampled_from([1.0, 1e-300, 1e150, 5e-324]))
    values = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=(n, p)) * scale
    return pd.DataFrame(values, columns=[f"v{j}" for j in range(p)]).assign(y=np.arange(n) % 3.0)


@st.composite
def repeating_frames(draw: Any) -> pd.DataFrame:
    """Frames in which rows occur several times."""
    frame = draw(frames())
    rows = draw(st.lists(st.integers(0, len(frame) - 1), min_size=1, max_size=24))
    return frame.iloc[rows].reset_index(drop=True)


ANY_FRAME = st.one_of(frames(), frames(), repeating_frames(), wide_frames())

FUNCTIONS = ["{}", "{}", "I({}^2)", "log({})", "sqrt({})", "exp({})", "abs({})", "factor({})",
             "poly({}, 2)", "scale({})", "cut({}, c(-1, 0, 1))", "I({} > 0)", "ordered({})",
             "poly({}, 2, raw = TRUE)", "offset({})"]  # fmt: skip


WHOLE = ["{}", "{}", "0 + {}", "({})^2", ". + {}", ". - {}"]
LEFT = ["{}", "{}", "{}", "log({})", "I({} + 1)", "factor({})"]


@st.composite
def formulas(
    draw: Any, names: list[str], response: str, left: list[str] = LEFT, whole: list[str] = WHOLE
) -> str:
    """Right sides with interactions, powers and functions, of columns of a frame."""

    def variable() -> str:
        return draw(st.sampled_from(FUNCTIONS)).format(quote(draw(st.sampled_from(names))))

    right = variable()
    for _ in range(draw(st.integers(0, 3))):
        right = f"{right} {draw(st.sampled_from(['+', '+', ':', '*', '-', '%in%']))} {variable()}"
    made = draw(st.sampled_from(left)).format(quote(response))
    return f"{made} ~ {draw(st.sampled_from(whole)).format(right)}"


class Numb(BaseEstimator, RegressorMixin):
    """A foreign regressor that gives what its parameter says."""

    def __init__(self, gives: float = 0.0) -> None:
        self.gives = gives

    def fit(self, X: Any, y: Any) -> Numb:
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.gives)


class Shouting(Numb):
    """A foreign regressor that fails in a way of its own."""

    def fit(self, X: Any, y: Any) -> Numb:
        raise KeyError("no such thing")


FOREIGN = st.one_of(
    st.builds(LinearRegression),
    st.builds(LogisticRegression, C=st.sampled_from([1.0, 1e6]), max_iter=st.just(100)),
    st.builds(KNeighborsClassifier, st.integers(1, 5)),
    st.builds(KNeighborsRegressor, st.integers(1, 5)),
    st.builds(DecisionTreeRegressor, max_depth=st.just(2), random_state=st.just(0)),
    st.builds(GaussianNB),
    st.builds(lambda: make_pipeline(StandardScaler(), LinearRegression())),
    st.builds(Numb, st.sampled_from([0.0, np.nan, np.inf, 1e300])),
    st.builds(Shouting),
)  # fmt: skip
MORE_LEARNERS = st.one_of(
    LEARNERS,
    LEARNERS,
    st.builds(pcv.GLM, st.sampled_from(
        ["gamma", "inverse_gaussian", "negative_binomial", "tweedie", "quasipoisson"]
    )),
    st.builds(pcv.GLM, st.just("gaussian"), link=st.sampled_from(["log", "inverse", "cube"])),
    st.just(pcv.Logit()),
    st.just(pcv.MNLogit()),
    st.just(pcv.WLS()),
    st.builds(pcv.RLM, st.sampled_from(["huber", "bisquare", "hampel", "nope"])),
    st.builds(pcv.QuantReg, st.sampled_from([0.5, 0.01, 0.99, 0.0])),
    st.builds(pcv.ElasticNet, lam=st.sampled_from([0.0, 0.1, 1e300]), alpha=st.floats(-0.5, 1.5)),
    st.builds(pcv.Tuned, st.just(pcv.KNN()), st.fixed_dictionaries({"k": st.lists(
        st.integers(1, 4), min_size=1, max_size=3)}), inner=st.sampled_from([2, "dev", 3, 0])),
    st.builds(pcv.Tuned, st.just(pcv.Ridge()), st.just({"lam": [0.0, 1.0]}), inner=st.just(2)),
    FOREIGN,
)  # fmt: skip
PAIR = st.tuples(*[st.lists(st.integers(-1, 24), max_size=8)] * 2)
MORE_FOLDS = st.one_of(
    FOLDS,
    st.lists(PAIR, max_size=4),
    st.builds(lambda k, s: pcv.Grouped(k, random=s), st.integers(0, 5), st.integers(0, 99)),
    st.builds(pcv.TimeSeries, st.integers(0, 9), st.integers(0, 3), st.integers(0, 2),
              st.integers(0, 2), st.sampled_from(["expanding", "sliding"])),
    st.builds(pcv.NestedPairs, st.integers(1, 5), st.integers(0, 2), st.integers(0, 99)),
    st.builds(pcv.PairedHalves, st.integers(0, 3), st.integers(0, 3),
              st.sampled_from([0.5, 0.9, 1.5]), st.integers(0, 99)),
    st.builds(pcv.FiveByTwo, st.integers(0, 99)),
    st.builds(pcv.RFolds, st.sampled_from([*pcv.folds.DIALECTS, "none"]),
        st.integers(0, 6), st.integers(0, 99), st.integers(0, 2)),
    st.builds(pcv.Predefined, st.lists(st.sampled_from(["a", "b", None, 1, 2.5]), max_size=24)),
)  # fmt: skip
"""Built lazily, too: constructors refuse some of these."""


NUMBERS = st.one_of(
    st.builds(pcv.KNN, k=st.integers(1, 4), kernel=st.sampled_from(KERNELS), scale=st.booleans(),
              distance=st.sampled_from([0.5, 1, 2, 3, 7]), ties=st.sampled_from(["kknn", "row"])),
    st.just(pcv.OLS()), st.just(pcv.Mean()), st.just(pcv.RLM()), st.just(pcv.GLM()),
    st.builds(pcv.QuantReg, st.sampled_from([0.5, 0.8])),
    st.builds(pcv.Ridge, lam=st.sampled_from([0.01, 1.0])),
    st.builds(pcv.Lasso, lam=st.sampled_from([0.01, 0.5])),
    st.builds(pcv.ElasticNet, lam=st.just(0.1), alpha=st.sampled_from([0.0, 0.5, 1.0])),
    st.just(pcv.Tuned(pcv.KNN(), {"k": [1, 3]}, inner=pcv.KFold(2, random=1))),
    st.just(LinearRegression()), st.just(DecisionTreeRegressor(max_depth=2)),
)  # fmt: skip
COUNTS = st.one_of(st.just(pcv.GLM("poisson")), st.just(pcv.KNN(k=2)), st.just(pcv.OLS()))
CLASSES = st.one_of(
    st.builds(pcv.KNN, k=st.integers(1, 4), kernel=st.sampled_from(KERNELS)),
    st.just(pcv.MNLogit()), st.just(pcv.Mean()), st.just(GaussianNB()),
    st.just(KNeighborsClassifier(1)), st.just(LogisticRegression(max_iter=1000)),
)  # fmt: skip
TWO_CLASSES = st.one_of(CLASSES, st.just(pcv.Logit()), st.just(pcv.GLM("binomial", link="probit")))
RANKS = st.one_of(st.just(pcv.Mean()), st.builds(pcv.KNN, k=st.integers(1, 4),
                                                 ykernel=st.sampled_from([0, 1, 1.5])))  # fmt: skip
RESPONSES = {"number": NUMBERS, "weighted": NUMBERS, "tied": NUMBERS, "count": COUNTS,
             "logical": TWO_CLASSES, "two": TWO_CLASSES, "three": CLASSES,
             "ranks": RANKS}  # fmt: skip
LIKELY = ["smooth", "smooth", "smooth", "tied", "factor", "ordered", "logical", "integer", "text",
          "text", "factor", "smooth", "smooth", "constant", "nullable", "extreme"]  # fmt: skip


USUAL_FOLDS = st.one_of(
    st.builds(pcv.KFold, st.integers(2, 5), random=st.integers(0, 99)),
    st.builds(pcv.Blocks, st.integers(2, 4)),
    st.builds(pcv.Stratified, st.integers(2, 3), random=st.integers(0, 99)),
    st.just(pcv.LeaveOneOut()),
    st.builds(pcv.Holdout, st.sampled_from([0.2, 0.5]), random=st.integers(0, 99)),
    st.builds(pcv.Subsampling, st.integers(2, 4), random=st.integers(0, 99)),
    st.builds(lambda s: pcv.Repeated(pcv.KFold(3), times=2, random=s), st.integers(0, 99)),
    st.builds(pcv.NestedPairs, st.just(4), st.just(1), st.integers(0, 99)),
)


@dataclass(frozen=True)
class Problem:
    """Data that a statistician may well have, with a learner that suits the response."""

    frame: pd.DataFrame
    response: str
    learner: Any
    folds: Any
    given: dict[str, Any]

    @property
    def formula(self) -> str:
        return f"{quote(self.response)} ~ ."


def responses(draw: Any, kind: str, n: int) -> Any:
    """A response of a kind."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if kind in ("number", "weighted"):
        return rng.normal(size=n) * draw(st.sampled_from([1.0, 1.0, 1.0, 1e12, 1e-150, 1e100]))
    if kind in ("tied", "count"):
        return rng.integers(0, 4, n).astype(float)
    if kind == "logical":
        return rng.integers(0, 2, n) == 1
    words = ["lo", "hi"] if kind == "two" else ["lo", "mid", "hi"]
    return pd.Categorical(rng.choice(words, n), words, ordered=kind == "ranks")


@st.composite
def sound_problems(draw: Any, kinds: list[str] = LIKELY, responding: Any = None) -> Problem:
    """Problems most of which have an answer."""
    n = draw(st.integers(12, 40))
    names = draw(st.lists(NAMES, min_size=2, max_size=6, unique=True))
    kind = draw(st.sampled_from(list(responding or RESPONSES)))
    data = {name: draw(columns(n, kinds)) for name in names[1:]}
    place = draw(st.integers(0, len(data)))
    items = [*data.items()]
    items.insert(place, (names[0], responses(draw, kind, n)))
    folds = draw(USUAL_FOLDS)
    learner, given = draw(RESPONSES[kind]), {}
    if kind == "weighted":
        learner = pcv.WLS()
        given["weights"] = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0, 1e6]), min_size=n,
                                         max_size=n))  # fmt: skip
    if draw(st.integers(0, 4)) == 0:
        given["groups"] = list(np.arange(n) % 6)
        folds = pcv.Grouped(3, random=1)
    return Problem(pd.DataFrame(dict(items)), names[0], learner, folds, given)


@st.composite
def roles(draw: Any, frame: pd.DataFrame) -> dict[str, Any]:
    """weights= and groups=, sensible or not."""
    n = len(frame)
    weights = st.lists(
        st.sampled_from([0.0, 1.0, 1.0, 2.0, 1e-300, 1e300, -1.0, np.nan]), min_size=n, max_size=n
    )
    groups = st.lists(st.sampled_from(["a", "b", "c", None, 1]), min_size=n, max_size=n)
    found = {
        "weights": draw(st.one_of(st.none(), st.none(), weights, st.just("nowhere"))),
        "groups": draw(st.one_of(st.none(), groups, st.sampled_from(list(frame.columns)))),
    }
    return {role: given for role, given in found.items() if given is not None}  # fmt: skip
