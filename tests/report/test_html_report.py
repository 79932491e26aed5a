"""The HTML report: one file that loads nothing, says everything, and can be read by everyone."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

import pycvstat as pcv
from pycvstat.procedures import engine
from pycvstat.r.check.call import not_compared
from pycvstat.r.check.crosscheck import Crosscheck
from pycvstat.report.assemble import full
from pycvstat.report.plots import style
from pycvstat.report.render.html import DARK, render_page
from pycvstat.report.views.risk import RiskView
from tests.report.conftest import HOSTILE, LEVELS, MAKERS, RESPONSE, page_text, result
from tests.report.pages import Element, read_page


@cache
def page_of(name: str) -> Element:
    return read_page(page_text(name))


every_kind = pytest.mark.parametrize("name", MAKERS)


@every_kind
def test_nothing_is_loaded(name: str) -> None:
    page = page_of(name)
    assert not page.all("script")
    assert not page.all("iframe")
    for element in page.all():
        for attribute in ("src", "srcset", "action", "data", "poster"):
            assert not element.get(attribute)
        assert element.get("href").startswith(("#", "data:,")) or not element.get("href")
    css = "".join(element.text() for element in page.all("style"))
    assert "@import" not in css
    assert "url(" not in css
    assert "http" not in page_text(name).replace("http://evil", "")


@every_kind
def test_no_element_listens(name: str) -> None:
    for element in page_of(name).all():
        assert not [a for a in element.attributes if a.startswith("on")]


@every_kind
def test_every_figure_is_described(name: str) -> None:
    page = page_of(name)
    for svg in page.all("svg"):
        assert svg.get("role") == "img"
        named = [page_id(page, key).text() for key in svg.get("aria-labelledby").split()]
        assert len(named) == 2
        assert all(len(words) > 15 for words in named)
    for figure in page.all("figure"):
        assert figure.all("figcaption")[0].text()


def page_id(page: Element, name: str) -> Element:
    (found,) = [element for element in page.all() if element.get("id") == name]
    return found


@every_kind
def test_ids_are_unique_and_links_lead_somewhere(name: str) -> None:
    elements = page_of(name).all()
    ids = [element.get("id") for element in elements if element.get("id")]
    assert len(ids) == len(set(ids))
    targets = [e.get("href")[1:] for e in elements if e.get("href").startswith("#")]
    assert set(targets) <= set(ids)
    used = re.findall(r"url\(#([^)]+)\)", page_text(name))
    assert set(used) <= set(ids)


@every_kind
def test_the_page_is_readable_on_a_phone(name: str) -> None:
    page = page_of(name)
    (viewport,) = [m for m in page.all("meta") if m.get("name") == "viewport"]
    assert "width=device-width" in viewport.get("content")
    scrolling = [e for e in page.all("div") if "scroll" in e.get("class").split()]
    assert len(page.all("table")) == sum(len(e.all("table")) for e in scrolling)
    for svg in page.all("svg"):
        assert svg.get("viewbox")
        assert not svg.get("width")


@every_kind
def test_headings_and_language(name: str) -> None:
    page = page_of(name)
    assert page.all("html")[0].get("lang") == "en"
    assert len(page.all("h1")) == 1
    assert page.all("title")[0].text() == page.all("h1")[0].text()
    for table in page.all("table"):
        assert all(cell.get("scope") == "col" for cell in table.all("th"))


def test_dark_pages_and_print_have_styles() -> None:
    css = page_of("cv").all("style")[0].text()
    assert "prefers-color-scheme: dark" in css
    assert "@media print" in css
    for colour in DARK:
        assert css.count(f"--c-{colour[1:]}:") == 2


def test_figures_follow_the_colours_of_the_page() -> None:
    drawn = page_of("cv").all("svg")
    styles = " ".join(e.get("style") for svg in drawn for e in svg.all())
    for colour in re.findall(r"#[0-9a-f]{6}", styles):
        assert colour in {*DARK, "#ffffff"}
        assert f"var(--c-{colour[1:]}, {colour})" in styles


SECTIONS = {
    "cv": ["Question", "Data", "Folds", "Estimates", "Interval", "Errors of the folds"],
    "tune": ["Question", "Data", "Folds", "Tuning"],
    "nested": ["Question", "Errors of the folds", "Tuning inside the outer fits"],
    "compare": ["Question", "Comparison", "Errors of the folds"],
    "error curve": ["Question", "Train and test error"],
}


@pytest.mark.parametrize("name", SECTIONS)
def test_sections(name: str) -> None:
    titles = [h.text() for h in page_of(name).all("h2")]
    wanted = [*SECTIONS[name], "Methods, ready to paste", "Reproducing these numbers"]
    assert [t for t in titles if t in wanted] == wanted


def test_a_nested_report_has_what_was_asked() -> None:
    page, found = page_of("nested"), result("nested")
    text = page.text()
    assert "mean of fold means" in text
    assert "mean over observations" in text
    assert "expected risk" in text
    assert found.plan.fingerprint in text
    assert found.task.fingerprint in text
    assert "set.seed(2)" in text
    assert "pycvstat" in text
    for name in ("diagram", "curves", "selection", "tuning", "residuals", "fold-errors"):
        assert page_id(page, f"figure-{name}").all("svg")
    assert "Varma and Simon, 2006" in text
    assert "@article{varma2006" in text
    assert "known behaviour" in text


def test_the_fold_table_holds_the_fold_errors() -> None:
    found = result("nested")
    (table,) = [t for t in page_of("nested").all("table") if "chosen k" in t.text()]
    rows = [[cell.text() for cell in row.all("td")] for row in table.all("tr")][1:]
    frame = found.tidy("folds")
    assert [int(row[-1]) for row in rows] == frame["chosen_k"].tolist()
    # five significant digits of the largest
    assert [float(row[-2]) for row in rows] == pytest.approx(frame["estimate"].tolist(), rel=1e-3)


def test_the_r_script_is_the_one_of_to_r(tmp_path: Any) -> None:
    found = result("cv")
    script = found.to_r(tmp_path / "data.R").read_text(encoding="utf-8")
    page = read_page(render_page(full(found, script=True)))
    (code,) = [d for d in page.all("details") if "with R" in d.all("summary")[0].text()]
    assert code.all("code")[0].text() == " ".join(script.split())


def test_what_r_cannot_do_is_said() -> None:
    assert "none for this kind of result" in page_of("audit").text()


def test_hostile_names_are_shown_as_they_are() -> None:
    text = page_of("hostile").text()
    for name in (*HOSTILE[:2], *LEVELS, RESPONSE):
        assert name in text
    assert "\\u202e|`*_[x](http://evil.example)\\n\\x1b[31m" in text
    assert not [e for e in page_of("hostile").all("b") if e.tag == "b"]


def test_a_crosscheck_and_further_results_are_added() -> None:
    document = full(
        result("tune"),
        crosscheck=result("crosscheck"),
        include=[result("error curve"), result("error curve"), result("cv")],
    )
    page = read_page(render_page(document))
    titles = [h.text() for h in page.all("h2")]
    assert titles.count("Train and test error") == 1
    assert "Train and test error (3)" in titles
    assert "Cross-check with R" in titles
    assert "the first that differs: estimate: element 1" in page.text()
    ids = [e.get("id") for e in page.all() if e.get("id")]
    assert len(ids) == len(set(ids))


def test_the_same_result_gives_the_same_page() -> None:
    assert render_page(full(result("compare"))) == page_text("compare")


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def pages() -> dict[str, dict[str, str]]:
    """The colours of the light and of the dark page, from the style sheet."""
    css = page_of("cv").all("style")[0].text()
    light, dark = css.split("prefers-color-scheme: dark")[:2]
    return {
        name: dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part.split("* {")[0]))
        for name, part in (("light", light), ("dark", dark))
    }


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_has_contrast(mode: str) -> None:
    colours = pages()[mode]
    for text in ("text", "quiet", "accent"):
        assert contrast(colours[text], colours["page"]) >= 4.5  # WCAG AA
    assert contrast(colours["text"], colours["panel"]) >= 4.5
    assert contrast(colours["text"], colours["note-panel"]) >= 4.5
    assert contrast(colours["note"], colours["note-panel"]) >= 4.5
    assert contrast(colours[f"c-{style.INK[1:]}"], colours["page"]) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("colour", style.SERIES)
def test_lines_have_contrast(mode: str, colour: str) -> None:
    colours = pages()[mode]
    assert contrast(colours[f"c-{colour[1:]}"], colours["page"]) >= 3  # WCAG, graphical objects


def test_areas_differ_in_grey() -> None:
    shades = [luminance(c) for c in (style.BLUE, style.AMBER, style.PALE)]
    assert shades == sorted(shades)
    assert contrast(style.BLUE, style.AMBER) > 2
    assert contrast(style.AMBER, style.PALE) > 1.3


@pytest.mark.filterwarnings("ignore:The inflation")
def test_an_interval_with_another_centre_stands_apart() -> None:
    text = " ".join(page_of("nested pairs").text().split())
    found = result("nested pairs").interval()
    assert f"{found.estimate:.3f} (95 % interval" in text
    assert "centre (ncv)" in text
    assert f"around {found.estimate:.4f} is a Bates-Hastie-Tibshirani" in text
    assert "How large is the risk (squared error) of the model fitted on all 32 rows" in text


def test_simulations_and_audits_say_what_was_done() -> None:
    for name, words in {
        "audit": "On 5 permutations of the response the mean skill",
        "coverage": "Coverage was simulated on 50 data sets",
        "tuning quantities": "Means over 20 simulated data sets of 40 rows",
        "agreement": "Means over 30 simulated data sets",
        "bias and variance": "from 20 simulated training sets of 40 rows",
    }.items():
        assert words in " ".join(page_of(name).text().split())


def test_every_sentence_about_a_crosscheck_says_what_was_not_compared() -> None:
    """Folds that R refused are not agreement: not in the verdict, not in the methods paragraph."""
    reason = "R says: factor g has new level d"
    rows = (*result("crosscheck").rows[:1], not_compared("fold 3", reason))
    check = Crosscheck(rows, "R 4.2.2")
    words = f"1 of 2 quantities agrees; not compared: fold 3 ({reason})"
    assert not check
    assert check.verdict == check.glance()["verdict"].item() == "not fully compared"
    assert check.words == words
    assert check.tidy()["verdict"].tolist() == ["agrees", "not compared"]
    shown = " ".join(check.summary().split())
    assert shown.startswith("Python and R were not fully compared 1 of 2 quantities agrees")
    assert f"fold 3 ({reason})" in shown
    page = read_page(render_page(full(result("cv"), crosscheck=check))).text()
    assert f"not fully compared: {words}" in page
    assert f"compared within the stated tolerances: {words}." in page


def test_a_report_without_a_crosscheck_says_so() -> None:
    assert "not run for this report" in page_of("cv").text()


def test_values_that_differ_in_late_digits_are_shown_in_full() -> None:
    assert "1.000000001" in page_of("crosscheck").text()


def test_a_report_computes_nothing_that_was_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found = pcv.nested_cv(
        pcv.KNN(),
        "mpg ~ wt",
        pcv.data.mtcars(),
        grid={"k": [1, 5]},
        outer=pcv.Blocks(4),
        inner=pcv.Blocks(3),
    )
    monkeypatch.setattr(RiskView, "metrics", lambda view: None)  # beside those of the mean
    with monkeypatch.context() as forbidden:
        forbidden.setattr(engine, "run_tasks", lambda *_, **__: pytest.fail("work was started"))
        titles = [s.title for s in full(found).sections]
    assert "Tuning on all rows" not in titles
    final = found.retuned
    again = [s.title for s in full(found, include=[final]).sections]
    assert again.count("Tuning on all rows") == 1
    assert not [title for title in again if title.endswith("(2)")]


def test_rows_left_out_are_counted() -> None:
    data = pcv.data.mtcars()
    data.iloc[-3:, 5] = None
    found = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", data, folds=pcv.Blocks(4), na="omit")
    assert "29 rows (3 left out)" in found.summary()
    text = read_page(render_page(full(found))).text()
    assert "3, for missing values" in text
    assert "3 rows with missing values left out" in text


def test_wrapped_estimators_are_named_by_what_was_set() -> None:
    from sklearn.linear_model import Lasso

    found = pcv.cross_validate(Lasso(alpha=0.1), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4))
    assert found.summary().startswith("Lasso (alpha = 0.1): 4-fold cross-validation")
