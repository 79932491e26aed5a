"""The quantities of a result in R, on the same data and folds, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pycvstat import rmath
from pycvstat.errors import InputError, heard, warn
from pycvstat.folds.plan import FoldPlan
from pycvstat.losses import FoldMeans, LossTable, as_loss, loss_label
from pycvstat.losses.metrics import as_metric, metric
from pycvstat.losses.table import Sealed
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.selection import Choice, choose
from pycvstat.procedures.tune import TuneResult
from pycvstat.r.bridge import time_limit
from pycvstat.r.bridge.installed import running
from pycvstat.r.bridge.processes import separately
from pycvstat.r.check.call import (
    Call,
    Quantity,
    Row,
    Verdict,
    call_of,
    compare_values,
    grouped,
    has_classes,
    parts_of,
    row_labels,
)
from pycvstat.r.check.case import Case
from pycvstat.rmath.tolerances import EXACT, SAME_BITS, SUMS
from pycvstat.verbs import Verbs

SECONDS = 600.0  # for everything that R does for one cross-check


@dataclass(frozen=True, eq=False)
class Crosscheck(Verbs):
    """A cross-check; true when everything was compared and agrees.

    Parameters
    ----------
    rows : tuple of Row
    r_version : str
        The R that computed, with the packages used; or "recorded".
    notes : tuple of str
        Named differences of convention, and what R was given or warned about.
    cases : tuple of Case
        What was checked, where it was asked as cases.
    about : str
        What they are about: a title, and paragraphs. `report` then writes a page of statistic, R,
        Python, match and notes, the code of both and the sessions.

    Examples
    --------
    >>> from pycvstat.r.check.call import compare_values, not_compared
    >>> from pycvstat.rmath.tolerances import EXACT
    >>> Crosscheck((compare_values("folds", [1, 2, 3], [1, 2, 4], EXACT),)).first_difference
    'folds: element 3'
    >>> rows = (compare_values("a", 1, 1, EXACT), not_compared("fold 3", "R says: singular"))
    >>> Crosscheck(rows).words
    '1 of 2 quantities agrees; not compared: fold 3 (R says: singular)'
    """

    view: ClassVar[str] = "parity"

    rows: tuple[Row, ...]
    r_version: str = ""
    notes: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    about: str = ""

    @property
    def verdict(self) -> Verdict:
        """ "agrees", "differs", or "not fully compared"."""
        found = {row.verdict for row in self.rows}
        if "differs" in found:
            return "differs"
        return "agrees" if found == {"agrees"} else "not fully compared"

    @property
    def words(self) -> str:
        """How many quantities agree, which differs first, and what was not compared."""
        good, n = sum(row.agrees for row in self.rows), len(self.rows)
        words = f"{good} of {n} {'quantity' if n == 1 else 'quantities'} "
        words += "agrees" if good == 1 else "agree"
        if self.first_difference:
            words += f"; the first that differs: {self.first_difference}"
        return f"{words}; not compared: {self.left_out}" if self.left_out else words

    @property
    def left_out(self) -> str:
        """What was not compared, and why; empty when everything was."""
        reasons = grouped((row.why_not, row.quantity) for row in self.rows if row.why_not)
        return "; ".join(f"{', '.join(names)} ({why})" for why, names in reasons.items())

    def __bool__(self) -> bool:
        return self.verdict == "agrees"

    def __repr__(self) -> str:
        return f"Crosscheck({self.words})"

    @property
    def first_difference(self) -> str | None:
        """The first quantity that differs and where; None when none does."""
        found = (f"{row.quantity}: {row.place}" for row in self.rows if row.verdict == "differs")
        return next(found, None)

    def tidy(self) -> pd.DataFrame:
        """One row per quantity: Python, R, differences, tolerance and reason, verdict."""
        same = ("group", "quantity", "python", "r", "absolute", "relative", "ulp")
        rows = [
            {name: getattr(row, name) for name in same}
            | {
                "compared": row.count,
                "tolerance": row.tolerance.relative,
                "reason": row.tolerance.reason,
                "verdict": row.verdict,
                "where": row.place or row.why_not,
            }
            for row in self.rows
        ]
        return pd.DataFrame(rows)

    def by_group(self) -> pd.DataFrame:
        """One row per group of cases: comparisons, how many agree, numbers, largest difference."""
        found = []
        for group in dict.fromkeys(row.group for row in self.rows):
            rows = [row for row in self.rows if row.group == group]
            known = [row.relative for row in rows if not np.isnan(row.relative)]
            counts = len(rows), sum(row.agrees for row in rows), sum(row.count for row in rows)
            found.append((group, *counts, max(known, default=0.0)))
        names = ["group", "comparisons", "agree", "numbers", "largest_relative"]
        return pd.DataFrame(found, columns=names)

    def glance(self) -> pd.DataFrame:
        """One row: quantities, numbers compared, how many agree, R."""
        row: dict[str, Any] = {"quantities": len(self.rows)}
        row["agree"] = sum(row.agrees for row in self.rows)
        row["compared"] = sum(row.count for row in self.rows)
        return pd.DataFrame([row | {"verdict": self.verdict, "r": self.r_version}])


def crosscheck(
    result: Any, *, seconds: float = SECONDS, separate: bool = False, y: Any = None
) -> Crosscheck:
    """Compute a result's quantities in R and compare them.

    Parameters
    ----------
    result : fold plan, fitted model, interval, paired difference, or result of a procedure
    seconds : float
        The longest that one call of R may take.
    separate : bool
        Run R in a process of its own: slower to start, but then a crash of R is an error like
        any other, and the time limit, for all of R's work together, holds whatever R does.
    y : sequence, optional
        The response, for fold plans that were drawn by it.

    Returns
    -------
    Crosscheck
        True when every quantity agrees; `first_difference` says where the two part.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> from pycvstat.r.bridge import available
    >>> plan = pcv.KFold(5, random=1).plan(20)
    >>> bool(crosscheck(plan)) if available() else True
    True
    """
    if separate:
        found: Crosscheck = separately(_checked, result, y, seconds=seconds)
        return found
    with time_limit(seconds):
        return _checked(result, y)


def _checked(result: Any, y: Any) -> Crosscheck:
    if y is not None and not isinstance(result, FoldPlan):
        raise InputError("y= belongs to fold plans.", given=type(result).__name__)
    rows: list[Row] = []
    says, notes = [running()], list[str]()
    with heard() as said:
        for name, part in parts_of(result).items():
            for call in _calls(part, y):
                start = f"{name}: " if name else ""
                found = call.beside(call.run())
                rows += [replace(row, quantity=start + row.quantity) for row in found]
                says.append(call.says)
                notes += call.notes
            rows += [replace(row, quantity=start + row.quantity) for row in _stored(part)]
    for words in said:
        warn(words)
    notes += said
    version = "; ".join(dict.fromkeys(filter(None, says)))
    return Crosscheck(tuple(rows), version, tuple(dict.fromkeys(notes)))


def _stored(result: Any) -> list[Row]:
    """Whether a result, its tables and those that intervals read hold what was computed."""
    interval = getattr(result, "interval", result)
    holders = interval, getattr(interval, "asked", None), *([] if interval is result else [result])
    parts = [result, interval, *(part for one in holders for part in _values(one))]
    parts += [one for part in parts if isinstance(part, dict) for one in part.values()]
    parts = list({id(one): one for one in parts}.values())
    wrong = "these are not the numbers that were computed"
    return (
        [
            Row(one.stored, place="" if one.intact else wrong, count=size)
            for one in parts
            if isinstance(one, Sealed) and (size := one.size)
        ]
        + [
            Row("choice by the rule", place="" if made == kept else "another choice", count=1)
            for made, kept in _choices(result)
        ]
        + list(_without_information(result))
    )


def _values(one: Any) -> list[Any]:
    return [getattr(one, field.name) for field in fields(one)] if is_dataclass(one) else []


def _without_information(result: Any) -> Iterator[Row]:
    if isinstance(result, CVResult) and result.plan.kind == "bootstrap":
        from pycvstat.procedures.bootstrapped import BootstrapResult, no_information

        assert isinstance(result, BootstrapResult)
        loss = as_loss(result.loss, result.task.response.kind)
        again = no_information(loss, result.everywhere)
        yield compare_values("no-information loss", result.no_information, again, EXACT)


def _choices(result: Any) -> Iterator[tuple[Choice, Choice]]:
    """What the rule chooses by the stored means, and what was chosen."""
    if isinstance(result, TuneResult):
        yield choose(result.means, result.rule), result.choice
    if not isinstance(result, CVResult) or not result.learner.candidates:
        return
    tuned: Any = result.learner
    better: Any = "smaller" if tuned.metric is None else as_metric(tuned.metric).better
    for plan, detail in zip(result.inner_plans, result.details, strict=True):
        means = FoldMeans(plan, detail.means, "", tuned.candidates, better=better)
        yield choose(means, tuned.selection_rule), detail.choice


def _calls(result: Any, y: Any) -> list[Call]:
    call = call_of(result, y=y)
    if not isinstance(result, CVResult):
        return [call]
    named = replace(call, notes=(*call.notes, *_named_differences(result.table)))
    return [*_losses_of_predictions(result.table, call.fits), named]


def _losses_of_predictions(table: LossTable, fits: Sequence[str]) -> list[Call]:
    """The losses that R computes from our predictions: the same bits where only + - * occur."""
    if table.predictions is None or table.y is None:
        return []
    prob, classes = table.predictions.prob, has_classes(table)
    rounded = table.loss in ("log", "poisson") or (prob is not None and prob.shape[2] > 2)
    name, ours = "losses of these predictions", table.losses[:, 0]
    tolerance = SUMS if rounded else SAME_BITS
    return [
        Call(
            "list(losses = pcv_loss(loss, y, if (classes) list(class = values + 1, prob = prob)"
            " else values))",
            {
                "loss": table.loss,
                "y": table.y[table.plan.rows] + (1 if classes else 0),
                "classes": classes,
                "values": table.predictions.values[0],
                "prob": None if prob is None else prob[0],
            },
            [Quantity("losses", name, ours, tolerance, row_labels(table.plan, fits))],
            files=("procedures.R",),
        )
    ]


Entry = tuple[str, str, float, str]  # quantity, convention, value, who uses it


def conventions(table: LossTable) -> pd.DataFrame:
    """Every convention with its value and the packages that use it.

    Parameters
    ----------
    table : LossTable
        Of one candidate.

    Returns
    -------
    pandas.DataFrame
        quantity, convention, value, used_by.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ .", pcv.data.mtcars(),
    ...                             folds=pcv.RFolds("origami", 10, seed=1))
    >>> found = conventions(result.table)
    >>> found.loc[found["quantity"] == "RMSE", "value"].round(3).tolist()
    [3.621, 3.757]
    """
    names = ["quantity", "convention", "value", "used_by"]
    return pd.DataFrame(_entries(table), columns=names)


def _named_differences(table: LossTable) -> list[str]:
    """The conventions in words, one line per quantity."""
    found = grouped(
        (what, f"{how} {value:.6g} ({who})") for what, how, value, who in _entries(table)
    )
    return [f"Named difference, {what}: {'; '.join(words)}." for what, words in found.items()]


def _entries(table: LossTable) -> list[Entry]:
    means, sizes = table.fold_means()[:, 0], table.plan.n_test.astype(np.float64)
    average, spread, k = f"mean {loss_label(table.loss)}", "spread of fold means", len(means)
    users = "scikit-learn, caret, tidymodels, mlr3; here `estimate`"
    found: list[Entry] = [
        (average, "mean of fold means", float(table.estimate()[0]), users),
        (
            average,
            "mean over observations",
            float(table.pooled()[0]),
            "boot, cv, glmnet, nestedcv; here `pooled`",
        ),
    ]
    if k > 1:
        sd, divisor = float(means.std(ddof=1)), "divisor K - 1"
        around = (means - np.average(means, weights=sizes)) ** 2
        glmnet = float(np.sqrt(np.average(around, weights=sizes) / (k - 1)))
        found += [
            (spread, "standard deviation, divisor K", float(means.std()), "scikit-learn"),
            (spread, f"standard deviation, {divisor}", sd, "caret, tidymodels"),
            (
                spread,
                f"standard error, {divisor}",
                float(sd / np.sqrt(k)),
                "here `std_error` in tables of tuning",
            ),
            (spread, "standard error weighted by fold size", glmnet, "glmnet"),
        ]
    if table.loss != "squared" or table.predictions is None:
        return found
    root = metric(table, "rmse", averaging="folds")
    by_repeat = float(rmath.mean(root.by_repeat))
    metrics = [
        ("RMSE", "mean of fold RMSEs", root.estimate, "caret, tidymodels"),
        ("RMSE", "root of the mean over observations", by_repeat, "cv, nestedcv"),
    ]
    if sizes.min() > 1:
        explained = metric(table, "r2", averaging="folds")
        squared = metric(table, "r2_correlation")
        metrics += [
            ("R^2", "1 - RSS/TSS by fold", explained.estimate, "scikit-learn"),
            ("R^2", "squared correlation by fold", squared.estimate, "caret"),
        ]
    return found + [entry for entry in metrics if np.isfinite(entry[2])]
