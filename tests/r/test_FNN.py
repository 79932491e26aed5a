"""FNN's regression and classes by nearest neighbours, against FNN in R."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError, PycvstatWarning
from pycvstat.r.FNN import knn, knn_reg
from tests.rscript import live_r, r_values

SINGLE = 1e-6  # coordinates near 1 in the single precision of FNN's cover trees
ALGORITHMS = ("kd_tree", "cover_tree", "brute")
TEXT = (
    "text <- function(x) out(utf8ToInt(paste(capture.output(print(x)), collapse = '\\n')))\n"
    "suppressMessages(library(FNN))\n"
)


def numbers(x):
    return f"c({','.join(repr(float(v)) for v in np.ravel(x, order='F'))})"


def case(seed):
    """Rows without ties for every algorithm, tied ones for brute."""
    chance = np.random.default_rng(seed)
    n, m, p = (int(chance.integers(*ends)) for ends in ((4, 40), (1, 9), (1, 4)))
    tied = bool(seed % 2)
    size = (n + m, p)
    rows = chance.integers(0, 4, size) * 1.0 if tied else chance.normal(size=size)
    algorithm = "brute" if tied else str(chance.choice(ALGORITHMS))
    cl = chance.choice(["b", "A", "a", "Z", "10", "9"], size=n)
    return rows[:n], rows[n:], cl, chance.normal(size=n), int(chance.integers(1, n)), algorithm


@live_r
def test_predictions_votes_and_neighbours():
    seeds, code = range(400), TEXT
    for seed in seeds:
        train, test, cl, y, k, algorithm = case(seed)
        p = train.shape[1]
        code += f"""
        tr <- matrix({numbers(train)}, ncol={p}); te <- matrix({numbers(test)}, ncol={p})
        y <- {numbers(y)}; cl <- factor(c({",".join(f"'{c}'" for c in cl)}))
        a <- knn.reg(tr, te, y, {k}, "{algorithm}"); b <- knn.reg(tr, NULL, y, {k}, "{algorithm}")
        d <- knn(tr, te, cl, {k}, TRUE, "{algorithm}")
        out(a$pred); text(a); out(b$pred); out(b$residuals); out(c(b$PRESS, b$R2Pred)); text(b)
        out(as.integer(d)); out(attr(d, "prob")); out(attr(d, "nn.index")); out(attr(d, "nn.dist"))
        out(utf8ToInt(paste(levels(d), collapse = " ")))
        """
    values = r_values(code)
    words = lambda codes: "".join(map(chr, codes.astype(int)))  # noqa: E731
    for seed in seeds:
        train, test, cl, y, k, algorithm = case(seed)
        a = knn_reg(train, test, y, k, algorithm)
        b = knn_reg(train, y=y, k=k, algorithm=algorithm)
        d = knn(train, test, cl, k, True, algorithm)
        np.testing.assert_array_equal(a.pred, values.pop(0), f"seed {seed}, {algorithm}")
        assert repr(a) == words(values.pop(0))
        np.testing.assert_array_equal(b.pred, values.pop(0), f"seed {seed}, {algorithm}")
        np.testing.assert_array_equal(b.residuals, values.pop(0))
        np.testing.assert_array_equal([b.PRESS, b.R2Pred], values.pop(0))
        assert repr(b) == words(values.pop(0))
        np.testing.assert_array_equal(d.codes + 1, values.pop(0))
        np.testing.assert_array_equal(d.prob, values.pop(0))
        np.testing.assert_array_equal(np.ravel(d.nn_index, order="F"), values.pop(0))
        off = SINGLE if algorithm == "cover_tree" else 0
        distances = np.ravel(d.nn_dist, order="F")
        np.testing.assert_allclose(distances, values.pop(0), rtol=1e-15, atol=off)
        assert " ".join(d.categories) == words(values.pop(0))


TRAIN, Y = [[0.0, 1.0], [1.0, 1.0], [4.0, 2.0]], [1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: knn_reg(TRAIN, y=Y, k=3), "k should be less than sample size"),
        (lambda: knn_reg(TRAIN[:1], y=Y[:1], k=1), "two rows or more"),
        (lambda: knn_reg(TRAIN, TRAIN, Y, k=4), "k should be less than sample size"),
        (lambda: knn_reg(TRAIN, TRAIN, Y, k=0), "k must be a whole number, at least 1"),
        (lambda: knn_reg(TRAIN, TRAIN, Y[:2]), "a number for each row"),
        (lambda: knn_reg(TRAIN, TRAIN), "a number for each row"),
        (lambda: knn_reg(TRAIN, TRAIN, ["a", "b", "c"]), "a number for each row"),
        (lambda: knn_reg(TRAIN, TRAIN, [1.0, np.nan, 2.0]), "no missing values"),
        (lambda: knn_reg(TRAIN, [[1.0]], Y, k=1), "dims of test and train differ"),
        (lambda: knn_reg({"x": ["u", "v", "w"]}, y=Y, k=1), "which is text"),
        (lambda: knn_reg(TRAIN, TRAIN, Y, algorithm="tree"), "algorithm must be"),
        (lambda: knn(TRAIN, TRAIN, ["a", "b"]), "different lengths"),
        (lambda: knn(TRAIN, TRAIN, ["a", "b", "b"], k=0), "at least 1"),
        (lambda: knn(TRAIN, TRAIN, ["a", "b", "b"], use_all=True), "no argument 'use_all'"),
    ],
)
def test_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()


def test_ties_that_a_tree_may_break_otherwise_are_said():
    with pytest.warns(PycvstatWarning, match="1 rows have neighbours tied"):
        knn_reg([1.0, -1.0, 5.0], [0.0], Y, k=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert knn_reg([1.0, -1.0, 5.0], [0.0], Y, k=1, algorithm="brute").pred == [1.0]


def test_frames_and_numbers_as_classes():
    cars = pcv.data.mtcars()
    found = knn(cars[["wt", "hp"]], cars[["wt", "hp"]][:5], cars["cyl"], k=1)
    assert list(found) == cars["cyl"][:5].tolist()
    assert isinstance(found, pd.Categorical)
    assert knn_reg(cars[["wt"]], cars[["wt"]][:2], cars["mpg"], k=1).tidy().shape == (2, 1)
