"""Three machines with examples/executor.py, each with network and processes of its own. Executors, the service, links
and whole machines are lost at random. Every process that ran is then held against the log.

Takes namespaces: as root, or where users may make their own; else it is skipped. The state of a machine is a folder of
this one. MIRAB_MACHINES_SEED says what breaks.

    machines_test.py PROGRAM EXECUTOR SECONDS       for so long things break
"""

import collections
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest

from running import Client, Service, make_file

PROGRAM, EXECUTOR, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
SEED = int(os.environ.get("MIRAB_MACHINES_SEED", "1"))
MACHINES = ("n1", "n2", "n3")
TENANTS = ("vision", "speech")
CAPACITY = {"cpu": 4, "memory": "4Gi", "gpu": 2}
LOST_AFTER_S = 6
KINDS = ("executor", "executor", "service", "link", "link", "power")  # of what breaks, in rounds

# The first process of a machine. It starts and kills the executor on demand.
FIRST = """
import os, signal, sys
executor = 0
for line in sys.stdin:
    if line == "start\\n":
        executor = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
    else:
        os.kill(executor, signal.SIGKILL)
        os.waitpid(executor, 0)
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                break
        except ChildProcessError:
            break
    print("done", flush=True)
"""


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Machine:
    """Its executor runs, or does not; its link is up, or is not."""

    boots = 0

    def __init__(self, name, folder, token):
        self.name, self.folder, self.token = name, folder, token
        self.log = open(os.path.join(folder, f"{name}.log"), "ab")
        self.boot()

    def boot(self):
        Machine.boots += 1
        boot = Machine.boots
        self.link, net = f"mirab{boot}", f"10.{boot // 250}.{boot % 250}"
        command = [sys.executable, EXECUTOR, f"http://{net}.1:7417", self.name, "--token", self.token, "--state",
                   os.path.join(self.folder, self.name), "--interval", "1", "--plain", "--as-root",
                   *(f"--capacity={resource}={amount}" for resource, amount in CAPACITY.items())]
        self.process = subprocess.Popen(
            ["unshare", "--net", "--pid", "--fork", "--mount-proc", "--kill-child", sys.executable, "-c", FIRST, *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.is_running = False
        self.tell("start")  # its answer says that the namespaces are there
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as children:
            first = children.read().split()[0]
        ip("link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", first)
        ip("addr", "add", f"{net}.1/24", "dev", self.link)
        ip("link", "set", self.link, "up")
        within = ("nsenter", "-t", first, "--net", "ip")
        subprocess.run([*within, "addr", "add", f"{net}.2/24", "dev", "eth0"], check=True)
        subprocess.run([*within, "link", "set", "eth0", "up"], check=True)
        self.is_linked = True

    def tell(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n", what
        self.is_running = what == "start"

    def set_link(self, state):
        ip("link", "set", self.link, state)
        self.is_linked = state == "up"

    def lose_power(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Machines(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.trace = os.path.join(self.folder.name, "trace")
        self.machines, self.powerless = {}, set()
        ip("link", "set", "lo", "up")
        self.file = make_file(PROGRAM, self.folder.name)
        self.start_service()
        admin = self.client()
        for tenant in TENANTS:
            self.assertEqual(admin.put(f"/v1/tenants/{tenant}", {})[0], 201)
            self.assertEqual(admin.put(f"/v1/queues/{tenant}", {"tenant": tenant})[0], 201)
        for name in MACHINES:
            status, token, _ = admin.put(f"/v1/tokens/{name}", {"scopes": ["executor"], "tenant": "vision", "server": name})
            self.assertEqual(status, 201, token)
            secret = os.path.join(self.folder.name, f"{name}.token")
            with open(secret, "w", encoding="ascii") as file:
                file.write(token["secret"])
            self.machines[name] = Machine(name, self.folder.name, secret)

    def tearDown(self):
        for machine in self.machines.values():
            machine.lose_power()
            machine.log.close()
        self.service.end()
        self.folder.cleanup()

    def start_service(self):
        self.service = Service(PROGRAM, self.file, "--plaintext", "--silent-after", "2s", "--lost-after",
                               f"{LOST_AFTER_S}s", listen="0.0.0.0:7417")

    def client(self):
        return Client(7417, self.service.token)

    def submit(self, draw, number):
        """A job of short tasks, each of which writes when it starts and when it ends."""
        script = f'echo "start $MIRAB_TASK" >> {self.trace}; sleep {draw.uniform(0.05, 1):.2f}; ' \
                 f'echo "end $MIRAB_TASK" >> {self.trace}'
        queue = draw.choice(TENANTS)
        job = {"tasks": draw.randint(1, 4), "demand": {"cpu": draw.choice((1, 2)), "memory": "100Mi", "gpu": draw.choice((0, 1))},
               "spec": {"argv": ["sh", "-c", script], "time_limit": "60s", "when_lost": draw.choice(("rerun", "stop"))}}
        status, body, _ = self.client().put(f"/v1/queues/{queue}/jobs/j{number}", job)
        self.assertEqual(status, 201, body)
        return f"{queue}/j{number}"

    def break_something(self, draw, what):
        machine = self.machines[draw.choice(MACHINES)]
        whole = [other for other in self.machines.values() if other.is_running and other.is_linked]
        if what == "service":
            self.service.kill()
            time.sleep(draw.choice((0, 0, 1.5)))
            self.start_service()
        elif what == "executor" and machine.is_running:
            machine.tell("kill")
            if draw.random() < 0.6 or len(whole) == 1:
                machine.tell("start")
        elif what == "executor":
            machine.tell("start")
        elif what == "link" and (not machine.is_linked or len(whole) > 1):
            machine.set_link("down" if machine.is_linked else "up")
        elif what == "power":
            self.powerless.add(machine.name)
            machine.lose_power()
            machine.boot()

    def heal(self):
        for machine in self.machines.values():
            if not machine.is_linked:
                machine.set_link("up")
            if not machine.is_running:
                machine.tell("start")

    def pages(self, path):
        client, page = self.client(), ""
        while True:
            status, body, _ = client.get(f"{path}?limit=1000{page}")
            self.assertEqual(status, 200, body)
            yield from body["items"]
            if not body.get("page"):
                return
            page = f"&page={body['page']}"

    def events(self):
        client, after, found = self.client(), 0, []
        while True:
            status, body, _ = client.get(f"/v1/events?after={after}&wait=0s")
            self.assertEqual(status, 200, body)
            if not body["changes"]:
                return found
            found += [event for change in body["changes"] for event in change["events"]]
            after = body["revision"]

    def wait_until_all_ended(self):
        """However long that takes, as long as something ends."""
        left, deadline = None, 0
        while True:
            jobs = list(self.pages("/v1/queues/vision/jobs")) + list(self.pages("/v1/queues/speech/jobs"))
            open_jobs = [job for job in jobs if "ended" not in job]
            if not open_jobs:
                return jobs
            tasks = sum(job["waiting"] + job["running"] for job in open_jobs)
            if tasks != left:
                left, deadline = tasks, time.monotonic() + 60
            self.assertLess(time.monotonic(), deadline, open_jobs[:3] + self.logs())
            time.sleep(0.2)

    def logs(self):
        lines = [self.service.read_log()[-2000:]]
        for machine in self.machines.values():
            with open(machine.log.name, encoding="utf-8", errors="replace") as log:
                lines.append(log.read()[-3000:])
        return lines

    def test_no_task_is_lost_and_none_runs_unexplained(self):
        draw = random.Random(SEED)
        print(f"replay: MIRAB_MACHINES_SEED={SEED} {' '.join(sys.argv)}", file=sys.stderr)
        submitted, cancelled, broken, number, next_kinds = set(), set(), 0, 0, []
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            waiting = sum(self.client().get(f"/v1/queues/{queue}")[1]["waiting"] for queue in TENANTS)
            for _ in range(3 if waiting < 60 else 0):
                number += 1
                submitted.add(self.submit(draw, number))
            if draw.random() < 0.05:
                job = draw.choice(sorted(submitted))
                cancelled.add(job)
                self.client().ask("DELETE", "/v1/queues/{}/jobs/{}".format(*job.split("/")))
            if draw.random() < 0.8:
                if not next_kinds:
                    next_kinds = draw.sample(KINDS, len(KINDS))
                self.break_something(draw, next_kinds.pop())
                broken += 1
            time.sleep(draw.uniform(0.1, 0.5))
        self.heal()
        jobs = self.wait_until_all_ended()

        by_label = {f"{job['queue']}/{job['name']}": job for job in jobs}
        self.assertEqual(set(by_label), submitted)
        for label, job in by_label.items():
            self.assertEqual(job["failed"], 0, job)
            self.assertEqual(job["succeeded"] + job["cancelled"], job["tasks"], job)
            self.assertTrue(job["cancelled"] == 0 or label in cancelled, job)

        events = self.events()
        placed = {event["task"]: event for event in events if event["kind"] == "task-placed"}
        ended = {event["task"]: event for event in events if event["kind"] == "task-ended"}
        given_up = {event["server"] for event in events if event["kind"] == "server-lost"}
        ran = collections.defaultdict(collections.Counter)
        with open(self.trace, encoding="ascii") as trace:
            for line in trace:
                what, task = line.split()
                ran[task][what] += 1
        self.assertLessEqual(set(ran), set(placed))
        self.assertEqual(set(placed), set(ended))
        lost = 0
        for task, event in ended.items():
            times = ran[task]
            self.assertLessEqual(times["start"], 1, f"{task} was started twice")
            if event["why"] == "succeeded":
                self.assertEqual((times["start"], times["end"]), (1, 1), f"{task} did not run as the log says")
                continue
            job = by_label[event["job"]]
            if event["why"] == "cancelled":
                self.assertIn(event["job"], cancelled)
                continue
            self.assertEqual(event["why"], "lost", event)
            lost += 1
            server = placed[task]["server"]
            self.assertTrue(server in given_up or server in self.powerless or job["spec"]["when_lost"] == "stop", event)
        again = sum(times["end"] for times in ran.values()) - sum(job["succeeded"] for job in jobs)
        print(f"seed {SEED}: {len(jobs)} jobs, {len(placed)} tasks, {broken} things broken, {lost} tasks lost and run "
              f"again, {again} of them ran to their end before", file=sys.stderr)
        self.assertLessEqual(again, lost + sum(job["cancelled"] for job in jobs))
        checked = subprocess.run([PROGRAM, "serve", "check", self.file], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr)


def enter_namespaces():
    """Begins again in a network of its own, where that is possible."""
    if os.environ.get("MIRAB_IN_NAMESPACE") == "yes":
        return
    for command in (["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"]):
        try:
            subprocess.run([*command, "unshare", "--net", "--pid", "--fork", "--mount-proc", "ip", "link"], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            continue
        environment = {**os.environ, "MIRAB_IN_NAMESPACE": "yes"}
        os.execvpe(command[0], [*command, sys.executable, "-B", *sys.argv], environment)
    print("skipped: no namespaces can be made here (unshare and ip, as root or as a user who may)")
    sys.exit(77)


if __name__ == "__main__":
    enter_namespaces()
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2, warnings="ignore")
