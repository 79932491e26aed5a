"""The conservative z of Nadeau and Bengio (2003), on paired halves."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.folds import PairedHalves
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.checks import spread
from pycvstat.intervals.method import SIMULATED, InR, Limits, Method, register
from pycvstat.intervals.quantiles import symmetric
from pycvstat.types import FloatArray


def conservative_z(full: FloatArray, halves: FloatArray, level: float) -> Limits:
    """mean(full) ± z sqrt(sum_m (mu_1m - mu_2m)^2 / (2 M)).

    Parameters
    ----------
    full : (J,) float64
        Scores of the subsamples of all rows.
    halves : (M, 2, J) float64
        Scores of the subsamples of the two disjoint halves, M times.
    level : float

    Examples
    --------
    >>> halves = np.array([[[1.0, 3.0], [2.0, 2.0]], [[1.0, 1.0], [3.0, 3.0]]])
    >>> limits = conservative_z(np.array([2.0, 2.5]), halves, 0.95)
    >>> limits.estimate, limits.std_error
    (2.25, 1.0)
    """
    means = halves.mean(axis=2)
    gaps = means[:, 0] - means[:, 1]
    size = float(np.abs(means).max())
    spread(np.append(gaps, 0.0), "the scores of the two halves", scale=size)
    std_error = np.sqrt((gaps**2).sum() / (2 * len(gaps)))
    return symmetric(rmath.mean(full), std_error, level, halves=len(gaps))


def _formula(table: Any, level: float) -> Limits:
    plan, scores = table.plan, table.fold_means()[:, 0]
    inner = int((plan.repeat == 0).sum())
    return conservative_z(scores[:inner], scores[inner:].reshape(-1, 2, inner), level)


def _size(plan: FoldPlan) -> str:
    return str(int(plan.n_train[0]))


METHOD = register(
    Method(
        name="conservative_z",
        title="conservative z",
        target="ER",
        formula=_formula,
        layouts=("paired halves",),
        citation=("nadeau2003",),
        folds=PairedHalves(),
        rank=1,
        known=lambda plan: (
            "wide: the variance comes from half the data (96 to 100 % coverage at nominal 95 % "
            f"{SIMULATED}, 82 % with heavy-tailed losses)"
        ),
        needs="fold means",
        aliases=("con_z",),
        train_size=_size,
        r=InR("pcv_ci_paired_halves(pcv_means(x, fit), inner, level)"),
    )
)
