"""Functions of the C library, powers and remainders: R's bits and R's NaN."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pycvstat.r.bridge import run
from pycvstat.rmath import EXTENDED
from pycvstat.rmath.arithmetic import by_c, power, remainder

RNG = np.random.default_rng(1)
EXTREMES = [0.0, -0.0, 1e308, -1e308, 5e-324, 710.0, -746.0]
NUMBERS = np.concatenate(
    [RNG.normal(size=5000), np.exp(RNG.normal(size=5000) * 5), RNG.integers(-99, 99, 999) / 8]
)
NUMBERS = np.append(NUMBERS, EXTREMES)
BORDER = (2.0**53, 2.0**63, 1.25 * 2.0**63, 2.0**64)


@pytest.mark.live_r
@pytest.mark.parametrize("function", ["exp", "log", "log10", "log1p", "cosh", "tan", "tanh"])
def test_functions(function: str) -> None:
    x = np.append(NUMBERS, [np.inf, -np.inf, np.nan])
    theirs = run(f"suppressWarnings({function}(x))", x=x)
    with np.errstate(all="ignore"):
        ours = by_c(getattr(math, function), getattr(np, function))(x)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.live_r
@pytest.mark.parametrize("exponent", [2.0, 3.0, -1.0, 0.5, 1.7, 0.0, np.nan])
def test_powers(exponent: float) -> None:
    for x, y in ((NUMBERS, np.array(exponent)), (np.array(exponent), NUMBERS)):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(power(x, y), run("x ^ y", x=x, y=y))


@pytest.mark.live_r
@pytest.mark.parametrize(
    "divisor", [0.1, 0.3, 3.0, -2.5, 1e-3, 0.0, *BORDER[:3], np.inf, -np.inf, 1e300]
)
def test_remainders(divisor: float) -> None:
    x = NUMBERS[np.abs(NUMBERS) < 1e10]  # beyond, R warns of lost digits
    with np.errstate(all="ignore"):
        ours = remainder(x, np.array(divisor))
    np.testing.assert_array_equal(ours, run("x %% y", x=x, y=divisor))


@pytest.mark.skipif(not EXTENDED, reason="R's own are those of another long double")
@pytest.mark.parametrize(
    ("divisor", "left"),
    [(2.0**53, 2.0**53), (2.0**63, 0.0), *zip(BORDER[2:], BORDER[2:], strict=True)],
)
def test_the_border_beyond_which_divisors_have_no_digits_to_lose(
    divisor: float, left: float
) -> None:
    """By R 4.2.2: ``-0.1 %% divisor``; up to 2^63 the rounded quotient is taken off once more."""
    assert remainder(np.array([-0.1, 5.0]), np.array(divisor)).tolist() == [left, 5.0]
