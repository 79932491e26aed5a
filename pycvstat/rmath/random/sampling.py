"""R's draws of an index: from equal ranges, from shrinking ones, and with given probabilities."""

from __future__ import annotations

import math
from array import array
from operator import length_hint
from typing import Any

import numpy as np

from pycvstat.rmath.random.draws import Bits, BitStream, ahead, as_uniforms, consecutive
from pycvstat.types import BoolArray, FloatArray, IntArray

_TWO_UNIFORMS_ABOVE = 2147483647.0
_SPLIT = 33554432.0  # 2^25
_BATCH = 2**15  # tries that are Python's numbers at a time
_SMALL_DECK = 2**15  # cards that may be Python's numbers: faster, in five times the memory


def equal_range(stream: BitStream, n: int, count: int, *, rounding: bool) -> IntArray:
    """`count` indices 0..n-1, each from the whole range."""
    if rounding:
        return _rounded(stream, n, count)
    bits = _bits(n)
    chunks = _chunks(bits)
    parts: list[IntArray] = []
    made = 0
    while made < count:
        left = count - made
        tries = _tries(stream, bits, ahead(left))
        accepted = np.flatnonzero(tries < n)[:left]
        used = accepted[-1] + 1 if len(accepted) == left else len(tries)
        stream.skip(int(used) * chunks)
        parts.append(tries[accepted])
        made += len(accepted)
    return np.concatenate(parts)


def dealt(stream: BitStream, n: int, count: int, *, rounding: bool) -> IntArray:
    """`count` of the cards 0..n-1: one is taken, then the last is put into the gap, and so on."""
    deck, taken = _deck(n, count), array("q")
    if rounding:
        ranges = np.arange(n, n - count, -1)
        for index in np.floor(ranges * stream.uniforms(count)).astype(np.int64).tolist():
            taken.append(deck[index])
            n -= 1
            deck[index] = deck[n]
    stop = n - (count - len(taken))
    while n > stop:
        chunks = _chunks(_bits(n))
        until = max(stop, 1 << 16 * (chunks - 1) >> 1)  # as long as tries have so many chunks
        n = _deal(stream, chunks, n, until, deck, taken)
    return np.frombuffer(taken, dtype=np.int64)


class _Untouched(dict[int, int]):
    """A large deck of which only the moved cards are written down."""

    def __missing__(self, place: int) -> int:
        return place


def _deck(n: int, count: int) -> Any:
    if 16 * count <= n:
        return _Untouched()
    return list(range(n)) if n <= _SMALL_DECK else memoryview(np.arange(n))  # type: ignore[arg-type]


def index_then_uniform(stream: BitStream, n: int, count: int) -> tuple[IntArray, FloatArray]:
    """`count` pairs of an index 0..n-1 by rejection and a uniform after it."""
    bits = _bits(n)
    chunks = _chunks(bits)
    index, uniform = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    made = 0
    while made < count:
        left = count - made
        outputs = stream.peek((chunks + 1) * ahead(left))
        tries = _joined(np.lib.stride_tricks.sliding_window_view(outputs, chunks), bits)
        accepted = _next_accepted(tries < n, chunks)
        starts, used = consecutive(accepted - np.arange(len(tries)) + chunks + 1, left)
        stream.skip(used)
        index.append(tries[accepted[starts]])
        uniform.append(as_uniforms(outputs[accepted[starts] + chunks]))
        made += len(starts)
    return np.concatenate(index), np.concatenate(uniform)


def _next_accepted(accepted: BoolArray, chunks: int) -> IntArray:
    """For each place, the first accepted try at it or whole tries after it (far if none)."""
    far = len(accepted)
    places = np.where(accepted, np.arange(len(accepted)), far)
    padded = np.append(places, np.full(-len(places) % chunks, far)).reshape(-1, chunks)
    first: IntArray = np.minimum.accumulate(padded[::-1], axis=0)[::-1].ravel()[: len(places)]
    return first


def _deal(stream: BitStream, chunks: int, n: int, until: int, deck: Any, taken: array[int]) -> int:
    """Deal while the deck shrinks from `n` towards `until` cards; how many are left."""
    total, take = min(ahead(n - until), _BATCH), taken.append
    outputs = stream.peek(total * chunks).reshape(total, chunks)
    tries = iter(_joined(outputs, 16 * chunks).tolist())
    half = 1 << _bits(n) >> 1  # down to it as many bits of a try count
    used, turn = 2 * half - 1 if half else 0, max(half, until)
    for value in tries:
        index = value & used
        if index < n:
            take(deck[index])
            n -= 1
            deck[index] = deck[n]
            if n == turn:
                if n == until:
                    break
                used, half = used >> 1, half >> 1
                turn = max(half, until)
    stream.skip((total - length_hint(tries)) * chunks)
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


def revsort(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Values in decreasing order and where they came from, in the order of R's heap sort.

    Parameters
    ----------
    values : array of float, shape (n,)

    Returns
    -------
    sorted values, shape (n,), and their original places, shape (n,)

    Examples
    --------
    >>> revsort(np.array([0.25, 0.25, 0.5]))
    (array([0.5 , 0.25, 0.25]), array([2, 1, 0]))
    """
    order = np.argsort(-values)
    decreasing = values[order]
    if (decreasing[1:] == decreasing[:-1]).any():
        order = np.array(_heap_order(values.tolist()), dtype=np.int64)
    return decreasing, order


def _heap_order(keys: list[float]) -> list[int]:
    """Places in decreasing order of their keys, by a heap with the least on top."""
    order = list(range(len(keys)))
    for root in reversed(range(len(keys))):
        _sink(keys, order, root, len(keys))
    for end in reversed(range(len(keys))):
        keys[0] = keys[end]
        order[0], order[end] = order[end], order[0]
        _sink(keys, order, 0, end)
    return order


def _sink(keys: list[float], order: list[int], root: int, end: int) -> None:
    """Let the entry at `root` fall to its place among the first `end`."""
    key, place = keys[root], order[root]
    child = 2 * root + 1
    while child < end:
        if child + 1 < end and keys[child] > keys[child + 1]:
            child += 1
        if key <= keys[child]:
            break
        keys[root], order[root] = keys[child], order[child]
        root, child = child, 2 * child + 1
    keys[root], order[root] = key, place


_MANY = 200  # more likely values than this: R changes to Walker's aliases


def with_replacement(
    stream: BitStream, prob: FloatArray, count: int, *, rounding: bool
) -> IntArray:
    """`count` indices 0..n-1 with these probabilities (adding up to 1)."""
    if np.count_nonzero(len(prob) * prob > 0.1) > _MANY:
        return _by_aliases(stream, prob, count, rounding)
    decreasing, order = revsort(prob)
    return order[np.searchsorted(np.cumsum(decreasing[:-1]), stream.uniforms(count), side="left")]


def without_replacement(stream: BitStream, prob: FloatArray, count: int) -> IntArray:
    """`count` different indices 0..n-1, each drawn in proportion to what is left."""
    mass, order = revsort(prob)
    drawn = np.empty(count, dtype=np.int64)
    total = 1.0
    for i, uniform in enumerate(stream.uniforms(count).tolist()):
        place = int(np.searchsorted(np.cumsum(mass[:-1]), total * uniform, side="left"))
        drawn[i] = order[place]
        total -= float(mass[place])
        mass[place:-1], order[place:-1] = mass[place + 1 :], order[place + 1 :]
        mass, order = mass[:-1], order[:-1]
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
