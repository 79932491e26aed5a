"""The averages of the table: fold means, their mean, and the mean over observations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pycvstat import rmath
from pycvstat.folds import FoldPlan, Subsampling
from pycvstat.losses import LossTable
from pycvstat.rmath.sums import EXTENDED, TOGETHER, mean_of
from tests.rscript import live_r, r_values

extended = pytest.mark.skipif(
    not EXTENDED, reason="R's bits need a long double of 64 bits: run it on x86-64 Linux"
)


@st.composite
def tables(draw):
    ids = draw(
        st.lists(st.integers(1, 4), min_size=4, max_size=30).filter(lambda x: len(set(x)) > 1)
    )
    count = draw(st.integers(1, 3))
    losses = draw(st.lists(st.floats(0, 100), min_size=len(ids) * count, max_size=len(ids) * count))
    plan = FoldPlan.from_fold_ids(ids)
    return LossTable(plan, np.array(losses).reshape(len(ids), count), "squared",
                     candidates=tuple({"k": c} for c in range(count)))  # fmt: skip


@given(tables())
def test_averages_equal_their_definitions(table):
    plan = table.plan
    by_hand = np.array(
        [table.losses[plan.offsets[i] : plan.offsets[i + 1]].mean(axis=0) for i in range(len(plan))]
    )
    # sums in another order: a few ulps of numbers up to 100
    np.testing.assert_allclose(table.fold_means(), by_hand, rtol=1e-13)
    np.testing.assert_allclose(table.estimate(), by_hand.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(table.pooled(), table.losses.mean(axis=0), rtol=1e-12, atol=1e-300)


@live_r
@extended
def test_means_are_those_of_r_to_the_last_bit():
    ids = np.random.default_rng(2).integers(1, 8, 400)
    table = LossTable(
        FoldPlan.from_fold_ids(ids), np.random.default_rng(1).normal(size=(400, 1)) ** 2
    )
    losses, fits = table.losses[:, 0], np.repeat(np.arange(7), table.plan.n_test)
    values = ", ".join(float(v).hex() for v in losses)
    (expected,) = r_values(
        f"m <- tapply(c({values}), c({', '.join(map(str, fits))}), mean); out(c(m, mean(m)))"
    )
    np.testing.assert_array_equal([*table.fold_means()[:, 0], *table.estimate()], expected)


@given(tables())
def test_means_do_not_depend_on_what_else_is_in_the_table(table):
    alone = [table.select(c) for c in range(table.losses.shape[1])]
    for c, one in enumerate(alone):
        np.testing.assert_array_equal(one.fold_means()[:, 0], table.fold_means()[:, c])
        assert one.estimate()[0] == table.estimate()[c]
        assert one.pooled()[0] == table.pooled()[c]


@given(tables())
def test_each_row_gets_its_own_loss_back(table):
    per_row = table.per_row()
    np.testing.assert_array_equal(per_row[table.plan.rows], table.losses)


def test_rows_tested_twice_are_averaged_and_untested_rows_are_nan():
    plan = FoldPlan(
        n=3, rows=np.array([0, 1, 0]), offsets=np.array([0, 2, 3]), repeat=np.array([0, 1]),
        fold=np.array([0, 0]), kind="subsampling", recipe="by hand",
    )  # fmt: skip
    table = LossTable(plan, np.array([[1.0], [2.0], [5.0]]))
    np.testing.assert_array_equal(table.per_row()[:, 0], [3.0, 2.0, np.nan])
    rows, means = table.tested_rows()
    assert rows.tolist() == [0, 1]
    assert means[:, 0].tolist() == [3.0, 2.0]
    assert table.estimate()[0] == (1.5 + 5.0) / 2
    assert table.pooled()[0] == 8.0 / 3


def test_means_of_rows_that_are_tested_often_are_those_of_r():
    draw = np.random.default_rng(3)
    plan = Subsampling(40, 0.3, random=1).plan(50)
    in_order = draw.choice([2.0**70, 1.0, -(2.0**70)], (len(plan.rows), 1))  # sums hang on it
    losses = np.append(draw.random((len(plan.rows), 1)) ** 3, in_order, axis=1)
    table = LossTable(plan, losses, candidates=({"k": 1}, {"k": 2}))
    rows, means = table.tested_rows()
    expected = [[rmath.mean(table.losses[plan.rows == row, c]) for c in (0, 1)] for row in rows]
    np.testing.assert_array_equal(means, expected)
    rough = [table.losses[plan.rows == row].mean(axis=0) for row in rows]
    assert (means != rough).any()  # the bits can tell


@pytest.mark.parametrize(("rows", "r"), [(TOGETHER, "mean"), (TOGETHER + 1, "colMeans")])
def test_long_folds_take_r_s_column_means(rows, r):
    draw = np.random.default_rng(1)
    means = []
    for _ in range(200):
        x = draw.random((rows, 1)) ** 9
        means.append((rmath.mean(x[:, 0]), float(rmath.column_sums(x)[0] / rows), x))
        if means[-1][0] != means[-1][1]:
            break
    mean, column_mean, x = means[-1]
    assert mean != column_mean  # the bits can tell
    expected = mean if r == "mean" else column_mean
    assert mean_of(iter([x[:5000], x[5000:]]), rows)[0] == expected
    plan = FoldPlan.from_fold_ids([1] * rows + [2])
    table = LossTable(plan, np.append(x, [[1.0]], axis=0))
    assert table.fold_means()[0, 0] == expected


def test_who_changes_what_a_table_gave_does_not_change_the_table():
    table = LossTable(FoldPlan.from_fold_ids([1, 1, 2]), np.array([[1.0], [2.0], [4.0]]))
    table.fold_means()[:] = 0
    table.means().means[:] = 0
    assert table.estimate()[0] == 2.75


def test_sums_beyond_the_range_of_numbers():
    table = LossTable(FoldPlan.from_fold_ids([1, 1, 2]), np.array([[1e308], [1e308], [4.0]]))
    assert np.isinf(table.total()[0])
    assert table.estimate()[0] == 0.5e308
    assert table.pooled()[0] == pytest.approx(1e308 / 1.5, rel=1e-15)  # one rounding


def test_tidy_has_one_row_per_loss_and_names_the_candidates():
    plan = FoldPlan.from_fold_ids([1, 2, 1])
    table = LossTable(plan, np.arange(6.0).reshape(3, 2), candidates=({"k": 1}, {"k": 2}))
    tidy = table.tidy()
    assert tidy.columns.tolist() == ["repeat", "fold", "row", "k", "loss"]
    assert tidy["loss"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert tidy["k"].tolist() == [1, 2] * 3
    assert tidy["row"].tolist() == [0, 0, 2, 2, 1, 1]
