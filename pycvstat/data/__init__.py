"""Data: columns of known kind with frozen levels, R's formulas, the task that learners see.

May import the rooms below. New here: a way to give data in `frame`, a function of formulas in
`formula`; nothing of a formula is executed. The example data are here too: `mtcars`, `iris` and
`mammals` as in R, `waves` and `labels` simulated with R's random numbers.
"""

from pycvstat.data.examples import iris, labels, mammals, mtcars, waves

__all__ = ["iris", "labels", "mammals", "mtcars", "waves"]
