"""Cross-validation as statistics: data -> folds -> learner -> losses -> interval, checked by R.

The public names are loaded when they are first used, so importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same names as in _HOME, for type checkers and editors
    from pycvstat import (
        data as data,
        errors as errors,
        intervals as intervals,
        losses as losses,
        r as r,
        simulate as simulate,
    )
    from pycvstat.folds import (
        Blocks as Blocks,
        FiveByTwo as FiveByTwo,
        FoldPlan as FoldPlan,
        Grouped as Grouped,
        Holdout as Holdout,
        KFold as KFold,
        LeaveOneOut as LeaveOneOut,
        NestedPairs as NestedPairs,
        PairedHalves as PairedHalves,
        Predefined as Predefined,
        Repeated as Repeated,
        RFolds as RFolds,
        Stratified as Stratified,
        Subsampling as Subsampling,
        TimeSeries as TimeSeries,
    )
    from pycvstat.intervals import (
        corrected_t as corrected_t,
        dev_size_needed as dev_size_needed,
        excess_risk_bound as excess_risk_bound,
    )
    from pycvstat.intervals.from_losses import from_losses as from_losses
    from pycvstat.learners.external.learner import (
        External as External,
        FromFunctions as FromFunctions,
    )
    from pycvstat.learners.glm import GLM as GLM, Logit as Logit
    from pycvstat.learners.knn.learner import KNN as KNN
    from pycvstat.learners.multinomial import MNLogit as MNLogit
    from pycvstat.learners.ols import OLS as OLS, WLS as WLS, Mean as Mean
    from pycvstat.learners.penalised import ElasticNet as ElasticNet, Lasso as Lasso, Ridge as Ridge
    from pycvstat.learners.quantile import QuantReg as QuantReg
    from pycvstat.learners.robust import RLM as RLM
    from pycvstat.learners.statsmodels.learner import Statsmodels as Statsmodels
    from pycvstat.procedures.audit import audit as audit
    from pycvstat.procedures.benchmark import benchmark as benchmark
    from pycvstat.procedures.compare import compare as compare
    from pycvstat.procedures.cross_validate import cross_validate as cross_validate
    from pycvstat.procedures.error_curve import error_curve as error_curve
    from pycvstat.procedures.grid import (
        QuasiRandomSearch as QuasiRandomSearch,
        RandomSearch as RandomSearch,
    )
    from pycvstat.procedures.learning_curve import learning_curve as learning_curve
    from pycvstat.procedures.nested import nested_cv as nested_cv
    from pycvstat.procedures.saved import load as load
    from pycvstat.procedures.tune import tune as tune
    from pycvstat.procedures.tuned import Tuned as Tuned
    from pycvstat.r.check.as_r import as_r as as_r
    from pycvstat.r.check.from_r import from_r as from_r
    from pycvstat.rmath.random import RRandom as RRandom

_HOME: dict[str, str] = {
    "Blocks": "folds",
    "ElasticNet": "learners.penalised",
    "External": "learners.external.learner",
    "FiveByTwo": "folds",
    "FoldPlan": "folds",
    "FromFunctions": "learners.external.learner",
    "GLM": "learners.glm",
    "Grouped": "folds",
    "Holdout": "folds",
    "KFold": "folds",
    "KNN": "learners.knn.learner",
    "Lasso": "learners.penalised",
    "LeaveOneOut": "folds",
    "Logit": "learners.glm",
    "MNLogit": "learners.multinomial",
    "Mean": "learners.ols",
    "NestedPairs": "folds",
    "OLS": "learners.ols",
    "PairedHalves": "folds",
    "Predefined": "folds",
    "QuantReg": "learners.quantile",
    "QuasiRandomSearch": "procedures.grid",
    "RFolds": "folds",
    "RLM": "learners.robust",
    "RRandom": "rmath.random",
    "RandomSearch": "procedures.grid",
    "Repeated": "folds",
    "Ridge": "learners.penalised",
    "Statsmodels": "learners.statsmodels.learner",
    "Stratified": "folds",
    "Subsampling": "folds",
    "TimeSeries": "folds",
    "Tuned": "procedures.tuned",
    "WLS": "learners.ols",
    "as_r": "r.check.as_r",
    "audit": "procedures.audit",
    "benchmark": "procedures.benchmark",
    "compare": "procedures.compare",
    "corrected_t": "intervals",
    "cross_validate": "procedures.cross_validate",
    "data": "",
    "dev_size_needed": "intervals",
    "error_curve": "procedures.error_curve",
    "errors": "",
    "excess_risk_bound": "intervals",
    "from_losses": "intervals.from_losses",
    "from_r": "r.check.from_r",
    "intervals": "",
    "learning_curve": "procedures.learning_curve",
    "load": "procedures.saved",
    "losses": "",
    "nested_cv": "procedures.nested",
    "r": "",
    "simulate": "",
    "tune": "procedures.tune",
}
"""Public name -> module inside pycvstat that defines it; "" where the name is itself a module."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("pycvstat")
    if name not in _HOME:
        raise AttributeError(f"module 'pycvstat' has no attribute {name!r}")
    if not _HOME[name]:
        return import_module(f"pycvstat.{name}")
    value: object = getattr(import_module(f"pycvstat.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
