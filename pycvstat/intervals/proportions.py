"""Wilson and Clopper-Pearson intervals for the 0-1 loss (computed by statsmodels)."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

from pycvstat.folds import Holdout
from pycvstat.folds.fits import Scheme
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.method import InR, Limits, Method, register
from pycvstat.losses import LossTable
from pycvstat.rmath.tolerances import QUANTILES

LAYOUTS: tuple[Scheme, ...] = ("one split", "K-fold", "leave-one-out")


def proportion(errors: float, n: int, level: float, method: Literal["wilson", "beta"]) -> Limits:
    """The interval of a proportion; "beta" is Clopper and Pearson's.

    As in R: ``prop.test(errors, n, correct = FALSE)`` and ``binom.test(errors, n)``.

    Examples
    --------
    >>> limits = proportion(0, 40, 0.95, "wilson")
    >>> round(limits.low, 4), round(limits.high, 4)
    (0.0, 0.0876)
    """
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(errors, n, alpha=1 - level, method=method)
    share = errors / n
    std_error = math.sqrt(share * (1 - share) / n)
    low = max(float(low), 0.0) if errors else 0.0  # exactly, without rounding
    high = min(float(high), 1.0) if errors < n else 1.0
    return Limits(share, std_error, low, high, math.nan)


def _known(plan: FoldPlan) -> str:
    if plan.scheme == "one split":
        return "close to its level for every error rate, unlike the Wald interval"
    return "errors of different folds are dependent: as liberal as the CLT interval"


def _formula(table: LossTable, level: float, *, method: Literal["wilson", "beta"]) -> Limits:
    return proportion(round(float(table.losses[:, 0].sum())), len(table.losses), level, method)


WILSON = register(
    Method(
        name="wilson",
        title="Wilson score interval",
        target="PQ",
        formula=partial(_formula, method="wilson"),
        layouts=LAYOUTS,
        citation=("wilson1927", "seabold2010"),
        folds=Holdout(0.25),
        rank=2,
        known=_known,
        needs="0-1",
        metrics="none",
        r=InR("pcv_ci_wilson(sum(x), length(x), level)"),
    )
)

CLOPPER_PEARSON = register(
    Method(
        name="clopper_pearson",
        title="Clopper-Pearson interval",
        target="PQ",
        formula=partial(_formula, method="beta"),
        layouts=LAYOUTS,
        citation=("clopper1934", "seabold2010"),
        folds=Holdout(0.25),
        known=lambda plan: (
            "never below its level, so wider than Wilson's"
            if plan.scheme == "one split"
            else _known(plan)
        ),
        needs="0-1",
        metrics="none",
        aliases=("exact", "beta"),
        r=InR("pcv_ci_clopper_pearson(sum(x), length(x), level)", tolerance=QUANTILES),
    )
)
