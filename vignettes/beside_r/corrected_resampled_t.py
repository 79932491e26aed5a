"""The corrected resampled t interval

Scores of folds share training rows, so their variance says too little. Nadeau and Bengio (2003)
replace 1 / J by 1 / J + n2 / n1, with n1 training and n2 test rows: for K folds n2 / n1 is
1 / (K - 1).

The paired test of two methods is the same formula on differences of scores.
"""

import numpy as np
from scipy import stats

import pycvstat as pcv

scores = np.array([0.74, 0.81, 0.69, 0.77, 0.80, 0.72, 0.75, 0.79, 0.70, 0.76])
others = np.array([0.71, 0.78, 0.70, 0.74, 0.79, 0.70, 0.71, 0.77, 0.69, 0.75])
QUANTILE = "quantiles found by iteration"
INTERVAL = """{
  J <- length(x)
  se <- sd(x) * sqrt(1 / J + n_test / n_train)
  mean(x) + c(-1, 1) * qt(0.975, J - 1) * se
}"""
NAIVE = "unname(c(t.test(x)$conf.int))"
PAIRED = """{
  d <- x - y
  t <- mean(d) / (sd(d) * sqrt(1 / length(d) + n_test / n_train))
  c(t = t, p = 2 * pt(-abs(t), length(d) - 1))
}"""


def ours(x, n_train, n_test):
    found = pcv.corrected_t(x, n_train=n_train, n_test=n_test)
    return [found.low, found.high]


def naive(x):
    return np.array(stats.t.interval(0.95, len(x) - 1, x.mean(), stats.sem(x)))


def paired(x, y, n_train, n_test):
    found = pcv.corrected_t(x - y, n_train=n_train, n_test=n_test)
    t = found.estimate / found.std_error
    return {"t": t, "p": 2 * stats.t.sf(abs(t), len(x) - 1)}


sizes = {"n_train": 90, "n_test": 10}
cases = [
    pcv.Case("95 % interval", ours, INTERVAL, {"x": scores, **sizes}, 1e-10, QUANTILE),
    pcv.Case("uncorrected, for comparison", naive, NAIVE, {"x": scores}, 1e-10, QUANTILE),
    pcv.Case("paired test", paired, PAIRED, {"x": scores, "y": others, **sizes}, 1e-10, QUANTILE),
]
