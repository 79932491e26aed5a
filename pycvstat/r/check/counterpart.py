"""Which R code does what a learner does, and how close the two should be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pycvstat.data.task import Task
from pycvstat.errors import RError
from pycvstat.learners.base import Learner
from pycvstat.r.bridge.installed import install_r_packages
from pycvstat.rmath.tolerances import ITERATIVE, LINEAR, NUMERICAL, SUMS, Tolerance


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A learner of `procedures.R`.

    Parameters
    ----------
    name : str
        Its name in ``pcv_learners``.
    params : mapping
        What it is given.
    packages : tuple of str
        R packages it needs.
    tolerance : Tolerance
        Of its predictions.
    says : str
        The R function, for people.
    notes : tuple of str
    """

    name: str
    params: Mapping[str, Any]
    packages: tuple[str, ...]
    tolerance: Tolerance
    says: str
    notes: tuple[str, ...] = field(default=())

    @property
    def learner(self) -> str:
        """The R code of the function that fits it."""
        return f"pcv_learners${self.name}"

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the R reference that it needs."""
        stands_in = ("kknn_standin.R",) if self.name == "knn_standin" else ()
        return ("procedures.R", *stands_in)


RLM_NORMS = ("huber", "bisquare", "hampel")
KNN_TOLERANCE = Tolerance(1e-12, "weights of kernels agree with R's to 1e-12")
STANDIN_NOTE = (
    "kknn is not installed: a plain base-R stand-in of this project computed the R side; "
    'install.packages("kknn") in R gives the original.'
)
FAMILIES = {
    "binomial": "binomial",
    "poisson": "poisson",
    "gaussian": "gaussian",
    "gamma": "Gamma",
    "inverse_gaussian": "inverse.gaussian",
    "negative_binomial": "negative.binomial",
}
LINKS = {
    "identity": "identity",
    "log": "log",
    "logit": "logit",
    "probit": "probit",
    "cauchy": "cauchit",
    "cloglog": "cloglog",
    "sqrt": "sqrt",
    "inverse": "inverse",
    "inverse_squared": "1/mu^2",
}


def counterpart(learner: Learner, task: Task, *, written: bool = False) -> Counterpart:
    """The R counterpart of a learner, or an error that says there is none.

    With ``written=True`` the counterpart is for a script that somebody runs elsewhere, so it does
    not matter what is installed here.
    """
    make = _COUNTERPARTS.get(type(learner).__name__)
    if make is None:
        raise RError(
            f"there is no R counterpart of {learner.name}.",
            given=type(learner).__name__,
            fix=f"learners with one: {', '.join(sorted(_COUNTERPARTS))}",
        )
    if written and make is _knn:
        return _kknn(learner)
    found: Counterpart = make(learner, task)
    return found


def _knn(learner: Any, task: Task) -> Counterpart:
    from pycvstat.r.bridge import run

    if run('nzchar(system.file(package = "kknn"))'):
        return _kknn(learner)
    numeric = all(task.frame[name].kind == "numeric" for name in task.frame.names)
    plain = learner.kernel == "rectangular" and learner.distance == 2 and learner.scale
    if not (numeric and plain and task.response.kind == "continuous"):
        raise RError(
            "R lacks the package kknn.",
            given=f"KNN with kernel {learner.kernel!r} for a {task.response.kind} response",
            fix=install_r_packages(["kknn"]),
        )
    _check_ties(learner)
    return Counterpart(
        "knn_standin", {"k": learner.k}, (), SUMS, "stand-in for train.kknn", (STANDIN_NOTE,)
    )


def _kknn(learner: Any) -> Counterpart:
    _check_ties(learner)
    names = ("k", "distance", "kernel", "ykernel", "scale")
    params = {name: getattr(learner, name) for name in names}
    return Counterpart("knn", params, ("kknn",), KNN_TOLERANCE, "kknn::kknn")


def _check_ties(learner: Any) -> None:
    if learner.ties != "kknn":
        raise RError(
            "kknn takes tied neighbours in an order of its own.",
            given=f"ties={learner.ties!r}",
            fix='ties="kknn" is what R can be compared with',
        )


def _ols(learner: Any, task: Task) -> Counterpart:
    return Counterpart("ols", {}, (), LINEAR, "lm")


def _wls(learner: Any, task: Task) -> Counterpart:
    return Counterpart("wls", {}, (), LINEAR, "lm with weights")


def _glm(learner: Any, task: Task) -> Counterpart:
    family, link = (part.name for part in learner.parts())
    power = re.fullmatch(r"power\((.+)\)", link)
    if family not in FAMILIES or not (power or link in LINKS):
        raise RError(
            "R's glm has no such family or link.",
            given=f"family {family!r}, link {link!r}",
            fix=f"families with one: {', '.join(FAMILIES)}; links: {', '.join(LINKS)}, power(...)",
        )
    params: dict[str, Any] = {"family": FAMILIES[family]}
    params |= {"power": float(power[1])} if power else {"link": LINKS[link]}
    if (learner.tol, learner.maxiter) != (1e-8, 25):
        params |= {"epsilon": float(learner.tol), "maxit": int(learner.maxiter)}
    if family != "negative_binomial":
        return Counterpart("glm", params, (), ITERATIVE, "glm")
    if not learner.family_is_known:
        return Counterpart("glm_nb", params, ("MASS",), ITERATIVE, "MASS::glm.nb")
    params["theta"] = 1 / (1.0 if learner.alpha is None else learner.alpha)
    return Counterpart("glm", params, ("MASS",), ITERATIVE, "glm with MASS::negative.binomial")


def _multinom(learner: Any, task: Task) -> Counterpart:
    return Counterpart("multinom", {}, ("nnet",), NUMERICAL, "nnet::multinom")


def _rlm(learner: Any, task: Task) -> Counterpart:
    if learner.norm not in RLM_NORMS:
        raise RError(
            "MASS::rlm has no such norm.",
            given=f"norm={learner.norm!r}",
            fix=f"norms that it has: {', '.join(RLM_NORMS)}",
        )
    params = {
        "psi": learner.norm,
        "constants": list(learner.constants()),
        "acc": learner.tol,
        "maxit": learner.maxiter,
    }
    return Counterpart("rlm", params, ("MASS",), ITERATIVE, "MASS::rlm")


def _quantreg(learner: Any, task: Task) -> Counterpart:
    return Counterpart("quantreg", {"tau": learner.tau}, ("quantreg",), LINEAR, "quantreg::rq")


def _mean(learner: Any, task: Task) -> Counterpart:
    return Counterpart("mean", {}, (), SUMS, "mean")


def _penalised(learner: Any, task: Task) -> Counterpart:
    params = {
        "alpha": learner.share,
        "lambda": learner.lam,
        "standardize": bool(learner.standardize),
    }
    return Counterpart("glmnet", params, ("glmnet",), ITERATIVE, "glmnet::glmnet")


_COUNTERPARTS = {
    "KNN": _knn,
    "OLS": _ols,
    "WLS": _wls,
    "GLM": _glm,
    "Logit": _glm,
    "MNLogit": _multinom,
    "RLM": _rlm,
    "QuantReg": _quantreg,
    "Mean": _mean,
    "Ridge": _penalised,
    "Lasso": _penalised,
    "ElasticNet": _penalised,
}
