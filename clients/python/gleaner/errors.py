"""The errors of the package. All of them are `GridError`."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from .models import Problem


class GridError(Exception):
    """The base of every error of this package."""


class ConfigurationError(GridError):
    """The grid's address, the token or the configuration file is wrong. Nothing was sent."""


class Unavailable(GridError):
    """The API cannot be reached, or its answer broke off. A request that was not repeatable may have been executed: `OutcomeUnknown`."""


class OutcomeUnknown(Unavailable):
    """A request that changes something was sent, and no answer came: whether it was executed is unknown.

    `key` is the idempotency key of a submission or an append: the same call with `key=` repeats it without doing it twice.
    """

    def __init__(self, message: str, key: Optional[str] = None) -> None:
        super().__init__(message)
        self.key = key


class ApiError(GridError):
    """The API refused a request.

    `code` is for programs (`no_such_campaign`, `wrong_state`…; all of them are in `/openapi.json`), `message` for people, and `problems`
    has the places of what is wrong in a campaign file or in parameters. `body` is the whole answer.
    """

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.body = body
        #: Seconds after which the API wants to be asked again; None: it has not said.
        self.retry_after: Optional[float] = None
        self.code = str(body.get("code", ""))
        self.title = str(body.get("title", ""))
        self.message = str(body.get("message", "")) or f"the API answered {status}"
        self.problems: Sequence[Problem] = tuple(Problem.of(one) for one in body.get("problems") or ())
        super().__init__("\n".join([self.message, *(str(one) for one in self.problems)]))


class InvalidInput(ApiError):
    """The request, its campaign file or its parameters are wrong (400, 413, 415): nothing was done."""


class NotPermitted(ApiError):
    """The caller is unknown, or may not do that (401, 403)."""


class NotFound(ApiError):
    """The campaign, task, file… does not exist (404)."""


class WrongState(ApiError):
    """Not possible in the present state of the campaign, task or event (409, 410, 412)."""


class ServerFailure(ApiError, Unavailable):
    """The API or a cluster behind it cannot answer at present (5xx)."""


class Busy(ServerFailure):
    """Too many requests of the caller are in progress, or came: nothing was done, and the same request may be repeated later."""


class CannotEnd(GridError):
    """The campaigns cannot end unless their user acts. `reasons` has the sentence of each, by the campaign's id."""

    def __init__(self, reasons: Mapping[int, str]) -> None:
        self.reasons = dict(reasons)
        super().__init__("; ".join(f"campaign {one} cannot end: {why}" for one, why in self.reasons.items()))


class WaitTimeout(GridError, TimeoutError):
    """The time limit of `Grid.wait` is over. The campaigns go on."""


class OutputError(GridError):
    """An output could not be fetched whole."""


def refusal(status: int, body: Mapping[str, Any]) -> ApiError:
    """The error for an answer of this status."""
    if status in (400, 413, 415):
        return InvalidInput(status, body)
    if status in (401, 403):
        return NotPermitted(status, body)
    if status == 404:
        return NotFound(status, body)
    if status in (409, 410, 412):
        return WrongState(status, body)
    if status == 429 or (status == 503 and body.get("code") == "busy"):
        return Busy(status, body)
    if status >= 500:
        return ServerFailure(status, body)
    return ApiError(status, body)
