"""Cross-check of a fold plan: R cuts the same folds from the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import read_y
from pycvstat.errors import InputError, RError
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.splitter import RowsInR, Splitter
from pycvstat.folds.vectors import codes_of, rows_of
from pycvstat.r.check.labels import fit_labels
from pycvstat.r.check.table import Crosscheck, Row, compare_values
from pycvstat.rmath.random import RRandom
from pycvstat.rmath.tolerances import EXACT

SORTED = "R sorts words by its own locale, which can change the order of classes."


def check_plan(plan: FoldPlan, y: Any = None) -> Crosscheck:
    """Let R cut the folds that the plan's splitter makes and compare them row by row.

    Parameters
    ----------
    plan : FoldPlan
    y : sequence, optional
        The response, for folds that were drawn by it.
    """
    from pycvstat.r.bridge import run

    splitter = plan.splitter
    in_r = splitter.in_r() if isinstance(splitter, Splitter) else None
    if in_r is None:
        raise _no_counterpart(plan)
    given = _given(plan, in_r, y) | _draw(plan)
    rows = _compared(plan, "test rows", _cut(in_r, given, "test"), plan.rows, plan.n_test)
    if in_r.trains:
        assert plan.train is not None
        train = np.concatenate(plan.train)
        rows += _compared(plan, "training rows", _cut(in_r, given, "train"), train, plan.n_train)
    notes = (SORTED,) if in_r.needs == "y" and in_r.packages else ()
    return Crosscheck(tuple(rows), str(run("R.version.string")), notes)


def _cut(in_r: RowsInR, given: dict[str, Any], part: str) -> list[Any]:
    from pycvstat.r.bridge import require, run, source
    from pycvstat.r.bridge.reference import path

    if in_r.packages:
        require(list(in_r.packages))
    source(path("folds.R"))
    folds: Any = run(
        f"pcv_folds(function() {in_r.code}, seed_, times_, kind_, reseeds_)",
        **given,
        part=part,
        times_=in_r.times,
        reseeds_=in_r.reseeds,
    )
    return [np.atleast_1d(np.asarray(part)) for part in folds]


def _given(plan: FoldPlan, in_r: RowsInR, y: Any) -> dict[str, Any]:
    """What the code in R reads."""
    found = {"n": plan.n, "y": None, "group": None, **in_r.reads}
    if in_r.needs == "y":
        response = _response(plan, y)
        found["y"] = response if in_r.packages else _levelled(response)
    if in_r.needs == "group":
        found["group"] = codes_of(read_y(np.asarray(plan.groups)))[0] + 1
    return found


def _draw(plan: FoldPlan) -> dict[str, Any]:
    """The seed, and how indices are drawn from it."""
    if plan.seed is None and plan.splitter.draws:
        raise RError(
            "the seed of these folds is not known, so R cannot draw them again.",
            given=plan.recipe,
            fix="give the splitter a seed: random=1",
        )
    own = getattr(plan.splitter, "random", None)
    return {
        "seed_": plan.seed,
        "kind_": own.sample_kind if isinstance(own, RRandom) else "Rejection",
    }


def _compared(plan: FoldPlan, what: str, cut: Sequence[Any], rows: Any, sizes: Any) -> list[Row]:
    fits = fit_labels(plan)
    if len(cut) != len(fits):
        return [compare_values("number of fits", len(fits), len(cut), EXACT)]
    counts = compare_values(f"{what} by fold", sizes, [len(p) for p in cut], EXACT, fits)
    if not counts.agrees:
        return [counts]
    labels = [f"{fit}, {what[:-1]} {i + 1}" for fit, m in zip(fits, sizes, strict=True)
              for i in range(m)]  # fmt: skip
    ours = np.concatenate([np.sort(p) for p in np.split(rows, np.cumsum(sizes)[:-1])]) + 1
    theirs = np.concatenate([np.sort(part) for part in cut])
    return [counts, compare_values(what, ours, theirs, EXACT, labels)]


def _response(plan: FoldPlan, y: Any) -> Any:
    if y is None:
        raise RError(
            "these folds were drawn by the response, which the plan does not hold.",
            given=plan.recipe,
            fix="plan.crosscheck(y=y), with the y that the plan was made for",
        )
    if rows_of(y) != plan.n:
        raise InputError("y must have one value per row.", given=f"{rows_of(y)} for {plan.n} rows")
    return y


def _levelled(y: Any) -> Any:
    """Words as a factor, so that the order of its levels is ours whatever R's locale is."""
    column = read_y(y)
    if column.kind != "text":
        return y
    codes, levels = column.as_factor()
    return pd.Categorical.from_codes(codes, pd.Index(levels, dtype=object))


def _no_counterpart(plan: FoldPlan) -> RError:
    return RError(
        "these folds have no counterpart that R could draw.",
        given=plan.recipe,
        fix="plan.check() looks for rows tested twice or never; plan.to_r() hands the rows to R",
    )
