"""What every splitter keeps, ours and a user's own: each rule takes a function of the seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import pytest

from pycvstat.folds import FoldPlan, Splitter
from pycvstat.rmath.random import RRandom

Make = Callable[[int | None], Splitter]
PARTITION = ("kfold", "loo", "five_by_two")


def data_of(n):
    """A frame of n rows with two classes, a number and groups of up to three rows."""
    rng = np.random.default_rng(n)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "label": np.where(np.arange(n) % 2, "a", "b"),
            "subject": np.arange(n) // 3,
        },
        index=[f"row {i}" for i in range(n)],
    )


def keeps(make: Make, y: str = "label") -> None:
    """Run the whole contract."""
    for n, seed in ((12, 3), (37, -8), (60, 2**31 - 1)):
        a_plan_keeps_its_promises(make, n, seed, y)
    for rule in (equal_seeds_give_equal_folds, data_may_be_of_any_kind, scikit_learn_takes_it):
        rule(make, y)


def a_plan_keeps_its_promises(make: Make, n: int, seed: int, y: str = "label") -> None:
    """Rows are rows of the data, increasing, tested or trained on; partitions are partitions."""
    plan = make(seed).plan(data_of(n), y=y, groups="subject")
    assert isinstance(plan, FoldPlan)
    for train, test in plan:
        for rows in (train, test):
            assert len(rows) > 0
            again = plan.kind == "bootstrap" and rows is train  # rows drawn with replacement
            assert (np.diff(rows) >= (0 if again else 1)).all()  # increasing, so no row twice
            assert rows[0] >= 0
            assert rows[-1] < n
        assert len(np.intersect1d(train, test)) == 0
    assert len(plan) == len(plan.n_test) == len(plan.repeat) == len(plan.fold)
    assert len(plan.rows) == plan.n_test.sum()
    if plan.kind == "bootstrap":
        assert plan.n_train.tolist() == [n] * len(plan)
    overlaps = getattr(make(seed), "as_in_r", False)
    assert plan.is_partition or plan.kind not in PARTITION or overlaps
    if plan.is_partition:
        ids = plan.fold_ids.reshape(n, -1)
        assert FoldPlan.from_fold_ids(ids).fingerprint == plan.fingerprint


def equal_seeds_give_equal_folds(make: Make, y: str = "label") -> None:
    """Also after pickling, from a stream that goes on, and where the seed is told afterwards."""
    data, given = data_of(30), {"y": y, "groups": "subject"}
    splitter = make(7)
    first = splitter.plan(data, **given)
    assert first.fingerprint == make(7).plan(data, **given).fingerprint
    travelled = cloudpickle.loads(cloudpickle.dumps(splitter))
    assert travelled.plan(data, **given).fingerprint == first.fingerprint
    if not splitter.draws:
        assert first.seed is None
        return
    assert first.seed == 7
    assert make(8).plan(data, **given).fingerprint != first.fingerprint
    free = make(None)
    drawn = free.plan(data, **given)
    again = free.plan(data, random=drawn.seed, **given)
    assert again.fingerprint == drawn.fingerprint
    generator = free.plan(data, random=np.random.default_rng(1), **given)
    assert generator.seed is None
    stream = RRandom(7)
    continued = [free.plan(data, random=stream, **given) for _ in range(2)]
    assert continued[0].fingerprint == first.fingerprint
    assert continued[1].fingerprint != first.fingerprint
    assert continued[1].seed is None  # the seed alone does not give these folds


def data_may_be_of_any_kind(make: Make, y: str = "label") -> None:
    """Frames, arrays, lists, numbers of rows."""
    pl = pytest.importorskip("polars")
    frame = data_of(24)
    given: dict[str, Any] = {"y": frame[y].to_numpy(), "groups": frame["subject"].to_numpy()}
    kinds = [24, frame, frame.to_numpy(), frame["x"], list(frame["x"]), pl.from_pandas(frame),
             frame.to_dict("list"), np.int64(24)]  # fmt: skip
    plans = [make(1).plan(data, **given) for data in kinds]
    assert len({plan.fingerprint for plan in plans}) == 1


def scikit_learn_takes_it(make: Make, y: str = "label") -> None:
    """As ``cv=``."""
    frame = data_of(24)
    splitter = make(3)
    plan = splitter.plan(frame, y=y, groups="subject")
    splits = list(splitter.split(frame, frame[y], frame["subject"]))
    assert splitter.get_n_splits(frame, frame[y], frame["subject"]) == len(plan) == len(splits)
    for (train, test), (planned_train, planned_test) in zip(splits, plan, strict=True):
        np.testing.assert_array_equal(train, planned_train)
        np.testing.assert_array_equal(test, planned_test)
