"""R's package glmnet under its own names: paths of the elastic net, and their cross-validation.

The steps are glmnet's own, so that its digits come out at its default threshold: the order in
which predictors are updated, active sets, convergence and the end of the path. Written from the
published descriptions (Friedman, Hastie and Tibshirani 2010; Tibshirani et al. 2012), R's help
pages and measurements of glmnet 4.1. `pycvstat.Lasso` and its kin solve the same problem to the
last digits instead, and go everywhere where a learner goes.

Left out of glmnet: the families cox, mgaussian and those given as objects; responses of several
columns; offsets; limits of coefficients; `exclude`;
sparse x and `makeX`; `relax`; `alignment = "fraction"`; `bigGlm`, `assess.glmnet` and the plots
(`tidy` gives what they draw). Of `glmnet.control` the factory's values hold.
"""

from pycvstat.r.glmnet.cv import CvGlmnet, cv_glmnet
from pycvstat.r.glmnet.fit import Glmnet, glmnet

__all__ = ["CvGlmnet", "Glmnet", "cv_glmnet", "glmnet"]
