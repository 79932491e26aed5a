"""Work on its way to workers: pickled once, its arrays beside it and aligned when they arrive.

Local workers map one file into memory, so what they only read exists once. Alignment is more than
speed: NumPy multiplies arrays that are not aligned by another algorithm, with other last digits.
"""

from __future__ import annotations

import mmap
import pickle
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np

from pycvstat.errors import ExecutionError, InputError

ALIGNMENT = 64


def pack(value: Any, path: Path) -> None:
    """Write a value so that `unpack` can map its arrays.

    The file begins with the sizes of its parts; the first part is the pickle, the others are the
    arrays' memory. It is private to one run: made for the workers, read by them, removed.

    Parameters
    ----------
    value : object
    path : pathlib.Path
    """
    buffers: list[pickle.PickleBuffer] = []
    head = pickled(value, buffers)
    parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    try:
        with path.open("xb") as file:
            sizes = [len(parts), *(part.nbytes for part in parts)]
            file.write(b"".join(size.to_bytes(8, "little") for size in sizes))
            for part in parts:
                file.write(bytes(-file.tell() % ALIGNMENT))
                file.write(part)
    except OSError as error:
        raise ExecutionError(
            "The data could not be written for the workers.",
            given=f"{path} ({error.strerror})",
            fix="make room there, name another directory in TMPDIR, or use n_jobs=1",
        ) from None


def unpack(path: Path) -> Any:
    """The value that `pack` wrote; a worker's changes stay its own.

    Parameters
    ----------
    path : pathlib.Path
    """
    with path.open("rb") as file:
        # copy on write: arrays are as writable as they were where they came from
        memory = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    count = int.from_bytes(memory[:8], "little")
    sizes = [int.from_bytes(memory[8 * i : 8 * i + 8], "little") for i in range(1, count + 1)]
    parts, start = [], 8 * (count + 1)
    for size in sizes:
        start += -start % ALIGNMENT
        parts.append(memory[start : start + size])
        start += size
    return pickle.loads(parts[0], buffers=parts[1:])


class Aligned:
    """A value whose arrays are aligned again after any pickling, as by dask's messages.

    Parameters
    ----------
    value : object

    Examples
    --------
    >>> import numpy as np
    >>> there = pickle.loads(pickle.dumps(Aligned(np.arange(3.0)), protocol=5))
    >>> there.value.ctypes.data % ALIGNMENT
    0
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        if protocol < 5:  # inside the bytes, from where arrays are copied anyway
            return _arrive, (pickled(self.value), [])
        buffers: list[pickle.PickleBuffer] = []
        head = pickled(self.value, buffers)
        return _arrive, (head, [pickle.PickleBuffer(buffer.raw()) for buffer in buffers])


def _arrive(head: bytes, buffers: list[Any]) -> Aligned:
    return Aligned(pickle.loads(head, buffers=[_aligned(buffer) for buffer in buffers]))


def _aligned(buffer: Any) -> memoryview:
    """A copy of the bytes that begins where arrays should."""
    content = memoryview(buffer)
    memory = np.empty(content.nbytes + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    aligned = memory[start : start + content.nbytes]
    aligned[:] = np.frombuffer(content, np.uint8)
    return aligned.data


def pickled(value: Any, buffers: list[pickle.PickleBuffer] | None = None) -> bytes:
    """Bytes that another process can turn into the value, or an error that says what cannot.

    Parameters
    ----------
    value : object
    buffers : list, optional
        Collects the arrays' memory instead of copying it into the bytes.
    """
    aside = None if buffers is None else buffers.append
    try:
        text: bytes = cloudpickle.dumps(value, protocol=5, buffer_callback=aside)
    except Exception as error:
        raise InputError(
            "This cannot be sent to worker processes.",
            given=f"{_culprit(value)} ({error})",
            fix="use n_jobs=1, or an object without open files, locks, connections or generators",
        ) from None
    return text


def _culprit(value: Any, name: str = "", depth: int = 6) -> str:
    """Where in a value the part lies that cannot be pickled."""
    for part, inner in _parts(value):
        if depth and not _travels(inner):
            return _culprit(inner, f"{name}.{part}" if name else part, depth - 1)
    return f"{name}: {value!r:.200}" if name else f"{value!r:.200}"


def _parts(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(str(key), inner) for key, inner in value.items()]
    if isinstance(value, (list, tuple)):
        return [(str(i), inner) for i, inner in enumerate(value)]
    if is_dataclass(value) and not isinstance(value, type):
        return [(f.name, getattr(value, f.name, None)) for f in fields(value)]
    if cells := getattr(value, "__closure__", None):
        return list(zip(value.__code__.co_freevars, [c.cell_contents for c in cells], strict=True))
    return list(getattr(value, "__dict__", {}).items())


def _travels(value: Any) -> bool:
    try:
        cloudpickle.dumps(value, protocol=5, buffer_callback=lambda buffer: None)
    except Exception:
        return False
    return True


def remove(path: Path) -> None:
    """Remove a packed file and its directory, if they are still there."""
    with suppress(OSError):
        path.unlink(missing_ok=True)
        path.parent.rmdir()
