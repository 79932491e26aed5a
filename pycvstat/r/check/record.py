"""Recording the values of the parity cases from a live R: ``python -m pycvstat.r.check.record``."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from pycvstat.r.bridge.reference import path
from pycvstat.r.check.suite import ROOMS, live_values


def record(folder: Path | None = None) -> list[Path]:
    """Write ``cases-*.json`` and their checksums; returns the files written.

    Parameters
    ----------
    folder : pathlib.Path, optional
        ``r_reference/recorded`` of a checkout by default.
    """
    place = path("recorded") if folder is None else folder
    written = []
    for room in ROOMS:
        values, version = live_values(room)
        meta = {
            "r": version,
            "platform": platform.platform(terse=True),
            "date": datetime.now(UTC).date().isoformat(),
            "script": f"r_reference/cases/{room}.R",
        }
        target = place / f"cases-{room}.json"
        if _same_values(target, values):
            continue
        target.write_text(_text(meta, values), encoding="utf-8")
        written.append(target)
    _write_sums(place)
    return written


def _text(meta: Mapping[str, str], values: Mapping[str, Any]) -> str:
    """One line per quantity, numbers as text of 17 digits, so that differences can be read."""
    lines = [f"{json.dumps(name)}: {json.dumps(_digits(v))}" for name, v in values.items()]
    return f'{{"meta": {json.dumps(dict(meta))},\n"values": {{\n' + ",\n".join(lines) + "\n}}\n"


def _digits(value: Any) -> str | list[str]:
    numbers = [format(float(v), ".17g") for v in np.atleast_1d(np.asarray(value)).ravel()]
    return numbers[0] if np.ndim(value) == 0 else numbers


def _same_values(target: Path, values: Mapping[str, Any]) -> bool:
    if not target.exists():
        return False
    old = json.loads(target.read_text(encoding="utf-8"))["values"]
    return bool(old == {name: _digits(value) for name, value in values.items()})


def _write_sums(place: Path) -> None:
    """Checksums of every recorded file, whoever recorded it."""
    sums = {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in place.glob("*.json")
    }
    text = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))
    (place / "SHA256SUMS").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for file in record():
        print(f"recorded {file.name}")
