"""A full disk: a real file system of 16 MiB. Submits are refused with 507, what gives room or ends work goes on, and
submits are taken again by themselves once there is room.

Needs the right to mount (root, or a user namespace); else it is skipped."""

import os
import subprocess
import sys
import tempfile
import time
import unittest

from running import Service, make_file, set_up

PROGRAM = sys.argv[1]
BALLAST = 5 << 20
RESERVE = 2 << 20
JOB = {"tasks": 1, "demand": {"cpu": "100m"}, "spec": {"env": {"filler": "x" * 12_000}}}


def may_mount():
    """Goes into a user namespace where that is needed; False where nothing helps."""
    if os.geteuid() == 0:
        return True
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
        return False
    os.execvp("unshare", [*unshare, sys.executable, "-B", *sys.argv])


class FullDisk(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        mount = ["mount", "-t", "tmpfs", "-o", "size=16m,mode=0700", "tmpfs", self.folder.name]
        if subprocess.run(mount, capture_output=True).returncode != 0:
            self.skipTest("no right to mount a file system")
        self.addCleanup(subprocess.run, ["umount", "-l", self.folder.name], check=True)
        self.ballast = os.path.join(self.folder.name, "ballast")
        with open(self.ballast, "wb") as ballast:
            ballast.write(bytes(BALLAST))
        self.file = make_file(PROGRAM, self.folder.name)
        self.service = Service(PROGRAM, self.file, "--reserve", str(RESERVE))
        self.addCleanup(self.service.end)

    def fill(self, client, acknowledged, begin):
        """Submits until the disk is full; some that met it have an unknown outcome."""
        for n in range(begin, begin + 5000):
            status, body, _ = client.put(f"/v1/queues/ml/jobs/j{n}", JOB)
            if status == 201:
                acknowledged.append(f"j{n}")
            elif status == 507:
                self.assertEqual(body["type"], "/problems/disk-full")
                return n
            else:
                self.assertEqual(status, 503, body)
        self.fail("16 MiB hold all of it")

    def submits_again(self, client, name):
        for _ in range(600):
            status, body, _ = client.put(f"/v1/queues/ml/jobs/{name}", JOB)
            if status == 201:
                return True
            self.assertIn(status, (507, 503), body)
            time.sleep(0.1)
        return False

    def test_cancel_and_finish_go_on_and_submits_come_back_by_themselves(self):
        client, acknowledged = self.service.client(), []
        set_up(client)
        full_at = self.fill(client, acknowledged, 0)
        self.assertGreater(len(acknowledged), 50)
        self.assertEqual(client.get("/readyz")[1]["disk_full"], True)
        self.assertIn("mirab_disk_full 1", client.get("/metrics")[1])
        self.assertEqual(client.ask("POST", "/v1/jobs:submit", {"jobs": [{"queue": "ml", "name": "b", **JOB}]})[0], 507)

        running = client.get("/v1/tasks?state=placed")[1]["items"]
        for task in running[:5]:
            status, body, _ = client.put(f"/v1/tasks/{task['task']}/outcome", {"outcome": "succeeded"})
            self.assertEqual((status, body["state"]), (200, "succeeded"))
        for name in acknowledged[-5:]:
            status, body, _ = client.ask("DELETE", f"/v1/queues/ml/jobs/{name}")
            self.assertEqual((status, body["state"]), (200, "cancelled"))
        drained = {"capacity": {"cpu": 64, "memory": "256Gi", "gpu": 8}, "state": "drained"}
        self.assertEqual(client.put("/v1/servers/n0", drained)[0], 200)
        self.assertEqual(client.get("/v1/queues/ml/jobs/" + acknowledged[0])[0], 200)

        # What was written goes from the write-ahead log into the file, so that the log stays short.
        for n in range(1000):
            drained["capacity"]["gpu"] = 8 + n % 2
            self.assertEqual(client.put("/v1/servers/n0", drained)[0], 200, n)
        self.assertLess(os.path.getsize(self.file + "-wal"), RESERVE)

        os.unlink(self.ballast)
        self.assertTrue(self.submits_again(client, "after"))
        acknowledged.append("after")
        self.assertEqual(client.get("/readyz")[1]["disk_full"], False)

        # Killed while it is full, it comes back; what was acknowledged is there.
        self.fill(client, acknowledged, full_at + 1)
        self.service.kill()
        self.service = Service(PROGRAM, self.file, "--reserve", str(RESERVE))
        self.addCleanup(self.service.end)
        client = self.service.client()
        for name in acknowledged:
            self.assertEqual(client.get(f"/v1/queues/ml/jobs/{name}")[0], 200, name)
        self.assertEqual(self.service.stop(), 0)
        check = subprocess.run([PROGRAM, "serve", "check", self.file], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stderr)
        print(f"{len(acknowledged)} jobs acknowledged and kept", flush=True)


if __name__ == "__main__":
    if not may_mount():
        print("skipped: no right to mount a file system")
        sys.exit(0)
    sys.argv.pop(1)
    unittest.main(verbosity=2, warnings="ignore")
