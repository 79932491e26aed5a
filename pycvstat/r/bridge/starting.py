"""R begins in this process, with rpy2, and leaves the environment as it was."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from pycvstat.r.bridge.installed import r_program


def running_r() -> Any:
    """rpy2's interface to an R that runs; it is started unless it runs already."""
    with _quiet_import():
        before = dict(os.environ)
        from rpy2 import situation

        # nothing reads what that would start an R to find
        with _replaced(situation, "r_ld_library_path_from_subprocess", lambda home: ""):
            from rpy2 import rinterface
        from rpy2.rinterface_lib import embedded

        fresh = not (embedded.isinitialized() or embedded.is_r_externally_initialized())
        if fresh:
            embedded.set_initoptions(("rpy2", "--quiet", "--no-save", "--no-restore"))
        with _replaced(rinterface, "_getrenvvars", _set_by_script):
            rinterface.initr()
        if fresh:
            _give_back(before, map(str, rinterface.evalr("names(Sys.getenv())")))
    return rinterface


@contextlib.contextmanager
def _quiet_import() -> Iterator[None]:
    """Keep rpy2's remarks on how it found R to itself."""
    rpy2_log = logging.getLogger("rpy2")
    before = rpy2_log.level
    rpy2_log.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        rpy2_log.setLevel(before)


@contextlib.contextmanager
def _replaced(module: Any, name: str, function: Any) -> Iterator[None]:
    """Another function in the place of one that would start an R, inside the block."""
    usual = getattr(module, name, None)
    if usual is None or os.name == "nt":
        yield
        return
    setattr(module, name, function)
    try:
        yield
    finally:
        setattr(module, name, usual)


def _set_by_script() -> list[tuple[str, str]]:
    """The folders of R, which its start script knows."""
    asked = [str(r_program()), "CMD", "env"]
    lines = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    return [(name, value) for name, _, value in (line.partition("=") for line in lines)
            if name in ("R_SHARE_DIR", "R_INCLUDE_DIR", "R_DOC_DIR", "R_ARCH")]  # fmt: skip


def _give_back(before: dict[str, str], known_to_r: Iterable[str]) -> None:
    """Take back the environment variables that are not R's own.

    R reads files of them, and child processes would have them too.
    """
    for name in {*os.environ, *known_to_r} - {*before}:
        if not name.startswith(("R_", "PYTHON_SESSION_INITIALIZED")):
            os.unsetenv(name)
            os.environ.pop(name, None)
    os.environ.update(before)
