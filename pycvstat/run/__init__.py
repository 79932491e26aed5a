"""Where the work is done: in this process, in several, or on a dask cluster.

One call, `run_tasks`, carries out a function for each task; who does the work, how many do it
and how often it was interrupted never changes a result. `tasks` hands them out to this process or
to `workers` (`processes`, `cluster`); what happens to one of them is `reproducible` anywhere. A
`checkpoint` keeps what is done in the `store` of files, and knows by a `fingerprint` what it is
about, and by `references` what code of the user refers to.
May import the rooms below. New here: another place to work in, or something that is kept of the
work.
"""

from pycvstat.run.reproducible import own_generators
from pycvstat.run.tasks import Execution, execution_from, run_tasks

__all__ = ["Execution", "execution_from", "own_generators", "run_tasks"]
