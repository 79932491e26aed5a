"""boot.ci: intervals from resamples, by Davison and Hinkley (1997), chapter 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.errors import InputError, warn
from pycvstat.errors.checks import check_level, check_word, real_numbers
from pycvstat.errors.names import answering
from pycvstat.r.boot.resampling import Boot
from pycvstat.rmath.printing import format_numbers, rounded
from pycvstat.rmath.sums import mean, sum_, var
from pycvstat.types import FloatArray, IntArray

# name in R: the heading of its column, what its notes call it
TYPES = {
    "norm": ("     Normal        ", ""),
    "basic": ("     Basic         ", "basic"),
    "stud": ("   Studentized     ", "studentized"),
    "perc": ("    Percentile     ", "percentile"),
    "bca": ("      BCa          ", "BCa"),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BootCI:
    """What boot.ci returns.

    Parameters
    ----------
    R : int
    t0 : float
    intervals : dict
        By the type: (levels, 5) with the level, the places of both ends among the ordered values
        and both ends, or (levels, 3) without places for the type "norm", as R's matrices.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat import r
    >>> mpg = pcv.data.mtcars()["mpg"].to_numpy()
    >>> r.set_seed(1)
    >>> b = r.boot.boot(mpg, lambda data, rows: data[rows].mean(), R=999)
    >>> r.boot.boot_ci(b, type=["norm", "perc"])
    BOOTSTRAP CONFIDENCE INTERVAL CALCULATIONS
    Based on 999 bootstrap replicates
    <BLANKLINE>
    CALL :
    boot.ci(boot.out, type = c("norm", "perc"))
    <BLANKLINE>
    Intervals :
    Level      Normal             Percentile
    95%   (18.01, 22.19 )   (18.03, 22.09 )
    Calculations and Intervals on Original Scale
    """

    R: int
    t0: float
    intervals: dict[str, FloatArray]

    def __repr__(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.intervals)
        said = f"c({names})" if len(self.intervals) > 1 else names
        return (
            f"BOOTSTRAP CONFIDENCE INTERVAL CALCULATIONS\nBased on {self.R} bootstrap replicates"
            f"\n\nCALL : \nboot.ci(boot.out, type = {said})\n\nIntervals : {self._blocks()}\n"
            "Calculations and Intervals on Original Scale" + self._notes()
        )

    def _blocks(self) -> str:
        names = list(self.intervals)
        first = names[: len(names) - 2] if len(names) > 3 else names
        words = dict(zip(names, self._words(), strict=True))
        blocks = []
        for block in filter(None, (first, names[len(first) :])):
            levels = [f"{100 * level:.7g}%" for level in self.intervals[block[0]][:, 0]]
            rows = [[level, *(words[name][i] for name in block)] for i, level in enumerate(levels)]
            lines = [f"{'   '.join(row)}   " for row in rows]
            heads = " ".join(TYPES[name][0] for name in block)
            blocks.append(f"\nLevel {heads}\n" + "\n".join(lines)[:-1])
        return "\n".join(blocks)

    def _words(self) -> list[list[str]]:
        """Both ends of every level of every type, all in one form with the levels in percent."""
        size = int(np.ceil(np.log10(abs(self.t0)))) if self.t0 else 0
        decimals = 4 if size <= 0 else 0 if size >= 4 else 4 - size
        tables = np.array(
            [table[:, [0, -2, -1]] * [100, 1, 1] for table in self.intervals.values()]
        )
        words = np.reshape(format_numbers(rounded(tables, decimals)), tables.shape)
        return [[f"({low}, {high} )" for _, low, high in table] for table in words]

    def _notes(self) -> str:
        """What boot.ci says of ends near the extremes."""
        said = ""
        for name, table in self.intervals.items():
            if name == "norm":
                continue
            what = TYPES[name][1]
            low, high = table[:, 1:3].min(), table[:, 1:3].max()
            if low <= 1 or high >= self.R:
                title = what[0].upper() + what[1:]
                said += f"\nWarning : {title} Intervals used Extreme Quantiles"
            if low <= 10 or high >= self.R - 9:
                said += f"\nSome {what} intervals may be unstable"
        return said

    def tidy(self) -> pd.DataFrame:
        """One row per type and level.

        Examples
        --------
        >>> BootCI(99, 2.0, {"norm": np.array([[0.95, 1.0, 3.0]])}).tidy()
           type  conf_level  estimate  conf_low  conf_high
        0  norm        0.95       2.0       1.0        3.0
        """
        rows = [
            {
                "type": name,
                "conf_level": row[0],
                "estimate": self.t0,
                "conf_low": row[-2],
                "conf_high": row[-1],
            }
            for name, table in self.intervals.items()
            for row in table.tolist()
        ]
        return pd.DataFrame(rows)

    @property
    def normal(self) -> FloatArray:
        """R's matrix of the type "norm"."""
        return self._of("norm")

    @property
    def basic(self) -> FloatArray:
        """R's matrix of the type "basic"."""
        return self._of("basic")

    @property
    def student(self) -> FloatArray:
        """R's matrix of the type "stud"."""
        return self._of("stud")

    @property
    def percent(self) -> FloatArray:
        """R's matrix of the type "perc"."""
        return self._of("perc")

    @property
    def bca(self) -> FloatArray:
        """R's matrix of the type "bca"."""
        return self._of("bca")

    def _of(self, name: str) -> FloatArray:
        if name not in self.intervals:
            fix = f"boot_ci(b, type={[*self.intervals, name]})"
            given = f"types {', '.join(self.intervals)}"
            raise InputError("this interval was not asked for.", given=given, fix=fix)
        return self.intervals[name]


@answering
def boot_ci(
    boot_out: Boot,
    conf: Any = 0.95,
    type: Any = "all",
    index: Any = None,
    var_t0: float | None = None,
    var_t: Any = None,
) -> BootCI:
    """Confidence intervals from the resamples of `boot`.

    Parameters
    ----------
    boot_out : Boot
    conf : float or sequence of float
        Levels.
    type : str or sequence of str
        Of "norm", "basic", "stud", "perc" and "bca", or "all".
    index : int or pair of int, optional
        Which statistic, counted from 1 as in R; a second one is the variance of the first. The
        first two by default.
    var_t0, var_t : float and (R,) array, optional
        The variance of the statistic, for the types "norm" and "stud", and of it in each
        resample, for the type "stud".

    Returns
    -------
    BootCI

    Notes
    -----
    As in R: ``boot.ci(boot.out, conf, type, index, var.t0, var.t)``. Quantiles are interpolated on
    the normal scale; the acceleration of "bca" comes from the regression of the resamples on how
    often they have each row, so that it needs at least as many resamples as rows.

    Examples
    --------
    >>> from pycvstat import r
    >>> r.set_seed(1)
    >>> b = r.boot.boot([1.0, 2.0, 4.0, 7.0], lambda data, rows: data[rows].mean(), R=99)
    >>> r.boot.boot_ci(b, conf=[0.8, 0.9], type="bca").bca[:, -2:].round(3).tolist()
    [[2.0, 5.0], [1.75, 6.122]]
    """
    if not isinstance(boot_out, Boot):
        raise InputError("boot_ci needs what boot returns.", given=boot_out.__class__.__name__)
    levels = np.array(
        [check_level(one, "conf") for one in np.atleast_1d(np.asarray(conf, dtype=object))]
    )
    names = _types(type)
    first, second = _which(index, len(boot_out.t0))
    t0, t = float(boot_out.t0[first]), boot_out.t[:, first]
    spread = _variances(boot_out, second, var_t0, var_t)
    if spread is None and "stud" in names:
        warn("bootstrap variances needed for studentized intervals")
        names = [name for name in names if name != "stud"]
    finite = np.isfinite(t)
    used = t[finite]
    _require_spread(used)
    made = {}
    for name in names:
        if name == "norm":
            made[name] = _normal(t0, used, levels, var_t0)
        elif name == "bca":
            made[name] = _bca(
                t0, used, levels, _empirical_influence(used, boot_out.indices[finite])
            )
        elif name == "perc":
            made[name] = _ends(levels, *_quantiles(used, _tails(levels)))
        elif name == "basic":
            rank, quantile = _quantiles(used, _tails(levels)[:, ::-1])
            made[name] = _ends(levels, rank, 2 * t0 - quantile)
        else:
            assert spread is not None
            with np.errstate(all="ignore"):
                z = (used - t0) / np.sqrt(spread[1][finite])
            rank, quantile = _quantiles(z[np.isfinite(z)], _tails(levels)[:, ::-1])
            made[name] = _ends(levels, rank, t0 - np.sqrt(spread[0]) * quantile)
    return BootCI(boot_out.R, t0, made)


def _types(given: Any) -> list[str]:
    asked = [given] if isinstance(given, str) else list(given)
    for one in asked:
        check_word("type", one, ("all", *TYPES))
    return [name for name in TYPES if name in asked or "all" in asked]


def _which(index: Any, statistics: int) -> tuple[int, int | None]:
    """Places of the statistic and of its variance."""
    if index is None:
        return 0, (1 if statistics > 1 else None)
    given = real_numbers(np.ravel(index))
    places = range(1, statistics + 1)
    if given is None or len(given) not in (1, 2) or any(one not in places for one in given):
        problem = f"index counts the statistics from 1 to {statistics}, the variance second."
        raise InputError(problem, given=f"index={index!r}")
    first, *second = (int(one) - 1 for one in given)
    return first, (second[0] if second else None)


def _variances(
    boot_out: Boot, second: int | None, var_t0: Any, var_t: Any
) -> tuple[float, FloatArray] | None:
    """The variance of the statistic and of it in every resample, for studentised intervals."""
    for name, given, shape in (("var_t0", var_t0, ()), ("var_t", var_t, (boot_out.R,))):
        numbers = real_numbers(given)
        if given is not None and (numbers is None or numbers.shape != shape):
            raise InputError(
                f"{name} is {'one variance' if not shape else 'a variance for every resample'}.",
                given=f"{np.size(given)} values for {boot_out.R} resamples",
            )
    of_t0 = var_t0 if var_t0 is not None or second is None else boot_out.t0[second]
    of_t = var_t if var_t is not None or second is None else boot_out.t[:, second]
    return None if of_t0 is None or of_t is None else (float(of_t0), np.asarray(of_t, np.float64))


def _require_spread(t: FloatArray) -> None:
    if not len(t) or np.abs(t - t[0]).max() <= min(1e-8, abs(mean(t)) / 1e6):
        value = f"{t[0]:.7g}" if len(t) else "not finite"
        raise InputError(
            f"All values of t are equal to {value}: no confidence intervals can be calculated.",
            given=f"{len(t)} finite values",
            fix="use more resamples, or a statistic that varies with the rows",
        )


def _tails(levels: FloatArray) -> FloatArray:
    """Lower and upper probability of every level, (levels, 2)."""
    return np.column_stack([(1 - levels) / 2, (1 + levels) / 2])


def _ends(levels: FloatArray, rank: FloatArray, ends: FloatArray) -> FloatArray:
    return np.column_stack([levels, rank, ends])


def _normal(t0: float, t: FloatArray, levels: FloatArray, variance: float | None) -> FloatArray:
    """Normal intervals, the bias taken off."""
    from scipy.special import ndtri

    centre = t0 - (mean(t) - t0)
    reach = np.sqrt(var(t) if variance is None else variance) * ndtri((1 + levels) / 2)
    return np.column_stack([levels, centre - reach, centre + reach])


def _quantiles(t: FloatArray, p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Places (R + 1) p to two digits, and quantiles between them on the normal scale: (5.8)."""
    from scipy.special import ndtri

    count = len(t)
    rank = (count + 1) * p
    below = np.trunc(rank).astype(int)
    if (below < 1).any() or (below >= count).any():
        warn("extreme order statistics used as endpoints")
    ordered = np.sort(t)
    low, high = ordered[np.clip(below, 1, count) - 1], ordered[np.clip(below + 1, 1, count) - 1]
    between = (rank != below) & (below >= 1) & (below < count)
    with np.errstate(invalid="ignore"):
        left, right = (ndtri(place / (count + 1)) for place in (below, below + 1))
        share = (ndtri(p) - left) / (right - left)
        return rounded(rank, 2), np.where(between, low + share * (high - low), low)


def _bca(t0: float, t: FloatArray, levels: FloatArray, influence: FloatArray) -> FloatArray:
    """Adjusted percentiles: (5.20) to (5.23)."""
    from scipy.special import ndtr, ndtri

    bias = ndtri(np.sum(t < t0) / len(t))
    if not np.isfinite(bias):
        raise InputError(
            "estimated adjustment 'w' is infinite: all resamples are on one side of the data.",
            given=f"{int(np.sum(t < t0))} of {len(t)} below {t0:.7g}",
            fix="use more resamples, or another type of interval",
        )
    acceleration = sum_(influence**3) / (6 * sum_(influence**2) ** 1.5)
    z = ndtri(_tails(levels))
    adjusted = ndtr(bias + (bias + z) / (1 - acceleration * (bias + z)))
    return _ends(levels, *_quantiles(t, adjusted))


def _empirical_influence(t: FloatArray, indices: IntArray) -> FloatArray:
    """Influence of every row: the regression of t on how often a resample has it (2.44)."""
    count, n = indices.shape
    shares = np.zeros((count, n))
    np.add.at(shares, (np.arange(count)[:, None], indices), 1 / n)
    shares[:, 0] = 1  # the shares add up to 1: the first row is the constant's
    coefficients, _, rank, _ = np.linalg.lstsq(shares, t, rcond=None)
    if rank < n:
        problem = "estimated adjustment 'a' is NA: bca needs at least as many resamples as rows."
        fix = "boot(data, statistic, R=9999), or another type of interval"
        raise InputError(problem, given=f"{count} resamples of {n} rows", fix=fix)
    influence = np.append(0.0, coefficients[1:])
    influence -= mean(influence)
    return influence
