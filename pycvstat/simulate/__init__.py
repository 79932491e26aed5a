"""Simulations with known risks: what cross-validation estimates, and how often intervals cover.

May import the rooms below. New here: a law to draw data from, or an experiment about estimators.
"""

from pycvstat.simulate.decomposition import (
    BiasVariance,
    RiskDecomposition,
    bias_variance,
    risk_decomposition,
)
from pycvstat.simulate.interval_coverage import Coverage, Covered, coverage
from pycvstat.simulate.laws import Law, MonteCarlo, bumps, plane, sine, two_classes
from pycvstat.simulate.quantities import (
    Agreement,
    TuningQuantities,
    cv_against_risk,
    risk_after_training,
    theorem_1,
    tuning_quantities,
)
from pycvstat.simulate.scenarios import (
    SCENARIOS,
    Scenario,
    grouped_ols,
    heavy_tailed,
    lognormal,
    nested,
    ols,
    ranked_logistic,
    rivals,
    tuned_knn,
    two_ols,
)

__all__ = [
    "SCENARIOS", "Agreement", "BiasVariance", "Coverage", "Covered", "Law", "MonteCarlo",
    "RiskDecomposition", "Scenario", "TuningQuantities", "bias_variance", "bumps", "coverage",
    "cv_against_risk", "grouped_ols", "heavy_tailed", "lognormal", "nested", "ols", "plane",
    "ranked_logistic", "risk_after_training", "risk_decomposition", "rivals", "sine",
    "theorem_1", "tuned_knn", "tuning_quantities", "two_classes", "two_ols",
]  # fmt: skip
