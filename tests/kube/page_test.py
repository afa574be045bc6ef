"""The live page on `mirab kube`, in a browser: page_test.py MIRAB NODE SCRIPT OPTION…"""

import subprocess
import sys
import unittest

COMMAND = sys.argv[2:]
del sys.argv[2:]

from read_case import ReadCase  # noqa: E402


class Page(ReadCase):
    def test_it_is_looked_at_without_a_token(self):
        done = subprocess.run([*COMMAND, "--url", f"http://127.0.0.1:{self.port}"], check=False)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
