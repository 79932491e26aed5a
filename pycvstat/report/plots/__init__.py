"""Pictures of results by name; each is drawn from the tables of the result on given Axes."""

from pycvstat.report.plots import simulated
from pycvstat.report.plots.kinds import Kind, kinds_of, plot

__all__ = ["Kind", "kinds_of", "plot", "simulated"]
