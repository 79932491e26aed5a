# %% [markdown]
# # Reporting a classifier
#
# *I developed a model for a clinical event. Which numbers belong into the paper, with which
# intervals, and what may I conclude?*
#
# ## Patients and model
#
# The patients are simulated with R's random numbers, so that what is true is known: 400 of them,
# with age, a marker and sex, and an event in about one of four. The model is a logistic regression
# fixed beforehand: no selection of predictors, no threshold chosen on these data.

# %%
import numpy as np
import pandas as pd

import pycvstat as pcv

draw, n = pcv.RRandom(2024), 400
age, marker = 60 + 10 * np.asarray(draw.rnorm(n)), np.asarray(draw.rnorm(n))
sex = np.where(np.asarray(draw.runif(n)) < 0.45, "f", "m")
log_odds = -1.4 + 0.05 * (age - 60) + 0.9 * marker + 0.3 * (sex == "m")
event = np.asarray(draw.runif(n)) < 1 / (1 + np.exp(-log_odds))
patients = pd.DataFrame(
    {
        "age": age,
        "marker": marker,
        "sex": sex,
        "outcome": pd.Categorical(np.where(event, "event", "none"), ["none", "event"]),
    }
)
patients["outcome"].value_counts().rename("patients").to_frame()

# %% [markdown]
# The second level is the event. Ten-fold cross-validation, stratified by the outcome, tests every
# patient by a model that never saw that patient; ten repetitions average over the luck of the
# partition. What is estimated is the performance of this *way of making a model* with 360 patients.

# %%
formula = "outcome ~ age + marker + sex"
folds = pcv.Repeated(pcv.Stratified(10), times=10, random=1)
result = pcv.cross_validate(pcv.Logit(), formula, patients, folds=folds)
print(result.plan.n_train.min(), "to", result.plan.n_train.max(), "training patients per fit")

# %% [markdown]
# ## The table of the paper
#
# Discrimination, classification and the accuracy of the probabilities, each with an interval, with
# what was averaged, and beside each the same number for a model without predictors. Skill is the
# part of the way from there to perfect predictions.

# %%
names = ["auc", "brier", "log_loss", "sensitivity", "specificity", "precision", "npv", "mcc"]
table = result.metrics(names, baseline=True)
shown = ["metric", "estimate", "conf_low", "conf_high", "averaging", "baseline", "skill"]
table[shown].round(3)

# %% [markdown]
# `averaging` says that the AUC is the mean of its values by test fold, while the others are of all
# held-out predictions together: `averaging="pooled"` asks for the pooled AUC, which compares
# probabilities across models. The intervals are about the expected metric, and their
# known coverage is printed with them:

# %%
auc = result.interval(metric="auc")
print(auc.estimand)
print(auc.known)

# %% [markdown]
# Sensitivity and specificity belong to one threshold, here a probability of one half, which nobody
# in a clinic may want: with one event in four most patients are below it. Predictive values depend
# on how frequent the event is among those to whom the model is applied. Report both with the
# confusion matrix, whose shares have intervals by row; they are shares of patients on average over
# the repetitions.

# %%
result.confusion().round(3)[
    ["observed", "predicted", "rows", "of", "share", "conf_low", "conf_high"]
]

# %% [markdown]
# ## Discrimination over all thresholds

# %%
#| caption: ROC curve. Every fold in the background, all held-out predictions together in front.
#| alt: The pooled curve lies well above the diagonal; curves of single folds of 40 patients
#|   scatter widely around it.
once = pcv.cross_validate(pcv.Logit(), formula, patients, folds=pcv.Stratified(10, random=1))
once.plot("roc")

# %%
#| caption: Precision against sensitivity. The dotted line is the share of events, as of guessing.
#| alt: Precision falls from nearly one to the share of events as sensitivity rises.
once.plot("precision_recall")

# %% [markdown]
# The curves of single folds rest on ten events each. Their scatter is no interval.
#
# ## Calibration
#
# A probability of 0.3 should mean three events in ten such patients. The slope of the logistic
# regression of the outcome on the logit of the predicted probability is below 1 where predictions
# are too extreme; calibration in the large is 0 where the mean risk is right.

# %%
calibration = once.metrics(["calibration_in_the_large", "calibration_slope", "calibration_error"])
calibration[["metric", "estimate", "conf_low", "conf_high", "averaging", "method"]].round(3)

# %% [markdown]
# The calibration error is positive by chance alone, and larger in the draws of a bootstrap: limits
# are given only where the percentiles hold the estimate. The picture says more than that number:

# %%
#| caption: Share of events against probability in groups of 40 patients with Wilson's 95 % limits;
#|   folds in the background, at the bottom how often each probability was predicted.
#| alt: The groups follow the diagonal within their limits; most probabilities are below one half.
once.plot("calibration")

# %% [markdown]
# ## Does the marker add anything?
#
# Two models on the same folds. The difference of their AUC has its own interval: by the corrected t
# over folds for the expected AUC, and by the influence curves of DeLong, DeLong and Clarke-Pearson
# for these predictions. The Brier score is a proper score, and its difference counts calibration
# too.

# %%
models = {
    "with marker": pcv.Model(pcv.Logit(), formula),
    "without": pcv.Model(pcv.Logit(), "outcome ~ age + sex"),
}
both = pcv.compare(models, data=patients, folds=once.plan)
asked = [
    {"metric": "auc"},
    {"metric": "auc", "averaging": "pooled", "method": "all_pairs"},
    {"metric": "brier"},
]
rows = [both.paired("with marker", "without", **one).tidy() for one in asked]
pd.concat(rows)[["metric", "estimate", "conf_low", "conf_high", "p_value", "method"]].round(4)

# %% [markdown]
# ## What the paper says
#
# > In 400 patients with 108 events, a logistic regression of three predictors fixed beforehand was
# > validated internally by 10 x 10-fold cross-validation, stratified by the outcome. We report the
# > AUC (mean over test folds), the Brier score, sensitivity and specificity at a probability of 0.5
# > (all held-out predictions together), each with a 95 % corrected resampled t interval about the
# > expected value of a model trained on 360 patients, the confusion matrix with Wilson intervals,
# > calibration in the large and calibration slope with bootstrap intervals, and calibration by
# > tenths of risk.
#
# What none of these numbers says: how the model does in another hospital or in later years. That
# takes other patients (`folds=LeaveOneGroupOut()` by hospital is a first step). If predictors, a
# tuning parameter or the threshold had been chosen on these data, the choice would belong inside
# the folds: `Tuned(..., metric="auc")` or `nested_cv(..., metric="auc")`.

# %%
print(f"{event.sum()} events; AUC {auc.estimate:.3f} ({auc.low:.3f} to {auc.high:.3f})")
