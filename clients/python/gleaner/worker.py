# The program of a task of gleaner.Executor, which is sent with the campaign: it needs python3 on the cluster, and nothing else.
# Its argument is the call. What the call prints goes to stderr; stdout has the result alone, with its length and its SHA-256.
import base64
import hashlib
import os
import pickle
import sys
import traceback
import zlib
from typing import Any, Callable, Dict, Optional, Tuple


def failed(error: BaseException) -> bytes:
    """The exception as it travels: pickled if it can be, and always as text. Its class may be of any kind: each of its methods may raise."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    kind = "%s.%s" % (type(error).__module__, type(error).__qualname__)
    whole: Optional[bytes]
    try:
        whole = pickle.dumps(error, 4)
        pickle.loads(whole)
    except Exception:
        whole = None
    try:
        message = str(error)
    except Exception:
        message = "(its message cannot be read)"
    return pickle.dumps(("error", kind, message, text, whole), 4)


def outcome(function: Callable[..., Any], arguments: Tuple[Tuple[Any, ...], Dict[str, Any]], most: int) -> bytes:
    process = os.getpid()
    try:
        value = function(*arguments[0], **arguments[1])
        end_child(process, None)
        result = pickle.dumps(("value", value), 4)
    except (Exception, SystemExit) as error:
        end_child(process, error)
        return failed(error)
    if len(result) > most:
        return failed(ValueError("the result has %d bytes, and %d may come: write it to a file, and return its path" % (len(result), most)))
    return result


def end_child(process: int, error: Optional[BaseException]) -> None:
    """Ends a process that the call has forked, when it comes out of the call: the result and the further calls are its parent's."""
    if os.getpid() == process:
        return
    status = 0
    if isinstance(error, SystemExit):
        status = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    elif error is not None:
        traceback.print_exception(type(error), error, error.__traceback__)
        status = 1
    flush()
    os._exit(status & 255)


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass  # the call has closed it, or where it goes to is full: the result is another thing


def main() -> None:
    result_to = os.dup(1)
    os.dup2(2, 1)
    call, path, most, pickled = pickle.loads(zlib.decompress(base64.b64decode(sys.argv[1])))
    sys.argv[1:] = []
    sys.path[:0] = path
    try:
        function, calls = pickle.loads(pickled)
    except Exception as error:
        results = [failed(error)]
    else:
        results = [outcome(function, one, most) for one in calls]
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass  # the call has closed it, or what it is written to is full: the result is another thing
    content = zlib.compress(pickle.dumps(results, 4), 1)
    head = "gleaner-result 1 %s %d %s\n" % (call, len(content), hashlib.sha256(content).hexdigest())
    with os.fdopen(result_to, "wb") as file:
        file.write(head.encode())
        file.write(content)


main()
