"""Simulations with known risks, in words: quantities of tuning, agreement, bias and variance."""

from __future__ import annotations

from typing import Any

from pycvstat.intervals import Interval
from pycvstat.report.content import Block, Figure, Inline, Verbatim, section
from pycvstat.report.numbers import count, listed
from pycvstat.report.plots import kinds_of
from pycvstat.report.sections.methods import methods_parts
from pycvstat.report.sections.tables import table_of
from pycvstat.report.subjects.base import Parts, capital, parts_of
from pycvstat.report.wanted import Wanted
from pycvstat.simulate.decomposition import BiasVariance
from pycvstat.simulate.interval_coverage import Coverage
from pycvstat.simulate.quantities import Agreement, TuningQuantities

QUANTITIES = {
    "quantity": "quantity",
    "estimate": "mean",
    "std_error": "m.c. error",
    "gap_to_tuned": "gap",
}


@parts_of.register
def _(result: TuningQuantities, wanted: Wanted) -> Parts:
    frame = result.tidy()
    shown = frame.assign(gap_to_tuned=[f"{gap:+.4f}" for gap in frame["gap_to_tuned"]])
    caption = "Gap to the risk of the tuned procedure."
    blocks: list[Block] = [table_of(shown, QUANTITIES, caption)]
    if wanted.full:
        means = zip(frame["quantity"], frame["estimate"], strict=True)
        alt = listed([f"{name} {mean:.4f}" for name, mean in means])
        blocks.append(_figure(result, "gaps", caption, f"{alt}."))
    return Parts(
        "What tuning and nested cross-validation estimate",
        f"{count(result.n, 'row')} · {count(result.tuned.replications, 'simulated data set')}",
        [section("Quantities", blocks)],
    )


@parts_of.register
def _(result: Agreement, wanted: Wanted) -> Parts:
    verdict = f"The difference is {result.in_errors:+.1f} Monte Carlo standard errors."
    blocks: list[Block] = [table_of(result.tidy(), QUANTITIES, verdict)]
    if wanted.full:
        alt = (
            f"{result.estimator} {result.estimate.mean:.4g}, {result.quantity} "
            f"{result.truth.mean:.4g}."
        )
        blocks.append(_figure(result, "means", "Means with two Monte Carlo standard errors.", alt))
    return Parts(
        capital(f"{result.estimator} and {result.quantity}"),
        count(result.difference.replications, "simulated data set"),
        [section("Means", blocks)],
    )


@parts_of.register
def _(result: BiasVariance, wanted: Wanted) -> Parts:
    frame = result.tidy()
    parameters = {name: name for name in frame.columns if name not in _MEASURES}
    caption = "Expected squared error = squared bias + variance + noise."
    blocks: list[Block] = [table_of(frame, parameters | _MEASURES, caption)]
    if wanted.full and parameters:
        best = frame.iloc[int(frame["risk"].argmin())]
        where = ", ".join(f"{name} = {best[name]}" for name in parameters)
        alt = f"The risk is smallest, {best['risk']:.4g}, at {where}."
        blocks.append(_figure(result, "parts", caption, alt))
    return Parts(
        "Bias-variance decomposition",
        f"training size {result.n} · {count(result.replications, 'simulated training set')}",
        [section("Parts of the risk", blocks)],
    )


_MEASURES = {"bias2": "squared bias", "variance": "variance", "noise": "noise", "risk": "risk"}


def _figure(result: Any, name: str, caption: str, alt: str) -> Figure:
    kind = kinds_of(result)[name]
    return Figure(name, kind.draw, caption, alt, kind.size)


@methods_parts.register
def _(result: Coverage, found: Interval | None) -> list[Inline]:
    seed = "" if result.seed is None else f", seed {result.seed}"
    return [
        f"Coverage was simulated on {count(result.sets, 'data set')} of the scenario "
        f"{result.scenario}, with folds by ",
        Verbatim(result.folds),
        f", for the method {result.method} at level {100 * result.level:g} %{seed}. Target values "
        "are known up to the Monte Carlo errors given.",
    ]


@methods_parts.register
def _(result: TuningQuantities, found: Interval | None) -> list[Inline]:
    return [
        f"Means over {count(result.tuned.replications, 'simulated data set')} of {result.n} rows; "
        f"risks are those after training on {result.n_train} rows, known from the law of the data. "
        "Errors are Monte Carlo standard errors."
    ]


@methods_parts.register
def _(result: Agreement, found: Interval | None) -> list[Inline]:
    return [
        f"Means over {count(result.difference.replications, 'simulated data set')}, with Monte "
        "Carlo standard errors; the difference was taken data set by data set."
    ]


@methods_parts.register
def _(result: BiasVariance, found: Interval | None) -> list[Inline]:
    return [
        "Squared bias and variance of the predictions are means over the test points of the law, "
        f"from {count(result.replications, 'simulated training set')} of {result.n} rows."
    ]
