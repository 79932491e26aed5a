"""The interval of Bates, Hastie and Tibshirani (2024), from folds excluded in pairs.

It is unrelated to the cross-validation that is nested for tuning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from pycvstat.errors import IntervalError, warn
from pycvstat.errors.checks import check_word
from pycvstat.folds import NestedPairs
from pycvstat.folds.pairs import own_and_other_fold
from pycvstat.intervals.limits import Limits, spread, symmetric
from pycvstat.intervals.method import InR, Method, register
from pycvstat.losses import LossTable
from pycvstat.types import FloatArray, IntArray

Bias = Literal["authors", "paper", "none"]
SETTLED = 0.1  # relative Monte Carlo error of the inflation above which a warning is given


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """What the formula needs; letters of the paper.

    Parameters
    ----------
    a, b : (repetitions, K) float64
        a: squared difference of mean(e_in) and mean(e_out); b: variance of mean(e_out).
    mean_in, sd_in : float
        Mean and standard deviation (ddof 1) of all e_in: losses of models that left out the
        row's fold and one more.
    mean_cv : float
        Mean loss of models that left out the row's fold only.
    n : int
    """

    a: FloatArray
    b: FloatArray
    mean_in: float
    sd_in: float
    mean_cv: float
    n: int


def ncv(pieces: Pieces, level: float, bias: Bias = "authors") -> Limits:
    """mean(e_in) - bias ± z inflation sd(e_in) / sqrt(n).

    inflation = sqrt(max(0, mean(a - b))) over sd(e_in) / sqrt(floor(n (K - 1) / K)), kept between
    1 and sqrt(K). The bias is (1 + c) (mean(e_in) - mean(e_out)), c = ((K - 2) / K)^1.5 in the
    authors' code ("authors") and (K - 2) / K in the paper ("paper").

    Examples
    --------
    >>> pieces = Pieces(np.full((1, 5), 0.03), np.full((1, 5), 0.01), 1.1, 1.0, 1.05, 100)
    >>> limits = ncv(pieces, 0.95)
    >>> round(limits.details["inflation"], 6), round(limits.estimate, 6)
    (1.264911, 1.026762)
    """
    folds = pieces.a.shape[1]
    running = running_inflation(pieces)
    inflation = float(np.clip(running[-1], 1, np.sqrt(folds)))
    debiased = pieces.mean_in - _bias(pieces, folds, bias)
    std_error = inflation * pieces.sd_in / np.sqrt(pieces.n)
    error = monte_carlo_error(pieces)
    notes = (f"inflation {inflation:.3g} ± {error:.2g} over {len(running)} repetitions",)
    return symmetric(
        debiased,
        std_error,
        level,
        notes=notes,
        inflation=inflation,
        inflation_error=error,
        running_inflation=running,
        bias=float(pieces.mean_in - debiased),
        mean_in=pieces.mean_in,
        mean_cv=pieces.mean_cv,
    )


def _bias(pieces: Pieces, folds: int, bias: Bias) -> float:
    check_word("bias", bias, get_args(Bias))
    share = (folds - 2) / folds
    factor = {"authors": 1 + share**1.5, "paper": 1 + share, "none": 0.0}[bias]
    return float(factor * (pieces.mean_in - pieces.mean_cv))


def running_inflation(pieces: Pieces) -> FloatArray:
    """The inflation after each repetition, before it is kept between 1 and sqrt(K).

    Examples
    --------
    >>> pieces = Pieces(np.array([[3.0, 3.0], [1.0, 1.0]]), np.ones((2, 2)), 0.0, 1.0, 0.0, 4)
    >>> running_inflation(pieces)
    array([2.        , 1.41421356])
    """
    repetitions, folds = pieces.a.shape
    mse = np.cumsum((pieces.a - pieces.b).mean(axis=1)) / np.arange(1, repetitions + 1)
    return np.asarray(np.sqrt(np.maximum(mse, 0)) / _scale(pieces, folds))


def monte_carlo_error(pieces: Pieces) -> float:
    """How far the inflation would move if the repetitions were drawn again (one sd).

    NaN for a single repetition.
    """
    repetitions, folds = pieces.a.shape
    if repetitions < 2:
        return float("nan")
    mse = (pieces.a - pieces.b).mean(axis=1)
    error = mse.std(ddof=1) / np.sqrt(repetitions)
    ends = np.sqrt(np.maximum(mse.mean() + error * np.array([-1.0, 1.0]), 0))
    low, high = np.clip(ends / _scale(pieces, folds), 1, np.sqrt(folds))
    return float((high - low) / 2)


def _scale(pieces: Pieces, folds: int) -> float:
    sub = pieces.n * (folds - 1) // folds
    return float(pieces.sd_in / np.sqrt(sub))


def pieces_of(table: LossTable) -> Pieces:
    """Collect the pieces from a table over a `NestedPairs` plan."""
    plan, losses = table.plan, table.losses.ravel()
    spread(losses, "the losses")
    _, own, other, folds = own_and_other_fold(plan)
    alone = other < 0
    # e_out belongs to the row's fold, e_in to the other fold that its model left out
    cell = np.repeat(plan.repeat, plan.n_test) * folds + np.where(alone, own, other)
    out, inside = losses[alone], losses[~alone]
    mean_out, b = _mean_and_its_variance(out, cell[alone], plan.times * folds)
    mean_in, _ = _mean_and_its_variance(inside, cell[~alone], plan.times * folds)
    shape = (plan.times, folds)
    return Pieces(
        ((mean_in - mean_out) ** 2).reshape(shape),
        b.reshape(shape),
        float(inside.mean()),
        float(inside.std(ddof=1)),
        float(out.mean()),
        plan.n,
    )


def _mean_and_its_variance(
    losses: FloatArray, cell: IntArray, cells: int
) -> tuple[FloatArray, FloatArray]:
    count = np.bincount(cell, minlength=cells)
    if count.min() < 2:
        raise IntervalError(
            "every fold needs at least 2 rows.",
            given=f"a fold of {count.min()}",
            fix="use fewer folds: NestedPairs(5)",
        )
    mean = np.bincount(cell, losses, cells) / count
    squares = np.bincount(cell, (losses - mean[cell]) ** 2, cells)
    return mean, squares / (count - 1) / count


def _formula(table: LossTable, level: float, bias: Bias = "authors") -> Limits:
    limits = ncv(pieces_of(table), level, bias)
    inflation, error = limits.details["inflation"], limits.details["inflation_error"]
    repetitions = table.plan.times
    if repetitions == 1 or error > SETTLED * inflation:
        if repetitions == 1:
            state, wanted = "is from a single repetition", 50
        else:
            state = f"is {inflation:.3g} ± {error:.2g} after {repetitions} repetitions"
            wanted = int(np.ceil(repetitions * (error / (SETTLED * inflation)) ** 2))
        warn(
            f"The inflation of the interval has not settled: it {state}; "
            f"about {wanted} repetitions would do (NestedPairs(..., repeats={wanted}))."
        )
    return limits


METHOD = register(
    Method(
        name="ncv",
        title="Bates-Hastie-Tibshirani NCV",
        target="R and ER",
        centre="own",
        formula=_formula,
        layouts=("nested pairs",),
        citation=("bates2024",),
        folds=NestedPairs(10, repeats=200),
        rank=1,
        known=lambda plan: "about 1.3 times as wide as the CLT interval",
        options=("bias",),
        aliases=("bates", "bates_hastie_tibshirani", "nested_pairs"),
        train_size=lambda plan: str(plan.n),
        r=InR("pcv_ci_ncv(repetition, own, other, x, n, level, power)"),
    )
)
