"""What an interval is about, in words, with the training size."""

from __future__ import annotations

from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals.layouts import folds_per_repeat, layout, train_sizes
from pycvstat.intervals.method import Method


def estimand(method: Method, plan: FoldPlan) -> tuple[str, str]:
    """The estimand in words and in short.

    Examples
    --------
    >>> from pycvstat.intervals.method import find
    >>> plan = FoldPlan.from_fold_ids([1, 1, 2, 2])
    >>> estimand(find("corrected_t"), plan)
    ('expected risk of the learner trained on 2 rows, averaged over training sets', 'ER(2)')
    """
    size = method.train_size(plan) if method.train_size else train_sizes(plan)
    if method.target == "ER":
        return expected_risk(size, "the tuned learner" if method.several else "the learner")
    if method.target == "R and ER":
        words = (
            f"risk of the model fitted on all {size} rows, and expected risk of the learner "
            f"trained on {size} rows"
        )
        return words, f"R({size}) and ER({size})"
    if layout(plan) == "one split":
        return f"risk of the model trained on these {size} rows", f"R({size})"
    return _test_error(plan, size)


def expected_risk(size: str, of: str = "the learner") -> tuple[str, str]:
    """The expected risk at a training size, in words and in short."""
    return (
        f"expected risk of {of} trained on {size} rows, averaged over training sets",
        f"ER({size})",
    )


def _test_error(plan: FoldPlan, size: str) -> tuple[str, str]:
    folds = folds_per_repeat(plan)
    repeats = "" if plan.times == 1 else f", averaged over {plan.times} partitions"
    words = (
        f"{folds}-fold test error: mean risk of the {folds} models of this partition, "
        f"each trained on {size} rows{repeats}"
    )
    return words, f"PQ({size})"
