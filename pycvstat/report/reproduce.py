"""What is needed to get the same numbers again: versions, seed, hashes, the R script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycvstat.errors import PycvstatError
from pycvstat.report.content import Block, Code, Facts, Note, Section, section
from pycvstat.report.words import seed_words

if TYPE_CHECKING:
    from pycvstat.report.views.base import View

SHOWN = 60_000  # characters of an R script that are put into a report


def versions() -> dict[str, str]:
    """Versions of what computed the numbers."""
    from pycvstat.run.store.saving import versions as of_packages

    return {name: version for name, version in of_packages().items() if version != "absent"}


def reproduce_section(view: View, checked: bool) -> Section:
    """Versions, seed, hashes of data and folds, and the R script."""
    plan, task = view.plan, getattr(view.result, "task", None)
    rows = [("software", ", ".join(f"{name} {value}" for name, value in versions().items()))]
    if plan is not None and view.seed is not None:
        rows.append(("seed", seed_words(view.seed)))
    if plan is not None:
        rows.append(("folds", plan.recipe))
        rows.append(("fold fingerprint", f"SHA-256 {plan.fingerprint}"))
    if task is not None:
        rows.append(("data hash", f"SHA-256 {task.fingerprint}"))
    if task is not None and not checked:
        rows.append(("cross-check with R", "not run for this report"))
    if not view.script:
        rows.append(("R script", "none for this kind of result"))
    script = [r_script(view)] if view.script else []
    return section("Reproducing these numbers", Facts(tuple(rows)), *script)


def r_script(view: View) -> Block:
    """The R script of a result, or why there is none."""
    from pycvstat.r.check.script import script_text

    try:
        text = script_text(view.result)
    except PycvstatError as error:
        return Note(f"No R script: {error.problem}")
    if len(text) > SHOWN:
        return Note(
            f"The R script has {len(text)} characters with the data in it; "
            "result.to_r('analysis.R') writes it."
        )
    return Code(text, "r", "R script: the same result with R")
