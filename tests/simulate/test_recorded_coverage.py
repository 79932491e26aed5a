"""The recorded coverage simulations: repeated in part, and against what was known before."""

import json

import numpy as np
import pytest

from pycvstat.folds import FoldPlan
from pycvstat.intervals import METHODS, simulated
from vignettes import record_coverage

SAME = 1e-6  # other BLAS libraries round differently; shares of data sets must be equal
ERRORS = 3.5  # Monte Carlo errors of the two simulations together

RECORDED = json.loads(record_coverage.TARGET.read_text(encoding="utf-8"))
RUNS = {run["key"]: run for run in RECORDED["runs"]}
SMALL = {run.key: run for run in record_coverage.small_runs()}
OLS, KNN = "OLS, n = 100, p = 20", "5-NN, 0-1 loss in 2 dimensions"


def row(key, target):
    return next(r for r in RUNS[key]["rows"] if r["target"] == target)


@pytest.mark.parametrize("key", SMALL)
def test_small_runs_are_repeated(key):
    again, before = SMALL[key].result(), RUNS[key]
    for now, then in zip(again["rows"], before["rows"], strict=True):
        for name in ("coverage", "too_low", "too_high"):
            assert now[name] == pytest.approx(then[name], abs=1e-12)
        for name in ("truth", "width", "estimate"):
            assert now[name] == pytest.approx(then[name], rel=SAME)


def test_every_run_is_recorded():
    assert set(RUNS) == {run.key for run in record_coverage.all_runs()}


def test_every_method_in_six_scenarios():
    seen = {name: set() for name in METHODS}
    for run in record_coverage.all_runs():
        if run.part != "small" and isinstance(run.method, str):
            seen[run.method].add(run.scenario.name)
    assert {name: len(s) for name, s in seen.items() if len(s) < 6} == {}


# coverage of ER(100) by 95 % intervals, 2,000 data sets, simulated independently of this package
KNOWN_OLS = {
    "10-fold CLT all-pairs": 0.903,
    "corrected t on 1x10": 0.973,
    "corrected t on 10x10": 0.927,
    "uncorrected t on 10x10": 0.399,
    "corrected t, 25 subsamples at .9": 0.922,
    "conservative z 15/10": 0.999,
    "NCV K=5, 10 reps": 0.985,
}


@pytest.mark.parametrize("label", KNOWN_OLS)
def test_coverage_known_before(label):
    found = row(f"methods | {OLS} | {label}", "ER(100)")["coverage"]
    p = KNOWN_OLS[label]
    error = np.sqrt(2 * max(p * (1 - p), 0.002) / 2000)
    assert abs(found - p) < ERRORS * error


def test_coverage_at_the_training_size_known_before():
    for label, p in {
        "corrected t on 10x10": 0.909,
        "corrected t on 1x10": 0.966,
        "10-fold CLT all-pairs": 0.871,
    }.items():
        found = row(f"methods | {OLS} | {label}", "ER(90)")["coverage"]
        assert abs(found - p) < ERRORS * np.sqrt(2 * p * (1 - p) / 2000)


# misses of 90 % intervals, NCV and CLT; the figures known for n = 40 are those of ER(40): for
# R(50) the same source has .339, and misses of the risk grow as n falls
KNOWN_MISSES = {
    "ER(40)": (0.030, 0.332),
    "R(100)": (0.087, 0.217),
    "R(200)": (0.087, 0.162),
    "R(400)": (0.076, 0.113),
}
KNOWN_INFLATION = {40: 2.10, 100: 1.37, 200: 1.22, 400: 1.15}
KNOWN_COVERAGE = {50: 0.661, 100: 0.798, 200: 0.853, 400: 0.874}


def size(n, label, target):
    return row(f"sizes | OLS, n = {n}, p = 20 | {label}", target)


@pytest.mark.parametrize("target", KNOWN_MISSES)
def test_misses_known_before(target):
    n = int(target.split("(")[1][:-1])
    for label, p in zip(("NCV", "CLT"), KNOWN_MISSES[target], strict=True):
        found = size(n, label, target)
        error = np.sqrt(p * (1 - p) * (1 / found["sets"] + 1 / 1000))
        assert abs(1 - found["coverage"] - p) < ERRORS * error


@pytest.mark.parametrize("n", KNOWN_INFLATION)
def test_inflation_known_before(n):
    assert size(n, "inflation", f"R({n})")["estimate"] == pytest.approx(
        KNOWN_INFLATION[n], rel=0.03
    )


@pytest.mark.parametrize("n", KNOWN_COVERAGE)
def test_coverage_of_the_risk_known_before(n):
    p = KNOWN_COVERAGE[n]
    error = np.sqrt(p * (1 - p) * 2 / 2000)
    assert abs(size(n, "CLT", f"R({n})")["coverage"] - p) < ERRORS * error


def test_tests_of_two_models():
    """Size at 5 %: corrected t and CLT about right, the uncorrected t far too large."""
    for n in (100, 300):
        for label, low, high in (
            ("corrected t on 10x10", 0.02, 0.07),
            ("corrected t on 1x10", 0.0, 0.02),
            ("CLT z, K = 10", 0.04, 0.08),
            ("5x2 t", 0.02, 0.10),
            ("5x2 F", 0.02, 0.12),
            ("uncorrected t on 10x10", 0.5, 0.65),
        ):
            run = RUNS[f"paired | two OLS, n = {n}, effect 0 | {label}"]
            assert low < run["excludes_zero"] < high


def spans(part, places, *labels, of=""):
    """Coverage in percent over the runs of a part: usual ones, p = n / 2, heavy tails."""
    found = {"usual": [], "p = 50": [], "t noise": []}
    for run in RECORDED["runs"]:
        if run["part"] == part and run["label"] in labels and of in run["key"]:
            kind = next((k for k in ("p = 50", "t noise") if k in run["key"]), "usual")
            found[kind] += [round(100 * run["rows"][i]["coverage"]) for i in places]
    usual, *rest = found.values()
    return [f"{min(usual)} to {max(usual)} %" if min(usual) < max(usual) else f"{usual[0]} %"] + [
        f"{min(values)} %" for values in rest if values
    ]


def sizes_of_test(label):
    runs = [RUNS[f"paired | two OLS, n = {n}, effect 0 | {label}"] for n in (50, 100, 300)]
    sizes = [round(100 * run["excludes_zero"]) for run in runs]
    return f"{min(sizes)} to {max(sizes)} %"


def sizes_of_rivals(label):
    sizes = [
        round(100 * run["excludes_zero"])
        for run in RECORDED["runs"]
        if run["part"] == "rivals" and run["label"] == label and "effect 0 " in f"{run['key']} "
        and "effect 0.5" not in run["key"]
    ]  # fmt: skip
    assert len(sizes) == 6
    return f"{min(sizes)} to {max(sizes)} %"


def test_what_the_usual_intervals_print_is_recorded():
    assert record_coverage.in_short(RECORDED["runs"]) == simulated.recorded()
    assert {"log_t", "holdout_t"} == set(simulated.recorded())
    for method, plan in (("log_t", PLAN), ("log_t", TWICE)):
        words = METHODS[method].known(plan)
        for scenario, covered in simulated.recorded()[method][plan.scheme].items():
            assert f"{scenario} {covered} %" in words


AT_TRAINING_SIZE, AT_N_AND_R = [1], [0, 2]
PLAN = FoldPlan.from_fold_ids(np.arange(20) % 10)
TWICE = FoldPlan.from_fold_ids(np.column_stack([np.arange(20) % 10, np.arange(20) // 2]))
KNOWN = [
    ("corrected_t", PLAN, spans("all", AT_TRAINING_SIZE, "corrected t on 1x10")),
    ("corrected_t", TWICE, spans("all", AT_TRAINING_SIZE, "corrected t on 10x10",
                                 "corrected t, 25 subsamples")),
    ("conservative_z", PLAN, spans("all", AT_TRAINING_SIZE, "conservative z")),
    ("ncv", PLAN, spans("all", AT_N_AND_R, "NCV K=5, 10 reps")[::2]),
    ("five_by_two_t", PLAN, [sizes_of_test("5x2 t"), *spans("all", AT_TRAINING_SIZE, "5x2 t")]),
    ("five_by_two_f", PLAN, [sizes_of_test("5x2 F"), *spans("all", AT_TRAINING_SIZE, "5x2 F")]),
    ("pointwise_t", PLAN, [sizes_of_rivals("pointwise t on 1x10")]),
    ("pointwise_t", TWICE, [sizes_of_rivals("pointwise t on 10x10")]),
    ("bbc_cv", PLAN, spans("tuned", [0], "bbc_cv")),
    ("tibshirani", PLAN, spans("tuned", [0], "tibshirani")),
    ("cluster", PLAN, spans("groups", AT_TRAINING_SIZE, "cluster", of="20 groups")
                      + spans("groups", AT_TRAINING_SIZE, "cluster", of="80 groups")),
    ("all_pairs", PLAN, spans("methods", [0], "10-fold CLT all-pairs", of="OLS")
                        + spans("methods", [0], "10-fold CLT all-pairs", of="5-NN")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "plan", "figures"), KNOWN, ids=[name for name, *_ in KNOWN])
def test_known_figures_are_the_recorded_ones_and_name_their_scenarios(name, plan, figures):
    words = METHODS[name].known(plan)
    assert [figure for figure in figures if figure not in words] == []


def test_every_figure_of_coverage_says_where_it_comes_from():
    for method in METHODS.values():
        words = method.known(PLAN)
        assert ("%" in words) is ("own simulations" in words or "benchmark of" in words)
