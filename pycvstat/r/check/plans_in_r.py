"""How R cuts the folds of a plan: by what its splitter says, from the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import read_y
from pycvstat.errors import InputError, RError
from pycvstat.folds.forms import codes_of, rows_of
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.splitter import RowsInR, Splitter
from pycvstat.r.check.call import Call, Quantity, fit_labels, in_r
from pycvstat.rmath.random import RRandom

SORTED = "R sorts words by its own locale, which can change the order of classes."
CUT = """{{
  cut <- function(part) {{
    rows <- pcv_folds(function() {code}, seed_, times_, kind_, reseeds_)
    setNames(list(lengths(rows), unlist(lapply(rows, sort))), paste0(part, c("_sizes", "_rows")))
  }}
  do.call(c, lapply(parts_, cut))
}}"""


@in_r.register
def _plan(plan: FoldPlan, written: bool, y: Any) -> Call:
    rows = plan.splitter.in_r() if isinstance(plan.splitter, Splitter) else None
    if rows is None:
        raise RError(
            "these folds have no counterpart that R could draw.",
            given=plan.recipe,
            fix="plan.check() looks for rows tested twice or never; plan.to_r() hands the rows "
            "to R",
        )
    parts = {"test": ("test rows", plan.rows, plan.n_test)}
    if rows.trains and plan.train is not None:
        parts["train"] = ("training rows", np.concatenate(plan.train), plan.n_train)
    draw = {"times_": rows.times, "reseeds_": rows.reseeds, "parts_": list(parts)}
    return Call(
        CUT.format(code=rows.code),
        _read(plan, rows, y) | _draw(plan) | draw,
        [quantity for part, of in parts.items() for quantity in _rows(plan, part, *of)],
        files=("folds.R",),
        packages=rows.packages,
        notes=(SORTED,) if rows.needs == "y" and rows.packages else (),
    )


def _rows(plan: FoldPlan, part: str, what: str, rows: Any, sizes: Any) -> list[Quantity]:
    fits = fit_labels(plan)
    labels = [f"{fit}, {what[:-1]} {i + 1}" for fit, m in zip(fits, sizes, strict=True)
              for i in range(m)]  # fmt: skip
    sizes_by_fold = Quantity(f"{part}_sizes", f"{what} by fold", sizes, labels=fits)
    return [sizes_by_fold, Quantity(f"{part}_rows", what, rows + 1, labels=labels)]


def _read(plan: FoldPlan, rows: RowsInR, y: Any) -> dict[str, Any]:
    """What the code in R reads."""
    found = {"n": plan.n, "y": None, "group": None, **rows.reads}
    if "y" in rows.needs.split():
        response = _response(plan, y)
        found["y"] = response if rows.packages else _levelled(response)
    if "group" in rows.needs.split():
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
    kind = own.sample_kind if isinstance(own, RRandom) else "Rejection"
    return {"seed_": plan.seed, "kind_": kind}


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
