# %% [markdown]
# # k nearest neighbours, beside kknn
#
# *My results were computed by R's kknn. Are the neighbours found here the same ones, also where
# distances tie?*
#
# `pycvstat.r.kknn` holds kknn's functions under their R names. Their results are compared with live
# kknn 1.4.1 where it is installed, and everywhere with values recorded from it. This page uses the
# recorded ones, so it can be made without R.

# %%
import numpy as np
import pandas as pd

from pycvstat.r.bridge.reference import recorded
from pycvstat.r.kknn import kknn, train_kknn

record = recorded("kknn-1.4.1-seed1.json")
print("kknn", record["meta"]["kknn"], "in", record["meta"]["r"])
print("recorded", record["meta"]["date"], "by", record["meta"]["script"])

# %% [markdown]
# ## Data full of ties
#
# The predictors of the data set `tied` take few values, so that most distances occur many times.
# Which of the tied rows become neighbours then depends on the order in which candidates are scanned
# and sorted, and on the last bit of the standard deviations that scale the columns. Below, kknn's
# neighbours (`C`, the rows by increasing distance) and fitted values stand beside those found here.

# %%
#| caption: Recorded calls of kknn() on tied data, and how the same calls differ here.
columns = record["data"]["tied"].items()
tied = pd.DataFrame({name: np.array(c["values"], dtype=float) for name, c in columns})
calls = [c for c in record["cases"] if c["kind"] == "kknn" and c.get("data") == "tied"]


def beside(call):
    train, new = tied[: call["n_train"]], tied[call["n_train"] :]
    arguments = {name: call[name] for name in ("k", "distance", "kernel", "scale")}
    found = kknn(call["formula"], train, new, **arguments)
    theirs = np.reshape(call["C"], found.C.shape)
    fits = np.array(call["fitted"], dtype=float)
    return arguments | {
        "neighbours": theirs.size,
        "different neighbours": int((theirs != found.C).sum()),
        "difference of fits": float(np.abs(found.fitted_values / fits - 1).max()),
    }


compared = pd.DataFrame([beside(call) for call in calls])
compared.groupby(["kernel", "distance"], sort=False).agg(
    calls=("k", "size"),
    neighbours=("neighbours", "sum"),
    different=("different neighbours", "sum"),
    difference_of_fits=("difference of fits", "max"),
)

# %% [markdown]
# The neighbours are the same rows in the same order, and the fitted values agree in every recorded
# digit.
#
# ## train.kknn is leave-one-out
#
# `train.kknn` estimates the error of every $k$ and kernel by leave-one-out: the training size is
# $n - 1$. Its fitted values are therefore not those of the train error, which counts the row itself
# as its own neighbour and is 0 at $k = 1$.

# %%
#| caption: Leave-one-out mean squared errors of train.kknn, at training size 119.
smooth = record["data"]["smooth"].items()
data = pd.DataFrame({name: np.array(c["values"], dtype=float) for name, c in smooth})
fit = train_kknn("y ~ .", data, ks=range(1, 16), kernel=["rectangular", "optimal", "triangular"])
fit.mean_squ.iloc[::2].rename_axis("k")

# %%
(theirs,) = (c for c in record["cases"] if c["kind"] == "train.kknn" and c["data"] == "smooth")
recorded_squ = np.array(list(theirs["mean_squ"].values()), dtype=float)
print("best here: ", fit.best_k, fit.best_kernel)
print("best there:", theirs["best_k"], theirs["best_kernel"])
print("largest relative difference:", np.abs(fit.mean_squ.to_numpy() / recorded_squ - 1).max())

# %% [markdown]
# ## For new work
#
# `pcv.KNN` gives the same numbers without the surprises that `train_kknn` keeps (its docstring
# lists them). All candidates of a grid share one neighbour search. `ties="row"` takes the lowest
# row among tied ones: cheaper on large data full of ties, and no longer kknn's choice.

# %%
import pycvstat as pcv

learner = pcv.KNN(kernel="rectangular", ties="kknn")
pcv.tune(learner, "y ~ .", data, grid={"k": range(1, 16)}, folds=pcv.LeaveOneOut()).best
