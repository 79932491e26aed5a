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
#| alt: The two lines and the neighbours lie between 6 and 10 miles squared; the mean alone is far
#|   worse.
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
