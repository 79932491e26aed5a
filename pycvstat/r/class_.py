"""R's package class: k nearest neighbours with its ties, and its draws among them.

The neighbours are those of the least Euclidean distance; as in class, squared distances that differ
by less than 1e-4 of their size are tied. Of distances tied at the k-th all vote (``use_all``), or
some drawn at random; ties of votes are broken at random. The draws are class's own, from the stream
of `pycvstat.r.set_seed`. What is odd in class is kept:

- a draw is also made for each class without a vote that comes before the first with one;
- with ``use_all=False`` nothing is drawn where only the k-th neighbour is tied with further ones:
  the first of them votes;
- else one that is drawn for a place replaces none where the place that it is given, counted from
  the number of nearer neighbours, is beyond the places that there are;
- of distances that are tied but not equal, those beyond the first 2k - 1 may not vote;
- as many neighbours as would need a list of 999 are refused, so every k from 500 on.

Left out: the package's other methods (`condense`, `multiedit`, `reduce.nn`, `lvq`, `SOM`).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.errors import InputError
from pycvstat.errors.names import answering
from pycvstat.r.session import stream
from pycvstat.r.values import Factor, neighbours_of, rows_and_classes, squares, whole
from pycvstat.types import FloatArray, IntArray

if TYPE_CHECKING:
    from pycvstat.rmath.random import RRandom

__all__ = ["knn", "knn1", "knn_cv"]

TIED = 1e-4  # of a squared distance
LONGEST = 999  # neighbours that class has no place for


@answering
def knn(
    train: Any,
    test: Any,
    cl: Any,
    k: int = 1,
    l: int = 0,  # noqa: E741
    prob: bool = False,
    use_all: bool = True,
) -> Factor:
    """Classify rows by the vote of their k nearest neighbours.

    Parameters
    ----------
    train : frame or (n, p) array
        Numbers only; of one dimension it is one column.
    test : frame or (m, p) array
        Of one dimension it is one row.
    cl : sequence, shape (n,)
        The classes of the training rows.
    k : int
    l : int
        Doubt (NaN) unless the winner has at least so many votes, tied ones come on top.
    prob : bool
        Whether the result has the winner's share of the votes as ``prob``.
    use_all : bool
        Whether all distances tied at the k-th vote.

    Returns
    -------
    Factor
        A pandas Categorical.

    Notes
    -----
    As in R: ``class::knn(train, test, cl, k, l, prob, use.all)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> found = r.class_.knn([0.0, 1.0, 2.0], [[0.4], [1.5]], ["a", "b", "b"], k=2, prob=True)
    >>> list(found), found.prob.tolist()
    (['b', 'b'], [0.5, 1.0])
    """
    rows, new, classes = rows_and_classes(train, test, cl)
    k, least = neighbours_of(k, len(rows)), whole(l, "l")
    codes = np.asarray(classes.codes)
    found = [
        _voted(distances, codes, k, least, use_all, stream()) for distances in squares(rows, new)
    ]
    return _factor(found, classes, prob)


@answering
def knn_cv(
    train: Any,
    cl: Any,
    k: int = 1,
    l: int = 0,  # noqa: E741
    prob: bool = False,
    use_all: bool = True,
) -> Factor:
    """Classify every row by the others: leave-one-out.

    Parameters
    ----------
    train, cl, k, l, prob, use_all
        As for `knn`.

    Notes
    -----
    As in R: ``class::knn.cv(train, cl, k, l, prob, use.all)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> list(r.class_.knn_cv([0.0, 1.0, 3.0, 4.5], ["a", "a", "b", "b"]))
    ['a', 'a', 'b', 'b']
    """
    rows, _, classes = rows_and_classes(train, train, cl)
    k, least = neighbours_of(k, len(rows) - 1), whole(l, "l")
    codes = np.asarray(classes.codes)
    found = []
    for i, distances in enumerate(squares(rows, rows)):
        others = np.arange(len(rows)) != i
        vote = _voted(distances[others], codes[others], k, least, use_all, stream(), codes.max())
        found.append(vote)
    return _factor(found, classes, prob)


@answering
def knn1(train: Any, test: Any, cl: Any) -> Factor:
    """Classify rows by their nearest neighbour, tied ones by their vote.

    Parameters
    ----------
    train, test, cl
        As for `knn`.

    Notes
    -----
    As in R: ``class::knn1(train, test, cl)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> list(r.class_.knn1([[0.0], [1.0]], [[0.2], [3.0]], ["a", "b"]))
    ['a', 'b']
    """
    rows, new, classes = rows_and_classes(train, test, cl)
    codes = np.asarray(classes.codes)
    found = [_of_nearest(codes[_nearest(distances)], stream()) for distances in squares(rows, new)]
    return _factor(found, classes, prob=False)


def _voted(
    squared: FloatArray,
    codes: IntArray,
    k: int,
    least: int,
    use_all: bool,
    draws: RRandom,
    last: int | None = None,
) -> tuple[int, float]:
    """The class of one row, -1 for doubt, and its share of the votes.

    Parameters
    ----------
    squared : (n,) float64
        Squared distances.
    codes : (n,) int
        Classes from 0, the last of them `last`.
    """
    near = nearest(squared, k)
    voters = codes[near] if use_all else _drawn(squared[near], codes[near], k, draws)
    votes = np.bincount(voters, minlength=int(codes.max() if last is None else last) + 1).tolist()
    extra = len(voters) - k
    index, most = winner(votes, least - 1 + extra if least > 0 else 0, least, draws)
    return index, most / (k + extra)


def nearest(squared: FloatArray, k: int) -> IntArray:
    """The rows at the k least distances, and all that are tied with them, nearest first.

    Parameters
    ----------
    squared : (n,) float64
        Squared distances.
    k : int

    Examples
    --------
    >>> nearest(np.array([4.0, 1.0, 9.0, 4.0]), 2)
    array([1, 0, 3])
    """
    kth = float(np.partition(squared, k - 1)[k - 1])
    near = np.flatnonzero(squared <= kth * (1 + TIED))
    near = near[np.argsort(squared[near], kind="stable")]
    if squared[near[-1]] > kth or _may_be_long(squared, k):
        near = near[: _kept(squared, k)]
    return near


def _may_be_long(squared: FloatArray, k: int) -> bool:
    """Whether there are so many neighbours, or so many tied anywhere, that class may stop."""
    half = LONGEST // 2
    if k > half or len(squared) <= half:
        return k > half
    ordered = np.sort(squared)
    return bool((ordered[half:] == ordered[:-half]).any())


def _kept(squared: FloatArray, k: int) -> int:
    """How many neighbours class keeps to the end: its list grows with ties and never shrinks."""
    kept = max(2 * k - 1, _longest(squared, k))
    if kept >= LONGEST:
        raise InputError(
            "too many ties in knn.",
            given=f"a list of {kept} neighbours with k={k}",
            fix="class takes k up to 499, and 998 tied neighbours; pycvstat.KNN takes any",
        )
    return kept


def _longest(squared: FloatArray, k: int) -> int:
    """The largest number of rows not beyond the k-th nearest, while rows come one by one."""
    seen: list[float] = []
    longest = 0
    for distance in squared.tolist():
        if len(seen) < k or distance <= seen[k - 1]:
            insort(seen, distance)
            if len(seen) >= k:
                del seen[bisect_right(seen, seen[k - 1]) :]
                longest = max(longest, len(seen))
    return longest


def _drawn(squared: FloatArray, codes: IntArray, k: int, draws: RRandom) -> IntArray:
    """The classes of exactly k of the neighbours, those tied at the k-th drawn one after the other.

    A drawn one takes the place of one of those that hold the tied places so far. Class counts this
    place from the number of nearer neighbours, so that some find no place and are lost.
    """
    nearer = int(np.argmax(squared >= squared[k - 1] * (1 - TIED)))
    places = k - nearer
    chosen = codes[:k].copy()
    if places == 1:
        return chosen
    for tied, code in enumerate(codes[k:].tolist(), start=places + 1):
        if tied * draws.runif(1)[0] < places:
            place = nearer + int(draws.runif(1)[0] * places)
            if place < places:
                chosen[nearer + place] = code
    return chosen


def winner(
    votes: Sequence[int], most: int, least: int, draws: RRandom, index: int = -1
) -> tuple[int, int]:
    """The class with more than `most` votes, tied ones drawn one after the other; and its votes."""
    tied, first = 1, index + 1
    for code, count in enumerate(votes, start=first):
        if count > most:
            tied, index, most = 1, code, count
        elif count == most and count >= least:
            tied += 1
            if tied * draws.runif(1)[0] < 1:
                index = code
    return index, most


def _of_nearest(codes: IntArray, draws: RRandom) -> tuple[int, float]:
    if len(codes) == 1:
        return int(codes[0]), 1.0
    votes = np.bincount(codes).tolist()
    return winner(votes[1:], votes[0], 0, draws, index=0)


def _nearest(squared: FloatArray) -> IntArray:
    """The rows tied at the least distance, each compared with the one before."""
    nearest, least = [0], np.inf
    for i, distance in enumerate(squared.tolist()):
        if distance <= least * (1 + TIED):
            nearest = [i] if distance < least * (1 - TIED) else [*nearest, i]
            least = distance
    return np.array(nearest)


def _factor(found: Iterable[tuple[int, float]], classes: pd.Categorical, prob: bool) -> Factor:
    codes, shares = zip(*found, strict=True)
    return Factor.of(codes, classes.categories, prob=np.array(shares) if prob else None)
