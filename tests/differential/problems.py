"""Small problems whose numbers there are two ways to, and how many of them are tried of what.

PYCVSTAT_CASES is the number of generated cases of all properties together, as for
``tests/properties``: 1,000 by default and 2,000 in CI; 100,000 in the nightly run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import pycvstat as pcv
from tests.properties.cases import shared_out

SHARES = {  # per cent of the cases
    "numpy": 25,
    "sklearn": 11,
    "sklearn_tuning": 1,
    "same_model": 11,
    "live_r": 4,
    "formula_and_arrays": 8,
    "polars": 6,
    "row_labels": 8,
    "renaming": 7,
    "misspelt": 7,
    "metrics": 7,
    "procedures": 4,
    "workers": 0.5,
    "resumed": 0.5,
}
cases = shared_out(SHARES)


@dataclass(frozen=True)
class Numeric:
    """Predictors and a response that are numbers, with folds; classes are codes."""

    X: np.ndarray
    y: np.ndarray
    folds: Any
    weights: np.ndarray | None = None

    @property
    def names(self) -> list[str]:
        return [f"x{j}" for j in range(self.X.shape[1])]

    @property
    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.X, columns=self.names).assign(y=self.y)

    def classes_are_met(self, plan: Any) -> bool:
        """Whether there are several classes, and every fit meets all of them."""
        known = len(np.unique(self.y))
        return known > 1 and all(len(np.unique(self.y[train])) == known for train, _ in plan)


@cache  # hypothesis looks long at strategies that it has not met
def splitters(n: int) -> st.SearchStrategy[Any]:
    """Folds of several kinds, of rows without groups."""
    seeds = st.integers(0, 99)
    return st.one_of(
        st.builds(pcv.KFold, st.integers(2, 5), random=seeds),
        st.builds(pcv.Blocks, st.integers(2, 4)),
        st.builds(pcv.Holdout, st.sampled_from([0.2, 0.5]), random=seeds),
        st.builds(pcv.Subsampling, st.integers(2, 3), random=seeds),
        st.builds(lambda s: pcv.Repeated(pcv.KFold(3), times=2, random=s), seeds),
        st.builds(lambda k, s: pcv.RFolds(k, 4, s), st.sampled_from(["rsample", "cv"]), seeds),
        st.builds(lambda s: np.random.default_rng(s).permutation(np.arange(n) % 4), seeds),
    )


@st.composite
def numeric_problems(draw: Any, kind: str = "number", weighted: bool | None = False) -> Numeric:
    """Smooth predictors: no two rows are at the same distance, every fit has one solution."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(16, 40)), draw(st.integers(1, 3))
    X = rng.normal(size=(n, p)) * draw(st.sampled_from([1.0, 1.0, 100.0, 0.01]))
    signal = X[:, 0] / X[:, 0].std()
    noise = rng.normal(size=n)
    if kind == "number":
        y = (signal + noise) * draw(st.sampled_from([1.0, 1.0, 1e3, 1e-3])) + draw(
            st.sampled_from([0.0, 10.0])
        )
    elif kind == "count":
        y = rng.poisson(np.exp(0.5 + 0.3 * signal)).astype(float)
    else:
        classes = {"two": 2, "three": 3}[kind]
        y = np.digitize(0.5 * signal + noise, np.linspace(-0.5, 0.5, classes - 1))
    weights = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = rng.choice([0.5, 1.0, 2.0, 3.0], n)
    return Numeric(X, y, draw(splitters(n)), weights)
