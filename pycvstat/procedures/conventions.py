"""The conventions by which a cross-validated number may have come about, and how likely each is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np

from pycvstat.errors import InputError
from pycvstat.errors.checks import is_number
from pycvstat.folds import DIALECTS
from pycvstat.types import FloatArray, IntArray

CALLS = 10
"""With common seeds so many calls on one stream are tried, and repeated folds up to as many."""
REPEATS = (2, 3, 5, 10)

FAVOURITE = (1, 123, 42, 1234, 2, 10, 3, 0, 5, 100)
COMMON = tuple(
    seed
    for seed in dict.fromkeys((
        *range(101), *range(1990, 2031), *(k * n for k in (111, 100, 1000) for n in range(1, 10)),
        10_000, *(1111 * n for n in range(1, 10)), 12345, 123456, 54321, 4321, 321, 314, 3141,
        31415, 271, 2718, 1337, 234, 345, 456, 789, 567, 1001, 1010,
    ))
    if seed not in FAVOURITE
)  # fmt: skip

OLD_SAMPLE = 0.2
"""Prior weight of R's `sample` before 3.6.0; of today's 0.8."""
LATER_CALL = 0.03
"""Of each later call on one stream, and of each number of repetitions; of the first call 0.6."""
UNUSUAL = 0.05
"""Of each estimate that is not the one a package prints; of that one 0.6."""
CHANGED = 0.2
"""Of another scaling of the learner than the one that was given."""

ROUNDING = 1e-9
"""What rounding may do to a number of which all digits are given: fits of other steps."""


class Estimate(NamedTuple):
    """What is made of the losses: of which, averaged how, on which scale."""

    loss: str
    average: str
    scale: str = ""


class Convention(NamedTuple):
    """Whose folds, from which seed, in which call after it; see `find_convention`."""

    dialect: str
    seed: int | None
    sample_kind: str = "Rejection"
    call: int = 1
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it was printed: the value, and half a unit of its last digit.

    Examples
    --------
    >>> Printed.of("19.30"), Printed.of(19.3)
    (Printed(value=19.3, within=0.005), Printed(value=19.3, within=0.05))
    """

    value: float
    within: float

    @classmethod
    def of(cls, number: Any) -> Printed:
        """Of text, whose zeros at the end count, or of a number."""
        if not isinstance(number, str) and not is_number(number):
            number = None
        try:
            read = Decimal(number.strip() if isinstance(number, str) else repr(float(number)))
            exponent = read.as_tuple().exponent
            if not isinstance(exponent, int):
                raise InvalidOperation
        except (InvalidOperation, TypeError):
            problem = "the number that was printed must be a number, or its digits as text."
            fix = 'give its digits, "19.30": zeros at the end count'
            raise InputError(problem, given=repr(number), fix=fix) from None
        value = float(read)
        return cls(value, max(0.5 * 10.0**exponent, ROUNDING * abs(value)))

    def is_met(self, values: FloatArray) -> Any:
        """Which values print as it."""
        with np.errstate(invalid="ignore"):
            return np.abs(values - self.value) <= self.within * (1 + ROUNDING)


def of_seed(seed: int | None) -> float:
    """Prior weight of a seed: favourites, other common ones, and the rest up to 10,000."""
    if seed is None:
        return 1.0
    if seed in FAVOURITE:
        return 0.5 / len(FAVOURITE)
    return 0.4 / len(COMMON) if seed in COMMON else 0.1 / 10_000


def weight(one: Convention) -> float:
    """Prior weight of a set of folds: of its seed, its `sample`, and its place on the stream."""
    found = of_seed(one.seed)
    found *= OLD_SAMPLE if one.sample_kind == "Rounding" else 1.0 - OLD_SAMPLE
    return found * (0.6 if one.call == one.repeats == 1 else LATER_CALL)


def usual(one: Convention, estimate: Estimate) -> float:
    """Prior weight of what is made of the losses, given whose folds they are.

    Examples
    --------
    >>> one = Convention("boot", 17, "Rejection")
    >>> usual(one, Estimate("squared", "pooled")) > usual(one, Estimate("squared", "folds"))
    True
    """
    if one.dialect not in DIALECTS:
        return 1.0
    known = (estimate.average, estimate.scale) == DIALECTS[one.dialect].usual
    return (0.6 if known else UNUSUAL) / len(DIALECTS)


def estimates(
    losses: Mapping[str, FloatArray], y: FloatArray, labels: IntArray, k: int
) -> dict[Estimate, FloatArray]:
    """Every estimate of each of C sets of folds, shape (C,).

    Parameters
    ----------
    losses : mapping of str to (C, n) float64
        By name; of "residual" the residuals, of which the losses of numbers are made.
    y : (n,) float64
    labels : (C, n) int64
        Fold of each row, from 0.
    k : int

    Examples
    --------
    >>> found = estimates({"zero_one": np.array([[1.0, 0.0, 0.0]])}, np.zeros(3),
    ...                   np.array([[0, 0, 1]]), 2)
    >>> found[Estimate("zero_one", "folds")]
    array([0.25])
    >>> found[Estimate("zero_one", "pooled", "right")].round(3)
    array([0.667])
    """
    place = labels + k * np.arange(len(labels))[:, None]

    def by_fold(values: FloatArray) -> FloatArray:
        sums = np.bincount(place.ravel(), values.ravel(), k * len(labels))
        return sums.astype(np.float64).reshape(len(labels), k)

    count = by_fold(np.ones(labels.shape))
    folds_of = np.where(count > 0, count, np.nan)
    found: dict[Estimate, FloatArray] = {}

    def averaged(loss: str, values: FloatArray) -> FloatArray:
        fold = by_fold(values) / folds_of
        found[Estimate(loss, "folds")] = np.nanmean(fold, 1)
        found[Estimate(loss, "pooled")] = values.mean(1)
        return fold

    given = dict(losses)
    residual = given.pop("residual", None)
    if residual is not None:
        fold = averaged("squared", residual**2)
        averaged("absolute", np.abs(residual))
        for average in ("folds", "pooled"):
            found[Estimate("squared", average, "root")] = found[Estimate("squared", average)] ** 0.5
        found[Estimate("squared", "folds", "root by fold")] = np.nanmean(np.sqrt(fold), 1)
        spread = ((y - y.mean()) ** 2).mean()
        found[Estimate("r2", "pooled")] = 1.0 - found[Estimate("squared", "pooled")] / spread
        found[Estimate("r2_correlation", "folds")] = _correlation(y, residual, by_fold, folds_of)
    for name, values in given.items():
        averaged(name, values)
        for average in ("folds", "pooled") if name == "zero_one" else ():
            wrong = found[Estimate(name, average)]
            found[Estimate(name, average, "right")] = 1.0 - wrong
            found[Estimate(name, average, "percent")] = 100.0 * wrong
            found[Estimate(name, average, "percent right")] = 100.0 - 100.0 * wrong
    return found


def _correlation(
    y: FloatArray, residual: FloatArray, by_fold: Any, count: FloatArray
) -> FloatArray:
    """Mean over folds of the squared correlation of response and prediction, as caret has it."""
    a = np.broadcast_to(y - y.mean(), residual.shape)
    b = a - residual
    m, p = by_fold(a) / count, by_fold(b) / count
    with np.errstate(invalid="ignore", divide="ignore"):
        joint = (by_fold(a * b) / count - m * p) ** 2
        found = joint / (by_fold(a * a) / count - m**2) / (by_fold(b * b) / count - p**2)
    known = np.isfinite(found)
    return np.asarray(np.where(known, found, 0.0).sum(1) / np.maximum(known.sum(1), 1))


def expected_by_chance(values: FloatArray, printed: Printed) -> float:
    """How many of the values would print as this number if it had nothing to do with them.

    From their density around it: that of the sqrt(N) nearest.

    Examples
    --------
    >>> round(expected_by_chance(np.linspace(0, 1, 10_001), Printed.of("0.50")), -1)
    100.0
    """
    distance = np.sort(np.abs(values[np.isfinite(values)] - printed.value))
    if not len(distance):
        return 0.0
    nearest = max(min(len(distance), 30), int(np.sqrt(len(distance))))
    reach = max(float(distance[nearest - 1]), printed.within)
    inside = np.searchsorted(distance, reach, side="right")
    return float(inside * printed.within / reach)
