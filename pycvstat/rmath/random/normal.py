"""Normal draws by inversion, as R makes them by default.

NumPy's vectorised logarithm differs from the C library's in the last bit on some processors,
so the tails go through `math.log`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pycvstat.rmath.random.twister import BitStream, as_uniforms
from pycvstat.types import FloatArray

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
