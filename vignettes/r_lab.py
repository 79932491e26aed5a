# %% [markdown]
# # An R lab, line by line
#
# *My class works through "An Introduction to Statistical Learning" in R. Can I follow its labs here
# line by line, and get the digits that the book prints, without R?*
#
# `pycvstat.r` is one session of R: `set_seed` starts its stream, and what follows draws from it in
# R's order. Functions have their R names, in a module for each package.
#
# ## Section 5.3: cross-validation and the bootstrap
#
# The lab takes one half of the cars to fit a line, and the other half to see how well it does.
#
# | in R | here |
# |---|---|
# | `set.seed(1)` | `r.set_seed(1)` |
# | `train <- sample(392, 196)` | `train = r.sample(392, 196) - 1` |
# | `lm(mpg ~ horsepower, Auto[train, ])` | `pcv.OLS().fit("mpg ~ horsepower", auto.iloc[train])` |
#
# R counts rows from 1, Python from 0: hence the `- 1`, and nothing else differs.

# %%
import numpy as np
import pandas as pd

import pycvstat as pcv
from pycvstat import r

auto = pcv.data.auto()
r.set_seed(1)
train = r.sample(392, 196) - 1
fit = pcv.OLS().fit("mpg ~ horsepower", auto.iloc[train])
test = auto.drop(index=train)
((test["mpg"] - fit.predict(test)) ** 2).mean()

# %% [markdown]
# The book prints 23.26601. Its first edition was made before R 3.6.0, whose `sample` draws
# otherwise, and prints 26.14142:

# %%
r.RNGversion("3.5.0")
r.set_seed(1)
train = r.sample(392, 196) - 1
fit = pcv.OLS().fit("mpg ~ horsepower", auto.iloc[train])
test = auto.drop(index=train)
((test["mpg"] - fit.predict(test)) ** 2).mean()

# %% [markdown]
# Leave-one-out takes no seed. Ten folds do, and the lab sets it once, before a loop over ten
# polynomials: each `cv.glm` goes on in the stream where the one before stopped. The second of
# these numbers is not the one that `set.seed(17)` right before it would give. `delta` has the mean
# over all rows (at about 353 training rows), and the same adjusted for the smaller samples.

# %%
r.RNGversion("4.2.0")
r.set_seed(17)
errors = []
for degree in range(1, 11):
    fit = pcv.OLS().fit(f"mpg ~ poly(horsepower, {degree})", auto)
    errors.append(r.boot.cv_glm(auto, fit, K=10).delta[0])
np.round(errors, 5)

# %% [markdown]
# These are the book's ten numbers. The bootstrap draws from the same stream; its print is R's, and
# so are its digits.

# %%
portfolio = pcv.data.portfolio()


def alpha(data, rows):
    (x, both), (_, y) = np.cov(data.to_numpy()[rows].T)
    return (y - both) / (x + y - 2 * both)


r.set_seed(7)
alpha(portfolio, r.sample(100, 100, replace=True) - 1)
r.boot.boot(portfolio, alpha, 1000)

# %% [markdown]
# ## Section 6.5: ridge regression and the lasso
#
# `cv.glmnet` needs a matrix of numbers, as in R. Its digits hang on glmnet's own steps: where it
# stops, and in which order it takes the predictors. `r.glmnet` takes these steps; `pcv.Lasso`
# solves the same problem to the last digits instead.

# %%
hitters = pcv.data.hitters().dropna()
codes = {"League": "N", "Division": "W", "NewLeague": "N"}
x = hitters.assign(**{name: (hitters[name] == one) * 1.0 for name, one in codes.items()})
x, y = x.drop(columns="Salary"), hitters["Salary"].to_numpy()
grid = 10 ** np.linspace(10, -2, 100)

r.set_seed(1)
train = r.sample(263, 131) - 1
test = np.setdiff1d(np.arange(263), train)
lasso = r.glmnet.glmnet(x.iloc[train], y[train], lambda_=grid)
r.set_seed(1)
cv = r.glmnet.cv_glmnet(x.iloc[train], y[train])
cv

# %%
((lasso.predict(x.iloc[test], s=cv.lambda_min) - y[test]) ** 2).mean()

# %% [markdown]
# The book prints 143673.6, and for the fit of all rows at that penalty eleven coefficients that are
# not zero:

# %%
coefficients = r.glmnet.glmnet(x, y, lambda_=grid).coef(s=cv.lambda_min)
coefficients[coefficients != 0].to_frame("coefficient")

# %% [markdown]
# ## Beyond the lab
#
# The lab's numbers are points. `cross_validate` keeps every loss of the same folds, and says how
# certain their mean is; `to_r(style="course")` hands a short script back to the class.

# %%
result = pcv.cross_validate(
    pcv.OLS(), "mpg ~ poly(horsepower, 2)", auto, folds=pcv.RFolds("boot", 10, seed=17)
)
pd.DataFrame(result.interval().tidy())

# %% [markdown]
# The numbers of this page and of other books and courses are computed anew in the
# [gallery](gallery.md); `pycvstat gallery islr-5.3.3` prints one beside the published digits.
