"""Reading RDS files: R's serialization format, parsed and never evaluated.

Written from the description of the format in "R Internals" (section 1.8). The file is data to this
reader: functions, environments and calls inside it are kept as names and never run.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import struct
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import DataError, PycvstatError, RError
from pycvstat.r.bridge.parts import NA_INTEGER, RObject
from pycvstat.r.bridge.to_python import value_of

MOST_BYTES = 2**31  # of the unpacked file
MOST_MEMORY = 2**32  # of what is made of it, beyond copies of its bytes
_OBJECT, _TEXT = 256, 64  # bytes that Python needs for a part of a file, for a text
_PACKED: dict[bytes, Callable[[io.BytesIO], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
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


def read_rds(path: str | PathLike[str]) -> object:
    """The Python value of an RDS file, compressed or not.

    Parameters
    ----------
    path : path

    Returns
    -------
    object
        As `pycvstat.r.bridge.to_python.value_of` gives it.

    Raises
    ------
    DataError
        A file that is not RDS or is damaged, or a value that has no Python form.
    """
    with _refusing_damage(path):
        return value_of(parse(_unpacked(_bytes(path))))


@contextlib.contextmanager
def _refusing_damage(path: str | PathLike[str]) -> Iterator[None]:
    """Say in our words that a file is damaged, whatever a damaged file makes of the block."""
    try:
        yield
    except RError as problem:  # of a value, wherever it comes from
        raise DataError(problem.problem, given=problem.given, fix=problem.advice) from None
    except (PycvstatError, Warning):
        raise
    except MemoryError:
        raise DataError(
            "the values of the file do not fit into the memory.", given=str(path)
        ) from None
    except Exception:  # a damaged length, type or attribute can break any step
        fix = 'write it again in R with saveRDS(x, "file.rds")'
        raise DataError("this is not a readable RDS file.", given=str(path), fix=fix) from None


def _bytes(path: str | PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise DataError("the file cannot be read.", given=f"{path}: {error.strerror}") from None
    except ValueError:  # a NUL, or half a character
        raise DataError("this is not the path of a file.", given=repr(path)) from None


def _unpacked(packed: bytes) -> bytes:
    opened = next((o for start, o in _PACKED.items() if packed.startswith(start)), None)
    if opened is None:
        return packed
    parts, size = [], 0
    with opened(io.BytesIO(packed)) as file:
        while part := file.read(2**22):
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise DataError(
                    "the file is larger than 2 GB when unpacked.", given=f"{len(packed):,} bytes"
                )
    return b"".join(parts)


def parse(data: bytes) -> RObject:
    """Parse the bytes of an uncompressed RDS file."""
    if data[:2] != b"X\n":
        fix = 'write it in R with saveRDS(x, "file.rds"); .RData files hold several objects'
        given = f"it begins with {data[:8]!r}"
        raise DataError("this is not an RDS file in R's binary format.", given=given, fix=fix)
    reader = _Reader(data)
    version = reader.integer()
    if version not in (2, 3):
        raise DataError("this version of the RDS format is not known.", given=version)
    reader.skip(8)
    if version == 3:
        reader.skip(reader.integer())
    return reader.item()


class _Reader:
    """Walks through the bytes; symbols and environments may be referred to again."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 2
        self.seen: list[RObject] = []
        self.memory = MOST_MEMORY

    def integer(self) -> int:
        value: int = struct.unpack_from(">i", self.data, self.at)[0]
        self.at += 4
        return value

    def length(self, least: int) -> int:
        """The length of a vector whose items take at least so many bytes each."""
        n = self.integer()
        if n == -1:
            n = self.integer() * 2**32 + self.integer() % 2**32
        return self.there(n, least)

    def there(self, n: int, least: int = 1) -> int:
        """The number itself, when the file has so many more items of at least so many bytes."""
        if not 0 <= n * least <= len(self.data) - self.at:
            raise EOFError
        return n

    def skip(self, n: int) -> None:
        self.at += self.there(n)

    def spend(self, size: float) -> None:
        """Count what the values will need, so that a small file cannot fill the memory."""
        self.memory -= int(size)
        if self.memory < 0:
            raise DataError(f"the values of the file need more than {MOST_MEMORY // 2**30} GB.")

    def numbers(self, kind: str) -> NDArray[Any]:
        size = np.dtype(kind).itemsize
        n = self.length(size)
        values = np.frombuffer(self.data, kind, n, self.at).astype(kind[1:])
        self.at += n * size
        return values

    def item(self) -> RObject:
        self.spend(_OBJECT)
        flags = self.integer()
        kind, attributed, tagged = flags & 0xFF, bool(flags & 0x200), bool(flags & 0x400)
        if kind in _SPECIAL:
            return RObject("NULL" if kind == 254 else _SPECIAL[kind])
        if kind == 255:
            return self.seen[self.reference(flags)]
        if kind in _REFERENCES:
            return self.referable(kind)
        if kind in (2, 3, 5, 6, 17, 239, 240):
            return self.pairs(kind, attributed, tagged)
        found = self.compact() if kind == 238 else self.vector(kind, flags)
        if attributed and kind != 238:
            found.attributes = self.attributes()
        found.s4 |= bool(flags & 1 << 16)
        return found

    def vector(self, kind: int, flags: int) -> RObject:
        if kind in _VECTORS:
            name, code = _VECTORS[kind]
            return RObject(name, self.numbers(code))
        if kind == 9:
            return RObject("text", self.characters(flags))
        if kind == 15:
            return RObject("complex", self.numbers(">c16"))
        if kind == 16:
            return RObject("character", [self.text() for _ in range(self.length(8))])
        if kind in (19, 20):
            return RObject("list", [self.item() for _ in range(self.length(4))])
        if kind == 24:
            n = self.length(1)
            self.at += n
            return RObject("raw", np.frombuffer(self.data, np.uint8, n, self.at - n))
        if kind == 25:
            return RObject("S4 object")
        if kind in (7, 8):
            self.skip(self.integer())
            return RObject("builtin function")
        if kind == 21:
            self.integer()
            self.compiled()
            return RObject("compiled code")
        fix = "save only data frames, vectors, factors and lists of these"
        raise DataError("the file holds something that is not data.", given=f"type {kind}", fix=fix)

    def reference(self, flags: int) -> int:
        index = flags >> 8 or self.integer()
        if index < 1:
            raise ValueError("references count from 1")
        return index - 1

    def text(self) -> str | None:
        flags = self.integer()
        if flags & 0xFF != 9:
            raise ValueError("not a text")
        return self.characters(flags)

    def characters(self, flags: int) -> str | None:
        n = self.integer()
        if n == -1:
            return None
        self.spend(_TEXT)
        raw = self.data[self.at : self.at + self.there(n)]
        self.at += n
        return raw.decode("latin-1" if flags >> 12 & 4 else "utf-8")

    def referable(self, kind: int) -> RObject:
        if kind == 1:
            found = RObject("symbol", self.text())
            self.seen.append(found)
            return found
        if kind in (247, 248, 249):
            self.skip(4)
            parts = [self.text() for _ in range(self.there(self.integer(), 8))]
            found = RObject("namespace", parts)
            self.seen.append(found)
            return found
        found = RObject("environment" if kind == 4 else "pointer")
        self.seen.append(found)
        if kind == 4:
            self.skip(4)
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
        for _ in range(self.length(4)):
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

    def sequence(self, n: float, start: float, step: float) -> RObject:
        if not (0 <= n < MOST_BYTES and abs(start) + n * abs(step) < np.inf):
            raise ValueError("not a sequence")
        self.spend(16 * n)
        values = np.arange(int(n), dtype=np.float64)
        values *= step
        values += start
        return RObject("double", values)

    def compact(self) -> RObject:
        """R's compact forms of sequences, strings and wrapped vectors."""
        info, state, attributes = self.item(), self.item(), self.item()
        name = str(info.values[0].values)
        if name in ("compact_intseq", "compact_realseq"):
            if state.kind != "double":
                raise ValueError("a sequence is told by three doubles")
            found = self.sequence(*(float(v) for v in state.values))
            if name == "compact_intseq":
                found = RObject("integer", _integers(found.values))
        elif name == "deferred_string":
            source = state.values[0]
            self.spend(_TEXT * len(source.values))
            found = RObject("character", [_number_text(v, source.kind) for v in source.values])
        elif name.startswith("wrap_"):
            found = state.values[0]
        else:
            raise DataError("the file uses a form of vector that is not known.", given=name)
        if attributes.kind != "NULL":
            names = attributes.attributes["names"].values
            found.attributes = found.attributes | dict(zip(names, attributes.values, strict=True))
        return found


def _integers(values: NDArray[Any]) -> NDArray[Any]:
    if len(values) and max(values[0], values[-1], -values[0], -values[-1]) > -NA_INTEGER - 1:
        raise ValueError("larger than R's integers")
    return values.astype(np.int32)


def _number_text(value: Any, kind: str) -> str | None:
    if kind == "integer":
        return None if value == NA_INTEGER else str(int(value))
    return None if np.isnan(value) else format(value, ".15g")


__all__ = ["RObject", "parse", "read_rds"]
