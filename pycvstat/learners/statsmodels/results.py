"""statsmodels' results objects at coefficients that other steps found, and their tables."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from statsmodels.discrete.discrete_model import MNLogit

from pycvstat.learners.multinomial import information, probabilities
from pycvstat.learners.solution import inverse_of_cross_product
from pycvstat.types import BoolArray, FloatArray

if TYPE_CHECKING:
    import pandas as pd

    from pycvstat.learners.solution import Sample


def parts(sample: Sample, kept: BoolArray) -> tuple[pd.Series[Any], pd.DataFrame, BoolArray]:
    """Response and design as statsmodels shows them, and the rows: those of positive weight.

    Columns without a coefficient are left out; an offset is not yet taken from the response.
    """
    import pandas as pd

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
    model.fit()  # what diagnostics need of the design
    inverse = inverse_of_cross_product(np.asarray(model.wexog, dtype=np.float64))
    made = sm.RegressionResults(model, coefficients[kept], inverse, **covariance)
    return sm.RegressionResultsWrapper(made)


def generalised(
    sample: Sample,
    coefficients: FloatArray,
    family: Any,
    working: FloatArray,
    free_dispersion: bool,
    history: dict[str, Any],
) -> Any:
    """Of ``sm.GLM``, with the dispersion by Pearson's chi-square where it is estimated.

    Parameters
    ----------
    sample : Sample
    coefficients : (p,) float64
        NaN where a column has none.
    family : family of statsmodels
        With its link.
    working : (n,) float64
        The weights of the last iteration, from which R takes the covariance.
    free_dispersion : bool
    history : dict
        iteration, deviance and converged.
    """
    from statsmodels.genmod import generalized_linear_model as sm

    kept = np.isfinite(coefficients)
    y, X, used = parts(sample, kept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # links that do not respect the family's domain
        weights, offset = _some(sample.weights, used), _some(sample.offset, used)
        model = sm.GLM(y, X, family=family, offset=offset, var_weights=weights)
    rows = np.asarray(X, dtype=np.float64) * np.sqrt(working[used])[:, None]
    informative = working[used] > 0
    model.mu = model.predict(coefficients[kept])
    model.scale = model.estimate_scale(model.mu) if free_dispersion else 1.0
    inverse = inverse_of_cross_product(rows[informative])
    made = sm.GLMResults(model, coefficients[kept], inverse, model.scale, use_t=free_dispersion)
    made.method, made.mle_settings = "IRLS", {"optimizer": "IRLS", "wls_method": "qr"}
    made.converged = history.pop("converged")
    made.fit_history = history
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


def multinomial(sample: Sample, kept: BoolArray, coefficients: FloatArray, converged: bool) -> Any:
    """Of ``sm.MNLogit``; the likelihood of a row counts as often as its weight says.

    Parameters
    ----------
    sample : Sample
    kept : (p,) bool
        The columns with coefficients.
    coefficients : (L - 1, kept columns) float64
        Of the classes seen in training but the first.
    converged : bool
    """
    import pandas as pd

    y, X, used = parts(sample, kept)
    codes = y.to_numpy().astype(np.int64)
    classes = pd.Categorical.from_codes(codes, pd.Index(sample.levels))
    named = pd.Series(classes.remove_unused_categories(), name=sample.response)
    model = WeightedMNLogit(named, X, _some(sample.weights, used))
    start = coefficients.ravel()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of no steps taken
        made = model.fit(start_params=start, method="newton", maxiter=0, disp=0)
    made.mle_retvals["converged"] = converged
    return made


def penalised(sample: Sample, coefficients: FloatArray) -> Any:
    """Of ``fit_regularized`` of ``sm.OLS`` or ``sm.WLS``: coefficients and fitted values."""
    from statsmodels.base.elastic_net import RegularizedResults, RegularizedResultsWrapper
    from statsmodels.regression import linear_model as sm

    y, X, used = parts(sample, np.isfinite(coefficients))
    weights = _some(sample.weights, used)
    model = sm.OLS(y, X) if weights is None else sm.WLS(y, X, weights=weights)
    return RegularizedResultsWrapper(RegularizedResults(model, coefficients))


class WeightedMNLogit(MNLogit):  # type: ignore[misc]
    """``sm.MNLogit``, where a row counts as often as its weight says.

    Parameters
    ----------
    endog, exog
        As of ``sm.MNLogit``.
    weights : (n,) float64, optional
    """

    def __init__(
        self, endog: Any, exog: Any, weights: FloatArray | None = None, **given: Any
    ) -> None:
        super().__init__(endog, exog, **given)
        self.weights = np.ones(len(exog)) if weights is None else weights
        self._init_keys.append("weights")  # the null model has them too

    def loglike(self, params: FloatArray) -> float:
        """The weighted log-likelihood."""
        terms = np.where(self.wendog > 0, self.loglikeobs(params), 0.0)
        return float(self.weights @ terms.sum(axis=1))

    def score(self, params: FloatArray) -> FloatArray:
        """Its gradient."""
        found: FloatArray = self.weights @ self.score_obs(params)
        return found

    def hessian(self, params: FloatArray) -> FloatArray:
        """Its second derivatives."""
        at = params.reshape(self.K, -1, order="F")
        X = np.asarray(self.exog, dtype=np.float64)
        return -information(X, probabilities(X, at.T), self.weights)
