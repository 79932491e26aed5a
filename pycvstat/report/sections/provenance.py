"""What is needed to get the same numbers again: versions, seed, hashes, the R script."""

from __future__ import annotations

from typing import Any

from pycvstat.errors import PycvstatError
from pycvstat.r.check.table import Crosscheck, Row
from pycvstat.report.content import Block, Code, Facts, Figure, Note, Section, Table, section
from pycvstat.report.numbers import number
from pycvstat.report.plots import kinds_of
from pycvstat.report.sections.data import seed_of
from pycvstat.report.words import seed_words

SHOWN = 60_000  # characters of an R script that are put into a report


def versions() -> dict[str, str]:
    """Versions of what computed the numbers."""
    from pycvstat.run.store.saving import versions as of_packages

    return {name: version for name, version in of_packages().items() if version != "absent"}


def reproduce_section(result: Any, checked: bool) -> Section:
    """Versions, seed, hashes of data and folds, and the R script."""
    rows = [("software", ", ".join(f"{name} {value}" for name, value in versions().items()))]
    if hasattr(result, "plan") and (seed := seed_of(result)) is not None:
        rows.append(("seed", seed_words(seed)))
    if hasattr(result, "plan"):
        rows.append(("folds", result.plan.recipe))
        rows.append(("fold fingerprint", f"SHA-256 {result.plan.fingerprint}"))
    if hasattr(result, "task"):
        rows.append(("data hash", f"SHA-256 {result.task.fingerprint}"))
    if hasattr(result, "task") and not checked:
        rows.append(("cross-check with R", "not run for this report"))
    script = r_script(result)
    if not script:
        rows.append(("R script", "none for this kind of result"))
    return section("Reproducing these numbers", [Facts(tuple(rows)), *script])


def r_script(result: Any) -> list[Block]:
    """The R script of a result, or why there is none."""
    from pycvstat.r.check.script import script_text

    try:
        text = script_text(result)
    except PycvstatError as error:
        none = "this kind of result" in error.problem
        return [] if none else [Note(f"No R script: {error.problem}")]
    if len(text) > SHOWN:
        return [
            Note(
                f"The R script has {len(text)} characters with the data in it; "
                "result.to_r('analysis.R') writes it."
            )
        ]
    return [Code(text, "r", "R script: the same result with R")]


def crosscheck_section(check: Crosscheck) -> Section:
    """Python and R side by side, and the verdict."""
    verdict = f"{check.verdict}: {check.words}"
    kind = kinds_of(check)["differences"]
    worst = max((row.relative for row in check.rows if row.relative == row.relative), default=0.0)
    figure = Figure(
        "crosscheck",
        kind.draw,
        "Largest relative difference of Python and R beside its tolerance.",
        f"{verdict}; largest relative difference {worst:.2g}.",
        kind.size,
    )
    notes = [Note(text) for text in check.notes]
    return section(
        "Cross-check with R",
        [
            Facts((("verdict", verdict), ("R", check.r_version or "-"))),
            agreement_table(check),
            tolerances(check),
            figure if check.rows else None,
            *notes,
        ],
    )


def agreement_table(check: Crosscheck) -> Table:
    """One row per quantity: the verdict, both values, their difference, what is allowed."""
    rows = tuple(
        (
            row.quantity,
            f"differs: {row.place}" if row.place else row.verdict,
            *_values(row),
            _size(row.relative),
            "" if row.why_not else _size(row.tolerance.relative),
        )
        for row in check.rows
    )
    return Table(
        ("quantity", "verdict", "Python", "R", "difference", "allowed"),
        rows,
        "llrrrr",
        "Relative differences, where the two values differ most.",
    )


def tolerances(check: Crosscheck) -> Facts | None:
    """Why differences of these sizes are allowed."""
    compared = [row.tolerance for row in check.rows if not row.why_not]
    reasons = {_size(tolerance.relative): tolerance.reason for tolerance in compared}
    return (
        Facts(tuple((f"allowed: {size}", why) for size, why in reasons.items()))
        if reasons
        else None
    )


def _values(row: Row) -> tuple[str, str]:
    """Both values, with all digits where they differ and would look the same."""
    if row.why_not:
        return "", ""
    both = (row.python, row.r)
    numbers = all(isinstance(value, int | float) for value in both)
    if numbers and not row.agrees and f"{row.python:.7g}" == f"{row.r:.7g}":
        return repr(float(row.python)), repr(float(row.r))
    return _value(row.python), _value(row.r)


def _value(value: Any) -> str:
    if not isinstance(value, int | float):
        return str(value)
    return str(int(value)) if float(value).is_integer() else number(value, 7)


def _size(value: float) -> str:
    if value != value:
        return ""
    return "0" if value == 0 else f"{value:.1e}"
