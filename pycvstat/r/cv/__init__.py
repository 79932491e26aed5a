"""R's package cv (Fox and Monette): `cv` of linear and generalised linear models, of several
models, and of the choice among them.

They draw from the stream of `pycvstat.r.set_seed`, as cv does in an R session: every call sets a
seed, the given one or one that it draws, and the session goes on from there.

Left out: ``method = "hatvalues"`` and ``"Woodbury"`` of a glm, which are approximate; coefficients
by fold; mixed models, rlm, transformations (``selectTrans``), procedures of one's own; plots.
"""

from pycvstat.r.cv.criteria import BayesRule, medAbsErr, mse, rmse
from pycvstat.r.cv.models import ModList, Selection, models, selectModelList, selectStepAIC
from pycvstat.r.cv.results import Cv, CvList, CvModList
from pycvstat.r.cv.validation import cv

__all__ = [
    "BayesRule", "Cv", "CvList", "CvModList", "ModList", "Selection", "cv", "medAbsErr", "models",
    "mse", "rmse", "selectModelList", "selectStepAIC",
]  # fmt: skip
