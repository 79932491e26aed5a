"""Leaks: what a learner may not know, it does not know; what knows it is caught."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.errors import CheckpointError, FoldError
from pycvstat.learners.external.learner import FromFunctions
from pycvstat.procedures.leaks import near_copies, near_rows, nearest_rows

FOLDS = pcv.KFold(4, random=3)
SAME = {"rtol": 1e-9, "atol": 1e-12}  # least squares by another factorisation

SUMS = {"rtol": 1e-12, "atol": 0}  # sums of the training rows, less those of the test rows
SWEPT = {"rtol": 1e-9, "atol": 0}  # the same sums, through sweeps that end within rounding


def noise(seed: int, n: int = 60, p: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, p)), columns=[f"x{j}" for j in range(p)])
    return frame.assign(y=rng.normal(size=n))


class Remembers(RegressorMixin, BaseEstimator):
    """Knows every row that any of its copies was ever fitted on."""

    seen: ClassVar[dict[bytes, float]] = {}

    def fit(self, X: Any, y: Any) -> Remembers:
        self.mean_ = float(np.mean(y))
        self.seen.update((row.tobytes(), float(v)) for row, v in zip(X, y, strict=True))
        return self

    def predict(self, X: Any) -> Any:
        return np.array([self.seen.get(row.tobytes(), self.mean_) for row in X])


class KnowsTheResponse(RegressorMixin, BaseEstimator):
    """Was told the response of all rows in advance: a feature made from y before the folds."""

    answers: ClassVar[dict[bytes, float]] = {}

    def fit(self, X: Any, y: Any) -> KnowsTheResponse:
        return self

    def predict(self, X: Any) -> Any:
        return np.array([self.answers[row.tobytes()] for row in X])


class SelectsBeforeFolds(RegressorMixin, BaseEstimator):
    """Chooses its column by correlation with the responses it has met so far, all folds' rows."""

    met: ClassVar[dict[bytes, float]] = {}

    def fit(self, X: Any, y: Any) -> SelectsBeforeFolds:
        self.met.update((row.tobytes(), float(v)) for row, v in zip(X, y, strict=True))
        rows = np.array([np.frombuffer(key) for key in self.met])
        values = np.array(list(self.met.values()))
        strength = np.abs(np.corrcoef(rows.T, values)[-1, :-1])
        self.column_ = int(strength.argmax())
        self.slope_ = np.polyfit(rows[:, self.column_], values, 1)
        return self

    def predict(self, X: Any) -> Any:
        return np.polyval(self.slope_, X[:, self.column_])


@pytest.mark.parametrize("seed", range(3))
def test_a_learner_that_remembers_every_row_is_caught(seed: int) -> None:
    Remembers.seen.clear()
    found = pcv.audit(Remembers(), "y ~ .", noise(seed), folds=FOLDS, random=seed + 1)
    assert found.leaks
    assert not found
    assert "skill" in found.tidy().query("found")["check"].iloc[0]


class HalfRemembers(Remembers):
    """The nearest training row, and a share of what it remembers: no skill against a constant."""

    def __init__(self, share: float = 0.3) -> None:
        self.share = share

    def fit(self, X: Any, y: Any) -> HalfRemembers:
        self.X_, self.y_ = np.asarray(X), np.asarray(y)
        super().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        near = ((np.asarray(X)[:, None, :] - self.X_) ** 2).sum(axis=2).argmin(axis=1)
        return (1 - self.share) * self.y_[near] + self.share * super().predict(X)


@pytest.mark.parametrize("folds", [FOLDS, pcv.LeaveOneOut()])
def test_a_learner_that_remembers_a_share_is_caught(folds: Any) -> None:
    Remembers.seen.clear()
    found = pcv.audit(HalfRemembers(), "y ~ .", noise(1), folds=folds)
    assert found.leaks
    assert found.mean_skill > 0.2
    Remembers.seen.clear()
    assert not pcv.audit(HalfRemembers(0.0), "y ~ .", noise(1), folds=folds).leaks


def test_the_skill_of_honest_learners_is_around_zero() -> None:
    """Of one neighbour too, whose risk is twice that of a constant; t of 40 audits."""
    data = [noise(seed, n=24) for seed in range(40)]
    for learner in (pcv.OLS(), pcv.KNN(k=1, kernel="rectangular")):
        means = [pcv.audit(learner, "y ~ .", one, folds=FOLDS, times=10).mean_skill for one in data]
        assert abs(np.mean(means)) < 4 * np.std(means, ddof=1) / np.sqrt(len(means))


def test_a_learner_that_selects_with_all_rows_is_caught() -> None:
    """The classic error: variables selected on all rows, then cross-validated."""
    caught = 0
    for seed in range(3):
        SelectsBeforeFolds.met.clear()
        data = noise(seed, n=40, p=200)
        caught += pcv.audit(SelectsBeforeFolds(), "y ~ .", data, folds=FOLDS).leaks
    assert caught == 3


def test_a_learner_that_knows_the_responses_has_no_skill_once_they_are_permuted() -> None:
    """What was computed from y before the audit is not seen by permuting y: it says so."""
    data = noise(1)
    X = data.drop(columns="y").to_numpy()
    KnowsTheResponse.answers = {row.tobytes(): v for row, v in zip(X, data["y"], strict=True)}
    honest = pcv.cross_validate(KnowsTheResponse(), X=X, y=data["y"], folds=FOLDS)
    assert honest.estimate == 0.0
    found = pcv.audit(KnowsTheResponse(), X=X, y=data["y"], folds=FOLDS)
    assert not found.leaks
    assert "cannot see what was done with the response before" in " ".join(found.summary().split())


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("size", [1e-9, 1e-3])
def test_rows_copied_with_a_little_noise_are_found(size: float, classes: bool) -> None:
    draw = np.random.default_rng(0)
    numbers = noise(1).drop(columns="y")
    again = numbers[:30] + size * draw.normal(size=(30, 3))
    data = pd.concat([numbers, again], ignore_index=True)
    first = draw.normal(size=60)
    data["y"] = [*first, *first[:30]]
    if classes:
        data["y"] = np.where(data["y"] > 0, "up", "down")
    found = pcv.audit(pcv.KNN(1), "y ~ .", data, folds=pcv.KFold(10, random=1), times=5)
    assert not found
    assert 50 <= len(found.near) <= 60
    assert {abs(int(b) - int(a)) for a, b in found.near} == {60}
    assert found.glance()["near"][0] == len(found.near)
    assert not found.duplicates.size


@pytest.mark.parametrize("seed", range(8))
def test_rows_of_one_sample_are_not_near_by_chance(seed: int) -> None:
    """Also where the response is a function of a predictor, rounded, skewed or of classes."""
    draw = np.random.default_rng(seed)
    data = pd.DataFrame(draw.exponential(size=(60, 2)), columns=["a", "b"])
    responses = [data["a"], np.sin(data["a"]), draw.normal(size=60), draw.integers(0, 2, 60) * 1.0]
    data["y"] = responses[seed % 4]
    data = data.round(1) if seed > 3 else data
    for plan in (pcv.KFold(5, random=1).plan(60), pcv.LeaveOneOut().plan(60)):
        assert not near_rows(Task.build("y ~ .", data), plan).size
    assert not near_rows(Task.build("mpg ~ .", pcv.data.mtcars()), pcv.Blocks(8).plan(32)).size


def test_words_that_copy_numbers_are_found() -> None:
    draw = np.random.default_rng(1)
    y = draw.integers(0, 6, 60).astype(float)
    data = pd.DataFrame({"words": [f"k{v:g}" for v in y], "coded": (y * 5) % 7, "x": y + 0.0})
    data["chance"] = draw.choice(list("abcdef"), 60)
    data["x"] = draw.normal(size=60)
    assert near_copies(Task.build("y ~ .", data.assign(y=y))) == ("words", "coded")


def test_a_clean_audit_says_how_much_was_looked_at() -> None:
    found = pcv.audit(pcv.OLS(), "y ~ .", noise(1), folds=FOLDS, times=5)
    assert repr(found).endswith("nothing found by 5 checks)")
    assert found.glance()["verdict"][0] == "nothing found by 5 checks"
    assert pd.isna(found.glance()["split_groups"][0])


COPIES = {
    "the response": lambda y, draw: y,
    "its logarithm": lambda y, draw: np.log(y),
    "rounded": lambda y, draw: y.round(1),
    "with a little noise": lambda y, draw: y + draw.normal(scale=0.02, size=len(y)),
}


@pytest.mark.parametrize("name", COPIES)
def test_near_copies_of_numbers_are_found(name: str) -> None:
    draw = np.random.default_rng(1)
    data = noise(3).assign(y=lambda d: np.exp(d["y"] / 2))
    data["copy"] = COPIES[name](data["y"].to_numpy(), draw)
    found = pcv.audit(pcv.OLS(), "y ~ .", data, folds=FOLDS, times=5)
    assert found.copies == ("copy",)
    assert not found
    assert "copy gives it away alone" in repr(found)


def class_copies(y: pd.Categorical) -> dict[str, Any]:
    codes, draw = np.asarray(y.codes, dtype=float), np.random.default_rng(2)
    return {
        "codes": codes,
        "score": codes + draw.uniform(0, 0.9, len(codes)),
        "by name": pd.Categorical(np.array(["v", "w", "v"])[y.codes])
        if len(y.categories) == 2
        else pd.Categorical(np.array(["w", "u", "v"])[y.codes]),
    }


@pytest.mark.parametrize("levels", ["ab", "abc"])
@pytest.mark.parametrize("name", ["codes", "score", "by name"])
def test_near_copies_of_classes_are_found(name: str, levels: str) -> None:
    y = pd.Categorical(np.array([*levels])[np.random.default_rng(5).integers(0, len(levels), 60)])
    data = noise(4).assign(y=y, copy=class_copies(y)[name])
    found = pcv.audit(pcv.KNN(3), "y ~ .", data, folds=FOLDS, times=5)
    assert found.copies == ("copy",)


@pytest.mark.filterwarnings("ignore:.*as names of rows have:pycvstat.errors.PycvstatWarning")
def test_what_is_no_copy_is_not_taken_for_one() -> None:
    for data, formula in (
        (pcv.data.mtcars(), "mpg ~ ."),
        (pcv.data.iris(), "Species ~ ."),
        (pcv.data.labels(), "y ~ ."),
        (noise(1, n=6, p=300), "y ~ ."),
        (noise(1, n=12, p=300).assign(y=pd.Categorical(["a", "b"] * 6)), "y ~ ."),
        (pcv.data.iris().assign(same=1.0, who=[f"r{i}" for i in range(150)]), "Species ~ ."),
    ):
        assert near_copies(Task.build(formula, data)) == ()


def smooth(seed: int) -> pd.DataFrame:
    """A function without noise, which neighbours predict well."""
    return noise(seed).assign(y=lambda d: np.sin(2 * d.x0) + d.x1**2)


def bump(seed: int) -> pd.DataFrame:
    return noise(seed, p=1).assign(y=lambda d: np.exp(-(d.x0**2)))


def line(seed: int) -> pd.DataFrame:
    return noise(seed, p=1).assign(y=lambda d: 3 * d.x0)


@pytest.mark.parametrize("data", [noise, smooth, bump, line])
def test_nearest_rows_of_honest_data_give_nothing_away(data: Any) -> None:
    for seed in range(100):
        task = Task.build("y ~ .", data(seed))
        _, p = nearest_rows(task, pcv.KFold(10, random=1).plan(task.n))
        assert p > 0.001, seed


def test_rows_that_were_copied_with_noise_are_given_away_by_their_nearest() -> None:
    once = noise(1)
    jitter = np.column_stack([0.2 * np.random.default_rng(2).normal(size=(60, 3)), np.zeros(60)])
    twice = pd.concat([once, once + jitter], ignore_index=True)
    folds = pcv.KFold(10, random=1)
    found = pcv.audit(pcv.KNN(k=1), "y ~ .", twice, folds=folds, times=5)
    row = found.tidy().set_index("check").loc["what nearest rows give away"]
    assert row["found"]
    assert not found
    assert "of the nearest training row" in row["finding"]
    assert not len(found.near)  # they are too far for that
    assert found.nearest.learner == pytest.approx(
        pcv.cross_validate(pcv.KNN(k=1), "y ~ .", twice, folds=folds).pooled
    )
    assert found.nearest.risk < 0.5 * found.nearest.further
    honest = pcv.audit(pcv.KNN(k=1), "y ~ .", once, folds=folds, times=5)
    assert not honest.tidy().set_index("check").loc["what nearest rows give away", "found"]


def test_what_nearest_rows_give_away_is_the_loss_of_their_responses() -> None:
    """Two ways: of the first and of the fifth in the order of distances along one variable."""
    data, folds = line(3), pcv.KFold(5, random=1)
    found = pcv.audit(pcv.OLS(), "y ~ x0", data, folds=folds, times=5).nearest
    x, y = data["x0"].to_numpy(), data["y"].to_numpy()
    losses = np.empty((len(x), 2))
    for train, test in folds.plan(len(x)):
        near = train[np.abs(x[train] - x[test, None]).argsort(axis=1)[:, [0, 4]]]
        losses[test] = (y[test, None] - y[near]) ** 2
    assert [found.risk, found.further] == pytest.approx(losses.mean(axis=0), rel=1e-12)
    assert found.risk < found.further


def test_nearest_rows_are_not_spoken_of_for_classes() -> None:
    found = pcv.audit(pcv.KNN(), "Species ~ .", pcv.data.iris(), times=5)
    assert found.nearest is None
    assert not found.tidy()["check"].str.contains("give away").any()


def test_groups_are_only_spoken_of_where_there_are_groups() -> None:
    data = noise(1).assign(who=np.arange(60) // 4)
    checks = pcv.audit(pcv.OLS(), "y ~ .", data, folds=FOLDS, times=5).tidy()["check"]
    assert not checks.str.contains("group").any()
    found = pcv.audit(pcv.OLS(), "y ~ .", data, folds=FOLDS, times=5, groups="who")
    assert found.tidy()["check"].str.contains("group").any()


class Explodes(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts a huge multiple of the first training response."""

    def fit(self, X: Any, y: Any) -> Explodes:
        self.value_ = y[0] * 1e100
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.value_ + 1e100)


@pytest.mark.parametrize("unit", [1.0, 1e-120])
def test_losses_beyond_any_response_are_no_skill(unit: float) -> None:
    """Losses of 1e200 beside responses of 1, and of 1e-120."""
    data = noise(1).assign(y=lambda d: d["y"] * unit)
    found = pcv.audit(Explodes(), "y ~ .", data, folds=FOLDS)
    assert (found.skill == 0).all()
    assert found.p_value == 1
    assert found


HONEST = {
    "mean": pcv.Mean(),
    "ols": pcv.OLS(),
    "knn": pcv.KNN(k=3),
    "one neighbour": pcv.KNN(k=1, kernel="rectangular"),
    "ridge": pcv.Ridge(lam=0.1),
    "tuned": pcv.Tuned(pcv.KNN(kernel="rectangular"), {"k": [1, 3, 9]}, inner=pcv.KFold(3)),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_learners_are_not_suspected(name: str) -> None:
    for seed in range(5):
        found = pcv.audit(HONEST[name], "y ~ .", noise(seed), folds=FOLDS, random=seed + 1)
        assert found, f"seed {seed}: {found!r}"


def fourth_root(y: Any, prediction: Any) -> Any:
    return np.sqrt(np.sqrt(np.abs(y - prediction)))


def classes(seed: int, n: int = 60) -> pd.DataFrame:
    return noise(seed, n).assign(y=pd.Categorical(np.where(np.arange(n) % 2, "a", "b")))


def skewed(seed: int) -> pd.DataFrame:
    return noise(seed, 60).assign(y=lambda d: np.exp(1.5 * d["y"]))


def counts(seed: int) -> pd.DataFrame:
    return noise(seed, 60).assign(y=lambda d: np.floor(np.abs(d["y"]) * 1.5))


def with_outlier(seed: int) -> pd.DataFrame:
    return noise(seed, 60).assign(y=lambda d: d["y"].where(d.index != 7, 100.0))


def centred(seed: int) -> pd.DataFrame:
    return noise(seed, 30).assign(y=lambda d: d["y"] - d["y"].mean())


NOTHING = pcv.FromFunctions(lambda X, y: None, lambda model, X: np.zeros(len(X)))
OTHER_LOSSES = {
    "balanced classes": (pcv.KNN(k=5), classes, None, pcv.KFold(5, random=1)),
    "balanced classes, logit": (pcv.Logit(), classes, None, pcv.KFold(5, random=1)),
    "balanced classes, stratified": (pcv.KNN(k=5), classes, None, pcv.Stratified(5, random=1)),
    "balanced classes, one left out": (pcv.KNN(k=5), classes, None, pcv.LeaveOneOut()),
    "balanced classes, Brier": (pcv.KNN(k=5), classes, "brier", pcv.KFold(5, random=1)),
    "balanced classes, log": (pcv.Logit(), classes, "log", pcv.LeaveOneOut()),
    "the median": (pcv.QuantReg(), skewed, "absolute", pcv.KFold(5, random=1)),
    "a quantile": (pcv.QuantReg(0.9), skewed, "pinball(0.9)", pcv.KFold(5, random=1)),
    "robust, squared": (pcv.RLM(), with_outlier, "squared", pcv.KFold(5, random=1)),
    "robust, huber": (pcv.RLM(), skewed, "huber", pcv.KFold(5, random=1)),
    "counts, Poisson": (pcv.GLM("poisson"), counts, "poisson", pcv.KFold(5, random=1)),
    "a number known beforehand": (NOTHING, centred, "squared", pcv.LeaveOneOut()),
    "a loss of one's own": (pcv.RLM(), skewed, fourth_root, pcv.KFold(5, random=1)),
}


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")
@pytest.mark.parametrize("name", OTHER_LOSSES)
def test_honest_learners_are_not_suspected_for_suiting_their_loss(name: str) -> None:
    learner, data, loss, folds = OTHER_LOSSES[name]
    for seed in range(3):
        found = pcv.audit(learner, "y ~ .", data(seed), folds=folds, loss=loss, random=seed + 1)
        assert not found.leaks, f"seed {seed}: {found.mean_skill}, p {found.p_value}"


def test_honest_learners_of_three_classes() -> None:
    for learner in (pcv.KNN(), pcv.MNLogit()):
        assert not pcv.audit(learner, "Species ~ .", pcv.data.iris(), times=20).leaks


def test_equal_rows_in_training_and_test_are_reported_one_by_one() -> None:
    data = noise(2, n=20)
    data.iloc[17] = data.iloc[3]
    data.iloc[11, :3] = data.iloc[4, :3]  # equal predictors, another response: no repetition
    plan = pcv.Predefined([1, 1, 1, 1, 2] * 4)
    found = pcv.audit(pcv.OLS(), "y ~ .", data, folds=plan)
    assert found.duplicates.tolist() == []  # rows 3 and 17 are in fold 1
    found = pcv.audit(pcv.OLS(), "y ~ .", data, folds=pcv.Predefined([1, 2] * 10))
    assert found.duplicates.tolist() == []
    found = pcv.audit(pcv.OLS(), "y ~ .", data, folds=pcv.LeaveOneOut())
    assert found.duplicates.tolist() == [[3, 17], [17, 3]]
    assert not found
    assert "2 test rows repeat" in repr(found)


@pytest.mark.parametrize("every_row", [True, False])
def test_rows_on_both_sides_are_refused(every_row: bool) -> None:
    """One nearest neighbour finds itself: an error of 0 that says nothing."""
    every, data = list(range(60)), noise(1)
    folds = [(every[20:], every[:20]), (every[:21], every[20:40])]
    if every_row:
        folds = [(every, every[i::3]) for i in range(3)]
    learner, place = pcv.KNN(k=1), r"rows 1, 4.*in fit 1" if every_row else r"row 21 is .*in fit 2"
    plan = pcv.FoldPlan.from_splits(folds, 60)
    for given in (folds, plan):
        for call in (
            lambda given: pcv.cross_validate(learner, "y ~ .", data, folds=given),
            lambda given: pcv.tune(learner, "y ~ .", data, grid={"k": [1, 2]}, folds=given),
            lambda given: pcv.compare({"a": learner, "b": pcv.OLS()}, "y ~ .", data, folds=given),
        ):
            with pytest.raises(FoldError, match=place):
                call(given)
    found = pcv.audit(learner, "y ~ .", data, folds=plan, times=5)
    assert not found
    assert (found.duplicates[:, 0] == found.duplicates[:, 1]).all()


def test_inner_folds_with_rows_on_both_sides_are_refused() -> None:
    inner = [(list(range(40)), list(range(10)))]
    with pytest.raises(FoldError, match=r"inner folds of fold 1 .*both trained on and tested"):
        pcv.nested_cv(
            pcv.KNN(), "y ~ .", noise(1), grid={"k": [1, 5]}, inner=inner,
            outer=pcv.Predefined(np.repeat([1, 2, 3], 20)),
        )  # fmt: skip


def test_groups_are_never_split_by_grouped_folds() -> None:
    rng = np.random.default_rng(0)
    for seed in range(40):
        groups = rng.integers(0, rng.integers(4, 30), size=60)
        k = int(rng.integers(2, 1 + min(4, len(set(groups.tolist())))))
        splitters = [
            pcv.Grouped(k, random=seed),
            pcv.Repeated(pcv.Grouped(k), times=2, random=seed),
        ]
        for splitter in splitters:
            for train, test in splitter.plan(60, groups=groups):
                assert not set(groups[train]) & set(groups[test])


def test_groups_that_other_folds_split_are_reported() -> None:
    groups = np.repeat(["a", "b", "c"], 20)
    found = pcv.audit(pcv.OLS(), "y ~ .", noise(3), folds=FOLDS, groups=groups)
    assert sorted(found.split_groups) == ["a", "b", "c"]
    assert not found
    grouped = pcv.Grouped(3, random=1)
    assert pcv.audit(pcv.OLS(), "y ~ .", noise(3), folds=grouped, groups=groups)


PROCEDURES = {
    "cross_validate": lambda *given, **how: pcv.cross_validate(pcv.OLS(), *given, **how),
    "tune": lambda *given, **how: pcv.tune(pcv.KNN(), *given, grid={"k": [1, 2]}, **how),
    "compare": lambda *given, **how: pcv.compare({"a": pcv.OLS(), "b": pcv.Mean()}, *given, **how),
    "error_curve": lambda *given, **how: pcv.error_curve(
        pcv.KNN(), *given, grid={"k": [1, 2]}, **how
    ),
    "learning_curve": lambda *given, **how: pcv.learning_curve(
        pcv.OLS(), *given, sizes=[0.5, 1.0], **how
    ),
}


@pytest.mark.parametrize("name", PROCEDURES)
def test_folds_that_split_groups_are_refused_and_numbers_of_folds_keep_them(name: str) -> None:
    groups = np.repeat(np.arange(20), 3)
    call = PROCEDURES[name]
    for folds in (FOLDS, pcv.LeaveOneOut(), pcv.Holdout(0.3, random=1), np.arange(60) % 3):
        with pytest.raises(FoldError, match=r"group \d+ is both trained on and tested") as caught:
            call("y ~ .", noise(3), folds=folds, groups=groups)
        assert "Grouped" in (caught.value.fix or "")
    found = call("y ~ .", noise(3), folds=4, groups=groups)
    assert found.plan.recipe.startswith("Grouped(4")
    for train, test in found.plan:
        assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize("inner", [pcv.Grouped(3, random=1), 3])
def test_inner_folds_of_tuned_learners_keep_groups_together(inner: Any) -> None:
    groups = np.repeat(np.arange(20), 3)
    tuned = pcv.Tuned(pcv.KNN(), {"k": [1, 5]}, inner=inner)
    found = pcv.cross_validate(
        tuned, "y ~ .", noise(4), folds=pcv.Grouped(4, random=1), groups=groups
    )
    assert len(found.inner_plans) == 4
    for (train, _), inner in zip(found.plan, found.inner_plans, strict=True):
        for inside, outside in inner:
            assert not set(groups[train][inside]) & set(groups[train][outside])


def test_inner_folds_that_split_groups_are_refused() -> None:
    groups = np.repeat(np.arange(20), 3)
    with pytest.raises(FoldError, match=r"inner folds of fold 1 of 4: group .* is both trained on"):
        pcv.nested_cv(
            pcv.KNN(), "y ~ .", noise(4), grid={"k": [1, 5]}, outer=4,
            inner=pcv.KFold(3, random=1), groups=groups,
        )  # fmt: skip


def test_an_audit_is_the_same_every_time() -> None:
    found = [pcv.audit(pcv.OLS(), "y ~ .", noise(3), folds=5) for _ in range(2)]
    assert found[0].plan.fingerprint == found[1].plan.fingerprint
    assert found[0].skill.tolist() == found[1].skill.tolist()
    assert found[0].plan.seed == found[0].seed == 1
    other = pcv.audit(pcv.OLS(), "y ~ .", noise(3), folds=5, random=2)
    assert other.plan.fingerprint != found[0].plan.fingerprint


INSIDE = {
    "poly": (pcv.OLS(), "y ~ poly(x0, 3) + x1"),
    "scale": (pcv.OLS(), "y ~ scale(x0) * scale(x1)"),
    "kNN's scaling": (pcv.KNN(k=5), "y ~ ."),
    "kNN of scaled": (pcv.KNN(k=5, scale=False), "y ~ scale(x0) + scale(x1)"),
    "ridge's scaling": (pcv.Ridge(lam=0.3), "y ~ ."),
    "lasso's scaling": (pcv.Lasso(lam=0.1), "y ~ ."),
    "ridge of poly": (pcv.Ridge(lam=0.3), "y ~ poly(x0, 2) + x1"),
}


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("folds", [FOLDS, pcv.LeaveOneOut(), pcv.Holdout(0.3, random=1)])
def test_preprocessing_sees_training_rows_only(name: str, folds: Any) -> None:
    """Each fold equals the learner that was handed its training rows and nothing else."""
    learner, formula = INSIDE[name]
    data = noise(5, n=40)
    data.loc[7, "x0"] = 50.0  # one row that would move every mean and deviation
    found = pcv.cross_validate(learner, formula, data, folds=folds)
    losses = []
    for train, test in found.plan:
        fitted = learner.fit(formula, data.iloc[train].reset_index(drop=True))
        new = data.iloc[test].reset_index(drop=True)
        losses.append((new["y"].to_numpy() - fitted.predict(new.drop(columns="y"))) ** 2)
    np.testing.assert_allclose(found.table.losses[:, 0], np.concatenate(losses), **SAME)


@pytest.mark.parametrize("name", INSIDE)
def test_test_rows_cannot_reach_the_predictions_of_others(name: str) -> None:
    """Changing one test row changes its own prediction in its own fold and no other there."""
    learner, formula = INSIDE[name]
    data = noise(6, n=40)
    plan = FOLDS.plan(40)
    base = pcv.cross_validate(learner, formula, data, folds=plan)
    row = int(plan.test_rows(0)[0])
    changed = data.copy()
    changed.loc[row, ["x0", "x1", "x2"]] = [9.0, -9.0, 4.0]
    changed.loc[row, "y"] = 1e6
    again = pcv.cross_validate(learner, formula, changed, folds=plan)
    others = plan.n_test[0]
    close = SWEPT if name == "lasso's scaling" else SUMS
    np.testing.assert_allclose(again.table.losses[1:others], base.table.losses[1:others], **close)
    assert again.table.losses[0] != base.table.losses[0]


def loss_of(power: int) -> Any:
    def own(y: Any, prediction: Any) -> Any:
        return np.abs(y - prediction) ** power

    return own


def test_losses_of_one_name_do_not_share_a_checkpoint(tmp_path: Path) -> None:
    """Nor do learners made of functions; the same function continues."""

    def estimate(power: int, shift: float) -> float:
        learner = FromFunctions(lambda X, y: y.mean() + shift, lambda m, X: np.full(len(X), m))
        return pcv.cross_validate(
            learner, "y ~ .", noise(7), folds=FOLDS, loss=loss_of(power), checkpoint=tmp_path
        ).estimate

    first = estimate(2, 0.0)
    assert estimate(2, 0.0) == first
    for power, shift in ((3, 0.0), (2, 1.0)):
        with pytest.raises(CheckpointError, match="belongs to other work"):
            estimate(power, shift)
