"""Metrics equal those of scikit-learn and R packages; what is not defined is NaN."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn import metrics as sk

from pycvstat.errors import FitError, InputError, LossError
from pycvstat.losses.functions import as_loss
from pycvstat.losses.metric import Metric
from pycvstat.losses.metrics import METRICS, as_metric
from pycvstat.losses.of_classes import confusion
from pycvstat.losses.of_numbers import _correlation
from pycvstat.losses.of_probabilities import binomial_deviances, calibration_error, calibration_line
from pycvstat.losses.predictions import Predictions, centre

SAME = 1e-12  # the same numbers summed in another order
NEWTON = 1e-8  # R's glm stops at a relative change of the deviance of 1e-8, its coefficients nearer
RNG = np.random.default_rng(17)
N = 230
Y = RNG.gamma(2.0, size=N) + 0.2
P = Y * RNG.gamma(4.0, 0.25, size=N) + 0.1
TWO = RNG.integers(0, 2, N)
ONE = np.clip(np.round(RNG.beta(2, 2, N) * 0.7 + 0.3 * TWO, 2), 0.01, 0.99)  # with ties
HARD = (ONE > 0.55).astype(float)
FOUR = RNG.integers(0, 4, N)
MANY = RNG.dirichlet([1, 1, 1, 1], N) * 0.6 + 0.4 * np.eye(4)[FOUR]
MANY /= MANY.sum(axis=1, keepdims=True)
CHOSEN = np.where(RNG.random(N) < 0.6, FOUR, RNG.integers(0, 4, N)).astype(float)
EVENT = {"pos_label": 1}

NUMBERS = {
    "mse": sk.mean_squared_error,
    "rmse": sk.root_mean_squared_error,
    "mae": sk.mean_absolute_error,
    "medae": sk.median_absolute_error,
    "mape": sk.mean_absolute_percentage_error,
    "r2": sk.r2_score,
    "explained_variance": sk.explained_variance_score,
    "poisson_deviance": sk.mean_poisson_deviance,
    "gamma_deviance": sk.mean_gamma_deviance,
    "inverse_gaussian_deviance": partial(sk.mean_tweedie_deviance, power=3),
    "tweedie(1.5)": partial(sk.mean_tweedie_deviance, power=1.5),
    "tweedie(0)": partial(sk.mean_tweedie_deviance, power=0),
    "pinball(0.8)": partial(sk.mean_pinball_loss, alpha=0.8),
}
OF_TWO = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "sensitivity": sk.recall_score,
    "specificity": partial(sk.recall_score, pos_label=0),
    "precision": sk.precision_score,
    "npv": partial(sk.precision_score, pos_label=0),
    "f1": sk.f1_score,
    "f_beta(2)": partial(sk.fbeta_score, beta=2),
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "youden": partial(sk.balanced_accuracy_score, adjusted=True),
}
OF_MANY = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "precision(3)": lambda y, p: sk.precision_score(y, p, average=None)[2],
    "sensitivity(1)": lambda y, p: sk.recall_score(y, p, average=None)[0],
} | {
    f"{ours}_{average}": partial(theirs, average=average)
    for ours, theirs in (
        ("sensitivity", sk.recall_score),
        ("precision", sk.precision_score),
        ("f1", sk.f1_score),
    )
    for average in ("macro", "weighted", "micro")
}
PROBABILITIES = {
    "log_loss": sk.log_loss,
    "brier": sk.brier_score_loss,
    "auc": sk.roc_auc_score,
    "average_precision": sk.average_precision_score,
}
AREAS = {
    f"auc_{kind}{'_weighted' * weighted}": partial(
        sk.roc_auc_score, multi_class=kind, average="weighted" if weighted else "macro"
    )
    for kind in ("ovr", "ovo")
    for weighted in (False, True)
} | {"log_loss": sk.log_loss}
CASES = [
    (name, y, p, theirs)
    for table, y, p in (
        (NUMBERS, Y, P), (OF_TWO, TWO, HARD), (OF_MANY, FOUR, CHOSEN),
        (PROBABILITIES, TWO, ONE), (AREAS, FOUR, MANY),
    )
    for name, theirs in table.items()
]  # fmt: skip


@pytest.mark.parametrize(("name", "y", "p", "theirs"), CASES, ids=[case[0] for case in CASES])
def test_as_in_scikit_learn(name, y, p, theirs):
    assert as_metric(name).value(y, p) == pytest.approx(theirs(y, p), rel=SAME, abs=SAME)


def test_unseen_classes_of_several_count():
    """Brier of four classes is scikit-learn's sum over classes."""
    ours = as_metric("brier").value(FOUR, MANY)
    assert ours == pytest.approx(((np.eye(4)[FOUR] - MANY) ** 2).sum(axis=1).mean(), rel=SAME)


@pytest.mark.parametrize("size", [np.float64, np.float32])
def test_certain_probabilities_stay_the_epsilon_of_doubles_from_0_and_1(size):
    """As in scikit-learn and yardstick, for metric and loss alike."""
    sure = np.round(ONE).astype(size)
    both = np.column_stack([1 - sure, sure]).astype(np.float64)
    theirs = sk.log_loss(TWO, both)
    assert theirs == pytest.approx(
        (sure != TWO).mean() * -np.log(np.finfo(np.float64).eps), rel=SAME
    )
    assert as_metric("log_loss").value(TWO, sure) == pytest.approx(theirs, rel=SAME)
    of_numbers = Predictions(sure[None].astype(np.float64))
    for y, p in ((TWO, Predictions(HARD[None], both[None])), (TWO * 1.0, of_numbers)):
        assert as_loss("log", "nominal").pointwise(y, p).mean() == pytest.approx(theirs, rel=SAME)
    many = np.eye(4)[CHOSEN.astype(int)]
    theirs = sk.log_loss(FOUR, many)
    assert as_metric("log_loss").value(FOUR, many) == pytest.approx(theirs, rel=SAME)


def test_agreement_by_chance_is_exactly_0():
    for n in range(4, 60):  # constant predictions of one of three classes, of one of two
        assert as_metric("kappa").value(np.arange(n) % 3, np.zeros(n), 3) == 0
        assert as_metric("kappa").value(np.arange(n) < 1, np.zeros(n)) == 0
    for k in range(2, 8):  # 2 of 5 rows are no events, and one of k of each is predicted so
        y = np.repeat([0, 1], [2 * k, 3 * k])
        p = np.arange(5 * k) % k > 0
        assert [as_metric(name).value(y, p) for name in ("kappa", "mcc")] == [0, 0]


def test_concordance_is_lin_s():
    below = np.var(Y) + np.var(P) + (Y.mean() - P.mean()) ** 2
    expected = 2 * np.cov(Y, P, bias=True)[0, 1] / below
    assert as_metric("ccc").value(Y, P) == pytest.approx(expected, rel=SAME)


def test_calibration_error_by_a_loop():
    total = 0.0
    for k in range(10):
        inside = (k / 10 <= ONE) & ((k + 1) / 10 > ONE)
        if inside.any():
            total += abs(TWO[inside].mean() - ONE[inside].mean()) * inside.sum()
    assert as_metric("calibration_error").value(TWO, ONE) == pytest.approx(total / N, rel=SAME)


@pytest.mark.live_r
def test_as_in_caret_proc_and_modelmetrics():
    from pycvstat.r.bridge import require, run

    require(["caret", "pROC", "ModelMetrics"])
    found = run(
        """{ f <- factor(y, 1:0); g <- factor(hard, 1:0); m <- caret::confusionMatrix(g, f)
        many <- factor(four, 0:3); colnames(p4) <- 0:3
        fit <- glm(y ~ qlogis(p), binomial, epsilon = 1e-14)
        list(byclass = m$byClass, overall = m$overall,
          post = caret::postResample(pred, num),
          auc = as.numeric(pROC::auc(pROC::roc(y, p, direction = "<", quiet = TRUE))),
          var = pROC::var(pROC::roc(y, p, direction = "<", quiet = TRUE)),
          hand = as.numeric(pROC::multiclass.roc(many, p4, quiet = TRUE)$auc),
          brier = ModelMetrics::brier(y, p), log = ModelMetrics::logLoss(y, p),
          mcc = ModelMetrics::mcc(y, p, 0.555), f1 = ModelMetrics::f1Score(y, p, 0.555),
          line = unname(coef(fit)),
          large = unname(coef(glm(y ~ 1, binomial, offset = qlogis(p), epsilon = 1e-14)))) }""",
        y=TWO, hard=HARD.astype(int), four=FOUR, p4=MANY, pred=P, num=Y, p=ONE,
    )  # fmt: skip
    of = lambda name, y=TWO, p=HARD: as_metric(name).value(y, p)  # noqa: E731
    byclass = np.asarray(found["byclass"])
    names = ("sensitivity", "specificity", "precision", "npv", "precision", "sensitivity", "f1")
    for place, name in [*enumerate(names), (10, "balanced_accuracy")]:
        assert of(name) == pytest.approx(byclass[place], rel=SAME)
    overall = np.asarray(found["overall"])
    assert of("accuracy") == pytest.approx(overall[0], rel=SAME)
    assert of("kappa") == pytest.approx(overall[1], rel=SAME)
    post = [of(name, Y, P) for name in ("RMSE", "Rsquared", "MAE")]
    np.testing.assert_allclose(post, np.asarray(found["post"]), rtol=SAME)
    for name, theirs in (("auc", "auc"), ("brier", "brier"), ("log_loss", "log")):
        assert of(name, TWO, ONE) == pytest.approx(np.asarray(found[theirs]).item(), rel=SAME)
    assert of("auc_ovo", FOUR, MANY) == pytest.approx(np.asarray(found["hand"]).item(), rel=SAME)
    assert of("mcc") == pytest.approx(np.asarray(found["mcc"]).item(), rel=SAME)
    assert of("f1") == pytest.approx(np.asarray(found["f1"]).item(), rel=SAME)
    np.testing.assert_allclose(calibration_line(TWO, ONE), found["line"], rtol=NEWTON)
    large = of("calibration_in_the_large", TWO, ONE)
    assert large == pytest.approx(np.asarray(found["large"]).item(), rel=NEWTON)
    assert delong_variance() == pytest.approx(np.asarray(found["var"]).item(), rel=SAME)


@pytest.mark.live_r
def test_deviances_are_those_of_r_s_families():
    from pycvstat.r.bridge import require, run

    require(["MASS"])
    counts, shares = RNG.poisson(P).astype(float), RNG.integers(0, 9, N) / 8
    found = run(
        """{ dev <- function(family, y, m) mean(family$dev.resids(y, m, rep(1, length(y))))
             list(nb = dev(MASS::negative.binomial(1 / 0.7), k, p), two = dev(binomial(), y, q),
                  shares = dev(binomial(), s, q), log = -mean(dbinom(8 * s, 8, q, log = TRUE)
                    - lchoose(8, 8 * s)) / 8) }""",
        k=counts, p=P, y=TWO.astype(float), q=ONE, s=shares,
    )  # fmt: skip
    of = {name: np.asarray(value).item() for name, value in found.items()}
    nb = as_metric("negative_binomial_deviance(0.7)").value(counts, P)
    assert nb == pytest.approx(of["nb"], rel=SAME)
    assert as_metric("binomial_deviance").value(TWO, ONE) == pytest.approx(of["two"], rel=SAME)
    assert as_metric("binomial_deviance").value(shares, ONE) == pytest.approx(
        of["shares"], rel=SAME
    )
    assert as_metric("log_loss").value(shares, ONE) == pytest.approx(of["log"], rel=SAME)


def test_deviances_of_several_classes_are_twice_the_log_loss():
    log_loss = as_metric("log_loss").value(FOUR, MANY)
    assert as_metric("binomial_deviance").value(FOUR, MANY) == pytest.approx(2 * log_loss, rel=SAME)


def delong_variance() -> float:
    """DeLong's variance, each class by its own ddof 1, from the influence curve."""
    curve, n1 = METRICS["auc"].influence(TWO, ONE), TWO.sum()
    one, zero = curve[TWO == 1] * n1 / N, curve[TWO == 0] * (N - n1) / N
    return one.var(ddof=1) / n1 + zero.var(ddof=1) / (N - n1)


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m.smooth])
def test_gradients_are_those_of_differences(name):
    metric = METRICS[name]
    y, p = {"numbers": (Y, P), "classes": (TWO, HARD)}.get(metric.needs, (TWO, ONE))
    if name.endswith(("macro", "weighted", "micro")):
        y, p = FOUR, CHOSEN
    m = metric.smooth.columns(y, p, 0).mean(axis=0)
    assert metric.smooth.value(m) == pytest.approx(metric.value(y, p), rel=1e-11)
    toward = RNG.normal(size=m.size) * m
    toward -= m * (toward.sum() / m.sum() if metric.needs == "classes" else 0.0)
    step = 1e-5
    change = metric.smooth.value(m + step * toward) - metric.smooth.value(m - step * toward)
    slope = metric.smooth.gradient(m) @ toward
    assert slope == pytest.approx(change / (2 * step), rel=1e-6, abs=1e-9)  # the third derivative


def test_the_influence_of_a_row_on_the_auc_is_that_of_more_of_it():
    curve = METRICS["auc"].influence(TWO, ONE)
    np.testing.assert_allclose(curve.mean(), 0, atol=SAME)
    many = 2000  # copies of all other rows: the change by one more row, times their number
    for row in (0, 5, 9):
        y, score = np.repeat(TWO, many), np.repeat(ONE, many)
        more = METRICS["auc"].value(np.append(y, TWO[row]), np.append(score, ONE[row]))
        change = (more - METRICS["auc"].value(TWO, ONE)) * y.size
        assert change == pytest.approx(curve[row], rel=1e-4)


@pytest.mark.parametrize("name", METRICS)
def test_what_is_not_defined_is_nan_without_a_warning(name):
    metric = METRICS[name]
    zeros = np.zeros(5)
    if metric.needs == "numbers":
        y, p = zeros + 1.5, zeros + 1.5
    else:
        y, p = zeros.astype(int), zeros + (0.0 if metric.needs == "classes" else 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = metric.value(y, p, 2)
    undefined = {
        "r2", "r2_correlation", "explained_variance", "ccc", "balanced_accuracy", "sensitivity",
        "precision", "f1", "mcc", "kappa", "youden", "sensitivity_macro", "precision_macro",
        "f1_macro", "specificity_macro", "npv_macro", "specificity_weighted", "npv_weighted",
        "auc", "auc_ovr", "auc_ovr_weighted", "auc_ovo", "auc_ovo_weighted", "average_precision",
        "calibration_intercept", "calibration_slope", "calibration_in_the_large",
    }  # fmt: skip
    assert np.isnan(value) == (name in undefined), value


def test_separated_classes_have_no_calibration_line():
    assert np.isnan(calibration_line(np.array([0, 0, 1, 1]), np.array([0.1, 0.2, 0.3, 0.4]))).all()


def test_what_is_refused():
    with pytest.raises(LossError, match="mape divides by the response, which is 0"):
        as_metric("mape").value(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    with pytest.raises(LossError, match="this deviance needs y > 0"):
        as_metric("gamma_deviance").value(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    with pytest.raises(InputError, match="alpha must be positive"):
        as_metric("negative_binomial_deviance(0)")
    with pytest.raises(LossError, match="needs positive predictions"):
        as_metric("poisson_deviance").value(np.array([0.0, 1.0]), np.array([-1.0, 1.0]))
    with pytest.raises(LossError, match=r"f1 is of two classes(.|\n)*f1_macro"):
        as_metric("f1").value(FOUR, CHOSEN)
    with pytest.raises(LossError, match="no such class"):
        as_metric("precision(5)").value(FOUR, CHOSEN)


def test_a_class_that_is_absent_from_a_fold_keeps_its_place():
    assert confusion(np.array([0, 1]), np.array([0.0, 1.0]), 3).shape == (3, 3)
    assert np.isnan(METRICS["sensitivity_macro"].value(np.array([0, 1]), np.array([0.0, 1.0]), 3))


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Accuracy", "accuracy"), ("roc_auc", "auc"), ("ROC", "auc"), ("neg_log_loss", "log_loss"),
        ("neg_root_mean_squared_error", "rmse"), ("Rsquared", "r2_correlation"),
        ("rsq", "r2_correlation"),
        ("rsq_trad", "r2"), ("bal_accuracy", "balanced_accuracy"), ("kap", "kappa"),
        ("sens", "sensitivity"),
        ("recall_macro", "sensitivity_macro"), ("mdae", "medae"), ("Pos Pred Value", "precision"),
        (sk.roc_auc_score, "auc"), (sk.log_loss, "log_loss"), (sk.r2_score, "r2"),
        (sk.get_scorer("neg_brier_score"), "brier"), (sk.get_scorer("f1_macro"), "f1_macro"),
        (partial(sk.roc_auc_score, multi_class="ovo"), "auc_ovo"),
        (partial(sk.recall_score, average="weighted"), "sensitivity_weighted"),
        (sk.hamming_loss, "hamming_loss"), (sk.max_error, "max_error"),
    ],
)  # fmt: skip
def test_names_in_other_packages(given, name):
    assert as_metric(given).name == name


def test_functions_of_scikit_learn_with_arguments_get_what_they_need():
    found = as_metric(sk.make_scorer(sk.fbeta_score, beta=0.5))
    assert isinstance(found, Metric)
    assert found.needs == "classes"
    assert found.better == "larger"
    assert found.value(TWO, HARD) == sk.fbeta_score(TWO, HARD, beta=0.5)
    pinball = as_metric(partial(sk.mean_pinball_loss, alpha=0.1))
    assert pinball.needs == "numbers"
    assert pinball.better == "smaller"
    assert as_metric(sk.hamming_loss).needs == "classes"
    assert as_metric(sk.hamming_loss).better == "smaller"
    assert as_metric(sk.max_error).value(Y, P) == sk.max_error(Y, P)
    losing = as_metric(
        sk.make_scorer(sk.log_loss, greater_is_better=False, response_method="predict_proba",
                       labels=[0, 1])
    )  # fmt: skip
    assert losing.needs == "probabilities"
    assert losing.better == "smaller"
    assert losing.value(TWO, ONE) == sk.log_loss(TWO, ONE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(as_metric(partial(sk.precision_score, pos_label=1)).value(TWO, 0 * HARD))


def test_the_squared_correlation_of_means_that_are_not_zero() -> None:
    means = np.array([Y.mean(), P.mean(), (Y**2).mean(), (P**2).mean(), (Y * P).mean()])
    assert _correlation(means) == pytest.approx(
        np.corrcoef(Y, P)[0, 1] ** 2, rel=1e-10
    )  # differences


def test_no_deviance_is_below_zero_by_rounding() -> None:
    y = RNG.uniform(0.01, 0.99, 5000)
    assert (binomial_deviances(y, y * (1 + 1e-9)) >= 0).all()


def test_certain_predictions_are_in_the_last_bin() -> None:
    """Their misses make up for the hits of predictions just below: one bin, one distance."""
    found = calibration_error(np.array([1, 1, 0, 1]), np.array([0.95, 0.95, 1.0, 1.0]))
    assert found == pytest.approx(abs(3 - 3.9) / 4, rel=1e-15)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [np.inf, 1.0]])
@pytest.mark.parametrize("classes", [0, 2])
def test_a_centre_needs_weights(weights: list[float], classes: int) -> None:
    with pytest.raises(FitError, match="no finite sum above 0"):
        centre(np.array([0.0, 1.0]), np.array(weights), classes)
