"""What is looked at beside the estimate: an audit, stability, what other splits would say."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pycvstat.procedures.audit import UNSEEN, Audit
from pycvstat.procedures.multiverse import NONE, NOT_TOLD, Multiverse, Universe
from pycvstat.procedures.stability import LIMIT, Stability
from pycvstat.report.content import Block, Cite, Headline, Inline, Note, Table, section
from pycvstat.report.numbers import aligned, count, equal_p, listed, number, table_of
from pycvstat.report.plots.predictions import skill_of_permutations
from pycvstat.report.plots.style import FAINT, INK, LIMIT as LINE, logarithmic
from pycvstat.report.sentences import (
    data_parts,
    learner_parts,
    learner_words,
    loss_words,
    plan_parts,
    plan_words,
)
from pycvstat.report.views.base import Picture, Sections, Size, TableView, unknown
from pycvstat.report.views.data import DataView, map_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class AuditView(DataView, of=Audit):
    """What was found."""

    result: Audit

    @property
    def title(self) -> str:
        """The learner and the verdict."""
        verdict = "nothing found" if self.result else "look at what was found"
        return f"Audit of {learner_words(self.result.learner)}: {verdict}"

    @property
    def subtitle(self) -> str:
        """Folds and permutations."""
        return f"{self.told()} · {count(len(self.result.skill), 'permutation')}"

    def checks(self) -> tuple[Table, Note]:
        """One row per check, and what none of them sees."""
        headers = {"check": "check", "found": "found", "finding": "finding"}
        return table_of(self.rows, headers, "What was looked for."), Note(UNSEEN)

    def findings(self) -> Sections:
        """Checks, skill and setting."""
        return [section("Checks", *self.checks(), self.figure("skill")), *self.setting()]

    def main_table(self) -> Table:
        """One row per check."""
        return self.checks()[0]

    def context(self) -> Sections:
        """Nothing: the setting is among the findings."""
        return []

    def brief(self) -> Sections:
        """Checks and setting."""
        return [section("Checks", *self.checks()), *self.setting()]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Skill on permuted responses, and the map of the folds."""
        words = "Skill on permuted responses, where there is none to have."
        drawn = lambda ax: skill_of_permutations(ax, self.result.skill)  # noqa: E731
        skill = Picture(drawn, (4.6, 2.2), words, self._tell)
        return {"skill": skill, "map": map_of(self.result.plan)}

    def _tell(self) -> str:
        result = self.result
        return (
            f"Skill on {len(result.skill)} permutations of the response: mean "
            f"{number(result.mean_skill)}, p {equal_p(result.p_value)}."
        )

    def methods(self) -> list[Inline]:
        """Learner, folds, data and what was found."""
        result = self.result
        split = f"; {count(len(result.split_groups), 'group')} had rows on both sides of a fit"
        near = f", and {len(result.near)} nearly did"
        return [
            "Leaks of ",
            *learner_parts(result.learner),
            " were looked for by ",
            *plan_parts(result.plan, result.task),
            *data_parts(result.task),
            f" On {count(len(result.skill), 'permutation')} of the response the mean skill (the "
            "share by which the mean loss is smaller than for the responses of other test rows) "
            f"was {number(result.mean_skill)} (one-sided t test, p {equal_p(result.p_value)}). "
            f"{count(len(result.copies), 'predictor')} nearly equalled the response, "
            f"{count(len(set(result.duplicates[:, 0])), 'test row')} a training row"
            f"{near if len(result.near) else ''}{'' if result.task.groups is None else split}.",
        ]


RATIOS = (
    "The ratio is n times the variance of what one replaced training row changes, over the "
    "variance from row to row. Intervals and tests from cross-validation need it to be small; "
    f"below {LIMIT:g} it is called stable here."
)
UNSTABLE = (
    "What is not stable has intervals and p values from cross-validation that can be wrong, "
    "however many rows there are."
)


class StabilityView(TableView, of=Stability):
    """Methods and pairs, stable or not."""

    heading, kind, anchor = "Ratios", "ratios", "stability"
    caption = "Ratios by method and difference; stable ones are left of the line."
    title = "Stability under the replacement of one training row"
    result: Stability

    @property
    def subtitle(self) -> str:
        """Folds, loss, rows replaced."""
        result = self.result
        words = (plan_words(result.plan), loss_words(result.loss), f"{result.draws} rows replaced")
        return " · ".join(words)

    @property
    def names(self) -> list[str]:
        """Methods and differences."""
        return [f"{a} − {b}" if b else a for a, b in self.result.pairs]

    def top(self) -> list[Block]:
        """What is not stable."""
        unstable = [n for n, ok in zip(self.names, self.result.stable, strict=True) if not ok]
        words = f"not stable: {listed(unstable, 6)}" if unstable else "all are stable"
        return [Headline(words, f"the largest ratio is {number(np.nanmax(self.result.ratio))}")]

    def table(self) -> Table:
        """Ratios."""
        frame = self.rows.assign(of=self.names, stable=np.where(self.result.stable, "yes", "no"))
        headers = {"of": "losses of", "ratio": "ratio", "change": "by one row", "spread": "by rows"}
        return table_of(frame, headers | {"stable": "stable"}, RATIOS)

    def main_table(self) -> Table:
        """The table in short."""
        return self.table()

    def blocks(self) -> list[Block]:
        """The table, and what it means where something is not stable."""
        return [self.table(), *([] if self.result.stable.all() else [Note(UNSTABLE)])]

    def findings(self) -> Sections:
        """Table and picture."""
        table, *notes = self.blocks()
        shown = table, self.figure(self.kind, self.anchor), *notes
        return [section("Does one training row change the comparison?", *shown)]

    @property
    def size(self) -> Size:
        """By the number of methods and differences."""
        return 4.6, 0.9 + 0.25 * len(self.names)

    def draw(self, ax: Axes) -> Axes:
        """The ratios."""
        places = np.arange(len(self.names))[::-1]
        colours = [INK if ok else FAINT for ok in self.result.stable]
        ax.scatter(self.result.ratio, places, c=colours, s=18)
        ax.axvline(LIMIT, **LINE)
        logarithmic(ax, [*self.result.ratio, LIMIT])
        ax.set_yticks(places, self.names)
        ax.set_xlabel("ratio")
        return ax

    def tell(self) -> str:
        """The ratios."""
        told = zip(self.names, self.result.ratio, strict=True)
        return f"Ratios: {'; '.join(f'{name} {number(ratio)}' for name, ratio in told)}."

    def methods(self) -> list[Inline]:
        """What was measured."""
        return [
            f"Relative stability was measured by replacing {self.result.draws} training rows, one "
            "at a time, by test rows of their fold ",
            Cite(("bayle2020", "bayle2025")),
            ".",
        ]


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


class MultiverseView(TableView, of=Multiverse):
    """Conclusions by way to split."""

    heading, kind, anchor = "Conclusions", "splits", "multiverse"
    caption = (
        "Estimates with their intervals by way to split, in order of the estimate within each kind "
        "of folds; dark where the split tells a difference."
    )
    title = "Would another split have said something else?"
    result: Multiverse

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
        shown = [*told, self.table(), self.figure(self.kind, self.anchor), *notes]
        return [section(self.title, *shown)]

    def blocks(self) -> list[Block]:
        """Conclusions by folds."""
        return [self.table()]

    def tell(self) -> str:
        """The answer for the first difference."""
        return f"{self.said(self.asked[0])}."

    def draw(self, ax: Axes, of: str | None = None) -> Axes:
        """Estimates and intervals by way to split."""
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
