"""Least squares over a dask frame: the numbers of the whole in memory, from sums of partitions."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import pycvstat as pcv
from pycvstat.errors import ExecutionError, InputError, PycvstatError, PycvstatWarning
from pycvstat.procedures import partitioned
from pycvstat.procedures.partitioned import PartitionedResult
from tests.run.conftest import local_cluster

dd = pytest.importorskip("dask.dataframe")
pytestmark = pytest.mark.usefixtures("two_threads")

SAME = 1e-12
"""Both ways are backward stable: they differ by rounding times the size of predictions over that
of the errors, here at most a thousand."""
FORMULA = "y ~ x1 * g + I(x2^2) + log(p) + factor(h) + poly(x2, 3, raw = TRUE)"


def table(n: int = 1500, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(rng.normal(size=(n, 2)), columns=["x1", "x2"])
    data["p"], data["h"] = rng.exponential(size=n), rng.integers(1, 5, n)
    data["g"] = rng.choice(["b", "C", "a"], n)
    data["y"] = 500 + 2 * data.x1 - data.x2 + data.h * (data.g == "b") + rng.normal(size=n)
    return data


def cut(data: pd.DataFrame, *at: int) -> Any:
    """A dask frame of unknown divisions, cut at these rows."""
    ends = [0, *at, len(data)]
    parts = [data.iloc[a:b] for a, b in pairwise(ends)]
    return dd.from_map(lambda i: parts[i], range(len(parts)), meta=data.iloc[:0])


def both(formula: str, data: pd.DataFrame, ddf: Any, folds: Any, **more: Any) -> Any:
    return [pcv.cross_validate(pcv.OLS(), formula, one, folds=folds, **more) for one in (data, ddf)]


def same(whole: Any, summed: Any) -> None:
    assert isinstance(summed, PartitionedResult)
    assert summed.plan.fingerprint == whole.plan.fingerprint
    np.testing.assert_allclose(summed.fold_errors, whole.fold_errors, rtol=SAME)
    assert (summed.estimate, summed.pooled) == pytest.approx((whole.estimate, whole.pooled), SAME)
    for name in ("mse", "rmse", "r2"):
        ours, theirs = summed.metric(name), whole.metric(name)
        np.testing.assert_allclose(ours.by_fold, theirs.by_fold, rtol=10 * SAME)
        np.testing.assert_allclose(ours.by_repeat, theirs.by_repeat, rtol=10 * SAME)
        assert ours.pooled == pytest.approx(theirs.pooled, 10 * SAME)


@pytest.mark.parametrize(
    "folds",
    [
        pcv.KFold(10, random=1),
        pcv.Repeated(pcv.KFold(4), 3, random=2),
        pcv.Holdout(0.3, random=3),
        pcv.Subsampling(5, 0.2, random=4),
        pcv.Blocks(7),
        np.arange(1500) % 6,
    ],
    ids=str,
)
def test_the_same_numbers_as_in_memory(folds: Any) -> None:
    data = table()
    whole, summed = both(FORMULA, data, cut(data, 0, 100, 101, 700), folds)
    same(whole, summed)
    assert summed.seed == whole.seed
    if len(whole.plan) > 1:
        ours, theirs = summed.interval("corrected_t"), whole.interval("corrected_t")
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), SAME)
        ours, theirs = (
            one.interval("corrected_t", metric="r2", averaging="folds") for one in (summed, whole)
        )
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), 10 * SAME)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 80), max_size=6), st.integers(0, 100))
def test_where_partitions_end_does_not_matter(at: list[int], seed: int) -> None:
    data = table(80, seed)
    same(*both("y ~ x1 + g", data, cut(data, *sorted(at)), pcv.KFold(5, random=1)))


def test_a_response_far_from_zero_loses_no_digits() -> None:
    """What predictions of a thousand millions have no digits for, sums keep."""
    data, far = table(), table()
    far["y"] += 1e9
    data["y"] = far.y - 1e9  # the same up to the constant, exactly
    same(*both("y ~ x1 + x2 + g", data, cut(far, 500), pcv.KFold(10, random=1)))


def test_columns_that_nearly_agree() -> None:
    """Their cross products would have lost the difference: QR has it."""
    data = table()
    data["z"] = data.x1 + 1e-6 * data.p
    whole, summed = both("y ~ x1 + z", data, cut(data, 500), pcv.KFold(10, random=1))
    np.testing.assert_allclose(summed.fold_errors, whole.fold_errors, rtol=1e-9)


def test_without_an_intercept_and_with_an_offset() -> None:
    data = table()
    same(*both("y ~ 0 + x1 + p + offset(100 * h)", data, cut(data, 500), pcv.KFold(10, random=1)))
    same(*both("y ~ 0 + g + x1", data, cut(data, 500), pcv.KFold(10, random=1)))
    same(*both("I(y/2) ~ 1", data, cut(data, 500), pcv.KFold(10, random=1)))


@pytest.mark.filterwarnings("error")
def test_columns_that_others_span_are_left_out_as_in_memory() -> None:
    data = table()
    data["twice"] = 2 * data.x1
    whole, summed = both("y ~ x1 + twice + x2", data, cut(data, 500), pcv.KFold(10, random=1))
    same(whole, summed)
    assert {report.aliased for report in summed.details} == {("twice",)}


def test_a_level_in_one_fold_only_is_said() -> None:
    data = table()
    data.loc[3, "g"] = "once"
    with pytest.warns(PycvstatWarning, match="do not determine the coefficients of gonce"):
        summed = pcv.cross_validate(pcv.OLS(), "y ~ g", cut(data, 700), folds=pcv.Blocks(5))
    with pytest.warns(PycvstatWarning, match="do not determine the coefficients of gonce"):
        whole = pcv.cross_validate(pcv.OLS(), "y ~ g", data, folds=pcv.Blocks(5))
    same(whole, summed)


def test_rows_that_miss_something_are_left_out_and_counted() -> None:
    data = table()
    data.loc[:99, "x1"], data.loc[[700, 900], "y"], data.loc[5, "g"] = np.nan, np.nan, None
    ddf = cut(data, 100, 800)
    with pytest.raises(PycvstatError, match="102 of 1500 rows have missing values"):
        pcv.cross_validate(pcv.OLS(), "y ~ x1 + g", ddf, folds=5)
    whole, summed = both("y ~ x1 + g", data, ddf, pcv.KFold(5, random=1), na="omit")
    same(whole, summed)
    assert summed.omitted == whole.task.omitted == 102
    assert summed.glance()["n"].item() == 1398


@pytest.mark.parametrize(
    ("problem", "change"),
    [
        ("KNN needs all rows in memory", {"learner": pcv.KNN(5)}),
        ("WLS needs all rows", {"learner": pcv.WLS()}),
        ("absolute loss needs all rows", {"loss": "absolute"}),
        ("weights= needs all rows", {"weights": "p"}),
        ("bias_adjusted= needs all rows", {"bias_adjusted": True}),
        ("computed from a whole column", {"formula": "y ~ poly(x1, 2)"}),
        ("computed from a whole column", {"formula": "y ~ scale(x1)"}),
        ("na must be 'raise' or 'omit'", {"na": "pass"}),
        ("needs a formula", {"formula": None}),
        ("no column 'nowhere'", {"formula": "y ~ nowhere"}),
        ("cannot predict a nominal response", {"formula": "factor(h) ~ x1"}),
        ("stratified folds need the response", {"folds": pcv.Stratified(5)}),
        ("these folds train on other rows", {"folds": pcv.Bootstrap(5)}),
        ("larger than what they save", {"folds": pcv.LeaveOneOut(), "formula": FORMULA}),
    ],
)
def test_what_sums_do_not_give_is_refused(problem: str, change: dict[str, Any]) -> None:
    call = {"learner": pcv.OLS(), "formula": "y ~ x1", "folds": 5, "data": cut(table(3000), 99)}
    with pytest.raises(InputError, match=problem):
        pcv.cross_validate(**{**call, **change})


def test_other_procedures_say_what_takes_partitions() -> None:
    with pytest.raises(InputError, match=r"data.compute\(\)"):
        pcv.tune(pcv.KNN(), "y ~ x1", cut(table(), 99), grid={"k": [1]}, folds=5)


def test_a_metric_of_rows_is_refused() -> None:
    summed = pcv.cross_validate(pcv.OLS(), "y ~ x1", cut(table(), 99), folds=5)
    for ask in (summed.metric, lambda name: summed.interval(metric=name)):
        with pytest.raises(PycvstatError, match="needs the losses and predictions of every row"):
            ask("mae")
    with pytest.raises(PycvstatError, match="needs pointwise losses"):
        summed.interval("all_pairs")


def test_the_result_is_read_back(tmp_path: Path) -> None:
    summed = pcv.cross_validate(pcv.OLS(), "y ~ x1", cut(table(), 99), folds=5)
    again = pcv.load(summed.save(tmp_path / "summed.npz"))
    assert again.table.intact
    pd.testing.assert_frame_equal(again.glance(), summed.glance())
    pd.testing.assert_frame_equal(again.tidy("folds"), summed.tidy("folds"))


class Source:
    """Partitions that leave a mark whenever they are read, the third one also a corpse at will."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.sick = place / "sick"

    def __dask_tokenize__(self) -> str:
        return str(self.place)

    def __call__(self, i: int, columns: Any = None) -> pd.DataFrame:
        (self.place / f"{i}-{len(list(self.place.glob(f'{i}-*')))}").touch()
        if i == 2 and self.sick.exists():
            os._exit(1)
        return table(300, seed=i)

    def frame(self) -> Any:
        return dd.from_map(self, range(4), meta=table(1))

    @property
    def reads(self) -> list[int]:
        return [len(list(self.place.glob(f"{i}-*"))) for i in range(4)]


def test_every_partition_is_read_twice_and_sums_alone_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guard of the work: passes over the data, and bytes that leave a partition."""
    from pycvstat.procedures import partitioned

    moved, run = [], partitioned.run_tasks

    def counted(*given: Any, **more: Any) -> Any:
        found = run(*given, **more)
        moved.extend(one for one in found if isinstance(one, dict))
        return found

    monkeypatch.setattr(partitioned, "run_tasks", counted)
    source = Source(tmp_path)
    pcv.cross_validate(pcv.OLS(), "y ~ x1 + x2 + g", source.frame(), folds=5)
    assert source.reads == [2, 2, 2, 2]
    p, groups = 5, 5 + 1
    expected = 8 * groups * ((p + 1) ** 2 + 3)
    assert [sum(part.nbytes for part in one.values()) for one in moved] == [expected] * 4


@pytest.mark.parametrize("method", ["corrected_t", "log_t"])
def test_an_interval_says_the_same_of_its_coverage_and_of_all_rows(method: str) -> None:
    data = table(400)
    ddf = dd.from_pandas(data, npartitions=3, sort=False)
    whole, summed = (
        one.interval(method) for one in both(FORMULA, data, ddf, pcv.KFold(5, random=1))
    )
    assert (summed.known, str(summed.all_rows)) == (whole.known, str(whole.all_rows))


@pytest.mark.slow
def test_finished_partitions_are_kept_where_a_worker_ends(tmp_path: Path) -> None:
    source, folds = Source(tmp_path), pcv.KFold(5, random=1)
    source.sick.touch()

    def ask() -> Any:
        kept = tmp_path / "kept"
        data = source.frame()
        return pcv.cross_validate(
            pcv.OLS(), "y ~ x1 + g", data, folds=folds, n_jobs=2, checkpoint=kept
        )

    with pytest.raises(ExecutionError, match=r"task 3 of 4 ended every worker") as lost:
        ask()
    assert "the others are kept in the checkpoint" in str(lost.value)
    before = source.reads
    source.sick.unlink()
    found = ask()
    assert [b - a for a, b in zip(before, source.reads, strict=True)] == [1, 1, 2, 1]
    whole = source.frame().compute()
    same(pcv.cross_validate(pcv.OLS(), "y ~ x1 + g", whole, folds=folds), found)


@pytest.mark.slow
def test_a_cluster_of_processes_with_little_memory(tmp_path: Path) -> None:
    data = table(20_000)
    with local_cluster(memory_limit="2GB") as (_, client):
        ddf = dd.from_pandas(data, npartitions=8)
        same(*both(FORMULA, data, ddf, pcv.KFold(10, random=1), client=client))
        held, folds = ddf.persist(), pcv.KFold(10, random=1)
        same(*both(FORMULA, data, held, folds, checkpoint=tmp_path))
        kept = pcv.cross_validate(pcv.OLS(), FORMULA, held, folds=folds, checkpoint=tmp_path)
    with pytest.raises(InputError, match=r"partition 1 cannot be read\."):
        pcv.cross_validate(pcv.OLS(), FORMULA, held, folds=folds)
    assert kept.partitions == 8


class Holds:
    """A client of a cluster that holds partitions."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def compute(self, part: Any) -> Any:
        self.asked.append(os.getpid())
        self.part = part
        return self

    def result(self, timeout: float) -> Any:
        assert timeout == 300.0
        return self.part.read().to_pandas()


def test_what_a_cluster_holds_is_fetched_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where workers were asked for: they have no client to ask."""
    data, client = table(90), Holds()
    made = partitioned.partitions_of
    monkeypatch.setattr(
        partitioned,
        "partitions_of",
        lambda *given: [replace(part, held=(part, client)) for part in made(*given)],
    )
    whole, held = both("y ~ x1", data, cut(data, 40), pcv.KFold(5, random=1), n_jobs=2)
    same(whole, held)
    assert client.asked == [os.getpid()] * 4  # two partitions, seen and summed


def test_the_client_of_the_session_is_used_unless_something_else_was_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(partitioned, "execution_from", lambda **how: how)
    session = SimpleNamespace(default_client=lambda: "of the session")
    monkeypatch.setitem(sys.modules, "distributed", session)
    for asked in ({"client": "own"}, {"n_jobs": 2}):
        assert partitioned._execution(asked) == asked
    assert partitioned._execution({"progress": False}) == {
        "client": "of the session",
        "progress": False,
    }
    monkeypatch.delitem(sys.modules, "distributed")
    assert partitioned._execution({}) == {}
