"""The workflow engines' commands on a live grid: a driver of Nextflow's calls, and the real Snakemake where it is installed."""
import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from base import WORKFLOWS, Case, purge
from engines import Nextflow
from gate import Gate

import gleaner


class Engines(Case):
    def setUp(self):
        super().setUp()
        self.grid = gleaner.Grid()
        self.addCleanup(self.grid.close)
        self.state = self.path("state")
        self.environment = {
            **os.environ, "GRID_OAR_STATE": self.state, "GRID_OAR_CLUSTERS": "alpha,beta",
            "PATH": ":".join([os.path.join(WORKFLOWS, "oar"), os.path.join(WORKFLOWS, "bin"), os.environ["PATH"]])}

    def call(self, *words, **options):
        return subprocess.run(words, env=options.pop("env", self.environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=options.pop("cwd", self.folder), **options)

    def groups(self):
        found = []
        for name in os.listdir(self.state):
            if name.endswith(".json") and not name.startswith("."):
                with open(os.path.join(self.state, name)) as file:
                    found.append(json.load(file))
        return found

    def campaigns(self):
        return sorted(one for group in self.groups() for one in group["campaigns"])

    def job(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^OAR_JOB_ID=\d+\n$")
        return done.stdout.strip().split("=")[1]

    def place(self, job):
        return divmod(int(job), 1_000_000)

    def wait_all(self):
        self.grid.wait(*self.campaigns(), period=0.2)


class NextflowCalls(Engines):
    def test_a_run_is_one_campaign_for_each_kind_of_request_and_each_process_runs_once(self):
        engine = Nextflow(self.path("work"), self.environment)
        counts = self.path("counts")
        folders = [engine.make(one, f"echo {one} >> {counts}; exit {3 if one == 7 else 0}") for one in range(12)]
        wide = Nextflow(self.path("work"), self.environment, directives=["-l /nodes=1/core=2,walltime=00:30:00"])
        folders += [wide.make(100 + one, f"echo {100 + one} >> {counts}") for one in range(3)]
        statuses = engine.run(folders)
        self.assertEqual([statuses[one] for one in folders], [0] * 7 + [3] + [0] * 7)
        with open(counts) as file:
            self.assertEqual(sorted(int(one) for one in file), [*range(12), 100, 101, 102])
        self.assertEqual(len(self.campaigns()), 2)
        self.wait_all()
        first, second = (self.grid.campaign(one) for one in self.campaigns())
        self.assertEqual((first.total_tasks, first.tasks.failed, second.total_tasks), (12, 1, 3))
        self.assertEqual(self.grid._client.get(f"/v1/campaigns/{second.id}/jdl")["clusters"]["alpha"]["resources"], "/nodes=1/core=2")
        [failed] = [job for job, folder in engine.submitted.items() if folder == folders[7]]
        shown = self.call("oarstat", "-f", "-j", failed)
        self.assertIn("state = Terminated", shown.stdout)
        self.assertIn("exit_code = 768 (3,0,0)", shown.stdout)

    def test_states_are_known_while_a_job_waits_runs_and_is_deleted(self):
        gate = self.path("gate")
        job = self.job(self.call("oarsub", "-n", "a=Job_Id: b", f"until [ -e {gate} ]; do sleep 0.05; done"))
        engine = Nextflow(self.folder, self.environment)
        while engine.queue_status().get(job) != "RUNNING":
            time.sleep(0.1)
        opener = self.job(self.call("oarsub", "-q", "long", f"until [ -e {gate} ]; do sleep 0.05; done"))
        self.grid.hold(self.place(opener)[0])
        later = self.job(self.call("oarsub", "-q", "long", "true"))  # appended to a campaign that is held: it cannot have begun
        self.assertEqual(self.place(later)[0], self.place(opener)[0])
        self.assertEqual(set(engine.queue_status()), {job, opener, later})
        self.assertIn(engine.queue_status()[later], ("HOLD", "PENDING"))
        self.assertNotIn(job, self.call("oarstat", "-f", "long").stdout)
        self.assertEqual(self.call("oardel", job, opener, later).returncode, 0)
        while engine.queue_status() is not None:  # grep finds nothing
            time.sleep(0.1)
        self.assertIn("state = Error", self.call("oarstat", "-f", "-j", job).stdout)
        self.assertEqual(self.call("oardel", job).returncode, 4)
        self.assertFalse(os.path.exists(gate))

    def test_an_api_that_cannot_be_reached_is_no_answer_and_never_an_end(self):
        job = self.job(self.call("oarsub", "sleep 1"))
        away = {**self.environment, "GLEANER_API": "unix:" + self.path("none")}
        shown = self.call("oarstat", "-f", env=away)
        self.assertEqual((shown.returncode, shown.stdout), (0, ""))  # another grid, of which it has no campaigns
        gate = Gate(self.path("gate.socket"), self.grid.config.socket)
        through = {**self.environment, "GLEANER_API": "unix:" + gate.path}
        other = self.job(self.call("oarsub", "sleep 1", env=through))
        self.assertEqual(self.call("grid-snakemake-status", other, env=through).stdout, "running\n")
        gate.shut()
        shown = self.call("oarstat", "-f", env=through)
        self.assertEqual((shown.returncode, shown.stdout), (5, ""))
        self.assertIsNone(Nextflow(self.folder, through).queue_status())
        status = self.call("grid-snakemake-status", other, env=through)
        self.assertEqual((status.returncode, status.stdout), (0, "running\n"))
        self.assertEqual(self.call("oarsub", "sleep 1", env=through).returncode, 5)
        self.wait_all()
        self.assertEqual(self.call("grid-snakemake-status", job).stdout, "success\n")

    def test_many_at_once_and_a_lost_answer_make_each_task_once(self):
        gate = Gate(self.path("gate.socket"), self.grid.config.socket)
        through = {**self.environment, "GLEANER_API": "unix:" + gate.path}
        gate.lose(2)
        out = self.path("out")
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            jobs = list(pool.map(lambda one: self.job(self.call("oarsub", f"echo {one} >> {out}", env=through)), range(12)))
        self.assertEqual((len(set(jobs)), len(self.campaigns()), gate.lost), (12, 1, 2))
        self.wait_all()
        with open(out) as file:
            self.assertEqual(sorted(int(one) for one in file), list(range(12)))

    def test_a_submission_that_was_killed_before_its_answer_is_found_again_when_it_is_repeated(self):
        gate = Gate(self.path("gate.socket"), self.grid.config.socket)
        through = {**self.environment, "GLEANER_API": "unix:" + gate.path}
        out = self.path("out")
        for command in (f"echo first >> {out}", f"echo second >> {out}"):  # one makes the campaign, one is appended
            gate.lose(100)
            killed = subprocess.Popen(["oarsub", command], env=through, cwd=self.folder, stdout=subprocess.PIPE)
            lost = gate.lost
            while gate.lost == lost:
                time.sleep(0.01)
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            killed.stdout.close()
            gate.lose(0)
            self.job(self.call("oarsub", command, env=through))
            self.wait_all()
        with open(out) as file:
            self.assertEqual(file.read(), "first\nsecond\n")
        # It was answered: the same again is another job.
        self.job(self.call("oarsub", f"echo first >> {out}", env=through))
        self.wait_all()
        self.assertEqual((len(self.campaigns()), self.grid.campaign(self.campaigns()[0]).total_tasks), (1, 3))

    def test_a_campaign_that_was_cancelled_is_followed_by_another_one(self):
        first = self.job(self.call("oarsub", "true"))
        self.grid.wait(self.place(first)[0])
        self.grid.append(self.place(first)[0], [["hand", "/", "sleep 9", "", ""]])
        self.grid.cancel(self.place(first)[0])
        second = self.job(self.call("oarsub", "true"))
        self.assertNotEqual(self.place(first)[0], self.place(second)[0])
        self.assertTrue(self.grid.wait(self.place(second)[0])[0].has_succeeded)

    def test_a_campaign_that_was_purged_is_followed_by_another_one_and_its_jobs_are_in_no_list(self):
        first = self.job(self.call("oarsub", "sleep 30"))
        purge(self.grid, self.place(first)[0])
        self.assertEqual(self.call("oarstat", "-f").stdout, "")
        done = self.call("oardel", first)
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        self.assertIn("there is no campaign", done.stderr)
        second = self.job(self.call("oarsub", "true"))
        self.assertNotEqual(self.place(first)[0], self.place(second)[0])
        self.assertTrue(self.grid.wait(self.place(second)[0])[0].has_succeeded)
        done = self.call("grid-snakemake-status", first)
        self.assertEqual(done.stdout, "running\n", "never failed for what is not known")

    def test_wrong_calls_say_what_is_wrong_and_submit_nothing(self):
        self.write("state/" + "0" * 32 + ".json", "{")
        without = {**self.environment}
        del without["GRID_OAR_CLUSTERS"]
        for words, env, said in ((("oarsub", "-l", "core=1,walltime=x", "true"), None, "no walltime"),
                                 (("oarsub", "true"), without, "GRID_OAR_CLUSTERS=alpha,beta"),
                                 (("oarsub", "--clusters", "alhpa", "true"), None, "did you mean 'alpha'"),
                                 (("oarstat", "-f"), None, "remove it"), (("oarstat", "-x"), None, "no option '-x'"),
                                 (("oardel", "12"), None, "no id of a job"), (("grid-snakemake-submit",), None, "one jobscript"),
                                 (("grid-oar",), None, "a command is needed")):
            done = self.call(*words, env=env or self.environment)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(said, done.stderr, words)
        for program in ("oarsub", "oarstat", "oardel", "grid-snakemake-submit", "grid-snakemake-status", "grid-snakemake-cancel", "grid-oar"):
            self.assertIn(program, self.call(program, "--help").stdout)
            self.assertIn(gleaner.__version__, self.call(program, "--version").stdout)
        self.assertEqual(self.call("grid-oar", "which", "oarsub").stdout.strip(), os.path.join(WORKFLOWS, "oar", "oarsub"))

    def test_a_damaged_state_is_named_and_makes_no_second_submission(self):
        self.job(self.call("oarsub", "true"))
        [name] = [one for one in os.listdir(self.state) if one.endswith(".json")]
        [group] = self.groups()
        for text in ('{"campaign": []}', "[]", json.dumps({**group, "intents": {"a": {"key": "k"}}}), json.dumps({**group, "tasks": "many"})):
            self.write("state/" + name, text)
            done = self.call("oarsub", "true")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("cannot be used", done.stderr)
        self.assertEqual(self.grid.campaign(group["campaign"]).total_tasks, 1)


class SnakemakeCalls(Engines):
    SNAKEFILE = """
rule all:
    input: "all.txt"
rule one:
    output: "one-{n}.txt"
    threads: 2
    resources: runtime=30
    shell: "echo {wildcards.n} $OAR_JOB_ID > {output}"
rule all_of_them:
    input: expand("one-{n}.txt", n=range(4))
    output: "all.txt"
    shell: "cat {input} > {output}"
"""

    def run_snakemake(self, snakefile, *more):
        if shutil.which("snakemake") is None:
            self.skipTest("snakemake is not installed")
        self.write("Snakefile", snakefile)
        return self.call("snakemake", "-j", "8", "--cluster", "grid-snakemake-submit", "--cluster-status", "grid-snakemake-status",
                         "--cluster-cancel", "grid-snakemake-cancel", "--max-status-checks-per-second", "20", "--latency-wait", "30", *more)

    def test_the_real_snakemake_runs_a_workflow(self):
        done = self.run_snakemake(self.SNAKEFILE)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("all.txt")) as file:
            self.assertEqual([one.split()[0] for one in file], ["0", "1", "2", "3"])
        self.assertEqual(len(self.campaigns()), 2)
        jdl = [self.grid._client.get(f"/v1/campaigns/{one}/jdl") for one in self.campaigns()]
        self.assertEqual({one["clusters"]["alpha"]["resources"] for one in jdl}, {"/nodes=1/core=2", "/core=1"})

    def test_the_real_snakemake_is_told_of_a_job_that_failed(self):
        done = self.run_snakemake('rule all:\n    output: "never.txt"\n    shell: "exit 3"\n')
        self.assertEqual(done.returncode, 1)
        self.assertIn("Error executing rule all", done.stderr)


if __name__ == "__main__":
    unittest.main()
