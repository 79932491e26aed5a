"""Each splitter by itself: recorded folds, balance, what it refuses."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from pycvstat import r
from pycvstat.errors import FoldError
from pycvstat.folds import (
    Blocks,
    Bootstrap,
    FiveByTwo,
    Grouped,
    Holdout,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    NestedPairs,
    PairedHalves,
    Predefined,
    Repeated,
    RFolds,
    Splitter,
    Stratified,
    StratifiedGrouped,
    Subsampling,
    TimeSeries,
)
from pycvstat.rmath.random import RRandom

RECORDED = Path(__file__).parents[2] / "r_reference" / "recorded" / "kknn-1.4.1-seed2021.json"
LECTURE = [c for c in json.loads(RECORDED.read_text())["cases"] if c["kind"] == "lecture_folds"]


@pytest.mark.parametrize("case", LECTURE, ids=lambda c: f"n={c['n']}, K={c['folds']}")
def test_the_folds_of_the_lecture(case):
    n, k = case["n"], case["folds"]
    rows = [np.atleast_1d(fold).tolist() for fold in case["rows"]]
    plan = Blocks(k, as_in_r=True).plan(n)
    assert [test.tolist() for test in plan.to_rows(first=1)] == rows
    tested = sorted(row for fold in rows for row in fold)
    if tested == list(range(1, n + 1)):
        assert Blocks(k).plan(n).fingerprint == plan.fingerprint
        assert plan.check() == ()
        return
    times = tested.count(n)
    with pytest.raises(FoldError, match=f"row {n} is tested {times} times"):
        Blocks(k).plan(n)
    assert plan.check(refuse=False) == (f"row {n} is tested {times} times",)


@given(st.integers(2, 60), st.data())
def test_blocks_are_refused_exactly_where_they_overlap(n, data):
    k = data.draw(st.integers(2, n))
    overlapping = not Blocks(k, as_in_r=True).plan(n).is_partition
    assert overlapping == ((k - 1) * -(-n // k) >= n)
    if overlapping:
        with pytest.raises(FoldError, match=r"Blocks\(.*as_in_r=True\) tests them as R does"):
            Blocks(k).plan(n)


def test_blocks_say_what_to_do():
    with pytest.raises(FoldError) as caught:
        Blocks(49).plan(50)
    assert str(caught.value) == (
        "Blocks of ceil(50 / 49) = 2 rows overlap: row 50 is tested 25 times "
        "(rows counted from 1).\n"
        "  Given: K = 49, 50 rows\n"
        "  Do this: use KFold(49), or Blocks(25); Blocks(49, as_in_r=True) tests them as R does"
    )
    assert len(Blocks(25).plan(50)) == 25


@given(st.integers(2, 50), st.integers(-1000, 1000), st.data())
def test_kfold_is_r_s_sample_in_chunks(n, seed, data):
    k = data.draw(st.integers(2, n))
    plan = KFold(k, random=seed).plan(n)
    assert plan.n_test.tolist() == [n // k + 1] * (n % k) + [n // k] * (k - n % k)
    order = RRandom(seed).sample(n)
    for test, chunk in zip(plan.to_rows(first=1), np.array_split(order, k), strict=True):
        assert test.tolist() == sorted(chunk)
    assert plan.kind == ("loo" if k == n else "kfold")


@given(st.lists(st.sampled_from("abc"), min_size=12, max_size=60), st.integers(0, 99))
def test_strata_are_dealt_evenly(labels, seed):
    k = 3
    for letter in "abc":
        labels += [letter] * k
    plan = Stratified(k, random=seed).plan(len(labels), y=labels)
    counts = pd.crosstab(plan.fold_ids, np.array(labels)).to_numpy()
    assert (counts.max(axis=0) - counts.min(axis=0) <= 1).all()
    assert np.ptp(plan.n_test) <= 1


def test_numeric_y_is_stratified_by_quantiles():
    y = RRandom(1).rexp(100)
    plan = Stratified(10, random=1).plan(100, y=y)
    group = np.digitize(y, np.quantile(y, [0.2, 0.4, 0.6, 0.8]))
    assert (pd.crosstab(plan.fold_ids, group).to_numpy() == 2).all()
    spread = np.std([y[test].mean() for _, test in plan])
    plain = np.mean(
        [np.std([y[test].mean() for _, test in KFold(10, random=s).plan(100)]) for s in range(20)]
    )
    assert spread < plain
    quarters = Stratified(5, random=1, bins=4).plan(100, y=np.arange(100))
    assert (pd.crosstab(quarters.fold_ids, np.arange(100) // 25).to_numpy() == 5).all()
    with pytest.raises(FoldError, match="finite y"):
        Stratified(2, random=1).plan(5, y=np.array([1.5, 2.5, 3.5, np.inf, 4.5]))


def test_what_counts_as_a_class():
    labels = np.array([0, 1, 2] * 10)
    for y in (labels, labels.astype(float), labels.astype(str), list(labels),
              pd.Categorical(labels), pd.Series(labels, dtype="Int64")):  # fmt: skip
        plan = Stratified(5, random=1).plan(30, y=y)
        assert (pd.crosstab(plan.fold_ids, labels).to_numpy() == 2).all()
    counts = np.arange(30)  # whole numbers by type are classes, unless bins are asked for
    with pytest.raises(FoldError, match="Class '0' has fewer rows than there are folds"):
        Stratified(5).plan(30, y=counts)
    assert Stratified(5, bins=3).plan(30, y=counts).is_partition
    assert Stratified(5).plan(30, y=counts.astype(float)).is_partition
    assert Stratified(2, random=1).plan(6, y=np.full(6, 0.5)).is_partition


@given(st.lists(st.integers(0, 9), min_size=8, max_size=60), st.integers(0, 99))
def test_groups_stay_together(groups, seed):
    groups += [0, 1, 2]
    plan = Grouped(3, random=seed).plan(len(groups), groups=groups)
    assert plan.check() == ()
    largest = max(np.bincount(groups))
    assert np.ptp(plan.n_test) <= largest
    assert plan.groups.tolist() == groups


def test_large_groups_are_placed_first():
    groups = ["large"] * 6 + list("abcdef")
    for seed in range(20):
        assert Grouped(2, random=seed).plan(12, groups=groups).n_test.tolist() == [6, 6]


def test_one_group_left_out_at_a_time():
    groups = ["b", "a", "b", "c"]
    plan = Grouped(3, random=1).plan(4, groups=groups)
    assert sorted(test.tolist() for test in plan.to_rows()) == [[0, 2], [1], [3]]


def test_holdout_tests_the_end_of_the_shuffled_rows():
    plan = Holdout(0.25, random=1).plan(21)
    order = RRandom(1).permutation(21)
    assert plan.test_rows(0).tolist() == sorted(order[-6:])  # ceiling(.25 * 21)
    assert plan.kind == "holdout"
    assert Holdout(0.07, random=1).plan(100).n_test.tolist() == [7]  # 0.07 * 100 > 7 in doubles
    assert Holdout(5, random=1).plan(21).n_test.tolist() == [5]
    assert Holdout(1 / 3, random=1).plan(30).n_test.tolist() == [10]


def test_subsampling_leaves_the_rest_for_testing():
    plan = Subsampling(25, train=0.9, random=1).plan(53)
    assert plan.times == 25
    assert set(plan.n_train) == {47}
    assert Subsampling(2, train=0.29, random=1).plan(100).n_train.tolist() == [29, 29]
    assert Subsampling(2, train=10, random=1).plan(12).n_train.tolist() == [10, 10]


def test_time_goes_forward():
    plan = TimeSeries(4, horizon=2, gap=1, step=3).plan(13)
    for train, test in plan:
        assert train[-1] + 2 == test[0]
    assert [train.tolist() for train, _ in plan] == [
        list(range(4)),
        list(range(7)),
        list(range(10)),
    ]
    assert plan.kind == "timeseries"
    assert TimeSeries(4).get_n_splits(np.zeros(13)) == 9


def test_repetitions_go_on_drawing():
    plan = Repeated(KFold(4), times=3, random=5).plan(10)
    rng = RRandom(5)
    for time in range(3):
        order = rng.permutation(10)
        for fold, chunk in enumerate(np.array_split(order, 4)):
            assert plan.test_rows(4 * time + fold).tolist() == sorted(chunk)
    assert plan.kind == "kfold"
    assert plan.fold_ids.shape == (10, 3)
    assert Repeated(Holdout(0.3), times=4, random=1).plan(10).kind == "subsampling"


def test_nested_pairs_leave_out_every_pair_once():
    plan = NestedPairs(5, repeats=3, random=1).plan(23)
    assert len(plan) == 3 * 5 * 6 // 2
    single = {}
    for i in range(len(plan)):
        if len(plan.left_out[i]) == 1:
            single[plan.repeat[i], plan.left_out[i][0]] = set(plan.test_rows(i))
    for i in range(len(plan)):
        folds = [single[plan.repeat[i], fold] for fold in plan.left_out[i]]
        assert set(plan.test_rows(i)) == set.union(*folds)
    assert sum(map(len, single.values())) == 3 * 23
    assert plan.train is None
    assert plan.check() == ()


def test_paired_halves_are_disjoint():
    plan = PairedHalves(inner=3, outer=2, random=1).plan(41)
    assert len(plan) == 3 * 5
    assert plan.repeat.tolist() == [0] * 3 + [1] * 6 + [2] * 6
    assert set(plan.n_test) == {4}  # 41 - round(.9 * 41)
    assert plan.n_train.tolist() == [37] * 3 + [16] * 12
    rows = [set(train) | set(test) for train, test in plan]
    for half in (3, 9):
        assert rows[half] == rows[half + 1] == rows[half + 2]
        assert rows[half].isdisjoint(rows[half + 3])


def test_paired_halves_are_drawn_by_sample():
    """Training rows of a subsample: sample(n, n - tested), as of one stream."""
    plan = PairedHalves(inner=2, outer=1, random=1).plan(20)
    stream = RRandom(1)
    assert (plan.train_rows(0) + 1).tolist() == sorted(stream.sample(20, 18).tolist())
    assert (plan.train_rows(1) + 1).tolist() == sorted(stream.sample(20, 18).tolist())


def test_five_by_two():
    plan = FiveByTwo(random=1).plan(11)
    assert plan.times == 5
    assert plan.n_test.tolist() == [6, 5] * 5
    assert plan.is_partition


def test_a_bootstrap_is_rsamples_and_carets():
    plan = Bootstrap(3, random=17).plan(32)
    r.set_seed(17)
    assert r.rsample.bootstraps(32, times=3).fingerprint == plan.fingerprint
    assert plan.n_train.tolist() == [32] * 3
    stream = RRandom(17)
    for train, test in plan:
        drawn = stream.sample(32, 32, replace=True) - 1
        assert train.tolist() == sorted(drawn)
        assert set(test) == set(range(32)) - set(drawn)


@given(st.integers(2, 4), st.integers(0, 10_000))
def test_strata_are_dealt_to_groups_more_evenly_than_without(k, seed):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(24), rng.integers(1, 6, 24))
    y = np.where(groups % 4 == 0, "rare", "common")  # constant within groups

    def unevenness(splitter):
        plan = splitter.plan(len(y), y=y, groups=groups)
        assert plan.check() == ()
        shares = np.array([[np.mean(y[test] == c) for c in ("rare",)] for _, test in plan])
        return shares.std()

    even = unevenness(StratifiedGrouped(k, random=seed))
    assert even <= 0.1
    plain = [unevenness(Grouped(k, random=s)) for s in range(10)]
    assert even <= np.mean(plain)
    given_ = Grouped(k, random=seed, strata=y).plan(len(y), groups=groups)
    assert given_.fingerprint == (
        StratifiedGrouped(k, random=seed).plan(len(y), y=y, groups=groups).fingerprint
    )


def test_strata_may_be_a_column():
    frame = pd.DataFrame({"s": list("aabb") * 6, "g": np.arange(24) // 2})
    named = Grouped(3, random=1, strata="s").plan(frame, groups="g")
    splitter = Grouped(3, random=1, strata=frame["s"])
    assert splitter.plan(frame, groups="g").fingerprint == named.fingerprint
    assert splitter.stratified
    assert not Grouped(3).stratified


def test_of_one_stratum_are_the_groups_alone():
    groups = np.random.default_rng(3).integers(0, 30, 200)
    one = StratifiedGrouped(5, random=2).plan(200, y=["a"] * 200, groups=groups)
    assert one.fingerprint == Grouped(5, random=2).plan(200, groups=groups).fingerprint


def test_row_labels_need_data_with_labels():
    ids = pd.Series([1, 2, 1, 2], index=list("dcba"))
    assert Predefined(ids).plan(4).fold_ids.tolist() == [1, 2, 1, 2]
    groups = pd.Series(["u", "v", "u", "v"], index=list("dcba"))
    assert Grouped(2, random=1).plan(4, groups=groups).groups.tolist() == ["u", "v", "u", "v"]


FRAME = pd.DataFrame({"y": [1.0, 2.0, 3.0, 4.0], "g": [1, 1, 2, None]}, index=list("abcd"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: KFold(1), "K must be at least 2"),
        (lambda: KFold(0), "K must be at least 2"),
        (lambda: KFold(-3), "K must be at least 2"),
        (lambda: KFold(2.5), "K must be an integer"),
        (lambda: KFold("5"), "K must be an integer"),
        (lambda: KFold(True), "K must be an integer"),
        (lambda: KFold(None), "K must be an integer"),
        (lambda: Blocks(1), "K must be at least 2"),
        (lambda: Stratified(1), "K must be at least 2"),
        (lambda: Grouped(1.5), "K must be an integer"),
        (lambda: NestedPairs(2), "K must be at least 3"),
        (lambda: KFold(5).plan(4), "more folds than rows"),
        (lambda: Blocks(5).plan(4), "more folds than rows"),
        (lambda: Blocks(5, as_in_r=True).plan(4), "more folds than rows"),
        (lambda: NestedPairs(5).plan(4), "more folds than rows"),
        (lambda: Stratified(5).plan(4, y=list("aabb")), "more folds than rows"),
        (lambda: Stratified(2).plan(4), "needs the response"),
        (lambda: Stratified(2).plan(4, y=list("aaab")), "Class 'b' has fewer rows"),
        (lambda: Stratified(2).plan(4, y=["a", None, "b", "a"]), "y must not be missing"),
        (lambda: Stratified(2).plan(4, y=[1.0, np.nan, 2.0, 3.0]), "y must not be missing"),
        (lambda: Stratified(2).plan(4, y=["a", "b"]), "y needs one value per row"),
        (lambda: Stratified(2).plan(FRAME, y="z"), "y names no column"),
        (lambda: Stratified(2).plan(4, y="y"), "y names no column"),
        (lambda: Stratified(2, bins=1), "K must be at least 2"),
        (lambda: Grouped(2).plan(4), "Grouped folds need the groups"),
        (lambda: Grouped(3).plan(4, groups=list("aabb")), "fewer groups than folds"),
        (lambda: Grouped(3).plan(4, groups=list("aaaa")), "(?s)1 groups.*leave the groups out"),
        (lambda: Grouped(3).plan(4), r"group of every row: groups="),
        (lambda: Grouped(2).plan(4, groups=["a", "b", None, "a"]), "groups must not be missing"),
        (lambda: Grouped(2).plan(FRAME, groups="g"), "groups must not be missing"),
        (lambda: Grouped(2).plan(4, groups=list("ab")), "groups needs one value per row"),
        (lambda: LeaveOneGroupOut().plan(4), "Grouped folds need the groups"),
        (lambda: LeaveOneGroupOut().plan(4, groups=list("aaaa")), "fewer groups than folds"),
        (lambda: LeaveOneGroupOut().get_n_splits(), "needs the groups"),
        (lambda: StratifiedGrouped(2).plan(4, groups=list("aabb")), "needs the response"),
        (lambda: StratifiedGrouped(2).plan(4, y=list("aabb")), "Grouped folds need the groups"),
        (
            lambda: StratifiedGrouped(2).plan(6, y=list("aaaabb"), groups=list("ppqqrr")),
            r"(?s)is in fewer groups than there are folds.*1 groups for K = 2.*Grouped\(2\)",
        ),
        (
            lambda: StratifiedGrouped(3).plan(8, y=list("aaaabbbb"), groups=list("pqrsppqq")),
            "(?s)2 groups for K = 3.*K of at most 2",
        ),
        (lambda: Grouped(2, strata=list("ab")).plan(4, groups=list("aabb")), "strata needs one"),
        (
            lambda: Grouped(2, strata=list("aaab")).plan(4, groups=list("ppqr")),
            "Class 'b' has fewer rows",
        ),
        (lambda: Bootstrap(1), "resamples B must be an integer >= 2"),
        (lambda: Bootstrap(2.5), "resamples B must be an integer >= 2"),
        (lambda: Bootstrap(60, random=1).plan(3), "Some resamples have every row"),
        (lambda: KFold(2).plan(4, groups=list("ab")), "groups needs one value per row"),
        (lambda: Predefined([1, 2, 1]).plan(4), "one label per row"),
        (lambda: Predefined([1, 1, 1]), "at least 2 folds"),
        (lambda: Predefined([1, None, 2]), "fold ids must not be missing"),
        (lambda: Predefined([]), "no fold ids"),
        (lambda: Holdout(0), "test must be a share"),
        (lambda: Holdout(1.0), "test must be a share"),
        (lambda: Holdout(-0.5), "test must be a share"),
        (lambda: Holdout("half"), "test must be a share"),
        (lambda: Holdout(True), "test must be a share"),
        (lambda: Holdout(4).plan(4), "Both training and test rows"),
        (lambda: Holdout(9).plan(4), "Both training and test rows"),
        (lambda: Holdout(0.9).plan(2), "Both training and test rows"),
        (lambda: Subsampling(0), "times must be an integer"),
        (lambda: Subsampling(2.5), "times must be an integer"),
        (lambda: Subsampling(3, train=1.2), "train must be a share"),
        (lambda: Subsampling(3, train=0.1).plan(4), "Both training and test rows"),
        (lambda: TimeSeries(0), "initial must be an integer"),
        (lambda: TimeSeries(3, gap=-1), "gap must be an integer"),
        (lambda: TimeSeries(3, step=0), "step must be an integer"),
        (lambda: TimeSeries(3, window="growing"), "Unknown window"),
        (lambda: TimeSeries(4, horizon=2).plan(5), "do not fit"),
        (lambda: TimeSeries(4).get_n_splits(), "needs? the data"),
        (lambda: LeaveOneOut().get_n_splits(), "needs? the data"),
        (lambda: Repeated(KFold(3, random=1), times=2), "would be the same"),
        (lambda: Repeated(Blocks(3), times=2), "would be the same"),
        (lambda: Repeated(RFolds("mlr3", 3, seed=1), times=2), "would be the same"),
        (lambda: Repeated(3, times=2), "needs a splitter"),
        (lambda: Repeated(KFold(3), times=0), "times must be an integer"),
        (lambda: PairedHalves(train=0.4).plan(20), "Half of the rows"),
        (lambda: PairedHalves(outer=0), "outer must be an integer"),
        (lambda: PairedHalves(train=0.99).plan(20), "Both training and test rows"),
        (lambda: FiveByTwo().plan(1), "more folds than rows"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(make, message):
    with pytest.raises(FoldError, match=message):
        make()


def test_errors_say_what_was_given_and_what_to_do():
    with pytest.raises(FoldError) as caught:
        KFold(12).plan(10)
    assert str(caught.value) == (
        "There are more folds than rows: every fold needs at least one row.\n"
        "  Given: K = 12, 10 rows\n"
        "  Do this: use fewer folds, or LeaveOneOut()"
    )
    with pytest.raises(FoldError) as caught:
        Stratified(3).plan(7, y=list("aaaabcc"))
    assert str(caught.value) == (
        "Class 'b' has fewer rows than there are folds.\n"
        "  Given: 1 rows for K = 3\n"
        "  Do this: use fewer folds, join small classes, or give bins= to cut a numeric y at "
        "quantiles"
    )


def test_numbers_of_numpy_are_shown_as_numbers():
    assert repr(KFold(np.int64(3), random=np.int32(1))) == "KFold(3, random=1)"


@pytest.mark.parametrize("gap", [-1, 0.5, None, True])
def test_a_gap_is_a_number_of_rows_or_none_at_all(gap):
    with pytest.raises(FoldError, match="gap must be an integer >= 0"):
        TimeSeries(5, gap=gap)


def test_a_splitter_that_is_no_dataclass_is_told_so():
    class Halves(Splitter):
        draws = False

        def _layout(self, given, stream):
            raise NotImplementedError

        def get_n_splits(self, X=None, y=None, groups=None):
            return 2

    with pytest.raises(FoldError, match="is a dataclass"):
        Halves().plan(6)
