"""Reading RDS files: R's serialization format, parsed and never evaluated.

Written from the description of the format in "R Internals" (section 1.8). The file is data to this
reader: functions, environments and calls inside it are kept as names and never run.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import DataError

NA_INTEGER = -(2**31)
MOST_BYTES = 2**31  # of the unpacked file
DAMAGE = (
    struct.error,
    zlib.error,
    lzma.LZMAError,
    ValueError,
    LookupError,
    EOFError,
    OSError,
    OverflowError,
    RecursionError,
    MemoryError,
)
_REFERENCES = {1, 4, 22, 23, 247, 248, 249}
_SPECIAL = {
    254: "NULL",
    253: "globalenv()",
    252: "unbound",
    251: "missing",
    250: "baseenv()",
    242: "emptyenv()",
    241: "baseenv()",
}
_VECTORS = {10: ("logical", ">i4"), 13: ("integer", ">i4"), 14: ("double", ">f8")}


@dataclass(slots=True, eq=False)
class RObject:
    """An R value as the file has it.

    Attributes
    ----------
    kind : str
        "NULL", "logical", "integer", "double", "complex", "character", "list", "raw", or the
        name of something that has no data ("closure", "environment", ...).
    values : object
        An array, or a list of `RObject` or texts (None: NA).
    attributes : dict
        Attribute name to `RObject`.
    """

    kind: str
    values: Any = None
    attributes: dict[str, RObject] = field(default_factory=dict)

    @property
    def r_class(self) -> tuple[str, ...]:
        """The class attribute; empty when there is none."""
        found = self.attributes.get("class")
        return () if found is None else tuple(found.values)


def read_rds(path: str | Path) -> RObject:
    """Parse an RDS file, compressed or not.

    Raises
    ------
    DataError
        A file that is not RDS, or is damaged.
    """
    try:
        packed = Path(path).read_bytes()
    except OSError as error:
        raise DataError("the file cannot be read.", given=f"{path}: {error.strerror}") from None
    try:
        return parse(_unpacked(packed))
    except DataError:
        raise
    except DAMAGE:
        raise DataError(
            "this is not a readable RDS file.",
            given=str(path),
            fix='write it again in R with saveRDS(x, "file.rds")',
        ) from None


def _unpacked(packed: bytes) -> bytes:
    if packed[:2] == b"\x1f\x8b":
        stream = zlib.decompressobj(wbits=31)
        data = stream.decompress(packed, MOST_BYTES)
        if stream.unconsumed_tail:
            raise DataError("the file is larger than 2 GB when unpacked.", given=len(packed))
        if not stream.eof:
            raise EOFError
        return data
    if packed[:3] == b"BZh":
        return bz2.decompress(packed)
    if packed[:6] == b"\xfd7zXZ\x00":
        return lzma.decompress(packed)
    return packed


def parse(data: bytes) -> RObject:
    """Parse the bytes of an uncompressed RDS file."""
    if data[:2] != b"X\n":
        raise DataError(
            "this is not an RDS file in R's binary format.",
            given=f"it begins with {data[:8]!r}",
            fix='write it in R with saveRDS(x, "file.rds"); .RData files hold several objects',
        )
    reader = _Reader(data)
    version = reader.integer()
    reader.at += 8
    if version == 3:
        reader.at += 4 + struct.unpack_from(">i", data, reader.at)[0]
    elif version != 2:
        raise DataError("this version of the RDS format is not known.", given=version)
    return reader.item()


class _Reader:
    """Walks through the bytes; symbols and environments may be referred to again."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 2
        self.seen: list[RObject] = []

    def integer(self) -> int:
        value: int = struct.unpack_from(">i", self.data, self.at)[0]
        self.at += 4
        return value

    def length(self) -> int:
        n = self.integer()
        if n == -1:
            n = self.integer() * 2**32 + self.integer()
        if n < 0:
            raise ValueError("negative length")
        return n

    def numbers(self, kind: str) -> NDArray[Any]:
        n = self.length()
        size = np.dtype(kind).itemsize
        if self.at + n * size > len(self.data):
            raise EOFError
        values = np.frombuffer(self.data, kind, n, self.at).astype(kind[1:])
        self.at += n * size
        if kind == ">f8":  # R's NA is a signalling NaN, at which NumPy warns: make it quiet
            values.view(np.uint64)[np.isnan(values)] |= np.uint64(1 << 51)
        return values

    def item(self) -> RObject:
        flags = self.integer()
        kind, attributed, tagged = flags & 0xFF, bool(flags & 0x200), bool(flags & 0x400)
        if kind in _SPECIAL:
            return RObject("NULL" if kind == 254 else _SPECIAL[kind])
        if kind == 255:
            index = flags >> 8 or self.integer()
            return self.seen[index - 1]
        if kind in _REFERENCES:
            return self.referable(kind)
        if kind in (2, 3, 5, 6, 17, 239, 240):
            return self.pairs(kind, attributed, tagged)
        if kind == 238:
            return self.compact()
        found = self.vector(kind, flags)
        if attributed:
            found.attributes = self.attributes()
        return found

    def vector(self, kind: int, flags: int) -> RObject:
        if kind in _VECTORS:
            name, code = _VECTORS[kind]
            return RObject(name, self.numbers(code))
        if kind == 9:
            return RObject("text", self.text(flags))
        if kind == 15:
            return RObject("complex", self.numbers(">c16"))
        if kind == 16:
            return RObject("character", [self.item().values for _ in range(self.length())])
        if kind in (19, 20):
            return RObject("list", [self.item() for _ in range(self.length())])
        if kind == 24:
            n = self.length()
            self.at += n
            return RObject("raw", np.frombuffer(self.data, np.uint8, n, self.at - n))
        if kind == 25:
            return RObject("S4 object")
        if kind in (7, 8):
            self.at += self.integer()
            return RObject("builtin function")
        if kind == 21:
            self.integer()
            self.compiled()
            return RObject("compiled code")
        raise DataError(
            "the file holds something that is not data.",
            given=f"type {kind}",
            fix="save only data frames, vectors, factors and lists of these",
        )

    def text(self, flags: int) -> str | None:
        n = self.integer()
        if n == -1:
            return None
        raw = self.data[self.at : self.at + n]
        self.at += n
        return raw.decode("latin-1" if flags >> 12 & 4 else "utf-8")

    def referable(self, kind: int) -> RObject:
        if kind == 1:
            found = RObject("symbol", self.item().values)
            self.seen.append(found)
            return found
        if kind in (247, 248, 249):
            self.at += 4
            parts = [self.item().values for _ in range(self.integer())]
            found = RObject("namespace", parts)
            self.seen.append(found)
            return found
        found = RObject("environment" if kind == 4 else "pointer")
        self.seen.append(found)
        if kind == 4:
            self.at += 4
        for _ in range({4: 4, 22: 2, 23: 0}[kind]):
            self.item()
        return found

    def pairs(self, kind: int, attributed: bool, tagged: bool) -> RObject:
        """A pairlist, a call or a closure; only a pairlist is data."""
        attributed = attributed or kind in (239, 240)
        attributes: dict[str, RObject] = {}
        values: list[RObject] = []
        names: list[str | None] = []
        while True:
            if attributed:
                attributes |= self.attributes()
            names.append(self.item().values if tagged else None)
            values.append(self.item())
            flags = self.integer()
            next_kind = flags & 0xFF
            if next_kind not in (2, 239):
                self.at -= 4
                self.item()  # the end, NULL; of a closure its body
                break
            attributed, tagged = bool(flags & 0x200), bool(flags & 0x400)
        name = {3: "closure", 5: "promise", 6: "call", 240: "call"}.get(kind, "list")
        tags = RObject("character", [tag or "" for tag in names])
        return RObject(name, values, attributes | {"names": tags})

    def compiled(self) -> None:
        """Walk over compiled code; nothing of it is kept."""
        self.item()
        for _ in range(self.length()):
            kind = self.integer()
            if kind == 21:
                self.compiled()
            elif kind in (2, 6, 239, 240, 243, 244):
                self.expression(kind)
            else:
                self.item()

    def expression(self, kind: int) -> None:
        """Walk over an expression among the constants of compiled code."""
        if kind == 243:
            self.integer()
            return
        if kind == 244:
            self.integer()
            kind = self.integer()
        if kind not in (2, 6, 239, 240):
            self.item()
            return
        if kind in (239, 240):
            self.item()
        self.item()
        self.expression(self.integer())
        self.expression(self.integer())

    def attributes(self) -> dict[str, RObject]:
        found = self.item()
        if found.kind == "NULL":
            return {}
        return dict(zip(found.attributes["names"].values, found.values, strict=True))

    def compact(self) -> RObject:
        """R's compact forms of sequences, strings and wrapped vectors."""
        info, state, attributes = self.item(), self.item(), self.item()
        name = str(info.values[0].values)
        if name in ("compact_intseq", "compact_realseq"):
            n, start, step = (float(v) for v in state.values)
            values = start + step * np.arange(int(n))
            whole = name == "compact_intseq"
            found = RObject(
                "integer" if whole else "double", values.astype("i4") if whole else values
            )
        elif name == "deferred_string":
            source = state.values[0]
            found = RObject("character", [_number_text(v, source.kind) for v in source.values])
        elif name.startswith("wrap_"):
            found = state.values[0]
        else:
            raise DataError("the file uses a form of vector that is not known.", given=name)
        if attributes.kind != "NULL":
            names = attributes.attributes["names"].values
            found.attributes = found.attributes | dict(zip(names, attributes.values, strict=True))
        return found


def _number_text(value: Any, kind: str) -> str | None:
    if kind == "integer":
        return None if value == NA_INTEGER else str(int(value))
    return None if np.isnan(value) else format(value, ".15g")


__all__ = ["NA_INTEGER", "RObject", "parse", "read_rds"]
