"""Every stored number of every kind of result, changed by one relative 1e-9: all are noticed."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import CheckpointError
from pycvstat.folds.plan import FoldPlan
from pycvstat.losses import FoldMeans, LossTable
from pycvstat.r.check.crosscheck import _stored

WAVES = pcv.data.waves(24, random=3)
LABELS = pcv.data.labels(40)
FOLDS = pcv.KFold(3, random=1)
NEAR = pcv.KNN(k=3, kernel="rectangular")
KINDS = {
    "cv": lambda: pcv.cross_validate(pcv.OLS(), "y ~ x1", WAVES, folds=FOLDS, bias_adjusted=True),
    "0-1 loss with probabilities": lambda: pcv.cross_validate(
        pcv.Logit(), "y ~ x1", LABELS, folds=FOLDS, loss="zero_one"
    ),
    "resamples": lambda: pcv.cross_validate(
        pcv.OLS(), "y ~ x1", WAVES, folds=pcv.Bootstrap(4, random=1)
    ),
    "tuning": lambda: pcv.tune(NEAR, "y ~ x1", WAVES, grid={"k": [1, 5]}, folds=FOLDS),
    "nested": lambda: pcv.nested_cv(
        NEAR, "y ~ x1", WAVES, grid={"k": [1, 5]}, outer=FOLDS, inner=2
    ),
    "comparison": lambda: pcv.compare(
        {"ols": pcv.OLS(), "mean": pcv.Mean()}, "y ~ x1", WAVES, folds=FOLDS
    ),
    "error curve": lambda: pcv.error_curve(NEAR, "y ~ x1", WAVES, grid={"k": [1, 5]}, folds=FOLDS),
    "learning curve": lambda: pcv.learning_curve(
        pcv.OLS(), "y ~ x1", WAVES, sizes=[8, 12], folds=FOLDS
    ),
    "interval": lambda: KINDS["cv"]().interval(method="corrected_t"),
    "paired": lambda: KINDS["comparison"]().paired("ols", "mean"),
    "losses": lambda: pcv.from_losses([1.0, 2.0, 3.0, 5.0], [1, 1, 2, 2]),
}
RECIPE = {"task", "learner", "rule", "level"}  # what was asked, which R is given as it is
CODES = {"y", "fit", "repeat", "fold"}  # whole numbers, of which 1e-9 more is none


def changed(value, name=""):
    """Every copy of a value in which one of its floating numbers is larger by 1e-9."""
    if isinstance(value, float) and np.isfinite(value) and value:
        yield name, value * (1 + 1e-9)
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        for i in np.flatnonzero(np.isfinite(value) & (value != 0)):
            other = np.array(value)
            other.flat[i] *= 1 + 1e-9
            yield f"{name}[{i}]", other
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from ((n, {**value, key: o}) for n, o in changed(part, f"{name}[{key!r}]"))
    elif isinstance(value, tuple):
        for i, part in enumerate(value):
            for n, other in changed(part, f"{name}[{i}]"):
                yield n, (*value[:i], other, *value[i + 1 :])
    elif is_dataclass(value) and not isinstance(value, type | FoldPlan):
        for field in fields(value):
            if field.name in RECIPE | {"range", "candidates", "params", "detail"}:
                continue
            for n, other in changed(getattr(value, field.name), f"{name}.{field.name}"):
                yield n, replace(value, **{field.name: other})


@pytest.mark.live_r
@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_number_is_recomputed_or_sealed(kind):
    made = KINDS[kind]()
    assert made.crosscheck(), made.crosscheck().words
    unnoticed, by_r = [], 0
    for name, wrong in changed(made):
        parts = wrong.results.values() if kind == "comparison" else [wrong]
        if all(row.agrees for part in parts for row in _stored(part)):
            by_r += 1
            if wrong.crosscheck():
                unnoticed.append(name)
    assert unnoticed == []
    assert by_r or any(True for _ in changed(made))


@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_sealed_with_their_folds_and_seed(kind):
    made = KINDS[kind]()
    assert all(row.agrees for row in _stored(made))
    for field in fields(made):
        table = getattr(made, field.name)
        if isinstance(table, LossTable | FoldMeans):
            assert table.intact
            moved = replace(table.plan, seed=99)
            assert not replace(table, plan=moved).intact


def test_every_array_of_a_file_is_bound(tmp_path):
    made = KINDS["0-1 loss with probabilities"]()
    path = tmp_path / "a.npz"
    made.save(path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    numbers = [name for name, a in arrays.items() if a.dtype.kind == "f"]
    assert len(numbers) >= 3
    for name in numbers:
        other = arrays[name] * (1 + 1e-9)
        np.savez(path, **{**arrays, name: other})
        with pytest.raises(CheckpointError, match="damaged"):
            pcv.load(path)
    header = json.loads(arrays["header"].tobytes())
    header["record"] = json.loads(json.dumps(header["record"]).replace("0.", "0.1", 1))
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **{**arrays, "header": text})
    with pytest.raises(CheckpointError, match="damaged"):
        pcv.load(path)
