"""Cross-check of a fold plan: R cuts the same folds from the same seed."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.frame import read_y
from pycvstat.errors import InputError, RError
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.vectors import codes_of, rows_of
from pycvstat.r.check.labels import fit_labels
from pycvstat.r.check.table import Crosscheck, Row, compare_values
from pycvstat.rmath.tolerances import EXACT

GENERATOR = r"Generator\(\w+\) at 0x[0-9A-F]+"
SORTED = "R sorts words by its own locale, which can change the order of classes."


@dataclass(frozen=True, slots=True)
class Recipe:
    """How R makes the folds of a kind of splitter.

    Parameters
    ----------
    function : str
        Of `folds.R`.
    names : tuple of str
        What the arguments of the splitter are called there, in their order; "" is not passed on.
    defaults : mapping
        Arguments that a recipe leaves out.
    packages : tuple of str
    needs : str
        "y" or "group" where the folds depend on it.
    trains : bool
        Whether its training rows are not the rest.
    """

    function: str
    names: tuple[str, ...]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    needs: str = ""
    trains: bool = False


RECIPES = {
    "Blocks": Recipe("blocks", ("k", "")),
    "KFold": Recipe("kfold", ("k", "random")),
    "Stratified": Recipe("stratified", ("k", "random", "bins"), needs="y"),
    "Grouped": Recipe("grouped", ("k", "random"), needs="group"),
    "LeaveOneOut": Recipe("loo", ()),
    "Holdout": Recipe("holdout", ("share", "random"), {"share": 0.25}),
    "Subsampling": Recipe("subsampling", ("times", "train", "random"), {"train": 0.9}),
    "TimeSeries": Recipe(
        "timeseries", ("initial", "horizon", "gap", "step", "window"), trains=True
    ),
    "NestedPairs": Recipe("nested_pairs", ("k", "repeats", "random"), {"k": 10, "repeats": 50}),
    "PairedHalves": Recipe(
        "paired_halves",
        ("inner", "outer", "train", "random"),
        {"inner": 15, "outer": 10, "train": 0.9},
        trains=True,
    ),
    "FiveByTwo": Recipe("five_by_two", ("random",), {"repeats": 5}),
}
R_FOLDS = {
    "rsample": Recipe("rsample", ("k",), packages=("rsample",)),
    "caret": Recipe("caret", ("k",), packages=("caret",), needs="y"),
    "boot": Recipe("boot", ("k",)),
    "cv": Recipe("cv", ("k",)),
    "glmnet": Recipe("glmnet", ("k",)),
    "mlr3": Recipe("glmnet", ("k",)),
    "origami": Recipe("origami", ("k",)),
    "kknn": Recipe("kknn", ("k",)),
}
PYTHON_NAMES = {"share": "test"}
DRAW = ("random", "seed", "repeats", "sample_kind")  # what `pcv_folds` takes


@dataclass(frozen=True, slots=True)
class Call:
    """A call of R that makes the folds."""

    recipe: Recipe
    arguments: dict[str, Any]
    draw: dict[str, Any]


def check_plan(plan: FoldPlan, y: Any = None) -> Crosscheck:
    """Let R cut the folds of the plan's recipe and compare them row by row.

    Parameters
    ----------
    plan : FoldPlan
    y : sequence, optional
        The response, for folds that were drawn by it.
    """
    from pycvstat.r.bridge import run

    call = _call(plan)
    if call.recipe.needs == "y":
        given = _response(plan, y)
        call.arguments["y"] = given if call.recipe.packages else _levelled(given)
    if call.recipe.needs == "group":
        call.arguments["group"] = codes_of(read_y(np.asarray(plan.groups)))[0] + 1
    rows = _compared(plan, "test rows", _cut(plan, call), plan.rows, plan.n_test)
    if call.recipe.trains:
        assert plan.train is not None
        train = np.concatenate(plan.train)
        cut = _cut(plan, call, part="train")
        rows += _compared(plan, "training rows", cut, train, plan.n_train)
    notes = (SORTED,) if call.recipe.needs == "y" and call.recipe.packages else ()
    return Crosscheck(tuple(rows), str(run("R.version.string")), notes)


def _cut(plan: FoldPlan, call: Call, **more: Any) -> list[Any]:
    from pycvstat.r.bridge import require, run, source
    from pycvstat.r.bridge.reference import path

    if call.recipe.packages:
        require(list(call.recipe.packages))
    source(path("folds.R"))
    arguments = call.arguments | more
    names = "".join(f", {name} = {name}" for name in arguments)
    times = "times_" if "times_" in call.draw else "1"
    folds: Any = run(
        f"pcv_folds(function() pcv_folds_{call.recipe.function}(n{names}), seed_, {times}, kind_)",
        n=plan.n,
        **arguments,
        **call.draw,
    )
    return [np.atleast_1d(np.asarray(part)) for part in folds]


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


def _call(plan: FoldPlan) -> Call:
    """The call of R that a recipe such as "Repeated(KFold(10), 5, random=1)" means."""
    try:
        tree = ast.parse(re.sub(GENERATOR, "None", plan.recipe), mode="eval").body
        return _read(plan, tree, {})
    except (SyntaxError, ValueError, KeyError, AttributeError):
        raise _no_counterpart(plan) from None


def _read(plan: FoldPlan, tree: Any, draw: dict[str, Any]) -> Call:
    name = tree.func.id
    if name == "Repeated":
        _, *rest = tree.args
        named = _values(("times", "random"), rest, tree.keywords)
        return _read(plan, tree.args[0], draw | {"repeats": named["times"]} | _seed(named))
    if name == "RFolds":
        recipe = R_FOLDS[ast.literal_eval(tree.args[0])]
        given = _values(("k", "seed", "repeats"), tree.args[1:], tree.keywords)
        strata = given.pop("strata", False)
        given.pop("collation", None)
        if isinstance(strata, str):
            raise ValueError("the column of the strata is not at hand")
        if strata:
            recipe = Recipe(recipe.function, recipe.names, {}, recipe.packages, "y")
    else:
        recipe = RECIPES[name]
        given = _values(recipe.names, tree.args, tree.keywords)
    given = {**recipe.defaults, **given}
    draw = draw | {key: given.pop(key) for key in DRAW if key in given}
    return Call(recipe, given, _drawing(plan, name, draw))


def _values(names: Sequence[str], positional: Sequence[Any], keywords: Any) -> dict[str, Any]:
    written = {PYTHON_NAMES.get(name, name): name for name in names}
    found = {name: _literal(node) for name, node in zip(names, positional, strict=False)}
    for keyword in keywords:
        found[written.get(keyword.arg, keyword.arg)] = _literal(keyword.value)
    return {name: value for name, value in found.items() if name not in ("", "as_in_r")}


def _literal(node: Any) -> Any:
    """A number or text; None for a generator, whose seed the plan may know."""
    return None if isinstance(node, ast.Call) else ast.literal_eval(node)


def _seed(named: Mapping[str, Any]) -> dict[str, Any]:
    return {"random": named["random"]} if "random" in named else {}


def _drawing(plan: FoldPlan, name: str, draw: Mapping[str, Any]) -> dict[str, Any]:
    seed = draw.get("seed", draw.get("random"))
    seed = plan.seed if seed is None else seed
    if seed is None and name not in ("Blocks", "LeaveOneOut", "TimeSeries"):
        raise RError(
            "the seed of these folds is not known, so R cannot draw them again.",
            given=plan.recipe,
            fix="give the splitter a seed: random=1",
        )
    kind = draw.get("sample_kind") or "Rejection"
    return {"seed_": seed, "times_": draw.get("repeats", 1), "kind_": kind}


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
