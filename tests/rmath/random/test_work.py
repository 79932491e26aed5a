"""How much is drawn and held at a time, and by which of two ways the same cards are dealt."""

from __future__ import annotations

import copy
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from pycvstat.rmath.random import RRandom, as_stream, compiled, draws, generator
from pycvstat.rmath.random.draws import BitStream

LOOKED: dict[str, tuple[Callable[[RRandom], Any], list[int]]] = {
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
def test_outputs_that_are_looked_at(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked, peek = [], BitStream.peek

    def noted(stream: BitStream, count: int) -> Any:
        looked.append(count)
        return peek(stream, count)

    monkeypatch.setattr(BitStream, "peek", noted)
    draw, expected = LOOKED[name]
    draw(RRandom(1))
    assert looked == expected


@pytest.mark.parametrize(
    ("counts", "made"),
    [
        ([1], [1024]),
        ([1024, 1], [1024, 2048]),
        ([1025, 1], [1025, 2049]),
        ([1000, 30, 3000], [1024, 2048, 4030]),
        ([1000, 2000], [1024, 3000]),
    ],
)
def test_outputs_are_made_a_thousand_at_a_time_and_more_where_more_are_asked_for(
    counts: list[int], made: list[int]
) -> None:
    stream = BitStream(3)
    for count, expected in zip(counts, made, strict=True):
        stream.take(count)
        assert stream.consumed + len(stream._ahead) == expected


def test_two_generators_from_one_seed_share_what_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    first_outputs = draws._first_outputs

    def noted(seed: int, count: int) -> Any:
        made.append(seed)
        return first_outputs(seed, count)

    monkeypatch.setattr(draws, "_first_outputs", noted)
    for one in compiled.started(4):
        one.sample(9)
    assert made == [4]


@pytest.mark.parametrize("after", [lambda s: s.words(), lambda s: copy.deepcopy(s).take(1)])
def test_outputs_that_are_passed_over_are_not_held(after: Callable[[BitStream], Any]) -> None:
    stream = BitStream(5)
    stream.take(200_000)
    tracemalloc.start()
    after(stream)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


@pytest.mark.parametrize(("n", "whole"), [(100, True), (1599, True), (1600, False)])
def test_a_deck_is_laid_out_where_more_than_a_16th_of_it_is_dealt(
    n: int, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[Any] = []

    class Noted(generator._Untouched):
        def __init__(self) -> None:
            notes.append(self)

    monkeypatch.setattr(generator, "_Untouched", Noted)
    RRandom(6).sample(n, 100)
    assert (not notes) is whole


def test_more_than_a_million_cards_are_dealt_by_compiled_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled, "drawn", lambda *_, **__: "compiled")
    monkeypatch.setattr(generator, "shrinking_range", lambda *_, **__: None)
    monkeypatch.setattr(generator, "_dealt", lambda *_: "plain")
    many = 2**20
    ways = [RRandom(1)._places(2 * many, count, False, None) for count in (many, many + 1)]
    ways += [compiled.Compiled(1)._places(n, 5, False, None) for n in (many, many + 1)]
    assert ways == ["plain", "compiled", "compiled", "plain"]


def test_a_seed_is_drawn_from_all_that_r_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda above: above - 1)
    assert as_stream(None).seed == 2**31 - 1
