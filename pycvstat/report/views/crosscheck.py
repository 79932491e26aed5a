"""Python beside R: the quantities of one result."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pycvstat.r.check.call import Row
from pycvstat.r.check.crosscheck import Crosscheck
from pycvstat.report.content import Block, Facts, Note, Table, section
from pycvstat.report.numbers import number
from pycvstat.report.plots.agreement import agreement
from pycvstat.report.views.base import Picture, Sections, View

VERDICTS = {
    "agrees": "Python and R agree",
    "differs": "Python and R differ",
    "not fully compared": "Python and R were not fully compared",
}


class CrosscheckView(View, of=Crosscheck):
    """Python and R side by side, and the verdict."""

    appendix = False
    result: Crosscheck

    @property
    def title(self) -> str:
        """The verdict."""
        return VERDICTS[self.result.verdict]

    @property
    def subtitle(self) -> str:
        """How many quantities agree."""
        return self.result.words.split(";")[0]

    @property
    def verdict(self) -> str:
        """The verdict with its figures."""
        return f"{self.result.verdict}: {self.result.words}"

    def findings(self) -> Sections:
        """Verdict, quantities, tolerances and notes."""
        check = self.result
        blocks: list[Block | None] = [
            Facts((("verdict", self.verdict), ("R", check.r_version or "-"))),
            agreement_table(check),
            tolerances(check),
            self.figure("differences", "crosscheck") if check.rows else None,
            *(Note(text) for text in check.notes),
        ]
        return [section("Cross-check with R", *blocks)]

    def brief(self) -> Sections:
        """Quantities and notes."""
        check = self.result
        facts = [("R", check.r_version or "-")]
        if check.first_difference:
            facts.append(("first difference", check.first_difference))
        if check.left_out:
            facts.append(("not compared", check.left_out))
        facts += [("note", text) for text in check.notes]
        return [section("Cross-check", agreement_table(check), Facts(tuple(facts)))]

    @cached_property
    def pictures(self) -> dict[str, Picture]:
        """Differences beside their tolerances."""
        rows = self.result.rows
        return {
            "differences": Picture(
                lambda ax: agreement(ax, self.result.tidy()),
                (4.6, 0.9 + 0.22 * max(1, len(rows))),
                "Largest relative difference of Python and R beside its tolerance.",
                self._tell,
            )
        }

    def _tell(self) -> str:
        known = (row.relative for row in self.result.rows if row.relative == row.relative)
        return f"{self.verdict}; largest relative difference {max(known, default=0.0):.2g}."


def agreement_table(check: Crosscheck) -> Table:
    """One row per quantity: the verdict, both values, their difference, what is allowed."""
    rows = tuple(
        (
            row.quantity,
            f"differs: {row.place}" if row.place else row.verdict,
            *_values(row),
            _size(row.relative),
            "" if row.why_not else _size(row.tolerance.relative),
        )
        for row in check.rows
    )
    return Table(
        ("quantity", "verdict", "Python", "R", "difference", "allowed"),
        rows,
        "llrrrr",
        "Relative differences, where the two values differ most.",
    )


def tolerances(check: Crosscheck) -> Facts | None:
    """Why differences of these sizes are allowed."""
    compared = [row.tolerance for row in check.rows if not row.why_not]
    reasons = {_size(tolerance.relative): tolerance.reason for tolerance in compared}
    return (
        Facts(tuple((f"allowed: {size}", why) for size, why in reasons.items()))
        if reasons
        else None
    )


def _values(row: Row) -> tuple[str, str]:
    """Both values, with all digits where they differ and would look the same."""
    if row.why_not:
        return "", ""
    both = (row.python, row.r)
    numbers = all(isinstance(value, int | float) for value in both)
    if numbers and not row.agrees and f"{row.python:.7g}" == f"{row.r:.7g}":
        return repr(float(row.python)), repr(float(row.r))
    return _value(row.python), _value(row.r)


def _value(value: Any) -> str:
    if not isinstance(value, int | float):
        return str(value)
    return str(int(value)) if float(value).is_integer() else number(value, 7)


def _size(value: float) -> str:
    if value != value:
        return ""
    return "0" if value == 0 else f"{value:.1e}"
