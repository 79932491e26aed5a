"""train without R: what R 4.2.2 with caret 6.0-93 gave after the same seed, to its 7 digits."""

import numpy as np
import pytest

import pycvstat as pcv
from pycvstat import r

CARS, IRIS = pcv.data.mtcars(), pcv.data.iris()
TWO = "mpg ~ wt + hp"
# seed, formula, method, control, results column by column, the next runif(1)
RECORDED = [
    (
        42, TWO, "knn", {"method": "cv", "number": 5},
        {"RMSE": [3.160579, 3.246721, 3.454135], "RsquaredSD": [0.2139608, 0.1680667, 0.1344257]},
        0.6544374,
    ),
    (
        1, "mpg ~ .", "lm", {"method": "LOOCV"},
        {"RMSE": [3.490209], "Rsquared": [0.6818575], "MAE": [2.743759]}, 0.2870988,
    ),
    (
        1, TWO, "lm", {"method": "boot632", "number": 10},
        {"RMSE": [2.600641], "MAESD": [0.4967949], "RsquaredApparent": [0.8267855]}, 0.87715,
    ),
    (
        1, TWO, "lm", {"method": "LGOCV", "number": 10},
        {"RMSE": [2.384323], "Rsquared": [0.879557]}, 0.4712884,
    ),
    (
        1, TWO, "rlm", {"method": "cv", "number": 5},
        {"RMSE": [11.195486, 11.292353, 11.228743, 2.536641, 2.620305, 2.580807]}, None,
    ),
    (
        1, TWO, "glmnet", {"method": "cv", "number": 5},
        {
            "lambda": [0.01029396, 0.10293962, 1.02939621] * 3,
            "RMSE": [2.621550, 2.619591, 2.632765, 2.620143, 2.615783, 2.661471, 2.619421,
                     2.612292, 2.729070],
        },
        None,
    ),
    (
        1, f"{TWO} + factor(cyl)", "kknn", {"method": "cv", "number": 5},
        {"RMSE": [2.114253] * 3, "MAE": [1.712034] * 3}, 0.1469878,
    ),
    (1, TWO, "lm", {"method": "none"}, {"RMSE": []}, 0.6684667),
]  # fmt: skip


@pytest.mark.parametrize(
    ("seed", "form", "method", "control", "results", "after"),
    RECORDED,
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_results_and_the_stream_after_them(seed, form, method, control, results, after):
    r.set_seed(seed)
    fit = r.caret.train(form, CARS, method=method, trControl=r.caret.trainControl(**control))
    for name, values in results.items():
        found = fit.results[name].astype(float)
        np.testing.assert_allclose(found, values, rtol=5e-7, err_msg=name)  # as printed
    if after is not None:
        assert r.runif(1).round(7) == after


def test_classes_under_bootstrap_and_their_print():
    r.set_seed(1)
    fit = r.caret.train(
        "Species ~ .", IRIS, method="knn", preProcess=["center", "scale"], tuneLength=4
    )
    expected = [
        "  k   Accuracy   Kappa    ",
        "   5  0.9450292  0.9169358",
        "   7  0.9463685  0.9189341",
        "   9  0.9497510  0.9240299",
        "  11  0.9472898  0.9203655",
        "",
        "Accuracy was used to select the optimal model using the largest value.",
        "The final value used for the model was k = 9.",
    ]
    assert repr(fit).splitlines()[-8:] == expected
    assert fit.resample["Resample"][:4].tolist() == [
        f"Resample{i}" for i in ("06", "03", "10", "07")
    ]
    assert r.runif(1).round(7) == 0.621426


@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")  # separated classes
def test_two_classes_by_the_area_under_the_curve():
    two = IRIS[50:].assign(Species=IRIS["Species"][50:].astype(str))
    summary = {"summaryFunction": r.caret.twoClassSummary, "classProbs": True}
    how = r.caret.trainControl("cv", number=5, **summary)
    r.set_seed(1)
    fit = r.caret.train("Species ~ .", two, method="glm", metric="ROC", trControl=how)
    measured = fit.results[["ROC", "Sens", "Spec", "ROCSD", "SensSD", "SpecSD"]].to_numpy()
    in_r = [[0.98, 0.98, 0.94, 0.02738613, 0.04472136, 0.08944272]]
    np.testing.assert_allclose(measured, in_r, rtol=5e-7)
