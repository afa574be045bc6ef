"""The commands of docs/tutorials/service.md, one after the other, as a reader types them."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest

PROGRAM, DOCUMENT = sys.argv.pop(1), sys.argv.pop(1)


class Tutorial(unittest.TestCase):
    def test_its_commands_work(self):
        with open(DOCUMENT, encoding="utf-8") as document:
            text = document.read()
        blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        self.assertGreater(len(blocks), 5)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        script = "set -eum\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + "".join(blocks).replace("7417", port)
        environment = {**os.environ, "PATH": os.path.dirname(os.path.abspath(PROGRAM)) + ":" + os.environ["PATH"]}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True,
                                  timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(re.findall("(?m)^running +12$", done.stdout)), 2, done.stdout)
        self.assertRegex(done.stdout, "(?m)^no-room: no server has room")
        self.assertRegex(done.stdout, "(?m)^vision/large +0 +1$")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
