"""The ground of the tests of `mirab kube`: a scripted cluster, the program as a process, and what it says."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from scripted_api import Certificates
from scripted_cluster import ScriptedCluster

PROGRAM = sys.argv.pop(1)


class Scheduler:
    """A process `mirab kube`; `lines` are those of its log, `errors` what else it wrote."""

    def __init__(self, config, *words):
        environment = {key: value for key, value in os.environ.items()
                       if not key.lower().endswith("_proxy") and not key.startswith("KUBE")}
        self.process = subprocess.Popen([PROGRAM, "kube", "--kubeconfig", config, *words], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8")
        self.lines, self.errors = [], []
        self.said = threading.Condition()
        self.reading = threading.Thread(target=self.read, daemon=True)
        self.reading.start()

    def read(self):
        for line in self.process.stderr:
            with self.said:
                if line.startswith("{"):
                    self.lines.append(json.loads(line))
                else:
                    self.errors.append(line)
                self.said.notify_all()

    def says(self, what, within=60, **more):
        """Waits for a line of the log."""
        def found():
            return next((line for line in self.lines
                         if line["what"] == what and all(line.get(key) == value for key, value in more.items())), None)

        with self.said:
            if not self.said.wait_for(found, within):
                raise AssertionError(f"it did not say {what} {more}; it said {self.lines} {self.errors}")
            return found()

    def ends(self, within=60):
        """Its exit status."""
        status = self.process.wait(within)
        self.reading.join()
        return status

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.ends()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.ends()

    def close(self):
        self.kill()
        self.process.stderr.close()


class KubeCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def cluster(self, *words, **more):
        cluster = ScriptedCluster(*words, **more)
        self.addCleanup(cluster.close)
        return cluster

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + ".new", path)
        return path

    def config(self, server, cluster=None, user=None):
        return self.write("config", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server, **(cluster or {})}}],
            "users": [{"name": "u", "user": user or {}}]}))

    def start(self, api, *words, **of_config):
        """A process that acts at once, but where `--leader-elect` is among the words."""
        elects = () if {"--leader-elect", "--dry-run"} & set(words) else ("--no-leader-elect",)
        scheduler = Scheduler(self.config(api.url, **of_config), *elects, *words)
        self.addCleanup(scheduler.close)
        return scheduler

    def certified_cluster(self, *others):
        """A cluster that asks for client certificates, and what signed that of `me` and the others."""
        pki = Certificates(self.folder.name)
        for name in ("server", "me", *others):
            pki.sign(name)
        return self.cluster(tls=pki.server("server", True)), pki

    def start_certified(self, api, *words):
        """A process with the client certificate of `me`."""
        return self.start(api, *words, cluster={"certificate-authority": "ca.pem"},
                          user={"client-certificate": "me.pem", "client-key": "me.key"})

    def assert_bound_once(self, cluster, *names):
        cluster.bound(*names)
        self.assertEqual(sorted(bind.name for bind in cluster.binds), sorted(names))
        self.assertEqual(cluster.repeated, [])


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def get(port, path):
    """Status and body, once somebody listens there."""
    end = time.monotonic() + 60
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except ConnectionError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        finally:
            connection.close()
