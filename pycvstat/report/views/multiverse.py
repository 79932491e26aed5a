"""Would another split have said something else?"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pycvstat.procedures.multiverse import NONE, NOT_TOLD, Multiverse, Universe
from pycvstat.report.content import Block, Headline, Inline, Note, Table, section
from pycvstat.report.numbers import aligned, count, listed, table_of
from pycvstat.report.plots.style import FAINT, INK
from pycvstat.report.sentences import loss_words
from pycvstat.report.views.base import WIDE, Picture, Sections, View, unknown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

GAP = 4  # places between kinds of folds
EXPLAINED = (
    "How many ways to split lead to each conclusion, by kind of folds, with the median and the "
    "range of the estimates over the seeds."
)


def kind_words(one: Universe) -> str:
    """Folds in words.

    Examples
    --------
    >>> kind_words(Universe("Repeated(KFold(5), 2)", 1, 5, 2, "repeated K-fold"))
    '5 folds, 2 times'
    """
    if one.scheme in ("K-fold", "repeated K-fold"):
        return f"{one.k} folds" + (f", {one.times} times" if one.times > 1 else "")
    splits = "" if one.scheme in ("leave-one-out", "one split") else f", {one.k * one.times} fits"
    return f"{one.scheme}{splits}"


class MultiverseView(View, of=Multiverse):
    """Conclusions by way to split."""

    result: Multiverse

    @property
    def title(self) -> str:
        """The question."""
        return "Would another split have said something else?"

    @property
    def subtitle(self) -> str:
        """Splits, rows, loss."""
        splits = count(len(self.result.universes), "way", "ways")
        return f"{splits} to split {count(self.result.n, 'row')} · {loss_words(self.result.loss)}"

    @property
    def names(self) -> list[str]:
        """Risks and differences."""
        return [f"{a} − {b}" if b else a for a, b in self.result.pairs]

    @cached_property
    def conclusions(self) -> pd.DataFrame:
        """How often each conclusion was drawn."""
        return self.result.tidy("conclusions")

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The different folds in words, told apart by their splitters where words are the same."""
        found = {one.folds: kind_words(one) for one in self.result.universes}
        times = Counter(found.values())
        more = {folds: f"{words}, {folds.partition('(')[0]}" for folds, words in found.items()}
        return {
            folds: words if times[words] == 1 else more[folds] for folds, words in found.items()
        }

    @property
    def asked(self) -> list[int]:
        """Places of the differences; of a single learner of its risk."""
        pairs = self.result.pairs
        return [i for i, (_, b) in enumerate(pairs) if b] or [*range(len(pairs))]

    def said(self, pair: int) -> str:
        """The answer for a risk or a difference, in words."""
        a, b = self.result.pairs[pair]
        frame = self.conclusions
        told = (frame["a"] == a) & (frame["b"] == b) & (frame["conclusion"] != "")
        part = frame[told].groupby("conclusion", sort=False)
        values = self.result.estimate[:, pair]
        low, high = aligned([values.min(), values.max()])
        ends = f"estimates from {low} to {high}"
        if not len(part):
            return f"{self.names[pair]}: {ends}"
        shares = part["splits"].sum().sort_values(ascending=False) / len(self.result.universes)
        words = [f"{name} in {100 * share:.3g} %" for name, share in shares.items()]
        return f"{self.names[pair]}: {listed(words)} of the splits, {ends}"

    def top(self) -> list[Block]:
        """Yes or no, and what each split said."""
        agreement = float(self.result.glance()["agreement"].item())
        yes = "it depends on the split" if agreement < 1 else "all splits say the same"
        words = "; ".join(self.said(pair) for pair in self.asked)
        splits = count(len(self.result.universes), "split")
        return [Headline(splits if np.isnan(agreement) else yes, words)]

    def sentence(self) -> str:
        """What the splits say."""
        words = "; ".join(self.said(pair) for pair in self.asked)
        return f"Over {count(len(self.result.universes), 'way')} to split, {words}."

    def table(self) -> Table:
        """Conclusions by folds."""
        frame = self.conclusions
        of = [f"{a} − {b}" if b else a for a, b in zip(frame["a"], frame["b"], strict=True)]
        splits = [f"{n} ({100 * share:.3g} %)"
                  for n, share in zip(frame["splits"], frame["share"], strict=True)]  # fmt: skip
        headers = {"folds": "folds", "of": "of", "conclusion": "conclusion", "splits": "splits"}
        headers |= {"estimate": "median estimate", "limits": "range"}
        ends = {"estimate": "median", "conf_low": "smallest", "conf_high": "largest"}
        shown = frame.assign(**{name: frame[of] for name, of in ends.items()})
        kinds = frame["folds"].map(self.kinds)
        return table_of(shown.assign(folds=kinds, of=of, splits=splits), headers, EXPLAINED)

    def main_table(self) -> Table:
        """Conclusions by folds."""
        return self.table()

    def findings(self) -> Sections:
        """The answer, the table, the picture."""
        notes: list[Block] = [Note(text) for text in self.result.notes]
        told: list[Block] = [Note(f"{self.said(pair)}.") for pair in self.asked]
        shown = [*told, self.table(), self.figure("splits", "multiverse"), *notes]
        return [section(self.title, *shown)]

    def brief(self) -> Sections:
        """The table."""
        return [section("Conclusions", self.table())]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Estimates and intervals by way to split."""
        words = (
            "Estimates with their intervals by way to split, in order of the estimate within each "
            "kind of folds; dark where the split tells a difference."
        )
        return {"splits": Picture(self._draw, WIDE, words, lambda: f"{self.said(self.asked[0])}.")}

    def _draw(self, ax: Axes, of: str | None = None) -> Axes:
        names, result = self.names, self.result
        if of is not None and of not in names:
            raise unknown("difference or method", of, names)
        pair = self.asked[0] if of is None else names.index(of)
        start, ticks = 0, []
        kinds = np.array([one.folds for one in result.universes])
        for folds in result.plans:
            which = np.flatnonzero(kinds == folds)
            which = which[np.argsort(result.estimate[which, pair], kind="stable")]
            places = start + np.arange(len(which))
            colours = [
                FAINT if result.conclusion(int(u), pair) in (NOT_TOLD, NONE) else INK for u in which
            ]
            low, high = result.low[which, pair], result.high[which, pair]
            ax.vlines(places, low, high, colors=colours, linewidth=1)
            ax.scatter(places, result.estimate[which, pair], c=colours, s=6, zorder=3)
            ticks.append((places.mean(), self.kinds[folds]))
            start += len(which) + GAP
        null = 0.0 if result.pairs[pair][1] else result.null
        if null is not None:
            ax.axhline(null, color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
        ax.set_xticks(*zip(*ticks, strict=True))
        ax.set_ylabel(names[pair])
        return ax

    def methods(self) -> list[Inline]:
        """What was repeated."""
        result = self.result
        seeds = len({one.seed for one in result.universes} - {None})
        levels = f"{100 * result.level:g} % intervals"
        return [
            f"The analysis was repeated with {count(seeds, 'seed')} and "
            f"{listed([*self.kinds.values()])}: {count(len(result.universes), 'way')} to split, "
            f"with {levels} ({listed(sorted({m for row in result.method for m in row}))}). Shares "
            "of splits say how much a conclusion hangs on the split; they are no probability "
            "that it is true."
        ]
