"""Partitions of a dask frame, and what all have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pycvstat.data.formula import parse
from pycvstat.data.partitions import in_common, is_partitioned, partitions_of, see
from pycvstat.data.task import Task
from pycvstat.errors import DataError

dd = pytest.importorskip("dask.dataframe")


def common(frames: Sequence[pd.DataFrame], formula: str, na: str = "raise") -> Task:
    """The task that these partitions have in common."""
    data = dd.from_map(lambda i: frames[i], range(len(frames)), meta=frames[0].iloc[:0])
    parsed = parse(formula, list(frames[0]))
    return in_common(
        parsed, [see(parsed, one) for one in partitions_of(data, parsed.variables)], na
    )


def frame(g: Any, **more: Any) -> pd.DataFrame:
    return pd.DataFrame({"y": np.arange(1.0, 1.0 + len(g)), "g": g, **more})


@pytest.mark.parametrize(
    "parts",
    [
        [["b", "a"], ["c", "b", "B"]],
        [["z"], [], ["a", "a"]],
        [pd.Categorical(["b", "a"], ["b", "a", "unused"]), pd.Categorical(["c"], ["c"])],
        [[True, False], [True, True]],
    ],
    ids=["words", "an empty partition", "categories of their own", "logical"],
)
def test_levels_are_those_of_the_whole_in_memory(parts: list[Any]) -> None:
    frames = [frame(part) for part in parts]
    if not parts[1]:
        frames[1] = frames[0].iloc[:0]
    task = common(frames, "y ~ g")
    data = dd.from_map(lambda i: frames[i], range(len(frames)), meta=frames[0].iloc[:0])
    whole = Task.build("y ~ g", data.compute())
    assert task.encoder().fit(task.frame).columns == whole.design().columns


def test_factors_of_numbers_and_cuts_find_every_level() -> None:
    rng = np.random.default_rng(1)
    frames = [frame(rng.integers(low, low + 3, 50), x=rng.normal(size=50)) for low in (8, 10)]
    formula = "y ~ factor(g) * cut(x, c(-9, 0, 9))"
    whole = Task.build(formula, pd.concat(frames))
    task = common(frames, formula)
    assert task.encoder().fit(task.frame).columns == whole.design().columns
    assert task.n < 20


def test_other_kinds_are_refused_with_their_partitions() -> None:
    with pytest.raises(DataError, match="'g' is not the same in all") as refused:
        common([frame([1.0, 2.0]), frame([3.0, 4.0]), frame(["a", "b"])], "y ~ g")
    assert refused.value.given == "it is numeric in partition 1 and is text in partition 3"
    steps = [pd.Categorical(["a", "b"], list(of), ordered=True) for of in ("ab", "ba")]
    with pytest.raises(DataError, match="not the same") as refused:
        common([frame(one) for one in steps], "y ~ g")
    assert "has other levels in partition 2" in str(refused.value.given)


def test_whole_numbers_and_others_are_numbers() -> None:
    assert common([frame([1, 2]), frame([0.5, np.nan, 1])], "y ~ g", "omit").omitted == 1


def test_missing_values_are_counted_over_all_partitions() -> None:
    frames = [frame([1.0, np.nan, 2.0]), frame([np.nan] * 2), frame([3.0])]
    with pytest.raises(DataError) as refused:
        common(frames, "y ~ g")
    with pytest.raises(DataError) as in_memory:
        Task.build("y ~ g", pd.concat(frames))
    assert (refused.value.problem, refused.value.given) == (
        in_memory.value.problem,
        in_memory.value.given,
    )
    assert common(frames, "y ~ g", "omit").omitted == 3
    with pytest.raises(DataError, match="no row is complete"):
        common(frames[1:2], "y ~ g", "omit")
    with pytest.raises(DataError, match="no rows"):
        common([frame([1.0]).iloc[:0]] * 2, "y ~ g")


def test_what_a_partition_says_names_it() -> None:
    frames = [frame([1.0, 2.0]), frame([1.0, -1.0])]
    with pytest.raises(DataError, match=r"^partition 2: "):
        common(frames, "y ~ log(g)")

    def read(i: int) -> pd.DataFrame:
        if i:
            raise OSError("the disk is gone")
        return frames[0]

    data = dd.from_map(read, range(2), meta=frames[0].iloc[:0])
    with pytest.raises(DataError, match="partition 2 cannot be read") as refused:
        partitions_of(data, ["y", "g"])[1].read()
    assert refused.value.given == "OSError: the disk is gone"


def test_a_partition_carries_itself_alone() -> None:
    whole = pd.DataFrame(np.zeros((10_000, 5)), columns=list("abcde"))
    data = dd.from_pandas(whole, npartitions=10)
    assert is_partitioned(data)
    assert not is_partitioned(whole)
    sizes = [len(one.recipe) for one in partitions_of(data, ["a", "b"])]
    assert max(sizes) < 2.5 * 8 * 1000 * 5  # a tenth of the rows; pandas keeps columns in blocks
