"""R's package rsample: its splits as fold plans, drawn from the stream of `pycvstat.r.set_seed`.

As rsample 1.1.1 makes them. Plans count rows from 0, `initial_split` from 1 as R does. What is odd
in rsample is kept: repeated ``vfold_cv`` does not look at ``breaks``.

Left out: strata with missing values, strata of groups, ``lag``, ``apparent``, the grouped forms but
``group_vfold_cv``, ``loo_cv`` (`pycvstat.LeaveOneOut`), ``sliding_*``, ``permutations``,
``validation_split`` and ``int_*``.
"""

from pycvstat.r.rsample.plans import bootstraps, group_vfold_cv, mc_cv, rolling_origin, vfold_cv
from pycvstat.r.rsample.split import NestedCV, Split, initial_split, initial_time_split, nested_cv

__all__ = [
    "NestedCV", "Split", "bootstraps", "group_vfold_cv", "initial_split", "initial_time_split",
    "mc_cv", "nested_cv", "rolling_origin", "vfold_cv",
]  # fmt: skip
