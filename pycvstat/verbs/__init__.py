"""The verbs that all results share; each delegates, importing inside the function.

Results live low in the package and reports, plots and R live high: these methods are the one
place where a lower room reaches up, and only when they are called. New here: what every result of
a kind shall be able to do.
"""

from pycvstat.verbs.results import CompareVerbs, EstimateVerbs, Verbs, load
from pycvstat.verbs.shown import Checked, FitShown, Shown, Tabled

__all__ = [
    "Checked", "CompareVerbs", "EstimateVerbs", "FitShown", "Shown", "Tabled", "Verbs", "load",
]  # fmt: skip
