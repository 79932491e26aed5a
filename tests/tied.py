"""Losses whose means are equal in R, and told apart by sums in another order."""

from __future__ import annotations

import numpy as np

from pycvstat import rmath


def tied_columns(rows: int, seed: int = 0) -> np.ndarray:
    """Two columns of the same numbers within 0..1; NumPy takes the second to have less mean."""
    draw = np.random.default_rng(seed)
    while True:
        column = draw.random(rows)
        both = np.column_stack([column, draw.permutation(column)])
        rough = both.mean(axis=0)
        exact = [rmath.mean(c) for c in both.T]
        if rough[1] < rough[0] and exact[0] == exact[1]:
            return both
