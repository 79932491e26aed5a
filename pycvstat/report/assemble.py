"""The documents of a result: a brief one for the screen, a full one for a report."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pycvstat.report.content import Document, Figure, Section, section
from pycvstat.report.views.base import Sections, View, view_of

if TYPE_CHECKING:
    from pycvstat.r.check.table import Crosscheck


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
        from pycvstat.report.reproduce import reproduce_section
        from pycvstat.report.sentences import methods_section

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


def summary(result: Any) -> str:
    """The result as plain text of at most 80 columns.

    Examples
    --------
    >>> from pycvstat.folds.plan import FoldPlan
    >>> print(summary(FoldPlan.from_fold_ids([1, 1, 2, 2])).splitlines()[0])
    2-fold cross-validation
    """
    from pycvstat.report.render.text import render_text

    return render_text(brief(result))


def summary_html(result: Any) -> str:
    """The result as a piece of HTML, for notebooks."""
    from pycvstat.report.render.html import render_fragment

    return render_fragment(brief(result))


def summary_markdown(result: Any) -> str:
    """The result as Markdown, for notebooks and documents."""
    from pycvstat.report.render.markdown import render_markdown

    return render_markdown(brief(result))
