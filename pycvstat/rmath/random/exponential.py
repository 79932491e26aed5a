"""Exponential draws by Ahrens and Dieter (1972), algorithm SA, as R makes them.

How many uniforms a draw consumes depends on their values. Each uniform tells the length of a
draw that would start there, so the lengths are found for all of them at once and the starts by
stepping from one to the next.
"""

from __future__ import annotations

import math

import numpy as np

from pycvstat.rmath.random.chain import consecutive
from pycvstat.rmath.random.twister import BitStream, as_uniforms
from pycvstat.types import FloatArray, IntArray

_LN2 = 0.6931471805599453
_Q = np.cumsum([_LN2**i / math.factorial(i) for i in range(1, 17)])
_Q[-1] = 1.0
_SHIFTS = np.concatenate([[0.0], np.cumsum(np.full(40, _LN2))])


def exponentials(stream: BitStream, count: int) -> FloatArray:
    """Standard exponential draws."""
    draws = np.empty(count)
    made = 0
    while made < count:
        window = as_uniforms(stream.peek(2 * (count - made) + 64))
        values, used = _draws(window, count - made)
        draws[made : made + len(values)] = values
        made += len(values)
        stream.skip(used)
    return draws


def _draws(uniforms: FloatArray, count: int) -> tuple[FloatArray, int]:
    """At most `count` draws from these uniforms and how many of them they consumed."""
    mantissa, exponent = np.frexp(uniforms)
    power = mantissa == 0.5  # exactly a power of two: doubled once more until it exceeds 1
    rest = np.where(power, 1.0, 2 * mantissa - 1)
    extra = np.searchsorted(_Q, rest, side="left")
    length = np.where(extra == 0, 1, extra + 2)
    starts, used = consecutive(length, count)
    shift = _SHIFTS[power[starts] - exponent[starts]]
    rest, extra = rest[starts], extra[starts]
    return np.where(extra == 0, shift + rest, shift + _least(uniforms, starts, extra)), used


def _least(uniforms: FloatArray, starts: IntArray, extra: IntArray) -> FloatArray:
    """ln 2 times the least of the ``extra + 1`` uniforms after each start (0 where none)."""
    least = np.zeros(len(starts))
    draws = np.flatnonzero(extra)
    least[draws] = uniforms[starts[draws] + 1]
    for later in range(1, len(_Q)):
        draws = draws[extra[draws] >= later]
        least[draws] = np.minimum(least[draws], uniforms[starts[draws] + 1 + later])
    least *= _LN2
    return least
