# %% [markdown]
# # What does cross-validation estimate?
#
# *I have a cross-validation estimate. Of which quantity, and at which sample size?*
#
# Let $A(S)$ be the predictor that a learner $A$ makes of a sample $S$ of $m$ rows, and $\ell(h)$
# the risk of a predictor $h$: its expected loss on a new row. Four quantities are of interest, and
# each has its own estimator.
#
# | quantity | in words | estimator |
# |:--|:--|:--|
# | $\ell(A(S))$ | risk of this predictor | test error |
# | $\min_\theta \ell(A_\theta(S))$ | best predictor tuning on $S$ can reach | development set |
# | $E[\ell(A(S))]$ | risk of the typical predictor trained on $m$ rows | cross-validation |
# | $E[\min_\theta \ell(A_\theta(S))]$ | the same, $\theta$ tuned on the training rows | nested CV |
#
# Cross-validation averages over training sets: it belongs to the third row. The simulations below
# draw data from known laws, so that every risk is known up to Monte Carlo error.

# %%
import pandas as pd
from record_quantities import RUNS, recorded

import pycvstat as pcv
from pycvstat.simulate import bias_variance, risk_decomposition, sine, two_classes

# %% [markdown]
# ## Theorem 1
#
# *Leave-one-out on $m + 1$ rows has the mean of the risk after training on $m$ rows*:
#
# $$E[\mathrm{LOO}_{m+1}] = E[\ell(A(S_m))].$$
#
# K-fold cross-validation does the same one level up: on $n$ rows it estimates the risk at
# $n(1 - 1/K)$ rows. All estimates are means of fold means.

# %%
#| caption: Mean over 1500 to 3000 data sets of the estimate and of the risk that it estimates,
#|   recorded with their seeds; the last column is the difference in Monte Carlo standard errors.
names = ["theorem 1: 5-NN, 40 rows", "theorem 1: OLS, 20 rows", "5-fold on 50 rows: 5-NN"]
runs = {name: recorded(name) for name in names}
pd.DataFrame(
    {
        "simulation": name,
        "estimate": run["estimate"].mean,
        "risk": run["truth"].mean,
        "difference": run["difference"].mean,
        "in errors": run["difference"].mean / run["difference"].std_error,
    }
    for name, run in runs.items()
)

# %% [markdown]
# The first and the last row estimate the same risk: 5 nearest neighbours after training on 40 rows.
# A small part of the second again, with five other seeds, run while this page was made:

# %%
#| caption: Leave-one-out of least squares on 21 rows, mean over 100 data sets by seed, and its
#|   difference from the recorded mean in standard errors.
before = runs["theorem 1: OLS, 20 rows"]["estimate"]
rows = []
for seed in range(1, 6):
    now = RUNS["theorem 1: OLS, 20 rows"].repeat(100, seed=seed)["estimate"]
    error = (now.std_error**2 + before.std_error**2) ** 0.5
    rows.append({"seed": seed, "now": now.mean, "in errors": (now.mean - before.mean) / error})
pd.DataFrame(rows)

# %% [markdown]
# ## The training size matters
#
# On one data set one can see how the risk depends on the training size. Cross-validation with few
# folds trains on fewer rows than there are, and is pessimistic by the slope of this curve.

# %%
#| caption: Ten-fold cross-validation errors of 5 nearest neighbours on nested training sets; the
#|   test rows of a fold stay the same.
#| alt: The test error falls as the number of training rows grows from 20 to 180.
data = pcv.data.waves(200, random=1)
knn = pcv.KNN(k=5, kernel="rectangular")
pcv.learning_curve(
    knn, "y ~ .", data, sizes=[20, 40, 60, 90, 120, 150, 180], folds=pcv.KFold(10, random=1)
).plot()

# %% [markdown]
# ## Two decompositions, not to be confused
#
# **Bias and variance** split the expected squared error of a learner over training sets:
# noise + variance + squared bias. Small $k$ has variance, large $k$ has bias.

# %%
#| caption: Parts of the expected squared error of k nearest neighbours trained on 100 rows, from
#|   100 simulated training sets.
#| alt: Variance falls with k, squared bias rises; their sum with the noise is smallest near k = 7.
parts = bias_variance(
    sine(), pcv.KNN(kernel="rectangular"), 100, grid={"k": range(1, 41)}, replications=100
)
parts.plot()

# %% [markdown]
# **Estimation, approximation and Bayes error** split the risk of choosing from a finite class $H$
# by the smallest error on $m$ rows: what is lost by choosing on a sample, what the class cannot
# reach, and what nobody can. With probability at least $1 - \delta$ the first is at most
# $\sqrt{(2/m) \ln(2|H|/\delta)}$ for losses in $[0, 1]$.

# %%
steps = [lambda X, t=t: (X[:, 0] > t).astype(float) for t in (-1.5, -1.0, -0.5, 0.4, 0.8, 1.2)]
risk = risk_decomposition(two_classes(), steps, m=100, replications=300)
print(f"estimation     {risk.estimation.mean:.4f}   bound {risk.bound:.4f}")
print(f"approximation  {risk.approximation:.4f}")
print(f"Bayes          {risk.bayes:.4f}")
print(f"risk           {risk.risk:.4f}")

# %% [markdown]
# ## See also
#
# [Tuning and the development set](tuning.py) for the second quantity, and
# [nested cross-validation](nested_cv.py) for the fourth.
