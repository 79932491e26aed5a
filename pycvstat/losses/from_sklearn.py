"""scikit-learn's metric functions and scorers, given what they need."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from pycvstat.losses.metric import Better, Metric
from pycvstat.losses.predictions import Needs

_OF_PROBABILITIES = (
    "log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score", "top_k_accuracy_score",
)  # fmt: skip
_WORSE = ("_loss", "_error", "_deviance")


def of_sklearn(given: Callable[..., Any]) -> tuple[str, Metric] | None:
    """What a function or scorer of scikit-learn is here; None for other functions.

    The name of its default or averaged form, by which a record of ours can stand in its place, and
    a metric that calls it on 0 and 1, the event being 1, or on the labels of several classes. A
    scorer's sign is left out: ``neg_`` scores are losses again.

    Examples
    --------
    >>> from functools import partial
    >>> from sklearn.metrics import f1_score, fbeta_score
    >>> of_sklearn(partial(f1_score, average="macro"))
    ('f1_macro', Metric('f1_score', needs='classes'))
    >>> of_sklearn(partial(fbeta_score, beta=2)), of_sklearn(np.mean)
    (('', Metric('fbeta_score', needs='classes')), None)
    """
    function: Any = given
    arguments: dict[str, Any] = {}
    if hasattr(function, "_score_func"):
        function, arguments = function._score_func, dict(function._kwargs)
    while isinstance(function, partial) and not function.args:
        function, arguments = function.func, function.keywords | arguments
    module, name = getattr(function, "__module__", ""), getattr(function, "__name__", "")
    of_theirs = str(module).startswith("sklearn.metrics")
    needs = _asked_by(given) or (_needs(module, name, arguments) if of_theirs else None)
    if not of_theirs and needs is None:
        return None
    worse = getattr(given, "_sign", -name.endswith(_WORSE)) < 0
    better: Better = "smaller" if worse else "larger"
    metric = Metric(_quiet(partial(function, **arguments)), needs, str(name), better=better)
    metric = replace(metric, of_levels=partial(_of_labels, metric, function, arguments))
    return _standard(str(name), arguments) if of_theirs else "", metric


def _of_labels(
    metric: Metric, function: Any, arguments: dict[str, Any], levels: tuple[str, ...]
) -> Metric:
    """The metric on labels, where classes are several or its arguments name them.

    scikit-learn sorts the labels, and so the columns of probabilities. Where it cannot see them all
    in a fold, or their order counts, it is told them.
    """
    told = [arguments.get("pos_label"), *np.atleast_1d(arguments.get("labels", ()))]
    named = len(levels) > 2 or any(isinstance(one, str) for one in told)
    order = np.argsort(levels) if named else np.arange(len(levels))
    names: Any = np.array(levels) if named else order
    more: dict[str, Any] = {}
    if metric.needs in ("numbers", None):
        return metric
    if "labels" in signature(function).parameters and "labels" not in arguments:
        more = {"labels": names[order]} if metric.needs == "probabilities" else {}
        more |= (
            {"labels": names} if arguments.get("weights") else {}
        )  # distances of ordered classes
    of_names = _quiet(partial(function, **arguments, **more))

    def measured(y: Any, prediction: Any) -> float:
        y, p = names[np.asarray(y, dtype=np.int64)], np.asarray(prediction)
        if metric.needs == "classes":
            return of_names(y, names[p.astype(np.int64)])
        return of_names(y, p[:, order] if p.ndim == 2 else p)

    return replace(metric, function=measured, of_levels=None)


def _standard(name: str, arguments: dict[str, Any]) -> str:
    """The name of a form that scikit-learn names too, or uses without arguments."""
    if arguments.get("pos_label", 1) in (None, 1):  # the event is 1 here
        arguments = {key: value for key, value in arguments.items() if key != "pos_label"}
    if not arguments:
        return "neg_log_loss" if name == "log_loss" else name
    average = arguments.get("average", "macro")
    if name == "roc_auc_score" and set(arguments) <= {"multi_class", "average"}:
        kind = f"roc_auc_{arguments.get('multi_class', '')}"
        return {"macro": kind, "weighted": f"{kind}_weighted"}.get(average, "")
    if set(arguments) == {"average"}:
        return name if average == "binary" else f"{name.removesuffix('_score')}_{average}"
    return ""


def _asked_by(given: Any) -> Needs | None:
    """What a scorer asks its estimator for."""
    asked = getattr(given, "_response_method", None)
    if asked == "predict_proba":
        return "probabilities"
    return "scores" if asked not in (None, "predict") else None


def _needs(module: str, name: str, arguments: dict[str, Any]) -> Needs:
    if "regression" in module:
        return "numbers"
    if name in _OF_PROBABILITIES or "multi_class" in arguments:
        return "probabilities"
    return "scores" if "ranking" in module or name == "hinge_loss" else "classes"


def _quiet(function: Callable[..., Any]) -> Callable[[Any, Any], float]:
    """The function with NaN where scikit-learn warns that it is not defined."""

    def measured(y: Any, prediction: Any) -> float:
        from sklearn.exceptions import UndefinedMetricWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", UndefinedMetricWarning)
            try:
                return float(function(y, prediction))
            except UndefinedMetricWarning:
                return float(np.nan)

    return measured
