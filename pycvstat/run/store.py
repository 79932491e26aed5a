"""Keep results in one file and read them back, without pickle.

A file is an NPZ archive. The member ``header`` is JSON text: what kind of record this is, the
versions that wrote it, the record's structure, and a SHA-256 checksum for each array. Reading a
file runs no code from it: what can come out are Python's and NumPy's plain values, pycvstat's own
dataclasses, and of statsmodels and scikit-learn the classes that `brought` lists, with arguments.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import secrets
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from io import BufferedWriter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import CheckpointError, InputError
from pycvstat.errors.checks import check_path
from pycvstat.run.records import Encoder, decode

FORMAT = 1


@dataclass(frozen=True, eq=False)
class Saved:
    """What a file holds.

    Parameters
    ----------
    kind : str
        What the record is, as it was saved.
    record : object
        The values.
    versions : mapping
        Versions of Python and packages that wrote it.
    """

    kind: str
    record: Any
    versions: Mapping[str, str]


def save(path: str | os.PathLike[str], kind: str, record: Any) -> None:
    """Write a record as one file; the file appears complete or not at all.

    Parameters
    ----------
    path : path
        The file to write; an older file there is replaced.
    kind : str
        What the record is, for whoever reads it.
    record : object
        Numbers, text, None, arrays, pycvstat's own dataclasses, models of statsmodels, estimators
        of scikit-learn, and lists, tuples and dicts of these.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     save(f"{place}/a.npz", "curve", {"k": [1, 2], "loss": np.array([0.5, 0.25])})
    ...     load(f"{place}/a.npz").record
    {'k': [1, 2], 'loss': array([0.5 , 0.25])}
    """
    encoder = Encoder()
    tree = encoder.encode(record)
    try:
        with WholeFile(Path(path)) as file, zipfile.ZipFile(file, "w") as archive:
            sums = [_add(archive, f"a{i}.npy", array) for i, array in enumerate(encoder.arrays)]
            header = {
                "format": FORMAT,
                "kind": kind,
                "versions": versions(),
                "record": tree,
                "sha256": sums,
            }
            text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
            _add(archive, "header.npy", np.frombuffer(text, np.uint8))
            digest = hashlib.sha256(text).digest()
            _add(archive, "sha256.npy", np.frombuffer(digest, np.uint8))
    except OSError as error:
        fix = "make room, or choose a place where you may write"
        given = f"{path} ({error.strerror or error})"
        raise CheckpointError("This file cannot be written.", given=given, fix=fix) from None


def _add(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> str:
    """Add an array to the archive and give its checksum."""
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=False)
    archive.writestr(zipfile.ZipInfo(name), file.getbuffer())  # no date: equal records, equal files
    return hashlib.sha256(file.getbuffer()).hexdigest()


def load(path: str | os.PathLike[str]) -> Saved:
    """Read a file that `save` wrote, and check that every byte of it is as written.

    Parameters
    ----------
    path : path

    Returns
    -------
    Saved

    Raises
    ------
    CheckpointError
        When the file is truncated, changed, or was not written by pycvstat.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     save(f"{place}/a.npz", "note", ("k", 7))
    ...     load(f"{place}/a.npz").kind
    'note'
    """
    file = check_path(path)
    if not file.is_file():
        raise InputError("There is no such file.", given=str(path))
    try:
        with zipfile.ZipFile(file) as archive:
            header, arrays = _members(archive)
        return Saved(header["kind"], decode(header["record"], arrays), header["versions"])
    except OSError as error:
        raise CheckpointError(
            "This file cannot be read.", given=f"{path} ({error.strerror or error})"
        ) from None
    except Exception as error:  # whatever bytes nobody wrote can lead to
        raise CheckpointError(
            "This file is damaged, or was not written by pycvstat.",
            given=f"{path} ({error or type(error).__name__})",
            fix="make it again from the data, or take it from a backup",
        ) from None


def _members(archive: zipfile.ZipFile) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """The header and the arrays, each checked against its checksum."""
    entries = archive.infolist()
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
        raise ValueError("it has compressed parts")
    if sum(entry.file_size for entry in entries) > os.path.getsize(str(archive.filename)):
        raise ValueError("its parts overlap")
    text = _array(archive.read("header.npy")).tobytes()
    if _array(archive.read("sha256.npy")).tobytes() != hashlib.sha256(text).digest():
        raise ValueError("the header does not match its checksum")
    header: dict[str, Any] = json.loads(text)
    if header["format"] != FORMAT:
        raise ValueError(f"it has format {header['format']}, this pycvstat reads {FORMAT}")
    sums = header["sha256"]
    if len(entries) != len(sums) + 2:
        raise ValueError("it has parts that the header does not name")
    return header, [_checked(archive.read(f"a{i}.npy"), sums[i], i) for i in range(len(sums))]


def _checked(blob: bytes, sha256: str, number: int) -> NDArray[Any]:
    if hashlib.sha256(blob).hexdigest() != sha256:
        raise ValueError(f"array {number} does not match its checksum")
    return _array(blob)


def _array(blob: bytes) -> NDArray[Any]:
    array: NDArray[Any] = np.lib.format.read_array(io.BytesIO(blob), allow_pickle=False)
    return array


@cache
def versions() -> dict[str, str]:
    """Versions of what computes the numbers: Python, the machine, and numerical packages.

    Examples
    --------
    >>> versions()["numpy"] == np.__version__
    True
    """
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in ("pycvstat", "numpy", "scipy", "pandas", "statsmodels", "numba", "scikit-learn"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


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
            f".{path.name}-{platform.node()}-{os.getpid()}-{secrets.token_hex(8)}.part"
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
