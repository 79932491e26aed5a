"""statsmodels' results objects at coefficients that other steps found, and their tables."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.errors import FitError
from pycvstat.learners.solution import inverse_of_cross_product
from pycvstat.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from pycvstat.learners.families import Family, Link
    from pycvstat.learners.irls import GLMFit
    from pycvstat.learners.solution import Sample
    from pycvstat.learners.statsmodels.multinomial import MultinomialFit


def parts(sample: Sample, kept: BoolArray) -> tuple[pd.Series[Any], pd.DataFrame, BoolArray]:
    """Response and design as statsmodels shows them, and the rows: those of positive weight.

    Columns without a coefficient are left out; an offset is not yet taken from the response.
    """
    used = np.full(len(sample.y), True) if sample.weights is None else sample.weights > 0
    names = [name for name, one in zip(sample.columns, kept, strict=True) if one]
    X = pd.DataFrame(sample.X[used][:, kept], columns=names)
    return pd.Series(sample.y[used], name=sample.response), X, used


def _some(values: FloatArray | None, rows: BoolArray) -> FloatArray | None:
    return None if values is None else values[rows]


def least_squares(sample: Sample, coefficients: FloatArray, **covariance: Any) -> Any:
    """Of ``sm.OLS``, or of ``sm.WLS`` where there are weights.

    Parameters
    ----------
    sample : Sample
    coefficients : (p,) float64
        NaN where a column has none.
    **covariance
        cov_type, cov_kwds: as of their fit.
    """
    from statsmodels.regression import linear_model as sm

    kept = np.isfinite(coefficients)
    y, X, used = parts(sample, kept)
    if sample.offset is not None:
        y -= sample.offset[used]
    weights = _some(sample.weights, used)
    model = sm.OLS(y, X) if weights is None else sm.WLS(y, X, weights=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sizes: dependent columns are left out
        model.fit()  # what diagnostics need of the design
    inverse = inverse_of_cross_product(np.asarray(model.wexog, dtype=np.float64))
    made = sm.RegressionResults(model, coefficients[kept], inverse, **covariance)
    return sm.RegressionResultsWrapper(made)


def generalised(sample: Sample, fit: GLMFit, family: Family, link: Link) -> Any:
    """Of ``sm.GLM``, as R's ``summary.glm``: covariance and dispersion of the last iteration."""
    from statsmodels.genmod import generalized_linear_model as sm

    kept = ~fit.fitted.aliased
    y, X, used = parts(sample, kept)
    weights, offset = _some(sample.weights, used), _some(sample.offset, used)
    model = sm.GLM(y, X, family=family.linked(link), offset=offset, var_weights=weights)
    working, df = fit.working_weights[used], len(y) - fit.fitted.rank
    model.mu, model.weights, model.scale = fit.mean[used], working, 1.0
    if family.free_dispersion:
        squares = float((working * fit.working_residuals[used] ** 2).sum())
        model.scale = squares / df if df else np.nan
    rows = np.asarray(X, dtype=np.float64) * np.sqrt(working)[:, None]
    inverse, b = inverse_of_cross_product(rows), fit.fitted.coefficients[kept]
    made = sm.GLMResults(model, b, inverse, model.scale, use_t=family.free_dispersion)
    made.method, made.mle_settings = "IRLS", {"optimizer": "IRLS", "wls_method": "qr"}
    made.fit_history = {"iteration": fit.iterations, "deviance": fit.deviances}
    made.converged = fit.converged
    return sm.GLMResultsWrapper(made)


def robust(
    sample: Sample, coefficients: FloatArray, norm: Any, scale: float, iterations: int
) -> Any:
    """Of ``sm.RLM``; weights are inverse variances, as roots on both sides."""
    from statsmodels.robust import robust_linear_model as sm

    kept = np.isfinite(coefficients)
    y, X, used = parts(sample, kept)
    if sample.weights is not None:
        root = np.sqrt(sample.weights[used])
        y, X = y * root, X.mul(root, axis=0)
    model = sm.RLM(y, X, M=norm)
    if not model.df_resid:
        problem = "statsmodels has no results of a robust fit without residuals."
        given = f"{len(y)} rows and as many coefficients"
        raise FitError(problem, given=given, fix="use tidy() and predict(), or more rows")
    model.scale = scale
    residuals = np.asarray(y - X @ coefficients[kept])
    model.weights = norm.weights(residuals / scale) if scale > 0 else np.ones(len(residuals))
    made = sm.RLMResults(model, coefficients[kept], model.normalized_cov_params, scale)
    options = {"cov": "H1", "scale_est": "mad", "norm": type(norm).__name__, "conv": "residuals"}
    made.fit_options, made.fit_history = options, {"iteration": iterations}
    return sm.RLMResultsWrapper(made)


def quantile(sample: Sample, coefficients: FloatArray, tau: float) -> Any:
    """Of ``sm.QuantReg``, its covariance by the Epanechnikov kernel and Hall and Sheather's width.

    Weights multiply the rows, as they do in the fit.
    """
    from scipy.stats import norm
    from statsmodels.regression import quantile_regression as sm

    kept = np.isfinite(coefficients)
    y, X, used = parts(sample, kept)
    if sample.weights is not None:
        y, X = y * sample.weights[used], X.mul(sample.weights[used], axis=0)
    model = sm.QuantReg(y, X)
    model.rank = X.shape[1]
    model.df_model, model.df_resid = float(model.rank - model.k_constant), len(y) - model.rank
    e = np.asarray(y - X @ coefficients[kept])
    low, high = np.percentile(e, [25, 75])
    reach = sm.hall_sheather(len(e), tau)
    width = min(float(np.std(y)), (high - low) / 1.34)
    width *= norm.ppf(tau + reach) - norm.ppf(tau - reach)
    density = sm.kernels["epa"](e / width).sum() / (len(e) * width)
    share = np.where(e > 0, tau / density, (1 - tau) / density)
    inverse = inverse_of_cross_product(np.asarray(X, dtype=np.float64))
    meat = np.asarray(X.mul(share, axis=0), dtype=np.float64)
    made = sm.QuantRegResults(model, coefficients[kept], inverse @ (meat.T @ meat) @ inverse)
    made.q, made.iterations, made.sparsity, made.bandwidth = tau, 0, 1 / density, width
    return sm.RegressionResultsWrapper(made)


def multinomial(sample: Sample, kept: BoolArray, fit: MultinomialFit) -> Any:
    """Of ``sm.MNLogit``; the likelihood of a row counts as often as its weight says."""
    from pycvstat.learners.statsmodels.multinomial import WeightedMNLogit

    y, X, used = parts(sample, kept)
    codes = y.to_numpy().astype(np.int64)
    classes = pd.Categorical.from_codes(codes, pd.Index(sample.levels))
    named = pd.Series(classes.remove_unused_categories(), name=sample.response)
    model = WeightedMNLogit(named, X, _some(sample.weights, used))
    start = fit.coefficients.ravel()
    model.__dict__["hessian"] = lambda params: -np.eye(len(params))  # is inverted, for nothing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of no steps taken
        made = model.fit(start, method="newton", maxiter=0, disp=0, skip_hessian=True)
    del model.__dict__["hessian"]
    made.mle_retvals["converged"] = fit.converged
    made.mle_retvals["Hessian"] = -model.hessian(start) / len(named)
    made._results.normalized_cov_params = fit.covariance
    return made


def penalised(sample: Sample, coefficients: FloatArray) -> Any:
    """Of ``fit_regularized`` of ``sm.OLS`` or ``sm.WLS``: coefficients and fitted values."""
    from statsmodels.base.elastic_net import RegularizedResults, RegularizedResultsWrapper
    from statsmodels.regression import linear_model as sm

    y, X, used = parts(sample, np.isfinite(coefficients))
    weights = _some(sample.weights, used)
    model = sm.OLS(y, X) if weights is None else sm.WLS(y, X, weights=weights)
    return RegularizedResultsWrapper(RegularizedResults(model, coefficients))
