"""All folds of a generalised linear model at once."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings, strategies as st

from pycvstat.errors import FitError
from pycvstat.learners.families import LINKS, family_named
from pycvstat.learners.irls import Problem, fit_glm
from pycvstat.learners.linear import glm_folds
from pycvstat.learners.linear.glm_folds import glm_left_out_means
from pycvstat.r.bridge import run
from tests.learners.linear.designs import folds

SAME_STEPS = 1e-10
"""The same iterations by normal equations in a good basis and by QR."""

MAXIMUM = 1e-8
"""Both go on until the deviance stands still; its 16 digits are 8 of the coefficients."""

MODELS = [
    ("binomial", "logit"),
    ("binomial", "probit"),
    ("binomial", "cloglog"),
    ("binomial", "cauchy"),
    ("poisson", "log"),
    ("poisson", "sqrt"),
    ("gamma", "log"),
    ("gamma", "inverse"),
    ("gaussian", "identity"),
    ("gaussian", "log"),
    ("inverse_gaussian", "log"),
    ("negative_binomial", "log"),
    ("negative_binomial", "sqrt"),
    ("tweedie", "log"),
]


def response(rng, name, link, eta):
    """Draws of a family around the means that a link gives, kept in the valid region."""
    if link in ("inverse", "sqrt"):
        eta = np.maximum(eta + 1.5, 0.3)
    mu = LINKS[link].inverse(eta)
    match name:
        case "binomial":
            return (rng.random(len(eta)) < mu).astype(float)
        case "negative_binomial":
            return rng.poisson(rng.gamma(1.0, mu)).astype(float)
        case "tweedie":
            return rng.gamma(2 * (1 + rng.poisson(mu)), 0.3)
        case "poisson":
            return rng.poisson(mu).astype(float)
        case "gamma":
            return rng.gamma(5.0, mu / 5)
        case "inverse_gaussian":
            return rng.wald(mu, 5.0)
        case _:
            return mu + 0.1 * rng.random(len(eta))


@st.composite
def models(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(20, 80)), draw(st.integers(1, 4))
    X = np.column_stack([np.ones(n), 0.4 * rng.normal(size=(n, p - 1))])
    name, link = draw(st.sampled_from(MODELS))
    y = response(rng, name, link, X.sum(axis=1) - 0.5)
    weights = (
        rng.choice([0.0, 1.0, 2.0], size=n, p=[0.1, 0.5, 0.4]) if draw(st.booleans()) else None
    )
    offset = 0.2 * rng.normal(size=n) if draw(st.booleans()) else None
    return X, y, family_named(name, None, None), LINKS[link], *draw(folds(n)), weights, offset


def refitted(X, y, family, link, rows, offsets, weights, offset):
    """Every fit anew; NaN where R's iterations fail."""
    w = np.ones(len(y)) if weights is None else weights
    o = np.zeros(len(y)) if offset is None else offset
    out = np.full(len(rows), np.nan)
    for begin, end in pairwise(offsets):
        test = rows[begin:end]
        train = np.ones(len(y), dtype=bool)
        train[test] = False
        try:
            given = family, link, w[train], o[train]
            fit = fit_glm(Problem.of(X[train], y[train], *given))
        except FitError:
            continue
        if fit.converged:
            out[begin:end] = link.inverse(fit.fitted.predict(X[test]) + o[test])
    return out


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # refits that break down
@settings(max_examples=150)
@given(models())
def test_against_refits(model):
    out = glm_left_out_means(*model)
    expected = refitted(*model)
    known = ~np.isnan(out.means)
    assert np.array_equal(~known, np.repeat(out.refit, np.diff(model[5])))
    gap = np.abs(out.means - expected)[known] / np.maximum(1.0, np.abs(expected[known]))
    assert gap.max(initial=0.0) <= SAME_STEPS


@pytest.mark.parametrize(("name", "link"), MODELS)
def test_shortcut_is_taken(name, link):
    rng = np.random.default_rng(1)
    X = np.column_stack([np.ones(100), 0.3 * rng.normal(size=(100, 2))])
    y = response(rng, name, link, X.sum(axis=1) - 0.5)
    for k in (5, 100):
        ids = np.arange(100) % k
        rows = np.argsort(ids, kind="stable")
        offsets = np.arange(0, 101, 100 // k)
        out = glm_left_out_means(X, y, family_named(name, None, None), LINKS[link], rows, offsets)
        assert not out.refit.any()


def test_blocks_and_big_products_change_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    X = np.column_stack([np.ones(60), rng.normal(size=(60, 3))])
    y = response(rng, "poisson", "log", X[:, 1] / 2)
    args = (X, y, family_named("poisson", None, None), LINKS["log"], np.arange(60), np.arange(61))
    once = glm_left_out_means(*args).means
    monkeypatch.setattr(glm_folds, "_BLOCK", 60 * 7)
    assert np.abs(glm_left_out_means(*args).means - once).max() < 1e-13
    monkeypatch.setattr(glm_folds, "_PRODUCTS", 0)
    assert np.abs(glm_left_out_means(*args).means - once).max() < 1e-13


def test_separated_folds_are_left_to_refits():
    """Without row 4 the classes are separated."""
    x = np.arange(8.0)
    y = np.array([0.0, 0, 0, 0, 0, 1, 1, 1])
    y[4], y[3] = 0.0, 1.0
    X = np.column_stack([np.ones(8), x])
    args = (family_named("binomial", None, None), LINKS["logit"], np.arange(8), np.arange(9))
    out = glm_left_out_means(X, y, *args)
    assert out.refit.tolist() == [False, False, False, True, True, False, False, False]


def test_a_class_that_the_predictor_rules_out_is_left_to_refits():
    """With means of nearly 1 beside a 0, R's steps and their end hang on the digits of 1 - mean."""
    x, y = np.arange(-2, 2.5, 0.5), np.array([0.0, 1, 0, 0, 1, 0, 1, 1, 0])
    X, offset = np.column_stack([np.ones(9), x]), np.append(26.0, np.zeros(8))
    family, link = family_named("binomial", None, None), LINKS["logit"]
    out = glm_left_out_means(X, y, family, link, np.arange(9), np.arange(10), offset=offset)
    assert out.refit[1:].all()
    train = np.arange(9) != 4
    fit = fit_glm(Problem.of(X[train], y[train], family, link, offset=offset[train]))
    mean = link.inverse(fit.fitted.predict(X[[4]]))
    theirs = 0.0620806205941197  # R 4.2.2; without its rounding 8e-8 off
    assert mean == pytest.approx(theirs, rel=1e-8)


def test_separated_classes_go_the_way_of_r():
    """Coefficients on their way to infinity after 25 iterations of R 4.2.2, with its rounding."""
    x = np.array([0.3, 1.1, 1.9, 2.4, 3.3, 4.2, 5.1, 5.8, 7.2, 8.8])
    X, y = np.column_stack([np.ones(10), x]), (x > 3.7).astype(float)
    fit = fit_glm(Problem.of(X, y, family_named("binomial", None, None), LINKS["logit"]))
    assert fit.iterations == 25
    assert not fit.converged
    theirs = pytest.approx([-185.9644098555586, 49.59149300102008], rel=2e-10)
    assert fit.fitted.coefficients == theirs


def test_a_start_that_is_not_valid_is_left_to_refits():
    """Also in a row without weight: R looks at all of them."""
    y, weights = np.array([2.0, 3, 1, 4, -1]), np.array([1.0, 1, 1, 1, 0])
    args = (family_named("poisson", None, None), LINKS["identity"], np.arange(5), np.arange(6))
    assert glm_left_out_means(np.ones((5, 1)), y, *args, weights).refit.all()
    y[4] = 0.0
    assert not glm_left_out_means(np.ones((5, 1)), y, *args, weights).refit.any()


def test_separated_or_aliased_as_a_whole():
    X = np.column_stack([np.ones(8), np.arange(8.0)])
    y = (X[:, 1] > 3).astype(float)
    args = (family_named("binomial", None, None), LINKS["logit"], np.arange(8), np.arange(9))
    assert glm_left_out_means(X, y, *args).refit.all()
    assert glm_left_out_means(X[:, [0, 0]], y, *args).refit.all()


def test_level_only_in_the_test_rows():
    rng = np.random.default_rng(3)
    level = np.zeros(30)
    level[:5] = 1
    X = np.column_stack([np.ones(30), level])
    y = rng.poisson(3.0, size=30).astype(float)
    out = glm_left_out_means(
        X, y, family_named("poisson", None, None), LINKS["log"], np.arange(30), np.arange(0, 31, 5)
    )
    assert out.refit.tolist() == [True] + [False] * 5


def test_as_many_fits_go_together_as_have_half_a_megabyte(monkeypatch):
    together, sizes = glm_folds._together, []

    def counted(table, equations, given, *places):
        sizes.append(len(given[0]))
        return together(table, equations, given, *places)

    monkeypatch.setattr(glm_folds, "_together", counted)
    y = 1.0 + np.arange(300) % 7
    args = (family_named("poisson", None, None), LINKS["log"], np.arange(300), np.arange(301))
    glm_left_out_means(np.ones((300, 1)), y, *args)
    assert sizes == [2**16 // 300, 300 - 2**16 // 300]


def test_products_of_columns_are_kept_up_to_64_megabytes():
    few, many = np.zeros((2**22 + 1, 1)), np.zeros((2**23 + 1, 1))
    assert glm_folds._NormalEquations(few).products.shape == (1, 2**22 + 1)
    assert glm_folds._NormalEquations(many).products is None


@pytest.mark.parametrize("size", [1e-2, 1.0, 1e4])
def test_ill_conditioned_is_said_of_the_eigenvalues(size):
    """The smallest against a share of the largest and of all information, whatever the circles."""
    rng = np.random.default_rng(7)
    turned = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    for ratio in (1e-7, 0.9e-5, 1.1e-5, 1e-3, 0.9):
        for axes in (np.eye(3), turned):
            values = size * np.array([1.0, np.sqrt(ratio), ratio])
            expected = values.min() < max(1e-5 * values.max(), 1e-3)
            assert glm_folds._ill_conditioned((axes * values @ axes.T)[None]).tolist() == [expected]
    unknown = np.array([np.full((2, 2), np.nan), np.eye(2), np.full((2, 2), np.inf)])
    with np.errstate(invalid="ignore"):
        assert glm_folds._ill_conditioned(unknown).tolist() == [True, False, True]


def test_means_of_0_and_1_to_rounding_are_at_the_border():
    eps = np.finfo(float).eps
    mu = 0.5 + np.zeros((6, 3))
    mu[1, 0], mu[2, 1], mu[3, 2], mu[4, 0], mu[5, 0] = (
        9 * eps,
        11 * eps,
        1 - 9 * eps,
        1 - 11 * eps,
        9,
    )

    def at(name):
        return glm_folds._at_border(family_named(name, None, None), mu).tolist()

    assert at("binomial") == [False, True, False, True, False, True]
    assert at("poisson") == [False, True, False, False, False, False]
    assert at("gamma") == [False] * 6


STARTS = {
    "binomial": (sm.families.Binomial, lambda y: (y + 0.5) / 2),
    "poisson": (sm.families.Poisson, lambda y: y + 0.1),
    "gamma": (sm.families.Gamma, lambda y: y),
    "gaussian": (sm.families.Gaussian, lambda y: y),
    "inverse_gaussian": (sm.families.InverseGaussian, lambda y: y),
}
THEIR_LINKS = sm.families.links
PEERS = {
    "logit": THEIR_LINKS.Logit,
    "probit": THEIR_LINKS.Probit,
    "cloglog": THEIR_LINKS.CLogLog,
    "cauchy": THEIR_LINKS.Cauchy,
    "log": THEIR_LINKS.Log,
    "sqrt": THEIR_LINKS.Sqrt,
    "inverse": THEIR_LINKS.InversePower,
    "identity": THEIR_LINKS.Identity,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "link"), [m for m in MODELS if m[0] in STARTS])
def test_a_plain_loop_over_statsmodels_from_r_s_start(name, link):
    """With R's starting values and R's test of convergence; nothing else is shared."""
    rng = np.random.default_rng(4)
    X = np.column_stack([np.ones(80), 0.5 * rng.normal(size=(80, 2))])
    y = response(rng, name, link, X.sum(axis=1) - 0.5)
    ids = rng.permutation(np.arange(80) % 8)
    rows = np.argsort(ids, kind="stable")
    args = (X, y, family_named(name, None, None), LINKS[link], rows, np.arange(0, 81, 10))
    kind, start = STARTS[name]
    family = kind(PEERS[link](), check_link=False)
    family.starting_mu = start
    theirs = []
    for f in range(8):
        model = sm.GLM(y[ids != f], X[ids != f], family)
        fit = model.fit(atol=1e-9, rtol=1e-8, maxiter=25, scale=1.0)
        theirs.append(fit.predict(X[ids == f]))
    out = glm_left_out_means(*args)
    assert out.refit.any() == (link == "sqrt")  # where steps must be halved
    known = ~np.isnan(out.means)
    assert np.abs(out.means / np.concatenate(theirs) - 1)[known].max() < SAME_STEPS


@pytest.mark.live_r
@pytest.mark.parametrize(
    ("name", "link", "family"),
    [
        ("binomial", "logit", "binomial()"),
        ("binomial", "probit", "binomial(probit)"),
        ("poisson", "log", "poisson()"),
        ("gamma", "inverse", "Gamma()"),
        ("gamma", "log", "Gamma(log)"),
    ],
)
def test_as_in_r(name, link, family):
    code = f"""function(X, y, w, o, rows, offsets) {{
      d <- data.frame(y, X, w, o)
      unlist(lapply(seq_len(length(offsets) - 1), function(i) {{
        test <- rows[(offsets[i] + 1):offsets[i + 1]] + 1
        fit <- glm(y ~ X2 + X3 + offset(o), {family}, data = d[-test, ], weights = w)
        predict(fit, d[test, ], type = "response")
      }}))
    }}"""
    rng = np.random.default_rng(5)
    X = np.column_stack([np.ones(60), 0.3 * rng.normal(size=(60, 2))])
    y = response(rng, name, link, X.sum(axis=1) - 0.5)
    w, o = rng.integers(1, 4, size=60).astype(float), 0.1 * rng.random(60)
    rows, offsets = np.arange(60), np.arange(0, 61, 4)
    out = glm_left_out_means(X, y, family_named(name, None, None), LINKS[link], rows, offsets, w, o)
    theirs = run(code, X=X, y=y, w=w, o=o, rows=rows, offsets=offsets)
    assert np.abs(out.means / np.asarray(theirs) - 1).max() < SAME_STEPS


@pytest.mark.live_r
def test_boot_nodal():
    """boot's example: leave-one-out misclassification of nodal, 0.1886792."""
    frame = run("as.matrix(boot::nodal[, c('r', 'stage', 'xray', 'acid')])")
    values = np.asarray(frame, dtype=float)
    X, y = np.column_stack([np.ones(53), values[:, 1:]]), values[:, 0]
    out = glm_left_out_means(
        X, y, family_named("binomial", None, None), LINKS["logit"], np.arange(53), np.arange(54)
    )
    assert not out.refit.any()
    assert f"{np.mean(np.abs(y - out.means) > 0.5):.7f}" == "0.1886792"


def test_rows_without_slope_or_variance_break_a_fit_down_if_they_have_weight():
    """Of five fits to two rows; the slope is the predictor, and the variance the mean, less 1."""
    slopes = np.array([[2.0, 4.0], [2.0, 0.0], [np.inf, 4.0], [2.0, 4.0], [0.0, 4.0]])
    means = np.array([[5.0, 3.0], [5.0, 3.0], [5.0, 3.0], [5.0, 1.0], [1.0, 3.0]])

    def working(weights):
        problem = SimpleNamespace(
            link=SimpleNamespace(derivative=lambda eta: eta),
            family=SimpleNamespace(variance=lambda mu: mu - 1.0),
            weights=np.array(weights),
            y=np.array([6.0, 2.0]),
        )
        return glm_folds._working(problem, slopes, means)

    with np.errstate(invalid="ignore"):
        weights, pull, broken = working([3.0, 1.0])
        unweighted = working([0.0, 1.0])[2]
    assert broken.tolist() == [False, True, True, True, True]
    assert unweighted.tolist() == [False, True, False, True, False]
    assert weights[:2].tolist() == [[3.0, 8.0], [3.0, 0.0]]
    assert pull.tolist() == [[1.5, -2.0], [1.5, 0.0], [0.0, -2.0], [1.5, 0.0], [0.0, -2.0]]
