"""What surprises in kknn and is kept in its own functions, one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pycvstat import KNN
from pycvstat.errors import DataError, FitError, InputError, PycvstatWarning
from pycvstat.r.kknn import cv_kknn, kknn, train_kknn

LINE = pd.DataFrame({"x": [0.0, 1.0, 3.0, 7.0, 15.0], "y": [1.0, 2.0, 3.0, 4.0, 5.0]})


def test_rows_with_na_vanish() -> None:
    train = LINE.assign(x=[0.0, np.nan, 3.0, 7.0, 15.0])
    fit = kknn("y ~ x", train, {"x": [0.1, np.nan, 14.0]}, k=1)
    assert fit.C.ravel().tolist() == [1, 4]  # among the four training rows that are left
    assert fit.fitted_values.tolist() == [1.0, 5.0]


def test_levels_are_matched_by_their_order() -> None:
    train = pd.DataFrame({"f": pd.Categorical(["a", "b", "c"]), "y": [1.0, 2.0, 3.0]})
    new = pd.DataFrame({"f": pd.Categorical(["q"], categories=["p", "q", "r"])})
    with pytest.warns(PycvstatWarning, match="other levels"):
        assert kknn("y ~ f", train, new, k=1).fitted_values.tolist() == [2.0]
    with pytest.raises(DataError, match="'f' has a level not seen before: 'q'"):
        KNN(k=1).fit("y ~ f", train).predict(new)


def test_another_number_of_levels_is_an_error() -> None:
    train = pd.DataFrame({"f": ["a", "b", "c"], "y": [1.0, 2.0, 3.0]})
    with pytest.raises(DataError, match="2 levels here and 3 in the training rows"):
        kknn("y ~ f", train, {"f": ["a", "b"]}, k=1)


def test_rectangular_votes_go_to_the_class_whose_farthest_member_is_nearest() -> None:
    train = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": pd.Categorical(["a", "b", "b", "a"])})
    assert kknn("y ~ x", train, {"x": [0.0]}, k=4, kernel="rectangular").fitted_values[0] == "b"
    assert kknn("y ~ x", train, {"x": [0.0]}, k=4, kernel="rank").fitted_values[0] == "a"


def test_train_gives_tied_votes_to_the_first_class() -> None:
    x = [0.0, 1.0, 2.0, 50.0, 80.0]
    data = pd.DataFrame({"x": x, "y": pd.Categorical(["a", "b", "a", "a", "b"])})
    fit = train_kknn("y ~ x", data, ks=2, kernel="rectangular")
    assert fit.fitted_values[0][0] == "a"  # neighbours b, a


def test_k_of_all_rows_makes_kernels_flat() -> None:
    fit = kknn("y ~ x", LINE, {"x": [2.0]}, k=5, kernel="triangular")
    assert np.ptp(fit.W) == 0
    assert fit.fitted_values[0] == pytest.approx(3.0)


def test_k_of_all_rows_counts_the_first_row_twice_unless_euclidean() -> None:
    fit = kknn("y ~ x", LINE, {"x": [0.2]}, k=5, distance=1, kernel="rectangular")
    assert sorted(fit.C[0].tolist()) == [1, 1, 2, 3, 4]
    assert fit.D[0, -1] == 1e300


def test_train_drops_the_nearest_row_instead_of_its_own() -> None:
    twice = pd.DataFrame({"x": [1.0, 1.0, 1.0, 5.0, 6.0], "y": [10.0, 20.0, 30.0, 0.0, 0.0]})
    fit = train_kknn("y ~ x", twice, ks=1, kernel="rectangular")
    first_three = fit.fitted_values[0][:3]
    assert len(set(first_three)) == 1  # so one of them is predicted by its own response


def test_train_scales_once() -> None:
    data = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "z": [0.0, 3.0, 1.0, 9.0]})
    data["y"] = [1.0, 2.0, 3.0, 4.0]
    once = train_kknn("y ~ .", data, ks=1, kernel="rectangular").fitted_values[0]
    each = [
        kknn("y ~ .", data.drop(i), data.loc[[i]], k=1, kernel="rectangular").fitted_values[0]
        for i in range(4)
    ]
    assert once.tolist() == [2.0, 3.0, 2.0, 3.0]
    assert each == [2.0, 3.0, 2.0, 2.0]


def test_train_with_one_k_less_than_rows_compares_to_the_last_neighbour() -> None:
    fit = train_kknn("y ~ x", LINE, ks=4, kernel="triangular")
    d = np.abs(LINE.x[0] - LINE.x[1:]) / LINE.x[4]
    weights = 1 - np.minimum(d, 1 - 1e-6)
    assert fit.fitted_values[0][0] == pytest.approx(np.average(LINE.y[1:], weights=weights))


def test_train_ranks_clipped_distances() -> None:
    data = pd.DataFrame({"x": [0.0, 1e-9, 3e-9, 1.0, 2.0], "y": [5.0, 1.0, 3.0, 7.0, 9.0]})
    train = train_kknn("y ~ x", data, ks=2, kernel="rank").fitted_values[0][0]
    assert train == 2.0  # 1 and 3 with equal weights
    alone = kknn("y ~ x", data.iloc[1:], data.iloc[:1], k=2, kernel="rank").fitted_values[0]
    assert alone == pytest.approx((2 * 1 + 3) / 3)


def test_predict_forgets_scale_and_ykernel() -> None:
    data = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 4.0], "z": [0.0, 80.0, 10.0, 90.0, 5.0]})
    data["y"] = [1.0, 2.0, 3.0, 4.0, 5.0]
    new = pd.DataFrame({"x": [0.9], "z": [20.0]})
    fit = train_kknn("y ~ .", data, ks=1, kernel="rectangular", scale=False)
    scaled = kknn("y ~ .", data, new, k=1, kernel="rectangular").fitted_values
    unscaled = kknn("y ~ .", data, new, k=1, kernel="rectangular", scale=False).fitted_values
    assert fit.predict(new).tolist() == scaled.tolist() == [1.0]
    assert unscaled.tolist() == [3.0]
    grades = pd.Categorical(["lo", "lo", "mid", "hi", "hi"], ["lo", "mid", "hi"], ordered=True)
    wide = train_kknn("y ~ x", data.assign(y=grades), ks=3, kernel="rectangular", ykernel=2)
    plain = kknn("y ~ x", data.assign(y=grades), data, k=3, kernel="rectangular")
    assert wide.predict(data).tolist() == plain.fitted_values.tolist()


def test_predict_leaves_out_rows_with_na() -> None:
    fit = train_kknn("y ~ x", LINE, ks=1)
    assert len(fit.predict({"x": [1.0, np.nan, 2.0]})) == 2


def test_cross_validation_compares_names_with_numbers() -> None:
    y = pd.Categorical(["a", "b"] * 20)
    data = pd.DataFrame({"x": np.tile([0.0, 9.0], 20) + np.arange(40) / 100, "y": y})
    assert cv_kknn("y ~ x", data, kcv=4, k=3, random=1).misclass == 1.0
    numbered = data.assign(y=pd.Categorical(["1", "2"] * 20))
    assert cv_kknn("y ~ x", numbered, kcv=4, k=3, random=1).misclass == 0.0


def test_cross_validation_has_empty_folds() -> None:
    fit = cv_kknn("y ~ x", LINE, kcv=9, k=1, random=1)
    assert len(set(fit.folds)) < 9
    assert np.isfinite(fit.yhat).all()


def test_kernels_by_the_beginning_of_their_name() -> None:
    full = kknn("y ~ x", LINE, LINE, k=2, kernel="epanechnikov").fitted_values
    assert kknn("y ~ x", LINE, LINE, k=2, kernel="epa").fitted_values.tolist() == full.tolist()
    with pytest.raises(InputError, match="triangular, triweight"):
        kknn("y ~ x", LINE, LINE, k=2, kernel="tri")


def test_defaults() -> None:
    data = pd.DataFrame({"x": np.arange(30.0) ** 1.5, "y": np.sin(np.arange(30.0))})
    said = kknn("y ~ x", data, data, k=7, distance=2, kernel="optimal", ykernel=0, scale=True)
    assert kknn("y ~ x", data, data).W.tolist() == said.W.tolist()
    fit = train_kknn("y ~ x", data)
    assert fit.mean_squ.index.tolist() == list(range(1, 12))
    assert fit.mean_squ.columns.tolist() == ["optimal"]
    assert len(fit.fitted_values) == 11


def test_order_of_fitted_values_and_best() -> None:
    fit = train_kknn("y ~ x", LINE, ks=[3, 1], kernel=["inv", "rectangular"])
    assert fit.mean_squ.index.tolist() == [1, 3]
    errors = [np.mean((LINE.y - f) ** 2) for f in fit.fitted_values]
    np.testing.assert_allclose(errors, fit.mean_squ.to_numpy().T.ravel(), 1e-14)
    assert fit.best_kernel == "inv"  # with k = 1 both kernels are equal, and the first is taken
    assert fit.best_k == 1


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: kknn("y ~ x", LINE, LINE, k=0), InputError, "k must be"),
        (lambda: kknn("y ~ x", LINE, LINE, k=6), FitError, "k=6 with 5 training rows"),
        (lambda: kknn("y ~ x", LINE, LINE, k=1, distance=0), InputError, "distance"),
        (lambda: kknn("y ~ x", LINE, LINE[:0], k=1), InputError, "no test rows"),
        (lambda: train_kknn("y ~ x", LINE, ks=[2, 5]), InputError, "k=5 with 5 rows"),
        (lambda: train_kknn("y ~ x", LINE, ks=[]), InputError, "no k to try"),
        (lambda: train_kknn("y ~ x", LINE[:2], ks=1), InputError, "at least 3 rows"),
        (lambda: train_kknn("y ~ x", LINE, ks=1, kernel=[]), InputError, "no kernel"),
        (lambda: train_kknn("y ~ x", LINE, ks=[0, 2]), InputError, "k=0\n"),
        (lambda: train_kknn("y ~ x", LINE, kmax="a"), InputError, "kmax='a'"),
        (lambda: cv_kknn("y ~ x", LINE, kcv=1), InputError, "kcv"),
        (lambda: cv_kknn("y ~ x", LINE, kcv="a"), InputError, "kcv='a'"),
        (lambda: cv_kknn("y ~ x", LINE, kcv=2.5), InputError, "kcv=2.5"),
    ],
)
def test_errors(call: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()  # type: ignore[operator]


def test_kmax_is_lowered() -> None:
    with pytest.warns(PycvstatWarning, match="kmax=11 with 5 rows"):
        assert train_kknn("y ~ x", LINE).mean_squ.index.tolist() == [1, 2, 3, 4]
