"""R's package caret: `train` with its resamples, grids and seeds, and its rows of folds.

Left out of caret: methods of `train` other than "lm", "glm", "knn", "kknn", "glmnet", "multinom"
and "rlm"; factors in `train(x, y)` where caret leaves them to the method's own formula;
`trainControl`'s other methods (`timeslice`, `adaptive_cv`, `oob`, `optimism_boot`, `boot_all`) and
its `search`, `sampling` and `predictionBounds`; of `preProcess` all but "center", "scale",
"range", "pca", "zv" and "nzv"; `confusionMatrix`, `resamples`, `rfe`, `dummyVars`, importance and
the plots. Where caret lets rlm fail on names such as "x:fb", numbers are given. Some answers hang
on the last bit of linear algebra, in R on its BLAS: classes of glmnet at even odds, and knn after
"pca" where many rows of rounded data are equally far.
"""

from pycvstat.r.caret.control import defaultSummary, trainControl, twoClassSummary
from pycvstat.r.caret.folds import (
    createDataPartition,
    createFolds,
    createMultiFolds,
    createResample,
    createTimeSlices,
    groupKFold,
)
from pycvstat.r.caret.results import Train
from pycvstat.r.caret.train import train

__all__ = [
    "Train", "createDataPartition", "createFolds", "createMultiFolds", "createResample",
    "createTimeSlices", "defaultSummary", "groupKFold", "train", "trainControl",
    "twoClassSummary",
]  # fmt: skip
