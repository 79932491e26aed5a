"""The coefficients of a statsmodels results object, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pycvstat.learners.coefficients import coefficient_table

if TYPE_CHECKING:
    import pandas as pd

    from pycvstat.learners.statsmodels.fitting import StatsmodelsFit

FloatArray = NDArray[np.float64]


def coefficients_of(fit: StatsmodelsFit, level: float) -> pd.DataFrame:
    """One row per coefficient; columns that were left out are NaN."""
    results, p = fit.results, int(fit.kept.sum())
    params = np.asarray(results.params, dtype=np.float64)
    errors = np.asarray(getattr(results, "bse", np.full(params.shape, np.nan)), dtype=np.float64)
    if params.ndim == 2:  # classes in columns
        classes = [fit.sample.levels[int(code)] for code in np.unique(fit.sample.y)[1:]]
        terms = [f"{name}:{column}" for name in classes for column in fit.sample.columns]
        params, errors = (_spread(part, fit.kept).T.ravel() for part in (params, errors))
    else:
        further = [str(name) for name in _names(results)[p:]]
        terms = [*fit.sample.columns, *further]
        params, errors = (
            np.concatenate([_spread(part[:p], fit.kept), part[p:]]) for part in (params, errors)
        )
    return coefficient_table(terms, params, errors, degrees_of_freedom(results), level)


def _names(results: Any) -> list[Any]:
    index = getattr(results.params, "index", None)
    return list(results.model.exog_names if index is None else index)


def _spread(values: FloatArray, kept: NDArray[np.bool_]) -> FloatArray:
    full = np.full((len(kept), *values.shape[1:]), np.nan)
    full[kept] = values
    return full


def degrees_of_freedom(results: Any) -> float | None:
    """Of Student's t; None where statsmodels uses the normal distribution."""
    if not getattr(results, "use_t", False):
        return None
    return float(getattr(results, "df_resid_inference", None) or results.df_resid)
