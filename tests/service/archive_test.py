"""The archive: whatever is killed, whenever, the file comes back as it was at any revision; what is damaged, missing or
of another cluster is named.

MIRAB_ARCHIVE_KILLS: how often the service is killed."""

import gzip
import http.client
import os
import pathlib
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from running import JOB, Service, make_file, set_up

PROGRAM, SHIM = sys.argv.pop(1), sys.argv.pop(1)
KILLS = int(os.environ.get("MIRAB_ARCHIVE_KILLS", "6"))


def rows_of(file, query):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        found = database.execute(query).fetchall()
    database.close()
    return found


def state_of(file, revision):
    """Every thing and the log as the file says it of a revision."""
    state = {table: subprocess.run([PROGRAM, "serve", "query", file, table], capture_output=True, text=True, check=True).stdout
             for table in ("tenant", "group", "queue", "server", "token", "job", "task_ended")}
    for table in ("tenant", "server", "token"):
        state[table + " kept"] = rows_of(file, f'SELECT key, columns FROM "{table}" ORDER BY key')
    state["log"] = rows_of(file, f"SELECT first, last, wall, hash, body FROM batch WHERE last <= {revision} ORDER BY first")
    state["uses"] = rows_of(file, "SELECT * FROM uses ORDER BY hour, queue, resource")
    return state


def last_of(file):
    return rows_of(file, "SELECT max(last) FROM batch")[0][0]


class Archive(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.archive = os.path.join(self.folder, "archive")
        os.mkdir(self.archive)
        self.file = make_file(PROGRAM, self.folder)

    def start(self, *options, environment=None):
        service = Service(PROGRAM, self.file, "--archive", self.archive, *options, environment=environment)
        self.addCleanup(service.end)
        return service

    def serve(self, file, *options):
        return subprocess.run([PROGRAM, "serve", *options, file], capture_output=True, text=True)

    def restore(self, name, *options):
        file = os.path.join(self.folder, name)
        done = subprocess.run([PROGRAM, "serve", "restore", file, *options], capture_output=True, text=True)
        return file, done

    def restored(self, name, *options):
        file, done = self.restore(name, "--archive", self.archive, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(pathlib.Path(self.folder).glob(name + "*")), [pathlib.Path(file)], "nothing beside it")
        self.assertEqual(os.stat(file).st_mode & 0o777, 0o600)
        check = self.serve(file, "check")
        self.assertEqual(check.returncode, 0, check.stderr)
        return file

    def refused(self, *options, says):
        file, done = self.restore("refused.db", *options)
        self.assertEqual(done.returncode, 1, done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)
        self.assertEqual(list(pathlib.Path(self.folder).glob("refused.db*")), [], "nothing is left behind")

    def wait_for_archive(self, service):
        """Until all that is durable is archived."""
        for _ in range(300):
            text = service.client().get("/metrics")[1]
            at = dict(re.findall(r'mirab_revision\{at="(\w+)"\} (\S+)', text))
            if at["archive"] == at["durable"]:
                return int(float(at["archive"]))
            time.sleep(0.05)
        self.fail(f"it does not archive: {service.read_log()}")

    def fill(self, jobs=30):
        service = self.start()
        client = service.client()
        set_up(client)
        for n in range(jobs):
            self.assertEqual(client.put(f"/v1/queues/ml/jobs/j{n}", JOB)[0], 201)
            for task in client.get("/v1/tasks?state=placed&limit=2")[1]["items"]:
                client.put(f"/v1/tasks/{task['task']}/outcome", {"outcome": "succeeded"})
        return service

    def logs(self):
        return sorted(pathlib.Path(self.archive).glob("log-*.gz"))

    def test_a_killed_service_is_archived_without_a_gap_or_a_double(self):
        draw = random.Random(1)
        number = 0
        for _ in range(KILLS):
            service = self.start("--snapshot-revisions", "50")
            client = service.client()
            if number == 0:
                set_up(client)
            timer = threading.Timer(draw.uniform(0.05, 0.8), service.kill)
            timer.start()
            try:
                while True:
                    number += 1
                    client.put(f"/v1/queues/ml/jobs/k{number}", JOB)
                    for task in client.get("/v1/tasks?state=placed&limit=1")[1]["items"]:
                        client.put(f"/v1/tasks/{task['task']}/outcome", {"outcome": "succeeded"})
            except (OSError, http.client.HTTPException):  # as it was killed
                timer.join()
        service = self.start()
        self.wait_for_archive(service)
        self.assertEqual(service.stop(), 0)
        last = last_of(self.file)
        wanted = state_of(self.file, last)
        file = self.restored("whole.db")
        self.assertEqual(state_of(file, last), wanted)
        batches = [(first, end) for first, end, *_ in wanted["log"]]
        print(f"{KILLS} kills, {len(batches)} batches, {last} revisions", flush=True)
        # To several revisions and moments: what the file says is what the whole log says of it.
        for first, end in draw.sample(batches[5:], 4):
            with self.subTest(revision=end):
                begun = self.restored(f"at{end}.db", "--revision", str(end))
                self.assertEqual(state_of(begun, end)["log"], state_of(self.file, end)["log"])
                self.assertEqual(last_of(begun), end)
                again, done = self.restore(f"on{end}.db", "--backup", begun, "--archive", self.archive)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(state_of(again, last), wanted, "from there to the end gives the same")
        first, end, wall, *_ = wanted["log"][len(batches) // 2]
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(wall // 1000)) + f".{wall % 1000:03}Z"
        at = self.restored("moment.db", "--time", moment)
        self.assertGreaterEqual(last_of(at), end)
        self.assertLessEqual(rows_of(at, "SELECT max(wall) FROM batch")[0][0], wall)

    def test_a_restored_file_serves_with_the_same_token(self):
        service = self.fill()
        jobs = service.client().get("/v1/queues/ml/jobs?limit=1000")[1]["items"]
        self.assertEqual(service.stop(), 0)
        file = self.restored("again.db")
        shutil.copy(self.file + ".admin-token", file + ".admin-token")
        again = Service(PROGRAM, file)
        self.addCleanup(again.end)
        self.assertEqual(again.client().get("/v1/queues/ml/jobs?limit=1000")[1]["items"], jobs)
        again.stop()
        # It never takes the place of a file, and a batch is restored whole or not at all.
        _, done = self.restore("again.db", "--archive", self.archive)
        self.assertEqual(done.returncode, 1)
        self.assertIn("again.db: there is such a file already", done.stderr)
        base = int(min(pathlib.Path(self.archive).glob("base-*.db")).stem.removeprefix("base-"))  # on a busy machine not the first
        later = f"SELECT first, last FROM batch WHERE last > first AND first > {base} LIMIT 1"
        first, last = rows_of(self.file, later)[0]
        before = self.restored("inside.db", "--revision", str(last - 1))
        self.assertEqual(last_of(before), first - 1)
        self.refused("--archive", self.archive, "--revision", "100000", says=[self.archive, "before 100000"])
        self.refused("--archive", self.archive, "--revision", "0", says=["base-", "an earlier backup is needed"])

    def test_what_is_damaged_or_missing_or_of_others_is_named(self):
        for n in range(3):
            service = self.start() if n else self.fill(10)
            self.assertEqual(service.client().put(f"/v1/tenants/t{n}", {})[0], 201)
            self.wait_for_archive(service)
            service.stop()
        (log,) = self.logs()
        whole = log.read_bytes()
        begins = [at for at in range(len(whole)) if whole.startswith(b"\x1f\x8b\x08", at)]
        self.assertGreater(len(begins), 2)
        middle = begins[len(begins) // 2]
        log.write_bytes(whole[:middle + 40] + bytes([whole[middle + 40] ^ 0xff]) + whole[middle + 41:])
        self.refused("--archive", self.archive, says=[log.name, "damaged after revision"])
        # Before the damage it can be restored all the same.
        good = gzip.decompress(whole[:middle]).splitlines()
        lasts = [int(found[1]) for line in good if (found := re.search(rb'"last":(\d+)', line)) and b'"hash"' in line]
        self.restored("before.db", "--revision", str(lasts[-1]))
        log.write_bytes(whole[:begins[0]] + whole[begins[1]:])
        self.refused("--archive", self.archive, says=[log.name, "are not in the archive"])
        log.write_bytes(whole[:-10])
        file, done = self.restore("cut.db", "--archive", self.archive)
        self.assertIn("its last group has no end", done.stdout)
        # What is damaged or cut off is in the log still: the service writes it again.
        log.write_bytes(whole[:middle + 40])
        service = self.start()
        self.wait_for_archive(service)
        service.stop()
        file = self.restored("mended.db")
        self.assertEqual(state_of(file, last_of(self.file)), state_of(self.file, last_of(self.file)))

        other = os.path.join(self.folder, "other")
        os.mkdir(other)
        other = make_file(PROGRAM, other)
        done = subprocess.run([PROGRAM, "serve", other, "--listen", "127.0.0.1:0", "--archive", self.archive],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another cluster", done.stderr)
        self.refused("--backup", other, "--archive", self.archive, says=["the archive is of cluster", log.name])

    def test_an_archive_of_another_history_is_left_alone(self):
        service = self.fill(5)
        self.wait_for_archive(service)
        service.stop()
        shutil.copy(self.file, self.file + ".early")
        service = self.start()
        service.client().put("/v1/tenants/late", {})
        service.stop()
        before = {path: path.read_bytes() for path in pathlib.Path(self.archive).iterdir()}
        shutil.copy(self.file + ".early", self.file)
        done = subprocess.run([PROGRAM, "serve", self.file, "--listen", "127.0.0.1:0", "--archive", self.archive],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another history", done.stderr)
        self.assertEqual({path: path.read_bytes() for path in pathlib.Path(self.archive).iterdir()}, before)

    def test_a_folder_that_fails_does_not_stop_the_service_and_the_log_waits_for_it(self):
        # A clock that is a million times as fast (clock_shim.c): the log would be forgotten at once.
        clock = os.path.join(self.folder, "clock")
        pathlib.Path(clock).write_bytes(struct.pack("=qq", 0, 1_000_000_000))
        service = self.start("--snapshot-revisions", "20", environment={"LD_PRELOAD": SHIM, "MIRAB_CLOCK": clock})
        client = service.client()
        set_up(client)
        archived = self.wait_for_archive(service)
        away = self.logs()[0].with_suffix(".away")
        os.rename(self.logs()[0], away)  # as where the disk under it has failed
        for n in range(100):
            self.assertEqual(client.put(f"/v1/queues/ml/jobs/j{n}", JOB)[0], 201)
        for _ in range(200):
            text = client.get("/metrics")[1]
            if not re.search(r"mirab_archive_failures_total 0\n", text):
                break
            time.sleep(0.05)
        self.assertGreater(float(re.search(r"mirab_archive_lag_seconds (\d\S*)", text)[1]), 0)
        self.assertIn("cannot be archived", service.read_log())
        self.assertLessEqual(rows_of(self.file, "SELECT min(first) FROM batch")[0][0], archived + 1)
        self.assertGreater(rows_of(self.file, "SELECT count(*) FROM snapshot WHERE revision > %d" % (archived + 20))[0][0], 2)
        os.rename(away, away.with_suffix(".gz"))
        self.wait_for_archive(service)
        self.assertIn("archive-goes-on", service.read_log())
        for n in range(100):
            self.assertEqual(client.put(f"/v1/queues/ml/jobs/k{n}", JOB)[0], 201)
        self.wait_for_archive(service)
        service.stop()
        self.assertGreater(rows_of(self.file, "SELECT min(first) FROM batch")[0][0], archived + 1, "not blind: it forgets")
        self.restored("whole.db")

    @unittest.skipUnless(os.geteuid() == 0, "no right to mount a file system")
    def test_a_full_folder_does_not_stop_the_service(self):
        mount = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs", self.archive]
        if subprocess.run(mount, capture_output=True).returncode != 0:
            self.skipTest("no right to mount a file system")
        self.addCleanup(subprocess.run, ["umount", "-l", self.archive], check=True)
        service = self.start()
        client = service.client()
        set_up(client)
        self.wait_for_archive(service)
        ballast = os.path.join(self.archive, "ballast")
        with open(ballast, "wb", buffering=0) as file, self.assertRaises(OSError):
            while True:
                file.write(bytes(4096))
        for n in range(200):
            self.assertEqual(client.put(f"/v1/queues/ml/jobs/j{n}", {**JOB, "labels": {"x": os.urandom(60).hex()}})[0], 201)
        for _ in range(100):
            if "No space left" in service.read_log():
                break
            time.sleep(0.05)
        self.assertIn("No space left", service.read_log())
        os.remove(ballast)
        self.wait_for_archive(service)
        service.stop()
        self.restored("whole.db")

    def test_a_folder_that_is_not_there_or_in_use_is_an_error(self):
        shutil.rmtree(self.archive)
        done = self.serve(self.file, "--archive", self.archive)
        self.assertEqual(done.returncode, 2)
        self.assertIn(self.archive, done.stderr)
        os.mkdir(self.archive)
        service = self.start()
        shutil.copy(self.file, self.file + ".copy")
        done = self.serve(self.file + ".copy", "--archive", self.archive)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another process writes", done.stderr)
        service.stop()


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
