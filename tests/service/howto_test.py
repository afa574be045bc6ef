"""The guides for those who run a service: their commands work, and their proxy passes on what it should."""

import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from document import SOURCE, blocks_of, free_port, run
from running import Service, make_file

PROGRAM = sys.argv.pop(1)
HOW_TO = os.path.join(SOURCE, "docs", "how-to")


class HowTo(unittest.TestCase):
    def test_tls(self):
        said = run(os.path.join(HOW_TO, "tls.md"), PROGRAM)
        self.assertEqual(said.count('"status":"ready"'), 2, said)
        self.assertIn("mirab_tls_expiry_timestamp_seconds", said)
        self.assertIn("no queue that this token may see", said)

    def test_backup(self):
        said = run(os.path.join(HOW_TO, "backup.md"), PROGRAM)
        self.assertIn("every recorded outcome", said)
        self.assertIn('"discipline":"drf"', said)
        self.assertRegex(said, r"made as-it-was\.db at revision \d+ .*, with [1-9]\d* batches of the archive")

    def test_drain_a_server(self):
        said = run(os.path.join(HOW_TO, "drain-a-server.md"), PROGRAM)
        self.assertRegex(said, r"(?m)^n1 +drained +[12] +[48] cpu +8 cpu, 32Gi memory +rack=r1$")
        self.assertRegex(said, r"(?m)^t-\d+ +vision/train +n1 +placed ")
        self.assertRegex(said, r"(?m)^n1 +open +0 +nothing +8 cpu, 32Gi memory +rack=r1$")

    def test_change_queues(self):
        said = run(os.path.join(HOW_TO, "change-queues.md"), PROGRAM)
        self.assertRegex(said, r"(?m)^speech +1 +\d+\.\d% +50\.0% ")
        self.assertRegex(said, r"(?m)^speech +3 +\d+\.\d% +75\.0% ")
        self.assertIn('"key":"/guarantee', said)

    @unittest.skipUnless(shutil.which("nginx"), "there is no nginx here")
    def test_nginx(self):
        (block,) = blocks_of(os.path.join(HOW_TO, "reverse-proxy.md"), "nginx")
        with tempfile.TemporaryDirectory() as folder:
            service = Service(PROGRAM, make_file(PROGRAM, folder), "--trusted-proxy", "127.0.0.1/32", "--log-requests")
            port = free_port()
            site = block.replace("7417", str(service.port)).replace("443 ssl", f"127.0.0.1:{port}")
            site = "\n".join(line for line in site.splitlines() if "ssl_certificate" not in line)
            configuration = os.path.join(folder, "nginx.conf")
            temporary = "".join(f"{name}_temp_path {folder}/{name};\n"
                                for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            with open(configuration, "w", encoding="utf-8") as file:
                file.write(f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;\n"
                           f"events {{}}\nhttp {{ access_log off;\n{temporary}{site}\n}}\n")
            proxy = subprocess.Popen(["nginx", "-p", folder, "-c", configuration, "-e", f"{folder}/error.log"])
            try:
                self.pass_through(service, port)
            finally:
                proxy.terminate()
                proxy.wait()
                service.end()

    def pass_through(self, service, port):
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
        service.port = port
        client = service.client()
        self.assertEqual(client.put("/v1/tenants/a", {})[0], 201)
        body = {"jobs": [{"queue": "none", "name": f"j{n}", "demand": {"cpu": 1}, "spec": {"argv": ["x" * 4000]}}
                         for n in range(500)]}
        self.assertEqual(client.ask("POST", "/v1/jobs:submit", body)[0], 200)  # 2 MB
        stream = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        stream.request("GET", "/v1/events?now=1", headers={"Authorization": "Bearer " + client.token})
        response = stream.getresponse()
        self.assertEqual(response.getheader("Content-Type"), "text/event-stream")
        said = []
        reader = threading.Thread(target=lambda: said.extend(response.readline() for _ in range(2)))
        reader.start()
        while reader.is_alive():  # an event comes through while the answer goes on
            self.assertIn(client.put(f"/v1/tenants/t{time.monotonic_ns()}", {})[0], (201,))
            reader.join(0.2)
        self.assertEqual(said[1], b"event: change\n")
        stream.close()


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
