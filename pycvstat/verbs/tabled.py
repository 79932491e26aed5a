"""The protocol by which maketables reads results: ``maketables.ETable([result, other])``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


class Tabled:
    """What maketables asks a result for; estimates of risks stand in place of coefficients.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> result.__maketables_coef_table__.columns.tolist()
    ['b', 'se', 't', 'p', 'ci95l', 'ci95u']
    >>> result.__maketables_stat__("N")
    32
    """

    __slots__ = ()

    def _entries(self) -> list[dict[str, Any]]:
        from pycvstat.report.views.base import view_of

        return view_of(self).entries()

    @property
    def __maketables_coef_table__(self) -> pd.DataFrame:
        """One row per estimate: b, se, t, p (of differences only) and its limits."""
        import pandas as pd

        names = {"estimate": "b", "std_error": "se", "statistic": "t", "p_value": "p"}
        names |= {"conf_low": "ci95l", "conf_high": "ci95u"}
        frame = pd.DataFrame(self._entries(), columns=["name", *names]).rename(columns=names)
        indexed: pd.DataFrame = frame.rename(columns={"name": "Coefficient"})
        return indexed.set_index("Coefficient").astype(float)

    def __maketables_stat__(self, key: str) -> Any:
        """A statistic: "N", "folds", "loss", "interval"; None for others."""
        first = self._entries()[0]
        known = {"N": "n", "folds": "folds", "loss": "loss", "interval": "method"}
        return first[known[key]] if key in known else None

    @property
    def __maketables_depvar__(self) -> str:
        """What is estimated."""
        return str(self._entries()[0]["loss"])

    @property
    def __maketables_default_stat_keys__(self) -> list[str]:
        """What stands below the estimates."""
        return ["N", "folds", "interval"]

    @property
    def __maketables_stat_labels__(self) -> dict[str, str]:
        """How it is called there."""
        return {"N": "rows", "folds": "folds", "interval": "interval"}
