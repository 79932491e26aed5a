# %% [markdown]
# # Scaling out: ten million rows on a hundred workers
#
# *My nested cross-validation takes hours. Would a hundred machines make it a hundred times as
# fast?*
#
# `pcv.nested_cv(..., client=client)` sends its outer folds to the workers of a `dask.distributed`
# cluster, and `n_jobs=` to processes on this machine. Results are the same to the last bit. How
# much faster is it? This page answers by simulation: task times are measured on one machine, the
# scheduler is simulated, and the simulation is first compared with a real cluster.
#
# Everything measured is in `recorded/scaling_out.json`, made by `record_scaling_out.py`.

# %%
import heapq
import json
from dataclasses import dataclass, replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pycvstat.report.plots.style import SERIES

here = Path(__file__).parent if "__file__" in globals() else Path()
recorded = json.loads((here / "recorded" / "scaling_out.json").read_text())
pd.DataFrame(recorded["provenance"]).T.drop(columns="versions")

# %% [markdown]
# ## First, one machine
#
# Before more machines are asked for: what does the work cost here, and how does that grow with
# the rows? `make bench` does the same work in one thread with this package and with a peer, in
# turns: least squares on 20 predictors with 10 folds and with leave-one-out, ridge over 100
# penalties with 10 folds, logistic regression on 10 predictors, and nearest neighbours on 3
# predictors, nested 8 by 5 over $k = 1, \ldots, 30$. Milliseconds of the processor for this
# package, medians of three runs:

# %%
sizes = json.loads((here / "recorded" / "sizes.json").read_text())
times = {
    who: pd.DataFrame(
        {work: {row["n"]: row[who] for row in rows} for work, rows in sizes["works"].items()}
    ).rename_axis("rows")
    for who in ("ours", "peer")
}
(1000 * times["ours"]).round(1)

# %% [markdown]
# And how many times as long the peer takes, which is named in parentheses.

# %%
(times["peer"] / times["ours"]).round(1)

# %%
#| caption: Seconds against the number of rows, both axes logarithmic. Solid, this package; dashed,
#|   the peer.
#| alt: All lines rise. The solid lines lie below the dashed ones of the same colour, by the most
#|   for leave-one-out.
figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
for work, colour in zip(sizes["works"], SERIES, strict=False):
    for who, line in (("ours", "o-"), ("peer", "s--")):
        seconds = times[who][work].dropna()
        label = work if who == "ours" else None
        axis.plot(seconds.index, seconds, line, color=colour, label=label)
axis.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds")
axis.legend(frameon=False)
axis

# %% [markdown]
# A learner of this package that has a closed form, or neighbours that all folds share, seldom
# needs a second machine. What follows is about the others, and about sizes beyond these.
#
# ## More rows than memory
#
# Least squares needs no more than sums of its rows. Of a dask frame, `cross_validate` reads the
# partitions one at a time, twice: once for complete rows and the levels of factors, once for a
# small triangle with the cross products of each fold (by QR, so that no digits are lost to
# squaring). All fits and their squared errors follow from the triangles. Other learners need their
# rows, and say so. Rows count in the order of the partitions: `from_pandas` sorts by the index
# unless `sort=False` says otherwise, and the same seed then gives other folds than in memory.

# %%
import dask.dataframe as dd

import pycvstat as pcv

waves = pcv.data.waves(2000)
folds = pcv.KFold(10, random=1)
summed = pcv.cross_validate(
    pcv.OLS(),
    "y ~ x1 + I(x2^2) + x3",
    dd.from_pandas(waves, npartitions=8, sort=False),
    folds=folds,
)
whole = pcv.cross_validate(pcv.OLS(), "y ~ x1 + I(x2^2) + x3", waves, folds=folds)
pd.DataFrame({"partitions": summed.fold_errors, "whole": whole.fold_errors}).T.round(12)

# %% [markdown]
# Losses of single rows are not kept, so intervals and metrics that need them are refused in words;
# the corrected t, RMSE and R² are had from sums. A checkpoint keeps finished partitions where a
# worker ends; it knows a dask frame by the name that dask gives it.
#
#
# ## What a task costs
#
# A task is one outer fold: tune by 5-fold cross-validation on the training part, fit, predict. Two
# learners behave differently:
#
# * gradient boosting from scikit-learn over three sizes of tree: every task costs the same;
# * nearest neighbours over $k = 1, \ldots, 30$: the first task in a process searches the neighbours
#   that all folds share, and the following ones only rank them again.
#
# Times are processor seconds of one thread, medians where there are several tasks.


# %%
def measured(name):
    rows = [
        {
            "n": run["n"],
            "first": run["seconds"][0],
            "next": np.median(run["seconds"][1:]),
            "megabytes": run["megabytes"],
        }
        for run in recorded["tasks"][name]
    ]
    return pd.DataFrame(rows).set_index("n")


tables = {"gradient boosting": measured("boosting"), "nearest neighbours": measured("knn")}
pd.concat(tables, axis=1).round(2)

# %% [markdown]
# Beyond small data each grows about as a power of $n$. Is that good enough to go from one million
# rows to ten? A check that can fail: the law of the sizes 30,000 to 300,000, asked for a million.


# %%
def power_law(n, y):
    """The straight line of log y on log n, as a function of n."""
    slope, intercept = np.polyfit(np.log(n), np.log(y), 1)
    return lambda new: float(np.exp(intercept + slope * np.log(new)))


def check(table, column):
    said = power_law(table.index[1:4], table[column].iloc[1:4])(table.index[-1])
    found = table[column].iloc[-1]
    return {"measured": found, "predicted": said, "error": said / found - 1}


columns = ("first", "next", "megabytes")
pd.DataFrame(
    {(name, column): check(table, column) for name, table in tables.items() for column in columns}
).T.round(2)

# %% [markdown]
# It is, to a fifth. For ten million rows the law of the sizes from 100,000 to a million is used.
# That extrapolates by a factor of ten, so what follows is good to some tens of percent.

# %%
ROWS = 10_000_000
tasks = pd.DataFrame(
    {
        name: {c: power_law(table.index[2:], table[c].iloc[2:])(ROWS) for c in columns}
        for name, table in tables.items()
    }
).T
tasks.round(0)

# %% [markdown]
# ## The scheduler
#
# The simulation follows every task: the scheduler hands tasks to free workers, one after the
# other; a worker starts when it has the data, which are sent once to each worker and passed on
# from worker to worker; the session writes each result into the checkpoint. A worker may die: its
# task goes back to the scheduler, and a new worker needs the data again.


# %%
@dataclass(frozen=True)
class Cluster:
    workers: int
    send: float  # seconds to pass the data on to one worker
    dispatch: float  # seconds of the scheduler per task
    keep: float  # seconds of the session per result
    life: float = np.inf  # mean seconds until a worker dies
    restart: float = 10.0  # seconds until there is another one


@dataclass(frozen=True)
class Course:
    seconds: float
    busy: float  # share of the workers' time spent on tasks that counted
    deaths: int
    starts: tuple  # (worker, begin, end) of every task that counted


def simulate(first, rest, cluster, *, spread=0.0, seed=1):
    """The course of a run: `rest` are the tasks' seconds, `first` more for a worker's first."""
    rng = np.random.default_rng(seed)
    todo = list(enumerate(np.asarray(rest) * np.exp(spread * rng.standard_normal(len(rest)))))
    hops = np.ceil(np.log2(np.arange(cluster.workers) + 2))  # data are passed on like a rumour
    events = [(cluster.send * hop, w, True) for w, hop in enumerate(hops)]
    heapq.heapify(events)
    death = rng.exponential(cluster.life, cluster.workers) if np.isfinite(cluster.life) else None
    scheduler = session = 0.0
    starts, deaths = [], 0
    while todo:
        now, worker, new = heapq.heappop(events)
        number, seconds = todo.pop(0)
        scheduler = begin = max(now, scheduler) + cluster.dispatch
        end = begin + seconds + first * new
        if death is not None and death[worker] < end:
            deaths += 1
            todo.insert(0, (number, seconds))
            back = max(begin, death[worker]) + cluster.restart + cluster.send
            death[worker] = back + rng.exponential(cluster.life)
            heapq.heappush(events, (back, worker, True))
            continue
        starts.append((worker, begin, end))
        heapq.heappush(events, (end, worker, False))
    for _, _, end in sorted(starts, key=lambda start: start[2]):
        session = max(session, end) + cluster.keep
    work = sum(end - begin for _, begin, end in starts)
    return Course(session, work / (cluster.workers * session), deaths, tuple(starts))


# %% [markdown]
# ### Is it right?
#
# A real cluster on this machine did 120 tasks that only sleep, so that more workers than cores
# can be tried. The simulation is told the naps and the measured cost of a task, not the answer.

# %%
comparison = []
for real in recorded["cluster"]:
    model = Cluster(real["workers"], send=0.0, dispatch=real["per_task"], keep=0.0)
    course = simulate(0.0, recorded["naps"], model)
    comparison.append(
        {
            "workers": real["workers"],
            "real": real["naps"],
            "simulated": course.seconds,
            "error": course.seconds / real["naps"] - 1,
        }
    )
comparison = pd.DataFrame(comparison).set_index("workers")
comparison.round(3)

# %% [markdown]
# ## A hundred workers
#
# The network is assumed to carry 1 GB per second; the other costs are the largest measured.

# %%
gigabyte = 1e9
data = ROWS * 6 * 8 / gigabyte  # five predictors and the response
ordinary = Cluster(
    workers=1,
    send=data,
    dispatch=max(real["per_task"] for real in recorded["cluster"]),
    keep=recorded["keep_a_result"],
)
plans = {"10 folds": 10, "10 times 10 folds": 100}
numbers = (1, 2, 5, 10, 20, 50, 100)


def course(name, count, workers, **changes):
    first, rest = tasks.loc[name, "first"], tasks.loc[name, "next"]
    model = replace(ordinary, workers=workers, **changes)
    return simulate(max(first - rest, 0.0), [rest] * count, model, spread=0.05)


runs = {
    (name, plan, workers): course(name, count, workers)
    for name in tasks.index
    for plan, count in plans.items()
    for workers in numbers
}
table = pd.DataFrame(
    {
        key: {
            "minutes": run.seconds / 60,
            "times as fast": runs[(*key[:2], 1)].seconds / run.seconds,
            "busy": run.busy,
        }
        for key, run in runs.items()
    }
).T.rename_axis(["learner", "folds", "workers"])
table.round(2)

# %%
#| caption: How many times as fast as one worker, for ten million rows; both axes are logarithmic.
#| alt: Ten folds stop gaining at ten workers. With 100 tasks, gradient boosting stays near the
#|   diagonal; nearest neighbours fall behind it.
figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
lines = table.groupby(level=[0, 1], sort=False)
for ((name, plan), part), colour in zip(lines, SERIES, strict=False):
    axis.plot(
        part.index.get_level_values("workers"),
        part["times as fast"],
        "o-",
        color=colour,
        label=f"{name}, {plan}",
    )
axis.plot(numbers, numbers, ":", color="grey", label="perfect")
axis.set(xscale="log", yscale="log", xlabel="workers", ylabel="times as fast as one worker")
axis.set_xticks(numbers, [str(w) for w in numbers])
axis.legend(frameon=False)
axis

# %% [markdown]
# What this says:
#
# * **Ten folds are ten tasks.** More than ten workers are of no use to them. Repeating the
#   procedure, which a nested estimate deserves anyway, is what fills a hundred.
# * **One round of tasks cannot be balanced.** With as many tasks as workers the slowest decides.
# * **Nearest neighbours gain little from machines.** Every worker has to search the neighbours
#   that one machine searches once: that first task bounds what distribution can give. They need
#   memory on every worker, too.
# * Scheduling 100 tasks and keeping their results cost seconds, beside tasks of two minutes.
#
# ## When workers die
#
# Suppose each worker dies on average once in two hours: with a hundred of them, somewhere every
# 72 seconds. A task that is lost is done again, and nothing else.

# %%
lives = {
    "never": np.inf,
    "once a day": 86400.0,
    "every two hours": 7200.0,
    "every half hour": 1800.0,
}
rows = []
for word, life in lives.items():
    many = [
        simulate(
            0.0,
            [tasks.loc["gradient boosting", "next"]] * 100,
            replace(ordinary, workers=100, life=life),
            spread=0.05,
            seed=seed,
        )
        for seed in range(50)
    ]
    rows.append(
        {
            "a worker dies": word,
            "minutes": np.mean([c.seconds for c in many]) / 60,
            "longest of 50 runs": max(c.seconds for c in many) / 60,
            "deaths": np.mean([c.deaths for c in many]),
        }
    )
pd.DataFrame(rows).set_index("a worker dies").round(1)

# %% [markdown]
# A death near the end of the only round costs a whole task, so it nearly doubles the time. When
# that matters, ask for more and smaller tasks: more repeats of the folds rather than larger inner
# grids.
