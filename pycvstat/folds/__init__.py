"""Folds: splitters, which are recipes, and the plans that they make of given rows.

May import the rooms below. New here: a splitter is a frozen dataclass that lays out its test rows;
the folds of an R package are a `Dialect`, made known by `register`.
"""

from pycvstat.folds.dialects import DIALECTS, Dialect, RFolds, register
from pycvstat.folds.grouped import Grouped, LeaveOneGroupOut, StratifiedGrouped
from pycvstat.folds.pairs import FiveByTwo, NestedPairs, PairedHalves
from pycvstat.folds.partitions import Blocks, KFold, LeaveOneOut, Stratified
from pycvstat.folds.plan import FoldPlan
from pycvstat.folds.predefined import Predefined
from pycvstat.folds.splits import Bootstrap, Holdout, Repeated, Subsampling, TimeSeries
from pycvstat.folds.splitter import Layout, RowsInR, Splitter, as_splitter

__all__ = [
    "DIALECTS",
    "Blocks",
    "Bootstrap",
    "Dialect",
    "FiveByTwo",
    "FoldPlan",
    "Grouped",
    "Holdout",
    "KFold",
    "Layout",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "NestedPairs",
    "PairedHalves",
    "Predefined",
    "RFolds",
    "Repeated",
    "RowsInR",
    "Splitter",
    "Stratified",
    "StratifiedGrouped",
    "Subsampling",
    "TimeSeries",
    "as_splitter",
    "register",
]
