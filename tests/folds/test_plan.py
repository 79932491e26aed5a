"""FoldPlan: what it promises, what it refuses, what it says about unsound folds."""

import pickle

import numpy as np
import pytest

from pycvstat.errors import FoldError
from pycvstat.folds import Blocks, FoldPlan, Grouped, KFold, Repeated


def plan_of(rows, offsets, n=5, **more):
    fits = len(offsets) - 1
    given = {"kind": "predefined", "recipe": "by hand", "repeat": np.zeros(fits, int),
             "fold": np.arange(fits)} | more  # fmt: skip
    return FoldPlan(n, np.array(rows), np.array(offsets), given.pop("repeat"), given.pop("fold"),
                    **given)  # fmt: skip


def test_fits_are_train_and_test_rows():
    plan = plan_of([3, 1, 0, 2, 4], [0, 2, 5])
    fits = [(train.tolist(), test.tolist()) for train, test in plan]
    assert fits == [([0, 2, 4], [1, 3]), ([1, 3], [0, 2, 4])]
    assert len(plan) == 2
    assert plan.n_test.tolist() == [2, 3]
    assert plan.n_train.tolist() == [3, 2]
    assert plan.is_partition
    assert plan.fold_ids.tolist() == [2, 1, 2, 1, 2]


def test_plans_are_frozen():
    plan = KFold(2, random=1).plan(6)
    with pytest.raises(AttributeError):
        plan.n = 7
    with pytest.raises(ValueError, match="read-only"):
        plan.rows[0] = 1


def test_fingerprints_tell_plans_apart():
    first = KFold(3, random=1).plan(9)
    assert first.fingerprint == KFold(3, random=1).plan(9).fingerprint
    assert first.fingerprint == pickle.loads(pickle.dumps(first)).fingerprint
    others = [
        KFold(3, random=2).plan(9),
        KFold(3, random=1).plan(10),
        plan_of([0, 1, 2, 3], [0, 2, 4], n=4),
        plan_of([0, 1, 2, 3], [0, 1, 4], n=4),
        plan_of([0, 1, 2, 3], [0, 2, 4], n=5),
        plan_of([0, 1, 2, 3], [0, 2, 4], n=5, train=(np.array([2, 3]), np.array([0, 1]))),
    ]
    assert len({first.fingerprint, *(other.fingerprint for other in others)}) == 7


def test_fingerprint_is_that_of_every_platform():
    # fixed once: stored results must be recognised by later versions
    assert Blocks(2).plan(4).fingerprint == (
        "68149fd0b788894779469d258310843fd22bacc570b8ccf9edec6a192c9713f1"
    )


def test_training_rows_that_are_just_the_rest_are_not_kept():
    rest = plan_of([0, 1, 2, 3, 4], [0, 2, 5], train=(np.array([4, 3, 2]), np.array([0, 1])))
    assert rest.train is None
    some = plan_of([0, 1, 2, 3, 4], [0, 2, 5], train=(np.array([4, 3]), np.array([0, 1])))
    assert some.train_rows(0).tolist() == [3, 4]


def test_leave_one_out_of_many_rows_is_small():
    plan = FoldPlan.from_fold_ids(np.arange(5000))
    assert plan.kind == "loo"
    assert sum(getattr(plan, name).nbytes for name in ("rows", "offsets", "repeat", "fold")) < 2e5
    assert len(plan.train_rows(17)) == 4999


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: plan_of([0, 5], [0, 1, 2]), "(?s)outside the data.*Given: row 5"),
        (lambda: plan_of([0, -1], [0, 1, 2]), "(?s)outside the data.*Given: row -1"),
        (lambda: plan_of([0, 1], [0, 0, 2]), "Fit 1 has no test rows"),
        (lambda: plan_of([0, 1], [0, 1]), "offsets"),
        (lambda: plan_of([0, 1], [1, 2]), "offsets"),
        (lambda: plan_of([2, 2, 1], [0, 2, 3]), "Row 3 is listed twice in the test rows of fit 1"),
        (lambda: plan_of([0.5, 1], [0, 1, 2]), "integers"),
        (lambda: plan_of([0, 1, 2, 3, 4], [0, 5]), "no rows left to train on"),
        (lambda: plan_of([0, 1], [0, 1, 2], train=(np.array([3]),)), "train must have 2"),
        (lambda: plan_of([0, 1], [0, 1, 2], train=(np.array([3]), np.array([9]))), "training row"),
        (lambda: plan_of([0, 1], [0, 1, 2], groups=np.arange(4)), "groups must have 5"),
        (lambda: plan_of([0, 1], [0, 1, 2], left_out=((1,),)), "left_out must have 2"),
        (lambda: plan_of([0, 1], [0, 1, 2], fold=np.arange(3)), "fold must have 2"),
        (lambda: plan_of([0, 1], [0, 1, 2], fold=np.array([-1, 0])), "fold counts from 0"),
        (lambda: plan_of([0, 1], [0, 1, 2], repeat=np.array([-1, 0])), "repeat counts from 0"),
        (lambda: plan_of([0, 1], [0, 1, 2], repeat=np.array([0, 2])), "repeat counts from 0"),
        (lambda: plan_of([0, 1], [0, 1, 2], kind="jackknife"), "Unknown kind"),
        (lambda: plan_of([0], [0, 1], n=1), "at least 2 rows"),
        (lambda: KFold(3).plan(10**30), "at most 2,147,483,647 rows"),
        (lambda: plan_of([0], [0, 1], n=2.5), "must be an integer"),
        (lambda: FoldPlan.from_rows([], n=3), "no fold in the list"),
    ],
)
def test_impossible_plans_are_refused(make, message):
    with pytest.raises(FoldError, match=message):
        make()


def test_check_says_what_r_silently_does():
    plan = Blocks(49, as_in_r=True).plan(50)
    with pytest.raises(FoldError, match="row 50 is tested 25 times"):
        plan.check()
    assert plan.check(refuse=False) == ("row 50 is tested 25 times",)


def test_check_of_imported_folds():
    overlapping = FoldPlan.from_rows([[1, 2], [2, 3], [5]], n=6, first=1)
    assert overlapping.check(refuse=False) == (
        "row 2 is tested 2 times",
        "rows 4, 6 are never tested",
    )
    leaking = FoldPlan.from_splits([([0, 1, 2], [2]), ([2], [0, 1])], n=3)
    assert leaking.check(refuse=False) == ("row 3 is both trained on and tested in fit 1",)
    groups = np.array(["a", "a", "b", "b"])
    split = FoldPlan.from_fold_ids([1, 2, 1, 1], groups=groups)
    assert split.check(refuse=False) == (
        "group a is both trained on and tested in fit 1",
        "group a is both trained on and tested in fit 2",
    )
    assert Grouped(2, random=1).plan(4, groups=groups).check() == ()


def test_check_names_repetitions_and_keeps_long_lists_short():
    ids = np.array([[1, 1], [2, 2], [1, 2]])
    plan = FoldPlan.from_fold_ids(ids)
    assert plan.check() == ()
    repeat = np.array([0, 0, 1, 1])
    broken = plan_of([0, 1, 0, 2, 1, 2], [0, 2, 4, 5, 6], n=3, repeat=repeat, kind="kfold")
    assert broken.check(refuse=False) == (
        "row 1 is tested 2 times in repetition 1",
        "row 1 is never tested in repetition 2",
    )
    many = FoldPlan.from_rows([range(30), range(30)], n=31)
    problems = many.check(refuse=False)
    assert problems[0] == "row 1 is tested 2 times"
    assert problems[-1] == "and 21 more problems"


def test_fold_ids_exist_for_partitions_only():
    repeated = Repeated(KFold(2), times=3, random=1).plan(6)
    assert repeated.fold_ids.shape == (6, 3)
    overlapping = Blocks(6, as_in_r=True).plan(10)
    with pytest.raises(FoldError, match="tested exactly once") as caught:
        _ = overlapping.fold_ids
    assert "tested 1 to 2 times per repetition" in str(caught.value)
    assert "plan.tidy()" in str(caught.value)


def test_tidy_has_a_line_for_every_test():
    table = Repeated(KFold(2), times=2, random=1).plan(3).tidy()
    assert list(table.columns) == ["fit", "repeat", "fold", "row"]
    assert table["fit"].tolist() == [1, 1, 2, 3, 3, 4]
    assert table["repeat"].tolist() == [1, 1, 1, 2, 2, 2]
    assert table.groupby("repeat")["row"].apply(sorted).tolist() == [[0, 1, 2]] * 2


def test_plans_name_themselves():
    assert repr(KFold(2, random=1).plan(3)) == "<FoldPlan KFold(2, random=1): 2 fits on 3 rows>"
