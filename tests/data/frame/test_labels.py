"""Row labels: the same in the same order, or unique and the same set; else an error."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.data.frame import read
from pycvstat.errors import DataError, PycvstatWarning
from pycvstat.intervals.from_losses import from_losses

CARS = pcv.data.mtcars()
X, Y = CARS[["wt", "hp"]], CARS["mpg"]
IDS = pd.Series(np.arange(32) % 4, index=CARS.index)
WEIGHTS = pd.Series(np.arange(1.0, 33.0), index=CARS.index)
GROUPS = pd.Series(np.arange(32) % 8, index=CARS.index)
LOSSES = pd.Series(np.random.default_rng(1).gamma(2.0, size=32), index=CARS.index)


def of_xy(y):
    return pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=pcv.Blocks(4)).table.losses


def of_weights(weights):
    learner = pcv.WLS()
    return pcv.cross_validate(
        learner, "mpg ~ wt", CARS, folds=pcv.Blocks(4), weights=weights
    ).table.losses


def of_groups(groups):
    folds = pcv.Grouped(4, random=1)
    return pcv.cross_validate(pcv.OLS(), "mpg ~ wt", CARS, folds=folds, groups=groups).table.losses


def of_folds(ids):
    return pcv.cross_validate(pcv.OLS(), "mpg ~ wt", CARS, folds=ids).table.losses


def of_predefined(ids):
    return of_folds(pcv.Predefined(ids))


def of_plans(ids):
    return pcv.Predefined(ids).plan(CARS).fold_ids


def of_groups_of_plans(groups):
    return pcv.Grouped(4, random=1).plan(CARS, groups=groups).fold_ids


def of_strata(y):
    return pcv.Stratified(4, random=1).plan(CARS, y=y).fold_ids


def of_column(y):
    frame = {"wt": CARS["wt"], "y": y}
    return pcv.cross_validate(pcv.OLS(), "y ~ wt", frame, folds=pcv.Blocks(4)).table.losses


def of_losses(ids):
    return from_losses(LOSSES, ids).table.fold_means()


def of_methods(losses):
    both = from_losses({"a": LOSSES, "b": losses}, IDS.to_numpy())
    return both.paired("a", "b").interval.source.losses


def of_groups_of_losses(groups):
    return from_losses(LOSSES, IDS.to_numpy(), groups=groups).plan.groups


PLACES = [
    (of_xy, Y),
    (of_weights, WEIGHTS),
    (of_groups, GROUPS),
    (of_folds, IDS),
    (of_folds, pd.DataFrame({"r1": IDS, "r2": IDS[::-1].to_numpy()})),
    (of_predefined, IDS),
    (of_plans, IDS),
    (of_groups_of_plans, GROUPS),
    (of_strata, Y),
    (of_column, Y),
    (of_losses, IDS),
    (of_methods, LOSSES + WEIGHTS),
    (of_groups_of_losses, GROUPS),
]
everywhere = pytest.mark.parametrize(
    ("of", "given"), PLACES, ids=[f"{of.__name__} {type(v).__name__}" for of, v in PLACES]
)


@everywhere
def test_rows_are_matched_by_unique_labels_and_that_is_said(of, given):
    expected = of(given)
    np.testing.assert_array_equal(of(given.to_numpy()), expected)
    with pytest.warns(PycvstatWarning, match=r"were matched to those of .* by their labels"):
        found = of(given.sample(frac=1.0, random_state=1))
    np.testing.assert_array_equal(found, expected)


@everywhere
def test_other_labels_are_an_error(of, given):
    others = given.set_axis(range(5, 37), axis=0)
    twice = given.set_axis([given.index[0], *given.index[:-1]], axis=0)
    for wrong in (others, twice, given.iloc[:31]):
        with pytest.raises(DataError, match=r"row labels of .* are not those of|different lengths"):
            of(wrong)


def test_labels_that_occur_twice_hold_in_the_same_order_only():
    twice = [1, 1, *range(30)]
    X_, y = X.set_axis(twice, axis=0), Y.set_axis(twice, axis=0)
    given = {"X": X_, "folds": pcv.Blocks(4)}
    found = pcv.cross_validate(pcv.OLS(), y=y, **given)
    np.testing.assert_array_equal(found.table.losses, of_xy(Y))
    with pytest.raises(DataError, match="1 occurs 3 times"):
        pcv.cross_validate(pcv.OLS(), y=y.sample(frac=1.0, random_state=1), **given)
    ids = IDS.set_axis(twice, axis=0)
    plan = pcv.Predefined(ids).plan(X_)
    assert plan.fold_ids.tolist() == (IDS + 1).tolist()


def test_slices_of_other_rows_are_not_paired():
    """The rows 0..49 of one and 10..59 of the other were."""
    frame = pd.DataFrame({"x": np.arange(60.0), "y": np.arange(60.0) ** 2})
    X_, y = frame[["x"]].iloc[:50], frame["y"].iloc[10:60]
    with pytest.raises(DataError, match="row labels of y are not those of the data") as refused:
        pcv.cross_validate(pcv.OLS(), X=X_, y=y, folds=5)
    assert refused.value.given == (
        "10, 11, 12, ... and 0, 1, 2, ...; 50 and 50 rows, 50 in one of them only"
    )
    with pytest.raises(DataError, match="row labels of y") as refused:
        pcv.cross_validate(pcv.OLS(), X=X_, y=frame["y"], folds=5)
    assert refused.value.given.endswith("; 60 and 50 rows, 50 in one of them only")
    assert pcv.cross_validate(pcv.OLS(), X=X_, y=y.to_numpy(), folds=5).task.n == 50


def test_rows_left_out_for_missing_values_take_their_fold_along():
    cars = CARS.assign(hp=CARS["hp"].where(CARS["hp"] > 90))
    kept = cars["hp"].notna().to_numpy()
    given = {"na": "omit", "folds": IDS[kept]}
    found = pcv.cross_validate(pcv.OLS(), "mpg ~ hp", cars, **given)
    assert found.plan.fold_ids.tolist() == (IDS[kept] + 1).tolist()
    with pytest.raises(DataError, match="fold ids are not those of the data"):
        pcv.cross_validate(pcv.OLS(), "mpg ~ hp", cars, na="omit", folds=IDS)


def test_losses_in_the_order_of_a_plan_have_labels_of_their_own():
    plan = pcv.Subsampling(3, train=0.5, random=1).plan(32)
    losses = pd.Series(np.arange(48.0))
    found = from_losses({"a": losses, "b": losses[::-1].to_numpy()}, plan, groups=None)
    assert found.names == ("a", "b")
    with pytest.warns(PycvstatWarning, match="losses of b were matched"):
        found = from_losses({"a": losses, "b": losses[::-1]}, plan)
    np.testing.assert_array_equal(found.tables["a"].losses, found.tables["b"].losses)


def test_scores_of_fits():
    scores = pd.Series([0.2, 0.3, 0.1, 0.25], index=list("abcd"))
    sizes = pd.Series([80, 81, 82, 83], index=list("abcd"))
    plain = pcv.corrected_t(scores, sizes, 20)
    with pytest.warns(PycvstatWarning, match="rows of n_train were matched to those of scores"):
        assert pcv.corrected_t(scores, sizes[::-1], 20).low == plain.low


def test_what_has_no_labels_goes_by_position():
    assert read({"x": [1, 2], "y": pd.Series([3, 4], index=[7, 9])})["y"].values.tolist() == [3, 4]
    text = pd.Index(["a", "b"], dtype="string")
    frame = {"x": pd.Series([1, 2], index=["a", "b"]), "y": pd.Series([3, 4], index=text)}
    assert read(frame).n == 2


@pytest.mark.parametrize("n", [2, 3, 4])
def test_three_labels_are_shown(n: int) -> None:
    from pycvstat.data.frame.frames import _first

    shown = ", ".join("abc"[:n]) + (", ..." if n > 3 else "")
    assert _first(pd.Index([*"abcd"[:n]])) == shown
    assert _first(pd.Index([*"abcd"[:n], "b"])).endswith(" ('b' occurs 2 times)")
