"""The commands: cv, tune, nested, compare on data; reports, cross-checks, published numbers."""

from __future__ import annotations

import json
import math
import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from pycvstat.cli.files import data_of
from pycvstat.cli.messages import tell
from pycvstat.cli.options import folds_of, grid_of, labels_of, learner_of, split_names, values_of
from pycvstat.errors import InputError, PycvstatError
from pycvstat.errors.checks import written
from pycvstat.losses.metrics import as_metric
from pycvstat.r.bridge.installed import missing
from pycvstat.report.render.formats import check_report_path, check_writable, write_document


def cv(chosen: Namespace) -> None:
    """Cross-validate one learner."""
    _run("cross_validate", chosen, folds=_folds(chosen, chosen.folds))


def tune(chosen: Namespace) -> None:
    """Choose parameters by cross-validation."""
    _run("tune", chosen, folds=_folds(chosen, chosen.folds), **_choosing(chosen))


def nested(chosen: Namespace) -> None:
    """Nested cross-validation."""
    folds = {"outer": _folds(chosen, chosen.outer), "inner": _inner(chosen)}
    _run("nested_cv", chosen, **folds, **_choosing(chosen))


def compare(chosen: Namespace) -> None:
    """Compare several learners on identical folds; those with a grid are tuned inside."""
    from pycvstat.procedures.tuned import Tuned

    grids: dict[str, list[str]] = {}
    for word in chosen.grid:
        name, colon, rest = word.partition(":")
        if not colon or "=" in name:
            raise InputError(
                "in compare a grid names its learner.", given=word, fix="--grid knn:k=1:30"
            )
        grids.setdefault(name, []).append(rest)
    learners: dict[str, Any] = {}
    for text, label in labels_of(chosen.learner).items():
        name = text.partition(":")[0]
        learner = learner_of(text)
        tuned = grids.get(name)
        learners[label] = Tuned(learner, grid_of(tuned), _inner(chosen)) if tuned else learner
    unused = set(grids) - {text.partition(":")[0] for text in chosen.learner}
    if unused:
        problem = "a grid names a learner that is not compared."
        fix = f"learners: {', '.join(learners)}"
        raise InputError(problem, given=", ".join(sorted(unused)), fix=fix)
    _run("compare", chosen, learners, folds=_folds(chosen, chosen.folds))


def _run(procedure: str, chosen: Namespace, learner: Any = None, **given: Any) -> None:
    """Run a procedure on the data of a command, and give what it was asked for."""
    import pycvstat as pcv

    _check_outputs(chosen)
    learner = learner_of(chosen.learner) if learner is None else learner
    run = getattr(pcv, procedure)
    result = run(learner, chosen.formula, data_of(chosen), **given, **_common(chosen))
    if procedure == "nested_cv" and chosen.report is not None:
        _ = result.retuned  # the report shows it beside the nested estimate
    _give(result, chosen)


def _choosing(chosen: Namespace) -> dict[str, Any]:
    """How the candidate is chosen."""
    names = ("rule", "complexity", "metric")
    return {"grid": grid_of(chosen.grid)} | {name: getattr(chosen, name) for name in names}


def report(chosen: Namespace) -> None:
    """Write the report of a saved result."""
    import pycvstat as pcv

    check_report_path(chosen.output)
    result = pcv.load(chosen.result)
    print(result.report(chosen.output, **_asked(chosen)))


def crosscheck(chosen: Namespace) -> None:
    """Check our cases or the user's, print a table, write a report, fail on any difference."""
    from pycvstat.r.check.case import cases_in, junit
    from pycvstat.r.check.cases import ROOMS, run_suite
    from pycvstat.r.check.checking import check

    if chosen.report is not None and chosen.report.suffix.lower() != ".csv":
        check_report_path(chosen.report)
    if chosen.junit is not None:
        check_writable(chosen.junit, "file")
    if chosen.cases is None:
        tell("comparing several hundred quantities with R, for up to a minute or two ...")
        found = run_suite(chosen.against, tuple(chosen.room or ROOMS))
    else:
        cases, about = cases_in(chosen.cases)
        kept = chosen.cases.with_suffix(".json")
        given = {"seconds": chosen.seconds, "separate": True, "about": about}
        found = check(cases, kept, chosen.against, **given)
    if chosen.json:
        print(as_json(glance=found.glance(), by_group=found.by_group(), tidy=found.tidy()))
    else:
        print(found.summary())
    if chosen.junit is not None:
        chosen.junit.write_text(junit(found), encoding="utf-8")
    if chosen.report is not None:
        print(f"report: {found.report(chosen.report)}")
    if not found:
        raise PycvstatError(f"the cross-check with R says {found.verdict}: {found.words}.")


def lecture(chosen: Namespace) -> None:
    """Reproduce the course, or write its R code, repaired, with each repair marked."""
    if chosen.write is not None:
        print(_write_lecture(chosen.write))
        return
    from pycvstat.report.assemble import full
    from pycvstat.report.render.text import render_text
    from pycvstat.report.views.parity import run_course

    target = check_report_path(chosen.report)
    tell("computing the course in Python and, where it is installed, in R ...")
    course = run_course()
    document = full(course)
    print(f"{render_text(document)}\n\nReport: {write_document(document, target).resolve()}")
    if not course.agrees:
        raise PycvstatError("Python and R differ by more than rounding; see the report.")


def _write_lecture(path: Path) -> Path:
    from pycvstat.r.bridge.reference import path as reference

    if path.suffix.lower() != ".r":
        raise InputError("R code goes into a file that ends in .R.", given=str(path))
    with written(path, "file"):
        path.write_text(reference("lecture.R").read_text(encoding="utf-8"), encoding="utf-8")
    return path


def gallery(chosen: Namespace) -> None:
    """Print one entry, or the table of all."""
    from pycvstat.r import gallery as entries

    found = None if chosen.name is None else entries.compare(chosen.name)
    if found is None:
        tell("computing every entry, for half a minute ...")
    table = entries.overview() if found is None else found.tidy()
    if chosen.json:
        print(table.to_json(orient="records", indent=2))
    elif found is None:
        print(table[["name", "numbers", "agree", "what"]].to_string(index=False))
    else:
        print(found)


def find(chosen: Namespace) -> None:
    """Print the conventions that give a number."""
    import pycvstat as pcv

    tell("trying some hundred thousand conventions ...")
    found = pcv.find_convention(
        chosen.number,
        learner_of(chosen.learner),
        chosen.formula,
        data_of(chosen),
        k=chosen.folds,
        seeds=None if chosen.seeds is None else values_of(chosen.seeds),
    )
    tried, expected = found.attrs["tried"], found.attrs["expected"]
    print(f"{len(found)} conventions print as {chosen.number}, of {tried:,} numbers tried")
    print(f"({found.attrs['seeds']}); {expected:.2g} of these numbers would by chance.")
    shown = found.head(chosen.rows)
    if len(shown):
        print(f"\n{shown.drop(columns=['code', 'learner']).to_string(index=False)}")
    for line in shown["code"]:
        print(f"\n{line}")


def doctor(_: Namespace) -> None:
    """Say what is installed, what is missing, and the cure."""
    from pycvstat.r.bridge.installed import doctor
    from pycvstat.report.render.formats import describe

    print(f"{doctor()}\n\n{describe()}")


def completion(chosen: Namespace) -> None:
    """Print the completion script of a shell."""
    from pycvstat.cli.completion import completion_script
    from pycvstat.cli.parser import make_parser

    print(completion_script(make_parser(), chosen.shell))


def _folds(chosen: Namespace, word: str) -> Any:
    return folds_of(word, chosen.seed, grouped=chosen.groups is not None)


def _inner(chosen: Namespace) -> Any:
    if chosen.inner == "dev":
        return "dev"
    return folds_of(chosen.inner, None, grouped=chosen.groups is not None)


def _common(chosen: Namespace) -> dict[str, Any]:
    given = {
        "loss": chosen.loss,
        "on_error": chosen.on_error,
        "na": chosen.na,
        "levels": chosen.levels,
        "n_jobs": chosen.jobs,
        "checkpoint": chosen.checkpoint,
        "groups": chosen.groups,
        "weights": chosen.weights,
        "loss_weights": chosen.loss_weights,
    }
    return {name: value for name, value in given.items() if value is not None}


def _check_outputs(chosen: Namespace) -> None:
    """Paths, metrics, and R where it is to be used, are checked before any work is done."""
    one = getattr(chosen, "metric", None)
    for name in [*split_names(getattr(chosen, "metrics", None) or ""), *([one] if one else [])]:
        as_metric(name)
    if chosen.report is not None:
        check_report_path(chosen.report)
    if chosen.crosscheck and (problem := missing()) is not None:
        raise problem
    paths = ((chosen.save, ".npz"), (chosen.to_r, ".R"), (chosen.bundle, ".zip"))
    for path, ending in paths:
        if path is None:
            continue
        if path.suffix.lower() != ending.lower():
            raise InputError(f"this file must end in {ending}.", given=str(path))
        check_writable(path, "file")


def _give(result: Any, chosen: Namespace) -> None:
    check = result.crosscheck() if chosen.crosscheck else None
    metrics = _metrics(result, chosen)
    if chosen.json:
        more = {} if metrics is None else {"metrics": metrics}
        more |= {} if check is None else {"crosscheck": check.tidy()}
        _show(as_json(glance=result.glance(), tidy=result.tidy(), **more))
    else:
        parts = [part.summary() for part in (result, check) if part is not None]
        if metrics is not None:
            parts.insert(1, metrics.to_string(index=False))
        _show("\n\n".join(parts))
    if chosen.save is not None:
        _say(f"result: {result.save(chosen.save)}")
    if chosen.to_r is not None:
        _say(f"R script: {result.to_r(chosen.to_r)}")
    if chosen.report is not None:
        shown = False if check is None else check
        _say(f"report: {result.report(chosen.report, crosscheck=shown, **_asked(chosen))}")
    if chosen.bundle is not None:
        _say(f"bundle: {result.bundle(chosen.bundle, crosscheck=check)}")
    if check is not None and not check:
        raise PycvstatError(f"the cross-check with R says {check.verdict}: {check.words}.")


def _asked(chosen: Namespace) -> dict[str, Any]:
    """What of a report is asked for."""
    given = {name: getattr(chosen, name) for name in ("profile", "exclude", "checklist")}
    return {name: value for name, value in given.items() if value is not None}


def _metrics(result: Any, chosen: Namespace) -> Any:
    """The table of --metrics, where they are asked for."""
    if getattr(chosen, "metrics", None) is None:
        return None
    return result.metrics(split_names(chosen.metrics), chosen.averaging)


def _show(text: str) -> None:
    """Print; where the reader has gone, as of ``| head``, files are still written."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def as_json(**tables: Any) -> str:
    """Tables by name as JSON: rows as objects, NaN and infinity as null; ``glance`` is one row.

    Examples
    --------
    >>> import pandas as pd
    >>> print(as_json(glance=pd.DataFrame({"n": [2], "p": [float("nan")]})))
    {
      "glance": {
        "n": 2,
        "p": null
      }
    }
    """
    values: dict[str, Any] = {
        name: [{str(k): _plain(v) for k, v in row.items()} for row in table.to_dict("records")]
        for name, table in tables.items()
    }
    if "glance" in values:
        values["glance"] = values["glance"][0]
    return json.dumps(values, indent=2, default=str)


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
