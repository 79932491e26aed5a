"""The documents of a result: a brief one for the screen, a full one for a report."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from pycvstat.procedures.nested import NestedResult
from pycvstat.r.check.suite import ParitySuite
from pycvstat.r.check.table import Crosscheck
from pycvstat.report.content import Document, Figure, Section
from pycvstat.report.sections.methods import methods_section
from pycvstat.report.sections.provenance import crosscheck_section, reproduce_section
from pycvstat.report.subjects import Parts, parts_of
from pycvstat.report.wanted import Wanted

BRIEF, FULL = Wanted(), Wanted(full=True)


def brief(result: Any, wanted: Wanted = BRIEF) -> Document:
    """What `summary()` shows."""
    parts = parts_of(result, wanted)
    return Document(parts.title, parts.subtitle, tuple(s for s in parts.sections if s is not None))


def full(
    result: Any,
    wanted: Wanted = FULL,
    *,
    title: str | None = None,
    crosscheck: Crosscheck | None = None,
    include: Sequence[Any] = (),
) -> Document:
    """What `report()` writes."""
    parts = parts_of(result, wanted)
    sections = [s for s in parts.sections if s is not None]
    retuned = vars(result).get("retuned") if isinstance(result, NestedResult) else None
    for number, other in enumerate((one for one in include if one is not retuned), start=2):
        sections += further(parts_of(other, wanted), {s.title for s in sections}, number)
    if crosscheck is not None:
        sections.append(crosscheck_section(crosscheck))
    if not isinstance(result, Crosscheck | ParitySuite):
        sections += [
            methods_section(result, parts.interval, crosscheck),
            reproduce_section(result, crosscheck is not None),
        ]
    return Document(title or parts.title, parts.subtitle, tuple(sections))


def further(parts: Parts, known: Collection[str], number: int) -> list[Section]:
    """Sections of another result, in names that are not taken, without data and folds."""
    found = []
    for s in parts.sections:
        if s is None or s.title in ("Question", "Data", "Folds"):
            continue
        title = s.title or parts.title
        blocks = tuple(
            replace(b, name=f"{b.name}-{number}") if isinstance(b, Figure) else b for b in s.blocks
        )
        found.append(Section(title if title not in known else f"{title} ({number})", blocks))
    return found
