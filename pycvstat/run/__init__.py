"""Where the work is done: in this process, in several, or on a dask cluster.

One call, `run_tasks`, carries out a function for each task; who does the work, how many do it
and how often it was interrupted never changes a result. `tasks` hands them out to this process
(`serial`) or to `workers` (`processes`, `cluster`), to which values go by `sending`; `one_task` is
the same everywhere, with one of the `threads`. A `checkpoint` keeps what is done, and knows by a
`fingerprint` what it is about, and by `references` what code of the user refers to.
May import the rooms below. New here: another place to work in, or something that is kept of the
work; results in files are in `store`.
"""

from pycvstat.run.one_task import own_generators
from pycvstat.run.settings import Execution, execution_from
from pycvstat.run.tasks import run_tasks

__all__ = ["Execution", "execution_from", "own_generators", "run_tasks"]
