"""Plans of pairs, which certain intervals and tests need."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from pycvstat.errors import FoldError
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.problems import require_few_fits
from pycvstat.folds.splits import require_both, require_share, rows_in_share
from pycvstat.folds.splitter import (
    Given,
    Layout,
    RowsInR,
    Splitter,
    require_enough,
    require_folds,
    require_random,
    require_times,
)
from pycvstat.rmath.random import Random, Stream
from pycvstat.types import IntArray


@dataclass(frozen=True, repr=False)
class NestedPairs(Splitter):
    """K-fold partitions where every fold, and every pair of folds, is left out once.

    For the interval of Bates, Hastie and Tibshirani (2024): the fit that leaves out fold i tests
    it, the fit that leaves out folds i and j tests both. That makes K (K + 1) / 2 fits per
    repetition; ``plan.left_out`` names the folds (counted from 0).

    Parameters
    ----------
    k : int, default 10
        Number of folds, at least 3.
    repeats : int, default 50
        Number of random partitions.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.

    Examples
    --------
    >>> plan = NestedPairs(3, repeats=1, random=1).plan(6)
    >>> plan.left_out
    ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
    >>> plan.n_train
    array([4, 4, 4, 2, 2, 2])
    """

    k: int = 10
    repeats: int = 50
    random: Random = None

    def __post_init__(self) -> None:
        k, repeats = require_folds(self.k, least=3), require_times(self.repeats, "repeats")
        self._read(k=k, repeats=repeats, random=require_random(self.random))

    def _layout(self, given: Given, stream: Stream) -> Layout:
        require_enough(self.k, given.n, fix="use fewer folds")
        require_few_fits(self.get_n_splits(), self.repeats * self.k * given.n)
        left_out = [(i,) for i in range(self.k)] + list(combinations(range(self.k), 2))
        chunks = np.array_split(np.arange(given.n), self.k)
        places = [np.concatenate([chunks[i] for i in folds]) for folds in left_out]
        dealt = np.concatenate(places)
        return Layout(
            "nested_pairs",
            [stream.permutation(given.n)[dealt] for _ in range(self.repeats)],
            np.repeat(np.arange(self.repeats), len(left_out)),
            np.tile(np.arange(len(left_out)), self.repeats),
            left_out=left_out * self.repeats,
            sizes=np.tile([len(part) for part in places], self.repeats),
        )

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR("pcv_folds_nested_pairs(n, k)", {"k": self.k}, times=self.repeats)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return self.repeats * self.k * (self.k + 1) // 2


@dataclass(frozen=True, repr=False)
class PairedHalves(Splitter):
    """Subsamples of all rows, and paired subsamples of two disjoint halves.

    For the conservative z of Nadeau and Bengio (2003). The first `inner` fits (repetition 0)
    subsample all rows. Then, `outer` times, the rows are cut at random into two halves and each
    half is subsampled `inner` times with as many test rows as before.

    Parameters
    ----------
    inner : int, default 15
        Subsamples of all rows and of each half.
    outer : int, default 10
        Number of random halvings.
    train : float or int, default 0.9
        Share of training rows among all rows, or their number.
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.

    Notes
    -----
    As in R: the draws of mlr3inferr's ``rsmp("paired_subsampling")``.

    Examples
    --------
    >>> plan = PairedHalves(inner=2, outer=1, random=1).plan(20)
    >>> plan.n_train
    array([18, 18,  8,  8,  8,  8])
    >>> plan.n_test
    array([2, 2, 2, 2, 2, 2])
    """

    inner: int = 15
    outer: int = 10
    train: float = 0.9
    random: Random = None

    def __post_init__(self) -> None:
        inner, outer = require_times(self.inner, "inner"), require_times(self.outer, "outer")
        train, random = require_share(self.train, "train"), require_random(self.random)
        self._read(inner=inner, outer=outer, train=train, random=random)

    def _layout(self, given: Given, stream: Stream) -> Layout:
        n = given.n
        tested = n - round(rows_in_share(self.train, n))
        half = n // 2
        if half - tested < 1:
            problem = "Half of the rows must be more than the test rows."
            fix = "use a larger share of training rows"
            raise FoldError(problem, given=f"{n} rows, {tested} of them tested", fix=fix)
        require_both(n - tested, tested, n)
        require_few_fits(self.get_n_splits(), self.inner * (1 + self.outer) * n)
        splits = self._subsamples(np.arange(n), tested, stream)
        for _ in range(self.outer):
            order = stream.sample(n, 2 * half) - 1
            for rows in (order[:half], order[half:]):
                splits += self._subsamples(rows, tested, stream)
        fits = np.arange(self.outer * 2 * self.inner)
        return Layout(
            "paired_halves",
            [test for _, test in splits],
            np.concatenate([np.zeros(self.inner, dtype=int), 1 + fits // (2 * self.inner)]),
            np.concatenate([np.arange(self.inner), fits % (2 * self.inner)]),
            [train for train, _ in splits],
        )

    def _subsamples(
        self, rows: IntArray, tested: int, stream: Stream
    ) -> list[tuple[IntArray, IntArray]]:
        """Training and test rows of `inner` subsamples of some rows."""
        splits = []
        for _ in range(self.inner):
            train = rows[stream.sample(len(rows), len(rows) - tested) - 1]
            splits.append((train, np.setdiff1d(rows, train)))
        return splits

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR(
            "pcv_folds_paired_halves(n, inner, outer, train, part)",
            {"inner": self.inner, "outer": self.outer, "train": self.train},
            trains=True,
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return self.inner * (1 + 2 * self.outer)


@dataclass(frozen=True, repr=False)
class FiveByTwo(Splitter):
    """Five random halvings, each half tested by a fit on the other.

    For the tests of Dietterich (1998) and Alpaydin (1999).

    Parameters
    ----------
    random : int, RRandom, numpy.random.Generator, optional
        An integer means R's ``set.seed``.

    Examples
    --------
    >>> plan = FiveByTwo(random=1).plan(10)
    >>> len(plan), plan.times
    (10, 5)
    """

    random: Random = None

    def __post_init__(self) -> None:
        self._read(random=require_random(self.random))

    def _layout(self, given: Given, stream: Stream) -> Layout:
        require_enough(2, given.n, fix="collect more data")
        test = [half for _ in range(5) for half in np.array_split(stream.permutation(given.n), 2)]
        return Layout("five_by_two", test, np.repeat(np.arange(5), 2), np.tile([0, 1], 5))

    def in_r(self) -> RowsInR:
        """How R makes the same rows."""
        return RowsInR("pcv_folds_five_by_two(n)", times=5)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of fits, for use as scikit-learn's ``cv=``."""
        return 10


def own_and_other_fold(plan: FoldPlan) -> tuple[IntArray, IntArray, IntArray, int]:
    """Where the rows of a `NestedPairs` plan belong.

    Returns
    -------
    home : (times, n) int64
        The fold of every row, counted from 0.
    own, other : (N,) int64
        The row's own fold, and the other fold left out with it (-1: none).
    k : int
        Number of folds.

    Examples
    --------
    >>> from pycvstat.folds import NestedPairs
    >>> home, own, other, k = own_and_other_fold(NestedPairs(3, repeats=1, random=1).plan(3))
    >>> home.tolist(), other.tolist(), k
    ([[0, 1, 2]], [-1, -1, -1, 1, 0, 2, 0, 2, 1], 3)
    """
    left_out = plan.left_out or ()
    first = np.array([folds[0] for folds in left_out])
    last = np.array([folds[-1] for folds in left_out])
    repeat, alone, both = (
        np.repeat(of, plan.n_test) for of in (plan.repeat, first == last, first + last)
    )
    home = np.empty((plan.times, plan.n), dtype=np.int64)
    home[repeat[alone], plan.rows[alone]] = both[alone] // 2
    own = home[repeat, plan.rows]
    other = np.where(alone, -1, both - own)
    return home, own, other, int(last.max()) + 1
