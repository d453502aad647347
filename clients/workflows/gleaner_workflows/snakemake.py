"""The commands of Snakemake's cluster-generic executor (--cluster, --cluster-status, --cluster-cancel), of the grid."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from typing import Any, Dict, Sequence

import gleaner

from . import gatherer
from .oar import USAGE, _ERRORS, _fail, _wants, cancel as cancel_jobs
from .requests import JobRequest, WrongRequest, read_options, read_script, _absolute

SUBMIT_HELP = """grid-snakemake-submit [OPTION...] JOBSCRIPT: submits a job of Snakemake, and prints its id.

The rule's threads, and its resources mem_mb and runtime (minutes) are read from the script. Options go before them: -l, -p, -n, -d, -O,
-E, -q, -t, --project, --clusters, as those of oarsub (grid-oar(1)).
"""
STATUS_HELP = """grid-snakemake-status ID: prints success, failed or running.

It says failed only of a job that failed or was cancelled; what cannot be known at present is running.
"""
CANCEL_HELP = """grid-snakemake-cancel ID...: cancels jobs."""


def _properties(script: bytes) -> Dict[str, Any]:
    """What Snakemake writes about the job at the head of its script; nothing if it does not."""
    match = re.search(r"^# properties = (\{.*\})\s*$", script.decode("utf-8", "replace"), re.MULTILINE)
    if match is None:
        return {}
    try:
        found = json.loads(match.group(1))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def submission(words: Sequence[str], present: str) -> JobRequest:
    """The job of a call."""
    request = JobRequest()
    _, command = read_options(words, request, "grid-snakemake-submit")
    if len(command) != 1:
        raise WrongRequest("one jobscript is needed: --cluster grid-snakemake-submit")
    path = _absolute(command[0], present)
    request.script = read_script(path)
    job = _properties(request.script)
    resources = job.get("resources")
    resources = resources if isinstance(resources, dict) else {}
    cores = _whole(job.get("threads"))
    if not request.resources:
        request.resources = f"/nodes=1/core={cores}" if cores > 1 else "/core=1"
    minutes = _whole(resources.get("runtime"))
    if not request.walltime and minutes:
        request.walltime = f"{minutes // 60}:{minutes % 60:02}:00"
    request.memory_mb = _whole(resources.get("mem_mb"))
    name = job.get("rule") or job.get("groupid") or os.path.basename(path)
    request.name = request.name or "".join(one if one.isprintable() else "_" for one in str(name))[:100]
    request.command = shlex.quote(path)
    request.directory = _absolute(request.directory or present, present)
    request.stdout = _absolute(request.stdout, request.directory)
    request.stderr = _absolute(request.stderr, request.directory)
    return request


def submit(words: Sequence[str]) -> int:
    """The command grid-snakemake-submit."""
    if _wants(words, "grid-snakemake-submit", SUBMIT_HELP):
        return 0
    try:
        gatherer.submit(gleaner.Grid(), submission(words, os.getcwd()), lambda job: print(job, flush=True), kind="snakemake")
    except _ERRORS as error:
        return _fail("grid-snakemake-submit", error)
    return 0


def status(words: Sequence[str]) -> int:
    """The command grid-snakemake-status."""
    if _wants(words, "grid-snakemake-status", STATUS_HELP):
        return 0
    if len(words) != 1:
        print("grid-snakemake-status: the id of one job is needed", file=sys.stderr)
        return USAGE
    try:
        campaign, number = gatherer.place_of(words[0])
        state = gleaner.Grid().task(campaign, number).state
    except WrongRequest as error:
        return _fail("grid-snakemake-status", error)
    except (gleaner.GridError, OSError) as error:
        print(f"grid-snakemake-status: not known at present: {error}", file=sys.stderr)
        state = "unknown"
    print({"done": "success", "failed": "failed", "cancelled": "failed"}.get(state, "running"))
    return 0


def cancel(words: Sequence[str]) -> int:
    """The command grid-snakemake-cancel."""
    return 0 if _wants(words, "grid-snakemake-cancel", CANCEL_HELP) else cancel_jobs(words, "grid-snakemake-cancel")
