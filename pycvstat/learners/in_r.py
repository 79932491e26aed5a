"""What R code does what a learner does, and how close the two should be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pycvstat.rmath.tolerances import ITERATIVE, Tolerance


@dataclass(frozen=True, slots=True)
class LearnerInR:
    """The same learner in R.

    Parameters
    ----------
    learner : str
        R code of a ``function(formula, train, p)`` that fits to the data frame ``train``, whose
        weights are ``.pcv_weights``, and returns ``list(predict = function(new), table =
        function())``: predictions of new rows, and the coefficients, a matrix with a row per term.
    says : str
        The R function, for people.
    params : mapping
        What it is given as ``p``.
    packages : tuple of str
        R packages it needs.
    tolerance : Tolerance
        Of its predictions.
    notes : tuple of str
    files : tuple of str
        The files of the R reference that it needs.
    otherwise : LearnerInR, optional
        What stands in where the packages are not installed.
    course : tuple of str
        R lines that make ``p``, predictions of the data frame ``new``, from ``train``, as a course
        would write them, the formula as ``FORMULA``, of `params` as ``<name>`` those that can be
        tuned in a course.

    Examples
    --------
    >>> import pycvstat as pcv
    >>> pcv.RLM().in_r(None).says
    'MASS::rlm'
    """

    learner: str
    says: str
    params: Mapping[str, Any] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    tolerance: Tolerance = ITERATIVE
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ("procedures.R",)
    otherwise: LearnerInR | None = None
    course: tuple[str, ...] = ()


def with_formula_in_r(one: LearnerInR, formula: str, beside: tuple[str, ...] = ()) -> LearnerInR:
    """The same learner, by a formula of its own, where ``.`` leaves out the columns beside.

    Examples
    --------
    >>> with_formula_in_r(LearnerInR("pcv_learners$ols", "lm"), "y ~ x").learner
    'pcv_model(pcv_learners$ols)'
    """
    otherwise = one.otherwise and with_formula_in_r(one.otherwise, formula, beside)
    params = {**one.params, "formula": formula, "beside": list(beside)}
    course = tuple(line.replace("FORMULA", formula) for line in one.course)
    learner = f"pcv_model({one.learner})"
    return replace(one, learner=learner, params=params, otherwise=otherwise, course=course)


def among_in_r(codes: Mapping[str, LearnerInR], model: str) -> LearnerInR:
    """One of several learners by its name, within the loosest of their tolerances.

    Examples
    --------
    >>> codes = {"a": LearnerInR("f", "lm"), "b": LearnerInR("g", "glm")}
    >>> among_in_r(codes, "b").learner, among_in_r(codes, "b").params
    ('pcv_among(list(f, g))', {'model': 2, 'params': {}})
    """
    each, chosen = list(codes.values()), codes[model]
    instead = {name: one.otherwise or one for name, one in codes.items()}
    return replace(
        chosen,
        learner=f"pcv_among(list({', '.join(one.learner for one in each)}))",
        says=", ".join(dict.fromkeys(one.says for one in each)),
        params={"model": list(codes).index(model) + 1, "params": dict(chosen.params)},
        packages=tuple(dict.fromkeys(package for one in each for package in one.packages)),
        tolerance=max((one.tolerance for one in each), key=lambda t: t.relative),
        notes=tuple(dict.fromkeys(note for one in each for note in one.notes)),
        files=tuple(dict.fromkeys(file for one in each for file in one.files)),
        otherwise=None if instead == codes else among_in_r(instead, model),
        course=(),
    )
