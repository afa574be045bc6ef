"""examples/executor.py on one machine: what it refuses, stops, waits for and reports. With plain child processes, and
under a stand-in for systemd."""

import os
import shlex
import subprocess
import sys
import tempfile
import time
import unittest

from running import Service, make_file

PROGRAM, EXECUTOR = sys.argv.pop(1), sys.argv.pop(1)
STAND_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "systemd_stand_in.py")


class OneExecutor(unittest.TestCase):
    SILENT_AFTER, LOST_AFTER = "20s", "60s"  # a busy machine takes seconds between two heartbeats

    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # a task may still write there
        self.addCleanup(folder.cleanup)
        self.folder, self.trace, self.executor = folder.name, os.path.join(folder.name, "trace"), None
        self.file = make_file(PROGRAM, self.folder)
        self.service = Service(PROGRAM, self.file, "--silent-after", self.SILENT_AFTER, "--lost-after", self.LOST_AFTER)
        self.addCleanup(self.service.end)
        self.client = self.service.client()
        self.client.put("/v1/tenants/a", {})
        self.client.put("/v1/queues/q", {"tenant": "a"})
        token = self.client.put("/v1/tokens/n", {"scopes": ["executor"], "tenant": "a", "server": "n"})[1]
        with open(os.path.join(self.folder, "token"), "w", encoding="ascii") as file:
            file.write(token["secret"])
        self.addCleanup(self.end_executor)

    def end_executor(self):
        if self.executor is not None:
            self.executor.kill()
            self.executor.wait()

    def command(self, *more):
        return [sys.executable, "-B", EXECUTOR, f"http://127.0.0.1:{self.service.port}", "n", "--plain", "--token",
                os.path.join(self.folder, "token"), "--state", os.path.join(self.folder, "state"), "--interval", "1",
                "--capacity=cpu=4", "--capacity=memory=4Gi", "--capacity=gpu=2", *more]

    def start(self, *more):
        self.executor = subprocess.Popen(self.command("--as-root", *more), stderr=subprocess.DEVNULL)

    def submit(self, name, script, cpu=1, gpu=0, **spec):
        job = {"demand": {"cpu": cpu, "gpu": gpu}, "spec": {"argv": ["sh", "-c", script], **spec}}
        status, body, _ = self.client.put(f"/v1/queues/q/jobs/{name}", job)
        self.assertEqual(status, 201, body)

    def mark(self, word):
        return f"echo {word} >> {shlex.quote(self.trace)}"

    def traced(self):
        if not os.path.exists(self.trace):
            return []
        with open(self.trace, encoding="ascii") as trace:
            return trace.read().split()

    def wait_for(self, ready):
        deadline = time.monotonic() + 60
        while not ready():
            self.assertLess(time.monotonic(), deadline, self.traced())
            time.sleep(0.05)

    def task_of(self, job):
        for task in self.client.get("/v1/tasks")[1]["items"]:
            if task["job"] == f"q/{job}":
                return task
        return {}


class Executor(OneExecutor):
    @unittest.skipUnless(os.geteuid() == 0, "only root may be anybody")
    def test_as_root_it_runs_nothing_without_a_user_for_the_tenant(self):
        done = subprocess.run(self.command(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--users", done.stderr)
        users = os.path.join(self.folder, "users.json")
        with open(users, "w", encoding="ascii") as file:
            file.write('{"b": "nobody"}')
        self.executor = subprocess.Popen(self.command("--users", users), stderr=subprocess.DEVNULL)
        self.submit("j", self.mark("ran"))
        self.wait_for(lambda: self.task_of("j").get("state") == "failed")
        self.assertEqual(self.task_of("j")["reason"], "no Unix user for tenant a")
        self.assertEqual(self.traced(), [])

    def test_it_reports_how_a_task_ended(self):
        self.start()
        self.submit("good", "true")
        self.submit("bad", "exit 3")
        self.submit("long", "sleep 100", time_limit="1s")
        jobs = ("good", "bad", "long")
        self.wait_for(lambda: all(self.task_of(job).get("ended") for job in jobs))
        good, bad, late = (self.task_of(job) for job in jobs)
        self.assertEqual((good["state"], good["exit_code"]), ("succeeded", 0))
        self.assertGreater(good["usage"]["cpu_ns"], 0)
        self.assertGreater(good["usage"]["memory_peak"], 0)
        self.assertEqual((bad["state"], bad["exit_code"]), ("failed", 3))
        self.assertEqual((late["state"], late["reason"]), ("failed", "over its time limit"))

    def test_a_task_of_a_job_with_roles_finds_its_role(self):
        self.start()
        roles = [{"name": "launcher", "demand": {"cpu": 1}}, {"name": "worker", "tasks": 2, "demand": {"gpu": 1}}]
        script = f"echo $MIRAB_ROLE >> {shlex.quote(self.trace)}"
        status, body, _ = self.client.put("/v1/queues/q/jobs/j", {"roles": roles, "spec": {"argv": ["sh", "-c", script]}})
        self.assertEqual(status, 201, body)
        self.wait_for(lambda: self.client.get("/v1/queues/q/jobs/j")[1]["state"] == "succeeded")
        self.assertEqual(sorted(self.traced()), ["launcher", "worker", "worker"])

    def test_a_task_starts_when_what_holds_its_room_is_gone(self):
        self.start()
        self.submit("first", f"trap 'sleep 1.5; {self.mark('gone')}; exit' TERM; {self.mark('here')}; "
                             "while :; do sleep 0.1; done", cpu=4)
        self.wait_for(lambda: self.traced() == ["here"])
        self.submit("second", f"{self.mark('$CUDA_VISIBLE_DEVICES')}", cpu=4, gpu=2)
        self.client.ask("DELETE", "/v1/queues/q/jobs/first")
        self.wait_for(lambda: self.task_of("second").get("state") == "succeeded")
        self.assertEqual(self.traced(), ["here", "gone", "0,1"])

    def test_tasks_go_on_without_it_and_it_takes_them_up_again(self):
        self.start()
        self.submit("j", f"{self.mark('begin')}; sleep 1; {self.mark('end')}")
        self.wait_for(lambda: self.traced() == ["begin"])
        self.end_executor()
        self.wait_for(lambda: self.traced() == ["begin", "end"])
        self.start()
        self.wait_for(lambda: self.task_of("j").get("state") == "succeeded")
        self.assertEqual(self.traced(), ["begin", "end"])

    def test_once_it_does_what_is_due_and_ends(self):
        self.submit("j", self.mark("ran"))
        for _ in range(3):
            done = subprocess.run(self.command("--as-root", "--once"), capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            time.sleep(1)
        self.assertEqual((self.task_of("j").get("state"), self.traced()), ("succeeded", ["ran"]))


class ExecutorCutOff(OneExecutor):
    SILENT_AFTER, LOST_AFTER = "2s", "4s"

    def test_cut_off_from_the_service_it_stops_what_may_not_run_twice(self):
        self.start()
        self.submit("once", f"trap '{self.mark('stopped')}; exit' TERM; {self.mark('once')}; while :; do sleep 0.1; done",
                    when_lost="stop")
        self.submit("again", f"{self.mark('again')}; sleep 6; {self.mark('ended')}")
        self.wait_for(lambda: sorted(self.traced()) == ["again", "once"])
        self.service.kill()
        self.wait_for(lambda: "ended" in self.traced())
        self.assertEqual(self.traced()[2:], ["stopped", "ended"])


class UnderSystemd(OneExecutor):
    """`systemctl` and `systemd-run` are a stand-in, which has units as files."""

    def setUp(self):
        super().setUp()
        self.bin, self.units = os.path.join(self.folder, "bin"), os.path.join(self.folder, "units")
        os.mkdir(self.bin)
        os.mkdir(self.units)
        for name in ("systemctl", "systemd-run"):
            with open(os.path.join(self.bin, name), "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nexec {sys.executable} {STAND_IN} {name} {self.units} \"$@\"\n")
            os.chmod(file.name, 0o755)

    def start(self):
        # To the program it looks as if systemd were there and it were root.
        seems = ("import os, runpy, sys; is_there = os.path.isdir; os.geteuid = lambda: 0; "
                 "os.path.isdir = lambda path: path == '/run/systemd/system' or is_there(path); "
                 f"sys.argv = sys.argv[1:]; runpy.run_path({EXECUTOR!r}, run_name='__main__')")
        command = [sys.executable, "-B", "-c", seems, *self.command()[2:]]
        command.remove("--plain")
        self.executor = subprocess.Popen(command, stderr=subprocess.DEVNULL,
                                         env={**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"})

    def test_a_task_runs_to_its_end_whatever_the_policy_was_before(self):
        self.start()
        for turn in range(3):
            job = f"j{turn}"
            self.submit(job, f"{self.mark(job)}; sleep 1; exit {turn}")
            self.wait_for(lambda: self.task_of(job).get("ended"))
            task = self.task_of(job)
            self.assertEqual((task["attempt"], task["exit_code"]), (1, turn))
            self.assertRegex(task["task"], "^t-" if turn == 0 else f"^t{turn}-")
            policy = self.client.get("/v1/cluster")[1]["policy"]
            status, body, _ = self.client.put("/v1/cluster/policy", {**policy, "discipline": ["fifo", "drf", "fifo"][turn]})
            self.assertEqual(status, 200, body)
        self.assertEqual(self.traced(), ["j0", "j1", "j2"])

    def test_the_end_of_a_cancelled_task_is_the_end_of_its_unit(self):
        self.start()
        self.submit("j", f"{self.mark('here')}; exec sleep 100")
        self.wait_for(lambda: self.traced() == ["here"])
        self.client.ask("DELETE", "/v1/queues/q/jobs/j")
        self.wait_for(lambda: not os.listdir(self.units))

    def test_a_task_that_is_lost_again_and_again_is_tried_less_and_less_often(self):
        self.start()
        self.submit("j", f"{self.mark('begin')}; exec sleep 100")
        deadline = time.monotonic() + 8
        while time.monotonic() < deadline:
            for unit in os.listdir(self.units):
                subprocess.run([os.path.join(self.bin, "systemctl"), "stop", unit], check=True)
            time.sleep(0.1)
        # At 0 s, and after 0, 1, 3 and 7 s more: never more than five, however busy the machine is.
        self.assertLessEqual(len(self.traced()), 5)
        self.assertGreater(max(task["attempt"] for task in self.client.get("/v1/tasks")[1]["items"]), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
