"""`mirab demo`: a service with life in it, that answers as any other and leaves nothing behind."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from running import Client

PROGRAM = sys.argv.pop(1)


class Demo(unittest.TestCase):
    def start(self, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.process = subprocess.Popen([PROGRAM, "demo", *options], stdout=subprocess.PIPE, text=True,
                                        stderr=open(os.path.join(self.folder, "said"), "w"),
                                        env={**os.environ, "TMPDIR": self.folder})
        self.addCleanup(self.end)
        text = ""
        for line in self.process.stdout:
            text += line
            if "Ctrl-C" in line:
                break
        port = re.search(r"(?m)^address +http://127\.0\.0\.1:(\d+)/$", text)
        self.assertTrue(port, text + self.said())
        admin = re.search(r"(?m)^token that may do all +(\S+)$", text)[1]
        team = re.search(r"(?m)^token of the team (\S+) +(\S+)$", text)
        self.client, self.of_team = Client(int(port[1]), admin), Client(int(port[1]), team[2])
        self.team = team[1]
        self.environment = {**os.environ, **dict(re.findall(r"(MIRAB_\w+)=(\S+)", text))}
        return text

    def said(self):
        with open(os.path.join(self.folder, "said"), encoding="utf-8") as file:
            return file.read()

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(timeout=60), 0, self.said())
        self.assertEqual(os.listdir(self.folder), ["said"])

    def until(self, what):
        deadline = time.monotonic() + 60
        while not (found := what()):
            self.assertIsNone(self.process.poll(), self.said())
            self.assertLess(time.monotonic(), deadline, self.said())
            time.sleep(0.1)
        return found

    def queues(self, state):
        return {each["name"]: each[state] for each in self.client.get("/v1/queues")[1]["items"] if each[state]}

    def jobs(self, queue, state):
        return self.client.get(f"/v1/queues/{queue}/jobs?state={state}")[1]["items"]

    def plays(self, *options):
        """Jobs run, wait and end; why and what-if answer; a team sees its own. Returns a queue whose jobs wait."""
        self.start(*options)
        queue = next(iter(self.until(lambda: self.queues("waiting"))))
        self.assertTrue(self.queues("running"))
        jobs = self.until(lambda: self.jobs(queue, "waiting"))
        status, why, _ = self.client.get(f"/v1/queues/{queue}/jobs/{jobs[-1]['name']}/explain")
        self.assertEqual(status, 200, why)
        like = self.client.get("/v1/servers")[1]["items"][0]["name"]
        status, body, _ = self.client.ask("POST", "/v1/whatif", {"changes": [{"add_servers": {"like": like, "count": 50}}]})
        self.assertEqual(status, 200, body)
        self.until(lambda: any(self.jobs(each, "succeeded") for each in self.queues("running")))
        seen = {each["name"] for each in self.of_team.get("/v1/queues")[1]["items"] if "running" in each}
        self.assertTrue(seen)
        self.assertLess(len(seen), len(self.client.get("/v1/queues")[1]["items"]))
        done = subprocess.run([PROGRAM, "queues", "--format", "json"], env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout))

    def test_the_hour_of_google(self):
        self.plays("--speed", "500")
        self.stop()

    def test_the_days_with_gpus(self):
        self.plays("openb", "--speed", "20000")
        self.stop()

    def test_a_trace_that_is_over_begins_again_on_an_empty_cluster(self):
        self.start("--speed", "2000")
        self.until(lambda: "begins again" in self.said())
        again = self.until(lambda: [each for queue in self.queues("running") for each in self.jobs(queue, "running")
                                    if each["name"].endswith("-again1")])
        self.assertTrue(again)
        for queue in self.queues("running"):
            self.assertFalse([each for each in self.jobs(queue, "running") if "-again" not in each["name"]], queue)
        self.stop()

    def test_what_a_visitor_submits_runs_and_may_be_cancelled(self):
        self.start("--speed", "1")
        queue, name = next(iter(self.until(lambda: self.queues("running")))), "mine"
        self.assertEqual(self.client.put(f"/v1/queues/{queue}/jobs/mine", {"demand": {"cpu": "1m"}})[0], 201)
        self.until(lambda: self.client.get(f"/v1/queues/{queue}/jobs/mine")[1]["state"] == "running")
        self.assertEqual(self.client.ask("DELETE", f"/v1/queues/{queue}/jobs/{name}")[0], 200)
        stopped = self.until(lambda: self.client.get("/v1/events?after=0&kind=task-stopped&wait=1s")[1]["changes"])
        self.assertEqual(stopped[0]["events"][0]["job"], f"{queue}/{name}")
        self.stop()

    def test_a_file_that_is_there_is_left_alone_and_one_that_is_made_is_kept(self):
        self.start("--speed", "2000", "--file", os.path.join(tempfile.gettempdir(), f"demo-{os.getpid()}.db"))
        file = self.environment["MIRAB_TOKEN_FILE"].removesuffix(".admin-token")
        self.addCleanup(lambda: [os.remove(os.path.join(os.path.dirname(file), each)) for each in
                                 os.listdir(os.path.dirname(file)) if each.startswith(os.path.basename(file))])
        self.stop()
        done = subprocess.run([PROGRAM, "serve", "check", file], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        again = subprocess.run([PROGRAM, "demo", "--file", file], capture_output=True, text=True)
        self.assertEqual(again.returncode, 2)
        self.assertIn("there is such a file already", again.stderr)

    def test_it_is_for_this_machine_alone(self):
        done = subprocess.run([PROGRAM, "demo", "--listen", "0.0.0.0:0"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("this machine alone", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
