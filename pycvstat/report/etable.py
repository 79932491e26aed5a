"""Estimates of several results side by side, one column each, as papers print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pycvstat.errors import InputError
from pycvstat.errors.names import answering
from pycvstat.report.numbers import count
from pycvstat.report.views.base import view_of
from pycvstat.verbs import Shown

if TYPE_CHECKING:
    import pandas as pd


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

    view: ClassVar[str] = "side_by_side"

    entries: tuple[Mapping[str, Any], ...]

    def tidy(self) -> pd.DataFrame:
        """One row per estimate, with its interval, what it is about, its folds and its loss."""
        import pandas as pd

        return pd.DataFrame([dict(one) for one in self.entries])

    def glance(self) -> pd.DataFrame:
        """One row: how many estimates, of which losses."""
        import pandas as pd

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
