"""How far an interval holds its level: what the nearest simulations found, and heavy tails."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
import pandas as pd

from pycvstat.errors import Advice, warn
from pycvstat.folds.fits import Scheme
from pycvstat.intervals.legal import is_unbounded, is_zero_one
from pycvstat.losses import LOSSES, LossTable, Table
from pycvstat.types import FloatArray

HELD = "simulated.json"
"""One row per run, made by vignettes/record_coverage.py."""
LIKE: dict[Scheme, Scheme] = {"leave-one-out": "K-fold", "subsampling": "repeated K-fold"}
"""The plans whose simulations stand for those that were not simulated."""
NORMAL = 2 * math.sqrt(2 / math.pi)
"""The mean third power of normal errors over the cube of their root mean square: 1.6."""
LEAST, MOST = 1.76, 2.0
"""The `thickness` of 100 errors, and of 700 or more, that is heavy, in between on a line: the more
rows, the more of heavy tails is seen where an interval fails, and the less is a sign of it."""
MIXED = 2.4
"""The same where errors have several scales, which alone makes tails: of 5 and of 15 nearest
neighbours on a bent surface with normal noise 5 % of samples of 50 to 400 rows have more."""
HEAVY_DIFFERENCES = 30.0
"""Differences of squared normal errors have kurtosis 9 to 15, in samples rarely above 30."""
SEEN = 30
"""Losses of a test set below which heavy tails are rarely seen: of 100 intervals of 25 errors that
lay too low, in 14 (lognormal) and in 8 (t with 3 degrees of freedom)."""
FEW = 8  # losses below which their tails say nothing


@dataclass(frozen=True, slots=True)
class Simulated:
    """One run: an interval, or a test of two learners, on data sets of one law.

    Parameters
    ----------
    method, plan : str
        The method, and the layout of the plan.
    scenario, folds : str
        What was simulated, in words.
    n, p : int
        Rows and predictors.
    loss : str
    one_scale, grouped, heavy : bool
        Of the learner's errors; whether rows come in groups; whether errors have heavy tails.
    target : str
    covered : float
        Percent of nominal 95 % intervals that covered the target.
    sets, refused : int
        Data sets with and without an interval.
    follows : float, optional
        Correlation of the estimate and the risk of the model fitted on all rows.
    size, power : float, optional
        Of a test at 5 %, in percent: without an effect, and with one.
    """

    method: str
    plan: Scheme
    scenario: str
    folds: str
    n: int
    p: int
    loss: str
    one_scale: bool
    grouped: bool
    heavy: bool
    target: str
    covered: float
    sets: int
    refused: int
    follows: float | None = None
    size: float | None = None
    power: float | None = None

    @property
    def setting(self) -> str:
        """The scenario with its rows."""
        return self.scenario + ("" if f"n = {self.n}" in self.scenario else f", n = {self.n}")

    @property
    def place(self) -> str:
        """The scenario and the folds."""
        return f"{self.setting}, {self.folds}"

    @property
    def words(self) -> str:
        """What was found, and where."""
        if self.size is not None:
            return f"size {self.size:.3g} %, power {self.power:.3g} % ({self.place})"
        return f"{self.covered:.3g} % covered {self.target} ({self.place})"


@cache
def recorded() -> tuple[Simulated, ...]:
    """Every run that was recorded."""
    text = files("pycvstat.intervals").joinpath(HELD).read_text(encoding="utf-8")
    return tuple(Simulated(**row) for row in json.loads(text))


def nearest(
    table: Table,
    method: str = "",
    among: Literal["intervals", "tests"] = "intervals",
    heavy: bool = False,
) -> list[Simulated]:
    """The runs nearest to a table of losses: by plan, loss and groups, then by n and p / n.

    All of the nearest, where the number of predictors is not known; of losses with heavy tails all
    that have them.

    Parameters
    ----------
    table : LossTable or FoldMeans
    method : str, optional
        Any that says how the estimate follows the risk, by default.
    among : {"intervals", "tests"}
    heavy : bool
    """
    tests, plan = among == "tests", table.plan
    rows = [
        one
        for one in recorded()
        if (one.method == method or (not method and one.follows is not None))
        and (one.size is not None) == tests
    ]
    scheme = plan.scheme
    of_plan = [one for one in rows if one.plan == scheme]
    alike = [one for one in rows if one.plan == LIKE.get(scheme)]
    rows = of_plan or alike or ([] if method else rows)
    rows = _preferred(rows, "grouped", plan.groups is not None)
    errors = isinstance(table, LossTable) and is_zero_one(table.losses)
    rows = _preferred(rows, "loss", "zero_one" if errors else "squared")
    rows = _preferred(rows, "heavy", heavy)
    if heavy and any(one.heavy for one in rows):
        return rows
    if (maker := table.maker) is not None:
        rows = _preferred(rows, "one_scale", maker.one_scale)

    def distance(one: Simulated) -> float:
        size = abs(math.log(plan.n / one.n))
        if maker is None:
            return size
        return size + 2 * abs(maker.columns / plan.n - one.p / one.n)

    least = min(map(distance, rows), default=math.inf)
    return [one for one in rows if math.isclose(distance(one), least, abs_tol=1e-9)]


def _preferred(rows: list[Simulated], name: str, value: object) -> list[Simulated]:
    """Those with a property, or all where none has it."""
    return [one for one in rows if getattr(one, name) == value] or rows


def figures(method: str, table: Table, heavy: bool = False, pair: bool = False) -> str:
    """What was measured where it is most like this table, in words; empty where nothing was.

    Examples
    --------
    >>> import numpy as np
    >>> from pycvstat.folds.plan import FoldPlan
    >>> table = LossTable(FoldPlan.from_fold_ids(np.arange(90) % 10), np.ones((90, 1)) * 2)
    >>> figures("log_t", table).startswith("in the nearest of this package's own simulations, of ")
    True
    """
    found = nearest(table, method, "tests" if pair else "intervals", heavy)
    if not found:
        return ""
    thick = heavy and any(one.heavy for one in found)
    if not thick and len(found) > 2:  # the extremes, with their names
        found = sorted(found, key=lambda one: one.covered if one.size is None else one.size)
        found = [found[0], found[-1]]
    of = "tests at 5 %" if pair else "nominal 95 % intervals"
    tails = ", with heavy tails as here" if thick else ""
    each = "; ".join(one.words for one in found)
    return f"in the nearest of this package's own simulations{tails}, of {of}: {each}"


def methods() -> pd.DataFrame:
    """Every interval method: what it is about, where it is legal, and what it did in simulations.

    Returns
    -------
    DataFrame
        One row per method. `least` and `most`: percent of nominal 95 % intervals that covered over
        its scenarios without heavy tails, `least_heavy` with them; `size_least`, `size_most` and
        `power_least`, `power_most`: of its test at 5 % over pairs of learners; `refused`: data sets
        without an interval.

    Examples
    --------
    >>> methods()["size_most"]["pointwise_t"].item()
    5.5
    """
    from pycvstat.intervals.method import METHODS

    rows = []
    for name, method in METHODS.items():
        runs = [one for one in recorded() if one.method == name]
        covered = [one for one in runs if one.size is None]
        tests = [one for one in runs if one.size is not None]
        row: dict[str, Any] = {"method": name, "title": method.title, "target": method.target}
        row |= {"plans": ", ".join(method.layouts), "folds": repr(method.folds)}
        row |= {"scenarios": len({one.scenario for one in runs})}
        row |= _ends("", [one.covered for one in covered if not one.heavy])
        row |= {"least_heavy": _ends("", [one.covered for one in covered if one.heavy])["least"]}
        row |= _ends("size_", [one.size for one in tests if one.size is not None])
        row |= _ends("power_", [one.power for one in tests if one.power is not None])
        rows.append(row | {"refused": sum(one.refused for one in runs)})
    return pd.DataFrame(rows).set_index("method")


def _ends(start: str, values: Sequence[float]) -> dict[str, float]:
    return {
        f"{start}least": min(values, default=math.nan),
        f"{start}most": max(values, default=math.nan),
    }


def kurtosis(values: FloatArray) -> float:
    """Fourth moment over squared second, about the mean (3 for the normal law).

    Examples
    --------
    >>> kurtosis(np.array([-1.0, 1.0, -1.0, 1.0]))
    1.0
    """
    deviations = values - values.mean()
    largest = np.abs(deviations).max()
    if not 0 < largest < np.inf:
        return float("nan")
    squares = (deviations / largest) ** 2
    return float((squares**2).mean() / squares.mean() ** 2)


def thickness(losses: FloatArray) -> float:
    """The mean third power of errors over the cube of their root mean square, of their squares.

    Of t errors with 3 degrees of freedom whose interval lay too low it was seen in more samples
    than the kurtosis, a tail index (Hill) or the share of the largest loss.

    Examples
    --------
    >>> thickness(np.array([1.0, 1.0, 4.0, 4.0])), round(NORMAL, 3)
    (1.1384199576606167, 1.596)
    """
    largest = losses.max()
    if not 0 < largest < np.inf:
        return float("nan")
    shares = losses / largest
    return float((shares**1.5).mean() / shares.mean() ** 1.5)


def heavy_from(n: int, one_scale: bool = True) -> float:
    """The `thickness` of n errors from which on they count as heavy.

    Up to 100 rows 5 % of samples of normal errors have more; its standard error is 1 / sqrt(n).

    Examples
    --------
    >>> [round(heavy_from(n), 2) for n in (25, 100, 400)]
    [1.87, 1.76, 1.88]
    """
    if not one_scale:
        return MIXED
    rising = min(LEAST + max(n - 100, 0) * (MOST - LEAST) / 600, MOST)
    return max(NORMAL + (1.68 - 7.5 / n) / math.sqrt(n), rising)


def errors_of(table: LossTable) -> FloatArray:
    """The loss of every row of the best candidate, averaged over repetitions."""
    best = int(table.estimate().argmin())
    once = len(table.plan) == 1 or (table.plan.times == 1 and table.plan.is_partition)
    return (table.losses if once else table.tested_rows()[1])[:, best]


def heavy_tails(table: LossTable) -> str:
    """What is heavy in the errors behind the losses, beside what normal ones have; else empty.

    Losses from 0 without an upper end are taken as squares of errors. Of others (differences) the
    kurtosis itself is read.
    """
    losses = errors_of(table)
    if losses.size < FEW or is_zero_one(losses):
        return ""
    if is_unbounded(table):
        value, one_scale = thickness(losses), table.maker is None or table.maker.one_scale
        heavy = value > heavy_from(losses.size, one_scale)
        beside = f"mean cube of {losses.size} errors {value:.2g}, normal ones have 1.6"
    else:
        value = kurtosis(losses)  # of n values it cannot exceed n
        heavy = value > min(HEAVY_DIFFERENCES, 0.6 * losses.size)
        beside = f"kurtosis {value:.0f}; those of squared normal errors have 9 to 15"
    return beside if heavy else ""


def few_losses(table: LossTable) -> str:
    """What a small test set cannot show."""
    count = table.losses.size
    if count >= SEEN or not is_unbounded(table) or len(table.plan) > 1:
        return ""
    return f"{count} losses rarely show heavy tails of errors, so no warning of them means little"


def warn_heavy_tails(table: LossTable) -> bool:
    """Warn when the errors behind the losses have heavy tails; whether they have."""
    if not (beside := heavy_tails(table)):
        return False
    lighter = LOSSES[table.loss].lighter if table.loss in LOSSES else ""
    others = {"loss": lighter} if lighter else {}
    if table.loss == "squared" and table.predictions is not None:
        others["metric"] = "trimmed_mse"
    are = "are other quantities" if len(others) > 1 else "is another quantity"
    rest = "look at the rows with the largest losses"
    if others:
        rest = f"{' and '.join(f'{{{name}}}' for name in others)} {are} with lighter tails"
    warn(
        f"The losses have heavy tails ({beside}): a sample need not hold the largest, so "
        "intervals for their mean lie too low more often than they say.",
        fix=Advice(f"{{side}} gives a bound; {rest}", side="upper", **others),
    )
    return True
