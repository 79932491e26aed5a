"""caret's rows, drawn one after the other from one stream, against caret in R."""

import numpy as np
import pandas as pd
import pytest

from pycvstat import r
from pycvstat.errors import InputError, PycvstatWarning
from tests.rscript import live_r, r_values


def case(seed):
    """A response (numbers, numbers with ties, classes in an order of their own) and settings."""
    chance = np.random.default_rng(seed)
    n, kind = int(chance.integers(6, 60)), int(chance.integers(4))
    if kind == 3:
        y = pd.Categorical.from_codes(chance.integers(0, 3, n), ["m", "B", "a"])
    else:
        y = [chance.normal(size=n), chance.integers(0, 5, n) + 2.0, chance.permutation(n)][kind]
    k, p = int(chance.integers(2, 7)), float(chance.choice([0.5, 0.75, 0.8, 0.333]))
    return y, chance.choice(list("uvwxyz"), n), k, p


def in_r(seed):
    y, groups, k, p = case(seed)
    codes = isinstance(y, pd.Categorical)
    numbers = ",".join(repr(float(v)) for v in (y.codes + 1 if codes else y))
    classes = f"factor(c('m','B','a')[c({numbers})], levels=c('m','B','a'))"
    groups = ",".join(f"'{g}'" for g in groups)
    return f"""
    y <- {classes if codes else f"c({numbers})"}; g <- c({groups}); set.seed({seed})
    show <- function(l) {{ out(length(l)); for (i in l) out(i) }}
    show(createFolds(y, {k})); show(createFolds(y, {k}, returnTrain = TRUE))
    show(createMultiFolds(y, {k}, 2)); show(createDataPartition(y, 2, {p}))
    show(createResample(y, 3)); show(groupKFold(g, {min(k, 2)}))
    s <- createTimeSlices(y, {min(k, 3)}, 2, {"TRUE" if k % 2 else "FALSE"}, {k % 3})
    show(s$train); show(s$test); out(runif(1))
    """


@live_r
@pytest.mark.filterwarnings("ignore:Some classes have")
def test_rows_and_the_stream_after_them():
    seeds = range(100)
    caret = "suppressWarnings(suppressMessages(library(caret)))\noptions(warn = -1)\n"
    values = r_values(caret + "\n".join(map(in_r, seeds)), locale="C.UTF-8")
    for seed in seeds:
        y, groups, k, p = case(seed)
        r.set_seed(seed)
        found = [
            r.caret.createFolds(y, k),
            r.caret.createFolds(y, k, returnTrain=True),
            r.caret.createMultiFolds(y, k, times=2),
            r.caret.createDataPartition(y, times=2, p=p),
            r.caret.createResample(y, times=3),
            r.caret.groupKFold(groups, min(k, 2)),
        ]
        slices = r.caret.createTimeSlices(y, min(k, 3), 2, bool(k % 2), k % 3)
        for rows in (*found, slices["train"], slices["test"]):
            assert len(rows) == values.pop(0)[0], seed
            for one in rows:
                np.testing.assert_array_equal(one, values.pop(0), f"seed {seed}")
        assert r.runif(1) == values.pop(0), seed


def test_classes_without_rows_and_with_one_are_told():
    y = pd.Categorical(list("bbbbbbbaaaaac"), ["b", "c", "a", "z"])
    r.set_seed(1)
    with pytest.warns(PycvstatWarning) as said:
        (rows, _) = r.caret.createDataPartition(y, times=2)
    assert rows.tolist() == [1, 2, 3, 5, 8, 10, 11, 13]
    assert ["no records ( z )" in str(said[0].message), "( c )" in str(said[1].message)] == [
        True
    ] * 2


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: r.caret.createFolds([1.0, np.nan, 2.0], 2), "must not be missing"),
        (lambda: r.caret.createFolds([1.0, 3.0, 2.0], 1), "folds"),
        (lambda: r.caret.createDataPartition([5.0]), "at least 2 data points"),
        (lambda: r.caret.createDataPartition([5.0, 6.0], p=1.5), "p is a share"),
        (lambda: r.caret.createDataPartition([1.0, 1.0, 1.0]), "y is constant"),
        (lambda: r.caret.groupKFold([1, 1, 2], k=3), "k should be less than 2"),
        (lambda: r.caret.createTimeSlices(range(5), 7), "longer than the series"),
        (lambda: r.caret.createResample([1.0, 2.0], times=0), "times must be a whole number"),
    ],
)
def test_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()
