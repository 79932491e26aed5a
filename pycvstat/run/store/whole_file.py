"""A file that appears complete or not at all, even when the machine stops."""

from __future__ import annotations

import os
import platform
import secrets
from contextlib import suppress
from io import BufferedWriter
from pathlib import Path


class WholeFile:
    """A file that appears under its name complete and on disk, or not at all.

    Parameters
    ----------
    path : pathlib.Path
    replace : bool
        False leaves a file that is already there as it is: the first writer wins.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with WholeFile(Path(place, "a")) as file:
    ...         _ = file.write(b"all of it")
    ...     Path(place, "a").read_bytes()
    b'all of it'
    """

    def __init__(self, path: Path, *, replace: bool = True) -> None:
        self.path, self.replace = path, replace
        self.draft = path.with_name(
            f".{path.name}-{_owner(os.getpid())}-{secrets.token_hex(8)}.part"
        )

    def __enter__(self) -> BufferedWriter:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        self.file = os.fdopen(os.open(self.draft, flags, 0o666), "wb")
        return self.file

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        try:
            if kind is None:
                self.file.flush()
                os.fsync(self.file.fileno())
                self.file.close()
                self._appear()
        finally:
            with suppress(OSError):  # a full disk is met again when buffers are written out
                self.file.close()
            with suppress(FileNotFoundError):
                os.unlink(self.draft)

    def _appear(self) -> None:
        if self.replace:
            os.replace(self.draft, self.path)
        else:
            self._appear_once()
        _sync_directory(self.path.parent)

    def _appear_once(self) -> None:
        try:
            os.link(self.draft, self.path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            if not self.path.exists():
                os.replace(self.draft, self.path)


def remove_abandoned(directory: Path) -> None:
    """Remove drafts of processes of this machine that were killed.

    Parameters
    ----------
    directory : pathlib.Path
    """
    for draft in directory.glob(".*.part"):
        machine, _, pid = draft.name.rpartition("-")[0].rpartition("-")
        ours = machine.endswith(f"-{platform.node()}") and pid.isdigit()
        if ours and not _alive(int(pid)):
            with suppress(OSError):
                draft.unlink()


def _owner(pid: int) -> str:
    return f"{platform.node()}-{pid}"


def _alive(pid: int) -> bool:
    if os.name == "nt":
        return True  # os.kill would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _sync_directory(directory: Path) -> None:
    """Make a rename last; Windows cannot open directories and needs not."""
    if os.name == "nt":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
