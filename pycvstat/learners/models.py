"""Models: learners with formulas of their own, and one of several models as a learner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.errors.checks import check_word, shown
from pycvstat.learners.base import Learner, Params
from pycvstat.learners.in_r import LearnerInR, among_in_r, with_formula_in_r
from pycvstat.learners.parts import Composed, Part
from pycvstat.losses import Loss

FORMULA = "formula"
MODEL = "model"


@dataclass(frozen=True, repr=False)
class Model(Composed):
    """A learner with a formula of its own.

    Models of one response can be compared, tuned over and nested on the same rows of the same
    data: a row that misses a value in a column of one of them is left out for all. ``formula`` is
    a parameter beside those of the learner, so a grid may name it: ``grid={"formula": [...]}``
    makes a `Model` of any learner.

    Parameters
    ----------
    learner : Learner or any object with fit and predict
    formula : str, optional
        None stands for the formula of the data.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> models = {"small": pcv.Model(pcv.OLS(), "mpg ~ wt"),
    ...           "knn": pcv.Model(pcv.KNN(5), "mpg ~ wt + hp")}
    >>> result = pcv.compare(models, data=pcv.data.mtcars(), folds=pcv.Blocks(4))
    >>> {name: round(estimate, 3) for name, estimate in result.estimate.items()}
    {'small': 9.835, 'knn': 8.933}

    As in R: a fitted model, such as ``lm(mpg ~ wt, data)``, as its ``update()`` fits it again.
    """

    learner: Learner
    formula: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "learner", read_learner(self.learner))
        if isinstance(self.learner, Composed):
            raise InputError(
                "a model is a learner with one formula, and this learner is made of models.",
                given=f"Model({self.learner!r}, {self.formula!r})",
                fix="give the formula to the learner inside",
            )
        if self.learner.candidates:
            raise InputError(
                "the formula belongs to the learner that is tuned.",
                given=f"Model({self.learner.name}, {self.formula!r})",
                fix='Tuned(Model(KNN(), "y ~ x"), grid, inner)',
            )
        formula: Any = self.formula
        if not (formula is None or isinstance(formula, str)):
            given, fix = shown(formula), 'Model(OLS(), "y ~ x")'
            raise InputError("the formula of a model must be text.", given=given, fix=fix)

    @property
    def name(self) -> str:
        """The name of the learner."""
        return self.learner.name

    @property
    def base(self) -> Learner:
        """The learner."""
        return self.learner.base

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns that the learner reads beside the formula."""
        return self.learner.beside

    @property
    def for_classes(self) -> bool:
        """Whether the learner predicts classes only."""
        return self.learner.for_classes

    @property
    def formulas(self) -> tuple[str | None, ...]:
        """Its formula."""
        return (self.formula,)

    @property
    def usual(self) -> dict[str, Any]:
        """The usual values of the learner's parameters."""
        return {**self.learner.usual, FORMULA: None}

    def params(self) -> dict[str, Any]:
        """The parameters of the learner, and the formula."""
        return {**self.learner.params(), FORMULA: self.formula}

    def with_params(self, /, **params: Any) -> Self:
        """The same with another formula or other parameters of the learner."""
        _, formula, others = self.part(params)
        return replace(self, learner=self.learner.with_params(**others), formula=formula)

    def own_grid(self, task: Task) -> Sequence[Params]:
        """The candidates that the columns of its formula suggest."""
        return self.learner.own_grid(task if self.formula is None else task.under(self.formula))

    def inside(self, loss: Loss, on_error: Literal["raise", "warn"]) -> Self:
        """The learner as part of a procedure."""
        return replace(self, learner=self.learner.inside(loss, on_error))

    def part(self, params: Params) -> Part:
        """The learner, by the formula of the candidate or its own."""
        others = {name: value for name, value in params.items() if name != FORMULA}
        return Part(self.learner, params.get(FORMULA, self.formula), others)

    def in_r(self, task: Task) -> LearnerInR | None:
        """The R code of the learner, by this formula."""
        if self.formula is None:
            return self.learner.in_r(task)
        own = task.under(self.formula)
        found = self.learner.in_r(own)
        return None if found is None else with_formula_in_r(found, self.formula, own.formula.beside)


@dataclass(frozen=True, repr=False)
class Models(Composed):
    """One of several models, which is chosen by its name.

    Tuning over it chooses among the models: a list or a dict of models in the place of a learner
    is this learner, as in ``tune([Model(OLS(), "y ~ x"), Model(KNN(), "y ~ .")], data=data,
    folds=10)``, in `nested_cv` and in `Tuned`.

    Parameters
    ----------
    models : mapping or sequence of learners
        Learners without a name are called as they are typed.
    model : str, optional
        The name of the chosen one.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> models = pcv.Models({"line": pcv.Model(pcv.OLS(), "mpg ~ wt"),
    ...                      "curve": pcv.Model(pcv.OLS(), "mpg ~ poly(wt, 2)")})
    >>> pcv.tune(models, data=pcv.data.mtcars(), folds=pcv.Blocks(4)).best
    {'model': 'curve'}

    As in R: ``cv::models()``.
    """

    models: Any
    model: str | None = field(default=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", named(self.models))
        for name, one in self.models.items():
            if isinstance(one, Models) or one.candidates:
                raise InputError(
                    "one of several models is a learner without a choice inside.",
                    given=f"{name}: {one.name}",
                    fix="compare() compares tuned learners; one grid of mappings may name the "
                    'model and its parameters: [{"model": "knn", "k": 5}, {"model": "ols"}]',
                )
        if self.model is not None:
            check_word(MODEL, self.model, self.models, "there is no model of this name.")

    @property
    def chosen(self) -> Learner:
        """The chosen model."""
        if self.model is None:
            problem = "several models were given where one learner is fitted."
            fix = "tune() without a grid chooses one of them, compare() compares them"
            raise InputError(problem, given=", ".join(self.models), fix=fix)
        found: Learner = self.models[self.model]
        return found

    @property
    def name(self) -> str:
        """How many they are, or the name of the chosen one."""
        return f"{len(self.models)} models" if self.model is None else self.model

    @property
    def base(self) -> Learner:
        """The learner of the chosen model."""
        return self if self.model is None else self.chosen.base

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns that a model reads beside its formula."""
        return tuple(dict.fromkeys(name for one in self.models.values() for name in one.beside))

    @property
    def for_classes(self) -> bool:
        """Whether a model predicts classes only."""
        return any(one.for_classes for one in self.models.values())

    @property
    def formulas(self) -> tuple[str | None, ...]:
        """The formulas of all models."""
        return tuple(text for one in self.models.values() for text in one.formulas)

    def params(self) -> dict[str, Any]:
        """The name of the chosen model, and its parameters."""
        return {MODEL: self.model} | ({} if self.model is None else self.chosen.params())

    def with_params(self, /, **params: Any) -> Self:
        """The same with another chosen model, or other parameters of it."""
        name, others = params.get(MODEL, self.model), dict(params)
        others.pop(MODEL, None)
        made = replace(self, model=name)
        changed = made.chosen.with_params(**others) if others else made.chosen
        return replace(made, models={**self.models, name: changed})

    def inside(self, loss: Loss, on_error: Literal["raise", "warn"]) -> Self:
        """The models as parts of a procedure."""
        models = {name: one.inside(loss, on_error) for name, one in self.models.items()}
        return replace(self, models=models)

    def part(self, params: Params) -> Part:
        """The model of the candidate, as it is fitted."""
        others = {name: value for name, value in params.items() if name != MODEL}
        model = replace(self, model=params.get(MODEL, self.model)).chosen
        return model.part(others) if isinstance(model, Model) else Part(model, None, others)

    def in_r(self, task: Task) -> LearnerInR | None:
        """The R code of all models, of which the name chooses one."""
        codes = {name: one.in_r(task) for name, one in self.models.items()}
        known = {name: code for name, code in codes.items() if code is not None}
        if self.model is None or len(known) < len(codes):
            return None
        return among_in_r(known, self.model)


def named(given: Any) -> dict[str, Learner]:
    """Learners by name: by the names given, or as they are typed.

    Examples
    --------
    >>> from pycvstat.learners.ols import OLS
    >>> list(named([Model(OLS(), "y ~ x"), OLS()]))
    ['OLS: y ~ x', 'OLS']
    """
    if isinstance(given, Mapping):
        found = {str(name): read_learner(one) for name, one in given.items()}
    elif isinstance(given, Iterable) and not isinstance(given, str):
        learners = [read_learner(one) for one in given]
        names = [_typed(one) for one in learners]
        for name in names:
            if names.count(name) > 1:
                fix = "leave one out, or name them in a dict"
                raise InputError("the same model was given twice.", given=name, fix=fix)
        found = dict(zip(names, learners, strict=True))
    else:
        given, fix = shown(given), 'for example {"small": Model(OLS(), "y ~ x"), "knn": KNN(5)}'
        raise InputError("models are given by name, or in a list.", given=given, fix=fix)
    if not found:
        raise InputError("there are no models.", given=shown(given))
    return found


def _typed(one: Learner) -> str:
    if isinstance(one, Model) and one.formula is not None:
        return f"{_typed(one.learner)}: {one.formula}"
    return repr(one).removesuffix("()")


def read_learner(given: Any) -> Learner:
    """As `as_learner` reads it."""
    from pycvstat.learners import as_learner

    return as_learner(given)
