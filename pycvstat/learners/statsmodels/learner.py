"""Any statsmodels model as a learner."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from pycvstat.data.task import Task
from pycvstat.errors import InputError, warn
from pycvstat.learners.aliased import warn_once
from pycvstat.learners.base import Learner, Params, Predictions, Prepared, Which
from pycvstat.learners.design import PreparedDesign, tell_wide
from pycvstat.learners.solution import stacked
from pycvstat.learners.statsmodels import models
from pycvstat.learners.statsmodels.columns import check_columns, names_in, refuse_values
from pycvstat.learners.statsmodels.fitting import FittedStatsmodels, fit_rows, not_one_number
from pycvstat.learners.statsmodels.models import named, of_model, place_of
from pycvstat.types import IntArray


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Statsmodels(Learner):
    """A statsmodels model, given as formula function or class.

    ``smf.ols`` and the others, and the classes, are wrapped by themselves wherever a learner is
    expected.

    Parameters
    ----------
    model : formula function or class
        ``smf.glm``, ``sm.MNLogit``, ``OrderedModel``, ...: what can predict new rows. Forecasters
        go through `FromFunctions`.
    fit : mapping, optional
        Arguments of its ``fit``; with one that only ``fit_regularized`` has, such as the penalty
        alpha, of that.
    **of_the_model
        Arguments of the model, by the names of statsmodels. Text is the name of a column of the
        data (exposure, offset, groups, freq_weights, ...), except where statsmodels' default is
        one of its words (``distr="logit"``); a list of names, or a one-sided formula ``"~ x"``,
        is a matrix (exog_infl, exog_re, exog_precision). These columns follow the rows into fits
        and predictions; ``.`` in the formula does not stand for them.

    Notes
    -----
    The formula is R's: statsmodels gets the columns of our model matrix under their names, with
    levels and polynomials frozen as for every learner, whether it was named as formula function
    or as class. The numbers are those of its own formulas wherever both mean the same. Models
    with thresholds in place of a constant (`OrderedModel`) get no intercept. Only arguments that
    end in ``_formula`` (``re_formula``, ``vc_formula``) are read by statsmodels itself.

    Columns that earlier ones span in the training rows are left out by R's rule before the fit,
    except of a penalised one: statsmodels would divide a coefficient among them, or fail.

    Two classes are the codes 0 and 1 of their levels; models of more get their names. Predictions
    of mixed models are those of the population: the effects of single groups are not added,
    whether a group was seen or not.

    A parameter of a grid reaches the argument of that name of the model, of its fit or of its
    regularised fit; ``model__name`` or ``fit__name`` says which where two have it, and
    ``fit__name`` reaches what the fit only passes on.

    Examples
    --------
    >>> import pycvstat as pcv, statsmodels.api as sm, statsmodels.formula.api as smf
    >>> data = pcv.data.mtcars()
    >>> learner = pcv.Statsmodels(smf.glm, family=sm.families.Poisson(), exposure="cyl")
    >>> learner
    Statsmodels(GLM, family=Poisson, exposure='cyl')
    >>> learner.fit("carb ~ wt", data).results.params.round(4).to_dict()
    {'(Intercept)': -0.8607, 'wt': 0.021}
    >>> result = pcv.tune(smf.ols, "mpg ~ scale(wt)", data, grid={"alpha": [0.1, 1.0, 9.0]},
    ...                   folds=pcv.Blocks(4))
    >>> result.best
    {'alpha': 0.1}

    As in R: the function whose model it is, such as ``lme4::lmer`` for ``smf.mixedlm``.
    """

    software: ClassVar[tuple[str, ...]] = ("seabold2010",)

    model: Any
    of_the_model: Mapping[str, Any] = field(metadata={"said": ""})
    fitting: Mapping[str, Any] = field(metadata={"said": "fit"})

    def __init__(
        self, model: Any, /, *, fit: Mapping[str, Any] | None = None, **of_the_model: Any
    ) -> None:
        found = models.class_of(model)
        if found is None:
            raise _not_a_model(model)
        models.check_predicts_rows(found)
        if of_the_model.get("missing", "none") != "none":
            raise InputError("rows with missing values are left out by na='omit'.")
        if not isinstance(fit, Mapping | None):
            raise InputError(
                "fit must be a mapping.", given=repr(fit), fix='for example fit={"cov_type": "HC3"}'
            )
        models.check_arguments(found, of_the_model, fit or {})
        parts = {"model": found, "of_the_model": of_the_model, "fitting": dict(fit or {})}
        for name, part in parts.items():
            object.__setattr__(self, name, part)

    @classmethod
    def from_fields(
        cls, model: Any, of_the_model: Mapping[str, Any], fitting: Mapping[str, Any]
    ) -> Self:
        """The learner of these fields, as files hold them."""
        return cls(model, fit=fitting, **of_the_model)

    def __repr__(self) -> str:
        given = [f"{name}={_shown(value)}" for name, value in self.of_the_model.items()]
        given += [f"fit={dict(self.fitting)}"] if self.fitting else []
        return f"Statsmodels({', '.join([self.model.__name__, *given])})"

    @property
    def name(self) -> str:
        """The name of the model's class."""
        return f"statsmodels {self.model.__name__}"

    @property
    def beside(self) -> tuple[str, ...]:
        """Names by which it may mean columns of the data besides those of the formula."""
        return tuple(dict.fromkeys(names_in(self.model, self.of_the_model, self.fitting)))

    @property
    def for_classes(self) -> bool:
        """Whether it predicts classes only."""
        return models.classes_of(self.model, {}) == math.inf and models.is_known(self.model)

    @property
    def shrinks(self) -> bool:
        """Whether it can use more columns than half of the rows."""
        return models.is_regularised(self.model, self.fitting)

    def params(self) -> dict[str, Any]:
        """The arguments that were given."""
        return {**self.of_the_model, **self.fitting}

    def with_params(self, /, **params: Any) -> Self:
        """The same model with other arguments."""
        places: dict[str, dict[str, Any]] = {"model": {}, "fit": {}}
        names = {name.removeprefix("fit__") for name in params}
        for name, value in params.items():
            place, plain = place_of(self.model, name, self.fitting, names)
            places[place][plain] = value
        return type(self)(
            self.model,
            fit={**self.fitting, **places["fit"]},
            **{**self.of_the_model, **places["model"]},
        )

    def check(self, task: Task) -> None:
        """Refuse a response, weights or an offset that the model has no place for."""
        levels, y = task.response.levels, task.response.values
        classes = models.classes_of(self.model, self.of_the_model)
        if len(levels) > classes:
            told = f"{classes} classes" if classes else "numbers"
            raise InputError(
                f"{self.name} predicts {told}, and the response is {task.response.kind}.",
                given=f"{task.response.name} with levels {list(levels[:6])}",
                fix="use smf.mnlogit or OrderedModel for classes, for two of them also smf.logit",
            )
        if self.for_classes and not levels:
            raise not_one_number(
                self.name, f"{task.response.name}, whose values it takes for classes"
            )
        if task.weights is not None and "weights" not in of_model(self.model):
            has = [n for n in ("freq_weights", "var_weights") if n in of_model(self.model)]
            raise InputError(
                f"{self.name} has no argument weights.",
                fix=f"name the column: {' or '.join(f'{n}=...' for n in has)}"
                if has
                else "leave weights= out, or use a model with weights (smf.wls, smf.glm)",
            )
        if task.formula.offsets and "offset" not in named(self.model.predict):
            raise InputError(f"{self.name} knows no offset.", given=task.formula.text)
        self.check_missing(task)
        if not levels:
            models.check_range(self.model, self.of_the_model, task.response.name, y)
        models.check_needed(self.model, self.of_the_model)
        check_columns(self.model, self.of_the_model, self.fitting, task.offered or task.frame.names)
        refuse_values(self.of_the_model, task.n + task.omitted)

    def tell(self, task: Task) -> None:
        """That a mixed model predicts the population, and a model of hazards no response."""
        if models.predicts_hazards(self.model):
            warn(
                f"{self.name} predicts logarithms of hazards, and losses compare them with "
                f"{task.response.name}.",
                fix="write what is to be predicted, such as median times, as "
                "pcv.FromFunctions(fit, predict)",
            )
        if "exog_re" in of_model(self.model):
            warn(
                f"{self.name} predicts the mean of the population: effects of single groups are "
                "not added, whether a group was seen in training or not."
            )

    def prepare(self, task: Task, candidates: Sequence[Params] = ({},)) -> Prepared:
        """Check the learner against the task; the design matrix is made once for all fits."""
        return PreparedStatsmodels(self, task, candidates)

    def fit_task(self, task: Task) -> FittedStatsmodels:
        """Fit on all rows of a task."""
        self.check(task)
        self.tell(task)
        encoder = task.encoder("contrasts").fit(task.frame)
        design = encoder.matrix(task.frame)
        tell_wide(self, task.n, design.X.shape[1])
        found = fit_rows(self, task, design, design.X, np.arange(task.n))
        warn_once(self, [found], found.sample, found.sample.X[:0], task.frame, task.frame)
        if not found.report.converged:
            warn(f"{self.name} did not converge.", fix="raise maxiter, or take another method")
        return FittedStatsmodels(self, task, encoder, found)


class PreparedStatsmodels(PreparedDesign):
    """A statsmodels model prepared for one task."""

    def predict(
        self, train: IntArray, new: IntArray, which: Which = None, context: Any = None
    ) -> Predictions:
        """Fit each candidate on the rows `train` and predict the rows `new`."""
        X_train, X_new = self.task.matrices("contrasts", train, new)
        offset = None if self.design.offset is None else self.design.offset[new]
        tell_wide(self.learners[0], len(train), X_train.shape[1])
        frame = self.task.frame.take(new)
        fits = [fit_rows(one, self.task, self.design, X_train, train) for one in self.chosen(which)]
        outcomes = [one.predict(X_new, frame, offset) for one in fits]
        known = self.task.frame.select(self.task.formula.predictors)
        frames = known.take(train), known.take(new)
        warn_once(self.learners[0], fits, fits[0].sample, X_new, *frames)
        return stacked(outcomes, tuple(one.report for one in fits))


def _not_a_model(given: Any) -> InputError:
    if models.is_built(given):
        return models.refused(given)
    return InputError(
        "this is no statsmodels model.",
        given=given if isinstance(given, str) else type(given).__name__,
        fix="give a formula function (smf.ols) or a class (sm.OLS), not yet called",
    )


def _shown(value: Any) -> str:
    """Text in quotes; objects of statsmodels by their class."""
    plain = isinstance(value, (str, int, float, list, tuple, dict, type(None)))
    return repr(value) if plain else type(value).__name__
