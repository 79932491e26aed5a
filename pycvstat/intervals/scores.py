"""The corrected t for scores of any origin, one per fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat.data.frame import in_common_rows
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_level
from pycvstat.errors.names import answering
from pycvstat.intervals.base import Asked, Interval, Scores
from pycvstat.intervals.estimand import Estimand
from pycvstat.intervals.nadeau_bengio import METHOD, corrected_t_limits
from pycvstat.types import FloatArray


@answering
def corrected_t(
    scores: Any, n_train: Any, n_test: Any, level: float = 0.95, *, metric: str = "score"
) -> Interval:
    """The corrected resampled t interval of scores made by anything (scikit-learn, caret, ...).

    mean ± t_{J-1} s sqrt(1 / J + n_test / n_train); of differences of two methods on the same
    splits it is the corrected t test (`Interval.p_value`).

    Parameters
    ----------
    scores : (J,) sequence of float
        One score per fit, all repetitions together.
    n_train, n_test : int, or (J,) sequences of int
        Training and test sizes of the fits.
    level : float
    metric : str
        What to call the scores.

    Examples
    --------
    >>> corrected_t([0.9, 0.8, 1.0, 0.7, 0.9], n_train=40, n_test=10)
    Interval(0.86, 95 % from 0.648 to 1.07, ER(40), corrected_t)
    """
    level = check_level(level)
    given = [("scores", scores), ("n_train", n_train), ("n_test", n_test)]
    scores, n_train, n_test = in_common_rows(given)
    values = _scores(scores)
    train, test = _sizes(n_train, values.size, "n_train"), _sizes(n_test, values.size, "n_test")
    limits = corrected_t_limits(values, float(test.sum() / train.sum()), level)
    low, high = int(train.min()), int(train.max())
    size = str(low) if low == high else f"{low} to {high}"
    return Interval(
        low=limits.low,
        high=limits.high,
        estimate=limits.estimate,
        std_error=limits.std_error,
        level=level,
        method=METHOD.name,
        title=METHOD.title,
        about=Estimand("ER", size, after=f", risk being the {metric}"),
        metric=metric,
        df=limits.df,
        citation=METHOD.citation,
        known=(
            "safe but wide on a single K-fold, slightly liberal on many repetitions; meant for "
            "training shares of about 0.9"
        ),
        notes=limits.notes,
        details=limits.details,
        asked=Asked(Scores(values, train, test)),
    )


def _scores(scores: Any) -> FloatArray:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("scores must be numbers, one per fit.", given=repr(scores)) from None
    if values.ndim != 1:
        raise InputError(
            "scores must be one-dimensional, one per fit.",
            given=f"shape {values.shape}",
            fix="scores.ravel() puts the folds of all repetitions together",
        )
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError(
            "scores must be finite.", given=f"{bad.size} of {values.size}, first fit {bad[0] + 1}"
        )
    return values


def _sizes(sizes: Any, fits: int, name: str) -> FloatArray:
    try:
        values = np.asarray(sizes, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number of rows.", given=repr(sizes)) from None
    if values.ndim > 1 or (values.ndim == 1 and values.size != fits):
        raise InputError(
            f"{name} must be one number, or one per score.",
            given=f"shape {values.shape} for {fits} scores",
        )
    if not (np.isfinite(values).all() and (values >= 1).all() and (values == values.round()).all()):
        raise InputError(f"{name} must be whole and at least 1.", given=repr(sizes))
    return np.broadcast_to(values, (fits,))
