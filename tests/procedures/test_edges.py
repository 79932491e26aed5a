"""The engine where fits fail, and tuned learners at the edges of what they take."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import qmc, uniform

import pycvstat as pcv
from pycvstat.errors import CheckpointError, InputError, LossError, PycvstatError, PycvstatWarning
from pycvstat.learners.external.learner import FromFunctions
from pycvstat.procedures import engine
from pycvstat.procedures.conventions import Printed
from pycvstat.procedures.find_convention import _Search, _searches
from pycvstat.procedures.notes import tell_notes
from pycvstat.rmath.sums import mean_of
from pycvstat.run import Execution

FOLDS = pcv.KFold(3, random=1)


def data(n: int = 30) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    x = rng.normal(size=n)
    y = np.round(x**2 * 3 + rng.standard_t(2, size=n), 1)
    return pd.DataFrame({"x": x, "y": y, "c": pd.Categorical(np.where(y > 1, "b", "a"))})


def picky(X: Any, y: Any, k: int = 1) -> Any:
    if k == 2:
        raise ValueError("never two")
    return y.mean() + k


def constant(model: Any, X: Any) -> Any:
    return np.full(len(X), model)


def test_the_error_names_fold_rows_and_parameters() -> None:
    learner = FromFunctions(picky, constant)
    with pytest.raises(PycvstatError) as caught:
        pcv.cross_validate(learner.with_params(k=2), "y ~ x", data(), folds=FOLDS)
    assert caught.value.problem == "fold 1 of 3, 20 training rows: picky failed to fit."
    for ks in ([2], [1, 2, 3]):
        with pytest.raises(PycvstatError) as caught:
            pcv.tune(learner, "y ~ x", data(), grid={"k": ks}, folds=FOLDS)
        assert caught.value.problem == "fold 1 of 3, 20 training rows, k=2: picky failed to fit."


def test_fits_that_fail_are_nan_and_the_others_keep_their_probabilities() -> None:
    folds = pcv.Blocks(3)
    asked = {"formula": "c ~ x", "data": data(), "folds": folds, "loss": "log"}
    with pytest.warns(PycvstatWarning, match="3 fits failed"):
        found = pcv.tune(pcv.KNN(), grid={"k": [3, 25, 5]}, on_error="warn", **asked)
    prob = found.table.predictions.prob
    assert np.isnan(prob[1]).all()
    for at, k in ((0, 3), (2, 5)):
        alone = pcv.cross_validate(pcv.KNN(k=k), **asked)
        np.testing.assert_array_equal(prob[at], alone.table.predictions.prob[0])
    assert found.best in ({"k": 3}, {"k": 5})


@pytest.mark.parametrize(("outer", "own"), [("absolute", None), ("squared", "absolute")])
def test_tuning_minimises_its_own_loss_or_that_of_the_procedure(outer: str, own: Any) -> None:
    grid, plan = {"k": range(1, 13)}, FOLDS.plan(30)
    tuned = pcv.Tuned(pcv.KNN(kernel="rectangular"), grid, inner=pcv.Blocks(4), loss=own)
    found = pcv.cross_validate(tuned, "y ~ x", data(), folds=plan, loss=outer)
    chosen, others = [], []
    for train, _ in plan:
        part = data().iloc[train].reset_index(drop=True)
        for loss, best in (("absolute", chosen), ("squared", others)):
            one = pcv.tune(tuned.learner, "y ~ x", part, grid=grid, folds=pcv.Blocks(4), loss=loss)
            best.append(one.best)
    assert chosen != others
    assert [tuned.candidates[d.choice.index] for d in found.details] == chosen


def test_the_development_set_needs_three_outer_folds() -> None:
    asked = {"formula": "y ~ x", "data": data(), "grid": {"k": [1, 3]}, "inner": "dev"}
    found = pcv.nested_cv(pcv.KNN(), outer=pcv.Blocks(3), **asked)
    assert [int(inner.n_test[0]) for inner in found.inner_plans] == [10, 10, 10]
    with pytest.raises(InputError, match="needs K >= 3"):
        pcv.nested_cv(pcv.KNN(), outer=pcv.Blocks(2), **asked)


def test_keeping_the_fit_on_the_training_part_needs_one_split() -> None:
    for inner in (pcv.Blocks(2), pcv.Blocks(3)):
        tuned = pcv.Tuned(pcv.KNN(), {"k": [1, 3]}, inner=inner, refit="train")
        with pytest.raises(InputError, match="one split"):
            pcv.cross_validate(tuned, "y ~ x", data(), folds=FOLDS)
    one = pcv.Tuned(pcv.KNN(), {"k": [1, 3]}, inner=pcv.Holdout(0.3, random=1), refit="train")
    assert pcv.cross_validate(one, "y ~ x", data(), folds=FOLDS).estimate > 0


def test_a_checkpoint_of_other_work_is_refused(tmp_path: Any) -> None:
    learner = FromFunctions(picky, constant)
    for _ in range(2):
        pcv.cross_validate(learner, "y ~ x", data(), folds=FOLDS, checkpoint=tmp_path)
    for other in (
        {"folds": pcv.KFold(3, random=2)},
        {"loss": "absolute"},
        {"data": data().assign(y=1.0)},
    ):
        asked = {"data": data(), "folds": FOLDS} | other
        with pytest.raises(CheckpointError, match="belongs to other work"):
            pcv.cross_validate(learner, "y ~ x", checkpoint=tmp_path, **asked)


SEEN = {"n": 0}


def counts(X: Any, y: Any, shift: float = 0.0) -> Any:
    SEEN["n"] += 1
    return float(y.mean()) + shift


@pytest.mark.parametrize("checkpoint", [False, True])
def test_work_whose_code_changes_what_it_refers_to_goes_on_in_a_new_session(
    checkpoint: bool, tmp_path: Any
) -> None:
    """The second learner, and the second permutation, are described before the first has run."""
    a = FromFunctions(counts, constant, check_state=False)
    b = FromFunctions(counts, constant, {"shift": 1.0}, check_state=False)
    kept = {"checkpoint": tmp_path / "kept"} if checkpoint else {}
    calls = []
    for _ in range(2):
        SEEN["n"] = 0  # as in a new session
        both = pcv.compare({"a": a, "b": b}, "y ~ x", data(), folds=FOLDS, **kept)
        compared, SEEN["n"] = SEEN["n"], 0
        found = pcv.audit(b, "y ~ x", data(), folds=FOLDS, times=5, **kept)
        estimates = both["a"].estimate, both["b"].estimate, found.skill.tolist()
        calls.append((estimates, compared, SEEN["n"]))
    assert calls[0][1:] == (6, 18)
    assert calls[1] == (calls[0][0], *((0, 0) if checkpoint else (6, 18)))


@pytest.mark.parametrize("keep", ["all", "fold_means"])
def test_losses_whose_sum_leaves_the_range_of_numbers_are_refused(keep: Any) -> None:
    y = np.where(np.arange(40) % 3 == 0, -8.4e307, 8.4e307)
    asked = {"X": np.arange(40.0)[:, None], "y": y, "loss": "absolute", "folds": pcv.Blocks(4)}
    with pytest.raises(LossError, match="absolute loss leaves the range of numbers"):
        pcv.tune(pcv.KNN(), grid={"k": [1]}, keep=keep, **asked)
    with pytest.raises(LossError, match="leaves the range of numbers"):
        pcv.from_losses(np.abs(y), np.arange(40) % 4)


def test_bias_adjustment_of_a_tuned_learner_uses_the_inner_folds_of_its_run() -> None:
    found = [
        pcv.cross_validate(
            pcv.Tuned(pcv.KNN(kernel="rectangular"), {"k": [1, 5, 9]}, inner=3), "y ~ x", data(),
            folds=pcv.KFold(4, random=1), bias_adjusted=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    assert found[0].adjusted == found[1].adjusted
    nested = pcv.nested_cv(
        pcv.KNN(kernel="rectangular"), "y ~ x", data(), grid={"k": [1, 5, 9]}, inner=3,
        outer=pcv.KFold(4, random=1),
    )  # fmt: skip
    task, y = nested.task, nested.task.response.values

    def error(train: np.ndarray, params: dict[str, Any]) -> float:
        prepared = nested.tuned.learner.with_params(**params).prepare(task)
        return float(((prepared.predict(train, np.arange(30)).values[0] - y) ** 2).mean())

    on_all = [error(train, nested.chosen[i]) for i, (train, _) in enumerate(nested.plan)]
    expected = (
        nested.pooled
        + error(np.arange(30), nested.final())
        - np.average(on_all, weights=nested.plan.n_test)
    )
    assert found[0].adjusted == pytest.approx(expected, rel=1e-14)  # sums in another order


def test_tuning_on_all_rows_forgives_what_nested_tuning_forgave() -> None:
    learner = FromFunctions(picky, constant)
    with pytest.warns(PycvstatWarning, match="inner fits failed"):
        nested = pcv.nested_cv(
            learner, "y ~ x", data(), grid={"k": [2, 1]}, outer=3, inner=2, on_error="warn"
        )
    with pytest.warns(PycvstatWarning, match="2 fits failed"):
        assert nested.final() == {"k": 1}


def test_fits_are_made_by_whom_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closed forms are made at once; of all others every fit is a task."""
    asked, carried_out = [], engine.run_tasks

    def noted(*given: Any, execution: Execution, **more: Any) -> Any:
        asked.append((execution.workers, len(given[2])))
        return carried_out(*given, execution=Execution(), **more)

    monkeypatch.setattr(engine, "run_tasks", noted)
    for learner in (FromFunctions(picky, constant, check_state=False), pcv.OLS()):
        pcv.cross_validate(learner, "y ~ x", data(), folds=FOLDS, n_jobs=2)
    assert asked == [(2, 3)]


@pytest.mark.parametrize(("most", "kept"), [(89, False), (90, True), (91, True)])
def test_losses_are_kept_up_to_so_many(
    most: int, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """30 rows and three candidates make 90."""
    asked = {"formula": "y ~ x", "data": data(), "grid": {"k": [1, 3, 5]}, "folds": FOLDS}
    for name, procedure in (("tune", pcv.tune), ("error_curve", pcv.error_curve)):
        monkeypatch.setattr(sys.modules[f"pycvstat.procedures.{name}"], "KEEP_LIMIT", most)
        found = procedure(pcv.KNN(kernel="rectangular"), **asked)
        assert (found.table is not None) == kept


@pytest.mark.parametrize(("n", "searched"), [(1000, True), (1001, False)])
def test_leaving_one_out_of_many_rows_is_searched_where_a_closed_form_serves(
    n: int, searched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(_Search, "look", lambda _, folds, *more: looked.append(folds[0].dialect))
    many = pd.DataFrame({"x": np.arange(float(n)), "y": np.arange(n) % 7.0})
    for learner, expected in ((pcv.KNN(3, scale=False), searched), (pcv.OLS(), True)):
        looked.clear()
        search = next(_searches(Printed.of("1"), learner, "y ~ x", many, 2, []))
        assert search.closed == (learner.name == "OLS")
        assert looked == ["loo"] * expected


@pytest.mark.parametrize(("n", "drawn"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (8, 8), (9, 16)])
def test_a_sobol_sequence_is_drawn_in_the_next_power_of_two(
    n: int, drawn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    plain = qmc.Sobol.random
    monkeypatch.setattr(
        qmc.Sobol, "random", lambda engine, n, **more: asked.append(n) or plain(engine, n, **more)
    )
    found = pcv.QuasiRandomSearch({"lam": uniform(0, 1)}, n, sequence="sobol").candidates()
    assert len(found) == n
    assert asked == [drawn]


@pytest.mark.parametrize("most", [9, 10, 11])
@pytest.mark.parametrize("keep", ["all", "fold_means"])
def test_means_of_many_tested_rows_are_summed_piece_by_piece(
    most: int, keep: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three folds of ten rows each, of which the first is fitted once more."""
    pieces: list[int] = []
    monkeypatch.setattr(engine, "TOGETHER", most)
    monkeypatch.setattr(
        engine, "mean_of", lambda parts, size: pieces.append(size) or mean_of(parts, size)
    )
    learner = FromFunctions(picky, constant)
    asked = {"formula": "y ~ x", "data": data(), "grid": {"k": [1, 3]}, "folds": FOLDS}
    found = pcv.tune(learner, **asked, keep=keep)
    assert pieces == [10] * 4 * (keep == "fold_means" and most == 9)
    assert (found.table is None) == (keep == "fold_means")


def test_an_audit_passes_over_columns_whose_spread_leaves_the_range_of_numbers() -> None:
    rows = data().drop(columns="c")
    twice = pd.concat([rows, rows + 1e-6], ignore_index=True).assign(z=[0.0, 1e300] * 30)
    plain, huge = (
        pcv.audit(pcv.Mean(), f, twice, folds=pcv.Blocks(2)) for f in ("y ~ x", "y ~ x + z")
    )
    assert len(plain.near) == 60
    np.testing.assert_array_equal(huge.near, plain.near)
    ends = rows.assign(z=np.where(rows["x"] > 0, 1.5e308, -1.5e308))  # which are too far apart
    assert pcv.audit(pcv.Mean(), "y ~ x + z", ends, folds=2).copies == ()


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        (pcv.Mean(), "by name, or in a list"),
        ("ols", "by name, or in a list"),
        ({"knn": (pcv.KNN(),)}, "a learner and its grid"),
    ],
)
def test_methods_of_a_benchmark(methods: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        pcv.benchmark(methods, "y ~ x", data())


@pytest.mark.parametrize(("texts", "more"), [("xx", ""), ("xy", "; this is said of the first")])
def test_what_two_fits_say_of_one_thing_is_said_once(texts: str, more: str) -> None:
    plan = FOLDS.plan(30)
    with pytest.warns(PycvstatWarning) as told:
        tell_notes(plan, [[("thing", texts[0])], [("thing", texts[1])], []])
    assert [str(one.message) for one in told] == [f"x\n  Given: fold 1 of 3, fold 2 of 3{more}"]
