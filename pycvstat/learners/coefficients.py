"""Coefficient tables: estimates with standard errors, tests and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors.checks import check_level
from pycvstat.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd


def root_of_inverse_diagonal(X: FloatArray) -> FloatArray:
    """Square roots of the diagonal of the inverse of X'X, for X (n, p) of full column rank."""
    inverse, exponents = _inverse_of_root(X)
    roots: FloatArray = np.ldexp(np.sqrt((inverse**2).sum(axis=1)), -exponents)
    return roots


def inverse_of_cross_product(X: FloatArray) -> FloatArray:
    """The inverse of X'X, (p, p), for X (n, p) of full column rank.

    Examples
    --------
    >>> inverse_of_cross_product(np.array([[1.0, 0.0], [1.0, 2.0]])).round(6)
    array([[ 1. , -0.5],
           [-0.5,  0.5]])
    """
    inverse, exponents = _inverse_of_root(X)
    inverse = np.ldexp(inverse, -exponents[:, None])
    found: FloatArray = inverse @ inverse.T
    return found


def _inverse_of_root(X: FloatArray) -> tuple[FloatArray, NDArray[np.int32]]:
    """The inverse of R in X = QR, in units of X's columns that are powers of 2, and these."""
    if not X.shape[1]:
        return np.empty((0, 0)), np.empty(0, dtype=np.int32)
    from scipy.linalg import solve_triangular

    _, exponents = np.frexp(np.abs(X).max(axis=0))  # powers of 2 change no digit, only the range
    R = np.linalg.qr(np.ldexp(X, -exponents), mode="r")
    return solve_triangular(R, np.eye(len(R)), check_finite=False), exponents


def coefficient_table(
    terms: Sequence[str],
    estimate: FloatArray,
    std_error: FloatArray,
    df: float | None,
    level: float,
) -> pd.DataFrame:
    """One row per coefficient.

    Parameters
    ----------
    terms : sequence of str
    estimate, std_error : (p,) float64
        NaN where a coefficient is not estimated.
    df : float or None
        Degrees of freedom of Student's t; None for the normal distribution; NaN for no test.
    level : float
        Confidence level of the intervals.

    Returns
    -------
    pandas.DataFrame
        Columns term, estimate, std_error, statistic, p_value, conf_low, conf_high.

    Examples
    --------
    >>> table = coefficient_table(["x"], np.array([2.0]), np.array([1.0]), None, 0.95)
    >>> table.round(4).values.tolist()
    [['x', 2.0, 1.0, 2.0, 0.0455, 0.04, 3.96]]
    """
    import pandas as pd
    from scipy import stats

    level = check_level(level)
    with np.errstate(all="ignore"):
        statistic = estimate / std_error
    law = stats.norm() if df is None else stats.t(df if df > 0 else np.nan)
    reach = law.ppf(0.5 + level / 2) * std_error
    return pd.DataFrame(
        {
            "term": list(terms),
            "estimate": estimate,
            "std_error": std_error,
            "statistic": statistic,
            "p_value": 2 * law.sf(np.abs(statistic)),
            "conf_low": estimate - reach,
            "conf_high": estimate + reach,
        }
    )
