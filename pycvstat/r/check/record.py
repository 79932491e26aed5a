"""Recording the values of the parity cases from a live R: ``python -m pycvstat.r.check.record``."""

from __future__ import annotations

import hashlib
import json
import platform
from datetime import UTC, datetime
from pathlib import Path

from pycvstat.r.bridge.reference import path
from pycvstat.r.check.suite import ROOMS, live


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
        answer = live(room)
        target = place / f"cases-{room}.json"
        if target.exists() and json.loads(target.read_text("utf-8"))["values"] == answer.values:
            continue
        meta = {
            "r": answer.version,
            "platform": platform.platform(terse=True),
            "date": datetime.now(UTC).date().isoformat(),
            "script": f"pycvstat/r/check/cases/{room}.py",
        }
        # one line per case, so that differences can be read
        lines = [f"{json.dumps(case)}: {json.dumps(v)}" for case, v in answer.values.items()]
        body = ",\n".join(lines)
        target.write_text(f'{{"meta": {json.dumps(meta)},\n"values": {{\n{body}\n}}}}\n', "utf-8")
        written.append(target)
    _write_sums(place)
    return written


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
