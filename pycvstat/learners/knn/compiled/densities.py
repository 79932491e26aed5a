"""Functions of R whose last bits decide which of two kernels has the smaller error.

With one neighbour all kernels predict its response, up to the rounding of weight * y / weight.
The functions of the C library are called for every value: NumPy has its own.
"""

from __future__ import annotations

import math

import numpy as np

from pycvstat.learners.knn.compiled import inlined, loop

# log(n!) less Stirling's approximation, for n = 0, 1, ..., 6
STIRLING_ERRORS = np.array(
    [
        0.0,
        0.0810614667953272582196702,
        0.0413406959554092940938221,
        0.02767792568499833914878929,
        0.02079067210376509311152277,
        0.01664469118982119216319487,
        0.01387612882307074799874573,
    ]
)
LOG_2PI = 1.837877066409345483560659472811
ONE_BY_ROOT_2PI = 0.398942280401432677939946059934


@inlined
def deviance(x, mean):  # type: ignore[no-untyped-def]
    """The part of the Poisson deviance x log(x / mean) + mean - x, accurate for x near mean.

    Loader (2000), Fast and accurate computation of binomial probabilities. As in R: ``bd0``.
    """
    if abs(x - mean) < 0.1 * (x + mean):
        v = (x - mean) / (x + mean)
        total = (x - mean) * v
        if abs(total) < 2.2250738585072014e-308:
            return total
        part = 2.0 * x * v
        v = v * v
        for j in range(1, 1000):
            part *= v
            before = total
            total += part / (2 * j + 1)
            if total == before:
                return total
    return x * math.log(x / mean) + mean - x


@loop
def beta_densities(values, a):  # type: ignore[no-untyped-def]
    """The density of the symmetric beta distribution with parameters a = 3 or 4.

    As in R: ``dbeta(x, a, a)``, which goes by way of the binomial density.
    """
    result = np.empty_like(values)
    n = 2 * a - 2
    errors = STIRLING_ERRORS[n] - STIRLING_ERRORS[a - 1] - STIRLING_ERRORS[n - (a - 1)]
    x = float(a - 1)
    half = 0.5 * (LOG_2PI + math.log(x) + math.log1p(-x / n))
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            p = values[i, j]
            q = 1.0 - p
            log_density = errors - deviance(x, n * p) - deviance(n - x, n * q) - half
            result[i, j] = math.exp(math.log(2.0 * a - 1.0) + log_density)
    return result


@loop
def normal_densities(values):  # type: ignore[no-untyped-def]
    """As in R: ``dnorm(x)`` for |x| < 5."""
    result = np.empty_like(values)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            x = values[i, j]
            result[i, j] = ONE_BY_ROOT_2PI * math.exp(-0.5 * x * x)
    return result


@loop
def cosines(values):  # type: ignore[no-untyped-def]
    """As in R: ``cos(x)``."""
    result = np.empty_like(values)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            result[i, j] = math.cos(values[i, j])
    return result
