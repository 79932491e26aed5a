"""Sampling with given probabilities, by R's three algorithms."""

from __future__ import annotations

import numpy as np

from pycvstat.rmath.random.indices import index_then_uniform
from pycvstat.rmath.random.revsort import revsort
from pycvstat.rmath.random.twister import BitStream
from pycvstat.types import FloatArray, IntArray

_MANY = 200  # more likely values than this: R changes to Walker's aliases


def with_replacement(
    stream: BitStream, prob: FloatArray, count: int, *, rounding: bool
) -> IntArray:
    """`count` indices 0..n-1 with these probabilities (adding up to 1)."""
    if np.count_nonzero(len(prob) * prob > 0.1) > _MANY:
        return _by_aliases(stream, prob, count, rounding)
    decreasing, order = revsort(prob)
    cumulated = np.cumsum(decreasing)
    place = np.searchsorted(cumulated, stream.uniforms(count), side="left")
    return order[np.minimum(place, len(prob) - 1)]


def without_replacement(stream: BitStream, prob: FloatArray, count: int) -> IntArray:
    """`count` different indices 0..n-1, each drawn in proportion to what is left."""
    mass, order = revsort(prob)
    drawn = np.empty(count, dtype=np.int64)
    total = 1.0
    for i, uniform in enumerate(stream.uniforms(count).tolist()):
        left = len(prob) - i
        place = int(np.searchsorted(np.cumsum(mass[: left - 1]), total * uniform, side="left"))
        drawn[i] = order[place]
        total -= float(mass[place])
        mass[place : left - 1] = mass[place + 1 : left]
        order[place : left - 1] = order[place + 1 : left]
    return drawn


def _by_aliases(stream: BitStream, prob: FloatArray, count: int, rounding: bool) -> IntArray:
    """Walker (1977), aliases set up as in Ripley (1987)."""
    n = len(prob)
    keep, alias = _aliases((prob * n).tolist())
    if rounding:
        scaled = stream.uniforms(count) * n
    else:
        index, uniform = index_then_uniform(stream, n, count)
        scaled = index + uniform
    column = scaled.astype(np.int64)
    return np.where(scaled < keep[column], column, alias[column])


def _aliases(q: list[float]) -> tuple[FloatArray, IntArray]:
    n = len(q)
    alias = [0] * n
    low = [i for i in range(n) if q[i] < 1.0]
    high = [i for i in range(n) if q[i] >= 1.0]  # R fills these from the end: last one first
    slots = low + high[::-1]
    at = len(low)
    if low and high:
        for k in range(n - 1):
            i, j = slots[k], slots[at]
            alias[i] = j
            q[j] += q[i] - 1
            if q[j] < 1.0:
                at += 1
            if at >= n:
                break
    return np.array(q) + np.arange(n), np.array(alias, dtype=np.int64)
