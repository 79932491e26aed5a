"""Plain values become JSON and arrays and come back exactly."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from pycvstat.data.formula import parse
from pycvstat.errors import InputError
from pycvstat.run.records import Encoder, _is_a, decode

T = TypeVar("T", bound=np.generic)
Numbers = TypeAliasType("Numbers", NDArray[T], type_params=(T,))  # as numpy 2.5 declares NDArray
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters()),  # lone surrogates too
    st.builds(np.float32, st.floats(width=32)),
    st.builds(np.int16, st.integers(-(2**15), 2**15 - 1)),
    st.builds(np.bool_, st.booleans()),
)
dtypes = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="?"),
    hnp.floating_dtypes(endianness="?"),
    hnp.complex_number_dtypes(),
    hnp.unicode_string_dtypes(max_len=4),
    hnp.datetime64_dtypes(),
)
arrays = hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
texts = hnp.arrays(object, 3, elements=st.one_of(st.none(), st.text(), st.floats()))
keys = st.one_of(st.text(), st.integers(), st.tuples(st.integers(), st.text()), st.none())
records = st.recursive(
    st.one_of(scalars, arrays, texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(keys, inner, max_size=4),
    ),
    max_leaves=12,
)


def same(a: object, b: object) -> bool:
    """Equal in type and to the last bit; NaN equals NaN, 0.0 is not -0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(x, b[k]) for k, x in a.items())
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray | np.generic) and isinstance(b, np.ndarray | np.generic):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype.hasobject:
            return all(map(same, np.ravel(a), np.ravel(b)))
        return np.asarray(a).tobytes() == np.asarray(b).tobytes()
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or a.hex() == b.hex()
    return a == b


@given(records)
def test_every_record_comes_back_exactly(record: object) -> None:
    encoder = Encoder()
    tree = json.loads(json.dumps(encoder.encode(record), allow_nan=False))
    assert same(decode(tree, encoder.arrays), record)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.0, 5e-324, 0.1])
def test_special_floats(value: float) -> None:
    tree = json.loads(json.dumps(Encoder().encode(value), allow_nan=False))
    assert same(decode(tree, []), value)


def test_an_array_met_twice_is_kept_once() -> None:
    array = np.arange(4)
    encoder = Encoder()
    tree = encoder.encode({"a": array, "b": array})
    assert len(encoder.arrays) == 1
    back = decode(tree, encoder.arrays)
    assert back["a"] is back["b"]


def test_a_dataclass_of_the_package_comes_back() -> None:
    formula = parse("y ~ log(a) + b", ["y", "a", "b"])
    encoder = Encoder()
    assert decode(encoder.encode(formula), encoder.arrays) == formula


@dataclass
class Foreign:
    x: int = 1


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"fits": [1, Foreign()]}, "the record['fits'][1] is"),
        ({"loss": len}, "the record['loss'] is builtins.builtin_function_or_method"),
        ({"x": np.ma.masked_array([1], [True])}, "MaskedArray"),
        ({"x": np.array([Foreign()], dtype=object)}, "the record['x'][0] is"),
        ({"x": np.zeros(1, dtype=[("a", object)])}, "dtype"),
        ({"x": {1}}, "builtins.set"),
    ],
)
def test_other_values_are_refused_by_place(value: object, where: str) -> None:
    with pytest.raises(InputError, match="cannot be kept") as caught:
        Encoder().encode(value)
    assert where in str(caught.value)


@pytest.mark.parametrize(
    "tree",
    [
        ["dataclass", "os:system", [["command", "false"]]],
        ["dataclass", "subprocess:Popen", [["args", "false"]]],
        ["dataclass", "pycvstat.run.records:import_module", [["name", "antigravity"]]],
        ["dataclass", "pycvstat.run.records:Encoder", []],
        ["dataclass", "pycvstat.run.reproducible:Any", []],
        ["dataclass", "pycvstat.nowhere:Thing", []],
        ["dataclass", "pycvstatx:Thing", []],
        ["dataclass", "tests.run.test_records:Foreign", []],
        ["dataclass", "pycvstat.run.checkpoint:Execution", []],  # where it is not defined
        ["pickle", "gASVBQAAAAAAAABLAS4=", []],
        ["array", 3],
        ["array"],
        {"list": []},
        [],
    ],
)
def test_only_named_parts_come_out(tree: object) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, IndexError, ImportError)):
        decode(tree, [])


def test_a_part_of_another_type_than_declared_is_refused() -> None:
    def term(label: object, variables: object, every_level: object) -> object:
        parts = {"label": label, "variables": variables, "every_level": every_level}
        return ["dataclass", "pycvstat.data.formula.model:Term", [list(p) for p in parts.items()]]

    def of(*items: object) -> list[object]:
        return ["tuple", list(items)]

    assert decode(term("a:b", of(0, 1), of(True, False)), []).order == 2
    for wrong in (
        term(None, of(0), of(True)),
        term("a", of("0"), of(True)),
        term("a", ["list", [0]], of(True)),
        term("a", of(0), of(1)),
        term("a", of(0), term("a", of(0), of(True))),
    ):
        with pytest.raises(ValueError, match="of Term is"):
            decode(wrong, [])


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (float, [1, 0.5, np.float64(1)], ["1", None, 1j]),
        (int | None, [1, None], [1.0, "1"]),
        (Literal["a", 1], ["a", 1], ["b", True, 1.0]),
        (tuple[int, str], [(1, "a")], [(1,), (1, 2), (1, "a", "b"), [1, "a"]]),
        (tuple[int, ...], [(), (1, 2)], [(1, "a"), [1]]),
        (dict[str, tuple[int, ...]], [{}, {"a": (1,)}], [{1: (1,)}, {"a": 1}, [("a", (1,))]]),
        (list[float], [[], [1.0]], [["a"], (1.0,)]),
        (Mapping[str, Any], [{"a": Ellipsis}], [{1: 1}, ()]),
        (NDArray[np.float64], [np.zeros(1)], [[0.0], None]),
        (Numbers[np.float64], [np.zeros(1)], [[0.0], None, np.array(["a"])]),
        (Numbers[np.bool_] | None, [None, np.zeros(1, bool)], [np.zeros(1)]),
        (Sequence[str] | Callable[[], int] | None, ["a", ("a",), len, None], [1, {"a"}]),
        (Any, [1, None, "a"], []),
    ],
    ids=str,
)
def test_types_as_they_are_declared(hint: Any, good: list[Any], bad: list[Any]) -> None:
    assert all(_is_a(value, hint) for value in good)
    assert not any(_is_a(value, hint) for value in bad)
