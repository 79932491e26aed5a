"""class's k nearest neighbours: votes, ties, doubt and every draw, against class in R."""

import numpy as np
import pandas as pd
import pytest

from pycvstat import r
from pycvstat.errors import InputError, PycvstatWarning
from pycvstat.r.class_ import knn, knn1, knn_cv
from tests.rscript import live_r, r_values


def numbers(x):
    return f"c({','.join(repr(float(v)) for v in np.ravel(x, order='F'))})"


def rows(chance, kind, size, p):
    """Rows without ties, on a coarse or a fine grid, or tied up to what class takes for equal."""
    if kind == 0:
        return chance.normal(size=(size, p))
    if kind == 1:
        return chance.integers(0, 4, size=(size, p)).astype(float)
    if kind == 2:
        near = chance.choice([0, 1e-5, 2e-5, 4e-5, 1e-4], size=(size, p))
        return chance.integers(0, 3, size=(size, p)) + near
    return np.round(chance.normal(size=(size, p)), 1)


def case(seed):
    """Rows, classes and settings."""
    chance = np.random.default_rng(seed)
    n, m, p = (int(chance.integers(*ends)) for ends in ((3, 40), (1, 12), (1, 4)))
    kind, classes = int(chance.integers(4)), int(chance.integers(1, 6))
    train, test = rows(chance, kind, n, p), rows(chance, kind, m, p)
    cl = chance.integers(0, classes, size=n)
    k = int(chance.integers(1, n if chance.random() < 0.5 else min(n, 4)))
    settings = {"k": k, "l": int(chance.choice([0, 0, 0, 1, 2, 3, k]))}
    return train, test, cl, classes, settings | {"use_all": bool(chance.random() < 0.5)}


def in_r(seed):
    train, test, cl, classes, s = case(seed)
    p = train.shape[1]
    given = f"k={s['k']}, l={s['l']}, prob=TRUE, use.all={str(s['use_all']).upper()}"
    return f"""
    tr <- matrix({numbers(train)}, ncol={p}); te <- matrix({numbers(test)}, ncol={p})
    cl <- factor({numbers(cl)}, levels=0:{classes - 1}); set.seed({seed})
    a <- knn(tr, te, cl, {given}); b <- knn.cv(tr, cl, {given})
    d <- knn1(tr, te, cl); u <- runif(1)
    for (f in list(a, b)) {{ out(ifelse(is.na(f), 0, as.integer(f))); out(attr(f, "prob")) }}
    out(as.integer(d)); out(u)
    """


@live_r
def test_votes_shares_and_draws():
    seeds = range(1500)
    values = r_values("suppressMessages(library(class))\n" + "\n".join(map(in_r, seeds)))
    for seed in seeds:
        train, test, cl, classes, settings = case(seed)
        cl = pd.Categorical.from_codes(cl, [str(i) for i in range(classes)])
        r.set_seed(seed)
        a = knn(train, test, cl, prob=True, **settings)
        b = knn_cv(train, cl, prob=True, **settings)
        d, u = knn1(train, test, cl), r.runif(1)
        for found in (a.codes + 1, a.prob, b.codes + 1, b.prob, d.codes + 1, u):
            np.testing.assert_array_equal(found, values.pop(0), f"seed {seed}, {settings}")


@live_r
def test_where_class_stops_for_too_many_ties():
    stops = (
        "tryCatch({{ knn({}, matrix(0), factor(rep(1:2, length.out = {})), k = {}); 0 }},"
        " error = function(e) 1)"
    )
    grid = [
        ("matrix(as.double(1:2000))", np.arange(1.0, 2001), 499),
        ("matrix(as.double(1:2000))", np.arange(1.0, 2001), 500),
        ("matrix(rep(1, 998))", np.ones(998), 1),
        ("matrix(rep(1, 999))", np.ones(999), 1),
        ("matrix(c(rep(2, 999), 1))", np.append(np.full(999, 2.0), 1.0), 1),
        ("matrix(c(1, rep(2, 999)))", np.append(1.0, np.full(999, 2.0)), 1),
        ("matrix(c(1, rep(2, 997)))", np.append(1.0, np.full(997, 2.0)), 2),
        ("matrix(c(1, rep(2, 998)))", np.append(1.0, np.full(998, 2.0)), 2),
    ]
    code = "\n".join(f"out({stops.format(m, len(x), k)})" for m, x, k in grid)
    for (_, x, k), stopped in zip(
        grid, r_values("suppressMessages(library(class))\n" + code), strict=True
    ):
        cl = np.resize([1, 2], len(x))
        if stopped[0]:
            with pytest.raises(InputError, match="too many ties"):
                knn(x, [0.0], cl, k=k)
        else:
            knn(x, [0.0], cl, k=k)


TRAIN, CL = [[0.0, 1.0], [1.0, 1.0], [4.0, 2.0]], ["a", "b", "b"]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: knn(TRAIN, TRAIN, CL, k=0), "k = 0 must be at least 1"),
        (lambda: knn(TRAIN, TRAIN, CL, k=1.5), "k must be a whole number"),
        (lambda: knn(TRAIN, TRAIN, CL, l="1"), "l must be a whole number"),
        (lambda: knn(TRAIN, [[1.0]], CL), "dims of test and train differ"),
        (lambda: knn(TRAIN, TRAIN, ["a", "b"]), "different lengths"),
        (lambda: knn(TRAIN, [[np.nan, 1.0]], CL), "no missing values are allowed"),
        (lambda: knn(TRAIN, TRAIN, ["a", None, "b"]), "no missing values are allowed"),
        (lambda: knn({"x": ["u", "v", "w"]}, TRAIN, CL), "'x', which is text"),
        (lambda: knn("abc", TRAIN, CL), "must be numbers in rows and columns"),
        (lambda: knn(np.zeros((0, 2)), TRAIN, []), "must be numbers in rows and columns"),
        (lambda: knn(TRAIN, TRAIN, CL, K=3), "no argument 'K'"),
        (lambda: knn_cv([[1.0]], ["a"]), "must be at least 1"),
    ],
)
@pytest.mark.filterwarnings("ignore:k = 1 exceeds")
def test_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()


def test_more_neighbours_than_rows_are_all_rows():
    with pytest.warns(PycvstatWarning, match="k = 9 exceeds number 3 of patterns"):
        found = knn(TRAIN, TRAIN, CL, k=9, prob=True)
    assert list(found) == ["b", "b", "b"]
    np.testing.assert_array_equal(found.prob, [2 / 3] * 3)


def test_classes_keep_their_names_and_levels():
    numbers = knn(TRAIN, TRAIN, [0, 1, 1])
    assert (numbers == np.array([0, 1, 1])).all()
    levels = pd.Categorical(CL, ["z", "b", "a"])
    assert list(knn(TRAIN, TRAIN, levels).categories) == ["z", "b", "a"]
    assert list(knn(TRAIN, TRAIN, [True, False, False])) == [True, False, False]


def test_doubt_is_missing():
    found = knn([1.0, 2.0, 3.0, 3.0], [0.0], ["a", "b", "b", "a"], k=3, l=3, prob=True)
    assert found.tidy()["class"].isna().all()
    np.testing.assert_array_equal(found.prob, [0.75])


def test_a_test_of_one_dimension_is_one_row_and_a_single_class_wins():
    assert list(knn(TRAIN, [0.0, 1.0], CL)) == ["a"]
    assert list(knn(TRAIN, TRAIN, ["a", "a", "a"], k=2)) == ["a"] * 3
