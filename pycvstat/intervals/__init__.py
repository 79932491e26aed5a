"""Intervals and tests: one formula per file on the table of losses, each with its estimand.

May import the rooms below; it never fits anything. New here: a file with a formula and the
record that says what it is about and where it is legal. `interval` reads a table, `corrected_t`
scores, `from_losses` losses made by anything else.
"""

from pycvstat.intervals import (  # importing a method registers it
    bootstrap,
    cluster,
    cv_auc,
    cv_clt,
    five_by_two,
    hoeffding,
    holdout,
    log_t,
    nadeau_bengio,
    ncv,
    pointwise_t,
    proportions,
    tibshirani,
)
from pycvstat.intervals.dispatch import interval
from pycvstat.intervals.hoeffding import dev_size_needed, excess_risk_bound, hoeffding_radius
from pycvstat.intervals.legal import legal_methods
from pycvstat.intervals.method import METHODS, Limits, Method, register
from pycvstat.intervals.nadeau_bengio import corrected_t
from pycvstat.intervals.result import Interval
from pycvstat.intervals.simulated import methods

__all__ = [
    "METHODS",
    "Interval",
    "Limits",
    "Method",
    "bootstrap",
    "cluster",
    "corrected_t",
    "cv_auc",
    "cv_clt",
    "dev_size_needed",
    "excess_risk_bound",
    "five_by_two",
    "hoeffding",
    "hoeffding_radius",
    "holdout",
    "interval",
    "legal_methods",
    "log_t",
    "methods",
    "nadeau_bengio",
    "ncv",
    "pointwise_t",
    "proportions",
    "register",
    "tibshirani",
]
