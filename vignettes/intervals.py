# %% [markdown]
# # Intervals and their coverage
#
# *Which confidence interval may I put around a cross-validation estimate, and does it cover what I
# think it covers?*
#
# ## Say what is to be covered
#
# The losses of one cross-validation are dependent, and there are several targets:
#
# - $ER(m)$: the expected risk after training on $m$ rows, averaged over training sets,
# - $R$: the risk of the model fitted on this data set,
# - $PQ$: the mean over folds of the risks of the $K$ fitted models, the "K-fold test error".
#
# Every interval here states its target with the training size, and refuses fold plans for which its
# formula does not hold. K-fold cross-validation of $n$ rows is centred at $ER(n(1 - 1/K))$; users
# usually want $ER(n)$.

# %%
import json
import warnings
from pathlib import Path

import pandas as pd

import pycvstat as pcv
from pycvstat.report.plots.forest import coverage as coverage_plot
from pycvstat.report.plots.style import new_axes

data = pcv.data.mtcars()
result = pcv.cross_validate(
    pcv.OLS(), "mpg ~ wt + hp", data, folds=pcv.Repeated(pcv.KFold(10), times=10, random=1)
)
found = result.interval()
print(f"{found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})")
print(found.estimand)
print("chosen because", found.chosen)
print("known:", found.known)

# %%
try:
    result.interval("ncv")
except pcv.errors.IntervalError as problem:
    print(problem)

# %% [markdown]
# ## The formulas in brief
#
# - **Corrected resampled t** (Nadeau and Bengio): with $J$ fold means of standard deviation $s$,
#   $\bar{x} \pm t_{J-1}\, s \sqrt{1/J + n_2/n_1}$, where $n_2/n_1$ is test over training size. The
#   default for losses with an upper end, and for metrics.
# - **Log-scale corrected t**: the same for $\log\bar{x}$, so $\bar{x}\exp(\pm t_{J-1}\,
#   s\sqrt{1/J + \rho}/\bar{x})$: means of losses without an upper end are skewed to the right. On
#   one partition $\rho = n_2/(n_1 - n_2)$, test rows over the training rows that two fits share; on
#   a repeated one $\rho = (n_2/n_1)(1 + 4I)$, where the instability $I$ is the variance of a row's
#   loss between repetitions over that between rows. Both were chosen by simulation: see [what an
#   interval can promise](what_an_interval_can_promise.py). The default for losses from 0 without an
#   upper end.
# - **Row-wise corrected t**: $\pm t_{n-1}\,\hat\sigma\sqrt{\max(1.25, 1 + 4I)/n}$ over the rows;
#   the default for differences of two methods, where it has more power than fold means.
# - **Cluster jackknife** (Bell and McCaffrey), for $PQ$ where rows come in $G$ groups: the variance
#   of the mean over rows is $1.5\,\frac{G-1}{G}\sum_g(\bar{x}_{-g}-\bar{x})^2$, where
#   $\bar{x}_{-g}$ leaves out a group, on the scale of logarithms where losses have no upper end;
#   the degrees of freedom of the t quantile are $G - 1$ for equal groups, and fewer for unequal
#   ones.
# - **CV-CLT** (Bayle and others): $\pm z\, \hat\sigma/\sqrt{n}$ over the pointwise losses, for
#   $PQ$.
# - **NCV** (Bates, Hastie and Tibshirani): inflates the CLT interval by a mean squared error that
#   it estimates by leaving out pairs of folds; needs `folds=NestedPairs(...)`.
# - **Conservative z**: the variance from disjoint halves; needs `folds=PairedHalves(...)`.
#
# ## Coverage
#
# Coverage was simulated with known risks and recorded with its seeds by
# `python vignettes/record_coverage.py`; the tests repeat a part of it.

# %%
from recorded_runs import runs

methods = runs("methods", "ER(100)")
methods["coverage"].round(3).groupby(
    [methods["label"], methods["scenario"]], sort=False
).first().unstack(sort=False)

# %%
#| caption: Coverage of the expected risk ER(100) by nominal 95 % intervals; least squares with 20
#|   predictors, 2000 data sets of 100 rows.
#| alt: The uncorrected t interval covers about 0.4; the CLT interval 0.89; the corrected t on 10x10
#|   folds and on subsamples about 0.92; the others 0.97 or more.
table = methods[methods["scenario"].str.startswith("OLS")]
coverage_plot(new_axes((5.6, 2.9)), table, list(table["label"]))

# %% [markdown]
# The t interval that takes the 100 fits of 10x10 folds for independent covers four times in ten.
# Among the others there is a trade: wide and safe, or narrow and slightly liberal.

# %%
#| caption: Mean width relative to the corrected t on 10x10 folds, same simulation.
table.assign(
    relative_width=table["width"]
    / table.loc[table["label"] == "corrected t on 10x10", "width"].item()
)[["label", "coverage", "too_low", "too_high", "relative_width"]]

# %% [markdown]
# ## Small samples
#
# For the risk $R(n)$ of the fitted model the CLT interval is too short in small samples; NCV
# corrects it. Nominal level 90 %, least squares with 20 predictors.

# %%
sizes = runs("sizes")
sizes = sizes[sizes["target"].str.startswith("R(") & sizes["label"].isin(["CLT", "NCV"])]
sizes = sizes.assign(n=sizes["target"].str.extract(r"(\d+)", expand=False).astype(int))
sizes[sizes["n"] != 50].pivot(index="n", columns="label", values="coverage")

# %% [markdown]
# A small part again, with another seed, run while this page was made:

# %%
from pycvstat.simulate import coverage

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    now = coverage("ols", "all_pairs", folds=pcv.KFold(10), sets=300, random=99)["ER(100)"]
before = methods[methods["label"].eq("10-fold CLT all-pairs")].iloc[0]
error = (now.coverage.std_error**2 + before["coverage_error"] ** 2) ** 0.5
print(f"now {now.coverage.mean:.3f}, recorded {before['coverage']:.3f}, ", end="")
print(f"difference {(now.coverage.mean - before['coverage']) / error:+.1f} standard errors")

# %% [markdown]
# ## Intervals of metrics
#
# Twelve metrics by the default interval, at nominal 95 %, in four scenarios: the share that covers
# the expected metric at the size of the training sets. Recorded by `python
# vignettes/record_metrics.py`; each interval prints these figures.

# %%
metrics = json.loads(Path("recorded/metrics.json").read_text())["scenarios"]
coverages = {
    name: {row["metric"]: row["coverage"] for row in run["rows"]} for name, run in metrics.items()
}
pd.DataFrame(coverages).round(3)

# %% [markdown]
# One partition into ten folds is safe and wide, as it is for mean losses; on ten partitions the
# coverage is near its level, and above it for the predictive value: a data set with more events by
# chance also teaches its models to predict more events, which takes back what chance gave.
#
# How intervals do where it is hard, with heavy tails, groups and tuned minima, and as tests of two
# learners: [what an interval can promise](what_an_interval_can_promise.py).
#
# ## Which one
#
# `method="auto"` takes the log-scale corrected t for losses from 0 without an upper end, and the
# corrected t for others wherever it is legal. On a single 10-fold cross-validation that
# is safe and wide; on 10x10 folds two thirds as wide and slightly liberal. The CLT interval is
# for the K-fold test error and for large samples. When the risk of the fitted model is wanted and
# refitting is affordable, use `NestedPairs` and `method="ncv"`.
