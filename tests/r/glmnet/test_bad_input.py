"""What glmnet refuses, and what of its input a user can plausibly get wrong."""

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat import r
from pycvstat.errors import PycvstatError, PycvstatWarning
from pycvstat.r.glmnet import cv_glmnet, glmnet

CARS = pcv.data.mtcars()
X, Y = CARS[["wt", "hp", "qsec", "drat"]], CARS["mpg"].to_numpy()
HOLE = X.assign(wt=X["wt"].where(X["wt"] > 2))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: glmnet(X[["wt"]], Y), "2 or more columns"),
        (lambda: glmnet(X[[]], Y), "no columns"),
        (lambda: glmnet(np.empty((32, 0)), Y), "2 or more columns"),
        (lambda: glmnet(X.assign(name="a"), Y), "column 'name', which is"),
        (lambda: glmnet(X.assign(am=pd.Categorical(CARS["am"])), Y), "get_dummies"),
        (lambda: glmnet([["a", "b"]], [1.0]), "matrix of numbers"),
        (lambda: glmnet([["1", "2"], ["2", "4"], ["5", "1"]], [1.0, 2, 4]), "matrix of numbers"),
        (lambda: glmnet(Y, Y), "with rows and columns"),
        (lambda: glmnet(HOLE, Y), "x has missing or infinite values"),
        (lambda: glmnet(X, np.where(Y > 20, np.nan, Y)), "y has missing or infinite values"),
        (lambda: glmnet(X, Y[1:]), "different lengths"),
        (lambda: glmnet(X, np.column_stack([Y, Y])), "y must be a vector"),
        (lambda: glmnet(X, ["a"] * 32), "y must be a vector of numbers"),
        (lambda: glmnet(X, np.ones(32)), "y is constant"),
        (lambda: glmnet(X * 0, Y), "zero variance"),
        (lambda: glmnet(X, Y, weights=[1.0]), "different lengths"),
        (lambda: glmnet(X, Y, weights=-Y), "weights must not be negative"),
        (lambda: glmnet(X, Y, lambda_=[1.0, -1.0]), "lambdas should be non-negative"),
        (lambda: glmnet(X, Y, lambda_="1se"), "lambda_ must be numbers"),
        (lambda: glmnet(X, Y, lambda_=[]), "lambda_ must be numbers"),
        (lambda: glmnet(X, Y, alpha="lasso"), "alpha must be a number"),
        (lambda: glmnet(X, Y, nlambda=0), "nlambda must be a whole number"),
        (lambda: glmnet(X, Y, lambda_min_ratio=2), "less than 1"),
        (lambda: glmnet(X, Y, thresh=0), "thresh must be a positive number"),
        (lambda: glmnet(X, Y, standardize="no"), "standardize must be True or False"),
        (lambda: glmnet(X, Y, penalty_factor=[1.0]), "one number for each predictor"),
        (lambda: glmnet(X, Y, penalty_factor=np.zeros(4)), "some positive"),
        (lambda: glmnet(X, Y, lambda_=0.1, maxit=1), "raise maxit"),
        (lambda: glmnet(X, Y, family="cox"), "family 'cox' is not done here"),
        (
            lambda: glmnet(X, Y, family="multinomial"),
            "multinomial response has two or more classes",
        ),
        (lambda: glmnet(X, Y, family="binomial"), "two classes, each with at least 2 rows"),
        (lambda: glmnet(X, [1, *[0] * 31], family="binomial"), "at least 2 rows"),
        (lambda: glmnet(X, [0, 1], family="binomial"), "different lengths"),
        (lambda: glmnet(X, -Y, family="poisson"), "negative responses are not permitted"),
        (lambda: cv_glmnet(X, CARS["carb"], family="poisson", type_measure="class"), "measure"),
        (lambda: glmnet(X, Y, family="normal"), "not one of glmnet's"),
        (lambda: glmnet(X, Y, lam=1.0), "no argument 'lam'"),
        (lambda: glmnet(X, Y).predict(), "supply a value for newx"),
        (lambda: glmnet(X, Y).predict(X[["wt"]].to_numpy()), "variables in newx must be 4"),
        (lambda: glmnet(X, Y).predict(HOLE), "newx has missing"),
        (lambda: glmnet(X, Y).predict(X, type="class"), "type"),
        (lambda: glmnet(X, Y).coef(s=-1.0), "s takes penalties"),
        (lambda: glmnet(X, Y).coef(s="lambda.min"), "s takes penalties"),
        (lambda: cv_glmnet(X, Y, foldid=[1, 2, 3]), "one number for each row"),
        (lambda: cv_glmnet(X, Y, foldid=["a"] * 32), "one number for each row"),
        (lambda: cv_glmnet(X, Y, foldid=np.arange(32) % 2 + 1), "at least 3 folds"),
        (lambda: cv_glmnet(X, Y, foldid=np.arange(32) % 4), "from 1 up"),
        (lambda: cv_glmnet(X, Y, foldid=2 * (np.arange(32) % 4) + 1), "none of them empty"),
        (lambda: cv_glmnet(X, Y, nfolds=2), "nfolds must be from 3"),
        (lambda: cv_glmnet(X, Y, nfolds=33), "nfolds must be from 3"),
        (lambda: cv_glmnet(X, Y, lambda_=1.0), "more than one value of lambda"),
        (lambda: cv_glmnet(X, Y, type_measure="auc"), "type_measure"),
        (lambda: cv_glmnet(X, Y, nfold=5), "no argument 'nfold'"),
        (lambda: cv_glmnet(X, Y).coef(s="min"), "lambda.1se"),
    ],
)
def test_refusals(call, says):
    r.set_seed(1)
    with pytest.raises(PycvstatError) as caught:
        call()
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: glmnet(X, Y, alpha=2), "alpha > 1; set to 1"),
        (lambda: glmnet(X, Y, alpha=-1), "alpha < 0; set to 0"),
        (lambda: glmnet(X, Y, maxit=20), "Solutions for larger lambdas are returned"),
        (lambda: glmnet(X, Y, pmax=2), "more than pmax=2 predictors enter at lambda number"),
        (lambda: cv_glmnet(X, Y, nfolds=20), "fewer than 3 rows in a fold"),
    ],
)
def test_warnings(call, says):
    r.set_seed(1)
    with pytest.warns(PycvstatWarning, match=None) as caught:
        call()
    assert says in str(caught[0].message)


def test_penalties_are_sorted_as_in_r():
    assert glmnet(X, Y, lambda_=[0.1, 1.0]).lambda_.tolist() == [1.0, 0.1]


def test_a_constant_predictor_keeps_out_of_every_fit():
    r.set_seed(1)
    found = cv_glmnet(X.assign(one=2.5, late=[*[0.0] * 31, 1.0]), Y, nfolds=4)
    assert not found.glmnet_fit.beta[4].any()
    assert np.isfinite(found.cvm).all()


def test_a_class_of_few_rows_is_told():
    few = ["a"] * 25 + ["b"] * 7
    with pytest.warns(PycvstatWarning, match="fewer than 8 rows"):
        glmnet(X, few, family="binomial")
