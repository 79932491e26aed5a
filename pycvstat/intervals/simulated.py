"""What intervals and tests did in this package's own simulations, by the nearest scenario."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from pycvstat.intervals.legal import is_zero_one
from pycvstat.losses import LossTable, Table

if TYPE_CHECKING:
    import pandas as pd

    from pycvstat.folds.fits import Scheme

HELD = "simulated.json"
"""One row per run, made by vignettes/record_coverage.py."""
LIKE: dict[Scheme, Scheme] = {"leave-one-out": "K-fold", "subsampling": "repeated K-fold"}
"""The plans whose simulations stand for those that were not simulated."""


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
    if heavy and rows and rows[0].heavy:
        return rows
    maker = table.maker if isinstance(table, LossTable) else None
    if maker is not None:
        rows = _preferred(rows, "one_scale", maker.one_scale)

    def distance(one: Simulated) -> float:
        size = abs(math.log(plan.n / one.n))
        return size + (0.0 if maker is None else 2 * abs(maker.columns / plan.n - one.p / one.n))

    least = min(map(distance, rows), default=0.0)
    return [one for one in rows if distance(one) <= least + 1e-9]


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
    if not (heavy and found[0].heavy) and len(found) > 2:  # the extremes, with their names
        found = sorted(found, key=lambda one: one.size if pair and one.size else one.covered)
        found = [found[0], found[-1]]
    of = "tests at 5 %" if pair else "nominal 95 % intervals"
    tails = ", with heavy tails as here" if heavy and found[0].heavy else ""
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
    import pandas as pd

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
