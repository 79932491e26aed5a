# %% [markdown]
# # Choosing a model and saying how sure you are
#
# *I have several formulas, or several models, and choose one by cross-validation. How do I report
# the choice without fooling myself?*
#
# ## Formulas as candidates
#
# A formula is a parameter of every learner, beside its others. Here eight formulas for the fuel
# consumption of 32 cars, measured on the same ten folds; estimates are means of fold means at
# training size 28 to 29.

# %%
import pycvstat as pcv

cars = pcv.data.mtcars()
folds = pcv.KFold(10, random=1)
right = ["wt", "wt + qsec", "wt + am", "wt + qsec + am", "wt + cyl", "wt + cyl + hp", "hp + disp",
         "cyl + disp"]  # fmt: skip
formulas = [f"mpg ~ {terms}" for terms in right]
tuned = pcv.tune(pcv.OLS(), data=cars, grid={"formula": formulas}, folds=folds)
tuned.tidy()

# %% [markdown]
# `tuned.estimate` is the smallest of eight numbers, each with its own noise, so it flatters the
# winner. What the *procedure* "try eight formulas, take the best" will do on new cars is what
# nested cross-validation measures: it tries all eight again on the training rows of every outer
# fold.

# %%
nested = pcv.nested_cv(
    pcv.OLS(), data=cars, grid={"formula": formulas}, outer=folds, inner=pcv.KFold(10)
)
print("the smallest estimate:", round(tuned.estimate, 3))
print("the procedure:        ", round(nested.estimate, 3))
nested.selection()

# %% [markdown]
# The procedure is a third worse than the estimate that made the choice, and it does not choose the
# same formula in every fold.
#
# ## Models with formulas of their own
#
# `Model` gives a learner its own formula. Any models of one response can then be compared on one
# data frame: the response must be the same, not transformed in one of them, since their losses
# would not be comparable; and a row that misses a value in a column of one formula is left out for
# all.

# %%
#| caption: Mean squared error of four models of mpg with 95 % intervals, on the same ten folds.
#| alt: The neighbours have the smallest error, then the two lines and the line; the mean alone is
#|   far worse.
models = {
    "line": pcv.Model(pcv.OLS(), "mpg ~ wt"),
    "two lines": pcv.Model(pcv.OLS(), "mpg ~ wt * am"),
    "neighbours": pcv.Model(pcv.KNN(5), "mpg ~ wt + hp"),
    "mean": pcv.Model(pcv.Mean(), "mpg ~ 1"),
}
compared = pcv.compare(models, data=cars, folds=folds)
compared.plot()

# %% [markdown]
# A list or a dict of models in the place of a learner is *one of them*, to be chosen: `tune` takes
# the best, `nested_cv` estimates the risk of choosing so (what R's package cv calls meta
# cross-validation).

# %%
chosen = pcv.tune(models, data=cars, folds=folds)
choosing = pcv.nested_cv(models, data=cars, outer=folds, inner=pcv.KFold(10))
print("chosen:", chosen.best["model"], "with", round(chosen.estimate, 3))
print("the risk of choosing among the four:", round(choosing.estimate, 3))
choosing.selection()

# %% [markdown]
# Here every outer fit chooses the neighbours, so nothing was lost by choosing. In R the package cv
# does this by `cv(models(...), meta = TRUE)`; `r.cv` has it under its names, on cv's own folds and
# with its digits.
#
# ## Stepwise selection is part of the fit
#
# `Stepwise` selects terms by AIC or BIC as R's `step` does, and shows the way that it took.

# %%
stepwise = pcv.Stepwise(pcv.OLS(), "both")
fitted = stepwise.fit("mpg ~ .", cars)
print(fitted.formula)
fitted.path

# %% [markdown]
# The selected formula, cross-validated as if somebody had given it, looks good. But the same 32
# cars chose it. Cross-validation of the learner `Stepwise` makes the selection anew on the training
# rows of every fold, and so measures the procedure.

# %%
as_given = pcv.cross_validate(pcv.OLS(), fitted.formula, cars, folds=folds)
procedure = pcv.cross_validate(stepwise, "mpg ~ .", cars, folds=folds)
print("the selected formula:", round(as_given.estimate, 3))
print("the procedure:       ", round(procedure.estimate, 3))
procedure.tidy("folds")[["fold", "estimate", "selected"]]

# %% [markdown]
# The ten training sets share most of their cars, and lead to six different sets of columns.
# Standard errors and tests of the last model are those of a model that was given, and too small.
#
# ## How sure is the choice?
#
# Every tuning knows how its winner stands: whether it is the smallest or largest value of the grid,
# with how many others it ties, and whether its lead over the next is more than the noise of the
# split (the naive standard error of the difference of fold means, a guide and no test). Summaries
# and reports say so; in nested cross-validation with the share of outer fits.

# %%
ridge = pcv.tune(pcv.Ridge(), "mpg ~ .", cars, grid={"lam": [0.01, 0.1, 0.5, 1.0]}, folds=folds)
print(ridge.standing)
print(tuned.standing)

# %% [markdown]
# ## Which candidates are not shown to be worse
#
# One of them has the smallest estimate, but which others could be as good? `confidence_set` tests
# for every candidate whether some other has a smaller risk (Lei's cross-validation with
# confidence: the multiplier bootstrap of the losses, centred within folds). What is left is not
# shown to be worse, which is not the same as shown to be equally good. The set says what it
# assumes.

# %%
#| caption: Mean squared error by k; filled are the candidates that are not shown to be worse.
#| alt: The curve is flat around its minimum; a run of candidates there is filled.
waves = pcv.data.waves(200, random=1)
knn = pcv.tune(
    pcv.KNN(kernel="rectangular"), "y ~ .", waves, grid={"k": range(1, 41)},
    folds=pcv.KFold(10, random=1),
)  # fmt: skip
knn.plot("curve", confidence_set=0.95)

# %%
plausible = compared.confidence_set(level=0.95)
print(plausible.summary())

# %% [markdown]
# How often does the set hold the best candidate? In six scenarios with known risks (400 data sets
# each, recorded with their seeds by `vignettes/record_selection.py`) the candidate with the
# smallest risk on average is inside at least as often as the level of 95 % says. The best for the
# fits of each single data set is another candidate from one data set to the next; for lassos it is
# inside less often, which is what the section on stability is about.

# %%
import json
from pathlib import Path

import pandas as pd

recorded = json.loads(Path("recorded", "selection.json").read_text())
simulated = pd.DataFrame(recorded["confidence_sets"]).T
simulated[["candidates", "size", "best_on_average", "best"]].astype(float).round(3)

# %% [markdown]
# ## Is the comparison stable?
#
# Intervals and tests from cross-validation assume that a single training row changes the losses
# little, compared with how they vary from row to row. Two lassos are each stable alone, and their
# *difference* is not (Bayle, Janson and Mackey 2025): `paired` warns of that, and `stability()`
# measures it by replacing training rows one at a time.

# %%
import warnings

import numpy as np

rng = np.random.default_rng(5)
sparse = pd.DataFrame(rng.normal(size=(200, 5)), columns=list("abcde"))
sparse["y"] = sparse["a"] + 0.5 * sparse["b"] + rng.normal(size=200)
learners = {
    "least squares": pcv.OLS(),
    "ridge": pcv.Ridge(0.1),
    "lasso .035": pcv.Lasso(0.035),
    "lasso .042": pcv.Lasso(0.042),
}
four = pcv.compare(learners, "y ~ .", sparse, folds=pcv.KFold(10, random=1))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    four.paired("lasso .035", "lasso .042")
print(said[-1].message)
four.stability().tidy()[["a", "b", "ratio", "stable"]].round(2)

# %% [markdown]
# ## Would another split have said something else?
#
# The folds were drawn by seed 1. `multiverse` repeats the analysis with other seeds, numbers of
# folds and repeats, and counts the conclusions. The shares describe how much a conclusion hangs on
# the split; they are no probability that it is true. Given to a report
# (`compared.report("cars.html", include=[splits])`) it becomes a section of its own.

# %%
#| caption: Least squares on one line minus two lines, 95 % intervals by way to split; dark where
#|   the split tells a difference.
#| alt: The intervals of most splits hold zero, and those of some do not.
splits = pcv.multiverse(
    {name: models[name] for name in ("line", "two lines")}, data=cars,
    folds=[pcv.KFold(5), pcv.KFold(10), pcv.Repeated(pcv.KFold(10), 5)], seeds=range(30),
)  # fmt: skip
splits.plot()

# %%
splits.tidy("conclusions").query("b != ''")[["folds", "conclusion", "splits", "share"]]

# %% [markdown]
# ## Resamples with replacement
#
# A bootstrap draws as many rows as there are and tests on those left out. Besides the mean over
# resamples (caret's `"boot"`), the result has what the literature makes of the same fits: the
# leave-one-out bootstrap, .632, .632+ (Efron and Tibshirani) and the optimism-corrected error
# (Harrell; `rms::validate` on the same draws), each with the interval that its literature gives,
# or none and why.

# %%
boot = pcv.cross_validate(pcv.OLS(), "mpg ~ wt + am", cars, folds=pcv.Bootstrap(200, random=1))
boot.tidy("bootstrap")[["method", "estimate", "std_error", "conf_low", "conf_high", "notes"]]

# %% [markdown]
# These are no equals. Where fits follow their training rows closely (one nearest neighbour), the
# optimism-corrected error and its location-shifted interval fail, .632+ is better, and only the
# leave-one-out bootstrap covers the risk of the fit to all rows; it is in turn too large where a
# fit still learns from more rows. Shares of 200 data sets in which a 95 % interval holds the risk:

# %%
rows = [
    {"scenario": name, "method": method, "mean estimate": values[0], "mean risk": values[2],
     "coverage": values[1]}
    for name, found in recorded["resampled"].items()
    for method, values in found["means"].items()
]  # fmt: skip
pd.DataFrame(rows).round(3)
