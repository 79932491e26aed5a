"""How many cases are generated of what, and how a call may end.

PYCVSTAT_CASES is the number of generated cases of all properties together: 1,000 by default and
2,000 in CI, the same in every run; 100,000 in the nightly run, new ones (``--hypothesis-seed=1``
repeats them). ``--hypothesis-show-statistics`` tells how many calls ended in a result.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, event, settings

import pycvstat as pcv
from pycvstat.errors import PycvstatError, PycvstatWarning

CASES = int(os.environ.get("PYCVSTAT_CASES", "1000"))
THE_SAME = 2000  # at most, in every run
SHARES = {  # per cent of the cases
    "cross_validate": 18,
    "cross_validate_with_everything": 24,
    "tune_and_nested": 10,
    "fit_and_predict": 8,
    "compare": 6,
    "curves_benchmarks_and_audits": 6,
    "losses_of_anything_else": 6,
    "polars": 4,
    "foreign_estimators": 4,
    "renaming": 4,
    "permuting": 4,
    "scaling": 4,
    "workers": 1,
    "cluster": 1,
}


def share_of(percent: float) -> settings:
    """The settings of a property that gets so much of all cases."""
    return settings(
        max_examples=max(1, round(CASES * percent / 100)),
        suppress_health_check=list(HealthCheck),
        deadline=None,
        phases=[p for p in Phase if p is not Phase.explain],
        derandomize=CASES <= THE_SAME,
        print_blob=True,
    )


def shared_out(shares: Mapping[str, float]) -> Callable[[str], settings]:
    """The settings of each property by its name, with its share of the cases."""
    assert sum(shares.values()) == 100
    return lambda of: share_of(shares[of])


cases = shared_out(SHARES)


def outcome(call: Callable[[], Any], what: str | None = None) -> Any:
    """The result, or None after one of our own errors; other errors and warnings go through."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PycvstatWarning)
        try:
            found = call()
        except PycvstatError:
            found = None
    if what:
        event(f"{what}: {'refused' if found is None else 'a result'}")
    return found


def check_plan(plan: pcv.FoldPlan) -> None:
    """Training and test rows are disjoint; a partition tests each row once per repeat."""
    for train, test in plan:
        assert len(np.intersect1d(train, test)) == 0
        assert len(train) > 0
        assert len(test) > 0
    if plan.is_partition:
        for repeat in range(plan.times):
            rows = np.concatenate(
                [plan.test_rows(i) for i in range(len(plan)) if plan.repeat[i] == repeat]
            )
            assert sorted(rows.tolist()) == list(range(plan.n))


def check_result(result: Any) -> None:
    """The promises of every result with a table of losses."""
    check_plan(result.plan)
    losses, offsets = result.table.losses, result.plan.offsets
    assert losses.shape == (len(result.plan.rows), 1)
    assert np.isfinite(losses).all()
    low, high = result.table.range
    assert losses.min() >= low
    assert losses.max() <= high
    parts = [losses[a:b, 0] for a, b in pairwise(offsets)]
    size = max(np.abs(losses).max(), 1e-300)
    # the same sums in another order
    np.testing.assert_allclose(
        result.fold_errors, [p.mean() for p in parts], rtol=1e-12, atol=1e-15 * size
    )
    np.testing.assert_allclose(
        result.estimate, np.mean(result.fold_errors), rtol=1e-12, atol=1e-15 * size
    )
    np.testing.assert_allclose(result.pooled, losses.mean(), rtol=1e-12, atol=1e-15 * size)


def check_interval(found: Any) -> None:
    """An interval is in order, and says what it is about."""
    if found is None:
        return
    assert not found.low > found.high
    assert found.std_error is None or not found.std_error < 0
    assert found.estimand
