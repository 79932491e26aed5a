"""An audit: what was looked for, what was found, and skill where there is none to have."""

from __future__ import annotations

from functools import cached_property

from pycvstat.procedures.audit import UNSEEN, Audit
from pycvstat.report.content import Inline, Note, Table, section
from pycvstat.report.numbers import count, equal_p, number, table_of
from pycvstat.report.plots.predictions import skill_of_permutations
from pycvstat.report.sentences import data_parts, learner_parts, learner_words, plan_parts
from pycvstat.report.views.base import Picture, Sections
from pycvstat.report.views.data import DataView, map_of


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
