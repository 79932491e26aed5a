"""How R computes an interval: by the formula of its method, on the losses it was read from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat import rmath
from pycvstat.errors import RError
from pycvstat.folds.pairs import own_and_other_fold
from pycvstat.intervals.limits import two_sided
from pycvstat.intervals.method import METHODS, InR
from pycvstat.intervals.result import Asked, Interval, Scores
from pycvstat.losses import FoldMeans, LossTable, Table
from pycvstat.losses.metrics import METRICS
from pycvstat.losses.table import is_weighed
from pycvstat.r.check.call import Call, Quantity, fit_labels
from pycvstat.rmath.sums import TOGETHER
from pycvstat.rmath.tolerances import QUANTILES, SAME_BITS, SUMS

if TYPE_CHECKING:
    from pycvstat.intervals.from_losses import LossResult
    from pycvstat.intervals.paired import Paired

PARTS = ("estimate", "std_error", "low", "high")
# the ends are kept inside the range of the metric, as ours are
ENDS = """{{
  r <- as.numeric({formula})
  if (side == "upper") r[3] <- -Inf
  if (side == "lower") r[4] <- Inf
  r[3:4] <- pmin(pmax(r[3:4], lowest), highest)
  estimate <- r[1]; std_error <- r[2]; t <- {test}
  list(estimate = r[1], std_error = r[2], low = r[3], high = r[4], statistic = t[1], p_value = t[2])
}}"""


def of_interval(interval: Interval, written: bool, y: Any) -> Call:
    """Estimate, standard error and both ends."""
    return _ends(interval, "NULL")


def of_paired(paired: Paired, written: bool, y: Any) -> Call:
    """The interval of the difference, its statistic and its p value."""
    method, tests = _method(paired.interval), []
    if method.test != "none":
        tests = [
            Quantity("statistic", "statistic", paired.statistic, QUANTILES),
            Quantity("p_value", "p value", paired.p_value, QUANTILES),
        ]
    t = f"{{ t <- estimate / std_error; c(t, 2 * pt(-abs(t), {method.freedom})) }}"
    call = _ends(paired.interval, (method.test or t) if tests else "NULL")
    return replace(call, quantities=[*call.quantities, *tests])


def of_losses(result: LossResult, written: bool, y: Any) -> Call:
    """Fold means and both averages of losses made elsewhere."""
    exact = rmath.EXTENDED and result.plan.n_test.max() <= TOGETHER
    averages = SAME_BITS if exact else SUMS
    names = [""] if len(result.tables) == 1 else [f"{name}: " for name in result.tables]
    tables = list(result.tables.values())
    fits = [f"{name}{fit}" for fit in fit_labels(result.plan) for name in names]
    means = np.stack([table.fold_means()[:, 0] for table in tables], axis=1)
    both = [[float(value) for table in tables for value in getattr(table, name)()]
            for name in ("estimate", "pooled")]  # fmt: skip
    return Call(
        "{ m <- apply(x, 2, function(one) as.vector(pcv_means(one, fit)))\n"
        "  m <- matrix(m, ncol = ncol(x))\n"
        "  list(means = m, estimate = apply(m, 2, mean), pooled = apply(x, 2, mean)) }",
        {"x": np.column_stack([t.losses[:, 0] for t in tables]), "fit": _fits(result.plan)},
        [
            Quantity("means", "fold means", means, averages, fits),
            Quantity("estimate", "estimate (mean of fold means)", both[0], averages, names),
            Quantity("pooled", "pooled (mean over observations)", both[1], SUMS, names),
        ],
        files=("intervals.R",),
    )


def _method(interval: Interval) -> InR:
    method = METHODS[interval.method].r if interval.method in METHODS else None
    if interval.asked is None or method is None:
        problem = "this interval has no formula in R that runs on a user's losses."
        fix = f"methods with one: {', '.join(name for name, m in METHODS.items() if m.r)}"
        raise RError(problem, given=f"{interval.method} for {interval.metric}", fix=fix)
    return method


def _ends(interval: Interval, test: str) -> Call:
    method = _method(interval)
    asked: Any = interval.asked
    if not isinstance(asked.table, Scores) and is_weighed(asked.table):
        raise RError("the R reference does not weigh losses.", given=interval.title)
    lowest, highest = -np.inf, np.inf
    if not isinstance(asked.table, Scores):
        metric = METRICS.get(asked.metric or "")
        lowest, highest = asked.table.range if metric is None else metric.range
    given = _given(interval, asked) | {"lowest": lowest, "highest": highest}
    notes = (f"The {asked.given} were given to R, not computed there.",) if asked.given else ()
    return Call(
        ENDS.format(formula=_code(method.code, interval, asked), test=test),
        given,
        [Quantity(part, part, getattr(interval, part), method.tolerance) for part in PARTS],
        interval.method,
        ("intervals.R",),
        notes=notes,
    )


def _code(formula: str, interval: Interval, asked: Asked) -> str:
    """The call in R; RMSE and R^2 by the delta method, AUC and correlation fold by fold."""
    metric = asked.metric
    if metric in ("rmse", "r2") and interval.method == "bootstrap":
        parts = "pcv_means(pcv_parts(metric, x, y), row)"
        return f"pcv_ci_bootstrap({parts}, level, draws, seed, pcv_metrics[[metric]]$value)"
    if metric in ("rmse", "r2"):
        around = ", size, share" if METHODS[interval.method].centre == "mean" else ""
        return f"pcv_ci_delta(metric, pcv_parts(metric, x, y), function(x) {formula}{around})"
    if metric in ("auc", "r2_correlation") and interval.method != "cv_auc":
        return f"{{ x <- pcv_by_fold(metric, y, score, fit); fit <- seq_along(x); {formula} }}"
    return formula


def _given(interval: Interval, asked: Asked) -> dict[str, Any]:
    """What the formula reads: losses, where they belong, sizes, options."""
    table = asked.table
    level = {"level": two_sided(interval.level, interval.side), "side": interval.side}
    if isinstance(table, Scores):
        sizes = {"n_train": table.n_train, "n_test": table.n_test}
        return level | {"x": table.values, "fit": np.arange(1, len(table.values) + 1)} | sizes
    plan, metric = table.plan, asked.metric
    given: dict[str, Any] = {"n_train": plan.n_train, "n_test": plan.n_test, "n": plan.n}
    given |= level | {"metric": metric, "inner": int((plan.repeat == 0).sum())}
    given |= {"times": plan.times if plan.is_partition else 1, "row": np.empty(0, np.int64)}
    if metric in ("rmse", "r2") and METHODS[interval.method].centre == "mean":
        given |= _sizes(table, METHODS[interval.method].needs == "fold means")
    if isinstance(table, FoldMeans):
        given |= {"x": _one_or_all(table.means), "fit": np.arange(1, len(plan) + 1)}
    else:
        given |= {"x": _one_or_all(table.losses), "fit": _fits(plan), "row": plan.rows + 1}
        given |= _rows_and_groups(table, metric)
    return given | _options(interval, asked, table.range)


def _sizes(table: Table, by_fold: bool) -> dict[str, Any]:
    """How many predictions every number stands for, and the weight of its deviation."""
    each = table.plan.n_test if isinstance(table, LossTable) else np.ones(len(table.plan), int)
    share = table.plan.n_test / table.plan.n_test.mean() if by_fold else np.ones(len(table.plan))
    size = np.ones(int(each.sum())) if isinstance(table, LossTable) else table.plan.n_test
    return {"size": size, "share": np.repeat(share, each)}


def _one_or_all(values: Any) -> Any:
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
        y, score = METRICS[str(metric)].rows(table)
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
            problem = "the seed of these draws is not known, so R cannot draw them again."
            raise RError(problem, given=interval.title, fix="give the interval a seed: random=1")
        given |= {"draws": options.get("draws", 1000), "seed": seed}
    return given
