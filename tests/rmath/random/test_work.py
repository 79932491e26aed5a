"""How much is drawn and held at a time, and by which of two ways the same cards are dealt."""

from __future__ import annotations

import copy
import tracemalloc
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

from pycvstat.rmath.random import RRandom, as_stream, compiled, draws, generator, sampling
from pycvstat.rmath.random.draws import BitStream

Draw = Callable[[RRandom], Any]


def looked(draw: Draw) -> list[int]:
    """How many outputs a draw looks at, in turn."""
    counts, peek = [], BitStream.peek

    def noted(stream: BitStream, count: int) -> Any:
        counts.append(count)
        return peek(stream, count)

    with mock.patch.object(BitStream, "peek", noted):
        draw(RRandom(1))
    return counts


LOOKED: dict[str, tuple[Draw, list[int]]] = {
    # twice as many tries as are missing, for half may be refused, and 16 for a draw that is long
    "5 exponentials": (lambda r: r.rexp(5), [26]),
    "5 of 3 again": (lambda r: r.sample(3, 5, replace=True), [26]),
    "5 of 2^16 again, of two outputs": (lambda r: r.sample(2**16, 5, replace=True), [52]),
    "40 cards": (lambda r: r.permutation(40), [96]),
    "many cards, of two outputs": (lambda r: r.sample(70_000, 20_000), [2 * 2**15]),
    "more of three by compiled code": (
        lambda r: compiled.drawn(r._stream, 3, 150_000, replace=True, rounding=True),
        [2**18],
    ),
    # what takes one output or two is looked at exactly
    "5 normals": (lambda r: r.rnorm(5), [10]),
    "5 of 3, old sampling": (lambda r: RRandom(4, "Rounding").sample(3, 5, True), [5]),
}


@pytest.mark.parametrize("name", LOOKED)
def test_outputs_that_are_looked_at(name: str) -> None:
    draw, expected = LOOKED[name]
    assert looked(draw) == expected


def made(counts: list[int]) -> list[int]:
    """How many outputs have been made, after each of these has been taken."""
    stream, found = BitStream(3), []
    for count in counts:
        stream.take(count)
        found.append(stream.consumed + len(stream._ahead))
    return found


MADE = {
    (1,): [1024],
    (1024, 1): [1024, 2048],
    (1025, 1): [1025, 2049],
    (1000, 30, 3000): [1024, 2048, 4030],
    (1000, 2000): [1024, 3000],
}


@pytest.mark.parametrize("counts", MADE)
def test_outputs_are_made_a_thousand_at_a_time_and_more_where_more_are_asked_for(
    counts: tuple[int, ...],
) -> None:
    assert made([*counts]) == MADE[counts]


def shared() -> int:
    """How often outputs are made for two generators from one seed."""
    with mock.patch.object(draws, "_first_outputs", wraps=draws._first_outputs) as noted:
        for one in compiled.started(4):
            one.sample(9)
    return noted.call_count


def test_two_generators_from_one_seed_share_what_was_made() -> None:
    assert shared() == 1


def held(then: Callable[[BitStream], Any]) -> int:
    """Bytes that are held at once after many outputs were consumed."""
    stream = BitStream(5)
    stream.take(200_000)
    tracemalloc.start()
    then(stream)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


GOES_ON: dict[str, Callable[[BitStream], Any]] = {
    "state": lambda stream: stream.words(),
    "copy": lambda stream: copy.deepcopy(stream).take(1),
}


@pytest.mark.parametrize("name", GOES_ON)
def test_outputs_that_are_passed_over_are_not_held(name: str) -> None:
    assert held(GOES_ON[name]) < 100_000


def laid_out(n: int, count: int) -> bool:
    """Whether a whole deck is laid out to deal some cards."""
    notes = []

    class Noted(sampling._Untouched):
        def __init__(self) -> None:
            notes.append(self)

    with mock.patch.object(sampling, "_Untouched", Noted):
        RRandom(6).sample(n, count)
    return not notes


@pytest.mark.parametrize(("n", "whole"), [(100, True), (1599, True), (1600, False)])
def test_a_deck_is_laid_out_where_more_than_a_16th_of_it_is_dealt(n: int, whole: bool) -> None:
    assert laid_out(n, 100) is whole


def ways() -> list[str]:
    """Which code deals cards: a million and one more, and five of so many to a compiled deck."""
    many = 2**20
    with (
        mock.patch.object(compiled, "drawn", return_value="compiled"),
        mock.patch.object(generator, "dealt", return_value="plain"),
    ):
        found: list[Any] = [
            RRandom(1)._places(2 * many, count, False, None) for count in (many, many + 1)
        ]
        return found + [compiled.Compiled(1)._places(n, 5, False, None) for n in (many, many + 1)]


def test_more_than_a_million_cards_are_dealt_by_compiled_code() -> None:
    assert ways() == ["plain", "compiled", "compiled", "plain"]


def greatest_seed() -> int | None:
    with mock.patch("secrets.randbelow", lambda above: above - 1):
        return as_stream(None).seed


def test_a_seed_is_drawn_from_all_that_r_takes() -> None:
    assert greatest_seed() == 2**31 - 1


def in_small_steps(draw: Draw) -> list[Any]:
    """A draw and the next uniform where few tries are looked at and hashing begins at once."""
    few = {"ahead": lambda count: count + 17, "_BATCH": 9}
    with (
        mock.patch.object(draws, "ahead", few["ahead"]),
        mock.patch.multiple(sampling, **few),
        mock.patch.multiple(compiled, **few),
    ):
        rng = RRandom(7)
        return [draw(rng), rng.runif(1)]


AGAIN: dict[str, Draw] = {
    "exponentials": lambda r: r.rexp(300),
    "of a range": lambda r: r.sample(2**9 + 1, 300, replace=True),
    "of a range of two outputs": lambda r: r.sample(2**16 + 1, 300, replace=True),
    "cards": lambda r: r.permutation(300),
    "cards of two outputs": lambda r: r.sample(2**16 + 1, 300),
    "by aliases": lambda r: r.sample(260, 300, True, range(1, 261)),
    "by compiled code": lambda r: compiled.drawn(r._stream, 300, 300, False, False),
    "by compiled code, old sampling": lambda r: compiled.drawn(r._stream, 300, 300, False, True),
}


@pytest.mark.parametrize("name", AGAIN)
def test_how_much_is_looked_at_changes_no_draw(name: str) -> None:
    rng = RRandom(7)
    drawn, then = in_small_steps(AGAIN[name])
    assert drawn.tolist() == AGAIN[name](rng).tolist()
    assert then == rng.runif(1)
