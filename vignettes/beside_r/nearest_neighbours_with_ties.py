"""Nearest neighbours where distances tie

class::knn counts all neighbours at the distance of the k-th (use.all = TRUE) or draws among them,
and breaks ties of votes at random: after set.seed the draws are R's, and so are ours. FNN's and
scikit-learn's neighbours take as many as asked for, in an order of their own.

The rows are mtcars by cylinders, gears and carburettors, of which many are equal.
"""

import pycvstat as pcv

cars = pcv.data.mtcars()
x = cars[["cyl", "gear", "carb"]].to_numpy()
CLASS = """{
  set.seed(1)
  as.integer(as.character(class::knn(x, x, cl, k = k, use.all = use_all)))
}"""
LEFT_OUT = "{ set.seed(1); as.integer(as.character(class::knn.cv(x, cl, k = k))) }"
MEANS = "FNN::knn.reg(d, y = y, k = 3)$pred"


def votes(x, cl, k, use_all):
    pcv.r.set_seed(1)
    return pcv.r.class_.knn(x, x, cl, k=k, use_all=use_all).codes


def left_out(x, cl, k):
    pcv.r.set_seed(1)
    return pcv.r.class_.knn_cv(x, cl, k=k).codes


def means(d, y):
    return pcv.r.FNN.knn_reg(d, y=y, k=3).pred


given = {"x": x, "cl": cars["am"].to_numpy()}
cases = [
    pcv.Case(f"votes of {k}, ties {words}", votes, CLASS, {**given, "k": k, "use_all": every},
             packages="class")
    for k in (3, 4)
    for words, every in (("all counted", True), ("drawn", False))
]  # fmt: skip
cases += [
    pcv.Case("left-one-out votes of 4", left_out, LEFT_OUT, {**given, "k": 4}, packages="class"),
    pcv.Case("means of 3 without ties", means, MEANS, {"d": cars[["wt", "qsec"]], "y": cars["mpg"]},
             1e-12, "sums", "FNN"),
]  # fmt: skip
