"""An R script that reproduces a result: in full, or as a course would write it, by loops."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from pycvstat.data.formula.syntax import quote
from pycvstat.data.frame import Frame
from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_path, check_word, is_number, is_whole, written
from pycvstat.folds.plan import FoldPlan
from pycvstat.losses import as_loss
from pycvstat.procedures.cross_validate import CVResult
from pycvstat.procedures.tune import TuneResult
from pycvstat.r.bridge.parts import NA_INTEGER, RObject, to_code
from pycvstat.r.bridge.reference import path as reference
from pycvstat.r.bridge.to_r import as_parts, literal
from pycvstat.r.check.call import Call, call_of, fit_labels, parts_of
from pycvstat.r.check.data_in_r import as_offered
from pycvstat.rmath.random import RRandom


@dataclass(frozen=True, slots=True)
class Script:
    """R code that holds no row of the data, and the CSV files that it reads, by name."""

    text: str
    files: Mapping[str, str]


Style = Literal["full", "course"]


def write_script(
    result: Any, path: str | PathLike[str], data: bool = True, style: Style = "full"
) -> Path:
    """Write the script and the CSV files it reads beside it; run it with ``Rscript``.

    Parameters
    ----------
    result : CVResult, TuneResult, NestedResult, Comparison, ErrorCurve or LearningCurve
    path : path
        Ending in .R; for one that ends in .rds the result itself is written.
    data : bool
        Whether the CSV files are written too.
    style : {"full", "course"}
        "full" depends on no package that the learner does not need, and has every fold; "course"
        is up to twenty lines as in a course, which draw the folds and loop over them, for a
        cross-validation or a tuning over a grid.
    """
    check_word("style", style, get_args(Style))
    target = check_path(path)
    if target.suffix.lower() == ".rds":
        from pycvstat.r.check.conversion import as_r

        return Path(as_r(result, target))
    if target.suffix.lower() != ".r":
        fix = f"{target.stem}.R; a list for readRDS ends in .rds"
        raise InputError("an R script ends in .R.", given=target.name, fix=fix)
    short = style == "course" and getattr(result, "scripted", False)
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", target.stem)
    script = course_script(result, stem) if short else script_of(result, stem)
    with written(target, "script"):
        target.write_text(script.text, encoding="utf-8")
        for name, text in script.files.items() if data else ():
            target.with_name(name).write_text(text, encoding="utf-8", newline="")
    return target


def script_text(result: Any) -> str:
    """The script as text: the functions used, what they are given, the call, what to expect.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> "lm(formula, train" in script_text(result)
    True
    """
    return script_of(result).text


def script_of(result: Any, stem: str = "data") -> Script:
    """The script of a result, which reads its rows from ``stem.csv``."""
    if not getattr(result, "scripted", False):
        fix = "use a result of cross_validate, tune, nested_cv, compare or one of the curves"
        kind = type(result).__name__
        raise InputError("this kind of result has no R script.", given=kind, fix=fix)
    calls = {name: call_of(part, written=True) for name, part in parts_of(result, "result").items()}
    plan, written, tables = result.plan, dict[str, str](), Tables(stem)
    blocks = [_block(name, call, plan, written, tables) for name, call in calls.items()]
    files = dict.fromkeys(file for call in calls.values() for file in call.files)
    packages = sorted({package for call in calls.values() for package in call.packages})
    header = [
        f"# Written by pycvstat {version('pycvstat')}. Run with: Rscript this_file.R",
        f"# The data are read from {', '.join(tables.files)} beside this file.",
        f"# {plan.n} rows; folds: {_comment(plan.recipe)}; fold fingerprint {plan.fingerprint}",
        *(f"library({package})" for package in packages),
    ]
    functions = [reference(file).read_text(encoding="utf-8") for file in files]
    return Script("\n".join([*header, "", READER, *functions, *blocks]), tables.files)


READER = """pcv_csv <- function(file, names, classes, missing) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
  folder <- if (length(script)) dirname(gsub("~+~", " ", script[1], fixed = TRUE)) else "."
  utils::read.csv(file.path(folder, file), col.names = names, colClasses = classes,
                  check.names = FALSE, na.strings = missing, encoding = "UTF-8",
                  blank.lines.skip = FALSE)
}
"""
WEIGHTS = "(weights)"
CLASSES = {"double": "numeric"}  # kinds of R values that read.csv calls otherwise


@dataclass(frozen=True, slots=True)
class Tables:
    """Rows of data as CSV, each table once; R code reads them back exactly."""

    stem: str
    files: dict[str, str] = field(default_factory=dict)

    def code(self, names: Sequence[str], columns: Sequence[RObject]) -> str:
        """R code of the table."""
        words = {label for one in columns for label in _labels(one)}
        missing = next(word for word in ("NA", "-NA-", "<NA>", "--") if word not in words)
        text = _csv(names, columns, missing)
        known = {held: name for name, held in self.files.items()}
        number = f"-{len(self.files) + 1}" if self.files else ""
        name = known.get(text, f"{self.stem}{number}.csv")
        self.files[name] = text
        classes = ["character" if "levels" in c.attributes else CLASSES.get(c.kind, c.kind)
                   for c in columns]  # fmt: skip
        given = ", ".join(map(literal, (name, list(names), classes, missing)))
        return f"pcv_csv({given})"

    def data_frame(self, frame: Frame, weights: Any) -> list[str]:
        """R code of the data and the weights, which are columns of one table."""
        parts = as_parts(frame)
        names, columns = [str(n) for n in parts.texts("names")], list(parts.values)
        more = [] if weights is None else [as_parts(weights)]
        lines = [f"data <- {self.code([*names, *[WEIGHTS] * len(more)], [*columns, *more])}"]
        lines += [f"weights <- data[[{literal(WEIGHTS)}]]"] if more else ["weights <- NULL"]
        lines += [f"data <- data[{literal(list(range(1, len(names) + 1)))}]"] if more else []
        for number, one in enumerate(columns, start=1):
            if kept := {n: v for n, v in one.attributes.items() if n != "names"}:
                lines.append(f"data[[{number}]] <- {_made(number, kept)}")
        return lines


def _labels(column: RObject) -> list[str | None]:
    """The label of every row of a factor; nothing of other columns."""
    levels = column.texts("levels")
    return [None if c == NA_INTEGER else levels[c - 1] for c in column.values] if levels else []


def _made(number: int, attributes: Mapping[str, RObject]) -> str:
    """R code that gives a column its levels, or its class."""
    if "levels" not in attributes:
        given = ", ".join(f"{name} = {to_code(one)}" for name, one in attributes.items())
        return f"structure(data[[{number}]], {given})"
    ordered = ", ordered = TRUE" if "ordered" in attributes["class"].values else ""
    return f"factor(data[[{number}]], levels = {to_code(attributes['levels'])}{ordered})"


def _csv(names: Sequence[str], columns: Sequence[RObject], missing: str) -> str:
    cells = [[_cell(v, missing, c.kind) for v in (_labels(c) or c.values)] for c in columns]
    lines = [[_cell(name, missing) for name in names], *zip(*cells, strict=True)]
    return "".join(f"{','.join(line)}\n" for line in lines)


def _cell(value: Any, missing: str, kind: str = "") -> str:
    """A value as R's read.csv and pandas read it back exactly."""
    if isinstance(value, str):
        return '"{}"'.format(value.replace('"', '""'))
    if value is None or value == NA_INTEGER:
        return missing
    if kind == "logical":
        return "TRUE" if value else "FALSE"
    if isinstance(value, np.floating):
        return "NaN" if np.isnan(value) else repr(float(value))
    return str(value)


def _comment(text: str) -> str:
    """Text that stays inside a comment line."""
    return re.sub(r"[^\x20-\x7e]", "?", text)


REMARKS = {
    "test": "Test rows of every fit; the training rows are the rest unless they are listed.",
    "inner": "Inner folds by outer fit; rows count within the outer training rows.",
}


def _block(name: str, call: Call, plan: FoldPlan, written: dict[str, str], tables: Tables) -> str:
    """One call with what it is given, unless that stands there already."""
    values = dict(call.values)
    if plan.times > 1:
        values["fits"] = fit_labels(plan)
    lines = [f"# {_comment(name)}", *(f"# {_comment(note)}" for note in call.notes)]
    if "data" in values:
        rows = tables.data_frame(values.pop("data"), values.pop("weights", None))
        if written.get("data") != "\n".join(rows):
            lines += rows
            written["data"] = "\n".join(rows)
    for given, value in values.items():
        text = literal(value)
        if written.get(given) == text:
            continue
        written[given] = text
        lines += [f"# {REMARKS[given]}"] if given in REMARKS else []
        lines.append(f"{given} <- {text}")
    expected = literal({q.name: q.ours for q in call.quantities if q.name in call.shown})
    fits = ", fits" if plan.times > 1 else ""
    return "\n".join([*lines, f"result <- {call.code}", f"pcv_show(result, {expected}{fits})", ""])


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
    if code is None or task.weights is not None or not code.course or not loss:
        what = "weights" if task.weights is not None else f"{result.learner!r}, {name}"
        raise _not_in_this_style(what)
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
    each, end = ("sapply(1:nrow(grid), function(i) ", "}))") if tuned else ("", "})")
    lines = [
        f"# Written by pycvstat {version('pycvstat')}; reads {stem}.csv beside it.",
        *(f"library({package})" for package in code.packages),
        read + _classes(frame) + ")", *levels, "n <- nrow(data)",
        *_folds(result, left), *grid,
        f"errors <- {each}sapply(test, function(rows) {{",
        "  train <- data[-rows, ]", "  new <- data[rows, ]",
        *("  " + re.sub("|".join(said), lambda at: said[at[0]], line) for line in code.course),
        f"  y <- with(new, {left})", f"  mean({loss})", end,
        *(_chosen(tuned) if tuned else [
            f"print(mean(errors), digits = 7)  # {result.estimate:.7g}, the mean of fold means",
            "print(weighted.mean(errors, lengths(test)), digits = 7)  "
            f"# {result.pooled:.7g}, the mean over rows",
        ]),
    ]  # fmt: skip
    return Script("\n".join(lines) + "\n", {f"{stem}.csv": frame.to_csv(index=False)})


def _frame(task: Task) -> pd.DataFrame:
    """The rows that are fitted, with the columns that formulas only take away."""
    whole = task.frame if task.given is None else task.given.take(task.rows)
    columns = {name: task.frame.columns.get(name, whole[name]) for name in whole.names}
    return as_offered(task, Frame(columns, task.n)).to_pandas()


WORD = re.compile(r"(?!(NA|NaN|Inf|Infinity|T|F|TRUE|FALSE)\s*$)[^\W\d_]", re.IGNORECASE)
"""What R's read.csv takes for a number, a logical or missing by no rule."""


def _classes(frame: pd.DataFrame) -> str:
    """What R is told of columns that it would read as something else."""
    kinds = {str(name): frame[name].dtype.kind for name in frame}
    words = {name: set(map(str, frame[name])) for name, kind in kinds.items() if kind == "O"}
    told = {name: "factor" for name, ones in words.items() if not any(map(WORD.match, ones))}
    told |= {name: "Date" for name, kind in kinds.items() if kind == "M"}
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
