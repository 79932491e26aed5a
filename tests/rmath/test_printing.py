"""Numbers as R prints them."""

import numpy as np
import pytest

from pycvstat.rmath.printing import format_numbers, rounded, table, vector
from pycvstat.rmath.random import RRandom
from tests.rscript import live_r, r_values

TEXT = "text <- function(x) out(utf8ToInt(paste(capture.output(print(x)), collapse = '\\n')))\n"
# R code of 12 numbers, the same here
NUMBERS = {
    "rnorm(12)": lambda r: r.rnorm(12),
    "exp(rnorm(12, 0, 8))": lambda r: np.exp(r.rnorm(12, 0, 8)),
    "round(rnorm(12, 0, 100), 2)": lambda r: rounded(r.rnorm(12, 0, 100), 2),
    "round(rexp(12) * 1e6)": lambda r: np.round(r.rexp(12) * 1e6),
    "rnorm(12) * 1e-7": lambda r: r.rnorm(12) * 1e-7,
    "c(0, 1e5, 1e5 + 1, NA, Inf, -Inf, 1, 2, 3, .5, 100, 7)": lambda r: np.array(
        [0, 1e5, 1e5 + 1, np.nan, np.inf, -np.inf, 1, 2, 3, 0.5, 100, 7]
    ),
    "c(1e5, 1e15, 1e-300, rep(0, 9))": lambda r: np.array([1e5, 1e15, 1e-300, *[0.0] * 9]),
}


@live_r
@pytest.mark.parametrize("code", NUMBERS)
def test_vectors_and_tables(code):
    seeds = range(40)
    lines = [
        f"set.seed({s}); x <- {code}; text(x); text(matrix(x, 4, dimnames = list("
        "c('a', 'bb', 'c', 'd'), c('one', 'a long name', 'x'))))"
        for s in seeds
    ]
    values = iter(r_values(TEXT + "\n".join(lines)))
    for seed in seeds:
        x = NUMBERS[code](RRandom(seed))
        columns = dict(zip(("one", "a long name", "x"), x.reshape(3, 4), strict=True))
        for ours in (vector(x), table(columns, ["a", "bb", "c", "d"])):
            assert ours == "".join(map(chr, next(values).astype(int)))


@live_r
def test_rounding():
    x = np.round(RRandom(1).runif(5000, -100, 100) * 1e4) / 1e4 + 0.0005
    for decimals in range(4):
        (theirs,) = r_values(
            f"set.seed(1); out(round(round(runif(5000, -100, 100) * 1e4) / 1e4 + 5e-4, {decimals}))"
        )
        np.testing.assert_array_equal(rounded(x, decimals), theirs)


def test_nothing_to_print():
    assert format_numbers([]) == []
