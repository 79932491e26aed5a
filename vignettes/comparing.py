# %% [markdown]
# # Comparing methods
#
# *I have several methods. Which has the smallest risk, and is the difference more than noise?*
#
# ## The same folds for all
#
# `compare` runs every method on identical folds, so that losses can be paired. A method that has to
# be tuned enters as `Tuned`: it tunes anew on the training rows of each outer fold (nested
# $K_1$-$K_2$ cross-validation for $J$ methods). Estimates are means of fold means at training size
# 180.

# %%
import pycvstat as pcv

data = pcv.data.waves(200, random=1)
knn = pcv.Tuned(pcv.KNN(kernel="rectangular"), {"k": range(1, 31)}, inner=pcv.Blocks(5))
methods = {
    "kNN, tuned": knn,
    "least squares": pcv.OLS(),
    "ridge": pcv.Ridge(lam=0.1),
    "mean": pcv.Mean(),
}
both = pcv.compare(methods, "y ~ .", data, folds=pcv.Repeated(pcv.KFold(10), times=5, random=1))
both.tidy()[["method", "estimate", "std_error", "conf_low", "conf_high", "target"]]

# %%
#| caption: Mean squared error of each method with its 95 % interval (log-scale corrected t, 5x10
#|   folds).
#| alt: Tuned k nearest neighbours have the smallest error; least squares and ridge agree; the
#|   mean is far worse.
both.plot()

# %% [markdown]
# ## Differences, not overlapping intervals
#
# The intervals of two methods share the noise of the rows. Much of it cancels in their difference,
# which is therefore known better than the overlap of the intervals suggests.

# %%
print(both.paired("kNN, tuned", "least squares").summary())

# %%
#| caption: Differences fold by fold, their mean and its interval.
#| alt: Most of the 50 differences are negative; the interval of the mean lies left of zero.
both.plot("paired", a="kNN, tuned", b="least squares")

# %% [markdown]
# All pairs, with p values adjusted for their number (Holm):

# %%
both.pairs()[["a", "b", "estimate", "conf_low", "conf_high", "target", "p_value", "p_adjusted"]]

# %% [markdown]
# ## How often such tests err
#
# Two least squares models of equal risk: a test at 5 % should find a difference in 5 % of data
# sets. Recorded with its seeds, 2000 data sets each; the last column is the power at $n = 100$
# against a real difference.

# %%
#| caption: Share of data sets in which the test at 5 % finds a difference.
from recorded_runs import runs

scenarios = {
    "two OLS, n = 50, effect 0": "n = 50",
    "two OLS, n = 100, effect 0": "n = 100",
    "two OLS, n = 300, effect 0": "n = 300",
    "two OLS, n = 100, effect 0.2": "n = 100, power",
}
paired = runs("paired").assign(scenario=lambda table: table["scenario"].map(scenarios))
paired.pivot_table(
    index="label", columns="scenario", values="excludes_zero", sort=False
).rename_axis("test")

# %% [markdown]
# The uncorrected resampled t takes overlapping training sets for independent ones, and finds a
# difference in more than half of the data sets where there is none.
#
# ## The benchmark protocol
#
# Split into training, validation and test rows; tune each method on training and validation rows;
# retrain on both; compare on the test rows; repeat over random splits. In the terms of this package
# that is `compare` of tuned learners over subsampling, with a development set inside.

# %%
result = pcv.benchmark(
    {"knn": (pcv.KNN(kernel="rectangular"), {"k": range(1, 31)}), "ols": pcv.OLS()},
    "y ~ .", data, times=25, random=1,
)  # fmt: skip
print("best:", result.best, "| folds:", result.plan.recipe)
result.tidy()[["method", "estimate", "conf_low", "conf_high", "target"]]

# %% [markdown]
# The method with the smallest estimate is a choice too: with many methods its estimate is too small
# for the same reason as the [minimum over a grid](nested_cv.py). To use it, tune it once more on
# all rows.
#
# ## Losses from elsewhere
#
# Intervals and tests need losses and folds only. `from_losses` takes those that anything else has
# computed.

# %%
once = pcv.compare(methods, "y ~ .", data, folds=pcv.KFold(10, random=1))
names = ("kNN, tuned", "least squares")
losses = {name: once[name].table.per_row()[:, 0] for name in names}  # one loss per row
ids = once.plan.fold_ids  # the fold of each row, from 1
difference = pcv.from_losses(losses, ids).paired(*names)
print(f"{difference.estimate:.4f}, p = {difference.p_value:.4f}")
print(f"{once.paired(*names).estimate:.4f}, p = {once.paired(*names).p_value:.4f}")
