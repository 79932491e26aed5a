"""kknn's distances of matrices, class shares, contrasts: against kknn where it is, and by hand."""

import numpy as np
import pandas as pd
import pytest

from pycvstat.data.task import Task
from pycvstat.errors import InputError
from pycvstat.r.kknn import kknn, kknn_dist, train_kknn

TREATMENT = {"unordered": "contr.treatment", "ordered": "contr.poly"}
DATA = pd.DataFrame(
    {
        "y": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 2.0, 8.0],
        "f": pd.Categorical(list("abcabcaa")),
        "o": pd.Categorical(list("lmhlmhlh"), ["l", "m", "h"], ordered=True),
        "x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 2.5, 1.5],
    }
)


def test_distances_of_matrices_with_ties():
    # kknn 1.4.1: kknn.dist(matrix(c(0, 1, 1, 2, 0, 0, 0, 0), 4), matrix(c(1, 0), 1), k = 3)
    learn = np.array([[0.0, 0], [1, 0], [1, 0], [2, 0]])
    rows, distances = kknn_dist(learn, np.array([[1.0, 0.0]]), k=3)
    assert rows.tolist()[0][:2] == [2, 3]
    assert distances.tolist() == [[0.0, 0.0, 1.0]]
    new = learn + np.array([3.0, 4.0])
    _, by_blocks = kknn_dist(learn, new, k=4, distance=1)
    every = np.abs(learn[None] - new[:, None]).sum(axis=2)
    np.testing.assert_allclose(by_blocks, np.sort(every, axis=1), rtol=1e-13)


def test_contrasts_make_the_columns():
    # kknn 1.4.1: kknn(y ~ f + o + x, d, d[1:2, ], k = 3, contrasts = c(unordered =
    # "contr.treatment", ordered = "contr.poly"))[c("C", "D")]
    found = kknn("y ~ f + o + x", DATA, DATA[:2], k=3, contrasts=TREATMENT)
    assert found.C.tolist() == [[1, 7, 8], [2, 5, 7]]
    in_r = [[0.0, 0.8583951, 1.657872], [0.0, 1.7167902, 2.254301]]
    np.testing.assert_allclose(found.D, in_r, atol=5e-7)  # as printed
    own = kknn("y ~ f + o + x", DATA, DATA[:2], k=3)
    assert own.C.tolist() == [[1, 7, 4], [2, 5, 7]]
    fit = train_kknn("y ~ f + x", DATA, ks=[2], contrasts=TREATMENT)
    assert fit.mean_squ.shape == (1, 1)
    assert Task.build("y ~ f + x", DATA).design("contrasts").columns[1:] == ("fb", "fc", "x")


def test_shares_of_classes():
    found = kknn("f ~ x", DATA, DATA[:3], k=3)
    np.testing.assert_array_equal(found.predict("prob"), found.prob)
    assert (found.predict() == found.fitted_values).all()
    fit = train_kknn("f ~ x", DATA, ks=[3])
    np.testing.assert_allclose(fit.predict(DATA, type="prob").sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: kknn("y ~ x", DATA, DATA).predict("prob"), "no class shares"),
        (lambda: kknn("f ~ x", DATA, DATA).predict("class"), "type must be"),
        (lambda: kknn("y ~ x", DATA, DATA, na_action="na.fail"), "always leaves rows with NA"),
        (lambda: kknn("y ~ x", DATA, DATA, contrasts={"unordered": "contr.sum"}), "contrasts are"),
        (lambda: kknn("y ~ x", DATA, DATA, contrasts="contr.sum"), "contrasts are"),
        (lambda: kknn("y ~ x", DATA, DATA, contrasts={"ordered": [1]}), "contrasts are"),
        (lambda: kknn_dist(DATA[["x", "f"]], DATA[["x", "f"]]), "'f', which is factor"),
        (lambda: kknn_dist([[1.0]], [[1.0, 2.0]]), "dims of test and train differ"),
    ],
)
def test_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()
