"""An R script as a course would write it: it draws the folds and loops over them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from pycvstat.data.formula.syntax import Call, quote, walk
from pycvstat.data.frame import Frame
from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import is_number, is_whole
from pycvstat.losses import as_loss
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.tune import TuneResult
from pycvstat.r.bridge.to_r import literal
from pycvstat.r.check.data_in_r import as_offered
from pycvstat.r.check.script import Script
from pycvstat.rmath.random import RRandom


def course_script(result: Any, stem: str = "data") -> Script:
    """The script of a cross-validation or of a tuning, which reads ``stem.csv``.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> cars, folds = pcv.data.mtcars(), pcv.KFold(10, random=1)
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=folds)
    >>> print(course_script(result, "cars").text.partition("\\n")[2])
    data <- read.csv("cars.csv", stringsAsFactors = TRUE, check.names = FALSE)
    n <- nrow(data)
    k <- 10
    set.seed(1)
    test <- split(sample(n), sort(rep(1:k, length.out = n)))
    errors <- sapply(test, function(rows) {
      train <- data[-rows, ]
      new <- data[rows, ]
      fit <- lm(mpg ~ wt, data = train)
      p <- predict(fit, new)
      y <- with(new, mpg)
      mean((y - p)^2)
    })
    print(mean(errors), digits = 7)  # 10.71148, the mean of fold means
    print(weighted.mean(errors, lengths(test)), digits = 7)  # 10.45662, the mean over rows
    <BLANKLINE>
    >>> grid = {"formula": ["mpg ~ wt", "mpg ~ wt + hp"]}
    >>> result = pcv.tune(pcv.OLS(), "mpg ~ wt", cars, grid=grid, folds=folds)
    >>> print("\\n".join(course_script(result).text.splitlines()[6:8]))
    grid <- expand.grid(formula = c("mpg ~ wt", "mpg ~ wt + hp"), stringsAsFactors = FALSE)
    errors <- sapply(1:nrow(grid), function(i) sapply(test, function(rows) {
    """
    if not isinstance(result, CVResult | TuneResult):
        raise _not_in_this_style(type(result).__name__)
    task, frame = result.task, _frame(result.task)
    tuned = result if isinstance(result, TuneResult) else None
    code = result.learner.in_r(task)
    name = result.loss if isinstance(result, CVResult) else result.means.loss
    loss = None if tuned and tuned.metric else as_loss(name, task.response.kind).in_r
    weights = task.weights is not None or task.loss_weights is not None
    ordered = task.response.kind == "ordinal"
    if code is None or weights or ordered or not code.course or not loss:
        what = f"{result.learner!r}, {name}" + ", an ordered response" * ordered
        raise _not_in_this_style("weights" if weights else what)
    said = {"FORMULA": task.formula.text}
    said |= {f"<{name}>": _typed(value) for name, value in code.params.items()}
    grid = [] if tuned is None else [_grid(tuned, said, "".join(code.course))]
    levels = [
        f"data${quote(name)} <- factor(data${quote(name)}, {', '.join(_levels(frame[name]))})"
        for name in map(str, frame)
        if isinstance(frame[name].dtype, pd.CategoricalDtype)
    ]
    left = task.formula.text.partition("~")[0].strip()
    read = f'data <- read.csv("{stem}.csv", stringsAsFactors = TRUE, check.names = FALSE'
    alone = ", drop = FALSE" if len(frame.columns) == 1 else ""
    each, end = ("sapply(1:nrow(grid), function(i) ", "}))") if tuned else ("", "})")
    lines = [
        f"# Written by pycvstat {version('pycvstat')}; reads {stem}.csv beside it.",
        *_attached(task, code.packages),
        read + _classes(frame, task.response.name) + ")", *levels, "n <- nrow(data)",
        *_folds(result, left), *grid,
        f"errors <- {each}sapply(test, function(rows) {{",
        f"  train <- data[-rows, {alone}]", f"  new <- data[rows, {alone}]",
        *("  " + re.sub("|".join(said), lambda at: said[at[0]], line) for line in code.course),
        f"  y <- with(new, {left})", f"  mean({loss})", end,
        *(_chosen(tuned) if tuned else [
            f"print(mean(errors), digits = 7)  # {result.estimate:.7g}, the mean of fold means",
            "print(weighted.mean(errors, lengths(test)), digits = 7)  "
            f"# {result.pooled:.7g}, the mean over rows",
        ]),
    ]  # fmt: skip
    for logical in frame.select_dtypes("bool"):
        frame[logical] = np.where(frame[logical], "TRUE", "FALSE")
    return Script("\n".join(lines) + "\n", {f"{stem}.csv": frame.to_csv(index=False)})


def _attached(task: Task, packages: Sequence[str]) -> list[str]:
    """The packages, that of the splines of formulas too, and their C(), which is patsy's."""
    nodes = [node for one in (task.formula, *task.own) for node in one.expressions]
    called = {part.function for node in nodes for part, _ in walk(node) if isinstance(part, Call)}
    needed = dict.fromkeys((*packages, *(["splines"] if called & {"bs", "ns"} else [])))
    return [*(f"library({package})" for package in needed), *["C <- factor"] * ("C" in called)]


def _frame(task: Task) -> pd.DataFrame:
    """The rows that are fitted, with the columns that formulas only take away."""
    whole = task.frame if task.given is None else task.given.take(task.rows)
    columns = {name: task.frame.columns.get(name, whole[name]) for name in whole.names}
    return as_offered(task, Frame(columns, task.n)).to_pandas()


WORD = re.compile(r"(?!(NA|NaN|Inf|Infinity|T|F|TRUE|FALSE)\s*$)[^\W\d_]", re.IGNORECASE)
"""What R's read.csv takes for a number, a logical or missing by no rule."""


def _classes(frame: pd.DataFrame, response: str) -> str:
    """What R is told of columns that it would read as something else."""
    kinds = {str(name): frame[name].dtype.kind for name in frame}
    for name in (name for name, kind in kinds.items() if kind == "M"):
        if (frame[name] != frame[name].dt.normalize()).any():
            raise _not_in_this_style(f"times of the day in {name!r}")
    words = {name: set(map(str, frame[name])) for name, kind in kinds.items() if kind == "O"}
    told = {name: "factor" for name, ones in words.items() if not any(map(WORD.match, ones))}
    told |= {name: "Date" for name, kind in kinds.items() if kind == "M"}
    told |= {response: "factor"} if kinds.get(response) == "b" else {}
    listed = ", ".join(f'{quote(name)} = "{one}"' for name, one in told.items())
    missing = ",\n  na.strings = character()" * any("NA" in ones for ones in words.values())
    return missing + f",\n  colClasses = c({listed})" * bool(told)


def _chosen(result: TuneResult) -> list[str]:
    best = ", ".join(f"{name} = {_typed(value)}" for name, value in result.best.items())
    return [
        "estimates <- colMeans(errors)",
        f"print(grid[which.min(estimates), , drop = FALSE])  # {best}",
        f"print(min(estimates), digits = 7)  # {result.estimate:.7g}, the mean of fold means",
    ]


def _grid(result: TuneResult, said: dict[str, str], course: str) -> str:
    """The frame of a full grid; in `said` its parameters become those of row `i`."""
    every = result.candidates
    values = {name: list(dict.fromkeys(one.get(name) for one in every)) for name in every[0]}
    full = [dict(zip(values, row, strict=True)) for row in product(*values.values())]
    places = {name: "FORMULA" if name == "formula" else f"<{name}>" for name in values}
    known = values and all(place in course for place in places.values())
    if not known or full != list(every) or result.rule.name != "min":
        what = f"{', '.join(values)} of {result.learner!r}, rule {result.rule.name!r}"
        raise _not_in_this_style(what)
    for name, place in places.items():
        said[place] = f"formula(grid${name}[i])" if name == "formula" else f"grid${name}[i]"
    listed = [f"{name} = {_several(values[name])}" for name in reversed(values)]  # R: first fastest
    words = any(isinstance(value, str) for value in every[0].values())
    listed += ["stringsAsFactors = FALSE"] * words
    return f"grid <- expand.grid({', '.join(listed)})"


def _several(values: Sequence[Any]) -> str:
    """Numbers or words as they are typed: whole numbers in a row as a range."""
    one, *more = values
    if more and is_whole(one) and list(values) == list(range(one, one + len(values))):
        return f"{one}:{values[-1]}"
    return f"c({', '.join(map(_typed, values))})"


def _typed(value: Any) -> str:
    """A number or a word as it is typed.

    Examples
    --------
    >>> _typed(5), _typed(22.8), _typed(2.0), _typed(True), _typed("inv")
    ('5', '22.8', '2', 'TRUE', '"inv"')
    """
    return repr(float(value)).removesuffix(".0") if is_number(value) else literal(value)


def _folds(result: CVResult | TuneResult, left: str) -> list[str]:
    """The folds, drawn as they were drawn here."""
    plan = result.plan
    rows = None if plan.splitter is None else plan.splitter.in_r()
    if rows is None or not rows.course or (plan.splitter.draws and plan.seed is None):
        raise _not_in_this_style(f"folds of {plan.recipe}")
    own = getattr(plan.splitter, "random", None)
    old = isinstance(own, RRandom) and own.sample_kind == "Rounding"
    kind = ', sample.kind = "Rounding"' if old else ""
    given = [f"{name} <- {_typed(value)}" for name, value in rows.reads.items()]
    seed = [f"set.seed({plan.seed}{kind})"] if plan.splitter.draws else []
    strata = plan.stratified if isinstance(plan.stratified, str) else left
    if "STRATA" in rows.course and strata not in result.task.frame.names:
        raise _not_in_this_style(f"folds of {plan.recipe}, whose strata the formula does not have")
    course = rows.course.replace("RESPONSE", f"with(data, {left})")
    course = course.replace("STRATA", literal(strata))
    if rows.times > 1:
        course = f"do.call(c, replicate({rows.times}, {course}, simplify = FALSE))"
    return [*given, *seed, f"test <- {course}"]


def _levels(column: pd.Series[Any]) -> list[str]:
    ordered = ["ordered = TRUE"] if column.cat.ordered else []
    return [f"levels = {literal([str(level) for level in column.cat.categories])}", *ordered]


def _not_in_this_style(what: str) -> InputError:
    return InputError(
        "this is not written in the style of a course.",
        given=what,
        fix='to_r(path), with style="full": it has all folds and functions written out',
    )
