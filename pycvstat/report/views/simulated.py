"""Simulations with known risks: coverage, quantities of tuning, agreement, bias and variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycvstat.report.content import Block, Facts, Inline
from pycvstat.report.numbers import capital, count, listed, percent, table_of
from pycvstat.report.plots import candidates, forest
from pycvstat.report.sentences import plan_words, seed_words
from pycvstat.report.views.base import Sections, Size, TableView
from pycvstat.simulate.decomposition import BiasVariance
from pycvstat.simulate.interval_coverage import Coverage
from pycvstat.simulate.quantities import Agreement, TuningQuantities

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUANTITIES = {
    "quantity": "quantity",
    "estimate": "mean",
    "std_error": "m.c. error",
    "gap_to_tuned": "gap",
}
COVERAGE = {
    "target": "target",
    "share": "coverage",
    "too_low": "below",
    "too_high": "above",
    "width": "mean width",
    "truth": "target value",
}
PARTS = {"bias2": "squared bias", "variance": "variance", "noise": "noise", "risk": "risk"}


class CoverageView(TableView, of=Coverage):
    """How often intervals hold their targets."""

    heading, kind = "Coverage", "coverage"
    caption = "Coverage with two Monte Carlo standard errors, and the nominal level."
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

    @property
    def size(self) -> Size:
        """By the number of targets."""
        return 4.6, 1.2 + 0.25 * len(self.result.targets)

    def blocks(self) -> list[Block]:
        """Shares, and how they were simulated."""
        result = self.result
        refused = f"; {result.refused} refused by the method" if result.refused else ""
        facts = (
            ("scenario", result.scenario),
            ("method", result.method),
            ("folds", plan_words(result.drawn)),
            ("nominal level", percent(result.level)),
            ("data sets", f"{result.sets}{refused}"),
            ("seed", "none recorded" if result.seed is None else seed_words(result.seed)),
        )
        caption = "Shares of data sets, ± Monte Carlo standard error."
        both = zip(self.rows["coverage"], self.rows["coverage_error"], strict=True)
        shown = self.rows.assign(share=[f"{share:.3f} ± {error:.3f}" for share, error in both])
        return [table_of(shown, COVERAGE, caption), Facts(facts)]

    def draw(self, ax: Axes) -> Axes:
        """Coverage beside the nominal level."""
        return forest.coverage(ax, self.rows)

    def tell(self) -> str:
        """The shares."""
        frame = self.rows
        shares = [f"{t} {c:.3f}" for t, c in zip(frame["target"], frame["coverage"], strict=True)]
        return f"Coverage at nominal {self.result.level:g}: {listed(shares)}."

    def methods(self) -> list[Inline]:
        """Data sets, scenario, folds, method, level, seed."""
        result = self.result
        seed = "" if result.seed is None else f", seed {result.seed}"
        return [
            f"Coverage was simulated on {count(result.sets, 'data set')} of the scenario "
            f"{result.scenario}, by {plan_words(result.drawn)}, for the method {result.method} at "
            f"level {100 * result.level:g} %{seed}. Target values are known up to the Monte Carlo "
            "errors given."
        ]


class TuningQuantitiesView(TableView, of=TuningQuantities):
    """What tuning and nested cross-validation estimate."""

    heading, kind, size = "Quantities", "gaps", (4.6, 2.4)
    caption = "Gap to the risk of the tuned procedure."
    title = "What tuning and nested cross-validation estimate"
    result: TuningQuantities

    @property
    def subtitle(self) -> str:
        """Rows and data sets."""
        sets = count(self.result.tuned.replications, "simulated data set")
        return f"{count(self.result.n, 'row')} · {sets}"

    def blocks(self) -> list[Block]:
        """Means and gaps."""
        frame = self.rows
        shown = frame.assign(gap_to_tuned=[f"{gap:+.4f}" for gap in frame["gap_to_tuned"]])
        return [table_of(shown, QUANTITIES, self.caption)]

    def draw(self, ax: Axes) -> Axes:
        """The gaps."""
        return forest.gaps(ax, self.rows)

    def tell(self) -> str:
        """The means."""
        frame = self.rows
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


class AgreementView(TableView, of=Agreement):
    """An estimator beside the quantity that it estimates."""

    heading, kind, size = "Means", "means", (4.6, 1.5)
    caption = "Means with two Monte Carlo standard errors."
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
        return [table_of(self.rows, QUANTITIES, verdict)]

    def draw(self, ax: Axes) -> Axes:
        """Both means."""
        return forest.two_means(ax, self.rows)

    def tell(self) -> str:
        """Both means."""
        found, truth = self.result.estimate.mean, self.result.truth.mean
        return f"{self.result.estimator} {found:.4g}, {self.result.quantity} {truth:.4g}."

    def methods(self) -> list[Inline]:
        """Data sets and errors."""
        return [
            f"Means over {self.subtitle}, with Monte Carlo standard errors; the difference was "
            "taken data set by data set."
        ]


class BiasVarianceView(TableView, of=BiasVariance):
    """The parts of a risk."""

    heading, kind = "Parts of the risk", "parts"
    caption = "Expected squared error = squared bias + variance + noise."
    title = "Bias-variance decomposition"
    result: BiasVariance

    @property
    def subtitle(self) -> str:
        """Training size and training sets."""
        return f"training size {self.result.n} · {self._sets}"

    @property
    def _sets(self) -> str:
        return count(self.result.replications, "simulated training set")

    @property
    def names(self) -> list[str]:
        """The parameters."""
        return [name for name in map(str, self.rows.columns) if name not in PARTS]

    def blocks(self) -> list[Block]:
        """The parts by candidate."""
        headers = {name: name for name in self.names} | PARTS
        return [table_of(self.rows, headers, self.caption)]

    def draw(self, ax: Axes) -> Axes:
        """The parts on top of each other."""
        return candidates.risk_parts(ax, self.rows)

    def findings(self) -> Sections:
        """Table, and over parameters a picture."""
        return super().findings() if self.names else self.brief()

    def tell(self) -> str:
        """Where the risk is smallest."""
        frame = self.rows
        best = frame.iloc[int(frame["risk"].argmin())]
        where = ", ".join(f"{name} = {best[name]}" for name in self.names)
        return f"The risk is smallest, {best['risk']:.4g}, at {where}."

    def methods(self) -> list[Inline]:
        """Test points and training sets."""
        return [
            "Squared bias and variance of the predictions are means over the test points of the "
            f"law, from {self._sets} of {self.result.n} rows."
        ]
