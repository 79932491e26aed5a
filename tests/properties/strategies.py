"""Random data, learners, folds and losses: what users have, and what they should not have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import pycvstat as pcv

NAMES = st.one_of(
    st.sampled_from(["x", "y", "k", "if", "TRUE", "a b", "été", "1st", "x`y", 'q"uote', "a\nb",
                     "..1", ".", "I(x)", "log", "数", "fold", ".prediction", "loss", "$x$"]),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=6),
)  # fmt: skip
USUAL = st.floats(-100, 100, allow_nan=False, width=32)
EXTREME = st.sampled_from(
    [0.0, -0.0, 1e-310, 5e-324, 1e300, -1e300, 1e12, 1e-12, np.inf, -np.inf, np.nan]
)


@st.composite
def columns(draw: Any, n: int) -> Any:
    """A column of n values: smooth, tied, constant, extreme, text, categorical, logical, ..."""
    kind = draw(
        st.sampled_from(
            ["smooth", "smooth", "tied", "constant", "extreme", "text", "factor", "ordered",
             "logical", "integer", "nullable", "date"]
        )
    )  # fmt: skip

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
     "pinball", "nonsense"]
)  # fmt: skip
