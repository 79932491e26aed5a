"""RDS files made by hand: what sound ones hold, and what damaged and hostile ones may cost."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import time
import tracemalloc
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.data.frame import read as read_frame
from pycvstat.errors import DataError, PycvstatError, PycvstatWarning
from pycvstat.r.bridge import RValue, rds
from tests.r.bridge.rds_bytes import (
    HEAD,
    NULL,
    compact,
    damage,
    doubles,
    frame,
    integers,
    integers64,
    ints,
    items,
    pairs,
    s4,
    sample,
    texts,
    vector,
)

NOT_READABLE = "not a readable RDS file"
FIRST_DAY, LAST_DAY = -62_135_596_800.0, 253_402_214_400.0  # 0001-01-01, 9999-12-31 in UTC


def read(body: bytes, folder: Path, *, head: bytes = HEAD) -> Any:
    file = folder / "x.rds"
    file.write_bytes(head + body)
    return pcv.from_r(file)


def test_the_hand_made_files_are_sound(tmp_path: Path) -> None:
    found = {name: read(body, tmp_path, head=b"") for name, body in sample().items()}
    table = found["frame"]
    assert table["i"].isna().tolist() == [False, True, False]
    assert table["t"].tolist()[::2] == ["a", "é"]
    assert table["f"].astype(object).tolist()[::2] == ["v", "u"]
    assert table["p"][0] == pd.Timestamp("1970-01-01 00:00:00.5", tz="UTC")
    assert str(table["p"].dt.tz) == "Europe/Paris"
    mixed = found["mixed"]
    assert list(mixed) == list("abcdefghijklmno")
    assert mixed["b"].tolist() == [[1, 3], [2, 4]]
    assert mixed["e"].tolist() == [1, 2, 3, 4, 5]
    assert mixed["f"].tolist() == [0.5, 2.5, 4.5]
    assert mixed["g"].tolist() == ["1", None]
    assert mixed["h"].tolist() == [1.0, 2.0]
    assert [isinstance(mixed[name], RValue) for name in "ijkl"] == [True] * 4
    assert mixed["o"] == {"a": 1.0, "b": "x"}
    assert found["folds"].fold_ids.tolist() == [1, 2, 1, 2]
    assert found["version3"].fingerprint == found["folds"].fingerprint
    assert found["splits"].test_rows(0).tolist() == [2]


def test_64_bit_integers_keep_every_digit(tmp_path: Path) -> None:
    # as doubles these would be NaN of several kinds, whose bits nothing may touch
    values = [5, -1, -(2**52) + 5, 2**63 - 1, 2**53 + 1, 0x7FF0000000000001, -(2**63) + 1]
    assert read(integers64(*values), tmp_path).tolist() == values
    found = read(frame(3, w=integers64(7, None, 2**60)), tmp_path)["w"]
    assert str(found.dtype) == "Int64"
    assert found.isna().tolist() == [False, True, False]
    assert int(found[2]) == 2**60
    assert read(integers64(None), tmp_path) is pd.NA
    assert read(integers64(3), tmp_path) == 3


@pytest.mark.parametrize(
    ("unit", "seconds"),
    [("secs", 1), ("mins", 60), ("hours", 3600), ("days", 86400), ("weeks", 604800)],
)
def test_time_spans_keep_their_unit(unit: str, seconds: int, tmp_path: Path) -> None:
    marks = {"units": texts(unit), "class": texts("difftime")}
    found = read(doubles(1.5, None, **marks), tmp_path)
    assert found[0] == np.timedelta64(1500 * seconds, "ms")
    assert np.isnat(found[1])
    whole = read(integers(2, **marks), tmp_path)  # stored as integers
    assert whole == np.timedelta64(2 * seconds, "s")
    column = read(frame(2, s=doubles(1.5, None, **marks)), tmp_path)["s"]
    assert column.dt.total_seconds().tolist()[0] == 1.5 * seconds


def test_what_has_no_python_form_is_said(tmp_path: Path) -> None:
    def of(name: str, *values: float, **more: bytes) -> bytes:
        return doubles(*values, **more, **{"class": texts(name)})

    day, new_york, tokyo = 86400.0, texts("America/New_York"), texts("Asia/Tokyo")
    for body, words in (
        (of("difftime", 1.0, units=texts("years")), "unit of an R difftime is not known"),
        (of("difftime", np.inf), "infinite R difftime"),
        (of("difftime", 1e300, units=texts("weeks")), "infinite|too far"),
        (of("Date", np.inf), "infinite R date"),
        (of("Date", 1e300), "too far away"),
        (of("POSIXct", np.inf), "infinite or outside the years 1 to 9999"),
        (of("POSIXct", 1e12), "outside the years 1 to 9999"),
        (of("POSIXct", LAST_DAY + day), "in UTC it is outside the years"),
        (of("POSIXct", FIRST_DAY - 1), "in UTC it is outside the years"),
        (of("POSIXct", FIRST_DAY, tzone=new_york), "in UTC or America/New_York it is"),
        (of("POSIXct", LAST_DAY + day, tzone=new_york), "in UTC or America/New_York it is"),
        (of("POSIXct", LAST_DAY + day - 1, tzone=tokyo), "in UTC or Asia/Tokyo it is outside"),
        (integers(1, 3, levels=texts("u", "v"), **{"class": texts("factor")}), "factor is damaged"),
        (integers(1, 2, levels=texts("u", "u"), **{"class": texts("factor")}), "factor is damaged"),
        (integers(1, 2, **{"class": texts("factor")}), "factor is damaged"),
        (frame(2, m=integers(1, 2, dim=integers(2, 1))), "column of the data frame is a matrix"),
        (frame(2, m=frame(2, a=integers(1, 2))), "column of the data frame is a data frame"),
        (frame(2, m=items(**{"class": texts("POSIXlt")})), r"POSIXlt"),
        (frame(1, m=ints(253)), "column of the data frame holds no values"),
    ):
        with pytest.raises(DataError, match=words):
            read(body, tmp_path)
    centuries = read(of("difftime", 2e5 * day), tmp_path)
    assert centuries == np.timedelta64(200_000, "D")  # beyond what nanoseconds hold


@pytest.mark.parametrize(
    ("zone", "first", "last"),
    [
        ("UTC", FIRST_DAY, LAST_DAY + 86399),
        ("Asia/Tokyo", FIRST_DAY - 33539, LAST_DAY),  # midnight there is the day before in UTC
        ("America/New_York", FIRST_DAY + 17762, LAST_DAY),
    ],
)
def test_the_first_and_last_days_of_all_are_times(
    zone: str, first: float, last: float, tmp_path: Path
) -> None:
    marks = {"tzone": texts(zone), "class": texts("POSIXct")}
    found = read(frame(4, t=doubles(first, None, 0.0, last, **marks)), tmp_path)["t"]
    assert str(found.dt.tz) == zone
    assert found[0].isoformat().startswith("0001-01-01T00:00:00")
    assert found[3].isoformat().startswith("9999-12-3")
    assert found.isna().tolist() == [False, True, False, False]
    days = read_frame(pd.DataFrame({"t": found}))["t"].values
    np.testing.assert_array_equal(days, np.array([first, np.nan, 0.0, last]) / 86400)


def test_vectors_with_further_slots_are_refused_by_name(tmp_path: Path) -> None:
    marks = {"hour": doubles(1.0, 2.0), "class": texts("Period")}
    period, plain = doubles(0.0, 0.0, **marks), doubles(3.0, 4.0, **{"class": texts("Duration")})
    wrapped = compact("wrap_real", items(doubles(0.0, 0.0), integers(0, 0)))
    wrapped = wrapped[: -len(NULL)] + pairs(**marks)
    listed, words = items(NULL, NULL, **marks), texts("a", "b", **marks)
    for part in (period, wrapped, listed, words):
        with pytest.raises(DataError, match="S4 class Period") as caught:
            read(frame(2, y=doubles(1.0, 2.0), p=s4(part)), tmp_path)
        assert "slots hour" in str(caught.value)
    with pytest.raises(DataError, match="S4 class Period"):
        read(items(s4(period)), tmp_path)
    assert read(frame(2, d=s4(plain)), tmp_path)["d"].tolist() == [3.0, 4.0]
    assert read(period, tmp_path).tolist() == [0.0, 0.0]  # attributes, not slots
    named = doubles(3.0, 4.0, names=texts("a", "b"), **{"class": texts("Duration")})
    assert read(s4(named), tmp_path).to_dict() == {"a": 3.0, "b": 4.0}


def test_a_missing_level_is_a_missing_value(tmp_path: Path) -> None:
    with_na = integers(2, 1, 3, levels=texts("b", None, "a"), **{"class": texts("factor")})
    found = read(with_na, tmp_path)
    assert found.categories.tolist() == ["b", "a"]
    assert found.codes.tolist() == [-1, 0, 1]


def test_frames_without_columns_are_frames(tmp_path: Path) -> None:
    assert read(frame(0), tmp_path).shape == (0, 0)
    assert read(frame(3), tmp_path).shape == (3, 0)
    named = {"names": texts(), "row_names": texts("u", "v"), "class": texts("data.frame")}
    assert read(items(**named), tmp_path).index.tolist() == ["u", "v"]
    assert read(frame(0, a=doubles(), b=texts()), tmp_path).shape == (0, 2)


def test_labelled_matrices_keep_their_labels(tmp_path: Path) -> None:
    labels = items(texts("u", "v"), NULL)
    found = read(integers(1, 2, 3, 4, dim=integers(2, 2), dimnames=labels), tmp_path)
    assert found.index.tolist() == ["u", "v"]
    assert found.to_numpy().tolist() == [[1, 3], [2, 4]]
    with pytest.raises(DataError, match=NOT_READABLE):
        read(integers(1, 2, 3, 4, dim=integers(2, 2), dimnames=items(texts("u"))), tmp_path)


@pytest.mark.parametrize("zone", ["PST", "Europe", "/etc/localtime", "../x", "dateutil//x", "?"])
def test_unknown_time_zones_become_utc_with_a_warning(zone: str, tmp_path: Path) -> None:
    times = doubles(0.0, 1.0, tzone=texts(zone), **{"class": texts("POSIXct")})
    with pytest.warns(PycvstatWarning, match="time zone has no meaning here") as caught:
        found = read(times, tmp_path)
    assert found.tolist() == [pd.Timestamp(0, tz="UTC"), pd.Timestamp(1, unit="s", tz="UTC")]
    assert caught[0].filename == __file__  # where the user called


HOSTILE = {
    "builtins of negative length": ints(19, 2**31 - 1, 8, -4),
    "builtins that go back to themselves": ints(19, 2**31 - 1, 8, -8),
    "texts that go back to themselves": ints(16, 2**31 - 1, 9, -8),
    "a list of texts that go back to themselves": ints(19, 2**31 - 1, 9, -4),
    "a text of negative length": ints(16, 1, 9, -2),
    "a list longer than the file": ints(19, 2**31 - 1, 254),
    "an expression longer than the file": ints(20, 2**31 - 1, 254),
    "texts longer than the file": ints(16, 2**31 - 1, 9, -1),
    "a text longer than the file": ints(16, 1, 9, 2**31 - 1),
    "numbers longer than the file": ints(14, 2**31 - 1),
    "a vector of negative length": ints(13, -2),
    "a vector of a negative long length": ints(14, -1, -1, 0),
    "a vector of 2^61 items": ints(14, -1, 2**29, 0),
    "bytes longer than the file": ints(24, 2**31 - 1),
    "a namespace longer than the file": ints(249, 0, 2**31 - 1) + ints(9, -1) * 3,
    "a namespace of negative length": ints(249, 0, -1),
    "a sequence of 10^12 numbers": compact("compact_realseq", doubles(1e12, 1.0, 1.0)),
    "a sequence of 2^30 numbers": compact("compact_realseq", doubles(2.0**30, 1.0, 1.0)),
    "a sequence of -5 numbers": compact("compact_intseq", doubles(-5.0, 1.0, 1.0)),
    "a sequence of NaN numbers": compact("compact_intseq", doubles(None, 1.0, 1.0)),
    "a sequence beyond integers": compact("compact_intseq", doubles(5.0, 1.0, 1e300)),
    "a sequence without an end": compact("compact_realseq", doubles(5.0, 1.0, np.inf)),
    "a sequence of text": compact("compact_realseq", texts("a", "b", "c")),
    "a sequence of complex numbers": compact(
        "compact_realseq", vector(15, 3, struct.pack(">6d", *[1.0] * 6))
    ),
    "a sequence without a state": compact("compact_realseq", NULL),
    "texts deferred from nothing": compact("deferred_string", NULL),
    "lists in lists": ints(19, 1) * 100_000 + NULL,
    "a reference before the first": ints(0xFF, -5),
    "a reference to nothing": ints(0x1FF),
    "more names than values": doubles(1.0, names=texts("a", "b")),
    "a frame without rows": items(doubles(1.0), names=texts("a"), **{"class": texts("data.frame")}),
    "a frame of uneven columns": frame(2, a=doubles(1.0), b=doubles(1.0, 2.0)),
    "a shape of other size": integers(1, 2, dim=integers(3, 2)),
    "a shape of negative size": integers(1, 2, dim=integers(-1, -2)),
    "half a character": vector(16, 1, ints(9, 1) + b"\xff"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_at_once(name: str, tmp_path: Path) -> None:
    started = time.monotonic()
    tracemalloc.start()
    with pytest.raises(DataError, match=rf"{NOT_READABLE}|need more than 4 GB"):
        read(HOSTILE[name], tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "body",
    [
        items(*[compact("compact_realseq", doubles(1e4, 1.0, 1.0))] * 10),
        items(*[compact("deferred_string", pairs(x=integers(*range(2000))))] * 10),
        items(*[NULL] * 5000),
        texts(*["a"] * 20_000),
        b"".join([ints(2), NULL] * 5000) + NULL,
    ],
    ids=["sequences", "deferred texts", "list", "texts", "pairlist"],
)
def test_small_files_cannot_fill_the_memory(
    body: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(body, tmp_path)
    monkeypatch.setattr(rds, "MOST_MEMORY", 2**20)
    with pytest.raises(DataError, match="values of the file need more than"):
        read(body, tmp_path)


PACKINGS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("packing", PACKINGS)
def test_packed_files_unpack_to_a_limit(
    packing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = PACKINGS[packing](HEAD + doubles(*[0.0] * 2**18))  # 2 MB of zeros
    assert len(packed) < 2**14
    assert len(read(packed, tmp_path, head=b"")) == 2**18
    with pytest.raises(DataError, match=NOT_READABLE):
        read(packed[:-1], tmp_path, head=b"")
    monkeypatch.setattr(rds, "MOST_BYTES", 2**20)
    with pytest.raises(DataError, match="larger than 2 GB when unpacked"):
        read(packed, tmp_path, head=b"")


ODD = [-(2**31), -8, -4, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 13, 14, 15, 16, 19, 24, 25, 238,
       242, 254, 255, 511, 522, 525, 526, 528, 531, 1023, 1026, 0x40009, 2**31 - 1]  # fmt: skip


@pytest.mark.parametrize("name", sample())
def test_damaged_files_end_in_a_value_or_in_our_words(name: str, tmp_path: Path) -> None:
    rng, whole = np.random.default_rng(7), sample()[name]
    ends: Counter[str] = Counter()
    for _ in range(700):
        damaged = damage(whole, rng, ODD)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PycvstatWarning)  # of unknown time zones
            try:
                repr(read(damaged, tmp_path, head=b""))
                ends["read"] += 1
            except PycvstatError:
                ends["refused"] += 1
    assert min(ends["read"], ends["refused"]) > 20


@pytest.mark.parametrize("name", sample())
def test_every_file_that_is_cut_off_is_refused(name: str, tmp_path: Path) -> None:
    whole = sample()[name]
    for end in range(len(whole)):
        with pytest.raises(DataError):
            read(whole[:end], tmp_path, head=b"")


@pytest.mark.parametrize("path", ["a\0.rds", "\ud800.rds", "", "missing.rds"])
def test_what_is_no_file_is_said(path: str) -> None:
    with pytest.raises(DataError, match=r"cannot be read|not the path of a file"):
        pcv.from_r(path)
