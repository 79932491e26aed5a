"""Losses that Python and R both read, and the formulas to try on them."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pycvstat.errors import PycvstatWarning
from pycvstat.folds import FiveByTwo, FoldPlan, NestedPairs, PairedHalves
from pycvstat.intervals import interval
from pycvstat.intervals.nadeau_bengio import overlap
from pycvstat.intervals.result import Interval
from pycvstat.losses import LossTable, Predictions
from pycvstat.r.bridge import reference
from pycvstat.rmath.random import RRandom

FOLDS = np.array([1 + i % 7 for i in range(61)])
N = len(FOLDS)


def _table(plan: FoldPlan, losses: Any, **more: Any) -> LossTable:
    return LossTable(plan, losses, **{"candidates": ({},) * losses.shape[1], **more})


def draw(seed: int) -> RRandom:
    """R's generator: the same losses with every version of NumPy."""
    return RRandom(seed)


LOSSES = draw(1).rnorm(N, 1.0, 2.0) ** 2
ERRORS = (draw(2).runif(N) < 0.3).astype(float)
GRID = draw(3).rnorm(6 * N).reshape(N, 6) ** 2 + np.linspace(0.4, 0.0, 6)
Y = draw(4).rnorm(N, 50.0, 3.0)
LABEL = (draw(5).runif(N) < 0.4).astype(float)
SCORE = np.round(draw(6).runif(N) + 0.4 * LABEL, 1)
GROUPS = np.array([i % 13 for i in range(N)])


def partition(losses: np.ndarray, **more: Any) -> LossTable:
    plan = FoldPlan.from_fold_ids(FOLDS)
    return _table(plan, losses.reshape(N, -1)[plan.rows], **more)


def one_split(losses: np.ndarray, n_train: int = 90, **more: Any) -> LossTable:
    m = len(losses)
    zero = np.zeros(1, dtype=np.int64)
    plan = FoldPlan(
        n_train + m, np.arange(n_train, n_train + m), np.array([0, m]), zero, zero,
        "holdout", "one split",
    )  # fmt: skip
    return _table(plan, losses.reshape(m, -1), **more)


def pairs_table(n: int = 43, folds: int = 5, repeats: int = 12) -> LossTable:
    plan = NestedPairs(folds, repeats, random=7).plan(n)
    by_row = draw(8).rnorm(n) ** 2
    noise = 0.3 * draw(9).rnorm(len(plan.rows)) ** 2
    by_fit = np.repeat(0.2 * draw(13).rnorm(len(plan)) ** 2, plan.n_test)
    return LossTable(plan, (by_row[plan.rows] + noise + by_fit)[:, None], "squared")


def long_form(table: LossTable) -> dict[str, Any]:
    """Repetition, own fold, other fold left out (0: none) and loss, for R."""
    plan = table.plan
    home = {}
    for i, key in enumerate(plan.left_out):
        if len(key) == 1:
            home |= {(int(plan.repeat[i]), int(row)): key[0] for row in plan.test_rows(i)}
    columns: dict[str, list[float]] = {"repetition": [], "own": [], "other": [], "loss": []}
    for i, key in enumerate(plan.left_out):
        for row, loss in zip(
            plan.test_rows(i), table.losses[plan.offsets[i] : plan.offsets[i + 1], 0], strict=True
        ):
            own = home[int(plan.repeat[i]), int(row)]
            other = [f for f in key if f != own]
            columns["repetition"].append(int(plan.repeat[i]) + 1)
            columns["own"].append(own + 1)
            columns["other"].append(other[0] + 1 if other else 0)
            columns["loss"].append(float(loss))
    return columns


def cases() -> list[tuple[str, dict[str, Any], Interval]]:
    """R function, its arguments, and the interval that must agree with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PycvstatWarning)  # 12 repetitions are few
        return _cases()


def _cases() -> list[tuple[str, dict[str, Any], Interval]]:
    L, F = LOSSES.tolist(), FOLDS.tolist()
    table = partition(LOSSES, loss="squared")
    test = one_split(LOSSES, loss="squared", y=np.append(np.zeros(90), Y),
                     predictions=Predictions((Y - np.sqrt(LOSSES))[None]))  # fmt: skip
    plan = table.plan
    roots = np.sqrt(LOSSES)[plan.rows]
    predicted = partition(LOSSES, loss="squared", y=Y,
                          predictions=Predictions((Y[plan.rows] - roots)[None]))  # fmt: skip
    sizes = {"n_train": plan.n_train.tolist(), "n_test": plan.n_test.tolist()}
    means = table.fold_means()[:, 0].tolist()
    scored = partition(
        LABEL, y=LABEL, predictions=Predictions(SCORE[plan.rows][None, :]), loss="zero_one"
    )
    pairs = pairs_table()
    half_plan = PairedHalves(4, 5, random=10).plan(60)
    halves = LossTable(half_plan, draw(11).runif(len(half_plan.rows))[:, None], "absolute")
    half_means = halves.fold_means()[:, 0]
    grid = half_means[4:].reshape(5, 2, 4)
    five = LossTable(FiveByTwo(random=20).plan(40), draw(12).rnorm(200)[:, None] ** 2, "squared")
    p = five.fold_means()[:, 0].reshape(5, 2).tolist()
    tuned, dev = partition(GRID), one_split(np.minimum(GRID, 4.0), range=(0.0, 4.0))
    errors = int(ERRORS.sum())
    grouped = LossTable(FoldPlan.from_fold_ids(1 + GROUPS % 4, groups=GROUPS), LOSSES[:, None])
    by_row = np.empty(N)
    by_row[grouped.plan.rows] = LOSSES
    by_group = {"losses": by_row.tolist(), "group": GROUPS.tolist(), "level": 0.95, "fits": 4}
    long = long_form(pairs)
    ids = np.column_stack([FOLDS, np.roll(FOLDS, 3)])
    repeated = FoldPlan.from_fold_ids(ids)
    noise = draw(14).rnorm(2 * N) ** 2
    twice = LossTable(repeated, (LOSSES[repeated.rows] + noise)[:, None], "squared")
    unstable = overlap(twice)  # live R computes it from the losses in the cross-checks
    auc = {"label": LABEL.tolist(), "score": SCORE.tolist(), "fold": F, "level": 0.95}
    return [
        ("pcv_ci_holdout_z", {"losses": L, "level": 0.9}, interval(test, "holdout_z", 0.9)),
        (
            "pcv_ci_holdout_t",
            {"losses": L, "level": 0.9, "log": True},
            interval(test, "holdout_t", 0.9),
        ),
        (
            "pcv_ci_holdout_t",
            {"losses": ERRORS.tolist(), "level": 0.9},
            interval(one_split(ERRORS, range=(0.0, 1.0)), "holdout_t", 0.9),
        ),
        (
            "pcv_ci_hoeffding",
            {"losses": ERRORS.tolist(), "level": 0.95, "lo": 0, "hi": 1},
            interval(one_split(ERRORS), "hoeffding", bounds=(0, 1)),
        ),
        (
            "pcv_ci_dev_set",
            {"losses": np.minimum(GRID, 4.0).tolist(), "level": 0.9, "lo": 0, "hi": 4},
            interval(dev, "dev_set", 0.9),
        ),
        (
            "pcv_ci_wilson",
            {"errors": errors, "n": N, "level": 0.95},
            interval(one_split(ERRORS), "wilson"),
        ),
        (
            "pcv_ci_clopper_pearson",
            {"errors": errors, "n": N, "level": 0.99},
            interval(partition(ERRORS), "clopper_pearson", 0.99),
        ),
        ("pcv_ci_all_pairs", {"losses": L, "level": 0.95}, interval(table, "all_pairs")),
        (
            "pcv_ci_within_fold",
            {"losses": L, "fold": F, "level": 0.8},
            interval(table, "within_fold", 0.8),
        ),
        (
            "pcv_ci_corrected_t",
            {"scores": means, **sizes, "level": 0.95},
            interval(table, "corrected_t"),
        ),
        (
            "pcv_ci_log_t",
            {"scores": means, "ratio": 1 / 5, "level": 0.95},
            interval(table, "log_t"),
        ),
        (
            "pcv_ci_log_t",
            {"scores": twice.fold_means()[:, 0].tolist(), "ratio": unstable, "level": 0.9},
            interval(twice, "log_t", 0.9),
        ),
        (
            "pcv_ci_pointwise_t",
            {"estimate": float(np.mean(means)), "losses": L, "instability": 0, "level": 0.95},
            interval(table, "pointwise_t"),
        ),
        (
            "pcv_ci_conservative_z",
            {
                "full": half_means[:4].tolist(),
                "first": grid[:, 0].tolist(),
                "second": grid[:, 1].tolist(),
                "level": 0.95,
            },
            interval(halves, "conservative_z"),
        ),
        ("pcv_ci_ncv", long | {"n": 43, "level": 0.9}, interval(pairs, "ncv", 0.9)),
        (
            "pcv_ci_ncv",
            long | {"n": 43, "level": 0.9, "power": 1},
            interval(pairs, "ncv", 0.9, bias="paper"),
        ),
        (
            "pcv_ci_ncv",
            long | {"n": 43, "level": 0.9, "power": 0},
            interval(pairs, "ncv", 0.9, bias="none"),
        ),
        ("pcv_ci_five_by_two_t", {"p": p, "level": 0.95}, interval(five, "five_by_two_t")),
        ("pcv_ci_five_by_two_f", {"p": p, "level": 0.95}, interval(five, "five_by_two_f")),
        ("pcv_ci_cv_auc", auc, interval(scored, "cv_auc")),
        ("pcv_ci_cv_auc", auc | {"half": True}, interval(scored, "cv_auc", ties="half")),
        ("pcv_ci_cluster", by_group | {"log": True}, interval(grouped, "cluster")),
        (
            "pcv_ci_cluster",
            by_group,
            interval(replace(grouped, range=(-np.inf, np.inf)), "cluster"),
        ),
        (
            "pcv_ci_bootstrap",
            {"losses": L, "level": 0.95, "draws": 200, "seed": 3},
            interval(table, "bootstrap", draws=200, random=3),
        ),
        (
            "pcv_ci_bbc_cv",
            {"losses": GRID.tolist(), "level": 0.9, "draws": 200, "seed": 4},
            interval(tuned, "bbc_cv", 0.9, draws=200, random=4),
        ),
        (
            "pcv_ci_tibshirani",
            {"errors": tuned.fold_means().tolist(), **sizes, "level": 0.95},
            interval(tuned, "tibshirani"),
        ),
        (
            "pcv_ci_rmse_holdout_z",
            {"losses": L, "level": 0.95},
            interval(test, "holdout_z", metric="rmse"),
        ),
        (
            "pcv_ci_rmse_corrected_t",
            {"scores": means, **sizes, "level": 0.95},
            interval(table, "corrected_t", metric="rmse"),
        ),
        (
            "pcv_ci_r2_holdout_z",
            {"losses": L, "y": Y.tolist(), "level": 0.95},
            interval(test, "holdout_z", metric="r2"),
        ),
        (
            "pcv_ci_r2_corrected_t",
            {"losses": L, "y": Y.tolist(), "fold": F, **sizes, "level": 0.95},
            interval(predicted, "corrected_t", metric="r2"),
        ),
    ]


def r_results(which: list[tuple[str, dict[str, Any], Interval]]) -> dict[str, Any]:
    """What r_reference/intervals.R computes for the cases."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder, "cases.json"), Path(folder, "results.json")
        given.write_text(json.dumps([{"f": f, "args": args} for f, args, _ in which]))
        script = str(reference.path("intervals.R"))
        done = subprocess.run(
            ["Rscript", "--vanilla", script, str(given), str(found)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(found.read_text())


def record() -> None:
    """Write r_reference/recorded/intervals.json and its checksum."""
    target = reference.path("recorded") / "intervals.json"
    target.write_text(json.dumps(r_results(cases()), indent=1) + "\n")
    sums = target.with_name("SHA256SUMS")
    lines = [x for x in sums.read_text().splitlines() if not x.endswith(f"  {target.name}")]
    lines.append(f"{hashlib.sha256(target.read_bytes()).hexdigest()}  {target.name}")
    sums.write_text("\n".join(sorted(lines, key=lambda x: x.split()[1])) + "\n")


if __name__ == "__main__":  # records anew: python -m tests.intervals.shared_losses
    record()
