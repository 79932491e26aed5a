"""The documents of a result: a brief one for the screen, a full one for a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pycvstat.parity.table import Crosscheck
from pycvstat.report.content import Document
from pycvstat.report.sections.methods import methods_section
from pycvstat.report.sections.provenance import crosscheck_section, reproduce_section
from pycvstat.report.subjects import Wanted, parts_of

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
    added = [s for other in include for s in parts_of(other, wanted).sections]
    ends = [
        None if crosscheck is None else crosscheck_section(crosscheck),
        methods_section(result, parts.interval, crosscheck),
        reproduce_section(result),
    ]
    if isinstance(result, Crosscheck):
        ends = []
    sections = tuple(s for s in [*parts.sections, *added, *ends] if s is not None)
    return Document(title or parts.title, parts.subtitle, sections)
