"""The parity suite: counts per room, and every comparison in the full report."""

from __future__ import annotations

from functools import cached_property

from pycvstat.r.check.suite import ROOMS, ParitySuite
from pycvstat.report.content import Block, Facts, Headline, Section, section
from pycvstat.report.numbers import count, table_of
from pycvstat.report.plots.agreement import by_room
from pycvstat.report.sentences import capital
from pycvstat.report.views.base import Picture, Sections, View
from pycvstat.report.views.crosscheck import agreement_table


class SuiteView(View, of=ParitySuite):
    """Counts per room, and every comparison in the full report."""

    appendix = False
    result: ParitySuite

    @property
    def title(self) -> str:
        """What it is."""
        return "Python beside R"

    @property
    def subtitle(self) -> str:
        """How many rooms."""
        return count(len(self.result.rooms), "room")

    @property
    def counts(self) -> tuple[int, int]:
        """Comparisons that agree, and all of them."""
        frame = self.result.by_room()
        return int(frame["agree"].sum()), int(frame["comparisons"].sum())

    def top(self) -> list[Block]:
        """How many agree."""
        good, total = self.counts
        words = "live R" if self.result.against == "live" else "recorded values of R"
        return [Headline(f"{good} of {total} agree", f"quantities compared with {words}")]

    def rooms(self, figure: bool) -> Section:
        """Counts per room, what differs first, what was not run."""
        suite = self.result
        headers = {
            "room": "room",
            "comparisons": "compared",
            "agree": "agree",
            "numbers": "numbers",
        }
        caption = "Quantities by room, and the numbers in them."
        blocks: list[Block] = [table_of(suite.by_room(), headers, caption)]
        if figure and suite.rooms:
            blocks.append(self.figure("differences"))
        facts = [("first difference", suite.first_difference)] if suite.first_difference else []
        facts += [(f"not run: {ROOMS[name]}", text) for name, text in suite.problems.items()]
        facts += [(ROOMS[name], room.r_version) for name, room in suite.rooms.items()]
        return section("Rooms", *blocks, Facts(tuple(facts)))

    def findings(self) -> Sections:
        """The rooms, and every comparison."""
        rooms = self.result.rooms.items()
        every = [section(capital(ROOMS[name]), agreement_table(room)) for name, room in rooms]
        return [self.rooms(figure=True), *every]

    def brief(self) -> Sections:
        """The rooms."""
        return [self.rooms(figure=False)]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Differences by room."""
        return {
            "differences": Picture(
                lambda ax: by_room(ax, self.result.tidy()),
                (4.6, 0.9 + 0.22 * max(1, len(self.result.rooms))),
                "Relative difference of every comparison; 0 is drawn at the left end.",
                lambda: "{} of {} comparisons agree.".format(*self.counts),
            )
        }
