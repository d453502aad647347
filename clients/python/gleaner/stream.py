"""The stream of changes: `GET /v1/events?after=…`, with resumption."""

from __future__ import annotations

import json
import random
import threading
import time
from typing import Callable, Iterator, List, Optional, Sequence
from urllib.parse import quote

from .errors import ApiError, GridError, Unavailable
from .http_client import Answer, HttpClient
from .models import Change

#: The API takes no more ids in one request; with more, the changes of all campaigns are read.
MOST_CAMPAIGNS = 1000
_SILENCE = 45.0  # the API sends a heartbeat every 15 s
_AFTER_AN_END = 1.0
_NOT_NOW = 30.0
_THERE_IS_NONE = 300.0


def _until_next(was_open: bool, status: int) -> float:
    """How long no stream is asked for again. Short after a stream, without an answer, or when its place is gone."""
    if was_open or status in (0, 410):
        return _AFTER_AN_END
    if status == 429 or status >= 500:
        return _NOT_NOW
    return _THERE_IS_NONE


class ChangeStream:
    """Reads the changes of some campaigns (or of all), and begins again where it was when the stream breaks off.

    An iterator of `Change`. `close()` ends it, from any thread. Where changes are no longer kept (after a day, or a restore of the
    database), `on_gap` is called, and it goes on with those of now: read the campaigns anew then. Without `on_gap`, the iteration raises
    WrongState (`no_longer_kept`).
    """

    def __init__(self, client: HttpClient, campaigns: Sequence[int] = (), after: str = "now",
                 on_open: Optional[Callable[[], None]] = None, on_gap: Optional[Callable[[], None]] = None,
                 on_end: Optional[Callable[[], None]] = None) -> None:
        self._client = client
        self._campaigns = list(campaigns) if len(campaigns) <= MOST_CAMPAIGNS else []
        self._place = after
        self._on_open = on_open
        self._on_gap = on_gap
        self._on_end = on_end
        self._closed = threading.Event()
        self._answer: Optional[Answer] = None
        self._lock = threading.Lock()

    @property
    def place(self) -> str:
        """Where a later stream goes on: the `after` of the next one."""
        return self._place

    def close(self) -> None:
        """Ends the iteration."""
        with self._lock:
            self._closed.set()
            if self._answer is not None:
                self._answer.cut()

    def __enter__(self) -> ChangeStream:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _path(self) -> str:
        path = "/v1/events?after=" + quote(self._place, safe="")
        if self._campaigns:
            path += "&campaign=" + ",".join(str(one) for one in self._campaigns)
        return path

    def __iter__(self) -> Iterator[Change]:
        while not self._closed.is_set():
            was_open, status = False, 0
            try:
                answer = self._client.open(self._path(), accept="text/event-stream", timeout=_SILENCE)
                with answer:
                    with self._lock:
                        self._answer = answer
                        if self._closed.is_set():
                            return
                    if not answer.headers.get("content-type", "").startswith("text/event-stream"):
                        raise Unavailable("the API has no stream of changes")
                    was_open = True
                    if self._on_open is not None:
                        self._on_open()
                    yield from self._messages(answer)
            except ApiError as error:
                status = error.status
                if status == 410:
                    self._place = "now"
                    if self._on_gap is None:
                        raise
                    self._on_gap()
                elif status in (400, 401, 403, 404):
                    raise
            except Unavailable:
                pass
            finally:
                with self._lock:
                    self._answer = None
                if was_open and self._on_end is not None:
                    self._on_end()
            self._closed.wait(_until_next(was_open, status) * random.uniform(1.0, 1.5))

    def _messages(self, answer: Answer) -> Iterator[Change]:
        kind, place = "", ""
        data: List[str] = []
        while not self._closed.is_set():
            line = answer.line()
            if not line.endswith(b"\n"):
                return  # the end, or a line that broke off
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if text.startswith("id:"):
                place = text[3:].strip()
            elif text.startswith("event:"):
                kind = text[6:].strip()
            elif text.startswith("data:"):
                data.append(text[5:].strip())
            elif not text:
                if place:
                    self._place = place
                if data and kind == "end":
                    return
                if data:
                    yield Change(self._place, kind, json.loads("\n".join(data)))
                kind, place, data = "", "", []


class Doorbell:
    """Says when to look again at some campaigns: the changes ring it. Where there is no stream, it rings all the time."""

    def __init__(self, client: HttpClient, campaigns: Sequence[int]) -> None:
        self._condition = threading.Condition()
        self._rung = False
        self._urgent = False
        self._open = False
        self._named = 0 < len(campaigns) <= MOST_CAMPAIGNS
        self._stream = ChangeStream(client, campaigns, on_open=self._opened, on_gap=self._opened, on_end=self._ended)
        self._thread = threading.Thread(target=self._run, name="gleaner-changes", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for change in self._stream:
                self.ring(urgent=change.kind == "campaign" and self._named)
        except GridError:
            pass
        finally:
            self._ended()

    def _opened(self) -> None:
        """What changed before the stream began is not sent."""
        with self._condition:
            self._open = True
        self.ring(urgent=True)

    def _ended(self) -> None:
        with self._condition:
            self._open = False

    def ring(self, urgent: bool = False) -> None:
        """Something changed."""
        with self._condition:
            self._rung = True
            self._urgent = self._urgent or urgent
            self._condition.notify_all()

    def wait(self, least: float, most: float) -> None:
        """Waits for a change: `least` seconds or longer, unless a campaign enters another state; `most` seconds, if there is a stream."""
        begun = time.monotonic()
        with self._condition:
            while not self._urgent:
                limit = max(least, most) if self._open and not self._rung else least
                left = begun + limit - time.monotonic()
                if left <= 0:
                    break
                self._condition.wait(min(left, 1.0))
            self._rung = self._urgent = False

    def close(self) -> None:
        """Ends the stream."""
        self._stream.close()
        self._thread.join(2.0)
