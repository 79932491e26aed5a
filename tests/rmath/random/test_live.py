"""RRandom against a live R, bit for bit."""

import numpy as np
import pytest

from pycvstat.rmath.random import RRandom
from pycvstat.rmath.random.draws import quantiles
from tests.rscript import live_r, r_values

MILLION = 1_000_000
SEEDS = [0, 1, 2, 42, 2021, 123456789, 2**31 - 1, -1, -7, -(2**31 - 1)]

# R call, the same call here
KINDS = {
    "runif": ("runif(1e6)", lambda r: r.runif(MILLION)),
    "rnorm": ("rnorm(1e6)", lambda r: r.rnorm(MILLION)),
    "rexp": ("rexp(1e6)", lambda r: r.rexp(MILLION)),
    "sample": ("sample(1e6)", lambda r: r.sample(MILLION)),
    "sample some": ("sample(3e6, 1e6)", lambda r: r.sample(3 * MILLION, MILLION)),
    "sample replace": (
        "sample(7e5, 1e6, TRUE)",
        lambda r: r.sample(700_000, MILLION, replace=True),
    ),
    "sample hash": ("sample(2e7, 1e6)", lambda r: r.sample(20 * MILLION, MILLION)),
    "sample hash, many": (
        "sample(10000001, 3.4e6)",
        lambda r: r.sample(10 * MILLION + 1, 3_400_000),
    ),
    "sample prob": (
        "sample(100, 1e6, TRUE, prob = c(1:99, 0))",
        lambda r: r.sample(100, MILLION, replace=True, prob=[*range(1, 100), 0]),
    ),
    "sample Walker": (
        "sample(1000, 1e6, TRUE, prob = 1:1000)",
        lambda r: r.sample(1000, MILLION, replace=True, prob=range(1, 1001)),
    ),
    "sample prob without": (
        "sample(12000, prob = rep(1:4, 3000))",
        lambda r: r.sample(12_000, prob=[1, 2, 3, 4] * 3000),
    ),
}


@live_r
@pytest.mark.parametrize(
    ("kind", "sample_kind"),
    [(kind, "Rejection") for kind in KINDS]
    + [(kind, "Rounding") for kind in KINDS if kind.startswith("sample")],
)
def test_a_million_draws(kind, sample_kind):
    call, here = KINDS[kind]
    rng = RRandom(2024, sample_kind=sample_kind)
    draws, after = r_values(
        f'suppressWarnings(RNGkind(sample.kind = "{sample_kind}"))\n'
        f"set.seed(2024); out({call}); out(runif(3))"
    )
    np.testing.assert_array_equal(here(rng), draws)
    np.testing.assert_array_equal(rng.runif(3), after)  # no more and no less was consumed


MIXTURE = """
  out(runif(3)); out(rnorm(3, 5, 2)); out(sample(10)); out(rexp(2, 3)); out(sample(1e5, 4))
  out(sample(7, 9, TRUE)); out(sample(65536, 3)); out(sample(65537, 3)); out(sample(1, 1))
  out(sample(5, 5, prob = c(.3, .3, .2, .1, .1))); out(sample(3, 4, TRUE, prob = c(1, 0, 2)))
  out(sample(2147483647, 3)); out(sample(2147483648, 3)); out(sample(3e9, 2, TRUE))
  out(sample(1e12, 2)); out(sample(1e15, 2, TRUE)); out(sample(300, 3, TRUE, prob = 300:1))
  out(rnorm(4, c(0, 10), c(1, 0))); out(runif(4, c(-1, 2), 2)); out(rexp(3, c(1, Inf)))
  out(rnorm(2, c(Inf, 0))); out(sample(c(10, 20, 30))); out(sample(10, 0)); out(sample(1e7, 2))
  out(sample(4, 1, prob = 4:1)); out(sample(300, 1, prob = 300:1)); out(rexp(5)); out(rnorm(5))
"""


def mixture(rng):
    return [
        rng.runif(3), rng.rnorm(3, 5, 2), rng.sample(10), rng.rexp(2, 3), rng.sample(100_000, 4),
        rng.sample(7, 9, replace=True), rng.sample(65536, 3), rng.sample(65537, 3),
        rng.sample(1, 1),
        rng.sample(5, 5, prob=[0.3, 0.3, 0.2, 0.1, 0.1]),
        rng.sample(3, 4, replace=True, prob=[1, 0, 2]),
        rng.sample(2**31 - 1, 3), rng.sample(2**31, 3), rng.sample(3 * 10**9, 2, replace=True),
        rng.sample(10**12, 2), rng.sample(10**15, 2, replace=True),
        rng.sample(300, 3, replace=True, prob=range(300, 0, -1)),
        rng.rnorm(4, [0, 10], [1, 0]), rng.runif(4, [-1, 2], 2), rng.rexp(3, [1, np.inf]),
        rng.rnorm(2, [np.inf, 0]), rng.sample([10, 20, 30]), rng.sample(10, 0),
        rng.sample(10**7, 2),
        rng.sample(4, 1, prob=[4, 3, 2, 1]), rng.sample(300, 1, prob=range(300, 0, -1)),
        rng.rexp(5), rng.rnorm(5),
    ]  # fmt: skip


@live_r
@pytest.mark.parametrize("sample_kind", ["Rejection", "Rounding"])
def test_draws_of_any_kind_follow_each_other_from_any_seed(sample_kind):
    random_seeds = np.random.default_rng(20260101).integers(-(2**31) + 1, 2**31, 40).tolist()
    seeds = SEEDS + random_seeds
    values = r_values(
        f'suppressWarnings(RNGkind(sample.kind = "{sample_kind}"))\n'
        f"for (s in c({', '.join(map(str, seeds))})) {{ set.seed(s)\n{MIXTURE} }}"
    )
    for seed in seeds:
        for draw, here in enumerate(mixture(RRandom(seed, sample_kind=sample_kind))):
            np.testing.assert_array_equal(here, values.pop(0), f"seed {seed}, draw {draw}")
    assert not values


@live_r
def test_walker_starts_above_200_likely_values():
    values = r_values(
        "for (n in 199:202) { set.seed(n); out(sample(n, 9, TRUE, rep(1, n))); "
        "p <- c(rep(1, n), rep(1e-4, 50)); out(sample(n + 50, 9, TRUE, p)) }"
    )
    for n in range(199, 203):
        rng = RRandom(n)
        same = rng.sample(n, 9, replace=True, prob=[1] * n)
        np.testing.assert_array_equal(same, values.pop(0))
        uneven = rng.sample(n + 50, 9, replace=True, prob=[1] * n + [1e-4] * 50)
        np.testing.assert_array_equal(uneven, values.pop(0))


@live_r
def test_ties_of_probabilities_fall_as_in_revsort():
    sizes = [2, 3, 4, 5, 8, 15, 16, 17, 33, 64, 199]
    values = r_values(
        f"set.seed(5); for (n in c({', '.join(map(str, sizes))})) {{\n"
        "p <- sample(3, n, TRUE); out(p)\n"
        "out(sample(n, prob = p)); out(sample(n, 2 * n, TRUE, prob = p)) }"
    )
    rng = RRandom(5)
    for n in sizes:
        p = rng.sample(3, n, replace=True)
        np.testing.assert_array_equal(p, values.pop(0))
        np.testing.assert_array_equal(rng.sample(n, prob=p), values.pop(0))
        np.testing.assert_array_equal(rng.sample(n, 2 * n, replace=True, prob=p), values.pop(0))


@live_r
def test_walker_aliases_with_uneven_weights():
    (weights, with_w, after) = r_values(
        "set.seed(8); p <- rexp(5000); out(p); out(sample(5000, 1e5, TRUE, p)); out(runif(1))"
    )
    rng = RRandom(8)
    p = rng.rexp(5000)
    np.testing.assert_array_equal(p, weights)
    np.testing.assert_array_equal(rng.sample(5000, 100_000, replace=True, prob=p), with_w)
    assert rng.runif(1)[0] == after[0]


@live_r
def test_walker_aliases_when_an_index_takes_two_outputs():
    rng = RRandom(9)
    p = rng.rexp(70_000)
    drawn, after = r_values(
        "set.seed(9); p <- rexp(7e4); out(sample(7e4, 2e4, TRUE, p)); out(runif(1))"
    )
    np.testing.assert_array_equal(rng.sample(70_000, 20_000, replace=True, prob=p), drawn)
    assert rng.runif(1)[0] == after[0]


@live_r
def test_normal_quantiles_far_into_the_tails():
    # the formula changes at |p - .5| = .425 and at sqrt(-log(p)) = 5
    p, expected = r_values(
        "p <- c(10^-(1:299), exp(-seq(4.8, 5.2, .002)^2), seq(.001, .999, .0005))\n"
        "p <- c(p, 1 - p[p > 1e-12]); out(p); out(qnorm(p))"
    )
    np.testing.assert_array_equal(quantiles(p), expected)
