"""Several methods on identical folds: estimates side by side, pairs, what they tell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pycvstat.errors import IntervalError, heard
from pycvstat.intervals import METHODS, interval
from pycvstat.intervals.paired import Adjust, all_pairs, paired
from pycvstat.losses import LossTable, loss_label
from pycvstat.procedures.compare import Comparison
from pycvstat.report.content import (
    Block,
    Cite,
    Figure,
    Headline,
    Inline,
    Note,
    Section,
    Table,
    section,
)
from pycvstat.report.numbers import (
    aligned,
    count,
    interval_headers,
    listed,
    number,
    p_value,
    table_of,
)
from pycvstat.report.plots import forest
from pycvstat.report.plots.folds import fit_name
from pycvstat.report.plots.style import label
from pycvstat.report.sentences import (
    data_parts,
    learner_parts,
    loss_words,
    plan_parts,
    risk_words,
    value_words,
)
from pycvstat.report.views.base import Picture, Sections, unknown
from pycvstat.report.views.data import DataView, FoldsView, failures_notes, map_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


FEW = 8  # methods up to which folds are listed side by side
ROWS = 40
GROUPS = (
    "Methods in order of their estimate. A bar joins methods of which no pair has a Holm-adjusted "
    "p value below 0.05: a group that these data do not tell apart, which is not evidence that "
    "they are equal."
)


class ComparingView(FoldsView):
    """A view of the losses of several methods."""

    @property
    def tables(self) -> Mapping[str, LossTable]:
        """The losses by method."""
        tables: Mapping[str, LossTable] = self.result.tables
        return tables

    @property
    def names(self) -> list[str]:
        """The methods."""
        return list(self.tables)

    @property
    def title(self) -> str:
        """The methods."""
        return f"Comparison of {listed(self.names)}"

    @property
    def label(self) -> str:
        """The loss beside an axis."""
        return loss_label(self.tables[self.names[0]].loss)

    @cached_property
    def estimates(self) -> pd.DataFrame:
        """One row per method: both averages and the interval, NaN where none is legal."""
        import pandas as pd

        return pd.DataFrame([self._row(name) for name in self.names])

    def _row(self, name: str) -> dict[str, Any]:
        table, limits = self.tables[name], (np.nan, np.nan, np.nan)
        with heard():
            try:
                found = interval(table, self.method, self.level)
                limits = (found.std_error, found.low, found.high)
            except IntervalError:
                if self.method != "auto":
                    raise
        return {
            "name": name,
            "estimate": float(table.estimate()[0]),
            **dict(zip(("std_error", "conf_low", "conf_high"), limits, strict=True)),
            "pooled": float(table.pooled()[0]),
        }

    @cached_property
    def _pairs(self) -> tuple[pd.DataFrame | None, list[Note]]:
        """Differences of all pairs, or None and why; and what was said of them."""
        if len(self.names) < 2:
            return None, []
        with heard() as said:
            try:
                found = all_pairs(self.tables, method=self.method, level=self.level)
            except IntervalError as error:
                return None, [Note(f"No paired comparison: {error.problem}")]
        without = found[found["conf_low"].isna() & (found["method"] != "none")]
        rows = without[["a", "b", "notes"]].itertuples(index=False)
        said += [f"{a} − {b}: {words}." for a, b, words in rows if words]
        return found, [Note(text) for text in said]

    def methods_table(self) -> Table:
        """One row per method: both averages and the interval."""
        frame = self.estimates
        headers = {"name": "method"} | interval_headers(self.level) | {"pooled": "pooled"}
        best = [int(np.nanargmin(frame["estimate"]))] if frame["estimate"].notna().any() else []
        words = "Mean of fold means with its interval; pooled: mean over observations."
        return table_of(frame, headers, words, best)

    def pairs(self) -> list[Block]:
        """Differences of all pairs with p values, adjusted for their number."""
        frame, notes = self._pairs
        if frame is None:
            return [*notes]
        names = [f"{a} − {b}" for a, b in zip(frame["a"], frame["b"], strict=True)]
        headers = {"pair": "difference"} | interval_headers(self.level)
        headers |= {"p_value": "p", "p_adjusted": "Holm p"}
        words = f"Paired differences on identical folds ({', '.join(self._tests())}); intervals"
        return [table_of(frame.assign(pair=names), headers, f"{words} not adjusted."), *notes]

    def _tests(self) -> list[str]:
        """The interval methods of the pairs."""
        frame = self._pairs[0]
        used = [] if frame is None else dict.fromkeys(frame["method"])
        return [name for name in used if name != "none"]

    def comparison(self) -> Section:
        """Table, forest plot, pairs and what cannot be told apart."""
        blocks: list[Block | None] = [self.methods_table(), self.figure("forest"), *self.pairs()]
        if self._pairs[0] is not None:
            blocks += [self.figure("critical"), self.closest()]
        return section("Comparison", *blocks)

    def compared(self) -> Sections:
        """The methods and their pairs in short."""
        pairs = self.pairs()
        methods = section("Methods", self.methods_table(), *self.failed())
        return [methods, section("Pairs", *pairs) if pairs else None]

    def failed(self) -> list[Block]:
        """What failed."""
        return []

    def side_by_side(self) -> Section | None:
        """Errors of every method in every fold."""
        plan = self.result.plan
        if len(plan) < 2 or len(plan) > ROWS or len(self.names) > FEW:
            return None
        means = [table.fold_means()[:, 0] for table in self.tables.values()]
        flat, size = aligned(np.concatenate(means).tolist()), len(plan)
        columns = [flat[m * size : (m + 1) * size] for m in range(len(means))]
        rows = zip([fit_name(plan, i) for i in range(size)], *columns, strict=True)
        head = "fold" if plan.times == 1 else "repeat.fold"
        words = "Mean loss of every method in every fold."
        table = Table((head, *self.names), tuple(rows), "r" * (1 + len(means)), words)
        return section("Errors of the folds", table)

    def closest(self) -> Figure | None:
        """The best method and the next one whose losses differ, fold by fold."""
        means = {name: table.fold_means()[:, 0] for name, table in self.tables.items()}
        a, *others = sorted(means, key=lambda name: float(means[name].mean()))
        b = next((name for name in others if not np.array_equal(means[name], means[a])), None)
        if b is None:
            return None
        with heard():
            pair = paired(self.tables[a], self.tables[b], method=self.method, level=self.level)
        p = p_value(pair.p_value)
        words = f"Difference {a} minus {b}: {value_words(pair.estimate, pair.interval)}"
        return Figure(
            "paired",
            partial(self._draw_pair, a=a, b=b),
            f"The two methods with the smallest estimates fold by fold: {a} minus {b}.",
            f"{words}, p {p}." if p else f"{words}.",
            self.pictures["paired"].inches,
        )

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The methods side by side, a pair of them, groups that are not told apart."""
        size, words = len(self.names), f"Estimates with {100 * self.level:g} % intervals."
        forest_size = (5.2, 0.9 + 0.3 * size)
        found = {"forest": Picture(self._draw_forest, forest_size, words, self._tell_forest)}
        if size > 1:
            tall = (4.6, 1.1 + 0.35 * size)
            found["paired"] = Picture(self._draw_pair, (4.6, 2.2))
            found["critical"] = Picture(self._draw_critical, tall, GROUPS, self._tell_critical)
        return found | {"map": map_of(self.result.plan)}

    def _draw_forest(self, ax: Axes, method: str | None = None, level: float | None = None) -> Axes:
        view = self.at(method, level)
        words = f"{self.label}, {100 * view.level:g} % intervals"
        return forest.forest(ax, view.estimates, self.names, words)

    def _tell_forest(self) -> str:
        frame, size = self.estimates, len(self.names)
        values = aligned([*frame["estimate"], *frame["conf_low"], *frame["conf_high"]])
        limits = zip(values[:size], values[size : 2 * size], values[2 * size :], strict=True)
        told = [f"{value} ({low} to {high})" if low else value for value, low, high in limits]
        parts = [f"{name} {words}" for name, words in zip(self.names, told, strict=True)]
        return f"Estimates and intervals: {'; '.join(parts)}."

    def _draw_pair(
        self,
        ax: Axes,
        a: str | None = None,
        b: str | None = None,
        method: str | None = None,
        level: float | None = None,
    ) -> Axes:
        for name in (a, b):
            if name is not None and name not in self.names:
                raise unknown("method", name, self.names)
        view, a = self.at(method, level), a or self.names[0]
        b = b or next(name for name in self.names if name != a)
        one, other = self.tables[a], self.tables[b]
        found = paired(one, other, names=(a, b), method=view.method, level=view.level)
        by_fold = one.fold_means()[:, 0] - other.fold_means()[:, 0]
        words = f"{self.label}: {label(a, 18)} minus {label(b, 18)}"
        return forest.differences(ax, by_fold, found.tidy().iloc[0], words)

    def _draw_critical(
        self, ax: Axes, alpha: float = 0.05, adjust: Adjust = "holm", method: str | None = None
    ) -> Axes:
        view = self.at(method)
        with heard():
            pairs = all_pairs(self.tables, method=view.method, adjust=adjust)
        words = f"{self.label}; bars join methods with adjusted p ≥ {alpha:g}"
        rows = self.estimates.assign(method=self.names)
        return forest.critical_difference(ax, rows, pairs, alpha, words)

    def _tell_critical(self) -> str:
        ordered = self.estimates.sort_values("estimate", kind="stable")["name"]
        return f"Methods in order of their estimate: {', '.join(ordered)}."

    def estimates_told(self) -> list[Inline]:
        """Estimates and tests of pairs, for the methods part."""
        values = [f"{name} {number(value)}" for name, value in self.result.estimate.items()]
        means = f" The estimates, means of the fold means, were {listed(values)}."
        used = [METHODS[name] for name in self._tests()]
        if not used:
            return [means]
        keys = tuple(dict.fromkeys(key for method in used for key in method.citation))
        return [
            means,
            f" Pairs were compared by the {', '.join(method.title for method in used)} on the "
            "differences ",
            Cite(keys),
            ", p values adjusted for their number by Holm's method ",
            Cite(("holm1979", "seabold2010")),
            ".",
        ]


class ComparisonView(ComparingView, DataView, of=Comparison):
    """Which learner has the smallest risk."""

    script = True
    result: Comparison

    @property
    def one(self) -> Any:
        """The first method."""
        return next(iter(self.result.results.values()))

    @property
    def learners(self) -> Mapping[str, Any]:
        """The learners by name."""
        return {name: one.learner for name, one in self.result.results.items()}

    @property
    def question(self) -> str:
        """Which is best, by how much."""
        risk = risk_words(self.result.plan, self.loss, "the method")
        return (
            f"Which of {listed(self.names)} has the smallest {risk}, and by how much do they "
            "differ on the same folds?"
        )

    def top(self) -> list[Block]:
        """The smallest estimate."""
        best = self.result.best
        risk = risk_words(self.result.plan, self.loss, best)
        words = f"the smallest of {count(len(self.names), 'estimate')}: {risk}"
        return [Headline(f"{best}: {number(self.result.estimate[best])}", words)]

    def failed(self) -> list[Block]:
        """What failed, by method."""
        return [note for one in self.result.results.values() for note in failures_notes(one)]

    def findings(self) -> Sections:
        """The comparison, what the smallest estimate is not, errors of the folds."""
        note = Note(
            f"The smallest of {count(len(self.names), 'estimate')} is chosen after seeing them "
            "all, so as an estimate of the risk of the chosen method it tends to be too small."
        )
        return [self.comparison(), section("", note, *self.failed()), self.side_by_side()]

    def brief(self) -> Sections:
        """Methods, pairs, setting."""
        return [*self.compared(), *self.setting()]

    def methods(self) -> list[Inline]:
        """Learners, folds, data, estimates and tests."""
        parts: list[Inline] = []
        for name, learner in self.learners.items():
            parts += ["; " if parts else "", f"{name}: ", *learner_parts(learner)]
        return [
            f"The risks of {count(len(self.names), 'method')} (",
            *parts,
            f") for {loss_words(self.loss)} were estimated on identical folds by ",
            *plan_parts(self.result.plan),
            *data_parts(self.result.task),
            *self.estimates_told(),
        ]
