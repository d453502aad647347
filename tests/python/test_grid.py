"""`gleaner.Grid` on a live grid."""
import os
import re
import threading
import time
import unittest

from base import CLUSTERS, ROOT, Case, purge
from gate import Gate

import gleaner

ECHO = {"name": "echo", "exec_file": "sh -c 'echo out $1; echo err $1 >&2; [ $1 != 3 ]' sh", "retries": 0, "output_directory": "echo",
        "clusters": CLUSTERS, "min_duration": 0}


class Campaigns(Case):
    def setUp(self):
        super().setUp()
        self.grid = gleaner.Grid()
        self.addCleanup(self.grid.close)

    def gate(self):
        gate = Gate(self.path("gate.socket"), self.grid.config.socket)
        grid = gleaner.Grid("unix:" + gate.path)
        self.addCleanup(grid.close)
        return gate, grid

    def test_a_campaign_is_submitted_waited_for_and_its_tasks_failures_and_outputs_are_read(self):
        campaign = self.grid.submit(ECHO, (str(one) for one in range(8)))
        self.assertEqual((campaign.state, campaign.total_tasks), ("in_treatment", 8))
        seen = []
        [ended] = self.grid.wait(campaign.id, progress=lambda found: seen.append(found[0].tasks.done))
        self.assertEqual((ended.state, ended.has_succeeded, ended.tasks.done, ended.tasks.failed), ("terminated", False, 7, 1))
        self.assertEqual(seen[-1], 7)
        self.assertEqual([task.parameters for task in self.grid.tasks(campaign.id, page=3)], [str(one) for one in range(8)])
        [failure] = self.grid.failures(campaign.id)
        self.assertEqual((failure.task.number, failure.task.exit_code, failure.stderr), (3, 1, "err 3\n"))
        self.assertEqual(self.grid.tail(campaign.id, 5), "out 5\n")
        self.assertEqual({one.name for one in self.grid.outputs(campaign.id, [1, 2])}, {"1.out", "1.err", "2.out", "2.err"})
        fetched = self.grid.fetch_outputs(campaign.id, self.path("out"))
        self.assertEqual((len(fetched.fetched), fetched.is_complete, fetched.unsettled), (16, True, 0))
        with open(self.path("out/6.out")) as file:
            self.assertEqual(file.read(), "out 6\n")
        os.truncate(self.path("out/6.out"), 2)
        again = self.grid.fetch_outputs(campaign.id, self.path("out"))
        self.assertEqual((again.fetched, len(again.present)), ([self.path("out/6.out")], 15))
        with self.assertRaisesRegex(gleaner.OutputError, f"outputs of campaign {campaign.id}"):
            self.grid.fetch_outputs(campaign.id + 1, self.path("out"))

    def test_tasks_are_appended_and_a_terminated_campaign_goes_on(self):
        campaign = self.grid.submit(ECHO, nb_jobs=2)
        self.grid.wait(campaign.id)
        appended = self.grid.append(campaign.id, [["7", "a b"], "8"])
        self.assertEqual((appended.first_task, appended.count, appended.campaign.state), (2, 2, "in_treatment"))
        self.assertEqual(self.grid.append(campaign.id, nb_jobs=1).first_task, 4)
        [ended] = self.grid.wait(campaign.id)
        self.assertTrue(ended.has_succeeded)
        self.assertEqual([task.parameters for task in self.grid.tasks(campaign.id, after=1)], ["7 'a b'", "8", "4"])

    def test_a_lost_answer_makes_neither_a_second_campaign_nor_second_tasks(self):
        gate, grid = self.gate()
        name = os.path.basename(self.folder)
        gate.lose(2)
        campaign = grid.submit({**ECHO, "name": name}, (str(one) for one in range(3)))
        gate.lose(1)
        appended = grid.append(campaign.id, ["4"])
        self.assertEqual(gate.lost, 3)
        self.assertEqual([one.id for one in self.grid.campaigns(all=True) if one.name == name], [campaign.id])
        self.assertEqual((appended.first_task, self.grid.campaign(campaign.id).total_tasks), (3, 4))
        self.grid.wait(campaign.id)

    def test_a_wait_goes_on_when_the_api_goes_away_and_comes_back(self):
        gate, grid = self.gate()
        release = self.path("release")
        campaign = self.grid.submit({**ECHO, "exec_file": f"sh -c 'until [ -e {release} ]; do sleep 0.05; done' sh"}, nb_jobs=1)
        result = []
        waiting = threading.Thread(target=lambda: result.append(grid.wait(campaign.id, period=0.2)))
        waiting.start()
        while not any("/v1/events" in one for one in gate.requests):
            time.sleep(0.05)
        gate.shut()
        self.write("release", "")
        self.grid.wait(campaign.id)
        gate.open()
        waiting.join(60)
        self.assertTrue(result and result[0][0].has_succeeded)

    def test_a_wait_that_is_too_long_or_in_vain_ends(self):
        first = self.grid.submit({**ECHO, "exec_file": "sleep 600"}, nb_jobs=1)
        self.grid.hold(first.id)
        second = self.grid.submit({**ECHO, "after": first.id}, nb_jobs=1)
        self.grid.cancel(first.id)
        with self.assertRaises(gleaner.CannotEnd) as raised:
            self.grid.wait(second.id, period=0.2, timeout=60)
        self.assertIn(f"campaign {first.id}, which was cancelled", raised.exception.reasons[second.id])
        self.grid.cancel(second.id)
        paused = self.grid.submit({**ECHO, "exec_file": "sleep 5"}, nb_jobs=1)
        self.grid.hold(paused.id)
        with self.assertRaises(gleaner.WaitTimeout):
            self.grid.wait(paused.id, timeout=0.5)
        self.grid.resume(paused.id)
        self.assertTrue(self.grid.wait(paused.id)[0].has_succeeded)

    def test_failed_tasks_are_retried_and_tasks_cancelled(self):
        flag = self.path("flag")
        jdl = {**ECHO, "exec_file": f"sh -c '[ -e {flag} ]' sh"}
        campaign = self.grid.submit(jdl, nb_jobs=2)
        self.grid.wait(campaign.id)
        self.write("flag", "")
        self.assertEqual(self.grid.retry(campaign.id, [1]).count, 1)
        self.grid.wait(campaign.id)
        self.assertEqual([one.state for one in self.grid.tasks(campaign.id)], ["failed", "done"])
        held = self.grid.submit({**ECHO, "exec_file": "sleep 600"}, nb_jobs=5)
        self.grid.hold(held.id)
        changed = self.grid.cancel(held.id, [1, 3])
        self.assertEqual(changed.cancelled + changed.killed, 2)
        self.grid.cancel(held.id)
        with self.assertRaises(gleaner.WrongState):
            self.grid.append(held.id, ["1"])

    def test_tasks_are_held_and_released(self):
        first = self.grid.submit({**ECHO, "exec_file": "sleep 600"}, nb_jobs=1)
        campaign = self.grid.submit({**ECHO, "after": first.id}, nb_jobs=5)
        self.assertEqual(self.grid.hold(campaign.id, [1, 3]).count, 2)
        self.assertEqual(self.grid.campaign(campaign.id).held_tasks, 2)
        self.assertEqual([one.number for one in self.grid.tasks(campaign.id) if one.held_by], [1, 3])
        self.assertEqual(self.grid.resume(campaign.id, "0-*").count, 2)
        self.grid.cancel(campaign.id)
        self.grid.cancel(first.id)

    def test_the_stream_of_changes_goes_on_where_it_was(self):
        campaign = self.grid.submit(ECHO, nb_jobs=1)
        self.grid.wait(campaign.id)
        with self.grid.changes([campaign.id]) as changes:
            threading.Timer(0.3, self.grid.append, (campaign.id, ["1"])).start()
            first = next(iter(changes))
        place = first.place
        self.grid.wait(campaign.id)
        with self.grid.changes([campaign.id], after=place) as changes:
            for change in changes:
                if change.kind == "campaign" and change.data["state"] == "terminated":
                    break
        self.assertEqual(change.data["id"], campaign.id)

    def test_input_files_are_uploaded_once_and_found_by_the_tasks(self):
        self.write("data/a.txt", "of a\n")
        self.write("data/b.txt", "of b\n")
        self.write("show.sh", "#!/bin/sh\ncat $CIGRI_INPUTS/data/$1.txt\n", 0o755)
        file = self.write("in.jdl", '{"name": "in", "exec_file": "$CIGRI_INPUTS/show.sh", "input_files": ["show.sh", "data/{1}.txt"],'
                          ' "param_file": "names.txt", "output_directory": "in", "clusters": {"alpha": {}}}')
        self.write("names.txt", "# names\n\na\nb\n")
        campaign = self.grid.submit(file)
        self.assertTrue(self.grid.wait(campaign.id)[0].has_succeeded)
        self.assertEqual([self.grid.tail(campaign.id, one) for one in (0, 1)], ["of a\n", "of b\n"])
        self.write("names.txt", "c\n")
        with self.assertRaisesRegex(gleaner.ConfigurationError, r"input_from: .* fetch_outputs\(ID, 'outputs-ID'\)"):
            self.grid.submit({"name": "in", "nb_jobs": 1, "exec_file": "true", "input_from": 1, "input_files": ["outputs-1/{1}.out"],
                              "clusters": {"alpha": {}}})
        with self.assertRaisesRegex(gleaner.ConfigurationError, "task 0: its input file .*data/c.txt"):
            self.grid.submit(file)

    def test_errors_have_the_words_of_the_api(self):
        with self.assertRaises(gleaner.InvalidInput) as raised:
            self.grid.submit({"name": "x", "exec_fil": "a", "clusters": {"alph": {}}}, ["1"])
        self.assertEqual([one.path for one in raised.exception.problems], ["exec_fil", "clusters.alph"])
        with self.assertRaises(gleaner.NotFound) as raised:
            self.grid.campaign(999999)
        self.assertEqual(raised.exception.code, "no_such_campaign")
        with self.assertRaisesRegex(gleaner.Unavailable, "cannot be reached at unix:.*none"):
            gleaner.Grid(self.path("none")).whoami()
        self.assertEqual(self.grid.check(ECHO, ["1"]), ())

    def test_the_wait_for_a_campaign_that_is_purged_ends_with_not_found(self):
        campaign, other = [self.grid.submit({"name": "gone", "exec_file": "sleep", "clusters": {"alpha": {}}}, ["30"]).id for _ in range(2)]
        looks = []

        def look(found):
            looks.append(found)
            if len(looks) == 1:
                purge(self.grid, campaign)
        try:
            with self.assertRaisesRegex(gleaner.NotFound, f"no campaign '{campaign}'"):
                self.grid.wait(campaign, other, timeout=3, progress=look)
            self.assertFalse(self.grid.campaign(other).has_ended)
        finally:
            self.grid.cancel(other)
        with self.assertRaises(gleaner.NotFound):
            self.grid.append(campaign, ["1"])
        with self.assertRaises(gleaner.NotFound):
            self.grid.fetch_outputs(campaign, self.path("results"))


class Documents(Case):
    """The examples of docs/python.md, as they stand there: each block of Python in its order, with the output that follows it."""

    def test_its_examples_run_as_they_stand(self):
        with open(os.path.join(ROOT, "docs", "python.md")) as file:
            text = file.read()
        blocks = re.findall(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", text, re.DOTALL | re.MULTILINE)
        self.assertGreater(len(blocks), 4)
        self.write("meshes.py", re.search(r"^```python title=meshes.py\n(.*?)^```", text, re.DOTALL | re.MULTILINE).group(1))
        program = "import os, sys\nos.chdir(%r)\nsys.path.insert(0, %r)\n" % (self.folder, self.folder)
        printed = []

        def show(*words, **unused):
            printed.append(" ".join(str(one) for one in words))
        scope = {"print": show}
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        exec(program, scope)
        for code, wanted in blocks:
            printed.clear()
            exec(compile(code.replace("/home/ada/project", self.folder), "docs/python.md", "exec"), scope)
            if wanted:
                pattern = ".*".join(re.escape(part) for part in wanted.strip().split("…"))
                self.assertRegex("\n".join(printed), f"(?s)^{pattern}$", msg=code)


class Portal(Case):
    def test_the_portal_submits_shows_fetches_and_cancels(self):
        import subprocess
        import sys
        import urllib.error
        import urllib.parse
        import urllib.request
        environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "clients", "python")}
        portal = subprocess.Popen([sys.executable, os.path.join(ROOT, "examples", "portal.py"), "0"], env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(portal.stdout.close)
        self.addCleanup(portal.wait)
        self.addCleanup(portal.kill)
        address = portal.stdout.readline().strip()

        def ask(path, form=None):
            data = urllib.parse.urlencode(form).encode() if form else None
            with urllib.request.urlopen(urllib.request.Request(urllib.parse.urljoin(address, path), data), timeout=60) as reply:
                return reply.read().decode()
        page = ask("submit", {"command": "echo '<of>'", "parameters": "one\ntwo"})
        number = max(int(one) for one in re.findall(r"<tr><td>(\d+)<td>portal", page))
        gleaner.Grid().wait(number)
        self.assertIn(f"<tr><td>{number}<td>portal<td>terminated<td>2 of 2 done", ask(""))
        self.assertEqual(sorted(ask(f"outputs/{number}").splitlines()), ["<of> one", "<of> two"])
        # Another user of the host, or a page of another site under a name that stands for 127.0.0.1, does not know the key.
        for path, form, said in (("submit", {"command": "a", "parameters": "'"}, 400), ("cancel", {"id": number}, 400),
                                 ("../submit", {"command": "a", "parameters": "b"}, 404), ("../outputs/" + str(number), None, 404),
                                 ("../x/cancel", {"id": number}, 404), ("../", None, 404)):
            with self.assertRaises(urllib.error.HTTPError) as raised:
                ask(path, form)
            self.assertEqual(raised.exception.code, said)
            raised.exception.close()


if __name__ == "__main__":
    unittest.main()
