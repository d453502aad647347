"""`Grid`: the campaigns of a grid, from Python."""

from __future__ import annotations

import json
import os
import re
import secrets
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import (Any, Callable, Dict, IO, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union,
                    cast)
from urllib.parse import quote, unquote_to_bytes, urlencode

from . import config as configuration
from . import inputs
from .errors import ApiError, CannotEnd, ConfigurationError, NotFound, OutputError, ServerFailure, Unavailable, WaitTimeout
from .http_client import Body, HttpClient
from .inputs import Parameter
from .models import Appended, Campaign, Change, Changed, Failure, Fetched, Output, Task
from .stream import ChangeStream, Doorbell
from .version import VERSION

Jdl = Mapping[str, Any]
JdlOrFile = Union[Jdl, str, "os.PathLike[str]"]

_PAGE = 1000
_IDS_OF_ONE_REQUEST = 500
_RANGES_OF_ONE_REQUEST = 500
_PIECE = 1 << 16
_IN_MEMORY = 1 << 20
_FETCHERS = 4
_FETCH_ATTEMPTS = 5
_TASKS_OF_FOLDER = 1000


class _Unlisted(NamedTuple):
    cluster: str
    folder: str
    why: str


def ranges(numbers: Iterable[int]) -> List[str]:
    """Numbers as the ranges of the API: `ranges([7, 9, 10, 11])` is `['7', '9-11']`."""
    result: List[str] = []
    first = last = -2
    for number in [*sorted(set(numbers)), None]:
        if number is not None and number == last + 1:
            last = number
            continue
        if first >= 0:
            result.append(str(first) if first == last else f"{first}-{last}")
        if number is not None:
            first = last = number
    return result


class _Lines:
    """A body of lines from an iterable that can be read once. What was read is kept, so that it can be sent again."""

    def __init__(self, head: str, parameters: Iterable[Parameter]) -> None:
        self._spool = cast(IO[bytes], tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY))
        self._spool.write(head.encode())
        self._source = iter(parameters)
        self._task = 0

    def close(self) -> None:
        self._spool.close()

    def _line(self, parameter: Parameter) -> bytes:
        words: Any = parameter
        if isinstance(parameter, Sequence) and not isinstance(parameter, (str, bytes)):
            words = list(parameter)
        for word in words if isinstance(words, list) else [words]:
            if isinstance(word, bool) or not isinstance(word, (str, int, float)):
                raise TypeError(f"parameter {self._task}: {word!r} is neither a text nor a number")
        if not isinstance(words, (str, list)):
            words = str(words)
        elif isinstance(words, list):
            words = [str(word) for word in words]
        self._task += 1
        return (json.dumps(words) + "\n").encode()

    def __call__(self) -> Iterator[bytes]:
        self._spool.seek(0)
        yield from iter(lambda: self._spool.read(_PIECE), b"")
        lines: List[bytes] = []
        size = 0
        for parameter in self._source:
            line = self._line(parameter)
            self._spool.write(line)
            lines.append(line)
            size += len(line)
            if size >= _PIECE:
                yield b"".join(lines)
                lines, size = [], 0
        yield b"".join(lines)


def _home_expanded(path: str) -> str:
    return os.path.expanduser(re.sub(r"^(\{HOME\}|\$\{HOME\}|\$HOME)(?=/|$)", "~", path))


def _lines_of(path: str) -> Iterator[str]:
    """The parameters in a file, one a line; empty lines and those that begin with # are left out."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for line in file:
            text = line.rstrip("\n")
            text = text[:-1] if text.endswith("\r") else text
            if not text.startswith("#") and text.strip(" \t"):
                yield text


class _Jdl:
    """A campaign file: its text, the JSON that it is (None: it is in the classic form), its folder and its name."""

    def __init__(self, jdl: JdlOrFile, folder: Optional[str]) -> None:
        self.json: Optional[Dict[str, Any]] = None
        self.source = "the JDL"
        if isinstance(jdl, Mapping):
            self.json = dict(jdl)
            self.text = json.dumps(self.json)
            self.folder = folder or "."
            return
        path = os.fspath(jdl)
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                self.text = file.read()
        except OSError as error:
            raise ConfigurationError(f"the campaign file {path} cannot be read: {error.strerror}") from error
        self.source = path
        self.folder = folder or os.path.dirname(path) or "."
        try:
            parsed = json.loads(self.text)
        except ValueError:
            return
        if isinstance(parsed, list):
            raise ConfigurationError(f"{path} has several campaigns: submit each as a dict")
        if isinstance(parsed, dict):
            self.json = parsed

    def parameters(self) -> Optional[Iterable[Parameter]]:
        """Those of its param_file."""
        if self.json is None or "param_file" not in self.json or "params" in self.json:
            return None
        path = os.path.join(self.folder, _home_expanded(str(self.json["param_file"])))
        if not os.path.isfile(path):
            raise ConfigurationError(f"param_file: there is no file {path}")
        return _lines_of(path)


class Grid:
    """A grid, reached through its API. May be used by several threads at a time.

    ``Grid()`` finds the grid as the commands do: `GLEANER_API`, `GLEANER_TOKEN_FILE`… or the configuration file. Arguments go first:

    :param api: `unix:/run/gleaner/api.socket`, `http://host:port` or `https://host:port`; a path is a unix socket
    :param token: the token itself; not needed on a unix socket, where the kernel says who you are
    :param token_file: the file of the token, which nobody else may read
    :param ca_file: the authorities that may have signed the API's certificate; the system's without it
    :param connect_timeout: seconds to connect
    :param timeout: seconds of one request; a submission and a file may take longer, as long as something happens

    A request that reads is repeated when its answer breaks off. A submission and an append carry an idempotency key, and are repeated with
    it, so that they are done once. Other changes are sent once: without an answer they raise `OutcomeUnknown`.
    """

    def __init__(self, api: Optional[str] = None, token: Optional[str] = None, *, token_file: Optional[str] = None,
                 ca_file: Optional[str] = None, connect_timeout: Optional[float] = None, timeout: Optional[float] = None) -> None:
        self.config = configuration.load(api, token, token_file, ca_file, connect_timeout, timeout)
        self._client = HttpClient(self.config, "gleaner-python/" + VERSION)

    def close(self) -> None:
        """Closes idle connections."""
        self._client.close()

    def __enter__(self) -> Grid:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    # --- submission

    def submit(self, jdl: JdlOrFile, parameters: Optional[Iterable[Parameter]] = None, *, nb_jobs: Optional[int] = None,
               type: Optional[str] = None, strict: bool = False, key: Optional[str] = None, folder: Optional[str] = None) -> Campaign:
        """Submits a campaign, and returns it; its `warnings` are the notes that gridsub prints.

        :param jdl: the campaign file as a dict, or the path of one
        :param parameters: one for each task, in place of `params` and `nb_jobs` of the file: a line, which is split as a shell does, or a
            list of arguments. Any iterable: it is sent while it is read, and needs no memory
        :param nb_jobs: so many tasks, with the parameters 0 to N-1
        :param strict: refuse what is doubtful in the file, instead of noting it
        :param key: the idempotency key of an earlier call whose result is unknown (`OutcomeUnknown.key`)
        :param folder: where `param_file` and `input_files` are; without it, beside the file, or the present folder
        """
        head, given = self._head(jdl, parameters, nb_jobs, type, strict, folder, upload=True)
        reply = self._post_lines("/v1/campaigns", json.dumps(head) + "\n", given, key or _new_key())
        return Campaign.of(reply)

    def check(self, jdl: JdlOrFile, parameters: Optional[Iterable[Parameter]] = None, *, nb_jobs: Optional[int] = None,
              type: Optional[str] = None, strict: bool = False, folder: Optional[str] = None) -> Sequence[str]:
        """Checks a campaign as `gridsub --dry-run` does, stores nothing, and returns the notes. Raises InvalidInput with its problems."""
        head, given = self._head(jdl, parameters, nb_jobs, type, strict, folder, upload=True)
        head["dry_run"] = True
        reply = self._post_lines("/v1/campaigns", json.dumps(head) + "\n", given, _new_key())
        return tuple(str(one) for one in reply.get("warnings") or ())

    def _head(self, jdl: JdlOrFile, parameters: Optional[Iterable[Parameter]], nb_jobs: Optional[int], type: Optional[str], strict: bool,
              folder: Optional[str], upload: bool) -> Tuple[Dict[str, Any], Iterable[Parameter]]:
        if parameters is not None and nb_jobs is not None:
            raise ConfigurationError("the parameters are given twice: by parameters and by nb_jobs")
        file = _Jdl(jdl, folder)
        given = parameters if parameters is not None else (file.parameters() if nb_jobs is None else None)
        head: Dict[str, Any] = {"jdl": file.text, "source": file.source}
        if type is not None:
            head["type"] = type
        if strict:
            head["strict"] = True
        if nb_jobs is not None:
            head["nb_jobs"] = nb_jobs
        if file.json is not None and "input_from" in file.json:
            raise ConfigurationError("input_from: gridsub fetches the outputs of other campaigns, and this module does not by itself: call "
                                     "fetch_outputs(ID, 'outputs-ID'), and leave input_from out; input_files names what is there")
        if upload and file.json is not None and file.json.get("input_files"):
            of_tasks: Iterable[Parameter]
            if given is not None:
                of_tasks = given = list(given)
            elif "params" in file.json:
                of_tasks = file.json["params"]
            else:
                of_tasks = range(nb_jobs if nb_jobs is not None else int(file.json.get("nb_jobs", 0)))
            paths = inputs.files_needed(file.json, of_tasks, file.folder)
            if paths:
                head["input_manifest"] = inputs.upload(self._client, file.folder, paths)
        return head, given if given is not None else ()

    def _post_lines(self, path: str, head: str, parameters: Iterable[Parameter], key: str) -> Any:
        lines = _Lines(head, parameters)
        try:
            return self._client.post_keyed(path, lines, "application/x-ndjson", key)
        finally:
            lines.close()

    def append(self, campaign: int, parameters: Optional[Iterable[Parameter]] = None, *, nb_jobs: Optional[int] = None,
               key: Optional[str] = None) -> Appended:
        """Appends tasks to a campaign that is in treatment, paused or terminated; they get the next numbers. All of them, or none."""
        if (parameters is None) == (nb_jobs is None):
            raise ConfigurationError("either parameters or nb_jobs are needed")
        path = f"/v1/campaigns/{int(campaign)}/tasks"
        if nb_jobs is not None:
            body: Optional[Body] = None
            reply = self._client.post_keyed(f"{path}?nb_jobs={int(nb_jobs)}", body, "", key or _new_key())
        else:
            reply = self._post_lines(path, "", parameters or (), key or _new_key())
        return Appended(Campaign.of(reply), int(reply["appended"]["first_task"]), int(reply["appended"]["tasks"]))

    # --- what there is

    def whoami(self) -> Mapping[str, Any]:
        """The API's version, and who you are for it."""
        return cast(Mapping[str, Any], self._client.get("/"))

    def clusters(self) -> Sequence[Mapping[str, Any]]:
        """The clusters and their status."""
        return list(self._pages("/v1/clusters", {}))

    def campaign(self, campaign: int) -> Campaign:
        """A campaign as it is now: `gridstat ID`."""
        return Campaign.of(self._client.get(f"/v1/campaigns/{int(campaign)}"))

    status = campaign

    def campaigns(self, *, user: Optional[str] = None, states: Sequence[str] = (), all: bool = False) -> Iterator[Campaign]:
        """The campaigns in treatment, or those of these states; `all`: ended ones too."""
        query: Dict[str, str] = {}
        if user is not None:
            query["user"] = user
        if states:
            query["state"] = ",".join(states)
        if all:
            query["all"] = "1"
        return (Campaign.of(one) for one in self._pages("/v1/campaigns", query))

    def _pages(self, path: str, query: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
        offset, total = 0, 1
        while offset < total:
            page = self._client.get(path + "?" + urlencode({**query, "limit": _PAGE, "offset": offset}))
            if not page["items"]:
                return
            yield from page["items"]
            offset += len(page["items"])
            total = int(page["total"])

    def tasks(self, campaign: int, *, states: Sequence[str] = (), after: int = -1, page: int = _PAGE) -> Iterator[Task]:
        """The tasks of a campaign, or those in these states, in the order of their numbers; behind the number `after`.

        Read page by page, while you iterate: a task may have changed meanwhile, but none is left out or comes twice.
        """
        query: Dict[str, str] = {"limit": str(page)}
        if states:
            query["state"] = ",".join(states)
        while True:
            reply = self._client.get(f"/v1/campaigns/{int(campaign)}/tasks?" + urlencode({**query, "after": after}))
            for item in reply["items"]:
                yield Task.of(item)
            if not reply["items"] or not _has_next(reply):
                return
            after = int(reply["items"][-1]["id"])

    def task(self, campaign: int, number: int) -> Task:
        """One task."""
        return Task.of(self._client.get(f"/v1/campaigns/{int(campaign)}/tasks/{int(number)}"))

    def failures(self, campaign: int, *, lines: int = 20) -> Iterator[Failure]:
        """The tasks that failed, with the last lines of their stderr, which are read from the clusters as you iterate (0: not at all)."""
        for task in self.tasks(campaign, states=("failed",)):
            if lines <= 0:
                yield Failure(task, "")
                continue
            try:
                yield Failure(task, self.tail(campaign, task.number, "stderr", lines=lines))
            except (ApiError, Unavailable) as error:
                yield Failure(task, "", str(error))

    def tail(self, campaign: int, number: int, stream: str = "stdout", *, lines: int = 20) -> str:
        """The last lines of a task's stdout or stderr, also while it runs."""
        if stream not in ("stdout", "stderr"):
            raise ConfigurationError(f"'{stream}' is no output: stdout or stderr")
        return str(self._client.get(f"/v1/campaigns/{int(campaign)}/tasks/{int(number)}/{stream}?lines={int(lines)}")["output"])

    # --- changes

    def cancel(self, campaign: int, tasks: Union[str, Iterable[int], None] = None) -> Changed:
        """Cancels a campaign, or these tasks of it (numbers, or `"7,9-12,100-*"`): waiting ones at once, the others when their jobs are
        killed. Tasks that are over stay as they are."""
        if tasks is None:
            reply = self._client.change("DELETE", f"/v1/campaigns/{int(campaign)}")
            return Changed(str(reply.get("message", "")), count=int(reply.get("count", 0)))
        return self._change_tasks("DELETE", f"/v1/campaigns/{int(campaign)}/tasks", tasks)

    def hold(self, campaign: int, tasks: Union[str, Iterable[int], None] = None) -> Changed:
        """Pauses a campaign; its jobs continue. Or holds the waiting ones of these tasks (numbers, or `"7,9-12,100-*"`)."""
        if tasks is not None:
            return self._change_tasks("POST", f"/v1/campaigns/{int(campaign)}/hold", tasks)
        return Changed(str(self._client.change("POST", f"/v1/campaigns/{int(campaign)}/hold").get("message", "")))

    def resume(self, campaign: int, tasks: Union[str, Iterable[int], None] = None) -> Changed:
        """Resumes a campaign, and lifts its brakes. Or releases the held ones of these tasks."""
        if tasks is not None:
            return self._change_tasks("POST", f"/v1/campaigns/{int(campaign)}/resume", tasks)
        return Changed(str(self._client.change("POST", f"/v1/campaigns/{int(campaign)}/resume").get("message", "")))

    def retry(self, campaign: int, tasks: Union[str, Iterable[int], None] = None, *, sink: Optional[str] = None) -> Changed:
        """Runs the failed tasks again, or those of these tasks that failed; with `sink` (a cluster), those that it swallowed."""
        path = f"/v1/campaigns/{int(campaign)}/retries"
        if sink is not None:
            path += "?" + urlencode({"sink": sink})
        if tasks is not None:
            return self._change_tasks("POST", path, tasks)
        reply = self._client.change("POST", path)
        return Changed(str(reply.get("message", "")), count=int(reply.get("count", 0)))

    def _change_tasks(self, method: str, path: str, tasks: Union[str, Iterable[int]]) -> Changed:
        parts = [tasks] if isinstance(tasks, str) else ranges(tasks)
        message, cancelled, killed, count = "", 0, 0, 0
        refused: Optional[ApiError] = None
        is_done = False
        for begin in range(0, len(parts), _RANGES_OF_ONE_REQUEST):
            some = ",".join(parts[begin:begin + _RANGES_OF_ONE_REQUEST])
            link: Optional[str] = path + ("&" if "?" in path else "?") + "tasks=" + quote(some, safe=",*-")
            while link is not None:
                try:
                    reply = self._client.change(method, link)
                except ApiError as error:
                    if error.code != "wrong_state":
                        raise
                    refused = error  # all of these are over; others may not be
                    break
                is_done = True
                message = str(reply.get("message", ""))
                cancelled += int(reply.get("cancelled", 0))
                killed += int(reply.get("killed", 0))
                count += int(reply.get("count", 0))
                link = _next_of(reply)
        if refused is not None and not is_done:
            raise refused
        return Changed(message, cancelled, killed, count)

    # --- waiting

    def changes(self, campaigns: Sequence[int] = (), *, after: str = "now", on_gap: Optional[Callable[[], None]] = None) -> ChangeStream:
        """The stream of what changes, of these campaigns or of all: an iterator of `Change`, which goes on where it was when it breaks off.

        ``with grid.changes([12]) as changes: for change in changes: …``

        :param after: `Change.place` of the last one that was read
        :param on_gap: called when changes between were lost, as they are kept for a day; without it, that raises WrongState
        """
        return ChangeStream(self._client, campaigns, after, on_gap=on_gap)

    def doorbell(self, campaigns: Sequence[int]) -> Doorbell:
        """For programs that look again when something has changed; `close()` it."""
        return Doorbell(self._client, campaigns)

    def wait(self, *campaigns: int, timeout: Optional[float] = None, period: float = 1.0,
             progress: Optional[Callable[[Sequence[Campaign]], None]] = None) -> Sequence[Campaign]:
        """Waits until all of the campaigns have ended, and returns them in their order: `has_succeeded` says whether all is done.

        Waits on the stream of changes, and asks at most every `period` seconds; where there is no stream, it asks every `period`. An API
        that goes away in the meantime is waited for. Raises `WaitTimeout` after `timeout` seconds, and `CannotEnd` when none of those that
        have not ended can end unless their user acts.

        :param progress: called with the campaigns after each look
        """
        if not campaigns:
            raise ConfigurationError("wait needs the id of a campaign")
        deadline = None if timeout is None else time.monotonic() + timeout
        found: Optional[Sequence[Campaign]] = self._all_of(campaigns)
        bell: Optional[Doorbell] = None
        try:
            while True:
                if found is not None:
                    if progress is not None:
                        progress(found)
                    if all(one.has_ended for one in found):
                        return found
                    self._refuse_vain_wait(found)
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    raise WaitTimeout(f"campaigns {', '.join(map(str, campaigns))}: not ended after {timeout:g} s")
                if bell is None:
                    bell = self.doorbell(campaigns)
                bell.wait(period if left is None else min(period, left), 60.0 if left is None else min(60.0, left))
                try:
                    found = self._all_of(campaigns)
                except Unavailable:
                    found = None
        finally:
            if bell is not None:
                bell.close()

    def _all_of(self, campaigns: Sequence[int]) -> Sequence[Campaign]:
        if len(campaigns) == 1:
            return [self.campaign(campaigns[0])]
        found: Dict[int, Campaign] = {}
        for begin in range(0, len(campaigns), _IDS_OF_ONE_REQUEST):
            some = ",".join(str(int(one)) for one in campaigns[begin:begin + _IDS_OF_ONE_REQUEST])
            for item in self._pages("/v1/campaigns", {"ids": some, "all": "1"}):
                found[int(item["id"])] = Campaign.of(item)
        return [found[one] if one in found else self.campaign(one) for one in campaigns]

    def why_not_ending(self, campaign: int) -> Tuple[str, bool]:
        """Why a campaign cannot end unless somebody acts (empty: it can), and whether this may pass without its user."""
        reply = self._client.get(f"/v1/campaigns/{int(campaign)}/decisions?limit=1")
        return str(reply.get("cannot_end") or ""), bool(reply.get("cannot_end_may_pass"))

    def _refuse_vain_wait(self, found: Sequence[Campaign]) -> None:
        reasons: Dict[int, str] = {}
        for one in found:
            if one.has_ended:
                continue
            if one.tasks.in_flight > 0:
                return
            try:
                why, may_pass = self.why_not_ending(one.id)
            except Unavailable:
                return
            if not why or may_pass:
                return
            reasons[one.id] = why
        if reasons:
            raise CannotEnd(reasons)

    # --- outputs

    def outputs(self, campaign: int, tasks: Union[str, Iterable[int], None] = None) -> Iterator[Output]:
        """What settled tasks left on their clusters: stdout, stderr and output files. Listed while you iterate.

        Raises Unavailable when the listing breaks off, and OutputError at its end when a folder cannot be listed; what came before is right.
        """
        unlisted: List[_Unlisted] = []
        for one in self._listing(campaign, tasks):
            if isinstance(one, Output):
                yield one
            elif isinstance(one, _Unlisted):
                unlisted.append(one)
        if unlisted:
            raise OutputError("; ".join(f"{one.folder} on {one.cluster} cannot be listed: {one.why}" for one in unlisted))

    def _listing(self, campaign: int, tasks: Union[str, Iterable[int], None]) -> Iterator[Union[Output, _Unlisted, int]]:
        """The outputs, the folders that cannot be listed, and at the end of each list how many tasks are not settled."""
        parts = [""] if tasks is None else [tasks] if isinstance(tasks, str) else ranges(tasks)
        for begin in range(0, len(parts), _RANGES_OF_ONE_REQUEST):
            some = ",".join(parts[begin:begin + _RANGES_OF_ONE_REQUEST])
            path = f"/v1/campaigns/{int(campaign)}/outputs" + ("?tasks=" + quote(some, safe=",*-") if some else "")
            is_whole = False
            with self._client.open(path) as answer:
                for line in iter(answer.line, b""):
                    try:
                        item = json.loads(line)
                    except ValueError:
                        break
                    if item.get("end"):
                        is_whole = True
                        yield int(item["unsettled"])
                    elif "error" in item:
                        yield _Unlisted(str(item["cluster_name"]), str(item["folder"]), str(item["error"]))
                    else:
                        yield Output.of(item)
            if not is_whole:
                raise Unavailable(f"the list of the outputs of campaign {campaign} broke off: ask again")

    def read_output(self, campaign: int, output: Output, *, most: int = 64 << 20) -> bytes:
        """The content of an output. Raises OutputError unless it comes with the size that the list has, and if it is above `most` bytes."""
        if output.missing:
            raise OutputError(f"{output.name} is not on {output.cluster}")
        if output.size is not None and output.size > most:
            raise OutputError(f"{output.name} has {output.size} bytes, and {most} may come: use fetch_outputs")
        content = bytearray()
        self._transfer(campaign, output, content.extend, lambda: len(content), content.clear, most)
        return bytes(content)

    def fetch_outputs(self, campaign: int, to: Union[str, "os.PathLike[str]"], tasks: Union[str, Iterable[int], None] = None, *,
                      kinds: Sequence[str] = ("stdout", "stderr", "file"), most: int = 100 << 30) -> Fetched:
        """Fetches outputs into a folder, under the names that `gridget` gives them: `7.out`, `7.err`, and output files below `7/`.

        Files that are there with their size are not fetched again, and one that came in part is continued. A file has its name only when it
        came whole.

        :param kinds: which outputs
        :param most: the most bytes in all
        """
        folder = os.fspath(to)
        parts = os.path.join(folder, ".gleaner")
        os.makedirs(parts, exist_ok=True)
        _claim(parts, campaign)
        fetcher = _Fetcher(self, int(campaign), folder, parts, most)
        unsettled = 0
        with ThreadPoolExecutor(_FETCHERS, thread_name_prefix="gleaner-fetch") as pool:
            pending: List[Any] = []
            for output in self._listing(campaign, tasks):
                if isinstance(output, int):
                    unsettled += output
                elif isinstance(output, _Unlisted):
                    fetcher.failed[f"{output.cluster}:{output.folder}"] = f"it cannot be listed: {output.why}"
                elif output.kind in kinds:
                    pending.append(pool.submit(fetcher.fetch, output))
                if len(pending) >= 1000:
                    for one in pending:
                        one.result()
                    pending = []
            for one in pending:
                one.result()
        return Fetched(sorted(fetcher.fetched), sorted(fetcher.present), fetcher.missing, fetcher.failed, unsettled)

    def _transfer(self, campaign: int, output: Output, take: Callable[[bytes], object], taken: Callable[[], int],
                  restart: Callable[[], object], most: int) -> None:
        path = f"/v1/campaigns/{int(campaign)}/outputs/{quote(output.name, safe='')}"
        why = "the transfer broke off"
        for attempt in range(_FETCH_ATTEMPTS):
            if attempt > 0:
                time.sleep(0.25 * 2 ** (attempt - 1))
            if output.size is not None and taken() > output.size:
                restart()
            if output.size is not None and taken() == output.size:
                return
            before = taken()
            try:
                with self._client.open(f"{path}?offset={before}") as answer:
                    for piece in iter(answer.read, b""):
                        if taken() + len(piece) > most:
                            raise OutputError(f"{output.name} has more than {most} bytes")
                        take(piece)
                    answer.finish()
                if output.size is None or taken() == output.size:
                    return
                why = f"{taken()} of {output.size} bytes came"
                if taken() == before:
                    restart()  # what came before may be of another file
            except NotFound as error:
                raise OutputError(f"{output.name} is not there: {error.message}") from error
            except ServerFailure as error:
                why = error.message
            except ApiError as error:
                raise OutputError(f"{output.name}: {error.message}") from error
            except Unavailable as error:
                why = str(error)
        raise OutputError(f"{output.name} of {output.cluster}: {why}")


def _new_key() -> str:
    return "gleaner-python-" + secrets.token_hex(16)


def _next_of(reply: Mapping[str, Any]) -> Optional[str]:
    for link in reply.get("links") or ():
        if link["rel"] == "next":
            return str(link["href"])
    return None


def _has_next(reply: Mapping[str, Any]) -> bool:
    return _next_of(reply) is not None


def _claim(parts: str, campaign: int) -> None:
    """A folder holds one campaign."""
    path = os.path.join(parts, "campaign")
    try:
        with open(path, "x", encoding="ascii") as file:
            file.write(f"{campaign}\n")
        return
    except FileExistsError:
        pass
    with open(path, encoding="ascii") as file:
        other = file.read().strip()
    if other != str(campaign):
        raise OutputError(f"the folder holds outputs of campaign {other}: choose another one for campaign {campaign}")


def _safe_part(part: str) -> str:
    """A name from a cluster as the name of a file here: no way out of the folder, no control character."""
    if part in (".", ".."):
        return "%2E" * len(part)
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]",
                  lambda match: "".join(f"%{byte:02X}" for byte in match.group(0).encode()), part)


def local_path(output: Output) -> str:
    """Where `fetch_outputs` puts an output, relative to its folder."""
    thousand = output.task // _TASKS_OF_FOLDER * _TASKS_OF_FOLDER
    base = [str(thousand)] if thousand else []
    stem = str(output.task) if output.attempt == 0 else f"{output.task}.{output.attempt}"
    encoded = output.path if output.path is not None else output.name[len(stem + ".file."):]
    if output.kind != "file" or (output.path is None and not output.name.startswith(stem + ".file.")):
        return os.path.join(*base, _safe_part(output.name.replace("/", "%2F")))
    path = unquote_to_bytes(encoded).decode("utf-8", "surrogateescape")
    return os.path.join(*base, stem, *(_safe_part(part) for part in path.split("/") if part))


class _Fetcher:
    """Fetches the files of one campaign; its functions are called by several threads."""

    def __init__(self, grid: Grid, campaign: int, folder: str, parts: str, most: int) -> None:
        self._grid = grid
        self._campaign = campaign
        self._folder = folder
        self._parts = parts
        self._left = most
        self._lock = threading.Lock()
        self.fetched: List[str] = []
        self.present: List[str] = []
        self.missing: Dict[str, str] = {}
        self.failed: Dict[str, str] = {}

    def fetch(self, output: Output) -> None:
        place = os.path.join(self._folder, local_path(output))
        if output.missing:
            with self._lock:
                self.missing[output.name] = f"it is not on {output.cluster}"
            return
        if os.path.isfile(place) and not os.path.islink(place) and (output.size is None or os.path.getsize(place) == output.size):
            with self._lock:
                self.present.append(place)
            return
        try:
            self._come(output, place)
        except OutputError as error:
            with self._lock:
                into = self.missing if isinstance(error.__cause__, NotFound) else self.failed
                into[output.name] = str(error)
        except OSError as error:
            with self._lock:
                self.failed[output.name] = f"{place}: {error.strerror or error}"

    def _come(self, output: Output, place: str) -> None:
        part = os.path.join(self._parts, _safe_part(output.name.replace("/", "%2F")))
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        with os.fdopen(descriptor, "ab") as file:
            def take(piece: bytes) -> None:
                with self._lock:
                    self._left -= len(piece)
                    if self._left < 0:
                        raise OutputError("the outputs have more bytes than may come (most)")
                file.write(piece)
                file.flush()
            self._grid._transfer(self._campaign, output, take, lambda: os.fstat(descriptor).st_size, lambda: os.ftruncate(descriptor, 0),
                                 1 << 62)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.replace(part, place)
        with self._lock:
            self.fetched.append(place)


__all__ = ["Change", "Grid", "local_path", "ranges"]
