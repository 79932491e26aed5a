"""The edges of rules that whole comparisons with R seldom touch."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pycvstat.data.frame.reading import read_y
from pycvstat.errors import FoldError, PycvstatWarning
from pycvstat.folds import (
    KFold,
    LeaveOneOut,
    NestedPairs,
    PairedHalves,
    Repeated,
    RFolds,
    Subsampling,
    TimeSeries,
    splits,
)
from pycvstat.folds.forms import _r_vector
from pycvstat.folds.problems import require_few_fits
from pycvstat.folds.strata import _quantile_strata, rsample_strata
from pycvstat.rmath.arithmetic import cut_labels
from pycvstat.rmath.random import RRandom


@pytest.mark.parametrize(("n", "asked", "made"), [(3, 2, 3), (5, 2, 2), (10, 4, 5), (11, 7, 6)])
def test_boot_takes_the_nearest_number_of_folds_that_it_has(n: int, asked: int, made: int) -> None:
    """unique(round(n / 1:floor(n / 2))): 3 for 3 rows, 5 2 for 5, 10 5 3 2 for 10."""
    splitter = RFolds("boot", asked, seed=1)
    if made == asked:
        plan = splitter.plan(n)
    else:
        with pytest.warns(PycvstatWarning, match=f"changes K from {asked} to {made}"):
            plan = splitter.plan(n)
    assert plan.fold_ids.max() <= made


def test_labels_of_intervals_start_with_three_digits() -> None:
    assert cut_labels(np.array([1.23456, 2.34567]), lowest=True) == ("[1.23,2.35]",)
    close = np.array([1.23456, 1.23467, 1.5])
    assert cut_labels(close, lowest=True) == ("[1.2346,1.2347]", "(1.2347,1.5]")


def test_rows_as_an_r_vector() -> None:
    assert _r_vector(np.array([0, 1, 2, 5, 7, 8])) == "c(1:3, 6L, 8:9)"
    assert _r_vector(np.array([4])) == "5L"


@pytest.mark.parametrize(("n", "strata"), [(200, 4), (80, 4), (60, 3), (45, 2)])
def test_rsample_strata_are_quarters_or_fewer(n: int, strata: int) -> None:
    values = np.random.default_rng(1).permutation(n).astype(float)
    if strata < 4:
        with pytest.warns(PycvstatWarning, match=f"by {strata} quantile groups"):
            found = _quantile_strata(values, 4)
    else:
        found = _quantile_strata(values, 4)
    assert len(found) == strata
    assert sorted(np.concatenate(found).tolist()) == list(range(n))
    ends = [(values[rows].min(), values[rows].max()) for rows in found]
    assert all(a[1] < b[0] for a, b in pairwise(ends))
    sizes = [len(rows) for rows in found]
    assert max(sizes) - min(sizes) <= 1


def test_files_of_plans_that_are_no_partition_name_the_role(tmp_path) -> None:
    Subsampling(2, train=0.5, random=1).plan(4).to_csv(tmp_path / "plan.csv")
    lines = (tmp_path / "plan.csv").read_text().splitlines()
    assert lines[0] == "row,repeat,fold,role"
    assert {line.rsplit(",", 1)[1] for line in lines[1:]} == {"test", "train"}
    KFold(2, random=1).plan(4).to_csv(tmp_path / "folds.csv")
    assert (tmp_path / "folds.csv").read_text().splitlines()[0] == "row,repeat,fold"


def test_classes_of_exactly_a_tenth_are_strata_of_their_own() -> None:
    classes = np.array(list("abcdefghij") * 4)
    plan = RFolds("rsample", 4, seed=1, strata=True).plan(40, y=classes)
    for _, test in plan:
        assert sorted(classes[test]) == list("abcdefghij")


@pytest.mark.parametrize(
    ("splitter", "n"),
    [
        (Repeated(KFold(3), 99_999_999_999, random=1), 30),
        (Repeated(KFold(2), 1000, random=1), 600_000),
        (RFolds("rsample", 3, seed=1, repeats=99_999_999_999), 30),
        (Subsampling(99_999_999_999, random=1), 30),
        (NestedPairs(3, repeats=99_999_999_999, random=1), 30),
        (PairedHalves(inner=99_999_999_999, random=1), 30),
        (TimeSeries(10), 100_000),
        (TimeSeries(10_000, window="sliding"), 100_000),
        (LeaveOneOut(), 20_000_000),
    ],
    ids=repr,
)
def test_folds_beyond_memory_are_refused_before_they_are_made(splitter, n: int) -> None:
    with pytest.raises(FoldError, match=r"at most 10,000,000 fits"):
        splitter.plan(n)


@pytest.mark.parametrize(("different", "strata"), [(5, [24] * 5), (6, [40, 20, 40, 20])])
def test_more_than_five_numbers_are_cut_at_quantiles(different: int, strata: list[int]) -> None:
    column = read_y(np.repeat(np.arange(float(different)), 120 // different))
    found = rsample_strata(column, False, "C", RRandom(1))
    assert [len(rows) for rows in found] == strata


def test_the_number_of_fits_of_a_dialect() -> None:
    folds = RFolds("kknn", 20, repeats=3, seed=1)
    assert folds.get_n_splits() == RFolds("kknn", 20, repeats=3).get_n_splits(np.zeros(20)) == 60
    assert folds.get_n_splits(np.zeros(20)) == len(folds.plan(20)) < 60


def test_folds_are_not_more_than_memory_holds() -> None:
    require_few_fits(10**7, 5 * 10**8)
    for fits, listed in ((10**7 + 1, 5 * 10**8), (10**7, 5 * 10**8 + 1)):
        with pytest.raises(FoldError, match=f"{fits:,} fits with {listed:,} rows"):
            require_few_fits(fits, listed)


def test_repetitions_are_counted_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[tuple[int, int]] = []
    monkeypatch.setattr(splits, "require_few_fits", lambda *asked: counted.append(asked))
    plan = Repeated(KFold(3), 4, random=1).plan(10)
    assert counted[-1] == (12, 40)
    assert (plan.repeat == np.repeat([0, 1, 2, 3], 3)).all()
    assert (plan.fold == np.tile([0, 1, 2], 4)).all()
