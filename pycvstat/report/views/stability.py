"""How much losses and their differences hang on a single training row."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pycvstat.procedures.stability import LIMIT, Stability
from pycvstat.report.content import Block, Cite, Headline, Inline, Note, Table, section
from pycvstat.report.numbers import listed, number, table_of
from pycvstat.report.plots.style import FAINT, INK, LIMIT as LINE
from pycvstat.report.sentences import loss_words, plan_words
from pycvstat.report.views.base import Picture, Sections, Size, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXPLAINED = (
    "The ratio is n times the variance of what one replaced training row changes, over the "
    "variance from row to row. Intervals and tests from cross-validation need it to be small; "
    f"below {LIMIT:g} it is called stable here."
)
UNSTABLE = (
    "What is not stable has intervals and p values from cross-validation that can be wrong, "
    "however many rows there are."
)


class StabilityView(View, of=Stability):
    """Methods and pairs, stable or not."""

    result: Stability

    @property
    def title(self) -> str:
        """What it is."""
        return "Stability under the replacement of one training row"

    @property
    def subtitle(self) -> str:
        """Folds, loss, rows replaced."""
        result = self.result
        words = (plan_words(result.plan), loss_words(result.loss), f"{result.draws} rows replaced")
        return " · ".join(words)

    @property
    def names(self) -> list[str]:
        """Methods and differences."""
        return [f"{a} − {b}" if b else a for a, b in self.result.pairs]

    def top(self) -> list[Block]:
        """What is not stable."""
        unstable = [n for n, ok in zip(self.names, self.result.stable, strict=True) if not ok]
        words = f"not stable: {listed(unstable, 6)}" if unstable else "all are stable"
        return [Headline(words, f"the largest ratio is {number(np.nanmax(self.result.ratio))}")]

    def table(self) -> Table:
        """Ratios."""
        frame = self.rows.assign(of=self.names, stable=np.where(self.result.stable, "yes", "no"))
        headers = {"of": "losses of", "ratio": "ratio", "change": "by one row", "spread": "by rows"}
        return table_of(frame, headers | {"stable": "stable"}, EXPLAINED)

    def main_table(self) -> Table:
        """The table in short."""
        return self.table()

    def findings(self) -> Sections:
        """Table and picture."""
        blocks: list[Block] = [self.table(), self.figure("ratios", "stability")]
        blocks += [] if self.result.stable.all() else [Note(UNSTABLE)]
        return [section("Does one training row change the comparison?", *blocks)]

    def brief(self) -> Sections:
        """The table."""
        notes = [] if self.result.stable.all() else [Note(UNSTABLE)]
        return [section("Ratios", self.table(), *notes)]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The ratios."""
        words = "Ratios by method and difference; stable ones are left of the line."
        return {"ratios": Picture(self._draw, self._size, words, self._tell)}

    def _size(self) -> Size:
        return 4.6, 0.9 + 0.25 * len(self.names)

    def _draw(self, ax: Axes) -> Axes:
        places = np.arange(len(self.names))[::-1]
        colours = [INK if ok else FAINT for ok in self.result.stable]
        ax.scatter(self.result.ratio, places, c=colours, s=18)
        ax.axvline(LIMIT, **LINE)
        ax.set_xscale("log")
        ax.set_yticks(places, self.names)
        ax.set_xlabel("ratio")
        return ax

    def _tell(self) -> str:
        told = zip(self.names, self.result.ratio, strict=True)
        return f"Ratios: {'; '.join(f'{name} {number(ratio)}' for name, ratio in told)}."

    def methods(self) -> list[Inline]:
        """What was measured."""
        return [
            f"Relative stability was measured by replacing {self.result.draws} training rows, one "
            "at a time, by test rows of their fold ",
            Cite(("bayle2020", "bayle2025")),
            ".",
        ]
