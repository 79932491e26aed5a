"""Values on their way to workers and back, as bytes.

What tasks have in common is pickled once, its arrays beside it and aligned when they arrive.

Local workers map files into memory, so what they only read exists once. Alignment is more than
speed: NumPy multiplies arrays that are not aligned by another algorithm, with other last digits.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import ExecutionError, InputError, PycvstatError
from pycvstat.run.one_task import Reply

ALIGNMENT = 64


def pack(value: Any, place: Path) -> None:
    """Write a value into a new directory, its arrays beside its pickle, for `unpack`.

    Parameters
    ----------
    value : object
    place : pathlib.Path
    """
    head, buffers = apart(value)
    try:
        (place / "pickle").write_bytes(head)
        for number, buffer in enumerate(buffers):
            np.save(place / f"{number}.npy", buffer)
    except OSError as error:
        raise ExecutionError(
            "The data could not be written for the workers.",
            given=f"{place} ({error.strerror})",
            fix="make room there, name another directory in TMPDIR, or use n_jobs=1",
        ) from None


def unpack(place: Path) -> Any:
    """The value that `pack` wrote, its arrays mapped; a worker's changes stay its own.

    Parameters
    ----------
    place : pathlib.Path
    """
    count = len(list(place.glob("*.npy")))
    # copy on write: arrays are as writable as they were where they came from
    buffers = [np.load(place / f"{number}.npy", mmap_mode="c") for number in range(count)]
    return pickle.loads((place / "pickle").read_bytes(), buffers=buffers)


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

    def __reduce__(self) -> tuple[Any, ...]:
        return arrive, apart(self.value)


def apart(value: Any) -> tuple[bytes, list[NDArray[np.uint8]]]:
    """A value's pickle, and the memory of its arrays.

    Parameters
    ----------
    value : object
    """
    buffers: list[pickle.PickleBuffer] = []
    head = pickled(value, buffers)
    return head, [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers]


def arrive(head: bytes, buffers: list[Any]) -> Aligned:
    """The value that `apart` took apart.

    Parameters
    ----------
    head : bytes
    buffers : list of uint8 arrays
    """
    return Aligned(pickle.loads(head, buffers=[_aligned(buffer) for buffer in buffers]))


def _aligned(buffer: NDArray[np.uint8]) -> memoryview:
    """A copy of the bytes that begins where arrays should."""
    memory = np.empty(buffer.nbytes + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    aligned = memory[start : start + buffer.nbytes]
    aligned[:] = buffer
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
    parts: Any = {**getattr(value, "__dict__", {})}
    if isinstance(value, (list, tuple)):
        parts = dict(enumerate(value))
    elif isinstance(value, Mapping):
        parts = value
    elif cells := getattr(value, "__closure__", None):
        parts = dict(zip(value.__code__.co_freevars, [c.cell_contents for c in cells], strict=True))
    for part, inner in parts.items():
        if depth and not _travels(inner):
            return _culprit(inner, f"{name}.{part}" if name else str(part), depth - 1)
    return f"{name}: {value!r:.200}" if name else f"{value!r:.200}"


def _travels(value: Any) -> bool:
    try:
        cloudpickle.dumps(value, protocol=5, buffer_callback=lambda buffer: None)
    except Exception:
        return False
    return True


def to_bytes(reply: Reply) -> bytes:
    """A reply on its way back to the session; its error comes with all that was told there.

    Parameters
    ----------
    reply : Reply
    """
    error = reply.error
    if error is None:
        try:
            return pickled((reply, None, None))
        except InputError as failure:
            error = failure
    cause = error.__cause__
    if cause or not isinstance(error, PycvstatError):
        whole = cause or error  # the traceback itself stays here
        whole.add_note("In the worker:\n" + "".join(traceback.format_exception(whole)))
    return pickled((Reply(warnings=reply.warnings), _made_of(error), cause and _made_of(cause)))


def _made_of(error: BaseException) -> tuple[Any, ...]:
    """What an error is made from.

    To let pickle do it would not do on a dask cluster, whose workers teach it to lose attributes
    such as the code of a SystemExit.
    """
    parts: Any = error.__reduce_ex__(4)[:3]
    try:
        _error(*pickle.loads(pickled(parts)))
    except Exception:
        given = f"{type(error).__qualname__}: {error}"
        return _made_of(
            ExecutionError("A task failed with an error that cannot be sent.", given=given)
        )
    return parts  # type: ignore[no-any-return]


def _error(make: Any, arguments: tuple[Any, ...], state: Any = None) -> BaseException:
    error: BaseException = make(*arguments)
    error.__setstate__(state)
    return error


def from_bytes(message: bytes) -> Reply:
    """The reply in a message.

    Parameters
    ----------
    message : bytes
    """
    try:
        reply, error, cause = pickle.loads(message)
        if error:
            reply = replace(reply, error=_error(*error))
            reply.error.__cause__ = cause and _error(*cause)
    except Exception as trouble:
        given = f"{type(trouble).__name__}: {trouble}"
        return Reply(error=ExecutionError("A worker's reply cannot be read.", given=given))
    return reply  # type: ignore[no-any-return]
