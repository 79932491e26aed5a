"""RRandom without R: recorded values, states, what is refused."""

import json
import math
import pickle
from operator import length_hint
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pycvstat.errors import InputError
from pycvstat.rmath.random import RRandom, as_stream
from pycvstat.rmath.random.draws import _draws

RECORDED = Path(__file__).parents[3] / "r_reference" / "recorded"
(RNG,) = [
    case
    for case in json.loads((RECORDED / "kknn-1.4.1-seed2021.json").read_text())["cases"]
    if case["kind"] == "rng"
]


def test_recorded_draws_one_after_the_other():
    rng = RRandom(RNG["seed"])
    drawn = {
        "runif": rng.runif(5),
        "rnorm": rng.rnorm(5),
        "sample": rng.sample(10),
        "sample_big": rng.sample(1_000_000, 5),
        "sample_repl": rng.sample(7, 9, replace=True),
        "rexp": rng.rexp(3),
        "sample_n": rng.sample(1000, 6),
        "rnorm2": rng.rnorm(3, 5, 2),
    }
    assert set(drawn) == set(RNG) - {"kind", "seed"}
    for kind, values in drawn.items():
        np.testing.assert_array_equal(values, np.array(RNG[kind], dtype=float), kind)


def test_published_draws():
    # every R course prints these two
    assert RRandom(1).rnorm(1).round(7) == -0.6264538
    assert RRandom(1, sample_kind="Rounding").sample(10).tolist() == [3, 4, 5, 7, 2, 8, 9, 6, 10, 1]


@given(st.integers(-(2**31) + 1, 2**31 - 1), st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_draws_in_pieces_are_the_draws_at_once(seed, sizes):
    for draw in ("runif", "rnorm", "rexp"):
        pieces, whole = RRandom(seed), RRandom(seed)
        parts = np.concatenate([getattr(pieces, draw)(size) for size in sizes])
        np.testing.assert_array_equal(parts, getattr(whole, draw)(sum(sizes)))
        assert pieces.runif(1) == whole.runif(1)


@given(st.integers(0, 2**31 - 1), st.integers(1, 300), st.data())
def test_a_sample_without_replacement_has_no_twins(seed, n, data):
    size = data.draw(st.integers(0, n))
    drawn = RRandom(seed).sample(n, size)
    assert len(set(drawn.tolist())) == size
    assert set(drawn.tolist()) <= set(range(1, n + 1))
    np.testing.assert_array_equal(RRandom(seed).permutation(n)[:size] + 1, drawn)


def one_by_one(uniforms):
    """Ahrens and Dieter's algorithm SA as published, one uniform after the other."""
    left = iter(uniforms)
    q = np.cumsum([np.log(2) ** k / math.factorial(k) for k in range(1, 17)])
    q[-1] = 1.0
    while True:
        shift, u = 0.0, 2 * next(left)
        while u <= 1:
            shift += q[0]
            u *= 2
        u -= 1
        if u <= q[0]:
            yield shift + u
            continue
        least, k = next(left), 0
        while True:
            least = min(least, next(left))
            k += 1
            if u <= q[k]:
                break
        yield shift + least * q[0]


@given(st.lists(st.integers(1, 2**32 - 1) | st.sampled_from([2**k for k in range(32)]), min_size=60,
                max_size=90), st.integers(1, 3))  # fmt: skip
def test_exponentials_from_any_uniforms(bits, count):
    uniforms = np.array(bits) / 2.0**32
    values, used = _draws(uniforms, count)
    reference = one_by_one(uniforms)
    assert values.tolist() == [next(reference) for _ in range(count)]
    assert used == len(uniforms) - length_hint(reference.gi_frame.f_locals["left"])


def test_few_of_many_are_the_first_of_all():
    np.testing.assert_array_equal(RRandom(3).sample(5000, 7), RRandom(3).sample(5000)[:7])


def test_a_copy_goes_on_from_the_same_place():
    rng = RRandom(4)
    rng.rexp(10)
    copy = pickle.loads(pickle.dumps(rng))
    np.testing.assert_array_equal(copy.rnorm(5), rng.rnorm(5))


@pytest.mark.parametrize("seed", [1.5, "1", None, True, 2**31, -(2**31), float("nan")])
def test_seeds_that_r_would_not_take(seed):
    with pytest.raises(InputError, match="A seed is an integer"):
        RRandom(seed)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.runif(-1), "number of draws"),
        (lambda r: r.runif(2.5), "number of draws"),
        (lambda r: r.runif(2, 3, 1), "low <= high"),
        (lambda r: r.runif(2, "a"), "low must be numeric"),
        (lambda r: r.rnorm(2, sd=-1), "sd >= 0"),
        (lambda r: r.rnorm(2, mean=[]), "mean must be a number"),
        (lambda r: r.rexp(2, 0), "rates above 0"),
        (lambda r: r.sample(0), "at least 1"),
        (lambda r: r.sample("abc"), "an integer n"),
        (lambda r: r.sample(2.5), "an integer n"),
        (lambda r: r.sample([[1, 2]]), "one dimension"),
        (lambda r: r.sample([], 1), "cannot be larger"),
        (lambda r: r.sample([], 1, replace=True), "nothing to draw from"),
        (lambda r: r.sample(10**16, 1), "at most"),
        (lambda r: r.sample(3, 4), "cannot be larger"),
        (lambda r: r.sample(3, prob=[1, 2]), "2 weights for 3 values"),
        (lambda r: r.sample(3, prob=[1, -1, 2]), "not negative"),
        (lambda r: r.sample(3, prob=[1, float("nan"), 2]), "finite"),
        (lambda r: r.sample(3, prob=[1, 0, 2]), "Too few values"),
        (lambda r: r.sample(3, 1, replace=True, prob=[0, 0, 0]), "Too few values"),
        (lambda r: RRandom(1, sample_kind="rounding"), "Unknown sample_kind"),
    ],
)
def test_what_cannot_be_drawn_is_said(call, message):
    with pytest.raises(InputError, match=message):
        call(RRandom(1))


def test_empty_draws_consume_nothing():
    rng = RRandom(1)
    for empty in (rng.runif(0), rng.rnorm(0), rng.rexp(0), rng.sample(5, 0), rng.sample([])):
        assert len(empty) == 0
    assert rng.untouched
    rng.runif(1)
    assert not rng.untouched


def test_streams():
    rng = RRandom(1)
    assert as_stream(rng) is rng
    np.testing.assert_array_equal(as_stream(7).permutation(9), RRandom(7).permutation(9))
    fresh = as_stream(None)
    np.testing.assert_array_equal(fresh.runif(3), RRandom(fresh.seed).runif(3))
    assert as_stream(None).seed != as_stream(None).seed
    numpy_stream = as_stream(np.random.default_rng(1))
    assert numpy_stream.seed is None
    assert sorted(numpy_stream.permutation(5)) == [0, 1, 2, 3, 4]
    assert sorted(numpy_stream.sample(5)) == [1, 2, 3, 4, 5]
    assert set(numpy_stream.sample(["a", "b"], 9, replace=True)) <= {"a", "b"}
    assert as_stream(numpy_stream) is numpy_stream
    for draw in ("runif", "rnorm", "rexp"):
        assert len(getattr(numpy_stream, draw)(4)) == 4
    with pytest.raises(InputError, match="cannot be larger"):
        numpy_stream.sample(3, 4)
    for wrong in ("1", 1.5, True, np.random.RandomState(1)):
        with pytest.raises(InputError):
            as_stream(wrong)


@pytest.mark.parametrize("kind", ["Rejection", "Rounding"])
@pytest.mark.parametrize("n", [2, 11, 1000, 32_768, 32_769, 70_000, 300_000])
def test_many_cards_are_dealt_by_compiled_code_as_few_are(monkeypatch, kind, n):
    """Those of R: 2^15 is where a try begins to take two outputs, 2^17 where batches end."""
    for count in (n, n // 2 + 1):
        few, many = RRandom(n, kind), RRandom(n, kind)
        expected = few.sample(n, count)
        monkeypatch.setattr("pycvstat.rmath.random.generator._COMPILED_ABOVE", 0)
        assert np.array_equal(many.sample(n, count), expected)
        assert many.runif(3).tolist() == few.runif(3).tolist()
        monkeypatch.undo()
