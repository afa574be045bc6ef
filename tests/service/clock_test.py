"""Clocks that jump a year, go back and forth, or run slowly: engine time never goes back (history.py checks each log),
decisions are those of a right clock, after a restart at most a day is added, and past times stay what they were.

MIRAB_CLOCK_RUNS: how many clocks are tried."""

import itertools
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import history
from running import Service, make_file, set_up

PROGRAM, SHIM = sys.argv.pop(1), sys.argv.pop(1)
RUNS = int(os.environ.get("MIRAB_CLOCK_RUNS", "5"))
YEAR, DAY = 365 * 86_400, 86_400


class Clock:
    """What the service takes for the time (clock_shim.c)."""

    def __init__(self, folder):
        self.name = os.path.join(folder, "clock")
        self.set(0, 1000)

    def set(self, added_s, thousandths=1000):
        mode = "r+b" if os.path.exists(self.name) else "wb"
        with open(self.name, mode) as file:
            file.write(struct.pack("=qq", added_s, thousandths))

    def environment(self):
        return {"LD_PRELOAD": SHIM, "MIRAB_CLOCK": self.name}


def clocks():
    """What is set before each of the commands, each with its name."""
    right = itertools.repeat((0, 1000))
    draw = random.Random(1)
    yield "a year ahead", ((YEAR if n > 20 else 0, 1000) for n in itertools.count())
    yield "a year back", ((-YEAR if n > 20 else 0, 1000) for n in itertools.count())
    yield "back and forth", (((-1) ** n * YEAR, 1000) for n in itertools.count())
    yield "slow", ((0, 10) for _ in right)
    yield "fast", ((0, 50_000) for _ in right)
    while True:
        yield "at random", ((draw.randint(-YEAR, YEAR), draw.choice((1, 500, 1000, 20_000))) for _ in right)


class Clocks(unittest.TestCase):
    def play(self, settings):
        """The same commands, one after the other; where each task was placed, and the log."""
        with tempfile.TemporaryDirectory() as folder:
            clock = Clock(folder)
            file = make_file(PROGRAM, folder)
            service = Service(PROGRAM, file, environment=clock.environment())
            try:
                client = service.client()
                draw, self.placed = random.Random(7), {}
                for n in range(4):
                    client.put(f"/v1/servers/n{n}", {"capacity": {"cpu": 16 + n, "memory": "64Gi"}})
                client.put("/v1/tenants/t", {})
                for n in range(3):
                    client.put(f"/v1/queues/q{n}", {"tenant": "t", "weight": str(n + 1)})
                for n, setting in zip(range(60), settings):
                    clock.set(*setting)
                    if n in (25, 45):
                        self.assertEqual(service.stop(), 0)
                        service = Service(PROGRAM, file, environment=clock.environment())
                        client = service.client()
                    job = {"tasks": draw.randint(1, 3), "demand": {"cpu": draw.randint(1, 4)}}
                    path = f"/v1/queues/q{n % 3}/jobs/j{n}"
                    self.assertEqual(client.put(path, job)[0], 201)
                    running = self.settle(client)
                    for task in draw.sample(running, min(2, len(running))):
                        self.assertEqual(client.put(f"/v1/tasks/{task}/outcome", {"outcome": "succeeded"})[0], 200)
                        self.settle(client)
                self.assertEqual(service.stop(), 0)
                check = subprocess.run([PROGRAM, "serve", "check", file], capture_output=True, text=True)
                self.assertEqual(check.returncode, 0, check.stderr)
                return self.placed, history.read_log(file)
            finally:
                service.end()

    def settle(self, client):
        """Waits until nothing more is placed; the tasks that run."""
        before = None
        while True:
            items = client.get("/v1/tasks?state=placed&limit=1000")[1]["items"]
            revision = client.get("/v1/cluster")[2]["Mirab-Revision"]
            if before == revision:
                self.placed.update((task["task"], (task["job"], task["server"])) for task in items)
                return [task["task"] for task in items]
            before = revision
            time.sleep(0.005)

    def test_nothing_is_decided_by_a_clock(self):
        wanted, _ = self.play(itertools.repeat((0, 1000)))
        self.assertGreater(len(wanted), 60)
        for name, settings in itertools.islice(clocks(), RUNS):
            with self.subTest(clock=name):
                placed, records = self.play(settings)
                self.assertEqual(placed, wanted)
                others = {record["w"][:4] for record in records} - {time.strftime("%Y", time.gmtime())}
                self.assertEqual(bool(others), name not in ("slow", "fast"), "not blind: the jumps are in the log")
                # Two restarts add a day each at most; the rest is the time of the test, as fast as it is made.
                self.assertLess((records[-1]["t"] - records[0]["t"]) / 1e9, 3 * DAY)
                print(f"{name}: {len(placed)} placements as with a right clock", flush=True)

    def oldest(self, setting):
        """The first revision of the log after many snapshots, half of them after the clock was set."""
        with tempfile.TemporaryDirectory() as folder:
            clock = Clock(folder)
            file = make_file(PROGRAM, folder)
            for start in range(2):  # the second one starts with the clock as it was set
                service = Service(PROGRAM, file, "--snapshot-revisions", "10", environment=clock.environment())
                try:
                    client = service.client()
                    for n in range(200):
                        if n == 100:
                            clock.set(*setting)
                        self.assertLess(client.put(f"/v1/tenants/t{start}-{n}", {})[0], 300)
                        time.sleep(0.005)
                    self.assertEqual(service.stop(), 0)
                finally:
                    service.end()
            return history.read_log(file)[0]["r"]

    def used(self, client):
        """CPU-hours, whenever the clock says that they were."""
        body = client.get("/v1/usage?from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00Z")[1]
        return sum(item["hours"]["cpu"] for item in body["items"])

    def known_times(self, client):
        """When the tasks started and ended."""
        items = client.get("/v1/tasks?limit=1000")[1]["items"]
        return {task["task"]: (task["started"], task.get("ended")) for task in items}

    def test_times_and_use_stay_what_they_were_after_a_rest_and_steps_of_the_clock(self):
        with tempfile.TemporaryDirectory() as folder:
            clock = Clock(folder)
            file = make_file(PROGRAM, folder)
            service, self.placed = Service(PROGRAM, file, environment=clock.environment()), {}
            try:
                client = service.client()
                set_up(client)
                client.put("/v1/queues/ml/jobs/j", {"tasks": 3, "demand": {"cpu": 1}})
                tasks = self.settle(client)
                client.put(f"/v1/tasks/{tasks[0]}/outcome", {"outcome": "succeeded"})
                known = self.known_times(client)
                for step, at in enumerate((YEAR, 0)):  # forth and back, while it runs
                    clock.set(at)
                    self.assertLess(self.used(client), 0.1)
                    client.put(f"/v1/tenants/t{step}", {})
                    self.assertEqual(self.known_times(client), known)
                    self.assertLess(self.used(client), 0.1)
                for rest in (2, 4):  # each time two days of rest, of which one counts
                    self.assertEqual(service.stop(), 0)
                    clock.set(rest * DAY)
                    service = Service(PROGRAM, file, environment=clock.environment())
                    client = service.client()
                    self.assertAlmostEqual(self.used(client), rest / 2 * 2 * 24, delta=0.1)
                    client.put(f"/v1/tenants/after{rest}", {})
                    self.assertEqual(self.known_times(client), known)
                copy = os.path.join(folder, "copy.db")
                backup = subprocess.run([PROGRAM, "serve", "backup", file, copy], capture_output=True, text=True)
                self.assertEqual(backup.returncode, 0, backup.stderr)
                client.put(f"/v1/tasks/{tasks[1]}/outcome", {"outcome": "succeeded"})
                self.assertAlmostEqual(self.used(client), 4 * 24, delta=0.1)
                service.kill()  # the log is replayed, from a snapshot before
                service = Service(PROGRAM, file, environment=clock.environment())
                now = self.known_times(service.client())
                self.assertEqual({task: now[task] for task in (tasks[0], tasks[2])},
                                 {task: known[task] for task in (tasks[0], tasks[2])})
                self.assertEqual(now[tasks[1]][0], known[tasks[1]][0])
                self.assertAlmostEqual(self.used(service.client()), 4 * 24, delta=0.1)
                self.assertEqual(service.stop(), 0)
                shutil.copy(file + ".admin-token", copy + ".admin-token")
                service = Service(PROGRAM, copy, environment=clock.environment())
                self.assertEqual(self.known_times(service.client()), known)
            finally:
                service.end()

    def test_a_jump_of_the_wall_clock_forgets_nothing(self):
        for years in (1, -1):
            with self.subTest(years=years):
                self.assertEqual(self.oldest((years * YEAR, 1000)), 1)
        self.assertGreater(self.oldest((0, 1_000_000_000)), 1, "not blind: what has run for a day is forgotten")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
