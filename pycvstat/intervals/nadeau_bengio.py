"""The corrected resampled t, of fold means, of their logarithm and of rows; the conservative z.

Nadeau and Bengio (2003) correct the variance of a mean of scores whose training sets overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.data.frame import in_common_rows
from pycvstat.errors import Advice, InputError, IntervalError
from pycvstat.errors.checks import check_level
from pycvstat.errors.names import answering
from pycvstat.folds import KFold, PairedHalves, Repeated
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.legal import range_of
from pycvstat.intervals.limits import Limits, spread, symmetric
from pycvstat.intervals.method import InR, Method, register
from pycvstat.intervals.result import AllRows, Asked, Estimand, Interval, Scores, interval_of
from pycvstat.losses import LossTable
from pycvstat.types import FloatArray

LARGE_RATIO = 0.3  # test over training size; 5-fold has 0.25
SHARED = 1.25
"""The variance of a mean over rows, over that of independent rows: chosen by simulation, so that
paired tests at 5 % kept their level in six pairs of learners of equal risk."""


def corrected_t_limits(scores: FloatArray, ratio: float, level: float) -> Limits:
    """mean ± t_{J-1} s sqrt(1 / J + n2 / n1) for J scores of overlapping training sets.

    Parameters
    ----------
    scores : (J,) float64
        One score per fit.
    ratio : float
        Test size over training size, n2 / n1; 1 / (K - 1) for K folds.
    level : float

    Examples
    --------
    >>> limits = corrected_t_limits(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 0.25, 0.95)
    >>> round(limits.std_error, 6), limits.df
    (1.06066, 4.0)
    """
    count = scores.size
    if count < 2:
        raise IntervalError(
            "the corrected t needs at least two fits: one fold has no variance.",
            given=f"{count} fit",
            fix=Advice(
                "{folds}; for one split {method}", folds=Repeated(KFold(10), 10), method="holdout_z"
            ),
        )
    sd = spread(scores, "the scores of the fits")
    std_error = sd * np.sqrt(1 / count + ratio)
    return symmetric(
        rmath.mean(scores),
        std_error,
        level,
        float(count - 1),
        small_share(ratio),
        ratio=float(ratio),
        fits=count,
    )


def small_share(ratio: float) -> tuple[str, ...]:
    """The note where training sets are smaller than the correction is meant for.

    Examples
    --------
    >>> small_share(1.0)
    ('the correction is meant for training shares of about 0.9, here 0.5',)
    """
    if ratio <= LARGE_RATIO:
        return ()
    return (
        f"the correction is meant for training shares of about 0.9, here {1 / (1 + ratio):.2g}",
    )


def _known(plan: FoldPlan) -> str:
    if plan.scheme in ("K-fold", "leave-one-out"):
        return "safe but wide on a single K-fold; 10 times repeated 10-fold is narrower"
    return "slightly liberal; meant for training shares of about 0.9"


def _formula(table: Any, level: float) -> Limits:
    plan = table.plan
    ratio = float(plan.n_test.sum() / plan.n_train.sum())
    return corrected_t_limits(table.fold_means().ravel(), ratio, level)


CORRECTED_T = register(
    Method(
        name="corrected_t",
        title="corrected resampled t",
        target="ER",
        formula=_formula,
        layouts=("K-fold", "leave-one-out", "repeated K-fold", "subsampling", "5x2"),
        citation=("nadeau2003", "bouckaert2004"),
        folds=Repeated(KFold(10), 10),
        rank=2,
        because="it is about the expected risk and allows for overlapping training sets",
        illegal={"one split": "one fit has no variance between fits"},
        known=_known,
        needs="fold means",
        grouped=True,
        aliases=("nadeau_bengio", "cor_t", "corrected_resampled_t"),
        r=InR(
            "pcv_ci_corrected_t(pcv_means(x, fit), n_train, n_test, level)",
            "length(unique(fit)) - 1",
        ),
    )
)


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
    limits = corrected_t_limits(values, float(test.sum() / max(train.sum(), 1.0)), level)
    known = (
        "safe but wide on a single K-fold, slightly liberal on many repetitions; meant for "
        "training shares of about 0.9"
    )
    about = Estimand("ER", range_of(train), risk=metric)
    asked = Asked(Scores(values, train, test))
    used = AllRows(round(float((train + test).mean())), round(float(train.mean())))
    return interval_of(
        CORRECTED_T, limits, level, about, metric=metric, known=known, asked=asked, all_rows=used
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


def _on_halves(table: Any, level: float) -> Limits:
    plan, scores = table.plan, table.fold_means().ravel()
    inner = int((plan.repeat == 0).sum())
    return conservative_z(scores[:inner], scores[inner:].reshape(-1, 2, inner), level)


CONSERVATIVE_Z = register(
    Method(
        name="conservative_z",
        title="conservative z",
        target="ER",
        formula=_on_halves,
        layouts=("paired halves",),
        citation=("nadeau2003",),
        folds=PairedHalves(),
        rank=1,
        known=lambda plan: "wide: the variance comes from half the data",
        needs="fold means",
        aliases=("con_z",),
        centre="own",
        train_size=lambda plan: str(int(plan.n_train[0])),
        r=InR("pcv_ci_paired_halves(pcv_means(x, fit), inner, level)"),
    )
)


def log_t_limits(
    scores: FloatArray, ratio: float, level: float, notes: tuple[str, ...] = ()
) -> Limits:
    """exp(log mean ± t_{J-1} s sqrt(1 / J + ratio) / mean) for J fold means.

    Parameters
    ----------
    scores : (J,) float64
        One mean loss per fit, positive.
    ratio : float
        What overlapping training sets add, see `overlap`.
    level : float

    Examples
    --------
    >>> limits = log_t_limits(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 1 / 3, 0.95)
    >>> round(limits.low, 3), round(limits.high, 3)
    (1.03, 8.734)
    """
    if scores.size < 2:
        raise IntervalError(
            "a t interval of fold means needs at least two fits: one fold has no variance.",
            given=f"{scores.size} fit",
            fix=Advice("{method} for one split, or {folds}", method="holdout_t", folds=KFold(10)),
        )
    std_error = spread(scores, "the scores of the fits") * np.sqrt(1 / scores.size + ratio)
    mean, df = rmath.mean(scores), float(scores.size - 1)
    details = {"ratio": float(ratio), "fits": scores.size}
    return symmetric(mean, std_error, level, df, notes, log=True, **details)


def instability(table: LossTable) -> float:
    """How much the loss of a row varies between repetitions, as a share of that between rows.

    Training sets of two repetitions differ by a few rows: a learner whose losses hardly change is
    stable.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> plan = FoldPlan.from_fold_ids(np.array([[1, 1], [1, 2], [2, 1], [2, 2]]))
    >>> losses = np.array([1.0, 2.0, 3.0, 4.0, 1.0, 3.0, 2.0, 4.0])
    >>> instability(LossTable(plan, losses[:, None]))
    0.0
    """
    order = np.argsort(table.plan.rows, kind="stable")
    losses = table.linearised().losses.ravel()[order]
    by_row = losses.reshape(table.plan.n, table.plan.times)  # a partition tests rows equally
    between = by_row.var(axis=0, ddof=1).mean()
    return float(by_row.var(axis=1, ddof=1).mean() / between) if between > 0 else 0.0


def overlap(table: Any) -> float:
    """What overlapping training sets add to 1 / J.

    Of a repeated partition n2 / n1, as Nadeau and Bengio have it, times 1 + 4 `instability`; else
    the test rows over the training rows that two fits share, n2 / (n1 - n2), at most 1.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> plan = FoldPlan.from_fold_ids([1, 2, 3, 4, 5])
    >>> round(overlap(LossTable(plan, np.arange(5.0)[:, None])), 4)
    0.3333
    """
    tested, trained = float(table.plan.n_test.sum()), float(table.plan.n_train.sum())
    if table.plan.times > 1 and table.plan.is_partition:
        unstable = instability(table) if isinstance(table, LossTable) else 0.0
        return tested / trained * (1 + 4 * unstable)
    return tested / max(trained - tested, tested)


def _on_log_scale(table: Any, level: float) -> Limits:
    notes = small_share(float(table.plan.n_test.sum() / table.plan.n_train.sum()))
    if table.plan.times > 1 and table.plan.is_partition and not isinstance(table, LossTable):
        notes += ("how far repetitions differ row by row was not kept and counts as nothing",)
    return log_t_limits(table.fold_means().ravel(), overlap(table), level, notes)


LOG_T = register(
    Method(
        name="log_t",
        title="log-scale corrected t",
        target="ER",
        formula=_on_log_scale,
        layouts=("K-fold", "leave-one-out", "repeated K-fold", "subsampling"),
        citation=("nadeau2003",),
        folds=KFold(10),
        rank=0,
        because="the loss has no upper end: its logarithm is less skewed",
        illegal={"one split": "one fit has no variance between fits"},
        needs="fold means",
        unbounded=True,
        metrics="none",
        grouped=True,
        aliases=("corrected_log_t",),
        r=InR(
            "pcv_ci_log_t(pcv_means(x, fit), pcv_overlap(x, row, times, n_train, n_test), level)",
            "length(unique(fit)) - 1",
        ),
    )
)


def pointwise_t(mean: float, losses: FloatArray, factor: float, level: float) -> Limits:
    """mean ± t_{n-1} sd sqrt(factor / n) for the n rows' mean losses, about the mean of folds.

    Examples
    --------
    >>> limits = pointwise_t(3.5, np.array([1.0, 2.0, 4.0, 3.0, 5.0, 6.0]), 1.25, 0.95)
    >>> limits.estimate, round(limits.std_error, 6)
    (3.5, 0.853913)
    """
    sd = spread(losses, "the losses of the rows", "method='wilson' for losses of 0 and 1")
    std_error = sd * np.sqrt(factor / losses.size)
    return symmetric(mean, std_error, level, float(losses.size - 1), factor=factor)


def _by_row(table: LossTable, level: float) -> Limits:
    unstable = instability(table) if table.plan.times > 1 else 0.0
    mean, (_, losses) = table.estimate().item(), table.tested_rows()
    return pointwise_t(mean, losses.ravel(), max(SHARED, 1 + 4 * unstable), level)


POINTWISE_T = register(
    Method(
        name="pointwise_t",
        title="row-wise corrected t",
        target="ER",
        formula=_by_row,
        layouts=("K-fold", "leave-one-out", "repeated K-fold"),
        citation=("nadeau2003",),
        folds=KFold(10),
        rank=1,
        for_pairs=True,
        because="as a test it kept its level in simulations, with more power than fold means",
        metrics="none",
        r=InR(
            "pcv_ci_pointwise_t(mean(pcv_means(x, fit)), pcv_means(x, row), "
            "pcv_instability(x, row, times), level)",
            "length(unique(row)) - 1",
        ),
    )
)
