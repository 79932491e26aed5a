"""Metrics of numbers: functions of (y, prediction), and their records.

Deviances are those of McCullagh and Nelder (1989); the concordance correlation is Lin's (1989).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pycvstat.errors import InputError, LossError
from pycvstat.losses.functions import pinball
from pycvstat.losses.metric import Metric, Smooth, mean_metric
from pycvstat.losses.predictions import Predictions
from pycvstat.types import FloatArray


def rmse(y: FloatArray, p: FloatArray) -> float:
    """Root of the mean squared error.

    Examples
    --------
    >>> rmse(np.array([0.0, 0.0]), np.array([1.0, 7.0]))
    5.0
    """
    return float(np.sqrt(np.mean((y - p) ** 2)))


def medae(y: FloatArray, p: FloatArray) -> float:
    """Median absolute error.

    Examples
    --------
    >>> medae(np.array([0.0, 0.0, 0.0]), np.array([1.0, -2.0, 9.0]))
    2.0
    """
    return float(np.median(np.abs(y - p)))


def trimmed_mse(y: FloatArray, p: FloatArray) -> float:
    """Mean of the squared errors without the largest tenth of them.

    Examples
    --------
    >>> trimmed_mse(np.zeros(10), np.array([1.0] * 9 + [50.0]))
    1.0
    """
    return float(np.sort((y - p) ** 2)[: y.size - y.size // 10].mean())


def relative_errors(y: FloatArray, p: FloatArray) -> FloatArray:
    """Absolute errors as shares of the response, whose mean is the MAPE (not in percent).

    Examples
    --------
    >>> relative_errors(np.array([2.0, -4.0]), np.array([3.0, -3.0]))
    array([0.5 , 0.25])
    """
    if (y == 0).any():
        problem = "mape divides by the response, which is 0 in some rows."
        given = f"{int((y == 0).sum())} of {y.size} responses are 0"
        raise LossError(problem, given=given, fix="metric='mae'")
    return np.asarray(np.abs((y - p) / y))


def r2(y: FloatArray, p: FloatArray) -> float:
    """1 - RSS/TSS, TSS about the mean of these rows (scikit-learn's `r2_score`).

    Examples
    --------
    >>> r2(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))
    0.5
    """
    total = float(((y - y.mean()) ** 2).sum())
    if total == 0:
        return np.nan
    return 1.0 - float(((y - p) ** 2).sum()) / total


def r2_correlation(y: FloatArray, p: FloatArray) -> float:
    """Squared correlation of y and prediction (caret's Rsquared); NaN when one is constant.

    Examples
    --------
    >>> round(r2_correlation(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])), 12)
    1.0
    """
    if np.ptp(y) == 0 or np.ptp(p) == 0:
        return np.nan
    return float(np.corrcoef(y, p)[0, 1] ** 2)


def explained_variance(y: FloatArray, p: FloatArray) -> float:
    """1 - var(y - p) / var(y), which does not count a constant error.

    Examples
    --------
    >>> explained_variance(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.0]))
    1.0
    """
    return np.nan if np.ptp(y) == 0 else float(1.0 - np.var(y - p) / np.var(y))


def ccc(y: FloatArray, p: FloatArray) -> float:
    """Lin's concordance correlation, 2 cov(y, p) / (var y + var p + (mean y - mean p)^2).

    Variances are divided by n, as Lin does; yardstick's by n - 1 unless ``bias = TRUE``.

    Examples
    --------
    >>> ccc(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    1.0
    """
    if np.ptp(y) == 0 and np.ptp(p) == 0:
        return np.nan
    a, b = y - y.mean(), p - p.mean()
    spread = a @ a + b @ b + y.size * (y.mean() - p.mean()) ** 2
    return float(2 * (a @ b) / spread)


def tweedie(power: float) -> Callable[[Any, Any], FloatArray]:
    """The unit deviance of variance mu^power: 0 normal, 1 Poisson, 2 gamma, 3 inverse Gaussian.

    Examples
    --------
    >>> tweedie(0)(np.array([1.0]), np.array([3.0])), tweedie(1)(np.array([0.0]), np.array([3.0]))
    (array([4.]), array([6.]))
    """
    if not (power == 0 or power >= 1):
        raise InputError("there is no Tweedie law of this power.", given=power, fix="1.5")

    def deviance(y: FloatArray, p: FloatArray) -> FloatArray:
        _check_deviance(power, y, p)
        with np.errstate(all="ignore"):
            found = _unit_deviance(power, y, p)
        return np.maximum(found, 0.0)

    return deviance


def _unit_deviance(power: float, y: FloatArray, p: FloatArray) -> FloatArray:
    if power == 0:
        return np.asarray((y - p) ** 2)
    if power == 1:
        return np.asarray(2 * (np.where(y > 0, y * np.log(y / p), 0.0) - (y - p)))
    if power == 2:
        return np.asarray(2 * (np.log(p / y) + y / p - 1))
    one, two = 1 - power, 2 - power
    return np.asarray(2 * (y**two / (one * two) - y * p**one / one + p**two / two))


def negative_binomial(alpha: float) -> Callable[[Any, Any], FloatArray]:
    """The unit deviance of the negative binomial law of variance mu + alpha mu^2.

    As in R: ``MASS::negative.binomial(1 / alpha)$dev.resids``.

    Examples
    --------
    >>> negative_binomial(0.5)(np.array([0.0, 3.0]), np.array([2.0, 3.0])).round(6)
    array([2.772589, 0.      ])
    """
    if not 0 < alpha < np.inf:
        raise InputError("alpha must be positive.", given=alpha, fix="poisson_deviance where 0")

    def deviance(y: FloatArray, p: FloatArray) -> FloatArray:
        _check_deviance(1, y, p)
        with np.errstate(all="ignore"):
            own = np.where(y > 0, y * np.log(y / p), 0.0)
        found = own - (y + 1 / alpha) * np.log((1 + alpha * y) / (1 + alpha * p))
        return np.maximum(2 * found, 0.0)

    return deviance


def negative_binomial_metric(alpha: float) -> Metric:
    """The mean deviance of a negative binomial law."""
    return mean_metric(f"negative_binomial_deviance({alpha:.15g})", negative_binomial(alpha))


def _check_deviance(power: float, y: FloatArray, p: FloatArray) -> None:
    if power == 0:
        return
    low, allowed = float(y.min()), "y >= 0" if power < 2 else "y > 0"
    if low < 0 or (power >= 2 and low == 0):
        raise LossError(f"this deviance needs {allowed}.", given=f"smallest y {low:g}")
    if p.min() <= 0:
        fix = "a GLM of this family, or metric='mse'"
        given = f"smallest prediction {p.min():g}"
        raise LossError("this deviance needs positive predictions.", given=given, fix=fix)


def quantile_errors(tau: float) -> Callable[[Any, Any], FloatArray]:
    """The pinball losses at `tau`, of which the metric is the mean."""
    of = pinball(tau).pointwise
    return lambda y, p: of(y, Predictions(p[None]))[0]


def pinball_metric(tau: float) -> Metric:
    """The mean pinball loss at `tau`."""
    return mean_metric(f"pinball({tau:.15g})", quantile_errors(tau), loss=f"pinball({tau:.15g})")


def tweedie_metric(power: float) -> Metric:
    """The mean deviance of a Tweedie law."""
    return mean_metric(f"tweedie({power:.15g})", tweedie(power))


def _centred(y: FloatArray, p: FloatArray, classes: int) -> FloatArray:
    """y, p, y^2, p^2 and yp, both about the mean of y: no digits are lost to its size."""
    a, b = y - y.mean(), p - y.mean()
    return np.column_stack([a, b, a**2, b**2, a * b])


def _errors(y: FloatArray, p: FloatArray, classes: int) -> FloatArray:
    e, a = y - p, y - y.mean()
    return np.column_stack([e, e**2, a, a**2])


def _squared_and_moments(y: FloatArray, p: FloatArray, classes: int) -> FloatArray:
    centred = y - y.mean()
    return np.column_stack([(p - y) ** 2, centred, centred**2])


def _r2_gradient(m: FloatArray) -> FloatArray:
    variance = m[2] - m[1] ** 2
    slope = m[0] / variance**2
    return np.array([-1 / variance, -2 * m[1] * slope, slope])


def _explained_gradient(m: FloatArray) -> FloatArray:
    variance = m[3] - m[2] ** 2
    slope = (m[1] - m[0] ** 2) / variance**2
    return np.array([2 * m[0] / variance, -1 / variance, -2 * m[2] * slope, slope])


def _correlation(m: FloatArray) -> float:
    return float((m[4] - m[0] * m[1]) ** 2 / ((m[2] - m[0] ** 2) * (m[3] - m[1] ** 2)))


def _correlation_gradient(m: FloatArray) -> FloatArray:
    of_y, of_p, both = m[2] - m[0] ** 2, m[3] - m[1] ** 2, m[4] - m[0] * m[1]
    squared, slope = both**2 / (of_y * of_p), 2 * both / (of_y * of_p)
    y, p = -squared / of_y, -squared / of_p
    return np.array([-m[1] * slope - 2 * m[0] * y, -m[0] * slope - 2 * m[1] * p, y, p, slope])


def _concordance(m: FloatArray) -> float:
    return float(2 * (m[4] - m[0] * m[1]) / (m[2] + m[3] - 2 * m[0] * m[1]))


def _concordance_gradient(m: FloatArray) -> FloatArray:
    value, spread = _concordance(m), m[2] + m[3] - 2 * m[0] * m[1]
    slope = -2 * (1 - value) / spread
    return np.array([slope * m[1], slope * m[0], -value / spread, -value / spread, 2 / spread])


def _squares(y: FloatArray, p: FloatArray, classes: int) -> FloatArray:
    return np.asarray((y - p) ** 2)[:, None]


SHARE = {"range": (-np.inf, 1.0), "better": "larger", "averaging": "pooled"}
NUMBERS: tuple[Metric, ...] = (
    mean_metric(
        "mse", lambda y, p: (y - p) ** 2, loss="squared", words="mean squared error",
        elsewhere={"scikit-learn": "mean_squared_error neg_mean_squared_error", "Metrics": "mse"},
    ),
    Metric(
        rmse, "numbers", words="RMSE", range=(0.0, np.inf), better="smaller", averaging="pooled",
        smooth=Smooth(
            _squares,
            value=lambda m: float(np.sqrt(m[0])),
            gradient=lambda m: np.array([0.5 / np.sqrt(m[0])]),
            words="square root of the ",
            loss="squared",
        ),
        covered=(99, 99, 96),
        usual=True,
        elsewhere={
            "scikit-learn": "root_mean_squared_error neg_root_mean_squared_error",
            "yardstick": "rmse", "caret": "RMSE", "Metrics": "rmse",
        },
    ),
    mean_metric(
        "mae", lambda y, p: np.abs(y - p), loss="absolute", words="mean absolute error",
        covered=(99, 99, 96),
        usual=True,
        elsewhere={
            "scikit-learn": "mean_absolute_error neg_mean_absolute_error",
            "yardstick": "mae", "caret": "MAE", "Metrics": "mae",
        },
    ),
    Metric(
        medae, "numbers", words="median absolute error", range=(0.0, np.inf), better="smaller",
        elsewhere={
            "scikit-learn": "median_absolute_error neg_median_absolute_error", "Metrics": "mdae",
        },
    ),
    Metric(
        trimmed_mse,
        "numbers",
        words="mean squared error without the largest tenth of the squares",
        range=(0.0, np.inf),
        better="smaller",
    ),
    mean_metric(
        "mape", relative_errors, words="mean absolute percentage error",
        elsewhere={
            "scikit-learn": "mean_absolute_percentage_error neg_mean_absolute_percentage_error",
            "Metrics": "mape",
        },
    ),
    Metric(
        r2, "numbers", words="R²",
        smooth=Smooth(
            _squared_and_moments,
            value=lambda m: float(1 - m[0] / (m[2] - m[1] ** 2)),
            gradient=_r2_gradient,
            words="1 minus the ratio to the variance of the response of the ",
        ),
        covered=(97, 99, 92),
        usual=True,
        elsewhere={"scikit-learn": "r2_score", "yardstick": "rsq_trad"},
        **SHARE,  # type: ignore[arg-type]
    ),
    Metric(
        r2_correlation, "numbers", words="squared correlation", range=(0.0, 1.0), better="larger",
        smooth=Smooth(_centred, _correlation, _correlation_gradient),
        elsewhere={"yardstick": "rsq", "caret": "Rsquared"},
    ),
    Metric(
        explained_variance, "numbers",
        smooth=Smooth(
            _errors,
            value=lambda m: float(1 - (m[1] - m[0] ** 2) / (m[3] - m[2] ** 2)),
            gradient=_explained_gradient,
        ),
        elsewhere={"scikit-learn": "explained_variance_score"},
        **SHARE,  # type: ignore[arg-type]
    ),
    Metric(
        ccc, "numbers", words="concordance correlation", range=(-1.0, 1.0), better="larger",
        smooth=Smooth(_centred, _concordance, _concordance_gradient),
        averaging="pooled",
        elsewhere={"yardstick": "ccc"},
    ),
    *(
        mean_metric(name, tweedie(power), loss=loss, elsewhere={"scikit-learn": theirs})
        for name, power, loss, theirs in (
            ("poisson_deviance", 1, "poisson", "mean_poisson_deviance neg_mean_poisson_deviance"),
            ("gamma_deviance", 2, "", "mean_gamma_deviance neg_mean_gamma_deviance"),
            ("inverse_gaussian_deviance", 3, "", ""),
        )
    ),
)  # fmt: skip
FAMILIES = {
    "pinball": pinball_metric,
    "tweedie": tweedie_metric,
    "negative_binomial_deviance": negative_binomial_metric,
}
