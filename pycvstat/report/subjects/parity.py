"""The parity suite: counts per room, and every comparison in the full report."""

from __future__ import annotations

from pycvstat.r.check.suite import ROOMS, ParitySuite
from pycvstat.report.content import Block, Facts, Figure, Headline, section
from pycvstat.report.numbers import count
from pycvstat.report.plots import kinds_of
from pycvstat.report.sections.provenance import agreement_table
from pycvstat.report.sections.tables import table_of
from pycvstat.report.subjects.base import Parts, capital, parts_of
from pycvstat.report.wanted import Wanted


@parts_of.register
def _(result: ParitySuite, wanted: Wanted) -> Parts:
    frame = result.by_room()
    total, good = int(frame["comparisons"].sum()), int(frame["agree"].sum())
    words = "live R" if result.against == "live" else "recorded values of R"
    top = Headline(f"{good} of {total} agree", f"quantities compared with {words}")
    headers = {"room": "room", "comparisons": "compared", "agree": "agree", "numbers": "numbers"}
    blocks: list[Block] = [table_of(frame, headers, "Quantities by room, and the numbers in them.")]
    facts = [("first difference", result.first_difference)] if result.first_difference else []
    facts += [(f"not run: {ROOMS[name]}", text) for name, text in result.problems.items()]
    facts += [(ROOMS[name], room.r_version) for name, room in result.rooms.items()]
    if wanted.full and result.rooms:
        blocks.append(_figure(result, f"{good} of {total} comparisons agree."))
    sections = [section("", [top]), section("Rooms", [*blocks, Facts(tuple(facts))])]
    if wanted.full:
        sections += [
            section(capital(ROOMS[name]), [agreement_table(room)])
            for name, room in result.rooms.items()
        ]
    return Parts("Python beside R", f"{count(len(result.rooms), 'room')}", sections)


def _figure(result: ParitySuite, alt: str) -> Figure:
    kind = kinds_of(result)["differences"]
    caption = "Relative difference of every comparison; 0 is drawn at the left end."
    return Figure("differences", kind.draw, caption, alt, kind.size)
