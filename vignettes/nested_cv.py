# %% [markdown]
# # Nested cross-validation, and the bias of the minimum
#
# *I tuned by cross-validation. May I report the smallest error, and if not, what does nested
# cross-validation tell me?*
#
# ## One picture
#
# Four numbers are easily confused. For $k$ nearest neighbours with $k$ from 1 to 30 on 80 rows, 8
# outer and 5 inner folds, averaged over simulated data sets:

# %%
#| caption: Means over 3000 simulated data sets of 80 rows, recorded with their seed; the numbers in
#|   brackets are gaps to the risk of the tuned procedure.
#| alt: From left to right: the smallest cross-validation estimate and the oracle lie below the risk
#|   of the tuned procedure; nested cross-validation agrees with it within Monte Carlo error.
import pandas as pd
from record_quantities import RUNS, recorded

import pycvstat as pcv
from pycvstat.simulate import TuningQuantities

bumps = TuningQuantities(**recorded("tuning: bumps, n = 80"), n=80, n_train=70)
bumps.plot()

# %% [markdown]
# - The **oracle** $E[\min_\theta \ell(A_\theta(S))]$ is the mean risk of the best candidate of each
#   training set. No procedure reaches it; it is a lower bound.
# - The **risk of the tuned procedure** $E[\ell(A_{\hat\theta(S)}(S))]$ is what a user gets who
#   tunes on $S$ and trains on $S$. Its distance from the oracle is the price of choosing on a
#   sample.
# - **Nested cross-validation** estimates the risk of the tuned procedure, at the outer training
#   size of 70 rows, without bias.
# - The **smallest cross-validation estimate** is computed on all rows (5 folds, training size 64).
#   It is too small: the minimum of noisy numbers lies below the one of the best candidate.

# %%
print(bumps.summary())
gap, error = bumps.nested_bias.mean, bumps.nested_bias.std_error
print(f"\nnested minus risk of the tuned procedure: {gap:+.4f}, standard error {error:.4f}")

# %% [markdown]
# A small part again, with another seed, run while this page was made:

# %%
name = "tuning: bumps, n = 80"
again, before = RUNS[name].repeat(40, seed=7), recorded(name)
for quantity in ("tuned", "nested", "min_cv"):
    a, b = again[quantity], before[quantity]
    errors = (a.mean - b.mean) / (a.std_error**2 + b.std_error**2) ** 0.5
    print(f"{quantity:7} now {a.mean:.3f}, recorded {b.mean:.3f}: {errors:+.1f} standard errors")

# %% [markdown]
# ## Where there is nothing to learn
#
# The bias is easiest to see when the classes do not depend on the predictors, so that every
# classifier is wrong half of the time.

# %%
#| caption: Error rates without signal, 40 rows, over 2000 simulated data sets.
#| alt: Oracle, tuned risk and nested cross-validation lie at one half; the smallest
#|   cross-validation estimate lies clearly below.
nothing = TuningQuantities(**recorded("tuning: no signal, n = 40"), n=40, n_train=35)
nothing.plot()

# %% [markdown]
# ## On one data set
#
# `nested_cv` tunes anew inside every outer fold. Its estimate is the mean of the outer fold means;
# the interval is the corrected resampled t of Nadeau and Bengio, which allows for the overlap of
# training sets, on the scale of logarithms.

# %%
data = pcv.data.waves(120, random=3)
result = pcv.nested_cv(
    pcv.KNN(kernel="rectangular"), "y ~ .", data, grid={"k": range(1, 31)},
    outer=pcv.Blocks(8), inner=pcv.Blocks(5),
)  # fmt: skip
print(result.summary())

# %%
#| caption: Outer and inner folds.
#| alt: Eight outer folds, each of which tests an eighth of the rows; within the training rows of
#|   the first, five inner folds validate.
result.plot("diagram")

# %%
#| caption: Inner cross-validation curve of each outer fold, and the k that it chose.
#| alt: Eight curves of similar shape with minima near k = 5.
result.plot("curves")

# %% [markdown]
# ## The cheap variant
#
# `inner="dev"` replaces the inner cross-validation by one development set of the size of an outer
# fold. It estimates the risk of another tuned procedure, one that tunes on a single split.

# %%
rows = []
for name, inner in {"5-fold inside": pcv.Blocks(5), "development set inside": "dev"}.items():
    found = pcv.nested_cv(
        pcv.KNN(kernel="rectangular"), "y ~ .", data, grid={"k": range(1, 31)},
        outer=pcv.KFold(8, random=1), inner=inner,
    )  # fmt: skip
    rows.append({"inner": name, "estimate": found.estimate, "chosen k": str(found.chosen["k"])})
pd.DataFrame(rows)

# %% [markdown]
# Other corrections of the minimum, which need no second loop, are the bias estimate of Tibshirani
# and Tibshirani and the bootstrap BBC-CV; see [intervals and their coverage](intervals.py).
# "Nested cross-validation" in Bates, Hastie and Tibshirani is something else: a way to estimate the
# variance, here `NestedPairs`.
