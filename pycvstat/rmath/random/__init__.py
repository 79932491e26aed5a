"""R's random numbers, bit for bit, and the streams that splitters draw from."""

from __future__ import annotations

import secrets
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from pycvstat.errors import InputError
from pycvstat.errors.checks import is_whole
from pycvstat.rmath.random.generator import RRandom, count_of, probabilities, size_of, values_of
from pycvstat.types import FloatArray, IntArray

__all__ = ["RRandom", "Random", "Stream", "as_stream"]


@runtime_checkable
class Stream(Protocol):
    """Random draws one after the other, with the seed they started from (None: unknown)."""

    @property
    def seed(self) -> int | None: ...

    @property
    def untouched(self) -> bool: ...

    def permutation(self, n: int) -> IntArray: ...

    def runif(self, n: int, low: Any = 0.0, high: Any = 1.0) -> FloatArray: ...

    def rnorm(self, n: int, mean: Any = 0.0, sd: Any = 1.0) -> FloatArray: ...

    def rexp(self, n: int, rate: Any = 1.0) -> FloatArray: ...

    def sample(
        self, x: Any, size: int | None = None, replace: bool = False, prob: Any = None
    ) -> npt.NDArray[Any]: ...


Random: TypeAlias = "int | Stream | np.random.Generator | None"


def as_stream(random: Random = None) -> Stream:
    """A stream of draws from whatever says how to draw.

    Parameters
    ----------
    random : int, RRandom, numpy.random.Generator or None
        An integer means R's ``set.seed``; a generator goes on from where it is; None draws a
        seed, which is then found in ``.seed``.

    Returns
    -------
    Stream

    Examples
    --------
    >>> as_stream(1).permutation(5)
    array([0, 3, 2, 4, 1])
    >>> isinstance(as_stream(None).seed, int)
    True
    """
    if isinstance(random, RRandom):
        return random
    if random is None:
        return RRandom(secrets.randbelow(2**31))
    if isinstance(random, np.random.Generator):
        return NumpyStream(random)
    if is_whole(random):
        return RRandom(random)  # type: ignore[arg-type]
    if isinstance(random, Stream):
        return random
    raise InputError(
        "random must say how to draw.", given=repr(random),
        fix="pass an integer (R's set.seed), an RRandom, a numpy.random.Generator or None",
    )  # fmt: skip


class NumpyStream:
    """Draws of a numpy.random.Generator under R's names; not R's values."""

    seed = None
    untouched = False

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def permutation(self, n: int) -> IntArray:
        """All of 0..n-1 in random order."""
        return self.generator.permutation(count_of(n)).astype(np.int64)

    def runif(self, n: int, low: Any = 0.0, high: Any = 1.0) -> FloatArray:
        """Uniform draws."""
        return self.generator.uniform(low, high, count_of(n))

    def rnorm(self, n: int, mean: Any = 0.0, sd: Any = 1.0) -> FloatArray:
        """Normal draws."""
        return self.generator.normal(mean, sd, count_of(n))

    def rexp(self, n: int, rate: Any = 1.0) -> FloatArray:
        """Exponential draws."""
        return self.generator.exponential(1 / np.asarray(rate, dtype=np.float64), count_of(n))

    def sample(
        self, x: Any, size: int | None = None, replace: bool = False, prob: Any = None
    ) -> npt.NDArray[Any]:
        """Draw elements; an integer n stands for 1..n."""
        values, n = values_of(x)
        count = size_of(size, n, replace)
        p = None if prob is None else probabilities(prob, n, 0 if replace else count)
        places = self.generator.choice(n, count, replace=replace, p=p).astype(np.int64)
        return places + 1 if values is None else values[places]
