"""R's Mersenne-Twister: seeding and the stream of 32-bit outputs behind every draw."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from pycvstat.types import FloatArray

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
        missing = count - len(self._ahead)
        if missing > 0:
            if self._twister is None:
                self._twister = _seeded(self._seed)
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

    def uniforms(self, count: int) -> FloatArray:
        """Consume `count` uniforms in the open interval (0, 1)."""
        return as_uniforms(self.take(count))


def _seeded(seed: int) -> np.random.MT19937:
    twister = np.random.MT19937()
    twister.state = {
        "bit_generator": "MT19937",
        "state": {"key": scrambled_state(seed), "pos": _WORDS},
    }
    return twister


def as_uniforms(bits: Bits) -> FloatArray:
    """R's ``unif_rand`` of 32-bit outputs."""
    uniforms = bits.astype(np.float64)
    uniforms *= 2.0**-32
    uniforms[bits == 0] = _SMALLEST
    return uniforms
