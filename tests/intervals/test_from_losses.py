"""Losses made by anything else."""

import numpy as np
import pandas as pd
import pytest

from pycvstat.errors import FoldError, InputError, IntervalError, LossError
from pycvstat.folds.plan import FoldPlan
from pycvstat.intervals import corrected_t
from pycvstat.intervals.from_losses import from_losses

DRAW = np.random.default_rng(1)
N = 24
IDS = DRAW.permutation(np.arange(N) % 4)
LOSSES = DRAW.gamma(2.0, size=N)
TWO = np.column_stack([LOSSES, DRAW.gamma(2.0, size=N)])


def test_one_method():
    result = from_losses(LOSSES, IDS)
    by_fold = [LOSSES[f == IDS].mean() for f in range(4)]
    assert result.estimate == pytest.approx(np.mean(by_fold))
    assert result.pooled == pytest.approx(LOSSES.mean())
    assert result.interval().low == pytest.approx(corrected_t(by_fold, 18, 6).low, rel=1e-12)
    row = result.tidy().iloc[0]
    assert (row["name"], row.estimate, row.method) == ("losses", result.estimate, "corrected_t")
    assert "mean of fold means" in result.summary()
    assert "nadeau2003" in result.cite()
    np.testing.assert_array_equal(result.table.per_row()[:, 0], LOSSES)


@pytest.mark.parametrize(
    "losses", [{"knn": TWO[:, 0], "ols": TWO[:, 1]}, pd.DataFrame(TWO, columns=["knn", "ols"])]
)
def test_several_methods(losses):
    result = from_losses(losses, IDS)
    assert result.names == ("knn", "ols")
    assert set(result.estimate) == set(result.interval()) == {"knn", "ols"}
    assert result["ols"].estimate == result.estimate["ols"]
    assert result.interval(name="ols").estimate == result.estimate["ols"]
    pair = result.paired("knn", "ols")
    assert pair.difference == pytest.approx(result.estimate["knn"] - result.estimate["ols"])
    assert len(result.pairs()) == 1
    assert result.tidy()["name"].tolist() == ["knn", "ols"]
    with pytest.raises(InputError, match="no method called 'rf'"):
        result.paired("knn", "rf")
    with pytest.raises(InputError, match="say which method"):
        result.table  # noqa: B018


def test_columns_are_methods_or_repetitions():
    methods = from_losses(TWO, IDS, names=["a", "b"])
    assert methods.names == ("a", "b")
    ids = np.column_stack([IDS, np.roll(IDS, 5)])
    repeated = from_losses(TWO, ids)
    assert repeated.names == ("losses",)
    assert repeated.plan.times == 2
    assert repeated.pooled == pytest.approx(TWO.mean())
    folds = [TWO[ids[:, r] == f, r].mean() for r in range(2) for f in range(4)]
    assert repeated.interval().low == pytest.approx(corrected_t(folds, 18, 6).low, rel=1e-12)
    both = from_losses({"a": TWO, "b": TWO[:, ::-1]}, ids)
    assert both.names == ("a", "b")
    assert both.estimate["a"] == repeated.estimate


@pytest.mark.parametrize("kind", [dict, pd.DataFrame])
def test_named_columns_are_never_taken_for_repetitions(kind):
    """As many methods as repetitions: their losses were merged into one estimate."""
    ids = np.column_stack([IDS, np.roll(IDS, 5)])
    with pytest.raises(InputError, match=r"(?s)knn do not fit.*\(24, 2\), one column per rep"):
        from_losses(kind({"knn": TWO[:, 0], "ols": TWO[:, 1]}), ids)


def test_a_plan():
    plan = FoldPlan.from_fold_ids(IDS)
    assert from_losses(LOSSES, plan).interval().low == from_losses(LOSSES, IDS).interval().low
    splits = [DRAW.permutation(N) for _ in range(5)]
    plan = FoldPlan.from_splits([(s[6:], s[:6]) for s in splits], N)
    losses = DRAW.random(30)
    result = from_losses(losses, plan)
    means = losses.reshape(5, 6).mean(axis=1)
    assert result.interval().low == pytest.approx(corrected_t(means, 18, 6).low, rel=1e-12)


def test_scikit_learn():
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import KFold, cross_val_predict, cross_val_score

    X, y = DRAW.normal(size=(50, 3)), DRAW.normal(size=50)
    folds = KFold(5, shuffle=True, random_state=1)
    predicted = cross_val_predict(LinearRegression(), X, y, cv=folds)
    scores = -cross_val_score(LinearRegression(), X, y, cv=folds, scoring="neg_mean_squared_error")
    ids = np.empty(50, dtype=int)
    for k, (_, test) in enumerate(folds.split(X)):
        ids[test] = k
    losses = from_losses((y - predicted) ** 2, ids, loss="squared", y=y, predictions=predicted)
    corrected = losses.interval("corrected_t")
    assert corrected.low == pytest.approx(corrected_t(scores, 40, 10).low, rel=1e-10)
    assert losses.interval(metric="rmse").estimate == pytest.approx(np.sqrt(scores.mean()))
    total = ((y - y.mean()) ** 2).mean()
    r2 = losses.interval("all_pairs", metric="r2")
    assert r2.estimate == pytest.approx(1 - losses.pooled / total, rel=1e-12)


def test_range():
    errors = from_losses((LOSSES > 3).astype(float), IDS)
    assert errors.table.range == (0.0, 1.0)
    assert from_losses(LOSSES, IDS).table.range == (-np.inf, np.inf)
    wide = from_losses(LOSSES, IDS, bounds=(0, np.inf)).interval("corrected_t", level=0.9999)
    assert wide.low == 0
    assert from_losses(LOSSES, IDS, loss="squared").table.range == (0, np.inf)
    assert from_losses(-LOSSES, IDS, loss="squared").table.range == (-np.inf, np.inf)
    with pytest.raises(LossError, match="outside their bounds"):
        from_losses(LOSSES, IDS, bounds=(0, 1))
    for bounds in ("ab", 3, (5, 1), (np.nan, 1), (0, 1, 2)):
        with pytest.raises(InputError, match="bounds must be"):
            from_losses(LOSSES, IDS, bounds=bounds)
    assert from_losses(LOSSES, IDS, bounds=(0, np.inf)).table.range == (0, np.inf)


def test_groups():
    groups = np.arange(N) // 2
    whole = groups % 4
    result = from_losses(LOSSES, whole, groups=groups)
    assert result.interval().method == "corrected_t"
    assert result.interval("cluster").details["groups"] == 12
    plan = FoldPlan.from_fold_ids(whole)
    for given in (groups, [f"subject {g}" for g in groups]):
        found = from_losses(LOSSES, plan, groups=given).interval()
        assert (found.low, found.high) == (result.interval().low, result.interval().high)


def test_groups_that_the_folds_split_are_refused():
    groups = np.arange(N) // 2
    split = FoldPlan.from_fold_ids(IDS)
    for fold_ids in (IDS, split):
        with pytest.raises(FoldError, match="is both trained on and tested"):
            from_losses(LOSSES, fold_ids, groups=groups)
    with pytest.raises(FoldError, match="is both trained on and tested"):
        from_losses(LOSSES, FoldPlan.from_fold_ids(IDS, groups=groups))
    with pytest.raises(InputError, match="groups of the training rows are not known"):
        from_losses(LOSSES, groups=groups, n_train=100)


@pytest.mark.parametrize(
    ("losses", "names"),
    [
        (TWO, ["m", "m"]),
        (TWO, [1, "1"]),
        ({1: TWO[:, 0], "1": TWO[:, 1]}, None),
        (pd.DataFrame(TWO, columns=["m", "m"]), None),
    ],
)
def test_two_methods_of_one_name_are_refused(losses, names):
    with pytest.raises(InputError, match="several methods are called"):
        from_losses(losses, IDS, names=names)


def test_one_test_set():
    found = from_losses(LOSSES, n_train=100).interval()
    assert (found.method, found.target) == ("holdout_t", "R(100)")
    with pytest.raises(InputError, match="training size is part of") as refused:
        from_losses(LOSSES)
    assert "n_train" in refused.value.fix
    for size in (0, -1, 2.5, "a", True, 10**20, [9]):
        with pytest.raises(InputError, match="whole number"):
            from_losses(LOSSES, n_train=size)
    with pytest.raises(InputError, match="the folds say how many rows are trained on"):
        from_losses(LOSSES, IDS, n_train=18)


@pytest.mark.parametrize("method", ["bootstrap", "cluster", "holdout_t", "holdout_z"])
def test_training_rows_of_one_test_set_are_counted_not_listed(method):
    many = from_losses(LOSSES, n_train=10**12).interval(method)
    few = from_losses(LOSSES, n_train=18).interval(method)
    assert (many.low, many.estimate, many.high) == (few.low, few.estimate, few.high)
    assert from_losses(LOSSES, n_train=10**12).summary()


def test_metrics_of_ones_own():
    predicted, y = DRAW.normal(size=N), DRAW.normal(size=N)
    result = from_losses((y - predicted) ** 2, IDS, loss="squared", y=y, predictions=predicted)

    def median_error(y, p):
        return np.median(np.abs(y - p))

    found = result.interval(metric=median_error)
    by_fold = [median_error(y[f == IDS], predicted[f == IDS]) for f in range(4)]
    assert found.estimate == pytest.approx(np.mean(by_fold))
    assert found.metric == "median_error"
    assert "expected median_error of the learner" in found.estimand


def test_bad_input():
    with pytest.raises(IntervalError, match="only one fold"):
        from_losses(LOSSES, np.ones(N))
    with pytest.raises(InputError, match="one label per row"):
        from_losses(LOSSES, IDS[:-1])
    with pytest.raises(LossError, match="1 of 24 are NaN or infinite, first at row 3"):
        from_losses(np.where(np.arange(N) == 2, np.nan, LOSSES), IDS)
    with pytest.raises(LossError, match="the losses must be numbers"):
        from_losses(["a"] * N, IDS)
    with pytest.raises(LossError, match="the losses of knn must be numbers"):
        from_losses({"knn": ["a"] * N}, IDS)
    with pytest.raises(LossError, match=r"^the response must be finite"):
        from_losses(LOSSES, IDS, y=[np.nan] * N, predictions=LOSSES)
    with pytest.raises(InputError, match="no losses"):
        from_losses([], [])
    with pytest.raises(InputError, match="names must be one per method"):
        from_losses(TWO, IDS, names=["a"])
    with pytest.raises(InputError, match="one or two dimensions"):
        from_losses(np.ones((2, 2, 2)), IDS)
    with pytest.raises(InputError, match="do not fit the folds"):
        from_losses({"a": LOSSES, "b": LOSSES[:-1]}, IDS)
    with pytest.raises(InputError, match="belong together"):
        from_losses(LOSSES, IDS, y=LOSSES)
    with pytest.raises(InputError, match="no losses"):
        from_losses({}, IDS)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: from_losses(LOSSES, 1), "fold_ids are the fold of each row"),
        (lambda: from_losses(LOSSES, "abc"), "fold_ids are the fold of each row"),
        (lambda: from_losses(TWO, IDS, names=5), "names are a list"),
        (lambda: from_losses(TWO, IDS, names="ab"), "names are a list"),
        (lambda: from_losses(LOSSES, IDS, loss=3), "what to call the loss"),
        (lambda: from_losses(LOSSES, IDS, loss=None), "what to call the loss"),
        (lambda: from_losses({"a": 1.0}, IDS), "one or two dimensions"),
        (lambda: from_losses({"a": 1.0}, n_train=9), "one or two dimensions"),
        (lambda: from_losses(LOSSES * 1j, IDS), r"must be numbers\.\n  Given: complex"),
        (lambda: from_losses(LOSSES, IDS, groups=5), "not a sequence"),
        (lambda: from_losses(LOSSES, IDS)[["losses"]], "no method called"),
        (lambda: from_losses(LOSSES, IDS).interval(np.zeros(2)), "method must be a name"),
        (lambda: from_losses(LOSSES, IDS).interval(pd.NA), "method must be a name"),
        (lambda: from_losses(LOSSES, IDS).interval(metric=[]), "no metric"),
        (lambda: from_losses(TWO, IDS).paired(["method 1"], "method 2"), "no method called"),
        (lambda: from_losses(TWO, IDS).paired("method 1", "method 2", bogus=1), "no option"),
        (lambda: from_losses(TWO, IDS).paired("method 1", "method 2", method=np.zeros(2)),
         "method must be a name"),
        (lambda: from_losses(TWO, IDS).pairs(adjust=np.zeros(2)), "adjust must be"),
        (lambda: from_losses(TWO, IDS).pairs(method=pd.NA), "method must be a name"),
    ],
)  # fmt: skip
def test_arguments_of_a_wrong_type(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_no_legal_interval():
    """Rolling folds: estimates are shown, and why there is no interval."""
    splits = [(np.arange(6 + 3 * i), np.arange(6 + 3 * i, 9 + 3 * i)) for i in range(6)]
    plan = FoldPlan.from_splits(splits, N, kind="timeseries")
    result = from_losses(DRAW.random(18), plan)
    assert "No interval: losses of rolling folds" in result.summary()
    row = result.tidy().iloc[0]
    assert row.estimate == result.estimate
    assert np.isnan(row.conf_low)
    with pytest.raises(InputError, match="confidence level"):
        result.tidy(level=2)


def test_a_small_training_share_is_noted():
    halves = from_losses(LOSSES, np.arange(N) % 2).interval()
    assert "here 0.5" in halves.notes[0]
    assert from_losses(LOSSES, np.arange(N) % 6).interval().notes == ()


def test_plans_that_train_on_their_test_rows_are_refused():
    every = np.arange(N)
    plan = FoldPlan.from_splits([(every, every[:12]), (every, every[12:])], N)
    with pytest.raises(FoldError, match="both trained on and tested in fit 1"):
        from_losses(LOSSES, plan)
