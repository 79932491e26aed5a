"""A cross-validation as a course would write it in R: a dozen lines that read the data and loop."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pandas as pd

from pycvstat.errors import InputError
from pycvstat.losses import as_loss
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.r.bridge.to_r import literal
from pycvstat.r.check.script import Script
from pycvstat.rmath.random import RRandom


def course_script(result: Any, stem: str = "data") -> Script:
    """The script of a cross-validation, which reads ``stem.csv``.

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
    """
    if not isinstance(result, CVResult):
        raise _not_in_this_style(f"a {type(result).__name__}")
    task, frame = result.task, result.task.frame.to_pandas()
    code = result.learner.in_r(task)
    loss = as_loss(result.loss, task.response.kind).in_r
    if code is None or task.weights is not None or not code.course or not loss:
        what = "weights" if task.weights is not None else f"{result.learner!r}, {result.loss}"
        raise _not_in_this_style(what)
    levels = [
        f"data${name} <- factor(data${name}, {', '.join(_levels(frame[name]))})"
        for name in frame
        if isinstance(frame[name].dtype, pd.CategoricalDtype)
    ]
    left = task.formula.text.partition("~")[0].strip()
    read = f'data <- read.csv("{stem}.csv", stringsAsFactors = TRUE, check.names = FALSE)'
    lines = [
        f"# Written by pycvstat {version('pycvstat')}; reads {stem}.csv beside it.",
        *(f"library({package})" for package in code.packages),
        read, *levels, "n <- nrow(data)",
        *_folds(result, left),
        "errors <- sapply(test, function(rows) {",
        "  train <- data[-rows, ]", "  new <- data[rows, ]",
        *(f"  {line.replace('FORMULA', task.formula.text)}" for line in code.course),
        f"  y <- with(new, {left})", f"  mean({loss})", "})",
        f"print(mean(errors), digits = 7)  # {result.estimate:.7g}, the mean of fold means",
        "print(weighted.mean(errors, lengths(test)), digits = 7)  "
        f"# {result.pooled:.7g}, the mean over rows",
    ]  # fmt: skip
    return Script("\n".join(lines) + "\n", {f"{stem}.csv": frame.to_csv(index=False)})


def _folds(result: CVResult, left: str) -> list[str]:
    """The folds, drawn as they were drawn here."""
    plan = result.plan
    rows = None if plan.splitter is None else plan.splitter.in_r()
    if rows is None or not rows.course or (plan.splitter.draws and plan.seed is None):
        raise _not_in_this_style(f"folds of {plan.recipe}")
    own = getattr(plan.splitter, "random", None)
    old = isinstance(own, RRandom) and own.sample_kind == "Rounding"
    kind = ', sample.kind = "Rounding"' if old else ""
    given = [f"{name} <- {literal(value)}" for name, value in rows.reads.items()]
    given = [line.replace("L", "") if line.startswith("k <-") else line for line in given]
    seed = [f"set.seed({plan.seed}{kind})"] if plan.splitter.draws else []
    course = rows.course.replace("RESPONSE", f"with(data, {left})")
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
