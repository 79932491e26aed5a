"""Cross-validation as statistics: data -> folds -> learner -> losses -> interval, checked by R.

The public names are loaded when they are first used, so importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the same names as in _NAMES, for type checkers and editors
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
        Bootstrap as Bootstrap,
        FiveByTwo as FiveByTwo,
        FoldPlan as FoldPlan,
        Grouped as Grouped,
        Holdout as Holdout,
        KFold as KFold,
        LeaveOneGroupOut as LeaveOneGroupOut,
        LeaveOneOut as LeaveOneOut,
        NestedPairs as NestedPairs,
        PairedHalves as PairedHalves,
        Predefined as Predefined,
        Repeated as Repeated,
        RFolds as RFolds,
        Stratified as Stratified,
        StratifiedGrouped as StratifiedGrouped,
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
    from pycvstat.learners.knn import KNN as KNN
    from pycvstat.learners.models import Model as Model, Models as Models
    from pycvstat.learners.multinomial import MNLogit as MNLogit
    from pycvstat.learners.ols import OLS as OLS, WLS as WLS, Mean as Mean
    from pycvstat.learners.penalised import ElasticNet as ElasticNet, Lasso as Lasso, Ridge as Ridge
    from pycvstat.learners.quantile import QuantReg as QuantReg
    from pycvstat.learners.robust import RLM as RLM
    from pycvstat.learners.statsmodels.learner import Statsmodels as Statsmodels
    from pycvstat.learners.stepwise import Stepwise as Stepwise
    from pycvstat.procedures.audit import audit as audit
    from pycvstat.procedures.compare import benchmark as benchmark, compare as compare
    from pycvstat.procedures.cross_validate import cross_validate as cross_validate
    from pycvstat.procedures.error_curve import error_curve as error_curve
    from pycvstat.procedures.find_convention import find_convention as find_convention
    from pycvstat.procedures.grid import (
        QuasiRandomSearch as QuasiRandomSearch,
        RandomSearch as RandomSearch,
    )
    from pycvstat.procedures.learning_curve import learning_curve as learning_curve
    from pycvstat.procedures.multiverse import multiverse as multiverse
    from pycvstat.procedures.nested import nested_cv as nested_cv
    from pycvstat.procedures.tune import tune as tune
    from pycvstat.procedures.tuned import Tuned as Tuned
    from pycvstat.r.check.case import Case as Case
    from pycvstat.r.check.checking import check as check
    from pycvstat.r.check.conversion import as_r as as_r, from_r as from_r
    from pycvstat.report.assemble import cite as cite
    from pycvstat.report.etable import etable as etable
    from pycvstat.rmath.random import RRandom as RRandom
    from pycvstat.verbs import load as load

_NAMES = {
    "": "data errors intervals losses r simulate",
    "folds": "Blocks Bootstrap FiveByTwo FoldPlan Grouped Holdout KFold LeaveOneGroupOut "
    "LeaveOneOut NestedPairs PairedHalves Predefined Repeated RFolds Stratified StratifiedGrouped "
    "Subsampling TimeSeries",
    "intervals": "corrected_t dev_size_needed excess_risk_bound",
    "intervals.from_losses": "from_losses",
    "learners.external.learner": "External FromFunctions",
    "learners.glm": "GLM Logit",
    "learners.knn": "KNN",
    "learners.models": "Model Models",
    "learners.multinomial": "MNLogit",
    "learners.ols": "Mean OLS WLS",
    "learners.penalised": "ElasticNet Lasso Ridge",
    "learners.quantile": "QuantReg",
    "learners.robust": "RLM",
    "learners.statsmodels.learner": "Statsmodels",
    "learners.stepwise": "Stepwise",
    "procedures.audit": "audit",
    "procedures.compare": "benchmark compare",
    "procedures.cross_validate": "cross_validate",
    "procedures.error_curve": "error_curve",
    "procedures.find_convention": "find_convention",
    "procedures.grid": "QuasiRandomSearch RandomSearch",
    "procedures.learning_curve": "learning_curve",
    "procedures.multiverse": "multiverse",
    "procedures.nested": "nested_cv",
    "procedures.tune": "tune",
    "procedures.tuned": "Tuned",
    "r.check.case": "Case",
    "r.check.checking": "check",
    "r.check.conversion": "as_r from_r",
    "report.assemble": "cite",
    "report.etable": "etable",
    "rmath.random": "RRandom",
    "verbs": "load",
}
"""Module inside pycvstat -> the public names that it defines; "" for names that are modules."""

_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        globals()[name] = version("pycvstat")  # read from a file
        return globals()[name]
    if name not in _HOME:
        raise AttributeError(f"module 'pycvstat' has no attribute {name!r}")
    if not _HOME[name]:
        return import_module(f"pycvstat.{name}")
    value: object = getattr(import_module(f"pycvstat.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
