"""R's uniform draws of an index, by rejection (R >= 3.6) or by rounding (before)."""

from __future__ import annotations

import math
from operator import length_hint

import numpy as np

from pycvstat.rmath.random.chain import consecutive
from pycvstat.rmath.random.twister import Bits, BitStream, as_uniforms
from pycvstat.types import BoolArray, FloatArray, IntArray

_TWO_UNIFORMS_ABOVE = 2147483647.0
_SPLIT = 33554432.0  # 2^25
_BATCH = 2**15  # tries that are Python's numbers at a time


def equal_range(stream: BitStream, n: int, count: int, *, rounding: bool) -> IntArray:
    """`count` indices 0..n-1, each from the whole range."""
    if rounding:
        return _rounded(stream, n, count)
    bits = _bits(n)
    chunks = _chunks(bits)
    parts: list[IntArray] = []
    made = 0
    while made < count:
        tries = _tries(stream, bits, 2 * (count - made) + 16)
        accepted = np.flatnonzero(tries < n)[: count - made]
        used = accepted[-1] + 1 if len(accepted) == count - made else len(tries)
        stream.skip(int(used) * chunks)
        parts.append(tries[accepted])
        made += len(accepted)
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def shrinking_range(stream: BitStream, n: int, count: int, *, rounding: bool) -> memoryview[int]:
    """`count` indices: the first from 0..n-1, the next from 0..n-2, and so on."""
    if rounding:
        ranges = np.arange(n, n - count, -1)
        rounded = np.floor(ranges * stream.uniforms(count)).astype(np.int64)
        return memoryview(rounded)  # type: ignore[arg-type]
    drawn = memoryview(np.empty(count, dtype=np.int64))  # type: ignore[arg-type]
    stop = n - count
    while n > stop:
        bits = _bits(n)
        until = max(stop, (1 << bits) >> 1) if n > 1 else 0  # as long as `bits` stays the same
        n = _accept(stream, bits, n, until, drawn[stop - n :])
    return drawn


def index_then_uniform(stream: BitStream, n: int, count: int) -> tuple[IntArray, FloatArray]:
    """`count` pairs of an index 0..n-1 by rejection and a uniform after it."""
    bits = _bits(n)
    chunks = _chunks(bits)
    index, uniform = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    made = 0
    while made < count:
        outputs = stream.peek((2 * chunks + 1) * (count - made) + 64)
        tries = _joined(np.lib.stride_tricks.sliding_window_view(outputs, chunks), bits)
        accepted = _next_accepted(tries < n, chunks)
        starts, used = consecutive(accepted - np.arange(len(tries)) + chunks + 1, count - made)
        stream.skip(used)
        index.append(tries[accepted[starts]])
        uniform.append(as_uniforms(outputs[accepted[starts] + chunks]))
        made += len(starts)
    return np.concatenate(index), np.concatenate(uniform)


def _next_accepted(accepted: BoolArray, chunks: int) -> IntArray:
    """For each place, the first accepted try at it or whole tries after it (far if none)."""
    far = 2 * len(accepted)
    places = np.where(accepted, np.arange(len(accepted)), far)
    padded = np.append(places, np.full(-len(places) % chunks, far)).reshape(-1, chunks)
    first: IntArray = np.minimum.accumulate(padded[::-1], axis=0)[::-1].ravel()[: len(places)]
    return first


def _accept(stream: BitStream, bits: int, n: int, until: int, drawn: memoryview[int]) -> int:
    """Draw indices while the range shrinks from `n` towards `until`; the range reached."""
    tries = iter(_tries(stream, bits, min(2 * (n - until) + 16, _BATCH)).tolist())
    total, place = length_hint(tries), 0
    for index in tries:
        if index < n:
            drawn[place] = index
            place += 1
            n -= 1
            if n == until:
                break
    stream.skip((total - length_hint(tries)) * _chunks(bits))
    return n


def _tries(stream: BitStream, bits: int, count: int) -> IntArray:
    """The next `count` random integers of so many bits; not consumed."""
    chunks = _chunks(bits)
    return _joined(stream.peek(count * chunks).reshape(count, chunks), bits)


def _joined(outputs: Bits, bits: int) -> IntArray:
    """One integer per row, made of the upper 16 bits of each output, as R does."""
    value = outputs[:, 0] >> np.uint64(16)
    for chunk in range(1, outputs.shape[1]):
        value = (value << np.uint64(16)) | (outputs[:, chunk] >> np.uint64(16))
    return (value & np.uint64((1 << bits) - 1)).astype(np.int64)


def _bits(n: int) -> int:
    return math.ceil(math.log2(n))


def _chunks(bits: int) -> int:
    return bits // 16 + 1


def _rounded(stream: BitStream, n: int, count: int) -> IntArray:
    if n <= _TWO_UNIFORMS_ABOVE:
        return np.floor(n * stream.uniforms(count)).astype(np.int64)
    pairs = as_uniforms(stream.take(2 * count)).reshape(count, 2)
    fine = (np.floor(_SPLIT * pairs[:, 0]) + pairs[:, 1]) / _SPLIT
    return np.floor(n * fine).astype(np.int64)
