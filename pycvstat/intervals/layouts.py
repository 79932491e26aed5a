"""What a fold plan is, as far as intervals are concerned."""

from __future__ import annotations

from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.method import Layout

_OWN: dict[str, Layout] = {
    "nested_pairs": "nested pairs",
    "paired_halves": "paired halves",
    "five_by_two": "5x2",
    "timeseries": "time series",
}


def layout(plan: FoldPlan) -> Layout:
    """The layout of a plan, read off its rows rather than its name.

    Examples
    --------
    >>> layout(FoldPlan.from_fold_ids([1, 1, 2, 2]))
    'K-fold'
    """
    if plan.kind in _OWN:
        return _OWN[plan.kind]
    if len(plan) == 1:
        return "one split"
    if not plan.is_partition:
        return "subsampling"
    if plan.times > 1:
        return "repeated K-fold"
    return "leave-one-out" if len(plan) == plan.n else "K-fold"


def train_sizes(plan: FoldPlan) -> str:
    """The training sizes of a plan: ``"90"`` or ``"89 to 90"``.

    Examples
    --------
    >>> train_sizes(FoldPlan.from_fold_ids([1, 1, 2, 2, 2]))
    '2 to 3'
    """
    sizes = plan.n_train
    low, high = int(sizes.min()), int(sizes.max())
    return str(low) if low == high else f"{low} to {high}"


def folds_per_repeat(plan: FoldPlan) -> int:
    """Number of folds K of one repetition."""
    return len(plan) // plan.times
