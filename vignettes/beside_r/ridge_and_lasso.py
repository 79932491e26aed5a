"""Ridge and lasso at given penalties

glmnet minimises the mean squared residual over two, plus the penalty times (1 - alpha) / 2 times
the sum of squares of the coefficients plus alpha times the sum of their absolute values, on
predictors scaled by their standard deviations with divisor n.

scikit-learn's Ridge minimises the sum of squared residuals, without the half, on the columns as
they are. Its penalty is another number for the same fit: that of glmnet times n over the standard
deviation of the response, on scaled columns; its Lasso takes glmnet's.
"""

import numpy as np
from sklearn.linear_model import Lasso, Ridge

import pycvstat as pcv

X = pcv.data.mtcars()[["wt", "hp", "qsec", "drat"]]
y = pcv.data.mtcars()["mpg"]
GLMNET = """as.vector(coef(glmnet::glmnet(as.matrix(X), y, alpha = alpha, lambda = 0.5,
  thresh = 1e-20, maxit = 1e7)))"""
STEPS = "an iterative fit, run on until nothing moves"


def ours(X, y, alpha):
    learner = pcv.Ridge(0.5) if alpha == 0 else pcv.Lasso(0.5)
    return learner.fit(X=X, y=y).tidy()["estimate"]


def of_sklearn(X, y, alpha):
    sd = X.std(ddof=0)
    spread, n = y.std(ddof=0), len(y)
    estimator = Ridge(0.5 * n / spread, tol=1e-14) if alpha == 0 else Lasso(0.5, tol=1e-14)
    fit = estimator.fit(X / sd, y)
    slopes = fit.coef_ / sd
    return np.r_[y.mean() - (slopes * X.mean()).sum(), slopes]


cases = [
    pcv.Case(
        f"{name}, {who}", made, GLMNET, {"X": X, "y": y, "alpha": alpha}, 1e-6, STEPS, "glmnet"
    )
    for name, alpha in (("ridge", 0.0), ("lasso", 1.0))
    for who, made in (("pycvstat", ours), ("scikit-learn", of_sklearn))
]
