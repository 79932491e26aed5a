"""Python scripts beside the tests, each run by a fork of a Python that has packages in memory.

A script begins as `python` would begin it, half a second sooner. What a test says of a new
interpreter takes one: what is imported, threads, variables that libraries read, orders of sets.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import IO, Any

SLOW_TO_LOAD = ("numpy", "pandas", "scipy.linalg", "scipy.special", "scipy.optimize", "numba",
                "joblib", "cloudpickle", "jinja2", "matplotlib.pyplot", "distributed")  # fmt: skip
BYTES = 4  # of a number that is told


@cache
def _forking() -> socket.socket:
    """Where scripts are sent."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = os.environ | {"PYTHONUTF8": "1", "PYTHONPATH": ""}
    with theirs:
        forking = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())], env=environment,
            pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    atexit.register(forking.kill)
    return ours


class Script:
    """A script that was begun, as `subprocess.Popen` would tell of it."""

    returncode: int | None = None

    def __init__(self, words: list[str], place: str | Path, environment: Mapping[str, str] | None,
                 out: int | IO[Any], err: int | IO[Any]) -> None:  # fmt: skip
        self.words = words
        self._told, tell = os.pipe()
        given = os.environ if environment is None else environment
        order = json.dumps([words, str(Path(place).absolute()), {**given}]).encode()
        streams = [one if isinstance(one, int) else one.fileno() for one in (out, err)]
        socket.send_fds(_forking(), [order], [*streams, tell])
        os.close(tell)
        self.pid = self._number()

    def _number(self) -> int:
        number = os.read(self._told, BYTES)
        assert number, "the Python that forks has ended"
        return int.from_bytes(number, "little", signed=True)

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.words, timeout or 0.0)
            self.returncode = self._number()
            os.close(self._told)
        return self.returncode

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def begun(
    command: list[str], *, env: Mapping[str, str], stdout: IO[Any], stderr: IO[Any], **_: Any
) -> Script:
    """As `subprocess.Popen` begins a command of this Python; it leads no group of processes."""
    assert command[0] == sys.executable
    return Script(command[1:], ".", env, stdout, stderr)


def python(
    *words: str, cwd: str | Path = ".", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What became of `python WORDS`, which are `-c CODE`, `-m MODULE` or a file, and arguments."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        status = Script([*words], cwd, env, out, err).wait()
        for stream in (out, err):
            stream.seek(0)
        said = [stream.read().decode("utf-8") for stream in (out, err)]
    return subprocess.CompletedProcess(words, status, *said)


def _serve(orders: socket.socket) -> tuple[list[str], str, dict[str, str]]:
    """Fork for every order; returns what to do in each of the forks."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait
    while True:
        order, received, *_ = socket.recv_fds(orders, 1_000_000, 3)
        if not order:
            os._exit(0)
        if os.fork() == 0:
            break
        for stream in received:
            os.close(stream)
    orders.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, tell = received
    if child := os.fork():
        os.write(tell, child.to_bytes(BYTES, "little"))
        _, status = os.waitpid(child, 0)
        os.write(tell, os.waitstatus_to_exitcode(status).to_bytes(BYTES, "little", signed=True))
        os._exit(0)
    for number, stream in enumerate(streams, 1):
        os.dup2(stream, number)
    for stream in received:
        os.close(stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return json.loads(order)  # type: ignore[no-any-return]


def _begin(words: list[str], place: str, environment: dict[str, str]) -> None:
    """Do what `python WORDS` does, in this process."""
    os.chdir(place)
    os.environ.clear()
    os.environ.update(environment)
    importlib.import_module("numpy").random.seed()  # or all scripts would draw the same
    how, *arguments = words
    first = str(Path(how).absolute().parent)
    if how in ("-c", "-m"):
        first = "" if how == "-c" else place
        what, *arguments = arguments
    path = environment.get("PYTHONPATH")
    sys.path[:0] = [first, *(path.split(os.pathsep) if path else [])]
    sys.argv = [how, *arguments]
    if how == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
        return
    main = sys.modules["__main__"] = ModuleType("__main__")
    if how == "-c":
        program = compile(what, "<string>", "exec")
    else:
        main.__file__ = how
        program = compile(Path(how).read_bytes(), how, "exec")
    exec(program, vars(main))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    del sys.path[0]
    for name in SLOW_TO_LOAD:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()
    asked = _serve(socket.socket(fileno=int(sys.argv[1])))
    try:
        _begin(*asked)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except Exception:
        sys.excepthook(*sys.exc_info())
        status = 1
    # as Python ends, but for taking apart all that it has in memory
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
