"""Learners asked further: steps of penalised paths, over many predictors and of few penalties."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

import pycvstat as pcv
from pycvstat.data.task import Task
from pycvstat.learners.knn import distances as knn
from pycvstat.learners.knn.shared import list_length
from pycvstat.learners.quantile import quantile_vertex
from pycvstat.learners.robust import NORMS
from tests.fingerprints.edges import outcomes
from tests.fingerprints.of_learners_edges import DATA, digits

Call = Callable[[], Any]
RESPONSES = {"gaussian": "y", "binomial": "class", "multinomial": "size", "poisson": "count"}
GROUPED = {"type_multinomial": "grouped"}


def steps(X: Any, y: Any, asked: dict[str, Any]) -> list[Any]:
    """A path to seven digits, and after how many sweeps it ended how."""
    path = pcv.r.glmnet.glmnet(X, y, **asked).path
    slopes = path.beta[path.beta != 0.0]
    found = [path.lambda_, path.a0, slopes, path.dev_ratio, path.nulldev]
    numbers = [float(f"{x:.7g}") for one in found for x in np.ravel(one)]
    return [numbers, np.argwhere(path.beta), path.npasses, path.end]


def wide(rows: int, columns: int) -> tuple[Any, Any]:
    """Predictors of several sizes, one constant, one nearly another, and a response of some."""
    rng = np.random.default_rng(17)
    X = rng.normal(size=(rows, columns)) * 10.0 ** (np.arange(columns) % 3) + 5.0
    y = X[:, 0] + X[:, 3] - 0.01 * X[:, 2] + rng.normal(size=rows)
    X[:, 1], X[:, 4] = 3.0, X[:, 3] + 1e-3 * X[:, 0]
    return X, y


def wide_paths() -> Iterator[Call]:
    factor = 1.0 + np.arange(500) % 2
    w = 1.0 + np.arange(12) % 3
    options: list[dict[str, Any]] = [
        {}, {"standardize": False}, {"intercept": False}, {"dfmax": 2}, {"pmax": 3}, {"maxit": 9},
        {"standardize": False, "intercept": False}, {"lambda_min_ratio": 0.5}, {"thresh": 1e-3},
        {"weights": w}, {"weights": w * (w < 3)}, {"weights": w, "intercept": False},
        {"penalty_factor": factor}, {"penalty_factor": np.where(np.arange(500) % 250, factor, 0)},
        {"lambda_": [3.0, 1.0]}, {"lambda_": [0.5]}, {"nlambda": 1}, {"nlambda": 2}, {"pmax": 0},
        {"dfmax": 0}, {"maxit": 1}, {"maxit": 2}, {"nlambda": 30, "lambda_min_ratio": 0.2},
        *({"nlambda": 30, "lambda_min_ratio": 0.1, "dfmax": most} for most in (3, 4, 5, 6)),
    ]  # fmt: skip
    X, y = wide(12, 500)
    for alpha, given in product((0.3, 1.0), options):
        yield partial(steps, X, y, {"alpha": alpha, "nlambda": 5} | given)
    for columns in (499, 501):
        yield partial(steps, *wide(12, columns), {"nlambda": 5})


def narrow_paths(family: str, kind: dict[str, Any]) -> Iterator[Call]:
    """Few rows and few penalties; the last predictor is constant."""
    rows = DATA[:24]
    X, y = rows[["x", "z", "w", "positive", "tied", "same"]].to_numpy(), rows[RESPONSES[family]]
    w = np.array([1.0, 2.0, 0.0, 0.5] * 6)
    options: list[dict[str, Any]] = [
        {}, {"standardize": False}, {"intercept": False}, {"dfmax": 1}, {"pmax": 2}, {"maxit": 9},
        {"standardize": False, "intercept": False}, {"lambda_min_ratio": 0.3}, {"thresh": 1e-3},
        {"weights": w}, {"weights": w + 1.0, "intercept": False}, {"nlambda": 9},
        {"penalty_factor": [2, 1, 2, 1, 1, 5]}, {"penalty_factor": [0, 1, 0, 1, 1, 1]},
        {"lambda_": [0.3, 0.1]}, {"lambda_": [0.2]}, {"nlambda": 1}, {"maxit": 3}, {"maxit": 4},
        {"nlambda": 2}, {"nlambda": 20, "lambda_min_ratio": 0.8}, {"dfmax": 0}, {"pmax": 4},
        *({"nlambda": 25, "lambda_min_ratio": 0.01, "dfmax": most} for most in (2, 3, 4)),
    ]  # fmt: skip
    for alpha, given in product((0.0, 0.4, 1.0), options):
        usual = {"family": family, "nlambda": 6, "lambda_min_ratio": 0.05, "alpha": alpha, **kind}
        yield partial(steps, X, y, usual | given)
    for least, beside in product((1e-2, 1e-4, 1e-8), (rows[["y"]].to_numpy(), X)):
        apart = np.column_stack([rows["y"] > 0.6, beside])  # the classes separate
        asked = {"family": family, "lambda_": [1.0, 0.1, least], **kind}
        yield partial(steps, apart, y, asked)
    slow = {"family": family, "nlambda": 40, "lambda_min_ratio": 1e-4, "thresh": 1e-5, **kind}
    yield partial(steps, X, y, slow)
    if family == "poisson":
        yield partial(steps, X, rows["positive"], {"family": family, "nlambda": 6})
    for penalties in ([0.2], [0.3, 0.3, 0.1], [0.5, 0.2, 0.05]):
        yield partial(between, X, y, {"family": family, "lambda_": penalties, **kind})
    for columns in (2, 30):
        more = wide(24, 30)[0][:, :columns]
        yield partial(steps, more, y, {"family": family, "nlambda": 4, **kind})


def between(X: Any, y: Any, asked: dict[str, Any]) -> list[Any]:
    """Coefficients at penalties of the path, beside and beyond them."""
    path = pcv.r.glmnet.glmnet(X, y, **asked).path
    a0, beta = path.at(np.array([9.0, 0.5, 0.3, 0.25, 0.2, 0.1, 0.07, 0.05, 0.01, 0.0]))
    return [digits(a0), digits(beta)]


def paths_without_rows() -> Iterator[Call]:
    """Folds of unequal size; below and from 500 predictors on."""
    ids = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3])
    asked: list[dict[str, Any]] = [
        {}, {"intercept": False}, {"standardize": False}, {"maxit": 6}, {"pmax": 4},
        {"weights": 1.0 + np.arange(12) % 4}, {"lambda_": [2.0, 0.5, 0.1]},
        {"penalty_factor": None}, {"dfmax": 2}, {"grouped": False, "type_measure": "mae"},
    ]  # fmt: skip
    for columns, given in product((5, 500), asked):
        X, y = wide(12, columns)
        X[:, 2] = np.where(ids == 2, X[:, 2], 1.0)  # varies in one fold alone
        if "penalty_factor" in given:
            given = {"penalty_factor": np.arange(columns) % 4}
        yield partial(validated_path, X, y, {"foldid": ids, "nlambda": 5, "alpha": 0.7, **given})


def validated_path(X: Any, y: Any, asked: dict[str, Any]) -> list[Any]:
    """Penalties, errors over folds and how many predictors there are."""
    found = pcv.r.glmnet.cv_glmnet(X, y, **asked)
    told = [found.lambda_, found.cvm, found.cvsd, found.nzero, found.lambda_min, found.lambda_1se]
    return [float(f"{x:.7g}") for one in told for x in np.ravel(one)]


def exact_paths() -> Iterator[Call]:
    """Penalised learners to the last digits, over few and many predictors, repeated ones too."""
    names = [f"v{j}" for j in range(500)]
    X, y = wide(14, 500)
    many = pd.DataFrame(X, columns=names).assign(y=y, w=1.0 + np.arange(14) % 3, same=2.0)
    many["near"] = many["v0"] + 1e-9 * many["v2"]
    many["none"] = many["w"] * (np.arange(14) % 5 > 0)
    data = many.drop(columns=names[5:])
    grids = {"lam": [0.05, 3.0, 0.1, 1e5]}, {"lam": [0.5], "alpha": [0.9, 0.2]}
    few = "y ~ v0 + v1 + v3 + v4", "y ~ v0 + near + v3", "y ~ same", "same ~ v0", "y ~ v0"
    learners = pcv.Lasso(), pcv.ElasticNet(alpha=0.4), pcv.Ridge(), pcv.Lasso(standardize=False)
    weights: tuple[dict[str, Any], ...] = {}, {"weights": "w"}, {"weights": "none"}
    plans = pcv.Blocks(3), pcv.LeaveOneOut()
    for learner, formula, given, folds in product(learners, few, weights, plans):
        for grid in grids[: 2 if isinstance(learner, pcv.ElasticNet) else 1]:
            asked = {"grid": grid, "folds": folds, **given}
            yield partial(tuned, learner, formula, data, asked)
    for learner, formula in product(learners, few[:2]):
        asked = {"grid": {"lam": [1e-7]}, "folds": plans[0]}
        yield partial(tuned, learner, formula, data, asked)
    wider = "y ~ " + " + ".join(names)
    for learner, given in product((pcv.Lasso(), pcv.ElasticNet(alpha=0.4)), weights[:2]):
        asked = {"grid": {"lam": [1.0, 3.0, 100.0]}, "folds": pcv.Blocks(3)}
        yield partial(tuned, learner, wider, many, {**asked, **given})


def tuned(learner: Any, formula: str, data: Any, asked: dict[str, Any]) -> list[Any]:
    found = pcv.tune(learner, formula, data, **asked)
    return [digits(found.means.fold_means()), found.best]


def robust() -> Iterator[Call]:
    """Few steps, few rows, responses of every size and such as a line fits."""
    rows = DATA[:20].assign(v=lambda d: np.r_[d["y"][:-1], 40.0], line=lambda d: 1 + 2 * d["x"])
    tiny = {f"y{e}": rows["v"] * 10.0**-e for e in (9, 11, 12, 40)}
    rows = rows.assign(**tiny, half=np.where(np.arange(20) < 11, rows["line"], 9.0))
    norms = "huber", "bisquare", "hampel", "andrew", "ramsay", "trimmed"
    for norm, left in product(norms, ("v", "line", "half", *tiny)):
        yield partial(coefficients, pcv.RLM(norm, maxiter=30), f"{left} ~ x + z", rows)
    for norm, maxiter, tol in product(norms[:2], (1, 2, 3, 60), (1e-12, 1e-4, 0.1)):
        learner = pcv.RLM(norm, maxiter=maxiter, tol=tol)
        yield partial(coefficients, learner, "v ~ x", rows)
        yield partial(coefficients, learner, "v ~ x", rows, weights="none")
    for n in (2, 3, 4, 5):
        yield partial(coefficients, pcv.RLM(), "v ~ x + z", rows[:n])


def coefficients(learner: Any, formula: str, data: Any, **given: Any) -> list[Any]:
    """The table of a fit to six digits, of what is not rounding."""
    table = learner.fit(formula, data, **given).tidy()
    scale = np.nanmax(np.abs(table["estimate"])) if len(table) else 1.0
    numbers = table.select_dtypes("number").to_numpy()
    return [digits(np.where(np.abs(numbers) < 1e-9 * scale, 0.0, numbers))]


def quantiles() -> Iterator[Call]:
    """Of whole numbers, where several lines are best, and of few rows."""
    rng = np.random.default_rng(4)
    for n in (3, 4, 7, 12, 25):
        data = pd.DataFrame(rng.integers(-3, 4, (n, 3)), columns=["y", "a", "b"])
        data = data.assign(
            w=np.arange(n) % 3, zero=0, tiny=1e-7 * data["a"], c=data["a"] + data["b"]
        )
        for tau, right in product(
            (0.1, 0.25, 0.5, 0.8), ("1", "a", "0 + a", "a + b", "tiny", "a + b + c")
        ):
            for given in ({}, {"weights": "w"}):
                yield partial(line, pcv.QuantReg(tau), f"y ~ {right}", data, given)
        yield partial(line, pcv.QuantReg(0.3), "zero ~ a", data, {})
        for X in (data[["zero", "a"]], data[["a", "zero", "b"]], data[["a", "a", "b"]], 0 * data):
            yield partial(vertex, X.to_numpy(dtype=float), data["y"].to_numpy(dtype=float))


def vertex(X: Any, y: Any) -> list[Any]:
    """Of columns that cannot all be exchanged."""
    found = quantile_vertex(X, y, 0.4)
    return [digits(found.coefficients), found.unique]


def line(learner: Any, formula: str, data: Any, given: dict[str, Any]) -> list[Any]:
    found = learner.fit(formula, data, **given).coefficients
    return [digits(np.array([*found.values()]))]


def iterations() -> Iterator[Call]:
    """Generalised linear models that end early, over folds of several sizes."""
    rows = DATA[:18].assign(
        sure=(np.arange(18) > 8) * 1.0, one=np.r_[1.0, np.zeros(17)], v=np.arange(18.0),
        rare=(np.arange(18) % 6 == 0) * 1.0, huge=DATA["count"][:18] * 1e3,
    )  # fmt: skip
    models: list[tuple[str, str | None, str]] = [
        ("binomial", None, "class ~ x + z"), ("binomial", None, "sure ~ v"),
        ("binomial", None, "one ~ x"), ("binomial", "probit", "class ~ x"),
        ("binomial", "cloglog", "class ~ x"), ("binomial", "cauchit", "class ~ z"),
        ("binomial", None, "rare ~ x + offset(9 * z)"), ("poisson", None, "count ~ x + z"),
        ("poisson", None, "one ~ x"), ("poisson", "sqrt", "count ~ x"),
        ("poisson", None, "huge ~ x + offset(3 * z)"), ("gamma", None, "positive ~ x"),
        ("gamma", "log", "positive ~ x + z"), ("gaussian", None, "y ~ x + z"),
        ("inverse_gaussian", "log", "positive ~ z"), ("poisson", "identity", "huge ~ z"),
    ]  # fmt: skip
    ends: tuple[dict[str, Any], ...] = {}, {"maxiter": 1}, {"maxiter": 3}, {"tol": 0.01}
    weights: tuple[dict[str, Any], ...] = {}, {"weights": "w"}, {"weights": "none"}
    plans = pcv.LeaveOneOut(), pcv.Blocks(4)
    for (family, link, formula), end, given, folds in product(models, ends, weights, plans):
        if end and given:
            continue
        learner = pcv.GLM(family, link, **end)
        yield partial(means_of_rows, learner, formula, rows, {"folds": folds, **given})


def dispersions() -> Iterator[Call]:
    """Negative binomials of estimated dispersion that end early, or have none."""
    rows = DATA.assign(few=np.arange(40) % 2, more=np.floor(3 * DATA["positive"] ** 3))
    for left, given in product(("count", "more", "few"), ({}, {"weights": "w"})):
        for maxiter in (1, 2, 3, 4, 6, 25):
            learner = pcv.GLM("negative_binomial", alpha="ml", maxiter=maxiter)
            yield partial(coefficients, learner, f"{left} ~ x", rows, **given)


def means_of_rows(learner: Any, formula: str, data: Any, asked: dict[str, Any]) -> list[Any]:
    predicted = pcv.cross_validate(learner, formula, data, **asked).table.predictions
    numbers = predicted.values if predicted.prob is None else predicted.prob
    return [digits(np.where(np.abs(numbers) < 1e-9, 0.0, numbers))]


def neighbours() -> Iterator[Call]:
    """Few rows, many of them alike; all, and one more than there are."""
    rng = np.random.default_rng(6)
    for n in (3, 12, 30):
        data = pd.DataFrame(rng.integers(0, 4, (n, 3)), columns=["y", "a", "b"])
        data = data.assign(c=rng.normal(size=n), word=np.array(["u", "v", "w"])[data["b"] % 3])
        data["size"] = pd.Categorical(data["word"], ordered=True)
        ks = sorted({1, 2, n // 3, n - n // 3 - 1, n - n // 3, n - n // 3 + 1})
        formulas = ("y ~ a", "y ~ a + b + word", "word ~ a + c", "size ~ b")
        for formula, distance, ties in product(formulas, (1, 1.5, 2, 3), ("kknn", "row")):
            asked = {"grid": {"k": [k for k in ks if k > 0]}, "folds": pcv.Blocks(3)}
            for kernel in ("triangular", "rectangular"):
                learner = pcv.KNN(distance=distance, ties=ties, kernel=kernel)
                yield partial(tuned, learner, formula, data, asked)
        for kernel, k in product(knn.KERNELS, (1, n - 1)):
            learner = pcv.KNN(k, kernel=kernel)
            yield partial(means_of_rows, learner, "y ~ a + c", data, {"folds": pcv.LeaveOneOut()})
    more = pd.DataFrame(rng.integers(0, 9, (150, 3)), columns=["y", "a", "b"])
    for distance, folds in product((1, 2), (pcv.Blocks(3), pcv.KFold(3, random=2))):
        asked = {"grid": {"k": [1, 2, 3, 5, 9, 20, 60]}, "folds": folds}
        yield partial(
            tuned, pcv.KNN(kernel="rectangular", distance=distance), "y ~ a + b", more, asked
        )


def distances() -> Iterator[Call]:
    """Metrics, weights and lists of neighbours, at their borders."""
    rng = np.random.default_rng(9)
    table = np.column_stack([np.ones(9), rng.normal(size=(9, 3)), np.arange(9) % 2, np.full(9, 7)])
    for size, assign, p, scale in product(
        (1e-142, 1e-139, 1.0, 1e139, 1e142), ([0, 1, 2, 3, 4, 5], [0, 1, 1, 1, 2, 2]),
        (0.5, 1, 2, 3), (True, False),
    ):  # fmt: skip
        X, terms = table * [1, size, 1, 10, 1, 1], np.array(assign)
        yield partial(metric_of, X, terms, p, scale)
        yield partial(metric_of, X[:1], terms, p, scale)
        yield partial(metric_of, X[:, [0, 4, 4, 5, 5, 0]], terms, p, scale)
    near = np.sort(np.array([[0.0, 0.2, 0.2, 0.9], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1e-9, 2e-7]]))
    for kernel, beyond, clipped in product(knn.KERNELS, (1.0, 0.0, 1e-7), (False, True)):
        yield partial(weights_of, kernel, near, beyond, clipped)
    for k, d in product((1, 2, 9), (0, 1, 3, 8)):
        yield lambda k=k, d=d: digits(knn.optimal(k, d))
    sizes = [*product((1, 5, 31), (0.5, 0.9, 1.0), (20, 300, 5000), (1, 3, 20))]
    yield lambda: [list_length(*one) for one in sizes]


def weights_of(kernel: Any, near: Any, beyond: float, clipped: bool) -> Any:
    return digits(knn.weights(kernel, near, np.full(3, beyond), 2, rank_clipped=clipped))


def metric_of(X: Any, assign: Any, p: float, scale: bool) -> list[Any]:
    found = knn.metric(X, assign, p=p, scale=scale)
    return [found.columns, digits(found.scales), digits(found.weights), digits(found.points(X))]


def in_r() -> Iterator[Call]:
    """What R is asked to fit, by learners as they are set, of numbers, classes and words."""
    rows = DATA[:12].assign(quoted=np.where(DATA["x"][:12] > 0, 'a "b', "c"))
    formulas = ("y ~ x", "quoted ~ x + z", "y ~ x + word", "size ~ x", "positive ~ x")
    tasks = [Task.build(formula, rows) for formula in formulas]
    learners: list[Any] = [
        pcv.Mean(), pcv.OLS(), pcv.WLS(), pcv.Logit(), pcv.Logit(tol=1e-6), pcv.Logit(maxiter=9),
        pcv.MNLogit(), pcv.QuantReg(), pcv.QuantReg(tau=0.2), pcv.Ridge(), pcv.Lasso(lam=0.3),
        pcv.ElasticNet(alpha=0.3, standardize=False), pcv.GLM(family="negative_binomial"),
        *(pcv.GLM("negative_binomial", alpha=alpha) for alpha in (0.5, "ml")),
        *(pcv.GLM(*one) for one in product(("gaussian", "binomial", "poisson", "gamma",
            "inverse_gaussian", "tweedie"), (None, "log", "power(0.5)", "loglog", "cauchy"))),
        *(pcv.RLM(norm) for norm in NORMS), pcv.RLM("hampel", (1, 2, 3), maxiter=9),
        *(pcv.KNN(3, *one) for one in product(("rectangular", "inv"), (1, 2, 3), (True, False))),
        pcv.KNN(ties="row"), pcv.KNN(2, ykernel=1),
        pcv.Models([pcv.OLS(), pcv.KNN(1, "rectangular")], model="OLS"),
        pcv.Models([pcv.Model(pcv.RLM(), "y ~ x"), pcv.KNN(2)], model="KNN(k=2)"),
    ]  # fmt: skip
    for learner, task in product(learners, tasks):
        yield partial(asked_of_r, learner, task)


def asked_of_r(learner: Any, task: Task) -> Any:
    learner.check(task)
    return told_of_r(learner.in_r(task))


def told_of_r(one: Any) -> Any:
    if one is None:
        return None
    asked = [one.learner, one.says, [*one.params.items()], one.packages, one.files, one.course]
    return [*asked, len(one.notes), one.tolerance.relative, told_of_r(one.otherwise)]


CALLS: dict[str, Call] = {
    "asked: paths over many predictors": outcomes(wide_paths),
    **{f"asked: paths, {one}": outcomes(partial(narrow_paths, one, {})) for one in RESPONSES},
    "asked: paths, grouped": outcomes(partial(narrow_paths, "multinomial", GROUPED)),
    "asked: paths without some rows": outcomes(paths_without_rows),
    "asked: penalties to the last digits": outcomes(exact_paths),
    "asked: robust lines": outcomes(robust),
    "asked: quantiles of whole numbers": outcomes(quantiles),
    "asked: iterations that end early": outcomes(iterations, dispersions),
    "asked: distances of neighbours": outcomes(distances),
    "asked: neighbours among few": outcomes(neighbours),
    "asked: learners in R": outcomes(in_r),
}
