"""K-fold cross-validation: one set of folds, two averages

The mean over observations weighs folds by their size; boot's cv.glm gives it. The mean of fold
means weighs folds equally; caret and scikit-learn's cross_val_score give it. With folds of
different sizes the two differ, and both are right.

The folds are glmnet's: sample(rep(seq(10), length = n)) after set.seed(1).
"""

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import PredefinedSplit, cross_val_score

import pycvstat as pcv

cars = pcv.data.mtcars()
folds = pcv.RFolds("glmnet", 10, seed=1)
ids = folds.plan(len(cars)).fold_ids
ALGEBRA = "direct linear algebra by another factorisation"
FOLDS = "{ set.seed(1); sample(rep(seq(10), length = nrow(d))) }"
LOSSES = """{
  losses <- numeric(nrow(d))
  for (k in 1:10) {
    fit <- lm(mpg ~ wt + hp, d[ids != k, ])
    losses[ids == k] <- (d$mpg - predict(fit, d))[ids == k]^2
  }
  %s
}"""
CARET = """{
  index <- lapply(1:10, function(k) which(ids != k))
  control <- caret::trainControl("cv", index = index)
  found <- caret::train(mpg ~ wt + hp, d, method = "lm", trControl = control)$resample$RMSE
  mean(found^2)
}"""


def ours(d, ids):
    return pcv.cross_validate(pcv.OLS(), "mpg ~ wt + hp", d, folds=pcv.Predefined(ids))


def of_sklearn(d, ids):
    split = PredefinedSplit(ids)
    given = {"cv": split, "scoring": "neg_mean_squared_error"}
    return -np.mean(cross_val_score(LinearRegression(), d[["wt", "hp"]], d["mpg"], **given))


def pooled(d, ids):
    return ours(d, ids).pooled


def of_folds(d, ids):
    return ours(d, ids).estimate


given = {"d": cars, "ids": ids}
cases = [
    pcv.Case("the folds", ids, FOLDS, {"d": cars}),
    pcv.Case("mean over observations", pooled, LOSSES % "mean(losses)", given, 1e-10, ALGEBRA),
    pcv.Case("mean of fold means", of_folds, LOSSES % "mean(tapply(losses, ids, mean))", given,
             1e-10, ALGEBRA),
    pcv.Case("mean of fold means, caret", of_folds, CARET, given, 1e-10, ALGEBRA, "caret"),
    pcv.Case("mean of fold means, scikit-learn", of_sklearn,
             LOSSES % "mean(tapply(losses, ids, mean))", given, 1e-10, ALGEBRA),
]  # fmt: skip
