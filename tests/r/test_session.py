"""One stream as in an R session: R's order of draws, its versions, and every thread by itself."""

import threading

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.errors import InputError
from pycvstat.r.kknn import cv_kknn
from tests.rscript import live_r, r_values

# R code, the same line here
DRAWS = {
    "runif(3)": lambda: r.runif(3),
    "runif(4, -1, 2)": lambda: r.runif(4, -1, 2),
    "rnorm(2, sd = 3)": lambda: r.rnorm(2, sd=3),
    "rnorm(c(7, 8, 9))": lambda: r.rnorm([7, 8, 9]),
    "rexp(2, 4)": lambda: r.rexp(2, rate=4),
    "sample(9)": lambda: r.sample(9),
    "sample(7.9)": lambda: r.sample(7.9),
    "sample(c(6))": lambda: r.sample([6]),
    "sample(c(.5))": lambda: r.sample([0.5]),
    "sample(0.25)": lambda: r.sample(0.25),
    "sample(c(4, 2, 8), 5, TRUE)": lambda: r.sample([4, 2, 8], 5, True),
    "sample(5, 3, prob = 1:5)": lambda: r.sample(5, 3, prob=range(1, 6)),
    "sample.int(1000, 4)": lambda: r.sample_int(1000, 4),
    "sample.int(2^31 - 1, 1)": lambda: r.sample_int(2**31 - 1, 1),
    "sample(1e6, 2)": lambda: r.sample(1_000_000, 2),
}
# what a script does to the stream between its draws
TURNS = {
    "set.seed({})": lambda s: r.set_seed(s),
    'RNGversion("3.5.0")': lambda s: r.RNGversion("3.5.0"),
    'RNGversion("4.2.0")': lambda s: r.RNGversion("4.2.0"),
    'RNGkind(sample.kind = "Rounding")': lambda s: r.RNGkind("Rounding"),
    'RNGkind(sample.kind = "Rejection")': lambda s: r.RNGkind("Rejection"),
    'set.seed({}, sample.kind = "Rounding")': lambda s: r.set_seed(s, sample_kind="Rounding"),
    'set.seed({}, sample.kind = "Rejection")': lambda s: r.set_seed(s, sample_kind="Rejection"),
}


@pytest.fixture(autouse=True)
def rejection():
    yield
    r.RNGkind("Rejection")


def script(seed, length):
    """A script of random turns and draws, and what it does here."""
    chance = np.random.default_rng(seed)
    code, here = [f"set.seed({seed})"], []
    r.set_seed(seed, sample_kind="Rejection")
    for _ in range(length):
        if chance.random() < 0.15:
            turn, number = chance.choice(list(TURNS)), int(chance.integers(-(2**31) + 1, 2**31))
            code.append(f"suppressWarnings({turn.format(number)})")
            TURNS[turn](number)
        draw = chance.choice(list(DRAWS))
        code.append(f"out({draw})")
        here.append(DRAWS[draw]())
    code.append('out(.Random.seed); RNGkind(sample.kind = "Rejection")')
    return "\n".join(code), [*here, r.stream().state]


@live_r
def test_scripts_of_draws_in_any_order():
    scripts = [script(seed, 40) for seed in range(60)]
    values = r_values("\n".join(code for code, _ in scripts))
    for _, here in scripts:
        for drawn in here:
            np.testing.assert_array_equal(drawn, values.pop(0))


def test_splitters_and_functions_go_on_where_the_stream_is():
    r.set_seed(1)
    first, second = (pcv.RFolds("boot", 4).plan(20, random=r.stream()) for _ in range(2))
    stream = pcv.RRandom(1)
    assert first.fingerprint == pcv.RFolds("boot", 4).plan(20, random=stream).fingerprint
    assert second.fingerprint == pcv.RFolds("boot", 4).plan(20, random=stream).fingerprint
    np.testing.assert_array_equal(r.sample(9), stream.sample(9))


def test_kknn_draws_from_the_session():
    cars = pcv.data.mtcars()
    r.set_seed(1)
    r.runif(1)
    found = cv_kknn("mpg ~ wt", cars, kcv=4, k=3)
    stream = pcv.RRandom(1)
    stream.runif(1)
    np.testing.assert_array_equal(found.folds, stream.sample(4, 32, replace=True))


def test_every_thread_is_a_session_of_its_own():
    drawn = {}

    def script(seed):
        r.set_seed(seed)
        drawn[seed] = [r.rnorm(1)[0] for _ in range(500)]

    r.set_seed(5)
    threads = [threading.Thread(target=script, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, values in drawn.items():
        np.testing.assert_array_equal(values, pcv.RRandom(seed).rnorm(500))
    np.testing.assert_array_equal(r.runif(2), pcv.RRandom(5).runif(2))


def test_without_a_seed_the_stream_starts_somewhere_and_none_starts_it_again():
    r.set_seed(None)
    first = r.stream().seed
    r.set_seed(None)
    assert r.stream().seed != first


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: r.set_seed("17"), "A seed is an integer"),
        (lambda: r.set_seed(2**31), "A seed is an integer"),
        (lambda: r.set_seed(1, sample_kind="rounding"), "Rounding"),
        (lambda: r.RNGkind("Mersenne-Twister"), "sample_kind must be"),
        (lambda: r.RNGversion("1.6.2"), "from 1.7.0 on"),
        (lambda: r.RNGversion(3.5), "from 1.7.0 on"),
        (lambda: r.sample(5, 6), "cannot be larger"),
        (lambda: r.sample("abc"), "x must be an integer n"),
        (lambda: r.sample_int([1, 2]), "n is a number"),
        (lambda: r.sample_int(0.5), "at least 1"),
        (lambda: r.rnorm(-1), "number of draws"),
        (lambda: r.rnorm("3"), "number of draws"),
        (lambda: r.runif(2, max="b"), "high must be numeric"),
        (lambda: r.rnorm(2, size=3), "no argument 'size'"),
    ],
)
def test_bad_input(call, says):
    with pytest.raises(InputError, match=says):
        call()
