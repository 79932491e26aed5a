"""Where the work is done: in this process, in several, or on a dask cluster.

One call, `run_tasks`, carries out a function for each task; who does the work, how many do it
and how often it was interrupted never changes a result. May import the rooms below. New here:
another place to work in, or something that is kept of the work; results in files are in `store`.
"""

from pycvstat.run.run import run_tasks
from pycvstat.run.settings import Execution, execution_from

__all__ = ["Execution", "execution_from", "run_tasks"]
