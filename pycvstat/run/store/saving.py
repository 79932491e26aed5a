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
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.errors import CheckpointError, InputError
from pycvstat.run.store.records import Encoder, decode
from pycvstat.run.store.whole_file import WholeFile

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
        raise CheckpointError(
            "This file cannot be written.",
            given=f"{path} ({error.strerror or error})",
            fix="make room, or choose a place where you may write",
        ) from None


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
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        raise InputError("There is no such file.", given=str(path))
    try:
        with zipfile.ZipFile(path) as archive:
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
