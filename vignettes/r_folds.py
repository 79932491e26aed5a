# %% [markdown]
# # Reproducing the folds of R packages
#
# *My collaborator cross-validated in R with rsample, caret, glmnet or boot after `set.seed(1)`. Can
# I get the same folds here, and hand mine over?*
#
# ## One seed, many dialects
#
# Every R package draws its folds in its own way from the same generator. `RFolds` follows each row
# for row; `seed=1` is `set.seed(1)` right before the call.

# %%
import pandas as pd

import pycvstat as pcv
from pycvstat.folds import DIALECTS

data = pcv.data.mtcars()
plans = {name: pcv.RFolds(name, 5, seed=1).plan(data, y=data["mpg"]) for name in DIALECTS}
pd.DataFrame(
    {
        "in R, after set.seed(1), k = 5": DIALECTS[name].call,
        "fold of rows 1, 2, ..., 12": " ".join(map(str, plan.fold_ids[:12])),
        "fold sizes": " ".join(map(str, plan.n_test)),
    }
    for name, plan in plans.items()
)

# %% [markdown]
# The folds were compared row for row with those that rsample, caret, glmnet, boot and kknn make,
# and with the code that makes the folds of cv, mlr3 and origami. `pycvstat crosscheck --room folds`
# repeats a part of it, live where R is installed. kknn draws its fold numbers with replacement, so
# their sizes differ.
#
# The same learner has another estimate on other folds. That is the noise of the split, not a
# disagreement of packages. Estimates are means of fold means, at about 26 training rows.

# %%
rows = []
for name, plan in plans.items():
    result = pcv.cross_validate(pcv.OLS(), "mpg ~ wt + hp", data, folds=plan)
    rows.append({"folds of": name, "mean of fold means": result.estimate, "pooled": result.pooled})
pd.DataFrame(rows)

# %% [markdown]
# Both averages are shown because packages differ in them: caret averages folds, boot weighs them by
# size, and they agree only where folds have equal sizes.
#
# ## The package's own folds in R
#
# `KFold(4, random=1)` shuffles the rows with R's `sample` and cuts near-equal chunks. A plan writes
# itself as R code, or as a table that both languages read.

# %%
plan = pcv.KFold(4, random=1).plan(12)
print(plan.to_r())

# %%
#| caption: Which rows each fold tests.
#| alt: A map of 4 folds by 32 rows; each row is tested in exactly one fold.
pcv.KFold(4, random=1).plan(data).plot()

# %% [markdown]
# ## Folds that come from R
#
# `from_r` reads what R saved: a resampling set of rsample, a list of test rows, a vector of fold
# numbers; from an RDS file, which is parsed and not evaluated, or through rpy2. Rows that R counts
# from 1 become rows counted from 0.

# %%
ids = [1, 1, 2, 2, 3, 3, 1, 2]  # fold numbers of 8 rows, as in glmnet's foldid
plan = pcv.FoldPlan.from_fold_ids(ids)
print(plan.summary())
print([test.tolist() for _, test in plan])

# %% [markdown]
# Every plan has a fingerprint of its rows. Two results whose plans have the same fingerprint were
# computed on the same folds.

# %%
same = pcv.FoldPlan.from_rows([[0, 1, 6], [2, 3, 7], [4, 5]], n=8)
print(plan.fingerprint == same.fingerprint)
