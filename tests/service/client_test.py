"""The commands that ask a service, and the client of the Python module, against a real one."""

import contextlib
import datetime
import importlib.util
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

from running import Service, make_file, set_up

PROGRAM, SOURCE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
# The file alone: it needs neither the compiled module nor any package.
SPECIFICATION = importlib.util.spec_from_file_location("mirab_client", SOURCE / "src/python/mirab/client.py")
client = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(client)


class WithService(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.file = make_file(PROGRAM, self.folder.name)
        self.services = []
        self.service = self.start()
        self.admin = self.service.client()
        set_up(self.admin)
        self.token_file = self.token("tenant", {"scopes": ["submit", "read"], "tenant": "research"})
        self.python = client.Client(self.service.url, token_file=self.token_file)

    def tearDown(self):
        self.python.close()
        self.admin.connection.close()
        for service in self.services:
            if service.process.poll() is None:
                service.kill()
            service.process.stderr.close()
            service.log.close()
        self.folder.cleanup()

    def start(self, *options, port=0):
        self.services.append(Service(PROGRAM, self.file, *options, listen=f"127.0.0.1:{port}"))
        return self.services[-1]

    def token(self, name, content):
        status, body, _ = self.admin.put(f"/v1/tokens/{name}", content)
        self.assertEqual(status, 201, body)
        file = os.path.join(self.folder.name, name)
        with open(file, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
            out.write(body["secret"] + "\n")
        return file

    def environment(self, **more):
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("MIRAB_", "XDG_", "STATE_"))}
        return {**clean, "HOME": self.folder.name, "MIRAB_SERVER": self.service.url,
                "MIRAB_TOKEN_FILE": self.token_file, "COLUMNS": "120", **more}

    def mirab(self, *arguments, status=0, **environment):
        ran = subprocess.run([PROGRAM, *arguments], env=self.environment(**environment), capture_output=True, text=True,
                             timeout=60)
        self.assertEqual(ran.returncode, status, ran.stdout + ran.stderr)
        return ran.stderr if status else ran.stdout

    def as_json(self, *arguments, status=0):
        return json.loads(self.mirab(*arguments, "--format", "json", status=status))

    def end_tasks(self, job, outcome="succeeded"):
        """What an executor says of the tasks of a job."""
        for _ in range(200):
            _, body, _ = self.admin.get(f"/v1/tasks?job={job}&state=placed")
            if body["items"]:
                break
            time.sleep(0.02)
        for task in body["items"]:
            status, body, _ = self.admin.put(f"/v1/tasks/{task['task']}/outcome", {"outcome": outcome})
            self.assertEqual(status, 200, body)

    def wait_until(self, ready):
        for _ in range(500):
            if ready():
                return
            time.sleep(0.02)
        self.fail("it did not come")


class Commands(WithService):
    def test_a_job_is_submitted_once_however_often(self):
        words = ["submit", "ml/a", "--tasks", "2", "--demand", "cpu=1500m", "--demand", "gpu=1", "--select", "zone=a",
                 "--label", "commit=1", "--env", "N=1", "--priority", "-1", "--", "sleep", "--for", "1"]
        text = self.mirab(*words)
        self.assertRegex(text, r"^ml/a: waiting \(2 waiting; uid j-\d+\)\n$")
        self.assertEqual(self.mirab(*words), text)
        job = self.as_json("jobs", "ml/a")
        self.assertEqual(job["spec"]["argv"], ["sleep", "--for", "1"])
        self.assertEqual((job["demand"]["cpu"], job["select"], job["priority"]), ("1.5", {"zone": ["a"]}, -1))
        other = self.mirab("submit", "ml/a", "--demand", "cpu=2", status=2)
        self.assertRegex(other, r"mirab: ml/a: The name is taken: .* differ")
        wrong = self.mirab("submit", "ml/b", "--demand", "gpus=2", status=2)
        self.assertIn("/demand/gpus", wrong)
        self.assertIn("There is no such resource", wrong)

    def test_a_job_that_failed_is_not_submitted_again(self):
        words = ["submit", "ml/a", "--demand", "cpu=1", "--", "false"]
        self.mirab(*words)
        self.end_tasks("ml/a", "failed")
        said = self.mirab(*words, status=1)
        self.assertIn("mirab: ml/a: it was submitted before, and has failed; nothing of it runs again", said)
        self.mirab("submit", "ml/b", "--demand", "cpu=1", "--", "true")
        self.mirab("cancel", "ml/b")
        self.assertIn("and has been cancelled", self.mirab("submit", "ml/b", "--demand", "cpu=1", "--", "true", status=1))

    def test_a_job_without_a_command_is_taken_with_a_warning(self):
        ran = subprocess.run([PROGRAM, "submit", "ml/a", "--demand", "cpu=1"], env=self.environment(), capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("mirab: note: no command follows --", ran.stderr)

    def test_a_file_of_more_jobs_than_the_rate_lets_through_is_submitted_to_its_end(self):
        self.admin.put("/v1/tenants/research", {"limits": {"burst": 1000, "submits_per_s": 500}})
        file = os.path.join(self.folder.name, "many.json")
        with open(file, "w", encoding="ascii") as out:
            json.dump([{"queue": "ml", "name": f"j{n}", "demand": {"gpu": 9}} for n in range(3500)], out)
        ran = subprocess.run([PROGRAM, "submit", "--file", file, "-o", os.devnull], env=self.environment(), capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.admin.get("/v1/queues/ml")[1]["jobs"], 3500)
        # A limit that no wait helps: how far it came is printed, and the rest is not tried.
        self.admin.put("/v1/tenants/research", {"limits": {"queued_jobs": 4000, "burst": 100_000}})
        with open(file, "w", encoding="ascii") as out:
            json.dump([{"queue": "ml", "name": f"k{n}", "demand": {"gpu": 9}} for n in range(4000)], out)
        ran = subprocess.run([PROGRAM, "submit", "--file", file, "-o", os.devnull], env=self.environment(), capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("mirab: note: 500 of 4000 submitted; submit the file again for the others", ran.stderr)
        self.assertNotIn("k3999", ran.stderr)

    def test_why_takes_the_ids_that_are_printed_and_says_how_far_back_it_goes(self):
        self.mirab("submit", "ml/a", "--demand", "cpu=1", "--", "true")
        self.wait_until(lambda: self.admin.get("/v1/tasks?job=ml/a")[1]["items"])
        self.assertRegex(self.mirab("why", "t-0"), r"task +t-0 of ml/a")
        policy = self.admin.get("/v1/cluster")[1]["policy"]
        self.admin.put("/v1/cluster/policy", {**policy, "placement": "worst-fit"})
        self.mirab("submit", "ml/b", "--demand", "cpu=1", "--", "true")
        self.wait_until(lambda: self.admin.get("/v1/tasks?job=ml/b")[1]["items"])
        task = self.admin.get("/v1/tasks?queue=ml&job=b")[1]["items"][0]["task"]
        self.assertTrue(task.startswith("t1-"), task)
        self.assertIn(f"{task} of ml/b", self.mirab("why", task))
        for _ in range(3):  # each end writes a snapshot, and three are kept
            self.admin.put("/v1/tenants/another", {"limits": {"watches": 64 + _}})
            self.service.stop()
            port = self.service.port
            self.service = self.start(port=port)
            self.admin = self.service.client()
        said = self.mirab("why", task, status=2)
        self.assertRegex(said, rf"^mirab: {task}: It was placed too long ago to be explained: decisions from revision \d+ on can be explained")
        status, body, _ = self.admin.get(f"/v1/tasks/{task}/explain")
        self.assertEqual((status, body["type"]), (410, "/problems/compacted"))
        self.assertEqual(self.admin.get("/v1/tasks/t1-999/explain")[0], 404)

    def test_a_job_without_a_name_gets_a_uuid(self):
        job = self.as_json("submit", "ml", "--demand", "cpu=1")
        self.assertRegex(job["name"], "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")

    def test_waiting_for_a_job_lasts_through_a_restart_and_says_how_it_ended(self):
        for outcome, status in (("succeeded", 0), ("failed", 1)):
            waiting = subprocess.Popen([PROGRAM, "submit", f"ml/{outcome}", "--demand", "cpu=1", "--wait", "--", "true"],
                                       env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertIn("is submitted; waiting", waiting.stderr.readline())
            self.wait_until(lambda: self.watchers() == 1)
            port = self.service.port
            self.service.kill()
            self.service = self.start(port=port)
            self.admin = self.service.client()
            self.assertIn("trying again", waiting.stderr.readline())
            self.end_tasks(f"ml/{outcome}", outcome)
            out, err = waiting.communicate(timeout=60)
            self.assertEqual(waiting.returncode, status, err)
            self.assertIn(f"ml/{outcome}: {outcome} (1 {outcome};", out)

    def watchers(self):
        _, text, _ = self.admin.get("/metrics")
        return int(float(next(line for line in text.splitlines() if line.startswith("mirab_watchers ")).split()[1]))

    def test_a_file_of_jobs_is_submitted_each_for_itself(self):
        file = os.path.join(self.folder.name, "jobs.yaml")
        with open(file, "w", encoding="utf-8") as out:
            out.write("jobs:\n- {queue: ml, name: a, demand: {cpu: 1}}\n- {queue: ml, name: b, demand: {disk: 1}}\n"
                      "- {queue: ml, demand: {cpu: 1}, tasks: 3}\n")
        ran = subprocess.run([PROGRAM, "submit", "--file", file], env=self.environment(), capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(len(ran.stdout.splitlines()), 2, ran.stdout)
        self.assertIn("jobs.yaml:3: /demand/disk: ml/b: There is no such resource", ran.stderr)
        self.assertEqual(sorted(job["waiting"] + job["running"] for job in self.python.jobs("ml")), [1, 3])

    def test_jobs_are_listed_filtered_and_by_pages(self):
        self.python.submit_all({"queue": "ml", "name": f"j{n:04}", "demand": {"cpu": 1}, "labels": {"odd": str(n % 2)}}
                               for n in range(1500))
        listed = subprocess.run([PROGRAM, "jobs", "ml", "--limit", "3"], env=self.environment(), capture_output=True,
                                text=True)
        self.assertIn("j0002", listed.stdout)
        self.assertNotIn("j0003", listed.stdout)
        page = listed.stderr.split("--page ")[1].split(",")[0]
        self.assertIn("j0003", self.mirab("jobs", "ml", "--limit", "1", "--page", page))
        self.assertEqual(len(self.as_json("jobs", "ml", "--all")["items"]), 1500)
        self.assertEqual(len(self.as_json("jobs", "ml", "--all", "--label", "odd=1")["items"]), 750)
        self.assertEqual(self.as_json("jobs", "ml", "--state", "succeeded")["items"], [])
        self.assertEqual(len(list(self.python.jobs("ml", labels={"odd": "0"}))), 750)

    def test_a_job_is_shown_with_its_tasks_and_why_they_failed(self):
        self.mirab("submit", "ml/a", "--tasks", "2", "--demand", "cpu=1")
        self.wait_until(lambda: self.python.job("ml/a")["running"] == 2)
        (first, second) = self.as_json("jobs", "ml/a")["tasks_shown"]
        outcome = {"outcome": "failed", "exit_code": 137, "reason": "out of memory"}
        self.assertEqual(self.admin.put(f"/v1/tasks/{first['task']}/outcome", outcome)[0], 200)
        self.wait_until(lambda: self.python.job("ml/a")["failed"] == 1)
        text = self.mirab("jobs", "ml/a", COLUMNS="200")
        self.assertRegex(text, rf"(?m)^task +job +server +state +attempt +started +ended +exit code +reason$")
        self.assertRegex(text, rf"(?m)^{first['task']} +ml/a +n\d +failed +1 .*Z +137 +out of memory$")
        self.assertRegex(text, rf"(?m)^{second['task']} +ml/a +n\d +placed ")
        self.assertEqual([task["task"] for task in self.as_json("jobs", "ml/a", "--state", "failed")["tasks_shown"]],
                         [first["task"]])
        self.assertRegex(self.mirab("why", "ml/a"),
                         rf"(?m)^failed +1 task, the latest {first['task']} on n\d: exit code 137, out of memory$")
        self.assertEqual(self.as_json("why", "ml/a")["failures"]["latest"]["exit_code"], 137)
        listed = subprocess.run([PROGRAM, "jobs", "ml/a", "--limit", "1"], env=self.environment(), capture_output=True,
                                text=True)
        page = listed.stderr.split("--page ")[1].split(",")[0]
        self.assertIn(first["task"], self.mirab("jobs", "ml/a", "--page", page), "those that are over come last")

    def test_servers_are_listed_and_shown_with_their_tasks(self):
        self.mirab("submit", "ml/a", "--demand", "cpu=1")
        self.wait_until(lambda: self.python.job("ml/a")["running"] == 1)
        admin = ("--token-file", self.file + ".admin-token")
        self.admin.put("/v1/servers/n1", {"capacity": {"cpu": 64}, "labels": {"zone": "a"}, "state": "drained"})
        self.wait_until(lambda: self.admin.get("/v1/servers/n1")[1]["state"] == "drained")
        text = self.mirab("servers", *admin)
        self.assertRegex(text, r"(?m)^n1 +drained +[01] +(nothing|1 cpu) +64 cpu +zone=a$")
        self.assertEqual([server["name"] for server in self.as_json("servers", "--state", "drained")["items"]], ["n1"])
        self.assertEqual(self.as_json("servers", "--label", "zone=b")["items"], [])
        self.assertEqual(self.mirab("servers", "--label", "zone=b"), "no servers\n")
        server = self.as_json("jobs", "ml/a")["tasks_shown"][0]["server"]
        self.assertRegex(self.mirab("servers", server, *admin), r"(?m)^task .*\n─+\nt-\d+ +ml/a +")
        self.assertRegex(self.mirab("servers", "n0"), r"(?m)^capacity +64 cpu, 8 gpu, 256Gi memory$")
        self.assertIn("/state", self.mirab("servers", "--state", "placed", status=2))

    def test_a_name_that_is_not_there_is_answered_with_those_that_are_near(self):
        self.mirab("submit", "ml/train", "--demand", "cpu=1")
        self.assertIn("there is no queue 'mll'; did you mean ml? Known are ml; `mirab queues` lists them",
                      self.mirab("jobs", "mll", status=2))
        self.assertIn("did you mean ml?", self.mirab("submit", "mll/x", "--demand", "cpu=1", status=2))
        for command in ("jobs", "why", "cancel"):
            self.assertIn("there is no job 'trian' in this queue; did you mean train? Known are train; `mirab jobs ml` lists "
                          "them", self.mirab(command, "ml/trian", status=2))

    def test_a_queue_of_another_tenant_is_called_so(self):
        self.admin.put("/v1/tenants/others", {})
        self.admin.put("/v1/queues/speech", {"tenant": "others"})
        self.mirab("submit", "ml/train", "--demand", "cpu=1")
        self.assertIn("speech: the queue 'speech' belongs to another tenant; this token's are ml",
                      self.mirab("submit", "speech/x", "--demand", "cpu=1", status=2))
        self.assertIn("the queue 'speech' belongs to another tenant", self.mirab("why", "speech/x", status=2))
        said = self.mirab("submit", "nope/x", "--demand", "cpu=1", status=2)
        self.assertIn("there is no queue 'nope'; known are ml; `mirab queues` lists them", said)
        self.service.kill()
        service = self.start("--others", "all")
        said = self.mirab("submit", "speech/x", "--demand", "cpu=1", status=2, MIRAB_SERVER=service.url)
        self.assertIn("speech: the queue belongs to the tenant 'others'; this token is of another", said)

    def test_a_what_if_names_what_is_not_there(self):
        self.mirab("submit", "ml/train", "--demand", "cpu=1")
        for words, said in (
                (("--add-servers", "1", "--like", "n9"), "--like: there is no server 'n9'"),
                (("--weight", "mll=2"), "--weight: mll: there is no queue 'mll'; did you mean ml? Known are ml"),
                (("--weight", "ml=1", "--drain", "n8"), "--drain: there is no server 'n8'"),
                (("--weight", "ml=1", "--cancel", "ml/trian"), "--cancel: ml/trian: there is no job 'trian' in this queue"),
                (("--weight", "ml=1", "--job", "ml/none"), "--job: ml/none: there is no job 'none'")):
            self.assertIn(said, self.mirab("whatif", *words, "--token-file", self.file + ".admin-token", status=2), words)
        self.assertIn("--on: there is no server 'n9'", self.mirab("why", "ml/train", "--on", "n9", status=2))
        self.assertRegex(self.mirab("servers", "n9", status=2), "there is no server 'n9'; .*nown are n0, n1; `mirab servers` lists them")

    def test_why_gives_the_verdict_the_step_and_then_the_evidence(self):
        self.mirab("submit", "ml/large", "--demand", "gpu=9")
        lines = self.mirab("why", "ml/large").splitlines()
        self.assertRegex(lines[0], "^too-small: .*gpu")
        self.assertRegex(lines[1], "^next step: ")
        self.assertIn("2: 2 too small", "\n".join(lines))
        self.assertRegex(self.mirab("why", "ml/large", "--on", "n1"), "^too-small: ")
        self.mirab("submit", "ml/small", "--demand", "gpu=1")
        self.wait_until(lambda: self.python.job("ml/small")["running"] == 1)
        (task,) = self.admin.get("/v1/tasks?job=ml/small")[1]["items"]
        self.assertIn(f"task               {task['task']} of ml/small", self.mirab("why", task["task"]))
        self.assertIn("mirab: ml/none: there is no job 'none' in this queue; known are large", self.mirab("why", "ml/none", status=2))

    def test_a_what_if_changes_nothing(self):
        self.mirab("submit", "ml/many", "--tasks", "20", "--demand", "gpu=1")
        self.wait_until(lambda: self.python.job("ml/many")["running"] == 16)
        more = self.as_json("whatif", "--add-servers", "2", "--like", "n0", "--job", "ml/many")
        self.assertEqual(more["jobs"], [{"job": "ml/many", "running": [16, 20]}])
        table = self.mirab("whatif", "--add-servers", "2", "--like", "n0", "--weight", "ml=2", "--job", "ml/many")
        self.assertRegex(table, r"(?m)^ml/many +16 +20$")
        admin = self.file + ".admin-token"
        self.mirab("whatif", "--drain", "n1", "--mechanism", "drf", "--cancel", "ml/many", "--token-file", admin)
        self.assertEqual(self.python.job("ml/many")["running"], 16)
        self.assertIn("go together", self.mirab("whatif", "--like", "n0", status=2))

    def test_queues_show_the_fair_share_beside_what_each_has(self):
        self.mirab("submit", "ml/many", "--tasks", "20", "--demand", "gpu=1")
        self.wait_until(lambda: self.python.job("ml/many")["running"] == 16)
        self.assertRegex(self.mirab("queues", "--mechanism", "drfh"), r"(?m)^ml +1 +100\.0% +100\.0% +16 +4 +1 +16 gpu$")
        body = self.as_json("queues")
        self.assertEqual(body["queues"][0]["waiting"], 4)
        self.assertEqual(body["fair_shares"]["queues"][0]["queue"], "ml")
        self.assertIn("/mechanism", self.mirab("queues", "--mechanism", "none", status=2))
        self.mirab("submit", "ml/huge", "--demand", "gpu=9")
        admin = {**self.environment(), "MIRAB_TOKEN_FILE": self.file + ".admin-token"}
        said = subprocess.run([PROGRAM, "queues"], env=admin, capture_output=True, text=True)
        self.assertIn("the fair shares leave out what the open servers can never hold: ml/huge", said.stderr)

    def test_a_job_with_roles_starts_together_and_is_shown_role_by_role(self):
        file = os.path.join(self.folder.name, "job.yaml")
        with open(file, "w", encoding="utf-8") as out:
            out.write("queue: ml\nname: train\nroles:\n- {name: launcher, demand: {cpu: 500m}}\n"
                      "- {name: worker, tasks: 2, demand: {cpu: 1, gpu: 1}}\n")
        self.mirab("submit", "--file", file)
        self.wait_until(lambda: self.python.job("ml/train")["running"] == 3)
        self.assertRegex(self.mirab("jobs", "ml/train"), r"(?m)^role worker +2 tasks of 1 cpu, 1 gpu; 2 running, 0 waiting$")
        self.assertIn("1 launcher: 0.5 cpu; 2 worker: 1 cpu, 1 gpu", self.mirab("jobs", "ml", COLUMNS="200"))
        roles = [{"name": "launcher", "demand": {"cpu": 0.5}}, {"name": "worker", "tasks": 2, "demand": {"cpu": 1, "gpu": 1}}]
        self.assertTrue(self.python.submit("ml/train", roles=roles)["replayed"])
        self.python.submit("ml/large", roles=[{"name": "all", "tasks": 15, "demand": {"gpu": 1}}])
        self.assertIn("(all 14 of 15)", self.mirab("why", "ml/large"))

    def test_usage_and_history_are_tables_csv_and_json(self):
        self.mirab("submit", "ml/j", "--demand", "cpu=2", "--demand", "gpu=1")
        self.wait_until(lambda: self.python.job("ml/j")["running"] == 1)
        self.wait_until(lambda: self.as_json("usage")["items"][0]["hours"]["cpu"] > 0)
        self.assertRegex(self.mirab("usage"), r"queue +cpu +memory +gpu\n[─]+\nml ")
        self.assertRegex(self.mirab("usage", "--by", "tenant", "--format", "csv"), r"^tenant,cpu,memory,gpu\nresearch,[\d.e-]+,0,")
        self.assertIn("nothing was used from 2020-01-01T00", self.mirab("usage", "--from", "2020-01-01T00:00:00Z",
                                                                       "--to", "2020-01-02T00:00:00Z"))
        self.assertIn("/from", self.mirab("usage", "--from", "soon", status=2))
        rows = self.mirab("history", "ml", "--series", "running", "--format", "csv").splitlines()
        self.assertEqual(rows[0], "time,running")
        self.assertRegex(rows[-1], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ,")
        self.assertRegex(self.mirab("history", "ml", "--step", "10m"), r"(?m)^\d{4}-.*Z +(–|[\d.]+%)$")
        self.assertEqual(self.as_json("history", "--resource", "gpu", "--token-file", self.file + ".admin-token")["series"], "used")
        self.assertIn("one of them", self.mirab("history", status=2))
        self.assertIn("mirab: none: There is no such thing here", self.mirab("history", "none", status=2))
        self.assertEqual(self.python.usage(by="group")["by"], "group")
        end = datetime.datetime.now(datetime.timezone.utc)
        series = self.python.history("waiting", queue="ml", start=end - datetime.timedelta(minutes=5), end=end, step="1m")
        self.assertEqual((series["step"], len(series["t"])), (60, len(series["v"])))

    def test_watching_goes_on_where_it_broke(self):
        watching = subprocess.Popen([PROGRAM, "watch", "--queue", "ml", "--format", "json"], env=self.environment(),
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait_until(lambda: self.watchers() == 1)
        self.python.submit("ml/one", demand={"gpu": 9})
        lines = [json.loads(watching.stdout.readline())]
        port = self.service.port
        self.service.kill()
        self.assertIn("trying again", watching.stderr.readline())
        self.service = self.start(port=port)
        self.admin = self.service.client()
        self.python.submit("ml/two", demand={"gpu": 9})
        lines.append(json.loads(watching.stdout.readline()))
        self.assertIn("connected again", watching.stderr.readline())
        watching.send_signal(signal.SIGINT)
        rest, _ = watching.communicate(timeout=20)
        self.assertEqual((watching.returncode, rest), (-signal.SIGINT, ""))
        self.assertEqual([(each["events"][0]["kind"], each["events"][0]["job"]) for each in lines],
                         [("job-submitted", "ml/one"), ("job-submitted", "ml/two")])
        again = subprocess.Popen([PROGRAM, "watch", "--after", "1", "--kind", "job-submitted"], env=self.environment(),
                                 stdout=subprocess.PIPE, text=True)
        for line in lines:
            self.assertRegex(again.stdout.readline(),
                             rf"^{line['at']} +{line['revision']}  job-submitted    {line['events'][0]['job']}\n$")
        again.kill()
        again.communicate()

    def test_cancelling_is_for_several_and_repeatable(self):
        self.mirab("submit", "ml/a", "--demand", "gpu=1")
        self.mirab("submit", "ml/b", "--demand", "gpu=1")
        for _ in range(2):
            self.assertEqual([line.split(" (")[0] for line in self.mirab("cancel", "ml/a", "ml/b").splitlines()],
                             ["ml/a: cancelled", "ml/b: cancelled"])
        self.assertIn("ml/none: there is no job 'none' in this queue", self.mirab("cancel", "ml/none", status=2))

    def test_what_is_wrong_with_the_connection_is_said(self):
        bad = self.written("bad", "mirab_read_x")
        self.assertIn(f"A valid token is needed; the one in {bad} is not valid, or no longer",
                      self.mirab("queues", status=2, MIRAB_TOKEN_FILE=bad))
        self.assertIn("A valid token is needed; give its file with --token-file",
                      self.mirab("queues", status=2, MIRAB_TOKEN_FILE=""))
        self.assertIn("holds no token", self.mirab("queues", status=2, MIRAB_TOKEN_FILE=self.written("empty", "")))
        self.assertIn("without TLS", self.mirab("queues", status=2, MIRAB_SERVER="http://10.0.0.1:7417"))
        self.assertIn("MIRAB_SERVER: 'x:1' is not the URL", self.mirab("queues", status=2, MIRAB_SERVER="x:1"))
        self.assertIn("neither a job", self.mirab("why", "train-17", status=2))
        open_file = self.written("open", pathlib.Path(self.token_file).read_text())
        os.chmod(open_file, 0o644)
        ran = subprocess.run([PROGRAM, "queues", "--token-file", open_file], env=self.environment(),
                             capture_output=True, text=True)
        self.assertIn("other users of this machine can read the token", ran.stderr)

    def written(self, name, text):
        file = os.path.join(self.folder.name, name)
        with open(file, "w", encoding="ascii") as out:
            out.write(text)
        os.chmod(file, 0o600)
        return file

    def test_without_options_it_takes_the_token_of_the_state_folder(self):
        state = os.path.join(self.folder.name, ".local/state/mirab")
        os.makedirs(state)
        os.link(self.file + ".admin-token", os.path.join(state, "mirab.db.admin-token"))
        self.assertIn("ml", self.mirab("queues", MIRAB_TOKEN_FILE=""))


class BeforeThereIsAQueue(unittest.TestCase):
    def test_the_commands_say_who_makes_one(self):
        with tempfile.TemporaryDirectory() as folder:
            service = Service(PROGRAM, make_file(PROGRAM, folder))
            self.addCleanup(service.end)
            connection = ("--server", service.url, "--token-file", service.file + ".admin-token")
            for words, status in ((("queues",), 0), (("submit", "ml/a", "--demand", "cpu=1"), 2)):
                ran = subprocess.run([PROGRAM, *words, *connection], capture_output=True, text=True, timeout=60)
                self.assertEqual(ran.returncode, status, ran.stderr)
                said = (ran.stdout + ran.stderr).splitlines()
                self.assertEqual(len(said), 1, said)
                self.assertIn("no queue that this token may see; an administrator makes one with PUT /v1/queues/NAME", said[0])


class Python(WithService):
    def test_it_submits_asks_and_cancels(self):
        job = self.python.submit("ml/a", tasks=2, demand={"cpu": "500m", "gpu": 1}, argv=["true"], attempts=2)
        self.assertEqual((job["state"], job["attempts"]), ("waiting", 2))
        again = self.python.submit("ml/a", tasks=2, demand={"cpu": 0.5, "gpu": "1"}, argv=["true"], attempts=2)
        self.assertTrue(again["replayed"])
        self.assertEqual(self.python.why("ml/a", on="n0")["job"], "ml/a")
        self.assertIn("verdict", self.python.why("ml/a"))
        self.assertEqual([queue["name"] for queue in self.python.queues()], ["ml"])
        self.assertEqual([server["name"] for server in self.python.servers()], ["n0", "n1"])
        self.assertEqual(self.python.shares("drfh")["mechanisms"][0]["mechanism"], "drfh")
        self.assertEqual(self.python.whatif({"queue": "ml", "weight": "2"})["invariant"], "ok")
        self.assertEqual(self.python.cancel("ml/a")["state"], "cancelled")
        self.assertEqual(self.python.wait("ml/a")["state"], "cancelled")

    def test_problems_are_exceptions_with_type_and_key(self):
        with self.assertRaises(client.Problem) as caught:
            self.python.submit("ml/a", demand={"disk": 1})
        self.assertEqual((caught.exception.type, caught.exception.key, caught.exception.status),
                         ("unknown-resource", "/demand/disk", 422))
        with self.assertRaises(client.Problem) as caught:
            self.python.job("ml/none")
        self.assertEqual(caught.exception.type, "not-found")
        good, bad = self.python.submit_all([{"queue": "ml", "name": "g", "demand": {"cpu": 1}}, {"queue": "ml", "name": "b"}])
        self.assertEqual((good["name"], bad.key), ("g", "/jobs/1/demand"))
        with self.assertRaises(ValueError):
            client.Client("http://cluster.example", token_file=self.token_file)
        with self.assertRaises(client.Unreachable):
            client.Client("http://127.0.0.1:1", token_file=self.token_file, patience=0).cluster()

    def test_waiting_ends_with_the_job_or_the_time(self):
        self.python.submit("ml/a", demand={"cpu": 1})
        with self.assertRaises(TimeoutError):
            self.python.wait("ml/a", timeout=0.1)
        ended = []
        waiting = threading.Thread(target=lambda: ended.append(self.python.wait("ml/a", timeout=60)))
        waiting.start()
        self.end_tasks("ml/a")
        waiting.join()
        self.assertEqual(ended[0]["state"], "succeeded")

    def test_events_come_once_through_a_restart(self):
        events = self.python.events(1, kinds=["job-submitted"])
        seen = []
        for n in range(3):
            with client.Client(self.service.url, token_file=self.token_file) as other:
                other.submit(f"ml/j{n}", demand={"gpu": 9})
            seen.append(next(events))
            port = self.service.port
            self.service.kill()
            self.service = self.start(port=port)
        events.close()
        self.assertEqual([each["events"][0]["job"] for each in seen], ["ml/j0", "ml/j1", "ml/j2"])


class Guide(WithService):
    """docs/how-to/use-a-service.md, as its reader types it."""

    DOCUMENT = (SOURCE / "docs/how-to/use-a-service.md").read_text(encoding="utf-8")

    def blocks(self, language):
        return re.findall(rf"^```{language}\n(.*?)^```$", self.DOCUMENT, re.DOTALL | re.MULTILINE)

    def test_its_commands_work(self):
        program = os.path.dirname(os.path.abspath(PROGRAM))
        script = "set -eux\n" + "".join(self.blocks("sh")).replace(
            "mirab submit --file jobs.yaml", "mirab submit --file jobs.yaml\nmirab jobs ml --state waiting")
        done = subprocess.run(["bash", "-c", script], cwd=self.folder.name, capture_output=True, text=True, timeout=120,
                              env=self.environment(PATH=program + ":" + os.environ["PATH"]))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for shown in ("ml/train-17: waiting (4 waiting", "ml/sweep-2: waiting", "too-small: ", "ml/sweep-1: cancelled",
                      "task-placed      ml/train-17", '"verdict":"too-small"', '"kind":"job-submitted"',
                      '"name":"with-curl"', "ml/train-18: waiting (3 waiting", "amount times hours", "means of 10 s each"):
            self.assertIn(shown, done.stdout)

    def test_its_python_works(self):
        (block,) = self.blocks("python")
        sys.modules["mirab.client"] = client
        self.addCleanup(sys.modules.pop, "mirab.client")
        said = io.StringIO()
        with unittest.mock.patch.dict(os.environ, self.environment()), contextlib.redirect_stdout(said):
            exec(block, {})
        self.assertIn("unknown-resource /demand/disk\n", said.getvalue())
        self.assertEqual(len(said.getvalue().splitlines()), 3)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
