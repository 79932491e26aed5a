"""One view per kind of result, a user's own too; nothing is computed twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import pycvstat as pcv
from pycvstat.errors import heard
from pycvstat.intervals import from_table, legal
from pycvstat.report.assemble import full
from pycvstat.report.content import Facts, section
from pycvstat.report.render.html import render_page
from pycvstat.report.views.base import Picture, Sections, View, view_of
from pycvstat.report.views.risk import RiskView
from pycvstat.verbs import Shown
from tests.report.conftest import result


def test_every_result_has_a_view_of_its_kind(any_result: Any) -> None:
    view = view_of(any_result)
    assert view.title
    assert view.subtitle
    assert view.pictures
    for name in view.pictures:
        assert view.pictures[name].inches[0] > 3


@dataclass(frozen=True)
class Votes(Shown):
    """A result of a user."""

    yes: int
    no: int


class VotesView(View, of=Votes):
    @property
    def title(self) -> str:
        return "Votes"

    @property
    def subtitle(self) -> str:
        return f"{self.result.yes + self.result.no} votes"

    def findings(self) -> Sections:
        shown = Facts((("yes", str(self.result.yes)), ("no", str(self.result.no))))
        return [section("Counts", shown, self.figure("bars"))]

    @property
    def pictures(self) -> dict[str, Picture]:  # type: ignore[override]
        def draw(ax: Any) -> Any:
            ax.bar(["yes", "no"], [self.result.yes, self.result.no])
            return ax

        return {"bars": Picture(draw, caption="Votes.", alt=lambda: "yes 3, no 2")}


def test_a_users_result_is_seen_like_ours(tmp_path: Any) -> None:
    votes = Votes(3, 2)
    assert votes.summary().splitlines()[:2] == ["Votes", "5 votes"]
    assert "<svg" in votes.report(tmp_path / "votes.html").read_text()
    assert votes.plot().patches[0].get_height() == 3
    assert "@manual{pycvstat" in votes.cite()


@pytest.mark.parametrize("name", ["cv", "nested", "classes", "repeated"])
def test_a_report_computes_its_interval_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    computed, judged = [], []
    compute, obstacle = from_table.compute, legal.obstacle

    def counted(*given: Any, **more: Any) -> Any:
        computed.append(given[0].name)
        return compute(*given, **more)

    def judge(method: Any, *given: Any) -> Any:
        judged.append(method.name)
        return obstacle(method, *given)

    monkeypatch.setattr(from_table, "compute", counted)
    monkeypatch.setattr(legal, "obstacle", judge)
    monkeypatch.setattr(RiskView, "metrics", lambda view: None)  # which have their own
    render_page(full(result(name)))
    (method,) = computed
    assert method == ("corrected_t" if name == "classes" else "log_t")
    assert judged.count(method) == 1


def test_columns_without_a_coefficient_and_fits_that_did_not_converge_are_told() -> None:
    data = pcv.data.mtcars().assign(twice=lambda d: 2 * d["wt"])
    folds = pcv.KFold(4, random=1)
    with heard():
        lost = pcv.cross_validate(pcv.Logit(), "factor(am) ~ wt + twice", data, folds=folds)
        stuck = pcv.cross_validate(pcv.Logit(maxiter=2), "factor(am) ~ wt", data, folds=folds)
    assert "Columns without a coefficient in 4 of 4 fits: twice." in lost.summary()
    assert "4 of 4 fits did not converge." in stuck.summary()
