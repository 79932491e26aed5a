"""What runs in a local worker process: read a task, answer, until the session is gone."""

from __future__ import annotations

import gc
import os
import pickle
import queue
import signal
import threading
from pathlib import Path
from typing import IO, Any

READY, REST, FINISH = b"ready", b"rest", b""
"""Messages beside tasks: a worker is there; a run is over; there will be no other run."""

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
    worker = _Worker()
    threading.Thread(target=worker.listen, args=(questions,), daemon=True).start()
    try:
        write(answers, READY)
        while message := worker.messages.get():
            if message == REST:
                worker.rest()
            else:
                write(answers, worker.answer(message))
    except BrokenPipeError:
        worker.leave()


class _Worker:
    """A worker and the work of the run it takes part in."""

    def __init__(self) -> None:
        self.messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.rest()

    def listen(self, questions: IO[bytes]) -> None:
        """Pass messages on; when the session is gone, even during a task, so is the worker."""
        message = READY
        while message != FINISH:
            try:
                message = read(questions)
            except OSError:
                self.leave()
            self.messages.put(message)

    def leave(self) -> None:
        """The session is gone: remove what it packed, and say nothing."""
        from pycvstat.run.packing import remove

        if self.place:
            remove(self.place)
        os._exit(0)

    def rest(self) -> None:
        self.place: Path | None = None
        self.work: Any = None
        gc.collect()

    def answer(self, question: bytes) -> bytes:
        from pycvstat.errors import ExecutionError
        from pycvstat.run.messages import Reply, to_bytes
        from pycvstat.run.packing import unpack
        from pycvstat.run.work import perform_elsewhere

        try:
            self.place, number, task = pickle.loads(question)
            self.work = self.work or unpack(self.place)
        except Exception as error:
            failure = ExecutionError(
                "A worker cannot read its work.",
                given=f"{type(error).__name__}: {error}",
                fix="make every module of your learner importable in a new Python process",
            )
            return to_bytes(Reply(error=failure))
        return to_bytes(perform_elsewhere(self.work, number, task))
