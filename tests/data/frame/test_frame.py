"""Columns and frames: levels, taking rows, going back to pandas."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from pycvstat.data.frame import read
from pycvstat.errors import DataError

words = st.one_of(st.none(), st.text(max_size=4))
numbers = st.one_of(st.none(), st.floats(allow_nan=True), st.integers(-(2**53), 2**53))
logicals = st.one_of(st.none(), st.booleans())


def test_levels_of_words_and_numbers() -> None:
    frame = read({"w": ["b", "a", "C", "é", None], "x": [10, 9, 1.5, 10, None]})
    codes, levels = frame["w"].as_factor()
    assert levels == ("a", "b", "C", "é")
    assert codes.tolist() == [1, 0, 2, 3, -1]
    codes, levels = frame["x"].as_factor()
    assert levels == ("1.5", "9", "10")
    assert codes.tolist() == [2, 1, 0, 2, -1]


def test_numbers_that_agree_to_15_digits_are_one_level() -> None:
    codes, levels = read({"x": [0.3, 0.1 + 0.2, 1.0]})["x"].as_factor()
    assert levels == ("0.3", "1")
    assert codes.tolist() == [0, 0, 1]


def test_levels_of_dates_and_logicals() -> None:
    frame = read({"d": pd.to_datetime(["2021-01-01", "2020-05-06", None]), "l": [True, True, None]})
    assert frame["d"].as_factor()[1] == ("2020-05-06", "2021-01-01")
    assert frame["l"].as_factor()[1] == ("FALSE", "TRUE")
    assert frame["l"].labels().tolist() == ["TRUE", "TRUE", None]


def test_taking_rows_keeps_levels() -> None:
    frame = read({"f": pd.Categorical(["a", "b", "c"]), "x": [1.0, 2.0, 3.0]})
    part = frame.take([2, 0])
    assert part.n == len(part) == 2
    assert part["f"].levels == ("a", "b", "c")
    assert part["f"].labels().tolist() == ["c", "a"]
    assert frame.take(np.array([True, False, True]))["x"].values.tolist() == [1.0, 3.0]
    assert frame.take([]).n == 0


def test_selecting_and_adding_columns() -> None:
    frame = read({"a": [1, 2], "b": [3, 4]})
    assert frame.select(["b"]).names == ("b",)
    assert "a" in frame
    assert list(frame) == ["a", "b"]
    added = frame.with_column(frame["a"].rename("c"))
    assert added.names == ("a", "b", "c")
    with pytest.raises(DataError, match="no column 'A'"):
        frame["A"]
    with pytest.raises(DataError, match="another length"):
        frame.with_column(read({"d": [1]})["d"])


def test_fingerprints_tell_data_apart() -> None:
    base = {"x": [0.0, 1.0], "g": ["a", "b"]}
    prints = {
        read(data).fingerprint
        for data in (
            base,
            base | {"x": [0.0, 1.0 + 1e-15]},
            base | {"x": [1e-300, 1.0]},
            base | {"g": ["b", "a"]},
            {"g": base["g"], "x": base["x"]},
            base | {"g": pd.Categorical(["a", "b"])},
            base | {"g": pd.Categorical(["a", "b"], ordered=True)},
            base | {"g": pd.Categorical(["a", "b"], ["a", "b", "c"])},
            base | {"x": [False, True]},
        )
    }
    assert len(prints) == 9
    assert read(base | {"x": [-0.0, 1.0]}).fingerprint == read(base).fingerprint


def test_a_fingerprint_of_unreadable_data_says_so() -> None:
    with pytest.raises(DataError, match="'bad'"):
        _ = read({"x": [1], "bad": [[1]]}).fingerprint


@given(
    st.integers(0, 12).flatmap(
        lambda n: st.fixed_dictionaries(
            {
                "w": st.lists(words, min_size=n, max_size=n),
                "x": st.lists(numbers, min_size=n, max_size=n),
                "l": st.lists(logicals, min_size=n, max_size=n),
            }
        )
    )
)
def test_to_pandas_and_back(data: dict[str, list[object]]) -> None:
    frame = read(data)
    kinds = {name: frame[name].kind for name in frame}
    again = read(frame.to_pandas())
    for name, kind in kinds.items():
        if kind == again[name].kind:
            assert frame.select([name]).fingerprint == again.select([name]).fingerprint
        else:  # nothing but missing values has no kind
            assert frame[name].missing().all()


@given(
    st.lists(
        st.one_of(
            words,
            numbers,
            logicals,
            st.binary(max_size=2),
            st.dates(),
            st.complex_numbers(),
            st.lists(st.integers(), max_size=2),
        ),
        max_size=6,
    )
)
def test_any_list_is_read_or_refused(values: list[object]) -> None:
    frame = read({"v": values})
    try:
        column = frame["v"]
    except DataError as error:
        assert "'v'" in error.problem  # noqa: PT017
        return
    assert len(column) == len(values)
    codes, levels = column.as_factor()
    assert codes.max(initial=-1) < len(levels)
    assert ((codes < 0) == column.missing()).all()
    assert len(set(levels)) == len(levels)


def test_frames_can_be_sent_to_workers() -> None:
    frame = read({"x": [1.0, None], "g": ["a", "b"]})
    assert pickle.loads(pickle.dumps(frame)).fingerprint == frame.fingerprint


def test_reading_a_wide_number_frame_takes_milliseconds() -> None:
    import time

    data = pd.DataFrame(np.zeros((20_000, 8)))
    times = []
    for _ in range(5):
        start = time.perf_counter()
        read(data)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.02


def test_a_column_is_a_series_as_read_or_as_given() -> None:
    column = read({"x": np.array([1, 2], np.int8)})["x"]
    assert column.to_pandas().dtype == np.float64
    assert column.to_pandas(as_given=True).dtype == np.int8
    gaps = read({"x": pd.Series([1, None, 3], dtype="Int64")})["x"]
    assert gaps.missing().tolist() == [False, True, False]
