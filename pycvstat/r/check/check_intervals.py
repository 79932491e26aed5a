"""Cross-check of an interval: its formula in R on the losses that it was read from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.errors import RError
from pycvstat.folds.pairs import own_and_other_fold
from pycvstat.intervals.base import Interval
from pycvstat.intervals.from_losses import LossResult
from pycvstat.intervals.metrics import METRICS
from pycvstat.intervals.paired import Paired
from pycvstat.losses import FoldMeans, LossTable
from pycvstat.losses.metrics import METRICS as READERS
from pycvstat.losses.table import TOGETHER
from pycvstat.r.check.labels import fit_labels
from pycvstat.r.check.table import SAME_BITS, SUMS, Crosscheck, Row, Tolerance, compare_values

QUANTILES = Tolerance(1e-10, "quantiles found by iteration")
PARTS = ("estimate", "std_error", "low", "high")
BY_ITERATION = ("clopper_pearson", "five_by_two_f")

FORMULAS = {
    "holdout_z": "pcv_ci_holdout_z(x, level)",
    "hoeffding": "pcv_ci_hoeffding(x, level, lo, hi)",
    "dev_set": "pcv_ci_dev_set(x, level, lo, hi)",
    "wilson": "pcv_ci_wilson(sum(x), length(x), level)",
    "clopper_pearson": "pcv_ci_clopper_pearson(sum(x), length(x), level)",
    "all_pairs": "pcv_ci_all_pairs(x, level)",
    "within_fold": "pcv_ci_within_fold(x, fit, level)",
    "corrected_t": "pcv_ci_corrected_t(pcv_means(x, fit), n_train, n_test, level)",
    "conservative_z": "pcv_ci_paired_halves(pcv_means(x, fit), inner, level)",
    "ncv": "pcv_ci_ncv(repetition, own, other, x, n, level, power)",
    "cv_auc": "pcv_ci_cv_auc(y, score, fit, level, half)",
    "cluster": "pcv_ci_cluster(pcv_means(x, row), group, level)",
    "five_by_two_t": "pcv_ci_five_by_two_t(matrix(pcv_means(x, fit), 5, byrow = TRUE), level)",
    "five_by_two_f": "pcv_ci_five_by_two_f(matrix(pcv_means(x, fit), 5, byrow = TRUE), level)",
    "bootstrap": "pcv_ci_bootstrap(pcv_means(x, row), level, draws, seed)",
    "bbc_cv": "pcv_ci_bbc_cv(pcv_means(x, row), level, draws, seed)",
    "tibshirani": "pcv_ci_tibshirani(pcv_means(x, fit), n_train, n_test, level)",
}
"""Method -> its formula in `intervals.R`; x holds the losses, fit and row where they belong."""

FREEDOM = {
    "corrected_t": "length(unique(fit)) - 1",
    "five_by_two_t": "5",
    "cluster": "length(unique(group)) - 1",
}
"""Degrees of freedom, where they are finite."""


def check_interval(interval: Interval) -> Crosscheck:
    """Compute estimate, standard error and both ends in R."""
    from pycvstat.r.bridge import run

    r = _ends(interval)
    rows = _rows(interval, r)
    notes = _notes(interval)
    return Crosscheck(rows, f"{run('R.version.string')}; pcv_ci_{interval.method}", notes)


def check_paired(paired: Paired) -> Crosscheck:
    """The interval of the difference, its statistic and its p value."""
    from pycvstat.r.bridge import run

    interval = paired.interval
    r = _ends(interval)
    rows = list(_rows(interval, r))
    if interval.method == "five_by_two_f":
        code = "pcv_five_by_two_f_test(matrix(pcv_means(x, fit), 5, byrow = TRUE))"
        test = run(code, **_given(interval))
    else:
        df = FREEDOM.get(interval.method, "Inf")
        code = f"{{ t <- estimate / std_error; c(t, 2 * pt(-abs(t), {df})) }}"
        test = run(code, estimate=r[0], std_error=r[1], **_given(interval))
    values = np.asarray(test, dtype=np.float64)
    if interval.method not in ("bootstrap", "hoeffding"):  # without a test
        ours = (paired.statistic, paired.p_value)
        for name, mine, theirs in zip(("statistic", "p value"), ours, values, strict=True):
            rows.append(compare_values(name, mine, theirs, QUANTILES))
    says = f"{run('R.version.string')}; pcv_ci_{interval.method}"
    return Crosscheck(tuple(rows), says, _notes(interval))


def check_losses(result: LossResult) -> Crosscheck:
    """Fold means and both averages of losses made elsewhere."""
    from pycvstat.r.bridge import run, source
    from pycvstat.r.bridge.reference import path

    source(path("intervals.R"))
    rows: list[Row] = []
    fit = _fits(result.plan)
    exact = rmath.EXTENDED and result.plan.n_test.max() <= TOGETHER
    averages = SAME_BITS if exact else SUMS
    for name, table in result.tables.items():
        said = "" if len(result.tables) == 1 else f"{name}: "
        means = run("as.vector(pcv_means(x, fit))", x=table.losses[:, 0], fit=fit)
        theirs: Any = run("c(mean(means), mean(x))", means=means, x=table.losses[:, 0])
        labels, ours = fit_labels(result.plan), table.fold_means()[:, 0]
        rows += [
            compare_values(f"{said}fold means", ours, means, averages, labels),
            compare_values(
                f"{said}estimate (mean of fold means)", table.estimate(), theirs[0], averages
            ),
            compare_values(
                f"{said}pooled (mean over observations)", table.pooled(), theirs[1], SUMS
            ),
        ]
    return Crosscheck(tuple(rows), str(run("R.version.string")))


def _rows(interval: Interval, r: Any) -> tuple[Row, ...]:
    tolerance = QUANTILES if interval.method in BY_ITERATION else SUMS
    return tuple(
        compare_values(part, getattr(interval, part), r[i], tolerance)
        for i, part in enumerate(PARTS)
    )


def _ends(interval: Interval) -> Any:
    """Estimate, standard error, low and high by R, kept inside the range of the metric."""
    from pycvstat.r.bridge import run, source
    from pycvstat.r.bridge.reference import path

    if not interval.request or interval.method not in FORMULAS:
        raise RError(
            "this interval has no formula in the R reference that runs on a user's losses.",
            given=f"{interval.method} for {interval.metric}",
            fix=f"methods with one: {', '.join(FORMULAS)}",
        )
    source(path("intervals.R"))
    r = run(_code(interval), level=interval.level, **_given(interval))
    values = np.array(r, dtype=np.float64)
    values[2:] = np.clip(values[2:], *_range(interval))
    return values


def _range(interval: Interval) -> tuple[float, float]:
    if "scores" in interval.request:
        return -np.inf, np.inf
    metric = METRICS.get(interval.request["metric"] or "")
    limits: tuple[float, float] = interval.request["table"].range
    return limits if metric is None else metric.range


def _code(interval: Interval) -> str:
    """The call in R; RMSE and R^2 by the delta method, AUC and correlation fold by fold."""
    formula, metric = FORMULAS[interval.method], interval.request.get("metric")
    if metric in ("rmse", "r2") and interval.method == "bootstrap":
        parts = "pcv_means(pcv_parts(metric, x, y), row)"
        return f"pcv_ci_bootstrap({parts}, level, draws, seed, pcv_metrics[[metric]]$value)"
    if metric in ("rmse", "r2"):
        return f"pcv_ci_delta(metric, pcv_parts(metric, x, y), function(x) {formula})"
    if metric in ("auc", "r2_correlation") and interval.method != "cv_auc":
        return f"{{ x <- pcv_by_fold(metric, y, score, fit); fit <- seq_along(x); {formula} }}"
    return formula


def _given(interval: Interval) -> dict[str, Any]:
    """What the formula reads: losses, where they belong, sizes, options."""
    if "scores" in interval.request:
        scores = interval.request["scores"]
        sizes = {name: interval.request[name] for name in ("n_train", "n_test")}
        return {"x": scores, "fit": np.arange(1, len(scores) + 1)} | sizes
    table, metric = interval.request["table"], interval.request["metric"]
    plan = table.plan
    given: dict[str, Any] = {"n_train": plan.n_train, "n_test": plan.n_test, "n": plan.n}
    given["metric"] = metric
    given["inner"] = int((plan.repeat == 0).sum())
    if isinstance(table, FoldMeans):
        given |= {"x": _losses(table.means), "fit": np.arange(1, len(plan) + 1)}
    else:
        given |= {"x": _losses(table.losses), "fit": _fits(plan), "row": plan.rows + 1}
        given |= _rows_and_groups(table, metric)
    return given | _options(interval, table.range)


def _losses(values: Any) -> Any:
    return values[:, 0] if values.shape[1] == 1 else values


def _fits(plan: Any) -> Any:
    return np.repeat(np.arange(1, len(plan) + 1), plan.n_test)


def _rows_and_groups(table: LossTable, metric: str | None) -> dict[str, Any]:
    plan = table.plan
    tested = np.unique(plan.rows)
    groups = tested if plan.groups is None else np.asarray(plan.groups)[tested]
    given: dict[str, Any] = {"group": np.unique(groups, return_inverse=True)[1] + 1}
    if plan.kind == "nested_pairs":
        _, own, other, _ = own_and_other_fold(plan)
        repetition = np.repeat(plan.repeat, plan.n_test) + 1
        given |= {"repetition": repetition, "own": own + 1, "other": other + 1}
    if metric in METRICS and metric != "rmse":
        y, score = READERS[metric].rows(table)
        given |= {"y": np.asarray(y, dtype=np.float64), "score": score}
    return given


POWERS = {"authors": 1.5, "paper": 1.0, "none": 0.0}


def _options(interval: Interval, limits: tuple[float, float]) -> dict[str, Any]:
    options: Mapping[str, Any] = interval.request["options"]
    low, high = options.get("bounds") or limits
    given = {"lo": float(low), "hi": float(high), "half": options.get("ties") == "half"}
    given["power"] = POWERS[options.get("bias", "authors")]
    if interval.method in ("bootstrap", "bbc_cv"):
        if interval.details["seed"] is None:
            raise RError(
                "the seed of these draws is not known, so R cannot draw them again.",
                given=interval.title,
                fix="give the interval a seed: random=1",
            )
        given |= {"draws": options.get("draws", 1000), "seed": interval.details["seed"]}
    return given


def _notes(interval: Interval) -> tuple[str, ...]:
    if interval.request.get("given"):
        return (f"The {interval.request['given']} were given to R, not computed there.",)
    return ()
