# %% [markdown]
# # Your statsmodels model, cross-validated
#
# *My model is in statsmodels: counts with an exposure, patients with several visits, grades in
# order, a series in time. How well does it predict rows that it has not seen?*
#
# A formula function of statsmodels, or a class, is a learner as it is. Arguments of the model are
# named in `Statsmodels`; a text is the name of a column, which follows its rows into every fit and
# every prediction. The formula is R's, and so are the folds.
#
# Estimates below are means of the fold means; under ten folds they are about models trained on nine
# tenths of the rows.
#
# ## Counts with an exposure

# %%
import warnings

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.tsa.ar_model import AutoReg

import pycvstat as pcv

draw, n = pcv.RRandom(1), 400
age, years = draw.runif(n, 20, 80), draw.runif(n, 0.5, 4)
rate = np.exp(-1 + 0.03 * age) * draw.rexp(n)
visits = pd.DataFrame({"age": age, "years": years, "count": np.floor(rate * years)})

poisson = pcv.Statsmodels(smf.glm, family=sm.families.Poisson(), exposure="years")
negative = pcv.Statsmodels(smf.negativebinomial, exposure="years", fit={"maxiter": 500})
blind = pcv.Statsmodels(smf.glm, family=sm.families.Poisson())

folds = pcv.KFold(10, random=1)
counts = pcv.compare(
    {"Poisson": poisson, "negative binomial": negative, "without exposure": blind},
    "count ~ age",
    visits,
    folds=folds,
    loss="poisson",
)
counts.tidy()[["method", "estimate", "std_error", "conf_low", "conf_high"]]

# %% [markdown]
# The loss is the Poisson deviance. The two models with an exposure predict alike: the negative
# binomial changes the standard errors more than the means. Leaving the exposure out costs much
# more than the choice of the family.
#
# A fit to all rows hands out statsmodels' own results.

# %%
fitted = poisson.fit("count ~ age", visits)
print(fitted.summary().tables[1])

# %% [markdown]
# ## Patients with several visits
#
# A mixed model predicts rows of new patients by its fixed effects. If the folds split patients, the
# estimate is about new visits of known patients, for which the fixed effects are still what is
# predicted; folds by patient ask the question that is usually meant.

# %%
patients = np.repeat(np.arange(60), 5)
level = draw.rnorm(60)[patients]
dose = draw.runif(300)
answers = pd.DataFrame({"patient": patients, "dose": dose})
answers["score"] = 2 + 1.5 * dose + level + 0.5 * draw.rnorm(300)

mixed = pcv.Statsmodels(smf.mixedlm, groups="patient")
clustered = pcv.OLS(cov_type="cluster", cov_kwds={"groups": "patient"})
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    in_mixed = mixed.fit("score ~ dose", answers).tidy()
    by_patient = pcv.compare(
        {"mixed model": mixed, "least squares": pcv.OLS()},
        "score ~ dose",
        answers,
        folds=10,
        groups="patient",
    )
print("warning:", heard[0].message)
by_patient.tidy()[["method", "estimate", "std_error"]]

# %% [markdown]
# The two predict alike; where they differ is in what they say about the slope.

# %%
slopes = {
    "mixed model": in_mixed.iloc[1],
    "least squares": pcv.OLS().fit("score ~ dose", answers).tidy().iloc[1],
    "clustered by patient": clustered.fit("score ~ dose", answers).tidy().iloc[1],
}
pd.DataFrame(slopes).T[["estimate", "std_error", "conf_low", "conf_high"]]

# %% [markdown]
# ## Grades in order
#
# A model for ordered classes gives their probabilities, and the log loss measures them. It needs
# fewer parameters than a multinomial logit, which does not use the order.

# %%
chance = draw.runif(300)
worse = 1.2 * dose + np.log(chance / (1 - chance))
answers["grade"] = pd.Categorical.from_codes(
    np.digitize(worse, [-0.5, 1.0, 2.0]), ["none", "mild", "fair", "grave"], ordered=True
)
ordered = pcv.Statsmodels(OrderedModel, distr="logit", fit={"method": "bfgs"})
grades = pcv.compare(
    {"proportional odds": ordered, "multinomial": smf.mnlogit, "shares": pcv.Mean()},
    "grade ~ dose",
    answers,
    folds=folds,
    loss="log",
)
grades.tidy()[["method", "estimate", "std_error"]]

# %%
#| caption: Log losses of three ways to predict the grade, with 95% intervals.
#| alt: Three intervals that overlap; proportional odds has the smallest mean log loss.
grades.plot()

# %% [markdown]
# ## A penalty to choose
#
# A parameter of a grid reaches the argument of that name: of the model, of its fit, or of its
# regularised fit, which an argument that only that has, such as `alpha`, asks for. Fits that did
# not converge are counted in a warning: with statsmodels' 50 steps these would not have.

# %%
cars = pcv.data.mtcars()
formula = "mpg ~ " + " + ".join(f"scale({name})" for name in ("wt", "hp", "qsec", "drat"))
lasso = pcv.Statsmodels(smf.ols, fit={"maxiter": 500, "L1_wt": 1.0})
tuned = pcv.tune(lasso, formula, cars, grid={"alpha": [0.0, 0.01, 0.1, 1.0, 3.0]}, folds=folds)
tuned.tidy()[["alpha", "estimate"]]

# %% [markdown]
# Four predictors of 32 cars need no lasso.
#
# ## A forecast
#
# A forecaster has no rows to predict but times. It goes through `FromFunctions`: the function that
# fits gets the responses of the past, the one that predicts as many rows as there are steps to
# forecast. The folds train on the past and test the next four quarters.

# %%
steps = draw.rnorm(120)
series = np.zeros(120)
for t in range(2, 120):
    series[t] = 1.2 * series[t - 1] - 0.5 * series[t - 2] + steps[t]
quarters = pd.DataFrame({"quarter": np.arange(120), "sales": 10 + series})


def fit(X, y, lags=1):
    return AutoReg(y, lags=lags).fit()


def forecast(model, X):
    return model.forecast(len(X))


ahead = pcv.TimeSeries(60, horizon=4, step=4)
lags = pcv.tune(
    pcv.FromFunctions(fit, forecast),
    "sales ~ quarter",
    quarters,
    grid={"lags": [1, 2, 3, 4]},
    folds=ahead,
)
lags.tidy()[["lags", "estimate"]]

# %% [markdown]
# Two lags made the series; on 15 windows of four quarters one lag predicts as well, and more cannot
# be told from them. The estimates are about models trained on 60 to 116 quarters, and about the
# mean of the next four.
