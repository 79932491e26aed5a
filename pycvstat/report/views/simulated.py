"""Simulations with known risks: coverage, quantities of tuning, agreement, bias and variance."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from pycvstat.report.content import Block, Facts, Inline, Verbatim, section
from pycvstat.report.numbers import count, listed, percent, table_of
from pycvstat.report.plots import simulated
from pycvstat.report.plots.forest import coverage
from pycvstat.report.sentences import capital, seed_words
from pycvstat.report.views.base import WIDE, Picture, Sections, View
from pycvstat.simulate.decomposition import BiasVariance
from pycvstat.simulate.interval_coverage import Coverage
from pycvstat.simulate.quantities import Agreement, TuningQuantities

QUANTITIES = {
    "quantity": "quantity",
    "estimate": "mean",
    "std_error": "m.c. error",
    "gap_to_tuned": "gap",
}
COVERAGE = {
    "target": "target",
    "coverage": "coverage",
    "coverage_error": "m.c. error",
    "too_low": "below",
    "too_high": "above",
    "width": "mean width",
    "truth": "target value",
}
PARTS = {"bias2": "squared bias", "variance": "variance", "noise": "noise", "risk": "risk"}


class SimulatedView(View):
    """A view of a table and its picture."""

    heading: ClassVar[str]

    def blocks(self) -> list[Block]:
        """The table."""
        raise NotImplementedError

    def findings(self) -> Sections:
        """Table and picture."""
        shown = [self.figure(name) for name in self.pictures]
        return [section(self.heading, *self.blocks(), *shown)]

    def brief(self) -> Sections:
        """The table."""
        return [section(self.heading, *self.blocks())]


class CoverageView(SimulatedView, of=Coverage):
    """How often intervals hold their targets."""

    heading = "Coverage"
    result: Coverage

    @property
    def title(self) -> str:
        """Method and scenario."""
        return f"Coverage of {self.result.method} in the scenario {self.result.scenario}"

    @property
    def subtitle(self) -> str:
        """Data sets and level."""
        level = percent(self.result.level)
        return f"{count(self.result.sets, 'data set')} · nominal level {level}"

    def blocks(self) -> list[Block]:
        """Shares, and how they were simulated."""
        result = self.result
        refused = f"; {result.refused} refused by the method" if result.refused else ""
        caption = "Shares of data sets; Monte Carlo standard error."
        facts = (
            ("scenario", result.scenario),
            ("method", result.method),
            ("folds", result.folds),
            ("nominal level", percent(result.level)),
            ("data sets", f"{result.sets}{refused}"),
            ("seed", "none recorded" if result.seed is None else seed_words(result.seed)),
        )
        return [table_of(result.tidy(), COVERAGE, caption), Facts(facts)]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Coverage beside the nominal level."""
        size = (4.6, 1.2 + 0.25 * len(self.result.targets))
        words = "Coverage with two Monte Carlo standard errors, and the nominal level."
        drawn = Picture(lambda ax: coverage(ax, self.result.tidy()), size, words, self._tell)
        return {"coverage": drawn}

    def _tell(self) -> str:
        frame = self.result.tidy()
        shares = [f"{t} {c:.3f}" for t, c in zip(frame["target"], frame["coverage"], strict=True)]
        return f"Coverage at nominal {self.result.level:g}: {listed(shares)}."

    def methods(self) -> list[Inline]:
        """Data sets, scenario, folds, method, level, seed."""
        result = self.result
        seed = "" if result.seed is None else f", seed {result.seed}"
        return [
            f"Coverage was simulated on {count(result.sets, 'data set')} of the scenario "
            f"{result.scenario}, with folds by ",
            Verbatim(result.folds),
            f", for the method {result.method} at level {100 * result.level:g} %{seed}. Target "
            "values are known up to the Monte Carlo errors given.",
        ]


class TuningQuantitiesView(SimulatedView, of=TuningQuantities):
    """What tuning and nested cross-validation estimate."""

    heading = "Quantities"
    result: TuningQuantities

    @property
    def title(self) -> str:
        """What it is."""
        return "What tuning and nested cross-validation estimate"

    @property
    def subtitle(self) -> str:
        """Rows and data sets."""
        sets = count(self.result.tuned.replications, "simulated data set")
        return f"{count(self.result.n, 'row')} · {sets}"

    def blocks(self) -> list[Block]:
        """Means and gaps."""
        frame = self.result.tidy()
        shown = frame.assign(gap_to_tuned=[f"{gap:+.4f}" for gap in frame["gap_to_tuned"]])
        return [table_of(shown, QUANTITIES, "Gap to the risk of the tuned procedure.")]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The gaps."""
        words = "Gap to the risk of the tuned procedure."
        drawn = lambda ax: simulated.gaps(ax, self.result.tidy())  # noqa: E731
        return {"gaps": Picture(drawn, (4.6, 2.4), words, self._tell)}

    def _tell(self) -> str:
        frame = self.result.tidy()
        means = zip(frame["quantity"], frame["estimate"], strict=True)
        return f"{listed([f'{name} {mean:.4f}' for name, mean in means])}."

    def methods(self) -> list[Inline]:
        """Data sets and errors."""
        result = self.result
        return [
            f"Means over {count(result.tuned.replications, 'simulated data set')} of {result.n} "
            f"rows; risks are those after training on {result.n_train} rows, known from the law of "
            "the data. Errors are Monte Carlo standard errors."
        ]


class AgreementView(SimulatedView, of=Agreement):
    """An estimator beside the quantity that it estimates."""

    heading = "Means"
    result: Agreement

    @property
    def title(self) -> str:
        """Estimator and quantity."""
        return capital(f"{self.result.estimator} and {self.result.quantity}")

    @property
    def subtitle(self) -> str:
        """Data sets."""
        return count(self.result.difference.replications, "simulated data set")

    def blocks(self) -> list[Block]:
        """Both means and their difference."""
        verdict = f"The difference is {self.result.in_errors:+.1f} Monte Carlo standard errors."
        return [table_of(self.result.tidy(), QUANTITIES, verdict)]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Both means."""
        words = "Means with two Monte Carlo standard errors."
        drawn = lambda ax: simulated.two_means(ax, self.result.tidy())  # noqa: E731
        return {"means": Picture(drawn, (4.6, 1.5), words, self._tell)}

    def _tell(self) -> str:
        result = self.result
        return (
            f"{result.estimator} {result.estimate.mean:.4g}, {result.quantity} "
            f"{result.truth.mean:.4g}."
        )

    def methods(self) -> list[Inline]:
        """Data sets and errors."""
        sets = count(self.result.difference.replications, "simulated data set")
        return [
            f"Means over {sets}, with Monte Carlo standard errors; the difference was taken data "
            "set by data set."
        ]


class BiasVarianceView(SimulatedView, of=BiasVariance):
    """The parts of a risk."""

    heading = "Parts of the risk"
    result: BiasVariance

    @property
    def title(self) -> str:
        """What it is."""
        return "Bias-variance decomposition"

    @property
    def subtitle(self) -> str:
        """Training size and training sets."""
        sets = count(self.result.replications, "simulated training set")
        return f"training size {self.result.n} · {sets}"

    @property
    def names(self) -> list[str]:
        """The parameters."""
        return [name for name in map(str, self.result.tidy().columns) if name not in PARTS]

    def blocks(self) -> list[Block]:
        """The parts by candidate."""
        caption = "Expected squared error = squared bias + variance + noise."
        headers = {name: name for name in self.names} | PARTS
        return [table_of(self.result.tidy(), headers, caption)]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The parts on top of each other."""
        words = "Expected squared error = squared bias + variance + noise."
        drawn = lambda ax: simulated.parts(ax, self.result.tidy())  # noqa: E731
        return {"parts": Picture(drawn, WIDE, words, self._tell)}

    def findings(self) -> Sections:
        """Table, and over parameters a picture."""
        return super().findings() if self.names else self.brief()

    def _tell(self) -> str:
        frame = self.result.tidy()
        best = frame.iloc[int(frame["risk"].argmin())]
        where = ", ".join(f"{name} = {best[name]}" for name in self.names)
        return f"The risk is smallest, {best['risk']:.4g}, at {where}."

    def methods(self) -> list[Inline]:
        """Test points and training sets."""
        sets = count(self.result.replications, "simulated training set")
        return [
            "Squared bias and variance of the predictions are means over the test points of the "
            f"law, from {sets} of {self.result.n} rows."
        ]
