"""The course's functions under their R names: tuning the k of k nearest neighbours by folds.

"Selecting hyper-parameters with cross validation" (H. Reeve, EMATM0061, 2021). The numbers are
those of the course's R code with kknn; `r_reference/lecture.R` holds that code. Everything here
is also said by `pycvstat.tune` and `pycvstat.nested_cv`, for any learner and any folds.
"""

from pycvstat.r.lecture.course import LectureRun, lecture_run
from pycvstat.r.lecture.knn_errors import (
    get_optimal_k_by_cv,
    knn_cv_results,
    knn_test_error,
    knn_test_error_by_fold,
    knn_validation_error_by_fold_k,
)
from pycvstat.r.lecture.splits import (
    TrainTest,
    TrainValidation,
    train_test_by_fold,
    train_validation_by_fold,
)

__all__ = [
    "LectureRun", "TrainTest", "TrainValidation", "get_optimal_k_by_cv", "knn_cv_results",
    "knn_test_error", "knn_test_error_by_fold", "knn_validation_error_by_fold_k", "lecture_run",
    "train_test_by_fold", "train_validation_by_fold",
]  # fmt: skip
