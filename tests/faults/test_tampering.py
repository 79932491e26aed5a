"""Every field of every saved result changed, one at a time: the file is refused, or R disagrees.

Files are walked, so new fields are met without being named here.
"""

from __future__ import annotations

import json
import re
import struct
import warnings
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import CheckpointError, PycvstatError, PycvstatWarning
from pycvstat.report.plots import style
from pycvstat.verbs import Verbs
from tests.faults.tampering import NO_PICTURE, made, record, tampered, write
from tests.report.conftest import MAKERS, result

SAVED = [kind for kind in MAKERS if "hostile" not in kind]
NOT_SAVED = {"plan", "resamples of rsample", "coverage", "agreement", "bias and variance",
             "tuning quantities", "side by side"}  # fmt: skip
NOT_IN_R = {  # they have no cross-check
    "partitioned": "sums of partitions; the same rows in memory have one",
    **dict.fromkeys(
        ["confidence set", "confidence set of methods", "stability"],
        "made from the losses of a result that has one",
    ),
    **dict.fromkeys(["multiverse", "multiverse of one"], "each split is a result that has one"),
    **dict.fromkeys(["crosscheck", "parity"], "what R said; the same call asks it again"),
    "audit": "what was tried on a procedure; the same call tries it again",
}
IN_R = ["cv", "classes", "tune", "bootstrap", "interval"]
IN_R += [kind for kind in SAVED if kind not in {*IN_R, *NOT_SAVED, *NOT_IN_R}]
SILENT = {  # on which no number depends
    "Column.dtype": "the type in which a column was given, for what is handed back",
    "Task.omitted": "how many rows were left out: they are not in the file",
    "Task.offered": "columns that the formula does not use",
    "Task.grouped_by": "the name of a column",
    "Formula.names": "columns that the formula does not use",
    "Predictions.detail": "what a learner told of itself",
    "CVResult.details": "what a learner told of itself",
    "Maker.columns": "whether a warning about tails is asked for",
    "Maker.one_scale": "whether a warning about tails is asked for",
    "Maker.exact": "whether a warning about tails is asked for",
    **dict.fromkeys(
        [
            f"{of}.seed"
            for of in (
                "CVResult",
                "TuneResult",
                "NestedResult",
                "BootstrapResult",
                "ErrorCurve",
                "LearningCurve",
            )
        ],
        "of draws beyond the folds, which the plan has with its own seed",
    ),
    **dict.fromkeys(
        ["CVResult.seal", "BootstrapResult.seal"], "of the folds inside, of which there are none"
    ),
    **dict.fromkeys(
        ["Rule.tolerance", "Tuned.tolerance"], "a setting of a rule that was not asked for"
    ),
    **dict.fromkeys(
        ["Comparison.results key", "LossResult.tables key", "Paired.names"], "what users call it"
    ),
    "KNN.k": "tuned over",
    "KNN.ykernel": "of ordered classes only",
    "FitReport.converged": "what a learner told of itself",
    "FitReport.iterations": "what a learner told of itself",
    "Logit.tol": "R agrees to more than this changes",
    "Logit.maxiter": "more steps than were taken",
    **dict.fromkeys(["Column.levels", "Response.levels"], "other names, as sound as the first"),
    **dict.fromkeys(
        [
            "Interval.title",
            "Interval.notes",
            "Interval.metric",
            "Interval.citation",
            "Interval.known",
            "Interval.chosen",
            "Estimand.size",
            "Estimand.of",
            "Estimand.before",
            "Estimand.folds",
            "Estimand.times",
            "Estimand.after",
            "Estimand.risk",
            "Asked.metric",
            "Asked.given",
        ],
        "words",
    ),
}


@cache
def new_places() -> dict[str, list[tuple[str, Any, list[Any]]]]:
    """Each kind with one change of each field that no kind before it has within the same field."""
    seen: set[str] = set()
    found: dict[str, list[tuple[str, Any, list[Any]]]] = {}
    for kind in [*IN_R, *(k for k in SAVED if k not in {*IN_R, *NOT_SAVED})]:
        one, fresh = [], set()
        for name, tree, arrays in tampered(made(kind)):
            short = "/".join(re.sub(r"\[.*?\]", "[]", name).split("/")[-2:])
            if short not in seen:
                fresh.add(short)
                one.append((name, tree, arrays))
        seen |= fresh
        found[kind] = one
    return found


@pytest.mark.parametrize("kind", SAVED)
def test_every_kind_is_saved_and_read(kind: str, tmp_path: Path) -> None:
    before = result(kind)
    if kind in NOT_SAVED:
        assert not isinstance(before, Verbs)
        return
    again = pcv.load(before.save(tmp_path / "a.npz"))
    assert repr(again) == repr(before)
    assert again.summary() == before.summary()
    kept, held = (plain(*record(one)) for one in (before, again))
    assert held == kept


def plain(tree: Any, arrays: list[Any]) -> Any:
    """A tree with its arrays in place: those that are one object are kept once."""
    if isinstance(tree, list) and tree and tree[0] in ("array", "scalar"):
        array = arrays[tree[1]]
        return tree[0], array.dtype.str, array.shape, array.tobytes()
    return [plain(part, arrays) for part in tree] if isinstance(tree, list) else tree


@pytest.mark.parametrize("kind", [kind for kind in SAVED if kind not in NOT_SAVED])
def test_a_changed_header_without_its_checksum_is_refused(kind: str, tmp_path: Path) -> None:
    saved = made(kind).save(tmp_path / "a.npz")
    with np.load(saved) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays["header"].tobytes())
    for _, tree, _ in new_places()[kind]:
        text = json.dumps(header | {"record": tree}).encode()
        with (tmp_path / "b.npz").open("wb") as file:
            np.savez(file, **{**arrays, "header": np.frombuffer(text, np.uint8)})
        with pytest.raises(CheckpointError, match="does not match its checksum"):
            pcv.load(tmp_path / "b.npz")


def said(name: str) -> bool:
    """Whether a field is one of which it is said that nothing depends on it."""
    last = re.sub(r"\[.*?\]| ->.*| array.*", "", name).split("/")[-1]
    return last in SILENT


@pytest.mark.live_r
@pytest.mark.parametrize("kind", NOT_IN_R)
def test_kinds_without_a_cross_check_are_named(kind: str) -> None:
    with pytest.raises(PycvstatError, match="has no cross-check"):
        result(kind).crosscheck()


@pytest.mark.live_r
@pytest.mark.slow
@pytest.mark.parametrize("kind", IN_R)
def test_with_its_checksum_it_is_refused_or_r_disagrees(kind: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        assert made(kind).crosscheck()
        unnoticed = []
        for name, tree, arrays in new_places()[kind]:
            write(tmp_path / "a.npz", tree, arrays)
            try:
                if pcv.load(tmp_path / "a.npz").crosscheck():
                    unnoticed.append(name)
            except PycvstatError:
                continue
    assert [name for name in unnoticed if not said(name)] == []


@pytest.mark.parametrize("kind", NOT_IN_R)
def test_other_kinds_end_in_an_error_of_ours_or_in_a_result(kind: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)
        for _, tree, arrays in new_places()[kind]:
            write(tmp_path / "a.npz", tree, arrays)
            try:
                pcv.load(tmp_path / "a.npz").summary()
            except PycvstatError:
                continue


def test_parts_of_an_archive_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    """A bomb of which nothing is compressed: many names of one array."""
    path = tmp_path / "a.npz"
    write(path, ["tuple", [["array", 0], ["array", 1]]], [np.zeros(10_000)] * 2)
    with zipfile.ZipFile(path) as archive:
        first, second = (archive.getinfo(f"a{i}.npy").header_offset for i in range(2))
    content = path.read_bytes()
    at = content.index(b"PK\x01\x02")
    while content[at + 46 : at + 52] != b"a1.npy":
        at = content.index(b"PK\x01\x02", at + 1)
    assert struct.unpack_from("<I", content, at + 42)[0] == second
    shared = bytearray(content[:first] + content[first:second] + content[second + 80_000 :])
    at -= 80_000
    struct.pack_into("<I", shared, at + 42, first)
    path.write_bytes(shared)
    with pytest.raises(CheckpointError, match="damaged"):
        pcv.load(path)


def test_names_of_parts_that_leave_the_folder_are_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    made = result("cv").save("a.npz")
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr("../outside.npy", b"x")
    with pytest.raises(CheckpointError, match="parts that the header does not name"):
        pcv.load(made)
    assert [p.name for p in tmp_path.iterdir()] == ["inside"]


def test_a_bundle_has_no_links_and_no_names_that_leave_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(style, "picture", lambda *_, **__: NO_PICTURE)
    folder = result("cv").bundle(tmp_path / "folder", data=True)
    zipped = result("cv").bundle(tmp_path / "bundle.zip", data=True)
    assert not [path for path in folder.rglob("*") if path.is_symlink()]
    with zipfile.ZipFile(zipped) as archive:
        names = [entry.filename for entry in archive.infolist()]
        links = [e for e in archive.infolist() if (e.external_attr >> 28) == 0o12]
    assert not links
    assert not [n for n in names if n.startswith(("/", "\\")) or ".." in n.split("/")]


@pytest.mark.parametrize("link", ["folder", "bundle.zip"])
def test_a_bundle_is_not_written_through_a_link_over_a_file(tmp_path: Path, link: str) -> None:
    (tmp_path / "kept").mkdir()
    kept = tmp_path / "kept" / "file"
    kept.write_text("kept")
    (tmp_path / link).symlink_to(kept if link.endswith("zip") else tmp_path / "kept")
    if link == "folder":
        with pytest.raises(PycvstatError, match="new folder"):
            result("cv").bundle(tmp_path / link)
    assert kept.read_text() == "kept"


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_spreadsheet_computes_no_name_of_a_table(text: str, tmp_path: Path) -> None:
    learners = {text: pcv.OLS(), "-2": pcv.Mean()}
    data = pcv.data.mtcars()[["mpg", "wt"]].rename(columns={"wt": text.strip()})
    made = pcv.compare(learners, "mpg ~ .", data, folds=pcv.Blocks(3))
    tuned = pcv.tune(
        pcv.Model(pcv.OLS()), "mpg ~ .", data, folds=pcv.Blocks(3),
        grid={"formula": ["mpg ~ .", "mpg ~ 1"]},
    )  # fmt: skip
    made.report(tmp_path / "a.csv")
    made.figure(tmp_path / "b.csv")
    tuned.report(tmp_path / "c.csv")
    for name in "abc":
        rows = pd.read_csv(tmp_path / f"{name}.csv", header=None, dtype=str, keep_default_na=False)
        cells = [*rows.to_numpy().ravel()]
        assert not [cell for cell in cells if cell.startswith(("=", "@", "\t", "\r"))]
        for cell in cells:
            if cell.startswith(("+", "-")):
                float(cell)
    told = (tmp_path / "a.csv").read_text().replace('""', '"')
    assert "'" + text.replace("\r", " ") in told
