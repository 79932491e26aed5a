"""Cross-check of an interval: its formula in R on the losses that it was read from."""

from __future__ import annotations

from typing import Any

import numpy as np

from pycvstat import rmath
from pycvstat.errors import RError
from pycvstat.folds.pairs import own_and_other_fold
from pycvstat.intervals.base import Asked, Interval, Scores
from pycvstat.intervals.from_losses import LossResult
from pycvstat.intervals.method import METHODS, InR
from pycvstat.intervals.metrics import METRICS
from pycvstat.intervals.paired import Paired
from pycvstat.losses import FoldMeans, LossTable
from pycvstat.losses.metrics import METRICS as READERS
from pycvstat.losses.table import TOGETHER
from pycvstat.r.check.labels import fit_labels
from pycvstat.r.check.table import Crosscheck, Row, compare_values
from pycvstat.rmath.tolerances import QUANTILES, SAME_BITS, SUMS

PARTS = ("estimate", "std_error", "low", "high")


def check_interval(interval: Interval) -> Crosscheck:
    """Compute estimate, standard error and both ends in R."""
    method, asked = _in_r(interval)
    given = _given(interval, asked)
    return _verdict(interval, asked, _ends(interval, method, asked, given))


def check_paired(paired: Paired) -> Crosscheck:
    """The interval of the difference, its statistic and its p value."""
    from pycvstat.r.bridge import run

    interval = paired.interval
    method, asked = _in_r(interval)
    given = _given(interval, asked)
    rows = _ends(interval, method, asked, given)
    if method.test != "none":
        t = f"{{ t <- estimate / std_error; c(t, 2 * pt(-abs(t), {method.freedom})) }}"
        ends = {"estimate": rows[0].r, "std_error": rows[1].r}
        r: Any = run(method.test or t, **ends, **given)
        rows.append(compare_values("statistic", paired.statistic, r[0], QUANTILES))
        rows.append(compare_values("p value", paired.p_value, r[1], QUANTILES))
    return _verdict(interval, asked, rows)


def check_losses(result: LossResult) -> Crosscheck:
    """Fold means and both averages of losses made elsewhere."""
    from pycvstat.r.bridge import run

    _source()
    rows: list[Row] = []
    exact = rmath.EXTENDED and result.plan.n_test.max() <= TOGETHER
    averages = SAME_BITS if exact else SUMS
    for name, table in result.tables.items():
        said = "" if len(result.tables) == 1 else f"{name}: "
        x, labels = table.losses[:, 0], fit_labels(result.plan)
        means = run("as.vector(pcv_means(x, fit))", x=x, fit=_fits(result.plan))
        theirs: Any = run("c(mean(means), mean(x))", means=means, x=x)
        rows += [
            compare_values(f"{said}{what}", ours, r, tolerance, names)
            for what, ours, r, tolerance, names in (
                ("fold means", table.fold_means()[:, 0], means, averages, labels),
                ("estimate (mean of fold means)", table.estimate(), theirs[0], averages, None),
                ("pooled (mean over observations)", table.pooled(), theirs[1], SUMS, None),
            )
        ]
    return Crosscheck(tuple(rows), str(run("R.version.string")))


def _in_r(interval: Interval) -> tuple[InR, Asked]:
    method = METHODS[interval.method].r if interval.method in METHODS else None
    if interval.asked is None or method is None:
        raise RError(
            "this interval has no formula in R that runs on a user's losses.",
            given=f"{interval.method} for {interval.metric}",
            fix=f"methods with one: {', '.join(name for name, m in METHODS.items() if m.r)}",
        )
    return method, interval.asked


def _verdict(interval: Interval, asked: Asked, rows: list[Row]) -> Crosscheck:
    from pycvstat.r.bridge import run

    says = f"{run('R.version.string')}; {interval.method}"
    notes = (f"The {asked.given} were given to R, not computed there.",) if asked.given else ()
    return Crosscheck(tuple(rows), says, notes)


def _source() -> None:
    from pycvstat.r.bridge import source
    from pycvstat.r.bridge.reference import path

    source(path("intervals.R"))


def _ends(interval: Interval, method: InR, asked: Asked, given: dict[str, Any]) -> list[Row]:
    """Estimate, standard error, low and high, R's kept inside the range of the metric."""
    from pycvstat.r.bridge import run

    _source()
    r = np.array(run(_code(method.code, interval, asked), **given), dtype=np.float64)
    r[2:] = np.clip(r[2:], *_range(asked))
    return [
        compare_values(part, getattr(interval, part), theirs, method.tolerance)
        for part, theirs in zip(PARTS, r, strict=True)
    ]


def _range(asked: Asked) -> tuple[float, float]:
    if isinstance(asked.table, Scores):
        return -np.inf, np.inf
    metric = METRICS.get(asked.metric or "")
    return asked.table.range if metric is None else metric.range


def _code(formula: str, interval: Interval, asked: Asked) -> str:
    """The call in R; RMSE and R^2 by the delta method, AUC and correlation fold by fold."""
    metric = asked.metric
    if metric in ("rmse", "r2") and interval.method == "bootstrap":
        parts = "pcv_means(pcv_parts(metric, x, y), row)"
        return f"pcv_ci_bootstrap({parts}, level, draws, seed, pcv_metrics[[metric]]$value)"
    if metric in ("rmse", "r2"):
        return f"pcv_ci_delta(metric, pcv_parts(metric, x, y), function(x) {formula})"
    if metric in ("auc", "r2_correlation") and interval.method != "cv_auc":
        return f"{{ x <- pcv_by_fold(metric, y, score, fit); fit <- seq_along(x); {formula} }}"
    return formula


def _given(interval: Interval, asked: Asked) -> dict[str, Any]:
    """What the formula reads: losses, where they belong, sizes, options."""
    table, level = asked.table, {"level": interval.level}
    if isinstance(table, Scores):
        sizes = {"n_train": table.n_train, "n_test": table.n_test}
        return level | {"x": table.values, "fit": np.arange(1, len(table.values) + 1)} | sizes
    plan, metric = table.plan, asked.metric
    given: dict[str, Any] = {"n_train": plan.n_train, "n_test": plan.n_test, "n": plan.n}
    given |= level | {"metric": metric, "inner": int((plan.repeat == 0).sum())}
    if isinstance(table, FoldMeans):
        given |= {"x": _losses(table.means), "fit": np.arange(1, len(plan) + 1)}
    else:
        given |= {"x": _losses(table.losses), "fit": _fits(plan), "row": plan.rows + 1}
        given |= _rows_and_groups(table, metric)
    return given | _options(interval, asked, table.range)


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
        y, score = READERS[str(metric)].rows(table)
        given |= {"y": np.asarray(y, dtype=np.float64), "score": score}
    return given


POWERS = {"authors": 1.5, "paper": 1.0, "none": 0.0}


def _options(interval: Interval, asked: Asked, limits: tuple[float, float]) -> dict[str, Any]:
    options = asked.options
    low, high = options.get("bounds") or limits
    given = {"lo": float(low), "hi": float(high), "half": options.get("ties") == "half"}
    given["power"] = POWERS[options.get("bias", "authors")]
    if "seed" in interval.details:
        seed = interval.details["seed"]
        if seed is None:
            raise RError(
                "the seed of these draws is not known, so R cannot draw them again.",
                given=interval.title,
                fix="give the interval a seed: random=1",
            )
        given |= {"draws": options.get("draws", 1000), "seed": seed}
    return given
