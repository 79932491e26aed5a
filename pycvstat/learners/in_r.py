"""What R code does what a learner does, and how close the two should be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
