"""Closed forms over folds: their numbers, and which folds they leave to refits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import pycvstat as pcv
from pycvstat.learners.families import LINKS, family_named
from pycvstat.learners.irls import Control, Problem, fit_glm
from pycvstat.learners.linear import glm_folds, least_squares, left_out, pairs, ridge
from tests.fingerprints.edges import outcomes
from tests.fingerprints.of_learners_edges import digits

Call = Callable[[], Any]
N = 24
ONES, PLACES = np.ones(N), np.arange(N)
RNG = np.random.default_rng(12)
Z = RNG.normal(size=(N, 6))
WEIGHTS = (None, 1.0 + PLACES % 4, np.where(PLACES % 7 == 2, 0.0, 1.0 + PLACES % 3))
SIZES = ([1] * N, [2] * 12, [3] * 8, [8] * 3, [12] * 2, [1, 2, 3, 5, 6, 7], [N])


def designs() -> Iterator[Any]:
    """Columns nearer and nearer to others, rows farther and farther out, rare levels."""
    yield ONES[:, None]
    for columns in (2, 5):
        yield np.column_stack([ONES, Z[:, : columns - 1]])
    yield Z[:, :3]
    for e in (2, 4, 4.9, 5.1, 6, 6.9, 7.1, 9, 11, 16):
        near = Z[:, 0] + 10.0**-e * Z[:, 1]
        yield np.column_stack([ONES, Z[:, 0], near])
        yield np.column_stack([ONES, Z[:, 0], near, Z[:, 2]])
    for far in (1.0, 1.3, 1.45, 1.6, 2.0, 5.0):
        yield np.column_stack([ONES, np.where(PLACES == 0, 10.0**far, Z[:, 0])])
        yield np.column_stack([ONES, np.where(PLACES < 3, 10.0**far + Z[:, 1], Z[:, 0])])
    for rare in (1, 2, 3, 8):
        yield np.column_stack([ONES, rare > PLACES, Z[:, 0]]).astype(float)
    for size in (1e-220, 1e-99, 1e99, 1e101, 1e160):
        yield np.column_stack([ONES, Z[:, 0] * size, Z[:, 1]])
    yield np.column_stack([ONES, 0.0 * ONES, Z[:, 0], 2 * Z[:, 0] - 1])


DESIGNS = [*designs()]
RESPONSES = (Z[:, 0] + Z[:, 4], np.where(PLACES == 5, 3e4, Z[:, 4]), 1e9 + Z[:, 4],
             np.where(PLACES == 5, 1e3, Z[:, 4]))  # fmt: skip


def folds(sizes: list[int]) -> tuple[Any, Any]:
    return PLACES.copy(), np.concatenate([[0], np.cumsum(sizes)])


def shown(numbers: Any) -> Any:
    """Six digits, of what is not rounding."""
    numbers = np.asarray(numbers, dtype=float)
    largest = np.nanmax(np.abs(numbers), initial=0.0)
    return digits(np.where(np.abs(numbers) < 1e-8 * largest, 0.0, numbers))


def least() -> Iterator[Call]:
    for X, w in product(DESIGNS, WEIGHTS):
        yield partial(basis, X, w)
        for sizes in SIZES:
            yield partial(without, X, RESPONSES[0], w, sizes)
    for y, w, sizes in product(RESPONSES[1:], WEIGHTS, SIZES):
        yield partial(without, DESIGNS[1], y, w, sizes)


def wide() -> Iterator[Call]:
    """Fewer rows than columns, some of which earlier ones span."""
    table = np.column_stack([ONES, Z[:, 0], 2 * Z[:, 0], ONES, Z[:, 1:], 0.0 * ONES, Z[:, 2]])
    for n, order in product((1, 2, 3, 5, 8), (1, -1)):
        X = table[:n, ::order]
        yield partial(least_squares.aliased_columns, X)
        yield partial(basis, X, None)
        yield partial(basis, X, WEIGHTS[2][:n])


def basis(X: Any, w: Any) -> list[Any]:
    made = least_squares.orthonormal_basis(X, w)
    kept = least_squares.independent_columns(X, w)
    constant = least_squares.constant_column(X)
    fitted = least_squares.fit_least_squares(X, RESPONSES[0][: len(X)], w)
    return [made.clear, made.aliased, kept, constant, fitted.aliased, shown(fitted.predict(X))]


def without(X: Any, y: Any, w: Any, sizes: list[int]) -> list[Any]:
    found = left_out.ols_left_out_predictions(X, y, *folds(sizes), w)
    return [shown(found.predictions), shown(found.residuals), found.refit]


def two_folds() -> Iterator[Call]:
    for X, w, (k, repeats) in product(
        DESIGNS[:9] + DESIGNS[-16:], WEIGHTS, ((3, 1), (5, 2), (12, 1))
    ):
        plan = pcv.NestedPairs(k, repeats=repeats, random=1).plan(N)
        yield partial(pair, X, w, plan)


def pair(X: Any, w: Any, plan: Any) -> list[Any]:
    found = pairs.least_squares_left_out(X, RESPONSES[0], plan, w)
    return [shown(found.predictions), found.refit]


def likelihoods() -> Iterator[Call]:
    p = 1 / (1 + np.exp(-Z[:, 0]))
    ys = {
        "binomial": ((RNG.random(N) < p) * 1.0, (Z[:, 0] > 0) * 1.0, np.round(p, 1)),
        "poisson": (RNG.poisson(2 * p) * 1.0, (PLACES < 2) * 1.0, np.where(PLACES < 1, 1e7, 0.0)),
        "gamma": (p + 0.1, np.where(PLACES == 3, 1e5, p)),
    }
    few = [DESIGNS[j] for j in (0, 1, 2, 4, 8, 12, 25, 27, 29, 36, 37, 38)]
    for (name, some), X, w in product(ys.items(), few, WEIGHTS):
        for y, sizes in product(some, (SIZES[0], SIZES[5])):
            yield partial(means, name, X, y, w, sizes)
    for name, some in ys.items():
        for y, X in product(some, few[:6]):
            yield partial(steps, name, X, y)
        for tol, w in product((0.7, 0.3, 0.1, 0.03, 0.01), (*WEIGHTS, 0.5 * ONES)):
            end = Control(tol, 1 if tol > 0.05 else 2)
            yield partial(means, name, few[1], some[0], w, SIZES[0], control=end)
            yield partial(means, name, few[1], some[0], w, SIZES[5], control=end)
    for (name, some), w, sizes in product(ys.items(), WEIGHTS, (SIZES[0], SIZES[5])):
        yield partial(means, name, few[1], some[0], w, sizes, offset=0.3 * Z[:, 3])
    for word in LINKS:
        yield partial(ends_of, word)


def means(name: str, X: Any, y: Any, w: Any, sizes: list[int], **given: Any) -> list[Any]:
    family, link = family_named(name, None, None), LINKS["log" if name != "binomial" else "logit"]
    found = glm_folds.glm_left_out_means(X, y, family, link, *folds(sizes), w, **given)
    return [shown(found.means), found.refit]


@np.errstate(all="ignore")
def ends_of(word: str) -> list[Any]:
    """A link where its means come near 0 and 1."""
    far = np.array([5.0, 8.0, 8.5, 29.9, 30.0, 30.1, 31.0, 36.0, 37.0, 700.0, 800.0])
    eta = np.concatenate([-far, far])
    mu = LINKS[word].inverse(eta.copy())
    return [digits(one) for one in (mu, 1.0 - mu, LINKS[word].derivative(eta.copy()))]


def steps(name: str, X: Any, y: Any) -> list[Any]:
    family, link = family_named(name, None, None), LINKS["log" if name != "binomial" else "logit"]
    fit = fit_glm(Problem.of(X, y, family, link))
    return [shown(fit.mean), fit.fitted.aliased, fit.iterations, fit.converged, fit.at_boundary]


def shrunk() -> Iterator[Call]:
    lam = np.array([0.0, 0.1, 30.0, 1e300])
    for X, w, as_glmnet in product(DESIGNS[1:], WEIGHTS, (True, False)):
        X = X[:, 1:] if (X[:, 0] == 1.0).all() else X
        for sizes in (SIZES[0], SIZES[3]):
            yield partial(ridged, X, lam, w, sizes, False, as_glmnet)
        yield partial(ridged, X, lam, w, SIZES[5], True, as_glmnet)
    for X in DESIGNS[1:4]:
        yield lambda X=X: shown(ridge.ridge_gcv(X[:, 1:], RESPONSES[0], lam))
        yield lambda X=X: shown(ridge.ridge_gcv(X[:4], RESPONSES[0][:4], lam, False))


def ridged(X: Any, lam: Any, w: Any, sizes: list[int], standardize: bool, glmnet: bool) -> Any:
    given = {"standardize": standardize, "as_glmnet": glmnet}
    found = ridge.ridge_left_out_predictions(X, RESPONSES[3], lam, *folds(sizes), w, **given)
    return [shown(one) for one in found]


CALLS: dict[str, Call] = {
    "left out: least squares": outcomes(least, wide),
    "left out: two folds": outcomes(two_folds),
    "left out: likelihoods": outcomes(likelihoods),
    "left out: ridge": outcomes(shrunk),
}
