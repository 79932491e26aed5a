"""Laws of (X, Y) whose regression function is known, so that every risk is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import is_whole, shown
from pycvstat.folds.plan import FoldPlan
from pycvstat.learners.base import Learner, Prepared
from pycvstat.losses import Loss, as_loss
from pycvstat.procedures.grid import as_candidates
from pycvstat.rmath.random import RRandom, as_stream
from pycvstat.types import FloatArray, IntArray

TEST_SEED = 20_260_101  # the points at which risks are averaged are drawn once, by this seed


@dataclass(frozen=True, eq=False, repr=False)
class Law:
    """A law of (X, Y): Y = mean(X) + noise, or P(Y = 1 | X) = mean(X).

    Parameters
    ----------
    name : str
    d : int
        Number of predictors; they are independent standard uniform, or normal.
    mean : callable
        ``mean(X) -> (n,)``: the regression function, or the probability of class 1.
    noise : float
        Standard deviation of the normal noise; unused for classes.
    classes : bool
        Whether Y is 0 or 1.
    uniform : bool
        Whether predictors are uniform on (0, 1) instead of normal.
    points : int
        Number of fixed points at which risks are averaged.

    Examples
    --------
    >>> law = Law("line", 1, lambda X: X[:, 0], noise=0.5)
    >>> X, y = law.draw(RRandom(1), 4)
    >>> X.shape, law.bayes_risk
    ((4, 1), 0.25)
    """

    name: str
    d: int
    mean: Callable[[FloatArray], FloatArray]
    noise: float = 1.0
    classes: bool = False
    uniform: bool = False
    points: int = 2000

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def loss(self) -> Loss:
        """The loss whose risk is known: squared error, or 0-1 for classes."""
        return as_loss("zero_one" if self.classes else "squared")

    def predictors(self, stream: Any, n: int) -> FloatArray:
        """Draw n rows of predictors."""
        draws = stream.runif(n * self.d) if self.uniform else stream.rnorm(n * self.d)
        return np.asarray(draws).reshape(n, self.d)

    def draw(self, stream: Any, n: int) -> tuple[FloatArray, FloatArray]:
        """Draw n rows: predictors and response."""
        X = self.predictors(stream, n)
        if self.classes:
            return X, (np.asarray(stream.runif(n)) < self.mean(X)).astype(np.float64)
        return X, self.mean(X) + np.asarray(stream.rnorm(n, sd=self.noise))

    @cached_property
    def test_points(self) -> FloatArray:
        """The points at which risks are averaged."""
        return self.predictors(RRandom(TEST_SEED), self.points)

    @cached_property
    def test_means(self) -> FloatArray:
        """The regression function there."""
        return self.mean(self.test_points)

    @cached_property
    def bayes_risk(self) -> float:
        """Risk of the best predictor: squared error, or 0-1 for classes."""
        if self.classes:
            p = self.test_means
            return float(np.minimum(p, 1 - p).mean())
        return self.noise**2

    def risk(self, predictions: FloatArray, means: FloatArray | None = None) -> FloatArray:
        """Risk of predictors, averaged over the points where they predict `predictions`.

        The noise is averaged analytically: squared error is the noise variance plus the squared
        distance from the regression function; for classes a prediction above 1/2 means class 1.

        Parameters
        ----------
        predictions : (..., points) float64
        means : (points,) float64, optional
            The regression function at those points; by default they are `test_points`.
        """
        f = self.test_means if means is None else means
        if self.classes:
            return np.asarray(np.where(predictions > 0.5, 1 - f, f).mean(axis=-1))
        return np.asarray(self.bayes_risk + ((predictions - f) ** 2).mean(axis=-1))


@dataclass(frozen=True, eq=False, repr=False)
class HeavyTailed(Law):
    """A law whose noise is t distributed, times `noise`.

    Parameters
    ----------
    df : int
        Degrees of freedom, at least 3.

    Examples
    --------
    >>> HeavyTailed("t3", 1, lambda X: X[:, 0], noise=2.0).bayes_risk
    12.0
    """

    df: int = 3

    def draw(self, stream: Any, n: int) -> tuple[FloatArray, FloatArray]:
        """Draw n rows: predictors and response."""
        rows = self.df + 1
        X, normal = self.predictors(stream, n), np.asarray(stream.rnorm(rows * n)).reshape(rows, n)
        noise = normal[0] / np.sqrt((normal[1:] ** 2).mean(axis=0))
        return X, self.mean(X) + self.noise * noise

    @cached_property
    def bayes_risk(self) -> float:
        """Risk of the regression function: the variance of the noise."""
        return self.df / (self.df - 2) * self.noise**2


@dataclass(frozen=True, eq=False, repr=False)
class Skewed(Law):
    """A law whose noise is lognormal about its mean, times `noise`.

    Examples
    --------
    >>> round(Skewed("lognormal", 1, lambda X: X[:, 0]).bayes_risk, 4)
    4.6708
    """

    def draw(self, stream: Any, n: int) -> tuple[FloatArray, FloatArray]:
        """Draw n rows: predictors and response."""
        X, normal = self.predictors(stream, n), np.asarray(stream.rnorm(n))
        return X, self.mean(X) + self.noise * (np.exp(normal) - math.exp(0.5))

    @cached_property
    def bayes_risk(self) -> float:
        """Risk of the regression function: the variance of the noise."""
        return (math.e - 1) * math.e * self.noise**2


@dataclass(frozen=True, eq=False, repr=False)
class GroupedNoise(Law):
    """A law whose rows share predictors and noise within groups in part.

    Parameters
    ----------
    sizes : tuple of int
        Rows of the groups, over and over again.
    share : float
        Share of the variance that is common to a group.

    Examples
    --------
    >>> GroupedNoise("groups", 1, lambda X: X[:, 0], sizes=(5,)).bayes_risk
    1.0
    """

    sizes: tuple[int, ...] = (1,)
    share: float = 0.5

    def draw(self, stream: Any, n: int) -> tuple[FloatArray, FloatArray]:
        """Draw n rows: predictors and response."""
        group, columns = group_of(n, self.sizes), self.d + 1
        groups = int(group[-1]) + 1
        common = np.asarray(stream.rnorm(groups * columns)).reshape(groups, columns)
        own = np.asarray(stream.rnorm(n * columns)).reshape(n, columns)
        spread = common[group]
        both = np.sqrt(self.share) * spread + np.sqrt(1 - self.share) * own
        X = both[:, : self.d]
        return X, self.mean(X) + self.noise * both[:, self.d]


def group_of(n: int, sizes: tuple[int, ...]) -> IntArray:
    """The group of each of n rows, groups having these sizes over and over again.

    Examples
    --------
    >>> group_of(7, (1, 2))
    array([0, 1, 1, 2, 3, 3, 4])
    """
    repeated = np.tile(sizes, n // sum(sizes) + 1)
    return np.repeat(np.arange(len(repeated)), repeated)[:n]


def sine(noise: float = 0.5) -> Law:
    """Two periods of a sine on (0, 1) with one predictor: the shape of the course's pictures.

    Examples
    --------
    >>> sine().d
    1
    """
    return Law("sine", 1, lambda X: np.sin(4 * np.pi * X[:, 0]), noise, uniform=True)


def plane(d: int = 3, noise: float = 1.0) -> Law:
    """A linear law with d standard normal predictors and coefficients 1.

    Examples
    --------
    >>> plane(2).d
    2
    """
    return Law(f"plane in {d} dimensions", d, lambda X: X.sum(axis=1), noise)


def bumps(d: int = 3, noise: float = 0.7) -> Law:
    """sin(x1) + x2^2/2 with d standard normal predictors, the rest irrelevant.

    Examples
    --------
    >>> bumps().d
    3
    """
    return Law(
        f"bumps in {d} dimensions", d, lambda X: np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2, noise
    )


def two_classes(d: int = 2, slope: float = 2.0) -> Law:
    """Classes with P(Y = 1) logistic in the first predictor.

    Examples
    --------
    >>> two_classes().classes
    True
    """
    return Law(
        f"two classes in {d} dimensions",
        d,
        lambda X: 1 / (1 + np.exp(-slope * X[:, 0])),
        classes=True,
    )


def task_of(
    X: FloatArray, y: FloatArray, points: FloatArray | None = None, formula: str = "y ~ ."
) -> Task:
    """Draws of a law as a task: the response y, the predictors x1, x2, ...; points follow as rows.

    Examples
    --------
    >>> task_of(np.ones((3, 2)), np.arange(3.0)).formula.predictors
    ('x1', 'x2')
    """
    if points is not None:
        X, y = np.vstack([X, points]), np.append(y, np.zeros(len(points)))
    return Task.build(formula, {"y": y} | {f"x{j}": column for j, column in enumerate(X.T, 1)})


def at_points(trained: Sequence[IntArray], n: int, points: int) -> FoldPlan:
    """A plan that trains on some of n rows each, and tests every fit on points that follow them.

    Examples
    --------
    >>> at_points([np.arange(3), np.arange(2)], 3, 2).to_rows()
    [array([3, 4]), array([3, 4])]
    """
    return FoldPlan.from_splits([(rows, np.arange(n, n + points)) for rows in trained], n + points)


def predictions(prepared: Prepared, plan: FoldPlan) -> FloatArray:
    """Predictions (fits, C, P) of points by every candidate; the plan is made by `at_points`.

    Examples
    --------
    >>> from pycvstat.learners.ols import Mean
    >>> X, y = np.zeros((4, 1)), np.array([1.0, 2.0, 3.0, 6.0])
    >>> plan = at_points([np.arange(4), np.arange(3)], 4, 1)
    >>> predictions(Mean().prepare(task_of(X, y, X[:1])), plan).ravel()
    array([3., 2.])
    """
    contexts = prepared.begin(plan, as_stream(1))
    fits = zip(plan, contexts, strict=False)  # the last context is for all rows
    return np.stack([prepared.predict(*rows, None, context).values for rows, context in fits])


def predictions_at(
    points: FloatArray, learner: Learner, X: FloatArray, y: FloatArray, grid: Any = None
) -> FloatArray:
    """Predictions (C, P) of points by every candidate of a grid, trained on X, y."""
    candidates = ({},) if grid is None else as_candidates(grid, learner)
    prepared = learner.prepare(task_of(X, y, points), candidates)
    plan = at_points([np.arange(len(y))], len(y), len(points))
    return np.asarray(predictions(prepared, plan)[0])


def check_asked(law: Any, replications: Any, *sizes: Any) -> None:
    """Refuse what is no law, and numbers of rows or replications that are none."""
    if not isinstance(law, Law):
        fix = "use one of ours, such as sine() or two_classes(), or make a Law(...)"
        raise InputError("a simulation draws from a Law.", given=shown(law), fix=fix)
    for size in sizes:
        if not is_whole(size) or size < 1:
            raise InputError("the number of rows must be a whole number.", given=shown(size))
    if not is_whole(replications) or replications < 1:
        raise InputError("replications must be a whole number.", given=shown(replications))


@dataclass(frozen=True, slots=True)
class MonteCarlo:
    """A mean over independent replications.

    Examples
    --------
    >>> MonteCarlo.of([1.0, 2.0, 3.0]).mean
    2.0
    """

    mean: float
    std_error: float
    replications: int

    @classmethod
    def of(cls, values: ArrayLike) -> MonteCarlo:
        """Mean and standard error of replications."""
        x = np.asarray(values, dtype=np.float64)
        error = float(x.std(ddof=1) / np.sqrt(x.size)) if x.size > 1 else np.nan
        return cls(float(x.mean()), error, x.size)
