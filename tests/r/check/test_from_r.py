"""RDS files written by R, read without R evaluating anything; fold lists and resampling sets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pycvstat as pcv
from pycvstat.errors import DataError, FoldError
from pycvstat.r.bridge import RList
from pycvstat.r.bridge.rds import parse, read_rds
from pycvstat.r.check.conversion import from_r
from tests.rscript import in_r


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """RDS files of several kinds, versions and compressions."""
    folder = tmp_path_factory.mktemp("rds")
    code = r"""
    suppressMessages({library(rsample); library(caret)})
    d <- data.frame(i = c(1L, NA, 3L), x = c(1.5, NA, Inf), t = c("a", NA, "\u00e9"),
                    f = factor(c("u", NA, "v"), levels = c("v", "u")), b = c(TRUE, NA, FALSE),
                    o = factor(c("lo", "hi", NA), c("lo", "hi"), ordered = TRUE),
                    d = as.Date(c("2020-02-29", NA, "1969-12-31")),
                    p = as.POSIXct(c(0.5, NA, 1e9), origin = "1970-01-01", tz = "UTC"))
    saveRDS(d, "na.rds"); saveRDS(d, "na2.rds", version = 2)
    saveRDS(d, "plain.rds", compress = FALSE); saveRDS(d, "xz.rds", compress = "xz")
    saveRDS(d, "bz.rds", compress = "bzip2"); saveRDS(mtcars, "mtcars.rds")
    set.seed(1); saveRDS(vfold_cv(mtcars, v = 4, repeats = 2), "vfold.rds")
    set.seed(1); saveRDS(mc_cv(mtcars, prop = 0.75, times = 3), "mc.rds")
    set.seed(1); saveRDS(bootstraps(mtcars, 2), "boot.rds")
    set.seed(1); saveRDS(createFolds(mtcars$mpg, 4), "caret_test.rds")
    set.seed(1); saveRDS(createFolds(mtcars$mpg, 4, returnTrain = TRUE), "caret_train.rds")
    set.seed(1); saveRDS(trainControl(index = createFolds(mtcars$mpg, 4, returnTrain = TRUE)),
                         "control.rds")
    saveRDS(1:1e5, "compact.rds"); saveRDS(as.character(1:4), "deferred.rds")
    saveRDS(function(x) stop("ran"), "function.rds"); saveRDS(lm(mpg ~ wt, mtcars), "lm.rds")
    saveRDS(list(a = 1, b = list(2, "x")), "list.rds"); saveRDS(matrix(1:6, 2), "matrix.rds")
    saveRDS(NULL, "null.rds"); saveRDS(c(a = 1, b = 2), "named.rds")
    """
    ran = in_r(code, folder)
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.mark.live_r
@pytest.mark.parametrize("name", ["na", "na2", "plain", "xz", "bz"])
def test_frames_keep_na_factors_dates_and_text(files, name):
    frame = from_r(files / f"{name}.rds")
    assert frame["i"].isna().tolist() == [False, True, False]
    assert frame["i"].dropna().tolist() == [1, 3]
    assert frame["x"].tolist()[0] == 1.5
    assert np.isinf(frame["x"].tolist()[2])
    assert frame["t"].tolist()[2] == "é"
    assert frame["f"].cat.categories.tolist() == ["v", "u"]
    assert frame["f"].isna().tolist() == [False, True, False]
    assert frame["o"].cat.ordered
    assert frame["b"].isna().tolist() == [False, True, False]
    assert [str(d)[:10] for d in frame["d"].dropna()] == ["2020-02-29", "1969-12-31"]
    assert frame["p"].dropna().tolist() == [
        pd.Timestamp("1970-01-01 00:00:00.5", tz="UTC"),
        pd.Timestamp("2001-09-09 01:46:40", tz="UTC"),
    ]


@pytest.mark.live_r
def test_the_reader_gives_what_a_running_r_gives(files):
    from pycvstat.r.bridge import run

    for name in ("na", "mtcars", "matrix", "list", "compact", "deferred", "named"):
        live = run("readRDS(file)", file=str(files / f"{name}.rds"))
        read = from_r(files / f"{name}.rds") if name != "list" else from_r(files / "list.rds")
        if isinstance(live, pd.DataFrame):
            pd.testing.assert_frame_equal(read, live)
        elif isinstance(live, pd.Series):
            pd.testing.assert_series_equal(read, live)
        elif isinstance(live, dict):
            assert read == live
        else:
            np.testing.assert_array_equal(read, live)


@pytest.mark.live_r
def test_resampling_sets_and_fold_lists_become_plans(files):
    mtcars = pcv.data.mtcars()
    vfold = from_r(files / "vfold.rds")
    ours = pcv.RFolds("rsample", 4, seed=1, repeats=2).plan(mtcars)
    assert vfold.fingerprint == ours.fingerprint
    mc = from_r(files / "mc.rds")
    assert mc.fingerprint == pcv.Subsampling(3, train=0.75, random=1).plan(mtcars).fingerprint
    caret = pcv.RFolds("caret", 4, seed=1).plan(mtcars, y=mtcars["mpg"])
    for name in ("caret_test", "caret_train", "control"):
        assert np.array_equal(from_r(files / f"{name}.rds").fold_ids, caret.fold_ids)


@pytest.mark.live_r
def test_what_is_not_data_is_named_and_not_run(files):
    assert "closure" in str(from_r(files / "function.rds"))
    fit = from_r(files / "lm.rds")
    assert fit.r_class == ("lm",)
    assert fit["coefficients"].round(4).tolist() == [37.2851, -5.3445]
    assert from_r(files / "null.rds") is None


@pytest.mark.live_r
def test_bootstrap_samples_are_refused(files):
    with pytest.raises(FoldError, match="bootstrap"):
        from_r(files / "boot.rds")


@pytest.mark.live_r
@pytest.mark.filterwarnings("ignore::pycvstat.errors.PycvstatWarning")  # of a damaged time zone
def test_damaged_files_are_refused(files, tmp_path):
    whole = (files / "na.rds").read_bytes()
    plain = (files / "plain.rds").read_bytes()
    for cut in (0, 1, 5, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.rds").write_bytes(whole[:cut])
        with pytest.raises(DataError):
            read_rds(tmp_path / "cut.rds")
    rng = np.random.default_rng(1)
    for _ in range(300):
        damaged = bytearray(plain)
        for place in rng.integers(0, len(plain), 3):
            damaged[place] = rng.integers(0, 256)
        (tmp_path / "damaged.rds").write_bytes(bytes(damaged))
        try:
            read_rds(tmp_path / "damaged.rds")
        except DataError:
            continue


def test_not_an_rds_file(tmp_path):
    (tmp_path / "a.rds").write_text("hello")
    with pytest.raises(DataError, match="not an RDS file"):
        from_r(tmp_path / "a.rds")
    with pytest.raises(DataError, match="cannot be read"):
        from_r(tmp_path / "missing.rds")
    with pytest.raises(DataError, match="version"):
        parse(b"X\n" + (9).to_bytes(4, "big") * 3)


def test_lists_of_rows_that_could_be_either_are_refused():
    with pytest.raises(FoldError, match="test or training rows"):
        from_r([np.array([1, 2, 3]), np.array([2, 3, 4]), np.array([1, 2])])
    assert from_r([np.array([1, 2]), np.array([3])], n=5).n == 5


@pytest.mark.live_r
def test_objects_of_the_running_r_are_read():
    from rpy2 import robjects

    folds = robjects.r("list(Fold1 = c(1L, 3L), Fold2 = c(2L, 4L))")
    assert from_r(folds).fold_ids.tolist() == [1, 2, 1, 2]
    frame = from_r(robjects.r("data.frame(a = c(1L, NA), f = factor(c('u', NA)))"))
    assert frame["a"].isna().tolist() == [False, True]
    assert frame["f"].cat.categories.tolist() == ["u"]
    assert from_r(robjects.NULL) is None
    assert from_r(robjects.r("c(a = 1.5)")).to_dict() == {"a": 1.5}
    code = "{ library(rsample); set.seed(1); vfold_cv(mtcars, v = 4) }"
    ours = pcv.RFolds("rsample", 4, seed=1).plan(32)
    assert from_r(robjects.r(code)).fingerprint == ours.fingerprint


@pytest.mark.live_r
def test_single_splits_and_time_slices_become_plans():
    from pycvstat.r.bridge import run

    split = run("{ suppressMessages(library(rsample)); set.seed(1); initial_split(mtcars) }")
    plan = from_r(split)
    assert (len(plan), plan.n, plan.n_train[0]) == (1, 32, 24)
    rows = run("{ set.seed(1); sample(32, 24) }")
    assert np.array_equal(plan.train_rows(0), np.sort(rows) - 1)
    slices = from_r(run("caret::createTimeSlices(1:12, 5, horizon = 2)"))
    ours = pcv.TimeSeries(5, horizon=2, window="sliding").plan(12)
    assert [r.tolist() for r in slices.to_rows()] == [r.tolist() for r in ours.to_rows()]
    assert [slices.train_rows(i).tolist() for i in range(6)] == [
        ours.train_rows(i).tolist() for i in range(6)
    ]


ROWS = {"Fold1": [1, 2], "Fold2": [3, 4]}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"index": 1, "indexOut": 2}, "Folds are a list with the rows of each fit"),
        ({"index": "a", "method": "cv"}, "Folds are a list with the rows of each fit"),
        ({"train": 1, "test": 2}, "Folds are a list with the rows of each fit"),
        ({"train": {}, "test": {}}, "no fold in the list"),
        ({"index": [1], "indexOut": [[1], [2]]}, "as many lists of training rows as of test rows"),
        ({"index": [[1.5]], "indexOut": [[2]]}, "whole numbers"),
        ({"index": [["a"]], "indexOut": [[1]]}, "whole numbers"),
        ({"index": [[]], "indexOut": [[]]}, "at least 2 rows"),
    ],
)
def test_what_only_looks_like_folds_is_refused(value, words):
    with pytest.raises(FoldError, match=words):
        from_r(value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": "a"}, "must be an integer"),
        ({"n": 4.5}, "must be an integer"),
        ({"n": -1}, "at least 2 rows"),
        ({"n": 10**12}, "at most 2,147,483,647 rows"),
        ({"holds": "x"}, "holds says which rows"),
    ],
)
def test_odd_options_are_refused(options, words):
    with pytest.raises(FoldError, match=words):
        from_r(ROWS, **options)


def test_what_is_no_list_of_rows_stays_what_it_is():
    assert from_r([[1], [2, [3]]]) == [[1], [2, [3]]]
    assert from_r({"index": np.array([1, 2]), "x": 1.5})["x"] == 1.5
    numbers = {"seed": 42, "n": 2_000_000_000}  # no data of that many rows
    assert from_r(numbers) is numbers
    assert from_r(ROWS, n=1000).n == 1000
    none = pd.DataFrame({"splits": []})
    assert from_r(none) is none


def test_splits_that_lack_a_part_are_refused():
    split = RList((pd.DataFrame({"x": [1.0, 2.0]}), [1]), ("data", "in_id"), ("rsplit",))
    with pytest.raises(DataError, match="lacks its data, in_id or out_id"):
        from_r(split)


@pytest.mark.parametrize("name", [None, 3, "", " ", "a\0"])
def test_the_list_of_a_plan_in_r_has_a_name(name):
    with pytest.raises(FoldError, match="name of the list in R is text"):
        from_r(ROWS).to_r(name)
