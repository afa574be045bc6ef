"""A `mirab serve` process for tests, and a client of the standard library."""

import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import threading


class Service:
    """Starts the program on a file; the port is the one that it prints."""

    def __init__(self, program, file, *options, listen="127.0.0.1:0", environment=None):
        self.program, self.file, self.options = program, file, options
        with open(file + ".admin-token", encoding="ascii") as token:
            self.token = token.read().strip()
        self.log = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.writing = threading.Lock()  # one place in the log is for writing and for reading
        self.process = subprocess.Popen(
            [program, "serve", file, "--listen", listen, "--per-address", "0", *options],
            stderr=subprocess.PIPE, text=True, encoding="utf-8", env={**os.environ, **(environment or {})})
        for line in self.process.stderr:
            found = re.fullmatch(r"listening on (https?)://[0-9.]+:(\d+)\n", line)
            if found:
                self.port = int(found[2])
                self.url = f"{found[1]}://127.0.0.1:{self.port}"
                break
            self.log.write(line)
        else:
            raise AssertionError(f"it did not start: {self.read_log()}")
        self.reading = threading.Thread(target=self.keep_log, daemon=True)
        self.reading.start()

    def keep_log(self):
        for line in self.process.stderr:
            with self.writing:
                self.log.write(line)

    def read_log(self):
        with self.writing:
            self.log.seek(0)
            return self.log.read()

    def client(self, token=None):
        return Client(self.port, token or self.token)

    def end(self):
        """However it is: it no longer runs, and nothing of it is left open."""
        if self.process.poll() is None:
            self.kill()
        self.reading.join()
        self.process.stderr.close()
        self.log.close()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


class Client:
    """One connection. `ask` gives (status, body, headers)."""

    def __init__(self, port, token):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.token = token

    def ask(self, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        text = None if body is None else body if isinstance(body, (str, bytes)) else json.dumps(body)
        self.connection.request(method, path, text, headers)
        response = self.connection.getresponse()
        content = response.read().decode()
        is_json = "json" in (response.getheader("Content-Type") or "")
        return response.status, json.loads(content) if is_json else content, dict(response.getheaders())

    def get(self, path):
        return self.ask("GET", path)

    def put(self, path, body, **headers):
        return self.ask("PUT", path, body, **headers)


def make_file(program, folder):
    file = os.path.join(folder, "mirab.db")
    subprocess.run([program, "serve", "init", file], check=True, stdout=subprocess.DEVNULL)
    return file


def set_up(client, servers=2):
    """A tenant, a queue and servers with room for tasks."""
    assert client.put("/v1/tenants/research", {})[0] == 201
    status, body, _ = client.put("/v1/queues/ml", {"tenant": "research"})
    assert status == 201, body
    for n in range(servers):
        status, body, _ = client.put(f"/v1/servers/n{n}", {"capacity": {"cpu": 64, "memory": "256Gi", "gpu": 8}})
        assert status == 201, body


JOB = {"tasks": 2, "demand": {"cpu": "1500m", "memory": "4Gi", "gpu": 1}}
