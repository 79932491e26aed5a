"""R's random numbers: set.seed, runif, rnorm, rexp and sample, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from pycvstat.errors import InputError
from pycvstat.errors.checks import is_whole
from pycvstat.rmath.random import weighted
from pycvstat.rmath.random.arguments import count_of, probabilities, recycled, values_of
from pycvstat.rmath.random.exponential import exponentials
from pycvstat.rmath.random.indices import equal_range, shrinking_range
from pycvstat.rmath.random.normal import normals
from pycvstat.rmath.random.twister import BitStream
from pycvstat.types import BoolArray, FloatArray, IntArray

SampleKind = Literal["Rejection", "Rounding"]
_HASHED_ABOVE = 10_000_000
_SEED_LIMIT = 2**31 - 1


class RRandom:
    """R's default generator: the same draws as R after ``set.seed(seed)``, to the last bit.

    Mersenne-Twister with inversion for normals, as R has had since 1.7.0. Draws of any kind
    can follow each other in any order, as in R.

    Parameters
    ----------
    seed : int
        From -(2^31 - 1) to 2^31 - 1.
    sample_kind : {"Rejection", "Rounding"}
        How `sample` draws an index: "Rejection" is R >= 3.6.0, "Rounding" what courses older
        than that used. As in R: ``RNGkind(sample.kind = "Rounding")``.

    Examples
    --------
    >>> rng = RRandom(1)
    >>> rng.sample(10)
    array([ 9,  4,  7,  1,  2,  5,  3, 10,  6,  8])
    >>> rng.rnorm(2).round(6)
    array([-0.820468,  0.487429])
    """

    def __init__(self, seed: int, sample_kind: SampleKind = "Rejection") -> None:
        if not is_whole(seed) or abs(int(seed)) > _SEED_LIMIT:
            raise InputError(
                "A seed is an integer from -2147483647 to 2147483647, as in R's set.seed.",
                given=repr(seed),
            )
        if sample_kind not in get_args(SampleKind):
            raise InputError(
                "Unknown sample_kind.", given=repr(sample_kind),
                fix='use "Rejection" (R >= 3.6) or "Rounding" (older)',
            )  # fmt: skip
        self.seed: int = int(seed)
        self.sample_kind: SampleKind = sample_kind
        self._stream = BitStream(self.seed)

    def __repr__(self) -> str:
        kind = "" if self.sample_kind == "Rejection" else f', sample_kind="{self.sample_kind}"'
        return f"RRandom({self.seed}{kind})"

    @property
    def untouched(self) -> bool:
        """Whether nothing has been drawn yet, so that `seed` alone repeats what follows."""
        return self._stream.consumed == 0

    def runif(self, n: int, low: Any = 0.0, high: Any = 1.0) -> FloatArray:
        """Uniform draws. As in R: ``runif(n, min, max)``.

        Parameters
        ----------
        n : int
            How many.
        low, high : float or array, recycled to `n`
            The ends of the interval.

        Examples
        --------
        >>> RRandom(1).runif(2).round(7)
        array([0.2655087, 0.3721239])
        """
        n = count_of(n)
        low, high = recycled(low, n, "low"), recycled(high, n, "high")
        if not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
            raise InputError("runif needs finite ends with low <= high.")
        drawn = low != high  # R consumes nothing where the interval is a point
        uniforms = _spread(self._stream.uniforms, drawn)
        uniforms *= high - low
        uniforms += low
        return uniforms

    def rnorm(self, n: int, mean: Any = 0.0, sd: Any = 1.0) -> FloatArray:
        """Normal draws by inversion. As in R: ``rnorm(n, mean, sd)``.

        Parameters
        ----------
        n : int
            How many.
        mean, sd : float or array, recycled to `n`
            Mean and standard deviation.

        Examples
        --------
        >>> RRandom(1).rnorm(2).round(7)
        array([-0.6264538,  0.1836433])
        """
        n = count_of(n)
        mean, sd = recycled(mean, n, "mean"), recycled(sd, n, "sd")
        if np.isnan(mean).any() or not np.isfinite(sd).all() or (sd < 0).any():
            raise InputError("rnorm needs means that are numbers and finite sd >= 0.")
        drawn = (sd != 0) & np.isfinite(mean)  # R consumes nothing for the others
        draws = _spread(lambda count: normals(self._stream, count), drawn)
        draws *= sd
        draws += mean
        return draws

    def rexp(self, n: int, rate: Any = 1.0) -> FloatArray:
        """Exponential draws. As in R: ``rexp(n, rate)``.

        Parameters
        ----------
        n : int
            How many.
        rate : float or array, recycled to `n`
            The rate, 1 / mean.

        Examples
        --------
        >>> RRandom(1).rexp(2).round(7)
        array([0.7551818, 1.1816428])
        """
        n = count_of(n)
        rate = recycled(rate, n, "rate")
        if not (rate > 0).all():
            raise InputError("rexp needs rates above 0.")
        scale = 1 / rate
        drawn = scale > 0  # an infinite rate gives 0 and consumes nothing
        draws = _spread(lambda count: exponentials(self._stream, count), drawn)
        draws *= scale
        return draws

    def sample(
        self, x: Any, size: int | None = None, replace: bool = False, prob: Any = None
    ) -> npt.NDArray[Any]:
        """Draw elements. As in R: ``sample(x, size, replace, prob)``.

        Parameters
        ----------
        x : int or sequence
            An integer n stands for 1..n. A sequence stands for itself, also when it holds one
            number (R would take that for n).
        size : int, optional
            How many; all of them by default.
        replace : bool, default False
            Whether an element can be drawn again.
        prob : sequence of float, optional
            Weights, not negative; they need not add up to 1.

        Returns
        -------
        array, shape (size,)

        Examples
        --------
        >>> RRandom(42).sample(5)
        array([1, 5, 4, 3, 2])
        >>> RRandom(42).sample(["a", "b", "c"], 4, replace=True)
        array(['a', 'a', 'a', 'a'], dtype='<U1')
        """
        values, n = values_of(x)
        count = n if size is None else count_of(size)
        if not replace and count > n:
            raise InputError(
                "A sample without replacement cannot be larger than what it is drawn from.",
                given=f"size {count} of {n}", fix="pass replace=True or a smaller size",
            )  # fmt: skip
        if n == 0 and count > 0:
            raise InputError("There is nothing to draw from.", given=f"size {count} of 0")
        places = self._places(n, count, replace, prob)
        return places + 1 if values is None else values[places]

    def permutation(self, n: int) -> IntArray:
        """All of 0..n-1 in random order: the draw of R's ``sample(n)``, counted from 0.

        Examples
        --------
        >>> RRandom(1).permutation(5)
        array([0, 3, 2, 4, 1])
        """
        n = count_of(n)
        return self._places(n, n, False, None)

    def _places(self, n: int, count: int, replace: bool, prob: Any) -> IntArray:
        """Drawn places, counted from 0."""
        if prob is not None:
            weights = probabilities(prob, n, 0 if replace else count)
            if replace:
                return weighted.with_replacement(
                    self._stream, weights, count, rounding=self._rounding
                )
            return weighted.without_replacement(self._stream, weights, count)
        if count == 0:
            return np.empty(0, dtype=np.int64)
        if replace or count < 2:
            return equal_range(self._stream, n, count, rounding=self._rounding)
        if n > _HASHED_ABOVE and count <= n / 2:
            return self._distinct(n, count)
        return self._shuffled(n, count)

    @property
    def _rounding(self) -> bool:
        return self.sample_kind == "Rounding"

    def _shuffled(self, n: int, count: int) -> IntArray:
        """Take one and move the last into its place, `count` times."""
        drawn = shrinking_range(self._stream, n, count, rounding=self._rounding)
        return _all_dealt(n, drawn) if 16 * count > n else _few_dealt(n, drawn)

    def _distinct(self, n: int, count: int) -> IntArray:
        """Draw until `count` different ones have come, as R does for n > 1e7."""
        seen: dict[int, None] = {}
        while len(seen) < count:
            draws = equal_range(self._stream, n, count - len(seen), rounding=self._rounding)
            seen.update(dict.fromkeys(draws.tolist()))
        return np.fromiter(seen, dtype=np.int64, count=count)


def _spread(draw: Callable[[int], FloatArray], drawn: BoolArray) -> FloatArray:
    """Draws where `drawn`, zeros elsewhere."""
    if drawn.all():
        return draw(len(drawn))
    draws = np.zeros(len(drawn))
    draws[drawn] = draw(int(drawn.sum()))
    return draws


def _all_dealt(n: int, drawn: memoryview[int]) -> IntArray:
    """Cards taken from a deck, the last card then put into the gap; written over what was drawn."""
    deck = memoryview(np.arange(n, dtype=np.int64))  # type: ignore[arg-type]
    for draw, (index, last) in enumerate(zip(drawn, range(n - 1, -1, -1), strict=False)):
        drawn[draw] = deck[index]
        deck[index] = deck[last]
    return np.asarray(drawn)


def _few_dealt(n: int, drawn: memoryview[int]) -> IntArray:
    """The same for few cards of a large deck, of which only the moved ones are written down."""
    deck: dict[int, int] = {}
    for draw, index in enumerate(drawn):
        last = n - 1 - draw
        drawn[draw] = deck.get(index, index)
        deck[index] = deck.get(last, last)
    return np.asarray(drawn)
