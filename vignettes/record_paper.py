"""The paper of two pages that the lines of the README write, as PDF, and its words as Markdown.

python vignettes/record_paper.py
"""

import re
from pathlib import Path

import pycvstat as pcv
from pycvstat.procedures.compare import Comparison
from pycvstat.report.assemble import full
from pycvstat.report.render.markdown import render_markdown

HERE = Path(__file__).parent
PAPER, WORDS = HERE / "paper.pdf", HERE / "recorded" / "paper_words.txt"
ASKED = {"profile": "paper", "units": {"mpg": "miles per gallon"}}


def compared() -> Comparison:
    """The comparison of the README."""
    methods = {
        "least squares": pcv.OLS(),
        "nearest neighbours": pcv.KNN(k=5),
        "the mean": pcv.Mean(),
    }
    folds = pcv.Repeated(pcv.KFold(10), times=10, random=1)
    return pcv.compare(methods, "mpg ~ wt + hp", pcv.data.mtcars(), folds=folds)


def words(result: Comparison) -> str:
    """What the paper says, without the versions of what ran."""
    return re.sub(r"Computations used .*? Folds", "Folds", render_markdown(full(result, **ASKED)))


if __name__ == "__main__":
    found = compared()
    found.report(PAPER, **ASKED)
    WORDS.write_text(words(found), encoding="utf-8")
