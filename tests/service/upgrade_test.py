"""Files of earlier versions give the same answers; what cannot be read is refused with what to do.

tests/service/files/format-N has the file of a service of that format, its token and what it answered. A new format
adds a folder: `MIRAB_RECORD_UPGRADE=1` writes the one of the present program."""

import datetime
import gzip
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from running import JOB, Service, make_file, set_up

PROGRAM = sys.argv.pop(1)
FILES = pathlib.Path(__file__).parent / "files"
PATHS = ["/v1/cluster", "/v1/servers?limit=1000", "/v1/tenants", "/v1/groups", "/v1/queues", "/v1/queues/ml/jobs?limit=1000",
         "/v1/queues/vision/jobs?limit=1000", "/v1/tasks?limit=1000", "/v1/tokens", "/v1/queues/ml/jobs/large/explain",
         "/v1/audit?limit=1000", "/v1/events?after=0&wait=0s"]


def time_of(value):
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", value):
        return None
    return datetime.datetime.fromisoformat(value.removesuffix("Z"))


def holds(now, before):
    """All that was answered before; answers may have gained keys. Format 1 has files that do not say how the clocks
    stood: their times were known to some milliseconds."""
    if isinstance(before, dict):
        return isinstance(now, dict) and all(key in now and holds(now[key], value) for key, value in before.items())
    if isinstance(before, list):
        return isinstance(now, list) and len(now) == len(before) and all(map(holds, now, before))
    if time_of(now) and time_of(before):
        return abs(time_of(now) - time_of(before)) <= datetime.timedelta(milliseconds=100)
    return now == before


class Upgrade(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def start(self, file):
        service = Service(PROGRAM, file)
        self.addCleanup(service.end)
        return service

    def check(self, file):
        return subprocess.run([PROGRAM, "serve", "check", file], capture_output=True, text=True)

    def test_every_format_is_read_and_gives_the_same_answers(self):
        if os.environ.get("MIRAB_RECORD_UPGRADE"):
            self.record()
        folders = sorted(FILES.glob("format-*"))
        self.assertTrue(folders)
        for folder in folders:
            with self.subTest(folder=folder.name):
                file = os.path.join(self.folder.name, folder.name + ".db")
                with gzip.open(folder / "mirab.db.gz") as packed, open(file, "wb") as copy:
                    shutil.copyfileobj(packed, copy)
                shutil.copy(folder / "token", file + ".admin-token")
                if folder.name == "format-1":
                    self.check_tables(file)
                self.assertEqual(self.check(file).returncode, 0, self.check(file).stderr)
                service = self.start(file)
                client = service.client()
                for path, before in json.loads((folder / "answers.json").read_text()).items():
                    status, now, _ = client.get(path)
                    self.assertEqual(status, 200, (path, now))
                    for key in ("after", "revision", "first_revision"):  # after other rules it looks once more for tasks to place
                        before.pop(key, None)
                    for answer in (now, before):  # tasks are in the order of their jobs; they were in that of their names
                        if path.startswith("/v1/tasks"):
                            answer["items"].sort(key=lambda item: item["task"])
                    self.assertTrue(holds(now, before), (path, now, before))
                self.assertEqual(client.put("/v1/queues/ml/jobs/new", JOB)[0], 201)
                self.assertEqual(service.stop(), 0)
                self.assertEqual(self.check(file).returncode, 0, self.check(file).stderr)
                with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
                    tables = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                    kept = dict(database.execute("SELECT key, value FROM meta"))["format"]
                database.close()
                self.assertEqual(kept, "2")
                self.assertEqual(tables, {"meta", "batch", "snapshot", "snapshot_part", "tenant", "server", "token", "series", "uses"})

    def check_tables(self, file):
        """The tables that version wrote are what `query` prints."""
        database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        for table in ("tenant", "group", "queue", "server", "token", "job", "task_ended"):
            names = {"job": ("queue", "name"), "task_ended": ("task",)}.get(table, ("name",))
            before = [dict(zip(names, json.loads(key)), **json.loads(columns))
                      for key, columns in database.execute(f'SELECT key, columns FROM "{table}"')]
            for row in before if table == "job" else []:
                row["spec"] = json.loads(row["spec"])
            asked = subprocess.run([PROGRAM, "serve", "query", file, table, "--format", "json"], capture_output=True, text=True)
            self.assertEqual(asked.returncode, 0, asked.stderr)

            def by_name(rows):
                return sorted(rows, key=lambda row: [row[name] for name in names])
            self.assertTrue(holds(by_name(json.loads(asked.stdout)), by_name(before)), (table, asked.stdout, before))
        database.close()

    def record(self):
        file = make_file(PROGRAM, self.folder.name)
        service = self.start(file)
        client = service.client()
        set_up(client)
        client.put("/v1/groups/campus", {"guarantee": {"gpu": 2}})
        client.put("/v1/tenants/arts", {"limits": {"queued_jobs": 7}})
        client.put("/v1/queues/vision", {"tenant": "arts", "group": "campus", "weight": "1.5"})
        client.put("/v1/tokens/t", {"scopes": ["read"], "tenant": "arts"})
        for n in range(6):
            client.put(f"/v1/queues/{('ml', 'vision')[n % 2]}/jobs/j{n}", {**JOB, "tasks": n + 1, "attempts": 2,
                       "labels": {"commit": str(n)}, "spec": {"argv": ["true"], "env": {"N": str(n)}}})
        client.put("/v1/queues/ml/jobs/large", {"tasks": 1, "demand": {"gpu": 9}})
        tasks = client.get("/v1/tasks?limit=1000")[1]["items"]
        for task, outcome in zip(tasks, ("succeeded", "failed", "lost")):
            client.put(f"/v1/tasks/{task['task']}/outcome", {"outcome": outcome})
        client.ask("DELETE", "/v1/queues/ml/jobs/j4")
        client.put("/v1/servers/n1", {"capacity": {"cpu": 64, "memory": "256Gi", "gpu": 8}, "state": "drained"})
        self.assertEqual(service.stop(), 0)
        service = self.start(file)
        client = service.client()
        client.put("/v1/queues/ml/jobs/after", JOB)  # behind the snapshot: it is replayed
        answers = {path: client.get(path)[1] for path in PATHS}
        service.kill()
        database = sqlite3.connect(file)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        version = dict(database.execute("SELECT key, value FROM meta"))["format"]
        database.close()
        folder = FILES / f"format-{version}"
        folder.mkdir(parents=True, exist_ok=True)
        with open(file, "rb") as whole, gzip.GzipFile(folder / "mirab.db.gz", "wb", mtime=0) as packed:
            shutil.copyfileobj(whole, packed)
        (folder / "token").write_text(service.token + "\n")
        (folder / "answers.json").write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n")

    def test_what_cannot_be_read_is_refused_with_what_to_do(self):
        file = make_file(PROGRAM, self.folder.name)
        for change, word in (("UPDATE meta SET value = '99' WHERE key = 'format'", "start the newer version"),
                             ("DELETE FROM meta WHERE key = 'format'", "no file of `mirab serve`"),
                             ("UPDATE snapshot_part SET bytes = x'00'", "mirab serve backup")):
            with self.subTest(change=change):
                copy = file + ".copy"
                shutil.copy(file, copy)
                database = sqlite3.connect(copy)
                database.execute(change)
                database.commit()
                database.close()
                for command in (["serve", copy, "--listen", "127.0.0.1:0"], ["serve", "check", copy]):
                    refused = subprocess.run([PROGRAM, *command], capture_output=True, text=True, timeout=30)
                    self.assertNotEqual(refused.returncode, 0)
                    # `check` names the damage; `serve` says how to go on.
                    is_damage = command[1] == "check" and "snapshot" in change
                    self.assertIn("damaged" if is_damage else word, refused.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
