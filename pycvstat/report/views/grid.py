"""What tuning and curves share: estimates over candidates or sizes, as a curve and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pycvstat.report.content import Table
from pycvstat.report.numbers import table_of
from pycvstat.report.sentences import parameters
from pycvstat.report.views.base import WIDE, WIDER, Picture
from pycvstat.report.views.data import DataView, map_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LISTED = 40  # candidates that are listed one by one


class GridView(DataView):
    """A view of estimates over candidates or over training sizes."""

    script = True
    caption: str
    """Of the curve."""
    column = "test"
    """The estimate that is smallest, or largest, for the best candidate."""
    headers: ClassVar[dict[str, str]]
    """Of the estimates in the table, below what they are for."""
    best = "smallest"
    """The word for the best estimate."""

    @property
    def tuned(self) -> Sequence[str]:
        """The parameters of the grid."""
        return parameters(self.result.candidates)

    @cached_property
    def order(self) -> list[int]:
        """Rows of the table, the best first."""
        values = self.rows[self.column].to_numpy()
        signed = values if self.best == "smallest" else -values
        return [int(row) for row in np.argsort(signed, kind="stable")]

    def shown(self, few: int) -> list[int]:
        """The rows that a table of so many has: all, or the best."""
        return list(range(len(self.rows))) if len(self.rows) <= few else self.order[:few]

    def strong(self) -> int:
        """The row that is emphasised."""
        return self.order[0]

    def listed(self, few: int = LISTED) -> Table:
        """Estimates by candidate: all, or the best ones when there are many."""
        shown, total = self.shown(few), len(self.rows)
        many = "" if len(shown) == total else f"The best {len(shown)} of {total} candidates. "
        headers = {name: name for name in self.tuned} | self.headers
        strong = [shown.index(self.strong())] if self.strong() in shown else []
        words = f"{many}{self.measured}, means of the fold means."
        return table_of(self.rows.iloc[shown], headers, words, strong)

    def main_table(self) -> Table:
        """The best candidates."""
        return self.listed(10)

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The curve and the map of the folds."""
        size = WIDE if len(self.tuned) < 2 else WIDER
        curve = Picture(self.draw, size, self.caption, self.tell)
        return {"curve": curve, "map": map_of(self.result.plan)}

    def draw(self, ax: Axes) -> Axes:
        """The curve."""
        raise NotImplementedError

    def tell(self) -> str:
        """What the curve shows."""
        raise NotImplementedError
