"""Data as learners see it: named columns of six kinds, levels frozen, missing values known."""

from pycvstat.data.frame.columns import Column, Kind
from pycvstat.data.frame.frames import Frame, in_common_rows, in_rows_of, row_labels
from pycvstat.data.frame.reading import read, read_y

__all__ = [
    "Column",
    "Frame",
    "Kind",
    "in_common_rows",
    "in_rows_of",
    "read",
    "read_y",
    "row_labels",
]
