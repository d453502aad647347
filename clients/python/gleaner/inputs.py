"""Input files of a campaign: which files its tasks need, and their upload."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shlex
import stat
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Sequence, Set, Union
from urllib.parse import quote

from .errors import ConfigurationError
from .http_client import HttpClient

Parameter = Union[str, int, float, Sequence[Union[str, int, float]]]
_MOST_FILES = 10_000
_PIECE = 1 << 18


def words_of(parameter: Parameter) -> List[str]:
    """The words of a parameter: those of a list, or of a line as a shell splits it."""
    if isinstance(parameter, str):
        return shlex.split(parameter)
    if isinstance(parameter, (int, float)):
        return [str(parameter)]
    return [str(one) for one in parameter]


def _numbered(pattern: str, names: Sequence[str]) -> str:
    def number(match: "re.Match[str]") -> str:
        word = match.group(1)
        if word.isdigit():
            return match.group(0)
        if word in names:
            return "{%d}" % (list(names).index(word) + 1)
        raise ConfigurationError(f"input_files: '{pattern}': '{{{word}}}' is no word of the parameter")
    return re.sub(r"\{([^{}]*)\}", number, pattern)


def files_needed(jdl: Mapping[str, Any], parameters: Iterable[Parameter], folder: str) -> List[str]:
    """The input files of all tasks, relative to the folder. Raises ConfigurationError that names the task whose file is missing."""
    given = jdl["input_files"]
    patterns = [_numbered(str(one), jdl.get("parameter_names") or ()) for one in ([given] if isinstance(given, str) else given)]
    found: Set[str] = set()
    for task, parameter in enumerate(parameters):
        words = words_of(parameter)
        for pattern in patterns:
            try:
                path = re.sub(r"\{([0-9]+)\}", lambda match: words[int(match.group(1)) - 1], pattern)
            except IndexError:
                raise ConfigurationError(f"task {task}: input_files: '{pattern}': its parameter has {len(words)} words") from None
            if path in found:
                continue
            whole = os.path.join(folder, path)
            if not os.path.isfile(whole) or not os.access(whole, os.R_OK):
                raise ConfigurationError(f"task {task}: its input file {whole} is not there, or cannot be read")
            found.add(path)
            if len(found) > _MOST_FILES:
                raise ConfigurationError(f"its tasks need more than {_MOST_FILES} input files: pack them, or fetch them in a prologue")
    return sorted(found)


def _pieces(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from iter(lambda: file.read(_PIECE), b"")


def _sum_of(path: str) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(path):
        digest.update(piece)
    return digest.hexdigest()


def upload(client: HttpClient, folder: str, paths: Sequence[str]) -> str:
    """Uploads the files that the grid does not have, and their list, whose SHA-256 is the campaign's `input_manifest`."""
    sums: Dict[str, str] = {}
    lines: List[str] = []
    for path in paths:
        whole = os.path.join(folder, path)
        digest = _sum_of(whole)
        sums[digest] = whole
        mode = stat.S_IMODE(os.stat(whole).st_mode) & 0o555 | 0o400
        lines.append(f"{digest} {mode:03o} {path}\n")
    missing = client.ask("/v1/inputs/missing", list(sums)).get("missing", ())
    for digest in missing:
        whole = sums[digest]
        client.put("/v1/inputs/" + quote(str(digest)), functools.partial(_pieces, whole), "application/octet-stream")
    manifest = "".join(lines).encode("utf-8", "surrogateescape")
    digest = hashlib.sha256(manifest).hexdigest()
    client.put("/v1/inputs/" + digest, lambda: manifest, "application/octet-stream")
    return digest
