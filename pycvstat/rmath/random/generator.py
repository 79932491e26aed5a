"""R's random numbers: set.seed, runif, rnorm, rexp and sample, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from pycvstat.errors import InputError
from pycvstat.errors.checks import check_word, is_whole
from pycvstat.rmath.random.draws import BitStream, exponentials, normals
from pycvstat.rmath.random.sampling import dealt, equal_range, with_replacement, without_replacement
from pycvstat.types import BoolArray, FloatArray, IntArray

SampleKind = Literal["Rejection", "Rounding"]
_HASHED_ABOVE = 10_000_000
_COMPILED_ABOVE = 2**20  # cards: dealing them takes longer than to load the compiler
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
            problem = "A seed is an integer from -2147483647 to 2147483647, as in R's set.seed."
            raise InputError(problem, given=repr(seed))
        check_word("sample_kind", sample_kind, get_args(SampleKind), "Unknown sample_kind.")
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

    @property
    def state(self) -> npt.NDArray[np.int32]:
        """Where it is: R's ``.Random.seed``, a code of the kinds, the position and 624 words.

        Examples
        --------
        >>> RRandom(1).state[:4]
        array([     10403,        624, -169270483, -442010614], dtype=int32)
        """
        place, words = self._stream.words()
        kinds = 403 if self._rounding else 10403
        return np.concatenate([np.array([kinds, place], dtype=np.int32), words.view(np.int32)])

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
        count = size_of(size, n, replace)
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
            weights = probabilities(prob, n, 1 if replace else count)
            if replace:
                return with_replacement(self._stream, weights, count, rounding=self._rounding)
            return without_replacement(self._stream, weights, count)
        if count == 0:
            return np.empty(0, dtype=np.int64)
        if replace:
            return equal_range(self._stream, n, count, rounding=self._rounding)
        if n > _HASHED_ABOVE and count <= n / 2:
            return self._distinct(n, count)
        return self._shuffled(n, count)

    @property
    def _rounding(self) -> bool:
        return self.sample_kind == "Rounding"

    def _shuffled(self, n: int, count: int) -> IntArray:
        """Take one and move the last into its place, `count` times."""
        if count > _COMPILED_ABOVE:
            from pycvstat.rmath.random.compiled import drawn

            return drawn(self._stream, n, count, replace=False, rounding=self._rounding)
        return dealt(self._stream, n, count, rounding=self._rounding)

    def _distinct(self, n: int, count: int) -> IntArray:
        """Draw until `count` different ones have come, as R does for n > 1e7."""
        if n <= 16 * count:
            return self._distinct_of_few(n, count)
        seen: dict[int, None] = {}
        while len(seen) < count:
            draws = equal_range(self._stream, n, count - len(seen), rounding=self._rounding)
            seen.update(dict.fromkeys(draws.tolist()))
        return np.fromiter(seen, dtype=np.int64, count=count)

    def _distinct_of_few(self, n: int, count: int) -> IntArray:
        """The same with a note for each of the n, of the draw in which it first came."""
        first = np.full(n, -1)
        found: list[IntArray] = []
        missing = count
        while missing:
            draws = equal_range(self._stream, n, missing, rounding=self._rounding)
            draws = draws[first[draws] < 0]
            turns = np.arange(len(draws))
            first[draws[::-1]] = turns[::-1]  # of equal ones the first is written last
            found.append(draws[first[draws] == turns])
            missing -= len(found[-1])
        return np.concatenate(found)


def _spread(draw: Callable[[int], FloatArray], drawn: BoolArray) -> FloatArray:
    """Draws where `drawn`, zeros elsewhere."""
    if drawn.all():
        return draw(len(drawn))
    draws = np.zeros(len(drawn))
    draws[drawn] = draw(int(drawn.sum()))
    return draws


_LARGEST = 4_500_000_000_000_000


def count_of(n: Any) -> int:
    """A number of draws: an integer that is not negative."""
    if not is_whole(n) or n < 0:
        raise InputError("The number of draws must be an integer >= 0.", given=repr(n))
    return int(n)


def recycled(values: Any, n: int, name: str) -> FloatArray:
    """Values repeated to length `n`, as R recycles a parameter."""
    try:
        given = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numeric.", given=repr(values)) from None
    if given.ndim != 1 or (len(given) == 0 and n > 0):
        raise InputError(f"{name} must be a number or a vector.", given=repr(values))
    return np.full(n, given) if len(given) == 1 else np.resize(given, n)


def values_of(x: Any) -> tuple[npt.NDArray[Any] | None, int]:
    """The values to draw from (None: 1..n) and how many there are."""
    if is_whole(x):
        if x < 1:
            raise InputError("There is nothing to draw from: n must be at least 1.", given=x)
        if x > _LARGEST:
            raise InputError("R draws from at most 4.5e15 values.", given=x)
        return None, int(x)
    if isinstance(x, (str, bytes, dict, set)) or not hasattr(x, "__len__"):
        raise InputError("x must be an integer n, for 1..n, or a sequence.", given=repr(x))
    values = np.asarray(x)
    if values.ndim != 1:
        raise InputError("x must have one dimension.", given=f"an array of shape {values.shape}")
    return values, len(values)


def size_of(size: int | None, n: int, replace: bool) -> int:
    """How many to draw of `n`; all of them by default."""
    count = n if size is None else count_of(size)
    if not replace and count > n:
        raise InputError(
            "A sample without replacement cannot be larger than what it is drawn from.",
            given=f"size {count} of {n}", fix="pass replace=True or a smaller size",
        )  # fmt: skip
    return count


def probabilities(prob: Any, n: int, need: int) -> FloatArray:
    """Weights that add up to 1, of which `need` are above 0."""
    weights = recycled(prob, len(prob) if hasattr(prob, "__len__") else 1, "prob")
    if len(weights) != n:
        raise InputError(
            "prob needs one weight per value.", given=f"{len(weights)} weights for {n} values"
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("prob must be finite and not negative.")
    positive = int(np.count_nonzero(weights))
    if positive == 0 or positive < need:
        raise InputError(
            "Too few values can be drawn.", given=f"{positive} with a weight above 0",
            fix="pass replace=True, a smaller size or more positive weights",
        )  # fmt: skip
    total = float(np.cumsum(weights)[-1])  # one after the other, as R adds them
    return weights / total
