"""Python scripts and workers beside the tests: forks of a Python that has packages in memory.

A fork begins as `python` would begin it, half a second sooner. What a test says of a new
interpreter takes one: what is imported, flags, variables that libraries read, orders of sets.
Workers of scripts are new interpreters.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import fcntl
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
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from joblib.externals.loky.backend.fork_exec import fork_exec
from threadpoolctl import ThreadpoolController

SLOW_TO_LOAD = ("numpy", "pandas", "scipy.linalg", "scipy.special", "scipy.optimize", "numba",
                "joblib", "cloudpickle", "jinja2", "matplotlib.pyplot", "distributed")  # fmt: skip
BYTES = 4  # of a number that is told
SUBREAPER = 36  # of prctl


_beginning, _adopting = threading.Lock(), threading.Lock()


def _forking() -> socket.socket:
    """Where scripts of this process are sent, once they can be."""
    with _beginning:
        return _begun_by(os.getpid())


@cache
def _begun_by(process: int) -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = os.environ | {"PYTHONUTF8": "1", "PYTHONPATH": ""}
    with theirs:
        forking = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())], env=environment,
            pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    atexit.register(forking.kill)
    assert ours.recv(1), "the Python that forks has ended"
    return ours


def _ordered(
    words: list[str], place: str | Path, environment: Mapping[str, str], streams: Mapping[int, int],
    child: bool = False,
) -> int:  # fmt: skip
    """Have `python WORDS` begun, with these streams; where it tells its number.

    With `child` it is a child of this process, else its status is told as well.
    """
    order = [words, str(Path(place).absolute()), {**environment}, [*streams], child]
    forking = _forking()
    told, tell = os.pipe()
    try:
        socket.send_fds(forking, [json.dumps(order).encode()], [*streams.values(), tell])
    except OSError:
        os.close(told)
        raise
    finally:
        os.close(tell)
    return told


def _number(told: int) -> int:
    number = os.read(told, BYTES)
    assert number, "the Python that forks has ended"
    return int.from_bytes(number, "little", signed=True)


PYTHON = sys.executable


def worker(command: list[str], streams: Sequence[int], env: Mapping[str, str] | None = None) -> int:
    """As loky's `fork_exec` begins a worker: the number of a new child of this process."""
    if command[0] != PYTHON:
        return int(fork_exec(command, streams, env))
    environment = {**os.environ, **(env or {})}
    adopt = ctypes.CDLL(None).prctl
    _forking()  # before others could be adopted
    with _adopting:
        adopt(SUBREAPER, 1, 0, 0, 0)
        try:
            kept = {number: number for number in (0, 1, 2, *map(int, streams))}
            told = _ordered(command[1:], os.getcwd(), environment, kept, child=True)
            pid = _number(told)
        finally:
            adopt(SUBREAPER, 0, 0, 0, 0)
    os.close(told)
    return pid


class Script:
    """A script that was begun, as `subprocess.Popen` would tell of it."""

    returncode: int | None = None

    def __init__(self, words: list[str], place: str | Path, environment: Mapping[str, str] | None,
                 out: int | IO[Any], err: int | IO[Any]) -> None:  # fmt: skip
        self.words = words
        given = os.environ if environment is None else environment
        streams = {1: out, 2: err}
        self._told = _ordered(words, place, given, {
            number: one if isinstance(one, int) else one.fileno() for number, one in streams.items()
        })  # fmt: skip
        self.pid = _number(self._told)

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.words, timeout or 0.0)
            self.returncode = _number(self._told)
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
        order, received, *_ = socket.recv_fds(orders, 1_000_000, 100)
        if not order:
            os._exit(0)
        if os.fork() == 0:
            break
        for stream in received:
            os.close(stream)
    orders.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *what, numbers, is_child = json.loads(order)
    own = [fcntl.fcntl(stream, fcntl.F_DUPFD, max(numbers) + 1) for stream in received]
    for stream in received:
        os.close(stream)
    *streams, tell = own
    between = os.getpid()
    if child := os.fork():
        if not is_child:
            _tell(tell, child)
            _, status = os.waitpid(child, 0)
            _tell(tell, os.waitstatus_to_exitcode(status))
        os._exit(0)
    for number, stream in zip(numbers, streams, strict=True):
        os.dup2(stream, number)
    if is_child:
        while os.getppid() == between:
            time.sleep(0.001)
        _tell(tell, os.getpid())
    for stream in own:
        os.close(stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return what  # type: ignore[return-value]


def _tell(tell: int, number: int) -> None:
    os.write(tell, number.to_bytes(BYTES, "little", signed=True))


def _read_anew(environment: Mapping[str, str], libraries: list[Any]) -> None:
    """What libraries read of the environment when they are loaded, and draw."""
    importlib.import_module("numpy").random.seed()  # or all scripts would draw the same
    if numba := sys.modules.get("numba"):
        numba.config.reload_config()
    of_all = environment.get("OMP_NUM_THREADS")
    for library in libraries:
        own = None if library.user_api == "openmp" else environment.get("OPENBLAS_NUM_THREADS")
        library.set_num_threads(int((own or of_all or str(os.cpu_count() or 1)).split(",")[0]))


def _begin(words: list[str], place: str) -> None:
    """Do what `python WORDS` does, in this process."""
    os.chdir(place)
    how, *arguments = words
    first = str(Path(how).absolute().parent)
    if how in ("-c", "-m"):
        first = "" if how == "-c" else place
        what, *arguments = arguments
    path = os.environ.get("PYTHONPATH")
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
    libraries = ThreadpoolController().lib_controllers
    gc.collect()
    gc.freeze()
    orders = socket.socket(fileno=int(sys.argv[1]))
    orders.send(b"!")
    words, place, environment = _serve(orders)
    os.environ.clear()
    os.environ.update(environment)
    _read_anew(environment, libraries)
    try:
        _begin(words, place)
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
