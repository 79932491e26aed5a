"""Every kind of column from every kind of table."""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pycvstat.data.frame import Column, read, read_y
from pycvstat.errors import DataError, InputError

NAN = float("nan")
DAY = dt.date(2020, 1, 2)
DAYS = 18263.0  # as.numeric(as.Date("2020-01-02"))


def same(column: Column, kind: str, values: list[object], levels: tuple[str, ...] = ()) -> None:
    assert column.kind == kind
    assert column.levels == levels
    if kind == "text":
        assert column.values.tolist() == values
    else:
        np.testing.assert_array_equal(column.values, np.array(values, dtype=float))


PANDAS = {
    "int": (pd.Series([1, 2, 3]), "numeric", [1, 2, 3]),
    "int8": (pd.Series([1, 2, 3], dtype="int8"), "numeric", [1, 2, 3]),
    "float32": (pd.Series([1.5, NAN, 3], dtype="float32"), "numeric", [1.5, NAN, 3]),
    "Int64": (pd.array([1, None, 3], dtype="Int64"), "numeric", [1, NAN, 3]),
    "UInt8": (pd.array([1, None, 3], dtype="UInt8"), "numeric", [1, NAN, 3]),
    "Float64": (pd.array([1.5, None, 3], dtype="Float64"), "numeric", [1.5, NAN, 3]),
    "arrow int": (pd.array([1, None, 3], dtype="int64[pyarrow]"), "numeric", [1, NAN, 3]),
    "bool": (pd.Series([True, False, True]), "logical", [1, 0, 1]),
    "boolean": (pd.array([True, None, False], dtype="boolean"), "logical", [1, NAN, 0]),
    "arrow bool": (pd.array([True, None, False], dtype="bool[pyarrow]"), "logical", [1, NAN, 0]),
    "object bool": (pd.Series([True, None, False], dtype=object), "logical", [1, NAN, 0]),
    "object numbers": (pd.Series([1, None, 2.5], dtype=object), "numeric", [1, NAN, 2.5]),
    "decimals": (pd.Series([Decimal("1.5"), None, Decimal(2)]), "numeric", [1.5, NAN, 2]),
    "str": (pd.Series(["b", None, "a"]), "text", ["b", None, "a"]),
    "string": (pd.array(["b", None, "a"], dtype="string"), "text", ["b", None, "a"]),
    "arrow str": (pd.array(["b", None, "a"], dtype="string[pyarrow]"), "text", ["b", None, "a"]),
    "object str": (pd.Series(["b", NAN, "a"], dtype=object), "text", ["b", None, "a"]),
    "dates": (pd.Series([DAY, None, DAY]), "date", [DAYS, NAN, DAYS]),
    "datetime": (pd.to_datetime(["2020-01-02 00:00", None, "2020-01-02 12:00"]), "date",
                 [DAYS, NAN, DAYS + 0.5]),
    "zoned": (pd.to_datetime(["2020-01-02 01:00", None, None]).tz_localize("Europe/Berlin"), "date",
              [DAYS, NAN, NAN]),
    "arrow date": (pd.array([DAY, None, DAY], dtype="date32[pyarrow]"), "date", [DAYS, NAN, DAYS]),
    "sparse": (pd.arrays.SparseArray([0.0, 1.0, NAN]), "numeric", [0, 1, NAN]),
    "nothing": (pd.Series([None, None, None]), "numeric", [NAN, NAN, NAN]),
}  # fmt: skip


@pytest.mark.parametrize("case", PANDAS)
def test_pandas_columns(case: str) -> None:
    vector, kind, values = PANDAS[case]
    same(read(pd.DataFrame({"v": vector}))["v"], kind, values)


# lists and types, since polars starts threads with its first column, which a fork would miss
POLARS: dict[str, tuple[list[object], object, str, list[object]]] = {
    "int": ([1, None, 3], None, "numeric", [1, NAN, 3]),
    "uint": ([1, 2, 3], pl.UInt16, "numeric", [1, 2, 3]),
    "float": ([1.5, None, NAN], None, "numeric", [1.5, NAN, NAN]),
    "decimal": ([1, None, 2], pl.Decimal(10, 2), "numeric", [1, NAN, 2]),
    "bool": ([True, None, False], None, "logical", [1, NAN, 0]),
    "string": (["b", None, "a"], None, "text", ["b", None, "a"]),
    "date": ([DAY, None, DAY], None, "date", [DAYS, NAN, DAYS]),
    "datetime": ([dt.datetime(2020, 1, 2, 12), None, None], None, "date", [DAYS + 0.5, NAN, NAN]),
    "null": ([None, None, None], None, "numeric", [NAN, NAN, NAN]),
}


@pytest.mark.parametrize("case", POLARS)
def test_polars_columns(case: str) -> None:
    given, dtype, kind, values = POLARS[case]
    same(read(pl.DataFrame({"v": pl.Series(given, dtype=dtype)}))["v"], kind, values)


def test_polars_categories() -> None:
    enum = pl.Series(["x", None, "y"], dtype=pl.Enum(["y", "x", "z"]))
    frame = read(pl.DataFrame({"e": enum, "c": enum.cast(pl.String).cast(pl.Categorical)}))
    same(frame["e"], "factor", [1, -1, 0], ("y", "x", "z"))
    same(frame["c"], "factor", [0, -1, 1], ("x", "y"))


def test_pandas_categories_keep_their_order_and_unused_levels() -> None:
    frame = read(
        pd.DataFrame(
            {
                "f": pd.Categorical(["u", None, "v"], ["v", "u", "w"]),
                "o": pd.Categorical([2, 1, None], [1, 2], ordered=True),
                "b": pd.Categorical([True, False, True]),
                "r": pd.Categorical([0.1, 1e6, 0.1]),
            }
        )
    )
    same(frame["f"], "factor", [1, -1, 0], ("v", "u", "w"))
    same(frame["o"], "ordered", [1, 0, -1], ("1", "2"))
    assert frame["b"].levels == ("FALSE", "TRUE")
    assert frame["r"].levels == ("0.1", "1000000")


def test_dictionaries_arrays_and_masks() -> None:
    frame = read(
        {
            "list": [1, None, 3],
            "tuple": ("a", "b", None),
            "range": range(3),
            "series": pd.Series([1.0, 2.0, 3.0], index=[5, 6, 7]),
            "polars": pl.Series([1, 2, 3]),
            "masked": np.ma.array([1, 2, 3], mask=[0, 1, 0]),
            "words": np.array(["a", "b", "c"]),
        }
    )
    same(frame["list"], "numeric", [1, NAN, 3])
    same(frame["tuple"], "text", ["a", "b", None])
    same(frame["masked"], "numeric", [1, NAN, 3])
    same(frame["series"], "numeric", [1, 2, 3])
    same(frame["words"], "text", ["a", "b", "c"])
    assert read(np.zeros((2, 3))).names == ("x1", "x2", "x3")
    record = np.array([(1, 2.5)], dtype=[("a", int), ("b", float)])
    assert read(record).names == ("a", "b")


class Measured(np.ndarray):
    """Numbers with a unit, say: no two are equal."""

    def __eq__(self, other: object) -> Any:
        return np.zeros(self.shape, dtype=bool)


@pytest.mark.parametrize("dtype", [float, int, bool, object, "U1"])
def test_columns_are_arrays_of_numpy_itself(dtype: Any, tmp_path: Path) -> None:
    plain = np.array([0, 1, 1]).astype(dtype)
    kinds = [plain.view(Measured)]
    if dtype is not object:
        kinds.append(np.memmap(tmp_path / "file", plain.dtype, "w+", shape=3))
    for given in kinds:
        given[:] = plain
        held = read({"x": given})["x"].values
        assert type(held) is np.ndarray
        assert held.tolist() == read({"x": plain})["x"].values.tolist()


class Fickle:
    """It has another length than it says."""

    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Iterator[float]:
        return iter([1.0, 2.0])


def test_a_column_that_ends_before_its_length_is_refused() -> None:
    with pytest.raises(InputError, match=r"x must have the shape \(3,\)"):
        read({"y": [1, 2, 3], "x": Fickle()})


def test_one_frame_from_every_library() -> None:
    plain = {"x": [1.0, None, 3.0], "g": ["a", "b", None], "l": [True, None, False]}
    frames = [read(plain), read(pd.DataFrame(plain)), read(pl.DataFrame(plain))]
    assert len({frame.fingerprint for frame in frames}) == 1
    assert frames[0].missing() == {"x": 1, "g": 1, "l": 1}


def test_missing_is_not_infinite() -> None:
    frame = read({"x": [1.0, NAN, float("inf"), -float("inf")], "g": ["a", None, "b", "c"]})
    assert frame.missing() == {"x": 1, "g": 1}
    assert frame.infinite() == {"x": 2}
    assert frame.complete().tolist() == [True, False, True, True]


BAD = {
    "lists": ([[1], 2, 3], "list [1] in row 1", "one column of each part"),
    "mixed": ([1, "a", 2.0], "int 1 in row 1; str 'a' in row 2", "make every value a number"),
    "number and truth": ([1, True], "bool True in row 2", "make every value a number"),
    "complex": ([1j, 2j], "complex 1j in row 1", "real part"),
    "complex array": (np.array([1j]), "complex128", "real part"),
    "bytes": ([b"a"], "bytes b'a' in row 1", "decode"),
    "timedelta": (pd.to_timedelta([1, 2]), "timedelta64", "total_seconds"),
    "time span": (pd.to_timedelta([1, 2]), "timedelta64", 'as.numeric(x, units = "days")'),
    "one time span": ([pd.Timedelta(1), None], "Timedelta", 'as.numeric(x, units = "days")'),
    "period": (pd.period_range("2020", periods=2, freq="M"), "Period", "to_timestamp"),
    "interval": (pd.interval_range(0, 2), "Interval", "category"),
    "matrix": (np.zeros((2, 2)), "(2, 2)", "one column of each part"),
    "huge integers": ([2**60], "2^53", "text"),
    "huge integer array": (np.array([2**60]), "2^53", "text"),
    "beyond doubles": ([10**400], "", ""),
    "object": ([object()], "object", "make every value"),
}


@pytest.mark.parametrize("case", BAD)
def test_unreadable_columns_are_refused_when_used(case: str) -> None:
    vector, given, fix = BAD[case]
    frame = read({"good": [1.0] * len(vector), "bad": vector})
    assert frame["good"].kind == "numeric"
    assert frame.names == ("good", "bad")
    with pytest.raises(DataError) as caught:
        frame["bad"]
    assert "'bad'" in caught.value.problem
    assert given in str(caught.value)
    assert fix in str(caught.value)


def test_what_is_no_table() -> None:
    refused = {
        "2-D": np.zeros(3),
        "data.to_frame()": pd.Series([1]),
        "data.collect()": pl.DataFrame({"a": [1]}).lazy(),
        "a dictionary of columns": [1, 2],
        "different lengths": {"a": [1], "b": [1, 2]},
        "not a sequence": {"a": 1},
        "no columns": {},
        "repeated": pd.DataFrame([[1, 2]], columns=["a", "a"]),
        "MultiIndex": pd.DataFrame(
            [[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
        ),
        "no name": pd.DataFrame([[1, 2]], columns=["a", ""]),
    }
    refused["rows and columns"] = refused.pop("2-D")
    for words, data in refused.items():
        with pytest.raises(DataError) as caught:
            read(data)
        assert words in str(caught.value), words


def test_categories_that_are_written_alike() -> None:
    frame = read(pd.DataFrame({"c": pd.Categorical([1, "1"])}))
    with pytest.raises(DataError, match="written alike"):
        frame["c"]


def test_names_that_are_not_text_become_text() -> None:
    assert read(pd.DataFrame([[1, 2]])).names == ("0", "1")


def test_later_changes_do_not_reach_the_frame() -> None:
    array = np.zeros((2, 1))
    data = pd.DataFrame({"x": [0.0, 0.0]})
    frames = [read(array), read(data), read({"x1": array[:, 0]})]
    prints = [frame.fingerprint for frame in frames]
    array[0, 0] = 1.0
    data.iloc[0, 0] = 1.0
    assert [frame.fingerprint for frame in frames] == prints
    for frame in frames:
        assert frame[frame.names[0]].values.tolist() == [0.0, 0.0]
        with pytest.raises(ValueError, match="read-only"):
            frame[frame.names[0]].values[0] = 2.0


def test_responses() -> None:
    assert read_y([1, 2]).name == "y"
    assert read_y(pd.Series([1.0], name="target")).name == "target"
    assert read_y(np.zeros((3, 1))).values.shape == (3,)
    assert read_y(pd.DataFrame({"t": [1]})).name == "t"
    assert read_y(pl.Series("p", [1])).name == "p"
    with pytest.raises(DataError, match="one column"):
        read_y(pd.DataFrame({"a": [1], "b": [2]}))
    with pytest.raises(DataError, match="'y' is not a sequence"):
        read_y(3)
    with pytest.raises(DataError, match="cannot be used"):
        read_y(np.zeros((3, 2)))


@pytest.mark.parametrize(
    "given",
    [
        pd.Series(pd.Categorical([0, 2, 1, None], [2, 1, 0])),
        pd.Series(pd.Categorical([10, 2, 2, 10], ordered=True)),
        pd.Series(["a", None, "b", "c"], dtype="string"),
        pd.Series([True, False, True, True], dtype="boolean"),
        pd.Series([True, None, True, True], dtype="boolean"),
        pd.Series([1, None, 3, 4], dtype="Int8"),
    ],
    ids=lambda given: str(given.dtype),
)
def test_types_are_kept_for_those_who_ask(given: pd.Series) -> None:
    frame = read({"v": given})
    pd.testing.assert_series_equal(frame.to_pandas(as_given=True)["v"], given, check_names=False)
    taken = frame.take([2, 0]).to_pandas(as_given=True)["v"]
    assert taken.dtype == given.dtype
