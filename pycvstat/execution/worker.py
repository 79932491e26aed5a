"""What runs in a local worker process: read a task, answer, until the session is gone."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import IO, Any

READY, FINISH = b"ready", b""

SIZE = 8
"""Bytes of the length that stands before each message."""


def read(stream: IO[bytes]) -> bytes:
    """The next message; an OSError when the other side is gone.

    Parameters
    ----------
    stream : binary file
    """
    return _exactly(stream, int.from_bytes(_exactly(stream, SIZE), "little"))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise ConnectionResetError
    return content


def write(stream: IO[bytes], message: bytes) -> None:
    """Send one message; an OSError when the other side is gone.

    Parameters
    ----------
    stream : binary file
    message : bytes
    """
    stream.write(len(message).to_bytes(SIZE, "little"))
    stream.write(message)
    stream.flush()


def serve() -> None:
    """Answer the tasks that arrive on standard input, one after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the session decides what Ctrl-C stops
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a task prints must not be taken for an answer
    place = Path(sys.argv[1])
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(questions, tasks, place), daemon=True).start()
    write(answers, READY)
    work: Any = None
    while question := tasks.get():
        work, reply = _answer(work, place, question)
        write(answers, reply)


def _listen(questions: IO[bytes], tasks: queue.SimpleQueue[bytes], place: Path) -> None:
    """Pass tasks on; when the session is gone, even in the middle of a task, so is the worker."""
    from pycvstat.execution.packing import remove

    question = READY
    while question != FINISH:
        try:
            question = read(questions)
        except OSError:
            remove(place)
            os._exit(0)
        tasks.put(question)


def _answer(work: Any, place: Path, question: bytes) -> tuple[Any, bytes]:
    from pycvstat.errors import ExecutionError
    from pycvstat.execution.messages import Reply, to_bytes
    from pycvstat.execution.packing import unpack
    from pycvstat.execution.work import perform_elsewhere

    try:
        work = work or unpack(place)
        number, task = pickle.loads(question)
    except Exception as error:
        failure = ExecutionError(
            "A worker cannot read its work.",
            given=f"{type(error).__name__}: {error}",
            fix="make every module of your learner importable in a new Python process",
        )
        return None, to_bytes(Reply(error=failure))
    return work, to_bytes(perform_elsewhere(work, number, task))
