"""`Executor`: a `concurrent.futures.Executor` whose calls are tasks of a campaign."""

from __future__ import annotations

import atexit
import base64
import hashlib
import itertools
import os
import pickle
import queue
import secrets
import threading
import time
import weakref
import zlib
from concurrent.futures import Executor as _StandardExecutor
from concurrent.futures import Future
from typing import (Any, Callable, Collection, Deque, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple,
                    TypeVar, Union)
from collections import deque

from .errors import ApiError, ConfigurationError, GridError, NotFound, NotPermitted, OutputError, Unavailable, WrongState
from .grid import Grid
from .models import Output, Task
from .stream import Doorbell

T = TypeVar("T")
_taking = threading.Lock()

_MOST_ARGUMENT_BYTES = 60 * 1024  # a parameter has 64 kB at most
_MOST_CALLS_AT_ONCE = 10_000
_MOST_TASKS_OF_CAMPAIGN = 100_000
_MOST_BYTES_OF_CHUNK = 256 << 20
_FETCHERS = 4
_LOOK_EVERY = 1.0
_LOOK_AT_LEAST_EVERY = 60.0
_READS_OF_A_DAMAGED_RESULT = 3
_VAIN_LOOKS = 3


class CallNotDone(GridError):
    """The call has no result: its task failed, was cancelled, cannot run, or its result cannot be had.

    `campaign` and `task` name the task (`gridstat CAMPAIGN --task TASK`; None: it was never submitted), `exit_code` is that of its process,
    and `stderr` has its last lines. A call that raised is no such error: its exception is raised as it was.
    """

    def __init__(self, message: str, campaign: Optional[int] = None, task: Optional[int] = None, exit_code: Optional[int] = None,
                 stderr: str = "") -> None:
        self.campaign = campaign
        self.task = task
        self.exit_code = exit_code
        self.stderr = stderr
        where = f"task {task} of campaign {campaign}: " if campaign is not None else ""
        super().__init__(where + message + (f"; its stderr ends with:\n{stderr.rstrip()}" if stderr.strip() else ""))


class ResultDamaged(CallNotDone):
    """The task is done, but its result is missing, of another call, or not as it was written."""


class RemoteError(GridError):
    """A call raised an exception that cannot be raised here, as its class cannot be pickled. `kind` is the name of the class."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(f"{kind}: {message}")


class _RemoteTraceback(Exception):
    """The traceback on the cluster, shown as the cause of the exception."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'


class _Future(Future[Any]):
    """A future whose cancellation cancels the task. It is pending until the task is settled, also while that runs."""

    def __init__(self, executor: Executor, call: _Call) -> None:
        super().__init__()
        self._executor = executor
        self._call: Optional[_Call] = call

    def cancel(self) -> bool:
        """Cancels the call. A task that runs is killed; False if it is settled already."""
        if not super().cancel():
            return False
        call, self._call = self._call, None
        if call is not None:
            self._executor._note_cancelled(call)
        return True


class _Call:
    """The calls of one task; mostly one."""

    def __init__(self, executor: Executor, function: Callable[..., Any], arguments: Sequence[Tuple[Tuple[Any, ...], Mapping[str, Any]]],
                 path: Sequence[str], most: int) -> None:
        self.key = secrets.token_hex(8)
        try:
            pickled = pickle.dumps((function, [(tuple(a), dict(k)) for a, k in arguments]), 4)
        except Exception as error:
            raise ConfigurationError(f"{function!r} or its arguments cannot be pickled: {error}. A call needs a function of a module, and "
                                     "arguments that pickle takes") from error
        self.payload = base64.b64encode(zlib.compress(pickle.dumps((self.key, list(path), most, pickled), 4), 6)).decode()
        if len(self.payload) > _MOST_ARGUMENT_BYTES:
            raise ConfigurationError(f"the call's arguments take {len(self.payload)} bytes, and {_MOST_ARGUMENT_BYTES} may be sent: write "
                                     "them to a file that the clusters can read, and pass its path")
        self.futures = [_Future(executor, self) for _ in arguments]
        self.is_fetching = False
        self.trouble_since: Optional[float] = None
        self.damaged_reads = 0

    @property
    def is_cancelled(self) -> bool:
        return all(one.cancelled() for one in self.futures)

    def notify_cancelled(self) -> None:
        """Whoever waits for cancelled futures goes on."""
        for one in self.futures:
            if one.cancelled():
                _take(one)

    def fail(self, error: BaseException) -> None:
        for one in self.futures:
            if _take(one):
                one.set_exception(error)

    def settle(self, results: Sequence[bytes]) -> None:
        """The results of all calls; one for all of them where the function could not be loaded."""
        if len(results) == 1:
            results = list(results) * len(self.futures)
        for future, result in zip(self.futures, results):
            if not _take(future):
                continue
            try:
                future.set_result(_value_of(result))
            except BaseException as error:
                future.set_exception(error)


def _take(future: Future[Any]) -> bool:
    """Whether the future still wants its result. Of two threads that have one for it, the second is told that it does not."""
    with _taking:
        if future.running() or (future.done() and not future.cancelled()):
            return False
        try:
            return future.set_running_or_notify_cancel()
        except RuntimeError:
            return False  # it was cancelled, and notified already


def _value_of(result: bytes) -> Any:
    """The value of a call, or raises what it raised."""
    try:
        kind, *rest = pickle.loads(result)
    except Exception as error:
        raise RemoteError(type(error).__name__, f"the result cannot be loaded here: {error}") from error
    if kind == "value":
        return rest[0]
    name, message, text, whole = rest
    raised: BaseException = RemoteError(name, message)
    if whole is not None:
        try:
            loaded = pickle.loads(whole)
            if isinstance(loaded, BaseException):
                raised = loaded
        except Exception:
            pass
    raised.__cause__ = _RemoteTraceback(text)
    raise raised


def _results_of(content: bytes, call: _Call) -> Sequence[bytes]:
    """The pickled results in a task's stdout. Raises ValueError if it is not whole, or another call's."""
    head, newline, rest = content.partition(b"\n")
    words = head.split(b" ")
    if not newline or len(words) != 5 or words[:2] != [b"gleaner-result", b"1"]:
        raise ValueError("it has no result" if content else "it is empty")
    if words[2].decode("ascii", "replace") != call.key:
        raise ValueError("it has the result of another call")
    if str(len(rest)).encode() != words[3]:
        raise ValueError(f"{len(rest)} of {words[3].decode('ascii', 'replace')} bytes are there")
    if hashlib.sha256(rest).hexdigest().encode() != words[4]:
        raise ValueError("its SHA-256 is another one")
    results = pickle.loads(zlib.decompress(rest))
    if len(results) not in (1, len(call.futures)):
        raise ValueError(f"it has {len(results)} results for {len(call.futures)} calls")
    return [bytes(one) for one in results]


class _Settled(NamedTuple):
    campaign: int
    task: Task
    call: _Call


def _program(python: str) -> str:
    """The command of the tasks: worker.py, packed."""
    with open(os.path.join(os.path.dirname(__file__), "worker.py"), "rb") as file:
        packed = base64.b64encode(zlib.compress(file.read(), 9)).decode()
    return f"{python} -c 'import base64,zlib;exec(zlib.decompress(base64.b64decode(\"{packed}\")))'"


_live: weakref.WeakSet[Executor] = weakref.WeakSet()


def _finish_all() -> None:
    for one in list(_live):
        one.shutdown(wait=True)


atexit.register(_finish_all)


class Executor(_StandardExecutor):
    """Calls functions on the grid: each call is a task, and the calls of an executor are one campaign.

    ::

        with gleaner.Executor(clusters=["alpha", "beta"], path=["/home/ada/project"]) as executor:
            for volume in executor.map(meshes.volume, names):
                …

    A call is a function of a module that the clusters can import, with arguments that pickle takes (60 kB, packed). Its result comes back
    through the task's stdout, with its SHA-256, and what it prints goes to the task's stderr. An exception is raised here, with its
    traceback there as `__cause__`. If there is no result, the future has `CallNotDone`, which names the task. A task that the grid runs
    again (a preemption, a node that dies) is called again: what a call does elsewhere should bear that.

    Calls that are made within `gather` seconds of each other are submitted together; later ones are appended to the same campaign.
    `Future.cancel` cancels the task, also while it runs: a future is pending until its task is settled. After `shutdown` nothing is
    appended any more, so that the campaign ends with its last task.

    Results are unpickled here: they come from files of yours on the clusters, which only you should be able to write.

    :param grid: the grid; `Grid()` without it
    :param clusters: their names, or a JDL's object `clusters`; without it, all clusters that are enabled
    :param name: the campaign's
    :param resources: of each task
    :param walltime: of each task, `h:m:s` or seconds
    :param path: folders on the clusters in which the functions' modules are found, before those that python3 knows there
    :param python: the interpreter on the clusters, 3.7 or newer
    :param jdl: more keys of the campaign file, such as `project`, `exec_directory`, `retries`, `needs`
    :param gather: how long a call waits for others, in seconds
    :param patience: how long the API, or a cluster with a result, may be away before the calls fail, in seconds
    :param most_result_bytes: the most bytes of one pickled result
    """

    def __init__(self, grid: Optional[Grid] = None, *, clusters: Union[Collection[str], Mapping[str, Any], None] = None,
                 name: str = "python", resources: str = "/core=1", walltime: Union[str, int] = "1:00:00", path: Sequence[str] = (),
                 python: str = "python3", jdl: Optional[Mapping[str, Any]] = None, gather: float = 0.1, patience: float = 3600.0,
                 most_result_bytes: int = 64 << 20) -> None:
        if isinstance(clusters, str):
            raise ConfigurationError(f"clusters = '{clusters}' is wrong: it must be a list of names")
        own = {"exec_file", "params", "param_file", "nb_jobs", "placeholders", "params_shell", "output_files", "clusters", "name"}
        for key in jdl or ():
            if key in own:
                raise ConfigurationError(f"jdl: '{key}' is the executor's own")
        self._grid = grid if grid is not None else Grid()
        self._path = list(path)
        self._gather = gather
        self._patience = patience
        self._most = most_result_bytes
        self._jdl: Dict[str, Any] = {
            "name": name, "exec_file": _program(python), "placeholders": False, "resources": resources, "walltime": walltime,
            "output_directory": "gleaner-python", "temporal_grouping": "auto", "min_duration": 0, **(jdl or {}),
            "clusters": self._sections(clusters)}
        self._condition = threading.Condition()
        self._pending: Deque[_Call] = deque()
        self._pending_since = 0.0
        self._sent: Dict[int, Dict[int, _Call]] = {}
        self._places: Dict[_Call, Tuple[int, int]] = {}
        self._to_cancel: Set[_Call] = set()
        self._vain: Dict[int, int] = {}
        self._campaigns: List[int] = []
        self._open: Optional[int] = None
        self._open_tasks = 0
        self._bell: Optional[Doorbell] = None
        self._is_shut = False
        self._process = os.getpid()
        self._settled: "queue.SimpleQueue[Optional[_Settled]]" = queue.SimpleQueue()
        self._dispatcher: Optional[threading.Thread] = None
        self._fetchers: List[threading.Thread] = []
        _live.add(self)

    def _sections(self, clusters: Union[Collection[str], Mapping[str, Any], None]) -> Mapping[str, Any]:
        if isinstance(clusters, Mapping):
            return dict(clusters)
        if clusters is not None:
            return {str(one): {} for one in clusters}
        names = [str(one["name"]) for one in self._grid.clusters() if one["enabled"] and one["retired_at"] is None]
        if not names:
            raise ConfigurationError("no cluster of the grid is enabled")
        return {one: {} for one in names}

    @property
    def campaigns(self) -> Sequence[int]:
        """The campaigns of the calls so far: mostly one. Another one begins when the first was cancelled, removed, or is full."""
        with self._condition:
            return tuple(self._campaigns)

    # --- calls

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Calls `fn(*args, **kwargs)` on the grid. Raises ConfigurationError if it cannot be sent."""
        return self._add(fn, [(args, kwargs)])[0]

    def map(self, fn: Callable[..., T], *iterables: Iterable[Any], timeout: Optional[float] = None, chunksize: int = 1) -> Iterator[T]:
        """As `Executor.map` of the standard library. `chunksize` calls are one task: choose it so that a task takes some seconds, as each
        task costs a start of python3 and the transfer of a file. An exception in a chunk concerns its own call alone."""
        if chunksize < 1:
            raise ValueError("chunksize must be at least 1")
        deadline = None if timeout is None else time.monotonic() + timeout
        futures: List[Future[T]] = []
        calls = zip(*iterables)
        try:
            for chunk in iter(lambda: list(itertools.islice(calls, chunksize)), []):
                futures.extend(self._add(fn, [(args, {}) for args in chunk]))
        except BaseException:
            for one in futures:
                one.cancel()  # nobody will ever ask for them
            raise
        futures.reverse()

        def results() -> Iterator[T]:
            try:
                while futures:
                    result = futures[-1].result(None if deadline is None else max(0.0, deadline - time.monotonic()))
                    futures.pop()
                    yield result
            finally:
                for one in futures:
                    one.cancel()
        return results()

    def _add(self, function: Callable[..., Any], arguments: Sequence[Tuple[Tuple[Any, ...], Mapping[str, Any]]]) -> List[Future[Any]]:
        inner = getattr(function, "func", function)  # of functools.partial
        if getattr(inner, "__module__", None) == "__main__":
            raise ConfigurationError(f"{function!r} is of the program itself, which the clusters cannot import: put it into a module")
        call = _Call(self, function, arguments, self._path, self._most)
        if self._process != os.getpid():
            raise RuntimeError("the executor is another process's, from which this one was forked: make one of its own here")
        with self._condition:
            if self._is_shut:
                raise RuntimeError("cannot schedule new futures after shutdown")
            if not self._pending:
                self._pending_since = time.monotonic()
            self._pending.append(call)
            if self._dispatcher is None:
                self._start()
        self._wake(urgent=len(self._pending) == 1)
        return list(call.futures)

    def _start(self) -> None:
        self._dispatcher = threading.Thread(target=self._dispatch, name="gleaner-executor", daemon=True)
        self._dispatcher.start()
        for number in range(_FETCHERS):
            fetcher = threading.Thread(target=self._fetch, name=f"gleaner-results-{number}", daemon=True)
            fetcher.start()
            self._fetchers.append(fetcher)

    def _wake(self, urgent: bool = True) -> None:
        with self._condition:
            self._condition.notify_all()
            bell = self._bell
        if bell is not None and urgent:
            bell.ring(urgent=True)

    def _note_cancelled(self, call: _Call) -> None:
        if not call.is_cancelled:
            return
        with self._condition:
            self._to_cancel.add(call)
        self._wake()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """No more calls. `wait`: until the last one is settled; `cancel_futures`: those that are not are cancelled, also while they run."""
        if self._process != os.getpid():
            return  # forked: the calls are the parent's, and its threads are not here
        with self._condition:
            self._is_shut = True
            calls = [*self._pending, *(call for of_one in self._sent.values() for call in of_one.values())] if cancel_futures else []
            dispatcher = self._dispatcher
        for call in calls:
            for future in call.futures:
                future.cancel()
        self._wake()
        if wait and dispatcher is not None:
            dispatcher.join()

    # --- the dispatcher: the only thread that submits, appends, cancels and looks

    def _dispatch(self) -> None:
        try:
            self._dispatch_all()
        except BaseException as error:  # a fault of ours: nobody may wait forever
            self._fail_all(error)
            raise
        finally:
            for _ in self._fetchers:
                self._settled.put(None)
            if self._bell is not None:
                self._bell.close()

    def _fail_all(self, error: BaseException) -> None:
        with self._condition:
            self._is_shut = True
            calls = [*self._pending, *(call for of_one in self._sent.values() for call in of_one.values())]
            self._pending.clear()
            self._sent.clear()
        for call in calls:
            call.fail(CallNotDone(f"the executor failed: {error!r}"))

    def _dispatch_all(self) -> None:
        look_at = 0.0
        wants_look = False  # the doorbell has rung, and the time of the next look has not come
        away_since: Optional[float] = None
        while True:
            with self._condition:
                while not (self._pending or self._sent or self._to_cancel or self._is_shut):
                    self._condition.wait(60.0)
                if self._is_shut and not (self._pending or self._sent or self._to_cancel):
                    return
            try:
                self._cancel_tasks()
                self._send()
                if time.monotonic() >= look_at:
                    begun = time.monotonic()
                    self._look()
                    look_at = time.monotonic() + max(_LOOK_EVERY, 2 * (time.monotonic() - begun))
                    wants_look = False
                away_since = None
            except GridError as error:  # no answer, or one that is not the API's
                away_since = away_since or time.monotonic()
                if time.monotonic() - away_since > self._patience:
                    self._give_up(error)
                    away_since = None
                time.sleep(min(1.0, self._patience / 10))
                continue
            wants_look = self._rest(look_at, wants_look)

    def _rest(self, look_at: float, wants_look: bool) -> bool:
        """Until there is something to submit or to cancel, or a look is worth it; returns whether one is."""
        with self._condition:
            bell = self._bell
            if self._to_cancel or (self._is_shut and not self._sent):
                return wants_look
            if self._pending:
                left = self._pending_since + self._gather - time.monotonic()
                if left > 0 and not self._is_shut:
                    self._condition.wait(left)
                return wants_look
        if bell is None:
            return wants_look
        least = max(look_at - time.monotonic(), 0.05)
        bell.wait(least, least if wants_look or self._has_trouble() else max(least, _LOOK_AT_LEAST_EVERY))
        return True

    def _has_trouble(self) -> bool:
        with self._condition:
            return any(call.trouble_since is not None for of_one in self._sent.values() for call in of_one.values())

    def _give_up(self, error: GridError) -> None:
        with self._condition:
            lost = [(call, None, None) for call in self._pending]
            of_tasks = [(call, campaign, task) for campaign, of_one in self._sent.items() for task, call in of_one.items()]
            self._pending.clear()
            self._sent.clear()
            self._places.clear()
            self._to_cancel.clear()
        for call, campaign, task in [*lost, *of_tasks]:
            call.fail(CallNotDone(f"the grid could not be reached for {self._patience:g} s: {error}", campaign, task))

    def _send(self) -> None:
        with self._condition:
            if not self._pending:
                return
            is_due = self._is_shut or time.monotonic() >= self._pending_since + self._gather or len(self._pending) >= _MOST_CALLS_AT_ONCE
            if not is_due:
                return
            calls = [self._pending.popleft() for _ in range(min(len(self._pending), _MOST_CALLS_AT_ONCE))]
            self._pending_since = time.monotonic() - self._gather
        calls = [one for one in calls if not one.is_cancelled]
        if not calls:
            return
        try:
            campaign, first = self._store(calls)
        except ApiError as error:
            for call in calls:
                call.fail(CallNotDone(f"the grid refused it: {error}"))
            return
        except GridError as error:
            for call in calls:
                call.fail(CallNotDone(f"it could not be submitted: {error}"))
            return
        with self._condition:
            of_campaign = self._sent.setdefault(campaign, {})
            for number, call in enumerate(calls, first):
                of_campaign[number] = call
                self._places[call] = (campaign, number)
                if call.is_cancelled:
                    self._to_cancel.add(call)

    def _store(self, calls: Sequence[_Call]) -> Tuple[int, int]:
        """Submits or appends the calls: their campaign, and the number of the first task. Repeated with one key while the API is away."""
        deadline = time.monotonic() + self._patience
        parameters = [[one.payload] for one in calls]
        if self._open is not None and self._open_tasks + len(calls) > _MOST_TASKS_OF_CAMPAIGN:
            self._open = None
        key = "gleaner-executor-" + secrets.token_hex(16)
        while True:
            try:
                if self._open is not None:
                    appended = self._grid.append(self._open, parameters, key=key)
                    self._open_tasks = appended.first_task + appended.count
                    return self._open, appended.first_task
                campaign = self._grid.submit(self._jdl, parameters, key=key)
                self._begin(campaign.id, campaign.total_tasks)
                return campaign.id, 0
            except (WrongState, NotFound):
                if self._open is None:
                    raise
                self._open = None  # it was cancelled or removed: these calls begin another one
            except NotPermitted as error:
                if self._open is None or error.code != "too_many_tasks":
                    raise
                self._open = None
            except Unavailable as error:
                if time.monotonic() > deadline or (isinstance(error, ApiError) and error.code == "rule_broken"):
                    raise
                time.sleep(min(1.0, self._patience / 10))

    def _begin(self, campaign: int, tasks: int) -> None:
        self._open, self._open_tasks = campaign, tasks
        with self._condition:
            self._campaigns.append(campaign)
            old, campaigns = self._bell, [*self._sent, campaign]
        bell = self._grid.doorbell(campaigns)
        with self._condition:
            self._bell = bell
        if old is not None:
            old.close()

    def _cancel_tasks(self) -> None:
        with self._condition:
            calls = list(self._to_cancel)
            self._to_cancel.clear()
            numbers: Dict[int, List[int]] = {}
            for call in calls:
                place = self._places.get(call)
                if place is not None and place[1] in self._sent.get(place[0], {}):
                    numbers.setdefault(place[0], []).append(place[1])
        for call in calls:
            call.notify_cancelled()
        for campaign, tasks in numbers.items():
            try:
                self._grid.cancel(campaign, tasks)
            except Unavailable:
                with self._condition:
                    self._to_cancel.update(calls)
                raise
            except ApiError:
                pass  # they are over, or the campaign is
            for task in tasks:
                self._forget(campaign, task)

    def _forget(self, campaign: int, task: int) -> Optional[_Call]:
        with self._condition:
            of_campaign = self._sent.get(campaign, {})
            call = of_campaign.pop(task, None)
            if call is not None:
                self._places.pop(call, None)
            if not of_campaign:
                self._sent.pop(campaign, None)
        return call

    def _look(self) -> None:
        with self._condition:
            campaigns = {campaign: min(of_one) for campaign, of_one in self._sent.items() if of_one}
        for campaign, lowest in campaigns.items():
            try:
                self._look_at(campaign, lowest)
            except NotFound as error:
                self._fail_campaign(campaign, f"the campaign is gone: {error.message}")
            except NotPermitted as error:
                self._fail_campaign(campaign, f"the campaign cannot be read: {error.message}")

    def _look_at(self, campaign: int, lowest: int) -> None:
        state = self._grid.campaign(campaign)
        for task in self._grid.tasks(campaign, states=("done", "failed", "cancelled"), after=lowest - 1):
            with self._condition:
                call = self._sent.get(campaign, {}).get(task.number)
                if call is None or call.is_fetching:
                    continue
                call.is_fetching = True
            self._settled.put(_Settled(campaign, task, call))
        if state.state == "cancelled" and state.tasks.in_flight == 0:
            self._fail_campaign(campaign, "the campaign was cancelled")
        elif state.has_ended or state.tasks.in_flight > 0 or state.tasks.waiting == 0:
            self._vain.pop(campaign, None)
        else:
            self._judge(campaign)

    def _judge(self, campaign: int) -> None:
        """A campaign that cannot go on unless its user acts is not waited for."""
        why, may_pass = self._grid.why_not_ending(campaign)
        if not why or may_pass:
            self._vain.pop(campaign, None)
            return
        self._vain[campaign] = self._vain.get(campaign, 0) + 1
        if self._vain[campaign] >= _VAIN_LOOKS:
            self._fail_campaign(campaign, f"the campaign cannot end: {why}")
        else:
            self._wake()

    def _fail_campaign(self, campaign: int, why: str) -> None:
        if self._open == campaign:
            self._open = None
        with self._condition:
            calls = {task: call for task, call in self._sent.get(campaign, {}).items() if not call.is_fetching}
        for task, call in calls.items():
            self._forget(campaign, task)
            call.fail(CallNotDone(why, campaign, task))

    # --- the fetchers

    def _fetch(self) -> None:
        while True:
            settled = self._settled.get()
            if settled is None:
                return
            try:
                self._conclude(settled)
            except BaseException as error:
                settled.call.fail(CallNotDone(f"the executor failed: {error!r}", settled.campaign, settled.task.number))
                self._forget(settled.campaign, settled.task.number)
            self._wake(urgent=not self._sent or settled.call.trouble_since is not None)

    def _conclude(self, settled: _Settled) -> None:
        campaign, task, call = settled
        try:
            if task.state == "done":
                call.settle(self._result(campaign, task, call))
            else:
                call.fail(self._failure(campaign, task))
        except Unavailable as error:
            return self._try_later(settled, error)
        except ValueError as error:
            call.damaged_reads += 1
            if call.damaged_reads < _READS_OF_A_DAMAGED_RESULT:
                return self._try_later(settled, error)
            call.fail(ResultDamaged(f"it is done, but its result cannot be used: {error}", campaign, task.number, task.exit_code,
                                    self._stderr(campaign, task)))
        except GridError as error:
            call.fail(ResultDamaged(f"it is done, but its result cannot be had: {error}", campaign, task.number, task.exit_code,
                                    self._stderr(campaign, task)))
        self._forget(campaign, task.number)

    def _try_later(self, settled: _Settled, why: Exception) -> None:
        """The next look finds the task again."""
        call = settled.call
        call.trouble_since = call.trouble_since or time.monotonic()
        if time.monotonic() - call.trouble_since > self._patience:
            call.fail(CallNotDone(f"it is {settled.task.state}, but its cluster could not be asked for {self._patience:g} s: {why}",
                                  settled.campaign, settled.task.number))
            self._forget(settled.campaign, settled.task.number)
            return
        call.is_fetching = False

    def _result(self, campaign: int, task: Task, call: _Call) -> Sequence[bytes]:
        """Raises ValueError if it is damaged, and OutputError if it is not there."""
        most = _MOST_BYTES_OF_CHUNK
        name = f"{task.number}.out" if task.attempt == 0 else f"{task.number}.{task.attempt}.out"
        guess = Output(name, None, task.number, task.attempt, "stdout", task.cluster or "", task.state, None, False)
        if call.trouble_since is None:
            try:
                return _results_of(self._grid.read_output(campaign, guess, most=most), call)
            except (OutputError, ValueError):
                pass  # the attempt that did it may be another one: the list says which
        for output in self._grid.outputs(campaign, str(task.number)):
            if output.kind == "stdout":
                return _results_of(self._grid.read_output(campaign, output, most=most), call)
        raise OutputError("it has no stdout")

    def _failure(self, campaign: int, task: Task) -> CallNotDone:
        if task.state == "cancelled":
            return CallNotDone("it was cancelled", campaign, task.number)
        how = f"exit status {task.exit_code}" if task.exit_code is not None else str(task.ending or "no exit status")
        return CallNotDone(f"it failed ({how}{', ' + task.ending if task.ending and task.exit_code is not None else ''})", campaign,
                           task.number, task.exit_code, self._stderr(campaign, task))

    def _stderr(self, campaign: int, task: Task) -> str:
        try:
            return self._grid.tail(campaign, task.number, "stderr")
        except GridError:
            return ""
