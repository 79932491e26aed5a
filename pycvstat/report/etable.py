"""Estimates of several results side by side, one column each, as papers print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from pycvstat.errors import InputError
from pycvstat.errors.names import answering
from pycvstat.report.content import Block, Table
from pycvstat.report.numbers import aligned, capital, count, limits, listed, percent
from pycvstat.report.plots import forest
from pycvstat.report.sentences import loss_words
from pycvstat.report.views.base import Size, TableView, view_of
from pycvstat.verbs import Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class SideBySide(Shown):
    """Estimates of several results; `tidy` has one row each, `to_table` one column.

    Parameters
    ----------
    entries : tuple of mapping
        Name, loss, folds, number of rows, estimate, interval and its method of each.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> etable([pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))])
    SideBySide(1 estimate)
    """

    entries: tuple[Mapping[str, Any], ...]

    def tidy(self) -> pd.DataFrame:
        """One row per estimate, with its interval, what it is about, its folds and its loss."""
        return pd.DataFrame([dict(one) for one in self.entries])

    def glance(self) -> pd.DataFrame:
        """One row: how many estimates, of which losses."""
        losses = ", ".join(dict.fromkeys(str(one["loss"]) for one in self.entries))
        return pd.DataFrame([{"estimates": len(self.entries), "losses": losses}])

    def __repr__(self) -> str:
        return f"SideBySide({count(len(self.entries), 'estimate')})"


@answering
def etable(results: Sequence[Any] | Mapping[str, Any], level: float = 0.95) -> SideBySide:
    """Put the estimates of several results side by side.

    Parameters
    ----------
    results : sequence, or mapping of names to results
        Results of cross_validate, nested_cv, compare, from_losses; intervals. A comparison gives
        one column for each of its methods.
    level : float
        Confidence level of intervals.

    Returns
    -------
    SideBySide
        ``to_table("tex")``, "html", "md", "docx" or "gt" prints it; `tidy` has its numbers.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> cars, folds = pcv.data.mtcars(), pcv.Repeated(pcv.KFold(5), 2, random=1)
    >>> small = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", cars, folds=folds)
    >>> large = pcv.cross_validate(pcv.OLS(), "mpg ~ wt + hp", cars, folds=folds)
    >>> both = etable({"weight": small, "weight and power": large})
    >>> both.tidy()[["name", "estimate"]].round(3).values.tolist()
    [['weight', 10.292], ['weight and power', 8.046]]
    """
    if isinstance(results, Mapping):
        named = list(results.items())
    elif isinstance(results, Sequence) and not isinstance(results, str):
        named = [("", one) for one in results]
    else:
        named = [("", results)]
    if not named:
        raise InputError("there is no result to show.", given="0 results", fix="etable([result])")
    entries: list[dict[str, Any]] = []
    for name, one in named:
        own = view_of(one, level).entries()
        for entry in own:
            shown = name if len(own) == 1 else f"{name} {entry['name']}".strip()
            entries.append(entry | {"name": shown or entry["name"]})
    return SideBySide(tuple(entries))


class SideBySideView(TableView, of=SideBySide):
    """One column per result."""

    appendix = False
    heading, kind, caption = "Estimates", "forest", "Estimates and intervals."
    title = "Estimates side by side"
    result: SideBySide

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

    @property
    def size(self) -> Size:
        """By the number of results."""
        return 5.2, 0.9 + 0.3 * len(self.rows)

    def blocks(self) -> list[Block]:
        """The table."""
        return [self.main_table()]

    def draw(self, ax: Axes) -> Axes:
        """The intervals."""
        losses = listed(list(dict.fromkeys(loss_words(one) for one in self.rows["loss"])))
        return forest.forest(ax, self.rows, self.names, losses)

    def tell(self) -> str:
        """The estimates."""
        values = zip(self.names, aligned(list(self.rows["estimate"])), strict=True)
        return f"{listed([f'{name} {value}' for name, value in values])}."
