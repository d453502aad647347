"""oarsub, oarstat and oardel as workflow engines call them, of the grid."""

from __future__ import annotations

import getpass
import os
import sys
from typing import Dict, List, Sequence, Tuple

import gleaner

from . import gatherer
from .requests import WrongRequest, oarsub_request

USAGE = 2
NOT_FOUND = 3
REFUSED = 4
UNAVAILABLE = 5
_LIVE = ("waiting", "launching", "submitted", "running")

OARSUB_HELP = """oarsub [OPTION...] COMMAND: submits a job to the grid, and prints OAR_JOB_ID=N.

  -S, --scanscript        COMMAND is a script: its lines '#OAR OPTION...' count too
  -l, --resource WHAT     such as /nodes=1/core=4,walltime=1:00:00
  -p, --property SQL      a condition on OAR's properties; several are joined by AND
  -n, --name NAME
  -d, --directory FOLDER  where it runs (the present one)
  -O, --stdout FILE       where its stdout goes; likewise -E, --stderr
  -q, --queue NAME        what 'oarstat -f NAME' chooses by; the grid itself has no queues
  -t, --type TYPE         a type of OAR's jobs
      --project NAME
      --clusters LIST     the clusters that may run it (GRID_OAR_CLUSTERS): those that share its folder
"""
OARSTAT_HELP = """oarstat -f [QUEUE] | oarstat [-f] [-j] ID...: the jobs that were submitted by oarsub of grid-oar.

Without an id: those that are not over. Nothing is printed when the grid cannot be asked (exit status 5).
"""
OARDEL_HELP = """oardel ID...: cancels jobs that were submitted by oarsub of grid-oar."""


def _fail(program: str, error: BaseException) -> int:
    print(f"{program}: {error}", file=sys.stderr)
    if isinstance(error, (WrongRequest, gleaner.ConfigurationError, gleaner.InvalidInput, gatherer.Damaged)):
        return USAGE
    if isinstance(error, gleaner.NotFound):
        return NOT_FOUND
    if isinstance(error, gleaner.Unavailable):
        return UNAVAILABLE
    return REFUSED if isinstance(error, gleaner.ApiError) else 1


_ERRORS = (WrongRequest, gatherer.Damaged, gleaner.GridError, OSError)


def _wants(words: Sequence[str], program: str, text: str) -> bool:
    if "-h" in words[:1] or "--help" in words[:1]:
        print(text, end="" if text.endswith("\n") else "\n")
        return True
    if "--version" in words[:1] or "-V" in words[:1]:
        print(f"{program} of gleaner-workflows {gleaner.__version__}")
        return True
    return False


def _print_id(job: int) -> None:
    print(f"OAR_JOB_ID={job}", flush=True)


def oarsub(words: Sequence[str]) -> int:
    """The command oarsub."""
    if _wants(words, "oarsub", OARSUB_HELP):
        return 0
    try:
        request = oarsub_request(words, os.getcwd())
        gatherer.submit(gleaner.Grid(), request, _print_id, kind="oarsub")
    except _ERRORS as error:
        return _fail("oarsub", error)
    return 0


def state_of(task: gleaner.Task, campaign_state: str) -> str:
    """OAR's word for a task's state. A task that began once and waits again is Suspended: an engine holds it for active, as it is."""
    if task.state == "running":
        return "Running"
    if task.state == "done":
        return "Terminated"
    if task.state == "failed":
        return "Terminated" if task.exit_code is not None and task.ending == "task_error" else "Error"
    if task.state == "cancelled":
        return "Error"
    if task.attempt > 0 or task.start_time is not None:
        return "Suspended"
    return "Hold" if (campaign_state == "paused" and task.state == "waiting") or task.held_by else "Waiting"


def _clean(text: str) -> str:
    """One line, in which nobody finds a key of this listing."""
    return "".join(one if one.isprintable() and one not in "=:" else "_" for one in text)[:200]


def _full(campaign: int, task: gleaner.Task, state: str, queue: str) -> str:
    lines = [f"Job_Id: {gatherer.job_id(campaign, task.number)}", f"    name = {_clean(task.name)}", f"    owner = {getpass.getuser()}",
             f"    queue = {_clean(queue) or 'default'}", f"    state = {state}", f"    campaign = {campaign}", f"    task = {task.number}"]
    if task.cluster is not None:
        lines.append(f"    cluster = {_clean(task.cluster)}")
    if task.exit_code is not None and task.is_settled:
        lines.append(f"    exit_code = {task.exit_code * 256} ({task.exit_code},0,0)")
    return "\n".join(lines) + "\n"


def _all_live(grid: gleaner.Grid, queue: str) -> List[Tuple[int, gleaner.Task, str, str]]:
    found: List[Tuple[int, gleaner.Task, str, str]] = []
    for group in gatherer.groups(grid.config.api):
        if queue and group.queue != queue:
            continue
        for number in group.campaigns:
            try:
                campaign = grid.campaign(number)
                if campaign.has_ended and campaign.tasks.in_flight == 0:
                    continue
                tasks = list(grid.tasks(number, states=_LIVE))
            except gleaner.NotFound:
                continue  # it was removed from the grid, after its end
            found.extend((number, task, state_of(task, campaign.state), group.queue) for task in tasks)
    return found


def _named(grid: gleaner.Grid, ids: Sequence[str]) -> List[Tuple[int, gleaner.Task, str, str]]:
    queues = {campaign: group.queue for group in gatherer.groups(grid.config.api) for campaign in group.campaigns}
    found = []
    for text in ids:
        number, task_number = gatherer.place_of(text)
        campaign = grid.campaign(number)
        task = grid.task(number, task_number)
        found.append((number, task, state_of(task, campaign.state), queues.get(number, "")))
    return found


def oarstat(words: Sequence[str]) -> int:
    """The command oarstat."""
    if _wants(words, "oarstat", OARSTAT_HELP):
        return 0
    try:
        is_full = False
        ids: List[str] = []
        queue = ""
        for word in words:
            if word in ("-f", "--full"):
                is_full = True
            elif word in ("-j", "--job"):
                pass  # its ids follow
            elif word.startswith("-"):
                raise WrongRequest(f"there is no option '{word}' here; there are -f and -j")
            elif word.isdigit():
                ids.append(word)
            elif queue:
                raise WrongRequest(f"'{word}' is no id of a job, and there is a queue already")
            else:
                queue = word
        grid = gleaner.Grid()
        jobs = _named(grid, ids) if ids else _all_live(grid, queue)
    except _ERRORS as error:
        return _fail("oarstat", error)
    if is_full:
        sys.stdout.write("\n".join(_full(*one) for one in jobs))
    else:
        print("Job id          S  Name")
        for campaign, task, state, _ in jobs:
            print(f"{gatherer.job_id(campaign, task.number):<15} {state[0]}  {_clean(task.name)}")
    return 0


def cancel(words: Sequence[str], program: str) -> int:
    """Cancels jobs by their ids; one that is over is no error unless all are."""
    try:
        if not words:
            raise WrongRequest("the id of a job is needed")
        places: Dict[int, List[int]] = {}
        for text in words:
            campaign, task = gatherer.place_of(text)
            places.setdefault(campaign, []).append(task)
        grid = gleaner.Grid()
    except _ERRORS as error:
        return _fail(program, error)
    code, done = 0, False
    for campaign, tasks in places.items():
        try:
            changed = grid.cancel(campaign, tasks)
            print(f"campaign {campaign}: {changed.message}")
            done = True
        except _ERRORS as error:
            code = _fail(program, error)
    return 0 if code == REFUSED and done else code


def oardel(words: Sequence[str]) -> int:
    """The command oardel."""
    return 0 if _wants(words, "oardel", OARDEL_HELP) else cancel(words, "oardel")
