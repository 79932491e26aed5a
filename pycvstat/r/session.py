"""One stream of random numbers, as an R session has one: ``set.seed`` and all that draws after it.

Every thread is a session of its own, and so is every process: it has its own stream, which starts
at random unless `set_seed` was called there. What is drawn in one thread never depends on another.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import InputError
from pycvstat.errors.checks import check_word, is_number
from pycvstat.errors.names import answering
from pycvstat.rmath.random import RRandom
from pycvstat.rmath.random.generator import SampleKind
from pycvstat.types import FloatArray, IntArray

__all__ = [
    "RNGkind", "RNGversion", "rexp", "rnorm", "runif", "sample", "sample_int", "set_seed",
    "stream",
]  # fmt: skip


class _Session(threading.local):
    stream: RRandom | None = None
    sample_kind: SampleKind = "Rejection"


_session = _Session()


def stream() -> RRandom:
    """The stream of this session, from where it is: for splitters and all else that draws.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> pcv.KFold(3).plan(6, random=r.stream()).fold_ids
    array([1, 3, 2, 1, 3, 2])
    >>> r.sample(6)
    array([3, 2, 6, 4, 1, 5])
    """
    if _session.stream is None:
        _start(secrets.randbelow(2**31))
    assert _session.stream is not None
    return _session.stream


def _start(seed: Any) -> None:
    _session.stream = RRandom(seed, _session.sample_kind)


@contextmanager
def apart(seed: int, sample_kind: SampleKind = "Rejection") -> Iterator[None]:
    """A session within this one, which then goes on as if nothing had been drawn.

    Examples
    --------
    >>> set_seed(1)
    >>> with apart(2):
    ...     sample(3)
    array([1, 3, 2])
    >>> runif(1).round(7)
    array([0.2655087])
    """
    before = _session.stream, _session.sample_kind
    set_seed(seed, sample_kind)
    try:
        yield
    finally:
        _session.stream, _session.sample_kind = before


@answering
def set_seed(seed: int | None, sample_kind: SampleKind | None = None) -> None:
    """Start the stream anew. As in R: ``set.seed(seed, sample.kind = sample_kind)``.

    Parameters
    ----------
    seed : int or None
        None starts at random.
    sample_kind : {"Rejection", "Rounding"}, optional
        How `sample` draws from now on: "Rounding" is R before 3.6.0. R warns that it is not
        uniform.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(17)
    >>> r.runif(2).round(6), r.sample(5)
    (array([0.155051, 0.968379]), array([1, 2, 3, 5, 4]))
    """
    given = secrets.randbelow(2**31) if seed is None else seed
    started = RRandom(given, sample_kind or _session.sample_kind)
    _session.stream, _session.sample_kind = started, started.sample_kind


@answering
def RNGkind(sample_kind: SampleKind) -> None:
    """How `sample` draws from now on; the stream goes on.

    As in R: ``RNGkind(sample.kind = sample_kind)``. There is one generator here, R's usual one.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.RNGkind("Rounding")
    >>> r.sample(5)
    array([2, 5, 4, 3, 1])
    >>> r.RNGkind("Rejection")
    """
    check_word("sample_kind", sample_kind, get_args(SampleKind))
    stream().sample_kind = _session.sample_kind = sample_kind


@answering
def RNGversion(version: str) -> None:
    """Draw as an older R did: before 3.6.0, `sample` rounded. As in R: ``RNGversion(version)``.

    As in R the stream is started anew, from a seed that it draws.

    Parameters
    ----------
    version : str
        "1.7.0" or later; before, R had other generators.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.RNGversion("3.5.0")
    >>> r.set_seed(1)
    >>> r.sample(5)
    array([2, 5, 4, 3, 1])
    >>> r.RNGversion("4.2.0")
    """
    try:
        numbers = [int(part) for part in version.replace("-", ".").split(".")]
    except (AttributeError, ValueError):
        numbers = []
    if numbers < [1, 7]:
        fix = 'RNGversion("3.5.0") for courses made before R 3.6.0'
        given = repr(version)
        raise InputError("RNGversion takes a version of R from 1.7.0 on.", given=given, fix=fix)
    bits = int(stream().runif(1)[0] * (2.0**32 - 1))
    _session.sample_kind = "Rejection" if numbers >= [3, 6] else "Rounding"
    _start(max(bits - 2**32 if bits >= 2**31 else bits, -(2**31) + 1))


@answering
def sample(
    x: Any, size: int | None = None, replace: bool = False, prob: Any = None
) -> NDArray[Any]:
    """Draw elements. As in R: ``sample(x, size, replace, prob)``.

    Parameters
    ----------
    x : number or sequence
        A number n from 1 on stands for 1..n, and so does, as in R, a sequence of only that one.
    size : int, optional
        How many; all of them by default.
    replace : bool
    prob : sequence of float, optional
        Weights.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(2)
    >>> r.sample(["a", "b", "c"]), r.sample([5])
    (array(['a', 'c', 'b'], dtype='<U1'), array([1, 5, 4, 2, 3]))
    """
    one = x[0] if isinstance(x, Sequence | np.ndarray) and len(x) == 1 else x
    if is_number(one) and np.isfinite(one) and one >= 1:
        return stream().sample(int(one), size, replace, prob)
    return stream().sample([x] if is_number(x) else x, size, replace, prob)


@answering
def sample_int(
    n: int, size: int | None = None, replace: bool = False, prob: Any = None
) -> IntArray:
    """Draw from 1..n. As in R: ``sample.int(n, size, replace, prob)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.sample_int(10, 3)
    array([9, 4, 7])
    """
    if not is_number(n):
        raise InputError("n is a number: sample_int draws from 1..n.", given=repr(n))
    return stream().sample(int(n), size, replace, prob)


@answering
def runif(n: Any, min: Any = 0.0, max: Any = 1.0) -> FloatArray:
    """Uniform draws. As in R: ``runif(n, min, max)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.runif(2).round(7)
    array([0.2655087, 0.3721239])
    """
    return stream().runif(_count(n), min, max)


@answering
def rnorm(n: Any, mean: Any = 0.0, sd: Any = 1.0) -> FloatArray:
    """Normal draws. As in R: ``rnorm(n, mean, sd)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.rnorm(2).round(7)
    array([-0.6264538,  0.1836433])
    """
    return stream().rnorm(_count(n), mean, sd)


@answering
def rexp(n: Any, rate: Any = 1.0) -> FloatArray:
    """Exponential draws. As in R: ``rexp(n, rate)``.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> r.rexp(2).round(7)
    array([0.7551818, 1.1816428])
    """
    return stream().rexp(_count(n), rate)


def _count(n: Any) -> Any:
    """How many draws: as in R, of several numbers the number of them."""
    several = isinstance(n, Sequence | np.ndarray) and not isinstance(n, str)
    return (len(n) if len(n) != 1 else n[0]) if several else n
