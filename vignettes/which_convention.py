# %% [markdown]
# # Where does this number come from?
#
# *A paper, a slide or a colleague's mail says "the cross-validated MSE is 19.26909", and nothing
# else. Which folds, which seed, which average?*
#
# A cross-validated number hangs on conventions that are seldom printed: whose folds, the seed, R's
# version, which call after the seed, which average, a root or none. `find_convention` tries them.
#
# ## A number of ISLR

# %%
import pandas as pd

import pycvstat as pcv

auto = pcv.data.auto()
formula = "mpg ~ poly(horsepower, 2)"
found = pcv.find_convention("19.26909", pcv.OLS(), formula, auto, k=10, seeds=range(101))
found.drop(columns=["loss", "scale", "learner", "code"]).head()

# %% [markdown]
# The number is boot's, from the second call of `cv.glm` after `set.seed(17)`: the book's loop over
# degrees. `by_chance` says how many such rows are to be expected if the number had nothing to do
# with these conventions; far below 1 it is no accident.
#
# Each row has the line that gives the number again:

# %%
print(found["code"][0])
eval(found["code"][0], {"pcv": pcv, "data": auto})

# %% [markdown]
# ## Few digits say little
#
# The same number with three digits is met by many conventions, nearly all by chance:

# %%
rounded = pcv.find_convention("19.3", pcv.OLS(), formula, auto, k=10, seeds=range(101))
pd.DataFrame([{"rows": len(rounded), **rounded.attrs}])

# %% [markdown]
# The order of the rows is a prior that is stated and not estimated: half of the weight lies on ten
# favourite seeds such as 1, 42 and 123, four tenths on other small seeds, years and round numbers,
# the rest on the seeds up to 10,000; today's `sample` before that of R 3.5; the first call before
# later ones; the estimate that a package prints before others. A row that comes first is the first
# to check, not the truth.
#
# ## What packages print
#
# `caret::train` draws a seed for itself before it makes folds, and prints the mean of the folds'
# roots. Someone else's "RMSE = 2.623536, 5 folds" is therefore neither the root of the mean squared
# error nor on the folds of `createFolds` at that seed:

# %%
cars = pcv.data.mtcars()
caret = pcv.find_convention("2.623536", pcv.OLS(), "mpg ~ wt + hp", cars, k=5, seeds=range(101))
caret.drop(columns=["loss", "learner", "code", "repeats"]).head(3)

# %% [markdown]
# Without `seeds=` all of 0 to 10,000 are tried for least squares, whose folds have closed forms;
# learners without them try common seeds. On the command line: `pycvstat find 2.623536 cars.csv 'mpg
# ~ wt + hp' --learner ols --folds 5`.
