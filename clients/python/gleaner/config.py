"""Where the grid is: found as the commands find it.

A value is taken from the argument, else from the variable `GLEANER_API`, `GLEANER_TOKEN_FILE`, `GLEANER_API_CA_FILE`,
`GLEANER_CONNECT_TIMEOUT` or `GLEANER_API_TIMEOUT`, else from the configuration file (the one that `GLEANER_CONFIG` names, else
`~/.config/gleaner/gleaner.conf`, else `/etc/gleaner/gleaner.conf`), else it is the default.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field
from typing import Dict, Optional
from urllib.parse import urlsplit

from .errors import ConfigurationError

DEFAULT_API = "unix:/run/gleaner/api.socket"
_KEYS = ("api", "token_file", "api_ca_file", "connect_timeout", "api_timeout")
_UNITS = {"": 1.0, "s": 1.0, "ms": 0.001, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST_SECRET = 1 << 20


@dataclass(frozen=True)
class Config:
    """How the API is reached. Times are in seconds."""

    api: str
    token: str = field(repr=False)
    ca_file: str
    connect_timeout: float
    api_timeout: float

    @property
    def socket(self) -> str:
        """The path of the unix socket; empty: it is an address."""
        return self.api[len("unix:"):] if self.api.startswith("unix:") else ""


def duration(text: str, origin: str) -> float:
    """The seconds of a text such as `3s`, `250ms` or `2h`; a number alone is seconds."""
    match = re.fullmatch(r"([0-9]{1,12})(ms|s|m|h|d|)", text)
    if match is None:
        raise ConfigurationError(f"{origin}: '{text}' is wrong: it must be a duration, such as 250ms, 3s, 5m, 2h")
    return int(match.group(1)) * _UNITS[match.group(2)]


def read_secret(path: str) -> str:
    """The token in a file that nobody else may read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise ConfigurationError(f"the token: {path}: cannot be read: {error.strerror}") from error
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise ConfigurationError(f"the token: {path}: is not a file")
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ConfigurationError(f"the token: {path}: holds a secret that others can read: chmod 600 {path}")
        content = file.read(_LONGEST_SECRET + 1)
    if len(content) > _LONGEST_SECRET:
        raise ConfigurationError(f"the token: {path}: is too long for a secret")
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"the token: {path}: has other bytes than ASCII") from error
    text = text[:-1] if text.endswith("\n") else text
    text = text[:-1] if text.endswith("\r") else text
    if not text:
        raise ConfigurationError(f"the token: {path}: is empty")
    return text


def find_file() -> Optional[str]:
    """The configuration file, or None."""
    named = os.environ.get("GLEANER_CONFIG", "")
    if named:
        path = os.path.expanduser(named)
        if not os.path.exists(path):
            raise ConfigurationError(f"GLEANER_CONFIG: there is no file {path}")
        return path
    for path in (os.path.expanduser("~/.config/gleaner/gleaner.conf"), "/etc/gleaner/gleaner.conf"):
        if os.path.exists(path):
            return path
    return None


def _without_comment(line: str) -> str:
    """A comment begins with a `#` at the beginning or after a blank."""
    match = re.search(r"(^|[ \t])#", line)
    return line[:match.start()] if match else line


def read_file(path: str) -> Dict[str, str]:
    """The keys of a configuration file that are ours. The others belong to the grid's own programs, which check them."""
    values: Dict[str, str] = {}
    places: Dict[str, int] = {}
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for number, line in enumerate(file, 1):
                text = _without_comment(line).strip()
                if not text:
                    continue
                key, equals, value = text.partition("=")
                if not equals:
                    raise ConfigurationError(f"{path}:{number}: '{text}' is not a line 'key = value'")
                key = key.strip()
                if key not in _KEYS:
                    continue
                if key in places:
                    raise ConfigurationError(f"{path}:{number}: '{key}' was given already at {path}:{places[key]}")
                places[key] = number
                values[key] = value.strip()
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    return values


def _is_loopback(api: str) -> bool:
    host = urlsplit(api).hostname or ""
    return host.startswith("127.") or host in ("localhost", "::1")


def load(api: Optional[str] = None, token: Optional[str] = None, token_file: Optional[str] = None, ca_file: Optional[str] = None,
         connect_timeout: Optional[float] = None, api_timeout: Optional[float] = None) -> Config:
    """The configuration, from the arguments, the environment, the file and the defaults, in this order."""
    path = find_file()
    in_file = read_file(path) if path is not None else {}

    def value(key: str, fallback: str) -> str:
        return os.environ.get("GLEANER_" + key.upper(), "") or in_file.get(key) or fallback

    where = api if api is not None else value("api", DEFAULT_API)
    if where.startswith("unix:"):
        if not where[len("unix:"):].startswith("/"):
            raise ConfigurationError(f"api = '{where}' is wrong: the path of a socket is absolute, such as {DEFAULT_API}")
    elif not re.match(r"https?://[^/]", where):
        if where.startswith("/"):
            where = "unix:" + where
        else:
            raise ConfigurationError(f"api = '{where}' is wrong: it must be unix:/path, http://host:port or https://host:port")
    secret = token
    if secret is None:
        file = token_file if token_file is not None else value("token_file", "")
        secret = read_secret(os.path.expanduser(file)) if file else ""
    if not all(33 <= ord(one) <= 126 for one in secret):
        raise ConfigurationError("the token has blanks, control characters or letters other than ASCII")
    if secret and where.startswith("http://") and not _is_loopback(where):
        raise ConfigurationError(f"api = {where}: a token would be read on its way; use https")
    return Config(
        api=where.rstrip("/"), token=secret,
        ca_file=os.path.expanduser(ca_file if ca_file is not None else value("api_ca_file", "")),
        connect_timeout=connect_timeout if connect_timeout is not None else duration(value("connect_timeout", "3s"), "connect_timeout"),
        api_timeout=api_timeout if api_timeout is not None else duration(value("api_timeout", "60s"), "api_timeout"))
