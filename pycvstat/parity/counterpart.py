"""Which R code does what a learner does, and how close the two should be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pycvstat.errors import RError
from pycvstat.learners.base import Learner
from pycvstat.parity.table import ITERATIVE, LINEAR, SUMS, Tolerance
from pycvstat.task import Task


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
        return _kknn(learner.params())
    found: Counterpart = make(learner.params(), task)
    return found


def _knn(p: Mapping[str, Any], task: Task) -> Counterpart:
    from pycvstat.rbridge import run

    if run('nzchar(system.file(package = "kknn"))'):
        return _kknn(p)
    numeric = all(task.frame[name].kind == "numeric" for name in task.frame.names)
    plain = p["kernel"] == "rectangular" and p["distance"] == 2 and p["scale"]
    if not (numeric and plain and task.response.kind == "continuous"):
        raise RError(
            "R lacks the package kknn.",
            given=f"KNN with kernel {p['kernel']!r} for a {task.response.kind} response",
            fix='install.packages("kknn") in R',
        )
    return Counterpart(
        "knn_standin", {"k": p["k"]}, (), SUMS, "stand-in for train.kknn", (STANDIN_NOTE,)
    )


def _kknn(p: Mapping[str, Any]) -> Counterpart:
    params = {name: p[name] for name in ("k", "distance", "kernel", "ykernel", "scale")}
    return Counterpart("knn", params, ("kknn",), KNN_TOLERANCE, "kknn::kknn")


def _ols(p: Mapping[str, Any], task: Task) -> Counterpart:
    return Counterpart("ols", {}, (), LINEAR, "lm")


def _glm(p: Mapping[str, Any], task: Task) -> Counterpart:
    family = FAMILIES.get(str(p["family"]).lower())
    if family is None:
        raise RError("this family has no counterpart in R's glm.", given=p["family"])
    return Counterpart("glm", {"family": family, "link": p.get("link")}, (), ITERATIVE, "glm")


def _logit(p: Mapping[str, Any], task: Task) -> Counterpart:
    return _glm({"family": "binomial"}, task)


def _rlm(p: Mapping[str, Any], task: Task) -> Counterpart:
    return Counterpart("rlm", {}, ("MASS",), ITERATIVE, "MASS::rlm")


def _quantreg(p: Mapping[str, Any], task: Task) -> Counterpart:
    return Counterpart("quantreg", {"tau": p["tau"]}, ("quantreg",), ITERATIVE, "quantreg::rq")


def _mean(p: Mapping[str, Any], task: Task) -> Counterpart:
    return Counterpart("mean", {}, (), SUMS, "mean")


def _penalised(alpha: float | None) -> Any:
    def make(p: Mapping[str, Any], task: Task) -> Counterpart:
        params = {
            "alpha": p["alpha"] if alpha is None else alpha,
            "lambda": p["lam"],
            "standardize": p["standardize"],
        }
        return Counterpart("glmnet", params, ("glmnet",), ITERATIVE, "glmnet::glmnet")

    return make


_COUNTERPARTS = {
    "KNN": _knn,
    "OLS": _ols,
    "GLM": _glm,
    "Logit": _logit,
    "RLM": _rlm,
    "QuantReg": _quantreg,
    "Mean": _mean,
    "Ridge": _penalised(0.0),
    "Lasso": _penalised(1.0),
    "ElasticNet": _penalised(None),
}
