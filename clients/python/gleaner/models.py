"""The answers of the API, as typed values. Each keeps the whole answer in `raw`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Mapping, Optional, Sequence, Tuple

Json = Mapping[str, Any]


def _time(value: Optional[str]) -> Optional[datetime]:
    if value is None:
        return None
    return datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a campaign file or in parameters, with its place; line and column count from 1, 0 is unknown."""

    line: int
    column: int
    path: str
    value: str
    message: str

    @classmethod
    def of(cls, json: Json) -> Problem:
        """The problem that the answer has."""
        return cls(int(json.get("line", 0)), int(json.get("column", 0)), str(json.get("path", "")), str(json.get("value", "")),
                   str(json.get("message", "")))

    def __str__(self) -> str:
        place = f"{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.path}: {self.message}" if self.path else f"{place}{self.message}"


@dataclass(frozen=True)
class TaskCounts:
    """How many tasks of a campaign are in each state."""

    waiting: int = 0
    launching: int = 0
    submitted: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    cancelled: int = 0

    @classmethod
    def of(cls, json: Json) -> TaskCounts:
        """The counts that the answer has."""
        return cls(**{name: int(json.get(name, 0)) for name in cls.__dataclass_fields__})

    @property
    def in_flight(self) -> int:
        """Tasks that have a job, or soon have one."""
        return self.launching + self.submitted + self.running


@dataclass(frozen=True)
class Campaign:
    """A campaign. `state` is `in_treatment`, `paused`, `terminated` or `cancelled`; times are in UTC."""

    id: int
    name: str
    user: str
    type: str
    state: str
    has_events: bool
    total_tasks: int
    tasks: TaskCounts
    submission_time: Optional[datetime]
    first_start_time: Optional[datetime]
    end_time: Optional[datetime]
    forecast_end: Optional[datetime]
    held_tasks: int = 0
    warnings: Tuple[str, ...] = ()
    raw: Json = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, json: Json) -> Campaign:
        """The campaign that the answer has."""
        return cls(
            id=int(json["id"]), name=str(json["name"]), user=str(json["user"]), type=str(json["type"]), state=str(json["state"]),
            has_events=bool(json["has_events"]), total_tasks=int(json["total_tasks"]), tasks=TaskCounts.of(json["tasks"]),
            submission_time=_time(json["submission_time"]), first_start_time=_time(json["first_start_time"]),
            end_time=_time(json["end_time"]), forecast_end=_time(json["forecast_end"]),
            held_tasks=int(json.get("held_tasks", 0)), warnings=tuple(str(one) for one in json.get("warnings") or ()), raw=json)

    @property
    def has_ended(self) -> bool:
        """Whether it is terminated or cancelled. A terminated campaign continues if tasks are appended or retried."""
        return self.state in ("terminated", "cancelled")

    @property
    def has_succeeded(self) -> bool:
        """Whether it is terminated, and each of its tasks is done."""
        return self.state == "terminated" and self.tasks.done == self.total_tasks


@dataclass(frozen=True)
class Appended:
    """Tasks that were appended: their numbers are `first_task` to `first_task + count - 1`."""

    campaign: Campaign
    first_task: int
    count: int


@dataclass(frozen=True)
class Task:
    """A task, with its last job. `number` counts from 0, in the order of the parameters."""

    number: int
    name: str
    parameters: str
    state: str
    attempt: int
    cluster: Optional[str]
    job_id: Optional[int]
    remote_id: Optional[int]
    ending: Optional[str]
    exit_code: Optional[int]
    start_time: Optional[datetime]
    stop_time: Optional[datetime]
    held_by: Optional[str] = None
    raw: Json = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, json: Json) -> Task:
        """The task that the answer has."""
        return cls(
            number=int(json["id"]), name=str(json["name"]), parameters=str(json["parameters"]), state=str(json["state"]),
            attempt=int(json["attempt"]), cluster=json["cluster_name"], job_id=json["job_id"], remote_id=json["remote_id"],
            ending=json["ending"], exit_code=json["exit_code"], start_time=_time(json["start_time"]), stop_time=_time(json["stop_time"]),
            held_by=json.get("held_by"), raw=json)

    @property
    def is_settled(self) -> bool:
        """Whether it is done, failed or cancelled."""
        return self.state in ("done", "failed", "cancelled")


@dataclass(frozen=True)
class Failure:
    """A task that failed, and the last lines of its stderr (empty: none, or not to be had: `why_no_stderr` says)."""

    task: Task
    stderr: str
    why_no_stderr: str = ""


@dataclass(frozen=True)
class Output:
    """A file that a task left on its cluster. `size` is unknown (None) where the cluster cannot list the folder."""

    name: str
    path: Optional[str]
    task: int
    attempt: int
    kind: str
    cluster: str
    state: str
    size: Optional[int]
    missing: bool

    @classmethod
    def of(cls, json: Json) -> Output:
        """The output that a line of the listing has."""
        size = json["size"]
        return cls(str(json["name"]), json.get("path"), int(json["task"]), int(json["attempt"]), str(json["kind"]),
                   str(json["cluster_name"]), str(json["state"]), None if size is None else int(size), bool(json.get("missing", False)))


@dataclass(frozen=True)
class Fetched:
    """The result of `Grid.fetch_outputs`: paths of the files, and the outputs that are not there, each with its reason."""

    fetched: Sequence[str]
    present: Sequence[str]
    missing: Mapping[str, str]
    failed: Mapping[str, str]
    unsettled: int

    @property
    def is_complete(self) -> bool:
        """Whether every output of the settled tasks is there."""
        return not self.missing and not self.failed


@dataclass(frozen=True)
class Change:
    """A message of the stream of changes. `kind`: `campaign`, `progress`, `event` or `cluster`; `place`: where to go on after it."""

    place: str
    kind: str
    data: Json


@dataclass(frozen=True)
class Changed:
    """The result of cancelling or retrying: `cancelled` tasks at once, `killed` at the end of their jobs, `count` that were given back."""

    message: str
    cancelled: int = 0
    killed: int = 0
    count: int = 0
