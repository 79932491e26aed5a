"""Pictures of results by name; each is drawn from the tables of the result on given Axes."""

from pycvstat.report.plots import of_comparisons, of_risks, simulated
from pycvstat.report.plots.kinds import Kind, kinds_of, plot

__all__ = ["Kind", "kinds_of", "of_comparisons", "of_risks", "plot", "simulated"]
