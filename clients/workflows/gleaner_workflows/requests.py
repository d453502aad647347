"""What an engine asks of a job: the options of oarsub, and the `#OAR` lines of a script."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, field
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Tuple


class WrongRequest(Exception):
    """An option or a script cannot be understood: nothing was submitted."""


#: Long name: (short name, whether it has a value).
_OPTIONS: Dict[str, Tuple[str, bool]] = {
    "scanscript": ("S", False), "resource": ("l", True), "property": ("p", True), "name": ("n", True), "directory": ("d", True),
    "stdout": ("O", True), "stderr": ("E", True), "queue": ("q", True), "type": ("t", True), "project": ("", True), "clusters": ("", True),
}
_MOST_SCRIPT_BYTES = 4 << 20


@dataclass
class JobRequest:
    """One job as it was asked for. Empty texts: not asked."""

    command: str = ""
    directory: str = ""
    name: str = ""
    stdout: str = ""
    stderr: str = ""
    queue: str = ""
    project: str = ""
    resources: str = ""
    walltime: str = ""
    memory_mb: int = 0
    properties: List[str] = field(default_factory=list)
    types: List[str] = field(default_factory=list)
    clusters: List[str] = field(default_factory=list)
    script: bytes = b""  # what the command is, besides its text: another content is another job

    def jdl(self) -> Dict[str, Any]:
        """The keys of a campaign file that the job shares with others."""
        keys: Dict[str, Any] = {}
        if self.resources:
            keys["resources"] = self.resources
        if self.walltime:
            keys["walltime"] = self.walltime
        if self.memory_mb:
            keys["memory_mb"] = self.memory_mb
        if self.properties:
            keys["properties"] = " AND ".join(f"({one})" for one in self.properties) if len(self.properties) > 1 else self.properties[0]
        if self.project:
            keys["project"] = self.project
        if self.types:
            keys["cluster_job_type"] = self.types
        return keys


def _wrong(origin: str, message: str) -> NoReturn:
    raise WrongRequest(f"{origin}: {message}")


def read_walltime(text: str, origin: str) -> str:
    """OAR's walltime (hours, h:m or h:m:s) as h:m:s."""
    if not re.fullmatch(r"[0-9]{1,5}(:[0-9]{1,2}){0,2}", text):
        _wrong(origin, f"'{text}' is no walltime; write h:m:s, h:m or hours")
    parts = [int(one) for one in text.split(":")] + [0, 0]
    if parts[1] > 59 or parts[2] > 59:
        _wrong(origin, f"'{text}' is no walltime: minutes and seconds go to 59")
    return f"{parts[0]}:{parts[1]:02}:{parts[2]:02}"


def _read_resource(text: str, request: JobRequest, origin: str) -> None:
    """`/nodes=1/core=4,walltime=1:00:00`, or a part of it."""
    resources, walltime = text, ""
    match = re.fullmatch(r"(?:(.*),)?walltime=([^,]*)", text.strip())
    if match:
        resources, walltime = match.group(1) or "", match.group(2)
    if re.search(r"\bwalltime=", resources):
        _wrong(origin, f"-l '{text}': the walltime comes last, once")
    resources = resources.strip()
    if (resources and request.resources) or (walltime and request.walltime):
        _wrong(origin, f"-l '{text}': there is one -l already; a request has no alternatives here")
    if resources:
        request.resources = resources if resources[0] in "/{" else "/" + resources
    if walltime:
        request.walltime = read_walltime(walltime, f"{origin}: -l '{text}'")


def _take(name: str, value: str, request: JobRequest, origin: str) -> None:
    if name == "resource":
        _read_resource(value, request, origin)
    elif name == "property":
        request.properties.append(value)
    elif name == "type":
        request.types.append(value)
    elif name == "clusters":
        request.clusters = [one.strip() for one in value.split(",") if one.strip()]
        if not request.clusters:
            _wrong(origin, "--clusters has no name")
    else:
        setattr(request, name, value)


def read_options(words: Sequence[str], request: JobRequest, origin: str) -> Tuple[bool, List[str]]:
    """Reads options into the request. Returns whether a script is to be scanned, and the words of the command."""
    by_short = {short: name for name, (short, _) in _OPTIONS.items() if short}
    is_script = False
    place = 0
    while place < len(words) and words[place].startswith("-") and words[place] != "-":
        word = words[place]
        place += 1
        if word == "--":
            break
        value: Optional[str] = None
        if word.startswith("--"):
            name, equals, after = word[2:].partition("=")
            value = after if equals else None
            if name not in _OPTIONS:
                known = [one for one in _OPTIONS if one.startswith(name)]
                if len(known) != 1:
                    _wrong(origin, f"there is no option '--{name}' here; there are {', '.join('--' + one for one in _OPTIONS)}")
                name = known[0]
        else:
            if word[1] not in by_short:
                _wrong(origin, f"there is no option '-{word[1]}' here; there are {', '.join('-' + one for one in by_short)}")
            name = by_short[word[1]]
            rest = word[2:]
            if rest and _OPTIONS[name][1]:
                value = rest
            elif rest:
                words = [*words[:place], "-" + rest, *words[place:]]
        if not _OPTIONS[name][1]:
            if value is not None:
                _wrong(origin, f"--{name} has no value")
            is_script = True
            continue
        if value is None:
            if place >= len(words):
                _wrong(origin, f"'{word}' needs a value")
            value = words[place]
            place += 1
        _take(name, value, request, origin)
    return is_script, list(words[place:])


def read_script(path: str) -> bytes:
    """The content of a script. Raises WrongRequest unless it is a file of a sensible size."""
    try:
        if not os.path.isfile(path):
            raise WrongRequest(f"the script {path} is not there, or no file")
        with open(path, "rb") as file:
            content = file.read(_MOST_SCRIPT_BYTES + 1)
    except OSError as error:
        raise WrongRequest(f"the script {path} cannot be read: {error.strerror}") from error
    if len(content) > _MOST_SCRIPT_BYTES:
        raise WrongRequest(f"the script {path} has more than {_MOST_SCRIPT_BYTES >> 20} MB")
    return content


_QUOTED = r"""'[^']*'|"(?:[^"\\]|\\.)*\""""
_ESCAPED_BY_NEXTFLOW = r"""\\(['" ()\\!&|<>`:;])"""


def _unquoted(word: str) -> str:
    if re.fullmatch(_QUOTED, word) is None:
        return word
    return word[1:-1] if word[0] == "'" else re.sub(_ESCAPED_BY_NEXTFLOW, r"\1", word[1:-1])


def read_line(text: str, request: JobRequest, origin: str) -> None:
    """Reads what comes after `#OAR`. OAR knows one option a line, whose value is the rest as it stands: `-p switch = 'sw3' or switch = 'sw5'`,
    `-l {gpu='YES'}/core=1`. Quotes around a whole value are not part of it, and what has none inside may have several options."""
    words = re.findall(rf"(?:{_QUOTED})(?=\s|$)|\S+", text)
    is_plain = not any(quote in word for word in words for quote in "'\"" if re.fullmatch(_QUOTED, word) is None)
    match = re.fullmatch(r"(--[^\s=]+)(?:=|\s+)(.+)|(-[^-])\s*(.+)", text)
    words = [_unquoted(one) for one in words]
    if match is not None and len(words) != 2 and not (is_plain and not read_options(words, JobRequest(), origin)[1]):
        words = [match.group(1) or match.group(3), _unquoted(match.group(2) or match.group(4))]
    if read_options(words, request, origin)[1]:
        _wrong(origin, f"'#OAR {text}' has more than options")


def _absolute(path: str, folder: str) -> str:
    return os.path.normpath(os.path.join(folder, path)) if path else ""


def oarsub_request(words: Sequence[str], present: str) -> JobRequest:
    """The job of `oarsub OPTION... COMMAND`, called in the folder `present`. With -S, the `#OAR` lines of the script count too, and the
    command line goes before them."""
    of_line = JobRequest()
    is_script, command = read_options(words, of_line, "oarsub")
    if not command:
        raise WrongRequest("oarsub: a command is needed; there is no interactive mode here")
    text = command[0] if len(command) == 1 else " ".join(shlex.quote(one) for one in command)
    request = JobRequest()
    program = text
    if is_script:
        try:
            program = shlex.split(text)[0]
        except (ValueError, IndexError):
            raise WrongRequest(f"oarsub: -S: '{text}' is no script with its arguments") from None
        request.script = read_script(_absolute(program, present))
        for number, line in enumerate(request.script.decode("utf-8", "replace").split("\n"), 1):
            if re.match(r"#OAR\s", line):
                read_line(line[len("#OAR"):].strip(), request, f"{program}:{number}")
    for name in ("directory", "name", "stdout", "stderr", "queue", "project", "resources", "walltime", "properties", "types", "clusters"):
        value = getattr(of_line, name)
        if value:
            setattr(request, name, value)
    request.command = text
    request.directory = _absolute(request.directory or present, present)
    if is_script and not program.startswith("/"):
        request.command = shlex.quote(_absolute(program, present)) + text[len(program):] if text.startswith(program) else text
    request.stdout = _absolute(request.stdout, request.directory)
    request.stderr = _absolute(request.stderr, request.directory)
    for value in (request.stdout, request.stderr):
        if "%jobid%" in value:
            raise WrongRequest(f"oarsub: '{value}': %jobid% is not known here before the job is submitted: name the file otherwise")
    request.name = request.name or os.path.basename(program.split()[0] if program.split() else program)
    for value in (request.command, request.directory, request.name, request.stdout, request.stderr):
        if "\0" in value or "\n" in value:
            raise WrongRequest(f"oarsub: {value!r} has a line break")
    return request
