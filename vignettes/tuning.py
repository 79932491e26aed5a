# %% [markdown]
# # Tuning, and the bound for a development set
#
# *I choose a parameter by its error on rows that were set aside. How much worse than the best
# candidate can my choice be, and how many rows do I need?*
#
# ## A development set
#
# `Holdout` sets rows aside once. Each candidate is trained on the others and measured there.

# %%
#| caption: Error of k nearest neighbours on the development set (60 rows), trained on 240 rows.
#| alt: The error rate jumps between 0.15 and 0.30 from one k to the next; it is smallest at k = 25.
import pandas as pd

import pycvstat as pcv

data = pcv.data.labels(300, random=1)
knn = pcv.KNN(kernel="rectangular")
grid = {"k": range(1, 61, 2)}
tuned = pcv.tune(
    knn, "y ~ .", data, grid=grid, folds=pcv.Holdout(0.2, random=1), loss="zero_one", refit="train"
)
tuned.plot()

# %%
print(
    "best", tuned.best, "with error", round(tuned.estimate, 4), "on", tuned.plan.n_test[0], "rows"
)
print("tied", tuned.tied)

# %% [markdown]
# `refit="train"` keeps the predictor that was measured, trained on 240 rows; `refit="all"`, the
# default, retrains the chosen candidate on all 300, which is usually better and is no longer the
# predictor that the bound speaks of.
#
# ## The bound
#
# For losses between 0 and 1, $|\Theta|$ candidates and $m$ development rows, with probability at
# least $1 - \delta$
#
# $$\ell(A_{\hat\theta}) \;\le\; \min_{\theta} \ell(A_\theta) +
# \sqrt{\frac{2}{m} \ln\frac{2|\Theta|}{\delta}}.$$
#
# It is a statement about the predictors trained on these 240 rows, whatever the learner, and it is
# wide: it holds for every law.

# %%
m, candidates = int(tuned.plan.n_test[0]), len(tuned.candidates)
print("bound with 60 rows:", round(pcv.excess_risk_bound(m, 0.05, candidates), 3))
pd.DataFrame(
    {
        "excess risk at most": str(excess),
        "30 candidates": pcv.dev_size_needed(excess, 0.05, 30),
        "1000 candidates": pcv.dev_size_needed(excess, 0.05, 1000),
    }
    for excess in (0.2, 0.1, 0.05, 0.02)
)

# %% [markdown]
# The number of candidates enters by its logarithm: a finer grid costs little, halving the excess
# takes four times the rows. The same inequality gives an interval for the risk of the chosen
# predictor that holds although it was chosen by the smallest error.

# %%
from pycvstat.intervals import interval

found = interval(tuned.losses(), method="dev_set")
print(f"{found.estimate:.3f}, 95 % interval {found.low:.3f} to {found.high:.3f}")
print(found.estimand)

# %% [markdown]
# ## Cross-validation instead
#
# A development set is one split, and another split may choose another $k$. Cross-validation uses
# every row once for validation; the curve is an average of fold means, at training size 270.

# %%
#| caption: Ten-fold cross-validation error with one standard error. Marked is the simplest
#|   candidate (largest k) whose error is within one standard error of the smallest.
#| alt: The curve falls from 0.27 at k = 1 to 0.22 near k = 30 and stays below 0.245; k = 57 is
#|   chosen.
curve = pcv.tune(
    knn, "y ~ .", data, grid=grid, folds=pcv.KFold(10, random=1), loss="zero_one",
    rule="one_se", complexity="-k",
)  # fmt: skip
curve.plot()

# %%
chosen = {}
for seed in range(1, 21):
    for name, folds in {
        "development set": pcv.Holdout(0.2, random=seed),
        "10-fold cross-validation": pcv.KFold(10, random=seed),
    }.items():
        best = pcv.tune(knn, "y ~ .", data, grid=grid, folds=folds, loss="zero_one").best
        chosen.setdefault(name, []).append(best["k"])
pd.DataFrame(
    {"chosen by": name, "smallest k": min(ks), "median k": sorted(ks)[10], "largest k": max(ks)}
    for name, ks in chosen.items()
)

# %% [markdown]
# Over 20 seeds the development set and cross-validation choose from much of the grid, because the
# error is flat there: which $k$ is chosen matters less than its error. The error of the chosen
# candidate is too small as an estimate of its risk, for both.
# [Nested cross-validation](nested_cv.py) is the estimate to report.
