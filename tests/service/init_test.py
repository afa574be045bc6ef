"""The file of a service is made whole or not at all, wherever its making is killed, and by however many at a time."""

import http.client
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM, KILLER = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)


class Init(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file, self.token = self.folder / "mirab.db", self.folder / "mirab.db.admin-token"

    def serve(self, **environment):
        """Starts as the service of the package does: without a file. None where it was killed."""
        service = subprocess.Popen([PROGRAM, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "STATE_DIRECTORY": str(self.folder), **environment})
        self.addCleanup(service.stderr.close)
        said = ""
        for line in service.stderr:
            said += line
            if found := re.fullmatch(r"listening on http://127.0.0.1:(\d+)\n", line):
                return service, int(found[1])
        self.assertEqual(service.wait(), -signal.SIGKILL, said)
        return None

    def takes_its_token(self, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/v1/tenants", headers={"Authorization": "Bearer " + self.token.read_text().strip()})
        status = connection.getresponse().status
        connection.close()
        return status == 200

    def check_that_it_serves(self):
        service, port = self.serve()
        try:
            self.assertTrue(self.takes_its_token(port))
        finally:
            service.kill()
            service.wait()
        self.assertEqual(self.token.stat().st_mode & 0o777, 0o600)
        self.assertEqual([name for name in os.listdir(self.folder) if ".new" in name], [])

    def test_killed_before_each_renaming_it_is_finished_or_made_anew_by_the_next_start(self):
        for at in range(1, 10):
            if started := self.serve(LD_PRELOAD=KILLER, MIRAB_KILL_AT=str(at)):
                started[0].kill()
                started[0].wait()
                break
            self.check_that_it_serves()
            shutil.rmtree(self.folder)
            self.folder.mkdir()
        self.assertEqual(at, 3)  # there are two

    def test_what_an_earlier_version_left_when_it_was_killed_blocks_nothing(self):
        # It gave the token its name before the file.
        self.assertIsNone(self.serve(LD_PRELOAD=KILLER, MIRAB_KILL_AT="1"))
        os.rename(f"{self.token}.new", self.token)
        self.check_that_it_serves()

    def test_a_token_whose_file_was_moved_is_left_alone(self):
        subprocess.run([PROGRAM, "serve", "init", self.file], check=True, stdout=subprocess.DEVNULL)
        secret = self.token.read_text()
        os.rename(self.file, self.folder / "elsewhere.db")
        done = subprocess.run([PROGRAM, "serve", "init", self.file], capture_output=True, text=True)
        self.assertEqual((done.returncode, self.token.read_text()), (2, secret))
        self.assertIn("admin-token: there is such a file already", done.stderr)

    def test_of_several_that_make_it_one_does(self):
        makers = [subprocess.Popen([PROGRAM, "serve", "init", self.file], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                  for _ in range(8)]
        said = [maker.communicate()[1].decode() for maker in makers]
        self.assertEqual(sorted(maker.returncode for maker in makers), [0] + [2] * 7, said)
        self.check_that_it_serves()

    def test_of_several_backups_to_one_place_one_is_made_and_whole(self):
        subprocess.run([PROGRAM, "serve", "init", self.file], check=True, stdout=subprocess.DEVNULL)
        copy = self.folder / "copy.db"
        makers = [subprocess.Popen([PROGRAM, "serve", "backup", self.file, copy], stderr=subprocess.DEVNULL) for _ in range(8)]
        self.assertEqual(sorted(maker.wait() for maker in makers)[0], 0)
        subprocess.run([PROGRAM, "serve", "check", copy], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual([name for name in os.listdir(self.folder) if ".new" in name], [])


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
