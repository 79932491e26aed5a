"""Losses, metrics, and the table that keeps every loss.

May import the rooms below. New here: a loss is one number per prediction, a metric one number of
many predictions; `LossTable` and `FoldMeans` are what the engine fills.
"""

from pycvstat.losses.functions import LOSSES, Loss, as_loss, huber, losses_for, pinball
from pycvstat.losses.metric import Metric, loss_label
from pycvstat.losses.predictions import Maker, Predictions
from pycvstat.losses.table import FoldMeans, LossTable, Table as Table

__all__ = [
    "LOSSES",
    "FoldMeans",
    "Loss",
    "LossTable",
    "Maker",
    "Metric",
    "Predictions",
    "as_loss",
    "huber",
    "loss_label",
    "losses_for",
    "pinball",
]
