"""Works that are cited exist, and are written without TeX."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline

import pycvstat as pcv
from pycvstat.cli.options import OFFERED
from pycvstat.intervals import METHODS
from pycvstat.learners import Learner
from pycvstat.report.assemble import full
from pycvstat.report.citations import bibtex, in_text, works
from pycvstat.report.content import Cite, Document, Paragraph
from tests.forked import python
from tests.report.conftest import result


@pytest.mark.parametrize("key", works())
def test_a_reference_is_plain_text(key: str) -> None:
    work = works()[key]
    assert not re.search(r"[\\{}]|--|``", work.reference())
    assert work.year in work.reference()
    assert work.families[0] in work.reference()
    assert re.fullmatch(r"\d{4}", work.year)
    assert work.bibtex.startswith("@")
    assert work.bibtex.count("{") == work.bibtex.count("}")


def test_every_method_and_learner_is_citable() -> None:
    for method in METHODS.values():
        assert set(method.citation) <= set(works())
    kinds = [one for name in pcv.__all__ if isinstance(one := getattr(pcv, name), type)]
    learners = [kind for kind in kinds if issubclass(kind, Learner)]
    assert len(learners) >= 12
    for kind in learners:
        assert set(kind.works) <= set(works())
        assert kind.title or kind.__name__ not in OFFERED.split()
    for kernel in ("rectangular", "optimal"):
        assert set(pcv.KNN(kernel=kernel).citation) <= set(works())


def test_the_citation_file_is_valid_and_says_what_cite_says() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="comes with pycvstat[docs]")
    yaml = pytest.importorskip("yaml", reason="comes with pycvstat[docs]")
    root = Path(__file__).parents[2]
    # of the Citation File Format (Druskat et al.), CC BY 4.0
    schema = json.loads((Path(__file__).parent / "cff-1.2.0.json").read_text(encoding="utf-8"))
    file = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    jsonschema.validate(file, schema)
    with pytest.raises(jsonschema.ValidationError, match="authors"):
        jsonschema.validate(file | {"authors": []}, schema)
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (file["version"], file["license"]) == (project["version"], project["license"])
    assert file["keywords"] == project["keywords"]
    said, (author,) = file["preferred-citation"], file["authors"]
    fields = {"author": f"{{{author['name']}}}", "title": said["title"], "year": said["year"]}
    fields["note"] = f"Python package, version {said['version']}"
    lines = [f"  {name:6} = {{{value}}}" for name, value in fields.items()]
    assert pcv.cite() == "@manual{pycvstat,\n" + ",\n".join(lines) + "\n}"
    assert {name: said[name] for name in ("title", "version", "authors")} == {
        name: file[name] for name in ("title", "version", "authors")
    }


def test_authors_in_short() -> None:
    assert in_text(["efron1993"]) == "(Efron and Tibshirani, 1993)"
    assert in_text(["schulz2025"]) == "(Schulz-Kümpel et al., 2025)"


def test_bibtex_is_given_once() -> None:
    assert bibtex(["holm1979", "holm1979"]).count("@article") == 1


def test_every_result_cites_this_package(any_result: Any) -> None:
    assert "@" in any_result.cite()


def test_what_is_cited_in_a_report_is_listed(any_result: Any) -> None:
    document = full(any_result)
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Paragraph):
                for part in block.parts:
                    if isinstance(part, Cite):
                        assert set(part.keys) <= set(document.cited()) <= set(works())


def methods_of(name: str) -> str:
    return methods_text(full(result(name)))


def methods_text(document: Document) -> str:
    (section,) = [s for s in document.sections if s.title.startswith("Methods")]
    (paragraph,) = [b for b in section.blocks if isinstance(b, Paragraph)]
    return "".join(
        in_text(p.keys) if isinstance(p, Cite) else p if isinstance(p, str) else p.text
        for p in paragraph.parts
    )


def test_the_methods_paragraph_of_cross_validation() -> None:
    text = methods_of("cv")
    assert text.startswith(
        "The risk (squared error) of ordinary least squares was estimated by 10-fold "
        "cross-validation (Stone, 1974), on 32 rows (mpg ~ wt + hp). The estimate, the "
        "mean of the fold means, was 8.5770 (mean over observations: 8.4173). The 95 % interval "
        "3.709 to 19.836 is a log-scale corrected t interval (Nadeau and Bengio, 2003); it "
        "is about the expected risk of the learner trained on 28 to 29 rows, "
        "averaged over training sets (ER(28 to 29))."
    )
    assert text.endswith("Folds were drawn with R's random numbers (R Core Team, 2022), seed 1.")


@pytest.mark.parametrize(
    ("folds", "words"),
    [
        (pcv.Grouped(5, random=1), "who-grouped 5-fold cross-validation"),
        (pcv.Stratified(5, random=1), "stratified 5-fold cross-validation"),
        (pcv.Repeated(pcv.Stratified(5), 2, random=1),
         "stratified 5-fold cross-validation repeated twice"),
        (pcv.RFolds("caret", 5, seed=1), "stratified 5-fold cross-validation"),
        (pcv.RFolds("rsample", 5, seed=1), "5-fold cross-validation"),
        (StratifiedKFold(5), "stratified 5-fold cross-validation"),
        (StratifiedGroupKFold(5), "stratified who-grouped 5-fold cross-validation"),
    ],
)  # fmt: skip
def test_title_and_methods_say_how_rows_were_kept_together_or_apart(folds: Any, words: str) -> None:
    data = pcv.data.iris().assign(who=[row // 3 for row in range(150)])
    groups = {"groups": "who"} if "grouped" in words else {}
    found = pcv.cross_validate(pcv.KNN(5), "Species ~ . - who", data, folds=folds, **groups)
    assert found.summary().splitlines()[0] == f"KNN (k = 5): {words}"
    text = methods_text(full(found))
    strata = "by Species: setosa 50, versicolor 50 and virginica 50"
    kept = [strata] * ("stratified" in words) + ["50 whos"] * bool(groups)
    told = f" ({'; '.join(kept)})" if kept else ""
    assert f"was estimated by {words}{told} (Stone, 1974)" in text


def test_a_level_without_rows_is_kept_in_proportion_too() -> None:
    iris = pcv.data.iris()
    levels = [*iris["Species"].unique(), "alpina"]
    data = iris.assign(Species=pd.Categorical(iris["Species"], levels))
    found = pcv.cross_validate(pcv.KNN(5), "Species ~ .", data, folds=pcv.Stratified(5))
    assert "setosa 50, versicolor 50, virginica 50 and alpina 0" in methods_text(full(found))


GROUPED = {"groups": "who"}


@pytest.mark.parametrize(
    ("folds", "more", "words"),
    [
        (pcv.Grouped(4, random=1), GROUPED, "who-grouped 4-fold cross-validation"),
        (pcv.Stratified(4, random=1), {}, "stratified 4-fold cross-validation"),
    ],
)
def test_every_result_says_above_its_numbers_how_rows_were_kept(
    folds: Any, more: dict[str, Any], words: str
) -> None:
    data = pcv.data.iris().assign(who=[row // 3 for row in range(150)])
    how = {"formula": "Species ~ . - who", "data": data, **more}
    grid, knn = {"k": [1, 5]}, pcv.KNN()
    nested = pcv.nested_cv(knn, grid=grid, outer=folds, inner=folds, **how)
    results = {
        "nested": nested,
        "compare": pcv.compare({"k": pcv.KNN(5), "mean": pcv.Mean()}, folds=folds, **how),
        "error curve": pcv.error_curve(knn, grid=grid, folds=folds, **how),
        "learning curve": pcv.learning_curve(knn, sizes=[30, 60], folds=folds, **how),
        "tune": pcv.tune(knn, grid=grid, folds=folds, **how),
    }
    for name, found in results.items():
        assert words in " ".join(found.summary().split("\n\n")[0].split()), name
    kind = words.partition(" ")[0]
    assert nested.summary().startswith(f"KNN: {kind} nested cross-validation\n")


def test_folds_that_split_groups_are_not_called_grouped() -> None:
    data = pcv.data.mtcars().assign(who=[row // 4 for row in range(32)])
    found = pcv.audit(
        pcv.OLS(), "mpg ~ wt", data, folds=pcv.KFold(4, random=1), groups="who", times=5
    )
    assert len(found.split_groups)
    assert "grouped" not in found.summary()
    assert "grouped" not in methods_text(full(found))


@pytest.mark.filterwarnings("ignore:OLS has 11 columns")
def test_a_pair_without_limits_says_why(tmp_path: Path) -> None:
    both = {"o": pcv.OLS(), "m": pcv.Mean()}
    found = pcv.compare(both, "mpg ~ .", pcv.data.mtcars(), folds=pcv.FiveByTwo(random=4))
    words = "Alpaydin's F test rejects every value"
    assert np.isnan(found.pairs()["conf_low"]).all()
    for text in (found.summary(), found.report(tmp_path / "r.md").read_text()):
        assert words in " ".join(text.replace("\\", "").split())


def test_the_methods_paragraph_of_nested_cross_validation() -> None:
    text = methods_of("nested")
    assert "nested cross-validation (Varma and Simon, 2006)" in text
    assert "12 candidates (k from 1 to 12)" in text
    for k in set(result("nested").chosen["k"]):
        assert f"k = {k} (" in text


def test_the_methods_paragraph_of_tuning_and_comparison() -> None:
    assert "(Breiman et al., 1984)" in methods_of("tune one_se")
    assert "(Breiman et al., 1984)" not in methods_of("tune")
    assert "is not an estimate of the risk of the tuned procedure" in methods_of("tune")
    assert "Holm's method" in methods_of("compare")


STATSMODELS = "seabold2010"


FITS = """
import sys, warnings
import pycvstat as pcv
from pycvstat.errors import PycvstatWarning
warnings.simplefilter("ignore", PycvstatWarning)
def note(frame, event, argument):
    file = frame.f_code.co_filename
    if event == "call" and "/statsmodels/" in file and "/pycvstat/" not in file:
        called.add(frame.f_code.co_name)
for text, classes in LEARNERS:
    learner, called = eval(text), set()
    more = {"weights": "hp"} if learner == pcv.WLS() else {}
    data = pcv.data.labels(60) if classes else pcv.data.mtcars()
    sys.setprofile(note)
    try:
        result = pcv.cross_validate(
            learner, "y ~ x1" if classes else "mpg ~ wt", data, folds=pcv.KFold(3, random=1), **more
        )
    finally:
        sys.setprofile(None)
    ran = "statsmodels" in sys.modules and bool(called)
    print("seabold2010" in result.learner.software, ran)
"""
SMF = "__import__('statsmodels.formula.api').formula.api"
CLAIMS = {  # in this order: what comes first does not even import statsmodels
    ("pcv.KNN(5)", False): False,
    ("pcv.KNN(5)", True): False,
    ("pcv.OLS()", False): False,
    ("pcv.QuantReg()", False): False,
    ("pcv.Ridge()", False): False,
    ("pcv.Lasso()", False): False,
    ("pcv.ElasticNet()", False): False,
    ("pcv.Mean()", False): False,
    ("pcv.WLS()", False): False,
    ("pcv.Logit()", True): True,
    ("pcv.GLM('binomial')", True): True,
    ("pcv.GLM('gamma', 'log')", False): True,
    ("pcv.MNLogit()", True): True,
    ("pcv.RLM()", False): True,
    (f"pcv.Statsmodels({SMF}.ols)", False): True,
}


def test_what_claims_statsmodels_called_it_and_nothing_else_did() -> None:
    code = FITS.replace("LEARNERS", repr([*CLAIMS]))
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    for line, (learner, claims) in zip(done.stdout.splitlines(), CLAIMS.items(), strict=True):
        assert line == f"{claims} {claims}", learner


def test_what_ran_is_cited() -> None:
    for learner, cited in ((pcv.OLS(), False), (pcv.RLM(), True), (pcv.GLM(), True)):
        found = pcv.cross_validate(
            learner, "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(5, random=1)
        )
        assert (STATSMODELS in found.cite()) == cited
    assert "(Huber, 1964; Seabold and Perktold, 2010)" in methods_text(
        full(pcv.cross_validate(pcv.RLM(), "mpg ~ wt", pcv.data.mtcars(), folds=pcv.Blocks(4)))
    )


def test_scikit_learn_is_cited_where_an_estimator_of_it_ran() -> None:
    class Ours(BaseEstimator):
        """scikit-learn's methods, and nothing computed by it."""

        def fit(self, X: Any, y: Any) -> Any:
            return self

        def predict(self, X: Any) -> Any:
            return np.zeros(len(X))

    for learner, cited in ((Ours(), False), (Ridge(), True), (make_pipeline(Ridge()), True)):
        found = pcv.cross_validate(
            learner, "mpg ~ wt", pcv.data.mtcars(), folds=pcv.KFold(4, random=1)
        )
        assert ("pedregosa2011" in found.cite()) == cited
    text = methods_text(full(found))
    assert re.search(r"Pedregosa et al\., 2011.*used pycvstat \S+, scikit-learn \S+ and", text)


def test_an_interval_by_statsmodels_names_it() -> None:
    folds = pcv.Holdout(0.3, random=1)
    found = pcv.cross_validate(pcv.KNN(5), "Species ~ .", pcv.data.iris(), folds=folds)
    assert found.interval().method == "wilson"
    assert STATSMODELS in found.interval().cite()
    assert STATSMODELS in found.cite()
    text = methods_text(full(found))
    assert "(Wilson, 1927; Seabold and Perktold, 2010)" in text
    assert re.search(r"used pycvstat \S+, statsmodels \S+ and Python", text)
    assert "statsmodels" not in methods_of("cv")


def test_holms_p_values_are_our_own() -> None:
    assert "adjusted for their number by Holm's method (Holm, 1979)." in methods_of("compare")


def test_the_bias_adjusted_estimate_is_in_the_methods() -> None:
    adjusted = result("leave-one-out").adjusted
    assert f"it was {adjusted:.4f} (Burman, 1989)" in methods_of("leave-one-out")
