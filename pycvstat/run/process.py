"""One local worker process, asked one task at a time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing import spawn

from pycvstat.run.messages import Reply, from_bytes
from pycvstat.run.threads import ONE
from pycvstat.run.worker import FINISH, READY, REST, read, write

START = """\
import json, sys
sys.path[:] = json.loads(sys.argv.pop(1))
from pycvstat.run.worker import serve
serve()
"""


class WorkerProcess:
    """A Python process that answers tasks; see `pycvstat.run.worker` for its side.

    Examples
    --------
    >>> process = WorkerProcess()
    >>> process.is_ready()
    True
    >>> process.end()
    'the worker ended with exit code 0'
    """

    def __init__(self) -> None:
        self.popen = subprocess.Popen(
            [os.fsdecode(spawn.get_executable()), "-c", START, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE},
            process_group=0,  # Ctrl-C is for the session
        )
        assert self.popen.stdin
        assert self.popen.stdout
        self.questions, self.answers = self.popen.stdin, self.popen.stdout
        self._ready = False

    def is_ready(self) -> bool:
        """Wait until the process can take tasks; False when it died before."""
        try:
            self._ready = self._ready or read(self.answers) == READY
        except OSError:
            return False
        return self._ready

    def ask(self, question: bytes) -> Reply:
        """The reply to one task; an OSError when the process is dead.

        Parameters
        ----------
        question : bytes
        """
        write(self.questions, question)
        return from_bytes(read(self.answers))

    def rest(self) -> bool:
        """Let go of the work; False when the process is dead."""
        try:
            write(self.questions, REST)
        except OSError:
            return False
        return self.is_alive()

    def is_alive(self) -> bool:
        """Whether the process is still there."""
        return self.popen.poll() is None

    def end(self, *, kill: bool = False) -> str:
        """End the process, and say how it ended.

        Parameters
        ----------
        kill : bool
            At once, whatever it does.
        """
        if kill:
            self.popen.kill()
        with suppress(OSError):
            write(self.questions, FINISH)
        with suppress(OSError):
            self.questions.close()
        try:
            code = self.popen.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            code = self.popen.wait()
        self.answers.close()
        if code >= 0:
            return f"the worker ended with exit code {code}"
        return f"the worker was ended by signal {-code} ({signal.Signals(-code).name})"
