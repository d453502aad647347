"""`gleaner.Executor` on a live grid."""
import concurrent.futures
import functools
import os
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock

import calls
from base import MODULES, ROOT, Case, purge
from gate import Gate

import gleaner
import gleaner.errors
import gleaner.executor


class Calls(Case):
    def setUp(self):
        super().setUp()
        self.grid = gleaner.Grid()
        self.addCleanup(self.grid.close)

    def executor(self, **options):
        return gleaner.Executor(options.pop("grid", self.grid), path=[MODULES], gather=0.05, **options)

    def test_a_map_is_one_campaign_whose_results_come_in_order(self):
        with self.executor() as executor:
            self.assertEqual(list(executor.map(calls.square, range(60))), [one * one for one in range(60)])
            self.assertEqual(list(executor.map(pow, range(40), [2] * 40, chunksize=7)), [one * one for one in range(40)])
            self.assertEqual(executor.submit(functools.partial(calls.square, 3)).result(), 9)
            [campaign] = executor.campaigns
        self.assertEqual(self.grid.campaign(campaign).total_tasks, 60 + 6 + 1)
        with self.assertRaisesRegex(RuntimeError, "after shutdown"):
            executor.submit(calls.square, 1)
        [ended] = self.grid.wait(campaign)
        self.assertTrue(ended.has_succeeded)

    def test_what_a_call_raises_is_raised_here_with_its_traceback_there(self):
        with self.executor() as executor:
            raised = executor.submit(calls.boom, "k")
            odd = executor.submit(calls.odd)
            lambda_back = executor.submit(calls.not_picklable)
            chunk = executor.map(calls.square, [2, "x", 4], chunksize=3)
            leaves = executor.submit(sys.exit, 4)
            with self.assertRaises(KeyError) as error:
                raised.result()
            self.assertIn("calls.py", str(error.exception.__cause__))
            with self.assertRaisesRegex(gleaner.RemoteError, "calls.Odd: it is odd"):
                odd.result()
            with self.assertRaisesRegex(Exception, "pickle"):
                lambda_back.result()
            self.assertEqual(next(chunk), 4)
            with self.assertRaises(TypeError):
                next(chunk)
            with self.assertRaises(SystemExit):
                leaves.result()

    def test_what_cannot_be_sent_is_refused_at_once(self):
        with self.executor() as executor:
            for function, arguments, said in ((lambda: 1, (), "cannot be pickled"), (calls.square, (os.urandom(100_000),), "bytes, and"),
                                              (calls.square, (threading.Lock(),), "cannot be pickled")):
                with self.assertRaisesRegex(gleaner.ConfigurationError, said):
                    executor.submit(function, *arguments)
            fake = functools.partial(calls.square)
            fake.func.__module__, module = "__main__", fake.func.__module__
            try:
                with self.assertRaisesRegex(gleaner.ConfigurationError, "put it into a module"):
                    executor.submit(fake, 1)
            finally:
                calls.square.__module__ = module
        self.assertEqual(executor.campaigns, ())

    def test_a_process_that_dies_or_leaves_no_result_or_a_damaged_one_is_an_error_and_never_a_result(self):
        with self.executor(jdl={"retries": 0}, most_result_bytes=1000) as executor:
            dead = executor.submit(calls.die, 3)
            empty = executor.submit(calls.end_without_a_result)
            noise = executor.submit(calls.damaged, "noise")
            another = executor.submit(calls.damaged, "another")
            big = executor.submit(calls.many_bytes, 2000)
            with self.assertRaisesRegex(gleaner.CallNotDone, "exit status 3") as raised:
                dead.result()
            self.assertEqual((raised.exception.campaign, raised.exception.task), (executor.campaigns[0], 0))
            for future, said in ((empty, "it is empty"), (noise, "it has no result"), (another, "the result of another call")):
                with self.assertRaisesRegex(gleaner.ResultDamaged, said):
                    future.result()
            with self.assertRaisesRegex(ValueError, "1000 may come"):
                big.result()

    def test_a_result_whose_bytes_changed_is_damaged(self):
        call = gleaner.executor._Call(unittest.mock.Mock(), calls.square, [((3,), {})], [MODULES], 100)
        done = subprocess.run([sys.executable, os.path.join(ROOT, "clients/python/gleaner/worker.py"), call.payload],
                              stdout=subprocess.PIPE, check=True)
        call.settle(gleaner.executor._results_of(done.stdout, call))
        self.assertEqual(call.futures[0].result(), 9)
        for place in range(len(done.stdout)):
            changed = bytearray(done.stdout)
            changed[place] ^= 0x20
            with self.assertRaises(ValueError, msg=place):
                gleaner.executor._results_of(bytes(changed), call)
            with self.assertRaises(ValueError, msg=place):
                gleaner.executor._results_of(done.stdout[:place], call)

    def test_a_child_that_a_call_forks_has_no_result_and_makes_no_further_call(self):
        notes = self.path("notes")
        os.mkdir(notes)
        with self.executor() as executor:
            alone = executor.submit(calls.forks, 0, notes, 5)
            self.assertEqual(list(executor.map(calls.forks, [1, 2, 3], [notes] * 3, chunksize=3)), [(1, 0), (2, 0), (3, 0)])
            self.assertEqual(alone.result(), (0, 5))
        self.assertEqual(sorted(one.split(".")[0] for one in os.listdir(notes)), ["0", "1", "2", "3"])

    def test_an_exception_without_a_message_and_a_closed_stdout_lose_no_result(self):
        with self.executor() as executor:
            closed, silent = executor.submit(calls.closes_stdout), executor.submit(calls.silent)
            self.assertEqual(closed.result(), "closed")
            with self.assertRaises(calls.Silent):
                silent.result()

    def test_a_map_that_fails_or_is_given_up_leaves_no_call_that_nobody_asks_for(self):
        never = self.path("never")
        with self.executor() as executor:
            with self.assertRaises(gleaner.ConfigurationError):
                executor.map(calls.wait_for, [never, never, threading.Lock()])
            with self.assertRaises(concurrent.futures.TimeoutError):
                list(executor.map(calls.wait_for, [never, never], timeout=0.5))
        for one in executor.campaigns:
            self.assertEqual({task.state for task in self.grid.tasks(self.grid.wait(one)[0].id)}, {"cancelled"})

    def test_calls_whose_campaign_is_purged_fail_by_name_and_later_ones_begin_another(self):
        never = self.path("never")
        with unittest.mock.patch.object(gleaner.executor, "_LOOK_AT_LEAST_EVERY", 1.0), self.executor() as executor:
            waiting = [executor.submit(calls.wait_for, never) for _ in range(3)]
            self.assertEqual(executor.submit(calls.square, 2).result(), 4)
            [first] = executor.campaigns
            purge(self.grid, first)
            for call in waiting:
                with self.assertRaisesRegex(gleaner.CallNotDone, f"of campaign {first}: (the campaign is gone|it was cancelled)"):
                    call.result()
            self.assertEqual(executor.submit(calls.square, 3).result(), 9)
            self.assertEqual(len(executor.campaigns), 2)

    def test_a_forked_process_leaves_the_executor_to_its_parent(self):
        with self.executor() as executor:
            future = executor.submit(calls.square, 3)
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    executor.submit(calls.square, 4)
                except RuntimeError as error:
                    executor.shutdown()
                    os.write(write, str(error).encode())
                finally:
                    os._exit(0)
            os.close(write)
            os.waitpid(child, 0)
            with os.fdopen(read) as file:
                self.assertIn("another process's", file.read())
            self.assertEqual(future.result(), 9)

    def test_answers_that_are_not_the_apis_fail_no_call(self):
        redirected = gleaner.errors.refusal(302, {})
        look, times = gleaner.Executor._look, iter(range(100))

        def look_badly(executor):
            if next(times) < 2:
                raise redirected
            return look(executor)
        with unittest.mock.patch.object(gleaner.Executor, "_look", look_badly), self.executor() as executor:
            self.assertEqual(executor.submit(calls.square, 3).result(), 9)

    def test_a_result_that_two_threads_have_is_taken_once(self):
        for _ in range(200):
            future, taken = concurrent.futures.Future(), []
            threads = [threading.Thread(target=lambda: taken.append(gleaner.executor._take(future))) for _ in range(4)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
            self.assertEqual(sorted(taken), [False, False, False, True])

    def test_a_task_that_the_grid_runs_again_has_the_result_of_the_attempt_that_did_it(self):
        with self.executor(jdl={"retries": 2}) as executor:
            self.assertEqual(executor.submit(calls.dies_once, self.folder).result(), "second attempt")

    def test_a_cancelled_future_cancels_its_task_also_while_it_runs(self):
        gate = self.path("gate")
        with self.executor(clusters=["alpha"]) as executor:
            running = executor.submit(calls.wait_for, gate)
            while not executor.campaigns:
                time.sleep(0.02)
            campaign = executor.campaigns[0]
            while self.grid.campaign(campaign).tasks.running == 0:
                time.sleep(0.05)
            self.assertTrue(running.cancel())
            self.assertEqual(concurrent.futures.wait([running], timeout=60).not_done, set())
            self.assertEqual(executor.submit(calls.square, 5).result(), 25)
            pending = executor.submit(calls.wait_for, gate)
            executor.shutdown(wait=True, cancel_futures=True)
            self.assertTrue(pending.cancelled())
        self.grid.wait(campaign)
        self.assertEqual({one.state for one in self.grid.tasks(campaign)} - {"done"}, {"cancelled"})

    def test_a_campaign_that_somebody_cancels_fails_its_calls_and_the_next_call_begins_another(self):
        with self.executor() as executor:
            lost = executor.submit(calls.wait_for, self.path("never"))
            while not executor.campaigns:
                time.sleep(0.02)
            self.grid.cancel(executor.campaigns[0])
            with self.assertRaisesRegex(gleaner.CallNotDone, "cancelled"):
                lost.result()
            self.assertEqual(executor.submit(calls.square, 5).result(), 25)
            self.assertEqual(len(executor.campaigns), 2)

    def test_lost_answers_and_an_api_that_is_away_for_a_while_do_no_call_twice(self):
        gate = Gate(self.path("gate.socket"), self.grid.config.socket)
        grid = gleaner.Grid("unix:" + gate.path)
        self.addCleanup(grid.close)
        notes = self.path("notes")
        os.mkdir(notes)
        with self.executor(grid=grid) as executor:
            gate.lose(2)
            first = [executor.submit(calls.note, one, notes) for one in range(10)]
            first[0].result()
            gate.lose(1)
            more = [executor.submit(calls.note, one, notes) for one in range(10, 20)]
            time.sleep(0.3)
            gate.shut()
            time.sleep(1.0)
            gate.open()
            self.assertEqual([one.result() for one in first + more], list(range(20)))
        self.assertEqual(sorted(int(one.split(".")[0]) for one in os.listdir(notes)), list(range(20)))
        self.assertEqual(gate.lost, 3)
        self.assertEqual(len(executor.campaigns), 1)

    def test_an_api_that_stays_away_fails_the_calls_after_the_patience(self):
        gate = Gate(self.path("gate.socket"), self.grid.config.socket)
        grid = gleaner.Grid("unix:" + gate.path)
        self.addCleanup(grid.close)
        executor = self.executor(grid=grid, clusters=["alpha"], patience=1.0)
        future = executor.submit(calls.wait_for, self.path("later"))
        while not executor.campaigns:
            time.sleep(0.02)
        gate.shut()
        with self.assertRaisesRegex(gleaner.CallNotDone, "could not be reached for 1 s"):
            future.result(timeout=60)
        executor.shutdown()
        self.grid.cancel(executor.campaigns[0])

    def test_a_program_that_forgets_shutdown_gets_its_results_before_it_ends(self):
        program = ("import sys; sys.path[:0] = %r\nimport gleaner, calls\n"
                   "gleaner.Executor(path=[%r]).submit(calls.square, 4).add_done_callback(lambda one: print(one.result()))\n")
        done = subprocess.run([sys.executable, "-c", program % ([os.path.join(ROOT, "clients/python"), MODULES], MODULES)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.stdout, "16\n")


if __name__ == "__main__":
    unittest.main()
