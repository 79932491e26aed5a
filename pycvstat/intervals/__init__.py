"""Intervals and tests: one formula per file on the table of losses, each with its estimand.

May import the rooms below; it never fits anything. New here: a file with a formula and the
record that says what it is about and where it is legal. `interval` reads a table, `corrected_t`
scores, `from_losses` losses made by anything else.
"""

from pycvstat.intervals import (  # importing a method registers it
    bootstrap,
    cluster,
    cv_auc,
    five_by_two,
    hoeffding,
    independent,
    ncv,
    tibshirani,
)
from pycvstat.intervals.coverage import methods
from pycvstat.intervals.from_table import interval
from pycvstat.intervals.hoeffding import dev_size_needed, excess_risk_bound, hoeffding_radius
from pycvstat.intervals.legal import legal_methods
from pycvstat.intervals.limits import Limits
from pycvstat.intervals.method import METHODS, Method, register
from pycvstat.intervals.nadeau_bengio import corrected_t
from pycvstat.intervals.result import Interval

__all__ = [
    "METHODS",
    "Interval",
    "Limits",
    "Method",
    "bootstrap",
    "cluster",
    "corrected_t",
    "cv_auc",
    "dev_size_needed",
    "excess_risk_bound",
    "five_by_two",
    "hoeffding",
    "hoeffding_radius",
    "independent",
    "interval",
    "legal_methods",
    "methods",
    "ncv",
    "register",
    "tibshirani",
]
