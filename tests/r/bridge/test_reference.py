"""The R reference is found, and recorded values are what was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from pycvstat.errors import InputError
from pycvstat.r.bridge import reference

RECORDED = sorted(
    file.name for file in reference.path("recorded").glob("*.json") if file.name != "cases.json"
)  # has its checksum inside


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_files_have_their_checksum_and_provenance(name: str) -> None:
    meta = reference.recorded(name)["meta"]
    assert meta["r"].startswith("R version")
    assert {"date", "platform"} <= set(meta)


def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "_r_reference" / "recorded"
    copy.mkdir(parents=True)
    (copy / "values.json").write_text("{}")
    (copy / "SHA256SUMS").write_text(f"{'0' * 64}  values.json\n")
    monkeypatch.setattr(reference, "_PACKAGE", tmp_path)
    with pytest.raises(InputError, match="not the one that was recorded"):
        reference.recorded("values.json")


def test_an_unknown_file_lists_those_there_are() -> None:
    with pytest.raises(InputError, match=r"lecture\.R"):
        reference.path("nosuch.R")
