"""What a search finds: neighbours for one number of them, or for a path of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pycvstat.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Neighbours of m new rows, nearest first.

    Parameters
    ----------
    sums : (m, size) float64
        Distances to the power p; kknn's 1e300 where there was no row left.
    rows : (m, size) int64
        Positions of the neighbours among the training rows.
    """

    sums: FloatArray
    rows: IntArray

    def distances(self, p: float) -> FloatArray:
        """The distances: roots of the sums."""
        if p == 2:
            return np.sqrt(self.sums)
        if p == 1:
            return self.sums
        from pycvstat.learners.knn.compiled.scan import roots

        result: FloatArray = roots(self.sums, p)
        return result


@dataclass(frozen=True, slots=True, eq=False)
class FoundPath:
    """Neighbours of m new rows for every k of a path.

    One search serves all k, except where rows are at equal distances: which of them kknn takes,
    and in which order, depends on k.

    Parameters
    ----------
    ks : (s,) int64
        Ascending.
    found : Found
        The nearest ``max(ks) + 1``.
    tied : (t,) int64
        New rows with ties.
    tied_rows : (t, s, max(ks) + 1) int64
        Their neighbours for every k.
    tied_from : (t,) int64
        Place in `ks` from which on they differ from `found`.
    """

    ks: IntArray
    found: Found
    tied: IntArray
    tied_rows: IntArray
    tied_from: IntArray

    def rows(self, place: int) -> IntArray:
        """Neighbours for ``ks[place]``, (m, k)."""
        k = int(self.ks[place])
        rows = self.found.rows[:, :k]
        differ = self.tied_from <= place
        if not differ.any():
            return rows
        rows = rows.copy()
        rows[self.tied[differ]] = self.tied_rows[differ, place, :k]
        return rows
