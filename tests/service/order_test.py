"""kill -9 at random moments under load: the five rules of order (history.py) hold over all lives of the service.

MIRAB_KILLS and MIRAB_KILL_SEED: how often it is killed, and which random numbers are drawn."""

import http.client
import itertools
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import history
from running import Service, make_file, set_up

PROGRAM = sys.argv.pop(1)
KILLS = int(os.environ.get("MIRAB_KILLS", "50"))
SEED = int(os.environ.get("MIRAB_KILL_SEED", "1"))
GONE = (OSError, http.client.HTTPException)


class Load:
    """Eight clients and an executor that go on from one life of the service to the next."""

    def __init__(self, seed):
        self.entries, self.names, self.seed = [], itertools.count(), seed
        self.unanswered, self.known = [], []

    def job(self, draw):
        return {"tasks": draw.choice((1, 1, 1, 2, 5)), "demand": {"cpu": draw.choice(("100m", "1", "7")), "gpu": 0},
                "attempts": draw.choice((1, 1000))}

    def request(self, draw):
        kind = draw.random()
        known = draw.choice(self.known) if self.known else None
        if kind < 0.1 and self.unanswered:
            return self.unanswered.pop()
        if known is None or kind < 0.55:
            return "PUT", f"/v1/queues/ml/jobs/k{next(self.names)}", self.job(draw)
        if kind < 0.62:
            jobs = [{"queue": "ml", "name": f"k{next(self.names)}", **self.job(draw)} for _ in range(3)]
            return "POST", "/v1/jobs:submit", {"jobs": jobs}
        if kind < 0.7:
            return "PUT", known[0], known[1] if draw.random() < 0.7 else {**known[1], "tasks": 9}
        if kind < 0.9:
            return "GET", known[0] if draw.random() < 0.9 else f"/v1/queues/ml/jobs/none{next(self.names)}", None
        if kind < 0.92:
            return "GET", "/v1/queues/ml/jobs?limit=1000", None
        return "DELETE", known[0], None

    def client(self, number, service, round_number):
        draw = random.Random(f"{self.seed} {round_number} {number}")
        recorder = history.Recorder(self.entries, service.port, service.token)
        while True:
            method, path, body = self.request(draw)
            try:
                status, _ = recorder.ask(method, path, body)
            except GONE:
                if method == "PUT":
                    self.unanswered.append((method, path, body))
                return
            if method == "PUT" and status == 201:
                self.known.append((path, body))
                if len(self.known) > 50:
                    self.known.pop(draw.randrange(len(self.known)))

    def executor(self, service, round_number):
        draw = random.Random(f"{self.seed} {round_number} executor")
        recorder = history.Recorder(self.entries, service.port, service.token)
        try:
            while True:
                _, body = recorder.ask("GET", "/v1/tasks?state=placed&limit=50")
                for task in body["items"]:
                    recorder.ask("PUT", f"/v1/tasks/{task['task']}/outcome",
                                 {"outcome": draw.choice(("succeeded", "succeeded", "failed", "lost"))})
                time.sleep(0.01)
        except GONE:
            return


class Order(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = make_file(PROGRAM, self.folder.name)

    def start(self):
        service = Service(PROGRAM, self.file, "--snapshot-revisions", "1000")
        self.addCleanup(service.end)
        return service

    def test_the_rules_of_order_hold_however_often_it_is_killed(self):
        print(f"replay: MIRAB_KILLS={KILLS} MIRAB_KILL_SEED={SEED}", flush=True)
        draw, load, watchers = random.Random(SEED), Load(SEED), [history.Watcher(), history.Watcher()]
        service = self.start()
        set_up(service.client())
        starts = []
        for n in range(KILLS):
            threads = [threading.Thread(target=load.client, args=(c, service, n)) for c in range(8)]
            threads.append(threading.Thread(target=load.executor, args=(service, n)))
            threads += [threading.Thread(target=watcher.poll, args=(service.port, service.token, lambda: False))
                        for watcher in watchers]
            for thread in threads:
                thread.start()
            time.sleep(draw.uniform(0.02, 0.3))
            service.kill()
            for thread in threads:
                thread.join()
            begin = time.monotonic()
            service = self.start()
            starts.append(time.monotonic() - begin)
        client, last = service.client(), 0
        while True:  # the watchers see the rest
            last = int(client.get("/v1/cluster")[2]["Mirab-Revision"])
            if all(watcher.after >= last for watcher in watchers):
                break
            for watcher in watchers:
                watcher.poll(service.port, service.token, lambda watcher=watcher: watcher.after >= last)
        self.assertEqual(service.stop(), 0)
        check = subprocess.run([PROGRAM, "serve", "check", self.file], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stderr)
        records = history.read_log(self.file)
        counts = history.check(load.entries, records, watchers)
        print(f"{KILLS} kills, {len(load.entries)} requests, {sum(e.answered is None for e in load.entries)} without an "
              f"answer, {len(records)} revisions, {dict(counts)}; longest start {max(starts):.3f} s", flush=True)
        for rule in ("rule 1", "rule 2", "rule 3", "rule 4", "rule 5"):  # not blind
            self.assertGreater(counts[rule], min(KILLS, 20), counts)


class Rules(unittest.TestCase):
    """The witness itself: a history that breaks a rule is found."""

    def setUp(self):
        body = {"tasks": 1, "attempts": 1}
        self.records = [
            {"r": 1, "w": "a", "do": "job-put", "queue": "q", "name": "a", "body": body,
             "events": [{"kind": "job-submitted", "tenant": "t", "queue": "q", "job": "q/a"}]},
            {"r": 2, "w": "b", "do": "steps", "events": [
                {"kind": "task-placed", "tenant": "t", "queue": "q", "job": "q/a", "task": "t-1", "server": "n"}]},
            {"r": 3, "w": "c", "do": "job-put", "queue": "q", "name": "b", "body": body,
             "events": [{"kind": "job-submitted", "tenant": "t", "queue": "q", "job": "q/b"}]}]

    def entry(self, sent, answered, method, name, status, at, **answer):
        return history.Entry(sent, answered, method, f"/v1/queues/q/jobs/{name}", {}, status, answer, at)

    def put(self, sent, answered, name, revision, **more):
        return self.entry(sent, answered, "PUT", name, 201, revision, **{
            "uid": f"j-{revision}", "state": "waiting", "tasks": 1, "waiting": 1, "running": 0, "succeeded": 0,
            "failed": 0, "cancelled": 0, "revision": revision, **more})

    def get(self, sent, answered, name, revision, uid, **more):
        return self.entry(sent, answered, "GET", name, 200, revision, **{
            "uid": uid, "state": "running", "tasks": 1, "waiting": 0, "running": 1, "succeeded": 0, "failed": 0,
            "cancelled": 0, "revision": 2, **more})

    def watcher(self, seen):
        watcher = history.Watcher()
        watcher.after, watcher.seen = 3, seen
        return watcher

    def changes(self):
        return [{"revision": record["r"], "at": record["w"], "events": [
            {key: value for key, value in event.items() if key != "tenant"} for event in record["events"]]}
            for record in self.records]

    def test_a_good_history_passes(self):
        good = [self.put(1, 2, "a", 1), self.get(3, 4, "a", 2, "j-1"), self.put(5, 6, "b", 3)]
        history.check(good, self.records, [self.watcher(self.changes())])

    def test_each_broken_rule_is_found(self):
        changes = self.changes()
        twice = self.records + [{**self.records[2], "r": 4}]
        for name, entries, records, watchers in (
                ("1", [self.put(5, 6, "a", 1), self.put(1, 2, "b", 3)], self.records, []),
                ("2", [self.put(1, 2, "b", 3), self.get(3, 4, "a", 2, "j-1")], self.records, []),
                ("3, a job that was lost", [self.put(1, 2, "c", 3)], self.records, []),
                ("3, other counts", [self.get(3, 4, "a", 2, "j-1", running=0, waiting=1, state="waiting")], self.records, []),
                ("3, gone again", [self.put(1, 2, "a", 1), self.entry(3, 4, "GET", "a", 404, None)], self.records, []),
                ("4", [], twice, []),
                ("5, one is missing", [], self.records, [self.watcher(changes[:1] + changes[2:])]),
                ("5, one is there twice", [], self.records, [self.watcher(changes[:1] + changes)]),
                ("5, another order", [], self.records, [self.watcher([changes[1], changes[0], changes[2]])]),
                ("5, half a revision", [], self.records, [self.watcher([{**changes[0], "events": []}, *changes[1:]])])):
            with self.subTest(rule=name), self.assertRaises(AssertionError):
                history.check(entries, records, watchers)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
