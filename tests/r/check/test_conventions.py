"""Conventions of other packages, computed from our table and by those packages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat.r.check import conventions

MTCARS = pcv.data.mtcars()


def found(result: Any) -> dict[tuple[str, str], float]:
    table = conventions(result.table)
    return {(q, c): v for q, c, v in table[["quantity", "convention", "value"]].to_numpy()}


def test_scikit_learn_s_averages_and_spread():
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import KFold, cross_validate

    cv = KFold(5, shuffle=True, random_state=2)
    X, y = MTCARS[["wt", "hp"]].to_numpy(), MTCARS["mpg"].to_numpy()
    theirs = cross_validate(
        LinearRegression(), X, y, cv=cv, scoring=("neg_mean_squared_error", "r2")
    )
    ours = found(pcv.cross_validate(pcv.OLS(), X=X, y=y, folds=cv))
    mse = -theirs["test_neg_mean_squared_error"]
    values = {
        ("mean squared loss", "mean of fold means"): mse.mean(),
        ("spread of fold means", "standard deviation, divisor K"): mse.std(),
        ("R^2", "1 - RSS/TSS by fold"): theirs["test_r2"].mean(),
    }
    for key, value in values.items():
        assert ours[key] == pytest.approx(value, rel=1e-10)  # another factorisation


@pytest.mark.live_r
def test_caret_s_and_glmnet_s_summaries():
    from pycvstat.r.bridge import require, run

    require(["caret", "glmnet"])
    folds = pcv.RFolds("glmnet", 5, seed=3)
    ids = folds.plan(32).fold_ids
    r = run(
        """{ d <- mtcars; rownames(d) <- NULL
             index <- lapply(1:5, function(k) which(ids != k))
             fit <- caret::train(mpg ~ wt + hp, d, method = "lm",
                                 trControl = caret::trainControl("cv", index = index))
             x <- as.matrix(d[, c("wt", "hp")])
             cv <- glmnet::cv.glmnet(x, d$mpg, lambda = c(1, 0.1), alpha = 0, foldid = ids,
                                     thresh = 1e-20, maxit = 1e7)
             list(rmse = fit$results$RMSE, rmse_sd = sd(fit$resample$RMSE),
                  r2 = fit$results$Rsquared, cvm = cv$cvm[2], cvsd = cv$cvsd[2]) }""",
        ids=ids,
    )
    ols = found(pcv.cross_validate(pcv.OLS(), "mpg ~ wt + hp", MTCARS, folds=folds))
    assert ols["RMSE", "mean of fold RMSEs"] == pytest.approx(r["rmse"], rel=1e-10)
    assert ols["R^2", "squared correlation by fold"] == pytest.approx(r["r2"], rel=1e-10)
    ridge = found(pcv.cross_validate(pcv.Ridge(lam=0.1), "mpg ~ wt + hp", MTCARS, folds=folds))
    assert ridge["mean squared loss", "mean over observations"] == pytest.approx(
        r["cvm"], rel=1e-6
    )  # glmnet iterates
    assert ridge["spread of fold means", "standard error weighted by fold size"] == pytest.approx(
        r["cvsd"], rel=1e-6
    )


def test_one_split_and_leave_one_out_have_fewer_conventions():
    one = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=pcv.Holdout(0.3, random=1))
    assert not any(q == "spread of fold means" for q, _ in found(one))
    loo = pcv.cross_validate(pcv.OLS(), "mpg ~ wt", MTCARS, folds=pcv.LeaveOneOut())
    assert not any(q == "R^2" for q, _ in found(loo))
    assert np.isfinite(list(found(loo).values())).all()
