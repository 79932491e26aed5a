"""Record the coverage simulations of the vignette on intervals: python vignettes/record_coverage.py

With words behind it, only the runs whose keys have one of them are made anew.

Every run has its seed; the runs marked small are repeated by the test suite.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy.special import pdtrik

import pycvstat as pcv
from pycvstat.errors import IntervalError
from pycvstat.intervals import METHODS, Limits
from pycvstat.intervals.coverage import LEAST, errors_of, thickness
from pycvstat.intervals.limits import symmetric
from pycvstat.report.sentences import plan_words
from pycvstat.rmath.random import RRandom
from pycvstat.simulate import (
    SCENARIOS,
    Scenario,
    coverage,
    grouped_ols,
    heavy_tailed,
    lognormal,
    nested,
    ols,
    ranked_logistic,
    rivals,
    tuned_knn,
    two_ols,
)
from pycvstat.simulate.laws import HeavyTailed, Law, Skewed
from pycvstat.simulate.scenarios import PENALTIES

TARGET = Path(__file__).parent / "recorded" / "coverage.json"
PRINTED = Path(str(files("pycvstat.intervals"))) / "simulated.json"
TENTEN = pcv.Repeated(pcv.KFold(10), times=10)
FIVETEN = pcv.NestedPairs(5, repeats=10)
HALVES = ("five_by_two_t", "five_by_two_f", "conservative_z")


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Law):
    """A law of Poisson counts with these means."""

    def draw(self, stream: Any, n: int) -> tuple[Any, Any]:
        """Draw n rows: predictors and response, each the inverse of its distribution function."""
        X = self.predictors(stream, n)
        return X, np.ceil(np.maximum(pdtrik(np.asarray(stream.runif(n)), self.mean(X)), 0.0))

    @cached_property
    def bayes_risk(self) -> float:
        """Risk of the regression function: the mean variance, which is the mean."""
        return float(self.test_means.mean())


def of_statsmodels(model: str) -> Scenario:
    """A model of statsmodels: "logit", or "poisson" by its GLM."""
    if model == "logit":
        name = "Logit of statsmodels, 0-1 loss in 5 dimensions"
        return replace(SCENARIOS["logistic"], name=name, learner=pcv.Statsmodels(smf.logit))
    law = Counts("counts", 3, lambda X: np.exp(0.5 + 0.4 * X[:, 0] - 0.3 * X[:, 1]))
    learner = pcv.Statsmodels(smf.glm, family=sm.families.Poisson())
    return Scenario("Poisson GLM of statsmodels in 3 dimensions", law, 100, learner)


def tuned_linear(learner: str) -> Scenario:
    """A penalty chosen by cross-validation: "lasso", or "ridge" with "normal" or "t3" noise."""
    if learner == "lasso":
        base = nested("lasso")
        name = "lasso with its penalty tuned over 12 values, n = 80, p = 150"
        return replace(base, name=name, learner=pcv.Lasso(), grid=PENALTIES)
    noise = heavy_tailed(3) if learner == "ridge_t3" else SCENARIOS["tuned_ridge"]
    name = "ridge with its penalty tuned over 9 values"
    name += ", t noise of 3 degrees of freedom" if learner == "ridge_t3" else ", n = 100, p = 30"
    grid = {"lam": np.geomspace(0.003, 30, 9)}
    return replace(noise, name=name, learner=pcv.Ridge(standardize=False), grid=grid)


@dataclass(frozen=True)
class Run:
    """One simulation: the part of the vignette, its label there, and the call."""

    part: str
    label: str
    scenario: Scenario
    method: str | Callable[..., Limits]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.part} | {self.scenario.name} | {self.label}"

    def result(self, **changes: Any) -> dict[str, Any]:
        found = coverage(self.scenario, self.method, **{**self.options, **changes})
        rows = found.tidy().to_dict("records")
        extra = {
            "excludes_zero": found.excludes_zero.mean,
            "std_error_mean": found.std_error.mean,
            "refused": found.refused,
            "warned": found.warned.mean,
        }
        return {"key": self.key, "part": self.part, "label": self.label, **extra, "rows": rows}


def uncorrected_t(table: Any, level: float) -> Limits:
    """The t interval that takes the fits for independent."""
    scores = table.fold_means()[:, 0]
    error = scores.std(ddof=1) / np.sqrt(scores.size)
    return symmetric(scores.mean(), error, level, float(scores.size - 1))


def inflation(table: Any, level: float) -> Limits:
    """The inflation of NCV, so that its mean is recorded as the estimate."""
    limits = METHODS["ncv"].formula(table, level)
    return replace(limits, estimate=limits.details["inflation"])


def light_tails_distrusted(table: Any, level: float) -> Limits:
    """The log t whose upper end takes the errors' kurtosis as at least 3.75, seen or not.

    It covers 93 % with t errors of 5 degrees of freedom on 10 x 10 folds, and is 17 % wider than
    the corrected t with 5-NN, where that holds: no default.
    """
    limits = METHODS["log_t"].formula(table, level)
    least = limits.estimate * np.sqrt(2.75 / table.plan.n_test.mean())
    error = max(table.fold_means()[:, 0].std(ddof=1), least) * limits.std_error
    error /= table.fold_means()[:, 0].std(ddof=1)
    high = symmetric(limits.estimate, error, level, limits.df, log=True).high
    return replace(limits, high=high)


def where_thicker(limit: float) -> Callable[..., Limits]:
    """The log t of data sets whose errors have a `thickness` above a limit; others are refused."""

    def formula(table: Any, level: float) -> Limits:
        if thickness(errors_of(table)) <= limit:
            raise IntervalError("the errors look normal.", given=f"at most {limit}")
        return METHODS["log_t"].formula(table, level)

    return formula


def methods_on_one_scenario(scenario: Scenario, sets: int, seed: int) -> Iterator[Run]:
    """The table of intervals for the expected risk."""
    for label, method, folds in (
        ("10-fold CLT all-pairs", "all_pairs", pcv.KFold(10)),
        ("corrected t on 1x10", "corrected_t", pcv.KFold(10)),
        ("corrected t on 10x10", "corrected_t", TENTEN),
        ("uncorrected t on 10x10", uncorrected_t, TENTEN),
        ("corrected t, 25 subsamples at .9", "corrected_t", pcv.Subsampling(25, train=0.9)),
        ("conservative z 15/10", "conservative_z", pcv.PairedHalves(15, 10)),
        ("NCV K=5, 10 reps", "ncv", FIVETEN),
    ):
        yield Run(
            "methods", label, scenario, method, {"folds": folds, "sets": sets, "random": seed}
        )


def sample_sizes() -> Iterator[Run]:
    """NCV and the CLT interval at 90 % for the risk of the fitted model, over n."""
    for n, sets in ((40, 1000), (50, 2000), (100, 2000), (200, 1000), (400, 500)):
        yield Run("sizes", "CLT", ols(n), "all_pairs", {"sets": 2000, "level": 0.9, "random": 21})
        if n != 50:
            folds = pcv.NestedPairs(10, repeats=50)
            options = {"folds": folds, "sets": sets, "level": 0.9, "random": 22}
            yield Run("sizes", "NCV", ols(n), "ncv", options)
            yield Run("sizes", "inflation", ols(n), inflation, options)


def paired_tests() -> Iterator[Run]:
    """Size (no effect) and power of tests of two OLS models at 5 %."""
    for n, effect in ((50, 0.0), (100, 0.0), (300, 0.0), (100, 0.2)):
        for label, method, folds in (
            ("corrected t on 10x10", "corrected_t", TENTEN),
            ("corrected t on 1x10", "corrected_t", pcv.KFold(10)),
            ("CLT z, K = 10", "all_pairs", pcv.KFold(10)),
            ("5x2 t", "five_by_two_t", pcv.FiveByTwo()),
            ("5x2 F", "five_by_two_f", pcv.FiveByTwo()),
            ("uncorrected t on 10x10", uncorrected_t, TENTEN),
        ):
            options = {"folds": folds, "sets": 2000, "random": 31, "targets": ["ER(n)"]}
            yield Run("paired", label, two_ols(n, effect), method, options)


def usual_methods() -> Iterator[Run]:
    """The usual interval on the usual plans, beside the corrected t, where it is hard."""
    general = {
        "log t on 1x10": ("log_t", pcv.KFold(10)),
        "log t on 10x10": ("log_t", TENTEN),
        "corrected t on 1x10": ("corrected_t", pcv.KFold(10)),
        "corrected t on 10x10": ("corrected_t", TENTEN),
        "holdout t": ("holdout_t", pcv.Holdout(0.25)),
        "holdout z": ("holdout_z", pcv.Holdout(0.25)),
    }
    cases = [ols(100, 10), ols(100, 30), ols(100, 50), SCENARIOS["knn_regression"],
             SCENARIOS["logistic"], heavy_tailed(5), heavy_tailed(3), lognormal(),
             nested("knn"), nested("lasso")]  # fmt: skip
    for case in cases:
        slow = 4 if "lasso" in case.name else 2 if "nested" in case.name else 1
        for label, (method, folds) in general.items():
            if case.law.classes and method == "log_t":
                continue
            sets = 400 if slow == 1 else (200 if folds is not TENTEN else 80) // (slow // 2)
            targets = ["ER(n)", "ER(m)", "PQ" if method.startswith("holdout") else "R"]
            targets += ["R"] if method == "holdout_t" else []
            options = {"folds": folds, "sets": sets, "random": 43, "targets": targets}
            yield Run("usual", label, case, method, options)
    for case, method in ((of_statsmodels("logit"), "corrected_t"),
                         (of_statsmodels("poisson"), "log_t")):  # fmt: skip
        options = {"folds": pcv.KFold(10), "sets": 200, "random": 43}
        yield Run("usual", f"{method.replace('_', ' ')} on 1x10", case, method, options)
    for case in (heavy_tailed(5), ols(100, 10), SCENARIOS["knn_regression"]):
        options = {"folds": TENTEN, "sets": 200, "random": 43}
        yield Run("usual", "kurtosis of at least 3.75", case, light_tails_distrusted, options)
    for case in (ols(100, 10), ols(100, 30), heavy_tailed(5), lognormal()):
        options = {"folds": FIVETEN, "sets": 200, "random": 43}
        yield Run("usual", "NCV K=5, 10 reps", case, "ncv", options)


def warnings_of_tails() -> Iterator[Run]:
    """Which share of the intervals that lie too low carries the warning of heavy tails."""
    knn = SCENARIOS["knn_regression"]
    for case in (ols(100, 10), knn, heavy_tailed(3), lognormal()):
        for folds in (pcv.KFold(10), TENTEN)[: 1 if case is knn else 2]:
            label = f"log t on {'1x10' if folds is not TENTEN else '10x10'}"
            options = {"folds": folds, "sets": 1500, "random": 44, "targets": ["ER(m)"]}
            yield Run("tails", label, case, "log_t", options)
            if folds is not TENTEN and case is not knn:
                for limit in (0, 1.7, 1.73, LEAST, 1.8):
                    options = options | {"sets": 3000, "random": 45}
                    yield Run("limits", f"{limit:g}", case, where_thicker(limit), options)


def rival_tests() -> Iterator[Run]:
    """Size and power of paired tests at 5 %, in six pairs."""
    for learner in ("ols", "ols_50", "ols_wide", "t5", "knn", "logistic"):
        for effect, sets in ((0.0, 400), (0.5, 100)):
            for label, method, folds in (
                ("corrected t on 1x10", "corrected_t", pcv.KFold(10)),
                ("pointwise t on 1x10", "pointwise_t", pcv.KFold(10)),
                ("corrected t on 10x10", "corrected_t", TENTEN),
                ("pointwise t on 10x10", "pointwise_t", TENTEN),
                ("holdout t", "holdout_t", pcv.Holdout(0.25)),
                ("5x2 t", "five_by_two_t", pcv.FiveByTwo()),
                ("5x2 F", "five_by_two_f", pcv.FiveByTwo()),
            ):
                options = {"folds": folds, "sets": sets, "random": 32, "targets": ["ER(n)"]}
                yield Run("rivals", label, rivals(learner, effect), method, options)


def every_method() -> Iterator[Run]:
    """Every method in at least six scenarios, with all four targets where they are cheap."""
    general = {
        "corrected t on 10x10": ("corrected_t", TENTEN),
        "corrected t on 1x10": ("corrected_t", pcv.KFold(10)),
        "corrected t, 25 subsamples": ("corrected_t", pcv.Subsampling(25, train=0.9)),
        "CLT all-pairs": ("all_pairs", pcv.KFold(10)),
        "CLT within-fold": ("within_fold", pcv.KFold(10)),
        "bootstrap": ("bootstrap", pcv.KFold(10)),
        "holdout z": ("holdout_z", pcv.Holdout(0.25)),
        "conservative z": ("conservative_z", pcv.PairedHalves(15, 10)),
        "NCV K=5, 10 reps": ("ncv", FIVETEN),
        "5x2 t": ("five_by_two_t", pcv.FiveByTwo()),
        "5x2 F": ("five_by_two_f", pcv.FiveByTwo()),
    }
    for name, scenario in SCENARIOS.items():
        sets = 300 if name == "tuned_ridge" else 500
        for label, (method, folds) in general.items():
            if name == "ols_high" and method in HALVES:
                continue  # half of the rows are fewer than the coefficients
            options: dict[str, Any] = {"folds": folds, "sets": sets, "random": 41}
            if label.startswith("CLT") and not name.startswith("tuned"):
                options["targets"] = ["ER(n)", "ER(m)", "R", "PQ"]
            yield Run("all", label, scenario, method, options)


def special_methods() -> Iterator[Run]:
    """Methods for errors, tuned minima, groups and the AUC, in six scenarios each."""
    for name in ("knn_classes", "logistic"):
        for n in (50, 100, 400):
            case = replace(SCENARIOS[name], n=n, name=f"{SCENARIOS[name].name}, n = {n}")
            for method in ("wilson", "clopper_pearson", "hoeffding", "holdout_z"):
                options = {
                    "folds": pcv.Holdout(0.25),
                    "sets": 500,
                    "random": 51,
                    "targets": ["R", "PQ"],
                }
                yield Run("errors", method, case, method, options)
    for name in ("knn_regression", "knn_classes"):
        for n in (50, 100, 200):
            case = tuned_knn(name)
            case = replace(case, n=n, name=f"{case.name}, n = {n}")
            for method in ("bbc_cv", "tibshirani"):
                options = {"sets": 300, "random": 52, "targets": ["ER(n)", "R"]}
                yield Run("tuned", method, case, method, options)
    for learner in ("ridge", "ridge_t3", "lasso"):
        for method in ("bbc_cv", "tibshirani"):
            options = {"sets": 100 if learner == "lasso" else 200, "random": 52}
            yield Run("tuned", method, tuned_linear(learner), method, options)
    for noise in (0.5, 1.0, 2.0):
        for n in (80, 200):
            case = tuned_knn("knn_classes")
            law = replace(case.law, mean=_logistic(noise))
            case = replace(case, n=n, law=law, name=f"{case.name}, slope {noise:g}, n = {n}")
            options = {"folds": pcv.Holdout(0.25), "sets": 300, "random": 53, "targets": ["PQ"]}
            yield Run("tuned", "dev_set", case, "dev_set", options)
    for groups in (20, 40, 80):
        for sizes in ((2,), (5,), (1, 1, 2, 16)):
            for method in ("log_t", "cluster", "all_pairs"):
                few = method == "log_t" or (len(sizes) > 1 and method == "all_pairs")
                options = {"folds": pcv.Grouped(10), "sets": 400 if few else 1000, "random": 54}
                if method == "cluster":
                    options["targets"] = ["ER(n)", "ER(m)", "R", "PQ"]
                yield Run("groups", method, grouped_ols(groups, *sizes), method, options)
    for n in (100, 150, 200, 300, 400, 800):
        options = {"folds": pcv.KFold(5), "sets": 300, "random": 55, "targets": ["PQ", "R"]}
        yield Run("auc", "cv_auc", ranked_logistic(n), "cv_auc", options)


def _logistic(slope: float) -> Callable[[Any], Any]:
    return lambda X: 1 / (1 + np.exp(-slope * X[:, 0]))


def small_runs() -> list[Run]:
    """What the test suite repeats."""
    runs = [
        *methods_on_one_scenario(SCENARIOS["ols"], 50, 61),
        *methods_on_one_scenario(SCENARIOS["knn_classes"], 20, 61),
        Run("small", "bbc_cv", tuned_knn(), "bbc_cv", {"sets": 20, "random": 61, "draws": 100}),
        Run("small", "cv_auc", ranked_logistic(), "cv_auc", {"sets": 40, "random": 61}),
        Run("small", "cluster", grouped_ols(), "cluster", {"sets": 60, "random": 61,
                                                               "folds": pcv.Grouped(10)}),
    ]  # fmt: skip
    return [replace(run, part="small") for run in runs]


def all_runs() -> list[Run]:
    """Every run, in the order of the vignette."""
    return [
        *small_runs(),
        *methods_on_one_scenario(SCENARIOS["ols"], 2000, 11),
        *methods_on_one_scenario(SCENARIOS["knn_classes"], 600, 11),
        *sample_sizes(),
        *paired_tests(),
        *usual_methods(),
        *warnings_of_tails(),
        *rival_tests(),
        *every_method(),
        *special_methods(),
    ]


PRINTED_PARTS = ("methods", "all", "errors", "tuned", "groups", "auc", "usual")


def printed(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the package prints beside its intervals and tests: a row per run."""
    recorded = {one["key"]: one for one in results}
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for run in all_runs():
        if not isinstance(run.method, str) or run.key not in recorded:
            continue
        found = recorded[run.key]
        if run.part in PRINTED_PARTS:
            row = described(run) | of_interval(METHODS[run.method].target, found)
        elif run.part == "rivals" and run.scenario.name.endswith("effect 0"):
            power = recorded[run.key.replace("effect 0 ", "effect 0.5 ")]
            sizes = {"size": found["excludes_zero"], "power": power["excludes_zero"]}
            row = described(run) | of_interval("ER", found)
            row |= {name: round(100 * value, 1) for name, value in sizes.items()}
            row["refused"] += power["refused"]
        else:
            continue
        rows[run.method, row["folds"], row["scenario"], run.part == "rivals"] = row
    return list(rows.values())


def described(run: Run) -> dict[str, Any]:
    """What was simulated."""
    case, law = run.scenario, run.scenario.law
    folds = run.options.get("folds") or METHODS[str(run.method)].folds
    plan = folds.plan(case.n, groups=case.groups, random=RRandom(1))
    task = case.task_with(*law.draw(RRandom(1), case.n), law.predictors(RRandom(1), 1), "y ~ .")
    return {
        "method": run.method,
        "plan": plan.scheme,
        "scenario": case.name.removesuffix(", effect 0"),
        "folds": plan_words(plan),
        "n": case.n,
        "p": law.d // 2 if case.versus else law.d,
        "loss": "auc" if case.ranked else law.loss.name,
        "one_scale": case.learner.base.maker(task).one_scale,
        "grouped": case.groups is not None,
        "heavy": isinstance(law, (HeavyTailed, Skewed)),
    }


def of_interval(target: str, found: dict[str, Any]) -> dict[str, Any]:
    """The coverage of what the method is about; of the risk of the fitted model its correlation."""
    rows = {row["target"]: row for row in found["rows"]}
    er, rs, pq = ([t for t in rows if t.startswith(k)] for k in ("ER", "R(", "PQ"))
    names = {"ER": er[-1:], "R": pq or rs, "PQ": pq or er[-1:], "R and ER": [*er[:1], *rs]}[target]
    least = min(names or list(rows), key=lambda t: rows[t]["coverage"])
    follows = rows[rs[0]].get("correlation") if rs else None
    return {
        "target": least,
        "covered": round(100 * rows[least]["coverage"], 1),
        "sets": rows[least]["sets"],
        "refused": found["refused"],
        "follows": None if follows is None else round(follows, 2),
    }


def main(words: list[str]) -> None:
    results, start = [], time.perf_counter()
    runs = all_runs()
    kept = {run["key"]: run for run in json.loads(TARGET.read_text())["runs"]} if words else {}
    for number, run in enumerate(runs, 1):
        if run.key in kept and not any(word in run.key for word in words):
            results.append(kept[run.key])
            continue
        before = time.perf_counter()
        results.append(run.result())
        results[-1]["seconds"] = round(time.perf_counter() - before, 1)
        seconds = time.perf_counter() - start
        print(f"{number}/{len(runs)} {run.key} ({seconds:.0f} s)", file=sys.stderr, flush=True)
    meta = {
        "made_by": "python vignettes/record_coverage.py",
        "pycvstat": pcv.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps({"meta": meta, "runs": results}, indent=1) + "\n")
    lines = ",\n".join(json.dumps(row) for row in printed(results))
    PRINTED.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main(sys.argv[1:])
