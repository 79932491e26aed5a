# %% [markdown]
# # What other packages compute from the same losses
#
# *mlxtend, baycomp or scikit-learn gives me another number than this package. Is one of us wrong?*
#
# Hardly ever: the formulas differ, and on the same folds each difference is that of the formulas.
# Two linear models of fuel consumption, weight and power against weight alone, are compared on ten
# folds of scikit-learn; the estimates are means of fold means, at about 29 training rows.

# %%
from dataclasses import replace

import baycomp
import numpy as np
import pandas as pd
from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_5x2cv, paired_ttest_kfold_cv
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split

import pycvstat as pcv

cars = pcv.data.mtcars()
X, y = cars[["wt", "hp"]].to_numpy(), cars["mpg"].to_numpy()


class Weight(LinearRegression):
    """Least squares on the first column alone."""

    def fit(self, X, y):
        return super().fit(X[:, :1], y)

    def predict(self, X):
        return super().predict(X[:, :1])


def score(estimator, X, y):
    return -np.mean((y - estimator.predict(X)) ** 2)


models = {"wt, hp": LinearRegression(), "wt": Weight()}
folds = KFold(10, shuffle=True, random_state=1)
both = pcv.compare(models, X=X, y=y, folds=folds)
ours = both.paired("wt", "wt, hp", method="corrected_t")

# %% [markdown]
# ## mlxtend: the t test without the correction
#
# `paired_ttest_kfold_cv` divides the standard deviation of the $J$ differences by $\sqrt{J}$, as if
# folds shared no training rows. Ours has $\sqrt{1/J + 1/(K-1)}$ instead of $\sqrt{1/J}$ (Nadeau and
# Bengio, 2003). Multiplied by the ratio of the two, mlxtend's t is ours.

# %%
given = {"X": X, "y": y, "scoring": score}
t, p = paired_ttest_kfold_cv(*models.values(), cv=10, shuffle=True, random_seed=1, **given)
ratio = np.sqrt((1 / 10) / (1 / 10 + 1 / 9))
pd.DataFrame(
    {
        "": ["mlxtend", "mlxtend times the ratio", "corrected_t"],
        "t": [t, t * ratio, ours.statistic],
        "p value": [p, np.nan, ours.p_value],
    }
)

# %%
assert np.isclose(t * ratio, ours.statistic, rtol=1e-9)

# %% [markdown]
# ## baycomp: the same t distribution, read as a posterior
#
# `CorrelatedTTest` has the mean, the variance and the degrees of freedom of the corrected t, with
# the correlation $1/K$; what it calls the probability that one method is worse is the tail that the
# test calls half of its p value.

# %%
errors = [both[name].fold_errors for name in ("wt", "wt, hp")]
posterior = baycomp.CorrelatedTTest(*errors)
pd.DataFrame(
    {
        "": ["baycomp", "corrected_t"],
        "difference": [-posterior.mean, ours.estimate],
        "variance": [posterior.var, ours.interval.std_error**2],
        "df": [posterior.df, ours.interval.df],
        "tail": [min(posterior.probs()), ours.p_value / 2],
    }
)

# %%
assert np.isclose(posterior.var, ours.interval.std_error**2, rtol=1e-9)
assert np.isclose(min(posterior.probs()), ours.p_value / 2, rtol=1e-9)

# %% [markdown]
# ## mlxtend: 5x2
#
# Dietterich's t and Alpaydin's F on the halves that mlxtend draws, which are given to ours as a
# plan: the same numbers, the sign aside, which says who comes first.

# %%
draw, halves = np.random.RandomState(3), []
for _ in range(5):
    drawn = {"test_size": 0.5, "random_state": draw.randint(low=0, high=32767)}
    one, two = train_test_split(np.arange(len(y)), **drawn)
    halves += [(one, two), (two, one)]
plan = replace(pcv.FoldPlan.from_splits(halves, len(y)), kind="five_by_two")
on_halves = pcv.compare(models, X=X, y=y, folds=plan)
tests = {"five_by_two_t": paired_ttest_5x2cv, "five_by_two_f": combined_ftest_5x2cv}
theirs = {name: test(*models.values(), random_seed=3, **given) for name, test in tests.items()}
own = {name: on_halves.paired("wt", "wt, hp", method=name) for name in tests}
pd.DataFrame(
    {
        "": list(tests),
        "mlxtend": [theirs[name][0] for name in tests],
        "here": [own[name].statistic for name in tests],
        "p, mlxtend": [theirs[name][1] for name in tests],
        "p, here": [own[name].p_value for name in tests],
    }
)

# %%
assert all(np.isclose(theirs[name][1], own[name].p_value, rtol=1e-8) for name in tests)

# %% [markdown]
# ## scikit-learn: nested cross-validation
#
# `GridSearchCV` inside `cross_val_score` is nested cross-validation with the mean of fold means. On
# the same outer and inner folds it is `nested_cv`'s estimate; the mean over observations, which
# some R packages print, weighs folds by their size.

# %%
inner, grid = KFold(5), {"alpha": [0.1, 10.0, 1000.0]}
tuned = GridSearchCV(Ridge(), grid, cv=inner, scoring="neg_mean_squared_error")
sklearn = -cross_val_score(tuned, X, y, cv=folds, scoring="neg_mean_squared_error")
nested = pcv.nested_cv(Ridge(), X=X, y=y, grid=grid, outer=folds, inner=inner)
pd.DataFrame(
    {
        "": ["scikit-learn", "nested_cv, mean of fold means", "nested_cv, mean over observations"],
        "squared error": [sklearn.mean(), nested.estimate, nested.pooled],
    }
)

# %%
assert np.isclose(sklearn.mean(), nested.estimate, rtol=1e-9)

# %% [markdown]
# ## NCV: two versions of the bias correction
#
# The authors' code of NCV (Bates, Hastie and Tibshirani) corrects the bias by the factor
# $1 + ((K-2)/K)^{1.5}$, their paper and mlr3inferr by $1 + (K-2)/K$. Both are here:
# `bias="authors"`, the default, and `bias="paper"`; only the centre of the interval moves.

# %%
pairs = pcv.cross_validate(
    LinearRegression(), X=X, y=y, folds=pcv.NestedPairs(5, repeats=150, random=1)
)
rows = []
for bias in ("authors", "paper", "none"):
    found = pairs.interval(method="ncv", bias=bias)
    row = {"bias": bias, "centre": found.estimate, "low": found.low, "high": found.high}
    rows.append(row)
pd.DataFrame(rows)
