"""The unit of systemd: what it says is right and close, and the service says what it waits for."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from running import Service

PROGRAM, UNIT = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)


class Unit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.unit = os.path.join(self.folder.name, "mirab.service")
        with open(UNIT, encoding="utf-8") as file:
            text = re.sub(r"(?m)^ExecStart=\S+", "ExecStart=" + PROGRAM, file.read())
        with open(self.unit, "w", encoding="utf-8") as file:
            file.write(text)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze here")
    def test_systemd_understands_it(self):
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", self.unit], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze here")
    def test_it_gives_the_process_no_more_than_it_needs(self):
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15", self.unit],
                              capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze here")
    def test_it_lets_the_service_lower_the_priority_of_long_questions(self):
        done = subprocess.run(["systemd-analyze", "syscall-filter"], capture_output=True, text=True, check=True)
        sets, members = {}, []
        for line in done.stdout.splitlines():
            if line.startswith("@"):
                members = sets.setdefault(line.strip(), [])
            elif line.strip() and not line.strip().startswith("#"):
                members.append(line.strip())

        def calls_of(name):
            return {call for member in sets[name] for call in calls_of(member)} if name in sets else {name}

        allowed = set()
        with open(self.unit, encoding="utf-8") as file:
            for line in re.findall(r"(?m)^SystemCallFilter=(.*)$", file.read()):
                calls = {call for name in line.lstrip("~").split() for call in calls_of(name)}
                allowed = allowed - calls if line.startswith("~") else allowed | calls
        self.assertIn("fdatasync", allowed)
        self.assertNotIn("setrlimit", allowed)
        self.assertIn("setpriority", allowed)

    def test_a_start_that_replays_much_asks_for_more_time(self):
        folder, file = self.folder.name, os.path.join(self.folder.name, "mirab.db")
        subprocess.run([PROGRAM, "serve", "init", file], check=True, stdout=subprocess.DEVNULL)
        service = Service(PROGRAM, file)
        self.addCleanup(service.end)
        service.client().put("/v1/tenants/t", {})
        service.kill()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            address = os.path.join(folder, "notify")
            manager.bind(address)
            manager.settimeout(60)
            again = subprocess.Popen([PROGRAM, "serve", file, "--listen", "127.0.0.1:0"], stderr=subprocess.DEVNULL,
                                     env={**os.environ, "NOTIFY_SOCKET": address})
            self.assertEqual(manager.recv(100), b"EXTEND_TIMEOUT_USEC=600000000")
            self.assertEqual(manager.recv(100), b"READY=1")
            again.kill()
            again.wait()

    def test_the_service_without_arguments_makes_its_file_and_says_when_it_is_ready_works_and_stops(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            address = os.path.join(self.folder.name, "notify")
            manager.bind(address)
            manager.settimeout(60)
            service = subprocess.Popen([PROGRAM, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.DEVNULL,
                                       env={**os.environ, "NOTIFY_SOCKET": address, "STATE_DIRECTORY": self.folder.name})
            self.assertEqual(manager.recv(100), b"READY=1")
            self.assertTrue(os.path.exists(os.path.join(self.folder.name, "mirab.db")))
            self.assertEqual(manager.recv(100), b"WATCHDOG=1")
            service.send_signal(signal.SIGTERM)
            said = b"WATCHDOG=1"
            while said == b"WATCHDOG=1":
                said = manager.recv(100)
            self.assertEqual(said, b"STOPPING=1")
            self.assertEqual(service.wait(timeout=60), 0)

    def test_a_watchdog_of_an_abstract_name_is_reached_as_well(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            name = f"mirab-test-{os.getpid()}"
            manager.bind("\0" + name)
            manager.settimeout(60)
            service = subprocess.Popen([PROGRAM, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.DEVNULL,
                                       env={**os.environ, "NOTIFY_SOCKET": "@" + name, "STATE_DIRECTORY": self.folder.name})
            self.assertEqual(manager.recv(100), b"READY=1")
            service.kill()
            service.wait()


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
