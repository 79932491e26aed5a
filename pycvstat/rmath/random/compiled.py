"""R's `sample` compiled, for millions of rows and for tens of thousands of seeds."""

from __future__ import annotations

from copy import copy
from typing import Any, get_args

import numpy as np
from numba import njit

from pycvstat.rmath.random.draws import BitStream, ahead
from pycvstat.rmath.random.generator import RRandom, SampleKind
from pycvstat.types import IntArray

_BATCH = 2**18  # outputs looked at together


@njit(cache=True)
def _index(bits: Any, at: int, n: int, rounding: bool) -> tuple[int, int]:
    """An index 0..n-1 and where the next draw starts; -1 where the outputs do not suffice."""
    if rounding:
        if at >= len(bits):
            return -1, at
        return int(np.floor(n * (bits[at] * 2.0**-32))), at + 1
    needed = 0
    while (1 << needed) < n:
        needed += 1
    chunks = needed // 16 + 1
    while at + chunks <= len(bits):
        value = 0
        for _ in range(chunks):
            value = (value << 16) | (int(bits[at]) >> 16)
            at += 1
        value &= (1 << needed) - 1
        if value < n:
            return value, at
    return -1, at


@njit(cache=True)
def _drawn(
    bits: Any, deck: IntArray, replace: bool, rounding: bool, places: IntArray, done: int
) -> tuple[int, int]:
    """Fill `places` from `done` on; how many are filled, and how many outputs that took."""
    at = 0
    for draw in range(done, len(places)):
        left = len(deck) if replace else len(deck) - draw
        index, at = _index(bits, at, left, rounding)
        if index < 0:
            return draw, at
        places[draw] = deck[index]
        if not replace:
            deck[index] = deck[left - 1]
    return len(places), at


def drawn(stream: BitStream, n: int, count: int, replace: bool, rounding: bool) -> IntArray:
    """`count` places out of 0..n-1.

    Examples
    --------
    >>> drawn(BitStream(1), 5, 5, replace=False, rounding=False)
    array([0, 3, 2, 4, 1])
    """
    deck, places, done = np.arange(n), np.empty(count, dtype=np.int64), 0
    while done < count:
        bits = stream.peek(min(ahead(count - done), _BATCH))
        done, used = _drawn(bits, deck, replace, rounding, places, done)
        stream.skip(used)
    return places


class Compiled(RRandom):
    """The draws of `RRandom`, faster where they are many and small.

    Examples
    --------
    >>> Compiled(1).permutation(5)
    array([0, 3, 2, 4, 1])
    """

    def _places(self, n: int, count: int, replace: bool, prob: Any) -> IntArray:
        if prob is not None or n > 2**20:
            return super()._places(n, count, replace, prob)
        return drawn(self._stream, n, count, replace, self._rounding)

    def fork(self) -> Compiled:
        """Another generator at the same place."""
        other = copy(self)
        other._stream = self._stream.fork()
        return other


def started(seed: int) -> list[Compiled]:
    """Generators started from a seed, one for each way of drawing an index, which share work."""
    first, second = (Compiled(seed, kind) for kind in get_args(SampleKind))
    first._stream.peek(1)
    second._stream = first._stream.fork()
    return [first, second]
