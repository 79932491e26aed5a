# %% [markdown]
# # Your own function beside R
#
# *I wrote a function that R has too, or I use a statsmodels estimator where colleagues use R. How
# do I show, also on machines without R, that both give the same?*
#
# A case is a name, what Python computes, the R code of the same, the data that both use, and how
# far the two may be apart and why. `check` computes both sides where R is and keeps R's values in a
# file; elsewhere it compares with that file.

# %%
import tempfile
from pathlib import Path

import numpy as np
import statsmodels.formula.api as smf

import pycvstat as pcv

cars = pcv.data.mtcars()


def winsorised(x, share):
    """The mean after the extreme values are set to quantiles."""
    low, high = np.quantile(x, [share, 1 - share])
    return np.clip(x, low, high).mean()


def poisson(d):
    fit = smf.poisson("carb ~ hp", d).fit(disp=0, method="newton", tol=1e-12)
    return {"estimate": fit.params.to_numpy(), "std_error": fit.bse.to_numpy()}


cases = [
    pcv.Case(
        "winsorised mean",
        winsorised,
        "{ q <- quantile(x, c(share, 1 - share)); mean(pmin(pmax(x, q[1]), q[2])) }",
        data={"x": cars["mpg"].to_numpy(), "share": 0.1},
        rtol=1e-12,
        because="sums in another order",
    ),
    pcv.Case(
        "Poisson regression",
        poisson,
        """{
          fit <- coef(summary(glm(carb ~ hp, poisson, d, epsilon = 1e-14)))
          list(estimate = fit[, 1], std_error = fit[, 2])
        }""",
        data={"d": cars},
        rtol=1e-7,
        because="both iterate, and stop by their own rules",
    ),
]

# %% [markdown]
# The values that R 4.2 gave are kept beside this page. The verdict is true when everything was
# compared and agrees; what R refuses or has not been asked is not compared, which is not true.

# %%
checked = pcv.check(cases, "beside_r/own.json", against="recorded", about="Two functions of mine")
print(checked.summary())

# %% [markdown]
# `report` writes the page that such comparisons have: statistic, R, Python, match, notes, the code
# of both, the sessions.

# %%
with tempfile.TemporaryDirectory() as place:
    page = checked.report(Path(place, "page.md")).read_text()
print(page[:900])

# %% [markdown]
# ## In pytest and on the command line
#
# The fixture `r` does the same in a test; R's values go into `test_mine.r.json` beside it:
#
# ```python
# def test_winsorised(r):
#     x = [1.0, 2.0, 4.0, 5.0, 90.0]
#     code = "{ q <- quantile(x, c(.2, .8)); mean(pmin(pmax(x, q[1]), q[2])) }"
#     given = {"rtol": 1e-12, "because": "sums in another order"}
#     r.agrees(winsorised(x, 0.2), code, data={"x": x}, **given)
# ```
#
# `pytest --r=live` asks R, `--r=recorded` the file, `--r=record` asks R for everything anew; by
# default R where it is. Without R a value that was never recorded is a failure, not a skip.
#
# `pycvstat crosscheck mycases.py --report page.html --junit outcome.xml` runs a file that defines
# cases and ends with status 1 when one differs. Four such files, with their pages, come with this
# documentation: ridge and lasso, K-fold cross-validation, the corrected resampled t, and nearest
# neighbours with ties.
