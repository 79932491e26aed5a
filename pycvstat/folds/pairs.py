"""Which folds the fits of a pairwise plan leave out, seen from their test rows."""

from __future__ import annotations

import numpy as np

from pycvstat.folds.plan import FoldPlan
from pycvstat.types import IntArray


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
    fit = np.repeat(np.arange(len(plan)), plan.n_test)
    repeat, alone = plan.repeat[fit], (first == last)[fit]
    home = np.empty((plan.times, plan.n), dtype=np.int64)
    home[repeat[alone], plan.rows[alone]] = first[fit[alone]]
    own = home[repeat, plan.rows]
    other = np.where(alone, -1, first[fit] + last[fit] - own)
    return home, own, other, int(last.max()) + 1
