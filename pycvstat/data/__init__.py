"""Data: columns of known kind with frozen levels, R's formulas, the task that learners see.

May import the rooms below. New here: a way to give data in `frame`, a function of formulas in
`formula`; nothing of a formula is executed. The example data are here too: `mtcars`, `iris` and
`mammals` as in R, `auto`, `hitters`, `portfolio` and `smarket` as in ISLR2, `waves` and `labels`
simulated with R's random numbers. Whose data they are stands in ``examples/LICENSES.txt``.

As in R: ``mtcars`` and ``iris`` of datasets and ``mammals`` of MASS, row names as the index.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.rmath.random import RRandom

__all__ = [
    "auto", "hitters", "iris", "labels", "mammals", "mtcars", "portfolio", "smarket", "waves",
]  # fmt: skip


def mtcars() -> pd.DataFrame:
    """Fuel use and ten aspects of 32 cars (Motor Trend 1974), index: the model.

    Examples
    --------
    >>> mtcars().shape
    (32, 11)
    """
    return _read("mtcars", index="model")


def iris() -> pd.DataFrame:
    """Sepals and petals of 150 irises (Anderson 1935); `Species` is categorical.

    Examples
    --------
    >>> iris()["Species"].cat.categories.tolist()
    ['setosa', 'versicolor', 'virginica']
    """
    return _read("iris").astype({"Species": "category"})


def mammals() -> pd.DataFrame:
    """Body weight (kg) and brain weight (g) of 62 mammals, index: the species.

    Examples
    --------
    >>> mammals().shape
    (62, 2)
    """
    return _read("mammals", index="species")


def auto() -> pd.DataFrame:
    """Fuel use and seven aspects of 392 cars (Quinlan 1993), their names.

    Examples
    --------
    >>> auto().shape
    (392, 9)
    """
    return _read("auto")


def hitters() -> pd.DataFrame:
    """Salary and performance of 322 baseball players in 1986; 59 salaries are missing.

    Examples
    --------
    >>> hitters().dropna().shape
    (263, 20)
    """
    return _read("hitters")


def portfolio() -> pd.DataFrame:
    """Simulated returns of two assets, X and Y, 100 times.

    Examples
    --------
    >>> portfolio().shape
    (100, 2)
    """
    return _read("portfolio")


def smarket() -> pd.DataFrame:
    """Year and direction of 1,250 days of the S&P 500 index, and the two returns before.

    Examples
    --------
    >>> smarket().columns.tolist()
    ['Year', 'Lag1', 'Lag2', 'Direction']
    """
    return _read("smarket")


def waves(n: int = 200, random: int = 1) -> pd.DataFrame:
    """A simulated regression: y = sin(x1) + x2^2/5 + x3/10 + noise of sd 0.4.

    As in R: ``set.seed(1); x1 <- rnorm(n); x2 <- runif(n, -2, 5); x3 <- rexp(n);
    y <- sin(x1) + x2^2/5 + x3/10 + rnorm(n, sd = 0.4)``.

    Examples
    --------
    >>> waves(3).round(3).values.tolist()[0]
    [-0.626, 4.613, 2.895, 3.956]
    """
    rng = RRandom(random)
    x1, x2, x3 = rng.rnorm(n), rng.runif(n, -2, 5), rng.rexp(n)
    y = np.sin(x1) + x2**2 / 5 + x3 / 10 + rng.rnorm(n, sd=0.4)
    return pd.DataFrame({"x1": x1, "x2": x2, "x3": x3, "y": y})


def labels(n: int = 200, random: int = 1) -> pd.DataFrame:
    """A simulated classification: class "b" with probability plogis(2 x1 - x2).

    As in R: ``set.seed(1); x1 <- rnorm(n); x2 <- rnorm(n);
    y <- factor(ifelse(runif(n) < plogis(2*x1 - x2), "b", "a"))``.

    Examples
    --------
    >>> labels(100)["y"].cat.categories.tolist()
    ['a', 'b']
    """
    rng = RRandom(random)
    x1, x2 = rng.rnorm(n), rng.rnorm(n)
    chance = 1 / (1 + np.exp(-(2 * x1 - x2)))
    y = np.where(rng.runif(n) < chance, "b", "a")
    return pd.DataFrame({"x1": x1, "x2": x2, "y": pd.Categorical(y, ["a", "b"])})


def _read(name: str, **options: Any) -> pd.DataFrame:
    index = options.pop("index", None)
    folder = files("pycvstat.data").joinpath("examples")
    packed = folder.joinpath(f"{name}.csv.gz")
    where = packed if packed.is_file() else folder.joinpath(f"{name}.csv")
    with where.open("rb") as file:
        frame = pd.read_csv(file, compression="gzip" if where is packed else None)
    return frame if index is None else frame.set_index(index)
