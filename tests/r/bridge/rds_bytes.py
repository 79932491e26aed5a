"""RDS files made by hand, byte by byte, so that a test of the reader needs no R."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

NULL = struct.pack(">i", 254)
NA_INTEGER = -(2**31)
NA_REAL = bytes.fromhex("7ff00000000007a2")


def ints(*values: int) -> bytes:
    return struct.pack(f">{len(values)}i", *values)


HEAD = b"X\n" + ints(2, 0x040202, 0x020300)


def text(value: str | None) -> bytes:
    raw = b"" if value is None else value.encode()
    return ints(0x40009, -1 if value is None else len(raw)) + raw


def symbol(name: str) -> bytes:
    return ints(1) + text(name)


def pairs(**values: bytes) -> bytes:
    """A pairlist; an underscore in a name stands for a full stop."""
    named = ((name.replace("_", "."), value) for name, value in values.items())
    return b"".join(ints(2 | 0x400) + symbol(name) + value for name, value in named) + NULL


def vector(kind: int, n: int, body: bytes, **attributes: bytes) -> bytes:
    flags = kind | (0x200 if attributes else 0)
    return ints(flags, n) + body + (pairs(**attributes) if attributes else b"")


def integers(*values: int, **attributes: bytes) -> bytes:
    return vector(13, len(values), ints(*values), **attributes)


def logicals(*values: int, **attributes: bytes) -> bytes:
    return vector(10, len(values), ints(*values), **attributes)


def doubles(*values: float | None, **attributes: bytes) -> bytes:
    body = b"".join(NA_REAL if v is None else struct.pack(">d", v) for v in values)
    return vector(14, len(values), body, **attributes)


def integers64(*values: int | None, **attributes: bytes) -> bytes:
    whole = [-(2**63) if v is None else v for v in values]
    body = struct.pack(f">{len(whole)}q", *whole)
    return vector(14, len(whole), body, **attributes, **{"class": texts("integer64")})


def texts(*values: str | None, **attributes: bytes) -> bytes:
    return vector(16, len(values), b"".join(map(text, values)), **attributes)


def items(*values: bytes, **attributes: bytes) -> bytes:
    return vector(19, len(values), b"".join(values), **attributes)


def frame(n: int, /, **columns: bytes) -> bytes:
    attributes = {
        "names": texts(*columns),
        "row_names": integers(NA_INTEGER, -n),
        "class": texts("data.frame"),
    }
    return items(*columns.values(), **attributes)


def s4(value: bytes) -> bytes:
    """The same value with the mark of S4 in its first word."""
    return ints(struct.unpack(">i", value[:4])[0] | 1 << 16) + value[4:]


def compact(form: str, state: bytes) -> bytes:
    """One of R's compact vectors (ALTREP): its form, its state, no attributes."""
    info = ints(2) + symbol(form) + ints(2) + symbol("base") + ints(2) + integers(13) + NULL
    return ints(238) + info + state + NULL


def sample() -> dict[str, bytes]:
    """Sound files of every kind of value that the reader knows, uncompressed."""
    dates = doubles(18262.0, None, -1.0, **{"class": texts("Date")})
    times = doubles(0.5, None, 1e9, tzone=texts("Europe/Paris"), **{"class": texts("POSIXct")})
    spans = doubles(1.5, None, -2.0, units=texts("mins"), **{"class": texts("difftime")})
    factor = integers(2, NA_INTEGER, 1, levels=texts("u", "v"), **{"class": texts("factor")})
    table = frame(
        3,
        i=integers(1, NA_INTEGER, 3),
        x=doubles(1.5, None, np.inf),
        b=logicals(1, 0, NA_INTEGER),
        t=texts("a", None, "é"),
        f=factor,
        d=dates,
        p=times,
        s=spans,
        w=integers64(5, None, -(2**52) + 5),
        c=items(doubles(1.0), texts("z"), NULL),
    )
    split = items(
        frame(3, x=doubles(1.0, 2.0, 3.0)),
        integers(1, 2),
        logicals(NA_INTEGER),
        names=texts("data", "in_id", "out_id"),
        **{"class": texts("vfold_split", "rsplit")},
    )
    closure = ints(3 | 0x400, 253) + NULL + symbol("x")
    mixed = items(
        doubles(1.0, 2.0, names=texts("a", None)),
        integers(1, 2, 3, 4, dim=integers(2, 2)),
        vector(15, 1, struct.pack(">2d", 1.0, 2.0)),
        vector(24, 3, b"abc"),
        compact("compact_intseq", doubles(5.0, 1.0, 1.0)),
        compact("compact_realseq", doubles(3.0, 0.5, 2.0)),
        compact("deferred_string", pairs(x=integers(1, NA_INTEGER))),
        compact("wrap_real", items(doubles(1.0, 2.0), integers(0, 0))),
        closure,
        ints(4, 0) + NULL * 4,
        ints(6) + symbol("f") + ints(2) + ints(0x2FF) + NULL,
        ints(8, 3) + b"sum",
        ints(249, 0, 1) + text("base"),
        ints(0x1FF),
        pairs(a=doubles(1.0), b=texts("x")),
        names=texts(*"abcdefghijklmno"),
    )
    folds = items(integers(1, 3), integers(2, 4), names=texts("Fold1", "Fold2"))
    splits = frame(1, splits=items(split), id=texts("Fold1"))
    return {
        "frame": HEAD + table,
        "mixed": HEAD + mixed,
        "folds": HEAD + folds,
        "splits": HEAD + splits,
        "version3": b"X\n" + ints(3, 0x040202, 0x030500, 5) + b"UTF-8" + folds,
    }


def damage(data: bytes, rng: np.random.Generator, odd: Sequence[int]) -> bytes:
    """The bytes after one to three changes: of a byte, or of four into an odd number."""
    changed = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(14, len(data) - 4))
        if rng.random() < 0.5:
            changed[place] = rng.integers(256)
        else:
            changed[place : place + 4] = ints(int(rng.choice(odd)))
    return bytes(changed)
