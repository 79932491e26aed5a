"""Results in files: one archive per record, checked when read, never a pickle."""

from pycvstat.run.store.saving import Saved, load, save, versions
from pycvstat.run.store.whole_file import WholeFile

__all__ = ["Saved", "WholeFile", "load", "save", "versions"]
