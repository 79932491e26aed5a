"""Warnings point at the user's line, whatever lies between."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from functools import singledispatch
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import FitError, PycvstatWarning, telling, users_line, warn

PACKAGE = Path(pcv.__file__).parent
HEAVY = np.random.default_rng(1).standard_t(2, size=200) ** 2
FOLDS = np.arange(200) % 5 + 1


LATE = {
    "y": np.arange(40.0) ** 2,
    "x1": np.arange(40.0),
    "x2": np.where(np.arange(40) < 30, 0.0, np.arange(40.0)),
}


def aliased() -> pd.DataFrame:
    return pcv.data.mtcars().assign(twice=lambda d: 2 * d["wt"])


def new_rows() -> Any:
    return pcv.OLS().fit("mpg ~ wt + twice", aliased()).predict(aliased().assign(twice=1.0))


def leaking() -> Any:
    data = pcv.data.waves(60)
    return pcv.r.lecture.knn_test_error_by_fold(data, 1, 5, 4, "y", [1, 2], tuning_data=data)


CALLS: dict[str, Callable[[], Any]] = {
    "heavy tails": lambda: pcv.from_losses(HEAVY, FOLDS).interval(),
    "equal losses": lambda: pcv.from_losses({"a": HEAVY[:9], "b": HEAVY[:9]}, FOLDS[:9]).pairs(),
    "too high kmax": lambda: pcv.r.kknn.train_kknn("mpg ~ wt", pcv.data.mtcars(), kmax=99),
    "boot's folds": lambda: pcv.RFolds("boot", 31, seed=1).plan(32),
    "rsample's strata": lambda: pcv.RFolds("rsample", 5, seed=1, strata=True).plan(
        30, y=np.arange(30.0)
    ),
    "the course's leak": leaking,
    "undetermined in workers": lambda: pcv.cross_validate(
        pcv.OLS(), "y ~ x1 + x2", LATE, folds=pcv.Blocks(4), n_jobs=2
    ),
    "undetermined in folds": lambda: pcv.cross_validate(
        pcv.OLS(), "y ~ x1 + x2", LATE, folds=pcv.Blocks(4)
    ),
    "undetermined": new_rows,
}


@pytest.mark.parametrize("name", CALLS)
def test_warnings_name_the_users_file(name: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        CALLS[name]()
    ours = [w for w in caught if issubclass(w.category, PycvstatWarning)]
    assert ours
    assert {w.filename for w in ours} == {__file__}


def test_nothing_else_chooses_a_line() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert path == PACKAGE / "errors" / "__init__.py" or "warnings.warn(" not in text, path


@singledispatch
def between(value: object) -> tuple[str, int]:
    return users_line()


def test_frames_of_others_lie_between() -> None:
    with pytest.warns(PycvstatWarning, match="hello") as caught:
        warn("hello")
    assert caught[0].filename == __file__
    assert between(1)[0] == __file__


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("", "ValueError: no message"),
        ("\n  singular\nsee the manual", "ValueError: singular"),
        (
            "Parameters are wrong:\n  alpha is -1\n  beta is 2",
            "ValueError: Parameters are wrong: alpha is -1",
        ),
        (
            "\nAll the 9 fits failed.\nBelow are details:\nTraceback (most recent call last):\n"
            '  File "a.py", line 1, in fit\nsome.package.OddError: alpha is -1\n',
            "some.package.OddError: alpha is -1",
        ),
    ],
)
def test_the_line_of_a_foreign_error_that_says_what_is_wrong(message: str, line: str) -> None:
    assert telling(ValueError(message)) == line


def test_an_error_of_a_place_keeps_its_cause() -> None:
    error = FitError("it failed.", given=1, fix="wait")
    error.__cause__ = ValueError("all of it")
    moved = error.at("fold 3")
    assert (str(moved), moved.__cause__) == (f"fold 3: {error}", error.__cause__)
    assert error.line == "it failed. 1"


def test_notes_travel_with_our_errors() -> None:
    error = FitError("it failed.")
    error.add_note("in the evening")
    assert pickle.loads(pickle.dumps(error)).__notes__ == ["in the evening"]
