# %% [markdown]
# # The course, reproduced
#
# *I took "Selecting hyper-parameters with cross validation" and have its R code. Do I get the same
# numbers in Python, and is the code right?*
#
# The functions of the slides exist under their R names, with their arguments and their flow.
# `random=1` means R's `set.seed(1)`, so the data below are those that R draws.

# %%
import pycvstat as pcv
from pycvstat.r.lecture import get_optimal_k_by_cv, knn_test_error, lecture_run

data = pcv.data.waves(200, random=2021)
data.head(4)

# %% [markdown]
# ## Train error, test error and their gap
#
# The course starts from three curves of $k$ nearest neighbours. The train error is the error on
# the rows that were fitted, the test error that on rows that were not, here by 10 folds of 180
# training rows, averaged over folds. What lies between them is the gap.

# %%
#| caption: Errors of k nearest neighbours with 180 training rows. At the left the gap is large:
#|   overfitting. At the right both errors are large: underfitting.
#| alt: Train error rises with k from zero; the gap falls; their sum, the test error, is smallest
#|   near k = 4.
knn = pcv.KNN(kernel="rectangular")
ks = range(1, 31)
curve = pcv.error_curve(knn, "y ~ .", data, grid={"k": ks}, folds=pcv.Blocks(10))
curve.plot()

# %% [markdown]
# ## The course's script
#
# It shuffles the rows, keeps the last quarter as test rows, tunes $k$ by 10 folds on the rest, and
# then estimates the error of the tuned method by 8 outer and 5 inner folds of all rows.

# %%
run = lecture_run(data)
print(f"best k            {run.optimal_k}")
print(f"test error        {run.test_error:.6f}   (50 test rows, trained on 150)")
print(f"nested estimate   {run.nested:.6f}   (trained on 175, mean of 8 fold errors)")

# %% [markdown]
# R with kknn 1.4.1 gives the same numbers, and chooses the same $k$ in every outer fold;
# `pycvstat lecture` puts both side by side, live where R is installed. Two conventions of
# `get_optimal_k_by_cv` are worth knowing. It returns every $k$ whose error is smallest, and it
# scales each column by its standard deviation, because `train.kknn` does, although the formula on
# the slides does not.

# %%
get_optimal_k_by_cv(data, 10, "y", ks)

# %% [markdown]
# ## The leak
#
# As printed on the slides, `knn_test_error_by_fold` does not tune on its own argument but on
# `train_validation_data`, a variable left over from the script above. Every outer fold is then
# tuned on the same rows, which contain rows of the fold that is tested. The intended behaviour is
# the default here; the printed one has to be asked for by naming the rows, and warns.

# %%
import warnings

arguments = {"num_folds_test": 8, "num_folds_val": 5, "y_name": "y", "ks": ks}
shuffled = data.iloc[pcv.RRandom(1).permutation(len(data))]  # as the script shuffles
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    intended = knn_test_error(shuffled, **arguments)
    printed = knn_test_error(shuffled, **arguments, tuning_data=shuffled.iloc[:150])
print(f"intended {intended:.6f}, as printed {printed:.6f}")
for warning in heard:
    print("warning:", warning.message)

# %% [markdown]
# On one data set the two may come out either way. Over many data sets the leak has a direction:
# the tested rows have helped to choose $k$, so the estimate is too small. The following was
# recorded with its seeds: data sets of 60 rows, $k$ from 1 to 20.

# %%
#| caption: Mean of the course's nested estimate over 1000 simulated data sets; 8 outer and 5 inner
#|   folds, training size 52.
import pandas as pd
from record_quantities import recorded

leak = recorded("leak: waves, n = 60")
pd.DataFrame(
    {"call": name, "estimate": found.mean, "std_error": found.std_error}
    for name, found in leak.items()
)

# %% [markdown]
# The leak is small here because a single number is tuned. The same mistake with more to choose,
# such as predictors that are selected on all rows, is not small.
#
# ## Folds that overlap
#
# The slides cut `ceiling(n / J)` rows per fold with R's `seq`, which counts down when a fold would
# start past the last row. For 10 rows in 6 folds row 10 is then tested twice. `Blocks` refuses;
# `as_in_r=True` gives the printed folds.

# %%
try:
    pcv.Blocks(6).plan(10)
except pcv.errors.FoldError as problem:
    print(problem)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    plan = pcv.Blocks(6, as_in_r=True).plan(10)
print([(test + 1).tolist() for _, test in plan])

# %% [markdown]
# ## See also
#
# [What nested cross-validation estimates](nested_cv.py), and why the smallest cross-validation
# error does not.
