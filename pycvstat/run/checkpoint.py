"""Finished tasks in a directory, so that a killed run continues where it stopped.

A checkpoint has a directory per piece of work, named by its label: ``manifest.json`` says what
the work is, and each finished task has a file of its own. Files appear complete or not at all, so
runs that share a directory cannot damage or mix anything: they do the same work, and whoever
finishes a task first saves it for the others.

What the work is, and when it is refused
----------------------------------------
A checkpoint of other work is refused, and what differs is named. Noticed are changes of

- the data, the folds and the inner folds, the loss, the candidates, every parameter of the learner,
  also inside pipelines and objects, and what an estimator that is given has learnt;
- the code of functions, methods and classes of yours that are reached from there, with their
  defaults, closures and attributes, and the present values of global variables whose names are in
  that code, or that it takes from a module of yours by ``module.name``;
- the files of your modules that are reached, and of those of your modules that they import, also
  inside functions: any edit of such a file, even of a comment;
- the versions of Python, of the numerical packages, and of other packages whose objects are used.

Refused from the beginning is code of yours that uses what no name in it tells: ``eval``, ``exec``,
``globals()``, ``import_module``, ``open`` and what reads files (``np.load``, ``pd.read_csv``,
``Path.read_text``, ...), environment variables, settings (``pd.options``, ``np.geterr``, ...),
``getattr`` or ``vars`` beside a module of yours;
code that changes a global variable or one of the function around it; and objects that are others
in each session (generators, open files, connections). Read such things before and give them to the
learner as parameters; or leave ``checkpoint`` out; or say yourself what the function, class or
object is: ``fit.fingerprint = "version 1"`` stands in place of its code, and is yours to change.

Not noticed are environment variables, files and settings (``np.seterr``, ``pd.options``) that
packages read by themselves, names inside texts as in ``frame.query("x > @limit")``, and what else
is looked up while the code runs in ways that this list does not name.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pycvstat.errors import CheckpointError, warn
from pycvstat.run.fingerprint import describe, differences, digest
from pycvstat.run.store import WholeFile, load, remove_abandoned, save, versions

FORMAT = 2
OF_CODE = (".refers.", ".closure.", ".attributes.")
"""Where a description has what code of the user refers to."""


class Checkpoint:
    """The finished tasks of one piece of work.

    Parameters
    ----------
    directory : pathlib.Path
        Made when it is not there.
    label : str
    identity : mapping
        What the work is. Together with the versions of Python and of the numerical packages it
        must be what the manifest says.

    Examples
    --------
    >>> import tempfile
    >>> place = tempfile.TemporaryDirectory()
    >>> Checkpoint(Path(place.name), "tuning", {"data": "5f1e"}).keep(0, {"loss": 0.25})
    >>> Checkpoint(Path(place.name), "tuning", {"data": "5f1e"}).read(2)
    {0: {'loss': 0.25}}
    >>> Checkpoint(Path(place.name), "tuning", {"data": "77a0"})
    Traceback (most recent call last):
    pycvstat.errors.CheckpointError: The checkpoint belongs to other work.
      Given: identity.data: '5f1e' in the checkpoint, '77a0' now
      Do this: use another directory, or delete ...
    >>> place.cleanup()
    """

    def __init__(self, directory: Path, label: str, identity: Mapping[str, Any]) -> None:
        self.place = directory / _folder(label)
        self.description = {
            "format": FORMAT,
            "label": label,
            "identity": describe(identity),
            "versions": versions(),
        }
        self.work = digest(self.description)
        self._damaged: set[int] = set()
        try:
            self.place.mkdir(parents=True, exist_ok=True)
            self._claim()
        except OSError as error:
            raise CheckpointError(
                "The checkpoint cannot be written.",
                given=f"{error.filename or self.place} ({error.strerror})",
                fix="choose a directory on a disk with room where you may write",
            ) from None
        remove_abandoned(self.place)

    def _claim(self) -> None:
        """Make sure that the manifest describes this work; of two new runs, one writes it."""
        manifest = self.place / "manifest.json"
        found = self._manifest(manifest)
        if found is None:
            content = {**self.description, "sha256": self.work}
            with WholeFile(manifest, replace=manifest.exists()) as file:
                file.write(json.dumps(content, indent=1, sort_keys=True).encode())
            found = self._manifest(manifest)
        if found != self.description:
            self._refuse(differences(found, self.description))

    def _manifest(self, path: Path) -> dict[str, Any] | None:
        """What the manifest says; None without one, or when it is damaged."""
        if not path.exists():
            return None
        try:
            content: dict[str, Any] = json.loads(path.read_bytes())
            if content.pop("sha256") != digest(content):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError):
            warn(f"The manifest of the checkpoint is damaged and is written again: {path}")
            return None
        return content

    def _refuse(self, lines: list[str]) -> None:
        fix = f"use another directory, or delete {self.place} to begin again"
        if any(part in line for line in lines for part in OF_CODE):
            fix += "; what code changes while it runs, make inside it or pass as a parameter"
        raise CheckpointError(
            "The checkpoint belongs to other work.", given="\n         ".join(lines), fix=fix
        )

    def read(self, count: int) -> dict[int, Any]:
        """Results of the first `count` tasks, as far as they are there.

        Parameters
        ----------
        count : int

        Returns
        -------
        dict
            From the number of a task to its result. A damaged file is reported as a warning and
            its task is done again.
        """
        found = {}
        for number in range(count):
            result = self.look(number)
            if result is not None:
                found[number] = result[0]
        if len(found) < count and not os.access(self.place, os.W_OK):
            fix = "choose a directory where you may write"
            given = f"{self.place} is read-only and {count - len(found)} tasks are to be done"
            raise CheckpointError("The checkpoint cannot be written.", given=given, fix=fix)
        return found

    def look(self, number: int) -> tuple[Any] | None:
        """The result of one task, in a tuple, or None when it is not there.

        Parameters
        ----------
        number : int
        """
        path = self._path(number)
        if number in self._damaged or not path.exists():
            return None
        try:
            record = load(path).record
            work, place, result = record["work"], record["number"], record["result"]
            if record["sha256"] != digest(describe(result)):
                raise CheckpointError("It is not the result that was kept.", given=path)
        except (CheckpointError, KeyError, TypeError) as error:
            self._damaged.add(number)
            reason = getattr(error, "given", None) or path
            warn(f"Task {number + 1} of the checkpoint is damaged and is done again: {reason}")
            return None
        if work != self.work or place != number:
            self._refuse([f"{path} was kept by other work"])
        return (result,)

    def keep(self, number: int, result: Any) -> None:
        """Write the result of one task; when this returns, it is on disk.

        Parameters
        ----------
        number : int
        result : object
        """
        record = {"work": self.work, "number": number, "result": result}
        save(self._path(number), "task", {**record, "sha256": digest(describe(result))})

    def _path(self, number: int) -> Path:
        return self.place / f"task-{number + 1:06d}.npz"


def _folder(label: str) -> str:
    """A label as the name of a directory; with a checksum where it had to be changed."""
    name = re.sub(r"[^\w]+", "-", label).strip("-")[:60] or "work"  # 240 bytes at most
    return name if name == label else f"{name}-{digest(label)[:8]}"
