"""Campaigns of a Gleaner grid, from Python.

>>> import gleaner
>>> grid = gleaner.Grid()                       # found as the commands find it
>>> campaign = grid.submit({"name": "squares", "exec_file": "echo", "clusters": {"alpha": {}}}, parameters=range(20))
>>> [ended] = grid.wait(campaign.id)
>>> ended.has_succeeded
True

`Grid` has the campaigns, `Executor` is a `concurrent.futures.Executor` whose calls are tasks. docs/python.md has more.
"""

from .errors import (ApiError, Busy, CannotEnd, ConfigurationError, GridError, InvalidInput, NotFound, NotPermitted, OutcomeUnknown,
                     OutputError, ServerFailure, Unavailable, WaitTimeout, WrongState)
from .executor import CallNotDone, Executor, RemoteError, ResultDamaged
from .grid import Grid, local_path, ranges
from .models import Appended, Campaign, Change, Changed, Failure, Fetched, Output, Problem, Task, TaskCounts
from .stream import ChangeStream
from .version import VERSION as __version__

__all__ = [
    "ApiError", "Appended", "Busy", "CallNotDone", "Campaign", "CannotEnd", "Change", "ChangeStream", "Changed", "ConfigurationError", "Executor",
    "Failure", "Fetched", "Grid", "GridError", "InvalidInput", "NotFound", "NotPermitted", "OutcomeUnknown", "Output", "OutputError",
    "Problem", "RemoteError", "ResultDamaged", "ServerFailure", "Task", "TaskCounts", "Unavailable", "WaitTimeout", "WrongState",
    "__version__", "local_path", "ranges",
]
