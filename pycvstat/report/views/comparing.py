"""Losses of several methods: estimates side by side, pairs, what they tell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.errors import IntervalError, heard
from pycvstat.intervals import METHODS, interval
from pycvstat.intervals.paired import Adjust, all_pairs, paired
from pycvstat.losses import LossTable
from pycvstat.report.content import Block, Cite, Figure, Inline, Note, Section, Table, section
from pycvstat.report.numbers import (
    aligned,
    capital,
    count,
    equal_p,
    interval_headers,
    listed,
    number,
    p_value,
    percent,
    table_of,
)
from pycvstat.report.plots import forest
from pycvstat.report.plots.predictions import fit_name
from pycvstat.report.plots.style import label
from pycvstat.report.sentences import loss_words, value_words
from pycvstat.report.views.base import Picture, Sections, unknown
from pycvstat.report.views.data import FoldsView, map_of
from pycvstat.report.views.estimate import entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FEW = 8  # methods up to which folds are listed side by side
ROWS = 40
MEASURED = ("estimate", "std_error", "conf_low", "conf_high", "pooled", "root")
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
    def loss(self) -> str:
        """The name of the loss."""
        return self.tables[self.names[0]].loss

    @cached_property
    def estimates(self) -> pd.DataFrame:
        """One row per method: both averages and the interval, NaN where none is legal."""
        return pd.DataFrame([self._row(name) for name in self.names])

    def _row(self, name: str) -> dict[str, Any]:
        table, found = self.tables[name], None
        with heard():
            try:
                found = interval(table, self.method, self.level)
            except IntervalError:
                if self.method != "auto":
                    raise
        estimate = float(table.estimate()[0])
        row = entry(name, estimate, found, table, self.told())
        return row | {"estimate": estimate, "pooled": float(table.pooled()[0])}

    def entries(self) -> list[dict[str, Any]]:
        """Every method."""
        return [{str(n): v for n, v in row.items()} for row in self.estimates.to_dict("records")]

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
        without = found[found["conf_low"].isna() & ~found["notes"].isin(["", *said])]
        rows = without[["a", "b", "notes"]].itertuples(index=False)
        said += [f"{a} − {b}: {words.rstrip('.')}." for a, b, words in rows]
        return found, [Note(text) for text in said]

    def methods_table(self) -> Table:
        """One row per method: both averages and the interval."""
        frame, headers = self._rooted({"name": "method", **interval_headers(self.level)})
        averages = "mean of fold means with its interval; pooled: mean over observations"
        words = f"{self.measured}: {averages}."
        return table_of(frame, headers | {"pooled": "pooled"}, words, self._best)

    @property
    def _fitted(self) -> list[str]:
        """The methods of which no fit failed."""
        return [n for n, table in self.tables.items() if np.isfinite(table.fold_means()).all()]

    @property
    def _best(self) -> list[int]:
        """The row of the smallest estimate, where there is one."""
        known = self.estimates["estimate"]
        return [int(np.nanargmin(known))] if known.notna().any() else []

    def _rooted(self, headers: dict[str, str]) -> tuple[pd.DataFrame, dict[str, str]]:
        """The estimates, and their headers, with the square root of a squared loss."""
        frame = self.estimates
        if not self.rooted:
            return frame, headers
        root = np.sqrt(np.maximum(frame["estimate"], 0))
        return frame.assign(root=root), headers | {"root": "square root"}

    def main_table(self) -> Table:
        """Estimates with intervals, and the difference of each from the smallest."""
        shown = {"name": "method"} | interval_headers(self.level)
        del shown["std_error"]
        frame, headers = self._rooted(shown)
        pairs, best, below = self._pairs[0], self._best, ""
        if pairs is not None and best:
            smallest = self.names[best[0]]
            beside = [self._from(smallest, name, pairs) for name in self.names]
            frame = frame.assign(**{n: [one[n] for one in beside] for n in beside[0]})
            headers |= {"difference": f"minus {smallest}", "p_adjusted": "p"}
            tests = listed([METHODS[name].title for name in self._tests()])
            below = f" p: {tests} on the differences, adjusted by Holm's method for all pairs."
        words = f"{self.measured} of the methods."
        rows = f"{capital(self.told())}, {count(self.result.plan.n, 'row')}."
        return replace(table_of(frame, headers, words, best), notes=rows + below)

    @staticmethod
    def _from(smallest: str, name: str, pairs: pd.DataFrame) -> dict[str, float]:
        """The difference of a method from the one with the smallest estimate, and its p value."""
        for a, b, sign in ((name, smallest, 1.0), (smallest, name, -1.0)):
            found = pairs[(pairs["a"] == a) & (pairs["b"] == b)]
            if len(found):
                row = found.iloc[0]
                return {"difference": sign * row["estimate"], "p_adjusted": row["p_adjusted"]}
        return {"difference": math.nan, "p_adjusted": math.nan}

    def sentence(self) -> str:
        """The smallest estimate, and what can be told apart from it."""
        best = self.names[self._best[0]] if self._best else "no method"
        rest = [name for name in self.names if name != best]
        row = self.estimates.iloc[self._best[0] if self._best else 0].to_dict()
        value, low, high = aligned([row["estimate"], row["conf_low"], row["conf_high"]])
        value += self.unit + (f" ({percent(self.level)} interval {low} to {high})" if low else "")
        words = f"By {self.told()}, {best} has the smallest {loss_words(self.loss)}, {value}"
        pairs = self._pairs[0]
        if pairs is None:
            return f"{words}{self.root_words(row['estimate'])}."
        told = [self._from(best, name, pairs)["p_adjusted"] for name in rest]
        apart = [f"{name} (p {equal_p(p)})" for name, p in zip(rest, told, strict=True) if p < 0.05]
        differs = f"it differs from {listed(apart)}" if apart else "no other differs from it"
        return f"{words}{self.root_words(row['estimate'])}; {differs} at the level 0.05 (Holm)."

    def numbers(self) -> dict[str, Any]:
        """Estimate and interval of every method."""
        found: dict[str, Any] = {}
        for row in self._rooted({})[0].to_dict("records"):
            found |= {f"{row['name']} {name}": row[name] for name in MEASURED if name in row}
        plan = self.result.plan
        return found | {"n": plan.n, "fits": len(plan), "folds": self.told()}

    def pairs(self) -> list[Block]:
        """Differences of all pairs with p values, adjusted for their number."""
        frame, notes = self._pairs
        if frame is None:
            return [*notes]
        names = [f"{a} − {b}" for a, b in zip(frame["a"], frame["b"], strict=True)]
        headers = {"pair": "difference"} | interval_headers(self.level)
        error = headers.pop("std_error")
        headers |= {"p_value": "p", "p_adjusted": "Holm p", "std_error": error}
        tests = listed([METHODS[name].title for name in self._tests()])
        words = f"Paired differences on identical folds ({tests}); intervals not adjusted."
        return [table_of(frame.assign(pair=names), headers, words), *notes]

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
        means = {name: self.tables[name].fold_means()[:, 0] for name in self._fitted}
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
            f"{words}, p {equal_p(pair.p_value)}." if p else f"{words}.",
            self.pictures["paired"].inches,
        )

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """The methods side by side, a pair of them, groups that are not told apart."""
        size, words = len(self.names), f"Estimates with {100 * self.level:g} % intervals."
        forest_size = (5.2, 0.9 + 0.3 * size)
        told = self._tell_forest, lambda: self.estimates
        found = {"forest": Picture(self._draw_forest, forest_size, words, *told)}
        if size > 1:
            tall = (4.6, 1.1 + 0.35 * size)
            found["paired"] = Picture(self._draw_pair, (4.6, 2.2), data=self._by_fold)
            shown = self._tell_critical, lambda: all_pairs(self.tables, method=self.method)
            found["critical"] = Picture(self._draw_critical, tall, GROUPS, *shown)
        return found | {"map": map_of(self.result.plan)}

    def _by_fold(self) -> pd.DataFrame:
        """The mean loss of every method in every fold."""
        plan = self.result.plan
        means = {name: table.fold_means()[:, 0] for name, table in self.tables.items()}
        return pd.DataFrame({"repeat": plan.repeat + 1, "fold": plan.fold + 1, **means})

    def _draw_forest(self, ax: Axes, method: str | None = None, level: float | None = None) -> Axes:
        view = self.at(method, level)
        words = f"{self.quantity}, {100 * view.level:g} % intervals"
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
        view, a = self.at(method, level), a or next(iter(self._fitted), self.names[0])
        b = b or next(name for name in (*self._fitted, *self.names) if name != a)
        one, other = self.tables[a], self.tables[b]
        found = paired(one, other, names=(a, b), method=view.method, level=view.level)
        by_fold = one.fold_means()[:, 0] - other.fold_means()[:, 0]
        words = f"{self.quantity}: {label(a, 18)} minus {label(b, 18)}"
        return forest.differences(ax, by_fold, found.tidy().iloc[0], words)

    def _draw_critical(
        self, ax: Axes, alpha: float = 0.05, adjust: Adjust = "holm", method: str | None = None
    ) -> Axes:
        view = self.at(method)
        with heard():
            pairs = all_pairs(self.tables, method=view.method, adjust=adjust)
        words = f"{self.quantity}; bars join methods with adjusted p ≥ {alpha:g}"
        rows = self.estimates.assign(method=self.names).dropna(subset=["estimate"])
        return forest.critical_difference(ax, rows, pairs, alpha, words)

    def _tell_critical(self) -> str:
        known = self.estimates.dropna(subset=["estimate"])
        ordered = known.sort_values("estimate", kind="stable")["name"]
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
            Cite(("holm1979",)),
            ".",
        ]
