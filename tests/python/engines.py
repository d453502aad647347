"""How workflow engines call a cluster's commands: Nextflow's executor `oar` (OarExecutor and AbstractGridExecutor of nextflow-io/nextflow)."""
import os
import re
import subprocess
import threading
import time

STATES = {"toLaunch": "RUNNING", "Launching": "RUNNING", "Running": "RUNNING", "Finishing": "RUNNING", "Waiting": "PENDING",
          "toAckReservation": "PENDING", "Hold": "HOLD", "Suspended": "HOLD", "Error": "ERROR", "toError": "ERROR", "Terminated": "DONE"}


class Nextflow:
    """Submits processes one after the other, asks for the queue's status every `interval` seconds, and reads `.exitcode`.

    A process that has begun (`.command.begin`), is not active in the queue, and has no `.exitcode` for `patience` seconds has failed.
    """

    def __init__(self, work, environment, interval=0.5, patience=30.0, directives=()):
        self.work = work
        self.environment = environment
        self.interval = interval
        self.patience = patience
        self.directives = list(directives)
        self.submitted = {}  # job id: folder
        self.polls = 0

    def make(self, number, body, clusters=()):
        """The folder of a process, with its .command.run."""
        digest = f"{number * 2654435761 % (1 << 128):032x}"
        folder = os.path.join(self.work, digest[:2], digest[2:])
        os.makedirs(folder, exist_ok=True)
        script = os.path.join(folder, ".command.run")
        log = os.path.join(folder, ".command.log")
        lines = ["#!/bin/bash", f"#OAR -d {folder}", f"#OAR -n nf-process_({number})", f"#OAR -O {log}", f"#OAR -E {log}",
                 *[f"#OAR {one}" for one in self.directives],
                 "set -u", "on_exit() { status=${main_ret:-$?}; printf %s $status > .exitcode; exit $status; }", "trap on_exit EXIT",
                 "touch .command.begin", f"( {body} ); main_ret=$?", ""]
        with open(script, "w") as file:
            file.write("\n".join(lines))
        os.chmod(script, 0o700)
        return folder

    def submit(self, folder):
        """As getSubmitCommandLine and parseJobId."""
        done = subprocess.run(["oarsub", "-S", "./.command.run"], cwd=folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"oarsub ended with {done.returncode}: {done.stdout}")
        for line in done.stdout.splitlines():
            match = re.fullmatch(r"OAR_JOB_ID=(\d+)", line)
            if match:
                self.submitted[match.group(1)] = folder
                return match.group(1)
        raise RuntimeError(f"invalid OAR submit response: {done.stdout}")

    def queue_status(self):
        """As getQueueStatus and parseQueueStatus; None: nothing is known."""
        self.polls += 1
        done = subprocess.run(["sh", "-c", "oarstat -f | grep -E '(Job_Id:|state =)'"], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            return None
        found, job = {}, None
        for line in done.stdout.splitlines():
            if line.startswith("Job_Id:"):
                job = line[len("Job_Id:"):].strip()
                found[job] = "UNKNOWN"
            elif job is not None:
                found[job] = STATES.get(line.split("state =", 1)[1].strip(), "UNKNOWN")
        return found

    def run(self, folders):
        """The exit statuses of all, by folder; None: the engine holds it for failed without one."""
        submitter_failed = []

        def submit_all():
            try:
                for folder in folders:
                    self.submit(folder)
            except Exception as error:
                submitter_failed.append(error)
        submitter = threading.Thread(target=submit_all)
        submitter.start()
        statuses, inactive = {}, {}
        while len(statuses) < len(folders):
            if submitter_failed:
                raise submitter_failed[0]
            queue = self.queue_status()
            now = time.monotonic()
            for job, folder in list(self.submitted.items()):
                if folder in statuses or not os.path.exists(os.path.join(folder, ".command.begin")):
                    continue
                try:
                    with open(os.path.join(folder, ".exitcode")) as file:
                        text = file.read().strip()
                except FileNotFoundError:
                    text = ""
                if text:
                    statuses[folder] = int(text)
                elif queue is None or queue.get(job) in ("RUNNING", "HOLD"):
                    inactive.pop(folder, None)
                elif now - inactive.setdefault(folder, now) > self.patience:
                    statuses[folder] = None
            time.sleep(self.interval)
        submitter.join()
        return statuses
