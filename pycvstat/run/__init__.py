"""Where the work is done: in this process, in several, or on a dask cluster.

One call, `run_tasks`, carries out a function for each task; who does the work, how many do it
and how often it was interrupted never changes a result.
"""

from pycvstat.run.run import run_tasks
from pycvstat.run.settings import Execution, execution_from

__all__ = ["Execution", "execution_from", "run_tasks"]
