"""Learners at their edges: few rows, columns that others span, weights of 0, ties, options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import pycvstat as pcv
from tests.fingerprints.edges import outcomes, told
from tests.fingerprints.of_learners import CARS, MIXED

Call = Callable[[], Any]
DATA = MIXED[:40].assign(
    same=1.0,
    twice=lambda d: 2 * d["x"],
    far=lambda d: 1e6 * d["z"] + 1e9,
    tied=lambda d: np.round(d["x"]),
    none=lambda d: np.where(d.index % 5 == 0, 0.0, d["w"]),
    trials=lambda d: 1.0 + d.index % 4,
    hits=lambda d: np.round((d.index % 3) * (1.0 + d.index % 4) / 2) / (1.0 + d.index % 4),
)
FOLDS = (pcv.KFold(3, random=1), pcv.LeaveOneOut(), pcv.Holdout(3, random=1))
WEIGHTS: tuple[dict[str, Any], ...] = ({}, {"weights": "w"}, {"weights": "none"})
OF_NUMBERS = (
    "y ~ x + z",
    "y ~ 0 + x",
    "y ~ 1",
    "y ~ x + twice + same",
    "y ~ word * x",
    "y ~ far + x",
)


def rounded(values: Any) -> Any:
    """To the eighth decimal: the last bits of columns that others span are chance."""
    with np.errstate(over="ignore"):  # of 1e300 there is no eighth decimal
        return None if values is None else np.round(np.asarray(values, dtype=float), 8) + 0.0


def fitted(learner: Any, formula: str, data: Any, **given: Any) -> list[Any]:
    """A fit to all rows: predictions, coefficients, what it tells."""
    model = learner.fit(formula, data, **given)
    found = [rounded(model.predict(data))] if not model.task.response.levels else []
    if model.task.response.levels:
        found += [[str(one) for one in model.predict(data)], rounded(model.predict_proba(data))]
    named = getattr(model, "coefficients", None)
    if isinstance(named, dict):
        found += [[*named], rounded([*named.values()])]
    return [*found, told(learner), learner.name]


def validated(learner: Any, formula: str, data: Any, folds: Any, **given: Any) -> list[Any]:
    table = pcv.cross_validate(learner, formula, data, folds=folds, **given).table
    return [rounded(table.losses), rounded(table.predictions.prob)]


def both(
    learners: Any, formulas: Any, weights: Any = WEIGHTS, plans: Any = FOLDS[:1], data: Any = DATA
) -> Iterator[Call]:
    for learner, formula, given in product(learners, formulas, weights):
        yield lambda a=(learner, formula, data), g=given: fitted(*a, **g)
        for folds in plans:
            yield lambda a=(learner, formula, data, folds), g=given: validated(*a, **g)


def straight() -> Iterator[Call]:
    yield from both((pcv.OLS(), pcv.Mean()), OF_NUMBERS, ({},), FOLDS)
    yield from both([pcv.WLS()], OF_NUMBERS, plans=FOLDS)
    yield from both((pcv.RLM(), pcv.RLM("bisquare", maxiter=50)), OF_NUMBERS[::2])
    yield from both([pcv.QuantReg(tau) for tau in (0.5, 0.8)], OF_NUMBERS[:3], WEIGHTS[:2])
    made: list[Callable[[], Any]] = [
        *(partial(pcv.QuantReg, tau) for tau in (0, 1, -1, "a")),
        *(partial(pcv.RLM, norm) for norm in ("huber", "none")),
        *(partial(pcv.RLM, "huber", tuning=t) for t in (0, -1, (1, 2), 1e-9)),
        partial(pcv.RLM, tol=0), partial(pcv.RLM, maxiter=0), partial(pcv.GLM, "none"),
        partial(pcv.GLM, "binomial", "none"), partial(pcv.GLM, tol=-1),
        partial(pcv.GLM, maxiter=2.5),
        *(partial(pcv.Ridge, lam) for lam in (-1, 0, "a", float("inf"), float("nan"))),
        *(partial(pcv.ElasticNet, 1.0, alpha=alpha) for alpha in (-0.1, 0, 1, 1.1)),
        *(partial(pcv.KNN, k) for k in (0, 1, 2.5, -1, 10**9)), partial(pcv.KNN, distance=0),
        partial(pcv.KNN, kernel="none"), partial(pcv.KNN, ykernel=-1),
        partial(pcv.KNN, ties="none"),
        partial(pcv.Stepwise, pcv.OLS(), criterion="none"), partial(pcv.Stepwise, pcv.KNN()),
    ]  # fmt: skip
    for make in made:
        yield lambda make=make: fitted(make(), "y ~ x + z", DATA)
    for n, learner in product(
        (1, 2, 3, 4), (pcv.OLS(), pcv.WLS(), pcv.RLM(), pcv.Ridge(0.1), pcv.KNN(1))
    ):
        yield lambda n=n, learner=learner: fitted(learner, "y ~ x + z", DATA[:n])


def generalised() -> Iterator[Call]:
    counts = ("count ~ x", "count ~ x + twice + offset(z)", "count ~ 1", "count ~ word")
    yield from both([pcv.GLM("poisson", link) for link in (None, "sqrt")], counts, WEIGHTS[:2])
    yield from both(
        [pcv.GLM("negative_binomial", alpha=a) for a in (0.5, 2.0)], counts[:2], WEIGHTS[:1]
    )
    shares = ("hits ~ x", "hits ~ z + same")
    yield from both(
        [pcv.GLM("binomial"), pcv.GLM("binomial", "cloglog")], shares, ({"weights": "trials"},)
    )
    classes = ("class ~ x", "class ~ z + twice + x", "class ~ 1", "class ~ y", "flag ~ x")
    yield from both([pcv.Logit(), pcv.GLM("binomial", "probit")], classes[:4], WEIGHTS[:2])
    yield from both(
        [pcv.GLM("gamma", "log"), pcv.GLM("tweedie", var_power=1.3)], ("positive ~ x",), WEIGHTS
    )
    yield from both([pcv.MNLogit()], ("word ~ x", "class ~ x + z", "size ~ 1"), WEIGHTS[:1])
    yield from both(
        [pcv.Stepwise(pcv.OLS(), d) for d in ("both", "forward", "backward")],
        ("y ~ x + z + word",),
        ({},),
    )


def penalised() -> Iterator[Call]:
    kinds = [pcv.Ridge(lam) for lam in (0.0, 0.3, 1e3)] + [pcv.Ridge(0.3, standardize=False)]
    yield from both(kinds, OF_NUMBERS, plans=FOLDS)
    kinds = [
        pcv.Lasso(0.05),
        pcv.Lasso(1e3),
        pcv.ElasticNet(0.2, alpha=0.0),
        pcv.ElasticNet(0.2, alpha=0.3),
    ]
    yield from both(
        [*kinds, pcv.Lasso(0.1, standardize=False)], ("y ~ x + z + word", "y ~ x + twice + same")
    )
    grid = {"lam": [0.0, 0.01, 0.1, 1.0, 50.0]}
    wide = DATA.assign(**{f"v{j}": np.sin(np.arange(40.0) * (j + 1)) for j in range(60)})
    columns = " + ".join(f"v{j}" for j in range(60))
    for learner, text, loss in [(pcv.Ridge(), "y", None), (pcv.Lasso(), "y", None),
                                (pcv.ElasticNet(), "y", "absolute")]:  # fmt: skip
        for folds, given in product(FOLDS, WEIGHTS[:2]):
            asked = {"grid": grid, "folds": folds, "loss": loss, **given}
            for right, data in (("x + z + word", DATA), (columns, wide))[
                : 2 if folds is FOLDS[0] else 1
            ]:
                yield lambda a=(learner, f"{text} ~ {right}", data), g=asked: path(*a, **g)
    for learner in (pcv.Lasso(), pcv.ElasticNet(alpha=0.3), pcv.Ridge()):
        for form, given in product(("y ~ x + z", "y ~ same", "same ~ x"), WEIGHTS[:2]):
            asked = {"folds": FOLDS[0], **given}
            yield lambda a=(learner, form, DATA), g=asked: path(*a, **g)
    for nfolds, alpha, kind in product(
        (4,), (0.0, 0.5, 1.0), ("gaussian", "binomial", "multinomial", "poisson")
    ):
        yield partial(path_of_glmnet, nfolds, alpha, kind)


def path(learner: Any, formula: str, data: Any, **given: Any) -> list[Any]:
    found = pcv.tune(learner, formula, data, **given)
    return [rounded(found.means.fold_means()), found.best]


def path_of_glmnet(nfolds: int, alpha: float, family: str) -> list[Any]:
    """Penalties, errors and coefficients under R's names, of every family."""
    X = DATA[["x", "z", "w"]].to_numpy()
    y = {"gaussian": "y", "binomial": "class", "multinomial": "size", "poisson": "count"}[family]
    ids = 1 + np.arange(40) % nfolds
    found = pcv.r.glmnet.cv_glmnet(X, DATA[y], family=family, alpha=alpha, foldid=ids, nlambda=12)
    return [rounded(found.lambda_), rounded(found.cvm), rounded(found.cvsd), rounded(found.nzero)]


def paths() -> Iterator[Call]:
    """Penalised paths of every family with one option other than usual, and where they end."""
    X = DATA[["x", "z", "w", "positive", "tied", "same", "far"]].to_numpy()
    more = np.column_stack([X, np.sin(np.outer(np.arange(40), 1 + np.arange(60)))])
    options: list[dict[str, Any]] = [
        {}, {"standardize": False}, {"intercept": False}, {"dfmax": 2}, {"pmax": 3}, {"maxit": 7},
        {"penalty_factor": [1, 0, 2, 1, 1, 1, 0.5]}, {"weights": DATA["w"]}, {"thresh": 1e-14},
        {"weights": DATA["none"]}, {"lambda_": [1.0, 0.1, 0.01]}, {"lambda_min_ratio": 0.5},
        {"lambda_": [0.0]}, {"lambda_": [1e-4, 10.0]}, {"thresh": 1e-3}, {"pmax": 0},
    ]  # fmt: skip
    responses = {"gaussian": "y", "binomial": "class", "multinomial": "size", "poisson": "count"}
    kinds = [*((name, {}) for name in responses), ("multinomial", {"type_multinomial": "grouped"})]
    for (family, kind), alpha, given in product(kinds, (0.0, 0.4, 1.0), options):
        asked = {"family": family, "alpha": alpha, "nlambda": 9, **kind, **given}
        yield partial(of_path, X, DATA[responses[family]], asked)
        if len(given) == 0:
            yield partial(of_path, more, DATA[responses[family]], asked)
            yield partial(of_path, X[:, 6:], DATA[responses[family]], asked)
            apart = DATA[["y", "x"]].to_numpy()  # by y the classes separate
            for least in (1e-2, 1e-4, 1e-8):
                few = {"lambda_": [1.0, 0.1, least]}
                yield partial(of_path, apart, DATA[responses[family]], asked | few)


def of_path(X: Any, y: Any, asked: dict[str, Any]) -> list[Any]:
    """What glmnet returns, to the digits that do not hang on how it is added up."""
    path = pcv.r.glmnet.glmnet(X, y, **asked).path
    found = [path.lambda_, path.a0, path.beta, path.dev_ratio, path.nulldev]
    return [float(f"{x:.7g}") for one in found for x in np.ravel(one)]


def units() -> Iterator[Call]:
    """Columns of every size, none, and others but for a little; responses of every size."""
    sizes = (0.0, 1e-320, 0.9e-140, 1.1e-140, 1e-70, 1e-8, 1e8, 1e70, 0.9e140, 1.1e140, 1e300)
    learners = [
        pcv.OLS(), pcv.WLS(), pcv.Ridge(0.3), pcv.Lasso(0.05), pcv.RLM(), pcv.QuantReg(),
        pcv.KNN(3), pcv.GLM("poisson"), pcv.Logit(), pcv.Mean(),
    ]  # fmt: skip
    for learner, size in product(learners, sizes):
        left = {"poisson": "count", "binomial": "class"}.get(getattr(learner, "family", ""), "y")
        left = "class" if isinstance(learner, pcv.Logit) else left
        data = DATA.assign(v=DATA["z"] * size, close=DATA["x"] + DATA["z"] * min(size, 1.0) / 1e3)
        yield lambda a=(learner, f"{left} ~ x + v", data): digits(fitted(*a))
        yield lambda a=(learner, f"{left} ~ x + close", data): digits(fitted(*a)[1:])
        if left == "y":
            large = DATA.assign(y=DATA["y"] * size)
            yield lambda a=(learner, "y ~ x + z", large): digits(fitted(*a))


def digits(found: Any) -> Any:
    """To the sixth digit: in columns that are nearly others the last ones are chance."""
    if isinstance(found, (list, tuple)):
        return [digits(one) for one in found]
    if isinstance(found, np.ndarray) and found.dtype.kind == "f":
        return [f"{x:.6g}" for x in found.ravel() + 0.0]
    return found


def nearest() -> Iterator[Call]:
    kernels = ("rectangular", "triangular", "epanechnikov", "biweight", "triweight", "cos", "inv",
               "gaussian", "rank", "optimal")  # fmt: skip
    formulas = ("y ~ x + z", "y ~ tied", "class ~ tied + z", "size ~ z", "y ~ word + size + flag")
    for kernel, formula in product(kernels, formulas):
        for k in (1, 9):
            learner = pcv.KNN(k, kernel=kernel)
            for folds in FOLDS[:1]:
                yield lambda a=(learner, formula, DATA, folds): validated(*a)
    for distance, scale, ykernel, ties in product(
        (1, 1.5, 2, 3), (True, False), (0, 1), ("kknn", "row")
    ):
        learner = pcv.KNN(4, distance=distance, scale=scale, ykernel=ykernel, ties=ties)
        for formula in ("y ~ tied + z", "size ~ x"):
            yield lambda a=(learner, formula, DATA, FOLDS[0]): validated(*a)
    for rows, distance, ties in product((600, 5000), (1, 2, 3), ("kknn", "row")):
        x = np.random.default_rng(9).normal(size=(rows, 2)).round(1)
        tied = {"a": x[:, 0], "b": x[:, 1], "y": np.arange(rows) % 11}
        one = pcv.KNN(9, distance=distance, ties=ties)
        yield lambda one=one, tied=tied: validated(one, "y ~ a + b", tied, pcv.KFold(2, random=1))
    drawn = np.random.default_rng(8).normal(size=(300, 30)).round(1)
    for columns, k, learner in product(
        (2, 14, 15, 16, 30), (1, 9, 40, 150), (pcv.KNN(), pcv.KNN(distance=1), pcv.KNN(ties="row"))
    ):
        many = {f"v{j}": drawn[:, j] for j in range(columns)} | {"y": drawn.sum(axis=1)}
        one = learner.with_params(k=k)
        yield lambda one=one, many=many: validated(one, "y ~ .", many, pcv.KFold(2, random=1))
    grid = {
        "k": [1, 2, 3, 7, 12, 26],
        "kernel": ["rectangular", "optimal", "inv"],
        "distance": [1, 2],
    }
    for folds, formula in product(FOLDS, formulas):
        yield lambda a=(formula, DATA), f=folds: path(pcv.KNN(), *a, grid=grid, folds=f)
    for inner in (pcv.Blocks(3), pcv.KFold(2), "dev"):
        asked = {"grid": {"k": range(1, 8)}, "outer": FOLDS[0], "inner": inner}
        yield (
            lambda asked=asked: (
                pcv.nested_cv(pcv.KNN(), "mpg ~ wt + hp", CARS, **asked).inner_curves
            )
        )


CALLS: dict[str, Call] = {
    "edges: linear predictors": outcomes(straight),
    "edges: generalised linear models": outcomes(generalised),
    "edges: penalties": outcomes(penalised),
    "edges: paths of penalties": outcomes(paths),
    "edges: columns of every size": outcomes(units),
    "edges: neighbours": outcomes(nearest),
}
