"""The documents of a result: a brief one for the screen, a full one for reports."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pycvstat.errors import PycvstatError
from pycvstat.report.citations import bibtex
from pycvstat.report.content import (
    Block,
    Cite,
    Code,
    Document,
    Facts,
    Figure,
    Inline,
    Note,
    References,
    Section,
    paragraph,
    section,
)
from pycvstat.report.numbers import listed
from pycvstat.report.render.formats import check_report_path, write_document
from pycvstat.report.render.html import render_fragment
from pycvstat.report.render.markdown import render_markdown
from pycvstat.report.render.text import render_text
from pycvstat.report.sentences import SOFTWARE, Parts, seed_words
from pycvstat.report.views.base import Sections, View, view_of
from pycvstat.run.store import versions

if TYPE_CHECKING:
    from pycvstat.r.check.crosscheck import Crosscheck

SHOWN = 60_000  # characters of an R script that are put into a report


def brief(result: Any) -> Document:
    """What `summary()` shows."""
    view = view_of(result)
    return _document(view, view.title, [_top(view), *view.brief()])


def full(
    result: Any,
    level: float = 0.95,
    method: str = "auto",
    *,
    title: str | None = None,
    crosscheck: Crosscheck | None = None,
    include: Sequence[Any] = (),
) -> Document:
    """What `report()` writes."""
    view = view_of(result, level, method)
    sections = [_top(view), *view.context(), *view.findings()]
    others = (one for one in include if not any(one is shown for shown in view.drawn))
    for number, other in enumerate(others, start=2):
        known = {one.title for one in sections if one is not None}
        sections += further(view_of(other, level, method), known, number)
    if crosscheck is not None:
        sections += view_of(crosscheck).findings()
    if view.appendix:
        sections.append(methods_section(view, crosscheck))
        sections.append(reproduce_section(view, crosscheck is not None))
    return _document(view, title or view.title, sections)


def further(view: View, known: Collection[str], number: int) -> Sections:
    """Findings of another result, in names that are not taken."""
    found: Sections = []
    for one in (_top(view, view.title), *view.findings()):
        if one is not None:
            blocks = tuple(
                replace(b, name=f"{b.name}-{number}") if isinstance(b, Figure) else b
                for b in one.blocks
            )
            title = one.title if one.title not in known else f"{one.title} ({number})"
            found.append(Section(title, blocks))
    return found


def _top(view: View, title: str = "") -> Section | None:
    blocks = view.top()
    return section(title, *blocks) if blocks else None


def _document(view: View, title: str, sections: Sections) -> Document:
    return Document(title, view.subtitle, tuple(one for one in sections if one is not None))


def methods_section(view: View, check: Crosscheck | None) -> Section:
    """The paragraph, the references, and their BibTeX."""
    words = paragraph(*methods_text(view, check))
    return section(
        "Methods, ready to paste",
        words,
        References(),
        Code(bibtex(keys_of(words.parts)), "bibtex", "BibTeX"),
    )


def methods_text(view: View, check: Crosscheck | None = None) -> Parts:
    """How the result was obtained, and by which software."""
    parts = view.methods()
    return [*parts, *software_parts(view, check, keys_of(parts))]


def keys_of(parts: Sequence[Inline]) -> tuple[str, ...]:
    """Keys of the works that are cited, each once."""
    return tuple(dict.fromkeys(k for part in parts if isinstance(part, Cite) for k in part.keys))


def software_parts(view: View, check: Crosscheck | None, cited: Collection[str]) -> Parts:
    """Versions of what ran, the origin of random numbers, and the cross-check."""
    found = versions()
    packages = ["pycvstat", *(name for key, name in SOFTWARE.items() if key in cited)]
    used = [*(f"{name} {found[name]}" for name in packages), f"Python {found['python']}"]
    parts: Parts = [f" Computations used {listed(used)}."]
    if view.plan is not None and view.seed is not None:
        words = " Folds were drawn with R's random numbers "
        parts += [words, Cite(("rcore",)), f", seed {view.seed}."]
    if check is not None:
        parts.append(
            f" The same quantities were computed by {check.r_version or 'R'} and compared within "
            f"the stated tolerances: {check.words}."
        )
    return parts


def reproduce_section(view: View, checked: bool) -> Section:
    """Versions, seed, hashes of data and folds, and the R script."""
    plan, task = view.plan, getattr(view.result, "task", None)
    there = [f"{name} {value}" for name, value in versions().items() if value != "absent"]
    rows = [("software", ", ".join(there))]
    if plan is not None:
        rows += [("seed", seed_words(view.seed))] if view.seed is not None else []
        rows += [("folds", plan.recipe), ("fold fingerprint", f"SHA-256 {plan.fingerprint}")]
    if task is not None:
        rows.append(("data hash", f"SHA-256 {task.fingerprint}"))
        rows += [] if checked else [("cross-check with R", "not run for this report")]
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


def write_report(
    result: Any,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    level: float = 0.95,
    method: str = "auto",
    crosscheck: Crosscheck | bool = False,
    include: Sequence[Any] = (),
) -> Path:
    """Write the report of a result.

    Parameters
    ----------
    result : any result
    path : path
        ``.html``: one self-contained page. ``.md`` and ``.tex``: text with the figures beside it,
        in the directory ``<name>_files``, as SVG and PDF. ``.pdf``: the page printed by Chromium.
        ``.docx``: Word, by pandoc.
    title : str, optional
        Instead of the one made from the result.
    level : float
        Confidence level of intervals.
    method : str
        Interval method.
    crosscheck : Crosscheck or bool
        A cross-check to show; True runs one in R.
    include : sequence of results
        Further results whose sections are added, such as an error curve.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        A path that cannot be written, or a program that is missing: before any work is done.
    """
    target = check_report_path(path)
    check = None
    if crosscheck is not False:
        from pycvstat.r.check.crosscheck import Crosscheck

        found = result.crosscheck() if crosscheck is True else crosscheck
        check = found if isinstance(found, Crosscheck) else None
    document = full(result, level, method, title=title, crosscheck=check, include=include)
    return write_document(document, target)


def summary(result: Any) -> str:
    """The result as plain text of at most 80 columns.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> print(summary(FoldPlan.from_fold_ids([1, 1, 2, 2])).splitlines()[0])
    2-fold cross-validation
    """
    return render_text(brief(result))


def summary_html(result: Any) -> str:
    """The result as a piece of HTML, for notebooks."""
    return render_fragment(brief(result))


def summary_markdown(result: Any) -> str:
    """The result as Markdown, for notebooks and documents."""
    return render_markdown(brief(result))


def cite(result: Any) -> str:
    """BibTeX of the works that a result rests on, and of this package.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> cite(FoldPlan.from_fold_ids([1, 2])).splitlines()[0]
    '@manual{pycvstat,'
    """
    return bibtex([*keys_of(methods_text(view_of(result))), "pycvstat"])
