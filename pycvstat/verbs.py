"""The verbs that all results share; each delegates, importing inside the function.

Results live low in the package and reports, plots and R live high: these methods are the one
place where a lower room reaches up, and only when they are called.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from pycvstat.intervals.base import Interval
    from pycvstat.parity.table import Crosscheck


class Verbs:
    """What every result can do."""

    __slots__ = ()

    def summary(self) -> str:
        """The result in words and numbers, at most 80 columns wide."""
        from pycvstat.report.summary import summary

        return summary(self)

    def report(self, path: str | PathLike[str], **options: Any) -> Path:
        """Write a report; the ending of `path` decides: html, md, tex, pdf or docx."""
        from pycvstat.report.write import write_report

        return write_report(self, path, **options)

    def plot(self, kind: str | None = None, *, ax: Any = None, **options: Any) -> Any:
        """Draw the result with matplotlib and return the Axes."""
        from pycvstat.report.plots import plot

        return plot(self, kind, ax=ax, **options)

    def to_r(self, path: str | PathLike[str], **options: Any) -> Path:
        """Write an R script that reproduces the result."""
        from pycvstat.parity.script import write_script

        return write_script(self, path, **options)

    def crosscheck(self, **options: Any) -> Crosscheck:
        """Compute the same quantities in R and put them side by side."""
        from pycvstat.parity.crosscheck import crosscheck

        return crosscheck(self, **options)

    def save(self, path: str | PathLike[str]) -> Path:
        """Save the result as one file without pickle; `pycvstat.load` reads it."""
        from pathlib import Path

        from pycvstat.store import save

        save(path, type(self).__name__, self)
        return Path(path)

    def cite(self) -> str:
        """BibTeX of the methods that this result rests on."""
        from pycvstat.report.citations import cite

        return cite(self)

    def _repr_html_(self) -> str:
        from pycvstat.report.summary import summary_html

        return summary_html(self)

    def _repr_markdown_(self) -> str:
        from pycvstat.report.summary import summary_markdown

        return summary_markdown(self)

    def __str__(self) -> str:
        return self.summary()


class EstimateVerbs(Verbs):
    """Verbs of results that hold the losses of one learner."""

    __slots__ = ()

    def interval(self: Any, method: str = "auto", level: float = 0.95, **options: Any) -> Interval:
        """A confidence interval read off the table of losses; nothing is refitted.

        Parameters
        ----------
        method : str
            "auto" chooses by the plan and the loss, and says why; see `pycvstat.intervals`.
        level : float
            Confidence level.
        """
        from pycvstat.intervals import interval

        result: Interval = interval(self.table, method=method, level=level, **options)
        return result
