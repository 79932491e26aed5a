"""R's `sample` compiled, for those who draw from tens of thousands of seeds."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from numba import njit

from pycvstat.rmath.random.generator import RRandom, SampleKind
from pycvstat.types import IntArray


@njit(cache=True)
def _index(bits: Any, at: int, n: int, rounding: bool) -> tuple[int, int]:
    """An index 0..n-1 and where the next draw starts; -1 where the outputs do not suffice."""
    if rounding:
        if at >= len(bits):
            return 0, -1
        return int(np.floor(n * max(bits[at] * 2.0**-32, 0.5 * 2.328306437080797e-10))), at + 1
    needed = 0
    while (1 << needed) < n:
        needed += 1
    while True:
        value = 0
        for _ in range(needed // 16 + 1):
            if at >= len(bits):
                return 0, -1
            value = (value << 16) | (int(bits[at]) >> 16)
            at += 1
        value &= (1 << needed) - 1
        if value < n:
            return value, at


@njit(cache=True)
def _drawn(bits: Any, n: int, replace: bool, rounding: bool, places: IntArray) -> int:
    """Fill `places`; how many outputs that took, or -1 where there are too few."""
    deck = np.arange(n)
    at = 0
    for draw in range(len(places)):
        left = n if replace else n - draw
        index, at = _index(bits, at, left, rounding)
        if at < 0:
            return -1
        places[draw] = deck[index]
        if not replace:
            deck[index] = deck[left - 1]
    return at


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
        places, offered = np.empty(count, dtype=np.int64), 2 * count + 64
        while True:
            used = _drawn(self._stream.peek(offered), n, replace, self._rounding, places)
            if used >= 0:
                self._stream.skip(used)
                return places
            offered *= 2

    def fork(self) -> Compiled:
        """Another generator at the same place."""
        other = Compiled(self.seed, self.sample_kind)
        other._stream = self._stream.fork()
        return other


def started(seed: int) -> list[Compiled]:
    """Generators started from a seed, one for each way of drawing an index, which share work."""
    found = [Compiled(seed, kind) for kind in get_args(SampleKind)]
    found[0]._stream.peek(1)
    found[1]._stream = found[0]._stream.fork()
    return found
