"""The package without a grid: configuration, requests, what it makes of answers."""
import http.server
import json
import os
import shlex
import shutil
import socket
import subprocess
import threading
import time
import unittest
import unittest.mock

from base import ROOT, WORKFLOWS, Case

import gleaner
from gleaner import config
from gleaner.grid import local_path, ranges
from gleaner.models import Output
from gleaner_workflows import gatherer
from gleaner_workflows.oar import state_of
from gleaner_workflows.requests import WrongRequest, oarsub_request
from gleaner_workflows.snakemake import submission


class Configuration(Case):
    def setUp(self):
        super().setUp()
        for name in [one for one in os.environ if one.startswith("GLEANER_")]:
            del os.environ[name]
        os.environ["HOME"] = self.folder

    def test_without_anything_it_is_the_default_of_the_commands(self):
        if os.path.exists("/etc/gleaner/gleaner.conf"):
            self.skipTest("this machine has a configuration")
        self.assertEqual(config.load().api, "unix:/run/gleaner/api.socket")

    def test_an_argument_goes_before_a_variable_before_the_file(self):
        self.write(".config/gleaner/gleaner.conf", "# a grid\napi = https://file:1 # here\nconnect_timeout = 250ms\nflood = 0.2\n")
        self.assertEqual((config.load().api, config.load().connect_timeout), ("https://file:1", 0.25))
        os.environ["GLEANER_API"] = "https://variable:2"
        self.assertEqual(config.load().api, "https://variable:2")
        self.assertEqual(config.load("unix:/a").socket, "/a")
        self.assertEqual(config.load("/a/b").socket, "/a/b")

    def test_a_file_that_gleaner_config_names_must_be_there(self):
        os.environ["GLEANER_CONFIG"] = self.path("none.conf")
        with self.assertRaisesRegex(gleaner.ConfigurationError, "GLEANER_CONFIG: there is no file"):
            config.load()

    def test_wrong_lines_and_values_are_named_with_their_place(self):
        for text, said in (("api\n", ":1: 'api' is not a line"), ("api = unix:/a\n\napi = unix:/b\n", ":3: 'api' was given already at"),
                           ("api = grid\n", "it must be unix:/path"), ("api_timeout = soon\n", "it must be a duration")):
            os.environ["GLEANER_CONFIG"] = self.write("wrong.conf", text)
            with self.assertRaisesRegex(gleaner.ConfigurationError, said, msg=text):
                config.load()

    def test_a_token_that_others_can_read_or_that_would_travel_in_clear_is_refused(self):
        token = self.write("token", "secret\n", 0o644)
        with self.assertRaisesRegex(gleaner.ConfigurationError, "chmod 600"):
            config.load("https://grid:1", token_file=token)
        os.chmod(token, 0o600)
        self.assertEqual(config.load("https://grid:1", token_file=token).token, "secret")
        with self.assertRaisesRegex(gleaner.ConfigurationError, "use https"):
            config.load("http://grid:1", token_file=token)
        self.assertEqual(config.load("http://127.0.0.1:1", token_file=token).token, "secret")
        with self.assertRaisesRegex(gleaner.ConfigurationError, "control characters"):
            config.load("https://grid:1", token="a\r\nX-Other: b")


class Names(unittest.TestCase):
    def test_numbers_become_ranges(self):
        self.assertEqual(ranges([11, 7, 9, 10, 9]), ["7", "9-11"])
        self.assertEqual(ranges([]), [])
        self.assertEqual(ranges([0]), ["0"])

    def test_an_output_stays_in_its_folder_whatever_its_name(self):
        def output(name, path=None, kind="file", task=7, attempt=0):
            return local_path(Output(name, path, task, attempt, kind, "alpha", "done", 1, False))
        self.assertEqual(output("7.out", kind="stdout"), "7.out")
        self.assertEqual(output("5123.1.out", kind="stdout", task=5123, attempt=1), "5000/5123.1.out")
        self.assertEqual(output("7.file.plots%2F7%2Fa.svg"), "7/plots/7/a.svg")
        self.assertEqual(output("7.file.%2E%2E%2F..%2Fetc"), "7/%2E%2E/%2E%2E/etc")
        self.assertEqual(output("7.long.3", path="%2Fa%0Ab"), "7/a%0Ab")


class LostAnswers(Case):
    """Against a server that answers as it is told."""

    def setUp(self):
        super().setUp()
        case = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self):
                body = b""
                if self.headers.get("Transfer-Encoding") == "chunked":
                    while True:
                        size = int(self.rfile.readline() or b"0", 16)  # b"": who asks has broken off
                        body += self.rfile.read(size + 2)[:size]
                        if size == 0:
                            break
                case.seen.append((self.command, self.path, self.headers.get("Idempotency-Key"), body))
                answer = case.answers.pop(0) if case.answers else (404, {"code": "no_such_path", "message": "none"}, {})
                if answer is None:
                    self.close_connection = True
                    return
                status, reply, headers, *late = answer
                text = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(text)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(text)
                    for one in late:
                        time.sleep(0.05)
                        self.wfile.write(one)
                        case.is_late.set()
                except OSError:
                    pass  # who asked has broken off

            do_GET = do_POST = do_DELETE = do_PUT = do

            def log_message(self, *unused):
                pass
        self.seen, self.answers, self.is_late = [], [], threading.Event()
        pause = unittest.mock.patch("gleaner.http_client._pause", lambda attempt, failure: 0.01)
        pause.start()
        self.addCleanup(pause.stop)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.handle_error = lambda *unused: None  # who asked has broken off
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.grid = gleaner.Grid(f"http://127.0.0.1:{server.server_port}", token="t")
        self.addCleanup(self.grid.close)

    CAMPAIGN = {"id": 3, "name": "n", "user": "u", "type": "default", "state": "in_treatment", "has_events": False, "total_tasks": 2,
                "tasks": {}, "submission_time": None, "first_start_time": None, "end_time": None, "forecast_end": None}

    def test_a_submission_is_repeated_with_its_key_and_the_same_body_though_its_iterable_is_read_once(self):
        self.answers = [None, (503, {"code": "unavailable", "message": "away"}, {"Retry-After": "0"}), (201, self.CAMPAIGN, {})]
        self.assertEqual(self.grid.submit({"name": "n"}, (str(one) for one in range(2))).id, 3)
        self.assertEqual(len(self.seen), 3)
        self.assertEqual(len({(key, body) for _, _, key, body in self.seen}), 1)
        self.assertEqual(self.seen[0][3].splitlines()[1:], [b'"0"', b'"1"'])

    def test_without_any_answer_the_error_has_the_key(self):
        self.answers = [None] * 6
        with self.assertRaises(gleaner.OutcomeUnknown) as raised:
            self.grid.append(3, ["1"])
        self.assertEqual(raised.exception.key, self.seen[0][2])
        self.assertEqual(len(self.seen), 6)

    def test_an_error_of_the_callers_iterable_is_the_callers(self):
        def parameters():
            yield "1"
            raise OSError("the disk")
        with self.assertRaisesRegex(OSError, "the disk"):
            self.grid.submit({"name": "n"}, parameters())

    def test_a_cancellation_is_sent_once(self):
        self.answers = [None]
        with self.assertRaises(gleaner.OutcomeUnknown):
            self.grid.cancel(3)
        self.assertEqual(len(self.seen), 1)

    def test_a_read_is_repeated(self):
        self.answers = [None, None, (200, self.CAMPAIGN, {})]
        self.assertEqual(self.grid.campaign(3).id, 3)

    def test_a_refusal_is_not_repeated_and_has_the_code_the_message_and_the_problems(self):
        problem = {"line": 2, "column": 5, "path": "walltime", "value": "x", "message": "'x' is not a walltime"}
        self.answers = [(400, {"code": "bad_input", "title": "Bad", "message": "1 problem", "problems": [problem]}, {})]
        with self.assertRaises(gleaner.InvalidInput) as raised:
            self.grid.submit({"name": "n"}, ["1"])
        self.assertEqual(len(self.seen), 1)
        self.assertEqual((raised.exception.code, raised.exception.problems[0].line), ("bad_input", 2))
        self.assertIn("2:5: walltime: 'x' is not a walltime", str(raised.exception))

    def test_changes_that_are_no_longer_kept_are_not_left_out_without_a_word(self):
        gone = (410, {"code": "no_longer_kept", "message": "gone"}, {})
        self.answers = [gone]
        with self.grid.changes([3], after="1-1") as changes, self.assertRaises(gleaner.WrongState):
            next(iter(changes))
        gaps = []
        self.answers = [gone]
        with self.grid.changes([3], after="1-1", on_gap=lambda: (gaps.append(1), changes.close())) as changes:
            self.assertEqual(list(changes), [])
        self.assertEqual((gaps, changes.place), ([1], "now"))

    def test_a_broken_admission_rule_is_not_asked_again(self):
        self.answers = [(500, {"code": "rule_broken", "message": "rule"}, {})]
        with self.assertRaises(gleaner.ServerFailure):
            self.grid.submit({"name": "n"}, ["1"])
        self.assertEqual(len(self.seen), 1)

    def test_an_answer_that_comes_in_part_or_is_not_the_apis_is_none(self):
        whole = json.dumps(self.CAMPAIGN).encode()
        wrong = [(201, whole[:-9], {"Content-Length": str(len(whole)), "Connection": "close"}), (200, b"<html>Log in</html>", {})]
        self.answers = [*wrong, (201, self.CAMPAIGN, {})]
        self.assertEqual(self.grid.submit({"name": "n"}, ["1"]).id, 3)
        self.assertEqual(len({key for _, _, key, _ in self.seen}), 1)
        self.answers = [*wrong, (200, self.CAMPAIGN, {})]
        self.assertEqual(self.grid.campaign(3).id, 3)
        for one in wrong:
            self.seen, self.answers = [], [one]
            with self.assertRaises(gleaner.OutcomeUnknown):
                self.grid.cancel(3)
            self.assertEqual(len(self.seen), 1)
            self.answers = [one] * 6
            with self.assertRaises(gleaner.OutcomeUnknown) as raised:
                self.grid.submit({"name": "n"}, ["1"])
            self.assertEqual(raised.exception.key, self.seen[-1][2])

    def test_an_output_of_unknown_size_that_breaks_off_is_continued_and_not_held_for_whole(self):
        output = gleaner.Output("0.out", None, 0, 0, "stdout", "alpha", "done", None, False)
        self.answers = [(200, b"abc", {"Content-Length": "6", "Connection": "close"}), (200, b"def", {})]
        self.assertEqual(self.grid.read_output(3, output), b"abcdef")
        self.assertEqual([path.split("?")[1] for _, path, _, _ in self.seen], ["offset=0", "offset=3"])

    def test_an_api_that_is_too_busy_has_done_nothing_and_is_asked_again(self):
        for status, code in ((429, ""), (503, "busy")):
            busy = (status, {"code": code, "message": "32 requests"}, {"Retry-After": "0"})
            self.answers = [busy, busy, (200, {"message": "cancelled"}, {})]
            self.assertEqual(self.grid.cancel(3).message, "cancelled")
            self.answers = [busy, (200, self.CAMPAIGN, {})]
            self.assertEqual(self.grid.campaign(3).id, 3)
            self.answers = [busy] * 6
            with self.assertRaises(gleaner.Busy):
                self.grid.append(3, ["1"])

    def test_bytes_that_nobody_asked_for_are_no_answer_to_the_next_request(self):
        stale = json.dumps({**self.CAMPAIGN, "id": 99}).encode()
        more = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(stale), stale)
        self.answers = [(200, self.CAMPAIGN, {}, more), (200, {**self.CAMPAIGN, "id": 4}, {})]
        self.assertEqual(self.grid.campaign(3).id, 3)
        self.is_late.wait()
        self.assertEqual(self.grid.campaign(4).id, 4)

    def test_a_forked_process_reads_no_answer_of_its_parent(self):
        self.answers = [(200, self.CAMPAIGN, {}) for _ in range(3)]
        self.grid.campaign(3)
        [parents] = self.grid._client._idle
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                found = self.grid.campaign(3).id
                os.write(write, b"own" if found == 3 and parents not in self.grid._client._idle else b"the parent's")
            finally:
                os._exit(0)
        os.close(write)
        os.waitpid(child, 0)
        with os.fdopen(read) as file:
            self.assertEqual(file.read(), "own")
        self.assertEqual(self.grid.campaign(3).id, 3)
        self.assertEqual(self.grid._client._idle, [parents])

    def test_a_configuration_that_is_printed_has_no_token(self):
        self.assertNotIn("'t'", repr(self.grid.config))

    def test_parameters_that_are_no_texts_or_numbers_are_refused_before_they_are_sent_whole(self):
        with self.assertRaisesRegex(TypeError, "parameter 1: None"):
            self.grid.submit({"name": "n"}, ["1", None])


class Streams(Case):
    def test_a_stream_that_is_closed_ends_at_once_and_so_does_its_connection(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        ends = []

        def serve():
            client = listener.accept()[0]
            client.recv(1 << 16)
            try:
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
                for _ in range(500):
                    client.sendall(b"event: progress\nid: 1-1\ndata: {}\n\n")
                    time.sleep(0.02)
            except OSError:
                ends.append("the client's")
            client.close()
        server = threading.Thread(target=serve)
        server.start()
        grid = gleaner.Grid(f"http://127.0.0.1:{listener.getsockname()[1]}")
        self.addCleanup(grid.close)
        changes, seen = grid.changes([3]), threading.Event()
        reader = threading.Thread(target=lambda: [seen.set() for _ in changes])
        reader.start()
        seen.wait()
        changes.close()
        server.join()
        reader.join()
        self.assertEqual(ends, ["the client's"])


class Requests(Case):
    def test_the_lines_of_a_nextflow_script_are_read(self):
        script = self.write("work/3f/0c5a.sh", "#!/bin/bash\n#OAR -d /w/3f/0c\n#OAR -n nf-a_(1)\n#OAR -O \"/w/3f/0c/.command.log\"\n"
                            "#OAR -E /w/3f/0c/.command.log\n#OAR -p \"memnode=4\"\n#OAR -l /nodes=1/core=4,walltime=26:00:00\n#OAR -q long\n"
                            "echo '#OAR -n not_read'\n", 0o700)
        request = oarsub_request(["-S", "./0c5a.sh"], os.path.dirname(script))
        self.assertEqual(request.jdl(), {"resources": "/nodes=1/core=4", "walltime": "26:00:00", "properties": "memnode=4"})
        self.assertEqual((request.name, request.directory, request.stdout, request.stderr, request.queue),
                         ("nf-a_(1)", "/w/3f/0c", "/w/3f/0c/.command.log", "/w/3f/0c/.command.log", "long"))
        self.assertEqual(request.command, script)

    def test_a_line_of_a_script_means_what_oar_takes_it_for(self):
        def of(*lines):
            self.write("a.sh", "#!/bin/bash\n" + "\n".join(lines) + "\n")
            return oarsub_request(["-S", "./a.sh"], self.folder)
        for line, value in (("-p switch = 'sw3' or switch = 'sw5'", "switch = 'sw3' or switch = 'sw5'"), ("-p gpu='YES'", "gpu='YES'"),
                            ("--property=gpu='YES'", "gpu='YES'"), ("-p \"gpu='YES'\"", "gpu='YES'"), ("-pgpu='YES' ", "gpu='YES'"),
                            ("--property  a > 4", "a > 4"), ("-p \"name LIKE 'a\\_b'\"", "name LIKE 'a\\_b'"), ("-p 'a=1'", "a=1")):
            self.assertEqual(of("#OAR " + line).properties, [value], line)
        self.assertEqual(of("#OAR -l {cluster='a b'}/nodes=1,walltime=2").jdl(), {"resources": "{cluster='a b'}/nodes=1", "walltime": "2:00:00"})
        self.assertEqual(of("#OAR\t-l\t/core=2").resources, "/core=2")
        self.assertEqual(of("#OAR -n it's mine\r", "#OAR -l core=2 -t besteffort").jdl(), {"resources": "/core=2", "cluster_job_type": ["besteffort"]})
        self.assertEqual(of("#OAR -n it's mine").name, "it's mine")
        self.assertEqual(of("#OAR -n 'my job' -l core=3").name, "my job")
        with self.assertRaisesRegex(WrongRequest, "a.sh:2: there is no option '-k'"):
            of("#OAR -k")

    def test_a_folder_is_the_one_that_nextflow_names(self):
        script = self.write("my work's (1)/.command.run", "#!/bin/bash\n#OAR -d \"/w/my\\ work\\'s\\ \\(1\\)\"\n#OAR -O \"/w/my\\ work/log\"\n")
        request = oarsub_request(["-S", "./.command.run"], os.path.dirname(script))
        self.assertEqual((request.directory, request.stdout), ("/w/my work's (1)", "/w/my work/log"))
        self.assertEqual(shlex.split(request.command), [script])

    def test_the_command_line_goes_before_the_script(self):
        self.write("a.sh", "#OAR -n script -l core=2\n")
        request = oarsub_request(["-n", "line", "-S", "./a.sh x"], self.folder)
        self.assertEqual((request.name, request.resources, request.command), ("line", "/core=2", self.path("a.sh") + " x"))

    def test_what_cannot_be_done_is_refused_with_its_place(self):
        self.write("a.sh", "\n#OAR -l core=1,walltime=1:99\n")
        for words, said in ((["-S", "./a.sh"], r"a.sh:2: -l 'core=1,walltime=1:99': '1:99' is no walltime"), ([], "a command is needed"),
                            (["-I"], "no option '-I'"), (["--arr=3", "x"], "no option '--arr'"), (["-l"], "needs a value"),
                            (["-S", "./none"], "is not there"), (["-O", "a.%jobid%", "x"], "%jobid%"),
                            (["-l", "core=1", "-l", "core=2", "x"], "one -l already")):
            with self.assertRaisesRegex(WrongRequest, said, msg=words):
                oarsub_request(words, self.folder)

    def test_the_properties_of_a_snakemake_script_are_read(self):
        head = {"rule": "sort", "threads": 3, "resources": {"mem_mb": 500, "runtime": 90, "tmpdir": "/tmp"}}
        script = self.write("s.sh", f"#!/bin/sh\n# properties = {json.dumps(head)}\nexit 0\n")
        request = submission([script], self.folder)
        self.assertEqual(request.jdl(), {"resources": "/nodes=1/core=3", "walltime": "1:30:00", "memory_mb": 500})
        self.assertEqual(request.name, "sort")
        self.assertEqual(submission(["-l", "/core=2", self.write("t.sh", "#!/bin/sh\n# properties = {\n")], self.folder).resources, "/core=2")

    def test_jobs_of_one_nextflow_run_share_a_workspace(self):
        self.assertEqual(gatherer.workspace_of("/w/work/3f/" + "0a" * 15), "/w/work")
        self.assertEqual(gatherer.workspace_of("/w/work/3f/short"), "/w/work/3f/short")

    def test_an_id_names_its_campaign_and_task(self):
        self.assertEqual(gatherer.place_of(str(gatherer.job_id(12, 345))), (12, 345))
        for text in ("", "12", "-1", "1e9", "9" * 30):
            with self.assertRaises(WrongRequest):
                gatherer.place_of(text)

    def test_a_task_that_began_once_and_waits_again_is_suspended_which_nextflow_holds_for_active(self):
        def task(state, attempt=0, ending=None, exit_code=None):
            return gleaner.Task(0, "0", "", state, attempt, None, None, None, ending, exit_code, None, None)
        self.assertEqual([state_of(task("waiting"), "in_treatment"), state_of(task("waiting", 1), "in_treatment"),
                          state_of(task("waiting"), "paused"), state_of(task("submitted"), "in_treatment"),
                          state_of(task("running"), "paused"), state_of(task("done"), "terminated"),
                          state_of(task("failed", 0, "task_error", 3), "terminated"), state_of(task("failed", 0, "walltime"), "terminated")],
                         ["Waiting", "Suspended", "Hold", "Waiting", "Running", "Terminated", "Terminated", "Error"])


class Source(unittest.TestCase):
    """The checkers of Debian, where they are installed."""

    def run_on(self, words):
        if shutil.which(words[0]) is None:
            self.skipTest(f"{words[0]} is not installed")
        environment = {**os.environ, "MYPYPATH": os.path.join(ROOT, "clients", "python")}
        done = subprocess.run(words, cwd=WORKFLOWS, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_types_are_right(self):
        self.run_on(["mypy", "--strict", "--cache-dir=/dev/null", "../python/gleaner", "gleaner_workflows"])

    def test_flake8_finds_nothing(self):
        self.run_on(["flake8", "--max-line-length=150", "../python/gleaner", "gleaner_workflows", "../../examples/portal.py", "oar", "bin/grid-snakemake-submit"])

    def test_every_public_thing_has_a_docstring(self):
        missing = []
        for name in gleaner.__all__:
            thing = getattr(gleaner, name)
            if isinstance(thing, str):
                continue
            if not thing.__doc__:
                missing.append(name)
            for part, value in vars(thing).items() if isinstance(thing, type) else ():
                wanted = callable(value) or isinstance(value, property)
                if not part.startswith("_") and wanted and not value.__doc__:
                    missing.append(f"{name}.{part}")
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
