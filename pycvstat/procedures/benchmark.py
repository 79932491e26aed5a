"""The benchmark protocol: tune on validation rows, retrain, compare on test rows, repeat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from pycvstat.errors import InputError
from pycvstat.errors.names import answering
from pycvstat.folds import Holdout, Subsampling
from pycvstat.procedures.compare import Comparison, compare
from pycvstat.procedures.setting import Arguments
from pycvstat.procedures.tuned import Tuned


@answering
def benchmark(
    methods: Mapping[str, Any],
    formula: str | None = None,
    data: Any = None,
    *,
    validation: float = 0.2,
    test: float = 0.2,
    times: int = 1,
    random: Any = None,
    loss: Any = None,
    **arguments: Unpack[Arguments],
) -> Comparison:
    """Compare methods by train, validation and test sets, over random splits.

    1. Split the data into training, validation and test rows.
    2. For each method and candidate, train on the training rows and measure the error on the
       validation rows.
    3. For each method pick the candidate with the smallest error.
    4. Retrain on training and validation rows and compare the methods on the test rows.

    Repeat `times` times and average.

    In the terms of this package it is `compare` of tuned learners over subsampling, with a
    development set inside; all methods see the same splits.

    Parameters
    ----------
    methods : mapping of name to learner or (learner, grid)
        A learner without a grid has nothing to tune: it is trained on training and validation
        rows.
    formula, data, loss, **arguments
        As in `cross_validate`.
    validation, test : float
        Shares of all rows.
    times : int
        Number of random splits.
    random : int, optional
        R's seed.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> result = pcv.benchmark(
    ...     {"knn": (pcv.KNN(kernel="rectangular"), {"k": range(1, 8)}), "ols": pcv.OLS()},
    ...     "mpg ~ wt + hp", pcv.data.mtcars(), times=5, random=1)
    >>> result.plan.recipe
    'Subsampling(5, train=0.8, random=1)'
    """
    for name, share in (("validation", validation), ("test", test)):
        if not 0 < share < 1:
            raise InputError(f"the share of {name} rows must lie between 0 and 1.", given=share)
    if validation + test >= 1:
        raise InputError(
            "no training rows are left.", given=f"validation={validation}, test={test}"
        )
    if not isinstance(methods, Mapping) or not methods:
        raise InputError(
            "methods are given by name.",
            given=type(methods).__name__,
            fix='benchmark({"knn": (KNN(), {"k": range(1, 31)}), "ols": OLS()}, ...)',
        )
    development = Holdout(test=validation / (1 - test))
    learners = {
        name: Tuned(method[0], method[1], inner=development)
        if isinstance(method, tuple)
        else method
        for name, method in methods.items()
    }
    folds = Subsampling(times, train=round(1 - test, 12), random=random)
    return compare(learners, formula, data, folds=folds, loss=loss, **arguments)
