"""R's uniform, normal and exponential draws from the bits of its Mersenne-Twister.

NumPy's vectorised logarithm differs from the C library's in the last bit on some processors, so
the tails of the normal go through `math.log`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from threading import Lock

import numpy as np
import numpy.typing as npt

from pycvstat.types import FloatArray, IntArray

Bits = npt.NDArray[np.uint64]
_WORDS = 624
_BLOCK = 1024
_SMALLEST = 0.5 * 2.328306437080797e-10  # R's answer where the 32 bits are all 0


def scrambled_state(seed: int) -> npt.NDArray[np.uint32]:
    """The 624 words that R's ``set.seed(seed)`` starts from."""
    factor, constant = _congruential_steps()
    return factor * np.uint32(seed & 0xFFFFFFFF) + constant


@cache
def _congruential_steps() -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Factors and constants of 52, 53, ... steps x -> 69069 x + 1, modulo 2^32.

    R scrambles the seed by 50 steps, and replaces the word of the next one by the position.
    """
    factor = np.cumprod(np.full(51 + _WORDS, 69069, dtype=np.uint32), dtype=np.uint32)
    constant = np.cumsum(np.append(np.uint32(1), factor[:-1]), dtype=np.uint32)
    return factor[51:], constant[51:]


class BitStream:
    """32-bit outputs that can be looked at before they are consumed."""

    __slots__ = ("_ahead", "_seed", "_twister", "consumed")

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._twister: np.random.MT19937 | None = None  # made when needed: many draw nothing
        self._ahead: Bits = np.empty(0, dtype=np.uint64)
        self.consumed = 0

    def peek(self, count: int) -> Bits:
        """The next `count` outputs, not consumed."""
        made = self.consumed + len(self._ahead)
        if not made:
            self._ahead = _first_outputs(self._seed, max(count, _BLOCK))
        missing = count - len(self._ahead)
        if missing > 0:
            if self._twister is None:
                self._twister = _seeded(self._seed)
                self._twister.random_raw(made, output=False)
            fresh = self._twister.random_raw(max(missing, _BLOCK))
            self._ahead = np.concatenate([self._ahead, fresh])
        return self._ahead[:count]

    def skip(self, count: int) -> None:
        """Consume `count` outputs that were peeked at."""
        self._ahead = self._ahead[count:]
        self.consumed += count

    def take(self, count: int) -> Bits:
        """Consume the next `count` outputs."""
        bits = self.peek(count)
        self.skip(count)
        return bits

    def fork(self) -> BitStream:
        """Another stream at the same place."""
        other = BitStream(self._seed)
        other._ahead, other.consumed = self._ahead, self.consumed
        return other

    def __deepcopy__(self, memo: dict[int, object]) -> BitStream:
        return self.fork()

    def words(self) -> tuple[int, npt.NDArray[np.uint32]]:
        """The position among the words of the generator, and the words, after what was consumed."""
        twister = _seeded(self._seed)
        if self.consumed:
            twister.random_raw(self.consumed, output=False)
        state = twister.state["state"]
        return int(state["pos"]), state["key"]

    def uniforms(self, count: int) -> FloatArray:
        """Consume `count` uniforms in the open interval (0, 1)."""
        return as_uniforms(self.take(count))


def _seeded(seed: int) -> np.random.MT19937:
    return _started(np.random.MT19937(), seed)


def _started(twister: np.random.MT19937, seed: int) -> np.random.MT19937:
    twister.state = {
        "bit_generator": "MT19937",
        "state": {"key": scrambled_state(seed).tolist(), "pos": _WORDS},  # an array takes longer
    }
    return twister


_FIRST = np.random.MT19937()  # most streams end within few blocks, and making one is slow
_ONE_BY_ONE = Lock()


def _first_outputs(seed: int, count: int) -> Bits:
    with _ONE_BY_ONE:
        return _started(_FIRST, seed).random_raw(count)


def as_uniforms(bits: Bits) -> FloatArray:
    """R's ``unif_rand`` of 32-bit outputs."""
    uniforms = bits.astype(np.float64)
    uniforms *= 2.0**-32
    uniforms[bits == 0] = _SMALLEST
    return uniforms


def ahead(count: int) -> int:
    """How many tries are looked at for `count` draws, of which about half may be refused."""
    return 2 * count + 16


def consecutive(length: IntArray, count: int) -> tuple[IntArray, int]:
    """Where consecutive draws start when one that starts at t consumes ``length[t]``.

    Parameters
    ----------
    length : array of int, shape (outputs,)
        Outputs consumed by a draw that starts at each of them.
    count : int
        How many draws at most; fewer where a whole draw no longer fits.

    Returns
    -------
    the starts, and how many outputs they consume together

    Examples
    --------
    >>> consecutive(np.array([2, 9, 1, 3, 9]), 5)
    (array([0, 2]), 3)
    """
    steps = length.tolist()
    starts: list[int] = []
    start = starts.append
    at = 0
    try:
        for _ in range(count):
            step = steps[at]
            start(at)
            at += step
    except IndexError:
        pass
    if at > len(steps):
        at = starts.pop()
    return np.array(starts, dtype=np.int64), at


_BIG = 134217728.0  # 2^27: two uniforms make one of 53 bits

# Wichura (1988), algorithm AS 241 (PPND16): numerator and denominator, highest power first.
_CENTRE = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
     5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
)  # fmt: skip
_TAIL = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
     1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959,
     1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966,
     0.14810397642748007459, 0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187,
     1.0),
)  # fmt: skip
_FAR_TAIL = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
     0.026532189526576123093, 0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699,
     6.6579046435011037772),
    (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
     7.868691311456132591e-4, 0.0148753612908506148525, 0.13692988092273580531,
     0.59983220655588793769, 1.0),
)  # fmt: skip


def normals(stream: BitStream, count: int) -> FloatArray:
    """Standard normal draws, two outputs of the stream each."""
    pairs = as_uniforms(stream.take(2 * count)).reshape(count, 2)
    return quantiles((np.floor(_BIG * pairs[:, 0]) + pairs[:, 1]) / _BIG)


def quantiles(p: FloatArray) -> FloatArray:
    """Standard normal quantiles of probabilities in (0, 1) by AS 241, as R's ``qnorm``."""
    q = p - 0.5
    values = np.empty_like(q)
    centre = np.abs(q) <= 0.425
    inner = q[centre]
    values[centre] = _ratio(_CENTRE, 0.180625 - inner * inner, inner)
    outer = q[~centre]
    upper = 0.5 - p[~centre] + 0.5
    r = np.sqrt(-_log(np.where(outer < 0, p[~centre], upper)))
    near = r <= 5
    size = np.empty_like(r)
    size[near] = _ratio(_TAIL, r[near] - 1.6, 1.0)
    size[~near] = _ratio(_FAR_TAIL, r[~near] - 5, 1.0)
    values[~centre] = np.where(outer < 0, -size, size)
    return values


def _ratio(
    polynomials: Sequence[Sequence[float]], r: FloatArray, factor: FloatArray | float
) -> FloatArray:
    """Factor times numerator, then over denominator: the order of rounding is R's."""
    return factor * _horner(polynomials[0], r) / _horner(polynomials[1], r)


def _horner(coefficients: Sequence[float], r: FloatArray) -> FloatArray:
    value = np.full_like(r, coefficients[0])
    for coefficient in coefficients[1:]:
        value *= r
        value += coefficient
    return value


def _log(values: FloatArray) -> FloatArray:
    """The C library's logarithm of each value."""
    return np.fromiter(map(math.log, values.tolist()), dtype=np.float64, count=len(values))


_LN2 = 0.6931471805599453
_Q = np.cumsum([_LN2**i / math.factorial(i) for i in range(1, 17)])
_Q[-1] = 1.0
_SHIFTS = np.concatenate([[0.0], np.cumsum(np.full(32, _LN2))])


def exponentials(stream: BitStream, count: int) -> FloatArray:
    """Standard exponential draws."""
    draws = np.empty(count)
    made = 0
    while made < count:
        left = count - made
        values, used = _draws(as_uniforms(stream.peek(ahead(left))), left)
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
    least = np.where(extra, np.inf, 0.0)
    draws = np.flatnonzero(extra)
    for later in range(len(_Q)):
        draws = draws[extra[draws] >= later]
        least[draws] = np.minimum(least[draws], uniforms[starts[draws] + 1 + later])
    least *= _LN2
    return least
