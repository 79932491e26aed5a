"""Parts from outside: those of the vignette keep the contracts that our own parts keep."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.errors import InputError
from pycvstat.folds import DIALECTS, register as register_dialect
from pycvstat.intervals import METHODS
from pycvstat.losses import Predictions
from pycvstat.report.render.formats import FORMATS, register as register_format
from tests.folds import contract as of_splitters
from tests.intervals import contract as of_intervals
from tests.learners import contract as of_learners
from tests.losses.contract import loss_keeps, metric_keeps
from tests.registries import as_before
from tests.report.conftest import MAKERS, result

SOURCE = Path(__file__).parents[1] / "vignettes" / "your_own_parts.py"


@pytest.fixture(scope="module")
def parts() -> Iterator[dict[str, Any]]:
    """What the vignette makes and registers."""
    with as_before():
        yield runpy.run_path(str(SOURCE))


def test_what_was_registered_is_taken_back() -> None:
    before = len(DIALECTS), len(METHODS), len(FORMATS)
    with as_before():
        runpy.run_path(str(SOURCE))
        assert (len(DIALECTS), len(METHODS), len(FORMATS)) == tuple(n + 1 for n in before)
        for name, one in (("dialect", DIALECTS["SuperLearner"]), ("format", FORMATS[".txt"])):
            register: Any = register_dialect if name == "dialect" else register_format
            with pytest.raises(InputError, match=f"{name} of this .* exists"):
                register(one)
    assert (len(DIALECTS), len(METHODS), len(FORMATS)) == before


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
def test_a_learner(parts: dict[str, Any]) -> None:
    of_learners.keeps(of_learners.Case(parts["TrimmedMean"](), other={"share": 0.3}))


def test_a_splitter(parts: dict[str, Any]) -> None:
    of_splitters.keeps(lambda seed: parts["EveryKth"](4))


def test_a_dialect_of_r(parts: dict[str, Any]) -> None:
    of_splitters.keeps(lambda seed: pcv.RFolds("SuperLearner", 4, seed=seed))


def test_a_loss(parts: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    loss_keeps(parts["linex_loss"], rng.normal(size=30), Predictions(rng.normal(size=(2, 30))))
    assert parts["result"].loss == "linex"


def test_a_metric(parts: dict[str, Any]) -> None:
    metric_keeps(parts["kendall"], parts["result"])


def test_an_interval_method(parts: dict[str, Any]) -> None:
    found = parts["split"].interval(method="Agresti-Coull")
    of_intervals.keeps(METHODS["agresti_coull"], found)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.usefixtures("parts")
def test_a_format_of_reports(kind: str, tmp_path: Path) -> None:
    made = result(kind).report(tmp_path / "out.txt")
    assert made.read_text(encoding="utf-8").strip()
    assert list(tmp_path.iterdir()) == [made]


@pytest.mark.live_r
def test_counterparts_in_r(parts: dict[str, Any]) -> None:
    data, learner = pcv.data.mtcars(), parts["TrimmedMean"](0.2)
    plans = [parts["EveryKth"](5).plan(32)]
    plans.append(pcv.RFolds("SuperLearner", 5, seed=3, repeats=2).plan(32))
    one = pcv.cross_validate(learner, "mpg ~ wt", data, folds=plans[1])
    for made in (*plans, one, parts["tuned"], parts["split"].interval(method="agresti_coull")):
        checked = made.crosscheck()
        assert checked, checked.first_difference


def test_the_script_has_the_code_of_its_learner(parts: dict[str, Any], tmp_path: Path) -> None:
    result = pcv.cross_validate(
        parts["TrimmedMean"](), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4)
    )
    script = result.to_r(tmp_path / "a.R").read_text(encoding="utf-8")
    assert "trim = p$share" in script
