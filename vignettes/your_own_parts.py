# %% [markdown]
# # Your own parts
#
# *The learner, the interval or the folds that I need are not in the package. Can I add mine, and
# have it checked as the package's own parts are?*
#
# Every part of the package is a small record or a class, and what the package knows about it stands
# there. Yours comes in by the same door. `tests/test_extending.py` runs this page and holds what is
# made here to the contracts that the package's own parts keep.
#
# ## A learner, and its counterpart in R
#
# A learner that works on a design matrix says how it solves a sample. `in_r` says how R does the
# same: then `crosscheck` asks R, and `to_r` writes it into the script.

# %%
from dataclasses import dataclass

import numpy as np
import pandas as pd

import pycvstat as pcv
from pycvstat.learners.design import DesignLearner, Outcome, Solution
from pycvstat.learners.in_r import LearnerInR


@dataclass(frozen=True, eq=False)
class Level(Solution):
    """One number for all rows."""

    value: float

    def predict(self, X, offset):
        return Outcome(np.full(len(X), self.value))


@dataclass(frozen=True)
class TrimmedMean(DesignLearner):
    """The mean of the responses without a share at each end."""

    share: float = 0.1

    def solve(self, sample):
        y, cut = np.sort(sample.y), int(self.share * len(sample.y))
        return Level(y[cut : len(y) - cut].mean())

    def in_r(self, task):
        code = """function(formula, train, p) {
          middle <- mean(train$.pcv_response, trim = p$share)
          list(predict = function(new) rep(middle, nrow(new)))
        }"""
        return LearnerInR(code, "mean with trim", {"share": self.share})


data = pcv.data.mtcars()
tuned = pcv.tune(
    TrimmedMean(), "mpg ~ 1", data, grid={"share": [0.0, 0.1, 0.2]}, folds=pcv.Blocks(4)
)
tuned.tidy()[["share", "estimate", "std_error"]]

# %% [markdown]
# ## A splitter
#
# A splitter lays out the test rows of every fit. Where R can lay out the same rows, `in_r` has the
# code: a list of test rows, or the fold of every row.

# %%
from pycvstat.folds import Layout, RowsInR, Splitter


@dataclass(frozen=True, repr=False)
class EveryKth(Splitter):
    """Fold j tests the rows j, j + k, j + 2k, ..."""

    k: int
    draws = False

    def _layout(self, given, stream):
        return Layout("kfold", [np.arange(first, given.n, self.k) for first in range(self.k)])

    def get_n_splits(self, X=None, y=None, groups=None):
        return self.k

    def in_r(self):
        return RowsInR("rep_len(seq_len(k), n)", {"k": self.k})


EveryKth(3).plan(10).fold_ids

# %% [markdown]
# ## The folds of another R package
#
# A dialect says how a package draws its folds after `set.seed`: here SuperLearner, whose folds
# are every K-th of the shuffled rows. It then is a word of `RFolds`, and of `--folds` on the
# command line.

# %%
from pycvstat import folds


def superlearner(asked, given):
    def labels(stream):
        found = np.empty(given.n, dtype=int)
        found[stream.permutation(given.n)] = np.arange(given.n) % asked.k
        return found

    return labels


folds.register(
    folds.Dialect(
        "SuperLearner",
        "SuperLearner::SuperLearner(Y, X, cvControl = list(V = k))",
        superlearner,
        RowsInR("split(sample(n), rep(1:k, length = n))"),
    )
)
pcv.RFolds("SuperLearner", 3, seed=1).plan(10).fold_ids

# %% [markdown]
# ## A loss and a metric
#
# A loss is a function of (y, prediction) that gives one number per row, a metric one that gives one
# number per fold. Their records say which predictions they need and in which range they lie, where
# intervals end.

# %%
from scipy.stats import kendalltau

from pycvstat.losses import Loss, Metric


def linex(y, p):
    return np.exp((y - p) / 10) - (y - p) / 10 - 1


linex_loss = Loss("linex", lambda y, p: linex(y, p.values), (0, np.inf), ("continuous",))
kendall = Metric(lambda y, p: kendalltau(y, p).statistic, "numbers", "kendall", (-1, 1))
result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", data, folds=EveryKth(4), loss=linex_loss)
pd.concat([result.interval().tidy(), result.interval(metric=kendall).tidy()])

# %% [markdown]
# ## An interval method
#
# A method is a formula on the table of losses, and a record that says what the interval is about,
# for which plans it is legal, what it needs, and how R computes it.

# %%
from pycvstat.intervals import Method, register
from pycvstat.intervals.limits import symmetric
from pycvstat.intervals.method import InR


def agresti_coull(table, level):
    """Wald's interval after two more errors and two more successes."""
    m, errors = len(table.losses) + 4, table.losses.sum() + 2
    return symmetric(errors / m, np.sqrt(errors / m * (1 - errors / m) / m), level)


register(
    Method(
        name="agresti_coull",
        title="Agresti-Coull",
        target="R",
        formula=agresti_coull,
        layouts=("one split",),
        citation=(),
        folds=pcv.Holdout(0.25),
        known=lambda plan: "covers at least the level on average over the error rates",
        needs="0-1",
        r=InR(
            "{ m <- length(x) + 4; p <- (sum(x) + 2) / m; se <- sqrt(p * (1 - p) / m)\n"
            "c(p, se, p + c(-1, 1) * qnorm((1 + level) / 2) * se) }"
        ),
    )
)
iris = pcv.data.iris()
split = pcv.cross_validate(pcv.KNN(5), "Species ~ .", iris, folds=pcv.Holdout(0.3, random=1))
split.interval(method="agresti_coull")

# %% [markdown]
# ## A format of reports
#
# A format has the ending of its files and a function that writes a document, which is made of
# sections, paragraphs, tables and figures.

# %%
from pycvstat.report.render import formats
from pycvstat.report.render.text import render_text


def plain(document, path):
    path.write_text(render_text(document), encoding="utf-8")


formats.register(formats.ReportFormat(".txt", plain))

# %% [markdown]
# `result.report("result.txt")` now writes the report without its figures. A fifth of it:

# %%
import tempfile

with tempfile.TemporaryDirectory() as place:
    lines = result.report(f"{place}/result.txt").read_text().splitlines()
print("\n".join(lines[: len(lines) // 5]))
