"""Tasks for workers elsewhere, and what goes to them and back, as bytes.

Tasks are done all together, then alone those that lost their worker. What they have in common is
pickled once, its arrays beside it and aligned when they arrive; local workers map files into
memory, so what they only read exists once. Alignment is more than speed: NumPy multiplies arrays
that are not aligned by another algorithm, with other last digits.
"""

from __future__ import annotations

import pickle
import queue
import traceback
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import ExecutionError, InputError, PycvstatError
from pycvstat.run.reproducible import Common, Reply

if TYPE_CHECKING:
    from pycvstat.run.tasks import Run

LISTEN = 2.0
"""Seconds without news after which the workers are looked at."""
ALIGNMENT = 64


class WorkerLost(Exception):
    """A worker died while it had a task, or before."""


class Workers(ABC):
    """Who takes tasks: processes of this machine, or a cluster.

    Parameters
    ----------
    common : Common
    run : Run

    Attributes
    ----------
    attempts : int
        How often a task that lost its worker is tried alone before it is given up.
    """

    attempts = 1

    def __init__(self, common: Common, run: Run) -> None:
        self.common = common
        # what cannot be sent is said before any work starts
        self.messages = {n: pickled((n, run.tasks[n])) for n in run.remaining()}

    @abstractmethod
    def are_free(self) -> bool:
        """Whether another task can be begun now."""

    @abstractmethod
    def begin(self, number: int) -> Any:
        """Begin a task: a future."""

    @abstractmethod
    def reply(self, number: int, future: Any) -> Reply:
        """What became of a task whose future is done; raises `WorkerLost`."""

    @abstractmethod
    def leave(self, futures: list[Any]) -> None:
        """Nothing more is asked of the workers; what they still do is not wanted."""

    def look(self) -> None:  # noqa: B027  # processes have nothing to look at
        """Raise when there is nobody left to wait for."""


def have_done(workers: Workers, run: Run) -> Generator[None]:
    """Have all tasks done; yields after each.

    A task that lost its worker may have ended it, or only have waited on it, or needed memory
    that others held. So it is tried again when all others are done, alone: a death is its own
    then.

    Parameters
    ----------
    workers : Workers
    run : Run
    """
    pending: dict[int, Any] = {}
    try:
        lost = yield from _together(workers, run, iter(run.take, None), pending)
        for number, how in sorted(lost.items()):
            for _ in range(workers.attempts):
                if run.is_wanted(number):
                    again = yield from _together(workers, run, iter([number]), pending)
                    how = again.get(number, how)
            if run.is_wanted(number):
                run.lost[number] = how
            if not run.replies:
                break  # nobody can do anything
    finally:
        workers.leave(list(pending.values()))


def _together(
    workers: Workers, run: Run, numbers: Iterator[int], pending: dict[int, Any]
) -> Generator[None, None, dict[int, str]]:
    """Have tasks done at the same time; those that lost their worker, and how."""
    news: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    lost: dict[int, str] = {}
    while True:
        begun = next(numbers, None) if workers.are_free() else None
        if begun is not None:
            pending[begun] = workers.begin(begun)
            pending[begun].add_done_callback(lambda done, number=begun: news.put((number, done)))
        elif not any(run.is_wanted(number) for number in pending):
            return lost
        try:
            number, future = news.get(block=begun is None, timeout=LISTEN)
        except queue.Empty:
            if begun is None:
                workers.look()
            continue
        del pending[number]
        try:
            run.answer(number, workers.reply(number, future))
        except WorkerLost as loss:
            lost[number] = str(loss)
        yield


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
        problem = "The data could not be written for the workers."
        fix = "make room there, name another directory in TMPDIR, or use n_jobs=1"
        raise ExecutionError(problem, given=f"{place} ({error.strerror})", fix=fix) from None


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
        fix = "use n_jobs=1, or an object without open files, locks, connections or generators"
        given = f"{_culprit(value)} ({error})"
        raise InputError("This cannot be sent to worker processes.", given=given, fix=fix) from None
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
