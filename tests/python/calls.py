"""The functions that the tests call on the grid: a module that the clusters can import."""
import os
import sys
import time


def square(number):
    return number * number


def note(number, folder):
    """Leaves a file for each time that it is carried out."""
    with open(os.path.join(folder, f"{number}.{os.getpid()}"), "w") as file:
        file.write(str(number))
    print("printed by", number)
    return number


def boom(text):
    raise KeyError(text)


class Odd(Exception):
    def __init__(self, first, second):
        super().__init__("it is odd")


def odd():
    raise Odd(1, 2)


def die(status):
    os._exit(status)


def end_without_a_result():
    """Ends well, and leaves no result."""
    os._exit(0)


def dies_once(folder):
    """The first attempt is killed; the grid runs another one."""
    mark = os.path.join(folder, "died")
    if not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), 9)
    return "second attempt"


def damaged(kind):
    """Writes to where the result is to come, before it comes."""
    target = next(one for one in range(3, 100) if os.path.realpath(f"/proc/self/fd/{one}").endswith(".out"))
    os.write(target, b"gleaner-result 1 0123456789abcdef 3 00\nabc" if kind == "another" else b"noise")
    return "must not be seen"


def many_bytes(number):
    return b"x" * number


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.05)
    return path


def forks(number, folder, status=None):
    """Its child comes out of the call, too."""
    child = os.fork()
    if child == 0:
        if status is not None:
            raise SystemExit(status)
        return "the child's"
    return note(number, folder), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def closes_stdout():
    sys.stdout.close()
    return "closed"


class Silent(Exception):
    def __str__(self):
        raise ValueError("it has no words")


def silent():
    raise Silent()


def not_picklable():
    return lambda: None
