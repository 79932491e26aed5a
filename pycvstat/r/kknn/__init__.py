"""R's package kknn under its own names, with its results and its quirks.

For new work use `pycvstat.KNN`: the same numbers, without the quirks. These functions are for
those who come from R and want to see what they saw there. Each says what it keeps of kknn that
surprises.
"""

from pycvstat.r.kknn.prediction import Kknn, kknn, kknn_dist
from pycvstat.r.kknn.validation import CvKknn, TrainKknn, cv_kknn, train_kknn

__all__ = ["CvKknn", "Kknn", "TrainKknn", "cv_kknn", "kknn", "kknn_dist", "train_kknn"]
