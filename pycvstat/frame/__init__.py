"""Data as learners see it: named columns of six kinds, levels frozen, missing values known."""

from pycvstat.frame.columns import Column, Frame, Kind
from pycvstat.frame.reading import read, read_y

__all__ = ["Column", "Frame", "Kind", "read", "read_y"]
