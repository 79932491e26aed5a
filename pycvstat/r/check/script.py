"""An R script that reproduces a result, with every fold, and the CSV files that it reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from pycvstat.data.frame import Frame
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_path, check_word, written
from pycvstat.folds.plan import FoldPlan
from pycvstat.r.bridge.parts import NA_INTEGER, RObject, to_code
from pycvstat.r.bridge.reference import path as reference
from pycvstat.r.bridge.to_r import as_parts, literal
from pycvstat.r.check.call import Call, call_of, fit_labels, parts_of


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
    from pycvstat.r.check.course import course_script

    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", target.stem)
    script = course_script(result, stem) if short else script_of(result, stem)
    with written(target, "script"):
        for name in script.files if data else ():
            _refuse_to_replace(target.with_name(name), target)
        target.write_text(script.text, encoding="utf-8")
        for name, text in script.files.items() if data else ():
            target.with_name(name).write_text(text, encoding="utf-8", newline="")
    return target


def _refuse_to_replace(table: Path, script: Path) -> None:
    """A file that no earlier script of ours of this name reads is somebody's own."""
    text = script.read_text("utf-8", "replace") if script.is_file() else ""
    ours = text.startswith("# Written by pycvstat") and f'"{table.name}"' in text
    if table.exists() and not ours:
        raise InputError(
            "the script's data would replace a file that is there.",
            given=str(table),
            fix=f"another name for the script than {script.name}",
        )


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
        words = {word for one in columns for word in _words(one)}
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


def _words(column: RObject) -> list[str | None]:
    """The label of every row of a factor, the words of text; nothing of other columns."""
    if column.kind == "character":
        return list(column.values)
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
    cells = [[_cell(v, missing, c.kind) for v in (_words(c) or c.values)] for c in columns]
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
