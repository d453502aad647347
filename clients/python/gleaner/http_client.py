"""Requests to the API, over its unix socket, HTTP or HTTPS."""

from __future__ import annotations

import http.client
import json
import os
import random
import select
import socket
import ssl
import threading
import time
import weakref
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Union
from urllib.parse import urlsplit

from .config import Config
from .errors import ApiError, Busy, OutcomeUnknown, Unavailable, refusal

#: The server sends nothing while it writes a submission's tasks, or while a cluster reads a large file.
LONGEST_SILENCE = 300.0
_MOST_BYTES = 256 << 20
_READ_ATTEMPTS = 4
_KEYED_ATTEMPTS = 6
_LONGEST_PAUSE = 30.0
_MOST_IDLE = 8

#: Makes the body of a request, anew for each attempt.
Body = Callable[[], Union[bytes, Iterator[bytes]]]


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.sock.settimeout(self.timeout)
            self.sock.connect(self._path)
        except BaseException:
            self.sock.close()
            raise


class _Lost(Exception):
    """The connection or the answer was lost; `sent`: the request may have been executed."""

    def __init__(self, what: str, sent: bool) -> None:
        super().__init__(what)
        self.sent = sent


class _BodyFailed(Exception):
    """The caller's parameters or file could not be read; the cause is the exception."""


def _guarded(body: Iterator[bytes]) -> Iterator[bytes]:
    try:
        for part in body:
            if part:
                yield part
    except Exception as error:
        raise _BodyFailed() from error


class Answer:
    """An answer whose body is yet to be read."""

    def __init__(self, connection: http.client.HTTPConnection, socket_: Optional[socket.socket], response: http.client.HTTPResponse,
                 give_back: Callable[[], None]) -> None:
        self._connection = connection
        self._socket = socket_
        self._response = response
        self._give_back = give_back
        self.status = response.status
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.getheaders()}

    def read(self, size: int = 1 << 16) -> bytes:
        """The next bytes; none at the end. Raises Unavailable if the answer breaks off."""
        try:
            part = self._response.read(size)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unavailable(f"the API's answer broke off: {_text_of(error)}") from error
        if not part and self._response.length:  # http.client holds that for the end, too
            raise Unavailable(f"the API's answer broke off: {self._response.length} bytes are missing")
        return part

    def line(self) -> bytes:
        """The next line with its end; none at the end of the answer."""
        try:
            return self._response.readline(1 << 20)
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            raise Unavailable(f"the API's answer broke off: {_text_of(error)}") from error

    def rest(self) -> bytes:
        """All that is left, 256 MB at most."""
        parts: List[bytes] = []
        size = 0
        for part in iter(self.read, b""):
            size += len(part)
            if size > _MOST_BYTES:
                self.close()
                raise Unavailable(f"the API's answer is longer than {_MOST_BYTES >> 20} MB")
            parts.append(part)
        return b"".join(parts)

    def finish(self) -> None:
        """Leaves the connection for the next request, if the answer was read whole; else closes it."""
        if self._response.isclosed() and not self._response.will_close:
            self._give_back()
        else:
            self.close()

    def cut(self) -> None:
        """Ends the answer, from any thread."""
        if self._socket is not None:
            try:
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self) -> None:
        """Closes the connection."""
        self._response.close()
        self._connection.close()

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


def _has_bytes(connection: http.client.HTTPConnection) -> bool:
    """Whether an idle connection was closed by the other end, or has bytes that no request of ours asked for: the next answer on it would
    be another request's."""
    if connection.sock is None:
        return True
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return bool(poll.poll(0))


def _text_of(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


class HttpClient:
    """Sends requests, and repeats those that may be repeated. May be used by several threads at a time."""

    def __init__(self, config: Config, user_agent: str) -> None:
        self.config = config
        self._agent = user_agent
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        _clients.add(self)
        self._tls: Optional[ssl.SSLContext] = None
        self._host, self._port, self._base, scheme = "localhost", None, "", "http"
        if not config.socket:
            parts = urlsplit(config.api)
            self._host, self._port, self._base, scheme = parts.hostname or "", parts.port, parts.path.rstrip("/"), parts.scheme
        if scheme == "https":
            try:
                self._tls = ssl.create_default_context(cafile=config.ca_file or None)
            except (OSError, ssl.SSLError) as error:
                raise self._unreachable(f"api_ca_file {config.ca_file}: {_text_of(error)}") from error

    def forget_connections(self) -> None:
        """In a process that was forked: the connections are the parent's. On one that both read, each would get answers to the other. The
        lock may be held by a thread that is not there."""
        self._lock = threading.Lock()
        self.close()

    def close(self) -> None:
        """Closes the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _unreachable(self, why: str) -> Unavailable:
        return Unavailable(f"the API cannot be reached at {self.config.api}: {why}. Is gridapi running, and is this its address "
                           "(GLEANER_API, or `api` in the configuration)?")

    def _connect(self) -> http.client.HTTPConnection:
        timeout = self.config.connect_timeout
        connection: http.client.HTTPConnection
        if self.config.socket:
            connection = _UnixConnection(self.config.socket, timeout)
        elif self._tls is not None:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        try:
            connection.connect()
        except OSError as error:
            raise self._unreachable(_text_of(error)) from error
        return connection

    def _idle_connection(self) -> Optional[http.client.HTTPConnection]:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection = self._idle.pop()
            if not _has_bytes(connection):
                return connection
            connection.close()

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def _headers(self, more: Mapping[str, str]) -> Dict[str, str]:
        headers = {"User-Agent": self._agent, "Accept": "application/json"}
        if self.config.token:
            headers["Authorization"] = "Bearer " + self.config.token
        headers.update(more)
        return headers

    def send(self, method: str, path: str, *, body: Optional[Body] = None, headers: Mapping[str, str] = {},
             timeout: Optional[float] = None, fresh: bool = False) -> Answer:
        """One attempt. An idle connection that the server has closed in the meantime is replaced, unless `fresh` wants none.
        Raises Unavailable if nothing was sent, and _Lost if that is unknown."""
        limit = timeout if timeout is not None else self.config.api_timeout
        kept = None if fresh or body is not None else self._idle_connection()
        if kept is not None:
            try:
                return self._send_on(kept, method, path, None, headers, limit)
            except _Lost:
                pass
        return self._send_on(self._connect(), method, path, body() if body is not None else None, headers, limit)

    def _send_on(self, connection: http.client.HTTPConnection, method: str, path: str, body: Union[bytes, Iterator[bytes], None],
                 headers: Mapping[str, str], limit: float) -> Answer:
        broken: Optional[OSError] = None
        try:
            if connection.sock is not None:
                connection.sock.settimeout(limit)
            more = self._headers(headers)
            if body is not None and not isinstance(body, bytes):
                more["Transfer-Encoding"] = "chunked"
                connection.request(method, self._base + path, body=_guarded(body), headers=more, encode_chunked=True)
            else:
                if body is None and method in ("POST", "PUT"):
                    more["Content-Length"] = "0"
                connection.request(method, self._base + path, body=body, headers=more)
        except (BrokenPipeError, ConnectionResetError) as error:
            broken = error  # the API may answer, and close, before it has taken the whole body
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise _Lost(_text_of(error), sent=True) from error
        except _BodyFailed as failed:
            connection.close()
            raise failed.__cause__ or failed
        except BaseException:
            connection.close()
            raise
        opened = connection.sock  # which the connection forgets where the answer is its last one
        try:
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise _Lost(_text_of(broken or error), sent=True) from error
        except BaseException:
            connection.close()
            raise
        return Answer(connection, opened, response, lambda: self._keep(connection))

    # --- whole answers

    def _json_of(self, answer: Answer) -> Any:
        is_success = 200 <= answer.status < 300
        try:
            with_end = answer.rest()
            parsed = json.loads(with_end) if with_end else {}
        except (Unavailable, ValueError) as broken:
            answer.close()
            if is_success:  # it was executed, and what became of it is not known
                what = str(broken) if isinstance(broken, Unavailable) else f"an answer with status {answer.status} is no JSON"
                raise _Lost(what, sent=True) from broken
            parsed = {}
        else:
            answer.finish()
        if is_success:
            return parsed
        error = refusal(answer.status, parsed if isinstance(parsed, dict) else {})
        after = answer.headers.get("retry-after", "")
        error.retry_after = float(after) if after.isascii() and after.isdigit() and len(after) < 6 else None
        raise error

    def get(self, path: str) -> Any:
        """A GET. Repeated if the answer breaks off, or the API says that it is too busy at present."""
        return self._repeated("GET", path, _READ_ATTEMPTS, None, {})

    def put(self, path: str, body: Body, content_type: str) -> Any:
        """A PUT, which is repeated like a GET: it makes the same of the same."""
        return self._repeated("PUT", path, _READ_ATTEMPTS, body, {"Content-Type": content_type})

    def ask(self, path: str, body: Any) -> Any:
        """A POST of JSON that changes nothing, or changes nothing more the second time. Repeated like a GET."""
        text = json.dumps(body).encode()
        return self._repeated("POST", path, _READ_ATTEMPTS, lambda: text, {"Content-Type": "application/json"})

    def post_keyed(self, path: str, body: Optional[Body], content_type: str, key: str) -> Any:
        """A POST with an idempotency key: repeated until its answer comes. Raises OutcomeUnknown if none does."""
        headers = {"Idempotency-Key": key}
        if body is not None:
            headers["Content-Type"] = content_type
        return self._repeated("POST", path, _KEYED_ATTEMPTS, body, headers, key=key)

    def change(self, method: str, path: str) -> Any:
        """A POST or DELETE that is not repeated, once it may have been executed."""
        for attempt in range(1, _KEYED_ATTEMPTS + 1):
            try:
                return self._json_of(self.send(method, path, fresh=True))
            except _Lost as lost:
                raise OutcomeUnknown(f"{method} {path}: no answer came ({lost}): whether it was executed is unknown") from lost
            except Busy as busy:
                if attempt == _KEYED_ATTEMPTS:
                    raise
                time.sleep(_pause(attempt, busy))

    def _repeated(self, method: str, path: str, attempts: int, body: Optional[Body], headers: Mapping[str, str],
                  key: Optional[str] = None) -> Any:
        silence = LONGEST_SILENCE if body is not None else None
        was_sent = False
        failure: Exception = Unavailable("no attempt was made")
        for attempt in range(attempts):
            if attempt > 0:
                time.sleep(_pause(attempt, failure))
            try:
                return self._json_of(self.send(method, path, body=body, headers=headers, timeout=silence, fresh=key is not None))
            except _Lost as lost:
                was_sent = was_sent or lost.sent
                failure = lost
            except ApiError as error:
                if error.status not in (429, 500, 502, 503, 504) or error.code == "rule_broken" or (error.status == 502 and key is None):
                    raise
                was_sent = was_sent or error.status not in (429, 503)
                failure = error
            except Unavailable as error:
                if key is not None and not was_sent:
                    raise
                failure = error
        if key is not None and was_sent:
            raise OutcomeUnknown(f"whether it was done is unknown: {failure}. The same call with key='{key}' does it once", key) from failure
        if isinstance(failure, _Lost):
            raise self._unreachable(str(failure)) from failure
        raise failure

    def open(self, path: str, *, accept: str = "application/json", timeout: Optional[float] = None) -> Answer:
        """A GET whose body the caller reads. Raises ApiError unless its status is 200."""
        try:
            answer = self.send("GET", path, headers={"Accept": accept}, timeout=timeout or LONGEST_SILENCE, fresh=True)
        except _Lost as lost:
            raise self._unreachable(str(lost)) from lost
        if answer.status != 200:
            try:
                self._json_of(answer)
            except _Lost as lost:
                raise self._unreachable(str(lost)) from lost
            raise Unavailable(f"the API answered {answer.status} where a body was expected")
        return answer


def _pause(attempt: int, failure: Exception) -> float:
    wanted = failure.retry_after if isinstance(failure, ApiError) and failure.retry_after is not None else 0.0
    return min(max(0.25 * 2.0 ** (attempt - 1), wanted), _LONGEST_PAUSE) * random.uniform(1.0, 1.5)


_clients: weakref.WeakSet[HttpClient] = weakref.WeakSet()


def _after_fork() -> None:
    for one in list(_clients):
        one.forget_connections()


os.register_at_fork(after_in_child=_after_fork)
