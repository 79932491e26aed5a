"""One fit of a statsmodels model, and what it predicts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pycvstat.data.formula import Design, FittedEncoder
from pycvstat.data.frame import Frame, read
from pycvstat.data.task import Task
from pycvstat.errors import FitError, PycvstatError, telling
from pycvstat.errors.checks import LESS
from pycvstat.learners.aliased import warn_once
from pycvstat.learners.design import FittedRegression, refuse_non_finite, sample_of
from pycvstat.learners.linear.least_squares import independent_columns
from pycvstat.learners.missing import NA, tell_missing
from pycvstat.learners.solution import CERTAIN, SEPARATED, FitReport, Outcome, Sample, results_table
from pycvstat.learners.statsmodels import columns, models
from pycvstat.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from pycvstat.learners.statsmodels.learner import Statsmodels


@dataclass(frozen=True, slots=True, eq=False)
class StatsmodelsFit:
    """One fit.

    Parameters
    ----------
    learner : Statsmodels
    results : object
        The results object of statsmodels.
    sample : Sample
        The training rows.
    kept : (p,) bool
        The columns of the design that have a coefficient.
    readers : dict
        How the arguments of ``predict`` are made from a frame.
    report : FitReport
    """

    learner: Statsmodels
    results: Any
    sample: Sample
    kept: BoolArray
    readers: dict[str, columns.Reader]
    report: FitReport

    def of(self, sample: Sample) -> Sample:
        """The part of a sample that is fitted; `kept` says what of it has coefficients."""
        return sample

    def predict(self, X: FloatArray, frame: Frame, offset: FloatArray | None) -> Outcome:
        """Predict the rows of a design (m, p), with the columns beside it from a frame."""
        further: dict[str, Any] = {name: make(frame) for name, make in self.readers.items()}
        if offset is not None:
            further["offset"] = offset + further.get("offset", 0.0)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                raw = self.results.predict(exog=X[:, self.kept], transform=False, **further)
        except Exception as error:
            raise failure(self.learner, "predict", error) from error
        values = np.asarray(getattr(raw, "predicted_values", raw), dtype=np.float64)
        return _outcome(self, values, len(X))


def fit_rows(
    learner: Statsmodels, task: Task, design: Design, X: FloatArray, rows: IntArray
) -> StatsmodelsFit:
    """Fit the model to some rows of a task; X is their design."""
    sample = sample_of(task, design, X, rows)
    seen = np.unique(sample.y)
    if sample.levels and len(seen) == 1:
        raise FitError("the training rows hold a single class.", fix="use stratified folds")
    train = task.frame.take(rows)
    found = columns.readers(learner.model, learner.of_the_model, task, train)
    penalised = models.is_regularised(learner.model, learner.fitting)
    kept = np.full(X.shape[1], True) if penalised else independent_columns(X, sample.weights)
    if sample.intercept and not models.takes_intercept(learner.model):
        kept = np.concatenate([[False], independent_columns(X)[1:]])
    results, heard = _fitted(learner, sample, kept, train, found, penalised)
    aliased = tuple(name for name in sample.named(~kept) if name != "(Intercept)")
    notes = _notes(learner, results, heard)
    report = FitReport(aliased, _converged(learner, results, heard), notes=notes)
    in_predict = {name: make for name, make in found.items() if name in named_by(learner)}
    return StatsmodelsFit(learner, results, sample, kept, in_predict, report)


def named_by(learner: Statsmodels) -> set[str]:
    """The arguments of the model's ``predict``."""
    return set(models.named(learner.model.predict))


def _fitted(
    learner: Statsmodels,
    sample: Sample,
    kept: BoolArray,
    train: Frame,
    found: dict[str, columns.Reader],
    penalised: bool,
) -> tuple[Any, list[Any]]:
    """The results object, and the warnings of statsmodels."""
    from statsmodels.tools.sm_exceptions import ModelWarning

    fitting = dict(learner.fitting)
    if fitting.get("cov_kwds"):
        fitting["cov_kwds"] = columns.with_columns(fitting["cov_kwds"], train)
    given = {name: deepcopy(v) for name, v in learner.of_the_model.items() if name not in found}
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            given |= {name: make(train) for name, make in found.items()}
            given |= _weights_and_offset(learner, sample, given)
            names = [n for n, one in zip(sample.columns, kept, strict=True) if one]
            X = pd.DataFrame(sample.X[:, kept], columns=names)
            model = _built(learner, X, sample, train, given)
            fit = model.fit_regularized if penalised else model.fit
            results = fit(**({"disp": 0} if "disp" in models.named(fit) else {}) | fitting)
    except PycvstatError:
        raise
    except Exception as error:
        raise failure(learner, "fit", error) from error
    return results, [w for w in heard if issubclass(w.category, ModelWarning)]


def _weights_and_offset(
    learner: Statsmodels, sample: Sample, given: dict[str, Any]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if sample.weights is not None:
        found["weights"] = sample.weights
    if sample.offset is not None:
        found["offset"] = sample.offset + given.get("offset", 0.0)
    return found


def _built(
    learner: Statsmodels, X: pd.DataFrame, sample: Sample, train: Frame, given: dict[str, Any]
) -> Any:
    """The model; where statsmodels reads a formula itself, ours reaches it as plain columns."""
    if not any(name.endswith("_formula") for name in given):
        return learner.model(_endog(learner, sample), X, **given)
    names = [f"design_{j}" for j in range(X.shape[1])]
    beside = train.select([name for name in learner.beside if name in train.names]).to_pandas()
    data = X.set_axis(names, axis=1).assign(response=sample.y).join(beside.reset_index(drop=True))
    return learner.model.from_formula(f"response ~ 0 + {' + '.join(names)}", data=data, **given)


def _endog(learner: Statsmodels, sample: Sample) -> pd.Series[Any]:
    """The response, for models of several classes with the names of those seen in training."""
    values: Any = sample.y
    if sample.levels and models.is_known(learner.model) and learner.for_classes:
        classes = pd.CategoricalDtype(list(sample.levels), ordered=True)
        seen = pd.Categorical.from_codes(sample.y.astype(np.int64), dtype=classes)
        values = seen.remove_unused_categories()
    return pd.Series(values, name=sample.response)


def _converged(learner: Statsmodels, results: Any, heard: Sequence[Any]) -> bool:
    from statsmodels.robust.robust_linear_model import RLM
    from statsmodels.tools.sm_exceptions import ConvergenceWarning, IterationLimitWarning

    if issubclass(learner.model, RLM):  # it tells its steps only
        return bool(results.fit_history["iteration"] < learner.fitting.get("maxiter", 50))
    said = getattr(results, "converged", None)
    if said is None:
        said = (getattr(results, "mle_retvals", None) or {}).get("converged")
    warned = any(issubclass(w.category, ConvergenceWarning | IterationLimitWarning) for w in heard)
    return not warned if said is None else bool(said)


def _notes(learner: Statsmodels, results: Any, heard: Sequence[Any]) -> tuple[str, ...]:
    """What statsmodels warned of, except convergence, which is counted; and separated classes."""
    said, counted = [], ["ConvergenceWarning"]
    if models.tells_separation(learner.model, learner.of_the_model):
        fitted = np.asarray(results.predict(), dtype=np.float64)
        if not ((fitted >= CERTAIN) & (fitted <= 1 - CERTAIN)).all():
            said, counted = [f"{learner.name}: {SEPARATED}"], [*counted, "PerfectSeparationWarning"]
    said += [
        f"{learner.name}: {str(w.message).strip().splitlines()[0]}"
        for w in heard
        if w.category.__name__ not in counted
    ]
    return tuple(dict.fromkeys(said))


def failure(learner: Statsmodels, what: str, error: Exception) -> FitError:
    """A FitError with the telling line of statsmodels' own."""
    from statsmodels.tools.sm_exceptions import PerfectSeparationError

    fix = LESS if isinstance(error, MemoryError) else None
    if isinstance(error, PerfectSeparationError):
        fix = "the predictors separate the classes: use a penalised fit, or pcv.Logit() as R's glm"
    elif isinstance(error, np.linalg.LinAlgError):
        fix = "look for columns that are nearly copies of others, or for separated classes"
    elif isinstance(error, NotImplementedError):
        fix = "it has no prediction for new rows; go through pcv.FromFunctions(fit, predict)"
    return FitError(f"{learner.name} failed to {what}.", given=telling(error), fix=fix)


def not_one_number(name: str, given: str) -> FitError:
    """The error of a model of classes whose response is numbers."""
    fix = "for classes make the response categorical: factor(y)"
    return FitError(f"{name} does not give one number per row.", given=given, fix=fix)


def _outcome(fit: StatsmodelsFit, values: FloatArray, m: int) -> Outcome:
    """Values of m rows, or classes and their probabilities, checked."""
    levels, name = fit.sample.levels, fit.learner.name
    if not levels:
        if values.shape != (m,):
            raise not_one_number(name, f"predictions of shape {values.shape} for {m} rows")
        return Outcome(values)
    prob = np.zeros((m, len(levels)))
    if values.ndim == 2:
        prob[:, np.unique(fit.sample.y).astype(np.int64)] = values
    elif len(levels) == 2:
        prob[:] = np.column_stack([1 - values, values])
    else:
        raise FitError(f"{name} does not give probabilities of {len(levels)} classes.")
    if not np.isfinite(prob).all():
        fix = "the predictors may separate the classes: use a penalised fit, or pcv.MNLogit()"
        given = f"{int((~np.isfinite(prob)).any(axis=1).sum())} of {m} rows"
        raise FitError(f"{name} gives probabilities that are not finite.", given=given, fix=fix)
    if prob.min(initial=0.0) < 0 or prob.max(initial=0.0) > 1 + 1e-9:
        given = f"predictions from {prob.min():g} to {prob.max():g}"
        raise FitError(f"{name} gives numbers, not probabilities.", given=given)
    return Outcome(prob.argmax(axis=1).astype(np.float64), prob)


class FittedStatsmodels(FittedRegression):
    """A fitted statsmodels model.

    Attributes
    ----------
    learner : Statsmodels
    task : Task
        The training rows.
    results : object
        The results object of statsmodels: summary, covariances, predictions with intervals.
    columns : tuple of str
        The columns of the design matrix.
    report : FitReport
        Columns without coefficient, convergence, and what statsmodels warned of.
    """

    def __init__(
        self, learner: Statsmodels, task: Task, encoder: FittedEncoder, fit: StatsmodelsFit
    ) -> None:
        self.learner, self.task, self._encoder, self._fit = learner, task, encoder, fit
        self.results, self.columns, self.report = fit.results, fit.sample.columns, fit.report

    def tidy(self, level: float = 0.95) -> pd.DataFrame:
        """One row per coefficient: term, estimate, std_error, statistic, p_value, conf_low, ...

        Columns without a coefficient are NaN, and so are the accuracies of penalised fits.
        """
        fit, levels = self._fit, self.task.response.levels
        classes = [levels[int(code)] for code in np.unique(fit.sample.y)] if levels else []
        own = slice(0 if models.takes_intercept(self.learner.model) else 1, None)
        return results_table(self.results, self.columns[own], fit.kept[own], classes, level)

    def answers(self, new: Any, na: NA) -> tuple[FloatArray, FloatArray | None, BoolArray]:
        """Predict the rows without a missing predictor."""
        frame = read(new)
        design = self._encoder.matrix(frame)
        known: BoolArray = np.asarray(np.isfinite(design.X).all(axis=1))
        parts = [make(frame) for make in self._fit.readers.values()]
        for part in parts if design.offset is None else [*parts, design.offset]:
            known &= np.isfinite(part.astype(np.float64).reshape(len(known), -1)).all(axis=1)
        tell_missing(known, na)
        frames = (one.select(self.task.formula.predictors) for one in (self.task.frame, frame))
        warn_once(self.learner, [self._fit], self._fit.sample, design.X[known], *frames)
        offset = None if design.offset is None else design.offset[known]
        outcome = self._fit.predict(design.X[known], frame.take(known), offset)
        refuse_non_finite(self.learner.name, outcome.values)
        return outcome.values, outcome.prob, known
