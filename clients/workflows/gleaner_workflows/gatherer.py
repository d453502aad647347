"""Gathers submissions into campaigns that stay open for appends, so that each is done once, whoever is killed when.

A group is all jobs of one user and grid that ask for the same, from one workspace. Its file names its open campaign and the submissions
under way; whoever submits holds the group's lock. A submission is written down with its idempotency key before it is sent, and is crossed
out after its answer was given. If its process is killed in between, the same submission finds its key again, and gets the same task.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import secrets
import sys
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

import gleaner

from .requests import JobRequest, WrongRequest

#: A job's id is its campaign's, times this, plus its task's number.
TASKS_OF_ID = 1_000_000
_MOST_TASKS = 100_000
_LONGEST_INTENT = 86_400.0
_MOST_INTENTS = 10_000
_KEPT_CAMPAIGNS = 1000

# $1: the job's name, $2: folder, $3: command, $4: stdout, $5: stderr.
_RUNNER = (
    'cd "$2" || { echo "grid-oar: $2 is not on this node: name the clusters that share it (--clusters)" >&2; exit 72; }; '
    '[ -z "$4" ] || exec > "$4" || exit 72; '
    'if [ -n "$5" ] && [ "$5" = "$4" ]; then exec 2>&1; elif [ -n "$5" ]; then exec 2> "$5" || exit 72; fi; '
    'exec sh -c "$3"'
)


def job_id(campaign: int, task: int) -> int:
    """The id that an engine knows the task by."""
    return campaign * TASKS_OF_ID + task


def place_of(text: str) -> Tuple[int, int]:
    """The campaign and the task of a job's id. Raises WrongRequest."""
    if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) < TASKS_OF_ID:
        raise WrongRequest(f"'{text}' is no id of a job of the grid")
    return divmod(int(text), TASKS_OF_ID)


def workspace_of(directory: str) -> str:
    """The folder that jobs of one workflow share. Nextflow gives each job a folder of its own, such as work/3f/0c5a…, below it."""
    match = re.fullmatch(r"(/.*)/[0-9a-f]{2}/[0-9a-f]{30}", directory)
    return match.group(1) if match else directory


def state_folder() -> str:
    """Where the groups are kept: `GRID_OAR_STATE`, else below `XDG_STATE_HOME`, else ~/.local/state/gleaner/workflows."""
    named = os.environ.get("GRID_OAR_STATE")
    if named:
        return os.path.expanduser(named)
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(base, "gleaner", "workflows")


@dataclass
class Group:
    """The file of a group."""

    api: str
    queue: str
    workspace: str
    campaign: Optional[int] = None
    tasks: int = 0
    campaigns: List[int] = field(default_factory=list)
    intents: Dict[str, Dict[str, Any]] = field(default_factory=dict)

    def to_json(self) -> Mapping[str, Any]:
        """As it is kept."""
        return self.__dict__

    @classmethod
    def of(cls, json_: Mapping[str, Any]) -> Group:
        """Reads it back. Raises KeyError, TypeError or ValueError when it is not ours."""
        def number(value: Any) -> Optional[int]:
            return None if value is None else int(value)
        intents = {str(digest): {"key": str(one["key"]), "campaign": number(one["campaign"]), "time": float(one["time"])}
                   for digest, one in json_["intents"].items()}
        return cls(str(json_["api"]), str(json_["queue"]), str(json_["workspace"]), number(json_["campaign"]), int(json_["tasks"]),
                   [int(one) for one in json_["campaigns"]], intents)


class Damaged(Exception):
    """A group's file cannot be used."""


def _read(path: str) -> Optional[Group]:
    try:
        with open(path, encoding="utf-8") as file:
            return Group.of(json.load(file))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{path} cannot be used ({error}): remove it, and the next submission begins another campaign") from error


def _write(path: str, group: Group) -> None:
    """Whole or not at all, also when the machine stops."""
    descriptor, part = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".group-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(group.to_json(), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def groups(api: str) -> List[Group]:
    """The groups of this user on this grid."""
    folder = state_folder()
    found: List[Group] = []
    if not os.path.isdir(folder):
        return found
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json") and not name.startswith("."):
            group = _read(os.path.join(folder, name))
            if group is not None and group.api == api:
                found.append(group)
    return found


def _clusters(grid: gleaner.Grid, request: JobRequest) -> List[str]:
    named = request.clusters or [one.strip() for one in os.environ.get("GRID_OAR_CLUSTERS", "").split(",") if one.strip()]
    if named:
        return named
    enabled = [str(one["name"]) for one in grid.clusters() if one["enabled"] and one["retired_at"] is None]
    if len(enabled) != 1:
        raise WrongRequest(f"the grid has the clusters {', '.join(enabled) or '(none)'}: name those that share {request.directory}, by "
                           "GRID_OAR_CLUSTERS=alpha,beta or --clusters alpha,beta")
    return enabled


def submit(grid: gleaner.Grid, request: JobRequest, answer: Callable[[int], None], *, kind: str) -> None:
    """Submits the job once, and gives its id to `answer`, which prints it. Raises gleaner.GridError, WrongRequest or Damaged.

    :param kind: part of the campaign's name: which engine's jobs it has
    """
    workspace = workspace_of(request.directory)
    jdl: Dict[str, Any] = {
        "name": f"{kind}-{os.path.basename(workspace) or 'root'}"[:100], "exec_file": f"sh -c '{_RUNNER}' grid-oar", "placeholders": False,
        # The engine decides what is done about a failure; the grid runs again only what it interrupted itself.
        "retries": 0, "min_duration": 0, "temporal_grouping": "auto", **request.jdl(),
        "clusters": {one: {} for one in _clusters(grid, request)}}
    identity = json.dumps([grid.config.api, os.geteuid(), workspace, request.queue, jdl], sort_keys=True)
    folder = state_folder()
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, hashlib.sha256(identity.encode()).hexdigest()[:32] + ".json")
    parameter = [request.name, request.directory, request.command, request.stdout, request.stderr]
    digest = hashlib.sha256(json.dumps(parameter).encode() + b"\0" + request.script).hexdigest()
    with _locked(path[:-len(".json")] + ".lock"):
        group = _read(path) or Group(grid.config.api, request.queue, workspace)
        _forget_old(group)
        campaign, task = _submit_in(grid, group, path, jdl, parameter, digest)
        answer(job_id(campaign, task))
        del group.intents[digest]
        _write(path, group)


def _forget_old(group: Group) -> None:
    oldest = time.time() - _LONGEST_INTENT
    kept = [(key, one) for key, one in group.intents.items() if one["time"] > oldest]
    group.intents = dict(kept[-_MOST_INTENTS:])


def _submit_in(grid: gleaner.Grid, group: Group, path: str, jdl: Mapping[str, Any], parameter: List[str],
               digest: str) -> Tuple[int, int]:
    intent = group.intents.get(digest)
    is_repeated = intent is not None
    if intent is None:
        if group.tasks >= _MOST_TASKS:
            group.campaign = None
        intent = group.intents[digest] = _new_intent(group)
        _write(path, group)
    while True:
        try:
            campaign, task, tasks = _send(grid, intent, jdl, parameter)
        except (gleaner.WrongState, gleaner.NotFound, gleaner.NotPermitted) as error:
            # The campaign was cancelled, removed, or has as many tasks as it may have: another one begins with this task.
            if intent["campaign"] is None or (isinstance(error, gleaner.NotPermitted) and error.code != "too_many_tasks"):
                del group.intents[digest]
                _write(path, group)
                raise
            group.campaign = None
            intent = group.intents[digest] = _new_intent(group)
            _write(path, group)
            continue
        except gleaner.InvalidInput:
            del group.intents[digest]
            _write(path, group)
            raise
        if is_repeated and grid.task(campaign, task).state in ("failed", "cancelled"):
            # The answer of that one was never given, and it is over: this one is a new one.
            is_repeated = False
            intent = group.intents[digest] = _new_intent(group)
            _write(path, group)
            continue
        if group.campaign is None or intent["campaign"] is None:
            group.campaign, group.tasks = campaign, 0
            group.campaigns = [*group.campaigns, campaign][-_KEPT_CAMPAIGNS:] if campaign not in group.campaigns else group.campaigns
        if group.campaign == campaign:
            group.tasks = max(group.tasks, tasks)
        _write(path, group)
        return campaign, task


def _new_intent(group: Group) -> Dict[str, Any]:
    return {"key": "grid-oar-" + secrets.token_hex(16), "campaign": group.campaign, "time": time.time()}


def _send(grid: gleaner.Grid, intent: Mapping[str, Any], jdl: Mapping[str, Any], parameter: List[str]) -> Tuple[int, int, int]:
    """The campaign, the task, and how many tasks the campaign has at least."""
    if intent["campaign"] is not None:
        appended = grid.append(int(intent["campaign"]), [parameter], key=str(intent["key"]))
        return appended.campaign.id, appended.first_task, appended.first_task + 1
    while True:
        try:
            created = grid.submit(jdl, [parameter], key=str(intent["key"]))
            return created.id, 0, 1
        except gleaner.InvalidInput as error:
            without = _memory_where_it_is_known(jdl, error)
            if without is None:
                raise
            jdl = without


def _memory_where_it_is_known(jdl: Mapping[str, Any], error: gleaner.InvalidInput) -> Optional[Dict[str, Any]]:
    """The campaign file without `memory_mb` on the clusters that do not report the memory of their nodes, where nothing else is wrong:
    Snakemake asks for some with every job, also where nobody has. None: something else is wrong."""
    names = [re.fullmatch(r"clusters\.(.+)\.memory_mb", one.path) for one in error.problems]
    unknown = {one.group(1) for one in names if one is not None}
    sections: Dict[str, Dict[str, Any]] = jdl["clusters"]
    memory = {"memory_mb": jdl["memory_mb"]} if "memory_mb" in jdl else {}
    asked = {name: {**memory, **section} for name, section in sections.items()}
    if not unknown or not all(names) or not all("memory_mb" in asked.get(one, {}) for one in unknown):
        return None
    print(f"note: mem_mb is not asked for on {', '.join(sorted(unknown))}, which does not report the memory of its nodes", file=sys.stderr)
    return {**{key: value for key, value in jdl.items() if key != "memory_mb"},
            "clusters": {name: {} if name in unknown else section for name, section in asked.items()}}
