"""Estimates of several results side by side."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from pycvstat.report.content import Table, section
from pycvstat.report.etable import SideBySide
from pycvstat.report.numbers import aligned, capital, count, limits, listed, percent
from pycvstat.report.plots import forest
from pycvstat.report.sentences import loss_words
from pycvstat.report.views.base import Picture, Sections, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SideBySideView(View, of=SideBySide):
    """One column per result."""

    appendix = False
    result: SideBySide

    @property
    def title(self) -> str:
        """What stands there."""
        return "Estimates side by side"

    @property
    def subtitle(self) -> str:
        """How many."""
        return count(len(self.rows), "result")

    @property
    def names(self) -> list[str]:
        """Of the results."""
        return [str(name) for name in self.rows["name"]]

    def main_table(self) -> Table:
        """One row per fact; where all results have the same, it stands below."""
        frame = self.rows
        level = percent(frame["level"].dropna().max()) if frame["level"].notna().any() else ""
        facts: dict[str, Any] = {
            "estimate": aligned(list(frame["estimate"])),
            f"{level} interval": limits(frame),
            "std. error": aligned(list(frame["std_error"])),
            "loss": [loss_words(one) for one in frame["loss"]],
            "folds": list(frame["folds"]),
            "rows": [str(n) for n in frame["n"]],
            "interval": list(frame["method"]),
        }
        shared = {n: v[0] for n, v in facts.items() if len(set(v)) == 1 and not n[0].isdigit()}
        kept = {"estimate", "std. error"}
        below = [f"{name}: {v}" for name, v in shared.items() if name not in kept and v]
        rows = [(n, *v) for n, v in facts.items() if (n in kept or n not in shared) and any(v)]
        align = "l" + "r" * len(self.names)
        notes = f"{capital('; '.join(below))}." if below else ""
        return Table(("", *self.names), tuple(rows), align, f"{self.title}.", (), notes)

    def findings(self) -> Sections:
        """The table and the intervals."""
        return [section("Estimates", self.main_table(), self.figure("forest"))]

    def brief(self) -> Sections:
        """The table."""
        return [section("Estimates", self.main_table())]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The intervals."""
        size = (5.2, 0.9 + 0.3 * len(self.rows))
        return {"forest": Picture(self._draw, size, "Estimates and intervals.", self._tell)}

    def _draw(self, ax: Axes) -> Axes:
        losses = listed(list(dict.fromkeys(loss_words(one) for one in self.rows["loss"])))
        return forest.forest(ax, self.rows, self.names, losses)

    def _tell(self) -> str:
        values = zip(self.names, aligned(list(self.rows["estimate"])), strict=True)
        return f"{listed([f'{name} {value}' for name, value in values])}."
