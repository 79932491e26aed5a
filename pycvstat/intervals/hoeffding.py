"""Bounds from Hoeffding's inequality: one predictor, or the best of finitely many."""

from __future__ import annotations

import math

import numpy as np

from pycvstat.errors import InputError, IntervalError
from pycvstat.errors.checks import is_number, is_whole
from pycvstat.folds import Holdout
from pycvstat.intervals.limits import Limits
from pycvstat.intervals.method import InR, Method, register
from pycvstat.losses import LossTable, loss_label
from pycvstat.types import FloatArray

Bounds = tuple[float, float]


def hoeffding_radius(m: int, delta: float, size: int = 1, bounds: Bounds = (0.0, 1.0)) -> float:
    """How far the mean of m losses may lie from the risk, for all of `size` predictors at once.

    (hi - lo) sqrt(ln(2 size / delta) / (2 m)), with probability at least 1 - delta.

    Examples
    --------
    >>> round(hoeffding_radius(100, 0.05), 6)
    0.13581
    """
    low, high = check_bounds(bounds)
    _check(m, delta, size)
    return (high - low) * math.sqrt(math.log(2 * size / delta) / (2 * m))


def excess_risk_bound(m: int, delta: float, size: int, bounds: Bounds = (0.0, 1.0)) -> float:
    """How much riskier than the best of `size` predictors the one with least dev error may be.

    (hi - lo) sqrt((2 / m) ln(2 size / delta)): twice the Hoeffding radius.

    Examples
    --------
    >>> round(excess_risk_bound(100, 0.05, 30), 6)
    0.376565
    """
    return 2 * hoeffding_radius(m, delta, size, bounds)


def dev_size_needed(excess: float, delta: float, size: int, bounds: Bounds = (0.0, 1.0)) -> int:
    """The smallest dev set for which the excess risk is at most `excess`.

    Examples
    --------
    >>> dev_size_needed(0.1, 0.05, 30)
    1419
    >>> excess_risk_bound(1419, 0.05, 30) <= 0.1 < excess_risk_bound(1418, 0.05, 30)
    True
    """
    low, high = check_bounds(bounds)
    _check(1, delta, size)
    if not (is_number(excess) and 0 < excess < math.inf):
        raise InputError("the excess risk must be positive.", given=repr(excess))
    return max(1, math.ceil(2 * (high - low) ** 2 * math.log(2 * size / delta) / excess**2))


def hoeffding(losses: FloatArray, level: float, bounds: Bounds, size: int = 1) -> Limits:
    """mean ± (hi - lo) sqrt(ln(2 size / alpha) / (2 m)) for losses between lo and hi.

    Examples
    --------
    >>> limits = hoeffding(np.array([0.0, 1.0, 0.0, 0.0]), 0.95, (0, 1))
    >>> round(limits.high - limits.estimate, 6)
    0.679051
    """
    low, high = check_bounds(bounds)
    if losses.min() < low or losses.max() > high:
        raise IntervalError(
            f"losses lie outside the bounds ({low:g}, {high:g}).",
            given=f"losses from {losses.min():g} to {losses.max():g}",
            fix="bounds=(lo, hi) must hold for every possible loss, not for the ones seen",
        )
    mean = float(losses.mean())
    radius = hoeffding_radius(losses.size, 1 - level, size, bounds)
    return Limits(mean, math.nan, max(mean - radius, low), min(mean + radius, high), math.nan)


def check_bounds(bounds: Bounds) -> Bounds:
    """Finite bounds (lo, hi) of a loss, lo < hi.

    Examples
    --------
    >>> check_bounds((0, 1))
    (0.0, 1.0)
    """
    try:
        low, high = (float(b) for b in bounds)
    except (TypeError, ValueError):
        raise InputError("bounds must be (lo, hi).", given=repr(bounds)) from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError("bounds must be finite with lo < hi.", given=repr(bounds))
    return low, high


def _check(m: int, delta: float, size: int) -> None:
    if not all(is_whole(count) and count >= 1 for count in (m, size)):
        raise InputError(
            "the number of losses and of predictors must be whole and at least 1.",
            given=f"{m!r} losses, {size!r} predictors",
        )
    if not (is_number(delta) and 0 < delta < 1):
        raise InputError("delta must lie between 0 and 1.", given=repr(delta), fix="delta=0.05")


def bounds_of(table: LossTable, bounds: Bounds | None) -> Bounds:
    """The bounds as given, or those of the loss when they are finite."""
    if bounds is not None:
        return check_bounds(bounds)
    if not np.isfinite(table.range).all():
        raise IntervalError(
            "Hoeffding's inequality needs a bounded loss, and the "
            f"{loss_label(table.loss)} has none.",
            given=f"range {table.range}",
            fix="pass bounds=(lo, hi) if you know them, or use method='holdout_z'",
        )
    return table.range


def _one(table: LossTable, level: float, bounds: Bounds | None = None) -> Limits:
    return hoeffding(table.losses.ravel(), level, bounds_of(table, bounds))


def _best(table: LossTable, level: float, bounds: Bounds | None = None) -> Limits:
    known = bounds_of(table, bounds)
    chosen = int(np.argmin(table.estimate()))
    m, size = table.losses.shape
    for c in range(size):
        hoeffding(table.losses[:, c], level, known)
    limits = hoeffding(table.losses[:, chosen], level, known, size)
    excess = excess_risk_bound(m, 1 - level, size, known)
    note = (
        f"candidate {chosen + 1} of {size} has the least error on {m} rows; with probability at "
        f"least {level:g} its risk exceeds that of the best candidate by at most {excess:.4g}"
    )
    details = {"chosen": chosen, "candidates": size, "excess_risk_bound": excess}
    return Limits(limits.estimate, math.nan, limits.low, limits.high, math.nan, (note,), details)


METHOD = register(
    Method(
        name="hoeffding",
        title="Hoeffding bound",
        target="R",
        formula=_one,
        layouts=("one split",),
        citation=("hoeffding1963",),
        folds=Holdout(0.25),
        known=lambda plan: "holds for every sample size and is therefore wide",
        options=("bounds",),
        metrics="none",
        r=InR("pcv_ci_hoeffding(x, level, lo, hi)", test="none"),
    )
)

DEV_SET = register(
    Method(
        name="dev_set",
        title="union bound over the candidates of a dev set",
        target="R",
        formula=_best,
        layouts=("one split",),
        citation=("hoeffding1963",),
        folds=Holdout(0.2),
        rank=3,
        because="the candidate was chosen on the rows that score it",
        known=lambda plan: "holds for every sample size and whatever candidate is chosen; wide",
        several=True,
        options=("bounds",),
        metrics="none",
        aliases=("finite_class",),
        r=InR("pcv_ci_dev_set(x, level, lo, hi)"),
    )
)
